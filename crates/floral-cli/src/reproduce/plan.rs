//! A plan: the requested cells, in the order of their execution.

use std::fmt;
use std::str::FromStr;

use super::experiment::Experiment;
use super::study::{Cell, Study};
use super::variant::Variant;
use floral::train::Method;
use floral::{Error, Result};

/// A part of the paper to reproduce.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Errors by number of training samples.
    Table1,
    /// Seconds of training and prediction.
    Table2,
    /// Errors by training resolution.
    Table3,
    /// Fields and their spread.
    Figures,
    /// Contribution of each part of the recommended method; not in the paper.
    Ablation,
}

impl Target {
    /// All parts of the paper, in its order.
    pub const PAPER: [Self; 4] = [Self::Table1, Self::Table2, Self::Table3, Self::Figures];

    /// Everything that can be requested.
    pub const ALL: [Self; 5] = [
        Self::Table1,
        Self::Table2,
        Self::Table3,
        Self::Figures,
        Self::Ablation,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Table1 => "table1",
            Self::Table2 => "table2",
            Self::Table3 => "table3",
            Self::Figures => "figures",
            Self::Ablation => "ablation",
        }
    }

    /// Number of training samples and training resolution of each cell.
    fn places(self, experiment: &Experiment) -> Vec<(usize, Option<usize>)> {
        let protocol = &experiment.protocol;
        let by_size = protocol.sizes.iter().map(|size| (*size, None));
        let resolutions = protocol.resolutions.iter();
        let by_resolution = resolutions.map(|r| (protocol.resolutions_size, Some(*r)));
        match self {
            Self::Table1 | Self::Ablation => by_size.collect(),
            Self::Table2 => vec![(protocol.timed_size, None)],
            Self::Table3 => by_resolution.collect(),
            Self::Figures => by_size.chain(by_resolution).collect(),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Target {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|target| target.name() == name);
        found.ok_or_else(|| {
            Error::unknown_name("target", name, Self::ALL.map(Self::name).join(", "))
        })
    }
}

/// What to reproduce. An empty list means all; for methods, those of the protocol.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    /// Tables and figures.
    pub targets: Vec<Target>,
    /// Experiments by name.
    pub only: Vec<String>,
    /// Methods.
    pub methods: Vec<Method>,
    /// Numbers of training samples.
    pub sizes: Vec<usize>,
}

/// The cells to compute, with their studies.
pub struct ReproductionPlan {
    /// The name of the scale, printed on every result.
    pub scale: String,
    /// Tables and figures.
    pub targets: Vec<Target>,
    /// The experiments, one study per seed.
    pub studies: Vec<Study>,
    /// Every cell once, the cheapest first.
    pub cells: Vec<Cell>,
    choice: Choice,
}

impl ReproductionPlan {
    /// The plan with the requested cells of these experiments.
    pub fn new(experiments: Vec<Experiment>, scale: &str, choice: &Choice) -> Result<Self> {
        let targets = if choice.targets.is_empty() {
            Target::PAPER.to_vec()
        } else {
            choice.targets.clone()
        };
        let experiments = chosen(experiments, &choice.only)?;
        let studies: Result<Vec<Study>> = experiments
            .into_iter()
            .flat_map(Experiment::by_seed)
            .map(Study::new)
            .collect();
        let mut plan = Self {
            scale: scale.to_owned(),
            targets,
            studies: studies?,
            cells: Vec::new(),
            choice: choice.clone(),
        };
        let mut cells = Vec::new();
        for target in &plan.targets {
            for position in 0..plan.studies.len() {
                cells.extend(plan.cells_of(*target, position));
            }
        }
        // The cheapest cells first; among equally cheap ones, the most informative method first.
        cells.sort_by_key(|cell| {
            let place = (cell.study, cell.samples, cell.resolution);
            (plan.cost(cell), place, telling(cell.method), cell.variant)
        });
        cells.dedup();
        if cells.is_empty() {
            return Err(Error::config(
                "reproduce",
                "the filters leave nothing to do; drop one of them",
            ));
        }
        plan.cells = cells;
        Ok(plan)
    }

    /// The cells of a target in one study, in the order of the paper's rows.
    pub fn cells_of(&self, target: Target, position: usize) -> Vec<Cell> {
        let study = &self.studies[position];
        let wanted =
            |size: &usize| self.choice.sizes.is_empty() || self.choice.sizes.contains(size);
        let places = target.places(&study.experiment);
        let places: Vec<_> = places
            .into_iter()
            .filter(|(size, _)| wanted(size))
            .collect();
        if target == Target::Ablation {
            let cells = places.iter().flat_map(|(size, _)| {
                let variants = Variant::ALL.iter();
                variants.map(|variant| study.variant(position, variant, *size))
            });
            return cells.collect();
        }
        let methods = Method::ALL.into_iter().filter(|method| {
            if self.choice.methods.is_empty() {
                study.experiment.protocol.methods.contains(method)
            } else {
                self.choice.methods.contains(method)
            }
        });
        let cells = methods.flat_map(|method| {
            let cell = |&(size, resolution)| study.cell(position, method, size, resolution);
            places.iter().map(cell).collect::<Vec<_>>()
        });
        cells.collect()
    }

    /// The positions of the studies of each experiment. They differ in their seed.
    pub fn replicas(&self) -> Vec<Vec<usize>> {
        let mut all: Vec<Vec<usize>> = Vec::new();
        for (position, study) in self.studies.iter().enumerate() {
            let name = |group: &Vec<usize>| &self.studies[group[0]].experiment.name;
            match all
                .iter_mut()
                .find(|group| *name(group) == study.experiment.name)
            {
                Some(group) => group.push(position),
                None => all.push(vec![position]),
            }
        }
        all
    }

    /// The study of a cell.
    pub fn study(&self, cell: &Cell) -> &Study {
        &self.studies[cell.study]
    }

    /// Number of grid values in all training samples.
    fn cost(&self, cell: &Cell) -> usize {
        cell.samples * self.study(cell).training_grid(cell.resolution).len()
    }
}

/// The order of methods: our recommended ones first, then those they are compared with.
fn telling(method: Method) -> usize {
    match method {
        Method::FloralKl => 0,
        Method::Kriging => 1,
        Method::Floral => 2,
        Method::ResidualFno => 3,
        Method::Flora => 4,
        Method::Fno => 5,
    }
}

fn chosen(experiments: Vec<Experiment>, only: &[String]) -> Result<Vec<Experiment>> {
    let known: Vec<String> = experiments.iter().map(|e| e.name.clone()).collect();
    if let Some(name) = only.iter().find(|name| !known.contains(name)) {
        return Err(Error::unknown_name(
            "experiment",
            name.clone(),
            known.join(", "),
        ));
    }
    let wanted = |e: &Experiment| only.is_empty() || only.contains(&e.name);
    Ok(experiments.into_iter().filter(wanted).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::experiment::PAPER_SCALE;

    /// The number of cells of a choice, at a scale at which problems are built quickly.
    fn count(choice: Choice) -> usize {
        let experiments = Experiment::embedded("quick").unwrap();
        ReproductionPlan::new(experiments, "quick", &choice)
            .unwrap()
            .cells
            .len()
    }

    fn of(target: Target) -> Choice {
        Choice {
            targets: vec![target],
            ..Choice::default()
        }
    }

    #[test]
    fn the_tables_have_every_cell_of_the_paper_two_laws_of_darcy_and_1dcr_besides() {
        assert_eq!(count(of(Target::Table1)), 4 * 3 * 6 + 2 * 6);
        assert_eq!(count(of(Target::Table2)), 5 * 6);
        assert_eq!(count(of(Target::Table3)), 4 * 2 * 6 + 3 * 6);
        assert_eq!(count(Choice::default()), 84 + 66);
        assert_eq!(count(of(Target::Ablation)), Variant::ALL.len() * 14);
    }

    #[test]
    fn filters_leave_what_they_name() {
        let choice = Choice {
            only: vec!["darcy".into(), "1dcr".into()],
            methods: vec![Method::Floral],
            sizes: vec![500],
            ..of(Target::Table1)
        };
        assert_eq!(count(choice.clone()), 2);
        let experiments = || Experiment::embedded("quick").unwrap();
        let refused = |choice| {
            ReproductionPlan::new(experiments(), "quick", &choice)
                .err()
                .unwrap()
        };
        let nothing = Choice {
            sizes: vec![7],
            ..choice.clone()
        };
        assert!(refused(nothing).to_string().contains("filters"));
        let unknown = Choice {
            only: vec!["stokes".into()],
            ..choice
        };
        assert!(refused(unknown).to_string().contains("darcy"));
    }

    #[test]
    fn a_plan_is_the_same_every_time_and_begins_with_the_cheapest() {
        let plan = || {
            let only = vec!["1dcr".to_owned()];
            let choice = Choice {
                only,
                ..Choice::default()
            };
            ReproductionPlan::new(
                Experiment::embedded(PAPER_SCALE).unwrap(),
                PAPER_SCALE,
                &choice,
            )
            .unwrap()
        };
        let (one, two) = (plan(), plan());
        assert_eq!(one.cells, two.cells);
        let costs: Vec<usize> = one.cells.iter().map(|cell| one.cost(cell)).collect();
        assert!(costs.is_sorted());
        assert_eq!(one.cells[0].method, Method::FloralKl);
    }
}
