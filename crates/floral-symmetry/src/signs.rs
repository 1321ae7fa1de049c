//! Signs by which a symmetry multiplies the channels of input and solution.

use std::fmt;
use std::str::FromStr;

use super::Role;

/// For each role, one sign for all channels or one sign per channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signs {
    input: Vec<i8>,
    solution: Vec<i8>,
}

impl Signs {
    /// All signs positive.
    pub fn plus() -> Self {
        Self::all(1)
    }

    /// All signs negative.
    pub fn minus() -> Self {
        Self::all(-1)
    }

    fn all(sign: i8) -> Self {
        Self {
            input: vec![sign],
            solution: vec![sign],
        }
    }

    fn of(&self, role: Role) -> &[i8] {
        match role {
            Role::Input => &self.input,
            Role::Solution => &self.solution,
        }
    }

    /// One factor per channel; `None` if the signs were declared for another number of channels.
    pub fn factors(&self, role: Role, channels: usize) -> Option<Vec<f64>> {
        match self.of(role) {
            [sign] => Some(vec![f64::from(*sign); channels]),
            signs if signs.len() == channels => {
                Some(signs.iter().copied().map(f64::from).collect())
            }
            _ => None,
        }
    }
}

impl fmt::Display for Signs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |signs: &[i8]| -> String {
            let sign = |s: &i8| if *s < 0 { '-' } else { '+' };
            signs.iter().map(sign).collect()
        };
        let (input, solution) = (text(&self.input), text(&self.solution));
        if input == solution && input.len() == 1 {
            return f.write_str(&input);
        }
        write!(f, "input={input},solution={solution}")
    }
}

impl FromStr for Signs {
    type Err = ();

    /// Reads `-`, `+`, `input=-` or `input=+,solution=-+`; a role that is not named gets the sign
    /// `+`.
    fn from_str(text: &str) -> Result<Self, ()> {
        if let Some(signs) = parse(text) {
            return Ok(Self {
                input: signs.clone(),
                solution: signs,
            });
        }
        let mut signs = Self::plus();
        for part in text.split(',') {
            match part.split_once('=') {
                Some(("input", list)) => signs.input = parse(list).ok_or(())?,
                Some(("solution", list)) => signs.solution = parse(list).ok_or(())?,
                _ => return Err(()),
            }
        }
        Ok(signs)
    }
}

/// Reads one sign per character.
fn parse(text: &str) -> Option<Vec<i8>> {
    let sign = |c| match c {
        '+' => Some(1),
        '-' => Some(-1),
        _ => None,
    };
    let signs: Option<Vec<i8>> = text.chars().map(sign).collect();
    signs.filter(|signs| !signs.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_a_channel_or_one_for_all() {
        let signs: Signs = "input=-,solution=-+".parse().unwrap();
        assert_eq!(signs.factors(Role::Input, 3), Some(vec![-1.0; 3]));
        assert_eq!(signs.factors(Role::Solution, 2), Some(vec![-1.0, 1.0]));
        assert_eq!(signs.factors(Role::Solution, 3), None);
        assert_eq!(signs.to_string().parse::<Signs>().unwrap(), signs);
        assert!("input=x".parse::<Signs>().is_err() && "".parse::<Signs>().is_err());
    }
}
