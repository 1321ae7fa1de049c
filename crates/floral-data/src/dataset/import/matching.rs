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
/// Several axes of one length are matched with as many lists of that length, in the order of the
/// lists' names, if all these lists have the same values. If there are more lists than axes, only
/// lists with a usual name count. Any other ambiguity is refused, with the reason.
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
        these.sort_by_key(name);
        let is_same = these
            .windows(2)
            .all(|pair| lists[pair[0]].1 == lists[pair[1]].1);
        match (these.len() == axes.len(), all.is_empty()) {
            (_, true) => {}
            (true, _) if is_same => {
                let pairs = axes.iter().zip(&these);
                pairs.for_each(|(&axis, &list)| found[axis] = Some(list));
            }
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
        let y = list("y", 4, 1.0);
        let forth = matched(&[4, 4], &[x.clone(), y.clone()]);
        assert_eq!(forth, Ok(vec![Some(0), Some(1)]));
        assert_eq!(matched(&[4, 4], &[y, x]), Ok(vec![Some(1), Some(0)]));
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
