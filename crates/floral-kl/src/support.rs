//! The support of the law: natural bounds that all data respect and that realizations should
//! respect too.

use serde::{Deserialize, Serialize};

use super::Lattice;
use super::case::{Case, Channels};

/// Largest distance of the data from a bound, in standard deviations, at which the bound is
/// enforced: draws would cross a bound this close, and the data do not.
const NEAR: f64 = 3.0;

/// Natural bounds of each channel: [lowest, highest], if there are any.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Support(Vec<[Option<f64>; 2]>);

impl Support {
    /// Bounds of training cases: zero where nothing is negative or nothing is positive, and one for
    /// fractions.
    pub(super) fn new(lattice: &Lattice, channels: Channels, cases: &[Case<'_>]) -> Self {
        let bounds = |channel: usize| {
            let count = channels.solution;
            let values = || {
                let fields = cases.iter().flat_map(|case| {
                    let known = case.known(lattice);
                    case.realizations.of_channel(channel, count, known)
                });
                fields.flatten()
            };
            let (low, high) = values().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| {
                (l.min(v), h.max(v))
            });
            let count = values().count().max(1) as f64;
            let mean = values().map(|v| v / count).sum::<f64>();
            let deviation = (values().map(|v| (v - mean).powi(2)).sum::<f64>() / count).sqrt();
            let near = |bound: f64, extreme: f64| {
                ((bound - extreme).abs() <= NEAR * deviation && deviation > 0.0).then_some(bound)
            };
            let lowest = (low >= 0.0).then(|| near(0.0, low)).flatten();
            let highest = match high {
                high if high <= 0.0 => near(0.0, high),
                high if lowest.is_some() && (0.9..=1.0).contains(&high) => near(1.0, high),
                _ => None,
            };
            [lowest, highest]
        };
        let all: Vec<[Option<f64>; 2]> = (0..channels.solution).map(bounds).collect();
        match all.iter().flatten().any(Option::is_some) {
            true => Self(all),
            false => Self::default(),
        }
    }

    /// Whether there are no bounds.
    pub(super) fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it is the support of this number of channels.
    pub(super) fn fits(&self, channels: usize) -> bool {
        self.0.is_empty() || self.0.len() == channels
    }

    /// Clips fields [.., channel, point] to the bounds.
    pub(super) fn bound(&self, fields: &mut [f64], points: usize) {
        let channels = fields.chunks_exact_mut(points.max(1));
        for (channel, [low, high]) in channels.zip(self.0.iter().cycle()) {
            let (low, high) = (
                low.unwrap_or(f64::NEG_INFINITY),
                high.unwrap_or(f64::INFINITY),
            );
            channel.iter_mut().for_each(|v| *v = v.max(low).min(high));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Query;
    use crate::testing;

    fn support(values: [f64; 6]) -> Support {
        let lattice = testing::lattice(&[("x", 3)], &[]);
        let case = Case {
            query: Query {
                input: &[0.0; 3],
                low: None,
            },
            realizations: values.as_slice().into(),
            points: None,
        };
        let channels = Channels {
            input: 1,
            solution: 1,
        };
        Support::new(&lattice, channels, &[case])
    }

    #[test]
    fn data_that_touch_zero_stay_on_their_side_and_others_go_where_they_will() {
        assert_eq!(
            support([0.0, 1.0, 2.0, 3.0, 1.0, 0.5]).0,
            [[Some(0.0), None]]
        );
        assert_eq!(
            support([0.0, -1.0, -2.0, -3.0, -1.0, -0.5]).0,
            [[None, Some(0.0)]]
        );
        assert_eq!(
            support([0.0, 0.1, 0.99, 0.3, 0.9, 0.5]).0,
            [[Some(0.0), Some(1.0)]]
        );
        assert!(support([300.0, 301.0, 302.0, 303.0, 301.0, 300.5]).is_none());
        assert!(support([-0.1, 1.0, 2.0, 3.0, 1.0, 0.5]).is_none());
        let mut drawn = [-0.5, 0.5, 3.0];
        support([0.0, 1.0, 2.0, 3.0, 1.0, 0.5]).bound(&mut drawn, 3);
        assert_eq!(drawn, [0.0, 0.5, 3.0]);
    }
}
