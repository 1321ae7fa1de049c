//! Filters of fields: tensor products of Hermite filters along axes, or banks of filters on
//! scattered points.

use super::features::LocalPlan;
use crate::filters::{convolve, taps};
use crate::large::Positions;
use crate::scattered::Bank;
use crate::{Lattice, Symmetries, separable};

/// The filters of a plan.
#[derive(Debug, Clone)]
pub(super) enum Filters {
    /// On a grid, the axes and taps of each filter.
    Axes(Vec<Filter>),
    /// On scattered points, one bank per width.
    Banks(Vec<Bank>),
}

impl Filters {
    /// The filters of a plan; first, the index of the width and the order of each.
    pub(super) fn new(
        plan: &LocalPlan,
        lattice: &Lattice,
        symmetries: &Symmetries,
    ) -> (Vec<[usize; 2]>, Self) {
        if let Some(points) = lattice.points() {
            let bank = |width: &f64| Bank::new(points, *width, plan.order);
            let banks: Vec<Bank> = plan.widths.iter().map(bank).collect();
            let of = |(w, bank): (usize, &Bank)| -> Vec<[usize; 2]> {
                bank.totals().map(|order| [w, order]).collect()
            };
            let kinds = banks.iter().enumerate().flat_map(of).collect();
            return (kinds, Self::Banks(banks));
        }
        let filtered = filtered_axes(lattice, symmetries);
        let (mut kinds, mut all) = (Vec::new(), Vec::new());
        for (w, width) in plan.widths.iter().enumerate() {
            for (order, filter) in filters(lattice, &filtered, *width, plan.order) {
                kinds.push([w, order]);
                all.push(filter);
            }
        }
        (kinds, Self::Axes(all))
    }

    /// Smoothed first derivatives over half the narrowest width of a plan.
    pub(super) fn derivatives(
        plan: &LocalPlan,
        lattice: &Lattice,
        symmetries: &Symmetries,
    ) -> Self {
        if let Some(points) = lattice.points() {
            return Self::Banks(vec![Bank::slopes(points, 0.5 * plan.widths[0])]);
        }
        let derivative = |axis: usize| {
            let width = 0.5 * points(plan.widths[0], lattice, axis);
            vec![(axis, taps(width, 1).swap_remove(1))]
        };
        let axes = filtered_axes(lattice, symmetries).into_iter();
        Self::Axes(axes.map(derivative).collect())
    }

    /// Passes to `take` the result of every filter of every field at `rows`, one field after
    /// another.
    pub(super) fn each(
        &self,
        lattice: &Lattice,
        fields: &[Vec<f64>],
        rows: &[usize],
        mut take: impl FnMut(&[f64]),
    ) {
        let positions = separable::suits(lattice).then(|| Positions::of(lattice, rows));
        match (self, positions.flatten()) {
            (Self::Axes(filters), Some(positions)) => {
                for field in fields {
                    separable::each(lattice, filters, field, &positions, &mut take);
                }
            }
            (Self::Axes(filters), None) => {
                for (field, filter) in fields
                    .iter()
                    .flat_map(|f| filters.iter().map(move |g| (f, g)))
                {
                    let along = |field: Vec<f64>, (axis, taps): &(usize, Vec<f64>)| {
                        convolve(lattice, *axis, taps, &field)
                    };
                    let filtered = filter.iter().fold(field.clone(), along);
                    take(&rows.iter().map(|&p| filtered[p]).collect::<Vec<f64>>());
                }
            }
            (Self::Banks(banks), _) => {
                let all: Vec<Vec<Vec<Vec<f64>>>> =
                    banks.iter().map(|bank| bank.apply(fields, rows)).collect();
                for field in 0..fields.len() {
                    all.iter()
                        .flat_map(|bank| &bank[field])
                        .for_each(|f| take(f));
                }
            }
        }
    }
}

/// The axes along which fields are filtered: those that roll, or all if none does.
fn filtered_axes(lattice: &Lattice, symmetries: &Symmetries) -> Vec<usize> {
    match symmetries.rolled.is_empty() {
        true => (0..lattice.axes.len()).collect(),
        false => symmetries.rolled.clone(),
    }
}

/// The axes that do not roll.
pub(super) fn still(lattice: &Lattice, symmetries: &Symmetries) -> Vec<usize> {
    let rolls = |axis: &usize| symmetries.rolled.contains(axis);
    (0..lattice.axes.len())
        .filter(|axis| !rolls(axis))
        .collect()
}

/// A share of an axis in points; a filter needs at least one to each side.
fn points(share: f64, lattice: &Lattice, axis: usize) -> f64 {
    (share * lattice.axes[axis].len as f64).max(0.7)
}

/// A product of filters along axes: the axis and the taps of each.
type Filter = Vec<(usize, Vec<f64>)>;

/// Tensor products of filters along `axes` up to a total order, each with its order.
fn filters(lattice: &Lattice, axes: &[usize], width: f64, order: usize) -> Vec<(usize, Filter)> {
    // Each with the sum of its orders so far.
    let mut products: Vec<(usize, Filter)> = vec![(0, Vec::new())];
    for &axis in axes {
        let taps = taps(points(width, lattice, axis), order);
        let longer = products.iter().flat_map(|(total, product)| {
            taps[..=order - total]
                .iter()
                .enumerate()
                .map(move |(b, taps)| {
                    let mut product = product.clone();
                    product.push((axis, taps.clone()));
                    (total + b, product)
                })
        });
        products = longer.collect();
    }
    products
}
