//! Tests of dataset generation: the bytes depend on the request alone.
#![allow(clippy::unwrap_used)] // A test may panic.

mod toy;

use std::collections::BTreeMap;
use std::fs;

use floral::dataset::{Dataset, Precision, Request};
use floral::problem::Problem;
use floral::random::{Purpose, stream};
use tempfile::TempDir;
use toy::{Toy, files, generated, request, run};

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.unwrap().install(work)
}

#[test]
fn what_is_written_is_read_exactly() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("data.zarr");
    let (toy, request) = (Toy::new(), request(3));
    run(&toy, &request, &path).unwrap();
    let dataset = Dataset::open(&path).unwrap();
    assert_eq!(dataset.grid(), toy.grid());
    assert_eq!((dataset.inputs(), dataset.realizations()), (3, 4));
    assert_eq!(dataset.solution_channels(), Some(2));
    assert_eq!(dataset.problem(), Some("toy"));
    assert_eq!(dataset.seed(), Some(7));
    assert_eq!(dataset.constants().unwrap()["length"], 0.1);
    for i in 0..3 {
        let input = toy
            .draw_input(&mut stream(7, Purpose::Input, i, 0))
            .unwrap();
        let mut streams: Vec<_> = (0..4)
            .map(|j| stream(7, Purpose::Realization, i, j))
            .collect();
        let mut high = vec![0.0; 4 * 2 * 12];
        toy.high_fidelity(&input, &mut streams, &mut high).unwrap();
        let i = i as usize;
        assert_eq!(dataset.input(i).unwrap(), input);
        assert_eq!(dataset.low(i).unwrap(), toy.low_fidelity(&input).unwrap());
        assert_eq!(dataset.high(i).unwrap().shape(), [4, 2, 3, 4]);
        assert_eq!(dataset.high(i).unwrap().values(), high);
        let moments = dataset.exact_moments(i).unwrap().unwrap();
        let exact = toy.exact_moments(&input).unwrap().unwrap();
        assert_eq!(moments.mean, exact.mean);
        assert_eq!(moments.variance, exact.variance);
    }
}

#[test]
fn single_precision_rounds_and_moments_are_optional() {
    let folder = TempDir::new().unwrap();
    let (double, single) = (folder.path().join("double"), folder.path().join("single"));
    let mut toy = Toy::new();
    run(&toy, &request(2), &double).unwrap();
    toy.knows_moments = false;
    let rounded = Request {
        precision: Precision::F32,
        ..request(2)
    };
    run(&toy, &rounded, &single).unwrap();
    let (double, single) = (Dataset::open(double), Dataset::open(single));
    let (double, single) = (double.unwrap(), single.unwrap());
    assert!(single.exact_moments(0).unwrap().is_none());
    let (double, single) = (double.high(1).unwrap(), single.high(1).unwrap());
    for (exact, rounded) in double.values().iter().zip(single.values()) {
        assert_eq!(f64::from(*exact as f32), *rounded);
    }
}

#[test]
fn a_dimension_has_one_length_in_all_arrays() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("data.zarr");
    run(&Toy::new(), &request(3), &path).unwrap();
    let root = fs::read(path.join("zarr.json")).unwrap();
    let root: serde_json::Value = serde_json::from_slice(&root).unwrap();
    let arrays = root["consolidated_metadata"]["metadata"].as_object();
    let mut lengths = BTreeMap::new();
    for array in arrays.unwrap().values() {
        let names = array["dimension_names"].as_array().unwrap();
        for (name, length) in names.iter().zip(array["shape"].as_array().unwrap()) {
            assert_eq!(lengths.entry(name.to_string()).or_insert(length), &length);
        }
    }
    assert_eq!(lengths.len(), 6);
}

#[test]
fn the_bytes_are_the_same_on_any_number_of_threads() {
    let folder = TempDir::new().unwrap();
    let bytes = [1, 2, 5].map(|threads| {
        let path = folder.path().join(format!("{threads}.zarr"));
        on_threads(threads, || run(&Toy::new(), &request(6), &path).unwrap());
        files(&path)
    });
    assert_eq!(bytes[0], bytes[1]);
    assert_eq!(bytes[0], bytes[2]);
}

#[test]
fn an_input_is_the_same_however_many_others_there_are() {
    let folder = TempDir::new().unwrap();
    let (few, many) = (folder.path().join("3.zarr"), folder.path().join("5.zarr"));
    run(&Toy::new(), &request(3), &few).unwrap();
    run(&Toy::new(), &request(5), &many).unwrap();
    let (few, many) = (files(&few), files(&many));
    let mut compared = 0;
    for (name, bytes) in few.iter().filter(|(name, _)| name.contains("/c.")) {
        assert_eq!(many.get(name), Some(bytes), "{name}");
        compared += 1;
    }
    assert_eq!(compared, 3 * 6 + 2);
}

#[test]
fn what_is_not_a_dataset_is_not_replaced_even_by_force() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("holiday");
    fs::create_dir(&path).unwrap();
    fs::write(path.join("photo.jpg"), "sea").unwrap();
    let forced = Request {
        force: true,
        ..request(2)
    };
    let message = run(&Toy::new(), &forced, &path).unwrap_err().to_string();
    assert!(message.contains("is not a dataset"), "{message}");
    assert!(run(&Toy::new(), &forced, &path.join("photo.jpg")).is_err());
    assert_eq!(fs::read(path.join("photo.jpg")).unwrap(), b"sea");
}

#[test]
fn a_solution_that_is_not_finite_is_an_error_that_keeps_the_others() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("data.zarr");
    let mut toy = Toy::new();
    toy.breaks_at = Some(2);
    let error = on_threads(1, || run(&toy, &request(4), &path).unwrap_err());
    assert!(error.to_string().contains("input 2: high"), "{error}");
    assert!(!path.exists());
    let outcome = run(&Toy::new(), &request(4), &path).unwrap();
    assert_eq!(generated(outcome), (2, 2));

    toy = Toy::new();
    toy.breaks_at = Some(0);
    toy.breaking_value = 1e300;
    let single = Request {
        precision: Precision::F32,
        ..request(4)
    };
    let error = run(&toy, &single, &folder.path().join("single.zarr")).unwrap_err();
    assert!(error.to_string().contains("f64"), "{error}");
}

#[test]
fn an_empty_or_enormous_request_is_refused() {
    let folder = TempDir::new().unwrap();
    for (inputs, realizations) in [(0, 1), (1, 0), (1, usize::MAX), (1, 1 << 30)] {
        let absurd = Request {
            realizations,
            ..request(inputs)
        };
        assert!(run(&Toy::new(), &absurd, &folder.path().join("data.zarr")).is_err());
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
