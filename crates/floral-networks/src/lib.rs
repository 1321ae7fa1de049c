//! The networks of the paper on Burn: the operator, the devices that compute it, its gradients.
//!
//! - [`device`]: the processor, or a graphics card;
//! - [`operator`]: the network, a velocity field conditioned on the input and the low-fidelity
//!   solution;
//! - [`training`]: the loss of a block of samples and its gradient;
//! - [`stack`]: networks that learn the residuals of the regressions of `floral-kl`;
//! - [`verify`]: comparison of a network's results with reference numbers.

pub mod device;
pub mod operator;
pub mod stack;
pub mod training;
pub mod verify;

use floral_data::{Error, Result, ranks};
use floral_kl as kl;
use floral_random as random;
