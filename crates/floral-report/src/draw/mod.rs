//! Drawing: tables, figures and pages as text, SVG and HTML, from plain numbers.
//!
//! A [`Page`] is one self-contained file: it opens from disk, follows the reader's light or dark theme
//! and fits a phone.

mod bars;
mod colour;
mod colour_map;
mod escape;
mod figure;
mod frame;
mod label;
mod latex;
mod legend;
mod map_row;
mod page;
mod panels;
mod png;
mod print;
mod scale;
mod style;
mod table;
#[cfg(test)]
mod testing;
mod text;

pub use bars::{Bar, Bars};
pub use colour::Colour;
pub use colour_map::{COLOURS, ColourMap};
pub use escape::escaped;
pub use figure::{Curve, Dash, Figure};
pub use label::{Label, typeset};
pub use page::{Block, Group, Interactive, Page, Section};
pub use panels::{Map, MapRow, Panels, SLENDEREST, Span};
pub use png::png;
pub use print::{pdf, raster, standalone};
pub use scale::Scale;
pub(crate) use scale::extremes;
pub use table::{Best, Column, Row, Table};

#[cfg(test)]
mod laws;
