//! A linear or logarithmic scale with round ticks, whose labels are shortened by a shared power of
//! ten.

use super::label::raised;

/// Values beyond this are not drawn: their differences would overflow.
const LARGEST: f64 = 1e300;

/// The smallest range, relative to its values, that is meaningful despite rounding.
const NARROWEST: f64 = 1e-9;

/// Numbers from this value on are written as multiples of a power of ten.
const LONG: f64 = 1e5;

/// So are numbers below one that need more decimals than this.
const DECIMALS: i32 = 4;

/// The preferred number of ticks.
const TICKS: usize = 5;

/// An axis from its first tick to its last.
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    ticks: Vec<f64>,
    decimals: usize,
    power: i32,
    is_logarithmic: bool,
}

impl Scale {
    /// A scale that covers all drawable values, with the largest number of ticks that passes the
    /// test, or else the smallest number.
    pub(super) fn fitting(
        values: &[f64],
        is_logarithmic: bool,
        fits: impl Fn(&Self) -> bool,
    ) -> Self {
        let scale = |about| {
            if is_logarithmic {
                Self::logarithmic(values.iter().copied(), about)
            } else {
                Self::covering(values.iter().copied(), about)
            }
        };
        let found = (1..=TICKS).rev().map(scale).find(|scale| fits(scale));
        found.unwrap_or_else(|| scale(1))
    }

    /// A scale with about this number of ticks that covers all drawable values.
    pub fn covering(values: impl IntoIterator<Item = f64>, about: usize) -> Self {
        let (low, high) = range(values);
        let step = round_step((high - low) / about.max(1) as f64);
        // An end that misses a tick by rounding errors needs no further tick.
        let first = (low / step + NARROWEST).floor();
        let last = (high / step - NARROWEST).ceil().max(first + 1.0);
        let count = (last - first) as usize;
        let largest = first.abs().max(last.abs()) * step;
        let power = shared_power(largest, step);
        Self {
            ticks: (0..=count).map(|i| (first + i as f64) * step).collect(),
            decimals: (power - exponent(step)).clamp(0, 15) as usize,
            power,
            is_logarithmic: false,
        }
    }

    /// A logarithmic scale that covers all positive values, with about this number of ticks: at
    /// powers of ten and, if these are few, at two and five times them.
    pub fn logarithmic(values: impl IntoIterator<Item = f64>, about: usize) -> Self {
        let drawable = values.into_iter().filter(|v| is_drawable(*v) && *v > 0.0);
        let (low, high) = drawable.fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), v| {
            (low.min(v), high.max(v))
        });
        let (low, high) = if low > high { (1.0, 10.0) } else { (low, high) };
        let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
        let factors: &[f64] = match last - first {
            0..=2 if about >= TICKS => &[1.0, 2.0, 5.0],
            _ => &[1.0],
        };
        let stride = ((last - first) / (about as i32 + 1)).max(1) as usize;
        // Every `stride`-th power of ten, counted from 10^0.
        let first = first.div_euclid(stride as i32) * stride as i32;
        let mut ticks: Vec<f64> = (first..=last.max(first + 1) + stride as i32 - 1)
            .step_by(stride)
            .flat_map(|power| factors.iter().map(move |factor| factor * 10f64.powi(power)))
            .collect();
        // The ends are the last tick below all values and the first tick above them.
        let above = ticks.partition_point(|tick| *tick < high * (1.0 - NARROWEST));
        ticks.truncate((above + 1).max(2));
        let below = ticks.partition_point(|tick| *tick <= low * (1.0 + NARROWEST));
        ticks.drain(..below.saturating_sub(1).min(ticks.len() - 2));
        if ticks[ticks.len() - 1] < high {
            ticks.push(10f64.powf(high.log10().ceil()));
        }
        Self {
            ticks,
            decimals: 0,
            power: 0,
            is_logarithmic: true,
        }
    }

    /// The ticks, ascending.
    pub fn ticks(&self) -> &[f64] {
        &self.ticks
    }

    /// The power of ten by which the labels of a linear scale have to be multiplied.
    pub fn power(&self) -> i32 {
        self.power
    }

    /// The position of a value: 0 at the first tick, 1 at the last.
    pub fn position(&self, value: f64) -> f64 {
        let (low, high) = (self.ticks[0], self.ticks[self.ticks.len() - 1]);
        if self.is_logarithmic {
            (value / low).ln() / (high / low).ln()
        } else {
            (value - low) / (high - low)
        }
    }

    /// The number at a tick, with a typographic minus sign.
    pub fn label(&self, tick: f64) -> String {
        if self.is_logarithmic {
            return self.power_label(tick);
        }
        let text = format!("{:.*}", self.decimals, tick / 10f64.powi(self.power));
        match text.parse::<f64>() {
            Ok(0.0) => "0".into(),
            _ => text.replace('-', "\u{2212}"),
        }
    }

    /// All labels, in the order of the ticks.
    pub(super) fn labels(&self) -> Vec<String> {
        self.ticks.iter().map(|tick| self.label(*tick)).collect()
    }

    /// Plain numbers if those of all ticks are short, otherwise powers of ten.
    fn power_label(&self, tick: f64) -> String {
        let is_short = |tick: &f64| (1e-3..1e4).contains(tick);
        if self.ticks.iter().all(is_short) {
            return format!("{tick}");
        }
        let power = exponent(tick);
        match (tick / 10f64.powi(power)).round() {
            1.0 => format!("10{}", raised(power)),
            factor => format!("{factor}\u{b7}10{}", raised(power)),
        }
    }
}

/// The power of ten that makes labels short; 0 if they are short already.
fn shared_power(largest: f64, step: f64) -> i32 {
    let is_long = largest >= LONG * (1.0 - NARROWEST);
    let has_decimals = exponent(step) < -DECIMALS && largest < 1.0;
    if is_long || has_decimals {
        exponent(largest)
    } else {
        0
    }
}

/// The largest power of ten not above a positive number, up to rounding errors.
fn exponent(number: f64) -> i32 {
    (number.log10() + NARROWEST).floor() as i32
}

/// Both ends of a range as text, and the power of ten by which they have to be multiplied.
pub(super) fn ends([from, to]: [f64; 2]) -> ([String; 2], i32) {
    let largest = from.abs().max(to.abs());
    let power = match largest {
        l if l >= LONG || (l > 0.0 && l < 10f64.powi(2 - DECIMALS)) => exponent(l),
        _ => 0,
    };
    let unit = 10f64.powi(power);
    let length = if to == from { largest } else { to - from };
    // The fewest decimals that state both ends to a thousandth of the length.
    let suffices = |decimals: &usize| {
        let step = 10f64.powi(*decimals as i32) / unit;
        let is_close = |end: f64| {
            let rounded = (end * step).round() / step;
            (rounded - end).abs() <= 1e-3 * length.abs()
        };
        is_close(from) && is_close(to)
    };
    let decimals = (0..12).find(suffices).unwrap_or(12);
    let written = |end: f64| {
        let text = format!("{:.decimals$}", end / unit);
        match text.parse::<f64>() {
            Ok(0.0) => "0".into(),
            _ => text.replace('-', "\u{2212}"),
        }
    };
    ([from, to].map(written), power)
}

/// Whether a value can be drawn.
pub(super) fn is_drawable(value: f64) -> bool {
    value.abs() < LARGEST
}

/// The smallest and the largest value; `None` without a value. NaN is ignored.
pub(crate) fn extremes(values: impl IntoIterator<Item = f64>) -> Option<[f64; 2]> {
    let none = [f64::INFINITY, f64::NEG_INFINITY];
    let values = values.into_iter();
    let [low, high] = values.fold(none, |[low, high], v| [low.min(v), high.max(v)]);
    (low <= high).then_some([low, high])
}

/// The smallest and largest drawable value, extended if they are too close to each other.
fn range(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let drawable = values.into_iter().filter(|v| is_drawable(*v));
    let Some([low, high]) = extremes(drawable) else {
        return (0.0, 1.0);
    };
    let size = low.abs().max(high.abs()).max(f64::MIN_POSITIVE / NARROWEST);
    if high - low > NARROWEST * size {
        return (low, high);
    }
    let margin = if low == 0.0 { 0.5 } else { 0.1 * size };
    (low - margin, high + margin)
}

/// The smallest number of the form 1, 2 or 5 times a power of ten that is not below the given step.
fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let factor = [1.0, 2.0, 5.0]
        .into_iter()
        .find(|factor| factor * power >= step * (1.0 - NARROWEST));
    factor.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGES: [(f64, f64); 11] = [
        (0.0, 2.4e5),
        (101_324.0, 101_326.0),
        (-41_630.0, 0.0),
        (0.0, 1.0),
        (-1.63, 2.41),
        (0.0731, 0.0749),
        (-5e-7, 3e-6),
        (999.0, 1234.5),
        (-3e8, 4e9),
        (7.0, 7.0),
        (0.0, 0.0),
    ];

    #[test]
    fn ticks_are_round_ascending_and_cover_the_range() {
        for (low, high) in RANGES {
            let scale = Scale::covering([low, high], 5);
            let ticks = scale.ticks();
            let step = ticks[1] - ticks[0];
            let slack = 1e-6 * step;
            assert!(ticks[0] <= low + slack && ticks[ticks.len() - 1] >= high - slack);
            assert!((2..=8).contains(&ticks.len()), "{ticks:?}");
            let leading = step / 10f64.powf(step.log10().floor());
            let is_round = [1.0, 2.0, 5.0, 10.0]
                .iter()
                .any(|r| (leading - r).abs() < 1e-3);
            assert!(is_round, "{step}");
            for tick in ticks {
                let multiple = tick / step;
                assert!((multiple - multiple.round()).abs() < 1e-3, "{tick} {step}");
            }
        }
    }

    #[test]
    fn a_logarithmic_scale_covers_its_values_with_few_round_ticks() {
        for (low, high) in [
            (0.3, 1.1),
            (1e-9, 1e-2),
            (2.0, 40.0),
            (1.0, 1.0),
            (5e-7, 3e11),
        ] {
            let scale = Scale::logarithmic([low, high, 0.0, -1.0, f64::NAN], 5);
            let ticks = scale.ticks();
            assert!((2..=14).contains(&ticks.len()), "{ticks:?}");
            assert!(ticks.is_sorted(), "{ticks:?}");
            for value in [low, high] {
                let position = scale.position(value);
                assert!(
                    (-1e-9..=1.0 + 1e-9).contains(&position),
                    "{value} {ticks:?}"
                );
            }
        }
        assert_eq!(Scale::logarithmic([], 5).position(10.0), 1.0);
    }

    #[test]
    fn every_label_is_different_and_says_its_tick() {
        for (low, high) in RANGES {
            let scale = Scale::covering([low, high], 5);
            let labels = scale.labels();
            for (i, label) in labels.iter().enumerate() {
                assert!(!labels[..i].contains(label), "{labels:?}");
                let value: f64 = label.replace('\u{2212}', "-").parse().unwrap();
                let value = value * 10f64.powi(scale.power());
                let step = scale.ticks()[1] - scale.ticks()[0];
                assert!((value - scale.ticks()[i]).abs() < 1e-6 * step, "{label}");
            }
        }
    }

    #[test]
    fn large_and_small_numbers_share_a_power_of_ten() {
        let of = |low, high| {
            let scale = Scale::covering([low, high], 4);
            (scale.power(), scale.labels().join(" "))
        };
        assert_eq!(of(0.0, 4e5), (5, "0 1 2 3 4".into()));
        assert_eq!(
            of(-4e-9, 0.0),
            (-9, "\u{2212}4 \u{2212}3 \u{2212}2 \u{2212}1 0".into())
        );
        assert_eq!(of(0.0, 4e4), (0, "0 10000 20000 30000 40000".into()));
        assert_eq!(of(0.0, 0.004), (0, "0 0.001 0.002 0.003 0.004".into()));
        let logarithmic = Scale::logarithmic([1e-9, 1e-7], 2);
        assert_eq!(
            logarithmic.labels().join(" "),
            "10\u{207b}\u{2079} 10\u{207b}\u{2078} 10\u{207b}\u{2077}"
        );
    }

    #[test]
    fn the_ends_of_a_range_are_distinct() {
        let of = |from, to| {
            let ([from, to], power) = ends([from, to]);
            (from, to, power)
        };
        assert_eq!(of(0.0, 1.2), ("0".into(), "1.2".into(), 0));
        assert_eq!(of(-0.5, 100.0), ("\u{2212}0.5".into(), "100.0".into(), 0));
        assert_eq!(of(0.0, 2.5e-9), ("0".into(), "2.5".into(), -9));
        assert_eq!(of(1e5, 100_002.0), ("1.00000".into(), "1.00002".into(), 5));
        assert_eq!(of(3.0, 3.0), ("3".into(), "3".into(), 0));
        assert_eq!(of(0.0, 0.0), ("0".into(), "0".into(), 0));
    }

    #[test]
    fn fewer_ticks_are_taken_until_they_fit() {
        let few = Scale::fitting(&[0.0, 1.0], false, |scale| scale.ticks().len() <= 3);
        assert_eq!(few.labels(), ["0", "0.5", "1.0"]);
        let never = Scale::fitting(&[1e-9, 1.0], true, |_| false);
        assert!(never.ticks().len() <= 4, "{never:?}");
    }

    #[test]
    fn values_that_cannot_be_drawn_do_not_count() {
        let scale = Scale::covering([f64::NAN, 0.0, f64::INFINITY, 1.0, f64::MIN], 5);
        assert_eq!(scale, Scale::covering([0.0, 1.0], 5));
        assert_eq!(Scale::covering([], 5), scale);
        let scale = Scale::covering([1e6, 1e6 + 1e-12], 5);
        assert!(scale.ticks().len() < 10);
    }
}
