//! Local features: products of the fields, filtered, times polynomials of the position.

use floral_linalg::Mat;
use serde::{Deserialize, Serialize};

use super::filtering::{Filters, still};
use super::landmarks::{self, LandmarkPlan, Landmarks, Neighbourhoods};
use super::positions::positions;
use crate::case::{Framed, measure};
use crate::large::is_large;
use crate::target::{Parity, Sample};
use crate::{Lattice, Symmetries};

/// Settings of the features of a local regression, which is one candidate of a blend.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct LocalPlan {
    /// Degrees of the products of fields, such as [0, 2].
    pub degrees: Vec<usize>,
    /// Whether the input is used beside low fidelity.
    pub with_input: bool,
    /// Whether first derivatives of the fields are used too.
    pub gradients: bool,
    /// Filter widths as shares of the axis.
    pub widths: Vec<f64>,
    /// Highest order of the filters.
    pub order: usize,
    /// Highest degree of the polynomials, or of the harmonics, along axes that do not roll.
    pub positions: usize,
    /// Factor by which low fidelity is enlarged: a ridge then shrinks its coefficients less than
    /// those of the input.
    pub emphasis: f64,
    /// How landmarks are chosen, for a local process; `None` for a local polynomial, which uses the
    /// features themselves.
    pub landmarks: Option<LandmarkPlan>,
}

impl LocalPlan {
    /// A name for tables.
    pub(crate) fn name(&self) -> String {
        let fields = if self.with_input { "low+input" } else { "low" };
        let gradients = if self.gradients {
            " with gradients"
        } else {
            ""
        };
        let degree = self.degrees.last().copied().unwrap_or(0);
        let positions = match self.landmarks.map(|plan| plan.shared) {
            None => format!("positions {}", self.positions),
            Some(None) => "process with learned lengths".into(),
            Some(Some(length)) => format!("process of length {length}"),
        };
        let (widths, order) = (&self.widths, self.order);
        let emphasis = if self.emphasis == 1.0 {
            String::new()
        } else {
            format!(" low times {}", self.emphasis)
        };
        format!(
            "local {fields}{gradients} degree {degree} {positions} widths {widths:?} order {order}{emphasis}"
        )
    }
}

/// Computes the columns of a framed query.
#[derive(Debug, Clone)]
pub(crate) struct Columns {
    pub(super) lattice: Lattice,
    /// The index of the width and the order of each filter.
    pub(super) filter_kinds: Vec<[usize; 2]>,
    filters: Filters,
    /// First derivatives along every filtered axis.
    derivatives: Filters,
    /// Polynomials of the position: [polynomial][point].
    positions: Vec<Vec<f64>>,
    pub(crate) plan: LocalPlan,
    /// Whether the logarithm of the input is used: if it is positive and a symmetry scales it.
    pub(crate) logarithm: bool,
    /// Root mean squares of input and low fidelity over the training inputs.
    pub(crate) sizes: [f64; 2],
    /// The landmarks with which features are compared, if the plan has any.
    pub(crate) landmarks: Option<Landmarks>,
}

/// Maximum number of features; plans with more are not tried.
const MOST_FEATURES: usize = 450;

impl Columns {
    pub(crate) fn new(
        plan: &LocalPlan,
        lattice: &Lattice,
        symmetries: &Symmetries,
        train: &Sample<'_>,
        parity: Parity,
    ) -> Self {
        let framed = train.framed;
        let inputs = || framed.iter().flat_map(|f| &f.input);
        let logarithm = symmetries.scale.is_some() && inputs().all(|v| *v > 0.0);
        let sizes = [
            root_mean_square(inputs().map(|v| measure(logarithm, *v))),
            root_mean_square(framed.iter().flat_map(|f| f.low.iter().copied())),
        ];
        let mut columns = Self::restored(plan, lattice, symmetries, logarithm, sizes);
        let chosen = |plan| columns.chosen(plan, symmetries, train, parity);
        columns.landmarks = plan.landmarks.map(chosen);
        columns
    }

    /// Columns with known sizes, without landmarks.
    pub(crate) fn restored(
        plan: &LocalPlan,
        lattice: &Lattice,
        symmetries: &Symmetries,
        logarithm: bool,
        sizes: [f64; 2],
    ) -> Self {
        let (filter_kinds, filters) = Filters::new(plan, lattice, symmetries);
        Self {
            derivatives: Filters::derivatives(plan, lattice, symmetries),
            filter_kinds,
            filters,
            positions: positions(lattice, &still(lattice, symmetries), plan.positions),
            lattice: lattice.clone(),
            plan: plan.clone(),
            logarithm,
            sizes,
            landmarks: None,
        }
    }

    /// The columns with landmarks that were chosen before.
    pub(crate) fn compared(
        mut self,
        symmetries: &Symmetries,
        lengths: Vec<f64>,
        places: Mat<f64>,
    ) -> Self {
        let still = still(&self.lattice, symmetries);
        let landmarks = Landmarks::restored(lengths, &self.lattice, &still, places);
        self.landmarks = Some(landmarks);
        self
    }

    /// Number of columns.
    pub(crate) fn count(&self, framed: &Framed) -> usize {
        match &self.landmarks {
            Some(landmarks) => landmarks.count(),
            None => self.feature_count(framed),
        }
    }

    /// Number of coordinates of a landmark.
    pub(crate) fn place_size(&self, symmetries: &Symmetries, framed: &Framed) -> usize {
        let still = still(&self.lattice, symmetries);
        self.feature_count(framed) + landmarks::coordinate_count(&self.lattice, &still)
    }

    fn feature_count(&self, framed: &Framed) -> usize {
        let fields = self.fields(framed).len();
        let degrees = self.plan.degrees.iter();
        let products: usize = degrees.map(|&degree| combinations(fields, degree)).sum();
        products * self.filter_kinds.len() * self.positions.len()
    }

    /// Whether there are too many columns for a normal matrix.
    pub(super) fn is_too_wide(&self, framed: &Framed) -> bool {
        self.feature_count(framed) > MOST_FEATURES
    }

    /// The columns at the points of `rows`, one after another.
    pub(crate) fn at(&self, framed: &Framed, rows: &[usize]) -> Vec<f64> {
        self.columns_of(&self.products(framed), rows)
    }

    /// Number of rows of a large domain that are processed together, about `most`; on a grid these
    /// are whole lines, so that they form a product of positions. `None` for a domain that is not
    /// large.
    pub(super) fn block(&self, most: usize) -> Option<usize> {
        let line = self.lattice.stride(0);
        is_large(&self.lattice).then(|| (most / line).max(1) * line)
    }

    /// The columns at `rows`, from products of fields.
    pub(super) fn columns_of(&self, products: &[Vec<f64>], rows: &[usize]) -> Vec<f64> {
        let features = self.features_of(products, rows);
        match &self.landmarks {
            Some(landmarks) => landmarks.columns(&Neighbourhoods {
                features,
                rows: rows.to_vec(),
            }),
            None => features,
        }
    }

    /// Passes to `take` the columns at `rows`, and the place of the first of them among the rows.
    /// If there are landmarks, at most `most` rows are processed at a time.
    pub(super) fn in_parts(
        &self,
        framed: &Framed,
        rows: &[usize],
        most: usize,
        mut take: impl FnMut(usize, Vec<f64>),
    ) {
        let Some(landmarks) = self.landmarks.as_ref().filter(|_| rows.len() > most) else {
            return take(0, self.at(framed, rows));
        };
        let features = self.features(framed, rows);
        for (part, own) in rows.chunks(most).enumerate() {
            let of_part = |feature: &[f64]| feature[part * most..][..own.len()].to_vec();
            let features = features.chunks_exact(rows.len()).flat_map(of_part);
            take(
                part * most,
                landmarks.columns(&Neighbourhoods {
                    features: features.collect(),
                    rows: own.to_vec(),
                }),
            );
        }
    }

    /// The matrix that penalises coefficients, to be multiplied by a ridge; `None` for the
    /// identity.
    pub(super) fn penalty(&self) -> Option<Mat<f64>> {
        self.landmarks.as_ref().map(Landmarks::penalty)
    }

    pub(super) fn features(&self, framed: &Framed, rows: &[usize]) -> Vec<f64> {
        self.features_of(&self.products(framed), rows)
    }

    /// Passes to `take` the columns of several inputs at the same points, one input after another,
    /// from their products in that order. On scattered points the filters are the same for all
    /// inputs and are made once.
    pub(super) fn of_many<T>(
        &self,
        products: &[Vec<f64>],
        inputs: usize,
        rows: &[usize],
        take: impl Fn(usize, Vec<f64>) -> T,
    ) -> Vec<T> {
        let all = self.features_of(products, rows);
        let features = all.chunks_exact(all.len() / inputs);
        let columns = |features: &[f64]| match &self.landmarks {
            Some(landmarks) => landmarks.columns(&Neighbourhoods {
                features: features.to_vec(),
                rows: rows.to_vec(),
            }),
            None => features.to_vec(),
        };
        let taken = features.enumerate();
        taken
            .map(|(k, features)| take(k, columns(features)))
            .collect()
    }

    /// Whether filters are made once for several inputs.
    pub(super) fn shares_filters(&self) -> bool {
        self.lattice.points().is_some() && is_large(&self.lattice)
    }

    fn features_of(&self, products: &[Vec<f64>], rows: &[usize]) -> Vec<f64> {
        let mut columns = Vec::new();
        self.filters
            .each(&self.lattice, products, rows, |filtered| {
                for polynomial in &self.positions {
                    let places = rows.iter().zip(filtered);
                    columns.extend(places.map(|(&p, value)| value * polynomial[p]));
                }
            });
        columns
    }

    /// Products of the fields, each divided by its size, for every degree of the plan.
    pub(super) fn products(&self, framed: &Framed) -> Vec<Vec<f64>> {
        let fields = self.fields(framed);
        let degrees = self.plan.degrees.iter();
        degrees
            .flat_map(|&degree| self.of_degree(&fields, degree))
            .collect()
    }

    fn fields(&self, framed: &Framed) -> Vec<Vec<f64>> {
        let split = |values: &[f64], size: f64, logarithm: bool| -> Vec<Vec<f64>> {
            let channels = values.chunks_exact(self.lattice.len());
            channels
                .map(|c| c.iter().map(|v| measure(logarithm, *v) / size).collect())
                .collect()
        };
        let mut fields = split(&framed.low, self.sizes[1] / self.plan.emphasis, false);
        if self.plan.with_input || fields.is_empty() {
            fields.extend(split(&framed.input, self.sizes[0], self.logarithm));
        }
        if self.plan.gradients {
            let every: Vec<usize> = (0..self.lattice.len()).collect();
            let mut slopes = Vec::new();
            self.derivatives
                .each(&self.lattice, &fields, &every, |field| {
                    slopes.push(field.to_vec());
                });
            fields.extend(slopes);
        }
        fields
    }

    fn of_degree(&self, fields: &[Vec<f64>], degree: usize) -> Vec<Vec<f64>> {
        // Each product remembers its last factor, so that every combination is made once.
        let mut products = vec![(0, vec![1.0; self.lattice.len()])];
        for _ in 0..degree {
            let longer = products.iter().flat_map(|(last, product)| {
                (*last..fields.len()).map(|k| {
                    let times = product.iter().zip(&fields[k]).map(|(a, b)| a * b);
                    (k, times.collect::<Vec<f64>>())
                })
            });
            products = longer.collect();
        }
        products.into_iter().map(|(_, product)| product).collect()
    }
}

/// The number of ways to choose `degree` factors from `fields`, with repetition.
fn combinations(fields: usize, degree: usize) -> usize {
    (0..degree).fold(1, |ways, k| ways * (fields + k) / (k + 1))
}

fn root_mean_square(values: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = values.fold((0.0, 0.0), |(n, s), v| (n + 1.0, s + v * v));
    if sum > 0.0 {
        f64::sqrt(sum / count)
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::lattice;

    #[test]
    fn columns_are_products_times_filters_times_positions() {
        let lattice = lattice(&[("t", 5), ("x", 16)], &["x"]);
        let symmetries = Symmetries::new(&["roll:x".parse().unwrap()], &lattice, 1, 1).unwrap();
        let framed = Framed {
            input: (0..80).map(|i| f64::from(i).sin()).collect(),
            low: (0..80).map(|i| f64::from(i).cos()).collect(),
            size: 1.0,
            points: 80,
        };
        let plan = LocalPlan {
            degrees: vec![0, 1, 2],
            with_input: true,
            gradients: false,
            widths: vec![0.05],
            order: 3,
            positions: 2,
            emphasis: 1.0,
            landmarks: None,
        };
        let columns = Columns::restored(&plan, &lattice, &symmetries, false, [1.0; 2]);
        let rows: Vec<usize> = (0..80).collect();
        let expected = (1 + 2 + 3) * 4 * 3;
        assert_eq!(columns.at(&framed, &rows).len(), 80 * expected);
        assert_eq!(columns.count(&framed), expected);
    }
}
