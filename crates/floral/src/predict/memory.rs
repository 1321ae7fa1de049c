//! One input held in memory, aligned with a run.

use std::path::{Path, PathBuf};

use super::alignment::{Alignment, Given, aligned};
use super::opening::Seen;
use super::{Case, InMemory, InputSource};
use crate::train::Header;
use crate::{Error, Field, Grid, Quantities, Quantity, Result};

/// An input converted to the axes, channels and units of a run.
struct Memory {
    /// Name in messages.
    name: PathBuf,
    case: Case,
    grid: Grid,
}

/// The input aligned with a run, and notes on what was converted. Channels may be unnamed.
pub(super) fn seen(header: &Header, input: &InMemory<'_>) -> Result<Seen> {
    let InMemory {
        case,
        grid,
        quantities,
        number,
    } = input;
    let name = number.map_or("the input".into(), |number| format!("input {number}"));
    check(&name, &case.input, grid)?;
    if let Some(low) = &case.low {
        check(&format!("the low-fidelity solution of {name}"), low, grid)?;
    }
    let solution = case
        .low
        .as_ref()
        .map_or(header.shapes.solution_channels, Field::channels);
    let quantities = Quantities {
        input: of_channels(&quantities.input, case.input.channels()),
        solution: of_channels(&quantities.solution, solution),
    };
    let given = Given {
        grid,
        has_coordinates: &[],
        quantities: &quantities,
    };
    let Alignment {
        view, grid, notes, ..
    } = aligned(header, &given).map_err(|reason| Error::config(name.clone(), reason))?;
    let moved = |field: &Field, sources| {
        let values = view.apply(field.values(), sources, 1);
        Field::from_values(field.channels(), &grid.shape(), values)
    };
    let low = case.low.as_ref();
    let case = Case {
        input: moved(&case.input, &view.input)?,
        low: low.map(|low| moved(low, &view.solution)).transpose()?,
    };
    let name = name.into();
    Ok((Box::new(Memory { name, case, grid }), notes))
}

/// The quantities of the channels; all unnamed if their number does not match.
fn of_channels(quantities: &[Quantity], channels: usize) -> Vec<Quantity> {
    if quantities.len() == channels {
        return quantities.to_vec();
    }
    vec![Quantity::default(); channels]
}

fn check(what: &str, field: &Field, grid: &Grid) -> Result<()> {
    if field.grid_shape() == grid.shape() {
        return Ok(());
    }
    Err(Error::shape(
        what,
        field.grid_shape().to_vec(),
        grid.shape(),
    ))
}

impl InputSource for Memory {
    fn path(&self) -> &Path {
        &self.name
    }

    fn grid(&self) -> &Grid {
        &self.grid
    }

    fn inputs(&self) -> usize {
        1
    }

    fn input(&self, _index: usize) -> Result<Field> {
        Ok(self.case.input.clone())
    }

    fn has_low(&self) -> bool {
        self.case.low.is_some()
    }

    fn low(&self, _index: usize) -> Result<Field> {
        self.case
            .low
            .clone()
            .ok_or_else(|| Error::config("low fidelity", "the input has none"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::play;
    use super::super::{NewInputs, PredictionOpening};
    use super::*;
    use crate::train::Method;

    #[test]
    fn an_input_in_memory_is_that_of_the_file() {
        let play = play();
        let predictor = play.predictor(Method::Floral);
        let (input, low) = (play.dataset.input(1).unwrap(), play.dataset.low(1).unwrap());
        let grid = play.dataset.grid();
        let given = Case {
            input: input.clone(),
            low: Some(low.clone()),
        };
        let none = Quantities::default();
        let given = InMemory {
            case: &given,
            grid,
            quantities: &none,
            number: None,
        };
        let opening = PredictionOpening::default();
        let (cases, _) = NewInputs::Memory(given).open(&predictor, opening).unwrap();
        let case = cases.case(0).unwrap();
        assert_eq!((case.input, case.low), (input, Some(low)));
        assert!(cases.notes().is_empty(), "{:?}", cases.notes());
    }

    #[test]
    fn other_extents_and_units_are_refused_or_converted() {
        let play = play();
        let predictor = play.predictor(Method::Floral);
        let case = Case {
            input: play.dataset.input(0).unwrap(),
            low: Some(play.dataset.low(0).unwrap()),
        };
        let none = Quantities::default();
        let on = |grid: &Grid, number| {
            let given = InMemory {
                case: &case,
                grid,
                quantities: &none,
                number,
            };
            NewInputs::Memory(given).open(&predictor, PredictionOpening::default())
        };
        let axis = &play.dataset.grid().axes[0];
        let thousand = crate::units::Conversion {
            factor: 1000.0,
            offset: 0.0,
        };
        let wide = Grid::new(vec![axis.converted(thousand)]);
        let words = on(&wide, None).err().unwrap().to_string();
        assert!(
            words.starts_with("the input: ") && words.contains("1000 times"),
            "{words}"
        );
        let words = on(&wide, Some(3)).err().unwrap().to_string();
        assert!(words.starts_with("input 3: "), "{words}");
        let short = Grid::new(vec![axis.resampled(5)]);
        let words = on(&short, None).err().unwrap().to_string();
        assert!(words.contains("[16] but [5]"), "{words}");
    }
}
