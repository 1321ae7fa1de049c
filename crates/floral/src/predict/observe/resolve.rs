//! Converts observations to linear functionals of the learned field on the grid of an input.

use floral_quantities::Given;

use super::{Observations, PointReading, QuantityReading, refused};
use crate::kl::Reading;
use crate::predict::Case;
use crate::predict::interest::{self, QuantityOfInterest, Subject, names, space};
use crate::transform::{Transform, Transforms};
use crate::{Error, Field, Result};

impl Observations {
    /// These observations as readings of the learned field of `case` on the grid of `subject`,
    /// [channel, point].
    pub(in crate::predict) fn readings(
        &self,
        subject: &Subject<'_>,
        transforms: &Transforms,
        case: &Case,
    ) -> Result<Vec<Reading>> {
        let space = space(subject.grid, subject.mask)?;
        let size = subject.grid.len();
        let point = |one: &PointReading| {
            let entries = space.interpolation(&one.place).map_err(|error| {
                let Error::Config { context, reason } = interest::refused(error) else {
                    return refused(&one.name, "it is outside of the domain");
                };
                refused(&format!("{}: {context}", one.name), reason)
            })?;
            let entries = entries.iter();
            let transform = transforms.channels().get(one.channel).copied();
            let (value, deviation) = learned(one, transform.unwrap_or_default())?;
            Ok(Reading {
                name: one.name.clone(),
                entries: entries
                    .map(|entry| (one.channel * size + entry.point, entry.factor))
                    .collect(),
                value,
                deviation,
            })
        };
        let quantity = |one: &QuantityReading| {
            let names = names(subject);
            let quantity = QuantityOfInterest::parse("reading", &one.expression, &names);
            let quantity = quantity.map_err(interest::refused)?;
            let low = case.low.as_ref().map_or(&[][..], Field::values);
            let input = case.input.values();
            let prepared = quantity.on(space.as_ref(), Given { input, low });
            let prepared = prepared.map_err(interest::refused)?;
            let functional = prepared.functional().filter(|_| quantity.uses_solution());
            linear(one, functional, transforms, size)
        };
        let points = self.points.iter().map(point);
        points.chain(self.quantities.iter().map(quantity)).collect()
    }
}

/// The transformed value and noise of a reading. The noise is half the distance between the
/// transforms of the values one standard deviation above and below.
fn learned(reading: &PointReading, transform: Transform) -> Result<(f64, f64)> {
    let PointReading { value, std, .. } = *reading;
    if transform.is_none() {
        return Ok((value, std));
    }
    if !transform.takes(value) {
        return Err(refused(
            &reading.name,
            format!(
                "the value {value} is not possible: the run predicts {} ({transform})",
                transform.range()
            ),
        ));
    }
    let learned = transform.apply(value);
    let [above, below] = [value + std, value - std].map(|v| transform.taken(v, v.abs()));
    let above = above.map(|v| transform.apply(v) - learned);
    let below = below.map(|v| learned - transform.apply(v));
    let deviation = match (above, below) {
        (Some(above), Some(below)) => 0.5 * (above + below),
        (one, other) => one.or(other).unwrap_or(std),
    };
    Ok((learned, deviation))
}

/// The reading of a quantity a . u + b; refused if it is not linear in the learned field.
fn linear(
    reading: &QuantityReading,
    functional: Option<(Vec<f64>, f64)>,
    transforms: &Transforms,
    points: usize,
) -> Result<Reading> {
    let name = &reading.expression;
    let Some((coefficients, constant)) = functional else {
        return Err(refused(
            name,
            "it is not linear in the solution; observe a value at a point, a mean, an integral, or sums of \
             these",
        ));
    };
    let entries = coefficients.into_iter().enumerate();
    let entries: Vec<(usize, f64)> = entries.filter(|(_, factor)| *factor != 0.0).collect();
    let transform = |place: usize| transforms.channels().get(place / points.max(1)).copied();
    let mut used = entries.iter().filter_map(|(place, _)| transform(*place));
    if let Some(transform) = used.find(|transform| !transform.is_none()) {
        return Err(refused(
            name,
            format!(
                "its channel is learned through {transform}, in which it is not linear; observe values at \
                 points instead"
            ),
        ));
    }
    Ok(Reading {
        name: name.clone(),
        entries,
        value: reading.value - constant,
        deviation: reading.std,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, Grid, Quantities};

    fn readings(observations: &Observations, transforms: &[&str]) -> Result<Vec<Reading>> {
        let grid = Grid::new(vec![Axis::closed("x", 3)]);
        let subject = Subject {
            grid: &grid,
            mask: None,
            quantities: &Quantities::default(),
            channels: [1, 2],
            has_low: false,
        };
        let transforms = transforms.iter().map(|name| name.parse().unwrap());
        let case = Case {
            input: Field::from_values(1, &[3], vec![1.0, 2.0, 3.0]).unwrap(),
            low: None,
        };
        observations.readings(&subject, &Transforms::new(transforms.collect()), &case)
    }

    fn at(x: f64, value: f64, std: f64) -> Observations {
        let point = PointReading {
            name: "line 2".into(),
            place: vec![x],
            channel: 1,
            value,
            std,
        };
        Observations {
            points: vec![point],
            quantities: Vec::new(),
        }
    }

    #[test]
    fn a_value_between_points_weighs_its_neighbours() {
        let found = readings(&at(0.125, 2.0, 0.1), &["none", "none"]).unwrap();
        assert_eq!(found[0].entries, [(3, 0.75), (4, 0.25)]);
        assert_eq!((found[0].value, found[0].deviation), (2.0, 0.1));
    }

    #[test]
    fn a_quantity_keeps_its_constant() {
        let all = Observations::default()
            .with_quantity("2 * mean(u1) + mean(input) = 5 +- 1")
            .unwrap();
        let found = readings(&all, &["log", "none"]).unwrap();
        assert_eq!(found[0].entries, [(3, 0.5), (4, 1.0), (5, 0.5)]);
        assert_eq!((found[0].value, found[0].deviation), (3.0, 1.0));
    }

    #[test]
    fn a_transformed_value_is_read_as_it_is_learned() {
        let found = readings(&at(0.5, 2.0, 1e-3), &["none", "log"]).unwrap();
        assert!((found[0].value - 2.0_f64.ln()).abs() < 1e-12);
        assert!((found[0].deviation - 0.5e-3).abs() < 1e-8);
        // One standard deviation below the value, the logarithm is undefined.
        let found = readings(&at(0.5, 2.0, 3.0), &["none", "log"]).unwrap();
        assert!((found[0].deviation - 2.5_f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn what_cannot_be_read_is_refused_in_one_line() {
        let total = |text: &str| Observations::default().with_quantity(text).unwrap();
        for (observations, words) in [
            (at(1.5, 0.1, 0.1), "line 2: x = 1.5: outside of the domain"),
            (at(0.5, -0.1, 0.1), "the value -0.1 is not possible"),
            (total("max(u0) = 3"), "it is not linear"),
            (total("mean(v) = 3"), "unknown name `v`"),
            (total("mean(u1) = 3"), "learned through log"),
            (total("mean(input) = 3"), "it is not linear"),
        ] {
            let refusal = readings(&observations, &["none", "log"])
                .unwrap_err()
                .to_string();
            assert!(
                refusal.contains(words) && !refusal.contains('\n'),
                "{refusal}"
            );
        }
    }
}
