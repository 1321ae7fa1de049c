//! How this process was started, alone or as one of several ranks, and how ranks end together.

use floral::ranks::{Alone, Ranks};
use floral::{Error, Result};

use crate::exit::{self, Ending};

/// The ranks of this command, of which this process is one.
pub enum Launch {
    /// One process.
    Alone(Alone),
    /// One of several, by MPI.
    #[cfg(feature = "mpi")]
    Mpi(floral_mpi::Mpi),
}

impl Launch {
    /// As the one who started it tells.
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

    /// One of several processes that do not know of each other is refused: they would be in each
    /// other's way.
    #[cfg(not(feature = "mpi"))]
    pub fn new() -> Result<Self> {
        let number = |name: &str| std::env::var(name).ok()?.parse::<usize>().ok();
        let sizes = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"].map(number);
        match sizes.into_iter().flatten().max() {
            Some(size) if size > 1 => Err(Error::Config {
                context: format!("{size} ranks"),
                reason:
                    "this floral was built without MPI; build it with --features mpi, or start \
                         one process"
                        .into(),
            }),
            _ => Ok(Self::Alone(Alone::default())),
        }
    }

    /// Those who share the work.
    pub fn ranks(&self) -> &dyn Ranks {
        match self {
            Self::Alone(alone) => alone,
            #[cfg(feature = "mpi")]
            Self::Mpi(ranks) => ranks,
        }
    }

    /// The threads that this process should have, if the command does not say; none for all cores.
    pub fn threads(&self) -> Result<Option<usize>> {
        match self {
            Self::Alone(_) => Ok(None),
            #[cfg(feature = "mpi")]
            Self::Mpi(ranks) => ranks.threads().map(Some),
        }
    }

    /// Ends a process that has told what there is to tell, with this code.
    pub fn end_with(&self, code: u8) -> u8 {
        #[cfg(feature = "mpi")]
        if let Self::Mpi(ranks) = self {
            ranks.finish(floral_mpi::State::Succeeded, None);
        }
        code
    }

    /// The exit code of an outcome, which is told first: by rank 0 where it is the same for all, else
    /// by the rank that failed, which ends all others.
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

    /// How long a rank that failed waits for others to have failed in the same way.
    const PATIENCE: Duration = Duration::from_secs(2);

    pub fn end(ranks: &Mpi, outcome: anyhow::Result<Ending>) -> u8 {
        let own = state(&outcome);
        let patience = (own == State::Failed).then_some(PATIENCE);
        let Some(all) = ranks.finish(own, patience) else {
            tell(ranks, outcome);
            ranks.abort(exit::ERROR);
        };
        let has_failed = all.contains(&State::Failed);
        let code = match own {
            // Of an error that all have found, rank 0 tells; what it does for all is all ranks' error.
            State::Failed if !ranks.is_first() && all.contains(&State::Succeeded) => {
                tell(ranks, outcome)
            }
            State::Failed => exit::code(outcome),
            State::Succeeded if has_failed => exit::ERROR,
            State::Succeeded => exit::code(outcome),
        };
        if ranks.is_first() { code } else { 0 }
    }

    /// An error of another's, or a stop that all have agreed on, is none of this rank's.
    fn state(outcome: &anyhow::Result<Ending>) -> State {
        let Err(error) = outcome else {
            return State::Succeeded;
        };
        match error.downcast_ref() {
            Some(Error::Interrupted | Error::Elsewhere { .. }) => State::Succeeded,
            _ => State::Failed,
        }
    }

    /// Tells an error by the name of this rank, which may otherwise be silent.
    fn tell(ranks: &Mpi, outcome: anyhow::Result<Ending>) -> u8 {
        output::raise_voice(&format!("rank {} of {}: ", ranks.rank(), ranks.size()));
        exit::code(outcome)
    }
}
