//! A range of inputs as typed: `0..15`, or `4` for a single input.

use std::ops::Range;

/// Parses a half-open range, or a single index.
pub fn parse(text: &str) -> Result<Range<usize>, String> {
    let number = |text: &str| text.trim().parse::<usize>().ok();
    let range = match text.split_once("..") {
        Some((first, end)) => number(first).zip(number(end)),
        None => number(text).map(|index| (index, index + 1)),
    };
    match range {
        Some((first, end)) if first < end => Ok(first..end),
        _ => Err("write a range such as 0..15, whose end is not part of it, or an index".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_indices_are_understood() {
        assert_eq!(parse("0..15"), Ok(0..15));
        assert_eq!(parse("4"), Ok(4..5));
        for text in ["", "3..3", "5..2", "a..b", "-1..2", "1.."] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
