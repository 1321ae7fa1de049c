//! Replacements for the network types in a build without networks: the CPU as only device, a
//! learner that learns nothing, and the error for methods that need a network.

use crate::Error;
use crate::kl::{self, Learner, Lesson, Network};

/// Reason and remedy in the error message.
const ADVICE: &str = "this build has no networks; choose the method floral-kl or kriging, or build with \
                      the feature networks";

/// Error for `what`, which needs a network.
pub(crate) fn refusal(what: impl Into<String>) -> Error {
    Error::Config {
        context: what.into(),
        reason: ADVICE.into(),
    }
}

/// Adds no network to a blend of regressions, and refuses to read a stored one.
#[derive(Debug, Clone, Copy)]
pub struct Stack {
    /// Unused; the type with networks has the same field.
    pub seed: u64,
}

impl Learner for Stack {
    fn learn(&self, _lesson: &Lesson<'_>) -> kl::Result<Vec<Box<dyn Network>>> {
        Ok(Vec::new())
    }

    fn restore(&self, _bytes: &[u8]) -> kl::Result<Box<dyn Network>> {
        Err(kl::Error::Config {
            context: "the network of the model".into(),
            reason: ADVICE.into(),
        })
    }
}

/// Devices by name: the CPU only.
pub mod device {
    use crate::{Error, Result};

    /// Valid device names, for help texts.
    pub const NAMES: &str = "cpu";

    /// The CPU.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub struct Device;

    impl Device {
        /// The CPU.
        pub fn flex() -> Self {
            Self
        }
    }

    /// The device with this name.
    pub fn named(name: &str) -> Result<Device> {
        if name == NAMES {
            return Ok(Device);
        }
        Err(Error::UnknownName {
            kind: "device",
            name: name.to_owned(),
            known: NAMES.into(),
        })
    }

    /// Description of the device's hardware adapter; `None` for the CPU.
    pub fn adapter_of(_device: &Device) -> Option<String> {
        None
    }

    /// Whether a device is the CPU.
    pub fn is_processor(_device: &Device) -> bool {
        true
    }
}
