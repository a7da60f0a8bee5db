//! Where rows live. The memory store serves the simulation; its operations are the ones that the dispatcher's
//! actions name, each atomic.

pub mod memory;
