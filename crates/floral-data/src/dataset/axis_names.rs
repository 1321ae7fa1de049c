//! Valid names for the axes of a grid. Coordinates are stored beside the other arrays, so they must
//! not share a name with them: arrays of a dataset here, arrays of predictions in `predict`.

use super::layout::{
    CHANNEL_DIMENSION, EXACT_MEAN, EXACT_VARIANCE, HIGH, INPUT, INPUT_CHANNEL_DIMENSION, LOW,
    LOW_REALIZATION_DIMENSION, LOW_REALIZATIONS, PARAMETER_DIMENSION, PARAMETERS, POINTS,
    REALIZATION_DIMENSION, REALIZATIONS_OF, REDRAWS,
};
use super::prediction_names;
use crate::storage::names;

/// Names of arrays and dimensions of a dataset.
const RESERVED: [&str; 15] = [
    INPUT,
    LOW,
    LOW_REALIZATIONS,
    LOW_REALIZATION_DIMENSION,
    HIGH,
    EXACT_MEAN,
    EXACT_VARIANCE,
    REDRAWS,
    REALIZATIONS_OF,
    PARAMETERS,
    PARAMETER_DIMENSION,
    POINTS,
    REALIZATION_DIMENSION,
    CHANNEL_DIMENSION,
    INPUT_CHANNEL_DIMENSION,
];

/// The default name of an unnamed axis.
pub(super) fn counted(place: usize) -> String {
    format!("axis{place}")
}

/// Whether an axis has a default name, formed from its place.
pub fn is_counted(name: &str) -> bool {
    let place = name
        .strip_prefix("axis")
        .and_then(|place| place.parse().ok());
    place.is_some_and(|place| counted(place) == name)
}

/// Describes a problem with the names of a dataset's axes; none if they are valid. Names of
/// prediction arrays are refused as well, because otherwise a run of hours could not store its
/// predictions.
pub(super) fn fault_of_dataset<'a>(
    axes: impl IntoIterator<Item = &'a str> + Clone,
) -> Option<String> {
    let fault = fault(axes.clone(), &RESERVED);
    fault.or_else(|| self::fault(axes, &prediction_names::RESERVED))
}

/// Describes a problem with the names of axes, given the reserved ones; none if they are valid.
pub fn fault<'a>(axes: impl IntoIterator<Item = &'a str>, reserved: &[&str]) -> Option<String> {
    let mut seen = Vec::new();
    axes.into_iter().find_map(|name| {
        let fault = if reserved.contains(&name) {
            Some(format!("the name {name:?} is that of another array"))
        } else if seen.contains(&name) {
            Some(format!("the name {name:?} is given twice"))
        } else {
            names::fault(name)
        };
        seen.push(name);
        fault.map(|fault| format!("{fault}; rename this axis of the grid"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_need_names_of_their_own() {
        let refusal = |axes: &[&str]| fault_of_dataset(axes.iter().copied());
        assert_eq!(refusal(&["t", "x"]), None);
        for axes in [
            ["t", ".."],
            ["low", "x"],
            ["x", "x"],
            ["", "x"],
            ["channel", "x"],
            ["x", "quantile"],
            ["threshold", "x"],
            ["realizations", "x"],
            ["mean", "x"],
            ["zarr.json", "x"],
        ] {
            assert!(
                refusal(&axes).unwrap().contains("rename this axis"),
                "{axes:?}"
            );
        }
    }
}
