//! The notation of UDUNITS: tokens, then products and quotients from left to right.

use super::{Unit, instant, table};

/// Largest length of a text.
const LONGEST: usize = 256;

/// Largest depth of nested parentheses.
const DEEPEST: usize = 8;

/// Words that shift the zero of a unit.
const SHIFTS: [&str; 5] = ["@", "since", "from", "after", "ref"];

/// The unit denoted by a text; none if it is unknown.
pub(super) fn parse(text: &str) -> Option<Unit> {
    let text = plain(text.trim());
    if text.is_empty() || text.len() > LONGEST {
        return None;
    }
    let unit = match shift(&text) {
        Some((unit, origin)) => shifted(product(unit)?, origin)?,
        None => product(&text)?,
    };
    let is_measure = unit.scale.is_normal() && unit.scale > 0.0 && unit.zero.is_finite();
    is_measure.then_some(unit)
}

/// A unit and its origin, as in `hours since 2000-01-01` or `K @ 273.15`.
fn shift(text: &str) -> Option<(&str, &str)> {
    let lower = text.to_ascii_lowercase();
    SHIFTS.iter().find_map(|word| {
        let at = match *word {
            "@" => lower.find('@')?,
            word => lower.find(&format!(" {word} "))? + 1,
        };
        Some((&text[..at], &text[at + word.len()..]))
    })
}

/// A unit whose values are counted from a number or from a date.
fn shifted(unit: Unit, origin: &str) -> Option<Unit> {
    let is_time = unit.dimensions == [0, 0, 1, 0, 0, 0, 0];
    if let Some(seconds) = instant::seconds(origin).filter(|_| is_time) {
        return Some(Unit {
            zero: seconds,
            is_instant: true,
            ..unit
        });
    }
    let number: f64 = origin.trim().parse().ok().filter(|_| !is_time)?;
    Some(Unit {
        zero: unit.zero + unit.scale * number,
        ..unit
    })
}

/// The text with superscripts and variant symbols replaced by standard ones.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut was_raised = false;
    for c in text.replace("**", "^").chars() {
        let raised = "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|digit| digit == c);
        match (raised, c) {
            (Some(digit), _) => {
                if !was_raised {
                    plain.push('^');
                }
                plain.push(char::from(b'0' + digit as u8));
            }
            (None, '⁻') => plain.push_str("^-"),
            (None, 'µ' | 'μ') => plain.push('u'),
            (None, '·' | '×' | '⋅') => plain.push('*'),
            (None, 'º') => plain.push('°'),
            (None, '\u{212b}') => plain.push('Å'),
            (None, '\u{2126}') => plain.push('Ω'),
            (None, '\t' | '\u{a0}') => plain.push(' '),
            (None, c) => plain.push(c),
        }
        was_raised = raised.is_some() || c == '⁻';
    }
    plain
}

/// A token of a text.
#[derive(Debug, Clone, PartialEq)]
enum Token {
    Number(f64),
    Name(String),
    Power(i32),
    Times,
    Per,
    Open,
    Close,
}

fn product(text: &str) -> Option<Unit> {
    let tokens = merged(tokens(text)?);
    let mut rest = &tokens[..];
    let unit = factors(&mut rest, 0)?;
    rest.is_empty().then_some(unit)
}

/// Factors from left to right, up to the end or a closing parenthesis: `W/m2 K` is `(W/m2) K`.
fn factors(rest: &mut &[Token], depth: usize) -> Option<Unit> {
    let mut unit = factor(rest, depth)?;
    while !matches!(rest.first(), None | Some(Token::Close)) {
        let sign = match rest[0] {
            Token::Per => -1,
            _ => 1,
        };
        if matches!(rest[0], Token::Times | Token::Per) {
            *rest = &rest[1..];
        }
        unit = unit.times(factor(rest, depth)?.power(sign)?)?;
    }
    Some(unit)
}

/// A number, a name or a parenthesis, with its power.
fn factor(rest: &mut &[Token], depth: usize) -> Option<Unit> {
    let (first, after) = rest.split_first()?;
    *rest = after;
    let base = match first {
        Token::Number(number) => Unit::new(*number, [0; 7]),
        Token::Name(name) => table::unit(name)?,
        Token::Open if depth < DEEPEST => {
            let inner = factors(rest, depth + 1)?;
            *rest = rest.strip_prefix(&[Token::Close])?;
            inner
        }
        _ => return None,
    };
    match rest.first() {
        Some(Token::Power(power)) => {
            *rest = &rest[1..];
            base.power(*power)
        }
        _ => Some(base),
    }
}

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        // A number directly after a name, a number or a parenthesis is its power.
        let is_behind = matches!(
            tokens.last(),
            Some(Token::Name(_) | Token::Number(_) | Token::Close)
        ) && !text[..text.len() - rest.len()].ends_with(' ');
        let (token, length) = match c {
            ' ' => (None, 1),
            '(' => (Some(Token::Open), 1),
            ')' => (Some(Token::Close), 1),
            '/' => (Some(Token::Per), 1),
            '^' if is_behind => {
                let length = 1 + whole(&rest[1..])?;
                (Some(Token::Power(rest[1..length].parse().ok()?)), length)
            }
            '*' => (Some(Token::Times), 1),
            _ if is_behind && whole(rest).is_some() => {
                let length = whole(rest)?;
                (Some(Token::Power(rest[..length].parse().ok()?)), length)
            }
            '.' | '-' if is_behind && rest[1..].starts_with(char::is_alphabetic) => {
                (Some(Token::Times), 1)
            }
            _ if number(rest).is_some() => {
                let length = number(rest).filter(|_| !is_behind)?;
                (Some(Token::Number(rest[..length].parse().ok()?)), length)
            }
            _ => {
                let name = name(rest)?;
                let token = match name {
                    "per" | "PER" => Token::Per,
                    _ => Token::Name(name.to_owned()),
                };
                (Some(token), name.len())
            }
        };
        tokens.extend(token);
        rest = &rest[length..];
    }
    Some(tokens)
}

/// Length in bytes of an integer with an optional sign; none if a fraction follows.
fn whole(text: &str) -> Option<usize> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let count = digits.bytes().take_while(u8::is_ascii_digit).count();
    let after = &digits[count..];
    let is_fraction =
        after.starts_with('.') && after[1..].starts_with(|c: char| c.is_ascii_digit());
    (count > 0 && !is_fraction).then_some(text.len() - after.len())
}

/// Length in bytes of a number, such as `1.5` or `1e-3`.
fn number(text: &str) -> Option<usize> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut length = usize::from(text.starts_with(['-', '+']));
    let before = digits(&text[length..]);
    length += before;
    let after = match text[length..].strip_prefix('.') {
        Some(fraction) => {
            let after = digits(fraction);
            // A dot after an integer may denote a product, as in `10.m`.
            length += if before + after > 0 && after > 0 {
                1 + after
            } else {
                0
            };
            after
        }
        None => 0,
    };
    if before + after == 0 {
        return None;
    }
    if let Some(exponent) = text[length..].strip_prefix(['e', 'E']) {
        let sign = usize::from(exponent.starts_with(['-', '+']));
        let digits = digits(&exponent[sign..]);
        length += if digits > 0 { 1 + sign + digits } else { 0 };
    }
    Some(length)
}

/// A name at the start of a text: letters, possibly with digits between them.
fn name(text: &str) -> Option<&str> {
    let is_part = |c: char| c.is_alphanumeric() || "_%°'\"".contains(c);
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    let name = text[..end].trim_end_matches(|c: char| c.is_ascii_digit());
    (!name.is_empty()).then_some(name)
}

/// Joins the words of temperature scales, such as `deg K` and `degrees Celsius`; they never denote
/// an angle times a temperature.
fn merged(tokens: Vec<Token>) -> Vec<Token> {
    let mut merged: Vec<Token> = Vec::new();
    for token in tokens {
        if let (Some(Token::Name(before)), Token::Name(name)) = (merged.last_mut(), &token)
            && table::is_scale(before, name)
        {
            *before = format!("deg{}", name[..1].to_ascii_uppercase());
            continue;
        }
        merged.push(token);
    }
    merged
}
