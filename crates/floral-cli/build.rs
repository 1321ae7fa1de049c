//! Sets `FLORAL_COMMIT` for the build: the commit, with a hash of uncommitted changes.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::process::Command;

fn main() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    for watched in [".git/HEAD", ".git/index", "crates", "Cargo.lock"] {
        println!("cargo::rerun-if-changed={root}/{watched}");
    }
    println!("cargo::rustc-env=FLORAL_COMMIT={}", commit(root));
}

/// `1a2b3c4d5e6f`, `1a2b3c4d5e6f+0123abcd` with uncommitted changes, or `unknown` outside a
/// repository.
fn commit(root: &str) -> String {
    let Some(commit) = git(root, &["rev-parse", "--short=12", "HEAD"]) else {
        return "unknown".into();
    };
    match git(root, &["diff", "HEAD", "--", "crates", "Cargo.lock"]) {
        Some(changes) if !changes.is_empty() => {
            let mut hasher = DefaultHasher::new();
            changes.hash(&mut hasher);
            format!("{commit}+{:08x}", hasher.finish() as u32)
        }
        _ => commit,
    }
}

fn git(root: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .args(["-C", root])
        .args(arguments)
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    output.status.success().then(|| text.trim().to_owned())
}
