//! Vectors with typed places, reused from cell to cell without giving their memory back.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// The place of a `T` in its [`Arena`].
pub(super) struct Id<T> {
    index: u32,
    of: PhantomData<fn() -> T>,
}

impl<T> Id<T> {
    pub(super) const fn new(index: u32) -> Self {
        Id { index, of: PhantomData }
    }

    pub(super) const fn index(self) -> u32 {
        self.index
    }
}

// Derives would ask the same of `T`.
impl<T> Clone for Id<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Id<T> {}
impl<T> PartialEq for Id<T> {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index
    }
}
impl<T> Eq for Id<T> {}
impl<T> std::fmt::Debug for Id<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{}", self.index)
    }
}

/// Values that live until the cell is over.
#[derive(Debug)]
pub(super) struct Arena<T>(Vec<T>);

impl<T> Arena<T> {
    pub(super) const fn new() -> Self {
        Arena(Vec::new())
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn push(&mut self, value: T) -> Id<T> {
        self.0.push(value);
        Id::new(self.0.len() as u32 - 1)
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }

    /// The place that the next value will take.
    pub(super) fn next(&self) -> u32 {
        self.0.len() as u32
    }
}

impl<T> Index<Id<T>> for Arena<T> {
    type Output = T;
    #[inline]
    fn index(&self, id: Id<T>) -> &T {
        &self.0[id.index as usize]
    }
}

impl<T> IndexMut<Id<T>> for Arena<T> {
    #[inline]
    fn index_mut(&mut self, id: Id<T>) -> &mut T {
        &mut self.0[id.index as usize]
    }
}
