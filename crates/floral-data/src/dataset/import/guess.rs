//! Guesses the meaning of unnamed dimensions: the interpretation that fits all arrays at the lowest
//! cost.

use super::role::Role;

/// The cost at which a reading is rejected as too odd.
const TOO_ODD: u32 = 14;

/// The shapes of the arrays of one unit, as far as present, and the names of their dimensions if
/// known.
#[derive(Debug, Clone, Default)]
pub(super) struct Shapes {
    /// The input.
    pub input: Option<Form>,
    /// The low-fidelity solution.
    pub low: Option<Form>,
    /// The high-fidelity solution.
    pub high: Option<Form>,
    /// One-dimensional arrays that may be coordinates, with their lengths.
    pub coordinates: Vec<(String, usize)>,
    /// Whether there are other units, so that one may be a single input.
    pub is_one_of_several: bool,
}

/// The shape of an array, and the names of its dimensions if known. A named array has the
/// dimensions input, realization, channel and axes, in this order.
#[derive(Debug, Clone)]
pub(super) struct Form {
    pub shape: Vec<usize>,
    pub names: Option<Vec<String>>,
}

/// The dimensions of input, low and high.
pub(super) type Dimensions = [Option<Vec<String>>; 3];

/// A reading of an array: its leading dimensions, and the number of axes that follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reading {
    inputs: bool,
    realizations: bool,
    channels: bool,
    axes: usize,
}

impl Reading {
    fn rank(self) -> usize {
        let leading = [self.inputs, self.realizations, self.channels];
        leading.iter().filter(|is_there| **is_there).count() + self.axes
    }

    /// The length of the dimension of realizations or channels; 1 if the reading has none.
    fn length(self, shape: &[usize], role: &Role) -> usize {
        let place = match role {
            Role::Realization if self.realizations => usize::from(self.inputs),
            Role::Channel if self.channels => {
                usize::from(self.inputs) + usize::from(self.realizations)
            }
            _ => return 1,
        };
        shape[place]
    }

    fn grid(self, shape: &[usize]) -> &[usize] {
        &shape[shape.len() - self.axes..]
    }

    fn names(self, axes: &[String]) -> Vec<String> {
        let leading = [
            (self.inputs, "input"),
            (self.realizations, "realization"),
            (self.channels, "channel"),
        ];
        let leading = leading.iter().filter(|(is_there, _)| *is_there);
        let leading = leading.map(|(_, name)| (*name).to_owned());
        leading.chain(axes.iter().cloned()).collect()
    }
}

/// A reading of all arrays, whose axes have no names yet.
pub(super) struct Guessed {
    readings: [Option<Reading>; 3],
    /// The lengths of the grid's axes.
    pub grid: Vec<usize>,
    /// Names of the axes, if an array has them.
    pub names: Option<Vec<String>>,
}

impl Guessed {
    /// The dimensions of all arrays, with these names for the axes.
    pub fn named(&self, axes: &[String]) -> Dimensions {
        self.readings
            .map(|reading| reading.map(|reading| reading.names(axes)))
    }
}

/// The reading with the least cost; none if no reading fits.
pub(super) fn guess(shapes: &Shapes) -> Option<Guessed> {
    let arrays = [&shapes.input, &shapes.low, &shapes.high];
    let mut best: Option<(u32, [Option<Reading>; 3])> = None;
    for inputs in [true, false] {
        for axes in 1..=3 {
            for_each_reading(arrays, inputs, axes, &mut |readings| {
                let Some(cost) = cost(shapes, readings, axes) else {
                    return;
                };
                if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                    best = Some((cost, *readings));
                }
            });
        }
    }
    let (_, readings) = best?;
    let (form, reading) = match (&shapes.input, &shapes.high) {
        (Some(form), _) => (form, readings[0]?),
        (None, Some(form)) => (form, readings[2]?),
        _ => return None,
    };
    Some(Guessed {
        readings,
        grid: reading.grid(&form.shape).to_vec(),
        names: named_axes(shapes),
    })
}

/// Calls `act` with every combination of readings of the arrays present.
fn for_each_reading(
    arrays: [&Option<Form>; 3],
    inputs: bool,
    axes: usize,
    act: &mut impl FnMut(&[Option<Reading>; 3]),
) {
    for choice in 0..32u32 {
        let is_set = |bit: u32| choice >> bit & 1 == 1;
        let leading = [
            (false, is_set(0)),
            (is_set(1), is_set(2)),
            (is_set(3), is_set(4)),
        ];
        let readings = std::array::from_fn(|i| {
            arrays[i].as_ref().map(|_| Reading {
                inputs,
                realizations: leading[i].0,
                channels: leading[i].1,
                axes,
            })
        });
        let is_idle = |i: usize| arrays[i].is_none() && leading[i] != (false, false);
        if !(0..3).any(is_idle) {
            act(&readings);
        }
    }
}

/// The cost of a reading; none if it does not fit or is too odd.
fn cost(shapes: &Shapes, readings: &[Option<Reading>; 3], axes: usize) -> Option<u32> {
    let arrays = [&shapes.input, &shapes.low, &shapes.high];
    let base = readings[0].or(readings[2])?;
    let base_form = shapes.input.as_ref().or(shapes.high.as_ref())?;
    if base.rank() != base_form.shape.len() || is_torn(shapes, readings, base) {
        return None;
    }
    let mut cost = grid_cost(shapes, base.grid(&base_form.shape), axes);
    for (i, (form, reading)) in arrays.iter().zip(readings).enumerate() {
        if let (Some(form), Some(reading)) = (form, reading) {
            cost += array_cost(i, form, *reading, (base_form, base))?;
        }
    }
    let of = |i: usize| readings[i].zip(arrays[i].as_ref());
    if let (Some((low, low_form)), Some((high, high_form))) = (of(1), of(2)) {
        let channels = |reading: Reading, form: &Form| reading.length(&form.shape, &Role::Channel);
        if channels(low, low_form) != channels(high, high_form) {
            return None;
        }
    }
    if let (Some((input, form)), Some((high, other))) = (of(0), of(2)) {
        cost += u32::from(input.channels != high.channels);
        cost += 5 * u32::from(high.realizations && form.shape == other.shape);
    }
    cost += match (base.inputs, shapes.is_one_of_several) {
        (false, false) => 4,
        (true, true) => 1,
        _ => 0,
    };
    (cost < TOO_ODD).then_some(cost)
}

/// Whether arrays with different numbers of inputs could be mistaken for channels of a single
/// input.
fn is_torn(shapes: &Shapes, readings: &[Option<Reading>; 3], base: Reading) -> bool {
    let arrays = [&shapes.input, &shapes.low, &shapes.high];
    let has_channels = |i: usize| readings[i].is_some_and(|reading| reading.channels);
    let is_named = |i: usize| arrays[i].as_ref().is_some_and(|form| form.names.is_some());
    let is_lone = !base.inputs && !shapes.is_one_of_several;
    is_lone && (0..3).any(|i| has_channels(i) && !is_named(i))
}

/// The cost of a grid: short axes, and coordinate lists whose lengths do not match an axis.
fn grid_cost(shapes: &Shapes, grid: &[usize], axes: usize) -> u32 {
    let short = |n: &usize| match n {
        0 | 1 => 3,
        2..5 => 1,
        _ => 0,
    };
    let is_known = |n: &&usize| shapes.coordinates.iter().any(|(_, length)| length == *n);
    let matched = grid.iter().filter(is_known).count();
    let lists = shapes.coordinates.len().min(3);
    let apart = match lists {
        0 => 0,
        _ => lists.abs_diff(matched).max(axes.abs_diff(matched)) as u32,
    };
    2 * u32::from(axes == 3) + grid.iter().map(short).sum::<u32>() + 4 * apart
}

/// The cost of the reading of one array, relative to the array that defines the grid.
fn array_cost(place: usize, form: &Form, reading: Reading, base: (&Form, Reading)) -> Option<u32> {
    let (shape, base_shape) = (&form.shape, &base.0.shape);
    if reading.rank() != shape.len() || !agrees(form, reading) {
        return None;
    }
    let (own, grid) = (reading.grid(shape), base.1.grid(base_shape));
    let pairs = || own.iter().zip(grid);
    let is_unlike = reading.inputs && shape[0] != base_shape[0];
    if is_unlike || pairs().any(|(own, grid)| own > grid || *own == 0) {
        return None;
    }
    let channels = reading.length(shape, &Role::Channel);
    let is_high = place == 2;
    let oddities = [
        (own != grid, if is_high { 6 } else { 3 }),
        (is_high && pairs().any(|(own, grid)| grid % own != 0), 6),
        (channels > 8, 5),
        (reading.channels && own.iter().any(|n| channels >= *n), 8),
        (place == 1 && reading.realizations, 3),
        (is_high && !reading.realizations, 3),
    ];
    let odd = oddities.into_iter().filter(|(is_odd, _)| *is_odd);
    Some(odd.map(|(_, weight)| weight).sum())
}

/// Whether a reading agrees with the names of dimensions, if there are any.
fn agrees(form: &Form, reading: Reading) -> bool {
    let Some(names) = &form.names else {
        return true;
    };
    let roles: Vec<Role> = names.iter().map(|name| Role::named(name)).collect();
    let has = |role: &Role| roles.contains(role);
    let axes = roles.iter().filter(|role| matches!(role, Role::Axis(_)));
    has(&Role::Input) == reading.inputs
        && has(&Role::Realization) == reading.realizations
        && has(&Role::Channel) == reading.channels
        && axes.count() == reading.axes
}

/// The names of the axes, from the first array that has any.
fn named_axes(shapes: &Shapes) -> Option<Vec<String>> {
    let arrays = [&shapes.input, &shapes.high, &shapes.low];
    let names = arrays
        .iter()
        .find_map(|form| form.as_ref()?.names.as_ref())?;
    let roles = names.iter().map(|name| Role::named(name));
    let axes = roles.filter_map(|role| match role {
        Role::Axis(name) => Some(name),
        _ => None,
    });
    Some(axes.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::import::parts::named;

    fn form(shape: &[usize]) -> Option<Form> {
        (!shape.is_empty()).then(|| Form {
            shape: shape.to_vec(),
            names: None,
        })
    }

    fn guessed(
        input: &[usize],
        low: &[usize],
        high: &[usize],
        along: &[(&str, usize)],
    ) -> [String; 3] {
        let shapes = Shapes {
            input: form(input),
            low: form(low),
            high: form(high),
            coordinates: along
                .iter()
                .map(|(name, n)| ((*name).to_owned(), *n))
                .collect(),
            is_one_of_several: false,
        };
        let guessed = guess(&shapes).unwrap();
        let coordinates = along.iter().map(|(name, n)| (*name, vec![0.0; *n]));
        let coordinates: Vec<(&str, Vec<f64>)> = coordinates.collect();
        let axes = named(&guessed.grid, &coordinates).unwrap();
        guessed
            .named(&axes)
            .map(|names| names.unwrap_or_default().join(" "))
    }

    #[test]
    fn usual_shapes_are_read_as_they_are_meant() {
        let one = ["input x", "", "input realization x"];
        assert_eq!(guessed(&[40, 256], &[], &[40, 50, 256], &[("x", 256)]), one);
        assert_eq!(guessed(&[40, 256], &[], &[40, 50, 256], &[]), one);
        let two = ["input x y", "input x y", "input realization x y"];
        assert_eq!(
            guessed(&[9, 32, 32], &[9, 32, 32], &[9, 10, 32, 32], &[]),
            two
        );
        let channels = [
            "input channel x y",
            "input channel x y",
            "input realization channel x y",
        ];
        let shapes: [&[usize]; 3] = [&[9, 1, 32, 48], &[9, 2, 32, 48], &[9, 10, 2, 32, 48]];
        assert_eq!(guessed(shapes[0], shapes[1], shapes[2], &[]), channels);
        let named = guessed(
            &[9, 32, 48],
            &[],
            &[9, 10, 32, 48],
            &[("lon", 48), ("lat", 32)],
        );
        assert_eq!(named, ["input lat lon", "", "input realization lat lon"]);
    }

    #[test]
    fn runs_without_realizations_and_coarser_solutions_are_read() {
        let single = guessed(&[9, 64, 64], &[], &[9, 64, 64], &[]);
        assert_eq!(single, ["input x y", "", "input x y"]);
        let channels = guessed(&[99, 3, 128], &[], &[99, 3, 128], &[]);
        assert_eq!(channels, ["input channel x", "", "input channel x"]);
        let coarse = guessed(&[40, 128], &[40, 32], &[40, 50, 128], &[("x", 128)]);
        assert_eq!(coarse, ["input x", "input x", "input realization x"]);
        let fewer = guessed(&[40, 128], &[], &[40, 50, 32], &[("x", 128)]);
        assert_eq!(fewer, ["input x", "", "input realization x"]);
        let noisy = guessed(&[40, 128], &[40, 10, 128], &[40, 50, 128], &[]);
        assert_eq!(noisy[1], "input realization x");
        assert!(
            guess(&Shapes {
                input: form(&[7, 32]),
                high: form(&[5, 5, 32]),
                ..Shapes::default()
            })
            .is_none()
        );
        let lone = guessed(&[64, 48], &[], &[10, 64, 48], &[("x", 64), ("y", 48)]);
        assert_eq!(lone, ["x y", "", "realization x y"]);
    }
}
