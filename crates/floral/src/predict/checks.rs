//! Refuses inputs that a run cannot predict, with the reason.

use crate::train::Header;
use crate::transform::Refused;
use crate::{Error, Field, Grid, Result};

const LOW: &str = "the low-fidelity solution";

/// Refuses fields whose channels or axes differ from the run's, values that are not finite, and a
/// missing low-fidelity solution if the model needs one. Returns the transformed low fidelity.
pub(super) fn check(
    header: &Header,
    input: &Field,
    low: Option<&Field>,
    grid: &Grid,
) -> Result<Option<Field>> {
    let method = header.config.method;
    let trained = header.shapes.grid.len();
    if grid.dimensions() != trained || grid.is_empty() {
        return Err(Error::config(
            format!("grid {:?}", grid.shape()),
            format!(
                "it has {} axes, but the run's grid {:?} has {trained}; only the number of points \
                 may differ",
                grid.dimensions(),
                header.shapes.grid
            ),
        ));
    }
    check_spacing(header, grid)?;
    check_field("the input", input, header.shapes.input_channels, grid)?;
    match low {
        Some(low) if header.needs_low() => {
            check_field(LOW, low, header.shapes.solution_channels, grid)?;
            learned_low(header, input, Some(low), grid)
        }
        None if header.needs_low() => Err(Error::config(
            format!("method {method}"),
            "the run corrects a low-fidelity solution, and this input has none; compute one on \
                     the same grid and store it as the array `low` beside `input`, or train a run \
                     without them",
        )),
        _ => learned_low(header, input, None, grid),
    }
}

/// Refuses unevenly spaced points, unless the network was trained on them: a Fourier network cannot
/// distinguish them from evenly spaced ones.
fn check_spacing(header: &Header, grid: &Grid) -> Result<()> {
    if header.config.method.recipe().is_some() || header.is_of_points() {
        return Ok(());
    }
    let axes = grid.axes.iter().zip(&header.grid.axes);
    for (axis, trained) in axes {
        let is_same = axis.coordinates == trained.coordinates;
        let reason = match (is_same, axis.is_even(), trained.is_even()) {
            (false, false, true) => "is uneven, and the run was trained on even points",
            (false, _, false) => {
                "has other points than the uneven ones that the run was trained on"
            }
            _ => continue,
        };
        return Err(Error::config(
            format!("axis {}", axis.name),
            format!(
                "it {reason}; a Fourier network does not know coordinates: interpolate to the run's \
                 points, or use a floral-kl run, which interpolates itself"
            ),
        ));
    }
    Ok(())
}

/// Transformed low fidelity; a value outside the range of its transform is refused.
pub(super) fn learned_low(
    header: &Header,
    input: &Field,
    low: Option<&Field>,
    grid: &Grid,
) -> Result<Option<Field>> {
    let learned = header.learned_low().of(input, low, grid);
    let refusal = |refused: Refused| {
        Error::numerical(
            format!("{LOW} {}", refused.what()),
            "the run was trained with it; correct the field, or leave out this input",
        )
    };
    learned.map_err(|fault| fault.into_error(refusal))
}

fn check_field(name: &str, field: &Field, channels: usize, grid: &Grid) -> Result<()> {
    let found = [&[field.channels()], field.grid_shape()].concat();
    let expected = [vec![channels], grid.shape()].concat();
    if found != expected {
        return Err(Error::shape(
            format!("{name}, [channel, grid...],"),
            found,
            expected,
        ));
    }
    match field.values().iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(at) => Err(Error::numerical(
            format!(
                "{name} has the value {} at point {} of channel {}",
                field.values()[at],
                at % grid.len(),
                at / grid.len()
            ),
            "predictions need finite values; correct the field, or leave out this input",
        )),
    }
}
