//! Transport of released material by wind at one angle: a sum of Gaussian puffs, axis by axis.

use std::f64::consts::TAU;

use super::Plume;
use crate::Axis;

impl Plume {
    /// The plume of these sources in wind at this angle, made of `puffs` puffs that widen by
    /// `spread` on their way: \[y, x\], like the sources.
    pub(super) fn drifted(
        &self,
        strength: &[f64],
        degrees: f64,
        (puffs, spread): (usize, f64),
    ) -> Vec<f64> {
        let [y, x] = [&self.grid.axes[0], &self.grid.axes[1]];
        let (sine, cosine) = degrees.to_radians().sin_cos();
        let length = x.len();
        let mut plume = vec![0.0; strength.len()];
        let mut rows = plume.clone();
        for puff in 0..puffs {
            let time = (puff as f64 + 0.5) / puffs as f64;
            let deviation = self.config.width.hypot(time.sqrt() * spread);
            let along = |axis, drift| spreading(axis, time * self.config.reach * drift, deviation);
            let (along_y, along_x) = (along(y, sine), along(x, cosine));
            rows.fill(0.0);
            for (row, to) in strength.chunks(length).zip(rows.chunks_mut(length)) {
                for (s, shares) in row.iter().zip(along_x.chunks(length)) {
                    add(to, *s, shares);
                }
            }
            for (row, shares) in rows.chunks(length).zip(along_y.chunks(y.len())) {
                for (to, share) in plume.chunks_mut(length).zip(shares) {
                    add(to, share / puffs as f64, row);
                }
            }
        }
        plume
    }
}

/// The share of the material at each point that reaches each other point, \[from, to\]: a Gaussian
/// around the drifted point, times the trapezoid weight of the first point.
fn spreading(axis: &Axis, drift: f64, deviation: f64) -> Vec<f64> {
    let ends = [0, axis.len() - 1];
    let height = axis.spacing() / (deviation * TAU.sqrt());
    let from = axis.coordinates.iter().enumerate();
    from.flat_map(|(i, from)| {
        let height = if ends.contains(&i) {
            0.5 * height
        } else {
            height
        };
        let to = axis.coordinates.iter();
        to.map(move |to| height * (-0.5 * ((to - from - drift) / deviation).powi(2)).exp())
    })
    .collect()
}

/// to += factor * from
fn add(to: &mut [f64], factor: f64, from: &[f64]) {
    to.iter_mut()
        .zip(from)
        .for_each(|(to, f)| *to += factor * f);
}
