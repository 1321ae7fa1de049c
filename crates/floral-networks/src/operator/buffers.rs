//! Whether the weights of a network fit into the buffers of a graphics card.

use crate::device::Adapter;
use crate::operator::FilmFnoConfig;
use crate::{Error, Result};

/// Refuses sizes whose largest weight, that of the modes, exceeds a buffer of the card.
pub(super) fn check_buffers(sizes: &FilmFnoConfig, adapter: &Adapter) -> Result<()> {
    let [modes_z, modes_y, modes_x] = sizes.mode_shape();
    let hidden = sizes.hidden_channels;
    let channels = (hidden * hidden).max(sizes.network_inputs() * sizes.output_channels);
    let modes = [modes_z, modes_y, modes_x / 2 + 1].map(|n| n as f64);
    let bytes = 4.0 * modes.iter().product::<f64>() * channels as f64;
    if bytes <= adapter.largest_buffer as f64 {
        return Ok(());
    }
    let (n_modes, megabytes) = (&sizes.n_modes, bytes / 1e6);
    Err(Error::config(
        "network",
        format!(
            "n_modes of {n_modes:?} with {hidden} hidden_channels need a weight of {megabytes:.0} MB, \
             more than the largest buffer of {adapter}; reduce n_modes or hidden_channels, or use cpu"
        ),
    ))
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
        assert!(check_buffers(&network, &with(33 << 20)).is_ok());
        let refused = check_buffers(&network, &with(32 << 20)).unwrap_err();
        let words = refused.to_string();
        assert!(
            words.contains("n_modes") && words.contains("a card"),
            "{words}"
        );
    }
}
