//! A quantity of interest: a named expression that maps a realization to a number.

use crate::check;
use crate::error::{Error, Fault, Result};
use crate::names::{Names, Source};
use crate::prepare::{Channels, Given, program};
use crate::prepared::Prepared;
use crate::space::Space;
use crate::syntax;
use crate::term::{Checked, Degree, Region, Term};

/// A quantity of interest, such as `peak = max(u)`; the documentation of the crate defines the
/// language.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantity {
    name: String,
    text: String,
    checked: Checked,
    channels: [usize; 3],
    axes: usize,
}

impl Quantity {
    /// A quantity with this name and expression.
    pub fn parse(name: &str, text: &str, names: &Names) -> Result<Self> {
        Self::after(name, text, 0, names)
    }

    /// A quantity from its definition, `NAME = EXPRESSION`.
    pub fn define(definition: &str, names: &Names) -> Result<Self> {
        let split = definition
            .split_once('=')
            .filter(|(_, rest)| !rest.starts_with('='));
        let named = split.filter(|(name, _)| is_name(name.trim()));
        let Some((name, text)) = named else {
            let message = "a quantity is NAME = EXPRESSION, as in peak = max(u); names are letters, digits, `_` and `-`";
            return Err(Fault::new(1, message).of(definition));
        };
        let before = name.chars().count() + 1;
        let blank = text.chars().take_while(|c| c.is_whitespace()).count();
        Self::after(name.trim(), text.trim(), before + blank, names).map_err(|error| match error {
            Error::Expression {
                column, message, ..
            } => Fault { column, message }.of(definition),
            other => other,
        })
    }

    /// A quantity whose expression starts after `before` characters of its definition.
    fn after(name: &str, text: &str, before: usize, names: &Names) -> Result<Self> {
        let locate = |fault: Fault| Fault::new(fault.column + before, fault.message).of(text);
        let tree = syntax::parse(text).map_err(locate)?;
        Ok(Self {
            name: name.to_owned(),
            text: text.trim().to_owned(),
            checked: check::scalar(&tree, names).map_err(locate)?,
            channels: [
                names.solution.len(),
                names.input.len(),
                names.solution.len(),
            ],
            axes: names.axes.len(),
        })
    }

    /// Name of the quantity.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Expression of the quantity.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Unit of the quantity: the channel's for its mean, std, max, min, range or value at a place,
    /// the axis's for argmax and argmin, and the common unit of sums and differences; none if it is
    /// not known.
    pub fn unit(&self) -> Option<&str> {
        self.checked.unit.as_deref()
    }

    /// Smallest and largest possible value, as implied by the outermost function: a fraction lies
    /// between 0 and 1; a std, norm or range is not negative.
    pub fn bounds(&self) -> [f64; 2] {
        match &self.checked.term {
            _ if self.checked.is_condition => [0.0, 1.0],
            Term::Reduce { reduction, .. } => reduction.bounds(),
            _ => [f64::NEG_INFINITY, f64::INFINITY],
        }
    }

    /// Whether it is affine in the solution; [`Prepared::functional`] then has its coefficients.
    pub fn is_linear(&self) -> bool {
        self.checked.degree <= Degree::Affine
    }

    /// Whether it depends on the solution.
    pub fn uses_solution(&self) -> bool {
        self.checked.degree > Degree::Constant
    }

    /// Whether it depends on the input.
    pub fn uses_input(&self) -> bool {
        self.uses(|source| matches!(source, Source::Input(_)))
    }

    /// Whether it depends on the low-fidelity solution.
    pub fn uses_low(&self) -> bool {
        self.uses(|source| matches!(source, Source::Low(_)))
    }

    /// Prepares the quantity for one input; everything that does not depend on the solution is
    /// computed here.
    pub fn on(&self, space: &dyn Space, given: Given) -> Result<Prepared> {
        if space.axes() != self.axes {
            let reason = format!(
                "it was parsed for {} axes but the space has {}",
                self.axes,
                space.axes()
            );
            return Err(Error::config(&self.name, reason));
        }
        let [solution, input, low] = self.channels;
        let program = program(&self.checked.term, space, given, &Channels { input, low });
        let program = program.map_err(|error| self.named(error))?;
        let (points, is_linear) = (space.points(), self.is_linear());
        Ok(Prepared::new(program, solution * points, points, is_linear))
    }

    fn named(&self, error: Error) -> Error {
        match error {
            Error::Config { context, reason } => {
                Error::config(format!("{} = {}: {context}", self.name, self.text), reason)
            }
            other => other,
        }
    }

    fn uses(&self, is_meant: fn(Source) -> bool) -> bool {
        sources(&self.checked.term).into_iter().any(is_meant)
    }
}

/// Whether a text can be the name of a quantity in a table or a file.
fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}

/// All channels and axes that an expression reads.
fn sources(term: &Term) -> Vec<Source> {
    match term {
        Term::Number(_) => Vec::new(),
        Term::Field(source) => vec![*source],
        Term::Unary(_, a) | Term::Derivative { of: a, .. } => sources(a),
        Term::Binary(_, a, b) => [sources(a), sources(b)].concat(),
        Term::Reduce { of, region, .. } => [sources(of), of_region(region)].concat(),
        Term::At { of, place } => place
            .iter()
            .fold(sources(of), |all, x| [all, sources(x)].concat()),
    }
}

fn of_region(region: &Region) -> Vec<Source> {
    let limits = region
        .planes
        .iter()
        .chain(&region.bounds)
        .map(|limit| &limit.value);
    limits
        .chain(region.filter.as_deref())
        .flat_map(sources)
        .collect()
}
