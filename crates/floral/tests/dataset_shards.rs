//! Laws of shards: the same values in fewer files, the same bytes however they are made, and no trust in
//! what a shard says of itself.
#![allow(clippy::unwrap_used)] // A test may panic.

mod toy;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use floral::dataset::{Dataset, Request, generate};
use floral::{Error, Event, Observer, Silent};
use serde_json::{Value, json};
use tempfile::TempDir;
use toy::{Toy, files, generated, request, run};
use zarrs::array::Array;
use zarrs::filesystem::FilesystemStore;

const INPUTS: usize = 7;

/// The arrays with a chunk for each input.
const PER_INPUT: [&str; 6] = [
    "input",
    "low",
    "high",
    "exact_mean",
    "exact_variance",
    "redraws",
];

fn sharded(shard: usize) -> Request {
    Request {
        shard,
        ..request(INPUTS)
    }
}

/// A dataset with so many inputs in a shard, made by so many threads.
fn made(folder: &TempDir, shard: usize, threads: usize) -> PathBuf {
    let path = folder.path().join(format!("{shard}-{threads}.zarr"));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let work = || run(&Toy::new(), &sharded(shard), &path).unwrap();
    pool.unwrap().install(work);
    path
}

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
        // From the last one on, so that none is found by going on from the one before.
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

/// Stops the run once so many inputs are finished.
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

/// What befalls a file, by name.
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

fn edit(array: &Path, change: impl FnOnce(&mut Value)) {
    let path = array.join("zarr.json");
    let mut value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut value);
    fs::write(path, value.to_string()).unwrap();
}

/// What is said of an array of shards, whether it is opened or read.
fn refusal(path: &Path) -> String {
    let refusal = match Dataset::open(path) {
        Err(refusal) => refusal,
        Ok(dataset) => dataset.input(0).unwrap_err(),
    };
    let refusal = refusal.to_string();
    assert_eq!(refusal.lines().count(), 1, "{refusal}");
    refusal
}

#[test]
fn shapes_of_shards_that_cannot_be_are_refused() {
    const HUGE: u64 = 1 << 60;
    let shapes = [
        (
            json!([HUGE, 1, 3, 4]),
            json!([1, 1, 3, 4]),
            "at most 1048576 chunks",
        ),
        (
            json!([HUGE, HUGE, HUGE, HUGE]),
            json!([1, 1, 1, 1]),
            "at most 1048576 chunks",
        ),
        (
            json!([HUGE, 1, 3, 4]),
            json!([HUGE, 1, 3, 4]),
            "has chunks of",
        ),
        (json!([3, 1, 3, 4]), json!([2, 1, 3, 4]), "whole chunks"),
        (json!([2, 1, 3, 4]), json!([4, 1, 3, 4]), "whole chunks"),
        (json!([2, 1, 3, 4]), json!([1, 1, 3]), "whole chunks"),
        (json!([2, 1, 3, 4]), json!([]), "whole chunks"),
        (
            json!([1 << 20, 1, 3, 4]),
            json!([1, 1, 3, 4]),
            "index of this shard",
        ),
    ];
    for (shard, chunk, words) in shapes {
        let folder = TempDir::new().unwrap();
        let path = made(&folder, 2, 1);
        edit(&path.join("input"), |array| {
            array["chunk_grid"]["configuration"]["chunk_shape"] = shard.clone();
            array["codecs"][0]["configuration"]["chunk_shape"] = chunk.clone();
        });
        let refusal = refusal(&path);
        assert!(refusal.contains(words), "{shard} of {chunk}: {refusal}");
    }
}

#[test]
fn codecs_around_shards_and_shards_within_shards_are_refused() {
    let folder = TempDir::new().unwrap();
    let path = made(&folder, 2, 1);
    let array = path.join("input");
    let before = fs::read(array.join("zarr.json")).unwrap();
    edit(&array, |array| {
        let codecs = array["codecs"].as_array_mut().unwrap();
        codecs.push(json!({"name": "crc32c"}));
    });
    assert!(refusal(&path).contains("codecs around its shards"));
    fs::write(array.join("zarr.json"), before).unwrap();
    edit(&array, |array| {
        let within = array["codecs"].clone();
        array["codecs"][0]["configuration"]["codecs"] = within;
    });
    assert!(refusal(&path).contains("shards within shards"));
}

/// A dataset with one array of two inputs in one shard, the file of which is these chunks and places.
fn declared(folder: &TempDir, chunks: &[u8], places: [u64; 4]) -> PathBuf {
    let path = folder.path().join("declared.zarr");
    fs::create_dir_all(path.join("input")).unwrap();
    let group = json!({"zarr_format": 3, "node_type": "group"});
    fs::write(path.join("zarr.json"), group.to_string()).unwrap();
    let bytes = json!([{"name": "bytes", "configuration": {"endian": "little"}}]);
    let sharding = json!({
        "chunk_shape": [1, 1, 2], "codecs": bytes, "index_codecs": bytes, "index_location": "end",
    });
    let array = json!({
        "zarr_format": 3,
        "node_type": "array",
        "shape": [2, 1, 2],
        "data_type": "float64",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 1, 2]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "."}},
        "fill_value": 0.0,
        "codecs": [{"name": "sharding_indexed", "configuration": sharding}],
    });
    fs::write(path.join("input/zarr.json"), array.to_string()).unwrap();
    let index = places.iter().flat_map(|word| word.to_le_bytes());
    let file: Vec<u8> = chunks.iter().copied().chain(index).collect();
    fs::write(path.join("input/c.0.0.0"), file).unwrap();
    path
}

#[test]
fn an_index_that_points_out_of_its_file_is_refused() {
    const ABSENT: [u64; 2] = [u64::MAX; 2];
    let chunk: Vec<u8> = [1.5f64, 2.5].iter().flat_map(|v| v.to_le_bytes()).collect();
    let with = |[offset, bytes]: [u64; 2]| {
        let folder = TempDir::new().unwrap();
        let path = declared(&folder, &chunk, [offset, bytes, ABSENT[0], ABSENT[1]]);
        let dataset = Dataset::open(&path).unwrap();
        assert_eq!(
            dataset.input(1).unwrap().values(),
            [0.0, 0.0],
            "an absent chunk"
        );
        dataset.input(0).map(|field| field.values().to_vec())
    };
    assert_eq!(with([0, 16]).unwrap(), [1.5, 2.5]);
    for place in [
        [u64::MAX - 3, 20],
        [0, 1 << 40],
        [1 << 40, 16],
        [40, 16],
        [u64::MAX, 0],
    ] {
        let refusal = with(place).unwrap_err().to_string();
        assert!(
            refusal.contains("its index places a chunk at"),
            "{place:?}: {refusal}"
        );
    }
    for place in [[0, 15], [0, 0], [1, 3]] {
        let refusal = with(place).unwrap_err().to_string();
        assert!(refusal.contains("cannot be read"), "{place:?}: {refusal}");
    }
}

#[test]
fn a_shard_that_is_cut_or_no_file_is_named() {
    let folder = TempDir::new().unwrap();
    let path = made(&folder, 3, 1);
    let shard = path.join("high/c.1.0.0.0.0");
    let bytes = fs::read(&shard).unwrap();
    let read = |input: usize| {
        let refusal = Dataset::open(&path).unwrap().high(input).unwrap_err();
        refusal.to_string()
    };
    for length in [bytes.len() - 1, 10, 0] {
        fs::write(&shard, &bytes[..length]).unwrap();
        let refusal = read(4);
        assert!(
            refusal.contains("c.1.0.0.0.0") && refusal.contains("index"),
            "{refusal}"
        );
        assert!(Dataset::open(&path).unwrap().high(0).is_ok());
    }
    // A flipped bit is found by the checksum of its chunk, and leaves the others of the shard.
    let mut flipped = bytes.clone();
    flipped[20] ^= 1;
    fs::write(&shard, flipped).unwrap();
    let refusal = read(3);
    assert!(
        refusal.contains("c.1.0.0.0.0") && refusal.contains("cannot be read"),
        "{refusal}"
    );
    assert!(Dataset::open(&path).unwrap().high(4).is_ok());
    // Blosc's header, at the beginning of a chunk.
    let mut boasting = bytes.clone();
    boasting[4..8].copy_from_slice(&0x7d00_0040u32.to_le_bytes());
    fs::write(&shard, boasting).unwrap();
    let refusal = read(3);
    assert!(
        refusal.contains("says to hold 2097152064 bytes"),
        "{refusal}"
    );
    fs::remove_file(&shard).unwrap();
    fs::create_dir(&shard).unwrap();
    let refusal = read(3);
    assert!(refusal.contains("no file on a disk"), "{refusal}");
}
