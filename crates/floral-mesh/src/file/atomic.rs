//! Files that are whole or absent.

use std::io::Write;
use std::path::Path;

use crate::Error;

/// Writes a file under another name beside it, and renames it when it is on the disk.
pub(crate) fn write(path: &Path, contents: &[u8]) -> Result<(), Error> {
    let result = || -> std::io::Result<()> {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        {
            // As other new files, less what the user's umask takes.
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let mut file = builder.prefix(".mesh").tempfile_in(folder)?;
        file.write_all(contents)?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    result().map_err(|error| Error::from(error).in_file(path))
}
