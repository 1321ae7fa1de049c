//! Results beyond fields: quantities of interest, observations, sensitivity and learning, as
//! sections of a page and as single figures.

mod learned;
mod observed;
mod quantities;
mod quantity_figures;
mod sensitivity;

pub use learned::Learned;
pub use observed::Observed;
pub use quantities::{AtShownInput, QuantityShown, RunQuantity};
pub use sensitivity::SensitivityShown;

pub(super) use observed::observed;
pub(super) use quantities::{Asked, gathered};

use serde::Serialize;

use super::comparison::Comparison;
use super::export::{Exported, Named};
use crate::draw::{Block, Section};

/// Results beyond fields.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Questions {
    /// Quantities of interest.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub quantities: Vec<QuantityShown>,
    /// The effect of readings of the solution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed: Option<Observed>,
    /// Results of sensitivity analyses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sensitivity: Vec<SensitivityShown>,
    /// Learning curves of `floral learn`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub learned: Vec<Learned>,
}

/// A section of a page, and its blocks with their file names.
struct Answer {
    section: Section,
    exports: Vec<Named>,
}

impl Answer {
    /// A section of blocks in this order. Blocks with a name are exported.
    fn new(heading: &str, text: &str, blocks: Vec<(String, Block)>) -> Self {
        let exports = blocks.iter().flat_map(exported).collect();
        let blocks = blocks.into_iter().map(|(_, block)| block).collect();
        Self {
            section: super::sections::section(heading, text, blocks),
            exports,
        }
    }
}

/// The exported figures and tables of a block. Figures side by side are numbered.
fn exported((name, block): &(String, Block)) -> Vec<Named> {
    match block {
        Block::Figures(figures) => {
            let numbered = figures.iter().enumerate();
            let named = |(i, figure): (usize, &crate::draw::Figure)| {
                (format!("{name}-{i}"), Exported::Curves(figure.clone()))
            };
            numbered.map(named).collect()
        }
        Block::Panels(panels) => vec![(name.clone(), Exported::Maps(panels.clone()))],
        Block::Bars(bars) => vec![(name.clone(), Exported::Bars(bars.clone()))],
        Block::Table(table) => vec![(name.clone(), Exported::Table(table.clone()))],
        _ => Vec::new(),
    }
}

fn answers(comparison: &Comparison) -> Vec<Answer> {
    let questions = &comparison.questions;
    let observed = questions.observed.iter();
    let sensitivity = questions.sensitivity.iter();
    [
        quantity_figures::answer(&questions.quantities),
        learned::answer(&questions.learned),
    ]
    .into_iter()
    .flatten()
    .chain(observed.map(|one| observed::answer(comparison, one)))
    .chain(sensitivity.map(|one| sensitivity::answer(comparison, one)))
    .collect()
}

/// The sections of a page.
pub(super) fn sections(comparison: &Comparison) -> Vec<Section> {
    let all = answers(comparison).into_iter();
    all.map(|answer| answer.section).collect()
}

/// Single figures and tables.
pub(super) fn exports(comparison: &Comparison) -> Vec<Named> {
    let all = answers(comparison).into_iter();
    distinct(all.flat_map(|answer| answer.exports).collect())
}

/// Numbers repeated names, as of two sensitivity analyses, so that no file replaces another.
fn distinct(mut all: Vec<Named>) -> Vec<Named> {
    let names: Vec<String> = all.iter().map(|(name, _)| name.clone()).collect();
    for (i, (name, _)) in all.iter_mut().enumerate() {
        let before = names[..i].iter().filter(|other| **other == names[i]);
        match before.count() {
            0 => {}
            n => *name = format!("{name}-{}", n + 1),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_the_same_name_go_to_files_of_their_own() {
        let table = || {
            Exported::Table(crate::draw::Table {
                columns: Vec::new(),
                rows: Vec::new(),
            })
        };
        let all = ["shares", "maps", "shares", "shares"].map(|name| (name.to_owned(), table()));
        let names: Vec<String> = distinct(all.into()).into_iter().map(|one| one.0).collect();
        assert_eq!(names, ["shares", "maps", "shares-2", "shares-3"]);
    }
}
