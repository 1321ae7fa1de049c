//! A linear or logarithmic scale whose ticks are round numbers.

/// Values further out than this are not drawn: differences of them would overflow.
const LARGEST: f64 = 1e300;

/// The smallest range, relative to its values, that rounding leaves meaningful.
const NARROWEST: f64 = 1e-9;

/// An axis from its first tick to its last.
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    ticks: Vec<f64>,
    decimals: usize,
    is_logarithmic: bool,
}

impl Scale {
    /// A scale with about so many ticks that covers all values which can be drawn.
    pub fn covering(values: impl IntoIterator<Item = f64>, about: usize) -> Self {
        let (low, high) = range(values);
        let step = round_step((high - low) / about.max(1) as f64);
        // Ends that miss a tick by rounding alone need no further tick.
        let first = (low / step + NARROWEST).floor();
        let last = (high / step - NARROWEST).ceil().max(first + 1.0);
        let count = (last - first) as usize;
        // Decimals that a step of 1, 2 or 5 times a power of ten needs.
        let decimals = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
        Self {
            ticks: (0..=count).map(|i| (first + i as f64) * step).collect(),
            decimals,
            is_logarithmic: false,
        }
    }

    /// A logarithmic scale that covers all positive values: ticks at powers of ten, and at twice and
    /// five times them where there are few.
    pub fn logarithmic(values: impl IntoIterator<Item = f64>) -> Self {
        let drawable = values.into_iter().filter(|v| is_drawable(*v) && *v > 0.0);
        let (low, high) = drawable.fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), v| {
            (low.min(v), high.max(v))
        });
        let (low, high) = if low > high { (1.0, 10.0) } else { (low, high) };
        let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
        let factors: &[f64] = if last - first <= 2 {
            &[1.0, 2.0, 5.0]
        } else {
            &[1.0]
        };
        let powers = (first..=last.max(first + 1)).step_by(((last - first) / 6).max(1) as usize);
        let mut ticks: Vec<f64> = powers
            .flat_map(|power| factors.iter().map(move |factor| factor * 10f64.powi(power)))
            .collect();
        // The last tick below all values and the first above them are the ends.
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
            is_logarithmic: true,
        }
    }

    /// The ticks, ascending.
    pub fn ticks(&self) -> &[f64] {
        &self.ticks
    }

    /// Where a value lies between the first tick, 0, and the last, 1.
    pub fn position(&self, value: f64) -> f64 {
        let (low, high) = (self.ticks[0], self.ticks[self.ticks.len() - 1]);
        if self.is_logarithmic {
            (value / low).ln() / (high / low).ln()
        } else {
            (value - low) / (high - low)
        }
    }

    /// A tick as text, with a true minus sign.
    pub fn label(&self, tick: f64) -> String {
        let magnitude = tick.abs();
        if self.is_logarithmic {
            return match magnitude {
                m if (1e-3..1e5).contains(&m) => format!("{m}"),
                m => format!("{m:.0e}").replace("e-", "e\u{2212}"),
            };
        }
        let text = match magnitude {
            m if m >= 1e6 => format!("{m:.1e}"),
            m if m > 0.0 && self.decimals > 5 => format!("{m:.1e}"),
            m => format!("{m:.*}", self.decimals),
        };
        let is_zero = text.parse::<f64>() == Ok(0.0);
        if tick < 0.0 && !is_zero {
            format!("\u{2212}{text}")
        } else {
            text
        }
    }
}

/// Whether a value can be drawn.
pub(super) fn is_drawable(value: f64) -> bool {
    value.abs() < LARGEST
}

/// The smallest and the largest value, apart by a sensible amount.
fn range(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let drawable = values.into_iter().filter(|v| is_drawable(*v));
    let (low, high) = drawable.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
        (low.min(v), high.max(v))
    });
    if low > high {
        return (0.0, 1.0);
    }
    let size = low.abs().max(high.abs()).max(f64::MIN_POSITIVE / NARROWEST);
    if high - low > NARROWEST * size {
        return (low, high);
    }
    let margin = if low == 0.0 { 0.5 } else { 0.1 * size };
    (low - margin, high + margin)
}

/// The smallest of 1, 2, 5 times a power of ten that is not below the given step.
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

    const RANGES: [(f64, f64); 8] = [
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
            let scale = Scale::logarithmic([low, high, 0.0, -1.0, f64::NAN]);
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
        assert_eq!(Scale::logarithmic([]).position(10.0), 1.0);
    }

    #[test]
    fn every_label_is_different_and_says_its_tick() {
        for (low, high) in RANGES {
            let scale = Scale::covering([low, high], 5);
            let labels: Vec<String> = scale.ticks().iter().map(|t| scale.label(*t)).collect();
            for (i, label) in labels.iter().enumerate() {
                assert!(!labels[..i].contains(label), "{labels:?}");
                let value: f64 = label.replace('\u{2212}', "-").parse().unwrap();
                let step = scale.ticks()[1] - scale.ticks()[0];
                assert!((value - scale.ticks()[i]).abs() < 0.1 * step, "{label}");
            }
        }
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
