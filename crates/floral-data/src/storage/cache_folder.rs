//! The user's cache folder, for copies of data and results of solvers.

use std::env;
use std::path::PathBuf;

/// The environment variable that names the folder.
pub const VARIABLE: &str = "FLORAL_CACHE";

/// `FLORAL_CACHE`, or `floral` in the user's cache folder: `XDG_CACHE_HOME`, else the default of
/// the system. None if the user has no home directory. The folder need not exist.
pub fn cache_folder() -> Option<PathBuf> {
    chosen(|name| env::var_os(name).map(PathBuf::from))
}

fn chosen(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let given = |name: &str| variable(name).filter(|path| !path.as_os_str().is_empty());
    // The XDG Base Directory Specification requires relative paths to be ignored.
    let absolute = |name: &str| given(name).filter(|path| path.is_absolute());
    let custom = || match env::consts::OS {
        "windows" => absolute("LOCALAPPDATA"),
        "macos" => Some(absolute("HOME")?.join("Library/Caches")),
        _ => Some(absolute("HOME")?.join(".cache")),
    };
    given(VARIABLE).or_else(|| {
        let folder = absolute("XDG_CACHE_HOME").or_else(custom)?;
        Some(folder.join("floral"))
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_most_specific_variable_decides() {
        let folder = |variables: &[(&str, &str)]| {
            let find = |name: &str| variables.iter().find(|(n, _)| *n == name);
            chosen(|name| find(name).map(|(_, path)| path.into()))
        };
        let home = ("HOME", "/users/me");
        let all = [(VARIABLE, "here"), ("XDG_CACHE_HOME", "/fast"), home];
        assert_eq!(folder(&all), Some("here".into()));
        assert_eq!(folder(&all[1..]), Some("/fast/floral".into()));
        assert_eq!(folder(&all[2..]), Some("/users/me/.cache/floral".into()));
        let relative = [("XDG_CACHE_HOME", "fast"), (VARIABLE, ""), home];
        assert_eq!(folder(&relative), Some("/users/me/.cache/floral".into()));
        assert_eq!(folder(&[]), None);
    }
}
