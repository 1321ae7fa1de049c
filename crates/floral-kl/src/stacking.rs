//! Networks put on a blend, with the weight that they deserve at inputs they have not seen.

use std::time::Duration;

use super::blend::{Blend, MemberScore, Verdict};
use super::case::{Channels, Framed};
use super::folds::Folds;
use super::stack::{Learner, Lesson, Stacked, fields};
use super::target::Examples;
use super::{Lattice, Symmetries};
use crate::Result;
use crate::observer::Observer;

/// Parts of the training inputs, and so networks.
const PARTS: usize = 4;

/// Fewer distinct inputs than these leave a network nothing to learn from.
const FEWEST: usize = 16;

/// Corrections reach at most so many times as far as the largest of an input left out.
const REACH: f64 = 1.5;

/// What networks are stacked with.
pub(super) struct Stacking<'a> {
    pub lattice: &'a Lattice,
    pub symmetries: &'a Symmetries,
    /// Those of the blend.
    pub examples: Examples<'a>,
    pub learner: &'a dyn Learner,
    pub observer: &'a dyn Observer,
    /// What of a budget is kept for what follows.
    pub reserved: Duration,
}

impl Stacking<'_> {
    /// Stacks networks on a blend, if they gain at inputs that they have not seen; the verdict is then
    /// that of both.
    pub(super) fn apply(&self, blend: &mut Blend, verdict: &mut Verdict) -> Result<()> {
        if !is_worth_it(self.lattice, &self.examples) {
            return Ok(());
        }
        let lesson = self.lesson(verdict);
        let networks = self.learner.learn(&lesson)?;
        if networks.is_empty() {
            return Ok(());
        }
        let correct = |(i, fields): (usize, &Vec<f64>)| networks[lesson.parts[i]].correct(fields);
        let corrections: Vec<Vec<f64>> = lesson.fields.iter().enumerate().map(correct).collect();
        let framed = self.examples.train.framed.iter();
        let sizes: Vec<f64> = framed.map(|f| blend.parity.size(f)).collect();
        let weight = weight_of(&lesson.targets, &corrections, &sizes, self.examples.folds);
        let of_mean = of_mean(weight, networks.len());
        blend.scores.push(MemberScore {
            name: "network on what the blend misses".into(),
            left_out: left_out(&lesson.targets, &corrections, &sizes),
            weight: of_mean,
        });
        if weight > 0.0 {
            verdict.correct(&corrections, weight);
            blend.stacked = Some(Stacked {
                networks,
                weight: of_mean,
                limits: limits(&corrections, self.lattice.len()),
            });
        }
        Ok(())
    }

    fn lesson<'a>(&'a self, verdict: &Verdict) -> Lesson<'a> {
        let inputs = self.examples.train.framed.iter().zip(&verdict.guesses);
        let [input, solution] = self.symmetries.motions[0].channels();
        let left = self.observer.time_left();
        Lesson {
            lattice: self.lattice,
            symmetries: self.symmetries,
            channels: Channels { input, solution },
            fields: inputs
                .map(|(framed, guess)| fields(framed, guess))
                .collect(),
            targets: verdict.errors.clone(),
            parts: parts(self.examples.folds),
            time: left.map(|left| left.saturating_sub(self.reserved)),
            observer: self.observer,
        }
    }
}

impl Verdict {
    fn correct(&mut self, corrections: &[Vec<f64>], weight: f64) {
        let pairs = self.guesses.iter_mut().zip(&mut self.errors);
        for ((guess, error), correction) in pairs.zip(corrections) {
            for ((guess, error), value) in guess.iter_mut().zip(error).zip(correction) {
                *guess += weight * value;
                *error -= weight * value;
            }
        }
    }
}

/// Enough distinct inputs, each known everywhere and left out once, of which some vary over the domain.
fn is_worth_it(lattice: &Lattice, examples: &Examples<'_>) -> bool {
    let varies = |framed: &Framed| {
        let mut channels = framed.input.chunks_exact(lattice.len());
        channels.any(|channel| channel.iter().any(|v| *v != channel[0]))
    };
    let sample = &examples.train;
    !examples.has_held()
        && examples.folds.count() >= FEWEST
        && sample.known.iter().all(Option::is_none)
        && sample.framed.iter().any(varies)
}

/// The part of each input: folds stay whole.
fn parts(folds: &Folds) -> Vec<usize> {
    (0..folds.inputs()).map(|i| folds.of(i) % PARTS).collect()
}

/// The weight w of corrections c of errors e that makes the sum of |e - w c|^2 least, less its standard
/// error: a ratio estimate over folds, Cochran (1977), "Sampling techniques", section 6.4. None if it is
/// less than two standard errors. An input counts by the inverse of its error's norm, as the mean norm is
/// what tables report.
fn weight_of(errors: &[Vec<f64>], corrections: &[Vec<f64>], sizes: &[f64], folds: &Folds) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let products = |i: &usize| {
        let (e, c) = (&errors[*i], &corrections[*i]);
        let scale = sizes[*i] / dot(e, e).sqrt().max(f64::MIN_POSITIVE);
        [scale * dot(e, c), scale * dot(c, c)]
    };
    let of_fold = |fold: &Vec<usize>| {
        let products = fold.iter().map(products);
        products.fold([0.0; 2], |sum, p| [sum[0] + p[0], sum[1] + p[1]])
    };
    let of_folds: Vec<[f64; 2]> = folds.members().iter().map(of_fold).collect();
    let count = of_folds.len() as f64;
    let [shared, square] = [0, 1].map(|k| of_folds.iter().map(|f| f[k]).sum::<f64>());
    if shared <= 0.0 || square <= 0.0 {
        return 0.0;
    }
    let weight = shared / square;
    let rest = of_folds.iter().map(|[x, y]| (x - weight * y).powi(2));
    let error = (rest.sum::<f64>() * count / (count - 1.0)).sqrt() / square;
    match weight > 2.0 * error {
        true => (weight - error).min(1.0),
        false => 0.0,
    }
}

/// The mean norm of what whole corrections leave.
fn left_out(errors: &[Vec<f64>], corrections: &[Vec<f64>], sizes: &[f64]) -> f64 {
    let left = |((e, c), size): ((&Vec<f64>, &Vec<f64>), &f64)| {
        let square = e.iter().zip(c).map(|(e, c)| (e - c).powi(2)).sum::<f64>();
        size * square.sqrt()
    };
    let all = errors.iter().zip(corrections).zip(sizes).map(left);
    all.sum::<f64>() / sizes.len() as f64
}

/// The weight of the mean of K networks, one of which deserves w.
///
/// Each is c = s + n_k, a part s that all share and errors n_k of their own: if s deserves the weight
/// one, w = |s|^2 / (|s|^2 + |n|^2), and of the mean, whose errors have the Kth part of the square,
/// 1 / (1 + (1/w - 1) / K). Judged inputs have one network each, so that their errors are no less than
/// a new input's.
fn of_mean(weight: f64, networks: usize) -> f64 {
    match weight > 0.0 {
        true => 1.0 / (1.0 + (1.0 / weight - 1.0) / networks as f64),
        false => 0.0,
    }
}

fn limits(corrections: &[Vec<f64>], points: usize) -> Vec<f64> {
    let channels = corrections[0].len() / points;
    let largest = |channel: usize| {
        let own = corrections.iter();
        let own = own.flat_map(|c| &c[channel * points..(channel + 1) * points]);
        REACH * own.fold(0.0, |most: f64, v| most.max(v.abs()))
    };
    (0..channels).map(largest).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, StandardNormal};

    use super::*;
    use crate::stack::Network;
    use crate::testing::lattice;
    use crate::{Case, Error, Expansion, LawKind, Material, Query, Recipe, Silent, Symmetry};

    const INPUTS: usize = 24;
    const POINTS: usize = 12;

    fn normals(seed: u64, count: usize) -> Vec<f64> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        (0..count)
            .map(|_| StandardNormal.sample(&mut rng))
            .collect()
    }

    /// What the learner of a test returns for what the blend misses.
    #[derive(Clone, Copy)]
    enum Kind {
        Exact,
        Noise,
    }

    struct Planted(Kind);

    /// Corrections of known fields; of others the size of the last field's first value.
    struct Table(Vec<(Vec<f64>, Vec<f64>)>);

    impl Network for Table {
        fn correct(&self, fields: &[f64]) -> Vec<f64> {
            let found = self.0.iter().find(|(known, _)| known == fields);
            let other = || vec![fields[0]; self.0[0].1.len()];
            found.map_or_else(other, |(_, correction)| correction.clone())
        }

        fn to_bytes(&self) -> Vec<u8> {
            let fields = self.0.iter().flat_map(|(f, c)| f.iter().chain(c));
            fields.flat_map(|v| v.to_le_bytes()).collect()
        }
    }

    impl Learner for Planted {
        fn learn(&self, lesson: &Lesson<'_>) -> Result<Vec<Box<dyn Network>>> {
            let noise = normals(4, INPUTS * POINTS);
            let row = |i: usize| {
                let correction = match self.0 {
                    Kind::Exact => lesson.targets[i].clone(),
                    Kind::Noise => noise[i * POINTS..(i + 1) * POINTS].to_vec(),
                };
                (lesson.fields[i].clone(), correction)
            };
            let table = || Table((0..INPUTS).map(row).collect());
            let network = |_| Box::new(table()) as Box<dyn Network>;
            Ok((0..lesson.count()).map(network).collect())
        }

        fn restore(&self, bytes: &[u8]) -> Result<Box<dyn Network>> {
            let numbers = bytes.chunks_exact(8);
            let numbers: Vec<f64> = numbers
                .map(|b| f64::from_le_bytes(b.try_into().unwrap()))
                .collect();
            let rows = numbers.chunks_exact(3 * POINTS).map(|row| {
                let (fields, correction) = row.split_at(2 * POINTS);
                (fields.to_vec(), correction.to_vec())
            });
            Ok(Box::new(Table(rows.collect())))
        }
    }

    /// Solutions that are the inputs' squares and noise, one channel without low fidelity.
    fn fitted(kind: Kind) -> Expansion {
        let lattice = lattice(&[("x", POINTS)], &[]);
        let inputs = normals(1, INPUTS * POINTS);
        let runs: Vec<f64> = (0..2)
            .flat_map(|r| {
                let noise = normals(10 + r, INPUTS * POINTS);
                inputs
                    .iter()
                    .zip(noise)
                    .map(|(v, n)| v * v + 0.1 * n)
                    .collect::<Vec<f64>>()
            })
            .collect();
        let high: Vec<Vec<f64>> = (0..INPUTS)
            .map(|i| {
                let run = |r: usize| &runs[r * INPUTS * POINTS..][i * POINTS..(i + 1) * POINTS];
                [run(0), run(1)].concat()
            })
            .collect();
        let case = |i: usize| Case {
            query: Query {
                input: &inputs[i * POINTS..(i + 1) * POINTS],
                low: None,
            },
            realizations: (&high[i]).into(),
            points: None,
        };
        let cases: Vec<Case<'_>> = (0..INPUTS).map(case).collect();
        let material = Material {
            lattice: &lattice,
            channels: Channels {
                input: 1,
                solution: 1,
            },
            symmetries: &Symmetries::none(&lattice, 1, 1),
            cases: &cases,
            held_out: &[],
        };
        let learner = Planted(kind);
        let law = LawKind::Resampled;
        Expansion::fit_with(Recipe::Kernels, law, &material, Some(&learner), &Silent).unwrap()
    }

    #[test]
    fn exact_corrections_have_nearly_all_weight_and_noise_none() {
        let exact = fitted(Kind::Exact).mean.stacked.unwrap();
        assert!(exact.weight > 0.95, "{}", exact.weight);
        let noise = fitted(Kind::Noise);
        assert!(noise.mean.stacked.is_none());
        let score = noise.mean_scores().last().unwrap().clone();
        assert!(score.name.contains("network") && score.weight == 0.0);
    }

    /// A weight of two standard errors comes by chance to one draw of forty.
    #[test]
    fn corrections_that_have_nothing_to_do_with_errors_seldom_have_weight() {
        let fields = |seed| -> Vec<Vec<f64>> {
            let values = normals(seed, INPUTS * POINTS);
            values.chunks_exact(POINTS).map(<[f64]>::to_vec).collect()
        };
        let folds = Folds::single(INPUTS);
        let weight = |seed| weight_of(&fields(seed), &fields(1000 + seed), &[1.0; INPUTS], &folds);
        let weights: Vec<f64> = (0..200).map(weight).filter(|w| *w > 0.0).collect();
        assert!(weights.len() < 14, "{weights:?}");
        assert!(weights.iter().all(|w| *w < 0.2), "{weights:?}");
    }

    #[test]
    fn a_stacked_fit_reads_back_to_the_same_bits_and_only_by_a_learner() {
        let fit = fitted(Kind::Exact);
        let bytes = fit.to_bytes();
        let again = Expansion::from_bytes_with(&bytes, Some(&Planted(Kind::Exact))).unwrap();
        let input = normals(7, POINTS);
        let query = Query {
            input: &input,
            low: None,
        };
        assert_eq!(again.predict(&query).unwrap(), fit.predict(&query).unwrap());
        assert_eq!(again.to_bytes(), bytes);
        assert!(Expansion::from_bytes(&bytes).is_err());
    }

    #[test]
    fn the_mean_of_networks_deserves_more_weight_than_one() {
        assert_eq!(of_mean(0.5, 1), 0.5);
        assert!((of_mean(0.5, 4) - 0.8).abs() < 1e-12);
        assert_eq!((of_mean(0.0, 4), of_mean(1.0, 4)), (0.0, 1.0));
    }

    #[test]
    fn fields_and_target_are_moved_together() {
        let lattice = lattice(&[("x", 6)], &["x"]);
        let declared: Vec<Symmetry> = ["roll:x", "reflect:x:-"]
            .map(|text| text.parse().unwrap())
            .to_vec();
        let symmetries = Symmetries::new(&declared, &lattice, 1, 1).unwrap();
        let field: Vec<f64> = (1..=6).map(f64::from).collect();
        let lesson = Lesson {
            lattice: &lattice,
            symmetries: &symmetries,
            channels: Channels {
                input: 1,
                solution: 1,
            },
            fields: vec![[field.clone(), field.clone()].concat()],
            targets: vec![field.iter().map(|v| 10.0 * v).collect()],
            parts: vec![0],
            time: None,
            observer: &Silent,
        };
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let mut flipped = [false; 2];
        for _ in 0..50 {
            let (fields, target) = lesson.moved(0, &mut rng);
            let (input, guess) = fields.split_at(6);
            assert_eq!(input, guess);
            assert!(input.iter().zip(&target).all(|(v, t)| 10.0 * v == *t));
            flipped[usize::from(input[0] < 0.0)] = true;
        }
        assert_eq!(flipped, [true; 2]);
    }

    /// Has no time left once it has seen an event.
    struct Hurried(AtomicBool);

    impl Observer for Hurried {
        fn observe(&self, _: &crate::Event<'_>) {
            self.0.store(true, Ordering::SeqCst);
        }

        fn time_left(&self) -> Option<Duration> {
            let spent = self.0.load(Ordering::SeqCst);
            Some(if spent { Duration::ZERO } else { Duration::MAX })
        }
    }

    #[test]
    fn a_spent_budget_ends_a_fit_with_what_there_is() -> std::result::Result<(), Error> {
        let lattice = lattice(&[("x", POINTS)], &[]);
        let values = normals(1, 4 * POINTS);
        let case = |field| Case {
            query: Query {
                input: field,
                low: None,
            },
            realizations: field.into(),
            points: None,
        };
        let cases: Vec<Case<'_>> = values.chunks_exact(POINTS).map(case).collect();
        let material = Material {
            lattice: &lattice,
            channels: Channels {
                input: 1,
                solution: 1,
            },
            symmetries: &Symmetries::none(&lattice, 1, 1),
            cases: &cases,
            held_out: &[],
        };
        let hurried = Hurried(AtomicBool::new(false));
        let fit = Expansion::fit(Recipe::Kernels, LawKind::Normal, &material, &hurried)?;
        // The mean solution, and the first kernel.
        assert!(fit.mean_scores().len() <= 2, "{:?}", fit.mean_scores());
        Ok(())
    }
}
