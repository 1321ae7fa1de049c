//! `floral report` as a user meets it: pages and parts are written, or refused with one line.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod command;

use std::path::Path;

use command::{Commands, Folder};

const SMALL: &str = "--method floral --set network.hidden_channels=4 --set network.film_channels=4 \
                     --set network.layers=2 --set optimiser.batch=4 --set split.test=1 \
                     --set split.validation=1 --epochs 1";
const QUICK: &str = "--realizations 8 --reference 20 --solver euler --steps 2";

fn run(folder: &Path, problem: &str, name: &str) {
    folder.succeed(&format!(
        "generate {problem} --inputs 4 --realizations 4 --resolution 12 -o {name}.zarr"
    ));
    folder.succeed(&format!("train {name}.zarr {SMALL} -o {name}"));
}

#[test]
fn a_report_is_written_and_written_again_but_replaces_nothing_else() {
    let folder = &Folder::new();
    run(folder, "darcy", "d");
    let report = format!("report d --data d.zarr {QUICK} -o out/report.html");
    folder.succeed(&report);
    let first = std::fs::read(folder.join("out/report.html")).unwrap();
    folder.succeed(&report);
    assert_eq!(
        std::fs::read(folder.join("out/report.html")).unwrap(),
        first
    );

    std::fs::write(folder.join("notes.html"), "mine").unwrap();
    let other = format!("report d --data d.zarr {QUICK} -o notes.html");
    assert!(folder.refuse(&other).contains("--force"));
    assert_eq!(std::fs::read(folder.join("notes.html")).unwrap(), b"mine");

    folder.succeed(&format!(
        "report d --data d.zarr {QUICK} --format svg -o figures"
    ));
    for name in [
        "fields-0",
        "samples-0",
        "joint-solution",
        "coverage",
        "training-0",
    ] {
        assert!(
            folder.join(format!("figures/{name}.svg")).is_file(),
            "{name}"
        );
    }
    let svg = std::fs::read_to_string(folder.join("figures/fields-0.svg")).unwrap();
    assert!(!svg.contains("var("), "drawn by programs that know no page");
    folder.succeed(&format!(
        "report d --data d.zarr {QUICK} --format tex -o tables"
    ));
    let table = std::fs::read_to_string(folder.join("tables/scores.tex")).unwrap();
    assert!(table.contains("\\toprule") && table.contains("FLORAL"));
    folder.succeed(&format!(
        "report d --data d.zarr {QUICK} --format json -o numbers"
    ));
    assert!(folder.join("numbers/report.json").is_file());
    let unknown = format!("report d --data d.zarr {QUICK} --format svg --figure x -o figures");
    // Figure names are known only after all predictions, so the error is not the only line.
    let output = folder.floral(&unknown).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("fields-0"));
}

#[test]
fn figures_for_a_paper_are_written_as_png_and_pdf() {
    let folder = &Folder::new();
    run(folder, "darcy", "d");
    let figures = |options: &str| format!("report d --data d.zarr {QUICK} {options} -o figures");
    folder.succeed(&figures("--format png"));
    folder.succeed(&figures("--format pdf"));
    let file = |name: &str| std::fs::read(folder.join("figures").join(name)).unwrap();
    for name in ["fields-0", "joint-solution", "coverage", "training-0"] {
        assert!(
            file(&format!("{name}.png")).starts_with(b"\x89PNG"),
            "{name}"
        );
        assert!(file(&format!("{name}.pdf")).starts_with(b"%PDF-"), "{name}");
    }
    let names = std::fs::read_dir(folder.join("figures")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let other: Vec<String> = names
        .filter(|name| !name.ends_with(".png") && !name.ends_with(".pdf"))
        .collect();
    assert!(other.is_empty(), "figures alone, each whole: {other:?}");

    let width = |name| u32::from_be_bytes(file(name)[16..20].try_into().unwrap());
    assert_eq!(width("coverage.png"), 1000);
    folder.succeed(&figures("--format png --dpi 96 --figure coverage"));
    assert_eq!(width("coverage.png"), 480);
    assert_eq!(width("ranks.png"), 1000, "only what was asked for");

    let message = folder.refuse(&figures("--format pdf --dpi 96"));
    assert!(message.contains("--format png"), "{message}");
    assert!(
        folder
            .refuse(&figures("--format png --dpi 5"))
            .contains("--dpi")
    );
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let folder = &Folder::new();
    run(folder, "darcy", "d");
    run(folder, "1dcr", "c");
    let message = folder.refuse("report d c --data d.zarr -o r.html");
    assert!(
        message.contains("1dcr") && message.contains("darcy"),
        "{message}"
    );
    let message = folder.refuse("report d missing --data d.zarr -o r.html");
    assert!(message.contains("missing"), "{message}");
    let message = folder.refuse("report d --data missing.zarr -o r.html");
    assert!(message.contains("missing.zarr"), "{message}");
    let message = folder.refuse("report d --data d.zarr --show 0 -o r.html");
    assert!(message.contains("--show"), "{message}");
    assert!(!folder.join("r.html").exists());
}
