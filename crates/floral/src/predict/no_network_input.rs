//! Replacement for the types of `network_input.rs` in a build without networks; they cannot be
//! constructed.

use std::convert::Infallible;
use std::marker::PhantomData;

use super::Sampling;
use crate::device::Device;
use crate::kl::{Innovation, Reading};
use crate::no_networks::refusal;
use crate::observer::Observer;
use crate::sample::Progress;
use crate::train::Header;
use crate::{Field, Grid, Result};
use floral_flow::network::Weight;

/// A network, which cannot exist in this build.
#[derive(Debug)]
pub(super) struct Network(Infallible);

impl Network {
    pub(super) fn restored(header: &Header, _: Vec<Weight>, _: &Device) -> Result<Self> {
        Err(refusal(format!("method {}", header.config.method)))
    }

    pub(super) fn block_rows(&self, _: &Grid) -> usize {
        match self.0 {}
    }
}

/// The prediction of a network for an input, which cannot exist in this build.
pub(super) struct NetworkInput<'a>(Infallible, PhantomData<&'a ()>);

impl<'a> NetworkInput<'a> {
    pub(super) fn new(
        _: &'a Header,
        network: &'a Network,
        _: &Field,
        _: Option<&Field>,
        _: &Grid,
    ) -> Result<Self> {
        match network.0 {}
    }

    pub(super) fn observe(&mut self, _: &[Reading]) -> Result<Innovation> {
        match self.0 {}
    }

    pub(super) fn deliver_from(
        &self,
        _: usize,
        _: u64,
        _: &Sampling,
        _: &dyn Observer,
        _: impl FnMut(usize, &[f64], usize) -> Result<()>,
    ) -> Result<Progress> {
        match self.0 {}
    }

    pub(super) fn block_rows(&self) -> usize {
        match self.0 {}
    }
}
