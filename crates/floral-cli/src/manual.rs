//! `floral man`: manual pages, generated from the help.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Command;
use clap_mangen::Man;
use floral::storage::{create_folder, write_atomically};

use crate::{Ending, output};

/// Arguments of `floral man`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    floral man train | man -l -\n  \
    floral man -o ~/.local/share/man/man1")]
pub struct Arguments {
    /// Command whose page to print [default: floral itself]
    #[arg(value_name = "COMMAND", conflicts_with = "output")]
    command: Option<String>,

    /// Write every page into this folder instead of printing one
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

/// Prints a page, or writes all of them.
pub fn run(arguments: &Arguments, floral: Command) -> Result<Ending> {
    let pages = pages(floral)?;
    let Some(folder) = &arguments.output else {
        let name = match &arguments.command {
            Some(command) => format!("floral-{command}"),
            None => "floral".into(),
        };
        let Some((_, page)) = pages.iter().find(|(of, _)| *of == name) else {
            bail!("there is no page {name}; see floral --help for the commands");
        };
        output::print(page)?;
        return Ok(Ending::Done);
    };
    create_folder(folder)?;
    for (name, page) in &pages {
        write_atomically(&folder.join(format!("{name}.1")), page.as_bytes())?;
    }
    output::message(&format!("{}: {} pages", folder.display(), pages.len()));
    Ok(Ending::Done)
}

/// All pages, with their names.
fn pages(mut whole: Command) -> Result<Vec<(String, String)>> {
    // Adds the global options to every command.
    whole.build();
    let parts = whole
        .get_subcommands()
        .filter(|command| command.get_name() != "help")
        .map(|command| (format!("floral-{}", command.get_name()), command.clone()));
    let all: Vec<(String, Command)> = parts.collect();
    let whole = [("floral".to_owned(), whole.clone())];
    let pages = whole.into_iter().chain(all);
    pages
        .map(|(name, command)| Ok((name.clone(), page(&name, command)?)))
        .collect()
}

fn page(name: &str, command: Command) -> Result<String> {
    let mut page = Vec::new();
    // Manual pages have names without spaces.
    let command = command.display_name(name.to_owned());
    let version = format!("floral {}", env!("CARGO_PKG_VERSION"));
    Man::new(command).source(version).render(&mut page)?;
    Ok(String::from_utf8(page)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::CommandFactory;

    #[test]
    fn every_command_has_a_page_with_its_flags_and_those_of_all() {
        let pages = pages(Cli::command()).unwrap();
        let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names[0], "floral");
        assert!(names.contains(&"floral-sample") && !names.contains(&"floral-help"));
        for (name, page) in &pages {
            assert!(page.contains(".SH NAME"), "{name}");
            assert!(page.contains("quiet"), "{name}: {page}");
        }
        assert!(pages[0].1.contains("Exit codes"));
    }
}
