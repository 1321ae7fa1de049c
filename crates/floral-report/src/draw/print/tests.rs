//! Tests of files for a paper.

use super::*;
use crate::draw::{Colour, ColourMap, Curve, Figure, Label, Map, MapRow, Panels, Span};

/// The width in pixels and the pixels of a figure, at one pixel per unit.
fn drawn(svg: &str) -> (usize, Vec<[u8; 3]>) {
    let file = raster(svg, 96).unwrap();
    pixels(&file)
}

fn pixels(file: &[u8]) -> (usize, Vec<[u8; 3]>) {
    crate::draw::png::pixels(file).unwrap()
}

fn curves() -> Figure {
    let x: Vec<f64> = (0..=10).map(f64::from).collect();
    Figure {
        title: "a title".into(),
        x_label: "x \u{2013} \u{3b8}".into(),
        y_label: "w".into(),
        curves: vec![
            Curve::line("truth", vec![1.0; 11], Colour::Ink).dashed(),
            Curve::line("floral", vec![0.0; 11], Colour::Blue)
                .with_band(&[0.5; 11])
                .marked(),
        ],
        x,
        ..Figure::default()
    }
}

fn maps() -> Panels {
    let span = |label: &str| Span {
        label: label.into(),
        from: 0.0,
        to: 1.0,
    };
    Panels {
        title: "fields".into(),
        x: span("x"),
        y: span("y"),
        height: 2,
        aspect: None,
        marks: Vec::new(),
        rows: vec![MapRow {
            label: "mean".into(),
            colours: ColourMap::Field,
            range: [0.0, 3.0],
            maps: vec![Map {
                title: "truth".into(),
                values: Some(vec![0.0, 1.0, 2.0, f64::NAN]),
            }],
        }],
    }
}

fn share(pixels: &[[u8; 3]], is_meant: impl Fn(&[u8; 3]) -> bool) -> f64 {
    pixels.iter().filter(|pixel| is_meant(pixel)).count() as f64 / pixels.len() as f64
}

fn hexadecimal(colour: Colour) -> [u8; 3] {
    let digits = colour.light().trim_start_matches('#');
    let value = u32::from_str_radix(digits, 16).unwrap();
    let [_, r, g, b] = value.to_be_bytes();
    [r, g, b]
}

fn contains(file: &[u8], part: &str) -> bool {
    file.windows(part.len()).any(|w| w == part.as_bytes())
}

#[test]
fn variables_become_the_colours_of_a_light_page() {
    let svg = curves().to_svg() + &maps().to_svg();
    assert!(svg.contains("var(--blue,#0072b2)"));
    let plain = standalone(&svg);
    assert!(!plain.contains("var(") && plain.contains("stroke:#0072b2;"));
    assert_eq!(standalone("a var(--b c"), "a var(--b c");
}

#[test]
fn a_figure_has_its_size_at_every_density() {
    for (density, width, height) in [(96, 480, 300), (200, 1000, 625), (300, 1500, 938)] {
        let (found, pixels) = pixels(&raster(&curves().to_svg(), density).unwrap());
        assert_eq!((found, pixels.len() / found), (width, height));
    }
    // A second line of the legend moves the upper edge above zero.
    let mut tall = curves();
    tall.curves[0].name = Some("a name too long for one line of the legend".into());
    let (width, pixels) = drawn(&tall.to_svg());
    assert_eq!(pixels.len() / width, 319);
}

#[test]
fn lines_bands_and_marks_have_their_colours() {
    let (_, pixels) = drawn(&curves().to_svg());
    let white = share(&pixels, |p| *p == [255; 3]);
    assert!((0.5..0.95).contains(&white), "{white}");
    let blue = hexadecimal(Colour::Blue);
    let line = share(&pixels, |p| *p == blue);
    assert!((0.002..0.03).contains(&line), "{line}");
    // White seen through blue with the band's opacity of 0.38.
    let pale = blue.map(|c| (255.0 - 0.38 * (255.0 - f64::from(c))).round());
    let is_pale = |p: &[u8; 3]| {
        p.iter()
            .zip(pale)
            .all(|(p, q)| (f64::from(*p) - q).abs() < 3.0)
    };
    let band = share(&pixels, is_pale);
    assert!((0.1..0.6).contains(&band), "{band}");
}

#[test]
fn labels_are_drawn_also_in_greek() {
    let dark = |figure: &Figure| {
        let (_, pixels) = drawn(&figure.to_svg());
        share(&pixels, |p| *p != [255; 3])
    };
    let mut without = curves();
    without.x_label = Label::default();
    let mut latin = curves();
    latin.x_label = "x \u{2013} ".into();
    assert!(dark(&without) < dark(&latin) && dark(&latin) < dark(&curves()));
}

/// The upper left corner of the first image of a drawing.
fn corner(svg: &str) -> [usize; 2] {
    let image = svg.split("<image ").nth(1).unwrap();
    let number = |name: &str| -> f64 {
        let rest = image.split(&format!("{name}=\"")).nth(1).unwrap();
        rest.split('"').next().unwrap().parse().unwrap()
    };
    ["x", "y"].map(|name| number(name).ceil() as usize)
}

#[test]
fn a_map_keeps_its_colours_and_its_gaps() {
    let (width, pixels) = drawn(&maps().to_svg());
    let table = ColourMap::Field.table();
    // The positions of the four values of the map: the last index increases to the right, the first
    // upwards.
    let [left, top] = corner(&maps().to_svg());
    let at = |x: usize, y: usize| pixels[(top + y) * width + left + x];
    assert_eq!(at(30, 90), table[0]);
    assert_eq!(at(90, 90), table[85]);
    assert_eq!(at(30, 30), table[170]);
    assert_eq!(at(90, 30), [255; 3], "no value");
    // The colour bar shows the last colour at the top and the first at the bottom.
    assert_eq!(at(120 + 12 + 6, 119), table[1]);
}

#[test]
fn a_page_has_the_size_of_its_figure_and_carries_its_font() {
    let file = pdf(&curves().to_svg()).unwrap();
    assert!(file.starts_with(b"%PDF-1.4"));
    assert!(contains(&file, "/Count 1"));
    assert!(contains(&file, "/MediaBox [0 0 360 225]"));
    for part in ["/FontFile2", "/ToUnicode", "FLORAL+DejaVuSansCondensed"] {
        assert!(contains(&file, part), "{part}");
    }
    assert!(!contains(&file, "/Subtype /Image"), "lines stay lines");
    assert!(file.len() < 30_000, "only the letters in use");
    assert_eq!(pdf(&curves().to_svg()).unwrap(), file, "the same each time");
}

#[test]
fn a_page_carries_the_pixels_of_its_maps() {
    let file = pdf(&maps().to_svg()).unwrap();
    let images = |part| file.windows(14).filter(|w| *w == part).count();
    assert_eq!(
        images(b"/Subtype /Imag"),
        3,
        "a map, its mask for a missing value, and the colour bar"
    );
    // The image has two by two values, not a raster of the drawn map.
    assert!(contains(&file, "/Width 2") && contains(&file, "/Height 2"));
}

#[test]
fn what_is_no_drawing_is_refused() {
    assert!(
        raster("<svg", 96)
            .unwrap_err()
            .to_string()
            .contains("drawn")
    );
    assert!(pdf("text").unwrap_err().to_string().contains("drawn"));
    let huge = raster(&curves().to_svg(), u32::MAX).unwrap_err();
    assert!(huge.to_string().contains("pixels are too many"), "{huge}");
}
