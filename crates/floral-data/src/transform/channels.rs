//! The transforms of all channels of a solution, with known constants; part of a checkpoint.

use serde::{Deserialize, Serialize};

use super::Transform;
use super::kind::ROUND_OFF;
use crate::Field;

/// One transform per channel; an empty list leaves all channels unchanged.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Transforms(Vec<Transform>);

/// A value outside the range of a transform.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Refused {
    /// The channel.
    pub channel: usize,
    /// Index of the point in the channel.
    pub point: usize,
    /// The value.
    pub value: f64,
    /// Largest absolute value of its field.
    pub largest: f64,
    /// The channel's transform.
    pub transform: Transform,
}

impl Transforms {
    /// One transform per channel; empty if all of them leave values unchanged.
    pub fn new(channels: Vec<Transform>) -> Self {
        if channels.iter().all(|transform| transform.is_none()) {
            return Self::default();
        }
        Self(channels)
    }

    /// Whether values remain unchanged.
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// One transform per channel; empty if values remain unchanged.
    pub fn channels(&self) -> &[Transform] {
        &self.0
    }

    /// Whether it has this number of channels and no unknown constant.
    pub fn fits(&self, channels: usize) -> bool {
        let is_known = |t: &Transform| !matches!(t, Transform::Positive { scale: None });
        self.is_none() || (self.0.len() == channels && self.0.iter().all(is_known))
    }

    /// Transforms fields [.., channel, point]; fails on the first value outside the range of its
    /// transform.
    pub fn apply(&self, values: &mut [f64], points: usize) -> Result<(), Refused> {
        for (i, channel) in values.chunks_exact_mut(points.max(1)).enumerate() {
            let Some((number, transform)) = self.of(i) else {
                return Ok(());
            };
            let largest = channel.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
            let taken = |value: f64| transform.taken(value, largest);
            if let Some(point) = channel.iter().position(|value| taken(*value).is_none()) {
                return Err(Refused {
                    channel: number,
                    point,
                    value: channel[point],
                    largest,
                    transform,
                });
            }
            for value in channel {
                *value = transform.apply(taken(*value).unwrap_or(*value));
            }
        }
        Ok(())
    }

    /// Transforms one field.
    pub fn apply_to(&self, field: &mut Field) -> Result<(), Refused> {
        let points = field.grid_shape().iter().product();
        self.apply(field.values_mut(), points)
    }

    /// Transforms fields [.., channel, point] back to physical values.
    pub fn invert(&self, values: &mut [f64], points: usize) {
        for (i, channel) in values.chunks_exact_mut(points.max(1)).enumerate() {
            let Some((_, transform)) = self.of(i) else {
                return;
            };
            if !transform.is_none() {
                channel.iter_mut().for_each(|v| *v = transform.invert(*v));
            }
        }
    }

    /// Index and transform of the i-th channel of a stack of fields.
    fn of(&self, i: usize) -> Option<(usize, Transform)> {
        let channel = i.checked_rem(self.0.len())?;
        Some((channel, self.0[channel]))
    }
}

impl Refused {
    /// The problem, in words.
    pub fn what(&self) -> String {
        let Self {
            channel,
            point,
            value,
            transform,
            ..
        } = self;
        format!(
            "has the value {value} at point {point} of channel {channel}, but the transform \
             {transform} takes {}",
            transform.range()
        )
    }

    /// The remedy, in words.
    pub fn advice(&self) -> String {
        let other = match self.transform {
            Transform::Log if self.value.abs() <= ROUND_OFF * self.largest => {
                "positive, which takes 0 and what rounding leaves below it,"
            }
            _ => "none",
        };
        format!("correct it, leave this input out, or choose {other} for this channel")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transforms(names: &[&str]) -> Transforms {
        Transforms::new(names.iter().map(|name| name.parse().unwrap()).collect())
    }

    #[test]
    fn every_channel_of_every_field_has_its_own() {
        let both = transforms(&["none", "log"]);
        let mut values = vec![-1.0, 2.0, 1.0, 4.0, -3.0, 0.5, 2.0, 8.0];
        let before = values.clone();
        both.apply(&mut values, 2).unwrap();
        assert_eq!(values[..4], [-1.0, 2.0, 0.0, 4.0f64.ln()]);
        assert_eq!(values[6], 2.0f64.ln());
        both.invert(&mut values, 2);
        for (back, value) in values.iter().zip(before) {
            assert!((back - value).abs() < 1e-12);
        }
    }

    #[test]
    fn none_of_every_channel_is_none() {
        let none = transforms(&["none", "none"]);
        assert!(none.is_none() && none.fits(7));
        let mut values = vec![-1.0, f64::NAN];
        assert!(none.apply(&mut values, 1).is_ok());
        assert!(!transforms(&["positive"]).fits(1) && transforms(&["log"]).fits(1));
        assert!(!transforms(&["log", "none"]).fits(1));
    }

    #[test]
    fn rounding_below_the_range_is_taken_for_its_end_and_more_is_refused() {
        for name in ["positive", "positive:3", "sqrt"] {
            let transform = transforms(&[name]);
            let applied = |value: f64| {
                let mut values = [value, 3.0];
                transform.apply(&mut values, 2).map(|()| values[0])
            };
            assert_eq!(applied(-5e-15), applied(0.0), "{name}");
            assert_eq!(applied(-1e-7), applied(0.0), "{name}");
            assert!(applied(-1e-4).is_err() && applied(f64::NAN).is_err());
        }
        // A field of rounding errors alone, from a solution of size 3.
        assert!(transforms(&["positive:3"]).apply(&mut [-5e-15], 1).is_ok());
        assert!(transforms(&["sqrt"]).apply(&mut [-5e-15], 1).is_err());
        let bounded = transforms(&["bounded:0:1"]);
        let mut ends = [-5e-15, 1.0 + 5e-15];
        bounded.apply(&mut ends, 2).unwrap();
        let mut exact = [0.0, 1.0];
        bounded.apply(&mut exact, 2).unwrap();
        assert_eq!(ends, exact);
        assert!(bounded.apply(&mut [1.001], 1).is_err());
        let refused = transforms(&["log"]).apply(&mut [-5e-15, 1.0], 2);
        assert!(refused.unwrap_err().advice().contains("choose positive"));
        let refused = transforms(&["log"]).apply(&mut [-0.5, 1.0], 2);
        assert!(refused.unwrap_err().advice().contains("choose none"));
    }

    #[test]
    fn the_first_value_that_is_not_taken_is_named() {
        let refused = transforms(&["none", "log"])
            .apply(&mut [1.0, 1.0, 1.0, -0.25], 2)
            .unwrap_err();
        assert_eq!((refused.channel, refused.point), (1, 1));
        let words = refused.what();
        for part in ["-0.25", "channel 1", "log takes values above 0"] {
            assert!(words.contains(part), "{words}");
        }
    }
}
