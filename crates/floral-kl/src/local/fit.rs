//! Fits a local regression: coefficients by ridge regression, and predictions for the judging
//! inputs.

use std::borrow::Cow;

use floral_linalg::{Mat, MatRef};
use rayon::prelude::*;

use super::evidence::Evidence;
use super::normal::{Normal, error, solve};
use super::thinning::{MOST_COMPARED, Thinning};
use super::{Columns, LocalPlan};
use crate::case::Framed;
use crate::folds::Folds;
use crate::scattered::roots;
use crate::target::{Examples, Sample};
use crate::{Lattice, Symmetries};

/// Candidate ridges, as shares of the mean diagonal of the normal matrix.
const RIDGES: &[f64] = &[
    1e-12, 1e-10, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0,
];

/// Candidate floors, the variances of errors that are independent from point to point, as shares of
/// the mean squared error of the training inputs' means.
const FLOORS: [f64; 3] = [1.0, 1e-3, 1e-6];

/// Maximum number of points that enter the fit, of all inputs in all positions; neighbours are
/// redundant.
const MOST_ROWS_IN_ALL: usize = 160_000;

/// Maximum number of points whose columns are in memory at a time.
const MOST_TOGETHER: usize = 16_384;

/// Number of points of a large domain whose columns are computed together, and maximum number of
/// values of the products of inputs that share filters.
const MOST_SHARED: usize = 2048;
const MOST_VALUES: usize = 1 << 23;

/// Number of folds whose sums are weighted together.
const WEIGHED_TOGETHER: usize = 8;

/// Candidate ridges where the penalty is a covariance.
const LANDMARK_RIDGES: &[f64] = &[1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1];

/// Maximum number of folds, and of folds that decide on ridge and floor: for fits with few columns,
/// and for fits with more than `WIDE` columns, whose normal matrices are large.
const FOLDS: [usize; 2] = [24, 12];
const FOLDS_OF_WIDE: [usize; 2] = [12, 4];
const WIDE: usize = 700;

/// A fitted local regression.
pub(crate) struct LocalFit {
    pub(crate) columns: Columns,
    pub(crate) coefficients: Mat<f64>,
    every: Vec<usize>,
    /// The left-out prediction for each judging input: [channel, point]; on a large domain at the
    /// judged points.
    pub judged: Vec<Vec<f64>>,
    /// On a large domain, the coefficients without each fold, and the folds of the training inputs.
    left_out: Option<(Vec<Mat<f64>>, Folds)>,
}

impl LocalFit {
    /// Fits and chooses the ridge. `None` if there are too many columns or no ridge makes the
    /// normal matrix definite; also for a pointwise nonlinear relation of fields known at some
    /// points only, because between these points fields take values to which the relation was never
    /// fitted.
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
            // A subset of the points is already sampled in proportion to the weights.
            let roots = roots.as_deref().filter(|roots| roots.len() == rows.len());
            Evidence::new(&columns, symmetries, examples, i, (&rows, roots))
        };
        // One input after another, so that the columns of few inputs are in memory.
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
            fit.chosen_by_left_out(train, &examples.train, &folds, most_deciding)?;
        }
        Some(fit)
    }

    /// Chooses the coefficients with the least error at the held-out inputs.
    fn chosen_by_held_out(&mut self, train: &[Evidence], held: &Sample<'_>) -> Option<()> {
        let penalty = self.columns.penalty();
        let mut solved: Vec<Mat<f64>> = Vec::new();
        let floors = floors(train).into_iter().map(Some);
        for floor in std::iter::once(None).chain(floors) {
            let total = total(train, floor)?;
            let ridges = ridges(penalty.as_ref()).par_iter();
            let tried = ridges.filter_map(|&ridge| solve(&total, ridge, penalty.as_ref()));
            solved.par_extend(tried);
        }
        let channels = solved.first()?.ncols();
        // All side by side, so that the columns of an input are computed once.
        let beside = Mat::from_fn(solved[0].nrows(), solved.len() * channels, |r, c| {
            solved[c / channels][(r, c % channels)]
        });
        let at = held.at.unwrap_or(&self.every);
        let guess = |framed: &Framed| product(&self.columns, framed, &beside, at);
        let guesses: Vec<Vec<f64>> = held.framed.par_iter().map(guess).collect();
        let values = channels * at.len();
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

    /// Chooses the weights and the ridge with the least error at left-out folds. If there are many
    /// folds, some of them decide.
    fn chosen_by_left_out(
        &mut self,
        train: Vec<Evidence>,
        sample: &Sample<'_>,
        folds: &Folds,
        most_deciding: usize,
    ) -> Option<()> {
        let penalty = self.columns.penalty();
        let penalty = penalty.as_ref();
        let search = Search {
            train: &train,
            deciding: (0..train.len())
                .step_by(train.len().div_ceil(most_deciding))
                .collect(),
            penalty,
        };
        let best = search.best()?;
        let total = total(&train, best.floor)?;
        self.coefficients = solve(&total, best.ridge, penalty)?;
        // Each fold's evidence is dropped after its use: the guesses need memory too.
        let without = |evidence: Evidence| {
            let own = evidence.into_weighed(best.floor)?;
            solve(&total.less(&own), best.ridge, penalty)
        };
        let left_out: Option<Vec<Mat<f64>>> = train.into_par_iter().map(without).collect();
        let left_out = left_out?;
        self.judged = self.guesses(&left_out, folds, sample.framed, sample.at);
        self.left_out = sample.at.map(|_| (left_out, folds.clone()));
        Some(())
    }

    /// Guesses for training inputs by the coefficients without their fold, at some points or at
    /// all.
    fn guesses(
        &self,
        left_out: &[Mat<f64>],
        folds: &Folds,
        framed: &[Framed],
        at: Option<&[usize]>,
    ) -> Vec<Vec<f64>> {
        let rows = at.unwrap_or(&self.every);
        if self.columns.shares_filters() {
            let of = |i: usize| &left_out[folds.of(i)];
            return together(&self.columns, framed, rows, of);
        }
        let guess = |(i, framed): (usize, &Framed)| {
            product(&self.columns, framed, &left_out[folds.of(i)], rows)
        };
        framed.par_iter().enumerate().map(guess).collect()
    }

    /// Guesses for the judging inputs at all points of a large domain.
    pub(crate) fn judged_everywhere(&mut self, examples: &Examples<'_>) -> Vec<Vec<f64>> {
        match self.left_out.take() {
            Some((left_out, folds)) => self.guesses(&left_out, &folds, examples.train.framed, None),
            None => {
                let held = examples.held.framed.par_iter();
                held.map(|framed| self.predict(framed)).collect()
            }
        }
    }

    /// A fit with known coefficients.
    pub(crate) fn restored(columns: Columns, coefficients: Mat<f64>, lattice: &Lattice) -> Self {
        Self {
            columns,
            coefficients,
            every: (0..lattice.len()).collect(),
            judged: Vec::new(),
            left_out: None,
        }
    }

    /// The predicted target of a query: [channel, point].
    pub(crate) fn predict(&self, framed: &Framed) -> Vec<f64> {
        product(&self.columns, framed, &self.coefficients, &self.every)
    }
}

fn ridges(penalty: Option<&Mat<f64>>) -> &'static [f64] {
    penalty.map_or(RIDGES, |_| LANDMARK_RIDGES)
}

/// Candidate floors, if the noise of all means is known.
fn floors(train: &[Evidence]) -> Vec<f64> {
    if !train.iter().all(Evidence::has_noise) {
        return Vec::new();
    }
    let power = train.iter().map(Evidence::power).sum::<f64>() / train.len() as f64;
    FLOORS.iter().map(|share| share * power).collect()
}

/// The sum of all weighted sums, a few at a time.
fn total(train: &[Evidence], floor: Option<f64>) -> Option<Normal> {
    let mut total: Option<Normal> = None;
    for some in train.chunks(WEIGHED_TOGETHER) {
        let weighed: Option<Vec<Cow<'_, Normal>>> =
            some.par_iter().map(|one| one.weighed(floor)).collect();
        for one in weighed? {
            total = Some(match total {
                None => one.into_owned(),
                Some(sum) => sum.add(&one),
            });
        }
    }
    total
}

/// A search for the floor and the ridge with the least error at the deciding folds, each left out.
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
    /// Tries all ridges with equal weights; with other weights, the ridges next to the best of
    /// those.
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

    /// The best ridge with one floor. Every deciding fold tries all ridges, so that few matrices
    /// are in memory.
    fn of_floor(&self, floor: Option<f64>, ridges: &[f64]) -> Option<Choice> {
        let total = total(self.train, floor)?;
        let misses = |&fold: &usize| -> Option<Vec<Option<f64>>> {
            let own = &self.train[fold];
            let others = total.less(own.weighed(floor)?.as_ref());
            let miss = |&ridge: &f64| {
                let beta = solve(&others, ridge, self.penalty)?;
                Some(error(&own.plain, &beta))
            };
            Some(ridges.iter().map(miss).collect())
        };
        let misses: Option<Vec<Vec<Option<f64>>>> = self.deciding.par_iter().map(misses).collect();
        let misses = misses?;
        let choice = |(r, &ridge): (usize, &f64)| {
            let errors: Option<Vec<f64>> = misses.iter().map(|of_fold| of_fold[r]).collect();
            Some(Choice {
                error: errors?.iter().sum(),
                floor,
                ridge,
            })
        };
        let tried = ridges.iter().enumerate().filter_map(choice);
        tried.min_by(|a, b| a.error.total_cmp(&b.error))
    }
}

/// Columns times coefficients at some points, one column of coefficients after another. Many points
/// are processed in parts, so that their columns stay small, and on a large domain several parts at
/// once.
fn product(columns: &Columns, framed: &Framed, beta: &Mat<f64>, rows: &[usize]) -> Vec<f64> {
    let count = rows.len();
    let mut all = vec![0.0; count * beta.ncols()];
    if let Some(size) = columns.block(MOST_SHARED) {
        let products = columns.products(framed);
        let block = |rows: &[usize]| {
            let x = columns.columns_of(&products, rows);
            MatRef::from_column_major_slice(&x, rows.len(), beta.nrows()) * beta
        };
        let blocks: Vec<Mat<f64>> = rows.par_chunks(size).map(block).collect();
        for (b, y) in blocks.iter().enumerate() {
            place(&mut all, count, b * size, y);
        }
        return all;
    }
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

/// Writes rows from `first` on: [row, channel] -> [channel, `count` rows].
fn place(out: &mut [f64], count: usize, first: usize, rows: &Mat<f64>) {
    for (c, out) in out.chunks_exact_mut(count).enumerate() {
        let own = out[first..][..rows.nrows()].iter_mut().enumerate();
        own.for_each(|(r, v)| *v = rows[(r, c)]);
    }
}

/// Columns times the coefficients of each input, at the same scattered points:
/// [input][channel, row].
fn together<'a>(
    columns: &Columns,
    framed: &[Framed],
    rows: &[usize],
    beta: impl Fn(usize) -> &'a Mat<f64> + Sync,
) -> Vec<Vec<f64>> {
    let channels = beta(0).ncols();
    let mut all = vec![vec![0.0; channels * rows.len()]; framed.len()];
    let mut first = 0;
    while first < framed.len() {
        // As many inputs as fit into memory.
        let mut products = columns.products(&framed[first]);
        let own = products.len() * framed[first].points;
        let count = (MOST_VALUES / own).clamp(1, framed.len() - first);
        let others = framed[first + 1..first + count].par_iter();
        let others: Vec<Vec<Vec<f64>>> = others.map(|f| columns.products(f)).collect();
        products.extend(others.into_iter().flatten());
        let block = |rows: &[usize]| -> Vec<Mat<f64>> {
            columns.of_many(&products, count, rows, |k, x| {
                let beta = beta(first + k);
                MatRef::from_column_major_slice(&x, rows.len(), beta.nrows()) * beta
            })
        };
        let blocks: Vec<Vec<Mat<f64>>> = rows.par_chunks(MOST_SHARED).map(block).collect();
        for (b, block) in blocks.iter().enumerate() {
            for (out, y) in all[first..].iter_mut().zip(block) {
                place(out, rows.len(), b * MOST_SHARED, y);
            }
        }
        first += count;
    }
    all
}
