//! The cost of sampling: the number of realizations, the integrator, and the output file.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod command;

use std::path::Path;
use std::time::Duration;

use command::{Commands, Folder, values};

const SMALL: &str = "--set network.hidden_channels=4 --set network.film_channels=4 \
                     --set network.layers=1 --set optimiser.batch=4 --epochs 1";

/// Creates a dataset `data.zarr` of eight inputs on 16 points, and runs of floral and floral-kl.
fn trained(folder: &Path) {
    folder.succeed("generate 1dcr --inputs 8 --realizations 6 --resolution 16 -o data.zarr");
    folder.succeed(&format!(
        "train data.zarr --method floral {SMALL} -o floral"
    ));
    folder.succeed("train data.zarr -o kl");
}

fn counts(archive: &Path) -> Vec<i64> {
    let bytes = values(archive, "draws");
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|w| i64::from_le_bytes(*w))
        .collect()
}

#[test]
fn a_standard_error_decides_how_many_are_drawn_whatever_the_threads_and_cuts() {
    let folder = &Folder::new();
    trained(folder);
    let command = "sample kl --input data.zarr --stderr 0.002 --keep 2 --quantile 0.5";
    folder.succeed(&format!("{command} --threads 1 -o one.npz"));
    let drawn = counts(&folder.join("one.npz"));
    assert_eq!(drawn.len(), 8);
    assert!(drawn.iter().all(|n| (64..20_000).contains(n)), "{drawn:?}");

    let words = format!("{command} --threads 2 -o two.npz");
    let time = |attempt| Duration::from_millis(30 + 20 * attempt);
    folder.kills_until_done(|_| &words, time);
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    assert_eq!(read("one.npz"), read("two.npz"));
    // No temporary files remain.
    assert!(!folder.join("two.npz.store").exists());
    assert!(!folder.join("two.npz.store.partial").exists());

    // Twice the standard error takes about a quarter of the realizations; a limit is kept and
    // reported.
    folder.succeed("sample kl --input data.zarr --stderr 0.004 -o rough.npz");
    let rough = counts(&folder.join("rough.npz"));
    assert!(
        rough.iter().zip(&drawn).all(|(r, d)| *r <= (d / 3).max(64)),
        "{rough:?} {drawn:?}"
    );
    let most = "sample kl --input data.zarr --inputs 0 --stderr 0.0005 --realizations 128";
    let found = folder.noted(&format!("{most} -o most.npz"));
    assert_eq!(counts(&folder.join("most.npz")), [128]);
    assert!(found.contains("allow more with --realizations"));
}

#[test]
fn the_ending_of_the_name_chooses_the_file_and_others_are_left_alone() {
    let folder = &Folder::new();
    trained(folder);
    let command = "sample kl --input data.zarr --inputs 0..2 --realizations 20";
    for name in ["out.nc", "out.npz", "out.zarr"] {
        folder.succeed(&format!("{command} -o {name}"));
        let again = folder.noted(&format!("{command} -o {name}"));
        assert!(again.contains("already complete"), "{name}");
        let other = format!("{command} --seed 1 -o {name}");
        let message = folder.refuse(&other);
        assert!(message.contains("--force"), "{name}: {message}");
        folder.succeed(&format!("{other} --force"));
    }
    assert_eq!(
        std::fs::read(folder.join("out.nc")).unwrap()[..4],
        *b"CDF\x02"
    );
    let message = folder.refuse(&format!("{command} -o out.csv"));
    assert!(message.contains(".zarr, .npz, .nc"), "{message}");
    std::fs::write(folder.join("notes.nc"), "mine").unwrap();
    assert!(
        folder
            .refuse(&format!("{command} -o notes.nc"))
            .contains("something else")
    );
    assert_eq!(std::fs::read(folder.join("notes.nc")).unwrap(), b"mine");
}

#[test]
fn flows_are_integrated_as_accurately_as_is_needed_unless_an_integrator_is_named() {
    let folder = &Folder::new();
    trained(folder);
    let sample = |words: &str| {
        let command =
            "sample floral --input data.zarr --inputs 0 --realizations 4 --force -o o.npz";
        let notes = folder.noted(&format!("{command} {words}"));
        let metadata = String::from_utf8(values(&folder.join("o.npz"), "metadata")).unwrap();
        let metadata: serde_json::Value = serde_json::from_str(&metadata).unwrap();
        let solver = metadata["attributes"]["solver"]
            .as_str()
            .unwrap()
            .to_owned();
        (solver, notes)
    };
    let (solver, found) = sample("");
    assert!(solver.starts_with("midpoint"), "{solver}");
    assert!(found.contains("note: integrated by midpoint"), "{found}");
    assert_eq!(sample("--solver dopri5").0, "dopri5, rtol 1e-5, atol 1e-5");
    assert_eq!(sample("--steps 7").0, "midpoint, 7 steps");
    let steps = |words: &str| {
        let (solver, _) = sample(words);
        let digits: String = solver.chars().filter(char::is_ascii_digit).collect();
        digits.parse::<usize>().unwrap()
    };
    assert!(steps("--accuracy 1e-5") > steps("--accuracy 0.5"));
    for words in [
        "--accuracy 0",
        "--accuracy 0.1 --steps 3",
        "--stderr 0",
        "--stderr 2",
    ] {
        folder.refuse(&format!(
            "sample floral --input data.zarr {words} -o bad.npz"
        ));
    }
    assert!(!folder.join("bad.npz").exists());
}

#[test]
fn a_long_sampling_estimates_its_duration() {
    let folder = &Folder::new();
    trained(folder);
    let words = "sample floral --input data.zarr --realizations 100000 --steps 400 -o long.zarr";
    let child = folder
        .floral(words)
        .stderr(std::process::Stdio::piped())
        .spawn();
    let mut child = child.unwrap();
    let found = std::io::BufReader::new(child.stderr.take().unwrap());
    let mut lines = std::io::BufRead::lines(found).map(Result::unwrap);
    let line = lines.find(|line| line.contains("8 inputs with 100000 realizations each"));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.unwrap().contains("floral: about "));
}

#[test]
fn a_state_of_the_reference_becomes_a_run_that_samples() {
    let folder = &Folder::new();
    folder.succeed("generate 1dcr --inputs 8 --realizations 6 --resolution 32 -o data.zarr");
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../floral/tests/fixtures");
    let state = fixtures.join("filmfno_1d.safetensors");
    let state = state.display();
    folder.succeed(&format!("import-torch {state} --data data.zarr -o a"));
    let flags = "--axis x,0,1,32 --input-scale 0,1 --low-scale 0,1 --target-scale 0,1";
    folder.succeed(&format!("import-torch {state} {flags} -o b"));
    for run in ["a", "b"] {
        let sample = "--input data.zarr --inputs 0 --realizations 8 --steps 3";
        folder.succeed(&format!("sample {run} {sample} -o {run}.zarr"));
    }
    folder.succeed("evaluate a data.zarr --realizations 4 --steps 3");
    for (words, fact) in [
        (format!("import-torch {state} -o c"), "the grid"),
        (
            format!("import-torch {state} --axis x,0,1,32 -o c"),
            "scale of the input",
        ),
        (
            format!("import-torch {state} --method fno {flags} -o c"),
            "time embedding",
        ),
        (
            "import-torch data.pt --data data.zarr -o c".into(),
            "--help",
        ),
        (
            "import-torch gone.safetensors --data data.zarr -o c".into(),
            "gone.safetensors",
        ),
        (
            format!(
                "import-torch {} {flags} -o c",
                fixtures.join("solvers.safetensors").display()
            ),
            "no state",
        ),
    ] {
        let message = folder.refuse(&words);
        assert!(message.contains(fact), "{words}: {message}");
    }
    assert!(!folder.join("c").exists());
}
