//! A view of stored fields: axes and channels in another order, values in other units. `predict`
//! makes the view that a run needs by comparing the names of axes and channels.

use crate::units::Conversion;

/// A stored channel, and the conversion of its values to other units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Source {
    pub channel: usize,
    pub conversion: Conversion,
}

/// The mapping from stored fields to those of the view.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// Stored index of each point, in the order of the view.
    positions: Vec<usize>,
    /// The channels of the input.
    pub input: Vec<Source>,
    /// The channels of the solution.
    pub solution: Vec<Source>,
}

impl View {
    /// The axes of a stored grid of this shape in the order `axes`, with these channels.
    pub fn new(shape: &[usize], axes: &[usize], input: Vec<Source>, solution: Vec<Source>) -> Self {
        Self {
            positions: positions(shape, axes),
            input,
            solution,
        }
    }

    /// Stored index of each point, in the order of the view.
    pub fn positions(&self) -> &[usize] {
        &self.positions
    }

    /// Whether the view shows fields as stored.
    pub fn is_identity(&self) -> bool {
        let as_stored = |sources: &[Source]| {
            let mut sources = sources.iter().enumerate();
            sources.all(|(i, source)| source.channel == i && source.conversion.is_none())
        };
        self.positions.is_sorted() && as_stored(&self.input) && as_stored(&self.solution)
    }

    /// Fields [.., channel, point] with the channels `sources`. `power` is 2 for variances, which
    /// scale with the square of the factor and do not depend on the offset; else 1.
    pub fn apply(&self, values: &[f64], sources: &[Source], power: i32) -> Vec<f64> {
        let points = self.positions.len();
        let fields = values.chunks_exact((points * sources.len()).max(1));
        let seen = fields.flat_map(|field| {
            sources.iter().flat_map(move |source| {
                let stored = &field[source.channel * points..][..points];
                let conversion = match power {
                    1 => source.conversion,
                    _ => Conversion {
                        factor: source.conversion.factor.powi(power),
                        offset: 0.0,
                    },
                };
                self.positions
                    .iter()
                    .map(move |&i| conversion.apply(stored[i]))
            })
        });
        seen.collect()
    }
}

/// The stored index of each point of a transposed grid.
fn positions(shape: &[usize], axes: &[usize]) -> Vec<usize> {
    let stride = |axis: usize| shape[axis + 1..].iter().product::<usize>();
    let stored = |mut index: usize| {
        let mut position = 0;
        for &axis in axes.iter().rev() {
            position += index % shape[axis] * stride(axis);
            index /= shape[axis];
        }
        position
    };
    (0..shape.iter().product()).map(stored).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(channel: usize, factor: f64) -> Source {
        let conversion = Conversion {
            factor,
            ..Conversion::NONE
        };
        Source {
            channel,
            conversion,
        }
    }

    #[test]
    fn a_transposed_view_swaps_rows_and_columns_of_every_field() {
        let one = vec![source(0, 1.0)];
        let view = View::new(&[2, 3], &[1, 0], one.clone(), one.clone());
        assert!(!view.is_identity());
        let fields = [
            0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0,
        ];
        let expected = [
            0.0, 3.0, 1.0, 4.0, 2.0, 5.0, 10.0, 13.0, 11.0, 14.0, 12.0, 15.0,
        ];
        assert_eq!(view.apply(&fields, &one, 1), expected);
    }

    #[test]
    fn channels_are_taken_by_their_place_and_in_their_units() {
        let two = vec![source(1, 10.0), source(0, 1.0)];
        let view = View::new(&[2], &[0], two.clone(), two.clone());
        let fields = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(view.apply(&fields, &two, 1), [30.0, 40.0, 1.0, 2.0]);
        assert_eq!(view.apply(&fields, &two, 2), [300.0, 400.0, 1.0, 2.0]);
        let kelvin = Source {
            channel: 0,
            conversion: Conversion {
                factor: 1.0,
                offset: 273.15,
            },
        };
        let view = View::new(&[2], &[0], vec![kelvin], vec![kelvin]);
        assert_eq!(view.apply(&[1.0, 2.0], &[kelvin], 1), [274.15, 275.15]);
        assert_eq!(view.apply(&[1.0, 2.0], &[kelvin], 2), [1.0, 2.0]);
    }

    #[test]
    fn what_is_stored_is_shown_by_the_identity() {
        let two = vec![source(0, 1.0), source(1, 1.0)];
        let view = View::new(&[2, 2], &[0, 1], two.clone(), two);
        assert!(view.is_identity());
    }
}
