//! Matches coordinate lists with axes by length alone. An ambiguous match is refused, so that the
//! order of arrays in a file never decides.

/// Usual names of coordinate lists.
pub(super) const USUAL: [&str; 24] = [
    "x",
    "y",
    "z",
    "t",
    "time",
    "lat",
    "latitude",
    "lon",
    "longitude",
    "lev",
    "level",
    "depth",
    "height",
    "altitude",
    "plev",
    "r",
    "theta",
    "phi",
    "radius",
    "angle",
    "position",
    "distance",
    "xc",
    "yc",
];

/// For each axis length, the index of its coordinate list; none for an axis without a list.
///
/// If there are more lists than axes of a length, only lists with a usual name count. Several axes
/// of one length with lists are refused, with the reason, even if the lists have the same values:
/// x and y of a square differ in their names and units, and neither the order of the lists nor that
/// of their names says which axis comes first.
///
/// ```
/// use floral_data::dataset::import::matched;
///
/// let lists = [("x", vec![0.0, 1.0, 2.0]), ("t", vec![0.0, 0.5])];
/// assert_eq!(matched(&[2, 3], &lists), Ok(vec![Some(1), Some(0)]));
/// let open = [("x", vec![0.0, 1.0]), ("t", vec![0.0, 0.5])];
/// assert!(matched(&[2, 2], &open).is_err());
/// ```
pub fn matched<N: AsRef<str>>(
    lengths: &[usize],
    lists: &[(N, Vec<f64>)],
) -> Result<Vec<Option<usize>>, String> {
    let mut found = vec![None; lengths.len()];
    for (first, &length) in lengths.iter().enumerate() {
        if lengths[..first].contains(&length) {
            continue;
        }
        let axes: Vec<usize> = (0..lengths.len())
            .filter(|&i| lengths[i] == length)
            .collect();
        let all: Vec<usize> = (0..lists.len())
            .filter(|&i| lists[i].1.len() == length)
            .collect();
        let name = |i: &usize| lists[*i].0.as_ref();
        let is_usual = |i: &usize| USUAL.contains(&name(i).to_lowercase().as_str());
        let mut these = all.clone();
        if all.len() > axes.len() {
            these.retain(is_usual);
        }
        match (all.is_empty(), &axes[..], &these[..]) {
            (true, ..) => {}
            (_, [axis], [list]) => found[*axis] = Some(*list),
            _ => {
                let names: Vec<&str> = all.iter().map(name).collect();
                return Err(open(&names, length, axes.len()));
            }
        }
    }
    Ok(found)
}

/// The message that lengths do not decide which list belongs to which axis.
fn open(names: &[&str], length: usize, axes: usize) -> String {
    let lists = match names {
        [one] => format!("the coordinates {one} have"),
        _ => format!("the coordinates {} each have", names.join(", ")),
    };
    let axes = match axes {
        1 => "one axis of the arrays has".to_owned(),
        n => format!("{n} axes of the arrays have"),
    };
    format!(
        "{lists} {length} points and {axes} as many, so that lengths do not decide which belongs to \
         which"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(name: &str, n: usize, step: f64) -> (&str, Vec<f64>) {
        (name, (0..n).map(|i| i as f64 * step).collect())
    }

    #[test]
    fn the_order_of_lists_never_decides() {
        let (x, t) = (list("x", 4, 1.0), list("t", 4, 0.1));
        let words = matched(&[4, 4], &[x.clone(), t.clone()]).unwrap_err();
        assert!(words.contains("x, t each have 4 points"), "{words}");
        assert!(matched(&[4, 4], &[t, x.clone()]).is_err());
    }

    #[test]
    fn equal_coordinates_of_two_axes_are_open() {
        let (x, y) = (list("x", 4, 1.0), list("y", 4, 1.0));
        for lists in [[x.clone(), y.clone()], [y, x]] {
            let words = matched(&[4, 4], &lists).unwrap_err();
            assert!(words.contains("do not decide which belongs"), "{words}");
        }
    }

    #[test]
    fn one_list_for_two_axes_and_two_for_one_are_open() {
        assert!(matched(&[4, 4], &[list("x", 4, 1.0)]).is_err());
        let two = [list("a", 4, 1.0), list("b", 4, 2.0)];
        assert!(matched(&[4], &two).is_err());
        let usual = [list("weight", 4, 1.0), list("x", 4, 2.0)];
        assert_eq!(matched(&[4], &usual), Ok(vec![Some(1)]));
        assert_eq!(
            matched(&[5, 4], &[list("x", 4, 1.0)]),
            Ok(vec![None, Some(0)])
        );
    }
}
