//! The network agrees with the paper's reference implementation.
#![allow(clippy::unwrap_used)] // A test may panic.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use burn::tensor::Device;
use floral::Error;
use floral::verify::verify_file;
use safetensors::{Dtype, SafeTensors, tensor::TensorView};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/{name}.safetensors"))
}

fn agrees(name: &str) {
    for check in verify_file(&fixture(name), &Device::flex()).unwrap() {
        assert!(check.passes(), "{check:?}");
    }
}

#[test]
fn the_network_on_a_line_agrees_with_the_reference() {
    agrees("filmfno_1d");
}

#[test]
fn the_network_on_a_plane_agrees_with_the_reference() {
    agrees("filmfno_2d");
}

/// The file was made by `make_block.py` beside it, with an independent implementation that
/// reproduces the other two files.
#[test]
fn the_network_on_a_block_agrees_with_the_reference() {
    let checks = verify_file(&fixture("filmfno_3d"), &Device::flex()).unwrap();
    for check in checks {
        assert!(check.passes() && check.error < 1e-4, "{check:?}");
    }
}

type Tensors = BTreeMap<String, (Vec<usize>, Vec<u8>)>;

/// The outcome of verification for a changed file.
fn outcome(change: impl Fn(&mut Tensors)) -> Result<bool, Error> {
    let file = std::fs::read(fixture("filmfno_1d")).unwrap();
    let mut tensors: Tensors = SafeTensors::deserialize(&file)
        .unwrap()
        .tensors()
        .into_iter()
        .map(|(name, view)| (name, (view.shape().to_vec(), view.data().to_vec())))
        .collect();
    change(&mut tensors);
    let views = tensors.iter().map(|(name, (shape, data))| {
        let view = TensorView::new(Dtype::F32, shape.clone(), data).unwrap();
        (name.as_str(), view)
    });
    let file = tempfile::NamedTempFile::new().unwrap();
    safetensors::serialize_to_file(views, None, file.path()).unwrap();
    let checks = verify_file(file.path(), &Device::flex())?;
    Ok(checks.iter().all(|check| check.passes()))
}

/// Whether the file was refused for this reason.
fn refused(outcome: &Result<bool, Error>, expected: &str) -> bool {
    matches!(outcome, Err(Error::BadFile { reason, .. }) if reason.contains(expected))
}

#[test]
fn a_wrong_number_fails_a_check() {
    let gradient = "grad.field.fno_module.convs.2.weight.tensor.im";
    for name in ["out.velocity", "out.loss", "fine.velocity", gradient] {
        let wrong = outcome(|tensors| {
            let data = &mut tensors.get_mut(name).unwrap().1;
            data[..4].copy_from_slice(&1e3f32.to_le_bytes());
        });
        assert!(matches!(wrong, Ok(false)), "{name}: {wrong:?}");
    }
}

#[test]
fn a_file_with_a_missing_or_an_unknown_tensor_is_refused() {
    for name in [
        "in.w",
        "in.target",
        "grad.field.linear_operator.W.bias",
        "weight.field.lifting_module.fcs.1.bias",
    ] {
        let missing = outcome(|tensors| drop(tensors.remove(name)));
        assert!(refused(&missing, "is missing"), "{name}: {missing:?}");
    }
    let unknown = outcome(|tensors| {
        tensors.insert("weight.field.other".into(), (vec![1], vec![0; 4]));
    });
    assert!(
        refused(&unknown, "weight.field.other is not part"),
        "{unknown:?}"
    );
}

#[test]
fn a_file_with_a_misshapen_tensor_is_refused() {
    for name in [
        "in.target",
        "in.low",
        "in.tau",
        "weight.field.projection_module.fcs.0.weight",
        "weight.field.linear_operator.K.weight.tensor.re",
    ] {
        let misshapen = outcome(|tensors| {
            let (shape, data) = tensors.get_mut(name).unwrap();
            *shape = vec![1, 1, 3];
            *data = vec![0; 12];
            if name == "in.tau" {
                (*shape, *data) = (vec![2], vec![0; 8]);
            }
        });
        assert!(refused(&misshapen, "has shape"), "{name}: {misshapen:?}");
    }
}
