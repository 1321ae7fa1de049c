//! The source: fluid enters at one well and leaves at another.

use serde::{Deserialize, Serialize};

/// The well where fluid enters; fluid always leaves at the corner (1, 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Well {
    /// Around (1/2, 1/2).
    #[default]
    Centre,
    /// At the corner (0, 0).
    Corner,
}

/// Two square wells of equal size and opposite rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wells {
    /// The well where fluid enters.
    pub well: Well,
    /// The source inside the entry well; the exit well has its negative.
    pub rate: f64,
    /// Side of each square.
    pub size: f64,
}

impl Default for Wells {
    fn default() -> Self {
        Self {
            well: Well::default(),
            rate: 50.0,
            size: 0.125,
        }
    }
}

impl Wells {
    /// The source at n x n nodes, axis 0 = x.
    pub fn source(&self, n: usize) -> Vec<f64> {
        let half = self.size / 2.0;
        let entry = match self.well {
            Well::Centre => 0.5,
            Well::Corner => half,
        };
        let inside = |centre: f64, i: usize, j: usize| {
            // The margin keeps a node on the edge of a well inside despite rounding of its
            // coordinate.
            let near = |i: usize| (i as f64 / (n - 1) as f64 - centre).abs() <= half + 1e-12;
            f64::from(u8::from(near(i) && near(j)))
        };
        (0..n * n)
            .map(|node| (node / n, node % n))
            .map(|(i, j)| self.rate * (inside(entry, i, j) - inside(1.0 - half, i, j)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wells_lie_where_they_say_and_mirror_each_other() {
        let n = 65;
        let source = Wells {
            well: Well::Corner,
            ..Wells::default()
        }
        .source(n);
        assert_eq!(source[0], 50.0);
        assert_eq!(source[n * n - 1], -50.0);
        assert_eq!(source.iter().sum::<f64>(), 0.0);
        let centre = Wells::default().source(n);
        assert_eq!(centre[32 * n + 32], 50.0);
        assert_eq!(centre.iter().filter(|f| **f > 0.0).count(), 81);
        assert_eq!(centre[0], 0.0);
    }
}
