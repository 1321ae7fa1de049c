//! The gradients of a perceptron: sums over tiles, in an order independent of threads.

use rayon::prelude::*;

use crate::mlp_tile::{Perceptron, Scratch, TILE, Tile};

/// Number of partial sums of the parameters' gradient over points: enough for many threads, few
/// enough to add quickly.
const PARTS: usize = 16;

/// A tile with the number of its sample.
type SampleTile<'a> = (usize, Tile<'a>);

/// Sums over the tiles of one part: for the parameters, and for the shift of each of its samples.
type PartSums = (Vec<f32>, Vec<(usize, Vec<f32>)>);

impl Perceptron {
    /// The gradients of parameters and shift; that of x is written to `of_x` unless it is empty.
    pub fn gradients(
        &self,
        [x, parameters, shift]: [&[f32]; 3],
        gradient: &[f32],
        of_x: &mut [f32],
    ) -> (Vec<f32>, Vec<f32>) {
        let tiles = self.tiles(x, shift, gradient, of_x);
        let length = tiles.len().div_ceil(PARTS).max(1);
        let mut tiles = tiles.into_iter();
        let parts: Vec<Vec<_>> = std::iter::from_fn(|| {
            let part: Vec<_> = tiles.by_ref().take(length).collect();
            (!part.is_empty()).then_some(part)
        })
        .collect();
        let sums: Vec<PartSums> = parts
            .into_par_iter()
            .map_init(Scratch::default, |scratch, part| {
                self.part(parameters, part, scratch)
            })
            .collect();

        // In order, so that rounding does not depend on which part finished first.
        let (mut total, mut of_shift) = (vec![0.0; self.size()], vec![0.0; shift.len()]);
        let width = self.first_width();
        for (part, shifts) in sums {
            add(&mut total, &part);
            for (sample, part) in shifts {
                add(&mut of_shift[sample * width..][..width], &part);
            }
        }
        let first_bias = &mut total[self.inputs() * width..][..width];
        for sample in of_shift.chunks_exact(width) {
            add(first_bias, sample);
        }
        (total, of_shift)
    }

    fn tiles<'a>(
        &self,
        x: &'a [f32],
        shift: &'a [f32],
        gradient: &'a [f32],
        of_x: &'a mut [f32],
    ) -> Vec<SampleTile<'a>> {
        let shifts = shift.chunks_exact(self.first_width());
        let points = (x.len() / self.inputs() / shifts.len()).max(1);
        let wanted = !of_x.is_empty();
        let mut of_x = of_x
            .chunks_mut(points * self.inputs())
            .flat_map(|sample| sample.chunks_mut(TILE * self.inputs()));
        let mut tiles = Vec::new();
        let samples = x
            .chunks(points * self.inputs())
            .zip(gradient.chunks(points * self.outputs()));
        for (sample, ((x, gradient), shift)) in samples.zip(shifts).enumerate() {
            let parts = x
                .chunks(TILE * self.inputs())
                .zip(gradient.chunks(TILE * self.outputs()));
            tiles.extend(parts.map(|(x, gradient)| {
                let of_x = if wanted { of_x.next() } else { None };
                let tile = Tile {
                    shift,
                    x,
                    gradient,
                    of_x,
                };
                (sample, tile)
            }));
        }
        tiles
    }

    fn part(
        &self,
        parameters: &[f32],
        tiles: Vec<SampleTile<'_>>,
        scratch: &mut Scratch,
    ) -> PartSums {
        let mut sums = vec![0.0; self.size()];
        let mut shifts: Vec<(usize, Vec<f32>)> = Vec::new();
        for (sample, tile) in tiles {
            if shifts.last().is_none_or(|(last, _)| *last != sample) {
                shifts.push((sample, vec![0.0; self.first_width()]));
            }
            if let Some((_, of_shift)) = shifts.last_mut() {
                self.backward(parameters, tile, &mut sums, of_shift, scratch);
            }
        }
        (sums, shifts)
    }
}

fn add(sum: &mut [f32], part: &[f32]) {
    sum.iter_mut().zip(part).for_each(|(a, b)| *a += b);
}
