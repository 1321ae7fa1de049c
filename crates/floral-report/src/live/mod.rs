//! A live page: a model of parameters in one HTML file that predicts in the browser.
//!
//! [`Live::of`] predicts at parameters that fill the box of the training inputs (`design`), writes
//! the statistics in a small basis (`basis`) and interpolates their coefficients (`interpolant`).
//! The deviation from the model is measured at other parameters and stated on the page (`page`).

mod basis;
mod design;
mod interpolant;
mod page;
mod statistics;

use floral::predict::{Predictor, Sampling};
use floral::{Error, Observer, Result};
use serde::Serialize;

use basis::Basis;
use design::Bounds;
use interpolant::Interpolant;
use statistics::{Model, widths};
pub use statistics::{NAMES, STATISTICS};

/// Number of predictions of the first design. It is doubled up to `MOST` while the deviation of the
/// page exceeds `ENOUGH`.
const FIRST: usize = 64;
const MOST: usize = 512;
const ENOUGH: f64 = 0.003;

/// Number of random parameters at which the page is compared with the model.
const TESTS: usize = 48;

/// Maximum residual of the basis, as a fraction of the interval width.
const LEFT_OUT: f64 = 5e-4;

/// A deviation above this fraction of the interval width is stated as a warning on the page.
const FAR: f64 = 0.01;

/// The deviation of a statistic on the page from the model's, in widths of the 90 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Deviation {
    /// Root mean square over parameters and points.
    pub typical: f64,
    /// Largest value over parameters and points.
    pub largest: f64,
}

/// A model of parameters that a browser can evaluate.
pub struct Live {
    bounds: Bounds,
    basis: Basis,
    interpolant: Interpolant,
    /// The range of every statistic of every channel over the design, for colours and axes:
    /// [statistic, channel].
    ranges: Vec<[f64; 2]>,
    outside: Vec<bool>,
    realizations: usize,
    /// Deviations of mean, standard deviation and quantiles.
    pub deviations: [Deviation; STATISTICS],
    /// Number of predictions that the page interpolates.
    pub predictions: usize,
}

impl Live {
    /// The page of a model whose inputs are parameters.
    pub fn of(predictor: &Predictor, sampling: &Sampling, observer: &dyn Observer) -> Result<Self> {
        check(predictor)?;
        let bounds = Bounds::of(predictor.header());
        let model = Model {
            predictor,
            sampling,
            observer,
        };
        let tests = bounds.random(TESTS);
        let truth = model.at_all(&tests)?;
        let (mut places, mut known): (Vec<Vec<f64>>, Vec<Vec<f64>>) = Default::default();
        let mut wanted = FIRST;
        loop {
            let more = bounds.design(wanted).split_off(places.len());
            known.extend(model.at_all(&more)?);
            places.extend(more);
            let live = Self::fitted(&bounds, &places, &known, &model);
            let deviations = live.compared(&tests, &truth);
            let is_close = deviations.iter().all(|d| d.typical <= ENOUGH);
            if is_close || wanted >= MOST || bounds.is_point() {
                return Ok(Self { deviations, ..live });
            }
            wanted *= 2;
        }
    }

    fn fitted(bounds: &Bounds, places: &[Vec<f64>], known: &[Vec<f64>], model: &Model<'_>) -> Self {
        let channels = model.channels();
        let outside = model.outside();
        let widths = widths(known, channels, &outside);
        let inside = inside(known.first().map_or(0, Vec::len), &outside);
        let basis = Basis::of(known, &widths, LEFT_OUT, inside);
        let coefficients: Vec<Vec<f64>> = known.iter().map(|f| basis.coefficients(f)).collect();
        Self {
            bounds: bounds.clone(),
            interpolant: Interpolant::new(places, &coefficients),
            ranges: statistics::ranges(known, channels, &outside),
            outside,
            realizations: model.sampling.realizations,
            deviations: [Deviation {
                typical: f64::INFINITY,
                largest: f64::INFINITY,
            }; STATISTICS],
            predictions: known.len(),
            basis,
        }
    }

    /// The statistics at a point in the box: [statistic, channel, point].
    fn at(&self, place: &[f64]) -> Vec<f64> {
        self.basis.field(&self.interpolant.at(place))
    }

    /// The deviations of the statistics from the model's within the domain.
    fn compared(&self, places: &[Vec<f64>], truth: &[Vec<f64>]) -> [Deviation; STATISTICS] {
        let mut squares = [0.0; STATISTICS];
        let mut largest = [0.0; STATISTICS];
        for (place, truth) in places.iter().zip(truth) {
            let found = self.at(place);
            let part = truth.len() / STATISTICS;
            let values = inside(part, &self.outside) * places.len();
            // Outside the domain both are zero.
            for (i, (found, truth)) in found.iter().zip(truth).enumerate() {
                let error = ((found - truth) / self.basis.width(i)).abs();
                squares[i / part] += error * error / values as f64;
                largest[i / part] = f64::max(largest[i / part], error);
            }
        }
        std::array::from_fn(|s| Deviation {
            typical: squares[s].sqrt(),
            largest: largest[s],
        })
    }

    /// The names of the statistics whose typical deviation requires a warning.
    pub fn far(&self) -> Vec<&'static str> {
        let each = NAMES.iter().zip(&self.deviations);
        let far = each.filter(|(_, deviation)| deviation.typical > FAR);
        far.map(|(name, _)| *name).collect()
    }
}

/// Number of values within the domain among `size` values, [.., point]; `outside` is empty without
/// a mask.
fn inside(size: usize, outside: &[bool]) -> usize {
    if outside.is_empty() {
        return size;
    }
    let within = outside.iter().filter(|outside| !**outside).count();
    size / outside.len() * within
}

/// Refuses models that need more than parameters as input.
fn check(predictor: &Predictor) -> Result<()> {
    let header = predictor.header();
    let input = &header.quantities.input;
    let fields = input.iter().filter(|quantity| !quantity.parameter).count();
    let reason = if fields > 0 || input.is_empty() {
        format!(
            "the input of the model has {}, and a page has sliders for parameters alone",
            floral::counted(fields.max(1), "field")
        )
    } else if header.needs_low() {
        "the model corrects a low-fidelity solution, which a page cannot compute; train one without"
            .into()
    } else if predictor.method().recipe().is_none() {
        format!(
            "{} is a network, which a page cannot evaluate; choose floral-kl or kriging",
            predictor.method()
        )
    } else if header.ranges.input.len() != input.len() {
        "the model does not know the ranges of its parameters; train it again".into()
    } else {
        return Ok(());
    };
    Err(Error::config("--live", reason))
}
