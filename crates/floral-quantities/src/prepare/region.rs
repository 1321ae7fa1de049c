//! Reductions over a region: the selected points with their measure, and the conditions to be
//! evaluated for each realization.

use super::Builder;
use crate::error::{Error, Result};
use crate::node::{Node, Realization, Reduce};
use crate::operator::Binary;
use crate::space::{Cut, Section};
use crate::term::{Limit, Reduction, Region, Term};

impl Builder<'_> {
    pub(super) fn reduce(
        &mut self,
        reduction: Reduction,
        of: &Term,
        region: &Region,
    ) -> Result<Node> {
        let of = self.node(of)?;
        let mut cuts = self.cuts(&region.planes)?;
        let mut conditions: Vec<Term> = region
            .filter
            .iter()
            .map(|filter| (**filter).clone())
            .collect();
        if reduction.is_weighted() {
            cuts.extend(self.cuts(&region.bounds)?);
        } else {
            // Extremes are taken over points, so bounds select points.
            conditions.extend(region.bounds.iter().map(Limit::condition));
        }
        let mut section = self.space.section(&cuts)?;
        let filter = self.filter(&conditions, &mut section)?;
        if section.points.is_empty() {
            return Err(Error::config("region", "it holds no points; widen it"));
        }
        let coordinates = match reduction {
            Reduction::ArgMax(axis) | Reduction::ArgMin(axis) => {
                let points = section.points.iter();
                points
                    .map(|point| self.space.coordinate(axis, *point))
                    .collect()
            }
            _ => Vec::new(),
        };
        self.push(Reduce {
            reduction,
            of,
            points: section.points,
            weights: section.weights,
            filter,
            coordinates,
        })
    }

    fn cuts(&mut self, limits: &[Limit]) -> Result<Vec<Cut>> {
        let cut = |limit: &Limit| {
            let (axis, value) = (limit.axis, self.number(&limit.value)?);
            let (from, to) = match limit.comparison {
                Binary::Less | Binary::LessEqual => (f64::NEG_INFINITY, value),
                Binary::Greater | Binary::GreaterEqual => (value, f64::INFINITY),
                _ => (value, value),
            };
            Ok(Cut { axis, from, to })
        };
        limits.iter().map(cut).collect()
    }

    /// Known conditions select points of the section; the others are evaluated for each
    /// realization.
    fn filter(&mut self, conditions: &[Term], section: &mut Section) -> Result<Option<Node>> {
        let mut rest = None;
        for condition in conditions {
            let node = self.node(condition)?;
            if node.is_known() {
                retain(section, |point| node.value(point, Realization::NONE))?;
            } else {
                rest = Some(match rest {
                    Some(first) => Node::Binary(Binary::And, Box::new(first), Box::new(node)),
                    None => node,
                });
            }
        }
        Ok(rest)
    }
}

/// Keeps the points of a section where a condition is not 0.
fn retain(section: &mut Section, condition: impl Fn(usize) -> f64) -> Result<()> {
    let (mut points, mut weights) = (Vec::new(), Vec::new());
    for (point, weight) in section.points.iter().zip(&section.weights) {
        let kept = condition(*point);
        if kept.is_nan() {
            let reason =
                format!("a value is not a number, at point {point}; check the input there");
            return Err(Error::config("region", reason));
        }
        if kept != 0.0 {
            points.push(*point);
            weights.push(*weight);
        }
    }
    *section = Section { points, weights };
    Ok(())
}
