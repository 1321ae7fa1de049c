//! Laws of distributions and calibration, tested with normal draws whose statistics are known.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use floral_quantities::{Calibration, Distribution, Estimate, Judged};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

type Statistic = fn(&Distribution) -> Estimate;

fn normal(seed: u64, count: usize) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..count).map(|_| rng.sample(StandardNormal)).collect()
}

/// Means over 400 repetitions: of the statistic, of its squared error, and of its squared standard
/// error.
fn repeated(
    statistic: impl Fn(&Distribution) -> Estimate,
    draw: impl Fn(u64) -> Distribution,
) -> [f64; 3] {
    let repetitions = 400;
    let estimates: Vec<_> = (0..repetitions)
        .map(|seed| statistic(&draw(seed)))
        .collect();
    let mean = |f: &dyn Fn(&Estimate) -> f64| {
        estimates.iter().map(f).sum::<f64>() / f64::from(repetitions as u32)
    };
    let centre = mean(&|e| e.value);
    [
        centre,
        mean(&|e| (e.value - centre).powi(2)).sqrt(),
        mean(&|e| e.standard_error.powi(2)).sqrt(),
    ]
}

#[test]
fn standard_errors_are_the_spread_over_repetitions() {
    let draw = |seed| Distribution::new(normal(seed, 400)).unwrap();
    // Quantiles and superquantiles of the standard normal: 1.2816 and phi(1.2816) / 0.1 = 1.7550.
    let cases: [(Statistic, f64); 6] = [
        (|d| d.mean(), 0.0),
        (|d| d.std(), 1.0),
        (|d| d.quantile(0.5).unwrap(), 0.0),
        (|d| d.quantile(0.9).unwrap(), 1.2816),
        (|d| d.exceedance(1.0), 0.1587),
        (|d| d.superquantile(0.9).unwrap(), 1.7550),
    ];
    for (index, (statistic, exact)) in cases.into_iter().enumerate() {
        let [mean, spread, claimed] = repeated(statistic, draw);
        assert!(
            (mean - exact).abs() < 0.25 * spread,
            "{index}: {mean} is not {exact}"
        );
        assert!(
            (0.85..1.2).contains(&(claimed / spread)),
            "{index}: claimed {claimed}, found {spread}"
        );
    }
}

/// G groups of m draws: variance 4 between groups, 1 within.
fn grouped(seed: u64, groups: usize, size: usize) -> Distribution {
    let (shared, own) = (normal(seed, groups), normal(seed + 100_000, groups * size));
    let values = own
        .iter()
        .enumerate()
        .map(|(i, own)| 2.0 * shared[i / size] + own);
    Distribution::grouped(values.collect(), size).unwrap()
}

#[test]
fn variance_of_groups_falls_into_its_parts() {
    let draw = |seed| grouped(seed, 50, 4);
    let [aleatoric, spread, claimed] = repeated(|d| d.variance_parts().unwrap().aleatoric, draw);
    assert!((aleatoric - 1.0).abs() < 0.02 && (0.85..1.2).contains(&(claimed / spread)));
    let [epistemic, spread, claimed] = repeated(|d| d.variance_parts().unwrap().epistemic, draw);
    assert!((epistemic - 4.0).abs() < 0.15 && (0.85..1.2).contains(&(claimed / spread)));
    let [std, ..] = repeated(|d| d.std(), draw);
    assert!((std - 5_f64.sqrt()).abs() < 0.03);
    assert_eq!(
        Distribution::new(normal(1, 10)).unwrap().variance_parts(),
        None
    );
}

#[test]
fn standard_errors_of_groups_know_that_their_draws_are_alike() {
    let draw = |seed| grouped(seed, 50, 8);
    let statistics: [Statistic; 4] = [
        |d| d.mean(),
        |d| d.exceedance(1.0),
        |d| d.quantile(0.5).unwrap(),
        |d| d.superquantile(0.5).unwrap(),
    ];
    for statistic in statistics {
        let [_, spread, claimed] = repeated(statistic, draw);
        assert!(
            (0.8..1.25).contains(&(claimed / spread)),
            "claimed {claimed}, found {spread}"
        );
    }
}

#[test]
fn a_threshold_beyond_all_draws_is_not_certain() {
    let never = Distribution::new(normal(1, 100)).unwrap().exceedance(10.0);
    assert_eq!(never.value, 0.0);
    assert!((0.01..0.02).contains(&never.standard_error));
}

#[test]
fn superquantile_is_the_mean_of_the_worst_draws() {
    let distribution = Distribution::new((1..=10).map(f64::from).collect()).unwrap();
    assert!((distribution.superquantile(0.8).unwrap().value - 9.5).abs() < 1e-12);
    assert!(
        (distribution.superquantile(0.85).unwrap().value - (10.0 + 0.5 * 9.0) / 1.5).abs() < 1e-12
    );
    assert!((distribution.superquantile(0.0).unwrap().value - 5.5).abs() < 1e-12);
}

#[test]
fn bad_draws_and_levels_are_refused() {
    assert!(Distribution::new(vec![1.0]).is_err());
    let error = Distribution::new(vec![1.0, f64::NAN, 2.0])
        .unwrap_err()
        .to_string();
    assert!(error.contains("1 of 3 values are not finite"), "{error}");
    assert!(Distribution::grouped(vec![1.0; 5], 2).is_err());
    assert!(Distribution::grouped(vec![1.0; 4], 0).is_err());
    let few = Distribution::new(vec![1.0; 10]).unwrap();
    assert!(
        few.quantile(0.99)
            .unwrap_err()
            .to_string()
            .ends_with("10 draws are too few; take at least 99")
    );
    assert!(
        few.superquantile(0.99)
            .unwrap_err()
            .to_string()
            .ends_with("take at least 100")
    );
    for level in [-0.1, 1.0, 1.5, f64::NAN] {
        assert!(
            few.quantile(level).is_err() && few.superquantile(level).is_err(),
            "{level}"
        );
    }
    assert_eq!(few.std().standard_error, 0.0);
}

/// The mean factor over repetitions, and the mean coverage of stretched intervals for new inputs.
/// Each input has its own centre and scale; `miss` is a shift unknown to the prediction, in units
/// of the spread.
fn calibrated(inputs: usize, observed: usize, width: f64, miss: f64) -> [f64; 2] {
    let repetitions = 200;
    let (mut factors, mut covered) = (0.0, 0.0);
    for seed in 0..repetitions {
        let shift = normal(seed + 7000, inputs + 1);
        let draws: Vec<Vec<f64>> = (0..=inputs)
            .map(|i| {
                normal(seed * 1000 + i as u64, 199)
                    .iter()
                    .map(|z| 5.0 + width * z)
                    .collect()
            })
            .collect();
        let truth: Vec<Vec<f64>> = (0..=inputs)
            .map(|i| {
                let own = normal(seed * 1000 + 500 + i as u64, observed);
                own.iter().map(|z| 5.0 + miss * shift[i] + z).collect()
            })
            .collect();
        let judged: Vec<Judged> = draws
            .iter()
            .zip(&truth)
            .map(|(draws, observed)| Judged { draws, observed })
            .collect();
        let calibration = Calibration::fit(&judged[..inputs], 0.9).unwrap();
        let mut new = draws[inputs].clone();
        calibration.stretch(&mut new);
        let new = Distribution::new(new).unwrap();
        let [low, high] = [0.05, 0.95].map(|level| new.quantile(level).unwrap().value);
        let inside = truth[inputs]
            .iter()
            .filter(|y| (low..=high).contains(*y))
            .count();
        factors += calibration.factor / repetitions as f64;
        covered += inside as f64 / observed as f64 / repetitions as f64;
    }
    [factors, covered]
}

#[test]
fn calibrated_draws_keep_their_width() {
    let [factor, covered] = calibrated(20, 20, 1.0, 0.0);
    assert!((0.97..1.05).contains(&factor), "{factor}");
    assert!((0.88..0.93).contains(&covered), "{covered}");
}

#[test]
fn draws_half_as_wide_are_stretched_by_two() {
    let [factor, covered] = calibrated(20, 20, 0.5, 0.0);
    assert!((1.94..2.1).contains(&factor), "{factor}");
    assert!((0.88..0.93).contains(&covered), "{covered}");
}

#[test]
fn draws_twice_as_wide_are_narrowed_as_far_as_many_values_support_it() {
    let [few, covered] = calibrated(10, 1, 2.0, 0.0);
    assert!(
        (0.6..1.0).contains(&few) && covered > 0.9,
        "{few} {covered}"
    );
    let [many, covered] = calibrated(200, 5, 2.0, 0.0);
    assert!((0.49..0.55).contains(&many), "{many}");
    assert!((0.88..0.93).contains(&covered), "{covered}");
}

#[test]
fn intervals_cover_where_predictions_miss_by_input() {
    for (inputs, observed) in [(10, 1), (19, 1), (10, 20), (30, 5)] {
        let [_, covered] = calibrated(inputs, observed, 1.0, 1.0);
        assert!(
            (0.86..0.96).contains(&covered),
            "{inputs} inputs of {observed}: {covered}"
        );
    }
}

#[test]
fn few_inputs_are_reported_and_bad_ones_refused() {
    let draws = normal(1, 99);
    let judged = [Judged {
        draws: &draws,
        observed: &[0.3],
    }; 5];
    let calibration = Calibration::fit(&judged, 0.9).unwrap();
    assert!(!calibration.is_sufficient && calibration.effective_count == 5.0);
    assert_eq!((calibration.covered, calibration.factor), (1.0, 1.0));
    let nine = Calibration::fit(&[judged[0]; 9], 0.9).unwrap();
    assert!(nine.is_sufficient && nine.factor < 1.0);
    let refused = |judged: Judged, coverage| {
        Calibration::fit(&[judged], coverage)
            .unwrap_err()
            .to_string()
    };
    assert!(Calibration::fit(&[], 0.9).is_err());
    assert!(refused(judged[0], 1.0).contains("must lie between 0 and 1"));
    assert!(
        refused(
            Judged {
                draws: &draws[..18],
                ..judged[0]
            },
            0.9
        )
        .contains("take at least 19")
    );
    assert!(
        refused(
            Judged {
                observed: &[],
                ..judged[0]
            },
            0.9
        )
        .contains("no observed values")
    );
    assert!(
        refused(
            Judged {
                observed: &[f64::NAN],
                ..judged[0]
            },
            0.9
        )
        .contains("not finite")
    );
    assert!(
        refused(
            Judged {
                draws: &[1.0; 30],
                ..judged[0]
            },
            0.9
        )
        .contains("all draws of an input are equal")
    );
}

/// Stretching about the median would move 1 to the median and the probability with it.
#[test]
fn a_condition_keeps_its_probability() {
    let condition: Vec<f64> = (0..100).map(|k| f64::from(k % 10 < 4)).collect();
    let judged = [Judged {
        draws: &condition,
        observed: &condition[..20],
    }; 20];
    let message = Calibration::fit(&judged, 0.9).unwrap_err().to_string();
    assert!(message.contains("many draws are equal"), "{message}");

    let continuous: Vec<f64> = (0..100).map(f64::from).collect();
    let judged = [Judged {
        draws: &continuous,
        observed: &[45.0, 55.0],
    }; 20];
    let calibration = Calibration::fit(&judged, 0.9).unwrap();
    assert!(calibration.factor < 0.5);
    // An excess over a threshold that most draws do not reach.
    let mut excess: Vec<f64> = (0..100).map(|k| f64::from(k - 70).max(0.0)).collect();
    let before = excess.clone();
    calibration.stretch(&mut excess);
    assert_eq!(excess, before);
}
