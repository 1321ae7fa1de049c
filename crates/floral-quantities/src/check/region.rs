//! Regions: a conjunction of planes, bounds along axes, and other conditions.

use super::{Checker, joined};
use crate::error::Fault;
use crate::names::Source;
use crate::operator::Binary;
use crate::syntax::{Kind, Syntax};
use crate::term::{Checked, Degree, Limit, Region, Term};

impl Checker<'_> {
    /// A region, and its dependence on the solution.
    pub(super) fn region(&self, syntax: &Syntax) -> Result<(Region, Degree), Fault> {
        let mut region = Region::default();
        let mut degree = Degree::Constant;
        for part in conjuncts(syntax) {
            let condition = match self.comparison(part)? {
                Some(Comparison::Limit(limit)) => {
                    match limit.comparison {
                        Binary::Equal => region.planes.push(limit),
                        _ => region.bounds.push(limit),
                    }
                    continue;
                }
                Some(Comparison::Other(condition)) => condition,
                None => self.condition(part)?,
            };
            degree = degree.max(condition.degree);
            region.filter = Some(Box::new(both(region.filter.take(), condition.term)));
        }
        Ok((region, degree))
    }

    /// The comparison of a coordinate with a value, if the expression is one. Each part is checked
    /// once; otherwise nested regions would take exponential time.
    pub(super) fn comparison(&self, syntax: &Syntax) -> Result<Option<Comparison>, Fault> {
        let Kind::Binary(comparison, left, right) = &syntax.kind else {
            return Ok(None);
        };
        if !comparison.is_comparison() || *comparison == Binary::NotEqual {
            return Ok(None);
        }
        let (axis, comparison, value) = match (self.coordinate(left), self.coordinate(right)) {
            (Some(_), None) => (left, *comparison, right),
            (None, Some(_)) => (right, comparison.mirrored(), left),
            _ => return Ok(None),
        };
        let (coordinate, value) = (self.check(axis)?, self.number(value)?);
        let is_constant = value.degree == Degree::Constant && !value.is_field;
        match coordinate.term {
            Term::Field(Source::Axis(axis)) if is_constant => Ok(Some(Comparison::Limit(Limit {
                axis,
                comparison,
                value: value.term,
            }))),
            _ if comparison == Binary::Equal => self.refuse_plane(axis, &coordinate).map(|()| None),
            _ => Ok(Some(Comparison::Other(joined(
                comparison, coordinate, value,
            )))),
        }
    }
}

/// A coordinate compared with a value.
pub(super) enum Comparison {
    /// With a constant.
    Limit(Limit),
    /// With a value that depends on the location or on the solution.
    Other(Checked),
}

/// The expressions joined by `and`.
fn conjuncts(syntax: &Syntax) -> Vec<&Syntax> {
    match &syntax.kind {
        Kind::Binary(Binary::And, left, right) => {
            let mut parts = conjuncts(left);
            parts.extend(conjuncts(right));
            parts
        }
        _ => vec![syntax],
    }
}

fn both(first: Option<Box<Term>>, second: Term) -> Term {
    match first {
        Some(first) => Term::Binary(Binary::And, first, Box::new(second)),
        None => second,
    }
}
