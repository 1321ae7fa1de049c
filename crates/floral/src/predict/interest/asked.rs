//! Parses the quantities of interest that a user asks for: definitions such as `peak = max(u)` and
//! thresholds such as `peak: 80`.

use floral_quantities::{Calibration, Given};

use super::calibrated::stretched;
use super::names::names;
use super::prepared::PreparedInterests;
use super::space::{SharedSpace, space};
use super::{QuantityOfInterest, refused};
use crate::grid::Mask;
use crate::predict::{Case, Cases};
use crate::train::Header;
use crate::{Error, Field, Grid, Quantities, Result};

/// Quantities of interest as the user writes them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// Definitions: `peak = max(u)`.
    pub quantities: Vec<String>,
    /// Thresholds whose probability of exceedance is wanted: `peak: 80`.
    pub thresholds: Vec<String>,
}

/// The fields on which quantities are defined.
pub struct Subject<'a> {
    /// Grid of the realizations.
    pub grid: &'a Grid,
    /// Points of the grid outside the domain.
    pub mask: Option<&'a Mask>,
    /// Names and units of channels, as far as known.
    pub quantities: &'a Quantities,
    /// Numbers of channels of input and solution.
    pub channels: [usize; 2],
    /// Whether there is a low-fidelity solution.
    pub has_low: bool,
}

impl<'a> Subject<'a> {
    /// The fields of a run on a grid.
    pub fn of_run(
        header: &'a Header,
        grid: &'a Grid,
        mask: Option<&'a Mask>,
        has_low: bool,
    ) -> Self {
        let shapes = &header.shapes;
        Self {
            grid,
            mask,
            quantities: &header.quantities,
            channels: [shapes.input_channels, shapes.solution_channels],
            has_low,
        }
    }
}

/// A quantity of interest and the thresholds whose exceedance probability is wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct Interest {
    /// The quantity.
    pub quantity: QuantityOfInterest,
    /// Thresholds in its units.
    pub thresholds: Vec<f64>,
}

/// Quantities of interest on one grid.
pub struct Interests {
    pub(super) all: Vec<Interest>,
    pub(super) space: SharedSpace,
    /// Calibration of each quantity, by which draws are stretched; empty if quantities are not
    /// calibrated.
    pub(super) calibrations: Vec<Option<Calibration>>,
    /// Whether the space is a mesh of points without cells.
    pub(super) is_cloud: bool,
}

impl Interests {
    /// The quantities for a run's predictions of these inputs; `None` if none are asked for.
    pub fn of_cases(asked: &Asked, header: &Header, cases: &Cases<'_>) -> Result<Option<Self>> {
        let subject = Subject::of_run(header, cases.grid(), cases.mask(), cases.has_low());
        Self::new(asked, &subject)
    }

    /// Parses definitions and thresholds; `None` if none are asked for. The error about an invalid
    /// definition gives the column.
    pub fn new(asked: &Asked, subject: &Subject<'_>) -> Result<Option<Self>> {
        let names = names(subject);
        let mut all: Vec<Interest> = Vec::new();
        for definition in &asked.quantities {
            let quantity = QuantityOfInterest::define(definition, &names).map_err(refused)?;
            if all.iter().any(|one| one.quantity.name() == quantity.name()) {
                return Err(Error::config(
                    definition.trim().to_owned(),
                    "another quantity has the same name; choose different ones",
                ));
            }
            all.push(Interest {
                quantity,
                thresholds: Vec::new(),
            });
        }
        for text in &asked.thresholds {
            let (index, value) = threshold(text, &all)?;
            all[index].thresholds.push(value);
        }
        if all.is_empty() {
            return Ok(None);
        }
        let space = space(subject.grid, subject.mask)?;
        Ok(Some(Self {
            all,
            space,
            calibrations: Vec::new(),
            is_cloud: is_cloud(subject.grid),
        }))
    }

    /// A single quantity that is already parsed.
    pub fn of_quantity(quantity: QuantityOfInterest, subject: &Subject<'_>) -> Result<Self> {
        let thresholds = Vec::new();
        Ok(Self {
            all: vec![Interest {
                quantity,
                thresholds,
            }],
            space: space(subject.grid, subject.mask)?,
            calibrations: Vec::new(),
            is_cloud: is_cloud(subject.grid),
        })
    }

    /// The quantities, in the order in which they were asked for.
    pub fn all(&self) -> &[Interest] {
        &self.all
    }

    /// Notes on quantities that the space determines only roughly: integrals over points without
    /// cells.
    pub fn notes(&self) -> Vec<String> {
        let sizes = |one: &&Interest| {
            let text = one.quantity.text().replace(' ', "");
            ["integral(", "norm("]
                .iter()
                .any(|call| text.contains(call))
        };
        let found = self.all.iter().filter(sizes).filter(|_| self.is_cloud);
        let names: Vec<&str> = found.map(|one| one.quantity.name()).collect();
        match names.is_empty() {
            true => Vec::new(),
            false => vec![format!(
                "{}: integrals over points without cells weight each point by the distance of its \
                 neighbours, and extend beyond the outermost points; give cells for exact integrals",
                names.join(", ")
            )],
        }
    }

    /// The quantities for one input; precomputes all that does not depend on realizations.
    pub fn on(&self, case: &Case) -> Result<PreparedInterests> {
        let low = case.low.as_ref().map_or(&[][..], Field::values);
        self.on_fields(case.input.values(), low)
    }

    /// The quantities for an input and a low-fidelity solution, [channel, point] each; `low` is
    /// empty if there is none.
    pub fn on_fields(&self, input: &[f64], low: &[f64]) -> Result<PreparedInterests> {
        let given = Given { input, low };
        let prepare = |one: &Interest| {
            let prepared = one.quantity.on(self.space.as_ref(), given);
            prepared.map_err(refused)
        };
        let prepared = self.all.iter().map(prepare).collect::<Result<_>>();
        prepared.map(PreparedInterests::new)
    }

    /// The calibration of each quantity, if it has one.
    pub fn calibrations(&self) -> impl Iterator<Item = Option<&Calibration>> {
        let all = 0..self.all.len();
        all.map(|index| self.calibrations.get(index).and_then(Option::as_ref))
    }

    /// Calibrated values of each quantity over the draws for one input: `[quantity][draw]`.
    pub fn calibrated(&self, values: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let pairs = self.all.iter().zip(self.calibrations()).zip(values);
        let pairs = pairs.map(|((one, by), values)| stretched(by, &one.quantity, values));
        pairs.collect()
    }
}

/// Whether a grid carries a mesh of points without cells.
fn is_cloud(grid: &Grid) -> bool {
    grid.mesh().is_some_and(|mesh| mesh.cells().is_empty())
}

/// Index of the quantity in a threshold such as `peak: 80`, and the value.
fn threshold(text: &str, all: &[Interest]) -> Result<(usize, f64)> {
    let refuse = |reason: String| Error::config(text, reason);
    let (name, value) = text.rsplit_once(':').ok_or_else(|| {
        refuse("a threshold is NAME: VALUE, with the name of a quantity, as in peak: 80".into())
    })?;
    let value = value.trim();
    let number = value.parse::<f64>().ok().filter(|value| value.is_finite());
    let number = number.ok_or_else(|| {
        refuse(format!(
            "{value:?} is not a number; write one, as in peak: 80"
        ))
    })?;
    let names: Vec<&str> = all.iter().map(|one| one.quantity.name()).collect();
    let index = names.iter().position(|known| *known == name.trim());
    let index = index.ok_or_else(|| {
        let known = match names.is_empty() {
            true => "no quantity is defined; define one, as in peak = max(u)".into(),
            false => format!("choose one of {}", names.join(", ")),
        };
        refuse(format!("unknown quantity `{}`; {known}", name.trim()))
    })?;
    Ok((index, number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Mesh, Points};
    use crate::{Axis, Quantity};

    fn asked(quantities: &[&str], thresholds: &[&str]) -> Asked {
        let texts = |all: &[&str]| all.iter().map(|text| (*text).to_owned()).collect();
        Asked {
            quantities: texts(quantities),
            thresholds: texts(thresholds),
        }
    }

    fn of(asked: &Asked, mask: Option<&Mask>) -> Result<Option<Interests>> {
        let grid = Grid::new(vec![Axis::closed("x", 3).with_units("m")]);
        on(&grid, asked, mask)
    }

    fn on(grid: &Grid, asked: &Asked, mask: Option<&Mask>) -> Result<Option<Interests>> {
        let quantities = Quantities {
            input: vec![Quantity::named("k")],
            solution: vec![
                Quantity::named("T").with_units("K"),
                Quantity::named("p").with_units("Pa"),
            ],
        };
        let subject = Subject {
            grid,
            mask,
            quantities: &quantities,
            channels: [1, 2],
            has_low: true,
        };
        Interests::new(asked, &subject)
    }

    #[test]
    fn integrals_over_points_without_cells_have_a_note() {
        let asked = asked(&["flux = integral(T)", "peak = max(T)"], &[]);
        let points = Points::new(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0], 2).unwrap();
        let cloud = Grid::on_mesh(Mesh::new(points, Vec::new()).unwrap());
        let notes = on(&cloud, &asked, None).unwrap().unwrap().notes();
        assert!(
            notes.len() == 1 && notes[0].starts_with("flux: "),
            "{notes:?}"
        );
        assert!(of(&asked, None).unwrap().unwrap().notes().is_empty());
    }

    fn case() -> Case {
        let field =
            |channels, values: &[f64]| Field::from_values(channels, &[3], values.to_vec()).unwrap();
        Case {
            input: field(1, &[1.0, 2.0, 3.0]),
            low: Some(field(2, &[0.0, 0.0, 0.0, 5.0, 5.0, 5.0])),
        }
    }

    #[test]
    fn quantities_know_the_channels_units_input_and_low_fidelity() {
        let asked = asked(
            &[
                "hot = max(T)",
                "excess = mean(p - low.p)",
                "weighted = mean(k * T)",
                "where = argmax(T, x)",
            ],
            &["hot: 1.5", "hot: 2"],
        );
        let interests = of(&asked, None).unwrap().unwrap();
        let units: Vec<_> = interests
            .all()
            .iter()
            .map(|one| one.quantity.unit())
            .collect();
        assert_eq!(units, [Some("K"), Some("Pa"), None, Some("m")]);
        assert_eq!(interests.all()[0].thresholds, [1.5, 2.0]);
        let mut prepared = interests.on(&case()).unwrap();
        prepared.push(&[1.0, 2.0, 4.0, 6.0, 6.0, 6.0]).unwrap();
        let values: Vec<f64> = prepared.values().iter().map(|v| v[0]).collect();
        // Trapezoidal rule: (1 / 2 + 4 + 12 / 2) / 2.
        assert_eq!(values, [4.0, 1.0, 5.25, 1.0]);
    }

    #[test]
    fn points_outside_of_the_domain_are_never_read() {
        let mask = Mask::new(&[3], vec![false, false, true]).unwrap();
        let asked = asked(&["hot = max(T)", "mean = mean(T)"], &[]);
        let interests = of(&asked, Some(&mask)).unwrap().unwrap();
        let mut prepared = interests.on(&case()).unwrap();
        prepared
            .push(&[3.0, 6.0, f64::NAN, 0.0, 0.0, f64::NAN])
            .unwrap();
        // Points inside keep their measure: 1/4 and 1/2.
        assert_eq!(prepared.values(), [[6.0], [5.0]]);
    }

    #[test]
    fn wrong_definitions_and_thresholds_are_refused_in_one_line() {
        let cases = [
            (asked(&["hot = max(v)"], &[]), "column 11: unknown name `v`"),
            (asked(&["max(T)"], &[]), "a quantity is NAME = EXPRESSION"),
            (asked(&["hot = max(T"], &[]), "column"),
            (asked(&["a = max(T)", "a = min(T)"], &[]), "same name"),
            (asked(&["a = max(T)"], &["b: 3"]), "choose one of a"),
            (
                asked(&["a = max(T)"], &["a: hot"]),
                "\"hot\" is not a number",
            ),
            (asked(&["a = max(T)"], &["80"]), "NAME: VALUE"),
            (asked(&[], &["a: 80"]), "no quantity is defined"),
        ];
        for (asked, words) in cases {
            let refusal = of(&asked, None).err().unwrap().to_string();
            assert!(
                refusal.contains(words) && !refusal.contains('\n'),
                "{refusal}"
            );
        }
        assert!(of(&Asked::default(), None).unwrap().is_none());
    }
}
