//! x
/// The law.
pub struct Law;
