//! A study: an experiment with its problem and the recipe of its dataset.

use super::experiment::{Budget, Experiment};
use super::recipe::{DataRecipe, EvaluationRecipe, RunRecipe, key};
use super::variant::Variant;
use floral::dataset::Request;
use floral::grid::Thinning;
use floral::problem::{Problem, catalogue};
use floral::train::batches::steps;
use floral::train::config::Rows;
use floral::train::{Method, TrainConfig};
use floral::{Grid, Result};

/// An experiment whose problem is built.
pub struct Study {
    /// The experiment.
    pub experiment: Experiment,
    /// The problem.
    pub problem: Box<dyn Problem>,
    /// The dataset, with enough inputs for every cell of the experiment, requested or not.
    pub request: Request,
    data: DataRecipe,
}

/// One entry of a table: a method trained on a given amount of data.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The study's position in the plan.
    pub study: usize,
    /// The method.
    pub method: Method,
    /// Training samples.
    pub samples: usize,
    /// Points per axis of the high-fidelity training data; `None` means all. A budget may train a
    /// network on fewer.
    pub resolution: Option<usize>,
    /// The change to the full method in an ablation; empty otherwise.
    pub variant: &'static str,
    /// The resolved training.
    pub training: TrainConfig,
    /// Identifies the run.
    pub run: RunRecipe,
    /// Identifies the evaluation.
    pub evaluation: EvaluationRecipe,
    /// A readable name such as `darcy-floral-100`; see [`Cell::run_name`].
    label: String,
}

impl Study {
    /// Builds the problem.
    pub fn new(experiment: Experiment) -> Result<Self> {
        let context = format!("constants of {}", experiment.name);
        let constants = experiment.constants.clone();
        let problem = catalogue::build(&experiment.problem, constants, &context)?;
        let request = Request::new(
            experiment.all_inputs(),
            experiment.data.realizations,
            experiment.data.seed,
        );
        let data = DataRecipe::new(&experiment.problem, problem.constants(), &request);
        Ok(Self {
            experiment,
            problem,
            request,
            data,
        })
    }

    /// The name of the dataset, derived from its content.
    pub fn data_name(&self) -> String {
        let key = key(&(&self.data, self.request.inputs));
        format!("{}-{key}.zarr", self.experiment.problem)
    }

    /// The number of rows of an epoch of a cell's training.
    pub fn rows(&self, cell: &Cell) -> usize {
        match cell.training.optimiser.rows {
            Rows::Realizations => cell.samples,
            Rows::Inputs => self.experiment.inputs(cell.samples),
        }
    }

    /// The training grid with this number of points per axis.
    pub fn training_grid(&self, resolution: Option<usize>) -> Grid {
        let full = self.problem.grid();
        let Some(points) = resolution else {
            return full.clone();
        };
        let shape = full.shape();
        let strides: Vec<usize> = shape.iter().map(|n| n / points.max(1)).collect();
        Thinning::every(&shape, &strides).grid(full)
    }

    /// The factor that converts a norm over this study's grid to one over the paper's grid. Both
    /// are sums over points, and the grids may differ in size.
    pub fn norm_factor(&self) -> f64 {
        let paper: usize = self.experiment.paper.grid.iter().product();
        (paper as f64 / self.problem.grid().len() as f64).sqrt()
    }

    /// The cell of a method and an amount of data; `position` is that of the study in the plan.
    pub fn cell(
        &self,
        position: usize,
        method: Method,
        samples: usize,
        resolution: Option<usize>,
    ) -> Cell {
        // A resolution equal to that of the grid changes nothing.
        let coarser = |points: &usize| self.problem.grid().axes.iter().any(|a| a.len() != *points);
        let resolution = resolution.filter(coarser);
        let training = self.training(method, samples, resolution);
        let coarse = resolution.map_or(String::new(), |points| format!("-r{points}"));
        let label = format!("{}-{method}-{samples}{coarse}", self.experiment.problem);
        self.with_training(position, (samples, resolution), training, label)
    }

    /// The cell of a variant of the recommended method on all points.
    pub fn variant(&self, position: usize, variant: &Variant, samples: usize) -> Cell {
        let training = variant.of(self.training(Method::FloralKl, samples, None));
        let parts = [
            &self.experiment.problem,
            Method::FloralKl.name(),
            &variant.slug(),
        ];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        let label = parts.collect::<Vec<&str>>().join("-");
        Cell {
            variant: variant.name,
            ..self.with_training(
                position,
                (samples, None),
                training,
                format!("{label}-{samples}"),
            )
        }
    }

    fn with_training(
        &self,
        position: usize,
        (samples, resolution): (usize, Option<usize>),
        training: TrainConfig,
        label: String,
    ) -> Cell {
        let run = RunRecipe::new(self.data.clone(), training.clone());
        let evaluation = EvaluationRecipe::new(run.clone(), &self.experiment.options());
        Cell {
            study: position,
            method: training.method,
            samples,
            resolution,
            variant: "",
            training,
            run,
            evaluation,
            label,
        }
    }

    fn training(&self, method: Method, samples: usize, resolution: Option<usize>) -> TrainConfig {
        let mut training = self.experiment.training.clone().for_method(method);
        let finest = self.problem.grid().shape().into_iter().max();
        let thinned = self.experiment.budget.points.filter(|points| {
            method.recipe().is_none() && resolution.or(finest).is_some_and(|all| all > *points)
        });
        let points = thinned.or(resolution);
        training.resolution = points.map(|points| vec![points]);
        training.split.train = Some(self.experiment.inputs(samples));
        if method.recipe().is_none() {
            let rows = match training.optimiser.rows {
                Rows::Realizations => samples,
                Rows::Inputs => self.experiment.inputs(samples),
            };
            let budget = self.experiment.budget;
            if budget.steps_of_realizations {
                lengthen(&mut training, [rows, samples]);
            }
            budget.shorten(&mut training, rows);
        }
        training
    }
}

impl Cell {
    /// The name of the run, derived from its content.
    pub fn run_name(&self) -> String {
        format!("{}-{}", self.label, key(&self.run))
    }

    /// The name of the evaluation, derived from its content.
    pub fn evaluation_name(&self) -> String {
        format!("{}-{}.json", self.label, key(&self.evaluation))
    }

    /// The title in print: `darcy floral, 500 samples at resolution 8`.
    pub fn title(&self, study: &Study) -> String {
        let coarse = match self.resolution {
            Some(points) => format!(" at resolution {points}"),
            None => String::new(),
        };
        let variant = if self.variant.is_empty() {
            String::new()
        } else {
            format!(", {}", self.variant)
        };
        format!(
            "{} {}, {} samples{coarse}{variant}",
            study.experiment.name, self.method, self.samples
        )
    }

    /// The recipe of the evaluation as JSON, for comparison with a recorded one.
    pub fn recipe(&self) -> serde_json::Value {
        serde_json::to_value(&self.evaluation).expect("a recipe of numbers, strings and lists")
    }
}

impl Budget {
    /// Limits the epochs to the allowed steps, and decays the learning rate over the remaining
    /// epochs.
    fn shorten(self, training: &mut TrainConfig, samples: usize) {
        if let Some(most) = self.steps {
            let epochs = most / steps(samples, training.optimiser.batch).max(1);
            training.stopping.epochs = training.stopping.epochs.min(epochs).max(1);
        }
        if let Some(share) = self.final_rate {
            let epochs = training.stopping.epochs as f64;
            training.optimiser.decay = share.clamp(f64::MIN_POSITIVE, 1.0).powf(1.0 / epochs);
            training.optimiser.decay_every = 1;
        }
    }
}

/// Multiplies everything counted in epochs, so that epochs of `rows` samples take as many steps as
/// epochs of `samples` samples.
fn lengthen(training: &mut TrainConfig, [rows, samples]: [usize; 2]) {
    let batch = training.optimiser.batch;
    let factor = steps(samples, batch) / steps(rows, batch).max(1);
    training.stopping.epochs *= factor;
    training.stopping.patience *= factor;
    training.optimiser.decay_every *= factor;
}

/// The sizes of an experiment in one line, for its tables and figures.
pub fn in_short(study: &Study) -> String {
    let Experiment {
        training,
        budget,
        evaluation,
        ..
    } = &study.experiment;
    let axes = study.problem.grid().shape();
    let axes: Vec<String> = axes.iter().map(usize::to_string).collect();
    let steps = match budget.steps {
        Some(steps) => format!(" or {steps} steps"),
        None => String::new(),
    };
    let methods = &study.experiment.protocol.methods;
    let networks = if methods.iter().any(|method| method.recipe().is_none()) {
        let (width, epochs) = (training.network.hidden_channels, training.stopping.epochs);
        let on = match budget.points {
            Some(points) => format!(" trained on at most {points} points an axis"),
            None => String::new(),
        };
        let rows = match training.optimiser.rows {
            Rows::Realizations => "",
            Rows::Inputs => ", regressions on the means of inputs",
        };
        format!("networks of width {width}{on}{rows}, at most {epochs} epochs{steps}, ")
    } else {
        String::new()
    };
    format!(
        "grid {}, {networks}{} validation and {} test inputs, {} realizations each",
        axes.join("x"),
        training.split.validation_inputs(),
        training.split.test_inputs(),
        evaluation.realizations,
    )
}

#[cfg(test)]
mod tests {
    use toml::Value;

    use super::*;
    use crate::reproduce::testing::tiny;

    fn study(change: impl FnOnce(&mut Experiment)) -> Study {
        let mut experiment = tiny();
        change(&mut experiment);
        Study::new(experiment).unwrap()
    }

    fn names(study: &Study) -> [String; 3] {
        let cell = study.cell(0, Method::Floral, 4, Some(8));
        [study.data_name(), cell.run_name(), cell.evaluation_name()]
    }

    #[test]
    fn the_same_settings_have_the_same_names() {
        assert_eq!(names(&study(|_| ())), names(&study(|_| ())));
        let name = &names(&study(|_| ()))[1];
        assert!(name.starts_with("1dcr-floral-4-r8-"), "{name}");
    }

    #[test]
    fn a_changed_setting_renames_what_depends_on_it_and_nothing_else() {
        let before = names(&study(|_| ()));
        let changed = |after: [String; 3]| [0, 1, 2].map(|i| before[i] != after[i]);
        let epochs = study(|e| e.training.stopping.epochs += 1);
        assert_eq!(changed(names(&epochs)), [false, true, true]);
        let judged = study(|e| e.evaluation.realizations += 1);
        assert_eq!(changed(names(&judged)), [false, false, true]);
        let seed = study(|e| e.data.seed += 1);
        assert_eq!(changed(names(&seed)), [true, true, true]);
        let gamma = Value::Float(0.4);
        let constant = study(|e| drop(e.constants.insert("gamma".into(), gamma)));
        assert_eq!(changed(names(&constant)), [true, true, true]);
        // An explicit constant that equals the default changes nothing.
        let alpha = Value::Float(0.1);
        let same = study(|e| drop(e.constants.insert("alpha".into(), alpha)));
        assert_eq!(changed(names(&same)), [false, false, false]);
        // More inputs for other cells do not change these names.
        let longer = study(|e| e.protocol.sizes.push(40));
        assert_eq!(changed(names(&longer)), [true, false, false]);
    }

    #[test]
    fn a_budget_of_points_thins_the_grid_of_networks_alone() {
        let study = study(|e| e.budget.points = Some(8));
        let points = |method, known| study.cell(0, method, 4, known).training.resolution;
        assert_eq!(points(Method::Fno, None), Some(vec![8]));
        assert_eq!(points(Method::Fno, Some(4)), Some(vec![4]));
        assert_eq!(points(Method::FloralKl, None), None);
        assert_eq!(study.cell(0, Method::Fno, 4, None).resolution, None);
    }

    #[test]
    fn means_of_inputs_take_the_steps_of_their_realizations() {
        let study = study(|e| {
            e.budget.steps_of_realizations = true;
            e.training.optimiser.rows = Rows::Inputs;
        });
        let all = |method| {
            let cell = study.cell(0, method, 40, None);
            let training = &cell.training;
            training.stopping.epochs * steps(study.rows(&cell), training.optimiser.batch)
        };
        assert_eq!(all(Method::ResidualFno), all(Method::Floral));
        let rows = |method| study.rows(&study.cell(0, method, 40, None));
        assert_eq!(rows(Method::ResidualFno), study.experiment.inputs(40));
        assert_eq!(rows(Method::Floral), 40);
    }

    #[test]
    fn a_budget_bounds_the_steps_of_every_size() {
        let budget = Budget {
            steps: Some(100),
            final_rate: Some(0.1),
            ..Budget::default()
        };
        let study = study(|e| {
            e.budget = budget;
            e.training.stopping.epochs = 300;
        });
        for samples in [4, 8, 400] {
            let training = study.cell(0, Method::Fno, samples, None).training;
            let per_epoch = steps(samples, training.optimiser.batch);
            let epochs = training.stopping.epochs;
            assert!(epochs * per_epoch <= 100 || epochs == 1);
            let last = training.learning_rate(epochs) / training.learning_rate(0);
            assert!((last - 0.1).abs() < 1e-9);
        }
    }
}
