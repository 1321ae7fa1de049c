//! Reports: tables, figures and pages as text, SVG and HTML, from plain numbers.
//!
//! A [`Page`] is one file without references to others: it opens from disk, follows the reader's
//! light or dark theme and fits a phone.

mod colour;
mod escape;
mod figure;
mod page;
mod scale;
mod style;
mod table;
#[cfg(test)]
mod testing;

pub use colour::Colour;
pub use escape::escaped;
pub use figure::{Curve, Figure};
pub use page::{Block, Page, Section};
pub use scale::Scale;
pub use table::{Best, Column, Row, Table};
