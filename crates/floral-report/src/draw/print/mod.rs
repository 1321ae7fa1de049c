//! Figures as files for a paper: PNG in pixels, PDF with vector graphics and text.
//!
//! Both are drawn from a figure's SVG on a light page with a built-in font, so that they are the
//! same on every machine. One unit of a drawing is 1/96 inch in both.

pub(super) mod drawing;
mod pdf;
mod pdf_content;
mod pdf_font;
mod raster;

pub use pdf::pdf;
pub use raster::raster;

/// DejaVu Sans Condensed 2.37, reduced to Latin, Greek, Cyrillic and mathematical characters. Its
/// terms are in `font/LICENSE`.
pub(super) const FONT: &[u8] = include_bytes!("font/DejaVuSansCondensed.ttf");

/// Units of a drawing per inch, as in CSS.
const UNITS_PER_INCH: f32 = 96.0;

/// An SVG for programs that do not know the CSS variables of a page: each variable is replaced by
/// its colour on a light page.
pub fn standalone(svg: &str) -> String {
    let mut parts = svg.split("var(");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let colour_and_rest = part.split_once(',').map(|(_, rest)| rest);
        match colour_and_rest.and_then(|rest| rest.split_once(')')) {
            Some((colour, rest)) => plain.extend([colour, rest]),
            None => plain.extend(["var(", part]),
        }
    }
    plain
}

#[cfg(test)]
mod tests;
