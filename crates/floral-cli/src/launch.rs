//! Whether this process runs alone or as one of several ranks, and how ranks exit together.

use floral::ranks::{Alone, Ranks};
use floral::{Error, Result};

use crate::exit::{self, Ending};

/// The ranks that run this command.
pub enum Launch {
    /// One process.
    Alone(Alone),
    /// One of several processes that MPI started.
    #[cfg(feature = "mpi")]
    Mpi(floral_mpi::Mpi),
}

impl Launch {
    /// The ranks that the launcher has set up.
    #[cfg(feature = "mpi")]
    pub fn new() -> Result<Self> {
        Ok(match floral_mpi::Mpi::start()? {
            Some(ranks) if ranks.size() > 1 => Self::Mpi(ranks),
            Some(ranks) => {
                ranks.finish(floral_mpi::State::Succeeded, None);
                Self::Alone(Alone::default())
            }
            None => Self::Alone(Alone::default()),
        })
    }

    /// Refuses to run as one of several processes without MPI: they would write the same files.
    #[cfg(not(feature = "mpi"))]
    pub fn new() -> Result<Self> {
        let number = |name: &str| std::env::var(name).ok()?.parse::<usize>().ok();
        let sizes = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"].map(number);
        match sizes.into_iter().flatten().max() {
            Some(size) if size > 1 => Err(Error::config(
                format!("{size} ranks"),
                "this floral was built without MPI; build it with --features mpi, or start \
                         one process",
            )),
            _ => Ok(Self::Alone(Alone::default())),
        }
    }

    /// The ranks.
    pub fn ranks(&self) -> &dyn Ranks {
        match self {
            Self::Alone(alone) => alone,
            #[cfg(feature = "mpi")]
            Self::Mpi(ranks) => ranks,
        }
    }

    /// The number of threads of this process if no option sets it; `None` means all cores.
    pub fn threads(&self) -> Result<Option<usize>> {
        match self {
            Self::Alone(_) => Ok(None),
            #[cfg(feature = "mpi")]
            Self::Mpi(ranks) => ranks.threads().map(Some),
        }
    }

    /// Ends a process that has printed its messages; returns `code`.
    pub fn end_with(&self, code: u8) -> u8 {
        #[cfg(feature = "mpi")]
        if let Self::Mpi(ranks) = self {
            ranks.finish(floral_mpi::State::Succeeded, None);
        }
        code
    }

    /// The exit code of an outcome, which is printed first: by rank 0 if it is the same on all
    /// ranks, otherwise by the rank that failed, which then aborts all others.
    pub fn end(&self, outcome: anyhow::Result<Ending>) -> u8 {
        match self {
            Self::Alone(_) => exit::code(outcome),
            #[cfg(feature = "mpi")]
            Self::Mpi(ranks) => mpi::end(ranks, outcome),
        }
    }
}

#[cfg(feature = "mpi")]
mod mpi {
    use std::time::Duration;

    use floral_mpi::{Mpi, State};

    use super::{Ending, Error, Ranks, exit};
    use crate::output;

    /// How long a rank that failed waits for the others to fail in the same way.
    const PATIENCE: Duration = Duration::from_secs(2);

    pub fn end(ranks: &Mpi, outcome: anyhow::Result<Ending>) -> u8 {
        let own = state(&outcome);
        let patience = (own == State::Failed).then_some(PATIENCE);
        let Some(all) = ranks.finish(own, patience) else {
            report(ranks, outcome);
            ranks.abort(exit::ERROR);
        };
        let has_failed = all.contains(&State::Failed);
        let code = match own {
            // Rank 0 reports an error common to all ranks.
            State::Failed if !ranks.is_first() && all.contains(&State::Succeeded) => {
                report(ranks, outcome)
            }
            State::Failed => exit::code(outcome),
            State::Succeeded if has_failed => exit::ERROR,
            State::Succeeded => exit::code(outcome),
        };
        if ranks.is_first() { code } else { 0 }
    }

    /// An error of another rank, or an agreed stop, is not an error of this rank.
    fn state(outcome: &anyhow::Result<Ending>) -> State {
        let Err(error) = outcome else {
            return State::Succeeded;
        };
        match error.downcast_ref() {
            Some(Error::Interrupted | Error::Elsewhere { .. }) => State::Succeeded,
            _ => State::Failed,
        }
    }

    /// Reports an error with the number of this rank, even if it is otherwise silent.
    fn report(ranks: &Mpi, outcome: anyhow::Result<Ending>) -> u8 {
        output::report_as(&format!("rank {} of {}: ", ranks.rank(), ranks.size()));
        exit::code(outcome)
    }
}
