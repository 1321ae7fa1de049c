//! The sizes of a network.

use burn::config::Config;

use crate::Error;
use crate::device::Adapter;
use crate::operator::time_embedding::TIME_CHANNELS;

/// Sizes of the network.
#[derive(Config, Debug, PartialEq)]
pub struct FilmFnoConfig {
    /// Channels of the field fed in: w, or a for regression.
    pub input_channels: usize,
    /// Channels of the field coming out.
    pub output_channels: usize,
    /// Channels of the condition: a, or a and G_l\[a\].
    pub condition_channels: usize,
    /// Kept frequencies per dimension, half the training resolution: one or two numbers.
    pub n_modes: Vec<usize>,
    /// Whether the flow time is an input; regression has none.
    #[config(default = true)]
    pub time: bool,
    /// Channels between the layers.
    #[config(default = 64)]
    pub hidden_channels: usize,
    /// Fourier layers.
    #[config(default = 4)]
    pub layers: usize,
    /// Width of the hidden layers of every FiLM.
    #[config(default = 64)]
    pub film_channels: usize,
}

impl FilmFnoConfig {
    /// Whether a network of these sizes exists.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let sizes = [
            ("input_channels", self.input_channels),
            ("output_channels", self.output_channels),
            ("condition_channels", self.condition_channels),
            ("hidden_channels", self.hidden_channels),
            ("layers", self.layers),
            ("film_channels", self.film_channels),
        ];
        if let Some((name, _)) = sizes.into_iter().find(|(_, size)| *size == 0) {
            return Err(unusable(format!("{name} must be at least 1; it is 0")));
        }
        let n_modes = &self.n_modes;
        if !(1..=2).contains(&n_modes.len()) || n_modes.contains(&0) {
            return Err(unusable(format!(
                "n_modes is {n_modes:?}; give one mode count for a line or two for a plane, each \
                 at least 1"
            )));
        }
        Ok(())
    }

    /// Whether a buffer of a card takes the largest of the weights, those of the modes.
    pub(crate) fn check_buffers(&self, adapter: &Adapter) -> Result<(), Error> {
        let [modes_y, modes_x] = self.mode_shape();
        let hidden = self.hidden_channels;
        let channels = (hidden * hidden).max(self.network_inputs() * self.output_channels);
        let bytes = 4.0 * (modes_y * (modes_x / 2 + 1)) as f64 * channels as f64;
        if bytes <= adapter.largest_buffer as f64 {
            return Ok(());
        }
        let (n_modes, megabytes) = (&self.n_modes, bytes / 1e6);
        Err(unusable(format!(
            "n_modes of {n_modes:?} with {hidden} hidden_channels make a weight of {megabytes:.0} MB, \
             and the device is {adapter}; choose fewer, or cpu"
        )))
    }

    /// The field and the time.
    pub(crate) fn network_inputs(&self) -> usize {
        self.input_channels + if self.time { TIME_CHANNELS } else { 0 }
    }

    /// Along y and x: a line is a plane of one row, which holds the zero frequency only.
    pub(crate) fn mode_shape(&self) -> [usize; 2] {
        match self.n_modes[..] {
            [y, x] => [y, x],
            _ => [1, self.n_modes[0]],
        }
    }
}

fn unusable(reason: String) -> Error {
    Error::Config {
        context: "network".into(),
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_that_no_buffer_of_a_card_takes_are_refused() {
        // 64 x 33 modes of 64 x 64 channels are 33 MiB.
        let network = FilmFnoConfig::new(1, 1, 2, vec![64, 64]);
        let with = |largest_buffer: u64| Adapter {
            name: "a card".into(),
            largest_buffer,
            memory: None,
        };
        assert!(network.check_buffers(&with(33 << 20)).is_ok());
        let refused = network.check_buffers(&with(32 << 20)).unwrap_err();
        let words = refused.to_string();
        assert!(
            words.contains("n_modes") && words.contains("a card"),
            "{words}"
        );
    }
}
