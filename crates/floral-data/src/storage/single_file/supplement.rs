//! What a single file has beyond the group that it is made of: arrays and attributes that a convention
//! of its format asks for.

use serde_json::{Map, Value};

use super::{Contents, Values, Variable};

/// Arrays and attributes beyond those of a group.
#[derive(Debug, Clone, Default)]
pub struct Supplement {
    /// Further arrays.
    pub arrays: Vec<SupplementArray>,
    /// Further attributes of the group.
    pub attributes: Map<String, Value>,
    /// A dimension, and further attributes of every array of the group that has it.
    pub along: (String, Map<String, Value>),
}

/// An array beyond those of a group.
#[derive(Debug, Clone)]
pub struct SupplementArray {
    /// Its name.
    pub name: String,
    /// Names and lengths of its dimensions; a single value has none.
    pub dimensions: Vec<(String, usize)>,
    /// Its attributes.
    pub attributes: Map<String, Value>,
    /// Its values, the last dimension fastest.
    pub values: Vec<f64>,
    /// Whether they are whole numbers.
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

/// Adds attributes; a list of names is continued.
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
