//! The names of units and prefixes in UDUNITS: names in any case and in the plural, symbols exactly
//! as written. Ambiguous names such as `ton`, `year` or `mb` are left out.

use std::f64::consts::{PI, TAU};

use super::{Dimensions, Unit};

const NUMBER: Dimensions = [0; 7];
const LENGTH: Dimensions = [1, 0, 0, 0, 0, 0, 0];
const MASS: Dimensions = [0, 1, 0, 0, 0, 0, 0];
const TIME: Dimensions = [0, 0, 1, 0, 0, 0, 0];
const TEMPERATURE: Dimensions = [0, 0, 0, 1, 0, 0, 0];
const FREQUENCY: Dimensions = [0, 0, -1, 0, 0, 0, 0];
const AREA: Dimensions = [2, 0, 0, 0, 0, 0, 0];
const VOLUME: Dimensions = [3, 0, 0, 0, 0, 0, 0];
const SPEED: Dimensions = [1, 0, -1, 0, 0, 0, 0];
const FORCE: Dimensions = [1, 1, -2, 0, 0, 0, 0];
const PRESSURE: Dimensions = [-1, 1, -2, 0, 0, 0, 0];
const ENERGY: Dimensions = [2, 1, -2, 0, 0, 0, 0];

/// A unit: its scale in base units, dimensions, symbols, and names in lower case.
type Entry = (
    f64,
    Dimensions,
    &'static [&'static str],
    &'static [&'static str],
);

const UNITS: &[Entry] = &[
    (1.0, LENGTH, &["m"], &["meter", "metre"]),
    (1e-3, MASS, &["g"], &["gram"]),
    (1.0, TIME, &["s"], &["second", "sec"]),
    (1.0, TEMPERATURE, &["K"], &["kelvin"]),
    (1.0, [0, 0, 0, 0, 1, 0, 0], &["A"], &["ampere", "amp"]),
    (1.0, [0, 0, 0, 0, 0, 1, 0], &["mol"], &["mole"]),
    (1.0, [0, 0, 0, 0, 0, 0, 1], &["cd"], &["candela"]),
    (1.0, NUMBER, &["rad"], &["radian"]),
    (1.0, NUMBER, &["sr"], &["steradian"]),
    (1.0, FREQUENCY, &["Hz"], &["hertz"]),
    (1.0, FREQUENCY, &["Bq"], &["becquerel"]),
    (1.0, FORCE, &["N"], &["newton"]),
    (1.0, PRESSURE, &["Pa"], &["pascal"]),
    (1.0, ENERGY, &["J"], &["joule"]),
    (1.0, [2, 1, -3, 0, 0, 0, 0], &["W"], &["watt"]),
    (1.0, [0, 0, 1, 0, 1, 0, 0], &["C"], &["coulomb"]),
    (1.0, [2, 1, -3, 0, -1, 0, 0], &["V"], &["volt"]),
    (1.0, [-2, -1, 4, 0, 2, 0, 0], &["F"], &["farad"]),
    (1.0, [2, 1, -3, 0, -2, 0, 0], &["Ω"], &["ohm"]),
    (1.0, [-2, -1, 3, 0, 2, 0, 0], &["S"], &["siemens"]),
    (1.0, [2, 1, -2, 0, -1, 0, 0], &["Wb"], &["weber"]),
    (1.0, [0, 1, -2, 0, -1, 0, 0], &["T"], &["tesla"]),
    (1.0, [2, 1, -2, 0, -2, 0, 0], &["H"], &["henry"]),
    (1.0, [0, 0, 0, 0, 0, 0, 1], &["lm"], &["lumen"]),
    (1.0, [-2, 0, 0, 0, 0, 0, 1], &["lx"], &["lux"]),
    (1.0, [2, 0, -2, 0, 0, 0, 0], &["Gy"], &["gray"]),
    (1.0, [2, 0, -2, 0, 0, 0, 0], &["Sv"], &["sievert"]),
    (1.0, [0, 0, -1, 0, 0, 1, 0], &["kat"], &["katal"]),
    (1e-3, VOLUME, &["L", "l"], &["liter", "litre"]),
    (1e3, MASS, &[], &["tonne", "metric_ton"]),
    (1e5, PRESSURE, &["bar"], &["bar"]),
    (1e-7, ENERGY, &["erg"], &["erg"]),
    (1e-5, FORCE, &[], &["dyne"]),
    (1e-4, [0, 1, -2, 0, -1, 0, 0], &[], &["gauss"]),
    (1e-1, [-1, 1, -1, 0, 0, 0, 0], &[], &["poise"]),
    (1e-10, LENGTH, &["Å"], &["angstrom"]),
];

/// Units that take no prefix, because the rest of a word could be mistaken for one.
const ALONE: &[Entry] = &[
    (60.0, TIME, &["min"], &["minute"]),
    (3600.0, TIME, &["h", "hr"], &["hour"]),
    (86400.0, TIME, &["d"], &["day"]),
    (604_800.0, TIME, &[], &["week"]),
    (1e3, MASS, &["t"], &[]),
    (1e-6, LENGTH, &[], &["micron"]),
    (0.0254, LENGTH, &["in"], &["inch"]),
    (0.3048, LENGTH, &["ft"], &["foot"]),
    (0.9144, LENGTH, &["yd"], &["yard"]),
    (1609.344, LENGTH, &["mi"], &["mile"]),
    (1852.0, LENGTH, &["nmile"], &["nautical_mile"]),
    (0.453_592_37, MASS, &["lb"], &["pound"]),
    (1852.0 / 3600.0, SPEED, &["kt", "kts"], &["knot"]),
    (1e4, AREA, &["ha"], &["hectare"]),
    (101_325.0, PRESSURE, &["atm"], &["atmosphere"]),
    (1e6, [3, 0, -1, 0, 0, 0, 0], &[], &["sverdrup"]),
    (TAU, NUMBER, &[], &["turn", "cycle", "revolution"]),
    (PI / 180.0, NUMBER, &["°", "deg"], &["degree", "arc_degree"]),
    (
        PI / 180.0,
        NUMBER,
        &["degree_N", "degrees_N", "degree_E", "degrees_E"],
        &[],
    ),
    (
        PI / 180.0,
        NUMBER,
        &[],
        &[
            "degree_north",
            "degrees_north",
            "degree_east",
            "degrees_east",
        ],
    ),
    (PI / 180.0, NUMBER, &[], &["degree_true", "degrees_true"]),
    (
        PI / 10_800.0,
        NUMBER,
        &["'", "arcmin"],
        &["arc_minute", "arcminute"],
    ),
    (
        PI / 648_000.0,
        NUMBER,
        &["\"", "arcsec"],
        &["arc_second", "arcsecond"],
    ),
    (1e-2, NUMBER, &["%"], &["percent"]),
    (1e-6, NUMBER, &["ppm", "ppmv"], &[]),
    (1e-9, NUMBER, &["ppb", "ppbv"], &[]),
    (1.0, NUMBER, &[], &["count"]),
];

const PREFIXES: &[(&str, &str, f64)] = &[
    ("y", "yocto", 1e-24),
    ("z", "zepto", 1e-21),
    ("a", "atto", 1e-18),
    ("f", "femto", 1e-15),
    ("p", "pico", 1e-12),
    ("n", "nano", 1e-9),
    ("u", "micro", 1e-6),
    ("m", "milli", 1e-3),
    ("c", "centi", 1e-2),
    ("d", "deci", 1e-1),
    ("da", "deka", 1e1),
    ("h", "hecto", 1e2),
    ("k", "kilo", 1e3),
    ("M", "mega", 1e6),
    ("G", "giga", 1e9),
    ("T", "tera", 1e12),
    ("P", "peta", 1e15),
    ("E", "exa", 1e18),
    ("Z", "zetta", 1e21),
    ("Y", "yotta", 1e24),
];

/// Words that precede the initial or name of a temperature scale.
const DEGREES: [&str; 4] = ["deg", "degree", "degrees", "°"];

/// The unit with a name or symbol; none if it is unknown.
pub(super) fn unit(word: &str) -> Option<Unit> {
    let own = temperature(word)
        .or_else(|| of(ALONE, word))
        .or_else(|| of(UNITS, word));
    own.or_else(|| prefixed(word))
}

/// Whether two words denote a temperature scale, as in `degrees Celsius`.
pub(super) fn is_scale(degrees: &str, word: &str) -> bool {
    DEGREES.contains(&degrees.to_ascii_lowercase().as_str()) && scale(word).is_some()
}

/// Temperature scales: those with an offset, and kelvin written as `degrees_K`.
fn temperature(word: &str) -> Option<Unit> {
    let lower = word.to_ascii_lowercase();
    if matches!(lower.as_str(), "celsius" | "fahrenheit") {
        return scale(word);
    }
    DEGREES.iter().find_map(|degrees| {
        let rest = lower.strip_prefix(degrees)?;
        let initial = word.get(word.len() - rest.len()..)?;
        scale(initial.strip_prefix('_').unwrap_or(initial))
    })
}

fn scale(word: &str) -> Option<Unit> {
    let (scale, zero) = match word {
        "K" => (1.0, 0.0),
        "C" => (1.0, 273.15),
        "F" => (5.0 / 9.0, 459.67 * 5.0 / 9.0),
        _ => match word.to_ascii_lowercase().as_str() {
            "kelvin" | "kelvins" => (1.0, 0.0),
            "celsius" => (1.0, 273.15),
            "fahrenheit" => (5.0 / 9.0, 459.67 * 5.0 / 9.0),
            _ => return None,
        },
    };
    Some(Unit {
        zero,
        ..Unit::new(scale, TEMPERATURE)
    })
}

fn of(entries: &[Entry], word: &str) -> Option<Unit> {
    symbol(entries, word).or_else(|| name(entries, &word.to_ascii_lowercase()))
}

fn symbol(entries: &[Entry], word: &str) -> Option<Unit> {
    let entry = entries
        .iter()
        .find(|(.., symbols, _)| symbols.contains(&word))?;
    Some(Unit::new(entry.0, entry.1))
}

/// The unit with a name in lower case, or its plural.
fn name(entries: &[Entry], word: &str) -> Option<Unit> {
    let singular = match word {
        "feet" => Some("foot"),
        "inches" => Some("inch"),
        "henries" => Some("henry"),
        _ => word.strip_suffix('s'),
    };
    let is_named =
        |names: &[&str]| names.contains(&word) || singular.is_some_and(|one| names.contains(&one));
    let entry = entries.iter().find(|(.., names)| is_named(names))?;
    Some(Unit::new(entry.0, entry.1))
}

/// A symbol after the symbol of a prefix, or a name after the name of a prefix.
fn prefixed(word: &str) -> Option<Unit> {
    let lower = word.to_ascii_lowercase();
    PREFIXES.iter().find_map(|(short, long, scale)| {
        let by_symbol = || symbol(UNITS, word.strip_prefix(short)?);
        let by_name = || name(UNITS, lower.strip_prefix(long)?);
        let unit = by_name().or_else(by_symbol)?;
        Some(Unit::new(scale * unit.scale, unit.dimensions))
    })
}
