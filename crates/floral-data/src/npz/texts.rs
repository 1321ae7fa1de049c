//! Lists of texts in NumPy's format, such as the labels of channels.

use std::io::Read;

use super::array::{Parsed, header};

/// Largest size of a list, in bytes.
const LONGEST: u64 = 1 << 24;

/// The texts of a list in a file of `size` bytes; none for an array of texts with several
/// dimensions. An error describes what is wrong.
pub(crate) fn texts(mut file: impl Read, size: u64) -> Result<Option<Vec<String>>, String> {
    let damaged = || "is no NumPy array, or damaged".to_owned();
    let (text, length) = header(&mut file).ok_or_else(damaged)?;
    let parsed = Parsed::of(&text).ok_or_else(damaged)?;
    let (order, rest) = parsed.data_type.split_at_checked(1).ok_or_else(damaged)?;
    let (width, is_wide) = match (rest.strip_prefix('U'), rest.strip_prefix('S')) {
        (Some(width), _) => (width, true),
        (None, Some(width)) => (width, false),
        (None, None) => return Err(format!("has values of type {}", parsed.data_type)),
    };
    let width: usize = width.parse().map_err(|_| damaged())?;
    let [count] = parsed.shape[..] else {
        return Ok(None);
    };
    let bytes_each = width * if is_wide { 4 } else { 1 };
    let expected = (count as u64).checked_mul(bytes_each as u64);
    if expected != size.checked_sub(length) || size > LONGEST {
        return Err(damaged());
    }
    let mut bytes = Vec::new();
    let read = file.take(LONGEST).read_to_end(&mut bytes);
    read.map_err(|error| format!("cannot be read ({error})"))?;
    let text = |bytes: &[u8]| match is_wide {
        true => wide(bytes, order == ">"),
        false => String::from_utf8_lossy(bytes)
            .trim_end_matches('\0')
            .to_owned(),
    };
    Ok(Some(
        bytes.chunks_exact(bytes_each.max(1)).map(text).collect(),
    ))
}

/// Decodes four-byte characters up to the first zero.
fn wide(bytes: &[u8], is_big_endian: bool) -> String {
    let words = bytes.as_chunks().0.iter();
    let codes = words.map(|word| match is_big_endian {
        true => u32::from_be_bytes(*word),
        false => u32::from_le_bytes(*word),
    });
    let codes = codes.take_while(|code| *code != 0);
    codes.filter_map(char::from_u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file in NumPy's format.
    fn file(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let header = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n");
        let length = u16::try_from(header.len()).unwrap().to_le_bytes();
        [&b"\x93NUMPY"[..], &[1, 0], &length, header.as_bytes(), data].concat()
    }

    #[test]
    fn labels_are_read_in_wide_and_narrow_characters() {
        let read = |file: Vec<u8>| texts(&*file, file.len() as u64);
        let wide: Vec<u8> = ['u', '\0', 'v', 'é']
            .into_iter()
            .flat_map(|c| u32::from(c).to_le_bytes())
            .collect();
        let expected = Some(vec!["u".to_owned(), "vé".to_owned()]);
        assert_eq!(read(file("'<U2'", "(2,)", &wide)), Ok(expected));
        let narrow = Some(vec!["u".to_owned(), "vw".to_owned()]);
        assert_eq!(read(file("'|S2'", "(2,)", b"u\0vw")), Ok(narrow));
        assert_eq!(read(file("'|S2'", "(1, 2)", b"u\0vw")), Ok(None));
        assert!(
            read(file("'|O'", "(2,)", b"u\0vw"))
                .unwrap_err()
                .contains("|O")
        );
        assert!(
            read(file("'|S2'", "(3,)", b"u\0vw"))
                .unwrap_err()
                .contains("damaged")
        );
    }
}
