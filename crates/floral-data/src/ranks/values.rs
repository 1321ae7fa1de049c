//! Gathers serialized values of any type from every rank.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Ranks;
use crate::{Error, Result};

/// The values of all ranks, in rank order; `what` names them in an error.
pub fn gathered<T: Serialize + DeserializeOwned>(
    ranks: &dyn Ranks,
    own: T,
    what: &str,
) -> Result<Vec<T>> {
    if ranks.size() == 1 {
        return Ok(vec![own]);
    }
    let garbled = |error: String| {
        Error::numerical(
            format!("{what} could not be handed on ({error})"),
            "start every rank with the same program",
        )
    };
    let mut bytes = Vec::new();
    ciborium::into_writer(&own, &mut bytes).map_err(|error| garbled(error.to_string()))?;
    let all = ranks.gather(bytes, &mut || {})?;
    let values = all
        .iter()
        .map(|bytes| ciborium::from_reader(bytes.as_slice()));
    let values: std::result::Result<_, _> = values.collect();
    values.map_err(|error: ciborium::de::Error<std::io::Error>| garbled(error.to_string()))
}
