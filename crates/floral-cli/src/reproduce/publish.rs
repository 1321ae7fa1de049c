//! A table as text, Markdown, HTML and JSON.

use super::tables::{PaperTable, System};
use floral_report::draw::{Block, Page, Section};

/// Text for a terminal.
pub fn text(table: &PaperTable) -> String {
    let system = |system: &System| {
        let numbers = table.numbers(system).to_text();
        let notes: String = system.notes().iter().map(|n| format!("  {n}\n")).collect();
        format!("\n{}\n{notes}{numbers}", system.title)
    };
    let systems: String = table.systems.iter().map(system).collect();
    format!("{}\n{systems}\n{}\n", table.title(), made(table))
}

/// Markdown for a repository.
pub fn markdown(table: &PaperTable) -> String {
    let system = |system: &System| {
        let numbers = table.numbers(system).to_markdown();
        let notes = system.notes().join("\n");
        format!("\n## {}\n\n{notes}\n\n{numbers}", system.title)
    };
    let systems: String = table.systems.iter().map(system).collect();
    format!("# {}\n{systems}\n{}\n", table.title(), made(table))
}

/// A page for a browser.
pub fn html(table: &PaperTable) -> String {
    let section = |system: &System| {
        let notes = system.notes().into_iter().map(Block::Text);
        let numbers = std::iter::once(Block::Table(table.numbers(system)));
        Section {
            heading: system.title.clone(),
            blocks: notes.chain(numbers).collect(),
        }
    };
    let page = Page {
        title: table.title(),
        lead: format!(
            "Our values next to the paper's, at scale {}. Each \"paper\" column holds the paper's \
             value for the column before it; a dash means no value.",
            table.scale
        ),
        sections: table.systems.iter().map(section).collect(),
        footer: made(table),
    };
    page.to_html()
}

/// JSON for programs: every score, with the settings that produced it.
pub fn json(table: &PaperTable) -> String {
    let text = serde_json::to_string_pretty(table).expect("numbers, strings and lists");
    text + "\n"
}

fn made(table: &PaperTable) -> String {
    let (how, missing) = (&table.provenance, table.missing());
    let missing = match missing {
        0 => String::new(),
        n => format!(" {n} cells are missing."),
    };
    format!(
        "Scale {}. Made by `{}`, floral {}: {:.2} hours of runs, {} at a time, on {} cores.{missing}",
        table.scale, how.command, how.floral, table.hours, how.jobs, how.cores
    )
}
