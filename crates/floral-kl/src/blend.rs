//! A blend: candidate regressions of one target, weighted by their errors at judging inputs.
//!
//! A judging input is one that a candidate has not seen: held out, or left out with its fold.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::case::Framed;
use super::constant::{Bounds, Constant, uniform};
use super::large::picked;
use super::member::{Member, Model};
use super::problem::{Base, Problem};
use super::stack::Stacked;
use super::target::{Examples, Parity, Sample};
use super::weights::{Products, norms, products, weights};

/// The score of a candidate of a blend, for tables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemberScore {
    /// The name of the candidate.
    pub name: String,
    /// Mean Euclidean norm of its errors at judging inputs.
    pub left_out: f64,
    /// Its weight in the blend.
    pub weight: f64,
}

/// Weighted regressions of one target,
///
///   m(a) = sum_k w_k m_k(a) + c(a),   w_k >= 0,   sum_k w_k = 1,
///
/// each m_k clipped to bounds, with the correction c of stacked networks. The weights minimise the
/// errors at judging inputs, as in stacked regressions (Breiman, Machine Learning 24, 1996).
pub(super) struct Blend {
    pub members: Vec<(Member, f64)>,
    pub parity: Parity,
    /// Number of values of a target.
    pub values: usize,
    /// Bounds of guesses, for the bases `Low` and `Input`.
    pub bounds: [Bounds; 2],
    /// Scores of all candidates.
    pub scores: Vec<MemberScore>,
    /// Networks that correct the error of the members.
    pub stacked: Option<Stacked>,
}

/// Guesses and errors of a blend at the inputs that judged it, framed.
pub(super) struct Verdict {
    /// [judge][channel, point].
    pub guesses: Vec<Vec<f64>>,
    /// Target minus guess: [judge][channel, point].
    pub errors: Vec<Vec<f64>>,
    /// Weighted mean of each judging input's posterior variances, each over its mean; and the total
    /// weight of members that have no posterior variance.
    unknown: Vec<f64>,
    without: f64,
}

impl Verdict {
    /// How new each judging input was to the fit that it judged, defined as in [`Blend::novelty`].
    pub(super) fn novelty(&self, distances: &[f64]) -> Vec<f64> {
        let both = self.unknown.iter().zip(distances);
        both.map(|(u, d)| u + self.without * d).collect()
    }
}

/// A candidate with its name and its guesses at judging inputs: [judge][channel, point]; on a large
/// domain at the judged points, until it has a weight.
pub(super) struct Tried {
    name: String,
    member: Member,
    guesses: Vec<Vec<f64>>,
    unknown: Option<Vec<f64>>,
}

impl Blend {
    /// A blend without members.
    pub(super) fn empty(problem: &Problem<'_>) -> Self {
        let examples = &problem.views[0].examples;
        let bounds = [Base::Low, Base::Input].map(|base| {
            let view = problem.views.iter().find(|view| view.base == base);
            let sample = &view.unwrap_or(&problem.views[0]).examples.train;
            Bounds::new(sample, examples.parity, problem.symmetries)
        });
        Self {
            members: Vec::new(),
            parity: examples.parity,
            values: examples.train.targets[0].len(),
            bounds,
            scores: Vec::new(),
            stacked: None,
        }
    }

    /// The constant candidates; at least one is always among the candidates.
    pub(super) fn simplest(&self, problem: &Problem<'_>) -> Vec<Tried> {
        let points = problem.lattice.len();
        let examples = &problem.views[0].examples;
        let given = problem.constants.iter().map(|(name, numbers)| {
            let constant = Constant::given(uniform(numbers, points), examples);
            self.tried(
                (*name).to_owned(),
                Base::Low,
                Model::Constant(constant),
                examples,
            )
        });
        let means = problem.views.iter().map(|view| {
            let examples = &view.examples;
            let mean = Constant::mean(problem.lattice, problem.symmetries, examples);
            let name = match (
                view.base,
                self.parity,
                examples.train.framed[0].low.is_empty(),
            ) {
                (Base::Low, Parity::Odd, false) => "mean residual",
                (_, Parity::Odd, _) => "mean solution",
                (_, Parity::Even, _) => "mean variance",
            };
            self.tried(name.into(), view.base, Model::Constant(mean), examples)
        });
        given.chain(means).collect()
    }

    /// A candidate with its guesses, clipped to bounds, and minus low fidelity if the candidate
    /// ignores it.
    pub(super) fn tried(
        &self,
        name: String,
        base: Base,
        mut model: Model,
        examples: &Examples<'_>,
    ) -> Tried {
        let (mut guesses, unknown) = (model.judged(), model.unknown());
        self.finish_all(base, &mut guesses, &examples.judges());
        Tried {
            name,
            member: Member { base, model },
            guesses,
            unknown,
        }
    }

    /// Finishes guesses at the judging inputs; on a large domain at the judged points.
    fn finish_all(&self, base: Base, guesses: &mut [Vec<f64>], judges: &Sample<'_>) {
        for (i, (guess, hidden)) in guesses.iter_mut().zip(judges.hidden).enumerate() {
            match judges.at {
                Some(at) => self.finish(base, guess, &picked(hidden, judges.framed[i].points, at)),
                None => self.finish(base, guess, hidden),
            }
        }
    }

    /// Replaces the guesses of candidates with a weight by guesses at all points of a large domain.
    fn spread_out(&self, tried: &mut [Tried], weights: &[f64], problem: &Problem<'_>) {
        let judges = Sample {
            at: None,
            ..problem.views[0].examples.judges()
        };
        let weighed = tried.iter_mut().zip(weights).filter(|(_, w)| **w > 0.0);
        for (tried, _) in weighed {
            if let Some(guesses) = tried.member.judged_everywhere(problem) {
                tried.guesses = guesses;
                self.finish_all(tried.member.base, &mut tried.guesses, &judges);
            }
        }
    }

    /// Clips a guess to bounds, and converts it to one of the residual; low: [channel, point] or
    /// empty.
    fn finish(&self, base: Base, guess: &mut [f64], low: &[f64]) {
        match base {
            Base::Low => self.bounds[0].apply(guess),
            Base::Input => {
                self.bounds[1].apply(guess);
                if self.parity == Parity::Odd {
                    guess.iter_mut().zip(low).for_each(|(g, low)| *g -= low);
                }
            }
        }
    }

    /// The blend with weights by the guesses at judging inputs. If there are no judging inputs, the
    /// first candidate, which is the simplest, has all the weight.
    pub(super) fn weighed(
        mut self,
        mut tried: Vec<Tried>,
        problem: &Problem<'_>,
        is_judged: bool,
    ) -> (Self, Verdict) {
        let examples = &problem.views[0].examples;
        let judges = examples.judges();
        // One judging input after another: all errors of all members would take as much memory as
        // the data.
        let of_judge = |i: usize| {
            let errors = tried.iter().map(|tried| judges.miss(i, &tried.guesses[i]));
            products(&errors.collect::<Vec<Vec<f64>>>())
        };
        let count = judges.framed.len();
        let products: Vec<Products> = (0..count).into_par_iter().map(of_judge).collect();
        let sizes = judges.framed.iter().map(|f| examples.parity.size(f));
        let sizes: Vec<f64> = sizes.collect();
        let norms = norms(&products, &sizes);
        let weights = if is_judged {
            let evidence = match examples.has_held() {
                true => sizes.len(),
                false => examples.folds.count(),
            };
            weights(&products, &norms, &sizes, evidence)
        } else {
            let first = |k: usize| if k == 0 { 1.0 } else { 0.0 };
            (0..tried.len()).map(first).collect()
        };
        if judges.at.is_some() {
            self.spread_out(&mut tried, &weights, problem);
        }
        let verdict = verdict(&tried, &weights, judges.targets);
        for ((tried, norms), weight) in tried.into_iter().zip(norms).zip(weights) {
            self.scores.push(MemberScore {
                name: tried.name,
                left_out: norms.iter().sum::<f64>() / norms.len() as f64,
                weight,
            });
            if weight > 0.0 {
                self.members.push((tried.member, weight));
            }
        }
        (self, verdict)
    }

    /// The predicted target of a query in the problem's own frame, [channel, point]; `around` is
    /// the query with the predicted mean in place of low fidelity.
    pub(super) fn predict(&self, framed: &Framed, around: Option<&Framed>) -> Vec<f64> {
        let mut sum = vec![0.0; self.values];
        for (member, weight) in &self.members {
            let mut values = member.predict(framed, around).unwrap_or_default();
            self.finish(member.base, &mut values, &framed.low);
            for (sum, value) in sum.iter_mut().zip(values) {
                *sum += weight * value;
            }
        }
        if let Some(stacked) = &self.stacked {
            let correction = stacked.correction(framed, &sum);
            sum.iter_mut().zip(correction).for_each(|(s, c)| *s += c);
        }
        let size = self.parity.size(framed);
        sum.iter_mut().for_each(|value| *value *= size);
        sum
    }

    /// How much less is known of a query than of a judging input, as a weighted mean over members.
    pub(super) fn novelty(&self, framed: &Framed, distance: f64) -> f64 {
        let novelty = |(member, weight): &(Member, f64)| weight * member.novelty(framed, distance);
        self.members.iter().map(novelty).sum()
    }
}

fn verdict(tried: &[Tried], weights: &[f64], targets: &[Vec<f64>]) -> Verdict {
    let weighed = || tried.iter().zip(weights).filter(|(_, w)| **w > 0.0);
    let blended = |i: usize| {
        let mut sum = vec![0.0; targets[i].len()];
        for (tried, weight) in weighed() {
            let parts = sum.iter_mut().zip(&tried.guesses[i]);
            parts.for_each(|(s, g)| *s += weight * g);
        }
        sum
    };
    let guesses: Vec<Vec<f64>> = (0..targets.len()).map(blended).collect();
    let error = |(target, guess): (&Vec<f64>, &Vec<f64>)| {
        target.iter().zip(guess).map(|(t, g)| t - g).collect()
    };
    let unknown = |i: usize| {
        let parts = weighed().filter_map(|(t, w)| Some(w * t.unknown.as_ref()?.get(i)?));
        parts.sum()
    };
    let without = weighed().filter(|(t, _)| t.unknown.is_none());
    Verdict {
        errors: targets.iter().zip(&guesses).map(error).collect(),
        guesses,
        unknown: (0..targets.len()).map(unknown).collect(),
        without: without.map(|(_, w)| w).sum(),
    }
}
