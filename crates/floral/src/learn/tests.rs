//! Tests of the active-learning loop.

use std::sync::atomic::AtomicBool;

use tempfile::TempDir;

use super::*;
use crate::{Axis, Grid, Silent};

fn grid() -> Grid {
    Grid::new(vec![Axis::closed("x", 8)])
}

fn line(f: impl Fn(f64) -> f64) -> Field {
    let x = grid().axes[0].coordinates.clone();
    Field::scalar(&grid(), x.iter().map(|x| f(*x)).collect())
}

/// Solutions sin(4 s^2) x + e of the input s x.
fn solutions(slope: f64) -> Vec<Field> {
    let of = |e: f64| line(|x| (4.0 * slope * slope).sin() * x + e);
    [-0.02, -0.01, 0.01, 0.02].map(of).to_vec()
}

/// Slopes between 0 and 1.6; the solution varies most for large slopes.
fn slopes() -> Vec<f64> {
    (0..60)
        .map(|i| 1.6 * (f64::from(i) * 0.618_034 % 1.0))
        .collect()
}

fn pool(folder: &TempDir) -> Dataset {
    let mut arrays = Arrays::new(grid());
    for slope in slopes() {
        arrays
            .push(&line(|x| slope * x), None, &solutions(slope))
            .unwrap();
    }
    arrays.write(folder.path().join("pool.zarr")).unwrap()
}

fn settings(choosing: Choosing, seed: u64) -> LoopSettings {
    LoopSettings {
        quantity: "end = max(u) + min(u)".into(),
        start: 4,
        choosing,
        fit: TrainConfig {
            method: Method::Kriging,
            ..TrainConfig::default()
        },
        seed,
    }
}

/// Runs a loop to 12 runs; returns the root mean square error over the pool of the predicted
/// solution at the end of the line.
fn error(folder: &TempDir, pool: &Dataset, choosing: Choosing, seed: u64) -> f64 {
    let name = folder.path().join(format!("{choosing:?}-{seed}"));
    let mut looped = Loop::open(pool, &name, settings(choosing, seed)).unwrap();
    while looped.runs() < 12 {
        let asking = looped.ask(2, &Silent).unwrap();
        assert!(
            asking
                .expected
                .is_none_or(|expected| expected < asking.std.unwrap())
        );
        for input in asking.inputs {
            looped.tell(input, &solutions(slopes()[input])).unwrap();
        }
    }
    let last = looped.ask(1, &Silent).unwrap();
    assert_eq!(last.runs, 12);
    let square = |slope: &f64| {
        let predicted = looped
            .model()
            .unwrap()
            .for_input(&line(|x| slope * x), None, &grid())
            .unwrap();
        (predicted.moments().unwrap().mean[7] - (4.0 * slope * slope).sin()).powi(2)
    };
    let all = slopes();
    (all.iter().map(square).sum::<f64>() / 60.0).sqrt()
}

#[test]
fn chosen_inputs_leave_less_error_than_random_ones() {
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&folder);
    let best = error(&folder, &pool, Choosing::Best, 0);
    let mut random: Vec<f64> = (31..36)
        .map(|seed| error(&folder, &pool, Choosing::Random, seed))
        .collect();
    random.sort_by(f64::total_cmp);
    assert!(best < random[2], "{best} {random:?}");
}

#[test]
fn the_estimate_of_the_quantity_is_as_uncertain_as_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&folder);
    error(&folder, &pool, Choosing::Best, 0);
    let text = std::fs::read_to_string(folder.path().join("Best-0/quantity.csv")).unwrap();
    let rows = text.lines().skip(1).map(|line| {
        let numbers = line.split(',').map(|number| number.parse().unwrap());
        let numbers: Vec<f64> = numbers.collect();
        let slope = slopes()[numbers[0] as usize];
        // The quantity has the value sin(4 s^2) plus that at x = 0, where the solution is only
        // noise.
        [numbers[1] - (4.0 * slope * slope).sin(), numbers[2]]
    });
    let rows: Vec<[f64; 2]> = rows.collect();
    assert_eq!(rows.len(), 60);
    let rms = |k: usize| (rows.iter().map(|row| row[k] * row[k]).sum::<f64>() / 60.0).sqrt();
    assert!(rms(0) < 0.2, "{}", rms(0));
    assert!(
        (0.3..4.0).contains(&(rms(1) / rms(0))),
        "{} {}",
        rms(0),
        rms(1)
    );
}

#[test]
fn a_loop_goes_on_where_it_was_and_skips_what_failed() {
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&folder);
    let path = folder.path().join("loop");
    let settings = || settings(Choosing::Best, 0);
    let mut looped = Loop::open(&pool, &path, settings()).unwrap();
    let first = looped.ask(1, &Silent).unwrap().inputs;
    assert_eq!(first.len(), 4);
    looped
        .tell(first[0], &solutions(slopes()[first[0]]))
        .unwrap();
    looped
        .skip(first[1], "no convergence\nsecond line")
        .unwrap();
    assert!(
        looped
            .tell(99, &solutions(0.1))
            .unwrap_err()
            .to_string()
            .contains("0..60")
    );
    let again = Loop::open(&pool, &path, settings());
    assert!(again.err().unwrap().to_string().contains("another process"));
    drop(looped);
    let mut looped = Loop::open(&pool, &path, settings()).unwrap();
    assert_eq!(looped.runs(), 1);
    assert_eq!(
        looped.skipped().collect::<Vec<_>>(),
        [(first[1], "no convergence")]
    );
    let next = looped.ask(1, &Silent).unwrap().inputs;
    assert_eq!(next.len(), 3);
    assert!(next[..2] == first[2..] && !next.contains(&first[1]));
    // An input that is solved after all is no longer skipped, also when the loop goes on.
    let skipped = first[1];
    let mixed = [
        solutions(slopes()[skipped]),
        vec![Field::scalar(
            &Grid::new(vec![Axis::closed("x", 4)]),
            vec![0.0; 4],
        )],
    ]
    .concat();
    assert!(looped.tell(skipped, &mixed).is_err(), "another grid");
    looped.tell(skipped, &solutions(slopes()[skipped])).unwrap();
    drop(looped);
    let looped = Loop::open(&pool, &path, settings()).unwrap();
    assert_eq!((looped.runs(), looped.skipped().count()), (2, 0));
    let mut other = Arrays::new(grid());
    (0..4).for_each(|_| other.push(&line(|x| x), None, &solutions(1.0)).unwrap());
    let other = other.write(folder.path().join("other.zarr")).unwrap();
    drop(looped);
    let words = Loop::open(&other, &path, settings())
        .err()
        .unwrap()
        .to_string();
    assert!(words.contains("another pool"), "{words}");
}

#[cfg(unix)]
#[test]
fn a_solver_that_always_fails_ends_the_loop_with_its_words() {
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&folder);
    let path = folder.path().join("loop");
    let mut looped = Loop::open(&pool, &path, settings(Choosing::Best, 0)).unwrap();
    let request = |solver: &'static str| LearnRequest {
        solver,
        timeout: 60.0,
        budget: 8,
        until: None,
        batch: 2,
        jobs: 4,
    };
    let mut nothing = |_: &Asking| {};
    let words = learn(&mut looped, &request("./solve"), &Silent, &mut nothing)
        .unwrap_err()
        .to_string();
    assert!(words.contains("lacks {input} or {output}"), "{words}");
    let until = LearnRequest {
        until: Some("std(peak) < 0.1".parse().unwrap()),
        ..request("exit 3 # {input} {output}")
    };
    let words = learn(&mut looped, &until, &Silent, &mut nothing)
        .unwrap_err()
        .to_string();
    assert!(
        words.contains("`peak`") && words.contains("`end`"),
        "{words}"
    );
    let fails = request("exit 3 # {input} {output}");
    let stopped = learn(&mut looped, &fails, &AtomicBool::new(true), &mut nothing);
    assert!(matches!(stopped, Err(Error::Interrupted)));
    let words = learn(&mut looped, &fails, &Silent, &mut nothing)
        .unwrap_err()
        .to_string();
    assert!(
        words.contains("failed on 8 inputs and solved 0") && words.contains("exit status: 3"),
        "{words}"
    );
    assert!(!words.contains('\n'), "{words}");
}
