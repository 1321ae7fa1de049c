//! The memory limit of a process's control group, as set by containers.

use std::path::{Path, PathBuf};

use super::available::kilobytes;

/// File names in one of the two versions of control groups.
struct Files {
    limit: &'static str,
    used: &'static str,
    /// The entry of memory.stat for page cache that the kernel can reclaim.
    reclaimable: &'static str,
}

const UNIFIED: Files = Files {
    limit: "memory.max",
    used: "memory.current",
    reclaimable: "inactive_file ",
};

const LEGACY: Files = Files {
    limit: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    reclaimable: "total_inactive_file ",
};

/// Bytes left below the tightest limit of the group and its ancestors.
pub fn left(root: &Path, membership: &str) -> Option<u64> {
    let groups = std::fs::read_to_string(membership).ok()?;
    let lefts = groups.lines().filter_map(|line| {
        // hierarchy:controllers:path; the unified hierarchy has an empty list of controllers.
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        let path = path.trim_start_matches('/');
        match controllers.split(',').collect::<Vec<_>>()[..] {
            [""] => tightest(root, path, &UNIFIED),
            ref all if all.contains(&"memory") => tightest(&root.join("memory"), path, &LEGACY),
            _ => None,
        }
    });
    lefts.min()
}

/// The tightest limit of the group and its ancestors; a container may see its own group as the
/// root.
fn tightest(root: &Path, path: &str, files: &Files) -> Option<u64> {
    let group: PathBuf = root.join(path);
    let holders = group
        .ancestors()
        .take_while(|folder| folder.starts_with(root));
    holders.filter_map(|folder| left_in(folder, files)).min()
}

fn left_in(folder: &Path, files: &Files) -> Option<u64> {
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
    // "max" means no limit and does not parse.
    let limit: u64 = read(files.limit)?.trim().parse().ok()?;
    let used: u64 = read(files.used)?.trim().parse().ok()?;
    let reclaimable = read("memory.stat")
        .and_then(|text| kilobytes(&text, files.reclaimable))
        .map_or(0, |bytes| bytes / 1024);
    Some(limit.saturating_sub(used.saturating_sub(reclaimable)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, files: &[(&str, &str)]) {
        std::fs::create_dir_all(folder).unwrap();
        for (name, text) in files {
            std::fs::write(folder.join(name), text).unwrap();
        }
    }

    #[test]
    fn the_tightest_limit_counts_and_reclaimable_pages_are_free() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let membership = root.join("membership");
        std::fs::write(&membership, "1:cpu:/\n0::/outer/inner\n").unwrap();
        let membership = membership.to_str().unwrap();
        assert_eq!(left(root, membership), None);
        write(
            &root.join("outer/inner"),
            &[("memory.max", "max\n"), ("memory.current", "10\n")],
        );
        assert_eq!(left(root, membership), None);
        let stat = ("memory.stat", "anon 5\ninactive_file 30\n");
        write(
            &root.join("outer"),
            &[("memory.max", "100\n"), ("memory.current", "70\n"), stat],
        );
        assert_eq!(left(root, membership), Some(60));
    }

    #[test]
    fn groups_of_the_first_version_are_understood() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let membership = root.join("membership");
        std::fs::write(&membership, "4:memory:/box\n").unwrap();
        let files = [
            ("memory.limit_in_bytes", "1000\n"),
            ("memory.usage_in_bytes", "400\n"),
        ];
        write(&root.join("memory/box"), &files);
        assert_eq!(left(root, membership.to_str().unwrap()), Some(600));
    }
}
