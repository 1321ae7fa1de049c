//! Facts of UDUNITS 2.2.28, and cases in which FLORAL is more careful.

use std::f64::consts::PI;

use super::*;

#[test]
fn different_spellings_of_a_unit_are_the_same() {
    for (one, other) in [
        ("m", "metre"),
        ("meters", "METRES"),
        ("m/s", "m s-1"),
        ("m s^-1", "m.s-1"),
        ("meters per second", "m/s"),
        ("kg m**-3", "kg/m3"),
        ("µm", "micrometre"),
        ("W m⁻² K⁻¹", "W/(m2 K)"),
        ("W/m2/K", "W m-2 K-1"),
        ("W/m2 K", "W m-2 K"),
        ("m/s*s", "m"),
        ("W m-2 degC-1", "W m-2 K-1"),
        ("N-m", "J"),
        ("hPa", "mbar"),
        ("N m-2", "Pa"),
        ("degC", "celsius"),
        ("degrees Celsius", "°C"),
        ("deg C", "degree_Celsius"),
        ("deg K", "K"),
        ("degrees Kelvin", "KELVIN"),
        ("degrees_K", "kelvins"),
        ("degF", "degrees Fahrenheit"),
        ("degrees_north", "degree"),
        ("m²", "m^+2"),
        ("Å", "angstrom"),
        ("Ω", "ohms"),
        ("1", "1 "),
        ("furlong", "furlong"),
        ("hours since 2000-01-01", "h since 2000-1-1T00:00:00Z"),
        (
            "s since 1970-01-01",
            "seconds since 1970-01-01 00:00:00 UTC",
        ),
    ] {
        assert_eq!(relation(one, other), Relation::Same, "{one}, {other}");
    }
}

#[test]
fn values_are_taken_across_and_back() {
    for (from, to, factor, offset) in [
        ("mm", "m", 1e-3, 0.0),
        ("kPa", "Pa", 1e3, 0.0),
        ("hPa", "bar", 1e-3, 0.0),
        ("h", "s", 3600.0, 0.0),
        ("days", "hours", 24.0, 0.0),
        ("km/h", "m/s", 1.0 / 3.6, 0.0),
        ("cm2", "m2", 1e-4, 0.0),
        ("degrees", "rad", PI / 180.0, 0.0),
        ("1.5 m", "m", 1.5, 0.0),
        ("2.5 s", "s", 2.5, 0.0),
        ("1.5m", "m", 1.5, 0.0),
        ("1e-3 m", "m", 1e-3, 0.0),
        ("10-3 m", "m", 1e-3, 0.0),
        ("10^-3 m", "m", 1e-3, 0.0),
        ("kg (10 m)-1", "kg m-1", 0.1, 0.0),
        ("degF-1", "K-1", 1.8, 0.0),
        ("knots", "m/s", 0.514_444_444_444_444_5, 0.0),
        ("g/kg", "1", 1e-3, 0.0),
        ("%", "1", 0.01, 0.0),
        ("ppm", "1", 1e-6, 0.0),
        ("feet", "inches", 12.0, 0.0),
        ("degC", "K", 1.0, 273.15),
        ("degC", "degF", 1.8, 32.0),
        ("degF", "K", 5.0 / 9.0, 255.372_222_222_222_23),
        ("K @ 273.15", "K", 1.0, 273.15),
        (
            "hours since 2000-01-01",
            "hours since 2009-01-01",
            1.0,
            -78912.0,
        ),
        (
            "days since 2000-01-01 06:00",
            "hours since 2000-01-01",
            24.0,
            6.0,
        ),
        (
            "hours since 2000-1-1 0:0:0 +02:00",
            "hours since 2000-01-01",
            1.0,
            -2.0,
        ),
        (
            "hours since 2000-01-01 6:00 -3",
            "hours since 2000-01-01",
            1.0,
            9.0,
        ),
        ("days since 2000-02-28", "days since 2000-03-01", 1.0, -2.0),
        ("days since 1900-02-28", "days since 1900-03-01", 1.0, -1.0),
    ] {
        let across = relation(from, to).conversion().unwrap();
        assert!(
            (across.factor / factor - 1.0).abs() < 1e-14,
            "{from}, {to}: {across}"
        );
        assert!(
            (across.offset - offset).abs() < 1e-12 * offset.abs().max(1.0),
            "{from}, {to}: {across}"
        );
        let back = relation(to, from).conversion().unwrap();
        assert!(
            (back.apply(across.apply(7.0)) - 7.0).abs() < 1e-9,
            "{from}, {to}"
        );
    }
}

#[test]
fn a_conversion_is_said_in_words() {
    for (from, to, words) in [
        ("mm", "m", "times 0.001"),
        ("degC", "K", "plus 273.15"),
        ("K", "degC", "plus -273.15"),
        ("degC", "degF", "times 1.8 plus 32"),
    ] {
        assert_eq!(relation(from, to).conversion().unwrap().to_string(), words);
    }
}

#[test]
fn what_measures_different_things_is_apart() {
    for (from, to) in [
        ("m", "s"),
        ("Pa", "1"),
        ("m", "m2"),
        ("W/m2 K", "W m-2 K-1"),
        ("hours since 2000-01-01", "hours"),
        ("degC", "m"),
    ] {
        assert_eq!(relation(from, to), Relation::Apart, "{from}, {to}");
    }
}

#[test]
fn what_is_unknown_or_read_in_two_ways_is_said_and_never_panics() {
    for text in [
        "furlong",
        "m99999999999",
        "m^",
        "m^0.5",
        "m2.5",
        "(m",
        "m)",
        "()",
        "((((((((((m))))))))))",
        "//",
        "m/",
        "/s",
        "m . s",
        "0 m",
        "-1 m",
        "é",
        "degİİİİ",
        "-",
        "1e999 m",
        "KM",
        "ton",
        "year",
        "mb",
        "10 degC",
        "hours since 2000-13-01",
        "days since 2000-02-30",
        "days since 0001-01-01",
        "hours since noon",
        "m since 2000-01-01",
        "",
    ] {
        for other in ["m", "K", "hours since 2000-01-01"] {
            assert_eq!(relation(text, other), Relation::Unknown, "{text}");
        }
    }
}
