//! Tests of predictions with transforms.

use rand::RngExt;
use rand_distr::StandardNormal;
use tempfile::TempDir;

use super::{Case, Ensemble, Predictor, Sampling};
use crate::dataset::{Dataset, SplitConfig};
use crate::operator::Device;
use crate::predict::testing::Play;
use crate::random::{Purpose, stream};
use crate::ranks::Alone;
use crate::sample::OdeSolver;
use crate::train::{Checkpoint, Method, Opening, RunFolder, TrainConfig, Training, train};
use crate::{Arrays, Axis, Field, Grid, Silent};

const POINTS: usize = 12;

/// Solutions f(s (1 + x) / 2 + 0.3 z) for slopes s and normal z: under the transform f^-1 they are
/// normal.
struct Data {
    folder: TempDir,
    dataset: Dataset,
}

fn grid() -> Grid {
    Grid::new(vec![Axis::closed("x", POINTS)])
}

fn line(slope: f64, f: impl Fn(f64) -> f64) -> Field {
    let grid = grid();
    let along = grid.axes[0].coordinates.iter();
    Field::scalar(&grid, along.map(|x| f(slope * (0.5 + 0.5 * x))).collect())
}

fn data(symmetries: &[&str], f: impl Fn(f64) -> f64) -> Data {
    let folder = tempfile::tempdir().unwrap();
    let mut arrays = Arrays::new(grid()).symmetries(symmetries).unwrap();
    for i in 0..14u64 {
        let mut rng = stream(9, Purpose::Realization, i, 0);
        let slope = 0.5 + 0.1 * i as f64;
        let high: Vec<Field> = (0..24)
            .map(|_| {
                let normal: f64 = rng.sample(StandardNormal);
                line(slope, |v| f(v + 0.3 * normal))
            })
            .collect();
        arrays
            .push(&line(slope, |v| v), Some(&line(slope, &f)), &high)
            .unwrap();
    }
    let dataset = arrays.write(folder.path().join("data.zarr")).unwrap();
    Data { folder, dataset }
}

fn config(method: Method, transform: &str) -> TrainConfig {
    TrainConfig {
        transform: vec![transform.parse().unwrap()].into(),
        split: SplitConfig::new(1, 3, None),
        ..Play::config(method)
    }
    .for_method(method)
}

fn run(data: &Data, config: &TrainConfig) -> RunFolder {
    let name = format!("run-{}", config.method);
    let run = RunFolder::create(&data.folder.path().join(name), config).unwrap();
    train(&run, &data.dataset, &Device::flex(), &Silent).unwrap();
    run
}

fn predictor(data: &Data, config: &TrainConfig) -> Predictor {
    Predictor::load(&run(data, config), &Device::flex()).unwrap()
}

fn sampling(realizations: usize) -> Sampling {
    Sampling {
        realizations,
        seed: 3,
        solver: OdeSolver::named("euler", Some(4)).unwrap(),
    }
}

/// Moments in closed form agree with those of the draws, for every transform.
#[test]
fn moments_are_those_of_the_inverted_realizations() {
    type Inverse = fn(f64) -> f64;
    let laws: [(&str, Inverse); 4] = [
        ("log", f64::exp),
        ("sqrt", |v| v * v),
        ("positive", |v| (v - 0.6).max(0.0)),
        ("bounded:0:1", |v| 1.0 / (1.0 + (-2.0 * v).exp())),
    ];
    for (transform, f) in laws {
        let data = data(&[], f);
        let predictor = predictor(&data, &config(Method::Kriging, transform));
        let case = Case {
            input: line(1.17, |v| v),
            low: Some(line(1.17, f)),
        };
        let derived = predictor
            .for_input(&case.input, case.low.as_ref(), &grid())
            .unwrap();
        let moments = derived.moments().unwrap();
        let count = 6000;
        let drawn = predictor.sample(&case, 0, &grid(), &sampling(count), &Silent);
        let drawn = drawn.unwrap();
        assert!(drawn.values().iter().all(|v| v >= 0.0), "{transform}");
        if transform.starts_with("bounded") {
            assert!(drawn.values().iter().all(|v| v <= 1.0));
        }
        // Without known moments, the ensemble computes them from its draws.
        let drawn = Ensemble::new(grid(), 1, drawn.values().clone()).unwrap();
        let (mean, deviation) = (drawn.mean().unwrap(), drawn.deviation().unwrap());
        for (p, total) in moments.total().iter().enumerate() {
            let own = total.sqrt();
            let error = own / (count as f64).sqrt();
            assert!((mean.values()[p] - moments.mean[p]).abs() < 5.0 * error);
            assert!(
                (deviation.values()[p] / own - 1.0).abs() < 0.08,
                "{transform} {p}: {} {own}",
                deviation.values()[p]
            );
        }
    }
}

/// If ln u is normal with standard deviation 0.3, the mean of u is larger than exp of the mean of
/// ln u, and the spread of u is proportional to its mean.
#[test]
fn a_log_normal_law_is_found_by_its_logarithm() {
    let data = data(&[], f64::exp);
    let predictor = predictor(&data, &config(Method::FloralKl, "log"));
    let slope = 1.17;
    let (input, low) = (line(slope, |v| v), line(slope, f64::exp));
    let derived = predictor.for_input(&input, Some(&low), &grid()).unwrap();
    let moments = derived.moments().unwrap();
    let truth = line(slope, |v| (v + 0.045).exp());
    for (p, truth) in truth.values().iter().enumerate() {
        assert!((moments.mean[p] / truth - 1.0).abs() < 0.06);
        let share = moments.aleatoric[p].sqrt() / moments.mean[p];
        assert!(
            (share / 0.09f64.exp_m1().sqrt() - 1.0).abs() < 0.2,
            "{share}"
        );
    }
}

#[test]
fn a_flow_through_a_logarithm_is_positive() {
    let data = data(&[], |v| (v - 2.0).exp());
    for method in [Method::Floral, Method::Flora] {
        let predictor = predictor(&data, &config(method, "log"));
        let case = Case {
            input: line(1.17, |v| v),
            low: Some(line(1.17, |v| (v - 2.0).exp())),
        };
        let drawn = predictor.sample(&case, 0, &grid(), &sampling(20), &Silent);
        assert!(drawn.unwrap().values().iter().all(|v| v > 0.0));
    }
}

/// The error with which a training with these settings is refused.
fn refusal(config: &TrainConfig, data: &Data) -> String {
    let (alone, folder) = (Alone::default(), data.folder.path().join("refused"));
    let opening = Opening::default();
    let refused = Training::open(&alone, &data.dataset, &folder, config, opening, &Silent);
    assert!(!folder.exists());
    refused.err().unwrap().to_string()
}

#[test]
fn values_out_of_range_are_refused_by_channel_input_and_value() {
    let data = data(&[], |v| v - 0.9);
    let words = refusal(&config(Method::FloralKl, "log"), &data);
    for part in [
        "data.zarr",
        "of input 1 ",
        "channel 0",
        "log takes values above 0",
        "choose none",
    ] {
        assert!(words.contains(part), "{words}");
    }
    let exponential = self::data(&[], f64::exp);
    let predictor = predictor(&exponential, &config(Method::Kriging, "log"));
    let (input, low) = (line(1.0, |v| v), line(1.0, |_| -0.5));
    let refused = predictor.check(&input, Some(&low), &grid()).unwrap_err();
    let words = refused.to_string();
    assert!(
        words.contains("-0.5") && words.contains("low-fidelity"),
        "{words}"
    );
}

#[test]
fn a_mean_alone_is_not_learned_through_a_transform() {
    let data = data(&[], f64::exp);
    for method in [Method::Fno, Method::ResidualFno] {
        let words = refusal(&config(method, "log"), &data);
        assert!(words.contains("predicts only a mean"), "{words}");
    }
}

/// A change of sign of u is not a change of sign of ln u.
#[test]
fn symmetries_that_change_values_are_none_of_what_is_learned() {
    let data = data(&["scale:1", "sign"], f64::exp);
    let mut config = config(Method::Kriging, "log");
    predictor(&data, &config);
    config.symmetries = Some(vec!["scale:1".parse().unwrap()]);
    let words = refusal(&config, &data);
    assert!(words.contains("scale:1 changes the values"), "{words}");
}

#[test]
fn a_checkpoint_keeps_the_scale_it_found_and_an_older_one_has_no_transform() {
    let data = data(&[], |v| (v - 0.6).max(0.0));
    let run = run(&data, &config(Method::Kriging, "positive"));
    let header = run.best().unwrap().header;
    let kept = header.transforms.channels()[0].to_string();
    let scale: f64 = kept.strip_prefix("positive:").unwrap().parse().unwrap();
    assert!((0.1..1.5).contains(&scale), "{scale}");
    let other = self::data(&[], f64::exp);
    let plain = self::run(&other, &config(Method::Kriging, "none"));
    let bytes = plain.best_bytes().unwrap();
    let text = String::from_utf8_lossy(&bytes);
    assert!(!text.contains("transforms"), "nothing is written of none");
    let again = Checkpoint::read(&plain.best_path()).unwrap();
    assert!(again.header.transforms.is_none());
}
