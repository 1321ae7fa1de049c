//! Either kind of network, behind one interface.

use burn::module::{Devices, Module, ModuleMapper, ModuleVisitor};
use burn::tensor::{Device, Tensor};
use floral_flow::network::{Backbone, Nodes};

use crate::operator::{Context, FilmFno, SliceNetwork};
use crate::{Error, Result};

/// A network on a grid, or on any set of points.
#[derive(Debug, Clone)]
pub enum Network {
    /// The Fourier neural operator.
    Fno(Box<FilmFno>),
    /// Attention over slices.
    Slices(Box<SliceNetwork>),
}

/// The points of a field: their number per axis and, for a network of points, their coordinates.
#[derive(Debug, Clone, Copy)]
pub struct Points<'a> {
    /// Points per axis.
    pub shape: &'a [usize],
    /// Coordinates and weights.
    pub nodes: Option<&'a Nodes>,
}

impl<'a> From<&'a Nodes> for Points<'a> {
    fn from(nodes: &'a Nodes) -> Self {
        Self {
            shape: &nodes.shape,
            nodes: Some(nodes),
        }
    }
}

impl<'a> From<&'a [usize]> for Points<'a> {
    fn from(shape: &'a [usize]) -> Self {
        Self { shape, nodes: None }
    }
}

impl<'a> From<&'a Vec<usize>> for Points<'a> {
    fn from(shape: &'a Vec<usize>) -> Self {
        Self::from(shape.as_slice())
    }
}

impl<'a, const N: usize> From<&'a [usize; N]> for Points<'a> {
    fn from(shape: &'a [usize; N]) -> Self {
        Self::from(shape.as_slice())
    }
}

impl Network {
    /// The network with initial values drawn from `seed`.
    pub fn new(sizes: &Backbone, seed: u64, device: &Device) -> Result<Self> {
        Ok(match sizes {
            Backbone::Fno(sizes) => Self::Fno(Box::new(FilmFno::new(sizes, seed, device)?)),
            Backbone::Slices(sizes) => {
                Self::Slices(Box::new(SliceNetwork::new(sizes, seed, device)?))
            }
        })
    }

    /// The sizes of this network.
    pub fn config(&self) -> Backbone {
        match self {
            Self::Fno(network) => Backbone::Fno(network.config().clone()),
            Self::Slices(network) => Backbone::Slices(network.config().clone()),
        }
    }

    /// The Fourier neural operator, if it is one.
    pub fn fno(&self) -> Option<&FilmFno> {
        match self {
            Self::Fno(network) => Some(network),
            Self::Slices(_) => None,
        }
    }

    /// condition: [input, channel, row, x] at these points -> everything that depends on the
    /// condition alone, with one row per input.
    pub fn condition<'a>(
        &self,
        condition: Tensor<4>,
        at: impl Into<Points<'a>>,
    ) -> Result<Context> {
        let Points { shape, nodes } = at.into();
        match (self, nodes) {
            (Self::Fno(network), _) => network.condition(condition, shape),
            (Self::Slices(network), Some(nodes)) => network.condition(condition, nodes),
            (Self::Slices(_), None) => Err(Error::config(
                "network.kind = \"slices\"",
                "the network needs the coordinates of the points, but none were given",
            )),
        }
    }

    /// w: [batch, channel, row, x], tau: \[batch\] -> the velocity of w at time tau, same shape as
    /// w.
    pub fn velocity(&self, w: Tensor<4>, tau: Tensor<1>, context: &Context) -> Result<Tensor<4>> {
        match self {
            Self::Fno(network) => network.velocity(w, tau, context),
            Self::Slices(network) => network.velocity(w, tau, context),
        }
    }

    /// a: [batch, channel, row, x] -> the field regressed on it, [batch, output channel, row, x].
    pub fn predict(&self, a: Tensor<4>, context: &Context) -> Result<Tensor<4>> {
        match self {
            Self::Fno(network) => network.predict(a, context),
            Self::Slices(network) => network.predict(a, context),
        }
    }
}

/// Applies a call to the variant's own module. Burn's derived module of an enum would prefix the
/// names of all weights with the variant's name, which checkpoints do not have.
macro_rules! each {
    ($self:expr, $network:ident => $call:expr) => {
        match $self {
            Self::Fno($network) => Self::Fno(Box::new($call)),
            Self::Slices($network) => Self::Slices(Box::new($call)),
        }
    };
}

impl Module for Network {
    fn collect_devices(&self, devices: Devices) -> Devices {
        match self {
            Self::Fno(network) => network.collect_devices(devices),
            Self::Slices(network) => network.collect_devices(devices),
        }
    }

    fn fork(self, device: &Device) -> Self {
        each!(self, network => network.fork(device))
    }

    fn to_device(self, device: &Device) -> Self {
        each!(self, network => network.to_device(device))
    }

    fn train(self) -> Self {
        each!(self, network => network.train())
    }

    fn valid(&self) -> Self {
        each!(self, network => network.valid())
    }

    fn materialize(self) -> Self {
        each!(self, network => network.materialize())
    }

    fn visit<Visitor: ModuleVisitor>(&self, visitor: &mut Visitor) {
        match self {
            Self::Fno(network) => network.visit(visitor),
            Self::Slices(network) => network.visit(visitor),
        }
    }

    fn map<Mapper: ModuleMapper>(self, mapper: &mut Mapper) -> Self {
        each!(self, network => network.map(mapper))
    }
}
