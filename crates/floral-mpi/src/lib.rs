//! Ranks of `floral` as processes that `mpirun` starts and that communicate by MPI.
//!
//! A single thread calls MPI (`coordinator`). It starts MPI, serves the requests of other threads
//! and, on rank 0, keeps the counters that all ranks share. MPI therefore needs no more thread
//! support than `MPI_THREAD_FUNNELED`, and waiting threads sleep.
#![cfg(feature = "mpi")]

mod affinity;
mod coordinator;

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use floral::ranks::{Counter, Ranks};
use floral::{Error, Result};

use coordinator::{Request, Started};

/// Environment variables with which Open MPI, MPICH and Slurm mark the ranks that they start.
const SET_BY_LAUNCHERS: [&str; 4] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK"];

/// The interval at which a thread that waits for other ranks calls `meanwhile`.
const INTERVAL: Duration = Duration::from_millis(50);

/// How the work of a rank has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Without an error on this rank.
    Succeeded,
    /// With an error on this rank.
    Failed,
}

/// One of several processes.
pub struct Mpi {
    started: Started,
    requests: Mutex<Sender<Request>>,
    coordinator: Mutex<Option<JoinHandle<()>>>,
}

impl Mpi {
    /// Starts MPI; `None` if this process was not started as a rank.
    pub fn start() -> Result<Option<Self>> {
        let mut names = SET_BY_LAUNCHERS.iter();
        if !names.any(|name| std::env::var_os(name).is_some()) {
            return Ok(None);
        }
        let (requests, received) = channel();
        let (answer, started) = channel();
        let coordinator = std::thread::spawn(move || coordinator::run(&received, &answer));
        match started.recv() {
            Ok(Some(started)) => Ok(Some(Self {
                started,
                requests: Mutex::new(requests),
                coordinator: Mutex::new(Some(coordinator)),
            })),
            _ => Err(unreachable("MPI could not be started")),
        }
    }

    /// The number of threads of this rank for which all ranks of its host together use each core
    /// once.
    pub fn threads(&self) -> Result<usize> {
        let own = format!("{}\n{}", self.started.host, affinity::allowed());
        let all = self.gather(own.clone().into_bytes(), &mut || {})?;
        let sharing = all.iter().filter(|other| **other == own.as_bytes());
        Ok((affinity::cores() / sharing.count().max(1)).max(1))
    }

    /// Exchanges with all ranks how each has ended, and waits at most `patience`; `None` if some
    /// rank has not ended by then.
    pub fn finish(&self, own: State, patience: Option<Duration>) -> Option<Vec<State>> {
        let (answer, answers) = channel();
        let own = u8::from(own == State::Failed);
        self.request(Request::Finish {
            own,
            patience,
            answer,
        });
        let all = answers.recv().ok()??;
        // MPI is finalized by its thread, before the process ends.
        let mut coordinator = self
            .coordinator
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(coordinator) = coordinator.take() {
            let _ = coordinator.join();
        }
        let state = |word: &u8| match word {
            0 => State::Succeeded,
            _ => State::Failed,
        };
        Some(all.iter().map(state).collect())
    }

    /// Ends all ranks at once.
    pub fn abort(&self, code: u8) -> ! {
        self.request(Request::Abort(code.into()));
        // MPI ends this process.
        loop {
            std::thread::sleep(INTERVAL);
        }
    }

    fn request(&self, request: Request) {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        // If the coordinator has ended, there is no answer, which the caller notices.
        let _ = requests.send(request);
    }

    /// The answer to a request.
    fn answer<T>(&self, request: impl FnOnce(Sender<Result<T>>) -> Request) -> Result<T> {
        self.answer_meanwhile(request, &mut || {})
    }

    fn answer_meanwhile<T>(
        &self,
        request: impl FnOnce(Sender<Result<T>>) -> Request,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<T> {
        let (answer, answers): (_, Receiver<Result<T>>) = channel();
        self.request(request(answer));
        loop {
            match answers.recv_timeout(INTERVAL) {
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
        self.answer_meanwhile(|answer| Request::Gather { own, answer }, meanwhile)
    }

    fn exchange(&self, own: Vec<f32>, given: &[usize], taken: &[usize]) -> Result<Vec<f32>> {
        let (given, taken) = (given.to_vec(), taken.to_vec());
        self.answer(|answer| Request::Exchange {
            own,
            given,
            taken,
            answer,
        })
    }

    fn join(&self, own: Vec<f32>, counts: &[usize]) -> Result<Vec<f32>> {
        let counts = counts.to_vec();
        self.answer(|answer| Request::Join {
            own,
            counts,
            answer,
        })
    }

    fn count(&self, counter: Counter, amount: u64) -> Result<u64> {
        match &self.started.counters {
            Some(counters) => Ok(counters.add(counter, amount)),
            None => self.answer(|answer| Request::Count {
                counter,
                amount,
                answer,
            }),
        }
    }
}

fn unreachable(what: &str) -> Error {
    Error::config(
        "MPI",
        format!(
            "{what}; start ranks with the mpirun of the MPI library that floral was built with"
        ),
    )
}
