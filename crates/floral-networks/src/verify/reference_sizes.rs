//! The sizes of a network, from the shapes of the reference implementation's tensors.

use crate::operator::FilmFnoConfig;
use crate::operator::time_embedding::TIME_CHANNELS;
use crate::{Error, Result};

/// A tensor that every reference network has.
pub(crate) const SPECTRAL: &str = "field.linear_operator.K.weight.tensor.re";
const FILM: &str = "field.cond_lifting_film.film.network.0.weight";
const CONDITION: &str = "field.cond_linear_op_film.film.network.0.weight";

/// The reference's buffer of time frequencies; regressions have none.
pub(crate) const FREQUENCIES: &str = "time_encoder.modes";

/// The sizes; `shape` returns the shape of the tensor of a name.
///
/// | tensor | shape |
/// |---|---|
/// | spectral weight of the linear operator | [field and time, out, modes ..., last / 2 + 1] |
/// | first layer of its FiLM | [FiLM channels, condition] |
/// | first layer of the lifting's FiLM | [FiLM channels, hidden channels] |
pub(crate) fn reference_sizes<'a>(
    shape: impl Fn(&str) -> Option<&'a [usize]>,
) -> Result<FilmFnoConfig> {
    let of = |name: &str, least: usize| {
        let missing = || Error::MissingTensor { name: name.into() };
        let found = shape(name).ok_or_else(missing)?;
        if found.len() >= least {
            return Ok(found);
        }
        Err(Error::tensor_shape(
            name,
            found.to_vec(),
            format!("at least {least} dimensions"),
        ))
    };
    let spectral = of(SPECTRAL, 3)?;
    let mut n_modes = spectral[2..].to_vec();
    if let Some(last) = n_modes.last_mut() {
        *last = (2 * last.saturating_sub(1)).max(1);
    }
    let has_time = shape(FREQUENCIES).is_some();
    let time = if has_time { TIME_CHANNELS } else { 0 };
    let fed = spectral[0].saturating_sub(time);
    if fed == 0 {
        return Err(Error::tensor_shape(
            SPECTRAL,
            spectral.to_vec(),
            format!("more than {time} channels of field and time"),
        ));
    }
    let film = of(FILM, 2)?;
    let layers = (0..)
        .take_while(|i| shape(&format!("field.fno_module.convs.{i}.bias")).is_some())
        .count();
    let config = FilmFnoConfig::new(fed, spectral[1], of(CONDITION, 2)?[1], n_modes);
    Ok(config
        .with_time(has_time)
        .with_hidden_channels(film[1])
        .with_film_channels(film[0])
        .with_layers(layers))
}
