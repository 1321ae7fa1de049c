//! The same bytes from the same seed: small settings drawn at random, computed by one thread in peace, and
//! by 2, 3 and 7 that are killed again and again.

use std::path::Path;
use std::process::Output;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use nix::sys::signal::Signal;
use serde_json::json;

use crate::dice::Dice;
use crate::outcome::Found;
use crate::process::{end, finish, start, told, was_killed};
use crate::task::{Contents, contents, on_threads};
use crate::watch::scratch;

/// Threads that are compared with one.
const THREADS: [usize; 3] = [2, 3, 7];

/// Kills of a command, after which it is left alone.
const MOST_KILLS: usize = 4;

/// What each command leaves.
const RESULTS: [&str; 4] = ["data.zarr", "run", "out.zarr", "out.npz"];

/// Settings, one after the other, until the time is over.
pub fn run(seed: u64, time: Duration, cases: u64) -> Result<Found> {
    let deadline = Instant::now() + time;
    let mut found = Found::default();
    for case in 0..cases {
        if Instant::now() > deadline {
            break;
        }
        let mut dice = Dice::new(seed, case);
        let drawn = Drawn::of(&mut dice);
        let folder = tempfile::tempdir_in(scratch())?;
        if let Some(words) = drawn.compare(&mut dice, folder.path(), &mut found)? {
            let find = json!({"task": drawn.words, "seed": seed, "case": case, "words": words});
            found.finds.push(find);
        }
        if (case + 1).is_multiple_of(10) {
            let finds = found.finds.len();
            found.tell("settings", &format!("{}: {finds} finds", case + 1));
        }
    }
    Ok(found)
}

/// Commands with settings that were drawn.
struct Drawn {
    method: &'static str,
    words: Vec<String>,
}

impl Drawn {
    fn of(dice: &mut Dice) -> Self {
        let problem = *dice.pick(&["1dcr", "advection", "burgers", "darcy", "plume"]);
        let inputs = 6 + dice.below(5);
        let realizations = 2 + dice.below(7);
        // Primes, odd numbers and powers.
        let resolution = *dice.pick(&[8, 11, 13, 16, 17]);
        let method = *dice.pick(&["floral-kl", "kriging", "floral", "fno"]);
        let network = match method {
            "floral" | "fno" => format!(
                "--epochs 3 --set network.hidden_channels={} --set network.layers={} \
                 --set optimiser.batch={}",
                2 + dice.below(5),
                1 + dice.below(2),
                1 + dice.below(9)
            ),
            _ => String::new(),
        };
        let draws = 1 + dice.below(40);
        let seed = dice.below(1000);
        let sample = format!(
            "sample run --input data.zarr --realizations {draws} --keep {} --seed {seed}",
            dice.below(draws + 1).min(5)
        );
        let words = vec![
            format!(
                "generate {problem} --inputs {inputs} --realizations {realizations} \
                 --resolution {resolution} --seed {seed} -o data.zarr"
            ),
            format!(
                "train data.zarr --method {method} {network} --seed {seed} --set split.test=1 \
                 --set split.validation=1 -o run"
            ),
            format!("{sample} -o out.zarr"),
            format!("{sample} --quantile 0.3 --exceed 0.1 --inputs 0..2 -o out.npz"),
        ];
        Self { method, words }
    }

    /// By one thread in peace, and by some that are killed; what differs, if anything does.
    fn compare(&self, dice: &mut Dice, folder: &Path, found: &mut Found) -> Result<Option<String>> {
        let sound = folder.join("1");
        std::fs::create_dir(&sound)?;
        for words in &self.words {
            let output = on_threads(&sound, words, 1)?.output()?;
            // Settings that cannot be, such as a grid too coarse for its problem, are told.
            if output.status.code() == Some(2) {
                found.count(self.method, "refused", 1);
                return Ok(None);
            }
            ensure!(output.status.success(), "{words}: {}", told(&output));
        }
        let expected = all(&sound)?;
        for threads in THREADS {
            let place = folder.join(threads.to_string());
            std::fs::create_dir(&place)?;
            for words in &self.words {
                let output = self.killed(dice, &place, words, threads, found)?;
                if !output.status.success() {
                    return Ok(Some(format!("{words}: {}", told(&output))));
                }
            }
            found.count(self.method, "compared", 1);
            let there = all(&place)?;
            if let Some((name, _)) = expected
                .iter()
                .find(|(name, of)| there.get(*name) != Some(of))
            {
                return Ok(Some(format!("{threads} threads make another {name}")));
            }
        }
        found.count(self.method, "settings", 1);
        Ok(None)
    }

    /// A command, killed at random moments and given again until it is done.
    fn killed(
        &self,
        dice: &mut Dice,
        place: &Path,
        words: &str,
        threads: usize,
        found: &mut Found,
    ) -> Result<Output> {
        let mut left = dice.below(MOST_KILLS + 1);
        loop {
            let mut child = start(on_threads(place, words, threads)?)?;
            if left > 0 {
                std::thread::sleep(Duration::from_millis(2 + dice.below(120) as u64));
                end(&mut child, *dice.pick(&[Signal::SIGKILL, Signal::SIGTERM]));
            }
            let output = finish(child)?;
            if left == 0 || !was_killed(&output) {
                return Ok(output);
            }
            found.count(self.method, "kills", 1);
            left -= 1;
        }
    }
}

/// All results in a folder, by their names.
fn all(folder: &Path) -> Result<Contents> {
    let mut all = Contents::new();
    for result in RESULTS {
        for (name, bytes) in contents(&folder.join(result))? {
            all.insert(format!("{result}/{name}"), bytes);
        }
    }
    Ok(all)
}
