//! The prior: the random field from which the flow starts, in training and in prediction.

use serde::{Deserialize, Serialize};

use super::draws::{GaussianPrior, Prior, WhiteNoise};
use super::scattered_prior::{at_points, placed};
use crate::random::gaussian_process::Report;
use crate::random::{Family, GaussianProcess, Kernel, is_evenly_spaced};
use crate::{Axis, Error, Grid, Result};

/// Relative variance that an embedding may add: too little to show in f32 samples.
const TOLERATED: f64 = 1e-7;

/// Most points of a prior drawn without an embedding: a draw multiplies by half a square matrix.
const MOST_POINTS: usize = 8192;

/// The prior's constants; the defaults are the paper's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PriorConfig {
    /// Family of the covariance: rbf, matern12, matern32, matern52; `white` for independent points.
    pub kernel: String,
    /// Correlation length, in units of `coordinates`.
    pub length: f64,
    /// The unit of `length`.
    pub coordinates: Coordinates,
    /// Variance at every point.
    pub variance: f64,
    /// Variance of added white noise.
    pub noise: f64,
}

/// The unit of the prior's length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Coordinates {
    /// The domain: every axis is mapped to the unit interval.
    Unit,
    /// The grid's own coordinates, as in checkpoints of format 1.
    Raw,
}

impl Default for PriorConfig {
    fn default() -> Self {
        Self {
            kernel: "matern12".into(),
            length: 1e-3,
            coordinates: Coordinates::Unit,
            variance: 1.0,
            noise: 0.0,
        }
    }
}

impl PriorConfig {
    /// The prior on a grid.
    pub fn on(&self, grid: &Grid) -> Result<Box<dyn Prior>> {
        self.at(&self.placed(grid)?)
    }

    /// The grid in the coordinates that measure lengths. The points of a part of a grid keep their
    /// positions in the whole.
    ///
    /// A mesh is returned unchanged; [`Self::at`] maps its points.
    pub fn placed(&self, grid: &Grid) -> Result<Grid> {
        if grid.mesh().is_some() {
            return Ok(grid.clone());
        }
        match self.coordinates {
            Coordinates::Unit => {
                let axes = grid.axes.iter().map(unit);
                Ok(Grid::new(axes.collect::<Result<_>>()?))
            }
            Coordinates::Raw => Ok(grid.clone()),
        }
    }

    /// Whether neighbouring points of a grid are nearly independent.
    pub fn is_white_on(&self, grid: &Grid) -> bool {
        if grid.mesh().is_some() {
            return self.kernel == "white";
        }
        let placed = self.placed(grid).unwrap_or_else(|_| grid.clone());
        let steps = placed.axes.iter().filter(|axis| axis.len() > 1);
        let finest = steps.map(Axis::spacing).fold(f64::INFINITY, f64::min);
        self.kernel == "white" || self.length < finest
    }

    /// The prior at the points of a grid that is [placed](Self::placed).
    pub fn at(&self, grid: &Grid) -> Result<Box<dyn Prior>> {
        if !(self.variance > 0.0 && self.variance.is_finite() && self.noise >= 0.0) {
            return Err(Error::config(
                "prior",
                format!(
                    "variance = {} must be positive and noise = {} not negative",
                    self.variance, self.noise
                ),
            ));
        }
        if self.kernel == "white" {
            return Ok(Box::new(WhiteNoise {
                deviation: (self.variance + self.noise).sqrt() as f32,
            }));
        }
        let family: Family = self.kernel.parse()?;
        let kernel = Kernel::new(family, self.length, self.variance.sqrt())?;
        if let Some(mesh) = grid.mesh() {
            let (rows, dimension) = (mesh.points().rows(), mesh.points().dimension());
            let points = match self.coordinates {
                Coordinates::Unit => placed(rows, dimension),
                Coordinates::Raw => rows.iter().map(|row| row[..dimension].to_vec()).collect(),
            };
            return at_points(&kernel, self.noise, points);
        }
        let process = match self.coordinates {
            Coordinates::Unit => self.exact_process(&kernel, grid)?,
            Coordinates::Raw => GaussianProcess::on_grid(&kernel, grid)?.with_nugget(self.noise)?,
        };
        Ok(Box::new(GaussianPrior { process }))
    }

    /// The process by circulant embedding where that is exact, otherwise from the covariance of all
    /// points.
    fn exact_process(&self, kernel: &Kernel, grid: &Grid) -> Result<GaussianProcess> {
        let mut reason = "its axes are not evenly spaced".to_owned();
        if is_evenly_spaced(grid) {
            let process = GaussianProcess::on_grid(kernel, grid)?.with_nugget(self.noise)?;
            match process.report() {
                Report::Embedding(report) if report.clipped > TOLERATED => {
                    let clipped = report.clipped;
                    reason =
                        format!("its embedding in a torus would add {clipped:.1e} of the variance");
                }
                _ => return Ok(process),
            }
        }
        if grid.len() > MOST_POINTS {
            return Err(self.beyond_reach(grid, &reason));
        }
        let points: Vec<Vec<f64>> = (0..grid.len()).map(|i| grid.point(i)).collect();
        GaussianProcess::on_points(kernel, &points)?.with_nugget(self.noise)
    }

    fn beyond_reach(&self, grid: &Grid, reason: &str) -> Error {
        Error::config(
            format!("prior on a grid of shape {:?}", grid.shape()),
            format!(
                "{reason}, and without an embedding at most {MOST_POINTS} points can be sampled; choose a \
                 shorter prior.length than {}, prior.kernel white or a coarser grid",
                self.length
            ),
        )
    }
}

/// An axis mapped to the unit interval.
fn unit(axis: &Axis) -> Result<Axis> {
    let increasing = axis.coordinates.windows(2).all(|pair| pair[0] < pair[1]);
    if !(increasing && axis.coordinates.iter().all(|x| x.is_finite())) {
        return Err(Error::config(
            format!("axis {}", axis.name),
            "its coordinates must be finite and increase from point to point",
        ));
    }
    Ok(axis.unit())
}

const COORDINATES: &str = "coordinates";
const RAW: &str = "raw";

/// Completes the settings of a run folder: a prior without `coordinates` is of format 1, which used
/// raw coordinates.
pub fn name_coordinates(settings: &mut toml::Table) {
    if let Some(toml::Value::Table(prior)) = settings.get_mut("prior") {
        let raw = || toml::Value::String(RAW.into());
        prior.entry(COORDINATES).or_insert_with(raw);
    }
}

/// Sets raw coordinates for the prior in the header of a checkpoint of format 1.
pub fn name_raw_coordinates(prior: &mut serde_json::Value) {
    if let Some(prior) = prior.as_object_mut() {
        prior.insert(COORDINATES.into(), RAW.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};

    fn square(points: usize) -> Grid {
        Grid::new(vec![Axis::closed("x", points), Axis::closed("y", points)])
    }

    fn axis(coordinates: impl Iterator<Item = f64>) -> Axis {
        Axis::from_coordinates("x", coordinates.collect())
    }

    fn line(coordinates: impl Iterator<Item = f64>) -> Grid {
        Grid::new(vec![axis(coordinates)])
    }

    /// Draws of the prior: [draw, point].
    fn draws(config: &PriorConfig, grid: &Grid, count: u64) -> Vec<Vec<f32>> {
        let prior = config.on(grid).unwrap();
        let draw = |i| {
            let mut field = vec![0.0; grid.len()];
            prior.draw(&mut stream(1, Purpose::Prior, 0, i), &mut field);
            field
        };
        (0..count).map(draw).collect()
    }

    /// Mean product of two values at this lag along the last axis.
    fn covariance(draws: &[Vec<f32>], lag: usize) -> f64 {
        let products = draws.iter().flat_map(|field| {
            let pairs = field.iter().zip(&field[lag..]);
            pairs.map(|(a, b)| f64::from(*a) * f64::from(*b))
        });
        let (mut sum, mut count) = (0.0, 0.0);
        for product in products {
            sum += product;
            count += 1.0;
        }
        sum / count
    }

    #[test]
    fn the_default_prior_has_variance_one_at_any_resolution() {
        for points in [16, 64, 81] {
            let fields = draws(&PriorConfig::default(), &square(points), 64);
            let variance = covariance(&fields, 0);
            let sampling_error = (2.0 / (64.0 * (points * points) as f64)).sqrt();
            assert!(
                (variance - 1.0).abs() < 5.0 * sampling_error,
                "{points}: {variance}"
            );
        }
    }

    #[test]
    fn noise_adds_to_the_variance() {
        for kernel in ["matern12", "white"] {
            let config = PriorConfig {
                kernel: kernel.into(),
                noise: 0.5,
                ..Default::default()
            };
            let variance = covariance(&draws(&config, &square(32), 64), 0);
            assert!((variance - 1.5).abs() < 0.05);
        }
    }

    #[test]
    fn a_prior_without_variance_is_refused() {
        let config = PriorConfig {
            variance: 0.0,
            ..Default::default()
        };
        assert!(config.on(&square(8)).is_err());
    }

    /// The paper's prior is white on any grid of the problems: exp(-1/(127 1e-3)) = 4e-4. In raw
    /// coordinates neighbours along Burgers' time would correlate by exp(-0.2/(128 1e-3)) = 0.21.
    #[test]
    fn the_unit_of_an_axis_does_not_change_the_prior() {
        let unit = draws(
            &PriorConfig::default(),
            &line((0..128).map(|i| f64::from(i) / 127.0)),
            400,
        );
        for (start, step) in [(0.2 / 128.0, 0.2 / 128.0), (-3e4, 250.0), (0.0, 1e-6)] {
            let axis = (0..128).map(|i| start + step * f64::from(i));
            let fields = draws(&PriorConfig::default(), &line(axis.clone()), 400);
            let error = 1.0 / (400.0 * 127.0f64).sqrt();
            assert!(covariance(&fields, 1).abs() < 5.0 * error);
            for (a, b) in fields[0].iter().zip(&unit[0]) {
                assert!((a - b).abs() < 1e-4, "{a} {b}");
            }
        }
        let raw = PriorConfig {
            coordinates: Coordinates::Raw,
            ..Default::default()
        };
        let times = line((0..128).map(|i| 0.2 * f64::from(i + 1) / 128.0));
        let correlation = covariance(&draws(&raw, &times, 400), 1);
        assert!((correlation - 0.2096).abs() < 0.025, "{correlation}");
    }

    /// Runs of format 1 must predict the same bytes.
    #[test]
    fn a_raw_prior_is_the_process_on_the_grids_own_coordinates_bit_for_bit() {
        let raw = PriorConfig {
            coordinates: Coordinates::Raw,
            ..Default::default()
        };
        let grid = Grid::new(vec![Axis::times("t", 16, 0.2), Axis::periodic("x", 12)]);
        let kernel = Kernel::new(Family::Exponential, 1e-3, 1.0).unwrap();
        let process = GaussianProcess::on_grid(&kernel, &grid).unwrap();
        let mut expected = vec![0.0f32; grid.len()];
        process.sample_into(&mut stream(1, Purpose::Prior, 0, 0), &mut expected);
        assert_eq!(draws(&raw, &grid, 1), [expected]);
    }

    #[test]
    fn every_second_point_keeps_the_covariance_that_it_has_in_the_whole() {
        let config = PriorConfig {
            length: 0.1,
            ..Default::default()
        };
        let whole = config.placed(&line((0..16).map(f64::from))).unwrap();
        let part = line(whole.axes[0].coordinates.iter().copied().step_by(2));
        let prior = config.at(&part).unwrap();
        let mut products = 0.0;
        for i in 0..4000 {
            let mut field = vec![0.0; 8];
            prior.draw(&mut stream(2, Purpose::Prior, 0, i), &mut field);
            products += f64::from(field[0] * field[1]);
        }
        let expected = (-2.0 / 15.0 / 0.1f64).exp();
        assert!((products / 4000.0 - expected).abs() < 5.0 * (1.1f64 / 4000.0).sqrt());
    }

    #[test]
    fn axes_that_are_not_evenly_spaced_have_the_covariance_of_their_distances() {
        let config = PriorConfig {
            length: 0.3,
            ..Default::default()
        };
        let places = [0.0, 10.0, 40.0, 100.0];
        let fields = draws(&config, &line(places.into_iter()), 6000);
        for (i, x) in places.iter().enumerate() {
            for (j, y) in places.iter().enumerate() {
                let products = fields.iter().map(|f| f64::from(f[i]) * f64::from(f[j]));
                let found = products.sum::<f64>() / 6000.0;
                let expected = (-(x - y).abs() / 100.0 / 0.3).exp();
                let error = ((1.0 + expected * expected) / 6000.0).sqrt();
                assert!(
                    (found - expected).abs() < 5.0 * error,
                    "{i} {j}: {found} {expected}"
                );
            }
        }
    }

    fn refusal(config: &PriorConfig, grid: &Grid) -> String {
        config.on(grid).err().expect("a refusal").to_string()
    }

    #[test]
    fn too_many_uneven_points_and_disordered_axes_are_refused() {
        let config = PriorConfig::default();
        let uneven = axis((0..100).map(|i| f64::from(i * i)));
        let plane = Grid::new(vec![uneven.clone(), uneven]);
        let words = refusal(&config, &plane);
        assert!(
            words.contains("not evenly spaced") && words.contains("8192"),
            "{words}"
        );
        for coordinates in [[0.0, 2.0, 1.0], [0.0, f64::NAN, 1.0], [1.0, 1.0, 1.0]] {
            let words = refusal(&config, &line(coordinates.into_iter()));
            assert!(words.contains("increase"), "{words}");
        }
    }

    /// No torus of affordable size embeds a kernel this long exactly.
    #[test]
    fn an_embedding_that_is_not_exact_is_never_used() {
        let config = PriorConfig {
            kernel: "matern52".into(),
            length: 30.0,
            ..Default::default()
        };
        let kernel = Kernel::new(Family::Matern52, 30.0, 1.0).unwrap();
        let clipped = |grid: &Grid| match GaussianProcess::on_grid(&kernel, grid).unwrap().report()
        {
            Report::Embedding(report) => report.clipped,
            Report::Cholesky { .. } => 0.0,
        };
        let (small, large) = (square(8), square(128));
        assert!(clipped(&small) > TOLERATED, "{:e}", clipped(&small));
        let fields = draws(&config, &small, 400);
        let variance = covariance(&fields, 0);
        assert!(
            (variance - 1.0).abs() < 5.0 * (2.0f64 / 400.0).sqrt(),
            "{variance}"
        );
        let words = refusal(&config, &large);
        assert!(
            words.contains("would add") && words.contains("prior.length"),
            "{words}"
        );
    }
}
