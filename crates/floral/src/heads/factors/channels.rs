//! Channels: what the network is fed, in units of its training inputs, and harmonics of the axes.

use std::f64::consts::TAU;

use serde::{Deserialize, Serialize};

use super::row::Row;
use crate::regression::{Lattice, Motion, Role, Symmetries};

/// How a condition channel goes with a motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Moves {
    /// As this channel of the input does.
    AsInput(usize),
    /// As this channel of the solution does.
    AsSolution(usize),
    /// No sign changes it: deviations and their logarithms.
    Even,
}

/// A condition channel: (value - centre) / unit is fed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Channel {
    /// How it moves.
    pub moves: Moves,
    /// What is taken off.
    pub centre: f64,
    /// What is divided by.
    pub unit: f64,
}

impl Channel {
    /// Centre and unit of the channel of this number; a channel that may change its sign keeps zero.
    pub(super) fn new(index: usize, moves: Moves, rows: &[Row], symmetries: &Symmetries) -> Self {
        let values = || {
            let field = |row| {
                let points = Row::points(row);
                &row.conditions[index * points..][..points]
            };
            rows.iter().flat_map(field).map(|v| f64::from(*v))
        };
        let count = values().count().max(1) as f64;
        let signed = |motion| factor(moves, motion) < 0.0;
        let mean = values().sum::<f64>() / count;
        let is_signed = symmetries.motions.iter().any(signed);
        let centre = if is_signed { 0.0 } else { mean };
        let square = values().map(|v| (v - centre).powi(2)).sum::<f64>() / count;
        let unit = if square > 0.0 { square.sqrt() } else { 1.0 };
        Self {
            moves,
            centre,
            unit,
        }
    }
}

impl Row {
    pub(super) fn points(&self) -> usize {
        self.known.len()
    }
}

/// The sign that a motion gives to a channel.
pub(super) fn factor(moves: Moves, motion: &Motion) -> f64 {
    let of = |role, channel: usize| motion.factors(role).get(channel).copied().unwrap_or(1.0);
    match moves {
        Moves::AsInput(channel) => of(Role::Input, channel),
        Moves::AsSolution(channel) => of(Role::Solution, channel),
        Moves::Even => 1.0,
    }
}

/// cos and sin of 2 pi k x for k = 1 ..= pairs along every periodic axis: [channel, point].
///
/// Factors are free to turn among each other; with a place of its own for every phase the network
/// can choose a turn that varies little over inputs.
pub(super) fn harmonics(lattice: &Lattice, pairs: usize) -> Vec<f32> {
    let periodic = (0..lattice.axes.len()).filter(|&axis| lattice.axes[axis].periodic);
    let mut channels = Vec::new();
    for axis in periodic {
        let n = lattice.axes[axis].len as f64;
        for k in 1..=pairs {
            let angle = |p| TAU * k as f64 * lattice.position(p, axis) as f64 / n;
            channels.extend((0..lattice.len()).map(|p| angle(p).cos() as f32));
            channels.extend((0..lattice.len()).map(|p| angle(p).sin() as f32));
        }
    }
    channels
}

/// How many channels [`harmonics`] gives.
pub(super) fn harmonic_channels(lattice: &Lattice, pairs: usize) -> usize {
    2 * pairs * lattice.axes.iter().filter(|axis| axis.periodic).count()
}
