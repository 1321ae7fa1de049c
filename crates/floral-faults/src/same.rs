//! The same seed gives the same bytes: small random settings are computed by one undisturbed
//! thread, and by 2, 3 and 7 threads that are killed repeatedly.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::json;

use crate::arguments::Effort;
use crate::dice::Dice;
use crate::files::scratch;
use crate::process::{Ended, finish, kill_within, start};
use crate::report::Found;
use crate::task::{contents, on_threads};

/// Numbers of threads that are compared with one thread.
const THREADS: [usize; 3] = [2, 3, 7];

/// Maximum number of kills per command; then it runs undisturbed.
const MOST_KILLS: usize = 4;

/// The longest time before a kill.
const LONGEST: Duration = Duration::from_millis(122);

/// The results of the commands.
const RESULTS: [&str; 4] = ["data.zarr", "run", "out.zarr", "out.npz"];

/// Tries settings one after another until the time is over.
pub fn run(effort: &Effort) -> Result<Found> {
    let deadline = Instant::now() + effort.time(1);
    let mut found = Found::default();
    for case in 0..effort.cases {
        if Instant::now() > deadline {
            break;
        }
        let mut dice = Dice::new(effort.seed, case);
        let settings = Settings::draw(&mut dice);
        let folder = tempfile::tempdir_in(scratch())?;
        if let Some(words) = settings.compare(&mut dice, folder.path(), &mut found)? {
            found.find(
                json!({"task": settings.commands, "seed": effort.seed, "case": case,
                              "words": words}),
            );
        }
        if (case + 1).is_multiple_of(10) {
            found.print_totals(&format!("settings {}", case + 1));
        }
    }
    Ok(found)
}

/// Commands with random settings.
struct Settings {
    method: &'static str,
    commands: [String; 4],
}

impl Settings {
    fn draw(dice: &mut Dice) -> Self {
        let problem = *dice.pick(&["1dcr", "advection", "burgers", "darcy", "plume"]);
        let inputs = 6 + dice.below(5);
        let realizations = 2 + dice.below(7);
        // Prime numbers, odd numbers and powers of two.
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
        let commands = [
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
        Self { method, commands }
    }

    /// Compares one undisturbed thread with several that are killed; returns the difference, if
    /// any.
    fn compare(&self, dice: &mut Dice, folder: &Path, found: &mut Found) -> Result<Option<String>> {
        let expected = folder.join("1");
        std::fs::create_dir(&expected)?;
        for words in &self.commands {
            let ended = Ended::from(on_threads(&expected, words, 1)?.output()?);
            // Impossible settings, for example a grid too coarse for its problem, are refused.
            if ended.code == Some(2) {
                found.count(self.method, "refused", 1);
                return Ok(None);
            }
            ensure!(ended.is_done(), "{words}: {}", ended.described());
        }
        for threads in THREADS {
            let place = folder.join(threads.to_string());
            std::fs::create_dir(&place)?;
            for words in &self.commands {
                let ended = self.killed(dice, &place, words, threads, found)?;
                if !ended.is_done() {
                    return Ok(Some(format!("{words}: {}", ended.described())));
                }
            }
            found.count(self.method, "compared", 1);
            for name in RESULTS {
                if contents(&place.join(name))? != contents(&expected.join(name))? {
                    return Ok(Some(format!("{name} differs with {threads} threads")));
                }
            }
        }
        found.count(self.method, "settings", 1);
        Ok(None)
    }

    /// Runs a command, killed at random moments and run again until it succeeds.
    fn killed(
        &self,
        dice: &mut Dice,
        place: &Path,
        words: &str,
        threads: usize,
        found: &mut Found,
    ) -> Result<Ended> {
        for _ in 0..dice.below(MOST_KILLS + 1) {
            let child = start(on_threads(place, words, threads)?)?;
            kill_within(&child, LONGEST, dice);
            let ended = finish(child)?;
            if !ended.was_killed() {
                return Ok(ended);
            }
            found.count(self.method, "kills", 1);
        }
        finish(start(on_threads(place, words, threads)?)?)
    }
}
