//! `floral quickstart` as a user runs it.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[allow(dead_code, reason = "nothing is refused here")]
mod command;

use command::succeed;

#[test]
fn the_commands_that_a_quickstart_prints_run_as_printed() {
    let folder = tempfile::tempdir().unwrap();
    let output = succeed(folder.path(), "quickstart --fast -o qs");
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.contains("qs/report.html") && table.contains("FLORAL"));
    assert!(folder.path().join("qs/report.html").is_file());
    let printed = String::from_utf8(output.stderr).unwrap();
    let commands: Vec<&str> = printed
        .lines()
        .filter_map(|line| line.strip_prefix("$ floral "))
        .collect();
    assert_eq!(commands.len(), 6);
    for command in commands {
        // The runs exist: only training asks for a new folder.
        if command.starts_with("train") {
            succeed(folder.path(), &format!("{command}-again"))
        } else {
            succeed(folder.path(), command)
        };
    }
}
