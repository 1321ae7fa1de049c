//! Tests of sensitivity analysis for a field that is linear in two parameters.

use tempfile::TempDir;

use super::*;
use crate::dataset::{Dataset, SplitConfig};
use crate::train::{Method, TrainConfig};
use crate::{Arrays, Axis, Field, Grid, Quantity, Silent, fit};

const POINTS: usize = 9;

fn grid() -> Grid {
    Grid::new(vec![Axis::closed("x", POINTS)])
}

fn parameter(name: &str) -> Quantity {
    Quantity {
        parameter: true,
        ..Quantity::named(name)
    }
}

fn input(a: f64, b: f64) -> Field {
    let values = [[a; POINTS], [b; POINTS]].concat();
    Field::from_values(2, &[POINTS], values).unwrap()
}

/// u = 2 a x + b (1 - x) + e with the same e everywhere, whose sample variance is 0.05.
fn solutions(a: f64, b: f64) -> Vec<Field> {
    let of = |e: f64| {
        let x = grid().axes[0].coordinates.clone();
        Field::scalar(
            &grid(),
            x.iter().map(|x| 2.0 * a * x + b * (1.0 - x) + e).collect(),
        )
    };
    [-0.2828, -0.1414, 0.0, 0.1414, 0.2828].map(of).to_vec()
}

fn dataset(folder: &TempDir, name: &str, inputs: &[(f64, f64)]) -> Dataset {
    let mut arrays = Arrays::new(grid()).quantities(
        vec![parameter("a"), parameter("b")],
        vec![Quantity::named("u")],
    );
    for (a, b) in inputs {
        arrays
            .push(&input(*a, *b), None, &solutions(*a, *b))
            .unwrap();
    }
    arrays.write(folder.path().join(name)).unwrap()
}

/// Inputs that fill the unit square.
fn inputs(count: u32) -> Vec<(f64, f64)> {
    let at = |i: u32| {
        (
            f64::from(i) * 0.618_034 % 1.0,
            (f64::from(i) + 0.5) / f64::from(count),
        )
    };
    (0..count).map(at).collect()
}

fn trained(folder: &TempDir, count: u32) -> Predictor {
    let config = TrainConfig {
        method: Method::Kriging,
        split: SplitConfig::new(0, 0, None),
        ..TrainConfig::default()
    };
    let dataset = dataset(folder, &format!("{count}.zarr"), &inputs(count));
    let run = folder.path().join(format!("run{count}"));
    fit(&dataset, run, &config, &Silent).unwrap()
}

fn laws() -> Laws {
    Laws::parse(
        "b = { law = 'uniform', low = 0, high = 1 }\na = { law = 'uniform', low = 0, high = 1 }",
    )
    .unwrap()
}

fn request(quantities: &[&str]) -> SensitivityRequest {
    SensitivityRequest {
        asked: Asked {
            quantities: quantities.iter().map(|q| (*q).to_owned()).collect(),
            thresholds: Vec::new(),
        },
        samples: 256,
        maps: true,
        ..SensitivityRequest::default()
    }
}

#[test]
fn a_linear_field_has_its_analytic_indices_shares_and_maps() {
    let folder = tempfile::tempdir().unwrap();
    let predictor = trained(&folder, 30);
    let request = request(&["mean = mean(u)", "end = max(u, x == 1)"]);
    let found = sensitivity(&predictor, &laws(), None, &request, &Silent).unwrap();
    assert_eq!(found.parameters, ["a", "b"]);
    // The spatial mean is a + b / 2; the value at the end is 2 a.
    for (quantity, truth, input) in [(0, [0.8, 0.2], 1.25 / 12.0), (1, [1.0, 0.0], 4.0 / 12.0)] {
        let one = &found.quantities[quantity];
        for (index, truth) in one.indices.iter().zip(truth) {
            assert!(
                (index.first.value - truth).abs() < 0.03,
                "{} {index:?}",
                one.name
            );
            assert!(
                (index.total.value - truth).abs() < 0.03,
                "{} {index:?}",
                one.name
            );
            let [low, high] = index.first.interval;
            assert!(low <= truth + 0.01 && high >= truth - 0.01, "{index:?}");
        }
        let shares = &one.variance;
        let whole = shares.input + shares.inherent + shares.ignorance.unwrap();
        assert!((whole - 1.0).abs() < 1e-12);
        assert!(
            (shares.input * shares.total - input).abs() < 0.1 * input,
            "{shares:?}"
        );
        assert!(
            (shares.inherent * shares.total - 0.05).abs() < 0.015,
            "{shares:?}"
        );
    }
    let maps = found.maps.unwrap();
    for p in 0..POINTS {
        let x = p as f64 / (POINTS - 1) as f64;
        let [a, b] = [2.0 * x, 1.0 - x].map(|c| c * c);
        assert!((maps.first[0][p] - a / (a + b)).abs() < 0.04, "{p}");
        assert!((maps.total[1][p] - b / (a + b)).abs() < 0.04, "{p}");
    }
    let path = folder.path().join("maps.npz");
    write_maps(&maps, &path).unwrap();
    assert!(path.is_file());
}

#[test]
fn intervals_hold_their_indices_and_ignorance_is_a_share() {
    let folder = tempfile::tempdir().unwrap();
    let predictor = trained(&folder, 5);
    let request = request(&["bend = max(u) * mean(u)"]);
    let found = sensitivity(&predictor, &laws(), None, &request, &Silent).unwrap();
    let one = &found.quantities[0];
    assert!((0.0..=1.0).contains(&one.variance.ignorance.unwrap()));
    for index in one.indices.iter().flat_map(|i| [i.first, i.total]) {
        let [low, high] = index.interval;
        assert!(low <= index.value && index.value <= high, "{index:?}");
    }
}

#[test]
fn a_pool_is_propagated_and_the_same_seed_gives_the_same_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let predictor = trained(&folder, 30);
    let pool = dataset(&folder, "pool.zarr", &inputs(200));
    let cases = Cases::open(pool.path(), &predictor, None).unwrap();
    let request = request(&["mean = mean(u)", "top = max(u)"]);
    let found = propagate(&predictor, &cases, 0..200, &request, &Silent).unwrap();
    let mean = &found.quantities[0];
    assert!((mean.statistics[0].value - 0.75).abs() < 0.02, "{mean:?}");
    assert!((mean.variance.input * mean.variance.total - 1.25 / 12.0).abs() < 0.015);
    assert!(found.quantities[1].variance.ignorance.is_some());
    let again = propagate(&predictor, &cases, 0..200, &request, &Silent).unwrap();
    assert_eq!(found, again);
}

#[test]
fn what_cannot_be_asked_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let predictor = trained(&folder, 5);
    let ask = |laws: &str, request: &SensitivityRequest| {
        let laws = Laws::parse(laws).unwrap();
        let refused = sensitivity(&predictor, &laws, None, request, &Silent);
        refused.unwrap_err().to_string()
    };
    let both = "a = { law = 'uniform', low = 0, high = 1 }\nb = 0.5";
    let mean = request(&["m = mean(u)"]);
    assert!(
        ask("a = { law = 'uniform', low = 0, high = 1 }", &mean)
            .contains("b: the parameter has no law")
    );
    assert!(
        ask(&format!("{both}\nc = 1"), &mean).contains("c: unknown parameter; the run has a, b")
    );
    assert!(ask(both, &request(&["m = mean(v)"])).contains("unknown name `v`"));
    assert!(ask(both, &request(&["m = mean(log(u - 100))"])).contains("has no value on"));
    assert!(ask(both, &request(&[])).contains("quantity: none is given"));
    let none = SensitivityRequest {
        samples: 0,
        ..mean.clone()
    };
    assert!(ask(both, &none).contains("samples"));
    let single = SensitivityRequest {
        realizations: 1,
        ..mean
    };
    assert!(ask(both, &single).contains("at least 2"));
}

#[test]
fn given_epistemic_numbers_move_a_realization_by_their_fields() {
    use crate::random::{Purpose, stream};
    let folder = tempfile::tempdir().unwrap();
    let predictor = trained(&folder, 6);
    let predicted = predictor
        .for_input(&input(0.3, 0.9), None, &grid())
        .unwrap();
    let count = predicted.epistemic_count();
    assert!(count > 0);
    let coefficients: Vec<f64> = (0..POINTS).map(|p| p as f64 - 2.0).collect();
    let effects = predicted.epistemic_effects(&coefficients).unwrap();
    let numbers: Vec<f64> = (0..count).map(|k| 0.5 + k as f64).collect();
    let value = |numbers: &[f64]| -> f64 {
        let streams = vec![stream(1, Purpose::Plausible, 2, 3)];
        let drawn = predicted.drawn_given(streams, numbers);
        drawn.iter().zip(&coefficients).map(|(v, c)| v * c).sum()
    };
    let moved = value(&numbers) - value(&vec![0.0; count]);
    let expected: f64 = effects.iter().zip(&numbers).map(|(e, z)| e * z).sum();
    assert!(
        (moved - expected).abs() < 1e-4 * (1.0 + expected.abs()),
        "{moved} {expected}"
    );
    let variance: f64 = effects.iter().map(|e| e * e).sum();
    let found = predicted.epistemic_variance(&coefficients).unwrap();
    assert!((found / variance - 1.0).abs() < 1e-9, "{found} {variance}");
}
