//! A network as data: its sizes, its named weights, the waves of its time.

mod config;
mod shapes;
pub mod time;
mod weight;

pub use config::{FilmFnoConfig, box_shape};
pub use shapes::Shapes;
pub use weight::Weight;
