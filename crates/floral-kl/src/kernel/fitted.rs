//! A fitted kernel regression: predictions and novelty of a query.

use std::sync::{Arc, OnceLock};

use floral_linalg::{Mat, c64};
use rayon::prelude::*;

use super::posterior::Posterior;
use super::spectrum::C64;
use super::{Covariance, Rows};
use crate::Symmetries;
use crate::case::Framed;
use crate::target::Parity;

/// A fitted kernel regression.
///
/// A prediction is sum_i sum_g k(a, g b_i) g c_i over training inputs b_i and all motions g, rolls
/// included. Targets move with their inputs, and so do the coefficients: one field c_i per input
/// holds those of all its copies.
pub(crate) struct KernelFit {
    pub(super) rows: Arc<Rows>,
    pub(super) covariance: Covariance,
    pub(super) symmetries: Symmetries,
    parity: Parity,
    /// The ridge; zero in a fit that was stored.
    pub(super) ridge: f64,
    /// The coefficients of every training input: [input][channel, point].
    pub(crate) fields: Vec<Vec<f64>>,
    /// Coefficients of every row at each frequency, [half][row, rest], computed by the first
    /// prediction.
    coefficients: OnceLock<Vec<Mat<c64>>>,
    pub(crate) posterior: Posterior,
    /// The left-out prediction for each judging input: [channel, point].
    pub judged: Vec<Vec<f64>>,
    /// Posterior variances of the judging inputs over their mean.
    pub unknown: Vec<f64>,
}

impl KernelFit {
    /// A fit from its coefficients and posterior variances.
    pub(crate) fn restored(
        rows: Arc<Rows>,
        covariance: Covariance,
        symmetries: &Symmetries,
        parity: Parity,
        fields: Vec<Vec<f64>>,
        posterior: Posterior,
    ) -> Self {
        Self {
            rows,
            covariance,
            symmetries: symmetries.clone(),
            parity,
            ridge: 0.0,
            fields,
            coefficients: OnceLock::new(),
            posterior,
            judged: Vec::new(),
            unknown: Vec::new(),
        }
    }

    /// The predicted target of a query: [channel, point].
    pub(crate) fn predict(&self, framed: &Framed) -> Vec<f64> {
        let query = self.rows.resemblance.signature(framed);
        let columns = self.rows.columns(self.covariance, &query);
        let coefficients = self.coefficients.get_or_init(|| self.spread());
        let row = |(half, coefficients): (usize, &Mat<c64>)| -> Vec<C64> {
            let column = Mat::from_fn(1, columns.len(), |_, j| columns[j][half]);
            let row = column * coefficients;
            (0..row.ncols()).map(|r| row[(0, r)]).collect()
        };
        let rows: Vec<Vec<C64>> = coefficients.par_iter().enumerate().map(row).collect();
        self.rows.resemblance.rolls().inverse(&rows)
    }

    /// The coefficients of every row at each frequency: [half][row, rest].
    fn spread(&self) -> Vec<Mat<c64>> {
        let rolls = self.rows.resemblance.rolls();
        let motions = &self.symmetries.motions;
        let copy = |i: usize| {
            let motion = &motions[i % motions.len()];
            rolls.forward(&self.parity.apply(motion, &self.fields[i / motions.len()]))
        };
        let copies = (0..self.rows.signatures.len()).into_par_iter();
        let copies: Vec<Vec<C64>> = copies.map(copy).collect();
        let halves = rolls.halves().len();
        let rest = copies.first().map_or(0, Vec::len) / halves;
        let of = |h: usize| Mat::from_fn(copies.len(), rest, |i, r| copies[i][r * halves + h]);
        (0..halves).map(of).collect()
    }

    /// Posterior variance of a query over the mean of the judging inputs': 1 for an input like
    /// those, more for one farther away.
    pub(crate) fn novelty(&self, framed: &Framed) -> f64 {
        let query = self.rows.resemblance.signature(framed);
        let columns = self.rows.columns(self.covariance, &query);
        let own = self.rows.own(self.covariance, &query);
        self.posterior.novelty(&columns, &own)
    }
}
