//! Tests that inputs with another order of axes or other units give the same results as in the
//! run's own.

use tempfile::TempDir;

use crate::dataset::{Arrays, Dataset};
use crate::evaluate::{self, evaluate};
use crate::grid::Domain;
use crate::predict::testing::Play;
use crate::predict::{Cases, Checked, Predictor, Sampling};
use crate::train::Method;
use crate::{Axis, Field, Grid, Quantity, Silent, fit};

const SHAPE: [usize; 2] = [4, 6];
const INPUTS: usize = 6;

/// Order of axes and units in which a dataset is written.
#[derive(Clone, Copy)]
struct Written {
    is_swapped: bool,
    /// Units of x per metre, and their name.
    x: (f64, &'static str),
    /// Units of pressure per pascal, and their name.
    pressure: (f64, &'static str),
}

const PLAIN: Written = Written {
    is_swapped: false,
    x: (1.0, "m"),
    pressure: (1.0, "Pa"),
};

const OTHER: Written = Written {
    is_swapped: true,
    x: (1e3, "mm"),
    pressure: (1e-3, "kPa"),
};

impl Written {
    fn grid(self) -> Grid {
        let (scale, units) = self.x;
        let x = Axis::over(Domain::closed(0.0, 1.2 * scale), "x", SHAPE[0]).with_units(units);
        let y = Axis::over(Domain::closed(0.0, 2.0), "y", SHAPE[1]).with_units("m");
        Grid::new(if self.is_swapped {
            vec![y, x]
        } else {
            vec![x, y]
        })
    }

    /// A field with the two channels deflection and pressure.
    fn field(self, values: impl Fn(usize, usize, usize) -> f64) -> Field {
        let mut all = Vec::new();
        for (channel, scale) in [(0, 1.0), (1, self.pressure.0)] {
            for i in 0..SHAPE[0] * SHAPE[1] {
                let (x, y) = match self.is_swapped {
                    false => (i / SHAPE[1], i % SHAPE[1]),
                    true => (i % SHAPE[0], i / SHAPE[0]),
                };
                all.push(scale * values(channel, x, y));
            }
        }
        Field::from_values(2, &self.grid().shape(), all).unwrap()
    }

    /// Inputs with low and high fidelity, whose values depend only on the position.
    fn dataset(self, folder: &TempDir) -> Dataset {
        let quantities = [
            Quantity::named("deflection").with_units("m"),
            Quantity::named("pressure").with_units(self.pressure.1),
        ];
        let arrays = Arrays::new(self.grid()).title("A membrane");
        let mut arrays = arrays.quantities(quantities.clone(), quantities);
        for k in 0..INPUTS {
            let wave = move |c: usize, x: usize, y: usize| {
                let size = [1e-3, 1e5][c];
                size * ((x + 2 * y) as f64 * 0.3 + (k * (c + 1)) as f64).sin()
            };
            let input = self.field(wave);
            let low = self.field(|c, x, y| 0.9 * wave(c, x, y));
            let high: Vec<Field> = (0..5)
                .map(|r| self.field(|c, x, y| wave(c, x, y) * (1.0 + 0.05 * (r as f64 - 2.0))))
                .collect();
            arrays.push(&input, Some(&low), &high).unwrap();
        }
        let name = format!("{}-{}", self.x.1, self.pressure.0);
        arrays.write(folder.path().join(name)).unwrap()
    }
}

fn predictor(folder: &TempDir, dataset: &Dataset) -> Predictor {
    let config = Play::config(Method::Kriging);
    fit(dataset, folder.path().join("run"), &config, &Silent).unwrap()
}

#[test]
fn inputs_in_another_order_and_other_units_are_the_same_cases() {
    let folder = tempfile::tempdir().unwrap();
    let [plain, other] = [PLAIN, OTHER].map(|written| written.dataset(&folder));
    let predictor = predictor(&folder, &plain);
    let expected = Cases::open(plain.path(), &predictor, None).unwrap();
    assert!(expected.notes().is_empty());
    let found = Cases::open(other.path(), &predictor, None).unwrap();
    // Notes on the order of axes, on x, and on the pressure of input and of solution.
    assert_eq!(found.notes().len(), 4, "{:?}", found.notes());
    assert_eq!(found.grid(), expected.grid());
    for index in 0..INPUTS {
        let (found, expected) = (found.case(index).unwrap(), expected.case(index).unwrap());
        let lows = (found.low.unwrap(), expected.low.unwrap());
        for (found, expected) in [(found.input, expected.input), lows] {
            for (a, b) in found.values().iter().zip(expected.values()) {
                assert!((a - b).abs() <= 1e-12 * b.abs(), "{a} {b}");
            }
        }
    }
}

#[test]
fn scores_do_not_depend_on_how_a_dataset_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let [plain, other] = [PLAIN, OTHER].map(|written| written.dataset(&folder));
    let predictor = predictor(&folder, &plain);
    let options = evaluate::Options {
        sampling: Sampling {
            realizations: 8,
            ..Default::default()
        },
        inputs: Some(0..2),
        ..Default::default()
    };
    let score = |dataset: &Dataset| evaluate(&predictor, dataset, &options, &Silent).unwrap();
    let (one, two) = (score(&plain), score(&other));
    assert!(one.notes.is_empty() && two.notes.len() == 4);
    let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-5, "{a} {b}");
    close(one.prediction.mean.rmse, two.prediction.mean.rmse);
    close(one.low.unwrap().rmse, two.low.unwrap().rmse);
    for (a, b) in one.channels.iter().zip(&two.channels) {
        assert_eq!(a.quantity, b.quantity);
        close(a.prediction.mean.rmse, b.prediction.mean.rmse);
        let crps = |c: &evaluate::ChannelEvaluation| {
            let spread = c.prediction.spread.as_ref().unwrap();
            spread.observed.as_ref().unwrap().crps
        };
        close(crps(a), crps(b));
    }
}

#[test]
fn an_input_far_outside_of_training_is_noted_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let plain = PLAIN.dataset(&folder);
    let predictor = predictor(&folder, &plain);
    let header = predictor.header();
    assert_eq!(header.title.as_deref(), Some("A membrane"));
    assert!((header.ranges.input[1].max - 1e5).abs() < 1e4);
    let notes = |dataset: &Dataset| {
        let cases = Cases::open(dataset.path(), &predictor, None).unwrap();
        let Checked { notes, .. } = cases.check(&predictor, 0..2).unwrap();
        notes
    };
    assert!(notes(&plain).is_empty());
    // Values a thousand times too large, declared in pascals.
    let wrong = Written {
        pressure: (1e3, "Pa"),
        ..PLAIN
    };
    let notes = notes(&wrong.dataset(&folder));
    let parts = [
        "input 0: pressure of the input reaches",
        "times that range beyond it",
    ];
    for part in parts {
        assert!(notes[0].contains(part), "{notes:?}");
    }
    assert!(
        notes[0].contains("pressure of the low-fidelity solution"),
        "{notes:?}"
    );
}
