//! Evidence: the normal equations of the inputs, weighted by the noise of their means.
//!
//! The mean of a few realizations misses the true mean by a field that is as smooth as they are, so
//! errors at neighbouring points are correlated. Least squares with the error covariance E E' + f I
//! weights the points by its inverse, which up to a factor is I - E (f I + E' E)^-1 E'. Directions
//! in which realizations vary get less weight; what is orthogonal to them is known almost exactly.

use std::borrow::Cow;

use floral_linalg::{Mat, MatRef, solve_positive};

use super::Columns;
use super::normal::Normal;
use crate::Symmetries;
use crate::residuals::MeanError;
use crate::scattered::times;
use crate::symmetry::{Motion, Role};
use crate::target::{Examples, Parity};

/// The sums over inputs in all positions.
pub(super) struct Evidence {
    /// The sums with equal weights.
    pub plain: Normal,
    noise: Vec<Noise>,
    /// Whether the noise of every mean is known.
    is_noisy: bool,
}

/// Deviations E of a mean, as they enter the normal equations.
struct Noise {
    /// E' X: [deviation, column].
    columns: Mat<f64>,
    /// E' Y: [deviation, channel].
    target: Mat<f64>,
    /// E' E.
    gram: Mat<f64>,
    rows: usize,
}

impl Evidence {
    /// The evidence of an input at `rows`, each times a factor if there are factors; of an input
    /// whose target is known at some points only, at those.
    pub(super) fn new(
        columns: &Columns,
        symmetries: &Symmetries,
        examples: &Examples<'_>,
        input: usize,
        rows: (&[usize], Option<&[f64]>),
    ) -> Self {
        // The noise of a sample variance is not known.
        let noise = examples.train.noise.get(input);
        let noise = noise.filter(|_| examples.parity == Parity::Odd);
        let deviations = noise.map(MeanError::deviations);
        let deviations = deviations.as_deref().unwrap_or(&[]);
        let motions = 0..symmetries.motions.len();
        let seen = motions.map(|motion| {
            seen(
                columns,
                symmetries,
                examples,
                (input, motion),
                rows,
                deviations,
            )
        });
        let one = |(plain, noise): (Normal, Option<Noise>)| Self {
            is_noisy: noise.is_some(),
            plain,
            noise: noise.into_iter().collect(),
        };
        let sum = seen.map(one).reduce(Self::add);
        sum.expect("a group has its identity")
    }

    /// The sum of both.
    pub(super) fn add(mut self, other: Self) -> Self {
        self.noise.extend(other.noise);
        Self {
            plain: self.plain.add(&other.plain),
            noise: self.noise,
            is_noisy: self.is_noisy && other.is_noisy,
        }
    }

    /// Whether the noise of every mean is known.
    pub(super) fn has_noise(&self) -> bool {
        self.is_noisy
    }

    /// The mean squared error of the means, by their noise.
    pub(super) fn power(&self) -> f64 {
        let one = |noise: &Noise| trace(&noise.gram) / noise.rows as f64;
        self.noise.iter().map(one).sum::<f64>() / self.noise.len().max(1) as f64
    }

    /// The sums weighted with a floor f; with equal weights if there is none.
    pub(super) fn weighed(&self, floor: Option<f64>) -> Option<Cow<'_, Normal>> {
        let Some(floor) = floor else {
            return Some(Cow::Borrowed(&self.plain));
        };
        Some(Cow::Owned(less_noise(
            self.plain.clone(),
            &self.noise,
            floor,
        )?))
    }

    /// The same, without a copy of the sums.
    pub(super) fn into_weighed(self, floor: Option<f64>) -> Option<Normal> {
        match floor {
            None => Some(self.plain),
            Some(floor) => less_noise(self.plain, &self.noise, floor),
        }
    }
}

/// Sums minus the part in the directions in which the means are noisy, with a floor f.
fn less_noise(mut normal: Normal, noise: &[Noise], floor: f64) -> Option<Normal> {
    let least = floor.max(f64::MIN_POSITIVE);
    for noise in noise {
        let mut matrix = noise.gram.clone();
        (0..matrix.nrows()).for_each(|i| matrix[(i, i)] += least);
        let explained = solve_positive(&matrix, &noise.columns)?;
        normal.xx -= explained.transpose() * &noise.columns;
        normal.xy -= explained.transpose() * &noise.target;
    }
    Some(normal)
}

/// The sums over one input in one position, and its noise.
fn seen(
    columns: &Columns,
    symmetries: &Symmetries,
    examples: &Examples<'_>,
    (input, motion): (usize, usize),
    (rows, factors): (&[usize], Option<&[f64]>),
    deviations: &[f32],
) -> (Normal, Option<Noise>) {
    let sample = &examples.train;
    let framed = sample.framed[input].moved(symmetries, motion);
    let motion = &symmetries.motions[motion];
    let known = sample.known[input].as_ref();
    let known = known.map(|points| motion.destinations(points));
    let factors = factors.filter(|_| known.is_none());
    let rows = known.as_deref().unwrap_or(rows);
    let factor = |row: usize| factors.map_or(1.0, |factors| factors[row]);
    let target = examples.parity.apply(motion, &sample.targets[input]);
    let points = motion.points();
    let x = times(columns.at(&framed, rows), factors);
    let x = MatRef::from_column_major_slice(&x, rows.len(), x.len() / rows.len());
    let y = Mat::from_fn(rows.len(), target.len() / points, |r, c| {
        factor(r) * target[c * points + rows[r]]
    });
    let noise = deviations_at(deviations, target.len(), motion, rows);
    let weighed = |mut e: Mat<f64>| {
        if factors.is_some() {
            (0..e.ncols()).for_each(|k| (0..rows.len()).for_each(|r| e[(r, k)] *= factor(r)));
        }
        e
    };
    let noise = noise.map(weighed).map(|e| Noise {
        columns: e.transpose() * x,
        target: e.transpose() * &y,
        gram: e.transpose() * &e,
        rows: rows.len(),
    });
    let normal = Normal {
        xx: x.transpose() * x,
        xy: x.transpose() * &y,
        yy: y.squared_norm_l2(),
    };
    (normal, noise)
}

/// Moved deviations as columns, [row, column], from fields [deviation, channel, point] of `values`
/// values each. Every channel is a column of its own, with an equal share of the variance.
fn deviations_at(all: &[f32], values: usize, motion: &Motion, rows: &[usize]) -> Option<Mat<f64>> {
    let points = motion.points();
    let channels = values / points;
    let share = 1.0 / (channels as f64).sqrt();
    let moved: Vec<Vec<f64>> = all
        .chunks_exact(values)
        .map(|field| {
            let field: Vec<f64> = field.iter().map(|v| share * f64::from(*v)).collect();
            motion.apply(Role::Solution, &field)
        })
        .collect();
    (!moved.is_empty()).then(|| {
        Mat::from_fn(rows.len(), moved.len() * channels, |r, k| {
            moved[k / channels][k % channels * points + rows[r]]
        })
    })
}

fn trace(matrix: &Mat<f64>) -> f64 {
    (0..matrix.nrows()).map(|i| matrix[(i, i)]).sum()
}

#[cfg(test)]
mod tests {
    use super::super::normal::solve;
    use super::*;

    /// A target of twice a column, plus an error in the only direction in which realizations vary.
    #[test]
    fn directions_in_which_realizations_vary_do_not_decide() {
        let rows = 40;
        let wave = |k: usize, r: usize| (k * r) as f64 / rows as f64;
        let x = Mat::from_fn(rows, 1, |r, _| wave(3, r).sin());
        let e = Mat::from_fn(rows, 1, |r, _| wave(4, r).sin());
        let y = Mat::from_fn(rows, 1, |r, _| 2.0 * x[(r, 0)] + e[(r, 0)]);
        let evidence = Evidence {
            plain: Normal {
                xx: x.transpose() * &x,
                xy: x.transpose() * &y,
                yy: y.squared_norm_l2(),
            },
            noise: vec![Noise {
                columns: e.transpose() * &x,
                target: e.transpose() * &y,
                gram: e.transpose() * &e,
                rows,
            }],
            is_noisy: true,
        };
        let found =
            |floor: Option<f64>| solve(&evidence.weighed(floor).unwrap(), 0.0, None).unwrap();
        assert!((found(None)[(0, 0)] - 2.0).abs() > 0.2);
        assert!((found(Some(1e-9 * evidence.power()))[(0, 0)] - 2.0).abs() < 1e-6);
        let equal = found(Some(1e9 * evidence.power())) - found(None);
        assert!(equal[(0, 0)].abs() < 1e-6);
    }
}
