//! A network as data: its sizes, its named weights, its points, the frequencies of its time
//! embedding.

mod backbone;
mod config;
mod nodes;
mod shapes;
mod slices;
pub mod time;
mod weight;

pub use backbone::Backbone;
pub use config::{FilmFnoConfig, box_shape};
pub use nodes::Nodes;
pub use shapes::Shapes;
pub use slices::SlicesConfig;
pub use weight::Weight;
