//! Devices by name: the processor, or a graphics card where the build has its backend.

pub use burn::tensor::Device;

use crate::{Error, Result};

/// Every name this build answers to.
pub const NAMES: [&str; 1] = ["cpu"];

/// The device of this name.
pub fn named(name: &str) -> Result<Device> {
    match name {
        "cpu" => Ok(Device::flex()),
        _ => Err(Error::UnknownName {
            kind: "device",
            name: name.to_owned(),
            known: NAMES.join(", "),
        }),
    }
}
