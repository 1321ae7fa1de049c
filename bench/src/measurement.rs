//! One row of a benchmark: the time of a kind of work, and its useful arithmetic.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{
    FullSampling, MeasuredNetwork, PriorBatch, Stopwatch, TrainingStep, VelocityBatch, resident,
};
use floral::cost::{training_flops, velocity_flops};
use floral::device::is_processor;
use floral::sample::OdeSolver;
use floral::{Error, Result};

/// The kinds of work that users wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    /// Velocities of a batch whose context is prepared.
    Velocity,
    /// A training step, including its prior.
    Training,
    /// Prior fields.
    Prior,
    /// Realizations of an input's solution.
    Sampling,
}

impl Work {
    /// All kinds, the shortest first.
    pub const ALL: [Self; 4] = [Self::Velocity, Self::Training, Self::Prior, Self::Sampling];

    /// The name of the work.
    pub fn name(self) -> &'static str {
        match self {
            Self::Velocity => "velocity",
            Self::Training => "training",
            Self::Prior => "prior",
            Self::Sampling => "sampling",
        }
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Work {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|work| work.name() == name);
        found.ok_or_else(|| Error::UnknownName {
            kind: "work",
            name: name.to_owned(),
            known: Self::ALL.map(Self::name).join(", "),
        })
    }
}

/// The speed of a kind of work.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measurement {
    /// The work.
    pub work: Work,
    /// The grid, as in "64x64".
    pub size: String,
    /// Number of samples computed together.
    pub batch: usize,
    /// The fastest round, divided by the batch size.
    pub milliseconds_per_sample: f64,
    /// Useful arithmetic per sample; `None` for the prior.
    pub gflop_per_sample: Option<f64>,
    /// Useful arithmetic per second, in GFLOP/s.
    pub gflops: Option<f64>,
    /// Useful arithmetic as a percentage of the CPU's matrix products, if the CPU does the work.
    pub percent_of_peak: Option<f64>,
    /// Evaluations of the velocity per realization.
    pub evaluations: Option<f64>,
    /// Maximum resident bytes of the process; `None` if the system does not report them.
    pub peak_memory: Option<u64>,
}

/// Times a kind of work; `peak` is the limit of the machine in operations per second.
pub fn measure(
    work: Work,
    case: &MeasuredNetwork,
    solver: &OdeSolver,
    watch: &Stopwatch,
    peak: f64,
) -> Result<Measurement> {
    if !is_processor(&case.device) {
        // GPU kernels are compiled at first use, which may take longer than all rounds.
        time(work, case, solver, &Stopwatch::ONCE)?;
    }
    let (timed, peak_memory) = resident::peak_of(|| time(work, case, solver, watch));
    let Timed {
        seconds,
        flops,
        evaluations,
    } = timed?;
    let rate = flops.map(|flops| flops / seconds);
    let on_processor = rate.filter(|_| is_processor(&case.device));
    let batch = case.batch as f64;
    Ok(Measurement {
        work,
        size: case.size(),
        batch: case.batch,
        milliseconds_per_sample: 1e3 * seconds / batch,
        gflop_per_sample: flops.map(|flops| flops / batch / 1e9),
        gflops: rate.map(|rate| rate / 1e9),
        percent_of_peak: on_processor.map(|rate| 100.0 * rate / peak),
        evaluations,
        peak_memory,
    })
}

/// The time and arithmetic of one batch.
struct Timed {
    seconds: f64,
    flops: Option<f64>,
    evaluations: Option<f64>,
}

fn time(
    work: Work,
    case: &MeasuredNetwork,
    solver: &OdeSolver,
    watch: &Stopwatch,
) -> Result<Timed> {
    let MeasuredNetwork { batch, inputs, .. } = *case;
    let velocity = velocity_flops(&case.network(), &case.grid);
    let mut evaluations = None;
    let (seconds, flops) = match work {
        Work::Velocity => {
            let states = VelocityBatch::new(case)?;
            (watch.best(|| states.run())?, Some(batch as f64 * velocity))
        }
        Work::Training => {
            let mut step = TrainingStep::new(case, true)?;
            let flops = training_flops(&case.network(), &case.grid, batch, inputs);
            (watch.best(|| step.run())?, Some(flops))
        }
        Work::Prior => {
            let mut prior = PriorBatch::new(case)?;
            (watch.best(|| prior.run())?, None)
        }
        Work::Sampling => {
            let sampling = FullSampling::new(case, *solver)?;
            let mut all = 0.0;
            let seconds = watch.best(|| {
                all = sampling.run()?.evaluations as f64;
                Ok(())
            })?;
            evaluations = Some(all / batch as f64);
            (seconds, Some(all * velocity))
        }
    };
    Ok(Timed {
        seconds,
        flops,
        evaluations,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_work_runs_on_lines_and_planes_of_any_size() {
        let watch = Stopwatch {
            seconds: 0.0,
            rounds: 1,
        };
        let solver = OdeSolver::named("heun", Some(2)).unwrap();
        for grid in [vec![9], vec![6, 7]] {
            let case = MeasuredNetwork {
                inputs: 2,
                hidden: 4,
                ..MeasuredNetwork::new(grid, 3)
            };
            for work in Work::ALL {
                let row = measure(work, &case, &solver, &watch, 1e9).unwrap();
                assert_eq!((row.work, row.batch), (work, 3));
                assert!(row.milliseconds_per_sample > 0.0);
                assert_eq!(row.gflops.is_some(), work != Work::Prior);
                assert_eq!(row.evaluations.is_some(), work == Work::Sampling);
            }
        }
    }

    #[test]
    fn a_works_name_is_understood() {
        for work in Work::ALL {
            assert_eq!(work.name().parse::<Work>().unwrap(), work);
        }
        assert!("nothing".parse::<Work>().is_err());
    }
}
