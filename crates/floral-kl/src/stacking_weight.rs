//! The weight of networks from inputs that they have not seen, and limits of their corrections.

use super::folds::Folds;

/// Limit of corrections, as a multiple of the largest correction of a left-out input.
const REACH: f64 = 1.5;

/// The weight w that minimises the sum of |e - w c|^2 over errors e and corrections c, minus its
/// standard error: a ratio estimate over folds (Cochran, 1977, "Sampling techniques", section 6.4).
/// Zero if w is less than two standard errors. An input counts by the inverse of its error's norm,
/// because tables report the mean norm.
pub(super) fn weight_of(
    errors: &[Vec<f64>],
    corrections: &[Vec<f64>],
    sizes: &[f64],
    folds: &Folds,
) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let products = |i: &usize| {
        let (e, c) = (&errors[*i], &corrections[*i]);
        let scale = sizes[*i] / dot(e, e).sqrt().max(f64::MIN_POSITIVE);
        [scale * dot(e, c), scale * dot(c, c)]
    };
    let of_fold = |fold: &Vec<usize>| {
        let products = fold.iter().map(products);
        products.fold([0.0; 2], |sum, p| [sum[0] + p[0], sum[1] + p[1]])
    };
    let of_folds: Vec<[f64; 2]> = folds.members().iter().map(of_fold).collect();
    let count = of_folds.len() as f64;
    let [shared, square] = [0, 1].map(|k| of_folds.iter().map(|f| f[k]).sum::<f64>());
    if shared <= 0.0 || square <= 0.0 {
        return 0.0;
    }
    let weight = shared / square;
    let rest = of_folds.iter().map(|[x, y]| (x - weight * y).powi(2));
    let error = (rest.sum::<f64>() * count / (count - 1.0)).sqrt() / square;
    match weight > 2.0 * error {
        true => (weight - error).min(1.0),
        false => 0.0,
    }
}

/// The mean norm of the errors that corrections of full weight leave.
pub(super) fn left_out(errors: &[Vec<f64>], corrections: &[Vec<f64>], sizes: &[f64]) -> f64 {
    let left = |((e, c), size): ((&Vec<f64>, &Vec<f64>), &f64)| {
        let square = e.iter().zip(c).map(|(e, c)| (e - c).powi(2)).sum::<f64>();
        size * square.sqrt()
    };
    let all = errors.iter().zip(corrections).zip(sizes).map(left);
    all.sum::<f64>() / sizes.len() as f64
}

/// The weight of the mean of K networks, if a single one deserves the weight w.
///
/// Each correction is c = s + n_k, with a part s that all share and independent errors n_k. If s
/// deserves the weight one, w = |s|^2 / (|s|^2 + |n|^2). The mean of K networks has errors of
/// square |n|^2 / K and deserves 1 / (1 + (1/w - 1) / K). A judging input has the correction of a
/// single network, so its error is no less than that of a new input.
pub(super) fn of_mean(weight: f64, networks: usize) -> f64 {
    match weight > 0.0 {
        true => 1.0 / (1.0 + (1.0 / weight - 1.0) / networks as f64),
        false => 0.0,
    }
}

/// The largest corrections, a number per channel.
pub(super) fn limits(corrections: &[Vec<f64>], points: usize) -> Vec<f64> {
    let channels = corrections[0].len() / points;
    let largest = |channel: usize| {
        let own = corrections.iter();
        let own = own.flat_map(|c| &c[channel * points..(channel + 1) * points]);
        REACH * own.fold(0.0, |most: f64, v| most.max(v.abs()))
    };
    (0..channels).map(largest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::normals;

    const INPUTS: usize = 24;
    const POINTS: usize = 12;

    /// By chance a weight exceeds two standard errors in one of forty draws.
    #[test]
    fn corrections_that_have_nothing_to_do_with_errors_seldom_have_weight() {
        let fields = |seed| -> Vec<Vec<f64>> {
            let values = normals(seed, INPUTS * POINTS);
            values.chunks_exact(POINTS).map(<[f64]>::to_vec).collect()
        };
        let folds = Folds::single(INPUTS);
        let weight = |seed| weight_of(&fields(seed), &fields(1000 + seed), &[1.0; INPUTS], &folds);
        let weights: Vec<f64> = (0..200).map(weight).filter(|w| *w > 0.0).collect();
        assert!(weights.len() < 14, "{weights:?}");
        assert!(weights.iter().all(|w| *w < 0.2), "{weights:?}");
    }

    #[test]
    fn the_mean_of_networks_deserves_more_weight_than_one() {
        assert_eq!(of_mean(0.5, 1), 0.5);
        assert!((of_mean(0.5, 4) - 0.8).abs() < 1e-12);
        assert_eq!((of_mean(0.0, 4), of_mean(1.0, 4)), (0.0, 1.0));
    }
}
