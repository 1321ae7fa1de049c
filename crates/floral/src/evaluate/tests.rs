//! Tests of evaluation with tiny networks and with predictions derived from the truth.

use super::*;
use crate::Silent;
use crate::kl;
use crate::predict::PredictionCost;
use crate::predict::testing::play;
use crate::sample::{OdeSolver, Progress};
use crate::train::{Header, Method};

fn options() -> Options {
    Options {
        sampling: Sampling {
            realizations: 5,
            solver: OdeSolver::named("euler", Some(2)).unwrap(),
            ..Sampling::default()
        },
        ..Options::default()
    }
}

fn evaluated(method: Method) -> Evaluation {
    let play = play();
    let predictor = play.predictor(method);
    evaluate(&predictor, &play.dataset, &options(), &Silent).unwrap()
}

/// Scores over all inputs of two members with the mean `exact mean + shift` and the variance
/// `exact variance * stretch^2`.
fn scored(shift: f64, stretch: f64) -> Scoring {
    let play = play();
    let truths = Truths::of(&play.dataset, 0).unwrap();
    let mut scoring = Scoring::default();
    for index in 0..play.dataset.inputs() {
        let truth = truths.at(index).unwrap();
        let exact = play.dataset.exact_moments(index).unwrap().unwrap();
        let points = exact.mean.values().iter().zip(exact.variance.values());
        // The variance of a +- s is 2 s^2.
        let member = |sign: f64| {
            let at = move |(mean, variance): (&f64, &f64)| {
                (mean + shift + sign * stretch * (variance / 2.0).sqrt()) as f32
            };
            points.clone().map(at).collect::<Vec<f32>>()
        };
        let members = [member(-1.0), member(1.0)].concat();
        let low = exact.mean.values().iter().map(|m| m - shift).collect();
        let baselines = BaselineFields {
            low: Some(low),
            ..BaselineFields::default()
        };
        scoring.push_baselines(&baselines, &truth).unwrap();
        scoring.push(&members, None, &truth).unwrap();
    }
    scoring
}

#[test]
fn inputs_predicted_in_parallel_share_their_time() {
    let mut all = Scoring::default();
    for _ in 0..4 {
        let mut one = Scoring::default();
        one.add_cost(PredictionCost {
            progress: Progress {
                done: 10,
                ..Progress::default()
            },
            seconds: 2.0,
        });
        one.share_time(4);
        all.merge(&one);
    }
    assert_eq!(all.prediction().seconds, 2.0 / 40.0);
}

#[test]
fn a_prediction_with_the_exact_moments_has_no_error() {
    let prediction = scored(0.0, 1.0).prediction();
    assert!(prediction.mean.mean_l2 < 1e-6);
    let spread = prediction.spread.unwrap();
    assert!(spread.variance_relative.unwrap() < 1e-4);
    assert!(spread.variance_truth_l2.unwrap() > 0.0);
}

#[test]
fn a_shifted_mean_and_a_stretched_spread_have_the_errors_of_the_formulas() {
    let scoring = scored(0.5, 2.0);
    let prediction = scoring.prediction();
    // The Euclidean norm of 0.5 at 16 points.
    assert!((prediction.mean.mean_l2 - 2.0).abs() < 1e-5);
    assert!((prediction.mean.rmse - 0.5).abs() < 1e-6);
    assert!((scoring.low().unwrap().rmse - 0.5).abs() < 1e-12);
    // Relative error of the variance: 2^2 - 1.
    let spread = prediction.spread.unwrap();
    assert!((spread.variance_relative.unwrap() - 3.0).abs() < 1e-3);
    // Without known moments, both variances are those of the realizations.
    assert_eq!(spread.drawn_variance_relative, spread.variance_relative);
}

/// Members of unit spread about 0. The first truth lies within them; the second lies outside at
/// half of its points.
#[test]
fn the_drawn_variance_and_the_worst_input_are_scored_apart() {
    let members: Vec<f32> = (0..40)
        .flat_map(|k| [-1.0 + 2.0 * (k / 39) as f32; 4])
        .collect();
    let known = kl::Prediction {
        mean: vec![0.0; 4],
        aleatoric: vec![1.0; 4],
        epistemic: vec![0.0; 4],
        novelty: 1.0,
    };
    let mut scoring = Scoring::default();
    for observations in [[-1.0, -1.0, -1.0, -1.0], [-1.0, -1.0, 9.0, 9.0]] {
        let mut truth = truth::of_realizations(&observations, 4).unwrap();
        truth.variance = Some(vec![1.0; 4]);
        let mut one = Scoring::default();
        one.push(&members, Some(&known), &truth).unwrap();
        scoring.merge(&one);
    }
    let spread = scoring.prediction().spread.unwrap();
    assert_eq!(spread.variance_relative, Some(0.0));
    // One of 40 members is 1, the others are -1: the unbiased variance is 4 * 39 / 40^2 * 40 / 39 =
    // 0.1.
    assert!((spread.drawn_variance_relative.unwrap() - 0.9).abs() < 1e-6);
    let observed = spread.observed.unwrap();
    assert_eq!(observed.worst_input_coverage, Some(0.5));
    assert_eq!(observed.coverage[1].coverage, 0.75);
}

#[test]
fn inputs_of_the_training_are_reported_and_another_constant_does_not_hide_them() {
    let play = play();
    let predictor = play.predictor(Method::Fno);
    let header = predictor.header();
    let seen = |header: &Header, inputs| seen_inputs(header, &play.dataset, &inputs).unwrap();
    let test = |header: &Header| test_inputs(header, &play.dataset).unwrap();
    let mut old = header.clone();
    old.seen = Default::default();
    for header in [header, &old] {
        assert!(seen(header, 0..2).is_empty());
        assert_eq!(seen(header, 1..5), [2, 3, 4]);
        assert_eq!(training_inputs(header, &play.dataset).unwrap(), 3..5);
        let mut changed = header.clone();
        let constants = changed.data.constants.as_mut().unwrap();
        constants["amplitude"] = 0.5.into();
        assert_eq!(test(&changed), 0..2);
    }
    // Older models recognise their data by the seed only, newer ones by the values.
    for (header, expected) in [(header, 0..2), (&old, 0..5)] {
        let mut changed = header.clone();
        changed.data.seed = Some(99);
        assert_eq!(test(&changed), expected);
    }
}

#[test]
fn data_that_do_not_tell_their_origin_are_known_by_their_values() {
    let play = play();
    let mut header = play.predictor(Method::Fno).header().clone();
    (header.data.problem, header.data.seed) = (None, None);
    let folder = tempfile::tempdir().unwrap();
    let foreign = |name: &str, factor: f64| {
        let mut arrays = crate::Arrays::new(play.dataset.grid().clone());
        for index in 0..play.dataset.inputs() {
            let input = play.dataset.input(index).unwrap();
            let values = input.values().iter().map(|v| factor * v).collect();
            let input = crate::Field::scalar(play.dataset.grid(), values);
            arrays
                .push(&input, None, std::slice::from_ref(&input))
                .unwrap();
        }
        arrays.write(folder.path().join(name)).unwrap()
    };
    let (same, other) = (foreign("same", 1.0), foreign("other", 1.1));
    assert_eq!(test_inputs(&header, &same).unwrap(), 0..2);
    assert_eq!(test_inputs(&header, &other).unwrap(), 0..5);
    header.config.split.test = Some(0);
    header.seen = Default::default();
    let words = chosen_inputs(&header, &other, None)
        .unwrap_err()
        .to_string();
    assert!(words.contains("kept none"), "{words}");
}

#[test]
fn generative_methods_have_scores_of_their_spread() {
    let evaluation = evaluated(Method::Floral);
    assert_eq!(evaluation.inputs, 0..2, "the run's test inputs");
    assert_eq!(evaluation.truth, TruthSource::Exact);
    assert_eq!(evaluation.prediction.realizations, 5);
    assert_eq!(evaluation.prediction.evaluations, 2.0);
    let observed = evaluation.prediction.spread.unwrap().observed.unwrap();
    assert_eq!(observed.coverage.len(), 3);
    assert!(observed.rank_histogram.iter().all(|f| f.is_finite()));
    // Training inputs 3 and 4, corrected by their own mean residual.
    assert!(evaluation.mean_residual.unwrap().rmse > 0.0);
    // For this problem the mean of high minus low fidelity is 0.1 G_l + 0.2 cos(2a).
    let low = evaluation.low.unwrap();
    assert!(low.rmse > 0.1 && low.rmse < 0.4, "{}", low.rmse);
}

#[test]
fn deterministic_methods_have_errors_of_the_mean_alone() {
    let evaluation = evaluated(Method::Fno);
    assert!(evaluation.prediction.spread.is_none() && evaluation.solver.is_none());
    assert!(evaluation.prediction.mean.mean_l2 > 0.0);
    let json = serde_json::to_value(&evaluation).unwrap();
    assert_eq!(json["method"], "fno");
    assert_eq!(json["truth"]["kind"], "exact");
}

#[test]
fn inputs_that_do_not_exist_are_refused() {
    let play = play();
    let predictor = play.predictor(Method::Fno);
    let options = Options {
        inputs: Some(3..9),
        ..options()
    };
    let refused = evaluate(&predictor, &play.dataset, &options, &Silent);
    assert!(refused.unwrap_err().to_string().contains("0..5"));
}

#[test]
fn on_the_training_grid_the_low_fidelity_solution_has_its_error_there() {
    let play = play();
    let predictor = play.predictor_at(Method::ResidualFno, 8);
    let options = Options {
        on_training_grid: true,
        ..options()
    };
    let evaluation = evaluate(&predictor, &play.dataset, &options, &Silent).unwrap();
    let mut square = 0.0;
    for input in 0..2 {
        let low = play.dataset.low(input).unwrap();
        let exact = play.dataset.exact_moments(input).unwrap().unwrap();
        let differences = low.values().iter().zip(exact.mean.values()).step_by(2);
        square += differences
            .map(|(low, mean)| (low - mean).powi(2))
            .sum::<f64>();
    }
    let rmse = evaluation.low.unwrap().rmse;
    assert!((rmse - (square / 16.0).sqrt()).abs() < 1e-12);
    assert!(evaluation.mean_residual.is_some());
}

/// Scores of a perfect prediction against ten normal realizations of a truth with mean 0 and
/// variance 1 at 400 independent points.
#[test]
fn the_sampling_of_the_truth_is_taken_out_of_both_errors() {
    use crate::random::{Purpose, stream};
    use rand_distr::{Distribution, StandardNormal};

    const POINTS: usize = 400;
    const REALIZATIONS: usize = 10;
    let mut rng = stream(5, Purpose::Realization, 0, 0);
    let mut scoring = Scoring::default();
    for _ in 0..30 {
        let observations: Vec<f64> = (0..POINTS * REALIZATIONS)
            .map(|_| StandardNormal.sample(&mut rng))
            .collect();
        let truth = truth::of_realizations(&observations, POINTS).unwrap();
        let exact = kl::Prediction {
            mean: vec![0.0; POINTS],
            aleatoric: vec![1.0; POINTS],
            epistemic: vec![0.0; POINTS],
            novelty: 1.0,
        };
        let members: Vec<f32> = (0..POINTS * 4)
            .map(|_| StandardNormal.sample(&mut rng))
            .collect();
        scoring.push(&members, Some(&exact), &truth).unwrap();
    }
    let prediction = scoring.prediction();
    // Sampling errors of the truth: sqrt(1 / 10) for the mean and sqrt(2 / 9) for the variance.
    assert!((prediction.mean.rmse - 0.1f64.sqrt()).abs() < 0.01);
    let spread = prediction.spread.unwrap();
    let relative = spread.variance_relative.unwrap();
    assert!(relative > 0.35, "{relative}");
    let floor = spread.variance_l2_floor.unwrap();
    assert!((spread.variance_l2.unwrap() / floor - 1.0).abs() < 0.1);
    let corrected = prediction.mean.corrected.unwrap();
    assert!(corrected.rmse < 0.05, "{}", corrected.rmse);
    let corrected = spread.corrected.unwrap().variance_relative;
    assert!(corrected < 0.15, "{corrected}");
}

#[test]
fn exact_truths_are_not_corrected() {
    let prediction = scored(0.5, 2.0).prediction();
    assert!(prediction.mean.corrected.is_none());
    let spread = prediction.spread.unwrap();
    assert!(spread.corrected.is_none());
    let text = serde_json::to_string(&spread).unwrap();
    assert!(!text.contains("corrected"), "{text}");
}
