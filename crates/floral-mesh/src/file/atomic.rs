//! Files that are either complete or absent.

use std::io::Write;
use std::path::Path;

use crate::Error;

/// Writes a temporary file in the same folder and renames it once it is on disk.
pub(crate) fn write(path: &Path, contents: &[u8]) -> Result<(), Error> {
    let result = || -> std::io::Result<()> {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        {
            // The usual permissions of new files, reduced by the user's umask.
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
