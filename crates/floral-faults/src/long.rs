//! A long run: mixed work, round after round in one process, whose memory and files must not grow.
//!
//! The work is done in a separate process, so that its output does not reach the terminal. After
//! every round that process records its memory, open files and files on disk.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::arguments::Effort;
use crate::files::scratch;
use crate::report::Found;
use crate::task::{FIXTURES, make_around};

/// The commands of a round, in a folder whose files are removed after the round.
const ROUND: [&str; 12] = [
    "generate burgers --inputs 6 --realizations 6 --resolution 16 -o data.zarr",
    "generate burgers --inputs 5 --realizations 6 --resolution 16 --force -o data.zarr",
    "import FIXTURES/import/chunked.h5 -o chunked.zarr",
    "import FIXTURES/import/stored.npz -o stored.zarr",
    "inspect data.zarr",
    "train ../data.zarr -o kl",
    "train ../data.zarr --method fno --set network.hidden_channels=4 --set network.layers=1 \
     --set split.test=1 --set split.validation=1 --epochs 3 -o fno",
    "sample fno --input ../data.zarr --realizations 20 -o out.zarr",
    "sample kl --input ../data.zarr --realizations 50 --quantile 0.5 -o out.nc",
    "evaluate kl ../data.zarr --inputs 0..2 --realizations 20 --json",
    "report kl --data ../data.zarr --inputs 0..2 --realizations 8 -o page.html",
    "inspect nowhere.zarr",
];

/// Rounds before the reference is taken, in which caches fill and threads start.
const WARM_UP: usize = 3;

/// Bytes by which memory may exceed the reference.
const TOLERANCE: u64 = 2_000_000;

/// Resources that the process holds after a round.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Held {
    /// Bytes held by the allocator.
    bytes: u64,
    /// Resident bytes as reported by the system.
    resident: u64,
    /// Open files.
    handles: u64,
    /// Files left in the work folder and in the folder for temporary files.
    files: u64,
}

/// Works for the given time and checks the recorded resources.
pub fn run(effort: &Effort) -> Result<Found> {
    let time = effort.time(1);
    let folder = tempfile::tempdir_in(scratch())?;
    make_around(folder.path())?;
    let record = folder.path().join("held.jsonl");
    let [work, temporary] = ["work", "temporary"].map(|name| folder.path().join(name));
    fs::create_dir(&work)?;
    fs::create_dir(&temporary)?;
    let rounds = Command::new(std::env::current_exe()?)
        .arg("rounds")
        .args(["--seconds", &time.as_secs().to_string()])
        .arg("--record")
        .arg(&record)
        .env("TMPDIR", &temporary)
        .current_dir(&work)
        .stdout(Stdio::null())
        .output()?;
    let said = String::from_utf8_lossy(&rounds.stderr);
    ensure!(rounds.status.success(), "the rounds ended: {said}");
    let text = fs::read_to_string(record)?;
    let held: Vec<Held> = text
        .lines()
        .map(|line| Ok(serde_json::from_str(line)?))
        .collect::<Result<_>>()?;
    judged(&held, time)
}

/// Counts, and a finding for each resource that grew.
fn judged(held: &[Held], time: Duration) -> Result<Found> {
    let mut found = Found::default();
    let reference = held.get(WARM_UP - 1).context("too few rounds to judge")?;
    let mut judge = |what: &str, of: fn(&Held) -> u64, tolerance: u64| {
        let most = held[WARM_UP..].iter().map(of).max().unwrap_or(0);
        let growth = most.saturating_sub(of(reference));
        found.count("one process", &format!("most_{what}"), most);
        found.count("one process", &format!("most_growth_of_{what}"), growth);
        if growth > tolerance {
            let words = format!("{what} grew from {} to {most}", of(reference));
            found.find(json!({"task": "long", "words": words}));
        }
    };
    judge("bytes", |held| held.bytes, TOLERANCE);
    judge("handles", |held| held.handles, 0);
    judge("files", |held| held.files, 0);
    // The system's count includes pages that the allocator keeps, so its bound is loose.
    judge("resident_bytes", |held| held.resident, 100 * TOLERANCE);
    found.count("one process", "rounds", held.len() as u64);
    found.count("one process", "commands", (held.len() * ROUND.len()) as u64);
    found.count("one process", "seconds", time.as_secs());
    found.print_counts("one process");
    Ok(found)
}

/// Runs the rounds in the current folder; `bytes` returns the bytes held by the allocator.
pub fn rounds(time: Duration, record: &Path, bytes: impl Fn() -> usize) -> Result<()> {
    floral::set_up(Some(2))?;
    let begun = Instant::now();
    let mut lines = String::new();
    while begun.elapsed() < time || lines.lines().count() <= WARM_UP {
        for words in ROUND {
            let words = format!("floral -q {}", words.replace("FIXTURES", FIXTURES));
            let code =
                floral_cli::run_within(words.split_whitespace().map(OsString::from).collect());
            let expected = u8::from(words.contains("nowhere")) * 2;
            ensure!(code == expected, "{words}: exit code {code}");
        }
        clear(Path::new("."))?;
        let held = Held {
            bytes: bytes() as u64,
            resident: resident(),
            handles: entries(Path::new("/proc/self/fd")),
            files: entries(Path::new(".")) + entries(&std::env::temp_dir()),
        };
        lines.push_str(&serde_json::to_string(&held)?);
        lines.push('\n');
        fs::write(record, &lines)?;
    }
    Ok(())
}

/// Removes the results of a round by name; any other file was left behind by mistake.
fn clear(folder: &Path) -> Result<()> {
    let results = [
        "data.zarr",
        "chunked.zarr",
        "stored.zarr",
        "kl",
        "fno",
        "out.zarr",
    ];
    for name in results {
        fs::remove_dir_all(folder.join(name))?;
    }
    for name in ["out.nc", "page.html"] {
        fs::remove_file(folder.join(name))?;
    }
    Ok(())
}

fn entries(folder: &Path) -> u64 {
    fs::read_dir(folder).map_or(0, |entries| entries.count() as u64)
}

/// Resident bytes, if the system reports them; assumes pages of 4096 bytes.
fn resident() -> u64 {
    let facts = fs::read_to_string(PathBuf::from("/proc/self/statm")).unwrap_or_default();
    let pages = facts.split_whitespace().nth(1);
    pages.and_then(|n| n.parse::<u64>().ok()).unwrap_or(0) * 4096
}
