//! What commands print: results on standard output, everything else on standard error.

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

/// Tells what a user should know, a line each.
pub fn notes(notes: &[String]) {
    for note in notes {
        tell(&format!("note: {note}"));
    }
}

/// Tells a line on standard error; one that is closed or full hears nothing, and the work goes on.
pub fn tell(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}
