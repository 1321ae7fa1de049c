//! Commands as processes: starts and kills them, waits for them, and describes how they ended.

use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::dice::Dice;

/// Maximum time until a command ends, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(600);

/// How a command ended.
pub struct Ended {
    /// The exit code; `None` if a signal ended the command.
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Ended {
    /// Whether it succeeded.
    pub fn is_done(&self) -> bool {
        self.code == Some(0)
    }

    /// Whether the command was refused because another process works on the output.
    pub fn was_refused(&self) -> bool {
        self.code == Some(2) && self.stderr.contains("another process")
    }

    /// Whether a signal ended the command, or it was refused.
    pub fn was_killed(&self) -> bool {
        self.code.is_none_or(|code| code == 130) || self.was_refused()
    }

    /// The last line of standard error.
    pub fn last_line(&self) -> &str {
        self.stderr.lines().last().unwrap_or_default()
    }

    /// The exit code and the last line of standard error.
    pub fn described(&self) -> String {
        let code = self.code.map_or("a signal".into(), |code| code.to_string());
        format!("exit code {code}: {}", self.last_line())
    }
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: output.stdout,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Starts a command and captures its output.
pub fn start(mut command: Command) -> Result<Child> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(command.spawn()?)
}

/// Waits for a command; returns an error if it does not end.
pub fn finish(mut child: Child) -> Result<Ended> {
    let started = Instant::now();
    while child.try_wait()?.is_none() {
        if started.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            bail!("a command did not end within {} s", PATIENCE.as_secs());
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output();
    Ok(output.context("a command that has ended")?.into())
}

/// Waits for a random time up to `time`, then sends SIGKILL or SIGTERM.
pub fn kill_within(child: &Child, time: Duration, dice: &mut Dice) {
    std::thread::sleep(time.mul_f64(dice.share()));
    let signal = *dice.pick(&[Signal::SIGKILL, Signal::SIGTERM]);
    if let Ok(id) = i32::try_from(child.id()) {
        // A command that has already ended is not affected.
        let _ = kill(Pid::from_raw(id), signal);
    }
}
