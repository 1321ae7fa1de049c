//! The one thread that calls MPI: it takes what other threads ask for, one thing after the other.
//!
//! Nothing blocks within MPI, which would keep a core busy: every operation is begun and then looked
//! at until it is complete, while rank 0 answers those that count.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use floral::ranks::Counter;
use floral::{Error, Result};
use mpi::Threading;
use mpi::datatype::{Partition, PartitionMut};
use mpi::request::{Request, Scope, scope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, MatchedReceiveVec, Source};

/// How often rank 0 looks for those that count while it has nothing else to do.
const PAUSE: Duration = Duration::from_millis(2);

/// How often a wait for other ranks looks that may be long.
const SLEEP: Duration = Duration::from_micros(200);

/// What is known once MPI has started.
pub struct Started {
    pub rank: usize,
    pub size: usize,
    pub host: String,
    /// On rank 0.
    pub counters: Option<Counters>,
}

/// The counters of all ranks, on rank 0.
#[derive(Clone, Default)]
pub struct Counters(Arc<Mutex<[u64; Counter::COUNT]>>);

impl Counters {
    /// Adds, and returns what it was before.
    pub fn add(&self, counter: Counter, amount: u64) -> u64 {
        let mut counters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let value = &mut counters[counter.place()];
        let before = *value;
        *value = before.wrapping_add(amount);
        before
    }
}

/// What other threads may ask for.
pub enum Ask {
    Gather {
        own: Vec<u8>,
        tell: Sender<Result<Vec<Vec<u8>>>>,
    },
    Exchange {
        own: Vec<f32>,
        given: Vec<usize>,
        taken: Vec<usize>,
        tell: Sender<Result<Vec<f32>>>,
    },
    Join {
        own: Vec<f32>,
        counts: Vec<usize>,
        tell: Sender<Result<Vec<f32>>>,
    },
    Count {
        counter: Counter,
        amount: u64,
        tell: Sender<Result<u64>>,
    },
    Part {
        own: u8,
        patience: Option<Duration>,
        tell: Sender<Option<Vec<u8>>>,
    },
    Abort(i32),
}

/// Starts MPI, tells of it and takes what is asked for until ranks part.
pub fn open(asks: &Receiver<Ask>, tell: &Sender<Option<Started>>) {
    let Some((universe, _)) = mpi::initialize_with_threading(Threading::Funneled) else {
        let _ = tell.send(None);
        return;
    };
    let world = universe.world();
    let is_first = world.rank() == 0;
    let office = Office {
        counts: world.duplicate(),
        parting: world.duplicate(),
        counters: is_first.then(Counters::default),
        world,
        asks,
    };
    let _ = tell.send(Some(Started {
        rank: office.world.rank() as usize,
        size: office.world.size() as usize,
        host: mpi::environment::processor_name().unwrap_or_default(),
        counters: office.counters.clone(),
    }));
    office.work();
}

/// Where one rank talks to the others; a communicator for each kind of talk, so that what is said in
/// one is never heard in another.
struct Office<'a> {
    world: SimpleCommunicator,
    counts: SimpleCommunicator,
    parting: SimpleCommunicator,
    counters: Option<Counters>,
    asks: &'a Receiver<Ask>,
}

impl Office<'_> {
    /// Takes what is asked for until ranks part.
    fn work(&self) {
        loop {
            match self.next() {
                None => return,
                // Whoever asked and does not wait for the answer is at its end.
                Some(Ask::Gather { own, tell }) => drop(tell.send(self.gather(&own))),
                Some(Ask::Exchange {
                    own,
                    given,
                    taken,
                    tell,
                }) => drop(tell.send(self.exchange(&own, &given, &taken))),
                Some(Ask::Join { own, counts, tell }) => {
                    drop(tell.send(self.join(&own, &counts)));
                }
                Some(Ask::Count {
                    counter,
                    amount,
                    tell,
                }) => drop(tell.send(self.count(counter, amount))),
                Some(Ask::Part {
                    own,
                    patience,
                    tell,
                }) => {
                    let _ = tell.send(Some(self.part(own, patience, &tell)));
                    return;
                }
                Some(Ask::Abort(code)) => self.world.abort(code),
            }
        }
    }

    /// The next thing asked for; rank 0 answers counts until then.
    fn next(&self) -> Option<Ask> {
        if self.counters.is_none() || self.world.size() == 1 {
            return self.asks.recv().ok();
        }
        loop {
            match self.asks.recv_timeout(PAUSE) {
                Ok(ask) => return Some(ask),
                Err(RecvTimeoutError::Timeout) => self.answer_counts(),
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }

    /// A byte goes before those of every rank: the address of an empty list means something else to MPI.
    fn gather(&self, own: &[u8]) -> Result<Vec<Vec<u8>>> {
        let own = &[&[0], own].concat()[..];
        let length = count(own.len())?;
        let mut lengths = vec![0; self.world.size() as usize];
        scope(|scope| {
            let begun =
                self.world
                    .immediate_all_gather_into(scope, &length, lengths.as_mut_slice());
            self.wait(begun, doze);
        });
        let counts: Vec<usize> = lengths.iter().map(|length| *length as usize).collect();
        let places = Places::new(&counts)?;
        let mut all = vec![0; places.total];
        {
            let mut parts = PartitionMut::new(all.as_mut_slice(), places.counts, places.starts);
            scope(|scope| {
                let begun = self
                    .world
                    .immediate_all_gather_varcount_into(scope, own, &mut parts);
                self.wait(begun, doze);
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
                let begun = self
                    .world
                    .immediate_all_to_all_varcount_into(scope, &given, &mut taken);
                self.wait(begun, std::thread::yield_now);
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
                let begun = self
                    .world
                    .immediate_all_gather_varcount_into(scope, own, &mut parts);
                self.wait(begun, std::thread::yield_now);
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
            let begun = first.immediate_receive_into(scope, &mut before[..]);
            self.wait(begun, doze);
        });
        Ok(before[0])
    }

    /// Counts for those who ask, on rank 0.
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
            let asker = self.counts.process_at_rank(status.source_rank());
            asker.send(&[before][..]);
        }
    }

    /// Waits for an operation.
    fn wait<'s, D: ?Sized, S: Scope<'s>>(&self, mut begun: Request<'s, D, S>, pause: fn()) {
        loop {
            match begun.test() {
                Ok(_) => return,
                Err(request) => begun = request,
            }
            self.answer_counts();
            pause();
        }
    }

    /// Waits until every rank parts. Once patience is over, whoever asked is told so, and an end by
    /// force is all that is waited for.
    fn part(&self, own: u8, patience: Option<Duration>, tell: &Sender<Option<Vec<u8>>>) -> Vec<u8> {
        let mut all = vec![0; self.parting.size() as usize];
        let start = Instant::now();
        let mut patience = patience;
        scope(|scope| {
            let mut begun = self
                .parting
                .immediate_all_gather_into(scope, &own, all.as_mut_slice());
            loop {
                match begun.test() {
                    Ok(_) => return,
                    Err(request) => begun = request,
                }
                self.answer_counts();
                if patience.is_some_and(|patience| start.elapsed() > patience) {
                    patience = None;
                    let _ = tell.send(None);
                }
                if let Ok(Ask::Abort(code)) = self.asks.try_recv() {
                    self.world.abort(code);
                }
                doze();
            }
        });
        all
    }
}

/// Leaves the core to others for a moment; where numbers are moved, they would move slowly by it.
fn doze() {
    std::thread::sleep(SLEEP);
}

/// Where the parts of a list begin, in the numbers of MPI.
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

/// A number of MPI, which counts in 31 bits.
fn count(number: usize) -> Result<i32> {
    i32::try_from(number).map_err(|_| Error::Config {
        context: "MPI".into(),
        reason: format!(
            "{number} values in one message are more than it can count; use fewer ranks or a \
             smaller network"
        ),
    })
}
