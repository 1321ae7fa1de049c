//! The transforms in the settings of a run: one for all channels, or one per channel.

use serde::{Deserialize, Serialize};

use super::Transform;
use crate::{Error, Result};

/// A transform for all channels of the solution, or one per channel; an empty list means none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Vec<Transform>")]
pub struct TransformConfig(Vec<Transform>);

/// `transform = "log"` is short for a list with one entry.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    List(Vec<Transform>),
    One(Transform),
}

impl From<Written> for TransformConfig {
    fn from(written: Written) -> Self {
        match written {
            Written::List(list) => Self(list),
            Written::One(transform) => Self(vec![transform]),
        }
    }
}

impl From<TransformConfig> for Vec<Transform> {
    fn from(config: TransformConfig) -> Self {
        config.0
    }
}

impl From<Vec<Transform>> for TransformConfig {
    fn from(list: Vec<Transform>) -> Self {
        Self(list)
    }
}

impl TransformConfig {
    /// Whether all channels remain unchanged.
    pub fn is_none(&self) -> bool {
        self.0.iter().all(|transform| transform.is_none())
    }

    /// One transform per channel.
    pub fn of_channels(&self, channels: usize) -> Result<Vec<Transform>> {
        match self.0.as_slice() {
            [] => Ok(vec![Transform::None; channels]),
            [one] => Ok(vec![*one; channels]),
            list if list.len() == channels => Ok(list.to_vec()),
            list => Err(Error::config(
                "transform",
                format!(
                    "{} transforms are given but the solution has {channels} channels; give one \
                     for each, or one for all",
                    list.len()
                ),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> TransformConfig {
        let table: toml::Table = text.parse().unwrap();
        table["transform"].clone().try_into().unwrap()
    }

    #[test]
    fn one_for_all_or_one_for_each() {
        let all = read("transform = 'log'");
        assert_eq!(all, read("transform = ['log']"));
        assert_eq!(all.of_channels(2).unwrap(), [Transform::Log; 2]);
        let each = read("transform = ['none', 'sqrt']");
        assert_eq!(
            each.of_channels(2).unwrap(),
            [Transform::None, Transform::Sqrt]
        );
        let words = each.of_channels(3).unwrap_err().to_string();
        assert!(words.contains("2 transforms") && words.contains("3 channels"));
        let none = TransformConfig::default();
        assert!(none.is_none() && none.of_channels(2).unwrap() == [Transform::None; 2]);
    }
}
