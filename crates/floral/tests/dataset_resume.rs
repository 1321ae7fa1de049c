//! Tests of interrupted generation: an unfinished dataset is continued, a complete one is not
//! overwritten.
#![allow(clippy::unwrap_used)] // A test may panic.

mod toy;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use floral::dataset::{Dataset, Outcome, Request, generate};
use floral::{Error, Event, Observer};
use tempfile::TempDir;
use toy::{Toy, files, generated, request, run};

const CHILD_PATH: &str = "FLORAL_TEST_CHILD_PATH";

/// Stops the run once this number of inputs is finished.
struct StopAfter {
    inputs: usize,
    done: AtomicUsize,
}

impl Observer for StopAfter {
    fn observe(&self, event: &Event<'_>) {
        if matches!(event, Event::Generated { .. }) {
            self.done.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn should_stop(&self) -> bool {
        self.done.load(Ordering::SeqCst) >= self.inputs
    }
}

fn run_and_stop(problem: &Toy, request: &Request, path: &Path, inputs: usize) -> Error {
    let observer = StopAfter {
        inputs,
        done: AtomicUsize::new(0),
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let work = || generate(problem, request, path, &observer).unwrap_err();
    pool.unwrap().install(work)
}

#[test]
fn an_interrupted_run_continues_to_the_same_bytes_without_solving_again() {
    let folder = TempDir::new().unwrap();
    let whole = folder.path().join("whole.zarr");
    let whole_outcome = run(&Toy::new(), &request(6), &whole).unwrap();
    for finished in [1, 3, 5] {
        let path = folder.path().join(format!("{finished}.zarr"));
        let error = run_and_stop(&Toy::new(), &request(6), &path, finished);
        assert!(matches!(error, Error::Interrupted), "{error}");
        assert!(!path.exists());

        let toy = Toy::new();
        let outcome = run(&toy, &request(6), &path).unwrap();
        assert_eq!(toy.solved(), 6 - finished);
        assert_eq!(generated(outcome), (6 - finished, finished));
        assert_eq!(redraws(outcome), redraws(whole_outcome));
        assert_eq!(files(&path), files(&whole));
        assert!(
            !folder
                .path()
                .join(format!("{finished}.zarr.partial"))
                .exists()
        );
    }
}

fn redraws(outcome: Outcome) -> u64 {
    match outcome {
        Outcome::Generated { redraws, .. } | Outcome::AlreadyComplete { redraws } => redraws,
    }
}

#[test]
fn a_torn_chunk_is_computed_again() {
    let folder = TempDir::new().unwrap();
    let whole = folder.path().join("whole.zarr");
    run(&Toy::new(), &request(4), &whole).unwrap();
    let path = folder.path().join("torn.zarr");
    run_and_stop(&Toy::new(), &request(4), &path, 3);

    let store = folder.path().join("torn.zarr.partial/store");
    let torn = store.join("high/c.0.0.0.0.0");
    let bytes = fs::read(&torn).unwrap();
    fs::write(&torn, &bytes[..bytes.len() / 2]).unwrap();
    let flipped = store.join("low/c.1.0.0.0");
    let mut bytes = fs::read(&flipped).unwrap();
    bytes[20] ^= 1;
    fs::write(&flipped, bytes).unwrap();
    fs::remove_file(store.join("exact_mean/c.2.0.0.0")).unwrap();
    fs::write(folder.path().join("torn.zarr.partial/scratch/1-1"), "half").unwrap();

    let toy = Toy::new();
    assert_eq!(generated(run(&toy, &request(4), &path).unwrap()), (4, 0));
    assert_eq!(files(&path), files(&whole));
}

#[test]
fn an_unfinished_dataset_does_not_open() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("data.zarr");
    run_and_stop(&Toy::new(), &request(3), &path, 2);
    let partial = folder.path().join("data.zarr.partial");
    for unfinished in [&path, &partial] {
        let message = Dataset::open(unfinished).unwrap_err().to_string();
        assert!(message.contains("unfinished"), "{message}");
    }
    assert!(Dataset::open(partial.join("store")).is_err());
    assert!(
        files(&partial)
            .keys()
            .all(|name| !name.ends_with("zarr.json"))
    );
}

#[test]
fn a_different_request_does_not_mix_with_an_unfinished_dataset() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("data.zarr");
    run_and_stop(&Toy::new(), &request(3), &path, 2);
    let before = files(&folder.path().join("data.zarr.partial"));
    let other = Request {
        seed: 8,
        ..request(4)
    };
    let message = run(&Toy::new(), &other, &path).unwrap_err().to_string();
    for word in ["seed 7, not 8", "inputs 3, not 4", "or discard it"] {
        assert!(message.contains(word), "{message}");
    }
    assert_eq!(files(&folder.path().join("data.zarr.partial")), before);

    let forced = Request {
        force: true,
        ..other
    };
    let outcome = run(&Toy::new(), &forced, &path).unwrap();
    assert_eq!(generated(outcome), (4, 0));
    assert_eq!(Dataset::open(&path).unwrap().seed(), Some(8));
}

#[test]
fn a_complete_dataset_is_kept_until_another_is_forced_and_complete() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("data.zarr");
    let first = run(&Toy::new(), &request(3), &path).unwrap();
    let before = files(&path);

    let toy = Toy::new();
    let again = run(&toy, &request(3), &path).unwrap();
    assert_eq!(toy.solved(), 0);
    let redraws = redraws(first);
    assert_eq!(again, Outcome::AlreadyComplete { redraws });

    let other = Request {
        seed: 8,
        ..request(3)
    };
    let message = run(&toy, &other, &path).unwrap_err().to_string();
    assert!(message.contains("seed 7, not 8"), "{message}");

    let forced = Request {
        force: true,
        ..other
    };
    run_and_stop(&Toy::new(), &forced, &path, 2);
    assert_eq!(files(&path), before);
    assert_eq!(generated(run(&toy, &forced, &path).unwrap()), (1, 2));
    assert_eq!(Dataset::open(&path).unwrap().seed(), Some(8));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn an_exchange_cut_between_its_renames_is_brought_to_its_end() {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    let new = Request {
        seed: 8,
        ..request(2)
    };
    run(&Toy::new(), &request(2), &at("data.zarr")).unwrap();
    run(&Toy::new(), &new, &at("new.zarr")).unwrap();
    let expected = files(&at("new.zarr"));
    fs::create_dir(at("data.zarr.partial")).unwrap();
    fs::copy(at("new.zarr/zarr.json"), at("data.zarr.partial/plan.json")).unwrap();
    fs::rename(at("data.zarr"), at("data.zarr.partial/replaced")).unwrap();
    fs::rename(at("new.zarr"), at("data.zarr.partial/store")).unwrap();

    let toy = Toy::new();
    let outcome = run(&toy, &new, &at("data.zarr")).unwrap();
    assert!(matches!(outcome, Outcome::AlreadyComplete { .. }));
    assert_eq!(files(&at("data.zarr")), expected);
    assert!(!at("data.zarr.partial").exists());
}

/// The two names are exchanged atomically: after an interruption, either the old or the new dataset
/// is under the temporary name.
#[test]
fn an_exchange_at_once_that_is_cut_before_or_after_is_brought_to_its_end() {
    for is_exchanged in [false, true] {
        let folder = TempDir::new().unwrap();
        let at = |name: &str| folder.path().join(name);
        let new = Request {
            seed: 8,
            ..request(2)
        };
        run(&Toy::new(), &request(2), &at("old")).unwrap();
        run(&Toy::new(), &new, &at("new")).unwrap();
        let expected = files(&at("new"));
        fs::create_dir(at("data.zarr.partial")).unwrap();
        fs::copy(at("new/zarr.json"), at("data.zarr.partial/plan.json")).unwrap();
        let [named, aside] = if is_exchanged {
            ["new", "old"]
        } else {
            ["old", "new"]
        };
        fs::rename(at(named), at("data.zarr")).unwrap();
        fs::rename(at(aside), at("data.zarr.partial/complete")).unwrap();

        let toy = Toy::new();
        let forced = Request {
            force: !is_exchanged,
            ..new
        };
        run(&toy, &forced, &at("data.zarr")).unwrap();
        assert_eq!(toy.solved(), 0, "all of it was there");
        assert_eq!(files(&at("data.zarr")), expected);
        assert!(!at("data.zarr.partial").exists());
    }
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_is_no_place_for_a_dataset() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("data.zarr");
    std::os::unix::fs::symlink(folder.path().join("nowhere"), &path).unwrap();
    let toy = Toy::new();
    let message = run(&toy, &request(2), &path).unwrap_err().to_string();
    assert!(message.contains("link to nothing"), "{message}");
    assert_eq!(toy.solved(), 0);
}

#[test]
fn two_runs_do_not_write_the_same_dataset() {
    struct RunAgain<'a>(&'a Path);
    impl Observer for RunAgain<'_> {
        fn observe(&self, event: &Event<'_>) {
            if !matches!(event, Event::Inputs { .. }) {
                return;
            }
            let error = run(&Toy::new(), &request(2), self.0).unwrap_err();
            assert!(error.to_string().contains("another process"), "{error}");
        }
    }
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("data.zarr");
    generate(&Toy::new(), &request(2), &path, &RunAgain(&path)).unwrap();
    assert!(Dataset::open(path).is_ok());
}

#[test]
fn a_killed_process_leaves_what_the_next_one_continues() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("data.zarr");
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "generate_slowly_in_a_child"])
        .env(CHILD_PATH, &path)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let marks = folder.path().join("data.zarr.partial/store/redraws");
    let deadline = Instant::now() + Duration::from_secs(30);
    while fs::read_dir(&marks).map_or(0, Iterator::count) < 3 {
        assert!(Instant::now() < deadline, "the child did not begin");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap(); // SIGKILL
    child.wait().unwrap();
    assert!(Dataset::open(&path).is_err());

    let toy = Toy::new();
    let (computed, resumed) = generated(run(&toy, &request(40), &path).unwrap());
    assert!(resumed >= 3 && computed == toy.solved() && computed + resumed == 40);
    let whole = folder.path().join("whole.zarr");
    run(&Toy::new(), &request(40), &whole).unwrap();
    assert_eq!(files(&path), files(&whole));
}

#[test]
#[ignore = "run as a child by the test above"]
fn generate_slowly_in_a_child() {
    let Some(path) = std::env::var_os(CHILD_PATH) else {
        return;
    };
    let mut toy = Toy::new();
    toy.delay = Duration::from_millis(50);
    run(&toy, &request(40), Path::new(&path)).unwrap();
}
