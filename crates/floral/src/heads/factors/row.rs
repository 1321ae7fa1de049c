//! A row: one training input, its condition channels and what its realizations say.

use floral_linalg::{Mat, MatRef, symmetric_eigen};

use crate::{Error, Result};

/// More residuals than this are replaced by their leading directions: covariance needs no more.
const MOST_RESIDUALS: usize = 64;

/// What is known of the solution of one input.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// Realizations: [realization, channel, point].
    pub realizations: &'a [f64],
    /// What they vary about, [channel, point]; their own mean if absent, which takes two of them.
    pub centre: Option<&'a [f64]>,
    /// The given deviation: [channel, point].
    pub deviation: &'a [f64],
    /// What the given mean was found to miss at this input, [channel, point]; absent if unknown.
    pub error: Option<&'a [f64]>,
    /// Where realizations and error are known: \[point\]; everywhere if absent.
    pub known: Option<&'a [bool]>,
    /// What other inputs say of the factors of this one; nothing if absent.
    pub others: Option<Others<'a>>,
}

/// Factors that were found without a look at the realizations they stand beside.
///
/// The covariance of a few realizations is mostly noise. Where others' is mixed in, the network
/// learns from less of it.
#[derive(Debug, Clone, Copy)]
pub struct Others<'a> {
    /// Factors in units of the deviation: [factor, channel, point].
    pub factors: &'a [f64],
    /// Their share in the covariance to be matched, from 0 to 1.
    pub share: f64,
}

/// One input as the network is trained on it.
#[derive(Debug, Clone)]
pub struct Row {
    /// [channel, point].
    pub(super) conditions: Vec<f32>,
    /// Centred realizations over deviation and the root of their degrees of freedom:
    /// [residual][channel, point], zero where nothing is known.
    pub(super) residuals: Vec<Vec<f32>>,
    /// The mean's error over deviation: [channel, point], zero where nothing is known.
    pub(super) error: Option<Vec<f32>>,
    /// \[point\].
    pub(super) known: Vec<bool>,
}

impl Row {
    /// conditions: [channel, point], on a grid of `points` points.
    pub fn new(conditions: &[f64], seen: &Seen<'_>, points: usize) -> Result<Self> {
        let values = seen.deviation.len();
        check(conditions, seen, points)?;
        let known = seen
            .known
            .map_or_else(|| vec![true; points], <[bool]>::to_vec);
        let over_deviation = |field: &mut [f64]| {
            for (v, value) in field.iter_mut().enumerate() {
                let is_known = known[v % points];
                *value = if is_known {
                    *value / seen.deviation[v]
                } else {
                    0.0
                };
            }
        };
        let mut residuals = centred(seen, values);
        residuals.iter_mut().for_each(|field| over_deviation(field));
        if let Some(others) = &seen.others {
            mix(&mut residuals, others, values, &known);
        }
        let error = seen.error.map(|error| {
            let mut error = error.to_vec();
            over_deviation(&mut error);
            error
        });
        let row = Self {
            conditions: narrow(conditions),
            residuals: leading(residuals)?.iter().map(|r| narrow(r)).collect(),
            error: error.map(|e| narrow(&e)),
            known,
        };
        row.refuse_infinite()?;
        Ok(row)
    }

    fn refuse_infinite(&self) -> Result<()> {
        let fields = self.residuals.iter().chain(&self.error);
        let mut all = fields.chain(std::iter::once(&self.conditions)).flatten();
        if all.all(|value| value.is_finite()) {
            return Ok(());
        }
        Err(Error::Numerical {
            what: "conditions, or realizations over their deviation, are not finite".into(),
            advice: "keep the deviation away from zero, and leave out what is not known".into(),
        })
    }
}

fn check(conditions: &[f64], seen: &Seen<'_>, points: usize) -> Result<()> {
    let values = seen.deviation.len();
    let field = |what: &str, found: usize, of: usize| -> Result<()> {
        if of > 0 && found.is_multiple_of(of) && (found > 0 || what == "the realizations") {
            return Ok(());
        }
        Err(Error::Shape {
            what: what.into(),
            found: vec![found],
            expected: vec![found.div_ceil(of.max(1)).max(1), of],
        })
    };
    field("the deviation", values, points)?;
    field("the conditions", conditions.len(), points)?;
    field("the realizations", seen.realizations.len(), values)?;
    if let Some(others) = &seen.others {
        field("the others' factors", others.factors.len(), values)?;
        if !(0.0..=1.0).contains(&others.share) {
            return Err(Error::Config {
                context: "heads".into(),
                reason: format!(
                    "the others' share is {}; give one from 0 to 1",
                    others.share
                ),
            });
        }
    }
    for (what, found, of) in [
        ("the centre", seen.centre.map(<[f64]>::len), values),
        (
            "the error of the mean",
            seen.error.map(<[f64]>::len),
            values,
        ),
        (
            "the list of known points",
            seen.known.map(<[bool]>::len),
            points,
        ),
    ] {
        if found.is_some_and(|found| found != of) {
            field(what, found.unwrap_or(0), of + usize::from(found > Some(of)))?;
        }
    }
    Ok(())
}

/// Realizations minus their centre, over the root of their degrees of freedom.
fn centred(seen: &Seen<'_>, values: usize) -> Vec<Vec<f64>> {
    let count = seen.realizations.len() / values;
    let mut mean = vec![0.0; values];
    for realization in seen.realizations.chunks_exact(values) {
        let sum = mean.iter_mut().zip(realization);
        sum.for_each(|(m, v)| *m += v / count as f64);
    }
    let (centre, freedom) = match seen.centre {
        Some(centre) => (centre, count),
        None => (mean.as_slice(), count.saturating_sub(1)),
    };
    if freedom == 0 {
        return Vec::new();
    }
    let unit = (freedom as f64).sqrt();
    let centred = |r: &[f64]| r.iter().zip(centre).map(|(v, c)| (v - c) / unit).collect();
    seen.realizations
        .chunks_exact(values)
        .map(centred)
        .collect()
}

/// Second moments of both, by their shares.
fn mix(residuals: &mut Vec<Vec<f64>>, others: &Others<'_>, values: usize, known: &[bool]) {
    let scale = |field: &mut Vec<f64>, share: f64| {
        for (v, value) in field.iter_mut().enumerate() {
            let is_known = known[v % known.len()];
            *value = if is_known { *value * share.sqrt() } else { 0.0 };
        }
    };
    for field in residuals.iter_mut() {
        scale(field, 1.0 - others.share);
    }
    for factor in others.factors.chunks_exact(values) {
        let mut field = factor.to_vec();
        scale(&mut field, others.share);
        residuals.push(field);
    }
}

/// Few fields with the second moments of many: their leading principal directions.
fn leading(fields: Vec<Vec<f64>>) -> Result<Vec<Vec<f64>>> {
    let (count, values) = (fields.len(), fields.first().map_or(0, Vec::len));
    if count <= MOST_RESIDUALS {
        return Ok(fields);
    }
    let all = fields.concat();
    let x = MatRef::from_column_major_slice(&all, values, count);
    let (_, vectors) = symmetric_eigen(&(x.transpose() * x)).ok_or_else(|| Error::Numerical {
        what: "the principal directions of the realizations did not converge".into(),
        advice: "look for extreme values among them".into(),
    })?;
    let product: Mat<f64> = x * vectors.subcols(0, MOST_RESIDUALS);
    let field = |k| (0..values).map(|v| product[(v, k)]).collect();
    Ok((0..MOST_RESIDUALS).map(field).collect())
}

fn narrow(values: &[f64]) -> Vec<f32> {
    values.iter().map(|value| *value as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen<'a>(realizations: &'a [f64], deviation: &'a [f64]) -> Seen<'a> {
        Seen {
            realizations,
            centre: None,
            deviation,
            error: None,
            known: None,
            others: None,
        }
    }

    #[test]
    fn squares_of_residuals_sum_to_the_variance_over_the_given_one() {
        let realizations: Vec<f64> = (0..200).map(|i| f64::from(i * i % 23)).collect();
        for count in [50, 100] {
            let part = &realizations[..2 * count];
            let row = Row::new(&[0.0; 2], &seen(part, &[2.0, 1.0]), 2).unwrap();
            let column: Vec<f64> = part.iter().step_by(2).copied().collect();
            let mean = column.iter().sum::<f64>() / count as f64;
            let square: f64 = column.iter().map(|v| (v - mean).powi(2)).sum();
            let sum: f32 = row.residuals.iter().map(|r| r[0] * r[0]).sum();
            let expected = square / (count - 1) as f64 / 4.0;
            assert!((f64::from(sum) / expected - 1.0).abs() < 1e-5);
            assert!(row.residuals.len() <= MOST_RESIDUALS);
        }
    }

    #[test]
    fn covariances_are_mixed_by_their_shares() {
        let realizations = [1.0, 0.0, -1.0, 0.0];
        let mut seen = seen(&realizations, &[1.0, 1.0]);
        seen.others = Some(Others {
            factors: &[0.0, 3.0],
            share: 0.25,
        });
        let row = Row::new(&[0.0; 2], &seen, 2).unwrap();
        let square = |p: usize| row.residuals.iter().map(|r| r[p] * r[p]).sum::<f32>();
        assert!((square(0) - 0.75 * 2.0).abs() < 1e-6 && (square(1) - 0.25 * 9.0).abs() < 1e-6);
    }

    #[test]
    fn what_is_not_known_may_be_anything() {
        let realizations = [1.0, f64::NAN, 3.0, f64::NAN];
        let mut seen = seen(&realizations, &[1.0, 1.0]);
        assert!(Row::new(&[0.0; 2], &seen, 2).is_err());
        seen.known = Some(&[true, false]);
        assert!(Row::new(&[0.0; 2], &seen, 2).unwrap().residuals[0][1] == 0.0);
        seen.known = Some(&[true]);
        assert!(Row::new(&[0.0; 2], &seen, 2).is_err());
        assert!(Row::new(&[0.0; 3], &seen, 2).is_err());
    }
}
