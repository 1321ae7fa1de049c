//! What stands in the place of networks in a build without them: the processor, a learner that learns
//! nothing, and one error.

use crate::Error;
use crate::kl::{self, Learner, Lesson, Network};

/// What to do about it.
const ADVICE: &str = "this build has no networks; choose the method floral-kl or kriging, or build with \
                      the feature networks";

/// The error of what needs a network.
pub(crate) fn refusal(what: impl Into<String>) -> Error {
    Error::Config {
        context: what.into(),
        reason: ADVICE.into(),
    }
}

/// Stacks nothing on regressions, and refuses to read what was stacked.
#[derive(Debug, Clone, Copy)]
pub struct Stack {
    /// A seed that nothing is drawn from.
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

/// Devices by name: the processor alone.
pub mod device {
    use crate::{Error, Result};

    /// The names that a device may have, for help texts.
    pub const NAMES: &str = "cpu";

    /// The processor.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub struct Device;

    impl Device {
        /// The processor.
        pub fn flex() -> Self {
            Self
        }
    }

    /// The device of this name.
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

    /// What a device says of itself; nothing of the processor.
    pub fn adapter_of(_device: &Device) -> Option<String> {
        None
    }

    /// Whether a device is the processor.
    pub fn is_processor(_device: &Device) -> bool {
        true
    }
}
