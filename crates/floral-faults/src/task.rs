//! Commands on small problems, and their results, which have the same bytes despite any
//! interruptions.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::files::{joined, kept_below};
use crate::process::Ended;

/// A command, with `{out}` in place of the path of its result.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    /// The name in the campaign.
    pub name: &'static str,
    /// The arguments. Files of the surrounding folder are named relative to it.
    words: &'static str,
    /// The name of the result, a file or folder; `None` if the result is printed.
    pub out: Option<&'static str>,
    /// A file or folder of the surrounding folder that exists under the result's name beforehand.
    pub before: Option<&'static str>,
}

/// The files of the library's tests.
pub const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../floral/tests/fixtures");

const NETWORK: &str = "--set network.hidden_channels=4 --set network.film_channels=4 \
                       --set network.layers=2 --set optimiser.batch=4 --set split.test=1 \
                       --set split.validation=1 --epochs 8";

/// Commands that create the files which all tasks need, in this order.
const AROUND: [&str; 5] = [
    "generate 1dcr --inputs 6 --realizations 6 --resolution 16 -o data.zarr",
    "generate 1dcr --inputs 5 --realizations 5 --resolution 16 --seed 9 -o old.zarr",
    "train data.zarr --method kriging -o regression",
    "train data.zarr --method floral --set network.hidden_channels=4 --set network.layers=2 \
     --set split.test=1 --set split.validation=1 --epochs 2 -o network",
    "sample regression --input data.zarr --realizations 20 --seed 3 -o predicted.zarr",
];

/// All tasks.
pub fn tasks() -> Vec<Task> {
    let lines = include_str!("tasks.txt").lines();
    let task = |line: &'static str| {
        let mut fields = line.splitn(4, '|').map(str::trim);
        let mut next = || fields.next().unwrap_or_default();
        let named = |field: &'static str| Some(field).filter(|field| !field.is_empty());
        Task {
            name: next(),
            out: named(next()),
            before: named(next()),
            words: next(),
        }
    };
    let is_task = |line: &&str| !line.starts_with('#');
    lines.filter(is_task).map(task).collect()
}

/// Creates the files that tasks need in a folder.
pub fn make_around(folder: &Path) -> Result<()> {
    fs::create_dir(folder.join("experiments"))?;
    let experiment = include_str!("../../floral-cli/tests/tiny.toml");
    fs::write(folder.join("experiments/tiny.toml"), experiment)?;
    for words in AROUND {
        let ended = Ended::from(command(folder, words)?.output()?);
        ensure!(ended.is_done(), "floral {words}: {}", ended.described());
    }
    Ok(())
}

/// `floral` with these arguments in this folder, on two threads.
pub fn command(folder: &Path, words: &str) -> Result<Command> {
    on_threads(folder, words, 2)
}

/// Like `command`, on any number of threads.
pub fn on_threads(folder: &Path, words: &str, threads: usize) -> Result<Command> {
    let program = std::env::current_exe()?.with_file_name("floral");
    if !program.is_file() {
        bail!("{}: build it first", program.display());
    }
    let mut command = Command::new(program);
    command.args(words.split_whitespace()).current_dir(folder);
    command.args(["--threads", &threads.to_string()]);
    Ok(command)
}

impl Task {
    /// The arguments, with this path for the result.
    pub fn words(&self, out: &Path) -> String {
        self.words
            .replace("{out}", &out.to_string_lossy())
            .replace("NETWORK", NETWORK)
            .replace("FIXTURES", FIXTURES)
    }

    /// Whether the result is a folder to which files are added one after another.
    pub fn is_growing(&self) -> bool {
        matches!(self.out, Some("run" | "study"))
    }

    /// The result without anything that differs between equal runs.
    pub fn result(&self, place: &Path, printed: &[u8]) -> Result<Contents> {
        match self.out {
            None => Ok([(PathBuf::new(), untimed_lines(printed))].into()),
            Some(_) => contents(place),
        }
    }
}

/// The contents of files by their path below a folder.
pub type Contents = BTreeMap<PathBuf, Vec<u8>>;

/// The contents of all files below a path, without anything that differs between equal runs.
pub fn contents(path: &Path) -> Result<Contents> {
    // Locks, unfinished writes of a killed process, and files next to a complete dataset that could
    // not be removed are not part of a result.
    let keeps = |name: &str, is_folder: bool| match is_folder {
        true => !name.ends_with(".partial"),
        false => name != "lock" && !name.starts_with(".floral-"),
    };
    let mut found = Contents::new();
    for (inner, bytes) in kept_below(path, keeps)? {
        if let Some(bytes) = bytes {
            let untimed = untimed(&joined(path, &inner), bytes)?;
            found.insert(inner, untimed);
        }
    }
    Ok(found)
}

/// The bytes of a file, without durations.
fn untimed(path: &Path, bytes: Vec<u8>) -> Result<Vec<u8>> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let ending = name.rsplit('.').next().unwrap_or_default();
    match ending {
        "csv" if name.ends_with("epochs.csv") => {
            let text = String::from_utf8_lossy(&bytes);
            let rows = text.lines();
            let rows = rows.map(|row| row.rsplit_once(',').map_or(row, |(row, _)| row));
            Ok(rows.collect::<Vec<_>>().join("\n").into_bytes())
        }
        "json" if name != "zarr.json" => {
            let mut value = serde_json::from_slice(&bytes)?;
            remove_times(&mut value);
            Ok(value.to_string().into_bytes())
        }
        // Tables contain the command with its folder, and the time; their JSON is compared instead.
        _ if name.starts_with("table1-") => Ok(Vec::new()),
        "safetensors" | "floral" => without_seconds(&bytes),
        _ => Ok(bytes),
    }
}

/// Printed lines, without those with seconds.
fn untimed_lines(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.lines().filter(|line| !line.contains("seconds"));
    lines.collect::<Vec<_>>().join("\n").into_bytes()
}

/// Removes durations and the command from JSON.
fn remove_times(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|name, _| {
                !name.ends_with("seconds") && !matches!(name.as_str(), "hours" | "command")
            });
            map.values_mut().for_each(remove_times);
        }
        Value::Array(list) => list.iter_mut().for_each(remove_times),
        _ => {}
    }
}

/// A model file without the seconds of its training, and therefore without its checksum.
fn without_seconds(bytes: &[u8]) -> Result<Vec<u8>> {
    let (start, metadata) = safetensors::SafeTensors::read_metadata(bytes)?;
    let texts = metadata.metadata().clone().unwrap_or_default();
    let mut header: Value = serde_json::from_str(texts.get("floral").context("a header")?)?;
    header["progress"]["seconds"] = Value::Null;
    let mut names: Vec<String> = metadata.offset_keys();
    names.sort();
    let (header, names) = (header.to_string(), names.join(","));
    let rest = bytes.get(start + 8..).context("arrays")?;
    Ok([header.as_bytes(), names.as_bytes(), rest].concat())
}
