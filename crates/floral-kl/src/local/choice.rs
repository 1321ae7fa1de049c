//! The choice of landmarks, and of the lengths over which neighbourhoods are compared.

use floral_linalg::Mat;
use rayon::prelude::*;

use super::features::Columns;
use super::filtering::still;
use super::landmarks::{self, LandmarkPlan, Landmarks, Neighbourhoods};
use super::lengths;
use super::thinning::{MOST_COMPARED, Thinning};
use crate::large::is_large;
use crate::scattered::sampled;
use crate::target::{Parity, Sample};
use crate::{Lattice, Points, Symmetries, Symmetry};

/// Number of neighbourhoods among which landmarks are chosen, and of those whose targets determine
/// lengths.
const MOST_CANDIDATES: usize = 4000;
const MOST_DECIDING: usize = 600;

/// The golden ratio: fractional parts of its multiples are evenly spread.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// Which points of an input are candidates for landmarks.
struct Shown<'a> {
    /// Approximate number per input.
    each: usize,
    /// One in this number of points is a candidate.
    step: usize,
    points: usize,
    /// Scattered points, and a curve through them.
    scattered: Option<(&'a Points, Vec<usize>)>,
    /// On a large grid, the points that enter the fit, which are fast to filter: candidates are
    /// chosen among them.
    thinning: Option<Thinning<'a>>,
}

impl<'a> Shown<'a> {
    fn new(lattice: &'a Lattice, symmetries: &Symmetries, inputs: usize) -> Self {
        let each = (MOST_CANDIDATES / (inputs * symmetries.motions.len())).max(1);
        let points = lattice.points();
        let is_thinned = is_large(lattice) && points.is_none();
        let thinning = || Thinning::new(lattice, symmetries, inputs, MOST_COMPARED);
        Self {
            each,
            step: lattice.len().div_ceil(each),
            points: lattice.len(),
            scattered: points.map(|points| (&**points, points.curve())),
            thinning: is_thinned.then(thinning),
        }
    }

    /// The points of an input that are filtered. They differ between inputs: the same step for all
    /// could divide an axis and show only some of it.
    fn filtered(&self, input: usize) -> Vec<usize> {
        let step = self.step;
        match (&self.thinning, &self.scattered) {
            (Some(thinning), _) => thinning.rows(input),
            (None, Some((points, curve))) if step > 1 => {
                sampled(points, curve, step as f64, (input as f64 * GOLDEN).fract())
            }
            (None, Some((_, curve))) => curve.clone(),
            (None, None) => (input * 7919 % step..self.points).step_by(step).collect(),
        }
    }

    /// The candidates among the filtered points.
    fn kept(&self, input: usize, filtered: Neighbourhoods) -> Neighbourhoods {
        if self.thinning.is_none() {
            return filtered;
        }
        let step = filtered.rows.len().div_ceil(self.each).max(1);
        filtered.thinned(input * 7919 % step, step)
    }
}

impl Columns {
    /// Chooses landmarks among neighbourhoods of the training inputs, in every position.
    pub(super) fn chosen(
        &self,
        plan: LandmarkPlan,
        symmetries: &Symmetries,
        train: &Sample<'_>,
        parity: Parity,
    ) -> Landmarks {
        let motions = &symmetries.motions;
        let shown = Shown::new(&self.lattice, symmetries, train.framed.len());
        let moved = |k: usize| -> Vec<Neighbourhoods> {
            let by = |m: usize| {
                let rows = motions[m].destinations(&shown.filtered(k));
                let features = self.features(&train.framed[k].moved(symmetries, m), &rows);
                shown.kept(k, Neighbourhoods { features, rows })
            };
            (0..motions.len()).map(by).collect()
        };
        let inputs = (0..train.framed.len()).into_par_iter();
        let candidates: Vec<Vec<Neighbourhoods>> = inputs.map(moved).collect();
        let still = still(&self.lattice, symmetries);
        let lengths = self.lengths(plan, symmetries, train, parity, &candidates);
        let candidates: Vec<Vec<Neighbourhoods>> = candidates
            .into_iter()
            .filter(|moved| !moved[0].rows.is_empty())
            .collect();
        // Half as many landmarks as rows explain nearly as much as all rows.
        let rows = train.framed.len() * motions.len() * self.lattice.len();
        let most = plan.most.min(rows.div_ceil(2));
        Landmarks::new(lengths, &self.lattice, &still, &candidates, most)
    }

    /// The length of each feature and position coordinate, from the candidates of all inputs.
    fn lengths(
        &self,
        plan: LandmarkPlan,
        symmetries: &Symmetries,
        train: &Sample<'_>,
        parity: Parity,
        candidates: &[Vec<Neighbourhoods>],
    ) -> Vec<f64> {
        let still = still(&self.lattice, symmetries);
        let coordinates = landmarks::coordinates(&self.lattice, &still);
        let points = self.lattice.len();
        let channels = train.targets[0].len() / points;
        let mut rows: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        for (input, moved) in candidates.iter().enumerate() {
            for (motion, shown) in symmetries.motions.iter().zip(moved) {
                let z = landmarks::beside(shown, &coordinates);
                let target = parity.apply(motion, &train.targets[input]);
                for (r, &point) in shown.rows.iter().enumerate() {
                    let z = (0..z.ncols()).map(|f| z[(r, f)]).collect();
                    let y = (0..channels).map(|c| target[c * points + point]).collect();
                    rows.push((z, y));
                }
            }
        }
        // Spread over all rows, in an order that has no period.
        let count = rows.len();
        let most = match plan.shared {
            Some(_) => count,
            None => MOST_DECIDING.min(count),
        };
        let place = |k: usize| (k as f64 * GOLDEN).fract() * count as f64;
        let some: Vec<&(Vec<f64>, Vec<f64>)> =
            (0..most).map(|k| &rows[place(k) as usize]).collect();
        let z = Mat::from_fn(most, rows[0].0.len(), |r, f| some[r].0[f]);
        let surroundings = z.ncols() - coordinates.len();
        let learned = || {
            let y = Mat::from_fn(most, channels, |r, c| some[r].1[c]);
            lengths::learned(&z, &self.kinds(symmetries, surroundings), &y)
        };
        match plan.shared {
            Some(length) => lengths::shared(&z, surroundings, length),
            None => learned().unwrap_or_else(|| lengths::shared(&z, surroundings, 2.0)),
        }
    }

    /// The kind of each feature, then of each position coordinate. Features of the same field,
    /// width and order are of one kind; so are the coordinates of an axis, or of all axes if a
    /// transposition exchanges axes.
    fn kinds(&self, symmetries: &Symmetries, surroundings: usize) -> Vec<usize> {
        let fields = surroundings / self.filter_kinds.len();
        let mut names: Vec<[usize; 3]> = (0..fields)
            .flat_map(|field| self.filter_kinds.iter().map(move |[w, o]| [field, *w, *o]))
            .collect();
        let transposes = |s: &Symmetry| matches!(s, Symmetry::Transpose { .. });
        let is_transposed = symmetries.declared.iter().any(transposes);
        if let Some(points) = self.lattice.points() {
            names.extend((0..points.coordinates().len()).map(|place| [usize::MAX, place, 0]));
        }
        let still = match self.lattice.points() {
            Some(_) => Vec::new(),
            None => still(&self.lattice, symmetries),
        };
        for (place, axis) in still.into_iter().enumerate() {
            let name = [usize::MAX, if is_transposed { 0 } else { place }, 0];
            let times = 1 + usize::from(self.lattice.axes[axis].periodic);
            names.extend(std::iter::repeat_n(name, times));
        }
        let mut distinct = names.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let kind = |name: &[usize; 3]| distinct.partition_point(|other| other < name);
        names.iter().map(kind).collect()
    }
}
