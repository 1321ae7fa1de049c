//! The verdict on whether the low-fidelity solver is worth using, in words.

use serde::Serialize;

use super::LowFidelity;
use crate::dataset::Dataset;
use crate::metric::Band;

/// The verdict in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Worth {
    /// Learning the residual is much easier than learning the solution.
    Yes,
    /// The solver helps, but much variance remains to be learned.
    Somewhat,
    /// The residual varies as much as the solution itself.
    No,
    /// It cannot be determined from the dataset.
    Unknown,
}

/// The verdict with its reasons.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// The verdict in one word.
    pub worth: Worth,
    /// The verdict in sentences.
    pub words: String,
}

/// Below this share of the solution's variance, the residual counts as much easier to learn.
const EASY: f64 = 0.3;

/// Coherence above which the solver counts as correct in a band.
const FOLLOWED: f64 = 0.8;

impl Verdict {
    pub(super) fn of(finite: bool, dataset: &Dataset, low: Option<&LowFidelity>) -> Self {
        let unknown = |words: &str| Self {
            worth: Worth::Unknown,
            words: words.to_owned(),
        };
        match low {
            Some(low) => Self::on(low),
            None if !finite => unknown(
                "Some values are not finite, so nothing can be compared: find the runs that failed \
                 and replace or drop them.",
            ),
            None if !dataset.has_low() => unknown(
                "There is no low-fidelity solution to assess: add an array `low` of the same shape \
                 as one realization of `high`.",
            ),
            None => {
                unknown("There is no high-fidelity solution to compare with: add an array `high`.")
            }
        }
    }

    fn on(
        LowFidelity {
            skill: low, bands, ..
        }: &LowFidelity,
    ) -> Self {
        let left = low.residual_to_solution_variance;
        let (worth, answer) = match left {
            _ if left < EASY => (Worth::Yes, "Yes."),
            _ if left < 1.0 => (Worth::Somewhat, "Somewhat."),
            _ => (Worth::No, "No."),
        };
        let mut words = vec![answer.to_owned(), what_is_left(left)];
        // Scattered sensors, masks and meshes have no spectrum.
        words.extend((!bands.is_empty()).then(|| followed(bands)));
        words.extend(low.random_share.map(randomness));
        if low.rmse < 1.5 * low.rmse_floor {
            words.push(
                "Its error is within the sampling error of the reference mean: more realizations \
                 would be needed to distinguish it from a perfect solver."
                    .into(),
            );
        }
        Self {
            worth,
            words: words.join(" "),
        }
    }
}

fn what_is_left(left: f64) -> String {
    if left < 1.0 {
        return format!(
            "Subtracting it leaves {:.0} % of the solution's variance to be learned.",
            100.0 * left
        );
    }
    format!(
        "The residual varies {left:.1} times as much as the solution itself: learn the solution \
         directly, or improve the solver."
    )
}

fn followed(bands: &[Band]) -> String {
    // Bands with almost no energy contain only noise.
    let energetic = || {
        bands
            .iter()
            .filter(|band| band.from > 0 && band.energy > 1e-4)
    };
    let last = energetic()
        .take_while(|band| band.coherence > FOLLOWED)
        .last();
    match (last, energetic().next_back()) {
        (None, _) => "It is not coherent with the truth even at the longest wavelengths.".into(),
        (Some(last), Some(end)) if last.to == end.to => {
            "It follows the truth at every wave number that carries energy.".into()
        }
        (Some(last), _) => format!(
            "It follows the truth up to wave number {}, but not beyond.",
            last.to
        ),
    }
}

fn randomness(share: f64) -> String {
    format!(
        "{:.0} % of the residual variance is random, the rest is a bias that can be learned from inputs.",
        100.0 * share
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::Skill;

    fn low(left: f64, coherences: &[f64]) -> LowFidelity {
        let band = |(i, coherence): (usize, &f64)| Band {
            from: 1 << i,
            to: (2 << i) - 1,
            energy: 0.1,
            gain: 1.0,
            correlation: 1.0,
            coherence: *coherence,
        };
        let skill = Skill {
            mean_l2: 1.0,
            rmse: 1.0,
            nrmse: 1.0,
            pdebench_rmse: 1.0,
            pdebench_nrmse: 1.0,
            rmse_floor: 0.1,
            variance_norm: None,
            residual_to_solution_variance: left,
            random_share: None,
            correlation: 1.0,
        };
        LowFidelity {
            skill,
            bands: coherences.iter().enumerate().map(band).collect(),
            channels: Vec::new(),
        }
    }

    #[test]
    fn the_word_follows_the_share_of_variance_that_is_left() {
        for (left, worth) in [(0.1, Worth::Yes), (0.7, Worth::Somewhat), (1.2, Worth::No)] {
            assert_eq!(Verdict::on(&low(left, &[0.9])).worth, worth);
        }
    }

    #[test]
    fn it_says_where_the_solver_loses_the_truth() {
        let words = |coherences: &[f64]| Verdict::on(&low(0.1, coherences)).words;
        assert!(words(&[0.9, 0.9, 0.2]).contains("up to wave number 3"));
        assert!(words(&[0.9, 0.9]).contains("at every wave number"));
        assert!(words(&[0.1, 0.9]).contains("is not coherent"));
    }
}
