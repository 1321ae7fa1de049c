//! Landmarks: a Gaussian process of the neighbourhood of a point, with a few neighbourhoods as its
//! basis.
//!
//! Let k be the Matérn 5/2 covariance of the features and the position of a point, each over a
//! length of its own. The columns are k(z, z_j) for landmarks z_j. Regression on them with the
//! penalty k(z_i, z_j) is the Gaussian process that sees its data through the landmarks (the subset
//! of regressors of Smola and Bartlett, 2001). Each landmark is the neighbourhood that those before
//! it explain least, as in a pivoted Cholesky decomposition. `lengths` learns the lengths.

use floral_linalg::{Accum, Mat, MatMut, MatRef, product};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::Lattice;
use crate::kernel::matern52;
use crate::large::is_large;

/// Least variance of a landmark that the others leave unexplained; with less, the penalty would be
/// singular.
const LEAST_NEW: f64 = 1e-5;

/// Number of rows whose unexplained variances are updated together.
const BLOCK: usize = 1024;

/// How landmarks are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct LandmarkPlan {
    /// One length for all features, in units of the root mean square distance of two
    /// neighbourhoods; `None` if each kind of feature has its own, learned length.
    pub shared: Option<f64>,
    /// Maximum number of landmarks.
    pub most: usize,
}

/// The landmarks of a plan.
#[derive(Debug, Clone)]
pub(crate) struct Landmarks {
    /// Lengths of features, then of position coordinates.
    pub(crate) lengths: Vec<f64>,
    /// Position coordinates, from -1 to 1 or on a circle: [coordinate][point].
    coordinates: Vec<Vec<f64>>,
    /// Landmarks: [landmark, feature], features divided by their lengths.
    pub(crate) places: Mat<f64>,
    /// Whether the domain is large. Covariances are then computed many at a time: the same but for
    /// round-off, which small ridges magnify.
    is_large: bool,
}

/// Neighbourhoods of some points: features, [row, feature] with rows fastest, and the points.
pub(super) struct Neighbourhoods {
    pub features: Vec<f64>,
    pub rows: Vec<usize>,
}

impl Neighbourhoods {
    /// Every `step`-th row from `first` on.
    pub(super) fn thinned(&self, first: usize, step: usize) -> Self {
        let features = self.features.chunks_exact(self.rows.len().max(1));
        let kept = features.flat_map(|feature| feature.iter().skip(first).step_by(step));
        Self {
            features: kept.copied().collect(),
            rows: self
                .rows
                .iter()
                .skip(first)
                .step_by(step)
                .copied()
                .collect(),
        }
    }
}

impl Landmarks {
    /// Chooses landmarks among candidates, which are for every input the same rows in all
    /// positions. A landmark comes with its images in the other positions, so that the fit has the
    /// symmetries of the problem.
    pub(super) fn new(
        lengths: Vec<f64>,
        lattice: &Lattice,
        still: &[usize],
        candidates: &[Vec<Neighbourhoods>],
        most: usize,
    ) -> Self {
        let mut landmarks = Self::restored(lengths, lattice, still, Mat::zeros(0, 0));
        let scaled = candidates.iter().flatten().map(|c| landmarks.scaled(c));
        let places = stacked(&scaled.collect::<Vec<_>>());
        let chosen = landmarks.pivots(&places, &images(candidates), most);
        landmarks.places =
            Mat::from_fn(chosen.len(), places.ncols(), |j, f| places[(chosen[j], f)]);
        landmarks
    }

    /// Landmarks that are known: [landmark, feature].
    pub(crate) fn restored(
        lengths: Vec<f64>,
        lattice: &Lattice,
        still: &[usize],
        places: Mat<f64>,
    ) -> Self {
        Self {
            lengths,
            coordinates: coordinates(lattice, still),
            places,
            is_large: is_large(lattice),
        }
    }

    /// Number of columns.
    pub(super) fn count(&self) -> usize {
        self.places.nrows()
    }

    /// The covariance of the landmarks, which penalises coefficients.
    pub(super) fn penalty(&self) -> Mat<f64> {
        self.covariance(self.places.as_ref(), self.places.as_ref())
    }

    /// The covariance of every row with every landmark, one landmark after another.
    pub(super) fn columns(&self, neighbourhoods: &Neighbourhoods) -> Vec<f64> {
        let seen = self.scaled(neighbourhoods);
        let mut columns = vec![0.0; seen.nrows() * self.count()];
        let out = MatMut::from_column_major_slice_mut(&mut columns, seen.nrows(), self.count());
        self.write_covariance(out, seen.as_ref(), self.places.as_ref());
        columns
    }

    /// Features and position coordinates divided by their lengths: [row, feature].
    fn scaled(&self, neighbourhoods: &Neighbourhoods) -> Mat<f64> {
        let mut seen = beside(neighbourhoods, &self.coordinates);
        for (f, length) in self.lengths.iter().enumerate() {
            (0..seen.nrows()).for_each(|r| seen[(r, f)] /= length);
        }
        seen
    }

    /// Covariances of the rows of two matrices of features.
    fn covariance(&self, a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
        let mut out = Mat::zeros(a.nrows(), b.nrows());
        self.write_covariance(out.as_mut(), a, b);
        out
    }

    fn write_covariance(&self, mut out: MatMut<'_, f64>, a: MatRef<'_, f64>, b: MatRef<'_, f64>) {
        let norms = |m: MatRef<'_, f64>| -> Vec<f64> {
            (0..m.nrows()).map(|r| m.row(r).squared_norm_l2()).collect()
        };
        let (of_a, of_b) = (norms(a), norms(b));
        product(out.as_mut(), Accum::Replace, a, b.transpose(), 1.0);
        if self.is_large {
            return floral_linalg::matern52(out, &of_a, &of_b);
        }
        for j in 0..out.ncols() {
            for i in 0..out.nrows() {
                let square = of_a[i] + of_b[j] - 2.0 * out[(i, j)];
                out[(i, j)] = matern52(square.max(0.0).sqrt());
            }
        }
    }

    /// The chosen rows. Each, together with its images, is the one that those before it explain
    /// least; among equals the first.
    fn pivots(&self, places: &Mat<f64>, images: &[Vec<usize>], most: usize) -> Vec<usize> {
        let mut left = vec![1.0; places.nrows()];
        let mut factor: Vec<Vec<f32>> = Vec::new();
        let mut chosen = Vec::new();
        while let Some(orbit) = least_explained(images, &left) {
            if left[orbit[0]] < LEAST_NEW || chosen.len() + orbit.len() > most {
                break;
            }
            // An image that coincides with another is explained by it.
            for &row in orbit {
                if left[row] >= LEAST_NEW {
                    factor.push(self.explained(places, row, &factor, &mut left));
                    chosen.push(row);
                }
            }
        }
        chosen
    }

    /// The new column of the pivoted Cholesky factor, for this row; subtracts what it explains from
    /// `left`. In single precision, which suffices for the choice, and in blocks that stay in the
    /// cache.
    fn explained(
        &self,
        places: &Mat<f64>,
        row: usize,
        before: &[Vec<f32>],
        left: &mut [f64],
    ) -> Vec<f32> {
        let alike = self.covariance(places.as_ref(), places.as_ref().subrows(row, 1));
        let root = left[row].sqrt() as f32;
        let mut column: Vec<f32> = (0..left.len()).map(|i| alike[(i, 0)] as f32).collect();
        let blocks = column.par_chunks_mut(BLOCK).zip(left.par_chunks_mut(BLOCK));
        blocks.enumerate().for_each(|(k, (column, left))| {
            for before in before {
                let weight = before[row];
                let pairs = column.iter_mut().zip(&before[k * BLOCK..]);
                pairs.for_each(|(value, explained)| *value -= weight * explained);
            }
            for (value, left) in column.iter_mut().zip(left) {
                *value /= root;
                *left = (*left - f64::from(*value).powi(2)).max(0.0);
            }
        });
        left[row] = 0.0;
        column
    }
}

/// Features next to position coordinates: [row, feature].
pub(super) fn beside(neighbourhoods: &Neighbourhoods, coordinates: &[Vec<f64>]) -> Mat<f64> {
    let rows = &neighbourhoods.rows;
    let surroundings = neighbourhoods.features.len() / rows.len();
    let features = surroundings + coordinates.len();
    Mat::from_fn(rows.len(), features, |r, f| {
        match f.checked_sub(surroundings) {
            None => neighbourhoods.features[f * rows.len() + r],
            Some(coordinate) => coordinates[coordinate][rows[r]],
        }
    })
}

/// For every row of every input, the places of its images among all candidates.
fn images(candidates: &[Vec<Neighbourhoods>]) -> Vec<Vec<usize>> {
    let mut images = Vec::new();
    let mut begun = 0;
    for moved in candidates {
        let rows = moved[0].rows.len();
        let of = |row: usize| (0..moved.len()).map(move |m| begun + m * rows + row);
        images.extend((0..rows).map(|row| of(row).collect()));
        begun += moved.len() * rows;
    }
    images
}

/// Stacks matrices with equal numbers of columns.
pub(super) fn stacked(parts: &[Mat<f64>]) -> Mat<f64> {
    let places: Vec<(usize, usize)> = (0..parts.len())
        .flat_map(|part| (0..parts[part].nrows()).map(move |row| (part, row)))
        .collect();
    Mat::from_fn(places.len(), parts[0].ncols(), |i, f| {
        parts[places[i].0][(places[i].1, f)]
    })
}

/// Position coordinates along `axes`, from -1 to 1 or on a circle, or those of scattered points:
/// [coordinate][point].
pub(super) fn coordinates(lattice: &Lattice, axes: &[usize]) -> Vec<Vec<f64>> {
    if let Some(points) = lattice.points() {
        let about_zero = |x: &Vec<f64>| x.iter().map(|x| 2.0 * x - 1.0).collect();
        return points.coordinates().iter().map(about_zero).collect();
    }
    let along = |&axis: &usize| {
        let n = lattice.axes[axis].len;
        let share = move |i: usize| i as f64 / (n.max(2) - 1) as f64;
        let angle = move |i: usize| std::f64::consts::TAU * i as f64 / n as f64;
        let functions: Vec<Box<dyn Fn(usize) -> f64>> = if lattice.axes[axis].periodic {
            vec![
                Box::new(move |i| angle(i).cos()),
                Box::new(move |i| angle(i).sin()),
            ]
        } else {
            vec![Box::new(move |i| 2.0 * share(i) - 1.0)]
        };
        let field = |f: Box<dyn Fn(usize) -> f64>| -> Vec<f64> {
            let at = |p| f(lattice.position(p, axis));
            (0..lattice.len()).map(at).collect()
        };
        functions.into_iter().map(field).collect::<Vec<_>>()
    };
    axes.iter().flat_map(along).collect()
}

/// Number of position coordinates along `axes`.
pub(super) fn coordinate_count(lattice: &Lattice, axes: &[usize]) -> usize {
    if let Some(points) = lattice.points() {
        return points.coordinates().len();
    }
    let closes = |axis: &&usize| lattice.axes[**axis].periodic;
    axes.len() + axes.iter().filter(closes).count()
}

fn least_explained<'a>(images: &'a [Vec<usize>], left: &[f64]) -> Option<&'a Vec<usize>> {
    let more = |best: &'a Vec<usize>, next: &'a Vec<usize>| match left[next[0]] > left[best[0]] {
        true => next,
        false => best,
    };
    images.iter().reduce(more)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    const MOST: usize = 12;

    fn lattice() -> Lattice {
        testing::lattice(&[("t", 3), ("x", 16)], &["x"])
    }

    fn landmarks(lattice: &Lattice, still: &[usize]) -> Landmarks {
        let rows: Vec<usize> = (0..lattice.len()).collect();
        let features = rows.iter().map(|&p| (p as f64).sin()).collect();
        let candidates = [vec![Neighbourhoods {
            features,
            rows: rows.clone(),
        }]];
        let lengths = vec![0.5; 1 + coordinate_count(lattice, still)];
        Landmarks::new(lengths, lattice, still, &candidates, MOST)
    }

    #[test]
    fn a_landmark_is_like_itself_and_its_column_is_a_column_of_the_penalty() {
        let lattice = lattice();
        let landmarks = landmarks(&lattice, &[0, 1]);
        let penalty = landmarks.penalty();
        assert_eq!(landmarks.count(), MOST);
        for i in 0..landmarks.count() {
            assert!((penalty[(i, i)] - 1.0).abs() < 1e-12);
        }
        let rows: Vec<usize> = (0..lattice.len()).collect();
        let features = rows.iter().map(|&p| (p as f64).sin()).collect();
        let points = rows.len();
        let columns = landmarks.columns(&Neighbourhoods { features, rows });
        for j in 0..landmarks.count() {
            let column = &columns[j * points..(j + 1) * points];
            let own = (0..points).max_by(|a, b| column[*a].total_cmp(&column[*b]));
            let own = own.unwrap();
            for i in 0..landmarks.count() {
                let found = columns[i * points + own];
                assert!((found - penalty[(i, j)]).abs() < 1e-12, "{i} {j}");
            }
        }
    }

    #[test]
    fn neighbourhoods_that_are_the_same_make_one_landmark() {
        let lattice = lattice();
        let rows: Vec<usize> = (0..lattice.len()).collect();
        let candidates = [vec![Neighbourhoods {
            features: vec![2.0; rows.len()],
            rows,
        }]];
        let landmarks = Landmarks::new(vec![1.0], &lattice, &[], &candidates, MOST);
        assert_eq!(landmarks.count(), 1);
    }

    #[test]
    fn positions_go_around_an_axis_that_closes() {
        let lattice = lattice();
        assert_eq!(coordinate_count(&lattice, &[0, 1]), 3);
        let circle = coordinates(&lattice, &[1]);
        let between = |a: usize, b: usize| {
            let squares = circle.iter().map(|c| (c[a] - c[b]).powi(2));
            squares.sum::<f64>()
        };
        assert!((between(0, 15) - between(0, 1)).abs() < 1e-12);
        let line = coordinates(&lattice, &[0]);
        assert_eq!([line[0][0], line[0][16], line[0][47]], [-1.0, 0.0, 1.0]);
    }
}
