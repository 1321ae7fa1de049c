//! Commands as processes: started, ended by a signal, waited for; and what their endings mean.

use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// The longest that a command may take to end, beside much else at work too.
const PATIENCE: Duration = Duration::from_secs(600);

/// Starts a command whose words are kept.
pub fn start(mut command: Command) -> Result<Child> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(command.spawn()?)
}

/// Waits for a command that was asked to end, or that is left alone; an error if it does not.
pub fn finish(mut child: Child) -> Result<Output> {
    let begun = Instant::now();
    while child.try_wait()?.is_none() {
        if begun.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            bail!("it did not end in {} s", PATIENCE.as_secs());
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    child.wait_with_output().context("a command that has ended")
}

/// Sends a signal; a command that has ended is past it.
pub fn end(child: &mut Child, signal: Signal) {
    if let Ok(id) = i32::try_from(child.id()) {
        let _ = kill(Pid::from_raw(id), signal);
    }
}

/// Whether a command was ended by a signal, or says so, or was told that another is at work.
pub fn was_killed(output: &Output) -> bool {
    output.status.code().is_none() || output.status.code() == Some(130) || was_refused(output)
}

/// Whether it was told that another is at work.
pub fn was_refused(output: &Output) -> bool {
    output.status.code() == Some(2)
        && String::from_utf8_lossy(&output.stderr).contains("another process")
}

/// How it ended, with its last words.
pub fn told(output: &Output) -> String {
    let words = String::from_utf8_lossy(&output.stderr);
    format!(
        "{}: {}",
        output.status,
        words.lines().last().unwrap_or_default()
    )
}
