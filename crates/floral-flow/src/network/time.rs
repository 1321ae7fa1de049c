//! The frequencies by which the flow time is embedded.

/// Number of frequencies.
pub const WAVES: usize = 5;
const LOWEST: f64 = 0.1;
const HIGHEST: f64 = 100.0;

/// Channels of the embedding: a sine and a cosine for each frequency.
pub const TIME_CHANNELS: usize = 2 * WAVES;

/// Log-spaced frequencies from 0.1 to 100.
pub fn frequencies() -> [f32; WAVES] {
    std::array::from_fn(|i| {
        let fraction = i as f64 / (WAVES - 1) as f64;
        (LOWEST * (HIGHEST / LOWEST).powf(fraction)) as f32
    })
}
