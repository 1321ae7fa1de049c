//! A tiny experiment: every step runs, nothing is learned.

use super::experiment::Experiment;

pub const TINY: &str = r#"
name = "tiny"
title = "Tiny"
problem = "1dcr"

[constants]
resolution = 16

[data]
realizations = 4
seed = 0

[protocol]
sizes = [4, 8]
timed_size = 8
resolutions = [8]
resolutions_size = 8

[training.split]
test = 2
validation = 1

[training.network]
hidden_channels = 4
film_channels = 4
layers = 1

[training.stopping]
epochs = 2

[evaluation]
realizations = 8
reference = 8
seed = 0
solver = { method = "euler", steps = 2 }

[scale.small]
training.stopping.epochs = 1

[paper]
grid = [64]

[paper.table1.fno]
4 = { mean_l2 = 1.5, rmse = 0.25, nrmse = 0.125 }
"#;

/// As its file says.
pub fn tiny() -> Experiment {
    Experiment::parse(TINY, super::experiment::PAPER_SCALE, "tiny.toml").expect("as written above")
}
