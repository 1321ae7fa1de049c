//! Quantiles and superquantiles of sorted draws.

use super::{Distribution, Estimate};
use crate::error::{Error, Result};

impl Distribution {
    /// The quantile of a level p, linear between draws: the k-th of n draws has the level k / (n +
    /// 1), its mean probability (Hyndman & Fan 1996, definition 6). Levels beyond the outermost
    /// draws are refused.
    ///
    /// Its standard error is (Q(p + e) - Q(p - e)) / 2, where e is the standard error of the share
    /// of draws below the quantile, sqrt(p (1 - p) / n), or for groups at least that of their
    /// shares (Woodruff 1952).
    pub fn quantile(&self, level: f64) -> Result<Estimate> {
        let n = self.count() as f64;
        let tail = level.min(1.0 - level);
        if level.is_nan() || tail * (n + 1.0) < 1.0 - 1e-9 {
            return Err(too_few(
                "quantile",
                level,
                tail,
                (1.0 / tail - 1.0).ceil(),
                n,
            ));
        }
        let value = quantile_of(&self.sorted, level);
        let binomial = (level * (1.0 - level) / n).sqrt();
        let share = self.mean_of(|draw| f64::from(draw <= value));
        let error = match self.groups.size {
            1 => binomial,
            _ => binomial.max(share.standard_error),
        };
        let at = |level: f64| quantile_of(&self.sorted, level);
        Ok(Estimate {
            value,
            standard_error: (at(level + error) - at(level - error)) / 2.0,
        })
    }

    /// The superquantile of a level p (conditional value at risk), the mean of the worst share 1 -
    /// p:
    ///
    /// ```text
    /// min_q  q + mean((x - q)+) / (1 - p),
    /// ```
    ///
    /// whose minimum is attained at the p-quantile of the draws (Rockafellar & Uryasev 2000,
    /// theorem 1). Its standard error is that of the mean with q fixed, because the minimum is flat
    /// there (Trindade et al. 2007). At level 0 it is the mean. The largest draws count as the
    /// worst; negate a quantity whose small values are the worst.
    pub fn superquantile(&self, level: f64) -> Result<Estimate> {
        let n = self.count() as f64;
        let tail = 1.0 - level;
        if !(0.0..1.0).contains(&level) || tail * n < 1.0 - 1e-9 {
            return Err(too_few(
                "superquantile",
                level,
                tail,
                (1.0 / tail).ceil(),
                n,
            ));
        }
        // A product such as 0.9 * 10 must not be rounded up to the next draw.
        let index = (level * n - 1e-9).ceil().max(1.0) as usize - 1;
        let q = self.sorted[index.min(self.count() - 1)];
        let excess = self.mean_of(|draw| (draw - q).max(0.0));
        Ok(Estimate {
            value: q + excess.value / tail,
            standard_error: excess.standard_error / tail,
        })
    }
}

fn too_few(what: &str, level: f64, tail: f64, needed: f64, n: f64) -> Error {
    let reason = match tail > 0.0 && tail <= 1.0 {
        true => format!("{n} draws are too few; take at least {needed}"),
        false => "a level lies between 0 and 1".into(),
    };
    Error::config(format!("{what} {level}"), reason)
}

/// The quantile of sorted values, at least one; levels beyond the outermost values give these.
pub(crate) fn quantile_of(sorted: &[f64], level: f64) -> f64 {
    let last = sorted.len() - 1;
    let position = (level * (last + 2) as f64 - 1.0).clamp(0.0, last as f64);
    let below = position as usize;
    let (low, high) = (sorted[below], sorted[(below + 1).min(last)]);
    low + (position - below as f64) * (high - low)
}

/// The median of sorted values.
pub(crate) fn median(sorted: &[f64]) -> f64 {
    quantile_of(sorted, 0.5)
}
