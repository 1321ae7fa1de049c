//! Figures as files for a paper: PNG in pixels, PDF in lines and letters.
//!
//! Both are drawn from a figure's SVG on a light page with a built-in font, so that they are the same on
//! every machine. A unit of the drawing is 1/96 inch in either.

pub(super) mod drawing;
mod pdf;
mod pdf_content;
mod pdf_font;
mod raster;

pub use pdf::pdf;
pub use raster::raster;

/// DejaVu Sans Condensed 2.37, Latin, Greek, Cyrillic and mathematical signs of it; `font/LICENSE`
/// has its terms.
pub(super) const FONT: &[u8] = include_bytes!("font/DejaVuSansCondensed.ttf");

/// Units of a drawing per inch, as in CSS.
const UNITS_PER_INCH: f32 = 96.0;

/// An SVG for programs that do not know the variables of a page: each is replaced by its colour on a light
/// page.
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
