//! gemtrail
fn main() {}
