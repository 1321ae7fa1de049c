//! Reports of FLORAL's predictions: several runs beside the truth, as a page, figures and tables.
//!
//! - [`draw`]: tables, figures and pages from plain numbers, as text, SVG, HTML, PNG and PDF;
//! - [`report`]: what is compared and said, drawn with it.

pub mod draw;
pub mod report;
