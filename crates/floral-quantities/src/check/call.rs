//! Function calls: functions of values, reductions of fields, derivatives, and values at a place.

use super::region::Comparison;
use super::{Checker, joined};
use crate::error::Fault;
use crate::names::Source;
use crate::operator::{Binary, FUNCTIONS, Unary};
use crate::syntax::{Kind, Syntax};
use crate::term::{Checked, Degree, Reduction, Region, Term};

/// Reductions of a field, by name; `max` and `min` of two numbers are functions of values.
const REDUCTIONS: [(&str, Reduction); 8] = [
    ("mean", Reduction::Mean),
    ("integral", Reduction::Integral),
    ("std", Reduction::Std),
    ("norm", Reduction::Norm),
    ("fraction", Reduction::Fraction),
    ("max", Reduction::Max),
    ("min", Reduction::Min),
    ("range", Reduction::Range),
];

/// Highest order of derivatives: each order evaluates the field below it at three or more points.
const HIGHEST_ORDER: usize = 4;

impl Checker<'_> {
    pub(super) fn call(
        &self,
        column: usize,
        function: &str,
        arguments: &[Syntax],
    ) -> Result<Checked, Fault> {
        let usage = |message: &str| Fault::new(column, message);
        if let Some((_, operator)) = FUNCTIONS.iter().find(|(name, _)| *name == function) {
            return match arguments {
                [operand] => self.unary(*operator, operand),
                _ => Err(usage(&format!("{function} takes one value: {function}(u)"))),
            };
        }
        if let Some((_, reduction)) = REDUCTIONS.iter().find(|(name, _)| *name == function) {
            return match arguments {
                [of] => self.reduce(*reduction, of, None),
                [of, second] => self.reduce_or_choose(*reduction, of, second),
                _ => Err(usage(&format!(
                    "{function} takes a field and, if need be, a region: {function}(u, x < 0.5)"
                ))),
            };
        }
        match (function, arguments) {
            ("argmax", [of, axis, region @ ..]) if region.len() < 2 => {
                self.reduce(Reduction::ArgMax(self.axis(axis)?), of, region.first())
            }
            ("argmin", [of, axis, region @ ..]) if region.len() < 2 => {
                self.reduce(Reduction::ArgMin(self.axis(axis)?), of, region.first())
            }
            ("argmax" | "argmin", _) => Err(usage(
                "takes a field, an axis and, if need be, a region: argmax(u, x)",
            )),
            ("d", [of, axis]) => self.derivative(of, axis),
            ("d", _) => Err(usage("d takes a field and an axis: d(u, x)")),
            ("at", [of, place @ ..]) if place.len() == self.names.axes.len() => self.at(of, place),
            ("at", _) => Err(usage(&self.usage_of_at())),
            _ => Err(usage(&unknown(function))),
        }
    }

    /// A reduction over a region, or the maximum or minimum of two numbers.
    fn reduce_or_choose(
        &self,
        reduction: Reduction,
        of: &Syntax,
        second: &Syntax,
    ) -> Result<Checked, Fault> {
        let operator = match reduction {
            Reduction::Max => Binary::Max,
            Reduction::Min => Binary::Min,
            _ => return self.reduce(reduction, of, Some(second)),
        };
        if is_condition(second) {
            return self.reduce(reduction, of, Some(second));
        }
        Ok(joined(operator, self.number(of)?, self.number(second)?))
    }

    fn reduce(
        &self,
        reduction: Reduction,
        of: &Syntax,
        region: Option<&Syntax>,
    ) -> Result<Checked, Fault> {
        let field = match reduction {
            Reduction::Fraction => self.condition(of)?,
            _ => self.number(of)?,
        };
        let (region, degree) = match region {
            Some(region) => self.region(region)?,
            None => (Region::default(), Degree::Constant),
        };
        let is_linear = reduction.is_linear() && degree == Degree::Constant;
        let unit = match reduction {
            Reduction::ArgMax(axis) | Reduction::ArgMin(axis) => self.names.axes[axis].unit.clone(),
            _ => field.unit.filter(|_| reduction.keeps_unit()),
        };
        Ok(Checked {
            is_condition: false,
            is_field: false,
            order: 0,
            degree: if is_linear {
                field.degree
            } else {
                field.degree.max(degree).bent()
            },
            unit,
            term: Term::Reduce {
                reduction,
                of: Box::new(field.term),
                region,
            },
        })
    }

    fn derivative(&self, of: &Syntax, axis: &Syntax) -> Result<Checked, Fault> {
        let field = self.number(of)?;
        if field.order == HIGHEST_ORDER {
            let message = format!("derivatives of more than order {HIGHEST_ORDER}; simplify it");
            return Err(Fault::new(of.column, message));
        }
        let axis = self.axis(axis)?;
        Ok(Checked {
            unit: None,
            is_field: true,
            order: field.order + 1,
            term: Term::Derivative {
                of: Box::new(field.term),
                axis,
            },
            ..field
        })
    }

    /// The value at a place, given by position, `at(u, 0.3, 0.7)`, or by name, `at(u, x == 0.3, y
    /// == 0.7)`.
    fn at(&self, of: &Syntax, place: &[Syntax]) -> Result<Checked, Fault> {
        let field = self.number(of)?;
        let mut coordinates: Vec<Option<Term>> = vec![None; place.len()];
        for (position, syntax) in place.iter().enumerate() {
            let (axis, value) = match self.comparison(syntax)? {
                Some(Comparison::Limit(limit)) if limit.comparison == Binary::Equal => {
                    (limit.axis, limit.value)
                }
                Some(_) => return Err(Fault::new(syntax.column, self.usage_of_at())),
                None => (position, self.constant(syntax)?),
            };
            if coordinates[axis].replace(value).is_some() {
                let name = &self.names.axes[axis].name;
                return Err(Fault::new(
                    syntax.column,
                    format!("the coordinate {name} is given twice"),
                ));
            }
        }
        Ok(Checked {
            is_field: false,
            order: 0,
            term: Term::At {
                of: Box::new(field.term),
                place: coordinates.into_iter().flatten().collect(),
            },
            ..field
        })
    }

    fn usage_of_at(&self) -> String {
        let write = |mark: &str| -> String {
            let names = self
                .names
                .axes
                .iter()
                .map(|axis| format!(", {}{mark}", axis.name));
            names.collect()
        };
        format!(
            "at takes a field and one number for each axis: at(u{}) or at(u{})",
            write(""),
            write(" == 0.5")
        )
    }

    /// A number that depends neither on the location nor on the solution.
    fn constant(&self, syntax: &Syntax) -> Result<Term, Fault> {
        let checked = self.number(syntax)?;
        match checked.degree {
            Degree::Constant if !checked.is_field => Ok(checked.term),
            _ => Err(Fault::new(
                syntax.column,
                "a number is needed that depends neither on the place nor on the solution",
            )),
        }
    }

    fn axis(&self, syntax: &Syntax) -> Result<usize, Fault> {
        if let Some(axis) = self.coordinate(syntax) {
            return Ok(axis);
        }
        let names: Vec<&str> = self
            .names
            .axes
            .iter()
            .map(|axis| axis.name.as_str())
            .collect();
        let message = format!("the name of an axis is needed; axes: {}", names.join(", "));
        Err(Fault::new(syntax.column, message))
    }

    /// The axis that an unqualified or qualified name denotes.
    pub(super) fn coordinate(&self, syntax: &Syntax) -> Option<usize> {
        let Kind::Name { kind, name } = &syntax.kind else {
            return None;
        };
        match self.names.find(kind.as_deref(), name) {
            Ok((Source::Axis(axis), _)) => Some(axis),
            _ => None,
        }
    }
}

/// Whether an expression is a condition, judged by its outermost operation.
fn is_condition(syntax: &Syntax) -> bool {
    match &syntax.kind {
        Kind::Binary(operator, ..) => operator.is_comparison() || operator.is_logical(),
        Kind::Unary(operator, _) => *operator == Unary::Not,
        _ => false,
    }
}

fn unknown(function: &str) -> String {
    let reductions = REDUCTIONS.iter().map(|(name, _)| *name);
    let others = ["argmax", "argmin", "at", "d"];
    let functions = FUNCTIONS.iter().map(|(name, _)| *name);
    let known: Vec<&str> = reductions.chain(others).chain(functions).collect();
    format!("unknown function `{function}`; known: {}", known.join(", "))
}
