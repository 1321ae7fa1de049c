//! An ensemble: many realizations, block by block, each independent of the others.

use std::ops::Range;

use rayon::prelude::*;

use super::{Cost, OdeSolver, RowCost, Scalar, Velocity};
use crate::Result;
pub use crate::observer::Progress;
use crate::observer::{Event, Observer, go_on};
use crate::random::{Purpose, Stream, stream};

/// Realizations 0, 1, ... of a flow, integrated in blocks of as many rows as the velocity has.
///
/// Realization j is always row j mod rows of its block, and a last block that is not full repeats
/// its last realization. The bits of a realization thus depend on its start state alone: not on the
/// number of realizations, threads or parallel blocks.
pub struct BlockIntegration<'a> {
    /// The integrator.
    pub solver: &'a OdeSolver,
    /// Indices of the realizations: from 0, or from where an earlier run stopped.
    pub realizations: Range<usize>,
    /// Receives progress after every block, or after those computed in parallel; may stop the run
    /// before any evaluation of the velocity.
    pub observer: &'a dyn Observer,
}

/// Start states drawn from a prior; each realization has its own stream.
pub fn from_prior<T>(
    seed: u64,
    input: u64,
    draw: impl Fn(&mut Stream, &mut [T]) -> Result<()> + Sync,
) -> impl Fn(usize, &mut [T]) -> Result<()> + Sync {
    move |realization, state| {
        let mut rng = stream(seed, Purpose::Prior, input, realization as u64);
        draw(&mut rng, state)
    }
}

impl BlockIntegration<'_> {
    /// Integrates `blocks` blocks at a time: more than one for velocities that leave processors
    /// idle.
    ///
    /// `start(j, state)` writes the start state of realization j; `consume(j, state, cost)`
    /// receives its end state and its cost, in the order of j.
    pub fn run<T: Scalar>(
        &self,
        blocks: usize,
        velocity: &(impl Velocity<T> + Sync),
        start: impl Fn(usize, &mut [T]) -> Result<()> + Sync,
        consume: impl FnMut(usize, &[T], RowCost) -> Result<()>,
    ) -> Result<Progress> {
        let block = |first: &usize| self.block(*first, velocity, &start);
        let wave = |firsts: &[usize]| firsts.par_iter().map(block).collect();
        self.deliver(velocity, blocks.max(1), wave, consume)
    }

    /// Integrates one wave of parallel blocks after another and delivers their realizations in
    /// order. A block is identified by its first realization.
    fn deliver<T: Scalar>(
        &self,
        velocity: &impl Velocity<T>,
        blocks: usize,
        integrate: impl Fn(&[usize]) -> Vec<Result<(Vec<T>, Cost)>>,
        mut consume: impl FnMut(usize, &[T], RowCost) -> Result<()>,
    ) -> Result<Progress> {
        let mut progress = Progress {
            done: self.realizations.start,
            total: self.realizations.end,
            ..Progress::default()
        };
        if self.realizations.is_empty() {
            return Ok(progress);
        }
        let rows = velocity.rows().max(1);
        // A block begun by an earlier run is integrated again, so that its rows keep their
        // positions.
        let begin = self.realizations.start / rows * rows;
        let mut firsts = (begin..self.realizations.end).step_by(rows);
        loop {
            let wave: Vec<usize> = firsts.by_ref().take(blocks).collect();
            if wave.is_empty() {
                return Ok(progress);
            }
            for (first, block) in wave.iter().zip(integrate(&wave)) {
                let (states, cost) = block?;
                let rows = states.chunks_exact(velocity.row_len()).zip(&cost.rows);
                let pending = rows.skip(progress.done - first);
                for (state, cost) in pending.take(self.realizations.end - progress.done) {
                    consume(progress.done, state, *cost)?;
                    progress.done += 1;
                    progress.evaluations += cost.evaluations;
                }
                progress.block_evaluations += cost.block;
            }
            // One event for all blocks computed in parallel: the time is that of the whole wave.
            self.observer.observe(&Event::Realizations(progress));
        }
    }

    /// The end states of the block whose first realization is `first`: [row, value].
    fn block<T: Scalar>(
        &self,
        first: usize,
        velocity: &impl Velocity<T>,
        start: &(impl Fn(usize, &mut [T]) -> Result<()> + Sync),
    ) -> Result<(Vec<T>, Cost)> {
        let (rows, len) = (velocity.rows(), velocity.row_len());
        let own = rows.min(self.realizations.end - first);
        let mut states = vec![T::default(); own * len];
        // At least 1, as chunks require; the solver refuses a velocity without values.
        let drawn = states.par_chunks_mut(len.max(1)).enumerate();
        drawn.try_for_each(|(row, state)| start(first + row, state))?;
        for _ in own..rows {
            states.extend_from_within((own - 1) * len..own * len);
        }
        let stoppable = Stoppable {
            velocity,
            observer: self.observer,
        };
        let cost = self.solver.integrate(&stoppable, &mut states);
        // Name realizations of the ensemble, not rows of the block.
        let place = format_args!("realizations {first} to {}", first + own - 1);
        Ok((states, cost.map_err(|error| error.numerical_at(place))?))
    }
}

/// A velocity that fails once the observer asks to stop.
struct Stoppable<'a, V> {
    velocity: &'a V,
    observer: &'a dyn Observer,
}

impl<T: Scalar, V: Velocity<T>> Velocity<T> for Stoppable<'_, V> {
    fn rows(&self) -> usize {
        self.velocity.rows()
    }

    fn row_len(&self) -> usize {
        self.velocity.row_len()
    }

    fn evaluate(&self, times: &[T], states: &[T], out: &mut [T]) -> Result<()> {
        go_on(self.observer)?;
        self.velocity.evaluate(times, states, out)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use rand_distr::{Distribution, StandardNormal};

    use super::super::testing::{Pointwise, pointwise};
    use super::*;
    use floral_data::Silent;

    const LEN: usize = 5;

    fn normal(rng: &mut Stream, state: &mut [f32]) -> Result<()> {
        state.fill_with(|| StandardNormal.sample(rng));
        Ok(())
    }

    fn swirl(rows: usize) -> impl Velocity<f32> + Sync {
        pointwise(rows, LEN, |t: f32, w: f32| (5.0 * w).sin() + t - w)
    }

    /// Every realization in the order of delivery.
    fn realizations(rows: usize, count: usize, blocks: usize) -> Vec<Vec<f32>> {
        let ensemble = BlockIntegration {
            solver: &OdeSolver::default(),
            realizations: 0..count,
            observer: &Silent,
        };
        let mut all = Vec::new();
        let consume = |j: usize, state: &[f32], _: RowCost| {
            assert_eq!(j, all.len(), "in order");
            all.push(state.to_vec());
            Ok(())
        };
        let start = from_prior(3, 1, normal);
        let progress = ensemble.run(blocks, &swirl(rows), start, consume);
        assert_eq!(progress.unwrap().done, count);
        all
    }

    #[test]
    fn a_realization_depends_on_seed_and_index_alone() {
        let reference = realizations(4, 23, 1);
        assert_eq!(realizations(4, 9, 1), reference[..9]);
        for rows in [1, 3, 32] {
            assert_eq!(realizations(rows, 23, 1), reference);
        }
        for blocks in [0, 2, 7] {
            assert_eq!(realizations(4, 23, blocks), reference);
        }
        assert!(realizations(4, 0, 1).is_empty());
        assert_ne!(reference[0], reference[1]);
    }

    #[test]
    fn an_ensemble_goes_on_from_any_realization() {
        let reference = realizations(4, 23, 1);
        for first in [0, 3, 4, 22, 23] {
            let ensemble = BlockIntegration {
                solver: &OdeSolver::default(),
                realizations: first..23,
                observer: &Silent,
            };
            let mut next = first;
            let start = from_prior(3, 1, normal);
            let progress = ensemble.run(2, &swirl(4), start, |j, state, cost| {
                assert_eq!((j, state), (next, reference[j].as_slice()));
                assert!(cost.evaluations > 0);
                next += 1;
                Ok(())
            });
            assert_eq!((next, progress.unwrap().done), (23, 23));
        }
    }

    /// Counts blocks, and requests to stop after a number of realizations.
    #[derive(Default)]
    struct Listener {
        heard: Mutex<Vec<Progress>>,
        enough: Option<usize>,
    }

    impl Observer for Listener {
        fn observe(&self, event: &Event<'_>) {
            if let Event::Realizations(progress) = event {
                self.heard.lock().unwrap().push(*progress);
            }
        }

        fn should_stop(&self) -> bool {
            let heard = self.heard.lock().unwrap();
            let done = heard.last().map_or(0, |progress| progress.done);
            self.enough.is_some_and(|enough| done >= enough)
        }
    }

    #[test]
    fn the_observer_hears_of_every_block() {
        let listener = Listener::default();
        let ensemble = BlockIntegration {
            solver: &OdeSolver::named("rk4", Some(3)).unwrap(),
            realizations: 0..10,
            observer: &listener,
        };
        let end = ensemble.run(1, &swirl(4), from_prior(0, 0, normal), |_, _, _| Ok(()));
        let heard = listener.heard.into_inner().unwrap();
        let done: Vec<usize> = heard.iter().map(|progress| progress.done).collect();
        assert_eq!(done, [4, 8, 10]);
        let end = end.unwrap();
        assert_eq!(heard.last(), Some(&end));
        assert_eq!((end.evaluations, end.block_evaluations), (120, 36));
    }

    #[test]
    fn a_stopped_ensemble_delivers_what_it_has_and_says_so() {
        let listener = Listener {
            enough: Some(8),
            ..Listener::default()
        };
        let ensemble = BlockIntegration {
            solver: &OdeSolver::default(),
            realizations: 0..100,
            observer: &listener,
        };
        let mut delivered = 0;
        let end = ensemble.run(1, &swirl(4), from_prior(0, 0, normal), |_, _, _| {
            delivered += 1;
            Ok(())
        });
        assert!(matches!(end, Err(crate::Error::Interrupted)));
        assert_eq!(delivered, 8);
    }

    #[test]
    fn a_failure_names_its_realizations() {
        let bad = Pointwise::by_row(4, LEN, |row, _, w: f32| if row == 2 { f32::NAN } else { w });
        let ensemble = BlockIntegration {
            solver: &OdeSolver::default(),
            realizations: 0..3,
            observer: &Silent,
        };
        let end = ensemble.run(1, &bad, from_prior(0, 0, normal), |_, _, _| Ok(()));
        let message = end.unwrap_err().to_string();
        assert!(
            message.starts_with("realizations 0 to 2: row 2 at time 0"),
            "{message}"
        );
    }
}
