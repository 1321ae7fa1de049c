//! Quantities as attributes of an array: written by layouts, read by `reader.rs`.
//!
//! | channels | attributes |
//! |---|---|
//! | one | `name` (or CF's `standard_name`), `units`, `long_name` |
//! | several | the lists `channel_names`, `channel_units`, `channel_long_names`, in which an empty text means unknown; `units` then holds for all channels |
//!
//! If `long_name` describes the quantity, the purpose of the array, such as `low-fidelity
//! solution`, is stored in `comment`.

use serde_json::{Map, Value, json};

use super::layout::{Channels, MEANINGS};
use crate::quantity::non_empty;
use crate::storage::StoredArray;
use crate::storage::array_metadata::{
    CHANNEL_LONG_NAMES, CHANNEL_NAMES, CHANNEL_UNITS, COMMENT, LONG_NAME, NAME, UNITS,
};
use crate::{Error, Quantities, Quantity, Result};

const STANDARD_NAME: &str = "standard_name";

/// Largest number of channels; a file may declare any number.
const MOST_CHANNELS: usize = 1 << 16;

/// Adds the quantities of the channels to the metadata of an array.
pub fn describe(array: &mut Value, quantities: &[Quantity]) {
    let Some(attributes) = array["attributes"].as_object_mut() else {
        return;
    };
    if let [one] = quantities {
        describe_one(attributes, one);
        return;
    }
    let mut list = |key: &str, of: fn(&Quantity) -> &Option<String>| {
        if quantities.iter().any(|quantity| of(quantity).is_some()) {
            let texts = quantities.iter().map(|quantity| of(quantity).as_deref());
            let texts: Vec<&str> = texts.map(Option::unwrap_or_default).collect();
            attributes.insert(key.into(), json!(texts));
        }
    };
    list(CHANNEL_NAMES, |quantity| &quantity.name);
    list(CHANNEL_UNITS, |quantity| &quantity.units);
    list(CHANNEL_LONG_NAMES, |quantity| &quantity.long_name);
}

fn describe_one(attributes: &mut Map<String, Value>, quantity: &Quantity) {
    if let Some(long_name) = &quantity.long_name {
        let meaning = attributes.insert(LONG_NAME.into(), json!(long_name));
        attributes.extend(meaning.map(|meaning| (COMMENT.to_owned(), meaning)));
    }
    let texts = [(NAME, &quantity.name), (UNITS, &quantity.units)];
    for (key, text) in texts {
        attributes.extend(text.as_ref().map(|text| (key.to_owned(), json!(text))));
    }
}

/// Refuses quantities whose number differs from that of the channels.
pub fn check(quantities: &Quantities, channels: &Channels) -> Result<()> {
    let counts = [
        ("input", quantities.input.len(), channels.input),
        ("solution", quantities.solution.len(), channels.solution),
    ];
    let odd = counts
        .iter()
        .find(|(_, declared, found)| ![0, *found].contains(declared));
    odd.map_or(Ok(()), |(what, declared, found)| {
        Err(Error::config("quantities", format!(
                "{declared} quantities are declared for the {what}, which has {found} channels; declare one for \
                 each channel, or none"
            )))
    })
}

/// The quantities of an array's channels, from its attributes.
pub(super) fn of_array(array: &StoredArray, channels: usize) -> Result<Vec<Quantity>> {
    if channels > MOST_CHANNELS {
        return Err(array.bad(&format!(
            "has the shape {:?}, and {channels} channels are more than {MOST_CHANNELS}",
            array.shape()
        )));
    }
    let mut quantities = vec![Quantity::default(); channels];
    let text = |key: &str| {
        array
            .attribute(key)
            .and_then(Value::as_str)
            .and_then(non_empty)
    };
    for quantity in &mut quantities {
        quantity.units = text(UNITS);
    }
    if let [one] = quantities.as_mut_slice() {
        one.name = text(NAME).or_else(|| text(STANDARD_NAME));
        one.long_name = text(LONG_NAME).filter(|name| !MEANINGS.contains(&name.as_str()));
    }
    let names = list(array, CHANNEL_NAMES, channels)?;
    let units = list(array, CHANNEL_UNITS, channels)?;
    let long_names = list(array, CHANNEL_LONG_NAMES, channels)?;
    for (i, quantity) in quantities.iter_mut().enumerate() {
        let of = |list: &[String]| list.get(i).and_then(|text| non_empty(text));
        quantity.name = of(&names).or(quantity.name.take());
        quantity.units = of(&units).or(quantity.units.take());
        quantity.long_name = of(&long_names).or(quantity.long_name.take());
    }
    Ok(quantities)
}

/// An attribute with one text per channel; empty if it is absent.
fn list(array: &StoredArray, key: &str, channels: usize) -> Result<Vec<String>> {
    let Some(written) = array.attribute(key) else {
        return Ok(Vec::new());
    };
    let texts: Option<Vec<String>> = serde_json::from_value(written.clone()).ok();
    texts
        .filter(|texts| texts.len() == channels)
        .ok_or_else(|| {
            array.bad(&format!(
                "its attribute {key} is {written}, but a list of {channels} texts is needed, one for \
                 each channel"
            ))
        })
}

/// The quantities of channels, merged from two arrays; refuses contradictory units or names.
pub(super) fn merged(
    mut one: Vec<Quantity>,
    other: Vec<Quantity>,
    array: &StoredArray,
) -> Result<Vec<Quantity>> {
    for (i, (one, other)) in one.iter_mut().zip(other).enumerate() {
        let pairs = [
            ("units", &mut one.units, other.units),
            ("name", &mut one.name, other.name),
        ];
        for (what, own, other) in pairs {
            match (&own, other) {
                (Some(one), Some(other)) if *one != other => {
                    return Err(array.bad(&format!(
                        "its channel {i} has the {what} {other:?}, but the high-fidelity \
                         solution has {one:?}; both need the same"
                    )));
                }
                (None, other) => *own = other,
                _ => {}
            }
        }
        one.long_name = one.long_name.take().or(other.long_name);
    }
    Ok(one)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::dataset::{Arrays, Dataset};
    use crate::{Axis, Field, Grid};

    fn grid() -> Grid {
        Grid::new(vec![Axis::closed("x", 3).with_units("mm")])
    }

    fn arrays(channels: usize) -> Arrays {
        let field = Field::from_values(channels, &[3], vec![1.0; 3 * channels]).unwrap();
        let mut arrays = Arrays::new(grid());
        arrays
            .push(&field, Some(&field), std::slice::from_ref(&field))
            .unwrap();
        arrays
    }

    /// Changes the metadata of an array.
    fn rewrite(path: &Path, array: &str, change: impl Fn(&mut Value)) {
        let file = path.join(array).join("zarr.json");
        let mut metadata: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        change(&mut metadata["attributes"]);
        std::fs::write(&file, metadata.to_string()).unwrap();
    }

    fn attributes(path: &Path, array: &str) -> Value {
        let file = path.join(array).join("zarr.json");
        let mut metadata: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        metadata["attributes"].take()
    }

    #[test]
    fn what_is_declared_is_read_back_for_one_channel_and_for_several() {
        let folder = tempfile::tempdir().unwrap();
        let pressure = Quantity::named("pressure").with_units("Pa");
        let speed = Quantity::named("u").with_units("m s-1");
        let speed = speed.with_long_name("velocity across");
        for given in [vec![speed.clone()], vec![pressure, speed]] {
            let path = folder.path().join(given.len().to_string());
            let arrays = arrays(given.len()).title("A membrane");
            let arrays = arrays.quantities(given.clone(), given.clone());
            let dataset = arrays.write(&path).unwrap();
            assert_eq!(dataset.input_quantities(), given);
            assert_eq!(dataset.solution_quantities(), given);
            assert_eq!(dataset.title(), Some("A membrane"));
            assert_eq!(dataset.grid(), &grid());
        }
        let high = attributes(&folder.path().join("1"), "high");
        let comment = "realizations of the high-fidelity solution";
        let expected = json!({"long_name": "velocity across", "comment": comment,
                              "name": "u", "units": "m s-1"});
        assert_eq!(high, expected);
        let high = attributes(&folder.path().join("2"), "high");
        assert_eq!(high[CHANNEL_UNITS], json!(["Pa", "m s-1"]));
        assert_eq!(high[CHANNEL_LONG_NAMES], json!(["", "velocity across"]));
    }

    #[test]
    fn nothing_is_claimed_where_nothing_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let dataset = arrays(2).write(folder.path().join("data.zarr")).unwrap();
        assert_eq!(dataset.input_quantities(), vec![Quantity::default(); 2]);
        assert_eq!(dataset.solution_quantities().len(), 2);
        assert_eq!(dataset.title(), None);
        let high = attributes(dataset.path(), "high");
        assert_eq!(high.as_object().unwrap().len(), 1, "{high}");
    }

    #[test]
    fn coordinates_of_an_older_build_have_no_units() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.zarr");
        arrays(1).write(&path).unwrap();
        let units = || Dataset::open(&path).unwrap().grid().axes[0].units.clone();
        assert_eq!(units().as_deref(), Some("mm"));
        rewrite(&path, "x", |attributes| attributes["units"] = json!("1"));
        assert_eq!(units(), None);
        rewrite(&path, "x", |attributes| {
            attributes["long_name"] = json!("depth");
        });
        assert_eq!(units().as_deref(), Some("1"));
    }

    #[test]
    fn the_names_of_cf_and_units_of_all_channels_are_known() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.zarr");
        arrays(1).write(&path).unwrap();
        let cf = json!({"standard_name": "air_pressure", "units": "hPa", "long_name": "pressure"});
        rewrite(&path, "high", |attributes| *attributes = cf.clone());
        let expected = Quantity::named("air_pressure").with_units("hPa");
        let dataset = Dataset::open(&path).unwrap();
        assert_eq!(
            dataset.solution_quantities(),
            [expected.with_long_name("pressure")]
        );
        let path = folder.path().join("two.zarr");
        arrays(2).write(&path).unwrap();
        rewrite(&path, "high", |attributes| *attributes = cf.clone());
        let dataset = Dataset::open(&path).unwrap();
        assert_eq!(
            dataset.solution_quantities(),
            vec![Quantity::default().with_units("hPa"); 2]
        );
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.zarr");
        let pressure = Quantity::named("pressure").with_units("Pa");
        let given = arrays(1).quantities([Quantity::default()], [pressure.clone()]);
        given.write(&path).unwrap();
        let refusal = || Dataset::open(&path).unwrap_err().to_string();
        rewrite(&path, "low", |attributes| {
            attributes["units"] = json!("kPa");
        });
        let words = refusal();
        assert!(words.contains(r#"units "kPa", but"#), "{words}");
        rewrite(&path, "low", |attributes| {
            attributes[CHANNEL_NAMES] = json!(["a", "b"]);
        });
        assert!(refusal().contains("a list of 1 texts"), "{}", refusal());
        let two = arrays(1).quantities([], [pressure.clone(), pressure]);
        let words = two.write(folder.path().join("two")).unwrap_err();
        assert!(words.to_string().contains("declare one for"), "{words}");
    }
}
