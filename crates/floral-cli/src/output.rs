//! Output of commands: results on standard output, everything else on standard error, as text or as
//! JSON lines.

use std::borrow::Cow;
use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde::Serialize;
use serde_json::{Value, json};

/// How standard error is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Log {
    /// Sentences, and bars on a terminal
    #[default]
    Text,
    /// One JSON object per line: event, seconds since the start, message, and further fields
    Json,
}

/// Format and verbosity of standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Style {
    log: Log,
    is_quiet: bool,
    begun: Instant,
}

static STYLE: OnceLock<Style> = OnceLock::new();

/// Sets the format of standard error, once; `is_quiet` restricts it to errors.
pub fn set_up(log: Log, is_quiet: bool) {
    let begun = Instant::now();
    let _ = STYLE.set(Style {
        log,
        is_quiet,
        begun,
    });
}

/// Whether this process prints nothing, because rank 0 reports for all ranks.
static IS_SILENT: AtomicBool = AtomicBool::new(false);

/// The prefix of error messages: the rank that reports.
static PREFIX: OnceLock<String> = OnceLock::new();

/// Prints nothing from here on, because rank 0 reports for this process.
pub fn be_silent() {
    IS_SILENT.store(true, Ordering::SeqCst);
}

/// Prints again, with this prefix, what happened on this rank only.
#[cfg(feature = "mpi")]
pub fn report_as(prefix: &str) {
    IS_SILENT.store(false, Ordering::SeqCst);
    let _ = PREFIX.set(prefix.to_owned());
}

fn is_silent() -> bool {
    IS_SILENT.load(Ordering::SeqCst)
}

fn style() -> Style {
    *STYLE.get_or_init(|| Style {
        log: Log::Text,
        is_quiet: false,
        begun: Instant::now(),
    })
}

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// A bar with the time left.
    Bar,
    /// An occasional line.
    Lines,
    /// An occasional line of JSON.
    Events,
    /// No progress.
    Nothing,
}

/// How progress is shown here: bars only where a terminal can draw them.
pub fn shown() -> Shown {
    let draws = || {
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        std::io::stderr().is_terminal() && !is_dumb
    };
    match style() {
        _ if is_silent() => Shown::Nothing,
        Style { is_quiet: true, .. } => Shown::Nothing,
        Style { log: Log::Json, .. } => Shown::Events,
        _ if draws() => Shown::Bar,
        _ => Shown::Lines,
    }
}

/// Prints text. Control characters, which may come from a file and which a terminal would obey, are
/// escaped. A closed pipe, as in `floral inspect data.zarr | head`, is not an error.
pub fn print(text: &str) -> anyhow::Result<()> {
    if is_silent() {
        return Ok(());
    }
    let mut stdout = std::io::stdout().lock();
    match stdout
        .write_all(printable(text).as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}

/// Prints a result as JSON or as text.
pub fn found<T: Serialize>(
    found: &T,
    is_json: bool,
    text: impl FnOnce(&T) -> anyhow::Result<String>,
) -> anyhow::Result<()> {
    print(&match is_json {
        true => serde_json::to_string_pretty(found)? + "\n",
        false => text(found)?,
    })
}

/// A message: what was done, or is about to be done.
pub fn message(words: &str) {
    say("message", words, words, json!({}));
}

/// A note that a user should read.
pub fn note(words: &str) {
    say("note", &format!("note: {words}"), words, json!({}));
}

/// Several notes, one per line.
pub fn notes(notes: &[String]) {
    notes.iter().for_each(|words| note(words));
}

/// Progress of the work; `facts` are further fields for programs.
pub fn progress(words: &str, facts: Value) {
    say("progress", words, words, facts);
}

/// Why a command failed, and the code it exits with; printed even with `--quiet`.
pub fn error(words: &str, code: u8) {
    let words = &format!("{}{words}", PREFIX.get().map_or("", String::as_str));
    let facts = json!({"code": code});
    write("error", &format!("error: {words}"), words, facts);
}

/// Reports that a command was interrupted, and its exit code; printed even with `--quiet`.
pub fn interrupted(words: &str, code: u8) {
    let facts = json!({"code": code});
    write("interrupted", words, words, facts);
}

fn say(event: &str, line: &str, message: &str, facts: Value) {
    if !style().is_quiet {
        write(event, line, message, facts);
    }
}

/// Writes a line to standard error. If it is closed or full, the line is lost and the work
/// continues.
fn write(event: &str, line: &str, message: &str, facts: Value) {
    if is_silent() {
        return;
    }
    let Style { log, begun, .. } = style();
    let line = match log {
        Log::Text => line.to_owned(),
        Log::Json => record(event, begun.elapsed().as_secs_f64(), message, facts).to_string(),
    };
    let _ = writeln!(std::io::stderr().lock(), "{}", printable(&line));
}

/// Text without control characters other than line ends and tabs.
fn printable(text: &str) -> Cow<'_, str> {
    let is_control = |c: char| c.is_control() && c != '\n' && c != '\t';
    if !text.contains(is_control) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::new();
    for c in text.chars() {
        if is_control(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

fn record(event: &str, seconds: f64, message: &str, facts: Value) -> Value {
    let seconds = (seconds * 1e3).round() / 1e3;
    let mut record = json!({"event": event, "seconds": seconds, "message": message});
    if let (Some(record), Value::Object(facts)) = (record.as_object_mut(), facts) {
        record.extend(facts);
    }
    record
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(printable("a\tb\n\u{3b8}"), "a\tb\n\u{3b8}");
        assert_eq!(
            printable("\u{1b}[2J\u{9b}1m\rx\u{7}"),
            r"\u{1b}[2J\u{9b}1m\rx\u{7}"
        );
    }

    #[test]
    fn a_record_is_one_line_whatever_its_message() {
        let record = record(
            "note",
            1.23456,
            "two\nlines \"quoted\"",
            json!({"share": 0.5}),
        );
        let text = record.to_string();
        assert!(!text.contains('\n'));
        let read: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read["message"], "two\nlines \"quoted\"");
        assert_eq!(
            (read["seconds"].as_f64(), read["share"].as_f64()),
            (Some(1.235), Some(0.5))
        );
    }
}
