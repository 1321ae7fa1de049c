//! Resolves names, kinds of values and units of an expression: from its syntax to a [`Term`].

mod call;
mod region;

use crate::error::Fault;
use crate::names::{Names, Source};
use crate::operator::{Binary, Unary};
use crate::syntax::{Kind, Syntax};
use crate::term::{Checked, Degree, Term};

/// Checks an expression that must be a number; refuses a field.
pub(crate) fn scalar(syntax: &Syntax, names: &Names) -> Result<Checked, Fault> {
    let checked = Checker { names }.check(syntax)?;
    if checked.is_field {
        let advice = match checked.is_condition {
            true => {
                "this is a condition at each point, not a single number; wrap it in fraction(...)"
            }
            false => {
                "this is a field, not a single number; wrap it in mean(...), max(...) or at(...)"
            }
        };
        return Err(Fault::new(syntax.column, advice));
    }
    Ok(checked)
}

struct Checker<'a> {
    names: &'a Names,
}

impl Checker<'_> {
    fn check(&self, syntax: &Syntax) -> Result<Checked, Fault> {
        match &syntax.kind {
            Kind::Number(value) => Ok(number(*value)),
            Kind::Name { kind, name } => self.name(syntax, kind.as_deref(), name),
            Kind::Unary(operator, operand) => self.unary(*operator, operand),
            Kind::Binary(operator, left, right) => self.binary(*operator, left, right),
            Kind::Call {
                function,
                arguments,
            } => self.call(syntax.column, function, arguments),
        }
    }

    fn name(&self, syntax: &Syntax, kind: Option<&str>, name: &str) -> Result<Checked, Fault> {
        let (source, unit) = match self.names.find(kind, name) {
            Ok(found) => found,
            Err(_) if kind.is_none() && name == "pi" => return Ok(number(std::f64::consts::PI)),
            Err(message) => return Err(Fault::new(syntax.column, message)),
        };
        Ok(Checked {
            term: Term::Field(source),
            is_condition: false,
            is_field: true,
            degree: match source {
                Source::Solution(_) => Degree::Affine,
                _ => Degree::Constant,
            },
            order: 0,
            unit,
        })
    }

    fn number(&self, syntax: &Syntax) -> Result<Checked, Fault> {
        let checked = self.check(syntax)?;
        match checked.is_condition {
            true => Err(Fault::new(
                syntax.column,
                "a condition where a number is needed; join comparisons by `and`, count with fraction(...)",
            )),
            false => Ok(checked),
        }
    }

    fn condition(&self, syntax: &Syntax) -> Result<Checked, Fault> {
        let checked = self.check(syntax)?;
        match checked.is_condition {
            true => Ok(checked),
            false => Err(Fault::new(
                syntax.column,
                "a number where a condition is needed; compare it, as in u > 0.8",
            )),
        }
    }

    fn unary(&self, operator: Unary, operand: &Syntax) -> Result<Checked, Fault> {
        let checked = match operator {
            Unary::Not => self.condition(operand)?,
            _ => self.number(operand)?,
        };
        let is_affine = operator == Unary::Negative;
        let keeps_unit = matches!(operator, Unary::Negative | Unary::Abs);
        Ok(Checked {
            degree: if is_affine {
                checked.degree
            } else {
                checked.degree.bent()
            },
            unit: checked.unit.filter(|_| keeps_unit),
            term: Term::Unary(operator, Box::new(checked.term)),
            ..checked
        })
    }

    fn binary(&self, operator: Binary, left: &Syntax, right: &Syntax) -> Result<Checked, Fault> {
        let [a, b] = match operator.is_logical() {
            true => [self.condition(left)?, self.condition(right)?],
            false => [self.number(left)?, self.number(right)?],
        };
        if matches!(operator, Binary::Equal | Binary::NotEqual) {
            self.refuse_plane(left, &a)?;
            self.refuse_plane(right, &b)?;
        }
        Ok(joined(operator, a, b))
    }

    /// Refuses a plane where it is no region: it has no measure inside an integral over the volume.
    fn refuse_plane(&self, syntax: &Syntax, checked: &Checked) -> Result<(), Fault> {
        let Term::Field(Source::Axis(axis)) = checked.term else {
            return Ok(());
        };
        let name = &self.names.axes[axis].name;
        let message = format!(
            "`{name} ==` selects a plane; use it only as a region compared with a number, as in mean(u, {name} == 1), \
             joined to other conditions by `and`"
        );
        Err(Fault::new(syntax.column, message))
    }
}

fn number(value: f64) -> Checked {
    Checked {
        term: Term::Number(value),
        is_condition: false,
        is_field: false,
        degree: Degree::Constant,
        order: 0,
        unit: None,
    }
}

/// Two values joined by an operator. The unit is kept if both sides have the same one and the
/// operator preserves it.
fn joined(operator: Binary, a: Checked, b: Checked) -> Checked {
    use Binary::{Add, Divide, Max, Min, Multiply, Subtract};
    let largest = a.degree.max(b.degree);
    let degree = match operator {
        Add | Subtract => largest,
        Multiply if a.degree.min(b.degree) == Degree::Constant => largest,
        Divide if b.degree == Degree::Constant => largest,
        _ => largest.bent(),
    };
    let keeps_unit = matches!(operator, Add | Subtract | Min | Max) && a.unit == b.unit;
    Checked {
        is_condition: operator.is_comparison() || operator.is_logical(),
        is_field: a.is_field || b.is_field,
        degree,
        order: a.order.max(b.order),
        unit: a.unit.filter(|_| keeps_unit),
        term: Term::Binary(operator, Box::new(a.term), Box::new(b.term)),
    }
}
