//! Base64 in VTK's form: several padded pieces, one after another.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::Error;
use crate::error::format;

/// Decodes a text; white space is skipped, and padding may occur between pieces.
pub(crate) fn decode(text: &[u8]) -> Result<Vec<u8>, Error> {
    let text: Vec<u8> = text
        .iter()
        .copied()
        .filter(|b| !b.is_ascii_whitespace())
        .collect();
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let mut rest = text.as_slice();
    while !rest.is_empty() {
        let padding = rest.iter().position(|&b| b == b'=').unwrap_or(rest.len());
        let end = padding.next_multiple_of(4).min(rest.len());
        let (piece, after) = rest.split_at(end.max(1));
        let decoded = STANDARD.decode(piece);
        bytes.extend(decoded.map_err(|e| format(format!("base64 is damaged: {e}")))?);
        rest = after;
    }
    Ok(bytes)
}

/// Encodes bytes as padded text.
pub(crate) fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padded_pieces_are_joined() {
        let text = encode(b"head") + "\n  " + &encode(b"a body");
        assert_eq!(decode(text.as_bytes()).unwrap(), b"heada body");
        assert!(decode(b"=").is_err());
        assert!(decode(b"ab*d").is_err());
        assert!(decode(b"abc").is_err());
    }
}
