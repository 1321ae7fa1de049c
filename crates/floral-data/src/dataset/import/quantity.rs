//! Names and units of the channels of imported arrays, from the attributes of the CF conventions or
//! from the names of the arrays.

use serde_json::Value;

use super::source::Variable;
use super::stack::Stack;
use super::unit::Unit;
use crate::Quantity;
use crate::dataset::layout::MEANINGS;
use crate::quantity::non_empty;
use crate::storage::array_metadata::{CHANNEL_LONG_NAMES, CHANNEL_NAMES, CHANNEL_UNITS, NAME};
use crate::storage::array_metadata::{LONG_NAME, UNITS};

/// Names of arrays that carry no information about their values.
const EMPTY: [&str; 16] = [
    "input",
    "inputs",
    "low",
    "high",
    "output",
    "outputs",
    "solution",
    "solutions",
    "tensor",
    "data",
    "low_fidelity",
    "high_fidelity",
    "lofi",
    "hifi",
    "lf",
    "hf",
];

/// The quantities of the channels of several arrays, in order.
pub(super) fn quantities(unit: &Unit<'_>, stacks: &[Stack], axes: &[String]) -> Vec<Quantity> {
    let of = |stack: &Stack| {
        let variable = unit.variable(stack.part.variable);
        // Unreadable labels were refused when channels were aligned.
        let labels = stack.part.labels(unit).ok().flatten();
        let stored = of_array(variable, stack.part.channels(), axes, labels);
        match &stack.order {
            Some(order) => order.iter().map(|&i| stored[i].clone()).collect(),
            None => stored,
        }
    };
    stacks.iter().flat_map(of).collect()
}

fn of_array(
    variable: &Variable,
    channels: usize,
    axes: &[String],
    labels: Option<Vec<String>>,
) -> Vec<Quantity> {
    let list = |key: &str| -> Option<Vec<String>> {
        let list = variable.attributes.get(key)?.as_array()?;
        let texts: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
        let texts = texts.filter(|texts| texts.len() == channels)?;
        Some(texts.into_iter().map(str::to_owned).collect())
    };
    let own = variable.text(NAME).or_else(|| {
        let leaf = variable.leaf();
        // As in `train_input`.
        let rest = leaf.find('_').map_or("", |end| &leaf[end + 1..]);
        (!EMPTY.contains(&leaf) && !EMPTY.contains(&rest)).then_some(leaf)
    });
    let names = labels.filter(|labels| labels.len() == channels);
    let names = names.or_else(|| list(CHANNEL_NAMES));
    let suffix = |i: usize| match channels {
        2 if variable.is_complex() => ["real", "imaginary"][i].to_owned(),
        _ if channels == axes.len() => axes[i].clone(),
        _ => i.to_string(),
    };
    let name = |i: usize| match (&names, own) {
        (Some(names), _) => non_empty(&names[i]),
        (None, Some(own)) if channels > 1 => Some(format!("{own}_{}", suffix(i))),
        (None, Some(own)) => Some(own.to_owned()),
        (None, None) if variable.is_complex() => Some(suffix(i)),
        (None, None) => None,
    };
    let (units, long_names) = (list(CHANNEL_UNITS), list(CHANNEL_LONG_NAMES));
    let long_name = variable.text(LONG_NAME);
    let long_name = long_name.filter(|name| channels == 1 && !MEANINGS.contains(name));
    (0..channels)
        .map(|i| Quantity {
            name: name(i),
            units: match &units {
                Some(units) => non_empty(&units[i]),
                None => variable.text(UNITS).map(str::to_owned),
            },
            parameter: false,
            long_name: match &long_names {
                Some(names) => non_empty(&names[i]),
                None => long_name.map(str::to_owned),
            },
        })
        .collect()
}
