//! Tests of writing shards: values, files, threads, interruption and continuation.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use floral::dataset::{Dataset, Request, generate};
use floral::{Error, Event, Observer, Silent};
use tempfile::TempDir;
use zarrs::array::Array;
use zarrs::filesystem::FilesystemStore;

use crate::toy::{Toy, files, generated, run};
use crate::{INPUTS, made, sharded};

/// The arrays with a chunk for each input.
const PER_INPUT: [&str; 6] = [
    "input",
    "low",
    "high",
    "exact_mean",
    "exact_variance",
    "redraws",
];

fn values(dataset: &Dataset, input: usize) -> Vec<Vec<f64>> {
    let moments = dataset.exact_moments(input).unwrap().unwrap();
    vec![
        dataset.input(input).unwrap().values().to_vec(),
        dataset.low(input).unwrap().values().to_vec(),
        dataset.high(input).unwrap().values().to_vec(),
        moments.mean.values().to_vec(),
        moments.variance.values().to_vec(),
    ]
}

/// The names of the files with values of an array.
fn chunks(array: &Path) -> Vec<String> {
    let entries = fs::read_dir(array).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name != "zarr.json").collect()
}

#[test]
fn shards_hold_the_same_values_in_fewer_files() {
    let folder = TempDir::new().unwrap();
    let plain = Dataset::open(made(&folder, 1, 2)).unwrap();
    for shard in [2, 3, INPUTS, 100] {
        let path = made(&folder, shard, 2);
        let dataset = Dataset::open(&path).unwrap();
        // In reverse order, so that no read continues from the previous one.
        for input in (0..INPUTS).rev() {
            assert_eq!(values(&dataset, input), values(&plain, input), "{shard}");
        }
        assert_eq!(dataset.redraws().unwrap(), plain.redraws().unwrap());
        for array in PER_INPUT {
            let count = chunks(&path.join(array)).len();
            assert_eq!(
                count,
                INPUTS.div_ceil(shard),
                "{array} in shards of {shard}"
            );
        }
    }
}

#[test]
fn the_zarr_library_reads_shards_by_its_own_codec() {
    let folder = TempDir::new().unwrap();
    let path = made(&folder, 3, 1);
    let dataset = Dataset::open(&path).unwrap();
    let store = Arc::new(FilesystemStore::new(&path).unwrap());
    let high = Array::open(store, "/high").unwrap();
    let all: Vec<f64> = high.retrieve_array_subset(&high.subset_all()).unwrap();
    let ours = (0..INPUTS).flat_map(|input| dataset.high(input).unwrap().values().to_vec());
    assert_eq!(all, ours.collect::<Vec<_>>());
}

#[test]
fn any_number_of_threads_writes_the_same_shards() {
    let folder = TempDir::new().unwrap();
    for shard in [2, 3, INPUTS] {
        let one = files(&made(&folder, shard, 1));
        for threads in [2, 5] {
            assert_eq!(
                files(&made(&folder, shard, threads)),
                one,
                "{threads} threads"
            );
        }
    }
}

/// Stops the run once this number of inputs is finished.
struct StopAfter(usize, AtomicUsize);

impl Observer for StopAfter {
    fn observe(&self, event: &Event<'_>) {
        if matches!(event, Event::Generated { .. }) {
            self.1.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn should_stop(&self) -> bool {
        self.1.load(Ordering::SeqCst) >= self.0
    }
}

fn stopped_after(inputs: usize, request: &Request, path: &Path) {
    let observer = StopAfter(inputs, AtomicUsize::new(0));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let work = || generate(&Toy::new(), request, path, &observer).unwrap_err();
    assert!(matches!(pool.unwrap().install(work), Error::Interrupted));
}

#[test]
fn a_shard_that_is_there_is_done_and_others_are_computed_again() {
    let folder = TempDir::new().unwrap();
    let whole = files(&made(&folder, 3, 1));
    for finished in 1..INPUTS {
        let path = folder.path().join(format!("cut-{finished}.zarr"));
        stopped_after(finished, &sharded(3), &path);
        let toy = Toy::new();
        let kept = finished / 3 * 3;
        let outcome = run(&toy, &sharded(3), &path).unwrap();
        assert_eq!(generated(outcome), (INPUTS - kept, kept));
        assert_eq!(toy.solved(), INPUTS - kept);
        assert_eq!(files(&path), whole);
    }
}

/// A damage to a file, with its name.
type Damage<'a> = (&'a str, &'a dyn Fn(&Path));

#[test]
fn a_torn_shard_is_computed_again() {
    let folder = TempDir::new().unwrap();
    let whole = files(&made(&folder, 2, 1));
    let tear = |file: &Path| {
        let bytes = fs::read(file).unwrap();
        fs::write(file, &bytes[..bytes.len() - 1]).unwrap();
    };
    let flip = |file: &Path| {
        let mut bytes = fs::read(file).unwrap();
        bytes[20] ^= 1;
        fs::write(file, bytes).unwrap();
    };
    let remove = |file: &Path| fs::remove_file(file).unwrap();
    let damages: [Damage; 3] = [("torn", &tear), ("flipped", &flip), ("lost", &remove)];
    for (name, damage) in damages {
        let path = folder.path().join(format!("{name}.zarr"));
        stopped_after(5, &sharded(2), &path);
        let store = folder.path().join(format!("{name}.zarr.partial/store"));
        damage(&store.join("high/c.1.0.0.0.0"));
        let outcome = run(&Toy::new(), &sharded(2), &path).unwrap();
        assert_eq!(generated(outcome), (INPUTS - 2, 2), "{name}");
        assert_eq!(files(&path), whole, "{name}");
    }
}

#[test]
fn other_shards_do_not_mix_with_an_unfinished_dataset() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("data.zarr");
    stopped_after(3, &sharded(2), &path);
    for (shard, words) in [
        (3, "inputs in a shard 2, not 3"),
        (1, "inputs in a shard 2, not 1"),
    ] {
        let refusal = run(&Toy::new(), &sharded(shard), &path).unwrap_err();
        assert!(refusal.to_string().contains(words), "{refusal}");
    }
}

#[test]
fn shards_of_nothing_or_beyond_memory_are_refused_before_a_file_is_written() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("data.zarr");
    let huge = Request {
        inputs: 1 << 20,
        realizations: 1 << 20,
        ..sharded(1 << 20)
    };
    let beyond = Request {
        inputs: 1 << 22,
        ..sharded(1 << 21)
    };
    let cases = [
        (sharded(0), "one input at least"),
        (huge, "of memory"),
        (beyond, "at most 1048576 inputs"),
    ];
    for (request, words) in cases {
        let refusal = generate(&Toy::new(), &request, &path, &Silent).unwrap_err();
        let refusal = refusal.to_string();
        assert!(refusal.contains(words), "{refusal}");
        assert_eq!(refusal.lines().count(), 1, "{refusal}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
