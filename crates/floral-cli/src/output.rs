//! Standard output that does not mind a reader who has seen enough.

use std::io::{ErrorKind, Write};

/// Prints text as it is; a closed pipe, as in `floral inspect data.zarr | head`, is no error.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}
