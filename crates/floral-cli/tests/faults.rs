//! The command under adverse conditions: closed and full outputs, odd names, limits, signals,
//! hostile files.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod command;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use command::{Commands, Folder};
use serde_json::{Value, json};

const DATA: &str = "generate 1dcr --inputs 6 --realizations 6 --resolution 16 -o data.zarr";

const SMALL: &str = "--method fno --set network.hidden_channels=4 --set network.film_channels=4 \
                     --set network.layers=2 --set split.test=1 --set split.validation=1";

/// Runs a shell command in which `$FLORAL` is the built program.
fn shell(folder: &Path, line: &str) -> Output {
    let mut shell = Command::new("bash");
    shell
        .args(["-o", "pipefail", "-c", line])
        .current_dir(folder);
    let shell = shell.env("FLORAL", env!("CARGO_BIN_EXE_floral"));
    shell.output().unwrap()
}

fn edit(path: &Path, change: impl FnOnce(&mut Value)) {
    let mut value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    change(&mut value);
    fs::write(path, value.to_string()).unwrap();
}

#[test]
fn a_standard_error_that_is_closed_or_full_stops_no_work() {
    let folder = &Folder::new();
    for (name, ending) in [
        ("closed", "2>&-"),
        ("full", "2>/dev/full"),
        ("cut", "2>&1 | head -1"),
    ] {
        let line = format!("$FLORAL {} {ending}", DATA.replace("data", name));
        let output = shell(folder, &line);
        assert!(output.status.success(), "{line}: {output:?}");
        assert!(folder.join(format!("{name}.zarr/zarr.json")).is_file());
    }
    let output = shell(folder, "$FLORAL inspect cut.zarr | head -1");
    assert!(output.status.success(), "{output:?}");
    let full = shell(folder, "$FLORAL inspect cut.zarr > /dev/full");
    assert_eq!(full.status.code(), Some(2), "what was asked for is lost");
}

/// Zarr stores cannot have names that are not UTF-8; all other files can.
#[test]
fn names_that_are_no_text_are_names_like_others_or_refused_before_anything_is_written() {
    let folder = &Folder::new();
    folder.succeed(DATA);
    let odd = folder.join(OsStr::from_bytes(b"odd \xff\xfe"));
    fs::create_dir(&odd).unwrap();
    let run = |words: &str, last: &[u8]| {
        let path = odd.join(OsStr::from_bytes(last));
        folder.floral(words).arg(path).output().unwrap()
    };
    for (words, name) in [
        ("train data.zarr -q -o", b"run\xff".as_slice()),
        ("export run -q -o", b"model\xff"),
        (
            "report run -q --data data.zarr --realizations 4 -o",
            b"page\xff.html",
        ),
    ] {
        let output = run(words, name);
        assert!(output.status.success(), "{words}: {output:?}");
        if words.starts_with("train") {
            fs::rename(odd.join(OsStr::from_bytes(name)), folder.join("run")).unwrap();
        }
    }
    let before = fs::read_dir(&odd).unwrap().count();
    for words in [
        &DATA.replace("data.zarr", ""),
        "sample run --input data.zarr --inputs 0..1 -o",
        "inspect",
    ] {
        let output = run(words, b"d\xff.zarr");
        assert_eq!(output.status.code(), Some(2), "{words}: {output:?}");
    }
    assert_eq!(fs::read_dir(&odd).unwrap().count(), before);
}

#[test]
fn a_hundred_thousand_threads_are_a_few() {
    let folder = &Folder::new();
    let asked = folder.floral(&format!("--threads 100000 {DATA}")).output();
    let outside = folder
        .floral(&DATA.replace("data", "other"))
        .env("RAYON_NUM_THREADS", "100000")
        .output();
    for output in [asked.unwrap(), outside.unwrap()] {
        assert!(output.status.success(), "{output:?}");
        let words = String::from_utf8(output.stderr).unwrap();
        assert!(words.contains("would only wait for each other"), "{words}");
    }
    let seed = |name: &str| fs::read(folder.join(name).join("high/c.5.0.0.0")).unwrap();
    assert_eq!(seed("data.zarr"), seed("other.zarr"));
}

#[test]
fn the_signal_of_a_scheduler_saves_what_ctrl_c_saves() {
    let folder = &Folder::new();
    folder.succeed(DATA);
    let words = format!("train data.zarr {SMALL} --epochs 100000 -o run");
    let mut child = folder
        .floral(&words)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    let log = folder.join("run/epochs.csv");
    while fs::read_to_string(&log).map_or(0, |log| log.lines().count()) < 5 {
        assert!(Instant::now() < deadline, "no epoch was finished");
        std::thread::sleep(Duration::from_millis(5));
    }
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-TERM", &id])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let rows = fs::read_to_string(&log).unwrap().lines().count();
    let last = fs::read(folder.join("run/last.safetensors")).unwrap();
    let file = safetensors::SafeTensors::read_metadata(&last).unwrap().1;
    let header = file.metadata().as_ref().unwrap()["floral"].clone();
    let header: Value = serde_json::from_str(&header).unwrap();
    let epoch = header["progress"]["epoch"].as_u64().unwrap();
    assert_eq!(
        epoch as usize,
        rows - 1,
        "every epoch of the log is in the checkpoint"
    );
}

#[test]
fn a_memory_limit_below_the_estimate_is_refused_before_training() {
    let folder = &Folder::new();
    folder.succeed(DATA);
    let words = "train data.zarr --method floral --set network.hidden_channels=1024 \
                 --set split.test=1 --set split.validation=1 -o run";
    let output = shell(folder, &format!("ulimit -v 1500000; $FLORAL {words}"));
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("--ignore-memory"), "{message}");
    assert!(!folder.join("run").exists());
}

/// Two processes that convert the same temporary store to a file would remove it while the other
/// reads it.
#[test]
fn a_single_file_is_made_by_one_process_at_a_time() {
    let folder = &Folder::new();
    folder.succeed(DATA);
    folder.succeed("train data.zarr -o run");
    let sample = "sample run --input data.zarr --inputs 0..2 --realizations 4 -o";
    folder.succeed(&format!("{sample} out.zarr"));
    // The store is complete, and another process is writing the file.
    fs::rename(folder.join("out.zarr"), folder.join("out.npz.store")).unwrap();
    fs::create_dir(folder.join("out.npz.store.partial")).unwrap();
    let lock = fs::File::create(folder.join("out.npz.store.partial/lock")).unwrap();
    lock.lock().unwrap();
    let message = folder.refuse(&format!("{sample} out.npz"));
    assert!(message.contains("another process"), "{message}");
    assert!(!folder.join("out.npz").exists());
    drop(lock);
    folder.succeed(&format!("{sample} out.npz"));
    assert!(folder.join("out.npz").is_file());
    assert!(!folder.join("out.npz.store").exists());
    assert!(!folder.join("out.npz.store.partial").exists());
}

#[test]
fn pipes_in_the_place_of_files_are_not_waited_for() {
    let folder = &Folder::new();
    fs::create_dir(folder.join("pipe.zarr")).unwrap();
    fs::create_dir(folder.join("run")).unwrap();
    let made = Command::new("mkfifo")
        .args(["pipe.zarr/zarr.json", "run/config.toml"])
        .current_dir(folder)
        .status();
    assert!(made.unwrap().success());
    folder.succeed(DATA);
    for words in [
        "inspect pipe.zarr",
        "train data.zarr -o run",
        "evaluate run data.zarr",
    ] {
        let output = shell(folder, &format!("timeout 60 $FLORAL {words}"));
        assert_eq!(output.status.code(), Some(2), "{words}: {output:?}");
    }
}

#[test]
fn control_characters_of_attributes_are_escaped() {
    let folder = &Folder::new();
    folder.succeed(DATA);
    let root = folder.join("data.zarr/zarr.json");
    edit(&root, |root| {
        root["attributes"]["title"] = json!("\u{1b}[2J\u{1b}]0;mine\u{7}");
        root["attributes"]["problem"] = json!("\u{1b}[31mred");
    });
    edit(&folder.join("data.zarr/input/zarr.json"), |array| {
        array["attributes"]["units"] = json!("m\u{1b}[1m");
    });
    let output = folder.floral("inspect data.zarr").output().unwrap();
    let all = [output.stdout, output.stderr].concat();
    assert!(
        !all.contains(&0x1b) && !all.contains(&7),
        "{}",
        String::from_utf8_lossy(&all)
    );
}

#[test]
fn constants_in_attributes_build_nothing_larger_than_the_data() {
    let folder = &Folder::new();
    folder.succeed(DATA);
    folder.succeed(&format!("train data.zarr {SMALL} --epochs 1 -o run"));
    let root = folder.join("data.zarr/zarr.json");
    for resolution in [
        json!(1_000_000_000),
        json!(u64::MAX),
        json!(1e9),
        json!([1, 2]),
    ] {
        edit(&root, |root| {
            root["attributes"]["constants"]["resolution"] = resolution.clone();
            root["attributes"]
                .as_object_mut()
                .unwrap()
                .remove("symmetries");
        });
        for words in [
            "inspect data.zarr",
            "evaluate run data.zarr --realizations 4",
        ] {
            let output = folder.floral(words).output().unwrap();
            let code = output.status.code();
            assert!(
                matches!(code, Some(0 | 2)),
                "{resolution} {words}: {output:?}"
            );
        }
    }
}

#[test]
fn every_command_refuses_an_invalid_dataset_in_one_line() {
    let folder = &Folder::new();
    folder.succeed(DATA);
    for (array, shape) in [
        ("input", json!([1u64 << 60, 1, 16])),
        ("input", json!([6, 1u64 << 60, 16])),
        ("input", json!([6, 1, u64::MAX])),
        ("high", json!([6, 1u64 << 40, 1, 16])),
        ("high", json!([6, u64::MAX, 1, 16])),
    ] {
        let path = folder.join("data.zarr").join(array).join("zarr.json");
        let whole = fs::read(&path).unwrap();
        edit(&path, |array| array["shape"] = shape.clone());
        for words in ["inspect data.zarr", "train data.zarr -o run"] {
            folder.refuse(words);
        }
        fs::write(path, whole).unwrap();
    }
    folder.succeed("inspect data.zarr");
}

#[test]
fn large_seeds_and_large_letters_are_taken_or_named() {
    let folder = &Folder::new();
    folder.succeed(DATA);
    let message = folder.refuse("train data.zarr --seed 9223372036854775808 -o run");
    assert!(message.contains("9223372036854775807"), "{message}");
    folder.succeed(&format!("train data.zarr {SMALL} --epochs 1 -o run"));
    folder.succeed("sample run --input data.zarr --inputs 0..1 -o OUT.NPZ");
    assert!(folder.join("OUT.NPZ").is_file());
}

/// The error for a tensor that does not fit names its file.
#[test]
fn a_checkpoint_that_does_not_fit_is_named_by_its_file() {
    let folder = &Folder::new();
    folder.succeed(DATA);
    folder.succeed(&format!("train data.zarr {SMALL} --epochs 1 -o run"));
    let path = folder.join("run/best.safetensors");
    let text = fs::read(&path).unwrap();
    // A different name of the same length.
    let renamed = replaced(&text, b"layers.0.gate", b"layers.9.gate");
    assert_ne!(renamed, text);
    fs::write(&path, renamed).unwrap();
    let message = folder.refuse("sample run --input data.zarr -o out.zarr");
    assert!(message.contains("best.safetensors"), "{message}");
}

fn replaced(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for at in 0..bytes.len().saturating_sub(old.len()) {
        if bytes[at..].starts_with(old) {
            bytes[at..at + new.len()].copy_from_slice(new);
        }
    }
    bytes
}
