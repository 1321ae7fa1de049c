//! Judging inputs as they are stored with a fit.

use serde::{Deserialize, Serialize};

use super::{Singles, check::ensure};
use crate::Result;
use crate::kept::{Judge, LeftOut};

#[derive(Serialize, Deserialize)]
pub(super) struct StoredLeftOut {
    judges: Vec<StoredJudge>,
    folds: Vec<usize>,
    is_whole: bool,
}

#[derive(Serialize, Deserialize)]
struct StoredJudge {
    group: usize,
    input: Singles,
    low: Singles,
    mean: Singles,
    aleatoric: Singles,
    epistemic: Singles,
    own_factors: Vec<usize>,
    runs: Singles,
}

impl StoredLeftOut {
    pub(super) fn new(left_out: &LeftOut) -> Self {
        let judge = |judge: &Judge| {
            let singles = |values: &Vec<f32>| Singles(values.clone());
            StoredJudge {
                group: judge.group,
                input: singles(&judge.input),
                low: singles(&judge.low),
                mean: singles(&judge.mean),
                aleatoric: singles(&judge.aleatoric),
                epistemic: singles(&judge.epistemic),
                own_factors: judge.own_factors.clone(),
                runs: singles(&judge.runs),
            }
        };
        Self {
            judges: left_out.judges.iter().map(judge).collect(),
            folds: left_out.folds.clone(),
            is_whole: left_out.is_whole,
        }
    }

    /// Refuses judging inputs whose sizes of input, low fidelity and solution are not those of the
    /// fit.
    pub(super) fn check(&self, inputs: usize, [input, low, solution]: [usize; 3]) -> Result<()> {
        let folds = [0, inputs].contains(&self.folds.len());
        ensure(folds, "the folds of its inputs do not fit")?;
        for judge in &self.judges {
            let predicted = [&judge.mean, &judge.aleatoric, &judge.epistemic];
            let sized = predicted.iter().all(|field| field.0.len() == solution);
            ensure(
                sized
                    && judge.input.0.len() == input
                    && judge.low.0.len() == low
                    && judge.runs.0.len().is_multiple_of(solution),
                "a judging input has another size",
            )?;
            let all = predicted.into_iter();
            let mut all = all.chain([&judge.input, &judge.low, &judge.runs]);
            let finite = all.all(|field| field.0.iter().all(|v| v.is_finite()));
            let variances = [&judge.aleatoric, &judge.epistemic];
            let positive = variances.iter().all(|f| f.0.iter().all(|v| *v >= 0.0));
            ensure(finite && positive, "a judging input is out of range")?;
        }
        Ok(())
    }

    pub(super) fn restore(self) -> LeftOut {
        let judge = |judge: StoredJudge| Judge {
            group: judge.group,
            input: judge.input.0,
            low: judge.low.0,
            mean: judge.mean.0,
            aleatoric: judge.aleatoric.0,
            epistemic: judge.epistemic.0,
            own_factors: judge.own_factors,
            runs: judge.runs.0,
        };
        LeftOut {
            judges: self.judges.into_iter().map(judge).collect(),
            folds: self.folds,
            is_whole: self.is_whole,
        }
    }
}
