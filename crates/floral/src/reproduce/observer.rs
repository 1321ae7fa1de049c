//! How a reproduction goes, for those who watch.

use crate::quickstart::Sampled;
use crate::{dataset, train};

/// Is told how a reproduction goes, from any thread.
pub trait Observer: Sync {
    /// A step begins, the `position`-th of so many.
    fn began(&self, position: usize, steps: usize, what: &str) {
        let _ = (position, steps, what);
    }

    /// A step ended with this result after so many seconds.
    fn ended(&self, position: usize, steps: usize, result: &str, seconds: f64) {
        let _ = (position, steps, result, seconds);
    }

    /// Watches the generation of a dataset.
    fn generating(&self, title: &str) -> Box<dyn dataset::Observer + '_> {
        let _ = title;
        Box::new(())
    }

    /// Watches a training, on the thread that trains.
    fn training(&self, title: &str) -> Box<dyn train::Observer + '_> {
        let _ = title;
        Box::new(())
    }

    /// Watches an evaluation; see [`evaluate`](crate::evaluate::evaluate()).
    fn sampling(&self, title: &str) -> Box<Sampled<'_>> {
        let _ = title;
        Box::new(|_, _, _| ())
    }
}

/// Looks away.
impl Observer for () {}
