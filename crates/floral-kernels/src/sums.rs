//! Sums of many arrays, of the parts of a gradient that `layer_plan` and `mlp_gradient` make.

use rayon::prelude::*;

/// Numbers of one task.
const CHUNK: usize = 1 << 12;

/// Adds the arrays, one after another: rounding depends neither on threads nor on which part was
/// ready first.
pub fn add_in_order(sum: &mut [f32], parts: &[&[f32]]) {
    let chunks = sum.par_chunks_mut(CHUNK).enumerate();
    chunks.for_each(|(i, sum)| {
        for part in parts {
            add(sum, &part[i * CHUNK..][..sum.len()]);
        }
    });
}

/// sum += part.
pub fn add(sum: &mut [f32], part: &[f32]) {
    sum.iter_mut().zip(part).for_each(|(a, b)| *a += b);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{bits_on, numbers};

    #[test]
    fn arrays_are_added_in_their_order_on_any_number_of_threads() {
        for length in [0, 1, CHUNK, CHUNK + 1, 10_001] {
            let parts = [0.3, 1e4, 1e-3].map(|bound| numbers(length, bound));
            let parts = parts.each_ref().map(Vec::as_slice);
            let mut expected = numbers(length, 1.0);
            let start = expected.clone();
            parts.iter().for_each(|part| add(&mut expected, part));
            let on = |threads| {
                bits_on(threads, || {
                    let mut sum = start.clone();
                    add_in_order(&mut sum, &parts);
                    sum
                })
            };
            let bits: Vec<u32> = expected.into_iter().map(f32::to_bits).collect();
            assert_eq!([on(1), on(2)], [bits.clone(), bits]);
        }
    }
}
