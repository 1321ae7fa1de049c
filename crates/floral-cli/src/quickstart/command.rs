//! The steps of a quickstart as command lines; `reproduce` prints its own in the same way.

use std::fmt;
use std::path::Path;

use super::sizes::METHODS;
use super::{Folder, QuickstartSizes};
use floral::train::Method;

/// A command line as words, beginning with `floral`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command(pub Vec<String>);

impl Command {
    fn new(name: &str) -> Self {
        Self(vec!["floral".into(), name.into()])
    }

    fn word(mut self, word: impl ToString) -> Self {
        self.0.push(word.to_string());
        self
    }

    fn path(self, path: &Path) -> Self {
        self.word(path.display())
    }

    fn flag(self, name: &str, value: impl ToString) -> Self {
        self.word(name).word(value)
    }
}

/// The command line with the quotes that a shell needs.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,".contains(c);
        for (i, word) in self.0.iter().enumerate() {
            let space = if i == 0 { "" } else { " " };
            if !word.is_empty() && word.chars().all(is_plain) {
                write!(f, "{space}{word}")?;
            } else {
                write!(f, "{space}'{}'", word.replace('\'', "'\\''"))?;
            }
        }
        Ok(())
    }
}

/// All commands, in their order.
pub(super) fn commands(folder: &Folder, sizes: &QuickstartSizes) -> Vec<Command> {
    let mut all = vec![generate(folder, sizes)];
    all.extend(METHODS.map(|method| train(folder, sizes, method)));
    all.push(report(folder, sizes));
    all
}

pub(super) fn generate(folder: &Folder, sizes: &QuickstartSizes) -> Command {
    let request = sizes.request();
    Command::new("generate")
        .word("1dcr")
        .flag("--inputs", request.inputs)
        .flag("--realizations", request.realizations)
        .flag("--resolution", sizes.points)
        .flag("--seed", sizes.seed)
        .word("-o")
        .path(&folder.data())
}

/// Networks read their settings from a file; regressions need only the split and the seed.
pub(super) fn train(folder: &Folder, sizes: &QuickstartSizes, method: Method) -> Command {
    let command = Command::new("train")
        .path(&folder.data())
        .flag("--method", method);
    let [test, validation, train] = sizes.inputs;
    let command = match method.recipe() {
        None => command.word("--config").path(&folder.settings()),
        Some(_) => command
            .flag("--set", format!("split.test={test}"))
            .flag("--set", format!("split.validation={validation}"))
            .flag("--train-inputs", train)
            .flag("--seed", sizes.seed),
    };
    command.word("-o").path(&folder.run(method))
}

/// The report without its introduction, in a file next to the quickstart's report.
pub(super) fn report(folder: &Folder, sizes: &QuickstartSizes) -> Command {
    let runs = METHODS.map(|method| folder.run(method));
    let command = runs
        .iter()
        .fold(Command::new("report"), |command, run| command.path(run));
    let command = command
        .word("--data")
        .path(&folder.data())
        .flag("--realizations", sizes.predicted)
        .flag("--seed", sizes.seed)
        .flag("--solver", "midpoint")
        .flag("--steps", sizes.steps)
        .word("-o");
    command.path(&folder.0.join("runs.html"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_blanks_are_quoted() {
        let command = Command::new("train").word("it's here").word("a/b.zarr");
        assert_eq!(command.to_string(), "floral train 'it'\\''s here' a/b.zarr");
    }
}
