//! Perceptually uniform colour maps.

use std::f64::consts::TAU;

/// Number of colours in a table.
pub const COLOURS: usize = 256;

/// Points along a path of colours, from which equidistant colours are taken.
const PATH: usize = 2048;

/// A colour in Oklab: lightness, and two opponent coordinates. Ottosson (2020).
type Oklab = [f64; 3];

/// A mapping from values to colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColourMap {
    /// Dark blue over green to light yellow, for fields.
    Field,
    /// Dark violet over red to light yellow, for spreads and probabilities.
    Spread,
    /// Blue over near-white at zero to orange, for differences.
    Difference,
}

impl ColourMap {
    /// All maps.
    pub const ALL: [Self; 3] = [Self::Field, Self::Spread, Self::Difference];

    /// The name of the map.
    pub fn name(self) -> &'static str {
        match self {
            Self::Field => "field",
            Self::Spread => "spread",
            Self::Difference => "difference",
        }
    }

    /// The colours from the smallest to the largest value, in sRGB.
    pub fn table(self) -> [[u8; 3]; COLOURS] {
        let path: Vec<Oklab> = (0..PATH)
            .map(|i| within_gamut(self.at(i as f64 / (PATH - 1) as f64)))
            .collect();
        let mut lengths = vec![0.0];
        for pair in path.windows(2) {
            lengths.push(lengths[lengths.len() - 1] + distance(pair[0], pair[1]));
        }
        let total = lengths[PATH - 1];
        std::array::from_fn(|i| {
            let wanted = total * i as f64 / (COLOURS - 1) as f64;
            let at = lengths.partition_point(|length| *length < wanted);
            to_srgb(path[at.min(PATH - 1)]).map(|c| (255.0 * c).round().clamp(0.0, 255.0) as u8)
        })
    }

    /// The path of colours for t from 0 to 1, before saturation is limited to what screens can
    /// show.
    fn at(self, t: f64) -> Oklab {
        match self {
            // Less saturated in the middle, because screens have no strong teal.
            Self::Field => {
                let chroma = 0.09 + 0.07 * (2.0 * t - 1.0).powi(2);
                polar(0.24 + 0.70 * t, chroma, 288.0 - 183.0 * t)
            }
            Self::Spread => {
                let chroma = 0.14 + 0.02 * (0.5 * TAU * t).sin();
                polar(0.16 + 0.80 * t, chroma, 295.0 + 170.0 * t)
            }
            Self::Difference => {
                let s = 2.0 * t - 1.0;
                let hue = if s < 0.0 { 250.0 } else { 50.0 };
                polar(0.97 - 0.5 * s.abs(), 0.14 * s.abs(), hue)
            }
        }
    }
}

/// A colour from lightness, saturation and hue in degrees.
fn polar(lightness: f64, chroma: f64, hue: f64) -> Oklab {
    let (sin, cos) = (hue / 360.0 * TAU).sin_cos();
    [lightness, chroma * cos, chroma * sin]
}

fn distance(a: Oklab, b: Oklab) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| (a - b).powi(2));
    squares.sum::<f64>().sqrt()
}

/// The colour with the same lightness and hue, with its saturation limited to sRGB.
fn within_gamut([lightness, a, b]: Oklab) -> Oklab {
    let fits = |share: f64| {
        let colour = to_linear([lightness, share * a, share * b]);
        colour.iter().all(|c| (-1e-6..=1.0 + 1e-6).contains(c))
    };
    let (mut inside, mut outside) = (0.0, 1.0);
    if fits(outside) {
        return [lightness, a, b];
    }
    for _ in 0..30 {
        let middle = 0.5 * (inside + outside);
        if fits(middle) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    [lightness, inside * a, inside * b]
}

/// Converts to linear sRGB with the matrices of Ottosson (2020), "A perceptual color space for
/// image processing".
fn to_linear([lightness, a, b]: Oklab) -> [f64; 3] {
    let l = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let m = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let s = (lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
    [
        4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
        -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
        -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s,
    ]
}

/// Converts to gamma-encoded sRGB (IEC 61966-2-1).
fn to_srgb(colour: Oklab) -> [f64; 3] {
    to_linear(colour).map(|c| match c {
        c if c <= 0.003_130_8 => 12.92 * c.max(0.0),
        c => 1.055 * c.min(1.0).powf(1.0 / 2.4) - 0.055,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance: the brightness of a print without colours.
    fn luminance(colour: [u8; 3]) -> f64 {
        let linear = colour.map(|c| match f64::from(c) / 255.0 {
            c if c <= 0.040_45 => c / 12.92,
            c => ((c + 0.055) / 1.055).powf(2.4),
        });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    #[test]
    fn maps_of_one_direction_brighten_all_the_way() {
        for map in [ColourMap::Field, ColourMap::Spread] {
            let table = map.table();
            for pair in table.windows(8) {
                assert!(luminance(pair[0]) < luminance(pair[7]), "{map:?} {pair:?}");
            }
            assert!(luminance(table[0]) < 0.05 && luminance(table[COLOURS - 1]) > 0.7);
        }
    }

    #[test]
    fn differences_of_either_sign_darken_alike() {
        let table = ColourMap::Difference.table();
        for i in 0..COLOURS / 2 {
            let (minus, plus) = (luminance(table[i]), luminance(table[COLOURS - 1 - i]));
            assert!((minus - plus).abs() < 0.06, "{i}: {minus} {plus}");
            assert!(minus <= luminance(table[COLOURS / 2]) + 1e-9);
        }
        assert_ne!(table[0], table[COLOURS - 1]);
    }

    #[test]
    fn no_step_of_colour_is_much_larger_than_another() {
        for map in ColourMap::ALL {
            let steps: Vec<f64> = map
                .table()
                .chunks(16)
                .map(<[[u8; 3]]>::to_vec)
                .collect::<Vec<_>>()
                .windows(2)
                .map(|pair| {
                    let squares = pair[0][0].iter().zip(pair[1][0]);
                    squares
                        .map(|(a, b)| (f64::from(*a) - f64::from(b)).powi(2))
                        .sum::<f64>()
                        .sqrt()
                })
                .collect();
            let largest = steps.iter().copied().fold(0.0, f64::max);
            let smallest = steps.iter().copied().fold(f64::INFINITY, f64::min);
            assert!(smallest > 0.2 * largest, "{map:?} {steps:?}");
        }
    }
}
