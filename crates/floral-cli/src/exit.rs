//! Exit codes: where they are chosen, and what they mean.

use crate::{advice, output};

/// How a command ended, apart from errors.
pub enum Ending {
    /// The command succeeded.
    Done,
    /// The command ran, and its answer is negative: a comparison failed, or data are not finite.
    Negative,
}

/// The command succeeded.
const DONE: u8 = 0;
/// The command ran, and its answer is negative.
const NEGATIVE: u8 = 1;
/// The command is wrong, or failed.
pub const ERROR: u8 = 2;
/// 128 + SIGINT, the code that a shell expects of an interrupted command.
pub const INTERRUPTED: u8 = 130;

/// The meaning of the exit codes, at the foot of `floral --help` and of the manual.
pub const HELP: &str = "Exit codes:
    0  success
    1  the command ran, but the check failed (inspect: values not finite; verify: a number is off)
    2  error: the message on standard error says what is wrong and what to do
  130  interrupted by Ctrl-C or SIGTERM: run the same command again to continue

Results go to standard output; progress, notes and errors go to standard error. Progress bars are
drawn only on a terminal. NO_COLOR is respected.";

/// The exit code of an outcome. An error is printed first.
pub fn code(outcome: anyhow::Result<Ending>) -> u8 {
    match outcome {
        Ok(Ending::Done) => DONE,
        Ok(Ending::Negative) => NEGATIVE,
        Err(error) => failed(&error),
    }
}

/// Prints an error and chooses its code.
fn failed(error: &anyhow::Error) -> u8 {
    if let Some(interrupted @ floral::Error::Interrupted) = error.downcast_ref() {
        let advice = "run the same command again to continue";
        output::interrupted(&format!("{interrupted}; {advice}"), INTERRUPTED);
        return INTERRUPTED;
    }
    output::error(&message(error), ERROR);
    ERROR
}

/// The context of an error, then its cause with the flags that avoid it.
fn message(error: &anyhow::Error) -> String {
    let mut parts = Vec::new();
    for cause in error.chain() {
        let Some(known) = cause.downcast_ref::<floral::Error>() else {
            parts.push(cause.to_string());
            continue;
        };
        // The library's messages include their own cause.
        parts.push(advice::message(known));
        break;
    }
    parts.join(": ")
}

#[cfg(test)]
mod tests {
    use anyhow::Context;
    use floral::{Advice, Error};

    use super::*;

    #[test]
    fn context_comes_before_the_message_and_its_flags() {
        let error = Error::config("u", "has no grid");
        let outcome: Result<(), Error> = Err(error.advised(Advice::NameHigh));
        assert_eq!(
            message(&outcome.context("sea.nc").unwrap_err()),
            "sea.nc: u: has no grid; name the array of high fidelity (--high NAME)"
        );
    }
}
