//! Selects one channel of fields with several.

use std::borrow::Cow;

/// A channel, and the layout of fields in memory: [channel, point].
#[derive(Debug, Clone, Copy)]
pub(super) struct Channel {
    pub index: usize,
    pub points: usize,
    pub channels: usize,
}

impl Channel {
    /// All channels of fields with this number of values and points.
    pub fn all(values: usize, points: usize) -> impl Iterator<Item = Self> {
        let channels = values / points.max(1);
        (0..channels).map(move |index| Self {
            index,
            points,
            channels,
        })
    }

    /// The values of this channel in every field, field after field.
    pub fn of<T: Copy>(self, fields: &[T]) -> Cow<'_, [T]> {
        if self.channels == 1 {
            return Cow::Borrowed(fields);
        }
        let fields = fields.chunks_exact(self.points * self.channels);
        let start = self.index * self.points;
        let own = fields.flat_map(|field| &field[start..start + self.points]);
        own.copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_channels_of_fields_are_all_their_values() {
        // Two fields with three channels on two points.
        let fields: Vec<i32> = (0..12).collect();
        let channels: Vec<Vec<i32>> = Channel::all(6, 2)
            .map(|c| c.of(&fields).into_owned())
            .collect();
        assert_eq!(channels, [[0, 1, 6, 7], [2, 3, 8, 9], [4, 5, 10, 11]]);
        let only: Vec<Vec<i32>> = Channel::all(12, 12)
            .map(|c| c.of(&fields).into_owned())
            .collect();
        assert_eq!(only, [fields]);
    }
}
