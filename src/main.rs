//! The `doublefire` command.

fn main() {}
