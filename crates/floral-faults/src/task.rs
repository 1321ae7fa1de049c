//! Commands on small problems, and what their results are: the same bytes however often they were cut.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

/// A command, with `{out}` where its result goes.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    /// What it is called here.
    pub name: &'static str,
    /// Its words; files of the folder around it are named as they are.
    pub words: &'static str,
    /// The result, a file or a folder; none if it is what is printed.
    pub out: Option<&'static str>,
    /// What stands under the result's name before: a file or folder around it.
    pub before: Option<&'static str>,
}

const NETWORK: &str = "--set network.hidden_channels=4 --set network.film_channels=4 \
                       --set network.layers=2 --set optimiser.batch=4 --set split.test=1 \
                       --set split.validation=1 --epochs 8";

/// The folder of results of an experiment.
const GROWING_STUDY: &str = "study";

/// An experiment of a few seconds.
const TINY: &str = include_str!("tiny.toml");

/// What every task finds around it, in this order.
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
    let task = |name, words, out| Task {
        name,
        words,
        out: Some(out),
        before: None,
    };
    vec![
        task(
            "generate",
            "generate 1dcr --inputs 12 --realizations 100 --resolution 64 -o {out}",
            "out.zarr",
        ),
        Task {
            before: Some("old.zarr"),
            ..task(
                "generate --force",
                "generate 1dcr --inputs 12 --realizations 6 --resolution 32 --force -o {out}",
                "out.zarr",
            )
        },
        task(
            "import",
            "import FIXTURES/import/chunked.h5 -o {out}",
            "out.zarr",
        ),
        task(
            "train kriging",
            "train data.zarr --method kriging -o {out}",
            "run",
        ),
        task("train floral-kl", "train data.zarr -o {out}", "run"),
        task(
            "train fno",
            "train data.zarr --method fno NETWORK -o {out}",
            "run",
        ),
        task(
            "train floral",
            "train data.zarr --method floral NETWORK -o {out}",
            "run",
        ),
        task(
            "sample",
            "sample network --input data.zarr --realizations 40 --quantile 0.5 --keep 2 \
             --solver heun --steps 3 -o {out}",
            "out.zarr",
        ),
        task(
            "sample npz",
            "sample regression --input data.zarr --realizations 200 --keep 2 -o {out}",
            "out.npz",
        ),
        task(
            "report",
            "report regression --data data.zarr --inputs 0..2 --realizations 16 -o {out}",
            "page.html",
        ),
        task("export", "export network -o {out}", "model.floral"),
        task(
            "import npz",
            "import FIXTURES/import/stored.npz -o {out}",
            "out.zarr",
        ),
        task(
            "import netcdf",
            "import FIXTURES/import/classic.nc -o {out}",
            "out.zarr",
        ),
        task(
            "import zarr",
            "import FIXTURES/import/second -o {out}",
            "out.zarr",
        ),
        task(
            "sample netcdf",
            "sample regression --input data.zarr --realizations 30 --exceed 0.1 -o {out}",
            "out.nc",
        ),
        Task {
            before: Some("predicted.zarr"),
            ..task(
                "sample --force",
                "sample regression --input data.zarr --realizations 40 --force -o {out}",
                "out.zarr",
            )
        },
        task(
            "export regression",
            "export regression -o {out}",
            "model.floral",
        ),
        task(
            "reproduce",
            "reproduce table1 --experiments experiments --methods kriging,fno -o {out}",
            GROWING_STUDY,
        ),
        Task {
            out: None,
            ..task(
                "suggest",
                "suggest regression --pool data.zarr -k 2 --json",
                "",
            )
        },
        Task {
            out: None,
            ..task(
                "evaluate",
                "evaluate regression data.zarr --inputs 0..2 --realizations 50 --json",
                "",
            )
        },
        task(
            "generate --shard",
            "generate 1dcr --inputs 12 --realizations 100 --resolution 64 --shard 5 -o {out}",
            "out.zarr",
        ),
        task(
            "sample --shard",
            "sample network --input data.zarr --realizations 40 --keep 2 --solver heun --steps 3 \
             --shard 4 -o {out}",
            "out.zarr",
        ),
    ]
}

/// All tasks, or the one of this name.
pub fn chosen(name: Option<&str>) -> Result<Vec<Task>> {
    let mut tasks = tasks();
    tasks.retain(|task| name.is_none_or(|name| task.name == name));
    ensure!(!tasks.is_empty(), "there is no such command");
    Ok(tasks)
}

/// A folder with all that tasks find around them.
pub fn make_around(folder: &Path) -> Result<()> {
    fs::create_dir(folder.join("experiments"))?;
    fs::write(folder.join("experiments/tiny.toml"), TINY)?;
    for words in AROUND {
        let output = command(folder, words)?.output()?;
        if !output.status.success() {
            bail!(
                "floral {words}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
    Ok(())
}

/// `floral` with these words, in this folder, on two threads.
pub fn command(folder: &Path, words: &str) -> Result<Command> {
    on_threads(folder, words, 2)
}

/// The same on any number of threads.
pub fn on_threads(folder: &Path, words: &str, threads: usize) -> Result<Command> {
    let mut command = Command::new(program()?);
    command.args(words.split_whitespace()).current_dir(folder);
    command.args(["--threads", &threads.to_string()]);
    Ok(command)
}

/// Removes what a place holds, and what stands beside it under longer names.
pub fn remove(folder: &Path, place: &str) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(place) {
            match path.is_dir() {
                true => fs::remove_dir_all(path)?,
                false => fs::remove_file(path)?,
            }
        }
    }
    Ok(())
}

/// The program beside this one.
fn program() -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    let program = own.with_file_name("floral");
    match program.is_file() {
        true => Ok(program),
        false => bail!("{}: build it first", program.display()),
    }
}

impl Task {
    /// Its words with a result of this name.
    pub fn told(&self, out: &str) -> String {
        let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../floral/tests/fixtures");
        self.words
            .replace("{out}", out)
            .replace("NETWORK", NETWORK)
            .replace("FIXTURES", fixtures)
    }

    /// The path of a result of this number.
    pub fn place(&self, number: u64) -> String {
        let name = self.name.replace([' ', '-'], "");
        format!("{number}-{name}-{}", self.out.unwrap_or("printed"))
    }

    /// Whether its result is a folder in which one file after the other takes its name.
    pub fn is_growing(&self) -> bool {
        matches!(self.out, Some("run" | GROWING_STUDY))
    }

    /// Puts in place what stands there before.
    pub fn prepare(&self, folder: &Path, place: &str) -> Result<()> {
        if let Some(before) = self.before {
            copy(&folder.join(before), &folder.join(place))?;
        }
        Ok(())
    }

    /// The result, in a form that says the same of the same: times are left out.
    pub fn result(&self, folder: &Path, place: &str, printed: &[u8]) -> Result<Contents> {
        match self.out {
            None => Ok([(String::new(), lasting_lines(printed))].into()),
            Some(_) => contents(&folder.join(place)),
        }
    }
}

/// Files by name.
pub type Contents = BTreeMap<String, Vec<u8>>;

/// The contents of all files below a path, without what differs from run to run.
pub fn contents(path: &Path) -> Result<Contents> {
    let mut found = Contents::new();
    gather(path, "", &mut found)?;
    Ok(found)
}

fn gather(path: &Path, name: &str, found: &mut Contents) -> Result<()> {
    if path.is_file() {
        // Locks, and what a killed process was writing.
        let last = name.rsplit('/').next().unwrap_or_default();
        let is_left = last == "lock" || last.starts_with(".floral-");
        if !is_left {
            found.insert(name.to_owned(), lasting(path)?);
        }
        return Ok(());
    }
    // Beside a dataset that is complete: what could not be removed stands in nobody's way.
    if name.ends_with(".partial") {
        return Ok(());
    }
    for entry in fs::read_dir(path).with_context(|| path.display().to_string())? {
        let entry = entry?;
        let inner = entry.file_name().to_string_lossy().into_owned();
        let inner = match name {
            "" => inner,
            _ => format!("{name}/{inner}"),
        };
        gather(&entry.path(), &inner, found)?;
    }
    Ok(())
}

/// A file without the seconds that it took.
fn lasting(path: &Path) -> Result<Vec<u8>> {
    let bytes = fs::read(path)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name.ends_with("epochs.csv") {
        let text = String::from_utf8_lossy(&bytes);
        let rows = text
            .lines()
            .map(|row| row.rsplit_once(',').map_or(row, |(row, _)| row));
        return Ok(rows.collect::<Vec<_>>().join("\n").into_bytes());
    }
    // Tables tell the command, with its folder, and when they were made; in JSON they are compared.
    if name.starts_with("table1-") && !name.ends_with(".json") {
        return Ok(Vec::new());
    }
    if path.extension().is_some_and(|ending| ending == "json") && name != "zarr.json" {
        let mut value = serde_json::from_slice(&bytes)?;
        without_times(&mut value);
        return Ok(value.to_string().into_bytes());
    }
    if name.ends_with(".safetensors") || name.ends_with(".floral") {
        return without_seconds(&bytes);
    }
    Ok(bytes)
}

/// What is printed without the lines of seconds that it took.
fn lasting_lines(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.lines().filter(|line| !line.contains("seconds"));
    lines.collect::<Vec<_>>().join("\n").into_bytes()
}

/// JSON without the times that something took, and the command that made it.
fn without_times(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|name, _| {
                !name.ends_with("seconds") && !matches!(name.as_str(), "hours" | "command")
            });
            map.values_mut().for_each(without_times);
        }
        Value::Array(list) => list.iter_mut().for_each(without_times),
        _ => {}
    }
}

fn without_seconds(bytes: &[u8]) -> Result<Vec<u8>> {
    let (start, metadata) = safetensors::SafeTensors::read_metadata(bytes)?;
    let texts = metadata.metadata().clone().unwrap_or_default();
    let mut header: Value = serde_json::from_str(texts.get("floral").context("a header")?)?;
    header["progress"]["seconds"] = Value::Null;
    let mut names: Vec<String> = metadata.offset_keys();
    names.sort();
    let rest = bytes.get(start + 8..).context("arrays")?;
    Ok([
        header.to_string().as_bytes(),
        names.join(",").as_bytes(),
        rest,
    ]
    .concat())
}

/// Copies a file or folder.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    if from.is_file() {
        fs::copy(from, to)?;
        return Ok(());
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}
