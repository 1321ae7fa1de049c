//! Tests that damaged or inconsistent checkpoints are refused with the file and the reason.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::checkpoint::seal;
use super::{Checkpoint, Method};
use crate::flow::Coordinates;
use crate::predict::testing::{Play, play};

/// The bytes of a checkpoint after a change of the safetensors header, sealed again.
fn altered(bytes: &[u8], change: impl Fn(&mut Value)) -> Vec<u8> {
    let (length, rest) = bytes.split_at(8);
    let length = u64::from_le_bytes(length.try_into().unwrap()) as usize;
    let (text, data) = rest.split_at(length);
    let mut file: Value = serde_json::from_slice(text).unwrap();
    change(&mut file);
    let text = file.to_string().into_bytes();
    let mut bytes = [&(text.len() as u64).to_le_bytes()[..], &text, data].concat();
    seal(&mut bytes);
    bytes
}

/// The bytes of a checkpoint after a change of our own header, sealed again.
fn with_header(bytes: &[u8], change: impl Fn(&mut Value)) -> Vec<u8> {
    altered(bytes, |file| {
        let ours = &mut file["__metadata__"]["floral"];
        let mut header: Value = serde_json::from_str(ours.as_str().unwrap()).unwrap();
        change(&mut header);
        *ours = header.to_string().into();
    })
}

struct Damage {
    play: Play,
    whole: Vec<u8>,
}

impl Damage {
    fn new() -> Self {
        let play = play();
        let whole = play.run(Method::Floral).best_bytes().unwrap();
        Self { play, whole }
    }

    fn path(&self) -> PathBuf {
        self.play.folder.path().join("damaged.safetensors")
    }

    fn read(&self, bytes: &[u8]) -> crate::Result<Checkpoint> {
        std::fs::write(self.path(), bytes).unwrap();
        Checkpoint::read(&self.path())
    }

    fn refused(&self, bytes: &[u8], reason: &str) {
        let words = self.read(bytes).unwrap_err().to_string();
        assert!(
            words.starts_with(&self.path().display().to_string()),
            "{words}"
        );
        assert!(words.contains(reason), "{reason}: {words}");
        assert_eq!(words.lines().count(), 1, "{words}");
    }
}

#[test]
fn arrays_of_another_type_or_shape_are_refused() {
    let damage = Damage::new();
    assert!(damage.read(&damage.whole).is_ok());
    for name in ["weight.layers.0.gate", "adam.first.layers.0.gate"] {
        let bytes = altered(&damage.whole, |file| file[name]["dtype"] = json!("I32"));
        damage.refused(
            &bytes,
            &format!("{name} has data type I32 but F32 is needed"),
        );
    }
    for name in ["adam.first.layers.0.gate", "adam.second.layers.0.gate"] {
        let bytes = altered(&damage.whole, |file| file[name]["shape"] = json!([2, 2]));
        damage.refused(
            &bytes,
            &format!("{name} has shape [2, 2] but its weight [4]"),
        );
    }
    damage.refused(&damage.whole[..damage.whole.len() - 4], "damaged");
    let bytes = altered(&damage.whole, |file| file["__metadata__"] = json!({}));
    damage.refused(&bytes, "not a checkpoint of floral");
    let mut bytes = damage.whole.clone();
    let last = bytes.len() - 4;
    bytes[last..].copy_from_slice(&f32::NAN.to_le_bytes());
    seal(&mut bytes);
    damage.refused(&bytes, "has a NaN or an infinity");
}

#[test]
fn every_byte_is_under_the_checksum() {
    let damage = Damage::new();
    let length = damage.whole.len();
    for place in (0..length).step_by(length / 97).chain([length - 1]) {
        let mut bytes = damage.whole.clone();
        bytes[place] ^= 1 << (place % 8);
        assert!(damage.read(&bytes).is_err(), "byte {place} of {length}");
    }
    let other = damage.play.run(Method::Flora).best_bytes().unwrap();
    let header = |bytes: &[u8]| 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let mixed = [
        &damage.whole[..header(&damage.whole)],
        &other[header(&other)..],
    ]
    .concat();
    damage.refused(&mixed, "checksum");
}

#[test]
fn a_checkpoint_is_written_as_the_same_bytes_every_time() {
    let damage = Damage::new();
    let checkpoint = damage.read(&damage.whole).unwrap();
    for _ in 0..8 {
        checkpoint.write(&damage.path()).unwrap();
        assert!(std::fs::read(damage.path()).unwrap() == damage.whole);
    }
}

#[test]
fn only_older_formats_do_without_a_checksum() {
    let damage = Damage::new();
    let remove = |file: &mut Value| {
        file["__metadata__"]
            .as_object_mut()
            .unwrap()
            .remove("checksum");
    };
    damage.refused(&altered(&damage.whole, remove), "lost its checksum");
    let older = with_header(&altered(&damage.whole, remove), |header| {
        header["format"] = json!(2);
    });
    let notes = damage.read(&older).unwrap().header.notes();
    assert!(notes[0].contains("no checksum"), "{notes:?}");
    assert!(
        damage
            .read(&damage.whole)
            .unwrap()
            .header
            .notes()
            .is_empty()
    );
}

#[test]
fn headers_that_contradict_themselves_are_refused() {
    let damage = Damage::new();
    let empty = json!({"mean": [], "deviation": []});
    let huge = json!(1u64 << 60);
    for (place, value, reason) in [
        ("/scaling/target", empty.clone(), "scaling"),
        ("/scaling/input", empty, "scaling"),
        ("/scaling/target/mean", json!([]), "scaling"),
        ("/scaling/input/mean", json!([0.0, 0.0]), "scaling"),
        ("/scaling/target/deviation", json!([0.0]), "scaling"),
        ("/scaling/low", json!(null), "scaling"),
        ("/shapes/input_channels", huge.clone(), "scaling"),
        ("/shapes/solution_channels", json!(0), "scaling"),
        ("/shapes/grid", json!([4, 4]), "grid"),
        ("/grid/axes", json!([]), "grid"),
        ("/config/network/n_modes", json!([]), "n_modes"),
        ("/config/network/n_modes", json!([4, 4]), "n_modes"),
        ("/config/network/n_modes", json!([u64::MAX / 2]), "n_modes"),
        ("/config/network/n_modes", json!([16_000_000]), "weights"),
        ("/config/network/hidden_channels", huge, "hidden_channels"),
        ("/config/network/hidden_channels", json!(5), "weights"),
        ("/config/network/layers", json!(0), "layers"),
        ("/config/optimiser/batch", json!(0), "batch"),
        ("/config/seed", json!(u64::MAX), "TOML"),
        ("/config/stopping/epochs", json!(1u64 << 63), "TOML"),
        ("/format", json!(4), "newer"),
        ("/progress/epoch", json!(-1), "header"),
    ] {
        let bytes = with_header(&damage.whole, |header| {
            *header.pointer_mut(place).unwrap() = value.clone();
        });
        damage.refused(&bytes, reason);
    }
}

#[test]
fn a_checkpoint_of_format_1_has_its_prior_in_raw_coordinates() {
    let damage = Damage::new();
    let bytes = with_header(&damage.whole, |header| {
        header["format"] = json!(1);
        header["progress"]
            .as_object_mut()
            .unwrap()
            .remove("diverged");
        header["config"]["prior"]
            .as_object_mut()
            .unwrap()
            .remove("coordinates");
    });
    let read = damage.read(&bytes).unwrap();
    assert_eq!(read.header.config.prior.coordinates, Coordinates::Raw);
    let read = damage.read(&damage.whole).unwrap();
    assert_eq!(read.header.config.prior.coordinates, Coordinates::Unit);
}

#[test]
fn a_checkpoint_without_quantities_is_read() {
    let damage = Damage::new();
    let remove = |header: &mut Value| {
        for key in ["quantities", "ranges", "title"] {
            header.as_object_mut().unwrap().remove(key);
        }
        for axis in header["grid"]["axes"].as_array_mut().unwrap() {
            axis.as_object_mut().unwrap().remove("units");
        }
    };
    let older = damage.read(&with_header(&damage.whole, remove)).unwrap();
    assert!(older.header.quantities.is_empty());
    assert_eq!(older.header.quantities.solution.len(), 1);
    assert!(older.header.ranges.is_empty());
    let many = |header: &mut Value| header["quantities"] = json!({"solution": [{}, {}]});
    damage.refused(&with_header(&damage.whole, many), "quantities of [0, 2]");
}
