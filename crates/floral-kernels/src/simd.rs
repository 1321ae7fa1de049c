//! Loops compiled for several vector units; the widest one of this processor is chosen at run time.
//!
//! The loops of `curve`, `modulate`, `fold` and `adam` run through here. `pulp` compiles them for
//! AVX2, NEON and plain code. AVX-512 is added here: pulp's own support is a feature with which the
//! crates that it shares with the engine would have to be compiled.

use pulp::{Arch, WithSimd};

/// Runs a loop. Its results have the same bits on every unit with fused multiply-add.
pub fn run(operation: impl WithSimd<Output = ()>) {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = wide::simd() {
        // Safety: this processor has the instructions for which `vectorise` is compiled.
        #[allow(unsafe_code)]
        return unsafe { wide::vectorise(simd, operation) };
    }
    Arch::new().dispatch(operation);
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::is_x86_feature_detected;

    use pulp::WithSimd;
    use pulp::x86::V3;

    /// The vector unit of operations on a processor with AVX-512: AVX2, which is part of it.
    #[inline]
    pub fn simd() -> Option<V3> {
        let found = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        if found { V3::try_new() } else { None }
    }

    /// The operation's loops are inlined into this function, and so compiled for its instructions.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
    pub fn vectorise(simd: V3, operation: impl WithSimd<Output = ()>) {
        operation.with_simd(simd);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::numbers;
    use pulp::Simd;

    struct Polynomial<'a>(&'a mut [f32]);

    impl WithSimd for Polynomial<'_> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) {
            for x in self.0 {
                *x = x.mul_add(*x, 0.3) / (1.5 + x.abs());
            }
        }
    }

    #[test]
    fn every_length_has_the_bits_of_plain_code() {
        for length in [0, 1, 7, 15, 16, 17, 31, 100] {
            let mut found = numbers(length, 2.0);
            let mut expected = found.clone();
            run(Polynomial(&mut found));
            Polynomial(&mut expected).with_simd(pulp::Scalar);
            let bits = |values: Vec<f32>| values.into_iter().map(f32::to_bits).collect::<Vec<_>>();
            assert_eq!(bits(found), bits(expected));
        }
    }
}
