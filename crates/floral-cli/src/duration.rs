//! Durations in readable units.

/// A number of seconds in a suitable unit: seconds, minutes or hours.
pub fn readable(seconds: f64) -> String {
    match seconds {
        s if s < 99.5 => format!("{s:.0} s"),
        s if s < 5970.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.0} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_fitting_unit() {
        let words = [0.2, 99.0, 100.0, 3600.0, 7200.0].map(readable);
        assert_eq!(words, ["0 s", "99 s", "2 min", "60 min", "2 h"]);
    }
}
