//! The only thread that calls MPI. It serves the requests of other threads, one after another.
//!
//! Nothing waits inside MPI, which would keep a core busy: every operation is started and then
//! tested until it is complete. Meanwhile rank 0 answers requests to count.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use floral::ranks::Counter;
use floral::{Error, Result};
use mpi::Threading;
use mpi::datatype::{Partition, PartitionMut};
use mpi::request::{Request as Operation, Scope, scope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, MatchedReceiveVec, Source};

/// The interval at which an idle rank 0 checks for requests to count.
const PAUSE: Duration = Duration::from_millis(2);

/// The pause between tests of an operation that may take long.
const SLEEP: Duration = Duration::from_micros(200);

/// This process as started by MPI.
pub struct Started {
    pub rank: usize,
    pub size: usize,
    pub host: String,
    /// The shared counters; only on rank 0.
    pub counters: Option<Counters>,
}

/// The counters of all ranks, kept on rank 0.
#[derive(Clone, Default)]
pub struct Counters(Arc<Mutex<[u64; Counter::COUNT]>>);

impl Counters {
    /// Adds to a counter and returns its previous value.
    pub fn add(&self, counter: Counter, amount: u64) -> u64 {
        let mut counters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let value = &mut counters[counter.place()];
        let before = *value;
        *value = before.wrapping_add(amount);
        before
    }
}

/// A request of another thread, with the channel for the answer.
pub enum Request {
    Gather {
        own: Vec<u8>,
        answer: Sender<Result<Vec<Vec<u8>>>>,
    },
    Exchange {
        own: Vec<f32>,
        given: Vec<usize>,
        taken: Vec<usize>,
        answer: Sender<Result<Vec<f32>>>,
    },
    Join {
        own: Vec<f32>,
        counts: Vec<usize>,
        answer: Sender<Result<Vec<f32>>>,
    },
    Count {
        counter: Counter,
        amount: u64,
        answer: Sender<Result<u64>>,
    },
    Finish {
        own: u8,
        patience: Option<Duration>,
        answer: Sender<Option<Vec<u8>>>,
    },
    Abort(i32),
}

/// Starts MPI, reports it and serves requests until the ranks finish.
pub fn run(requests: &Receiver<Request>, started: &Sender<Option<Started>>) {
    let Some((universe, _)) = mpi::initialize_with_threading(Threading::Funneled) else {
        let _ = started.send(None);
        return;
    };
    let world = universe.world();
    let is_first = world.rank() == 0;
    let coordinator = Coordinator {
        counts: world.duplicate(),
        finishing: world.duplicate(),
        counters: is_first.then(Counters::default),
        world,
        requests,
    };
    let _ = started.send(Some(Started {
        rank: coordinator.world.rank() as usize,
        size: coordinator.world.size() as usize,
        host: mpi::environment::processor_name().unwrap_or_default(),
        counters: coordinator.counters.clone(),
    }));
    coordinator.serve();
}

/// The communication of one rank with the others. Each kind of message has its own communicator, so
/// that they cannot be confused.
struct Coordinator<'a> {
    world: SimpleCommunicator,
    counts: SimpleCommunicator,
    finishing: SimpleCommunicator,
    counters: Option<Counters>,
    requests: &'a Receiver<Request>,
}

impl Coordinator<'_> {
    /// Serves requests until the ranks finish.
    fn serve(&self) {
        loop {
            match self.next() {
                None => return,
                // A thread that no longer waits for its answer has ended.
                Some(Request::Gather { own, answer }) => drop(answer.send(self.gather(&own))),
                Some(Request::Exchange {
                    own,
                    given,
                    taken,
                    answer,
                }) => drop(answer.send(self.exchange(&own, &given, &taken))),
                Some(Request::Join {
                    own,
                    counts,
                    answer,
                }) => {
                    drop(answer.send(self.join(&own, &counts)));
                }
                Some(Request::Count {
                    counter,
                    amount,
                    answer,
                }) => drop(answer.send(self.count(counter, amount))),
                Some(Request::Finish {
                    own,
                    patience,
                    answer,
                }) => {
                    let _ = answer.send(Some(self.finish(own, patience, &answer)));
                    return;
                }
                Some(Request::Abort(code)) => self.world.abort(code),
            }
        }
    }

    /// The next request. While rank 0 waits for it, it counts for the other ranks.
    fn next(&self) -> Option<Request> {
        if self.counters.is_none() || self.world.size() == 1 {
            return self.requests.recv().ok();
        }
        loop {
            match self.requests.recv_timeout(PAUSE) {
                Ok(request) => return Some(request),
                Err(RecvTimeoutError::Timeout) => self.answer_counts(),
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }

    /// A byte is prepended on every rank, because MPI treats the address of an empty list
    /// specially.
    fn gather(&self, own: &[u8]) -> Result<Vec<Vec<u8>>> {
        let own = &[&[0], own].concat()[..];
        let length = count(own.len())?;
        let mut lengths = vec![0; self.world.size() as usize];
        scope(|scope| {
            let operation =
                self.world
                    .immediate_all_gather_into(scope, &length, lengths.as_mut_slice());
            self.wait(operation, doze);
        });
        let counts: Vec<usize> = lengths.iter().map(|length| *length as usize).collect();
        let places = Places::new(&counts)?;
        let mut all = vec![0; places.total];
        {
            let mut parts = PartitionMut::new(all.as_mut_slice(), places.counts, places.starts);
            scope(|scope| {
                let operation = self
                    .world
                    .immediate_all_gather_varcount_into(scope, own, &mut parts);
                self.wait(operation, doze);
            });
        }
        let mut rest = all.as_slice();
        let parts = counts.iter().map(|count| {
            let (part, after) = rest.split_at(*count);
            rest = after;
            part[1..].to_vec()
        });
        Ok(parts.collect())
    }

    fn exchange(&self, own: &[f32], given: &[usize], taken: &[usize]) -> Result<Vec<f32>> {
        let (from, to) = (Places::new(given)?, Places::new(taken)?);
        let mut all = vec![0.0; to.total];
        {
            let given = Partition::new(own, from.counts, from.starts);
            let mut taken = PartitionMut::new(all.as_mut_slice(), to.counts, to.starts);
            scope(|scope| {
                let operation = self
                    .world
                    .immediate_all_to_all_varcount_into(scope, &given, &mut taken);
                self.wait(operation, std::thread::yield_now);
            });
        }
        Ok(all)
    }

    fn join(&self, own: &[f32], counts: &[usize]) -> Result<Vec<f32>> {
        let places = Places::new(counts)?;
        let mut all = vec![0.0; places.total];
        {
            let mut parts = PartitionMut::new(all.as_mut_slice(), places.counts, places.starts);
            scope(|scope| {
                let operation = self
                    .world
                    .immediate_all_gather_varcount_into(scope, own, &mut parts);
                self.wait(operation, std::thread::yield_now);
            });
        }
        Ok(all)
    }

    /// Asks rank 0 to count.
    fn count(&self, counter: Counter, amount: u64) -> Result<u64> {
        let first = self.counts.process_at_rank(0);
        first.send(&[counter.place() as u64, amount][..]);
        let mut before = [0u64];
        scope(|scope| {
            let operation = first.immediate_receive_into(scope, &mut before[..]);
            self.wait(operation, doze);
        });
        Ok(before[0])
    }

    /// Counts for other ranks, on rank 0.
    fn answer_counts(&self) {
        let Some(counters) = &self.counters else {
            return;
        };
        while let Some(found) = self.counts.any_process().immediate_matched_probe() {
            let (words, status) = found.matched_receive_vec::<u64>();
            let before = match words.as_slice() {
                [place, amount] => {
                    let counter = Counter::at(*place as usize);
                    counter.map_or(0, |counter| counters.add(counter, *amount))
                }
                _ => 0,
            };
            let source = self.counts.process_at_rank(status.source_rank());
            source.send(&[before][..]);
        }
    }

    /// Waits for an operation to complete.
    fn wait<'s, D: ?Sized, S: Scope<'s>>(&self, mut operation: Operation<'s, D, S>, pause: fn()) {
        loop {
            match operation.test() {
                Ok(_) => return,
                Err(pending) => operation = pending,
            }
            self.answer_counts();
            pause();
        }
    }

    /// Waits until every rank has finished. After `patience` the answer is `None`, and only a
    /// request to abort is still served.
    fn finish(
        &self,
        own: u8,
        patience: Option<Duration>,
        answer: &Sender<Option<Vec<u8>>>,
    ) -> Vec<u8> {
        let mut all = vec![0; self.finishing.size() as usize];
        let start = Instant::now();
        let mut patience = patience;
        scope(|scope| {
            let mut operation =
                self.finishing
                    .immediate_all_gather_into(scope, &own, all.as_mut_slice());
            loop {
                match operation.test() {
                    Ok(_) => return,
                    Err(pending) => operation = pending,
                }
                self.answer_counts();
                if patience.is_some_and(|patience| start.elapsed() > patience) {
                    patience = None;
                    let _ = answer.send(None);
                }
                if let Ok(Request::Abort(code)) = self.requests.try_recv() {
                    self.world.abort(code);
                }
                doze();
            }
        });
        all
    }
}

/// Yields the core for a moment; too slow for exchanges of many numbers.
fn doze() {
    std::thread::sleep(SLEEP);
}

/// The lengths and offsets of the parts of a list, as 32-bit integers for MPI.
struct Places {
    counts: Vec<i32>,
    starts: Vec<i32>,
    total: usize,
}

impl Places {
    fn new(counts: &[usize]) -> Result<Self> {
        let mut total = 0;
        let mut starts = Vec::new();
        for length in counts {
            starts.push(count(total)?);
            total += length;
        }
        count(total)?;
        Ok(Self {
            counts: counts.iter().map(|c| count(*c)).collect::<Result<_>>()?,
            starts,
            total,
        })
    }
}

/// A length as an MPI count, at most 2^31 - 1.
fn count(number: usize) -> Result<i32> {
    i32::try_from(number).map_err(|_| Error::config("MPI", format!(
            "a message of {number} values exceeds the limit of 2^31; use fewer ranks or a smaller \
             network"
        )))
}
