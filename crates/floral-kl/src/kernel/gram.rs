//! Gram matrices between inputs and all rolls of others, one per frequency.

use super::spectrum::{C64, Rolls};
use super::{Covariance, Kernel};
use crate::case::{Framed, mean_field, measure};
use crate::filters::{convolve, taps};
use crate::large::{Positions, is_large};
use crate::scattered::{Bank, roots, times};
use crate::symmetry::Role;
use crate::{Lattice, Symmetries, separable};

/// Mean square of features, in units of the fit, below which they do not vary.
const ROUND_OFF: f64 = 1e-20;

/// Features by which inputs are compared: input and low fidelity, each minus its mean over the
/// training inputs and all symmetries, scaled to unit size.
#[derive(Clone)]
pub(crate) struct Resemblance {
    rolls: Rolls,
    /// Whether the logarithm of the input is taken, which must be positive.
    logarithm: bool,
    /// Mean fields of input and low fidelity, and the factors that scale them to unit size.
    centres: [Vec<f64>; 2],
    factors: [f64; 2],
    /// Axis and taps of the filters that smooth fields.
    filters: Vec<(usize, Vec<f64>)>,
    /// The filters of scattered points, and the square roots of the points' weights.
    bank: Option<Bank>,
    roots: Option<Vec<f64>>,
    lattice: Lattice,
}

/// An input's features: their spectrum, [feature, half], and their squared norm.
#[derive(Clone)]
pub(crate) struct Signature {
    spectrum: Vec<C64>,
    square: f64,
}

impl Resemblance {
    /// Features of the training inputs `framed` for a kernel.
    pub(crate) fn new(
        lattice: &Lattice,
        symmetries: &Symmetries,
        framed: &[Framed],
        kernel: &Kernel,
    ) -> Self {
        let values = || framed.iter().flat_map(|f| &f.input);
        let along = |axis: usize| {
            let width = kernel.smoothing * lattice.axes[axis].len as f64;
            (axis, taps(width, 0).swap_remove(0))
        };
        let axes = 0..lattice.axes.len();
        let is_filtered = kernel.smoothing > 0.0;
        let points = lattice.points().filter(|_| is_filtered);
        let mut all = Self {
            bank: points.map(|points| Bank::new(points, kernel.smoothing, 0)),
            roots: roots(lattice),
            rolls: Rolls::new(lattice, &symmetries.rolled),
            // A positive input that a symmetry scales is measured by its logarithm.
            logarithm: symmetries.scale.is_some() && values().all(|v| *v > 0.0),
            centres: [Vec::new(), Vec::new()],
            factors: [1.0; 2],
            filters: match lattice.points() {
                Some(_) => Vec::new(),
                None => axes.map(along).filter(|_| is_filtered).collect(),
            },
            lattice: lattice.clone(),
        };
        let centre = |fields: Vec<Vec<f64>>, role: Role| {
            symmetries.average(lattice, &mean_field(&fields), |motion, f| {
                motion.apply(role, f)
            })
        };
        let inputs = framed.iter().map(|f| all.seen_input(f)).collect();
        let lows = framed.iter().map(|f| all.seen_low(f)).collect();
        all.centres = [centre(inputs, Role::Input), centre(lows, Role::Solution)];
        let square = |field: Vec<f64>| {
            let weighed = times(field, all.roots.as_deref());
            weighed.iter().map(|v| v * v).sum::<f64>()
        };
        let input: f64 = framed.iter().map(|f| square(all.seen_input(f))).sum();
        let low: f64 = framed.iter().map(|f| square(all.seen_low(f))).sum();
        let share = if low > 0.0 { kernel.share } else { 1.0 };
        let factor = |share: f64, sum: f64| {
            let mean = sum / framed.len() as f64;
            // Fields that differ by round-off alone count as equal.
            if mean > ROUND_OFF {
                (share / mean).sqrt()
            } else {
                0.0
            }
        };
        all.factors = [factor(share, input), factor(1.0 - share, low)];
        all
    }

    fn seen_input(&self, framed: &Framed) -> Vec<f64> {
        let transform = |v: &f64| measure(self.logarithm, *v);
        let seen = self.filtered(framed.input.iter().map(transform).collect());
        less(seen, &self.centres[0])
    }

    fn seen_low(&self, framed: &Framed) -> Vec<f64> {
        less(self.filtered(framed.low.clone()), &self.centres[1])
    }

    fn filtered(&self, field: Vec<f64>) -> Vec<f64> {
        if let Some(bank) = &self.bank {
            let every: Vec<usize> = (0..self.lattice.len()).collect();
            let channels = field.chunks_exact(every.len().max(1)).map(<[f64]>::to_vec);
            let found = bank.apply(&channels.collect::<Vec<_>>(), &every);
            return found.into_iter().flatten().flatten().collect();
        }
        if is_large(&self.lattice) && !self.filters.is_empty() {
            let all = Positions::all(&self.lattice);
            let filters = std::slice::from_ref(&self.filters);
            let mut seen = Vec::with_capacity(field.len());
            for channel in field.chunks_exact(self.lattice.len()) {
                separable::each(&self.lattice, filters, channel, &all, |values| {
                    seen.extend_from_slice(values);
                });
            }
            return seen;
        }
        self.filters.iter().fold(field, |field, (axis, taps)| {
            let channels = field.chunks_exact(self.lattice.len());
            channels
                .flat_map(|channel| convolve(&self.lattice, *axis, taps, channel))
                .collect()
        })
    }

    /// The transform along rolled axes.
    pub(super) fn rolls(&self) -> &Rolls {
        &self.rolls
    }

    pub(super) fn signature(&self, framed: &Framed) -> Signature {
        let scaled = |factor: f64, mut field: Vec<f64>| {
            field.iter_mut().for_each(|v| *v *= factor);
            field
        };
        let mut features = Vec::new();
        if self.factors[0] > 0.0 {
            features.extend(scaled(self.factors[0], self.seen_input(framed)));
        }
        if self.factors[1] > 0.0 {
            features.extend(scaled(self.factors[1], self.seen_low(framed)));
        }
        let features = times(features, self.roots.as_deref());
        Signature {
            square: features.iter().map(|v| v * v).sum(),
            spectrum: self.rolls.forward(&features),
        }
    }

    /// Inner products of `a` with every roll of `b`: [shift].
    pub(super) fn inner(&self, a: &Signature, b: &Signature) -> Vec<f64> {
        let halves = self.rolls.halves().len();
        if self.rolls.count == 1 && is_large(&self.lattice) {
            return vec![real_product(&a.spectrum, &b.spectrum)];
        }
        let mut product = vec![C64::default(); halves];
        let features = a.spectrum.chunks_exact(halves);
        for (a, b) in features.zip(b.spectrum.chunks_exact(halves)) {
            for (sum, (a, b)) in product.iter_mut().zip(a.iter().zip(b)) {
                *sum += a * b.conj();
            }
        }
        // `to_shifts` leaves out the factor 1 / count.
        let scale = self.rolls.count as f64;
        let product = self.rolls.to_shifts(&product);
        product.iter().map(|value| value.re / scale).collect()
    }

    /// The covariance of `a` with every roll of `b`, Fourier transformed over the rolls: [half].
    pub(super) fn covariance(
        &self,
        covariance: Covariance,
        a: &Signature,
        b: &Signature,
    ) -> Vec<C64> {
        let inner = self.inner(a, b).into_iter();
        let between = |inner: f64| covariance.between(a.square, b.square, inner);
        self.rolls.of_shifts(inner.map(between))
    }

    /// The squared norm of an input's features.
    pub(super) fn square(signature: &Signature) -> f64 {
        signature.square
    }

    /// The roll of `b` closest to `a`, and its squared distance.
    pub(super) fn closest(&self, a: &Signature, b: &Signature) -> (usize, f64) {
        let inner = self.inner(a, b).into_iter().enumerate();
        let (shift, inner) = inner.max_by(|x, y| x.1.total_cmp(&y.1)).unwrap_or((0, 0.0));
        (shift, (a.square + b.square - 2.0 * inner).max(0.0))
    }
}

/// The inner product of fields if nothing rolls: their spectra are then the real fields themselves.
/// Summed in parts, so that additions do not wait for each other.
fn real_product(a: &[C64], b: &[C64]) -> f64 {
    const PARTS: usize = 8;
    let mut sums = [0.0; PARTS];
    for (a, b) in a.chunks(PARTS).zip(b.chunks(PARTS)) {
        let parts = sums.iter_mut().zip(a.iter().zip(b));
        parts.for_each(|(sum, (a, b))| *sum += a.re * b.re);
    }
    sums.iter().sum()
}

/// A field minus its centre, if it has one.
fn less(mut field: Vec<f64>, centre: &[f64]) -> Vec<f64> {
    field.iter_mut().zip(centre).for_each(|(v, c)| *v -= c);
    field
}
