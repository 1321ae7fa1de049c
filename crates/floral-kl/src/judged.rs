//! Judging inputs: deviations of their realizations from predictions made without them.
//!
//! `fitting` gathers them, `calibration` finds the factors with which intervals reach their nominal
//! coverage.

use super::blend::Verdict;
use super::calibration::{Calibration, Deviation, Reach};
use super::case::Case;
use super::expansion::Expansion;
use super::law::LawKind;
use super::moments::Moments;
use super::residuals::residuals;

/// Maximum number of values of a judging input that enter the calibration; neighbouring points are
/// redundant.
const MOST_VALUES: usize = 20_000;

/// The judging inputs, and their predictions by fits that have not seen them.
pub(super) struct Judged<'a> {
    pub cases: &'a [Case<'a>],
    pub moments: &'a Moments<'a>,
    /// Epistemic variances learned from the other judging inputs: [judge][channel, point].
    pub unknown: &'a [Vec<f64>],
    pub mean: &'a Verdict,
    pub spread: Option<&'a Verdict>,
    /// Number of statistically independent inputs among them.
    pub independent: usize,
    /// Whether they are held-out inputs rather than training inputs.
    pub is_held: bool,
}

impl Expansion {
    /// Reach of intervals in deviations, from the training runs of a channel.
    fn reach(&self, cases: &[Case<'_>], kind: LawKind, channel: usize) -> Reach {
        if kind == LawKind::Normal {
            return Reach::NORMAL;
        }
        let mut all = Vec::new();
        let counts = cases
            .iter()
            .map(|case| case.count(&self.lattice, self.channels));
        let fewest = counts.min().unwrap_or(0);
        for case in cases {
            let known = case.known(&self.lattice);
            let count = case.count(&self.lattice, self.channels) as f64;
            let runs = case.realizations;
            let runs = runs.of_channel(channel, self.channels.solution, known);
            let runs: Vec<Vec<f64>> = runs.collect();
            let step = (known * cases.len()).div_ceil(MOST_VALUES) | 1;
            for point in (0..known).step_by(step) {
                let values: Vec<f64> = runs.iter().map(|run| run[point]).collect();
                let mean = values.iter().sum::<f64>() / count;
                let square = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / count;
                if square > f64::MIN_POSITIVE {
                    all.extend(values.iter().map(|v| (v - mean) / square.sqrt()));
                }
            }
        }
        Reach::of(&mut all, fewest)
    }

    /// Finds the factors of every channel; `cases` are the training cases.
    pub(super) fn calibrate(&mut self, judged: &Judged<'_>, cases: &[Case<'_>], kind: LawKind) {
        let of = |channel: usize| {
            let reach = self.reach(cases, kind, channel);
            self.calibrated(judged, channel, (reach, kind))
        };
        self.calibration = (0..self.channels.solution).map(of).collect();
    }

    /// Factors with which intervals of a law of this reach and kind attain their nominal coverage
    /// of the judging inputs' realizations.
    fn calibrated(
        &self,
        judged: &Judged<'_>,
        channel: usize,
        (reach, kind): (Reach, LawKind),
    ) -> Calibration {
        let judges = 0..judged.cases.len();
        let judges: Vec<Vec<Deviation>> = judges
            .map(|i| self.deviations(judged, channel, i))
            .collect();
        Calibration::new(&judges, judged.independent, reach, kind)
    }

    /// Deviations of one judging input's realizations from its predicted mean.
    fn deviations(&self, judged: &Judged<'_>, channel: usize, i: usize) -> Vec<Deviation> {
        let (case, framed) = (&judged.cases[i], &judged.moments.framed[i]);
        let known = case.known(&self.lattice);
        let residuals = residuals(&self.lattice, self.channels, case, framed.size);
        let most = MOST_VALUES * self.channels.solution;
        let step = residuals.len().div_ceil(most) | 1;
        let weights = self.lattice.points().map(|points| points.weights());
        let deviation = |(at, residual): (usize, &f64)| {
            let at = at % known;
            let point = case.points.map_or(at, |points| points[at]);
            let place = channel * self.lattice.len() + point;
            let spread = judged.spread.filter(|_| self.fixed.varies(place));
            (self.fixed.value(place).is_none()).then(|| Deviation {
                value: residual - judged.mean.guesses[i][place],
                aleatoric: spread.map_or(0.0, |v| v.guesses[i][place].max(self.least_variance)),
                epistemic: judged.unknown[i][place],
                weight: weights.map_or(1.0, |weights| weights[point]),
            })
        };
        let own = |(at, _): &(usize, &f64)| at / known % self.channels.solution == channel;
        let kept = residuals.iter().enumerate().filter(own).step_by(step);
        kept.filter_map(deviation).collect()
    }
}
