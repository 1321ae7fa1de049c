//! Compares this build with reference numbers, for the solvers of problems and for the network.

mod solvers;

use std::path::Path;

use crate::device::Device;
use crate::{Error, Result};

pub use floral_networks::verify::{
    Check, ReferenceState, Tensors, network, reference_names, velocity_error,
};

/// Compares this build with every reference quantity in a safetensors file.
///
/// The network is evaluated on `device`; the solvers need none.
pub fn verify_file(path: &Path, device: &Device) -> Result<Vec<Check>> {
    let tensors = Tensors::read(path)?;
    if network::is_network(&tensors) {
        return network::verify(&tensors, device);
    }
    let checks = solvers::verify(&tensors)?;
    if checks.is_empty() {
        return Err(Error::bad_file(
            path,
            format!(
                "holds no reference numbers this build knows (found {}); expected \
                 darcyN.permeability/.pressure, advection.initial/.solution, \
                 burgers.initial/.solution or a network's weight.* and out.velocity",
                tensors.listing()
            ),
        ));
    }
    Ok(checks)
}
