//! `floral completion`: a script that lets a shell complete commands and options.

use anyhow::Result;
use clap::Command;
use clap_complete::{Shell, generate};

use crate::{Ending, output};

/// Arguments of `floral completion`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    source <(floral completion bash)\n  \
    floral completion zsh > ~/.zfunc/_floral\n  \
    floral completion fish > ~/.config/fish/completions/floral.fish")]
pub struct Arguments {
    /// Shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Prints the script for a command.
pub fn run(arguments: &Arguments, mut floral: Command) -> Result<Ending> {
    let mut script = Vec::new();
    generate(arguments.shell, &mut floral, "floral", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(Ending::Done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::{CommandFactory, ValueEnum};

    #[test]
    fn every_shell_has_a_script_that_knows_every_command() {
        let mut command = Cli::command();
        let names: Vec<String> = command
            .get_subcommands()
            .map(|command| command.get_name().to_owned())
            .collect();
        for shell in Shell::value_variants() {
            let mut script = Vec::new();
            generate(*shell, &mut command, "floral", &mut script);
            let script = String::from_utf8(script).unwrap();
            for name in &names {
                assert!(script.contains(name.as_str()), "{shell}: {name}");
            }
        }
    }
}
