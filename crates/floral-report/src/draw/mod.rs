//! Reports: tables, figures and pages as text, SVG and HTML, from plain numbers.
//!
//! A [`Page`] is one file without references to others: it opens from disk, follows the reader's
//! light or dark theme and fits a phone.

mod colour;
mod colour_map;
mod escape;
mod figure;
mod frame;
mod latex;
mod page;
mod panels;
mod png;
mod print;
mod scale;
mod style;
mod table;
#[cfg(test)]
mod testing;

pub use colour::Colour;
pub use colour_map::{COLOURS, ColourMap};
pub use escape::escaped;
pub use figure::{Curve, Dash, Figure};
pub use page::{Block, Interactive, Page, Section};
pub use panels::{Map, MapRow, Panels, Span};
pub use png::png;
pub use print::{pdf, raster, standalone};
pub use scale::Scale;
pub use table::{Best, Column, Row, Table};
