//! A command as a low-fidelity solver: started once per input, and killed at a timeout.
//!
//! `{input}` is replaced by the path of a NumPy archive with the input and its coordinates.
//! `{output}` is replaced by the path of the archive that the command must write, with the array
//! `low`, or `high` for a high-fidelity solver. `{seed}` is replaced by a number. The command runs
//! in a shell, in its own process group, so that its children can be killed with it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::solver::LowSolver;
use super::{exchange, named_files};
use crate::observer::Observer;
use crate::storage::write_error;
use crate::{Error, Field, Grid, Result};

const INPUT: &str = "{input}";
const OUTPUT: &str = "{output}";
const SEED: &str = "{seed}";

/// Interval between polls of a running command.
const PAUSE: Duration = Duration::from_millis(10);

/// Number of lines of a command's output shown in an error.
const LINES: usize = 20;

/// Runs a command for every input.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandSolver {
    command: String,
    timeout: Duration,
    version: Option<String>,
}

impl CommandSolver {
    /// A solver from a command that contains `{input}` and `{output}`.
    pub fn new(command: &str, timeout: Duration) -> Result<Self> {
        if !(command.contains(INPUT) && command.contains(OUTPUT)) {
            return Err(Error::config(
                "low.command",
                format!(
                    "{command:?} lacks {INPUT} or {OUTPUT}, the paths of the NumPy archives it reads \
                     and writes; write it as in \"./solve {INPUT} {OUTPUT}\""
                ),
            ));
        }
        Ok(Self {
            command: command.to_owned(),
            timeout,
            version: None,
        })
    }

    /// The same solver with a version name; cached results of other versions are not used.
    #[must_use]
    pub fn of_version(self, version: Option<&str>) -> Self {
        Self {
            version: version.map(str::to_owned),
            ..self
        }
    }

    /// The realizations of the high-fidelity solution of an input, read from the array `high`
    /// [realization, channel, grid...] that the command writes. `seed` replaces `{seed}`.
    pub fn solve_high(
        &self,
        input: &Field,
        grid: &Grid,
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Vec<Field>> {
        let scratch = self.run_for((input, grid), seed, "high", observer)?;
        let read = exchange::read_high(&scratch.output(), grid);
        read.map_err(|error| self.unreadable(&error))
    }

    fn run(&self, scratch: &Scratch, seed: u64, observer: &dyn Observer) -> Result<Ended> {
        let errors = File::create(scratch.errors()).map_err(write_error(scratch.errors()))?;
        let both = errors.try_clone().map_err(write_error(scratch.errors()))?;
        let text = self.command.replace(INPUT, &quoted(&scratch.input()));
        let text = text.replace(OUTPUT, &quoted(&scratch.output()));
        let text = text.replace(SEED, &seed.to_string());
        let mut command = shell(&text);
        command.stdin(Stdio::null()).stdout(both).stderr(errors);
        let child = command.spawn().map_err(|error| {
            self.failure(
                &format!("could not be started ({error})"),
                "is there a shell on this machine?",
            )
        })?;
        self.wait(child, observer)
    }

    /// Waits for the command to exit; returns early at the timeout, and fails on a request to stop.
    fn wait(&self, child: Child, observer: &dyn Observer) -> Result<Ended> {
        let mut group = Group {
            child,
            is_running: true,
        };
        let start = Instant::now();
        loop {
            let status = group.child.try_wait().map_err(|error| {
                self.failure(&format!("could not be waited for ({error})"), "try again")
            })?;
            if let Some(status) = status {
                group.is_running = false;
                return Ok(Ended::By(status));
            }
            if observer.should_stop() {
                return Err(Error::Interrupted);
            }
            if start.elapsed() > self.timeout {
                return Ok(Ended::TimeOut);
            }
            std::thread::sleep(PAUSE);
        }
    }

    fn failure(&self, what: &str, advice: &str) -> Error {
        Error::numerical(format!("the command `{}` {what}", self.command), advice)
    }
}

impl LowSolver for CommandSolver {
    fn name(&self) -> String {
        format!("`{}`", self.command)
    }

    /// The command, its version, and the contents of the files that it names.
    fn identity(&self) -> String {
        let version = self.version.as_deref().unwrap_or_default();
        let files = named_files::checksum(&self.command);
        format!("{} {version:?} {files}", self.name())
    }

    fn solve(&self, input: &Field, grid: &Grid, observer: &dyn Observer) -> Result<Field> {
        let scratch = self.run_for((input, grid), 0, "low", observer)?;
        let read = exchange::read_low(&scratch.output(), None, grid);
        read.map_err(|error| self.unreadable(&error))
    }
}

impl CommandSolver {
    /// Runs the command to its end; returns the folder with its output file.
    fn run_for(
        &self,
        (input, grid): (&Field, &Grid),
        seed: u64,
        array: &str,
        observer: &dyn Observer,
    ) -> Result<Scratch> {
        let scratch = Scratch::new()?;
        exchange::write_input(&scratch.input(), input, grid)?;
        let ended = self.run(&scratch, seed, observer)?;
        let words = last_words(&scratch.errors());
        match ended {
            Ended::TimeOut => Err(self.failure(
                &format!("took longer than {} s{words}", self.timeout.as_secs_f64()),
                "set a longer timeout, or fix it",
            )),
            Ended::By(status) if !status.success() => Err(self.failure(
                &format!("failed ({status}){words}"),
                "fix it, or leave out this input",
            )),
            Ended::By(_) if !scratch.output().is_file() => Err(self.failure(
                &format!("wrote no file to its {OUTPUT}{words}"),
                &format!("write it with numpy.savez(path, {array}=...), path as it is given"),
            )),
            Ended::By(_) => Ok(scratch),
        }
    }

    fn unreadable(&self, error: &Error) -> Error {
        self.failure(
            &format!("wrote an unreadable output file: {error}"),
            "fix it",
        )
    }
}

/// How a command ended.
enum Ended {
    By(ExitStatus),
    TimeOut,
}

/// A child process and its descendants; while it is running, dropping the group kills them.
struct Group {
    child: Child,
    is_running: bool,
}

impl Drop for Group {
    fn drop(&mut self) {
        // After it was waited for, its process id may belong to another process.
        if self.is_running {
            kill_group(&self.child);
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

#[cfg(unix)]
fn shell(text: &str) -> Command {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new("sh");
    command.arg("-c").arg(text).process_group(0);
    command
}

#[cfg(not(unix))]
fn shell(text: &str) -> Command {
    let mut command = Command::new("cmd");
    command.arg("/C").arg(text);
    command
}

#[cfg(unix)]
fn kill_group(child: &Child) {
    use nix::sys::signal::{Signal, killpg};
    use nix::unistd::Pid;
    if let Ok(group) = i32::try_from(child.id()) {
        // An error means that no process of the group is left.
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
}

#[cfg(not(unix))]
fn kill_group(_child: &Child) {}

/// A path quoted as one word of a shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

/// The last lines of a command's output, one per line.
fn last_words(path: &Path) -> String {
    let bytes = fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let shown = &lines[lines.len().saturating_sub(LINES)..];
    if shown.is_empty() {
        return " without output".into();
    }
    let shown: String = shown.iter().map(|line| format!("\n  | {line}")).collect();
    format!("; its output ends with{shown}\n")
}

/// A folder for one call, with a unique name; deleted on drop.
struct Scratch {
    path: PathBuf,
    _folder: tempfile::TempDir,
}

impl Scratch {
    fn new() -> Result<Self> {
        // Not named by the process id: containers and hosts that share a temporary folder may have
        // processes with the same id.
        let folder = tempfile::Builder::new()
            .prefix("floral-low-")
            .tempdir()
            .map_err(write_error(std::env::temp_dir()))?;
        let path = folder.path().canonicalize();
        Ok(Self {
            path: path.map_err(Error::io(folder.path()))?,
            _folder: folder,
        })
    }

    fn input(&self) -> PathBuf {
        self.path.join("input.npz")
    }

    fn output(&self) -> PathBuf {
        self.path.join("output.npz")
    }

    fn errors(&self) -> PathBuf {
        self.path.join("words")
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::{Axis, Silent};

    fn grid() -> Grid {
        Grid::new(vec![Axis::closed("x", 4)])
    }

    fn solve(command: &str, seconds: f64, observer: &dyn Observer) -> Result<Field> {
        let solver = CommandSolver::new(command, Duration::from_secs_f64(seconds))
            .expect("a command that names input and output");
        let input = Field::scalar(&grid(), vec![0.0, 1.0, 2.0, 3.0]);
        solver.solve(&input, &grid(), observer)
    }

    /// A solver in a shell: its solution is a file that already exists.
    fn answer(folder: &Path) -> PathBuf {
        let path = folder.join("it's an answer.npz");
        let low = Field::scalar(&grid(), vec![5.0; 4]);
        exchange::write_low(&path, &low).expect("a folder that can be written");
        path
    }

    #[test]
    fn what_a_command_writes_is_its_answer() {
        let folder = tempfile::tempdir().unwrap();
        let answer = quoted(&answer(folder.path()));
        let command = format!("test -s {{input}} && cp {answer} {{output}}");
        let low = solve(&command, 60.0, &Silent).unwrap();
        assert_eq!(low.values(), [5.0; 4]);
        let echo = "cp {input} {output}";
        let words = solve(echo, 60.0, &Silent).unwrap_err().to_string();
        assert!(words.contains("has no array low"), "{words}");
    }

    #[test]
    fn a_failure_includes_the_messages_of_the_command() {
        let command = "echo cannot converge >&2; exit 3 # {input} {output}";
        let words = solve(command, 60.0, &Silent).unwrap_err().to_string();
        for part in ["exit status: 3", "| cannot converge", "fix it"] {
            assert!(words.contains(part), "{words}");
        }
        let words = solve("true {input} {output}", 60.0, &Silent).unwrap_err();
        assert!(words.to_string().contains("wrote no file"), "{words}");
        let words = solve("no-such-program {input} {output}", 60.0, &Silent).unwrap_err();
        assert!(words.to_string().contains("no-such-program"), "{words}");
    }

    /// A grandchild that outlived the timeout would create the file.
    #[test]
    fn what_takes_too_long_ends_with_all_that_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let late = folder.path().join("late");
        let command = format!(
            "(sleep 1; touch {}) & sleep 30 # {{input}} {{output}}",
            quoted(&late)
        );
        let start = Instant::now();
        let words = solve(&command, 0.2, &Silent).unwrap_err().to_string();
        assert!(words.contains("took longer than 0.2 s"), "{words}");
        assert!(start.elapsed() < Duration::from_secs(10));
        std::thread::sleep(Duration::from_millis(1500));
        assert!(!late.exists(), "a grandchild was left");
    }

    #[test]
    fn every_call_has_a_folder_of_its_own_that_is_gone_afterwards() {
        let [one, other] = [(); 2].map(|()| Scratch::new().unwrap());
        assert_ne!(one.path, other.path);
        let name = one.path.file_name().unwrap().to_string_lossy();
        let process = std::process::id().to_string();
        assert!(!name.contains(&format!("-{process}-")), "{name}");
        let path = one.path.clone();
        drop(one);
        assert!(!path.exists() && other.path.exists());
    }

    #[test]
    fn another_version_or_another_file_is_another_solver() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("solve");
        let command = format!("sh {} {{input}} {{output}}", quoted(&script));
        let solver = || CommandSolver::new(&command, Duration::from_secs(1)).unwrap();
        fs::write(&script, "one").unwrap();
        let first = solver().identity();
        assert_eq!(solver().identity(), first);
        assert_ne!(solver().of_version(Some("2")).identity(), first);
        fs::write(&script, "two").unwrap();
        assert_ne!(solver().identity(), first);
        assert_eq!(solver().name(), format!("`{command}`"));
    }

    #[test]
    fn a_request_to_stop_ends_it() {
        let stop = std::sync::atomic::AtomicBool::new(true);
        let start = Instant::now();
        let stopped = solve("sleep 30 # {input} {output}", 60.0, &stop);
        assert!(matches!(stopped, Err(Error::Interrupted)));
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}
