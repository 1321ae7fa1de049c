//! What commands print: results on standard output, everything else on standard error, in words or
//! as JSON lines.

use std::borrow::Cow;
use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde_json::{Value, json};

/// How standard error is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Log {
    /// Sentences, and bars on a terminal
    #[default]
    Text,
    /// An object a line: event, seconds since the start, message, and what the event has besides
    Json,
}

/// What is told on standard error, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Voice {
    log: Log,
    is_quiet: bool,
    begun: Instant,
}

static VOICE: OnceLock<Voice> = OnceLock::new();

/// Chooses once and for all how standard error is written; quiet leaves errors alone.
pub fn set_up(log: Log, is_quiet: bool) {
    let begun = Instant::now();
    let _ = VOICE.set(Voice {
        log,
        is_quiet,
        begun,
    });
}

/// Whether nothing at all is told: rank 0 speaks for the others.
static IS_SILENT: AtomicBool = AtomicBool::new(false);

/// What stands before the words of an error.
static SPEAKER: OnceLock<String> = OnceLock::new();

/// Lets rank 0 speak for this process.
pub fn be_silent() {
    IS_SILENT.store(true, Ordering::SeqCst);
}

/// Speaks for itself, of what happened to none of the others.
#[cfg(feature = "mpi")]
pub fn raise_voice(speaker: &str) {
    IS_SILENT.store(false, Ordering::SeqCst);
    let _ = SPEAKER.set(speaker.to_owned());
}

fn is_silent() -> bool {
    IS_SILENT.load(Ordering::SeqCst)
}

fn voice() -> Voice {
    *VOICE.get_or_init(|| Voice {
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
    /// A line now and then.
    Lines,
    /// A JSON line now and then.
    Events,
    /// Not at all.
    Nothing,
}

/// How progress is shown here: bars only where a terminal can draw them.
pub fn shown() -> Shown {
    let draws = || {
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        std::io::stderr().is_terminal() && !is_dumb
    };
    match voice() {
        _ if is_silent() => Shown::Nothing,
        Voice { is_quiet: true, .. } => Shown::Nothing,
        Voice { log: Log::Json, .. } => Shown::Events,
        _ if draws() => Shown::Bar,
        _ => Shown::Lines,
    }
}

/// Prints text; control characters, which a file that is read may hold in any text and which a
/// terminal obeys, are shown by their number. A closed pipe, as in `floral inspect data.zarr | head`, is no error.
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

/// Tells what was done or is about to be.
pub fn tell(words: &str) {
    say("message", words, words, json!({}));
}

/// Tells what a user should know.
pub fn note(words: &str) {
    say("note", &format!("note: {words}"), words, json!({}));
}

/// Tells what a user should know, a line each.
pub fn notes(notes: &[String]) {
    notes.iter().for_each(|words| note(words));
}

/// Tells how work goes; `facts` are what a program may read of it.
pub fn progress(words: &str, facts: Value) {
    say("progress", words, words, facts);
}

/// Tells why a command failed and the code it exits with, also where all else is quiet.
pub fn error(words: &str, code: u8) {
    let words = &format!("{}{words}", SPEAKER.get().map_or("", String::as_str));
    let facts = json!({"code": code});
    write("error", &format!("error: {words}"), words, facts);
}

/// Tells that a command was stopped and the code it exits with, also where all else is quiet.
pub fn interrupted(words: &str, code: u8) {
    let facts = json!({"code": code});
    write("interrupted", words, words, facts);
}

fn say(event: &str, line: &str, message: &str, facts: Value) {
    if !voice().is_quiet {
        write(event, line, message, facts);
    }
}

/// Writes a line of standard error; one that is closed or full hears nothing, and the work goes on.
fn write(event: &str, line: &str, message: &str, facts: Value) {
    if is_silent() {
        return;
    }
    let Voice { log, begun, .. } = voice();
    let line = match log {
        Log::Text => line.to_owned(),
        Log::Json => record(event, begun.elapsed().as_secs_f64(), message, facts).to_string(),
    };
    let _ = writeln!(std::io::stderr().lock(), "{}", printable(&line));
}

/// Text without characters that a terminal obeys, but for the ends of lines and tabs.
fn printable(text: &str) -> Cow<'_, str> {
    let is_obeyed = |c: char| c.is_control() && c != '\n' && c != '\t';
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::new();
    for c in text.chars() {
        if is_obeyed(c) {
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
    fn a_terminal_is_given_nothing_to_obey() {
        assert_eq!(printable("a\tb\n\u{3b8}"), "a\tb\n\u{3b8}");
        assert_eq!(
            printable("\u{1b}[2J\u{9b}1m\rx\u{7}"),
            r"\u{1b}[2J\u{9b}1m\rx\u{7}"
        );
    }

    #[test]
    fn a_record_is_one_line_whatever_it_says() {
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
