//! Numerical descriptions of the inputs of a pool: features, whose distances are meaningful, and a
//! few coordinates.
//!
//! The coordinates are the parameters, which are channels that are constant over the domain, and
//! the leading principal components of the other channels over the pool, each scaled to mean zero
//! and variance one. `knowledge` adds the quantity evaluated on low fidelity.

use std::ops::Range;

use floral_linalg::{Mat, MatRef, symmetric_eigen};

use crate::dataset::Dataset;
use crate::{Field, Result};

/// Largest number of inputs from which principal components are computed; a larger pool is
/// subsampled evenly.
const MOST: usize = 400;

/// Share of the variance of the fields that the components explain.
const HELD: f64 = 0.99;
/// Largest number of components.
const MOST_COEFFICIENTS: usize = 8;

/// Variation of a scaled channel over the domain that counts as round-off.
const CONSTANT: f64 = 1e-9;

/// At most `most` evenly spaced indices of the inputs of a pool.
pub(super) fn some(inputs: usize, most: usize) -> impl Iterator<Item = usize> {
    let count = inputs.min(most);
    (0..count).map(move |k| k * inputs / count)
}

/// The features of every input: its values, with each channel scaled to mean zero and variance one
/// over the pool; zero where there is no value.
pub(super) fn features(pool: &Dataset) -> Result<Vec<Vec<f64>>> {
    let fields = (0..pool.inputs()).map(|i| pool.input(i));
    let fields = fields.collect::<Result<Vec<Field>>>()?;
    let points = pool.grid().len();
    let mut all: Vec<Vec<f64>> = fields.into_iter().map(Field::into_values).collect();
    for channel in 0..pool.input_channels() {
        scale(&mut all, channel * points..(channel + 1) * points);
    }
    Ok(all)
}

/// Scales the values at some places of all lists to mean zero and variance one.
fn scale(all: &mut [Vec<f64>], places: Range<usize>) {
    let own = all.iter().flat_map(|list| &list[places.clone()]);
    let values: Vec<f64> = own.copied().filter(|v| v.is_finite()).collect();
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let square = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / count;
    let inverse = if square > 0.0 {
        square.sqrt().recip()
    } else {
        0.0
    };
    for value in all.iter_mut().flat_map(|list| &mut list[places.clone()]) {
        *value = if value.is_finite() {
            inverse * (*value - mean)
        } else {
            0.0
        };
    }
}

/// The coordinates of every input, from the features.
pub(super) fn coordinates(features: &[Vec<f64>], points: usize) -> Vec<Vec<f64>> {
    let channels = features.first().map_or(0, Vec::len) / points.max(1);
    let places = |channel: &usize| channel * points..(channel + 1) * points;
    let is_parameter = |channel: &usize| {
        features.iter().all(|list| {
            let values = &list[places(channel)];
            values.iter().all(|v| (v - values[0]).abs() <= CONSTANT)
        })
    };
    let (parameters, fields): (Vec<usize>, Vec<usize>) = (0..channels).partition(is_parameter);
    let varies = |channel: &usize| {
        let first = channel * points;
        features.iter().any(|list| list[first].abs() > CONSTANT)
    };
    let parameters: Vec<usize> = parameters.into_iter().filter(varies).collect();
    let fields: Vec<usize> = fields.iter().flat_map(places).collect();
    let directions = directions(features, &fields);
    let of = |list: &Vec<f64>| {
        let own = parameters.iter().map(|channel| list[channel * points]);
        let leading = directions.iter().map(|direction| {
            let parts = fields.iter().zip(direction);
            parts.map(|(place, d)| d * list[*place]).sum()
        });
        own.chain(leading).collect()
    };
    let mut all: Vec<Vec<f64>> = features.iter().map(of).collect();
    for d in 0..all.first().map_or(0, Vec::len) {
        scale(&mut all, d..d + 1);
    }
    all
}

/// Directions of the leading principal components over some places of the features:
/// [component][place].
fn directions(features: &[Vec<f64>], places: &[usize]) -> Vec<Vec<f64>> {
    let some: Vec<&Vec<f64>> = some(features.len(), MOST).map(|i| &features[i]).collect();
    if places.is_empty() {
        return Vec::new();
    }
    let n = some.len();
    let mean = |place: &usize| some.iter().map(|list| list[*place]).sum::<f64>() / n as f64;
    let means: Vec<f64> = places.iter().map(mean).collect();
    let centred = some.iter().flat_map(|list| {
        let values = places.iter().zip(&means);
        values.map(|(place, mean)| list[*place] - mean)
    });
    let centred: Vec<f64> = centred.collect();
    let all = MatRef::from_column_major_slice(&centred, places.len(), n);
    let Some((squares, vectors)) = symmetric_eigen(&(all.transpose() * all)) else {
        return Vec::new();
    };
    let total: f64 = squares.iter().map(|s| s.max(0.0)).sum();
    let mut held = 0.0;
    let is_wanted = |square: &f64| {
        let wanted = held < HELD * total && *square > CONSTANT * total;
        held += square;
        wanted
    };
    let count = squares
        .iter()
        .take(MOST_COEFFICIENTS)
        .copied()
        .take_while(is_wanted)
        .count();
    let leading: Mat<f64> = all * vectors.subcols(0, count);
    (0..count)
        .map(|k| (0..places.len()).map(|p| leading[(p, k)]).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_coordinates_and_fields_have_few() {
        // A parameter, a constant, and a field with two components on three points.
        let list = |i: usize| {
            let (a, b, c) = (i as f64, (1.7 * i as f64).sin(), (2.9 * i as f64).cos());
            vec![a, a, a, 5.0, 5.0, 5.0, b, 9.0 + b + c, -c]
        };
        let mut features: Vec<Vec<f64>> = (0..12).map(list).collect();
        for channel in 0..3 {
            scale(&mut features, 3 * channel..3 * channel + 3);
        }
        let found = coordinates(&features, 3);
        assert!(found.iter().all(|z| z.len() == 3), "{found:?}");
        for d in 0..3 {
            let mean = found.iter().map(|z| z[d]).sum::<f64>() / 12.0;
            let square = found.iter().map(|z| z[d] * z[d]).sum::<f64>() / 12.0;
            assert!(mean.abs() < 1e-9 && (square - 1.0).abs() < 1e-9);
        }
        assert!(found.is_sorted_by(|a, b| a[0] < b[0]));
    }

    #[test]
    fn a_pool_that_does_not_vary_has_no_coordinates() {
        let features = vec![vec![0.0; 6]; 4];
        assert!(coordinates(&features, 3).iter().all(Vec::is_empty));
        assert!(coordinates(&[], 3).is_empty());
        assert_eq!(some(5, 3).collect::<Vec<_>>(), [0, 1, 3]);
    }
}
