//! Gram matrices between inputs and all rolls of others, one a frequency.

use super::Covariance;
use super::spectrum::{C64, Rolls};
use crate::regression::case::Framed;
use crate::regression::{Lattice, Symmetries};

/// Features in which inputs resemble each other: low fidelity and input, each of unit size.
#[derive(Clone)]
pub(in crate::regression) struct Resemblance {
    rolls: Rolls,
    /// Subtracted from the logarithm of a positive input, and factors that make unit sizes.
    logarithm: bool,
    factors: [f64; 2],
}

/// The spectrum of an input's features: [feature, frequency], and their squared norm.
#[derive(Clone)]
pub(super) struct Signature {
    spectrum: Vec<C64>,
    square: f64,
}

impl Resemblance {
    /// `share` is the input's part in the squared distance, beside low fidelity's.
    pub(in crate::regression) fn new(
        lattice: &Lattice,
        symmetries: &Symmetries,
        framed: &[Framed],
        share: f64,
    ) -> Self {
        let values = || framed.iter().flat_map(|f| &f.input);
        // A positive quantity that may be scaled is measured by its logarithm.
        let logarithm = symmetries.scale.is_some() && values().all(|v| *v > 0.0);
        let square = |fields: &mut dyn Iterator<Item = f64>| fields.map(|v| v * v).sum::<f64>();
        let input = square(&mut values().map(|v| if logarithm { v.ln() } else { *v }));
        let low = square(&mut framed.iter().flat_map(|f| f.low.iter().copied()));
        let share = if low > 0.0 { share } else { 1.0 };
        let factor = |share: f64, sum: f64| {
            let mean = sum / framed.len() as f64;
            if mean > 0.0 {
                (share / mean).sqrt()
            } else {
                0.0
            }
        };
        Self {
            rolls: Rolls::new(lattice, &symmetries.rolled),
            logarithm,
            factors: [factor(share, input), factor(1.0 - share, low)],
        }
    }

    /// The transform along rolled axes.
    pub(super) fn rolls(&self) -> &Rolls {
        &self.rolls
    }

    pub(super) fn signature(&self, framed: &Framed) -> Signature {
        let transform = |v: &f64| if self.logarithm { v.ln() } else { *v };
        let input = framed.input.iter().map(|v| self.factors[0] * transform(v));
        let low = framed.low.iter().map(|v| self.factors[1] * v);
        let part = |factor: f64, values: Vec<f64>| (factor > 0.0).then_some(values);
        let parts = [
            part(self.factors[0], input.collect()),
            part(self.factors[1], low.collect()),
        ];
        let features: Vec<f64> = parts.into_iter().flatten().flatten().collect();
        Signature {
            square: features.iter().map(|v| v * v).sum(),
            spectrum: self.rolls.forward(&features),
        }
    }

    /// Inner products of `a` with every roll of `b`: [shift].
    pub(super) fn inner(&self, a: &Signature, b: &Signature) -> Vec<f64> {
        let count = self.rolls.count;
        let mut product = vec![C64::default(); count];
        for (a, b) in a
            .spectrum
            .chunks_exact(count)
            .zip(b.spectrum.chunks_exact(count))
        {
            for (sum, (a, b)) in product.iter_mut().zip(a.iter().zip(b)) {
                *sum += a * b.conj();
            }
        }
        self.rolls.shifts(&mut product, true);
        // Once for the transform back, once for Parseval's factor.
        let scale = (count * count) as f64;
        product
            .iter()
            .map(|value| value.re * count as f64 / scale)
            .collect()
    }

    /// The covariance of `a` with every roll of `b`, summed over rolls at each frequency.
    pub(super) fn covariance(
        &self,
        covariance: Covariance,
        a: &Signature,
        b: &Signature,
        inner: &[f64],
    ) -> Vec<C64> {
        let between = |inner: &f64| covariance.between(a.square, b.square, *inner).into();
        let mut values: Vec<C64> = inner.iter().map(between).collect();
        self.rolls.shifts(&mut values, false);
        values
    }

    /// The roll of `b` closest to `a`, and its squared distance.
    pub(super) fn closest(&self, a: &Signature, b: &Signature) -> (usize, f64) {
        let inner = self.inner(a, b).into_iter().enumerate();
        let (shift, inner) = inner.max_by(|x, y| x.1.total_cmp(&y.1)).unwrap_or((0, 0.0));
        (shift, (a.square + b.square - 2.0 * inner).max(0.0))
    }
}
