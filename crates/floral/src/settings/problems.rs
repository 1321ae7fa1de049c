//! The constants of the built-in problems.

use super::{Setting, key};
use crate::problem::catalogue;
use crate::{Error, Result};

/// Every constant of the problem with this name, in the order of its file.
pub fn of_problem(name: &str) -> Result<Vec<Setting>> {
    let parts: &[&[Setting]] = match name {
        "1dcr" => &[RESIDUAL_1D],
        "advection" => &[ADVECTION, WAVES],
        "burgers" => &[BURGERS, WAVES],
        "darcy" => &[DARCY],
        "plume" => &[PLUME],
        _ => {
            return Err(Error::unknown_name(
                "problem",
                name,
                catalogue::NAMES.join(", "),
            ));
        }
    };
    Ok(parts.concat())
}

const RESIDUAL_1D: &[Setting] = &[
    key("resolution", "Number of points."),
    key("slope_min", "Smallest slope k of the input k x."),
    key("slope_max", "Largest slope k of the input k x."),
    key(
        "alpha",
        "How much of the low-fidelity solution the residual repeats.",
    ),
    key(
        "beta",
        "Size of the new deterministic part of the residual.",
    ),
    key("gamma", "Size of the random residual."),
    key(
        "length",
        "Length scale of the squared-exponential kernel of the random residual.",
    ),
    key(
        "amplitude",
        "Standard deviation of the random residual before it is scaled by gamma.",
    ),
    key("modes", "Karhunen-Loeve modes kept of the random residual."),
];

const ADVECTION: &[Setting] = &[
    key(
        "resolution",
        "Time steps and points: one number for both, or [steps, points].",
    ),
    key("speed", "Transport velocity; its sign is the direction."),
    key("end_time", "Length of the simulated time."),
];

const BURGERS: &[Setting] = &[
    key(
        "resolution",
        "Time steps and points: one number for both, or [steps, points].",
    ),
    key("viscosity", "Viscosity."),
    key("end_time", "Length of the simulated time."),
];

/// Constants that advection and Burgers share.
const WAVES: &[Setting] = &[
    key("waves", "The input, a sum of sines."),
    key("waves.terms", "How many sines are added."),
    key(
        "waves.max_wave_number",
        "Wave numbers are drawn from 1 to this.",
    ),
    key(
        "uncertainty",
        "What is not known of the initial state: a factor 1 + a sum of random waves.",
    ),
    key("uncertainty.modes", "Wave numbers of that sum, from 1."),
    key(
        "uncertainty.deviation",
        "Standard deviation of every coefficient.",
    ),
    key(
        "filter",
        "What the low-fidelity solver sees of the initial state.",
    ),
    key(
        "filter.keep",
        "Wave numbers below max(2, floor(keep * reference)) survive.",
    ),
    key(
        "filter.damping",
        "Exponent of the damping exp(-damping k / reference).",
    ),
    key("filter.scale", "Factor on every amplitude."),
    key(
        "filter.reference",
        "The wave number against which the others are measured, at every resolution.",
    ),
];

const DARCY: &[Setting] = &[
    key("resolution", "Nodes along x and y, which must be equal."),
    key(
        "coarsening",
        "The low-fidelity solver has this many times fewer nodes along each axis.",
    ),
    key(
        "coarse",
        "Which permeability it is given at them: nodes takes that of every coarsening-th node, \
         interpolation that at the same places.",
    ),
    key(
        "well",
        "Where fluid enters: centre or corner. It leaves at the corner (1, 1).",
    ),
    key("rate", "Source inside the entering well."),
    key("well_size", "Side of the square wells."),
    key(
        "permeability",
        "The input a = exp(G), where G has the covariance exp(-r / length).",
    ),
    key("permeability.length", "Correlation length."),
    key("permeability.modes", "Karhunen-Loeve modes kept."),
    key(
        "permeability.coefficients",
        "The law of their coefficients: normal as in the paper's text, or uniform as in its tables.",
    ),
    key(
        "permeability.bounds",
        "Between which numbers uniform coefficients lie.",
    ),
    key(
        "uncertainty",
        "What is not known of the permeability: K = a (1 + scale * eps), with eps of covariance \
         amplitude^2 exp(-r^2 / 2 length^2).",
    ),
    key(
        "uncertainty.scale",
        "Size of the relative perturbation of the permeability.",
    ),
    key("uncertainty.amplitude", "Standard deviation of eps."),
    key("uncertainty.length", "Correlation length of eps."),
    key("uncertainty.modes", "Karhunen-Loeve modes kept of eps."),
];

const PLUME: &[Setting] = &[
    key("resolution", "Points along y and x."),
    key("sources", "How many sources an input has."),
    key(
        "weight",
        "Probability of the first direction; 1 leaves a law of one mode.",
    ),
    key("directions", "Angles of the wind against x, in degrees."),
    key(
        "noise",
        "Deviation of the angle around them, in degrees; without it and with one direction the law is \
         log-normal at every point.",
    ),
    key("sigma", "Deviation of the logarithm of the strength."),
    key("reach", "How far the wind carries."),
    key("width", "Deviation of a puff when it is released."),
    key("spread", "Deviation that it gains on its way."),
    key("puffs", "Puffs that make the plume."),
    key("low_puffs", "Puffs of the low-fidelity solver."),
    key(
        "low_spread",
        "Deviation that they gain, more than in truth because the wind may turn.",
    ),
];
