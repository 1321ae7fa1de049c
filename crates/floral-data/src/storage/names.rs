//! Valid names of the arrays of a group: a name that becomes a folder must not lead out of the
//! group.

use super::group_plan::METADATA_FILE;

/// Largest length of a name, in bytes.
const LONGEST: usize = 100;

/// Why a name is invalid for an array; none if it is valid.
pub fn fault(name: &str) -> Option<String> {
    let is_bad = |c: char| c == '/' || c == '\\' || c.is_control();
    let reason = if name.is_empty() {
        "is empty"
    } else if name.len() > LONGEST {
        "is longer than 100 bytes"
    } else if name.contains(is_bad) {
        "holds a slash or a control character"
    } else if name.starts_with('.') || name.starts_with("__") {
        "begins with a dot or two underscores"
    } else if name == METADATA_FILE {
        "is that of a file of the format"
    } else {
        return None;
    };
    let shown: String = name.chars().take(LONGEST).collect();
    Some(format!("the name {shown:?} {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        let long = "x".repeat(101);
        for name in [
            "",
            ".",
            "..",
            "../x",
            "/x",
            "a/b",
            "a\\b",
            "x\n",
            ".x",
            "__x",
            "zarr.json",
            &long,
        ] {
            assert!(fault(name).is_some(), "{name:?}");
        }
        for name in [
            "x",
            "time",
            "axis0",
            "height above ground",
            "\u{3b8}",
            "C:x",
        ] {
            assert_eq!(fault(name), None);
        }
    }
}
