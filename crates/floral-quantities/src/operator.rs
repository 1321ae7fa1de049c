//! Operators and functions of single values: their precedence and their results.
//!
//! Conditions are numbers: 1 where they hold, otherwise 0. NaN stays NaN, in conditions too: a
//! missing value must not count as one below a threshold.

/// An operation on one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unary {
    Negative,
    Not,
    Abs,
    Sqrt,
    Exp,
    Log,
    Log10,
    Sin,
    Cos,
    Tan,
    Tanh,
}

/// Functions of one value, by name.
pub(crate) const FUNCTIONS: [(&str, Unary); 9] = [
    ("abs", Unary::Abs),
    ("sqrt", Unary::Sqrt),
    ("exp", Unary::Exp),
    ("log", Unary::Log),
    ("log10", Unary::Log10),
    ("sin", Unary::Sin),
    ("cos", Unary::Cos),
    ("tan", Unary::Tan),
    ("tanh", Unary::Tanh),
];

impl Unary {
    #[inline]
    pub fn apply(self, x: f64) -> f64 {
        match self {
            Self::Negative => -x,
            Self::Not => 1.0 - x,
            Self::Abs => x.abs(),
            Self::Sqrt => x.sqrt(),
            Self::Exp => x.exp(),
            Self::Log => x.ln(),
            Self::Log10 => x.log10(),
            Self::Sin => x.sin(),
            Self::Cos => x.cos(),
            Self::Tan => x.tan(),
            Self::Tanh => x.tanh(),
        }
    }
}

/// An operation on two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binary {
    Or,
    And,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Min,
    Max,
}

/// Precedence of `not`: that of a comparison.
pub(crate) const NOT_BINDS: u8 = 3;
/// Precedence of a sign: -x^2 is -(x^2).
pub(crate) const SIGN_BINDS: u8 = 6;

impl Binary {
    /// Precedence: `or` binds least, powers bind most.
    pub fn binds(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            _ if self.is_comparison() => 3,
            Self::Add | Self::Subtract => 4,
            Self::Multiply | Self::Divide => 5,
            _ => 6,
        }
    }

    pub fn is_comparison(self) -> bool {
        use Binary::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        matches!(
            self,
            Less | LessEqual | Greater | GreaterEqual | Equal | NotEqual
        )
    }

    pub fn is_logical(self) -> bool {
        matches!(self, Self::And | Self::Or)
    }

    /// The equivalent comparison with exchanged sides: a < b is b > a.
    pub fn mirrored(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessEqual => Self::GreaterEqual,
            Self::Greater => Self::Less,
            Self::GreaterEqual => Self::LessEqual,
            other => other,
        }
    }

    #[inline]
    pub fn apply(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Or => a + b - a * b,
            Self::And => a * b,
            Self::Less => compared(a, b, a < b),
            Self::LessEqual => compared(a, b, a <= b),
            Self::Greater => compared(a, b, a > b),
            Self::GreaterEqual => compared(a, b, a >= b),
            Self::Equal => compared(a, b, a == b),
            Self::NotEqual => compared(a, b, a != b),
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Divide => a / b,
            // Squares are common, and the general power is slow.
            Self::Power if b == 2.0 => a * a,
            Self::Power => a.powf(b),
            // f64::min would hide a NaN.
            Self::Min => choose(a, b, a < b),
            Self::Max => choose(a, b, a > b),
        }
    }
}

#[inline]
fn compared(a: f64, b: f64, holds: bool) -> f64 {
    match a.is_nan() || b.is_nan() {
        true => f64::NAN,
        false => f64::from(holds),
    }
}

#[inline]
fn choose(a: f64, b: f64, is_first: bool) -> f64 {
    if is_first || a.is_nan() { a } else { b }
}
