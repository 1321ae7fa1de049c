//! The constants of the plume, and which of them make sense.

use serde::{Deserialize, Serialize};

use super::NAME;
use crate::{Error, Result};
use crate::{Resolution, positive};

/// Constants of the plume.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PlumeConfig {
    /// Points along y and x.
    pub resolution: Resolution,
    /// How many sources an input has.
    pub sources: usize,
    /// Probability of the first direction; 1 leaves a law of one mode.
    pub weight: f64,
    /// Angles of the wind against x, in degrees.
    pub directions: [f64; 2],
    /// Deviation of the angle around them, in degrees; without it and with one direction the law is
    /// log-normal at every point.
    pub noise: f64,
    /// Deviation of the logarithm of the strength.
    pub sigma: f64,
    /// How far the wind carries.
    pub reach: f64,
    /// Deviation of a puff when it is released.
    pub width: f64,
    /// Deviation that it gains on its way.
    pub spread: f64,
    /// Puffs that make the plume.
    pub puffs: usize,
    /// Puffs of the low-fidelity solver.
    pub low_puffs: usize,
    /// Deviation that they gain, more than in truth because the wind may turn.
    pub low_spread: f64,
}

/// Sources or puffs at most: more are no other plume, only slower.
const MOST: usize = 10_000;

impl Default for PlumeConfig {
    fn default() -> Self {
        Self {
            resolution: Resolution::PerAxis(vec![24, 40]),
            sources: 2,
            weight: 0.65,
            directions: [20.0, -25.0],
            noise: 3.0,
            sigma: 0.4,
            reach: 0.9,
            width: 0.06,
            spread: 0.08,
            puffs: 8,
            low_puffs: 2,
            low_spread: 0.25,
        }
    }
}

impl PlumeConfig {
    pub(super) fn check(&self) -> Result<()> {
        for (name, value) in [
            ("reach", self.reach),
            ("width", self.width),
            ("spread", self.spread),
            ("low_spread", self.low_spread),
        ] {
            positive(NAME, name, value)?;
        }
        let angles = self.directions.iter().chain([&self.noise]);
        let is_angle = |angle: &f64| angle.abs() <= 180.0;
        let counts = [self.sources, self.puffs, self.low_puffs];
        let is_sound = (0.0..=1.0).contains(&self.weight)
            && angles.into_iter().all(is_angle)
            && self.noise >= 0.0
            && (0.0..=10.0).contains(&self.sigma)
            && self.reach <= 100.0 * self.width
            && counts.iter().all(|count| (1..=MOST).contains(count));
        if !is_sound {
            return Err(Error::unsolvable(
                NAME,
                "choose weight from 0 to 1, directions and noise within 180 degrees, sigma \
                         from 0 to 10, reach up to a hundred widths, and at least one source and puff \
                     and at most 10000",
            ));
        }
        Ok(())
    }
}
