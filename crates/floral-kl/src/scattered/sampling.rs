//! Samples points in proportion to their weights.

use crate::symmetry::Points;

/// About one in `every` points: those at which the weights, summed along a curve through all
/// points, pass (k + offset) every for an integer k. Points of larger weight are chosen more often;
/// another offset chooses others.
pub(crate) fn sampled(points: &Points, curve: &[usize], every: f64, offset: f64) -> Vec<usize> {
    let mut rows = Vec::new();
    let (mut sum, mut next) = (0.0, offset * every);
    for &point in curve {
        sum += points.weights()[point];
        if sum > next {
            rows.push(point);
            next += every * ((sum - next) / every).ceil().max(1.0);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::scattered;

    #[test]
    fn a_sample_has_its_size_and_the_weighted_mean_of_all() {
        let points = scattered(2000, 5);
        let curve = points.curve();
        let rows = sampled(&points, &curve, 8.0, 0.3);
        assert!((200..300).contains(&rows.len()), "{}", rows.len());
        for x in points.coordinates() {
            let mean = x
                .iter()
                .zip(points.weights())
                .map(|(x, w)| x * w)
                .sum::<f64>()
                / 2000.0;
            let own = rows.iter().map(|&p| x[p]).sum::<f64>() / rows.len() as f64;
            assert!((mean - own).abs() < 0.02, "{mean} {own}");
        }
    }
}
