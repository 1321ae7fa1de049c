//! Judging inputs with predictions made without their own data, and some of their runs.
//!
//! A fit keeps them so that any quantity of the solution can be calibrated later without the data:
//! the quantity is computed from draws of the left-out law, and from the runs.

use std::borrow::Cow;

use super::case::{Framed, Query};
use super::draws::{Draws, NEAREST};
use super::expansion::Expansion;
use super::folds::Folds;
use super::judged::Judged;
use super::kept::{Judge, LeftOut, kept};
use super::prediction::Prediction;

/// A judging input with its prediction by a fit that has not seen it.
pub struct LeftOutInput<'a> {
    /// The input: [channel, point].
    pub input: Vec<f64>,
    /// Low fidelity: [channel, point]; empty if there is none.
    pub low: Vec<f64>,
    /// Some of its runs: [run, channel, point].
    pub runs: Vec<f64>,
    /// The law of its solution, predicted without it.
    pub draws: Draws<'a>,
}

impl Expansion {
    /// The judging inputs that a calibrated fit keeps.
    pub(super) fn left_out(&self, judged: &Judged<'_>, folds: &Folds) -> Option<LeftOut> {
        let count = judged.cases.len();
        let is_held = judged.is_held;
        let group = |i: usize| if is_held { i } else { folds.of(i) };
        let runs = |i: &usize| judged.cases[*i].count(&self.lattice, self.channels);
        let most_runs = (0..count).map(|i| runs(&i)).max()?;
        let values = self.channels.solution * self.lattice.len();
        let each = judged.cases[0].query.input.len() + 4 * values;
        let [inputs, runs] = kept(count, most_runs, each, values);
        // If errors were not combined into fewer factors, factor k is the error of judge k.
        let has_own = self.epistemic.fields(values).count() == count;
        let of = |k: usize| {
            let i = k * count / inputs;
            let own = |j: &usize| has_own && group(*j) == group(i);
            let others = (0..count).any(|j| !own(&j));
            Judge {
                own_factors: match others {
                    true => (0..count).filter(own).collect(),
                    false => Vec::new(),
                },
                ..judge(self, judged, i, group(i), runs)
            }
        };
        let judges: Vec<Judge> = (0..inputs).map(of).collect();
        let finite = |judge: &Judge| judge.fields().all(|f| f.iter().all(|v| v.is_finite()));
        judges.iter().all(finite).then(|| LeftOut {
            judges,
            folds: match is_held {
                true => Vec::new(),
                false => (0..folds.inputs()).map(|i| folds.of(i)).collect(),
            },
            is_whole: judged.cases.iter().all(|case| case.points.is_none()),
        })
    }
}

/// A judging input with some of its runs.
fn judge(
    fitted: &Expansion,
    judged: &Judged<'_>,
    i: usize,
    group: usize,
    most_runs: usize,
) -> Judge {
    let (case, framed) = (&judged.cases[i], &judged.moments.framed[i]);
    let (size, square) = (framed.size, framed.size * framed.size);
    let low = |p: usize| framed.low.get(p).copied().unwrap_or(0.0);
    let mean = judged.mean.guesses[i].iter().enumerate();
    let spread = judged.spread.map(|verdict| &verdict.guesses[i]);
    let scaled = |values: &Vec<f64>| values.iter().map(|v| v * square).collect();
    let mean: Vec<f64> = mean.map(|(p, v)| (v + low(p)) * size).collect();
    let mut prediction = Prediction {
        aleatoric: spread.map_or(vec![0.0; mean.len()], scaled),
        epistemic: scaled(&judged.unknown[i]),
        mean,
        novelty: 1.0,
    };
    let least = fitted.least_variance * square;
    fitted.apply_calibration(&mut prediction, size, least);
    let points = fitted.lattice.len();
    let known = fitted.channels.solution * case.known(&fitted.lattice);
    let runs = case.realizations.fields(known).take(most_runs);
    let runs = runs.flat_map(|run| match case.points {
        None => run,
        Some(at) => spread_out(&run, at, points),
    });
    Judge {
        group,
        input: singles(case.query.input),
        low: singles(case.query.low.unwrap_or(&[])),
        mean: singles(&prediction.mean),
        aleatoric: singles(&prediction.aleatoric),
        epistemic: singles(&prediction.epistemic),
        own_factors: Vec::new(),
        runs: runs.map(|v| v as f32).collect(),
    }
}

/// Spreads a run at known points out over the lattice, with zeros elsewhere.
fn spread_out(run: &[f64], at: &[usize], points: usize) -> Vec<f64> {
    let channels = run.chunks_exact(at.len().max(1));
    let channel = |channel: &[f64]| {
        let mut field = vec![0.0; points];
        at.iter().zip(channel).for_each(|(p, v)| field[*p] = *v);
        field
    };
    channels.flat_map(channel).collect()
}

impl Expansion {
    /// Number of judging inputs that the fit keeps; 0 if no input judged it, or if an older version
    /// made it.
    pub fn left_out_count(&self) -> usize {
        self.left_out.as_ref().map_or(0, |all| all.judges.len())
    }

    /// Whether their runs are known at every point.
    pub fn is_left_out_whole(&self) -> bool {
        self.left_out.as_ref().is_some_and(|all| all.is_whole)
    }

    /// The judging input of this index; `None` beyond the last.
    pub fn left_out_input(&self, index: usize) -> Option<LeftOutInput<'_>> {
        let all = self.left_out.as_ref()?;
        let judge = all.judges.get(index)?;
        let query = [&judge.input[..], &judge.low[..]].map(doubles);
        let query = Query {
            input: &query[0],
            low: (!judge.low.is_empty()).then_some(&query[1][..]),
        };
        let points = self.lattice.len();
        let [input, low] = self.units.given(&query, points);
        let framed = Framed::new(&query, &self.symmetries);
        let units = self.units.solution();
        let runs = judge.runs.iter().enumerate().map(|(at, v)| {
            let unit = &units[at / points % units.len()];
            f64::from(*v) * unit.scale + unit.shift
        });
        Some(LeftOutInput {
            input,
            low,
            runs: runs.collect(),
            draws: self.left_out_draws(&framed, judge, &all.folds),
        })
    }

    /// The law of a judging input from the training inputs of other folds.
    fn left_out_draws(&self, framed: &Framed, judge: &Judge, folds: &[usize]) -> Draws<'_> {
        let others = |input: usize| folds.get(input) != Some(&judge.group);
        let nearest = self
            .neighbours
            .nearest_of(framed, &self.symmetries, NEAREST, others);
        let aleatoric = doubles(&judge.aleatoric);
        let law = self.law.as_ref().filter(|_| !nearest.is_empty());
        let deviations =
            law.map(|law| law.condition(&nearest, &aleatoric, framed.size, &self.lattice));
        let prediction = Prediction {
            mean: doubles(&judge.mean),
            aleatoric,
            epistemic: doubles(&judge.epistemic),
            novelty: 1.0,
        };
        let values = judge.mean.len();
        let factors: Vec<&[f32]> = self.epistemic.fields(values).collect();
        let factors = without(&factors, &judge.own_factors);
        let factors = factors.iter().map(|field| &field[..]);
        Draws::new(self, prediction, deviations, factors)
    }
}

/// The factors without some of them, rescaled to unit variance together at every value where any is
/// left.
fn without<'f>(factors: &[&'f [f32]], left_out: &[usize]) -> Vec<Cow<'f, [f32]>> {
    if left_out.is_empty() {
        return factors.iter().map(|field| Cow::Borrowed(*field)).collect();
    }
    let kept = factors.iter().enumerate();
    let kept: Vec<&&[f32]> = kept
        .filter(|(k, _)| !left_out.contains(k))
        .map(|(_, field)| field)
        .collect();
    let mut squares = vec![0.0; kept.first().map_or(0, |field| field.len())];
    for field in &kept {
        let parts = squares.iter_mut().zip(field.iter());
        parts.for_each(|(s, v)| *s += v * v);
    }
    let unit = |(v, square): (&f32, &f32)| match *square > 0.0 {
        true => v / square.sqrt(),
        false => 0.0,
    };
    let scaled = |field: &&&[f32]| field.iter().zip(&squares).map(unit).collect();
    kept.iter().map(|field| Cow::Owned(scaled(field))).collect()
}

fn singles(values: &[f64]) -> Vec<f32> {
    values.iter().map(|v| *v as f32).collect()
}

fn doubles(values: &[f32]) -> Vec<f64> {
    values.iter().map(|v| f64::from(*v)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_that_are_left_keep_unit_variance() {
        let fields: [&[f32]; 3] = [&[0.6, 1.0], &[0.8, 0.0], &[0.0, 0.0]];
        let kept = without(&fields, &[0]);
        assert_eq!(kept.len(), 2);
        assert_eq!(
            (&kept[0][..], &kept[1][..]),
            (&[1.0, 0.0][..], &[0.0; 2][..])
        );
    }
}
