//! Workers that run tasks in parallel, each with its own threads.

use std::sync::{Mutex, PoisonError};

use floral::Result;

/// The number of parallel tasks, and the number of threads of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Workers {
    /// Number of parallel tasks.
    pub count: usize,
    /// Number of threads per task.
    pub threads: usize,
}

impl Workers {
    /// Divides the threads of the current pool among this number of workers, at least one each.
    #[cfg(feature = "networks")]
    pub fn sharing(count: usize) -> Self {
        let count = count.max(1);
        Self {
            count,
            threads: (rayon::current_num_threads() / count).max(1),
        }
    }

    /// Runs the tasks, which start in their order. A worker stops at its first error, which is
    /// returned once all workers have stopped.
    pub fn run<T: Send>(
        self,
        tasks: impl IntoIterator<Item = T, IntoIter: Send>,
        work: impl Fn(T) -> Result<()> + Sync,
    ) -> Result<()> {
        let queue = Mutex::new(tasks.into_iter());
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        let all = || -> Result<()> {
            while let Some(task) = next() {
                work(task)?;
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..self.count)
                .map(|_| scope.spawn(|| self.with_own_threads(all)))
                .collect();
            let ends = workers.into_iter().map(|worker| match worker.join() {
                Ok(end) => end,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            ends.collect::<Vec<_>>().into_iter().collect()
        })
    }

    /// Calls a function in a thread pool of one worker's size.
    pub fn with_own_threads<R: Send>(self, work: impl FnOnce() -> R + Send) -> R {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads);
        match pool.build() {
            Ok(pool) => pool.install(work),
            // If no threads can be created, the calling pool is used.
            Err(_) => work(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use floral::Error;

    #[test]
    fn every_task_runs_once_on_its_workers_threads() {
        let done = Mutex::new(Vec::new());
        let workers = Workers {
            count: 3,
            threads: 2,
        };
        let work = |task: usize| {
            done.lock()
                .unwrap()
                .push((task, rayon::current_num_threads()));
            Ok(())
        };
        workers.run(0..20, work).unwrap();
        let mut done = done.into_inner().unwrap();
        done.sort_unstable();
        assert_eq!(done, (0..20).map(|task| (task, 2)).collect::<Vec<_>>());
    }

    #[test]
    fn an_error_is_returned_after_all_workers_have_ended() {
        let workers = Workers {
            count: 2,
            threads: 1,
        };
        let done = Mutex::new(0);
        let end = workers.run(0..10, |task| {
            *done.lock().unwrap() += 1;
            match task {
                0 => Err(Error::Interrupted),
                _ => Ok(()),
            }
        });
        assert!(matches!(end, Err(Error::Interrupted)));
        assert_eq!(done.into_inner().unwrap(), 10);
    }
}
