//! Exit codes: the one place where they are chosen and where their meaning is told.

use crate::output;

/// How a command ended, apart from errors.
pub enum Ending {
    /// It did what was asked.
    Done,
    /// It ran, and its answer is no: a comparison failed, data are not finite.
    Negative,
}

/// The command did what was asked.
const DONE: u8 = 0;
/// The command ran, and its answer is no.
const NEGATIVE: u8 = 1;
/// What was asked cannot be done, or failed.
pub const ERROR: u8 = 2;
/// 128 + SIGINT, what a shell expects of an interrupted command.
pub const INTERRUPTED: u8 = 130;

/// Their meaning, at the foot of `floral --help` and of the manual.
pub const HELP: &str = "Exit codes:
    0  done
    1  done, and the answer is no (inspect: values are not finite; verify: a number is off)
    2  an error: what is wrong and what to do is told on standard error
  130  interrupted by Ctrl-C or SIGTERM: the same command continues

Results go to standard output; progress, notes and errors to standard error, where bars are drawn on
a terminal only. NO_COLOR is respected.";

/// The code of an outcome; an error is told before.
pub fn code(outcome: anyhow::Result<Ending>) -> u8 {
    match outcome {
        Ok(Ending::Done) => DONE,
        Ok(Ending::Negative) => NEGATIVE,
        Err(error) => told(&error),
    }
}

/// Tells an error and chooses its code.
fn told(error: &anyhow::Error) -> u8 {
    match error.downcast_ref() {
        Some(interrupted @ floral::Error::Interrupted) => {
            let advice = "run the same command again to continue";
            output::interrupted(&format!("{interrupted}; {advice}"), INTERRUPTED);
            return INTERRUPTED;
        }
        // The library's errors tell their cause themselves.
        Some(known) => output::error(&with_flags(&known.to_string()), ERROR),
        None => output::error(&with_flags(&format!("{error:#}")), ERROR),
    }
    ERROR
}

/// The library names no flags; a way out that is one here is told by it.
fn with_flags(words: &str) -> String {
    words.replace("by force", "with --force")
}
