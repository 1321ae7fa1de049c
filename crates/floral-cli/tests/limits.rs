//! The command at the limits of sizes and systems: few file handles, no home folder, odd locales
//! and paths, no standard streams; single points, prime sizes, thousands of channels.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod command;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use command::{Commands, Folder};
use serde_json::{Value, json};

const DATA: &str = "generate 1dcr --inputs 6 --realizations 6 --resolution 16";

/// Runs a shell command in which `$FLORAL` is the built program.
fn shell(folder: &Path, line: &str) -> Output {
    let mut shell = Command::new("bash");
    shell.args(["-c", line]).current_dir(folder);
    shell.env("FLORAL", env!("CARGO_BIN_EXE_floral"));
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{line}: {output:?}");
    output
}

/// A chunk of a dataset.
fn chunk(folder: &Path, name: &str) -> Vec<u8> {
    fs::read(folder.join(name).join("high/c.5.0.0.0")).unwrap()
}

#[test]
fn few_file_handles_are_enough_for_every_step() {
    let folder = &Folder::new();
    let steps = format!(
        "$FLORAL {DATA} -o data.zarr && $FLORAL train data.zarr -o run && \
         $FLORAL sample run --input data.zarr --realizations 20 -o out.npz && \
         $FLORAL report run --data data.zarr --realizations 4 -o page.html"
    );
    shell(folder, &format!("ulimit -n 20; {steps}"));
    assert!(folder.join("page.html").is_file());
}

#[test]
fn no_home_no_path_and_an_odd_locale_change_no_byte() {
    let folder = &Folder::new();
    folder.succeed(&format!("{DATA} -o data.zarr"));
    // In Turkish the lower case of I has no dot; German numbers have decimal commas.
    let bare = "env -i LC_ALL=tr_TR.UTF-8 LC_NUMERIC=de_DE.UTF-8 TZ=Nowhere/Else \"$FLORAL\"";
    shell(folder, &format!("{bare} {DATA} -o bare.zarr"));
    assert_eq!(chunk(folder, "bare.zarr"), chunk(folder, "data.zarr"));
}

#[test]
fn nothing_to_read_from_and_to_print_to_stops_no_work() {
    let folder = &Folder::new();
    shell(folder, &format!("$FLORAL {DATA} -o data.zarr <&- >&- 2>&-"));
    shell(folder, "$FLORAL inspect data.zarr >&-");
    assert!(!chunk(folder, "data.zarr").is_empty());
}

#[test]
fn odd_paths_are_paths_like_others() {
    let folder = &Folder::new();
    let odd = folder.join("a b/\u{fc}\n'\"*$(x)");
    fs::create_dir_all(&odd).unwrap();
    odd.succeed(&format!("{DATA} -o data.zarr"));
    let at = |name: &str| odd.join(name);
    let run = |words: &[&std::ffi::OsStr]| {
        let floral = Command::new(env!("CARGO_BIN_EXE_floral"))
            .args(words)
            .output();
        let output = floral.unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    let word = std::ffi::OsStr::new;
    run(&[
        word("train"),
        at("data.zarr").as_os_str(),
        word("-o"),
        at("-run 1").as_os_str(),
    ]);
    run(&[
        word("sample"),
        at("-run 1").as_os_str(),
        word("--input"),
        at("data.zarr").as_os_str(),
        word("--realizations"),
        word("4"),
        word("-o"),
        at("o u t.npz").as_os_str(),
    ]);
    assert!(at("o u t.npz").is_file());
}

/// Writes a `.npy` file of pseudo-random numbers.
fn write_npy(path: &Path, shape: &str, count: usize) {
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend((0..count).flat_map(|i| (i as f64 * 0.7).sin().to_le_bytes()));
    fs::write(path, file).unwrap();
}

/// Imports arrays, trains a regression and a network, and samples from them.
fn walk(name: &str, input: (&str, usize), high: (&str, usize), axes: &str, methods: &[&str]) {
    let folder = &Folder::new();
    fs::create_dir(folder.join(name)).unwrap();
    write_npy(&folder.join(name).join("input.npy"), input.0, input.1);
    write_npy(&folder.join(name).join("high.npy"), high.0, high.1);
    folder.succeed(&format!(
        "import {name} --dims input=input,channel,{axes} \
             --dims high=input,realization,channel,{axes} -o data.zarr"
    ));
    folder.succeed("inspect data.zarr");
    for method in methods {
        let network = match *method {
            "fno" => "--epochs 1 --set network.hidden_channels=2 --set network.layers=1",
            _ => "",
        };
        folder.succeed(&format!(
            "train data.zarr --method {method} {network} --set split.test=1 \
                 --set split.validation=1 -o {method}"
        ));
        folder.succeed(&format!(
            "sample {method} --input data.zarr --inputs 0..1 --realizations 4 -o {method}.zarr"
        ));
    }
}

#[test]
fn axes_of_one_point_are_axes() {
    walk(
        "point",
        ("(6, 1, 1)", 6),
        ("(6, 3, 1, 1)", 18),
        "x",
        &["kriging"],
    );
    walk(
        "line",
        ("(6, 1, 1, 5)", 30),
        ("(6, 3, 1, 1, 5)", 90),
        "y,x",
        &["kriging"],
    );
}

#[test]
fn prime_sizes_are_sizes_like_others() {
    let (input, high) = (("(6, 1, 7, 13)", 546), ("(6, 3, 1, 7, 13)", 1638));
    walk("prime", input, high, "y,x", &["kriging", "fno"]);
}

#[test]
fn thousands_of_channels_are_carried_through() {
    let (input, high) = (("(6, 4096, 2)", 49_152), ("(6, 2, 4096, 2)", 98_304));
    walk("many", input, high, "x", &["kriging"]);
}

#[test]
fn hundreds_of_thousands_of_inputs_that_are_only_declared_are_refused_at_once() {
    let folder = &Folder::new();
    folder.succeed(&format!("{DATA} -o data.zarr"));
    for entry in fs::read_dir(folder.join("data.zarr")).unwrap() {
        let path = entry.unwrap().path().join("zarr.json");
        let Ok(bytes) = fs::read(&path) else {
            continue;
        };
        let mut array: Value = serde_json::from_slice(&bytes).unwrap();
        if array["shape"][0] == json!(6) {
            array["shape"][0] = json!(300_000);
            fs::write(path, array.to_string()).unwrap();
        }
    }
    let message = folder.refuse("train data.zarr -o run");
    assert!(message.contains("data.zarr"), "{message}");
}
