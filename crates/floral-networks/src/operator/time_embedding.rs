//! The flow time as ten waves of five frequencies.

use std::f64::consts::TAU;

use burn::tensor::{Tensor, TensorData};
pub use floral_flow::network::time::{TIME_CHANNELS, WAVES, frequencies};

use crate::device::is_processor;

/// sin(2 pi f tau), then cos(2 pi f tau). tau: \[batch\] -> [batch, 10].
pub fn embed(tau: Tensor<1>) -> Tensor<2> {
    let device = tau.device().inner();
    let turns = frequencies().map(|f| (TAU * f as f64) as f32);
    let turns = Tensor::<2>::from_data(TensorData::new(turns.to_vec(), [1, WAVES]), &device);
    let mut phase = tau.unsqueeze_dim::<2>(1) * turns;
    if !is_processor(&device) {
        phase = within_half_a_turn(phase);
    }
    Tensor::cat(vec![phase.clone().sin(), phase.cos()], 1)
}

/// The phase minus the nearest whole number of turns: Vulkan guarantees no accuracy of the sine
/// beyond.
///
/// Cody & Waite (1980), "Software manual for the elementary functions": a turn is split into two
/// parts, and products with the first are exact.
fn within_half_a_turn(phase: Tensor<2>) -> Tensor<2> {
    const LEADING: f64 = 201.0 / 32.0;
    let turns = (phase.clone() / TAU).round();
    phase - turns.clone() * LEADING - turns * (TAU - LEADING)
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::Device;

    #[test]
    fn every_wave_lies_on_the_unit_circle() {
        let tau = Tensor::<1>::from_floats([0.0, 0.3, 1.0], &Device::flex());
        let squares = embed(tau).powi_scalar(2);
        let radius = squares.clone().narrow(1, 0, WAVES) + squares.narrow(1, WAVES, WAVES);
        let values: Vec<f32> = radius.into_data().try_into_vec().unwrap();
        assert!(values.iter().all(|r| (r - 1.0).abs() < 1e-5), "{values:?}");
    }

    #[test]
    fn a_phase_less_whole_turns_has_the_same_sine() {
        let phases: Vec<f32> = (0..=1000).map(|i| i as f32 * 0.628_318_5).collect();
        let data = TensorData::new(phases.clone(), [1, phases.len()]);
        let reduced = within_half_a_turn(Tensor::from_data(data, &Device::flex()));
        let reduced: Vec<f32> = reduced.into_data().try_into_vec().unwrap();
        for (phase, reduced) in phases.into_iter().zip(reduced) {
            let difference = f64::from(phase).sin() - f64::from(reduced).sin();
            assert!(
                difference.abs() < 3e-7 && reduced.abs() < std::f32::consts::PI + 1e-4,
                "{phase} {reduced}"
            );
        }
    }
}
