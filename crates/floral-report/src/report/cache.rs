//! Scored summaries stored next to their run, under a hash of everything that they depend on.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use super::test_input::ScoredSummary;
use floral::Checksum;
use floral::storage::{create_folder, write_atomically};
use floral::train::RunFolder;

/// Must change whenever summaries are computed or stored differently.
const FORMAT: u32 = 6;

/// A hash of contents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Key(Checksum);

impl Key {
    /// The initial key, which depends only on the format and the version of the program.
    pub fn new() -> Self {
        let version = env!("CARGO_PKG_VERSION").as_bytes();
        Self(Checksum::default())
            .bytes(version)
            .number(f64::from(FORMAT))
    }

    /// Adds bytes and their number.
    pub fn bytes(self, bytes: &[u8]) -> Self {
        Self(self.0.bytes(bytes)).number(bytes.len() as f64)
    }

    /// Adds a number.
    pub fn number(self, number: f64) -> Self {
        Self(self.0.numbers(&[number]))
    }

    /// Adds numbers.
    pub fn numbers(self, numbers: impl IntoIterator<Item = f64>) -> Self {
        let numbers: Vec<f64> = numbers.into_iter().collect();
        Self(self.0.numbers(&numbers))
    }
}

/// The file for the summary with this key: in the run's folder, or in a folder next to a model
/// file.
pub(super) fn place(run: &RunFolder, key: Key) -> PathBuf {
    let folder = if run.is_file() {
        let mut name = run.path().as_os_str().to_owned();
        name.push(".report");
        name.into()
    } else {
        run.path().join("report")
    };
    folder.join(format!("{}.cbor", key.0))
}

/// The scored summary in a file; `None` if it is missing or cannot be read.
pub(super) fn load(path: &Path) -> Option<ScoredSummary> {
    let file = File::open(path).ok()?;
    ciborium::from_reader(BufReader::new(file)).ok()
}

/// Stores a scored summary. Failure is not an error: without the cache, the summary is computed
/// again.
pub(super) fn store(path: &Path, scored: &ScoredSummary) {
    let mut bytes = Vec::new();
    let folder = path.parent().map(create_folder);
    if let (Ok(()), Some(Ok(()))) = (ciborium::into_writer(scored, &mut bytes), folder) {
        let _ = write_atomically(path, &bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::distribution::{Anomalies, Distribution};
    use crate::report::summary::{Certainty, ChannelSummary, Summary};

    fn channel(lowest: f32) -> ChannelSummary {
        ChannelSummary {
            pairs: vec![[0.5, 1.5], [lowest, 2.5]],
            spectrum: vec![1e-9, 0.25],
            lowest,
        }
    }

    #[test]
    fn a_scored_summary_survives_its_file() {
        let scored = ScoredSummary {
            summary: Summary {
                distribution: Distribution {
                    mean: vec![1.0, 2.5],
                    deviation: vec![0.1, 0.2],
                    quantiles: Anomalies {
                        reach: 3.3,
                        codes: vec![0, 255, 7],
                    },
                    realizations: Anomalies::default(),
                },
                certainty: Some(Certainty {
                    novelty: 1.25,
                    epistemic: vec![0.5, 0.125],
                }),
                channels: [0.0, -2.0].map(channel).to_vec(),
            },
            spread_error: vec![vec![[1.0, 2.0], [3.0, 4.0]], vec![[5.0, 6.0], [7.0, 8.0]]],
            ..ScoredSummary::default()
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report/key.cbor");
        assert!(load(&path).is_none());
        store(&path, &scored);
        assert_eq!(load(&path), Some(scored));
        std::fs::write(&path, b"damaged").unwrap();
        assert!(load(&path).is_none());
    }

    #[test]
    fn other_contents_have_another_key() {
        let keys = [
            Key::new(),
            Key::new().bytes(b""),
            Key::new().bytes(b"\0"),
            Key::new().bytes(b"ab"),
            Key::new().bytes(b"ab").number(1.0),
            Key::new().numbers([1.0, 2.0]),
            Key::new().numbers([2.0, 1.0]),
        ];
        for (i, a) in keys.iter().enumerate() {
            assert!(keys[..i].iter().all(|b| a != b), "{i}");
        }
    }
}
