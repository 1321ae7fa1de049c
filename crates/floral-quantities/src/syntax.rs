//! Parses an expression into a syntax tree, by precedence climbing over its tokens.

use crate::error::Fault;
use crate::operator::{Binary, NOT_BINDS, SIGN_BINDS, Unary};
use crate::token::{Placed, Token, tokens};

/// Largest nesting depth, which keeps the recursion within the stack.
const DEEPEST: usize = 50;
/// Largest number of nodes of a tree; a chain of operators is as deep as it is long.
const LARGEST: usize = 400;

/// An expression, and the column to which its errors refer, from 1.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Syntax {
    pub column: usize,
    pub kind: Kind,
}

/// The forms of an expression.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Number(f64),
    Name {
        kind: Option<String>,
        name: String,
    },
    Call {
        function: String,
        arguments: Vec<Syntax>,
    },
    Unary(Unary, Box<Syntax>),
    Binary(Binary, Box<Syntax>, Box<Syntax>),
}

/// Parses a whole text.
pub(crate) fn parse(text: &str) -> Result<Syntax, Fault> {
    let mut parser = Parser {
        tokens: tokens(text)?,
        next: 0,
        depth: 0,
        size: 0,
    };
    let tree = parser.expression(0)?;
    match parser.peek() {
        Token::End => Ok(tree),
        Token::Close => Err(parser.fault("`)` without its `(`")),
        Token::Comma => Err(parser.fault("a comma outside of a function; give one expression")),
        Token::Name { name, .. } => {
            let message = format!(
                "an operator is missing before `{name}`; numbers take the unit of what they are compared with"
            );
            Err(parser.fault(message))
        }
        _ => Err(parser.fault("an operator is missing")),
    }
}

struct Parser {
    tokens: Vec<Placed>,
    next: usize,
    depth: usize,
    size: usize,
}

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.next].token
    }

    fn column(&self) -> usize {
        self.tokens[self.next].column
    }

    fn fault(&self, message: impl Into<String>) -> Fault {
        Fault::new(self.column(), message)
    }

    /// Takes the next token; the end token stays.
    fn advance(&mut self) -> Token {
        let token = self.peek().clone();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        token
    }

    fn accepts(&mut self, token: &Token) -> bool {
        let is_next = self.peek() == token;
        if is_next {
            self.advance();
        }
        is_next
    }

    fn node(&mut self, column: usize, kind: Kind) -> Result<Syntax, Fault> {
        self.size += 1;
        if self.size > LARGEST {
            let message =
                format!("more than {LARGEST} operations; split it into several quantities");
            return Err(Fault::new(column, message));
        }
        Ok(Syntax { column, kind })
    }

    /// An expression whose operators have at least this precedence.
    fn expression(&mut self, binds: u8) -> Result<Syntax, Fault> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.fault(format!("nested more than {DEEPEST} times; simplify it")));
        }
        let mut left = self.prefix()?;
        while let Token::Operator(operator) = *self.peek()
            && operator.binds() >= binds
        {
            let column = self.column();
            self.advance();
            // Powers group from the right: 2^3^2 is 2^9.
            let right = self.expression(operator.binds() + u8::from(operator != Binary::Power))?;
            let kind = Kind::Binary(operator, Box::new(left), Box::new(right));
            left = self.node(column, kind)?;
        }
        self.depth -= 1;
        Ok(left)
    }

    fn prefix(&mut self) -> Result<Syntax, Fault> {
        let column = self.column();
        match self.advance() {
            Token::Number(value) => self.node(column, Kind::Number(value)),
            Token::Name { kind: None, name } if self.accepts(&Token::Open) => {
                self.call(column, name)
            }
            Token::Name { kind, name } => self.node(column, Kind::Name { kind, name }),
            Token::Not => self.unary(column, Unary::Not, NOT_BINDS),
            Token::Operator(Binary::Subtract) => self.unary(column, Unary::Negative, SIGN_BINDS),
            Token::Operator(Binary::Add) => self.expression(SIGN_BINDS),
            Token::Open => {
                let inner = self.expression(0)?;
                self.close("`(`", column)?;
                Ok(inner)
            }
            Token::End => Err(Fault::new(
                column,
                "the expression ends too early; a name, a number or `(` is missing",
            )),
            _ => Err(Fault::new(column, "a name, a number or `(` is missing")),
        }
    }

    fn unary(&mut self, column: usize, operator: Unary, binds: u8) -> Result<Syntax, Fault> {
        let operand = self.expression(binds)?;
        self.node(column, Kind::Unary(operator, Box::new(operand)))
    }

    fn call(&mut self, column: usize, function: String) -> Result<Syntax, Fault> {
        let mut arguments = Vec::new();
        if !self.accepts(&Token::Close) {
            loop {
                arguments.push(self.expression(0)?);
                if !self.accepts(&Token::Comma) {
                    break;
                }
            }
            self.close(&format!("`{function}(`"), column)?;
        }
        self.node(
            column,
            Kind::Call {
                function,
                arguments,
            },
        )
    }

    fn close(&mut self, opened: &str, column: usize) -> Result<(), Fault> {
        if self.accepts(&Token::Close) {
            return Ok(());
        }
        Err(self.fault(format!("`)` is missing; {opened} opens at column {column}")))
    }
}
