//! Refuses datasets that a method cannot learn from: those with sensors, masks or meshes where the
//! method needs a full grid.

use super::TrainConfig;
use super::config::NetworkKind;
use crate::dataset::{Dataset, LowPairing};
use crate::low::LowKind;
use crate::problem::Origin;
use crate::{Error, Result};

/// Refuses a dataset that does not suit the method of these settings.
pub(super) fn check(dataset: &Dataset, config: &TrainConfig) -> Result<()> {
    check_mesh(dataset, config)?;
    check_sensors(dataset, config)?;
    check_mask(dataset, config)
}

/// For data at sensors, refuses settings that need high fidelity at the same points for every
/// input.
fn check_sensors(dataset: &Dataset, config: &TrainConfig) -> Result<()> {
    let is_paired = dataset.low_pairing()? == Some(LowPairing::Shared);
    let refused = match config {
        _ if !dataset.has_sensors() => return Ok(()),
        _ if config.method.recipe().is_none() => {
            "a network needs high fidelity on a grid; choose the method floral-kl or kriging"
        }
        _ if config.resolution.is_some() => "no coarser grid can be asked for as well",
        _ if config.low.kind == LowKind::Mean => {
            "their mean solution cannot be taken for low fidelity; choose another low.kind"
        }
        _ if is_paired => "low_pairing = shared cannot be used; declare it independent",
        _ => return Ok(()),
    };
    Err(Error::bad_file(
        dataset.path().to_owned(),
        format!("has sensors, so that {refused}"),
    ))
}

/// For data with points outside the domain, refuses a coarser grid and symmetries that move points.
fn check_mask(dataset: &Dataset, config: &TrainConfig) -> Result<()> {
    let Some(mask) = dataset.mask() else {
        return Ok(());
    };
    let refused = |reason: String| {
        Err(Error::bad_file(
            dataset.path().to_owned(),
            format!("has points outside of the domain, so that {reason}"),
        ))
    };
    if config
        .resolution
        .as_ref()
        .is_some_and(|r| *r != mask.shape())
    {
        return refused("no coarser grid can be asked for".into());
    }
    let declared = match &config.symmetries {
        Some(declared) => declared.clone(),
        None => dataset.symmetries()?,
    };
    match declared.iter().find(|symmetry| symmetry.moves_points()) {
        None => Ok(()),
        Some(symmetry) => refused(format!(
            "{symmetry} is no symmetry of it; declare those alone that leave points where they are"
        )),
    }
}

/// For data on a mesh, refuses settings that need a grid.
fn check_mesh(dataset: &Dataset, config: &TrainConfig) -> Result<()> {
    if dataset.grid().mesh().is_none() {
        return Ok(());
    }
    let is_fno = config.method.recipe().is_none() && config.network.kind == NetworkKind::Fno;
    let reason = if is_fno {
        "Fourier layers need a grid, and these fields live on a mesh; set network.kind = \"slices\", or use \
         --method floral-kl"
    } else if config.resolution.is_some() {
        "fields on a mesh have no resolution; leave it out, or give data on a coarser mesh"
    } else if config.low.kind == LowKind::Filter {
        "a filter needs a grid, and these fields live on a mesh; choose low.kind mean, zero or none"
    } else {
        return Ok(());
    };
    Err(Error::config(format!("method {}", config.method), reason))
}
