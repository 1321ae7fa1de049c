//! One array in NumPy's own format: a header in Python's notation, then the bytes.
//!
//! The format is specified in the documentation of `numpy.lib.format`, versions 1 to 3.

const MAGIC: &[u8] = b"\x93NUMPY";

/// An array of floats, in C order whatever the file's.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NpyArray {
    pub shape: Vec<usize>,
    pub values: Vec<f64>,
}

/// What the header tells.
struct Header<'a> {
    data_type: &'a str,
    is_fortran: bool,
    shape: Vec<usize>,
}

impl NpyArray {
    /// The array in a file's bytes, or what is wrong with them.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let broken = || "is no NumPy array, or damaged".to_owned();
        let (header, data) = split(bytes).ok_or_else(broken)?;
        let header = Header::parse(header).ok_or_else(broken)?;
        let values = numbers(header.data_type, data)?;
        let expected = header
            .shape
            .iter()
            .try_fold(1, |n: usize, &m| n.checked_mul(m));
        if expected != Some(values.len()) {
            return Err(format!(
                "has {} values, but the shape {:?}; is the file cut?",
                values.len(),
                header.shape
            ));
        }
        let values = match header.is_fortran {
            true => transposed(&values, &header.shape),
            false => values,
        };
        let shape = header.shape;
        Ok(Self { shape, values })
    }
}

/// Header and data.
fn split(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (version, rest) = rest.split_first_chunk::<2>()?;
    let (length, rest) = match version[0] {
        1 => {
            let (length, rest) = rest.split_first_chunk()?;
            (usize::from(u16::from_le_bytes(*length)), rest)
        }
        2 | 3 => {
            let (length, rest) = rest.split_first_chunk()?;
            (u32::from_le_bytes(*length) as usize, rest)
        }
        _ => return None,
    };
    let (header, data) = rest.split_at_checked(length)?;
    Some((std::str::from_utf8(header).ok()?, data))
}

impl<'a> Header<'a> {
    /// `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`
    fn parse(text: &'a str) -> Option<Self> {
        let after = |key: &str| {
            let (_, rest) = text.split_once(&format!("'{key}':"))?;
            Some(rest.trim_start())
        };
        let data_type = after("descr")?;
        let data_type = match data_type.strip_prefix('\'') {
            Some(quoted) => quoted.split_once('\'')?.0,
            None => "a record",
        };
        let (shape, _) = after("shape")?.strip_prefix('(')?.split_once(')')?;
        let lengths = shape.split(',').map(str::trim).filter(|n| !n.is_empty());
        Some(Self {
            data_type,
            is_fortran: after("fortran_order")?.starts_with("True"),
            shape: lengths.map(|n| n.parse().ok()).collect::<Option<_>>()?,
        })
    }
}

fn numbers(data_type: &str, data: &[u8]) -> Result<Vec<f64>, String> {
    Ok(match data_type {
        "<f4" => words(data, |word| f32::from_le_bytes(word).into()),
        ">f4" => words(data, |word| f32::from_be_bytes(word).into()),
        "<f8" => words(data, f64::from_le_bytes),
        ">f8" => words(data, f64::from_be_bytes),
        other => {
            return Err(format!(
                "has values of type {other}; convert them with .astype(\"float32\")"
            ));
        }
    })
}

fn words<const N: usize>(data: &[u8], number: impl Fn([u8; N]) -> f64) -> Vec<f64> {
    let (words, _) = data.as_chunks();
    words.iter().map(|word| number(*word)).collect()
}

/// From the first index fastest to the last index fastest.
fn transposed(values: &[f64], shape: &[usize]) -> Vec<f64> {
    let place = |mut index: usize| {
        let mut place = 0;
        // The last index comes out first, and counts most in the file.
        let mut stride = values.len();
        for &n in shape.iter().rev() {
            stride /= n;
            place += index % n * stride;
            index /= n;
        }
        place
    };
    (0..values.len())
        .map(|index| values[place(index)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file as NumPy writes it.
    fn file(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let header =
            format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
        let length = u16::try_from(header.len()).unwrap().to_le_bytes();
        [MAGIC, &[1, 0], &length, header.as_bytes(), data].concat()
    }

    fn bytes(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    #[test]
    fn both_orders_and_byte_orders_give_the_same_array() {
        let rows = bytes(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let columns = bytes(&[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
        let expected = NpyArray {
            shape: vec![2, 3],
            values: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        };
        let parse = |file: Vec<u8>| NpyArray::parse(&file).unwrap();
        assert_eq!(parse(file("'<f4'", "False", "(2, 3)", &rows)), expected);
        assert_eq!(parse(file("'<f4'", "True", "(2, 3)", &columns)), expected);
        let big: Vec<u8> = expected
            .values
            .iter()
            .flat_map(|v| v.to_be_bytes())
            .collect();
        assert_eq!(parse(file("'>f8'", "False", "(2, 3)", &big)), expected);
        let one = parse(file("'<f4'", "False", "(1,)", &bytes(&[7.0])));
        assert_eq!((one.shape, one.values), (vec![1], vec![7.0]));
        let scalar = parse(file("'<f4'", "False", "()", &bytes(&[7.0])));
        assert_eq!((scalar.shape, scalar.values), (vec![], vec![7.0]));
    }

    #[test]
    fn other_types_and_damage_are_told() {
        let refusal = |file: &[u8]| NpyArray::parse(file).unwrap_err();
        let four = bytes(&[1.0; 4]);
        assert!(refusal(&file("'<i8'", "False", "(2,)", &four)).contains("<i8"));
        assert!(refusal(&file("[('a', '<f4')]", "False", "(4,)", &four)).contains("record"));
        assert!(refusal(&file("'<f4'", "False", "(5,)", &four)).contains("[5]"));
        let whole = file("'<f4'", "False", "(4,)", &four);
        for length in [0, 3, 7, 9, 30] {
            assert!(refusal(&whole[..length]).contains("damaged"), "{length}");
        }
    }
}
