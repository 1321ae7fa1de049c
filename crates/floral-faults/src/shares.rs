//! A time shared among several: what one leaves goes to those after it.

use std::time::{Duration, Instant};

/// The time of those that are left.
pub struct Shares {
    end: Instant,
    left: usize,
}

impl Shares {
    /// For so many.
    pub fn new(time: Duration, count: usize) -> Self {
        Self {
            end: Instant::now() + time,
            left: count,
        }
    }

    /// When the next one has to end.
    pub fn next_end(&mut self) -> Instant {
        let now = Instant::now();
        let share = self.end.saturating_duration_since(now) / self.left.max(1) as u32;
        self.left = self.left.saturating_sub(1);
        now + share
    }
}
