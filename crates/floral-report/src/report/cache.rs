//! Scored summaries kept beside their run, under the hash of all that they depend on.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};

use super::distribution::{Anomalies, Distribution};
use super::summary::{ChannelSummary, Summary};
use super::test_input::ScoredSummary;
use floral::Checksum;
use floral::storage::{create_folder, write_atomically};
use floral::train::RunFolder;

/// Changes whenever summaries are made or stored differently.
const FORMAT: u32 = 5;

/// The hash of contents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Key(Checksum);

impl Key {
    /// The key of nothing but the format and the program's version.
    pub fn new() -> Self {
        let version = env!("CARGO_PKG_VERSION").as_bytes();
        Self(Checksum::default())
            .bytes(version)
            .number(f64::from(FORMAT))
    }

    /// With these bytes, and how many they are.
    pub fn bytes(self, bytes: &[u8]) -> Self {
        Self(self.0.bytes(bytes)).number(bytes.len() as f64)
    }

    /// With this number.
    pub fn number(self, number: f64) -> Self {
        Self(self.0.numbers(&[number]))
    }

    /// With these numbers.
    pub fn numbers(self, numbers: impl IntoIterator<Item = f64>) -> Self {
        let numbers: Vec<f64> = numbers.into_iter().collect();
        Self(self.0.numbers(&numbers))
    }
}

/// Where the summary of this key is kept: in the run's folder, or in one beside a model file.
pub(super) fn place(run: &RunFolder, key: Key) -> PathBuf {
    let folder = if run.is_file() {
        let mut name = run.path().as_os_str().to_owned();
        name.push(".report");
        name.into()
    } else {
        run.path().join("report")
    };
    folder.join(format!("{}.safetensors", key.0))
}

/// The scored summary in a file; none if there is none, or it cannot be read.
pub(super) fn load(path: &Path) -> Option<ScoredSummary> {
    let bytes = std::fs::read(path).ok()?;
    let (_, metadata) = SafeTensors::read_metadata(&bytes).ok()?;
    let facts = metadata.metadata().as_ref()?;
    let file = SafeTensors::deserialize(&bytes).ok()?;
    let floats = |name: &str| -> Option<Vec<f32>> {
        let (words, _) = file.tensor(name).ok()?.data().as_chunks::<4>();
        Some(words.iter().map(|word| f32::from_le_bytes(*word)).collect())
    };
    let pairs = |name: &str| -> Option<Vec<[f32; 2]>> {
        let values = floats(name)?;
        Some(values.as_chunks::<2>().0.to_vec())
    };
    let anomalies = |name: &str| -> Option<Anomalies> {
        Some(Anomalies {
            reach: facts.get(name)?.parse().ok()?,
            codes: file.tensor(name).ok()?.data().to_vec(),
        })
    };
    let told: Vec<ChannelFacts> = serde_json::from_str(facts.get("channels")?).ok()?;
    let count = told.len();
    let channels = told.into_iter().zip(shared(&pairs("pairs")?, count));
    Some(ScoredSummary {
        summary: Summary {
            distribution: Distribution {
                mean: floats("mean")?,
                deviation: floats("deviation")?,
                quantiles: anomalies("quantiles")?,
                realizations: anomalies("realizations")?,
            },
            certainty: serde_json::from_str(facts.get("certainty")?).ok()?,
            channels: channels
                .map(|(facts, pairs)| ChannelSummary {
                    pairs,
                    spectrum: facts.spectrum,
                    lowest: facts.lowest,
                })
                .collect(),
        },
        scoring: serde_json::from_str(facts.get("scoring")?).ok()?,
        spread_error: shared(&pairs("spread_error")?, count),
    })
}

/// What is kept of a channel besides its pairs of values.
#[derive(Serialize, Deserialize)]
struct ChannelFacts {
    spectrum: Vec<f64>,
    lowest: f32,
}

/// Pairs of channels one after the other, as many of each.
fn shared(pairs: &[[f32; 2]], channels: usize) -> Vec<Vec<[f32; 2]>> {
    let each = pairs.len() / channels.max(1);
    (0..channels)
        .map(|i| pairs[i * each..(i + 1) * each].to_vec())
        .collect()
}

/// Keeps a scored summary. A cache that cannot be written costs time later and nothing else, so that is no
/// error.
pub(super) fn store(path: &Path, scored: &ScoredSummary) {
    let arrays = arrays(scored);
    let views = arrays.iter().filter_map(|(name, kind, bytes)| {
        let size = if *kind == Dtype::F32 { 4 } else { 1 };
        let view = TensorView::new(*kind, vec![bytes.len() / size], bytes).ok()?;
        Some((*name, view))
    });
    let Ok(bytes) = safetensors::serialize(views, Some(facts(scored))) else {
        return;
    };
    let folder = path.parent().map(create_folder);
    if let Some(Ok(())) = folder {
        let _ = write_atomically(path, &bytes);
    }
}

/// The arrays of a summary as they are stored, by name.
fn arrays(scored: &ScoredSummary) -> [(&'static str, Dtype, Vec<u8>); 6] {
    let Summary {
        distribution,
        channels,
        ..
    } = &scored.summary;
    let floats = |values: &[f32]| -> Vec<u8> {
        let words = values.iter().map(|value| value.to_le_bytes());
        words.flatten().collect()
    };
    let pairs: Vec<[f32; 2]> = channels.iter().flat_map(|c| c.pairs.clone()).collect();
    let spread_error = floats(scored.spread_error.concat().as_flattened());
    let (quantiles, realizations) = (&distribution.quantiles, &distribution.realizations);
    [
        ("mean", Dtype::F32, floats(&distribution.mean)),
        ("deviation", Dtype::F32, floats(&distribution.deviation)),
        ("pairs", Dtype::F32, floats(pairs.as_flattened())),
        ("spread_error", Dtype::F32, spread_error),
        ("quantiles", Dtype::U8, quantiles.codes.clone()),
        ("realizations", Dtype::U8, realizations.codes.clone()),
    ]
}

/// What is told of a summary beside its arrays.
fn facts(scored: &ScoredSummary) -> HashMap<String, String> {
    let Summary {
        distribution,
        channels,
        ..
    } = &scored.summary;
    let told = channels.iter().map(|channel| ChannelFacts {
        spectrum: channel.spectrum.clone(),
        lowest: channel.lowest,
    });
    let told: Vec<ChannelFacts> = told.collect();
    let json = |value: serde_json::Result<String>| value.unwrap_or_default();
    let reach = [&distribution.quantiles, &distribution.realizations].map(|c| c.reach.to_string());
    let [quantiles, realizations] = reach;
    let facts = [
        ("channels", json(serde_json::to_string(&told))),
        ("scoring", json(serde_json::to_string(&scored.scoring))),
        (
            "certainty",
            json(serde_json::to_string(&scored.summary.certainty)),
        ),
        ("quantiles", quantiles),
        ("realizations", realizations),
    ];
    facts.map(|(name, text)| (name.to_owned(), text)).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::summary::Certainty;

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
                    unknown: vec![0.5, 0.125],
                }),
                channels: [0.0, -2.0].map(channel).to_vec(),
            },
            spread_error: vec![vec![[1.0, 2.0], [3.0, 4.0]], vec![[5.0, 6.0], [7.0, 8.0]]],
            ..ScoredSummary::default()
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report/key.safetensors");
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
