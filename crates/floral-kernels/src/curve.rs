//! Activations that follow max(x, 0) up to a tail, as loops the compiler vectorises.
//!
//! `simd` compiles each loop for AVX-512, AVX2, NEON and plain code, and picks at run time.

use std::marker::PhantomData;

use pulp::{Simd, WithSimd};

use crate::exponential::multiply_add;

/// f(x) = max(x, 0) - t q(t), with t = |x|; f'(x) = d(t) for x < 0 and 1 - d(t) otherwise.
///
/// In this form, the only error that grows with x is the rounding of the result.
pub trait Curve {
    /// For larger t the tail is below every error; t q(t) and d(t) take their values at the limit.
    const LIMIT: f32;

    /// (q(t), d(t)) for t in [0, LIMIT] or NaN. Free of branches.
    fn tail<const FUSED: bool>(t: f32) -> (f32, f32);

    /// q(t) alone, where a form cheaper than [`tail`](Self::tail) exists.
    #[inline(always)]
    fn value_tail<const FUSED: bool>(t: f32) -> f32 {
        Self::tail::<FUSED>(t).0
    }
}

/// f(x) alone.
#[inline(always)]
pub fn value<C: Curve, const FUSED: bool>(x: f32) -> f32 {
    let t = x.abs();
    // A NaN is not above the limit and is kept.
    let t = if t > C::LIMIT { C::LIMIT } else { t };
    let positive = if x < 0.0 { 0.0 } else { x };
    multiply_add::<FUSED>(-t, C::value_tail::<FUSED>(t), positive)
}

/// (f(x), f'(x)); a caller that drops one of them does not pay for it.
#[inline(always)]
pub fn value_and_slope<C: Curve, const FUSED: bool>(x: f32) -> (f32, f32) {
    let t = x.abs();
    // A NaN is not above the limit and is kept.
    let t = if t > C::LIMIT { C::LIMIT } else { t };
    let (q, d) = C::tail::<FUSED>(t);
    let positive = if x < 0.0 { 0.0 } else { x };
    let slope = if x < 0.0 { d } else { 1.0 - d };
    (multiply_add::<FUSED>(-t, q, positive), slope)
}

/// x -> f(x), in place.
pub struct Values<'a, C> {
    x: &'a mut [f32],
    curve: PhantomData<C>,
}

impl<'a, C> Values<'a, C> {
    pub fn new(x: &'a mut [f32]) -> Self {
        Self {
            x,
            curve: PhantomData,
        }
    }
}

impl<C: Curve> WithSimd for Values<'_, C> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for x in self.x {
            // Every vector unit that pulp supports on x86 and ARM has a fused multiply-add
            // instruction.
            *x = if S::IS_SCALAR {
                value::<C, false>(*x)
            } else {
                value::<C, true>(*x)
            };
        }
    }
}

/// gradient -> gradient f'(x), in place.
pub struct Slopes<'a, C> {
    x: &'a [f32],
    gradient: &'a mut [f32],
    curve: PhantomData<C>,
}

impl<'a, C> Slopes<'a, C> {
    pub fn new(x: &'a [f32], gradient: &'a mut [f32]) -> Self {
        Self {
            x,
            gradient,
            curve: PhantomData,
        }
    }
}

impl<C: Curve> WithSimd for Slopes<'_, C> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (gradient, x) in self.gradient.iter_mut().zip(self.x) {
            *gradient *= on::<S, C>(*x).1;
        }
    }
}

/// x -> f(x) in place, and f'(x) into `slope`.
pub struct Both<'a, C> {
    x: &'a mut [f32],
    slope: &'a mut [f32],
    curve: PhantomData<C>,
}

impl<'a, C> Both<'a, C> {
    pub fn new(x: &'a mut [f32], slope: &'a mut [f32]) -> Self {
        Self {
            x,
            slope,
            curve: PhantomData,
        }
    }
}

impl<C: Curve> WithSimd for Both<'_, C> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (x, slope) in self.x.iter_mut().zip(self.slope) {
            (*x, *slope) = on::<S, C>(*x);
        }
    }
}

#[inline(always)]
fn on<S: Simd, C: Curve>(x: f32) -> (f32, f32) {
    if S::IS_SCALAR {
        value_and_slope::<C, false>(x)
    } else {
        value_and_slope::<C, true>(x)
    }
}
