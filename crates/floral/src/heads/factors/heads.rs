//! Heads: the trained network with all that turns its output into the factors of an input.

use burn::module::Module;
use floral_linalg::{Mat, solve_positive};
use serde::{Deserialize, Serialize};

use super::batch::Corpus;
use super::channels::{Channel, Moves, harmonic_channels, harmonics};
use super::row::Row;
use super::settings::Settings;
use super::training::Training;
use super::turn;
use super::view::Stage;
use crate::observer::Observer;
use crate::operator::{Device, FilmFno, Weight, weights, with_weights};
use crate::regression::{Lattice, Symmetries};
use crate::train::model::fields;
use crate::{Error, Result};

/// The ridge of the coefficients' least squares, as a share of the mean square of a factor.
const RIDGE: f64 = 1e-3;

/// Everything about the heads but the network's weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// How they were trained.
    pub settings: Settings,
    /// The condition channels, in order.
    pub channels: Vec<Channel>,
    /// Channels of the solution.
    pub solution: usize,
    /// Pairs of harmonics along each periodic axis.
    pub pairs: usize,
    /// Points per axis of the training grid.
    pub trained_on: Vec<usize>,
    /// Channels fed in all.
    pub fed: usize,
    /// The turn of the network's factors, a list for each that is kept.
    pub turn: Vec<Vec<f64>>,
    /// The share of the network's correction of the mean.
    pub share: f64,
    /// Relative squared error of the covariance at inputs held out, for 0, 1, .. factors.
    pub covariance_errors: Vec<f64>,
    /// Relative squared error that the correction leaves of the mean's at inputs held out.
    pub mean_error: f64,
    /// The look, from 1, at which the weights were best.
    pub best_look: usize,
}

/// A network of factors.
#[derive(Debug, Clone)]
pub struct Heads {
    /// What it is.
    pub header: Header,
    network: FilmFno,
}

/// The factors of one input.
#[derive(Debug, Clone)]
pub struct Factors {
    /// Factor fields in units of the deviation, the largest first: [factor][channel, point].
    pub fields: Vec<Vec<f32>>,
    /// What is to be added to the mean, in units of the deviation: [channel, point].
    pub mean_correction: Vec<f32>,
}

impl Heads {
    /// Learns factors from training rows; inputs held out decide when to stop, how many factors are
    /// kept and how much of the correction of the mean, which without them is none.
    pub fn train(
        settings: &Settings,
        (rows, held_out): (&[Row], &[Row]),
        moves: &[Moves],
        lattice: &Lattice,
        symmetries: &Symmetries,
        device: &Device,
        observer: &dyn Observer,
    ) -> Result<Self> {
        settings.check()?;
        let solution = check(rows, held_out, moves, lattice, symmetries)?;
        let known: Vec<bool> = (0..lattice.len())
            .map(|p| rows.iter().chain(held_out).any(|row| row.known[p]))
            .collect();
        let stage = Stage::new(lattice, symmetries, &known, settings.most_points);
        let pairs = pairs(settings, &stage.thinned);
        let channels = moves.iter().enumerate();
        let channels: Vec<Channel> = channels
            .map(|(i, moves)| Channel::new(i, *moves, rows, symmetries))
            .collect();
        let fed = channels.len() + harmonic_channels(lattice, pairs);
        let outputs = (settings.factors + 1) * solution;
        let shape = stage.thinned.shape();
        let config = settings.network(fed, outputs, &shape);
        let device = device.clone().autodiff();
        let training = Training {
            settings,
            train: Corpus::new(rows, &channels, &stage, pairs),
            held_out: Corpus::new(held_out, &channels, &stage, pairs),
            device: device.clone(),
        };
        let network = config.init(settings.seed, &device)?;
        let best = training.run(network.clone(), observer)?;
        let network = with_weights(network.valid(), best.weights)?;
        let header = Header {
            settings: settings.clone(),
            solution,
            pairs,
            trained_on: shape,
            fed,
            turn: Vec::new(),
            share: 0.0,
            covariance_errors: Vec::new(),
            mean_error: 1.0,
            best_look: best.epoch + 1,
            channels: channels.clone(),
        };
        let mut heads = Self { header, network };
        heads.choose(&training)?;
        Ok(heads)
    }

    /// Turn, number of factors and share of the correction.
    fn choose(&mut self, training: &Training<'_>) -> Result<()> {
        let [held_out, train] = training.final_overlaps(&self.network)?;
        let turn = turn::common(&train)?;
        let mut kept = turn.ncols();
        if !held_out.is_empty() {
            let errors = turn::errors_by_number(&turn, &held_out);
            let best = (0..errors.len()).min_by(|a, b| errors[*a].total_cmp(&errors[*b]));
            kept = best.unwrap_or(kept);
            self.header.covariance_errors = errors;
            (self.header.share, self.header.mean_error) = turn::share(&held_out);
        }
        let column = |k: usize| turn.col(k).iter().copied().collect();
        self.header.turn = (0..kept).map(column).collect();
        Ok(())
    }

    /// Heads from their header and weights, as they were stored.
    pub fn from_parts(header: Header, weights: Vec<Weight>, device: &Device) -> Result<Self> {
        let outputs = (header.settings.factors + 1) * header.solution;
        let config = header
            .settings
            .network(header.fed, outputs, &header.trained_on);
        let network = with_weights(config.init(0, device)?, weights)?;
        Ok(Self { header, network })
    }

    /// The network's weights, to be stored beside the header.
    pub fn weights(&self) -> Vec<Weight> {
        weights(&self.network).expect("the processor, where heads are, gives what it holds")
    }

    /// The factors of an input on a grid that may be finer than the one trained on.
    ///
    /// conditions: [channel, point], the channels in the order of training.
    pub fn factors(&self, conditions: &[f64], lattice: &Lattice) -> Result<Factors> {
        let fed = self.fed(conditions, lattice)?;
        let device = weights_device(&self.network);
        let fed = fields(fed, self.header.fed, &lattice.shape(), &device);
        let context = self.network.condition(fed.clone())?;
        let outputs = self.network.predict(fed, &context)? * self.header.settings.unit();
        let outputs: Vec<f32> = outputs.into_data().iter::<f32>().collect();
        let values = self.header.solution * lattice.len();
        let raw: Vec<&[f32]> = outputs.chunks_exact(values).collect();
        let turned = |turn: &Vec<f64>| {
            let mut field = vec![0.0; values];
            for (weight, raw) in turn.iter().zip(&raw) {
                let sums = field.iter_mut().zip(*raw);
                sums.for_each(|(sum, value)| *sum += *weight as f32 * value);
            }
            field
        };
        let correction = raw[self.header.settings.factors].iter();
        let share = self.header.share as f32;
        Ok(Factors {
            fields: self.header.turn.iter().map(turned).collect(),
            mean_correction: correction.map(|value| share * value).collect(),
        })
    }

    fn fed(&self, conditions: &[f64], lattice: &Lattice) -> Result<Vec<f32>> {
        let channels = &self.header.channels;
        let own = channels.len() + harmonic_channels(lattice, self.header.pairs);
        if conditions.len() != channels.len() * lattice.len() || own != self.header.fed {
            return Err(Error::Shape {
                what: "the conditions".into(),
                found: vec![conditions.len()],
                expected: [vec![channels.len()], lattice.shape()].concat(),
            });
        }
        let values = conditions.chunks_exact(lattice.len()).zip(channels);
        let mut fed: Vec<f32> = values
            .flat_map(|(values, channel)| {
                let unit = |value: &f64| ((value - channel.centre) / channel.unit) as f32;
                values.iter().map(unit)
            })
            .collect();
        fed.extend(harmonics(lattice, self.header.pairs));
        Ok(fed)
    }
}

impl Factors {
    /// Least-squares coefficients of residuals in units of the deviation, with a small ridge:
    /// [residual, value] -> [residual, factor].
    ///
    /// known: \[value\], where residuals are known; everywhere if absent.
    pub fn coefficients(&self, residuals: &[f32], known: Option<&[bool]>) -> Vec<f64> {
        let (count, values) = (self.fields.len(), self.mean_correction.len());
        let known: Vec<usize> = (0..values)
            .filter(|v| known.is_none_or(|known| known[*v]))
            .collect();
        let inner = |a: &[f32], b: &[f32]| -> f64 {
            known
                .iter()
                .map(|&v| f64::from(a[v]) * f64::from(b[v]))
                .sum()
        };
        let mut gram = Mat::from_fn(count, count, |j, k| inner(&self.fields[j], &self.fields[k]));
        let mean = (0..count).map(|j| gram[(j, j)]).sum::<f64>() / count.max(1) as f64;
        (0..count).for_each(|j| gram[(j, j)] += RIDGE * mean + f64::MIN_POSITIVE);
        let residuals: Vec<&[f32]> = residuals.chunks_exact(values).collect();
        let seen = Mat::from_fn(count, residuals.len(), |j, i| {
            inner(&self.fields[j], residuals[i])
        });
        let solved =
            solve_positive(&gram, &seen).unwrap_or_else(|| Mat::zeros(count, residuals.len()));
        let row = |i| (0..count).map(move |j| (i, j));
        let all = (0..residuals.len()).flat_map(row);
        all.map(|(i, j)| solved[(j, i)]).collect()
    }
}

/// Harmonics that the training grid can hold.
fn pairs(settings: &Settings, thinned: &Lattice) -> usize {
    let periodic = thinned.axes.iter().filter(|axis| axis.periodic);
    let held = periodic.map(|axis| axis.len.saturating_sub(1) / 2).min();
    held.unwrap_or(0).min(settings.harmonics)
}

fn weights_device(network: &FilmFno) -> Device {
    let devices = network.devices();
    devices.into_iter().next().unwrap_or_else(Device::flex)
}

/// The number of the solution's channels, if all rows have the same shapes as the symmetries.
fn check(
    rows: &[Row],
    held_out: &[Row],
    moves: &[Moves],
    lattice: &Lattice,
    symmetries: &Symmetries,
) -> Result<usize> {
    let solution = symmetries.motions[0].channels()[1];
    if rows.is_empty() {
        return Err(Error::Config {
            context: "heads".into(),
            reason: "there are no training inputs; give at least one".into(),
        });
    }
    let (points, values) = (lattice.len(), solution * lattice.len());
    for row in rows.iter().chain(held_out) {
        let fields = row.residuals.iter().chain(&row.error);
        let found = [row.conditions.len(), row.known.len()];
        let expected = [moves.len() * points, points];
        if found != expected || fields.map(Vec::len).any(|len| len != values) {
            return Err(Error::Shape {
                what: "a row's conditions and known points".into(),
                found: found.to_vec(),
                expected: expected.to_vec(),
            });
        }
    }
    Ok(solution)
}
