//! The keys of a training.

use super::{Setting, key, optional};

/// Every key of a [`TrainConfig`](crate::train::TrainConfig), in the order of its file.
pub const TRAINING: &[Setting] = &[
    key(
        "method",
        "What is learned, and by what: floral-kl and kriging are regressions in closed form; floral \
         (flow of the residual to low fidelity), flora (flow of the solution), residual-fno and fno are \
         networks, trained by gradient descent.",
    ),
    key(
        "seed",
        "The seed of initial weights, batches, times and priors.",
    ),
    optional(
        "resolution",
        "[16, 16]",
        "Points per axis to train on, one number each, which must divide the dataset's: every s-th \
         point is taken. All points if absent.",
    ),
    optional(
        "symmetries",
        "[\"roll:x\", \"sign\"]",
        "Symmetries that regressions make use of: roll:AXIS, roll:AXIS:1/2, sign, reflect:AXIS:-, \
         transpose:AXIS,AXIS, scale:-1. Those of the dataset if absent.",
    ),
    key(
        "law",
        "The law of realizations of floral-kl and kriging: resampled takes runs of training inputs that \
         resemble the new one, normal has their covariance alone.",
    ),
    optional(
        "budget",
        "\"2m\"",
        "The time that floral-kl may take, in seconds or with a unit (s, m, h): simple candidates come \
         first, the network last, and what there is no time for is left out. Without a budget the work \
         depends on the data alone, and so does the result.",
    ),
    optional(
        "without",
        "\"network\"",
        "A part that floral-kl goes without, to see what it contributes: constants, local, kernels, \
         processes, symmetries (found ones), network or calibration.",
    ),
    key(
        "transform",
        "Functions through which the solution's channels are learned, one for all or a list with one \
         for each: none, log, sqrt, positive, bounded:FROM:TO. Empty for none.",
    ),
    key(
        "split",
        "Inputs by what they serve: testing first, then validation, then training.",
    ),
    optional(
        "split.test",
        "15",
        "Inputs kept for evaluation. If absent, the first 15; of fewer than 60 inputs 15 %.",
    ),
    optional(
        "split.validation",
        "15",
        "Inputs that watch a network's training, or choose among regressions. If absent, 15 for a \
         network, of fewer than 60 inputs 15 %, and none for a regression: its training inputs judge \
         each other, each left out in its turn.",
    ),
    optional(
        "split.train",
        "40",
        "Inputs to train on; all that are left if absent.",
    ),
    key("low", "Where low fidelity comes from."),
    key(
        "low.kind",
        "What is taken for it: stored what the dataset holds or the command computes; filter the input \
         without its short waves, mean the mean of the training solutions, zero; none nothing at all.",
    ),
    optional(
        "low.command",
        "\"./solve {input} {output}\"",
        "A command that computes it for inputs that lack it.",
    ),
    optional(
        "low.version",
        "\"2.1\"",
        "A name for the version of the command's solver; results of another are not taken for its own.",
    ),
    key("low.timeout", "Seconds after which a command is ended."),
    key(
        "low.keep",
        "Share of the wave numbers of each axis that filter keeps.",
    ),
    key("network", "The network's sizes."),
    key(
        "network.kind",
        "What its layers do: fno are the paper's Fourier layers, on grids; slices attend over learned \
         slices of the points, on grids and meshes.",
    ),
    key("network.hidden_channels", "Width of the layers."),
    key("network.layers", "Number of layers."),
    key(
        "network.film_channels",
        "Width of the hidden layers of every FiLM, by which the condition steers the layers.",
    ),
    optional(
        "network.n_modes",
        "[32, 32]",
        "Kept frequencies per axis, of kind fno; half the training resolution if absent.",
    ),
    key(
        "network.slices",
        "Slices of each head, of kind slices: how many parts the points gather in.",
    ),
    key(
        "network.heads",
        "Heads of the attention, of kind slices; they divide hidden_channels.",
    ),
    key("prior", "The random field from which the flow starts."),
    key(
        "prior.kernel",
        "Family of its covariance: rbf, matern12, matern32, matern52; white for independent points.",
    ),
    key("prior.length", "Correlation length."),
    key(
        "prior.coordinates",
        "What the length is measured in: unit maps every axis to the unit interval, raw takes the \
         grid's own coordinates.",
    ),
    key("prior.variance", "Variance at every point."),
    key("prior.noise", "Variance of white noise added to it."),
    key("path", "The path from the prior to the data."),
    key(
        "path.sigma_min",
        "Width of the path relative to its length.",
    ),
    key(
        "path.norm",
        "The norm of that length: root-mean-square over the grid, or mean-square as the reference \
         implementation has it.",
    ),
    key(
        "path.coupling",
        "Which draws of the prior lead to which realizations of an input: independent any to any, \
         nearest those of least total squared length.",
    ),
    key("optimiser", "How the loss is brought down, by Adam."),
    key("optimiser.batch", "Samples per step."),
    key(
        "optimiser.rows",
        "What a sample is of fno and residual-fno: realizations, or inputs for the mean of each \
         input's, which has the same minimiser without their noise.",
    ),
    key(
        "optimiser.learning_rate",
        "Learning rate of the first epoch.",
    ),
    key(
        "optimiser.decay",
        "Factor on the learning rate every decay_every epochs.",
    ),
    key("optimiser.decay_every", "Epochs between two such factors."),
    key(
        "optimiser.weight_decay",
        "L2 weight decay, added to the gradient as in classic Adam.",
    ),
    key(
        "optimiser.clip",
        "Largest norm of the gradient; longer ones are scaled down.",
    ),
    key(
        "optimiser.average",
        "Decay of a running mean of the weights, such as 0.999, which is validated and kept in their \
         place; 0 for none.",
    ),
    key("stopping", "When training stops."),
    key("stopping.epochs", "At most this many epochs."),
    key(
        "stopping.patience",
        "Stop after this number of epochs without improvement of the validation loss.",
    ),
    key(
        "stopping.least_improvement",
        "How much lower the validation loss must be to count as improved.",
    ),
    key(
        "stopping.validation_samples",
        "Validation samples on which the loss is computed, evenly spaced among all; 0 for all of them.",
    ),
];
