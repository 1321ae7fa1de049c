//! A fitted Gaussian process: left-out predictions, predictions, and posterior variances.

use floral_linalg::{Mat, MatRef, solve_positive};
use rayon::prelude::*;

use super::Coordinates;
use super::ard::{ArdKernel, Place, Seen};
use super::likelihood::Evidence;
use crate::case::Framed;
use crate::kernel::over_mean;
use crate::large::picked;
use crate::scattered::times;
use crate::target::{Examples, Sample};

/// Minimum number of inputs for a process.
const FEWEST: usize = 6;

/// Maximum number of inputs from which the kernel is learned; of more, an evenly spaced subset.
const MOST_DECIDING: usize = 200;

/// Maximum number of inputs with which every fold learns its kernel from scratch. With more it
/// starts from the kernel of all inputs, and with more than [`MOST_DECIDING`] it uses that kernel
/// unchanged.
const FEW: usize = 30;

/// Number of steps of a fold that starts from the kernel of all inputs.
const FURTHER: usize = 10;

/// The prediction of a target without its fold, and its posterior variance.
struct Guess {
    /// The input whose target the prediction starts from, to which multiples of the fit's weights
    /// are added; `None` if it is a combination of targets.
    own: Option<usize>,
    /// Inputs with their multiples in that sum.
    combined: Vec<(usize, f64)>,
    unknown: f64,
}

/// A fitted Gaussian process.
pub(crate) struct ProcessFit {
    pub(crate) coordinates: Coordinates,
    pub(crate) kernel: ArdKernel,
    /// The training inputs.
    seen: Vec<Seen>,
    /// (C + noise)^-1.
    pub(crate) inverse: Mat<f64>,
    /// (C + noise)^-1 Y: [input, value].
    pub(crate) weights: Mat<f64>,
    /// The left-out prediction for each judging input: [channel, point]; on a large domain at the
    /// judged points.
    pub judged: Vec<Vec<f64>>,
    /// On a large domain, the guesses from which `judged` was computed.
    left_out: Vec<Guess>,
    /// Posterior variances of the judging inputs over their mean.
    pub unknown: Vec<f64>,
    /// Mean posterior variance of the judging inputs.
    pub(crate) reference: f64,
}

impl ProcessFit {
    /// Fits a kernel, with a linear factor if `has_slopes`, and judges it. `None` if there are too
    /// few inputs, or no loads in which to be linear.
    pub(crate) fn new(
        coordinates: &Coordinates,
        has_slopes: bool,
        examples: &Examples<'_>,
    ) -> Option<Self> {
        let train = &examples.train;
        let has_loads = coordinates.counts()[2] > 0;
        if train.framed.len() < FEWEST || (has_slopes && !has_loads) {
            return None;
        }
        let all = times(train.targets.concat(), train.roots);
        let values = train.targets[0].len();
        let y = MatRef::from_column_major_slice(&all, values, train.framed.len());
        let learner = Learner {
            places: train.framed.iter().map(|f| coordinates.of(f)).collect(),
            gram: y.transpose() * y,
            has_slopes,
        };
        let every: Vec<usize> = (0..train.framed.len()).collect();
        let kernel = learner.learned(&every, None)?;
        let mut fit = Self::solved(coordinates.clone(), kernel, train.framed, train.targets)?;
        if examples.has_held() {
            let (held, points) = (&examples.held, train.framed[0].points);
            let guess = |framed: &Framed| match held.at {
                Some(at) => picked(&fit.predict(framed), points, at),
                None => fit.predict(framed),
            };
            fit.judged = held.framed.iter().map(guess).collect();
            let unknown = held.framed.iter().map(|f| fit.unknown(f));
            (fit.unknown, fit.reference) = over_mean(unknown.collect());
        } else {
            fit.leave_out(&learner, examples)?;
        }
        Some(fit)
    }

    /// Predicts every fold by a kernel and weights that have not seen it; with many inputs, only by
    /// such weights.
    fn leave_out(&mut self, learner: &Learner, examples: &Examples<'_>) -> Option<()> {
        let inputs = examples.train.targets.len();
        let folds = examples.folds.members();
        let one = |fold: &Vec<usize>| match inputs > MOST_DECIDING {
            true => self.without(fold),
            false => {
                let kept = |i: &usize| examples.folds.of(*i) != examples.folds.of(fold[0]);
                let kept: Vec<usize> = (0..inputs).filter(kept).collect();
                learner.guess(&kept, fold, &self.kernel)
            }
        };
        let found: Option<Vec<Vec<Guess>>> = folds.par_iter().map(one).collect();
        let of_folds = folds.iter().flatten().zip(found?.into_iter().flatten());
        let mut guesses: Vec<(usize, Guess)> = of_folds.map(|(i, guess)| (*i, guess)).collect();
        guesses.sort_by_key(|(input, _)| *input);
        let guesses: Vec<Guess> = guesses.into_iter().map(|(_, guess)| guess).collect();
        let unknowns = guesses.iter().map(|guess| guess.unknown).collect();
        (self.unknown, self.reference) = over_mean(unknowns);
        let field = |guess: &Guess| self.field(guess, &examples.train, examples.train.at);
        self.judged = guesses.par_iter().map(field).collect();
        self.left_out = match examples.train.at {
            Some(_) => guesses,
            None => Vec::new(),
        };
        Some(())
    }

    /// Guesses for the judging inputs at all points of a large domain.
    pub(crate) fn judged_everywhere(&mut self, examples: &Examples<'_>) -> Vec<Vec<f64>> {
        if examples.has_held() {
            let held = examples.held.framed.iter();
            return held.map(|framed| self.predict(framed)).collect();
        }
        let guesses = std::mem::take(&mut self.left_out);
        let field = |guess: &Guess| self.field(guess, &examples.train, None);
        guesses.par_iter().map(field).collect()
    }

    /// A guess as a field, at some points or at all: [channel, point].
    fn field(&self, guess: &Guess, train: &Sample<'_>, at: Option<&[usize]>) -> Vec<f64> {
        let points = train.framed[0].points;
        let places: Option<Vec<usize>> = at.map(|at| {
            let channels = 0..train.targets[0].len() / points;
            channels
                .flat_map(|c| at.iter().map(move |p| c * points + p))
                .collect()
        });
        let places = || {
            let all = 0..places.as_ref().map_or(train.targets[0].len(), Vec::len);
            all.map(|k| places.as_ref().map_or(k, |places| places[k]))
        };
        let mut field: Vec<f64> = match guess.own {
            Some(own) => places().map(|p| train.targets[own][p]).collect(),
            None => places().map(|_| 0.0).collect(),
        };
        for (input, multiple) in &guess.combined {
            let value = |p: usize| match guess.own {
                Some(_) => self.weights[(*input, p)],
                None => train.targets[*input][p],
            };
            let parts = field.iter_mut().zip(places());
            parts.for_each(|(sum, p)| *sum += multiple * value(p));
        }
        field
    }

    /// Guesses of a fold's targets from the others: y - (S_ff)^-1 (S y)_f with S the inverse
    /// (Rasmussen & Williams, 2006, section 5.4.2, for several inputs at once).
    fn without(&self, fold: &[usize]) -> Option<Vec<Guess>> {
        let n = fold.len();
        let own = Mat::from_fn(n, n, |a, b| self.inverse[(fold[a], fold[b])]);
        let covariance = solve_positive(&own, &Mat::identity(n, n))?;
        let guess = |a: usize| {
            let unknown = covariance[(a, a)] - self.kernel.noise();
            let others = fold.iter().enumerate();
            Guess {
                own: Some(fold[a]),
                combined: others.map(|(b, &j)| (j, -covariance[(a, b)])).collect(),
                unknown: unknown.max(0.0),
            }
        };
        Some((0..n).map(guess).collect())
    }

    /// A fit with a known kernel.
    pub(crate) fn solved(
        coordinates: Coordinates,
        kernel: ArdKernel,
        framed: &[Framed],
        targets: &[Vec<f64>],
    ) -> Option<Self> {
        let places: Vec<Place> = framed.iter().map(|f| coordinates.of(f)).collect();
        let matrix = kernel.matrix(&kernel.seen(&places));
        let n = framed.len();
        let inverse = solve_positive(&matrix, &Mat::identity(n, n))?;
        let weights = &inverse * Mat::from_fn(n, targets[0].len(), |i, p| targets[i][p]);
        Some(Self::stored(coordinates, kernel, framed, inverse, weights))
    }

    /// A fit from all that its predictions need.
    pub(crate) fn stored(
        coordinates: Coordinates,
        kernel: ArdKernel,
        framed: &[Framed],
        inverse: Mat<f64>,
        weights: Mat<f64>,
    ) -> Self {
        let places: Vec<Place> = framed.iter().map(|f| coordinates.of(f)).collect();
        Self {
            seen: kernel.seen(&places),
            weights,
            inverse,
            coordinates,
            kernel,
            judged: Vec::new(),
            left_out: Vec::new(),
            unknown: Vec::new(),
            reference: 0.0,
        }
    }

    /// The predicted target of a query: [channel, point].
    pub(crate) fn predict(&self, framed: &Framed) -> Vec<f64> {
        let (_, covariances) = self.covariances(framed);
        let field = &covariances * &self.weights;
        (0..field.ncols()).map(|p| field[(0, p)]).collect()
    }

    /// Posterior variance of a query over the mean of the judging inputs.
    pub(crate) fn novelty(&self, framed: &Framed) -> f64 {
        match self.reference > 0.0 {
            true => self.unknown(framed) / self.reference,
            false => 1.0,
        }
    }

    /// The variance of a query, and its covariances with the training inputs.
    fn covariances(&self, framed: &Framed) -> (f64, Mat<f64>) {
        let query = &self.kernel.seen(&[self.coordinates.of(framed)])[0];
        let all = Mat::from_fn(1, self.seen.len(), |_, i| query.covariance(&self.seen[i]));
        (query.covariance(query), all)
    }

    fn unknown(&self, framed: &Framed) -> f64 {
        let (own, covariances) = self.covariances(framed);
        let explained = &covariances * &self.inverse * covariances.transpose();
        (own - explained[(0, 0)]).max(0.0)
    }
}

/// The data from which a kernel is learned.
struct Learner {
    places: Vec<Place>,
    /// Inner products of the targets.
    gram: Mat<f64>,
    has_slopes: bool,
}

impl Learner {
    /// The kernel learned from some inputs; if they are many, by a few steps from a known one.
    fn learned(&self, inputs: &[usize], from: Option<&ArdKernel>) -> Option<ArdKernel> {
        let step = inputs.len().div_ceil(MOST_DECIDING);
        let some: Vec<usize> = inputs.iter().copied().step_by(step).collect();
        let evidence = Evidence::new(self.places_of(&some), &self.centred(&some))?;
        match from.filter(|_| inputs.len() > FEW) {
            Some(kernel) => evidence.improved(kernel, FURTHER).map(|(_, kernel)| kernel),
            None => evidence.learned(self.has_slopes),
        }
    }

    /// Guesses of a fold's targets by those of the kept inputs alone.
    fn guess(&self, kept: &[usize], fold: &[usize], from: &ArdKernel) -> Option<Vec<Guess>> {
        let kernel = self.learned(kept, Some(from))?;
        let seen = kernel.seen(&self.places_of(kept));
        let asked = kernel.seen(&self.places_of(fold));
        let cross = Mat::from_fn(kept.len(), fold.len(), |k, f| seen[k].covariance(&asked[f]));
        let combined = solve_positive(&kernel.matrix(&seen), &cross)?;
        let guess = |f: usize| {
            let explained = (0..kept.len()).map(|k| combined[(k, f)] * cross[(k, f)]);
            let unknown = asked[f].covariance(&asked[f]) - explained.sum::<f64>();
            let kept = kept.iter().enumerate();
            Guess {
                own: None,
                combined: kept.map(|(k, &i)| (i, combined[(k, f)])).collect(),
                unknown: unknown.max(0.0),
            }
        };
        Some((0..fold.len()).map(guess).collect())
    }

    fn places_of(&self, inputs: &[usize]) -> Vec<Place> {
        inputs.iter().map(|&i| self.places[i].clone()).collect()
    }

    /// Inner products of the targets of some inputs about their mean.
    fn centred(&self, some: &[usize]) -> Mat<f64> {
        let n = some.len() as f64;
        let at = |i: usize, j: usize| self.gram[(some[i], some[j])];
        let rows: Vec<f64> = (0..some.len())
            .map(|i| (0..some.len()).map(|j| at(i, j)).sum::<f64>() / n)
            .collect();
        let mean = rows.iter().sum::<f64>() / n;
        let round_off = 1e-12 * (0..some.len()).map(|i| at(i, i)).sum::<f64>() / n;
        Mat::from_fn(some.len(), some.len(), |i, j| {
            let least = if i == j { round_off } else { 0.0 };
            at(i, j) - rows[i] - rows[j] + mean + least
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two parameters and a target that is a product of functions of them.
    fn cases() -> (Vec<Framed>, Vec<Vec<f64>>) {
        let at = |i: usize| [(i as f64).sin(), (2.3 * i as f64).cos()];
        let framed = |[a, b]: [f64; 2]| Framed {
            input: vec![a, a, b, b],
            low: Vec::new(),
            size: 1.0,
            points: 2,
        };
        let target = |[a, b]: [f64; 2]| vec![3.0 + a * b.exp(), 3.0 - a];
        let places = || (0..12).map(at);
        (
            places().map(framed).collect(),
            places().map(target).collect(),
        )
    }

    fn fitted(noise: f64, length: f64, framed: &[Framed], targets: &[Vec<f64>]) -> ProcessFit {
        let coordinates = Coordinates::new(&cases().0, &[0.0; 2]).unwrap();
        let kernel = ArdKernel {
            lengths: vec![length; 2],
            noise,
            slopes: vec![0.5; 2],
            bends: Vec::new(),
        };
        ProcessFit::solved(coordinates, kernel, framed, targets).unwrap()
    }

    #[test]
    fn a_fold_is_guessed_as_by_a_fit_to_the_others() {
        let (framed, targets) = cases();
        let fit = fitted(-5.0, 0.3, &framed, &targets);
        let guesses = fit.without(&[3, 7]);
        let kept: Vec<usize> = (0..12).filter(|i| ![3, 7].contains(i)).collect();
        let others: Vec<Framed> = kept.iter().map(|&i| framed[i].clone()).collect();
        let theirs: Vec<Vec<f64>> = kept.iter().map(|&i| targets[i].clone()).collect();
        let alone = fitted(-5.0, 0.3, &others, &theirs);
        for (input, guess) in [3, 7].into_iter().zip(guesses.unwrap()) {
            let expected = alone.predict(&framed[input]);
            let sample = Sample {
                framed: &framed,
                targets: &targets,
                hidden: &[],
                known: &[None],
                noise: &[],
                roots: None,
                at: None,
            };
            for (a, b) in fit.field(&guess, &sample, None).iter().zip(expected) {
                assert!((a - b).abs() < 1e-6, "{a} {b}");
            }
            assert!((guess.unknown - alone.unknown(&framed[input])).abs() < 1e-6);
        }
    }

    #[test]
    fn noise_is_predicted_by_its_mean() {
        let (framed, targets) = cases();
        let fit = fitted(50.0, -4.0, &framed[1..], &targets[1..]);
        let mean = targets[1..].iter().map(|t| t[0]).sum::<f64>() / 11.0;
        let found = fit.predict(&framed[0])[0];
        assert!((found / mean - 1.0).abs() < 0.05, "{found} {mean}");
    }
}
