//! The arrays of VTK XML files: text, base64 or raw bytes, compressed or not.

use std::cell::Cell;
use std::io::Read;

use flate2::read::ZlibDecoder;
use roxmltree::Node;

use crate::Error;
use crate::error::format;
use crate::file::array::{Array, Number};
use crate::file::arrays::shown;
use crate::file::base64_text;

/// Most bytes that a file may unpack to, per byte of its own: far more than the compression of
/// meshes.
const MOST_UNPACKED: usize = 256;

/// Encoding of the arrays of a file.
pub(crate) struct Decoder<'a> {
    big: bool,
    /// Type of the sizes that precede an array.
    header: Number,
    zlib: bool,
    appended: Option<&'a [u8]>,
    appended_base64: bool,
    /// Start positions of the appended arrays, in increasing order.
    starts: Vec<usize>,
    file_size: usize,
    /// Number of bytes that may still be unpacked.
    budget: Cell<usize>,
}

impl<'a> Decoder<'a> {
    pub(crate) fn new(
        root: Node,
        appended: Option<&'a [u8]>,
        file_size: usize,
    ) -> Result<Self, Error> {
        let zlib = match root.attribute("compressor") {
            None | Some("") => false,
            Some("vtkZLibDataCompressor") => true,
            Some(other) => {
                return Err(format(format!(
                    "is compressed by {other}; export it with ZLib or without compression"
                )));
            }
        };
        let header = match root.attribute("header_type") {
            None | Some("UInt32") => Number::U32,
            Some("UInt64") => Number::U64,
            Some(other) => return Err(format(format!("has unknown header_type {other}"))),
        };
        let tag = root
            .children()
            .find(|child| child.has_tag_name("AppendedData"));
        let appended_base64 = tag.and_then(|t| t.attribute("encoding")) == Some("base64");
        let offset = |n: Node| n.attribute("offset").and_then(|o| o.trim().parse().ok());
        let mut starts: Vec<usize> = root.descendants().filter_map(offset).collect();
        starts.sort_unstable();
        Ok(Self {
            big: root.attribute("byte_order") == Some("BigEndian"),
            header,
            zlib,
            appended,
            appended_base64,
            starts,
            file_size,
            budget: Cell::new(
                file_size
                    .saturating_mul(MOST_UNPACKED)
                    .saturating_add(1 << 20),
            ),
        })
    }

    pub(crate) fn file_size(&self) -> usize {
        self.file_size
    }

    /// The numbers of a DataArray; none if it contains text.
    pub(crate) fn array_if_numbers(&self, node: Node) -> Result<Option<Array>, Error> {
        if matches!(node.attribute("type"), Some("String") | Some("Bit")) {
            return Ok(None);
        }
        self.array(node).map(Some)
    }

    /// The numbers of a DataArray.
    pub(crate) fn array(&self, node: Node) -> Result<Array, Error> {
        let name = node.attribute("Name").unwrap_or("unnamed").to_owned();
        let array = self.read_array(node, name.clone());
        array.map_err(|error| format(format!("array {name}: {error}")))
    }

    fn read_array(&self, node: Node, name: String) -> Result<Array, Error> {
        let kind = node.attribute("type").unwrap_or_default();
        let number = Number::of_name(kind);
        let number =
            number.ok_or_else(|| format(format!("type {kind:?} is not one of numbers")))?;
        let components = node
            .attribute("NumberOfComponents")
            .map_or(Ok(1), |n| n.trim().parse());
        let components =
            components.map_err(|_| format("NumberOfComponents is not a number; it is damaged"))?;
        // ParaView puts InformationKey elements before the numbers.
        let text: String = node
            .children()
            .filter_map(|c| c.is_text().then(|| c.text())?)
            .collect();
        let values = match node.attribute("format") {
            Some("ascii") => parse(&text)?,
            Some("binary") => self.decode(&base64_text::decode(text.as_bytes())?, number)?,
            Some("appended") => self.decode_appended(node, number)?,
            other => {
                return Err(format(format!(
                    "format {other:?} is unknown; export it again"
                )));
            }
        };
        Ok(Array {
            name,
            components,
            values,
        })
    }

    fn decode_appended(&self, node: Node, number: Number) -> Result<Vec<f64>, Error> {
        let start = node
            .attribute("offset")
            .and_then(|o| o.trim().parse::<usize>().ok());
        let data = self.appended.zip(start).and_then(|(data, start)| {
            let next = self.starts.iter().find(|&&s| s > start);
            let end = next.map_or(data.len(), |&next| next.min(data.len()));
            data.get(start..end)
        });
        let data = data.ok_or_else(|| format("its appended data is missing; it is cut short"))?;
        if !self.appended_base64 {
            return self.decode(data, number);
        }
        // The last array extends to the closing tag of the element.
        let end = data.iter().position(|&b| b == b'<').unwrap_or(data.len());
        self.decode(&base64_text::decode(&data[..end])?, number)
    }

    /// Numbers from bytes that start with their sizes.
    fn decode(&self, bytes: &[u8], number: Number) -> Result<Vec<f64>, Error> {
        if bytes.is_empty() {
            return Ok(Vec::new());
        }
        if self.zlib {
            return Ok(number.decode(&self.unpack(bytes)?, self.big));
        }
        let length = self.sizes(bytes, 1)?[0];
        let data = &bytes[self.header.size()..];
        let data = data.get(..length).ok_or_else(|| {
            let held = data.len();
            format(format!(
                "states {length} bytes but holds {held}; it is cut short"
            ))
        })?;
        Ok(number.decode(data, self.big))
    }

    /// The first `count` sizes, which precede the data.
    fn sizes(&self, bytes: &[u8], count: usize) -> Result<Vec<usize>, Error> {
        let length = count.checked_mul(self.header.size());
        let header = length.and_then(|length| bytes.get(..length));
        let header = header.ok_or_else(|| format("its sizes are cut short"))?;
        let sizes = self.header.decode(header, self.big);
        Ok(sizes.into_iter().map(|size| size as usize).collect())
    }

    /// Unpacks blocks: [count, size, size of the last, packed sizes...], then the packed blocks.
    fn unpack(&self, bytes: &[u8]) -> Result<Vec<u8>, Error> {
        let count = self.sizes(bytes, 1)?[0];
        if count == 0 {
            return Ok(Vec::new());
        }
        let words = count.saturating_add(3);
        let sizes = self.sizes(bytes, words)?;
        let mut rest = &bytes[words * self.header.size()..];
        let mut unpacked = Vec::new();
        for (block, &packed) in sizes[3..].iter().enumerate() {
            let whole = block + 1 < count || sizes[2] == 0;
            let size = if whole { sizes[1] } else { sizes[2] };
            let data = rest
                .get(..packed)
                .ok_or_else(|| format("a block is cut short"))?;
            rest = &rest[packed..];
            self.inflate(data, size, &mut unpacked)?;
        }
        Ok(unpacked)
    }

    fn inflate(&self, data: &[u8], size: usize, unpacked: &mut Vec<u8>) -> Result<(), Error> {
        let left = self.budget.get().checked_sub(size);
        self.budget.set(left.ok_or_else(|| {
            format(format!(
                "unpacks to over {MOST_UNPACKED} times the file; it is damaged"
            ))
        })?);
        let before = unpacked.len();
        // The buffer grows as bytes arrive, by at most one more than stated.
        let read = ZlibDecoder::new(data)
            .take(size as u64 + 1)
            .read_to_end(unpacked);
        read.map_err(|error| format(format!("a compressed block is damaged: {error}")))?;
        let held = unpacked.len() - before;
        if held != size {
            return Err(format(format!("a block of {size} bytes unpacks to {held}")));
        }
        Ok(())
    }
}

fn parse(text: &str) -> Result<Vec<f64>, Error> {
    let number = |(i, word): (usize, &str)| {
        let shown = shown(word);
        word.parse()
            .map_err(|_| format(format!("entry {i}, {shown:?}, is not a number")))
    };
    text.split_ascii_whitespace()
        .enumerate()
        .map(number)
        .collect()
}
