//! A motion: a permutation of the points and a sign per channel.

use super::Role;

/// An element of a symmetry group that permutes points and multiplies channels by signs.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    /// The point that each point's value comes from.
    source: Vec<u32>,
    input: Vec<f64>,
    solution: Vec<f64>,
}

impl Motion {
    /// The motion that leaves `points` points in place, for these numbers of channels.
    pub fn identity(points: usize, input: usize, solution: usize) -> Self {
        Self::new((0..points).collect(), vec![1.0; input], vec![1.0; solution])
    }

    /// A motion from the source point of every point and one factor per channel.
    pub(super) fn new(source: Vec<usize>, input: Vec<f64>, solution: Vec<f64>) -> Self {
        Self {
            source: source.into_iter().map(|point| point as u32).collect(),
            input,
            solution,
        }
    }

    /// Number of points of a field.
    pub fn points(&self) -> usize {
        self.source.len()
    }

    /// Numbers of channels of input and solution.
    pub fn channels(&self) -> [usize; 2] {
        [self.input.len(), self.solution.len()]
    }

    /// The factor of each channel.
    pub fn factors(&self, role: Role) -> &[f64] {
        match role {
            Role::Input => &self.input,
            Role::Solution => &self.solution,
        }
    }

    /// The moved field. values: [channel, point] -> the same shape.
    pub fn apply(&self, role: Role, values: &[f64]) -> Vec<f64> {
        let channels = values.chunks_exact(self.points()).zip(self.factors(role));
        let moved = channels.flat_map(|(channel, factor)| self.moved(channel, *factor));
        moved.collect()
    }

    /// The moved field without the factors of channels: for variances, which no sign changes.
    pub fn apply_even(&self, values: &[f64]) -> Vec<f64> {
        let channels = values.chunks_exact(self.points());
        channels
            .flat_map(|channel| self.moved(channel, 1.0))
            .collect()
    }

    fn moved<'a>(&'a self, channel: &'a [f64], factor: f64) -> impl Iterator<Item = f64> + 'a {
        self.source
            .iter()
            .map(move |&from| factor * channel[from as usize])
    }

    /// The points to which the values at these points move.
    pub fn destinations(&self, points: &[usize]) -> Vec<usize> {
        let inverse = self.inverse();
        let to = |&point: &usize| inverse.source[point] as usize;
        points.iter().map(to).collect()
    }

    /// The composition: first `self`, then `next`.
    pub fn then(&self, next: &Self) -> Self {
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).collect();
        Self {
            source: next
                .source
                .iter()
                .map(|&via| self.source[via as usize])
                .collect(),
            input: product(&self.input, &next.input),
            solution: product(&self.solution, &next.solution),
        }
    }

    /// The motion that undoes this one; factors are signs, so they are their own inverse.
    pub fn inverse(&self) -> Self {
        let mut source = vec![0; self.points()];
        for (to, &from) in self.source.iter().enumerate() {
            source[from as usize] = to as u32;
        }
        Self {
            source,
            input: self.input.clone(),
            solution: self.solution.clone(),
        }
    }
}
