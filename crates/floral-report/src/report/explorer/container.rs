//! Arrays packed one after another into bytes, with the position of each.

use serde_json::{Value, json};

use crate::report::distribution::Anomalies;

/// The largest 16-bit word.
const WORD: f32 = 65535.0;

/// Arrays packed into bytes.
#[derive(Debug, Default)]
pub(super) struct Container {
    bytes: Vec<u8>,
}

impl Container {
    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Adds numbers as 16-bit words, scaled linearly between the smallest and the largest number.
    pub fn words(&mut self, values: &[f32]) -> Value {
        let finite = values.iter().copied().filter(|value| value.is_finite());
        let (low, high) = finite.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), v| {
            (low.min(v), high.max(v))
        });
        let (low, high) = if low > high { (0.0, 0.0) } else { (low, high) };
        // Words are aligned to even addresses.
        self.bytes.resize(self.bytes.len().next_multiple_of(2), 0);
        let at = self.bytes.len();
        let scale = if high > low { WORD / (high - low) } else { 0.0 };
        for value in values {
            let word = ((value - low) * scale).round() as u16;
            self.bytes.extend_from_slice(&word.to_le_bytes());
        }
        json!({"at": at, "length": values.len(), "low": low, "high": high})
    }

    /// Adds anomalies, one byte each.
    pub fn anomalies(&mut self, anomalies: &Anomalies) -> Value {
        let at = self.bytes.len();
        self.bytes.extend_from_slice(&anomalies.codes);
        json!({"at": at, "length": anomalies.codes.len(), "reach": anomalies.reach})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_within_their_step() {
        let mut container = Container::default();
        container.anomalies(&Anomalies {
            reach: 1.0,
            codes: vec![7; 3],
        });
        let values: Vec<f32> = (0..100).map(|i| (i as f32 * 0.1).sin() * 3.0).collect();
        let place = container.words(&values);
        let at = place["at"].as_u64().unwrap() as usize;
        assert_eq!(at, 4);
        let number = |name: &str| place[name].as_f64().unwrap() as f32;
        let (low, high) = (number("low"), number("high"));
        for (value, word) in values.iter().zip(container.bytes()[at..].chunks(2)) {
            let word = f32::from(u16::from_le_bytes([word[0], word[1]]));
            let back = low + (high - low) * word / WORD;
            assert!((back - value).abs() < 1e-4);
        }
    }

    #[test]
    fn constants_and_nothing_are_stored_too() {
        let mut container = Container::default();
        assert_eq!(container.words(&[2.5; 4])["low"], 2.5);
        assert_eq!(container.words(&[])["length"], 0);
    }
}
