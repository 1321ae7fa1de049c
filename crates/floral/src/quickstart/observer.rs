//! How a quickstart goes, for those who watch.

use super::Command;
use crate::train::Method;
use crate::{dataset, sample, train};

/// Is told the position of an input, how many there are, and how far this one is.
pub type Sampled<'a> = dyn Fn(usize, usize, sample::Progress) + Sync + 'a;

/// Is told how a quickstart goes, from any thread.
pub trait Observer: Sync {
    /// A step begins: what this command would do.
    fn began(&self, command: &Command) {
        let _ = command;
    }

    /// A step ended with this result after so many seconds.
    fn ended(&self, result: &str, seconds: f64) {
        let _ = (result, seconds);
    }

    /// Watches the generation of the dataset.
    fn generating(&self) -> Box<dyn dataset::Observer + '_> {
        Box::new(())
    }

    /// Watches the training of a method, on the thread that trains it.
    fn training(&self, method: Method) -> Box<dyn train::Observer + '_> {
        let _ = method;
        Box::new(())
    }

    /// Watches the evaluation of a method; see [`evaluate`](crate::evaluate::evaluate()).
    fn sampling(&self, method: Method) -> Box<Sampled<'_>> {
        let _ = method;
        Box::new(|_, _, _| ())
    }
}

/// Looks away.
impl Observer for () {}
