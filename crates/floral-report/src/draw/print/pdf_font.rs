//! The letters of a page as an embedded font of its PDF file.

use std::collections::BTreeMap;

use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Filter, Name, Pdf, Rect, Ref, Str};
use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, GlyphId, MetadataProvider};
use subsetter::GlyphRemapper;
use usvg::layout::PositionedGlyph;

use super::FONT;
use super::drawing::undrawable;
use super::pdf::deflated;
use floral::Result;

/// The name of the font on the page.
pub(super) const NAME: &[u8] = b"F";

/// Number of PDF objects of the font.
pub(super) const PARTS: i32 = 5;

/// The name of the font in the file. Six letters and a plus sign mark a subset of a font.
const BASE: Name = Name(b"FLORAL+DejaVuSansCondensed");

/// Font units per font size.
pub(super) const UNITS: f32 = 2048.0;

/// Width of the stems of upright letters, in thousandths of the font size.
const STEM: f32 = 90.0;

/// The letters that a page uses, in order of first use.
#[derive(Default)]
pub(super) struct Letters {
    glyphs: GlyphRemapper,
    meanings: BTreeMap<u16, String>,
}

impl Letters {
    /// The code of a letter in the file.
    pub fn code(&mut self, glyph: &PositionedGlyph) -> u16 {
        let code = self.glyphs.remap(glyph.id.0 as u16);
        self.meanings
            .entry(code)
            .or_insert_with(|| glyph.text.clone());
        code
    }
}

/// Writes the font into the file: its letters, their widths, and the characters they stand for, so
/// that the text can be searched.
pub(super) fn embed(pdf: &mut Pdf, at: Ref, letters: &Letters) -> Result<()> {
    let [font, descendant, descriptor, file, meanings] =
        std::array::from_fn::<_, { PARTS as usize }, _>(|i| Ref::new(at.get() + i as i32));
    pdf.type0_font(font)
        .base_font(BASE)
        .encoding_predefined(Name(b"Identity-H"))
        .descendant_font(descendant)
        .to_unicode(meanings);
    let whole = FontRef::new(FONT).map_err(|error| undrawable(&error))?;
    describe_letters(pdf, descendant, descriptor, &whole, letters);
    describe_font(pdf, descriptor, file, &whole);
    let used = subsetter::subset(FONT, 0, &letters.glyphs).map_err(|error| undrawable(&error))?;
    let used = deflated(&used);
    pdf.stream(file, &used).filter(Filter::FlateDecode);
    let mut characters = UnicodeCmap::<u16>::new(Name(b"Characters"), identity());
    for (code, text) in &letters.meanings {
        characters.pair_with_multiple(*code, text.chars());
    }
    pdf.cmap(meanings, &characters.finish());
    Ok(())
}

fn identity() -> SystemInfo<'static> {
    SystemInfo {
        registry: Str(b"Adobe"),
        ordering: Str(b"Identity"),
        supplement: 0,
    }
}

/// Font metrics in a PDF file are in thousandths of the font size.
fn thousandths() -> Size {
    Size::new(1000.0)
}

fn describe_letters(pdf: &mut Pdf, at: Ref, descriptor: Ref, whole: &FontRef, letters: &Letters) {
    let metrics = whole.glyph_metrics(thousandths(), LocationRef::default());
    let width = |glyph: u16| metrics.advance_width(GlyphId::from(glyph)).unwrap_or(0.0);
    let mut font = pdf.cid_font(at);
    font.subtype(CidFontType::Type2)
        .base_font(BASE)
        .system_info(identity())
        .font_descriptor(descriptor)
        .cid_to_gid_map_predefined(Name(b"Identity"));
    font.widths()
        .consecutive(0, letters.glyphs.remapped_gids().map(width));
}

fn describe_font(pdf: &mut Pdf, at: Ref, file: Ref, whole: &FontRef) {
    let metrics = whole.metrics(thousandths(), LocationRef::default());
    let bounds = metrics.bounds.unwrap_or_default();
    pdf.font_descriptor(at)
        .name(BASE)
        .flags(FontFlags::SYMBOLIC)
        .bbox(Rect::new(
            bounds.x_min,
            bounds.y_min,
            bounds.x_max,
            bounds.y_max,
        ))
        .italic_angle(0.0)
        .ascent(metrics.ascent)
        .descent(metrics.descent)
        .cap_height(metrics.cap_height.unwrap_or(metrics.ascent))
        .stem_v(STEM)
        .font_file2(file);
}
