//! x (1 + g) + b over a tile of points, and its gradients, as loops the compiler vectorises.

use pulp::{Simd, WithSimd};

use crate::simd::run;

/// x -> x (1 + g) + b, in place. x: [point, channel], film: (g, b), [point, 2 channel].
pub fn modulate(x: &mut [f32], film: &[f32], channels: usize) {
    run(Modulate { x, film, channels });
}

/// Adds the gradients of g and b to `of_film`; gradient -> gradient (1 + g) slope, in place.
///
/// x: [point, channel], the modulated values; `slope` is the slope of an activation before the
/// modulation.
pub fn modulate_backward(
    x: &[f32],
    slope: Option<&[f32]>,
    film: &[f32],
    gradient: &mut [f32],
    of_film: &mut [f32],
    channels: usize,
) {
    run(Backward {
        x,
        film,
        gradient: &mut *gradient,
        of_film,
        channels,
    });
    if let Some(slope) = slope {
        multiply(gradient, slope);
    }
}

/// y -> y s, in place.
pub fn multiply(y: &mut [f32], s: &[f32]) {
    run(Multiply { y, s });
}

/// y = gate x. y, x: [point, channel]; gate: \[channel\].
pub fn scale_rows(y: &mut [f32], gate: &[f32], x: &[f32]) {
    run(Scale { y, gate, x });
}

/// y = b + gate x. y, x: [point, channel]; b, gate: \[channel\].
pub fn gated(y: &mut [f32], b: &[f32], gate: &[f32], x: &[f32]) {
    run(Gated { y, b, gate, x });
}

/// Adds the sum over points of a. a: [point, channel]; sums: \[channel\].
pub fn add_sums(sums: &mut [f32], a: &[f32]) {
    run(AddSums { sums, a });
}

/// Adds the sum over points of a x. a, x: [point, channel]; sums: \[channel\].
pub fn add_product_sums(sums: &mut [f32], a: &[f32], x: &[f32]) {
    run(AddProductSums { sums, a, x });
}

struct Modulate<'a> {
    x: &'a mut [f32],
    film: &'a [f32],
    channels: usize,
}

impl WithSimd for Modulate<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let points = self.x.chunks_exact_mut(self.channels);
        for (x, film) in points.zip(self.film.chunks_exact(2 * self.channels)) {
            let (g, b) = film.split_at(self.channels);
            for ((x, g), b) in x.iter_mut().zip(g).zip(b) {
                *x = *x * (1.0 + g) + b;
            }
        }
    }
}

struct Backward<'a> {
    x: &'a [f32],
    film: &'a [f32],
    gradient: &'a mut [f32],
    of_film: &'a mut [f32],
    channels: usize,
}

impl WithSimd for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let channels = self.channels;
        let points = self
            .gradient
            .chunks_exact_mut(channels)
            .zip(self.x.chunks_exact(channels))
            .zip(self.film.chunks_exact(2 * channels))
            .zip(self.of_film.chunks_exact_mut(2 * channels));
        for (((gradient, x), film), of_film) in points {
            let (of_g, of_b) = of_film.split_at_mut(channels);
            let of_both = of_g.iter_mut().zip(of_b);
            let values = gradient.iter_mut().zip(x).zip(&film[..channels]);
            for (((gradient, x), g), (of_g, of_b)) in values.zip(of_both) {
                *of_g += *gradient * x;
                *of_b += *gradient;
                *gradient *= 1.0 + g;
            }
        }
    }
}

struct Multiply<'a> {
    y: &'a mut [f32],
    s: &'a [f32],
}

impl WithSimd for Multiply<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (y, s) in self.y.iter_mut().zip(self.s) {
            *y *= s;
        }
    }
}

struct Scale<'a> {
    y: &'a mut [f32],
    gate: &'a [f32],
    x: &'a [f32],
}

impl WithSimd for Scale<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let channels = self.gate.len();
        let points = self.y.chunks_exact_mut(channels);
        for (y, x) in points.zip(self.x.chunks_exact(channels)) {
            for ((y, x), gate) in y.iter_mut().zip(x).zip(self.gate) {
                *y = gate * x;
            }
        }
    }
}

struct Gated<'a> {
    y: &'a mut [f32],
    b: &'a [f32],
    gate: &'a [f32],
    x: &'a [f32],
}

impl WithSimd for Gated<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let channels = self.b.len();
        let points = self.y.chunks_exact_mut(channels);
        for (y, x) in points.zip(self.x.chunks_exact(channels)) {
            let constants = self.b.iter().zip(self.gate);
            for ((y, x), (b, gate)) in y.iter_mut().zip(x).zip(constants) {
                *y = b + gate * x;
            }
        }
    }
}

struct AddSums<'a> {
    sums: &'a mut [f32],
    a: &'a [f32],
}

impl WithSimd for AddSums<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for a in self.a.chunks_exact(self.sums.len()) {
            for (sum, a) in self.sums.iter_mut().zip(a) {
                *sum += a;
            }
        }
    }
}

struct AddProductSums<'a> {
    sums: &'a mut [f32],
    a: &'a [f32],
    x: &'a [f32],
}

impl WithSimd for AddProductSums<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let channels = self.sums.len();
        let points = self.a.chunks_exact(channels);
        for (a, x) in points.zip(self.x.chunks_exact(channels)) {
            for ((sum, a), x) in self.sums.iter_mut().zip(a).zip(x) {
                *sum += a * x;
            }
        }
    }
}
