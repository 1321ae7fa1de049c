//! Reports of FLORAL's predictions: several runs compared with the truth, as a page, figures and tables.
//!
//! - [`draw`]: tables, figures and pages from plain numbers, as text, SVG, HTML, PNG and PDF;
//! - [`live`]: a model of parameters as a page that predicts in the browser;
//! - [`report`]: the compared numbers, and the page, figures and tables that show them.

pub mod draw;
pub mod live;
pub mod report;
