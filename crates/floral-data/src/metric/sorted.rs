//! The members of an ensemble at one grid point, sorted once for many statistics.

/// Sorted members x_1 <= ... <= x_m at one point, with the sums that scores need.
#[derive(Debug, Clone)]
pub struct SortedMembers<'a> {
    values: &'a [f32],
    /// The median member. Sums are over differences from it, so that they resolve a small spread
    /// and vanish exactly if there is none.
    centre: f64,
    /// prefix[k] = sum of x_i - centre over the k smallest.
    prefix: Vec<f64>,
    squares: f64,
    gaps: f64,
}

impl<'a> SortedMembers<'a> {
    /// Sorts the values in place, in O(m log m). They must be finite, and at least one.
    pub fn new(values: &'a mut [f32]) -> Self {
        assert!(!values.is_empty(), "an ensemble has at least one member");
        values.sort_unstable_by(f32::total_cmp);
        let centre = f64::from(values[values.len() / 2]);
        let last = values.len() as f64 - 1.0;
        let mut prefix = Vec::with_capacity(values.len() + 1);
        prefix.push(0.0);
        let (mut sum, mut squares, mut gaps) = (0.0, 0.0, 0.0);
        for (i, value) in values.iter().enumerate() {
            let difference = f64::from(*value) - centre;
            sum += difference;
            squares += difference * difference;
            gaps += (2.0 * i as f64 - last) * difference;
            prefix.push(sum);
        }
        Self {
            values,
            centre,
            prefix,
            squares,
            gaps,
        }
    }

    /// Number of members.
    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// The members in ascending order.
    pub fn values(&self) -> &[f32] {
        self.values
    }

    /// The numbers of members below y, and below or equal to y.
    pub fn ranks(&self, y: f32) -> (usize, usize) {
        let below = self.values.partition_point(|x| *x < y);
        let ties = self.values[below..].partition_point(|x| *x <= y);
        (below, below + ties)
    }

    /// sum_i x_i / m.
    pub fn mean(&self) -> f64 {
        self.centre + self.sum() / self.count() as f64
    }

    /// Unbiased variance, sum_i (x_i - mean)^2 / (m - 1); 0 for one member.
    pub fn variance(&self) -> f64 {
        let m = self.count() as f64;
        let square = (self.squares - self.sum().powi(2) / m).max(0.0);
        square / (m - 1.0).max(1.0)
    }

    /// Mean distance from y, sum_i |x_i - y| / m, in O(log m).
    pub fn mean_distance(&self, y: f32) -> f64 {
        let below = self.values.partition_point(|x| *x < y);
        let y = f64::from(y) - self.centre;
        let (low, high) = (self.prefix[below], self.sum() - self.prefix[below]);
        let m = self.count() as f64;
        let excess = 2.0 * below as f64 - m;
        (excess * y - low + high) / m
    }

    /// Sum of the distances of all pairs, sum_{i<j} |x_i - x_j| = sum_i (2i - m - 1) x_i.
    pub fn pair_distances(&self) -> f64 {
        self.gaps
    }

    /// The quantile at probability p, interpolated linearly between members. x_k has the
    /// probability k / (m + 1), the mean probability of the k-th smallest of m draws. Beyond the
    /// outermost members, the quantile is constant. Hyndman & Fan (1996), definition 6.
    pub fn quantile(&self, p: f64) -> f64 {
        let last = self.count() - 1;
        let position = (p * (last + 2) as f64 - 1.0).clamp(0.0, last as f64);
        let k = position as usize;
        let (low, high) = (self.values[k], self.values[(k + 1).min(last)]);
        let (low, high) = (f64::from(low), f64::from(high));
        low + (position - k as f64) * (high - low)
    }

    fn sum(&self) -> f64 {
        self.prefix[self.count()]
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::normals;
    use super::*;

    #[test]
    fn sums_agree_with_their_definitions() {
        for m in [1, 2, 3, 50] {
            let drawn: Vec<f32> = normals(m as u64, m).iter().map(|z| 7.0 + z).collect();
            let mut values = drawn.clone();
            let members = SortedMembers::new(&mut values);
            let x: Vec<f64> = drawn.iter().map(|x| f64::from(*x)).collect();
            let mean = x.iter().sum::<f64>() / m as f64;
            let square: f64 = x.iter().map(|x| (x - mean).powi(2)).sum();
            let pairs: f64 = x
                .iter()
                .flat_map(|a| x.iter().map(move |b| (a - b).abs()))
                .sum();
            assert!((members.mean() - mean).abs() < 1e-12);
            assert!((members.variance() - square / (m - 1).max(1) as f64).abs() < 1e-12);
            assert!((members.pair_distances() - pairs / 2.0).abs() < 1e-10);
            for y in [-1.0, 7.25, drawn[0], 20.0] {
                let distances: f64 = x.iter().map(|x| (x - f64::from(y)).abs()).sum();
                assert!((members.mean_distance(y) - distances / m as f64).abs() < 1e-12);
            }
        }
    }

    /// Reference: numpy.quantile(x, p, method="weibull").
    #[test]
    fn quantiles_are_those_of_the_weibull_rule() {
        let mut values = [0.5, -1.0, 2.0, 0.25, 1.0];
        let members = SortedMembers::new(&mut values);
        let found = [0.05, 0.25, 0.4, 0.75, 0.9].map(|p| members.quantile(p));
        for (found, expected) in found.iter().zip([-1.0, -0.375, 0.35, 1.5, 2.0]) {
            assert!((found - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn ranks_count_ties_and_both_zeros_are_one_value() {
        let mut values = [0.0, 1.0, -0.0, 1.0, 1.0, 3.0];
        let members = SortedMembers::new(&mut values);
        assert_eq!(members.ranks(1.0), (2, 5));
        assert_eq!(members.ranks(0.0), (0, 2));
        assert_eq!(members.ranks(-0.0), (0, 2));
        assert_eq!(members.ranks(9.0), (6, 6));
    }

    #[test]
    fn members_that_agree_have_no_spread_at_all() {
        let mut values = [0.1; 7];
        let members = SortedMembers::new(&mut values);
        assert_eq!((members.variance(), members.pair_distances()), (0.0, 0.0));
        assert_eq!(
            (members.mean(), members.quantile(0.3)),
            (f64::from(0.1f32), f64::from(0.1f32))
        );
    }
}
