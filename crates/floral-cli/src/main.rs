//! The `floral` command.

fn main() {}
