//! Additions of a single file to its group: arrays and attributes required by a convention of the
//! format.

use serde_json::{Map, Value};

use super::{Contents, Values, Variable};

/// Arrays and attributes in addition to those of a group.
#[derive(Debug, Clone, Default)]
pub struct Supplement {
    /// Additional arrays.
    pub arrays: Vec<SupplementArray>,
    /// Additional attributes of the group.
    pub attributes: Map<String, Value>,
    /// A dimension, and additional attributes of every array of the group that has it.
    pub along: (String, Map<String, Value>),
}

/// An array in addition to those of a group.
#[derive(Debug, Clone)]
pub struct SupplementArray {
    /// Its name.
    pub name: String,
    /// Names and lengths of its dimensions; empty for a scalar.
    pub dimensions: Vec<(String, usize)>,
    /// Its attributes.
    pub attributes: Map<String, Value>,
    /// Its values, last dimension fastest.
    pub values: Vec<f64>,
    /// Whether they are integers.
    pub is_whole: bool,
}

impl Supplement {
    pub(super) fn add_to(self, contents: &mut Contents) {
        contents.attributes.extend(self.attributes);
        let (dimension, attributes) = self.along;
        for variable in &mut contents.variables {
            if variable.dimensions.contains(&dimension) {
                mark(&mut variable.attributes, &attributes);
            }
        }
        contents
            .variables
            .extend(self.arrays.into_iter().map(variable));
    }
}

/// Adds attributes; the text of an existing attribute is extended.
fn mark(own: &mut Map<String, Value>, further: &Map<String, Value>) {
    for (name, value) in further {
        let joined = match (own.get(name), value) {
            (Some(Value::String(before)), Value::String(more)) => format!("{before} {more}").into(),
            _ => value.clone(),
        };
        own.insert(name.clone(), joined);
    }
}

fn variable(array: SupplementArray) -> Variable {
    let (names, shape): (Vec<String>, Vec<usize>) = array.dimensions.into_iter().unzip();
    Variable {
        name: array.name,
        dimensions: names,
        attributes: array.attributes,
        values: match array.is_whole {
            true => Values::Whole(shape, array.values),
            false => Values::Real(shape, array.values),
        },
    }
}
