//! Scenario files: what is accepted, what is refused, and in which words.

mod accepted;
