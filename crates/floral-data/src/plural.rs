//! Counts in words: one input, two inputs.

/// `1 realization`, `2 realizations`; the last word of `thing` takes the plural.
pub fn counted(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_singular_and_none_is_plural() {
        assert_eq!(counted(1, "realization"), "1 realization");
        assert_eq!(counted(0, "input"), "0 inputs");
        assert_eq!(
            counted(2500, "fresh realization"),
            "2500 fresh realizations"
        );
    }
}
