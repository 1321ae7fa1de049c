//! Laws of evaluation, on tiny networks and on predictions that are the truth.

use super::*;
use crate::predict::testing::play;
use crate::sample::OdeSolver;
use crate::train::Method;
use crate::{Field, Silent};

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

#[test]
fn the_truth_as_prediction_has_no_error() {
    let play = play();
    let mut scoring = Scoring::default();
    for index in 0..play.dataset.inputs() {
        let realizations = play.dataset.high(index).unwrap();
        let members: Vec<f32> = realizations.values().iter().map(|&v| v as f32).collect();
        let mut truth = Truths::of(&play.dataset, 0).unwrap().at(index).unwrap();
        let size = truth.mean.len();
        let mut statistics =
            crate::sample::EnsembleStatistics::new(size, 0, &Default::default()).unwrap();
        for member in members.chunks_exact(size) {
            statistics.push(member).unwrap();
        }
        truth.mean = statistics.mean().to_vec();
        truth.variance = Some(statistics.variance());
        truth.source = TruthSource::Dataset { realizations: 6 };
        let low = Field::from_values(1, &[size], truth.mean.clone()).unwrap();
        scoring.push(&members, Some(&low), &truth).unwrap();
    }
    let prediction = scoring.prediction();
    assert_eq!(prediction.mean.mean_l2, 0.0);
    assert_eq!(prediction.mean.pdebench_nrmse, 0.0);
    assert_eq!(scoring.low().unwrap().rmse, 0.0);
    let spread = prediction.spread.unwrap();
    assert_eq!(spread.variance_l2, Some(0.0));
    assert_eq!(spread.variance_relative, Some(0.0));
    assert!(spread.variance_truth_l2.unwrap() > 0.0);
    assert!(spread.observed.unwrap().crps >= 0.0);
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
    // |mean of high - low| of the curve: 0.1 G_l + 0.2 cos(2a).
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
