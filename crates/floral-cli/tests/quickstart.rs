//! `floral quickstart` as a user runs it.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod command;

use command::{Commands, Folder};

#[test]
fn the_commands_that_a_quickstart_prints_run_as_printed() {
    let folder = &Folder::new();
    let output = folder.succeed("quickstart --fast -o qs");
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.contains("qs/report.html") && table.contains("FLORAL"));
    assert!(folder.join("qs/report.html").is_file());
    let printed = String::from_utf8(output.stderr).unwrap();
    let commands: Vec<&str> = printed
        .lines()
        .filter_map(|line| line.strip_prefix("$ floral "))
        .collect();
    assert_eq!(commands.len(), 6);
    for command in commands {
        // The runs exist already: only training needs a new folder.
        if command.starts_with("train") {
            folder.succeed(&format!("{command}-again"))
        } else {
            folder.succeed(command)
        };
    }
}
