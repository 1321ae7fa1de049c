//! The solvers agree with the reference implementation, and bad reference files are refused.

use std::path::{Path, PathBuf};

use burn::tensor::Device;
use floral::verify::verify_file;
use safetensors::tensor::TensorView;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

#[test]
fn solvers_agree_with_the_reference() {
    let checks = verify_file(&fixture("solvers.safetensors"), &Device::flex()).unwrap();
    assert!(checks.len() >= 4);
    for check in checks {
        assert!(check.passes(), "{check:?}");
    }
}

#[test]
fn files_that_are_no_reference_are_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let message = |bytes: &[u8]| {
        let path = folder.path().join("file.safetensors");
        std::fs::write(&path, bytes).unwrap();
        verify_file(&path, &Device::flex()).unwrap_err().to_string()
    };
    let whole = std::fs::read(fixture("solvers.safetensors")).unwrap();
    assert!(message(b"").contains("not a safetensors file"));
    assert!(message(&whole[..whole.len() / 2]).contains("damaged"));
    let empty = safetensors::serialize(std::iter::empty::<(String, TensorView)>(), None).unwrap();
    assert!(message(&empty).contains("no reference numbers"));
}
