//! The house rules as tests: which module may use which, and what no file may hold. Each rule is a function from a
//! source text to its faults, tried on bad snippets before it is let loose on the tree.

mod floors;
mod functions;
mod rules;
mod source;
mod tree;
