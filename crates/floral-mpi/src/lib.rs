//! Ranks of `floral` that are processes, started by `mpirun` and talking by MPI.
//!
//! MPI is called from one thread alone (`office`), which starts it, carries out what other threads
//! ask for and, on rank 0, keeps the counters that all ranks share. So a rank needs no more of MPI
//! than that one thread may call it, and waiting threads sleep.
#![cfg(feature = "mpi")]

mod affinity;
mod office;

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use floral::ranks::{Counter, Ranks};
use floral::{Error, Result};

use office::{Ask, Started};

/// Set by those who start ranks: Open MPI, MPICH and Slurm.
const SET_BY_STARTERS: [&str; 4] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK"];

/// How often a thread that waits for other ranks looks up.
const GLANCE: Duration = Duration::from_millis(50);

/// How a rank's work has ended, as others hear of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Well, or as all others'.
    Well,
    /// By an error of its own.
    Failed,
}

/// One of several processes.
pub struct Mpi {
    started: Started,
    asks: Mutex<Sender<Ask>>,
    office: Mutex<Option<JoinHandle<()>>>,
}

impl Mpi {
    /// Starts MPI; none if this process was not started as a rank.
    pub fn start() -> Result<Option<Self>> {
        let mut names = SET_BY_STARTERS.iter();
        if !names.any(|name| std::env::var_os(name).is_some()) {
            return Ok(None);
        }
        let (asks, taken) = channel();
        let (tell, told) = channel();
        let office = std::thread::spawn(move || office::open(&taken, &tell));
        match told.recv() {
            Ok(Some(started)) => Ok(Some(Self {
                started,
                asks: Mutex::new(asks),
                office: Mutex::new(Some(office)),
            })),
            _ => Err(unreachable("MPI could not be started")),
        }
    }

    /// Threads that this rank may use, so that all ranks of its host use each core once.
    pub fn threads(&self) -> Result<usize> {
        let own = format!("{}\n{}", self.started.host, affinity::allowed());
        let all = self.gather(own.clone().into_bytes(), &mut || {})?;
        let sharing = all.iter().filter(|other| **other == own.as_bytes());
        Ok((affinity::cores() / sharing.count().max(1)).max(1))
    }

    /// Tells all ranks how this one has ended, and hears of them, for at most so long; none if not
    /// all have ended by then.
    pub fn part(&self, own: State, patience: Option<Duration>) -> Option<Vec<State>> {
        let (tell, told) = channel();
        let own = u8::from(own == State::Failed);
        self.ask(Ask::Part {
            own,
            patience,
            tell,
        });
        let all = told.recv().ok()??;
        // MPI ends with its thread, before the process does.
        let office = self
            .office
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(office) = office {
            let _ = office.join();
        }
        let state = |word: &u8| match word {
            0 => State::Well,
            _ => State::Failed,
        };
        Some(all.iter().map(state).collect())
    }

    /// Ends all ranks at once.
    pub fn abort(&self, code: u8) -> ! {
        self.ask(Ask::Abort(code.into()));
        // The answer is the end of this process.
        loop {
            std::thread::sleep(GLANCE);
        }
    }

    fn ask(&self, ask: Ask) {
        let asks = self.asks.lock().unwrap_or_else(PoisonError::into_inner);
        // An office that is closed answers nothing, which is what its asker sees.
        let _ = asks.send(ask);
    }

    /// What the office answers to a question.
    fn answer<T>(&self, ask: impl FnOnce(Sender<Result<T>>) -> Ask) -> Result<T> {
        self.answer_meanwhile(ask, &mut || {})
    }

    fn answer_meanwhile<T>(
        &self,
        ask: impl FnOnce(Sender<Result<T>>) -> Ask,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<T> {
        let (tell, told): (_, Receiver<Result<T>>) = channel();
        self.ask(ask(tell));
        loop {
            match told.recv_timeout(GLANCE) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Timeout) => meanwhile(),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(unreachable("other ranks cannot be reached"));
                }
            }
        }
    }
}

impl Ranks for Mpi {
    fn rank(&self) -> usize {
        self.started.rank
    }

    fn size(&self) -> usize {
        self.started.size
    }

    fn gather(&self, own: Vec<u8>, meanwhile: &mut dyn FnMut()) -> Result<Vec<Vec<u8>>> {
        self.answer_meanwhile(|tell| Ask::Gather { own, tell }, meanwhile)
    }

    fn exchange(&self, own: Vec<f32>, given: &[usize], taken: &[usize]) -> Result<Vec<f32>> {
        let (given, taken) = (given.to_vec(), taken.to_vec());
        self.answer(|tell| Ask::Exchange {
            own,
            given,
            taken,
            tell,
        })
    }

    fn join(&self, own: Vec<f32>, counts: &[usize]) -> Result<Vec<f32>> {
        let counts = counts.to_vec();
        self.answer(|tell| Ask::Join { own, counts, tell })
    }

    fn count(&self, counter: Counter, amount: u64) -> Result<u64> {
        match &self.started.counters {
            Some(counters) => Ok(counters.add(counter, amount)),
            None => self.answer(|tell| Ask::Count {
                counter,
                amount,
                tell,
            }),
        }
    }
}

fn unreachable(what: &str) -> Error {
    Error::Config {
        context: "MPI".into(),
        reason: format!(
            "{what}; start ranks by the mpirun of the library that floral was built with"
        ),
    }
}
