//! Coefficients of local features by ridge regression, and what they say of judging inputs.

use std::borrow::Cow;

use floral_linalg::{Mat, MatRef};
use rayon::prelude::*;

use super::evidence::Evidence;
use super::normal::{Normal, error, solve, total};
use super::{Columns, LocalPlan};
use crate::case::Framed;
use crate::folds::Folds;
use crate::scattered::{roots, sampled};
use crate::target::{Examples, Sample};
use crate::{Lattice, Symmetries};

/// Ridges tried, as shares of the mean diagonal of the normal matrix.
const RIDGES: &[f64] = &[
    1e-12, 1e-10, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0,
];

/// Floors of errors that are independent from point to point, as shares of the mean square of what
/// the training inputs' means err by.
const FLOORS: [f64; 3] = [1.0, 1e-3, 1e-6];

/// Points of an input that enter the fit, and of all in all positions; neighbours say the same.
const MOST_ROWS: usize = 4096;
const MOST_ROWS_IN_ALL: usize = 160_000;

/// The same where they are compared with landmarks, which costs more.
const MOST_COMPARED: usize = 60_000;

/// Points whose columns are in memory at a time.
const MOST_TOGETHER: usize = 16_384;

/// Ridges tried where the penalty is a covariance.
const LANDMARK_RIDGES: &[f64] = &[1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1];

/// Folds at most, and those that decide on ridge and floor: of fits with few columns, and of fits with
/// more than `WIDE`, whose normal matrices are large.
const FOLDS: [usize; 2] = [24, 12];
const FOLDS_OF_WIDE: [usize; 2] = [12, 4];
const WIDE: usize = 700;

/// A fitted local regression.
pub(crate) struct LocalFit {
    pub(crate) columns: Columns,
    pub(crate) coefficients: Mat<f64>,
    every: Vec<usize>,
    /// For each judging input its target as predicted without it: [channel, point].
    pub judged: Vec<Vec<f64>>,
}

impl LocalFit {
    /// Fits and chooses the ridge; none if there are too many columns, if no ridge makes the normal
    /// matrix definite, or for a relation at single points where not all of them are known: between
    /// them fields have values that such a relation has never met.
    pub(crate) fn new(
        plan: &LocalPlan,
        lattice: &Lattice,
        symmetries: &Symmetries,
        examples: &Examples<'_>,
    ) -> Option<Self> {
        let columns = Columns::new(plan, lattice, symmetries, &examples.train, examples.parity);
        let is_partial = examples.train.known.iter().any(Option::is_some);
        let is_pointwise = plan.order == 0 && plan.degrees.iter().any(|degree| *degree > 1);
        if is_pointwise && is_partial || columns.is_too_wide(&examples.train.framed[0]) {
            return None;
        }
        let most = plan.landmarks.map_or(MOST_ROWS_IN_ALL, |_| MOST_COMPARED);
        let thinning = Thinning::new(lattice, symmetries, examples.train.framed.len(), most);
        let roots = roots(lattice);
        let one = |&i: &usize| {
            let rows = thinning.rows(i);
            // Of some, points that weigh more come more often.
            let roots = roots.as_deref().filter(|roots| roots.len() == rows.len());
            Evidence::new(&columns, symmetries, examples, i, (&rows, roots))
        };
        // One input after another: the columns of a few are all that is in memory.
        let of_fold = |inputs: &Vec<usize>| inputs.iter().map(one).reduce(Evidence::add);
        let is_wide = columns.count(&examples.train.framed[0]) > WIDE;
        let [most_folds, most_deciding] = if is_wide { FOLDS_OF_WIDE } else { FOLDS };
        let folds = examples.folds.merged(most_folds);
        let train: Option<Vec<Evidence>> = folds.members().par_iter().map(of_fold).collect();
        let train = train?;
        let mut fit = Self::restored(columns, Mat::zeros(0, 0), lattice);
        if examples.has_held() {
            fit.chosen_by_held_out(&train, &examples.held)?;
        } else {
            fit.chosen_by_left_out(&train, &examples.train, &folds, most_deciding)?;
        }
        Some(fit)
    }

    /// The coefficients of least error at the inputs held out.
    fn chosen_by_held_out(&mut self, train: &[Evidence], held: &Sample<'_>) -> Option<()> {
        let penalty = self.columns.penalty();
        let mut solved: Vec<Mat<f64>> = Vec::new();
        let floors = floors(train).into_iter().map(Some);
        for floor in std::iter::once(None).chain(floors) {
            let total = total(&weighed(train, floor)?);
            let ridges = ridges(penalty.as_ref()).par_iter();
            let tried = ridges.filter_map(|&ridge| solve(&total, ridge, penalty.as_ref()));
            solved.par_extend(tried);
        }
        let channels = solved.first()?.ncols();
        // All side by side, so that the columns of an input are made once.
        let beside = Mat::from_fn(solved[0].nrows(), solved.len() * channels, |r, c| {
            solved[c / channels][(r, c % channels)]
        });
        let guess = |framed: &Framed| product(&self.columns, framed, &beside, &self.every);
        let guesses: Vec<Vec<f64>> = held.framed.par_iter().map(guess).collect();
        let values = channels * self.every.len();
        let error = |k: usize| {
            let of = |i: usize| held.error(i, &guesses[i][k * values..(k + 1) * values]);
            (0..guesses.len()).map(of).sum::<f64>()
        };
        let errors: Vec<f64> = (0..solved.len()).map(error).collect();
        let best = (0..solved.len()).min_by(|a, b| errors[*a].total_cmp(&errors[*b]))?;
        let judged = guesses
            .iter()
            .map(|g| g[best * values..(best + 1) * values].to_vec());
        self.judged = judged.collect();
        self.coefficients = solved.swap_remove(best);
        Some(())
    }

    /// The weights and the ridge of least error at folds left out; some of them decide where there are
    /// many.
    fn chosen_by_left_out(
        &mut self,
        train: &[Evidence],
        sample: &Sample<'_>,
        folds: &Folds,
        most_deciding: usize,
    ) -> Option<()> {
        let penalty = self.columns.penalty();
        let search = Search {
            train,
            deciding: (0..train.len())
                .step_by(train.len().div_ceil(most_deciding))
                .collect(),
            penalty: penalty.as_ref(),
        };
        let best = search.best()?;
        let normals = weighed(train, best.floor)?;
        let total = total(&normals);
        let penalty = penalty.as_ref();
        self.coefficients = solve(&total, best.ridge, penalty)?;
        let without = |normal: &Cow<'_, Normal>| solve(&total.less(normal), best.ridge, penalty);
        let left_out: Option<Vec<Mat<f64>>> = normals.par_iter().map(without).collect();
        let left_out = left_out?;
        let guess = |(i, framed): (usize, &Framed)| {
            product(&self.columns, framed, &left_out[folds.of(i)], &self.every)
        };
        self.judged = sample.framed.par_iter().enumerate().map(guess).collect();
        Some(())
    }

    /// A fit from its coefficients.
    pub(crate) fn restored(columns: Columns, coefficients: Mat<f64>, lattice: &Lattice) -> Self {
        Self {
            columns,
            coefficients,
            every: (0..lattice.len()).collect(),
            judged: Vec::new(),
        }
    }

    /// The target of a query: [channel, point].
    pub(crate) fn predict(&self, framed: &Framed) -> Vec<f64> {
        product(&self.columns, framed, &self.coefficients, &self.every)
    }
}

fn ridges(penalty: Option<&Mat<f64>>) -> &'static [f64] {
    penalty.map_or(RIDGES, |_| LANDMARK_RIDGES)
}

/// Which points of an input enter a fit: all of them, or every n-th line across an axis that does
/// not roll, other ones for the next input, so that all inputs together show the whole domain. Of
/// scattered points every n-th along a curve.
struct Thinning<'a> {
    lattice: &'a Lattice,
    axis: usize,
    every: usize,
    /// A further axis, of a block that the first does not make small enough.
    second: Option<(usize, usize)>,
    /// A curve through scattered points.
    curve: Vec<usize>,
}

impl<'a> Thinning<'a> {
    fn new(lattice: &'a Lattice, symmetries: &Symmetries, inputs: usize, most: usize) -> Self {
        let most = most / (inputs * symmetries.motions.len()).max(1);
        let thin = lattice.len().div_ceil(most.clamp(1, MOST_ROWS));
        let still = (0..lattice.axes.len()).filter(|axis| !symmetries.rolled.contains(axis));
        // Along the longest axis, whose lines are the most alike.
        let longest = |&axis: &usize| (lattice.axes[axis].len, usize::MAX - axis);
        let axis = still.clone().max_by_key(longest).unwrap_or(0);
        let every = thin.min(lattice.axes[axis].len);
        let other = still.filter(|other| *other != axis).max_by_key(longest);
        let other = other.filter(|_| lattice.axes.len() > 2 && every < thin);
        let second = other.map(|other| (other, (thin / every).min(lattice.axes[other].len)));
        Self {
            lattice,
            axis,
            every,
            second,
            curve: lattice.points().map_or(Vec::new(), |points| points.curve()),
        }
    }

    fn rows(&self, input: usize) -> Vec<usize> {
        // The last line of the first input, then about a golden section of all further on.
        let step = (0.618 * self.every as f64).round() as usize;
        let first = (self.every - 1 + input * coprime(step, self.every)) % self.every;
        if let Some(points) = self.lattice.points().filter(|_| self.every > 1) {
            let every = self.every as f64;
            return sampled(points, &self.curve, every, (first as f64 + 0.5) / every);
        }
        let is_kept = |p: &usize| self.lattice.position(*p, self.axis) % self.every == first;
        let is_kept_across = |p: &usize| {
            // Once around the first axis, the next line of the second.
            self.second.is_none_or(|(axis, every)| {
                self.lattice.position(*p, axis) % every == input / self.every % every
            })
        };
        (0..self.lattice.len())
            .filter(|p| is_kept(p) && is_kept_across(p))
            .collect()
    }
}

/// The least number from `step` on that has no divisor in common with `n`.
fn coprime(step: usize, n: usize) -> usize {
    let divisor = |a: usize| {
        let (mut a, mut b) = (a, n);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    (step.max(1)..).find(|a| divisor(*a) == 1).unwrap_or(1)
}

/// Floors to try where it is known how means err.
fn floors(train: &[Evidence]) -> Vec<f64> {
    if !train.iter().all(Evidence::has_noise) {
        return Vec::new();
    }
    let power = train.iter().map(Evidence::power).sum::<f64>() / train.len() as f64;
    FLOORS.iter().map(|share| share * power).collect()
}

fn weighed(train: &[Evidence], floor: Option<f64>) -> Option<Vec<Cow<'_, Normal>>> {
    train.par_iter().map(|one| one.weighed(floor)).collect()
}

/// A search for the floor and the ridge of least error at deciding folds, each left out.
struct Search<'a> {
    train: &'a [Evidence],
    deciding: Vec<usize>,
    penalty: Option<&'a Mat<f64>>,
}

/// A floor and a ridge with their error.
#[derive(Clone, Copy)]
struct Choice {
    error: f64,
    floor: Option<f64>,
    ridge: f64,
}

impl Search<'_> {
    /// All ridges with equal weights; with other weights the ridges about the best of those.
    fn best(&self) -> Option<Choice> {
        let ridges = ridges(self.penalty);
        let mut best = self.of_floor(None, ridges)?;
        let at = ridges.iter().position(|ridge| *ridge == best.ridge)?;
        let near = &ridges[at.saturating_sub(1)..ridges.len().min(at + 2)];
        for floor in floors(self.train) {
            let found = self.of_floor(Some(floor), near);
            best = found.filter(|f| f.error < best.error).unwrap_or(best);
        }
        Some(best)
    }

    fn of_floor(&self, floor: Option<f64>, ridges: &[f64]) -> Option<Choice> {
        let normals = weighed(self.train, floor)?;
        let total = total(&normals);
        let tried = ridges.par_iter().filter_map(|&ridge| {
            let miss = |&fold: &usize| {
                let beta = solve(&total.less(&normals[fold]), ridge, self.penalty)?;
                Some(error(&self.train[fold].plain, &beta))
            };
            let errors: Option<Vec<f64>> = self.deciding.iter().map(miss).collect();
            let error = errors?.iter().sum();
            Some(Choice {
                error,
                floor,
                ridge,
            })
        });
        let tried: Vec<Choice> = tried.collect();
        tried.into_iter().min_by(|a, b| a.error.total_cmp(&b.error))
    }
}

/// Columns times coefficients at some points, one coefficient column after another. Points of a large
/// grid are taken some at a time, so that their columns stay small.
fn product(columns: &Columns, framed: &Framed, beta: &Mat<f64>, rows: &[usize]) -> Vec<f64> {
    let count = rows.len();
    let mut all = vec![0.0; count * beta.ncols()];
    columns.in_parts(framed, rows, MOST_TOGETHER, |first, x| {
        let size = x.len() / beta.nrows().max(1);
        let y = MatRef::from_column_major_slice(&x, size, beta.nrows()) * beta;
        for c in 0..beta.ncols() {
            let part = &mut all[c * count + first..][..size];
            (0..size).for_each(|r| part[r] = y[(r, c)]);
        }
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::lattice;

    #[test]
    fn a_block_with_many_motions_is_thinned_along_two_axes_and_all_of_it_is_seen() {
        let lattice = lattice(&[("z", 8), ("y", 8), ("x", 8)], &[]);
        let symmetries = Symmetries::none(&lattice, 1, 1);
        let inputs = 16;
        let thinning = Thinning::new(&lattice, &symmetries, inputs, inputs * 32);
        let mut seen = vec![0; lattice.len()];
        for input in 0..inputs {
            let rows = thinning.rows(input);
            assert_eq!(rows.len(), 32);
            rows.iter().for_each(|&p| seen[p] += 1);
        }
        assert!(seen.iter().all(|count| *count == 1));
    }

    #[test]
    fn many_inputs_together_show_every_line() {
        let lattice = lattice(&[("t", 32), ("x", 8)], &["x"]);
        let symmetries = Symmetries::none(&lattice, 1, 1);
        for inputs in [8, 40, 160, 1000] {
            let thinning = Thinning::new(&lattice, &symmetries, inputs, 160 * 16);
            let rows: Vec<Vec<usize>> = (0..inputs).map(|i| thinning.rows(i)).collect();
            let mut seen = vec![0; lattice.len()];
            rows.iter().flatten().for_each(|&p| seen[p] += 1);
            let (least, most) = (seen.iter().min().unwrap(), seen.iter().max().unwrap());
            assert!(*least > 0 && most - least <= 1, "{inputs}: {least} {most}");
            assert!(rows.iter().all(|rows| !rows.is_empty()));
        }
    }
}
