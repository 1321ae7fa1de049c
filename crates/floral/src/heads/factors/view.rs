//! A view: the thinned grid on which the network trains, moved by a symmetry.

use rand::{Rng, RngExt};

use crate::grid::Thinning;
use crate::regression::symmetry::roll;
use crate::regression::{Lattice, LatticeAxis, Motion, Role, Symmetries};

/// A full lattice, the points of it that are trained on, and the motions it allows.
pub(super) struct Stage<'a> {
    lattice: &'a Lattice,
    symmetries: &'a Symmetries,
    strides: Vec<usize>,
    kept: Vec<usize>,
    /// The thinned lattice.
    pub thinned: Lattice,
}

/// Where the values of thinned points come from, and with which signs.
pub(super) struct View {
    /// The full lattice's point of each thinned point.
    pub from: Vec<usize>,
    /// The motion, for the signs of its channels.
    pub motion: Motion,
}

impl<'a> Stage<'a> {
    /// At most `most` points, if all points that are `known` to some row stay in.
    pub(super) fn new(
        lattice: &'a Lattice,
        symmetries: &'a Symmetries,
        known: &[bool],
        most: usize,
    ) -> Self {
        let strides = strides(lattice, known, most);
        let thinning = Thinning::every(&lattice.shape(), &strides);
        let shape = thinning.shape();
        let axes = lattice
            .axes
            .iter()
            .zip(shape)
            .map(|(axis, len)| LatticeAxis {
                len,
                ..axis.clone()
            });
        Self {
            lattice,
            symmetries,
            kept: thinning.kept().to_vec(),
            strides,
            thinned: Lattice {
                axes: axes.collect(),
            },
        }
    }

    /// Nothing is moved.
    pub(super) fn still(&self) -> View {
        self.view(&self.symmetries.motions[0])
    }

    /// A motion of the finite group and rolls, each as probable as every other.
    ///
    /// Rolls go from thinned points to thinned points, so that known points stay in view.
    pub(super) fn drawn(&self, rng: &mut impl Rng) -> View {
        let motions = &self.symmetries.motions;
        let mut motion = motions[rng.random_range(0..motions.len())].clone();
        for &axis in &self.symmetries.rolled {
            let stride = self.strides[axis];
            let steps = stride * rng.random_range(0..self.thinned.axes[axis].len);
            motion = motion.then(&roll(self.lattice, axis, steps, motion.channels()));
        }
        self.view(&motion)
    }

    /// Whether there is any other view than the one that is still.
    pub(super) fn moves(&self) -> bool {
        self.symmetries.motions.len() > 1 || !self.symmetries.rolled.is_empty()
    }

    fn view(&self, motion: &Motion) -> View {
        let places: Vec<f64> = (0..self.lattice.len()).map(|p| p as f64).collect();
        let sources = motion.apply_even(&places);
        View {
            from: self.kept.iter().map(|&p| sources[p] as usize).collect(),
            motion: motion.clone(),
        }
    }
}

impl View {
    /// values: [channel, point] -> the channels viewed, with the solution's signs.
    pub(super) fn solution(&self, values: &[f32], points: usize) -> Vec<f32> {
        let channels = values.chunks_exact(points);
        let signed = channels.zip(self.motion.factors(Role::Solution));
        signed
            .flat_map(|(field, sign)| self.from.iter().map(|&p| *sign as f32 * field[p]))
            .collect()
    }
}

/// Steps along each axis that leave at most `most` points; a periodic axis is divided evenly.
fn strides(lattice: &Lattice, known: &[bool], most: usize) -> Vec<usize> {
    let mut strides = vec![1; lattice.axes.len()];
    let len = |axis: usize, stride: usize| lattice.axes[axis].len.div_ceil(stride);
    let keeps = |axis: usize, stride: usize| {
        let lost = |p: usize| !lattice.position(p, axis).is_multiple_of(stride);
        !(0..known.len()).any(|p| known[p] && lost(p))
    };
    // Where everything is known something has to go.
    let everywhere = known.iter().all(|known| *known);
    let fits = |axis: usize, stride: usize| {
        let LatticeAxis { len, periodic, .. } = lattice.axes[axis];
        let even = !periodic || len % stride == 0;
        even && (everywhere || keeps(axis, stride))
    };
    while (0..strides.len())
        .map(|a| len(a, strides[a]))
        .product::<usize>()
        > most
    {
        let coarser = |axis: &usize| {
            let wider = strides[*axis] + 1..=lattice.axes[*axis].len / 4;
            wider.clone().find(|stride| fits(*axis, *stride))
        };
        let longest = (0..strides.len())
            .filter(|axis| coarser(axis).is_some())
            .max_by_key(|&axis| len(axis, strides[axis]));
        let Some((axis, stride)) = longest.and_then(|axis| Some((axis, coarser(&axis)?))) else {
            break;
        };
        strides[axis] = stride;
    }
    strides
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};
    use crate::{Axis, Grid};

    fn lattice(axes: Vec<Axis>) -> Lattice {
        Lattice::new(&Grid::new(axes), &["x"]).unwrap()
    }

    #[test]
    fn a_thinned_grid_has_the_points_allowed_and_all_that_are_known() {
        let lattice = lattice(vec![Axis::closed("t", 30), Axis::periodic("x", 96)]);
        let symmetries = Symmetries::none(&lattice, 1, 1);
        let everywhere = vec![true; lattice.len()];
        let stage = Stage::new(&lattice, &symmetries, &everywhere, 500);
        assert!(stage.thinned.len() <= 500);
        assert_eq!(96 % stage.thinned.axes[1].len, 0);
        let every = |p, axis, n| lattice.position(p, axis).is_multiple_of(n);
        let is_known = |p| every(p, 0, 6usize) && every(p, 1, 8);
        let known: Vec<bool> = (0..lattice.len()).map(is_known).collect();
        let stage = Stage::new(&lattice, &symmetries, &known, 500);
        let view = stage.still();
        let kept = view.from.iter().filter(|&&p| known[p]).count();
        assert_eq!(kept, known.iter().filter(|known| **known).count());
        assert!(view.from.len() <= 500);
    }

    #[test]
    fn a_drawn_view_is_the_moved_field_thinned() {
        let lattice = lattice(vec![Axis::closed("t", 4), Axis::periodic("x", 64)]);
        let declared = ["roll:x", "reflect:x:-"].map(|text| text.parse().unwrap());
        let symmetries = Symmetries::new(&declared, &lattice, 1, 1).unwrap();
        let stage = Stage::new(&lattice, &symmetries, &vec![true; 256], 128);
        let field: Vec<f32> = (0..256).map(|p| (p * p % 101) as f32).collect();
        for draw in 0..20 {
            let mut rng = stream(1, Purpose::Shuffle, draw, 0);
            let view = stage.drawn(&mut rng);
            let wide: Vec<f64> = field.iter().map(|v| f64::from(*v)).collect();
            let motion = (0..64).flat_map(|steps| {
                let roll = roll(&lattice, 1, steps, [1, 1]);
                symmetries.motions.iter().map(move |m| m.then(&roll))
            });
            let viewed = view.solution(&field, 256);
            let equals = |motion: Motion| {
                let moved = motion.apply(Role::Solution, &wide);
                let thinned = stage.kept.iter().map(|&p| moved[p] as f32);
                thinned.eq(viewed.iter().copied())
            };
            assert_eq!(motion.map(equals).filter(|equal| *equal).count(), 1);
        }
    }
}
