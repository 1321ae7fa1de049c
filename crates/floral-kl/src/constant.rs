//! The simplest candidates: a field that is the same for every input.
//!
//! With the base `Input` it is the mean solution; with the base `Low` the mean residual, a constant
//! bias of the low-fidelity solver, or zero.

use super::large::picked;
use super::target::{Examples, Parity, Sample};
use super::{Lattice, Symmetries};

/// A target that does not depend on the input: [channel, point].
#[derive(Debug, Clone)]
pub(super) struct Constant {
    pub field: Vec<f64>,
    /// The left-out prediction for each judging input: [channel, point]; on a large domain at the
    /// judged points.
    pub judged: Vec<Vec<f64>>,
    /// Whether the field was given beforehand.
    is_given: bool,
}

impl Constant {
    /// A field that is given beforehand.
    pub(super) fn given(field: Vec<f64>, examples: &Examples<'_>) -> Self {
        let judges = examples.judges();
        let judged = match judges.at {
            Some(at) => picked(&field, examples.train.framed[0].points, at),
            None => field.clone(),
        };
        Self {
            judged: vec![judged; judges.framed.len()],
            field,
            is_given: true,
        }
    }

    /// A field from a stored fit.
    pub(super) fn restored(field: Vec<f64>) -> Self {
        Self {
            field,
            judged: Vec::new(),
            is_given: true,
        }
    }

    /// The mean target of the training inputs; each input is judged by the mean over the other
    /// folds.
    pub(super) fn mean(
        lattice: &Lattice,
        symmetries: &Symmetries,
        examples: &Examples<'_>,
    ) -> Self {
        let mut mean = Self {
            field: mean(lattice, symmetries, examples, None),
            judged: Vec::new(),
            is_given: false,
        };
        let mut judged = mean.judged_everywhere(lattice, symmetries, examples);
        if let Some(at) = examples.judges().at {
            let pick = |field: &mut Vec<f64>| *field = picked(field, lattice.len(), at);
            judged.iter_mut().for_each(pick);
        }
        mean.judged = judged;
        mean
    }

    /// Left-out predictions for the judging inputs at all points.
    pub(super) fn judged_everywhere(
        &self,
        lattice: &Lattice,
        symmetries: &Symmetries,
        examples: &Examples<'_>,
    ) -> Vec<Vec<f64>> {
        if self.is_given || examples.has_held() {
            return vec![self.field.clone(); examples.judges().framed.len()];
        }
        let folds = 0..examples.folds.count();
        let of_folds = folds.map(|f| mean(lattice, symmetries, examples, Some(f)));
        let of_folds: Vec<Vec<f64>> = of_folds.collect();
        let of = |i| of_folds[examples.folds.of(i)].clone();
        (0..examples.folds.inputs()).map(of).collect()
    }
}

/// The mean target of the training inputs, without those of a fold, averaged over all symmetries.
fn mean(
    lattice: &Lattice,
    symmetries: &Symmetries,
    examples: &Examples<'_>,
    without: Option<usize>,
) -> Vec<f64> {
    let kept = |i: &usize| Some(examples.folds.of(*i)) != without;
    let inputs: Vec<usize> = (0..examples.folds.inputs()).filter(kept).collect();
    let mean = mean_of(&examples.train, &inputs);
    let parity = examples.parity;
    symmetries.average(lattice, &mean, |motion, field| parity.apply(motion, field))
}

/// The mean over some inputs; zero if there are none.
fn mean_of(sample: &Sample<'_>, inputs: &[usize]) -> Vec<f64> {
    let mut mean = vec![0.0; sample.targets[0].len()];
    for &input in inputs {
        let sums = mean.iter_mut().zip(&sample.targets[input]);
        sums.for_each(|(mean, value)| *mean += value / inputs.len() as f64);
    }
    mean
}

/// A field with one number per channel at every point.
pub(super) fn uniform(numbers: &[f64], points: usize) -> Vec<f64> {
    let channel = |number: &f64| std::iter::repeat_n(*number, points);
    numbers.iter().flat_map(channel).collect()
}

/// Bounds of guesses: the range of the training targets, widened by its own width on both sides. A
/// guess beyond is an extrapolation that no judging input has tested. Variances lie between 0 and
/// four times the largest one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Bounds(pub Vec<[f64; 2]>);

impl Bounds {
    /// Bounds from training targets, and from negated ones if a symmetry changes the sign.
    pub(super) fn new(sample: &Sample<'_>, parity: Parity, symmetries: &Symmetries) -> Self {
        let points = sample.framed[0].points;
        let channels = sample.targets[0].len() / points;
        let flips = |channel: usize| {
            let factor = |motion: &super::Motion| motion.factors(super::Role::Solution)[channel];
            parity == Parity::Odd && symmetries.motions.iter().any(|m| factor(m) < 0.0)
        };
        let bounds = |channel: usize| {
            let values = sample.targets.iter();
            let values = values.flat_map(|t| &t[channel * points..(channel + 1) * points]);
            let (mut low, mut high) = values
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| {
                    (l.min(*v), h.max(*v))
                });
            if flips(channel) {
                (low, high) = (low.min(-high), high.max(-low));
            }
            let room = high - low;
            match parity {
                Parity::Odd => [low - room, high + room],
                Parity::Even => [0.0, 4.0 * high],
            }
        };
        Self((0..channels).map(bounds).collect())
    }

    /// Clips a field to the bounds: [channel, point].
    pub(super) fn apply(&self, field: &mut [f64]) {
        let points = field.len() / self.0.len().max(1);
        for (channel, [low, high]) in field.chunks_exact_mut(points.max(1)).zip(&self.0) {
            // Not clamp, which panics on bounds that are NaN.
            channel.iter_mut().for_each(|v| *v = v.max(*low).min(*high));
        }
    }
}
