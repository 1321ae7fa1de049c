//! The tokens of an expression, each with its column.

use crate::error::{Fault, LONGEST};
use crate::operator::Binary;

/// A token.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Token {
    Number(f64),
    /// A name, with its kind if given: `input.k`.
    Name {
        kind: Option<String>,
        name: String,
    },
    Operator(Binary),
    Not,
    Open,
    Close,
    Comma,
    End,
}

/// A token and its first column, in characters, from 1.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Placed {
    pub token: Token,
    pub column: usize,
}

/// The tokens of a text; the last one is [`Token::End`].
pub(crate) fn tokens(text: &str) -> Result<Vec<Placed>, Fault> {
    let characters: Vec<char> = text.chars().take(LONGEST + 1).collect();
    if characters.len() > LONGEST {
        let message = format!("more than {LONGEST} characters; split it into several quantities");
        return Err(Fault::new(1, message));
    }
    let mut scanner = Scanner {
        characters,
        position: 0,
    };
    let mut tokens = Vec::new();
    loop {
        let placed = scanner.next()?;
        let is_end = placed.token == Token::End;
        tokens.push(placed);
        if is_end {
            return Ok(tokens);
        }
    }
}

struct Scanner {
    characters: Vec<char>,
    position: usize,
}

impl Scanner {
    fn peek(&self, ahead: usize) -> char {
        self.characters
            .get(self.position + ahead)
            .copied()
            .unwrap_or('\0')
    }

    fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> String {
        let rest = &self.characters[self.position..];
        let word: String = rest.iter().copied().take_while(|c| is_part(*c)).collect();
        self.position += word.chars().count();
        word
    }

    fn next(&mut self) -> Result<Placed, Fault> {
        self.take_while(char::is_whitespace);
        let column = self.position + 1;
        let c = self.peek(0);
        let token = if self.position == self.characters.len() {
            Token::End
        } else if c.is_ascii_digit() || (c == '.' && self.peek(1).is_ascii_digit()) {
            self.number(column)?
        } else if c.is_alphabetic() || c == '_' || c == '`' {
            self.word(column)?
        } else {
            self.sign(column)?
        };
        Ok(Placed { token, column })
    }

    fn number(&mut self, column: usize) -> Result<Token, Fault> {
        let mut word = self.take_while(|c| c.is_ascii_digit() || c == '.');
        let signs = usize::from(matches!(self.peek(1), '+' | '-'));
        if matches!(self.peek(0), 'e' | 'E') && self.peek(1 + signs).is_ascii_digit() {
            word.extend(&self.characters[self.position..=self.position + signs]);
            self.position += 1 + signs;
            word += &self.take_while(|c| c.is_ascii_digit());
        }
        match word.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Token::Number(value)),
            _ => Err(Fault::new(
                column,
                format!("`{word}` is not a number; write it as 0.25 or 2.5e-1"),
            )),
        }
    }

    fn word(&mut self, column: usize) -> Result<Token, Fault> {
        let is_quoted = self.peek(0) == '`';
        let name = self.name(column)?;
        if self.peek(0) == '.' {
            self.position += 1;
            let part = self.name(column)?;
            let kind = Some(name);
            return Ok(Token::Name { kind, name: part });
        }
        Ok(match name.as_str() {
            _ if is_quoted => Token::Name { kind: None, name },
            "and" => Token::Operator(Binary::And),
            "or" => Token::Operator(Binary::Or),
            "not" => Token::Not,
            _ => Token::Name { kind: None, name },
        })
    }

    /// A name of letters, digits and `_`, or any name between backquotes.
    fn name(&mut self, column: usize) -> Result<String, Fault> {
        if self.peek(0) != '`' {
            let name = self.take_while(|c| c.is_alphanumeric() || c == '_');
            let advice = "a name follows the point, as in input.k";
            return if name.is_empty() {
                Err(Fault::new(column, advice))
            } else {
                Ok(name)
            };
        }
        self.position += 1;
        let name = self.take_while(|c| c != '`');
        if self.peek(0) != '`' {
            return Err(Fault::new(column, "the name has no closing backquote"));
        }
        self.position += 1;
        Ok(name)
    }

    fn sign(&mut self, column: usize) -> Result<Token, Fault> {
        let (token, length) = match (self.peek(0), self.peek(1)) {
            ('*', '*') => (Token::Operator(Binary::Power), 2),
            ('<', '=') => (Token::Operator(Binary::LessEqual), 2),
            ('>', '=') => (Token::Operator(Binary::GreaterEqual), 2),
            ('=', '=') => (Token::Operator(Binary::Equal), 2),
            ('!', '=') => (Token::Operator(Binary::NotEqual), 2),
            ('<', _) => (Token::Operator(Binary::Less), 1),
            ('>', _) => (Token::Operator(Binary::Greater), 1),
            ('+', _) => (Token::Operator(Binary::Add), 1),
            ('-', _) => (Token::Operator(Binary::Subtract), 1),
            ('*', _) => (Token::Operator(Binary::Multiply), 1),
            ('/', _) => (Token::Operator(Binary::Divide), 1),
            ('^', _) => (Token::Operator(Binary::Power), 1),
            ('(', _) => (Token::Open, 1),
            (')', _) => (Token::Close, 1),
            (',', _) => (Token::Comma, 1),
            (c, _) => return Err(Fault::new(column, advice(c))),
        };
        self.position += length;
        Ok(token)
    }
}

/// Advice for a character that has no meaning in the language.
fn advice(c: char) -> String {
    match c {
        '=' => "`=` compares nothing; write `==`".into(),
        '&' => "write `and`".into(),
        '|' => "write `or`, and abs(...) for an absolute value".into(),
        '!' => "write `not`".into(),
        _ => format!("unexpected {c:?}; names with other characters go between backquotes"),
    }
}
