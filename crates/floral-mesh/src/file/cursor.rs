//! Reads text and binary numbers from the bytes of a file, in order.

use crate::Error;
use crate::error::format;
use crate::file::array::Number;
use crate::file::arrays::shown;

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Ascii,
    Binary { big: bool },
}

/// A position in a file.
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    pub(crate) mode: Mode,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let (at, mode) = (0, Mode::Ascii);
        Self { bytes, at, mode }
    }

    /// The bytes from the current position to the end.
    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// The rest of the line, trimmed of white space and its line ending.
    pub(crate) fn line(&mut self) -> Option<String> {
        let rest = self.rest();
        if rest.is_empty() {
            return None;
        }
        let end = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        self.at += (end + 1).min(rest.len());
        Some(String::from_utf8_lossy(&rest[..end]).trim().to_owned())
    }

    /// The next word.
    pub(crate) fn word(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let start = rest.iter().position(|b| !b.is_ascii_whitespace())?;
        let word = &rest[start..];
        let length = word
            .iter()
            .position(u8::is_ascii_whitespace)
            .unwrap_or(word.len());
        self.at += start + length;
        Some(std::str::from_utf8(&word[..length]).unwrap_or("(not text)"))
    }

    /// The next word, without advancing.
    pub(crate) fn peek(&mut self) -> Option<&'a str> {
        let at = self.at;
        let word = self.word();
        self.at = at;
        word
    }

    /// The next word; `what` describes it in the error if there is none.
    pub(crate) fn expect(&mut self, what: &str) -> Result<&'a str, Error> {
        self.word()
            .ok_or_else(|| format(format!("ends before {what}; it is cut short")))
    }

    /// A number written as text.
    pub(crate) fn parse<T: std::str::FromStr>(&mut self, what: &str) -> Result<T, Error> {
        let place = self.at;
        let word = self.expect(what)?;
        let shown = shown(word);
        word.parse().map_err(|_| {
            format(format!(
                "byte {place}: {shown:?} is not {what}; the file is damaged"
            ))
        })
    }

    /// Advances past the end of the line, where binary numbers begin.
    pub(crate) fn end_line(&mut self) {
        self.line();
    }

    /// Reads `count` numbers at the current position, as text or as bytes of this type.
    pub(crate) fn numbers(
        &mut self,
        count: usize,
        number: Number,
        what: &str,
    ) -> Result<Vec<f64>, Error> {
        let Mode::Binary { big } = self.mode else {
            // No capacity is reserved for `count`: the file may contain fewer numbers.
            return (0..count).map(|_| self.parse(what)).collect();
        };
        let length = count.checked_mul(number.size());
        let bytes = length.and_then(|length| self.rest().get(..length));
        let Some(bytes) = bytes else {
            return Err(format(format!(
                "byte {}: {count} numbers of {what} do not fit in the {} bytes that follow; the \
                 file is cut short or damaged",
                self.at,
                self.rest().len()
            )));
        };
        self.at += bytes.len();
        Ok(number.decode(bytes, big))
    }

    /// Advances past the next line that equals `end`; false if there is none.
    pub(crate) fn skip_to(&mut self, end: &str) -> bool {
        while let Some(line) = self.line() {
            if line == end {
                return true;
            }
        }
        false
    }
}
