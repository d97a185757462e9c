//! The pdblens command.

fn main() {}
