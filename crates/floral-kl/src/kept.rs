//! Judging inputs as a fit keeps them: predictions made without their own data, and some of their
//! runs.
//!
//! `left_out` makes them and draws from their laws, `stored` writes and reads them.

/// Maximum numbers of judging inputs, and of runs of each, that are kept.
const MOST_INPUTS: usize = 40;
const MOST_RUNS: usize = 20;

/// To save memory, runs are reduced to `FEW_RUNS`, then inputs to `FEW_INPUTS`, then runs to one.
const FEW_INPUTS: usize = 8;
const FEW_RUNS: usize = 8;

/// Maximum number of single-precision values that all of them take: 64 MB.
const MOST_VALUES: usize = 1 << 24;

/// Judging inputs, in units of the fit.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LeftOut {
    pub judges: Vec<Judge>,
    /// The fold of every training input; empty if held-out inputs judge.
    pub folds: Vec<usize>,
    /// Whether runs are known at every point of the lattice.
    pub is_whole: bool,
}

/// A judging input.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Judge {
    /// Its fold, or its place among the held-out inputs.
    pub group: usize,
    /// The input, and low fidelity if there is any: [channel, point].
    pub input: Vec<f32>,
    pub low: Vec<f32>,
    /// The calibrated prediction made without it: [channel, point].
    pub mean: Vec<f32>,
    pub aleatoric: Vec<f32>,
    pub epistemic: Vec<f32>,
    /// Factors of the epistemic part that come from its own group.
    pub own_factors: Vec<usize>,
    /// Some of its runs: [run, channel, point]; zero where they are not known.
    pub runs: Vec<f32>,
}

/// Numbers of inputs and of runs to keep, if an input takes `each` values and a run `values`.
pub(super) fn kept(inputs: usize, runs: usize, each: usize, values: usize) -> [usize; 2] {
    let (mut inputs, mut runs) = (inputs.min(MOST_INPUTS), runs.min(MOST_RUNS));
    while inputs * (each + runs * values) > MOST_VALUES {
        match (runs > FEW_RUNS, inputs > FEW_INPUTS) {
            (true, _) => runs -= 1,
            (false, true) => inputs -= 1,
            (false, false) if runs > 1 => runs -= 1,
            (false, false) => break,
        }
    }
    [inputs, runs]
}

impl Judge {
    /// All its fields.
    pub(super) fn fields(&self) -> impl Iterator<Item = &Vec<f32>> {
        let given = [&self.input, &self.low];
        let predicted = [&self.mean, &self.aleatoric, &self.epistemic, &self.runs];
        given.into_iter().chain(predicted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_and_runs_are_thinned_where_memory_ends() {
        assert_eq!(kept(10, 50, 5 * 64, 64), [10, 20]);
        assert_eq!(kept(100, 4, 5 * 64, 64), [40, 4]);
        let values = 1 << 16;
        let [inputs, runs] = kept(100, 50, 5 * values, values);
        assert!(inputs >= FEW_INPUTS && runs == FEW_RUNS);
        assert!(inputs * (5 + runs) * values <= MOST_VALUES);
        assert_eq!(kept(10, 10, 5 << 24, 1 << 24), [8, 1]);
    }
}
