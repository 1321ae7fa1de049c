//! Tests of expansions: they are equivariant, learn local or linear relations, do not depend on
//! units, and refuse invalid data.
#![allow(clippy::unwrap_used)] // A test may panic.

use floral::kl::{
    Case, Channels, Expansion, Lattice, LawKind, Material, Prediction, Query, Recipe, Role, Silent,
    Symmetries, roll,
};
use floral::problem::{Problem, catalogue};
use floral::random::{Purpose, stream};

const CHANNELS: Channels = Channels {
    input: 1,
    solution: 1,
};

/// Inputs, low fidelity and realizations of a problem.
struct Solved {
    input: Vec<f64>,
    low: Vec<f64>,
    realizations: Vec<f64>,
}

impl Solved {
    fn new(problem: &dyn Problem, index: u64, count: u64) -> Self {
        let input = problem
            .draw_input(&mut stream(4, Purpose::Input, index, 0))
            .unwrap();
        let open = |j| stream(4, Purpose::Realization, index, j);
        let mut streams: Vec<_> = (0..count).map(open).collect();
        let mut realizations = vec![0.0; count as usize * problem.grid().len()];
        problem
            .high_fidelity(&input, &mut streams, &mut realizations)
            .unwrap();
        Self {
            low: problem.low_fidelity(&input).unwrap().into_values(),
            input: input.into_values(),
            realizations,
        }
    }

    fn query(&self) -> Query<'_> {
        Query {
            input: &self.input,
            low: Some(&self.low),
        }
    }

    fn case(&self) -> Case<'_> {
        Case {
            query: self.query(),
            realizations: (&self.realizations).into(),
            points: None,
        }
    }
}

fn advection() -> (Box<dyn Problem>, Lattice, Symmetries) {
    let constants = "resolution = 32\nwaves.max_wave_number = 4\nuncertainty.modes = 4";
    let problem = catalogue::build("advection", constants.parse().unwrap(), "test").unwrap();
    let lattice = Lattice::from(problem.grid());
    let declared = ["roll:x", "sign"].map(|text| text.parse().unwrap());
    let symmetries = Symmetries::new(&declared, &lattice, 1, 1).unwrap();
    (problem, lattice, symmetries)
}

fn fit(
    lattice: &Lattice,
    symmetries: &Symmetries,
    cases: &[Case<'_>],
    held_out: &[Case<'_>],
) -> floral::kl::Result<Expansion> {
    let material = Material {
        lattice,
        channels: CHANNELS,
        symmetries,
        cases,
        held_out,
    };
    Expansion::fit(Recipe::Blend, LawKind::Resampled, &material, &Silent)
}

fn solved(problem: &dyn Problem, inputs: u64, count: u64) -> Vec<Solved> {
    let each = |index| Solved::new(problem, index, count);
    (0..inputs).map(each).collect()
}

fn fitted(count: u64, realizations: u64) -> (Expansion, Box<dyn Problem>) {
    let (problem, lattice, symmetries) = advection();
    let solved = solved(problem.as_ref(), count, realizations);
    let cases: Vec<Case<'_>> = solved.iter().map(Solved::case).collect();
    (fit(&lattice, &symmetries, &cases, &[]).unwrap(), problem)
}

fn norm(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|v| v * v).sum::<f64>().sqrt()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    norm(a.iter().zip(b).map(|(a, b)| a - b)) / norm(b.iter().copied())
}

/// Relative errors: of the mean, divided by that of low fidelity, and of the aleatoric variance.
fn errors(found: &Prediction, new: &Solved, problem: &dyn Problem) -> [f64; 2] {
    let input = floral::Field::scalar(problem.grid(), new.input.clone());
    let exact = problem.exact_moments(&input).unwrap().unwrap();
    let mean = exact.mean.values();
    [
        distance(&found.mean, mean) / distance(&new.low, mean),
        distance(&found.aleatoric, exact.variance.values()),
    ]
}

#[test]
fn few_inputs_of_advection_tell_mean_and_variance_of_another() {
    let (expansion, problem) = fitted(6, 50);
    let new = Solved::new(problem.as_ref(), 77, 1);
    let found = expansion.predict(&new.query()).unwrap();
    let [mean, variance] = errors(&found, &new, problem.as_ref());
    assert!(mean < 0.1 && variance < 0.35, "{mean} {variance}");
    assert!(found.epistemic.iter().all(|v| *v > 0.0));
}

#[test]
fn single_realizations_of_many_inputs_tell_mean_and_variance_too() {
    let (expansion, problem) = fitted(40, 1);
    let new = Solved::new(problem.as_ref(), 77, 200);
    let found = expansion.predict(&new.query()).unwrap();
    let [mean, variance] = errors(&found, &new, problem.as_ref());
    assert!(mean < 0.3 && variance < 0.6, "{mean} {variance}");
    let total = found.total();
    let inside = |(i, value): (usize, &f64)| {
        let p = i % total.len();
        (value - found.mean[p]).powi(2) < 1.645f64.powi(2) * total[p]
    };
    let values = new.realizations.iter().enumerate();
    let share = values.filter(|v| inside(*v)).count() as f64 / new.realizations.len() as f64;
    assert!((0.75..0.99).contains(&share), "{share}");
    assert!(
        draws(&expansion, &new.query(), 3)
            .iter()
            .all(|v| v.is_finite())
    );
}

#[test]
fn mean_and_variances_move_with_their_query() {
    let (expansion, problem) = fitted(3, 20);
    let (_, lattice, symmetries) = advection();
    let new = Solved::new(problem.as_ref(), 77, 1);
    let here = expansion.predict(&new.query()).unwrap();
    let turned = symmetries.motions[1].then(&roll(&lattice, 1, 5, [1, 1]));
    let (input, low) = (
        turned.apply(Role::Input, &new.input),
        turned.apply(Role::Solution, &new.low),
    );
    let there = expansion.predict(&Query {
        input: &input,
        low: Some(&low),
    });
    let there = there.unwrap();
    assert!(distance(&there.mean, &turned.apply(Role::Solution, &here.mean)) < 1e-9);
    assert!(distance(&there.aleatoric, &turned.apply_even(&here.aleatoric)) < 1e-8);
    assert!(distance(&there.epistemic, &turned.apply_even(&here.epistemic)) < 1e-8);
}

#[test]
fn realizations_have_the_predicted_mean_and_total_variance() {
    let (expansion, problem) = fitted(3, 20);
    let new = Solved::new(problem.as_ref(), 77, 1);
    let found = expansion.predict(&new.query()).unwrap();
    let points = found.mean.len();
    let draws = draws(&expansion, &new.query(), 2000);
    let (mut mean, mut square) = (vec![0.0; points], vec![0.0; points]);
    for draw in draws.chunks_exact(points) {
        for p in 0..points {
            mean[p] += draw[p] / 2000.0;
            square[p] += (draw[p] - found.mean[p]).powi(2) / 2000.0;
        }
    }
    assert!(distance(&mean, &found.mean) < 0.05);
    assert!(distance(&square, &found.total()) < 0.15);
}

fn draws(fitted: &Expansion, query: &Query<'_>, count: u64) -> Vec<f64> {
    let sampler = fitted.condition(query).unwrap();
    let open = |j| stream(8, Purpose::Prior, 0, j);
    let mut rngs: Vec<_> = (0..count).map(open).collect();
    let mut out = vec![0.0; count as usize * sampler.values()];
    sampler.draw_many(&mut rngs, &mut out);
    out
}

#[test]
fn a_model_read_back_predicts_and_draws_the_same_bits() {
    let (problem, lattice, symmetries) = advection();
    let solved = solved(problem.as_ref(), 6, 10);
    let cases: Vec<Case<'_>> = solved.iter().map(Solved::case).collect();
    for recipe in [Recipe::Kernels, Recipe::Blend] {
        let (train, held_out) = cases.split_at(3);
        let material = Material {
            lattice: &lattice,
            channels: CHANNELS,
            symmetries: &symmetries,
            cases: train,
            held_out,
        };
        let expansion = Expansion::fit(recipe, LawKind::Resampled, &material, &Silent).unwrap();
        let again = Expansion::from_bytes(&expansion.to_bytes()).unwrap();
        let query = Solved::new(problem.as_ref(), 77, 1);
        let [a, b] = [&expansion, &again].map(|k| k.predict(&query.query()).unwrap());
        assert_eq!(a, b);
        let [a, b] = [&expansion, &again].map(|k| draws(k, &query.query(), 5));
        assert_eq!(a, b);
        assert_eq!(expansion.mean_scores(), again.mean_scores());
    }
}

#[test]
fn damaged_bytes_are_refused_or_read_but_never_panic() {
    let (expansion, problem) = fitted(2, 3);
    let bytes = expansion.to_bytes();
    let query = Solved::new(problem.as_ref(), 77, 1);
    assert!(Expansion::from_bytes(&bytes[..bytes.len() / 2]).is_err());
    for k in 0..60 {
        let mut damaged = bytes.clone();
        // Bytes in the head, which holds the sizes, and bytes spread over the file.
        let at = if k < 40 {
            7 * k
        } else {
            k * (bytes.len() / 60)
        };
        damaged[at] ^= 0x5b;
        if let Ok(read) = Expansion::from_bytes(&damaged) {
            read.predict(&query.query()).ok();
        }
    }
}

#[test]
fn points_known_here_and_there_tell_nearly_as_much() {
    let (problem, lattice, symmetries) = advection();
    let solved = solved(problem.as_ref(), 6, 50);
    let n = lattice.len();
    // Every input has different points, and a different number of them.
    let known: Vec<Vec<usize>> = (0..6)
        .map(|i| (0..n).filter(|p| p % (9 + i) == i).collect())
        .collect();
    let thin = |(solved, known): (&Solved, &Vec<usize>)| -> Vec<f64> {
        let fields = solved.realizations.chunks_exact(n);
        fields
            .flat_map(|field| known.iter().map(|&p| field[p]))
            .collect()
    };
    let thinned: Vec<Vec<f64>> = solved.iter().zip(&known).map(thin).collect();
    let cases: Vec<Case<'_>> = (0..6)
        .map(|i| Case {
            query: solved[i].query(),
            realizations: (&thinned[i]).into(),
            points: Some(&known[i]),
        })
        .collect();
    let expansion = fit(&lattice, &symmetries, &cases, &[]).unwrap();
    let new = Solved::new(problem.as_ref(), 77, 1);
    let found = expansion.predict(&new.query()).unwrap();
    let [mean, variance] = errors(&found, &new, problem.as_ref());
    assert!(mean < 0.3 && variance < 0.6, "{mean} {variance}");
    let mut wrong = cases[0];
    let off = vec![n; known[0].len()];
    wrong.points = Some(&off);
    let refused = fit(&lattice, &symmetries, &[wrong], &[]);
    assert!(refused.err().unwrap().to_string().contains("off the grid"));
}

#[test]
fn one_realization_an_input_and_one_input_alone_are_enough_for_a_mean() {
    let (expansion, problem) = fitted(4, 1);
    let new = Solved::new(problem.as_ref(), 77, 1);
    let found = expansion.predict(&new.query()).unwrap();
    assert!(found.aleatoric.iter().all(|v| *v > 0.0) && !expansion.variance_scores().is_empty());
    let (alone, _) = fitted(1, 5);
    assert!(
        alone
            .predict(&new.query())
            .unwrap()
            .mean
            .iter()
            .all(|v| v.is_finite())
    );
}

#[test]
fn what_does_not_fit_is_refused_with_the_reason() {
    let (problem, lattice, symmetries) = advection();
    let solved = Solved::new(problem.as_ref(), 0, 3);
    let refusal = |cases: &[Case<'_>]| {
        let refused = fit(&lattice, &symmetries, cases, &[]);
        refused.err().unwrap().to_string()
    };
    assert!(refusal(&[]).contains("no training inputs"));
    let mut short = solved.case();
    short.realizations = solved.realizations[..100].into();
    assert!(refusal(&[short]).contains("the realizations"));
    let mut bare = solved.case();
    bare.query.low = None;
    assert!(refusal(&[solved.case(), bare]).contains("for all or for none"));
    let broken = vec![f64::NAN; solved.input.len()];
    let mut case = solved.case();
    case.query.input = &broken;
    assert!(refusal(&[case]).contains("not finite"));
}

/// An input on a block with one realization, made of products and derivatives of the input along
/// the axes.
fn block(shape: [usize; 3], order: [usize; 3], index: u64) -> Solved {
    let points: usize = shape.iter().product();
    let place = |p: usize| {
        let at = [
            p / (shape[1] * shape[2]),
            p / shape[2] % shape[1],
            p % shape[2],
        ];
        let mut named = [0.0; 3];
        for (axis, name) in order.iter().enumerate() {
            named[*name] = at[axis] as f64 / (shape[axis] - 1) as f64;
        }
        named
    };
    let phase = |k: u64| 0.7 * (index * 5 + k) as f64;
    let input = |p: usize| {
        let [x, y, z] = place(p);
        (2.0 * x + phase(1)).sin() + (3.0 * y - z + phase(2)).cos()
    };
    let low = |p: usize| 0.8 * input(p) + place(p)[2];
    let run = |p: usize, r: u64| {
        let noise = (1.3 * r as f64 + phase(3)).sin();
        low(p) + 0.3 * input(p) * input(p) - 0.2 * place(p)[1] + 0.1 * noise
    };
    Solved {
        input: (0..points).map(input).collect(),
        low: (0..points).map(low).collect(),
        realizations: (0..6)
            .flat_map(|r| (0..points).map(move |p| run(p, r)))
            .collect(),
    }
}

/// The prediction on a block whose axes have the given order, with points in the order x, y, z.
fn predicted_block(order: [usize; 3]) -> (Vec<f64>, Vec<f64>) {
    const SIZES: [usize; 3] = [4, 5, 6];
    let shape = order.map(|name| SIZES[name]);
    let axis = |name: usize| floral::Axis::closed(["x", "y", "z"][name], SIZES[name]);
    let lattice = Lattice::from(&floral::Grid::new(order.map(axis).to_vec()));
    let solved: Vec<Solved> = (0..7).map(|i| block(shape, order, i)).collect();
    let (new, trained) = solved.split_last().unwrap();
    let cases: Vec<Case<'_>> = trained.iter().map(Solved::case).collect();
    let none = Symmetries::none(&lattice, 1, 1);
    let found = fit(&lattice, &none, &cases, &[]).unwrap();
    let mean = found.predict(&new.query()).unwrap().mean;
    let truth = new.realizations.chunks_exact(new.low.len());
    let truth: Vec<f64> = (0..new.low.len())
        .map(|p| truth.clone().map(|run| run[p]).sum::<f64>() / 6.0)
        .collect();
    let sorted = |field: &[f64]| -> Vec<f64> {
        let all = (0..4).flat_map(|x| (0..5).flat_map(move |y| (0..6).map(move |z| [x, y, z])));
        all.map(|at| {
            let point = (0..3).fold(0, |p, axis| p * shape[axis] + at[order[axis]]);
            field[point]
        })
        .collect()
    };
    (sorted(&mean), sorted(&truth))
}

#[test]
fn the_order_of_three_axes_changes_a_prediction_by_less_than_its_error() {
    let (mean, truth) = predicted_block([0, 1, 2]);
    let error = distance(&mean, &truth);
    assert!(error < 0.1, "{error}");
    let (other, same) = predicted_block([1, 2, 0]);
    assert!(distance(&same, &truth) < 1e-12);
    let apart = distance(&other, &mean);
    assert!(apart < error.max(1e-6), "{apart} {error}");
}
