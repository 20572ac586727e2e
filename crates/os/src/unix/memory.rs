//! The limits of memory, from `/proc`, control groups and `getrlimit`.
#![expect(
    clippy::disallowed_methods,
    reason = "reads the small files in which the system tells its limits"
)]

use rustix::process::{Resource, getrlimit};
use std::fs;
use std::path::Path;

/// Maximum memory of this process in bytes: the minimum of the machine's memory, the limits of its
/// control groups (version 1 or 2), and the limits of the process (`ulimit -v`, `ulimit -d`).
/// `None` if the system does not report any.
pub fn limit() -> Option<u64> {
    limit_below(Path::new("/")).into_iter().chain(own_limits()).min()
}

/// Peak memory of this process in bytes. `None` if the system does not report it.
pub fn peak() -> Option<u64> {
    kilobytes(Path::new("/proc/self/status"), "VmHWM:")
}

/// Maximum number of files that this process may have open. `None` if the system does not report
/// it.
pub fn descriptors() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

/// Returns the lowest memory limit of the machine and its control groups, from the files below
/// `root`.
fn limit_below(root: &Path) -> Option<u64> {
    let machine = kilobytes(&root.join("proc/meminfo"), "MemTotal:");
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    groups.lines().filter_map(|line| group_limit(root, line)).chain(machine).min()
}

/// Returns the lowest limit of a group and its ancestors. `line` is a line of `/proc/self/cgroup`:
/// `0::/path` for version 2, `4:memory:/path` for version 1. In a container, the path may not be
/// mounted; then only its ancestors are read.
fn group_limit(root: &Path, line: &str) -> Option<u64> {
    let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
    let places: &[(&str, &str)] = match controllers {
        "" => &[("sys/fs/cgroup", "memory.max"), ("sys/fs/cgroup/unified", "memory.max")],
        _ if controllers.split(',').any(|name| name == "memory") => {
            &[("sys/fs/cgroup/memory", "memory.limit_in_bytes")]
        }
        _ => &[],
    };
    let groups = || Path::new(path.trim_start_matches('/')).ancestors();
    let files = places
        .iter()
        .flat_map(|(base, file)| groups().map(move |group| root.join(base).join(group).join(file)));
    // `max` means no limit. Version 1 uses a number larger than any memory for that.
    files.filter_map(|file| fs::read_to_string(file).ok()?.trim().parse().ok()).min()
}

fn own_limits() -> impl Iterator<Item = u64> {
    [Resource::As, Resource::Data].into_iter().filter_map(|what| getrlimit(what).current)
}

/// Reads the number of kilobytes after `name` in a file such as `/proc/meminfo`, and returns it in
/// bytes.
fn kilobytes(file: &Path, name: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(files: &[(&str, &str)]) -> Option<u64> {
        let root = tempfile::tempdir().expect("folder");
        for (file, text) in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().expect("folder")).expect("folder");
            fs::write(path, text).expect("write");
        }
        limit_below(root.path())
    }

    const MEMORY: (&str, &str) = ("proc/meminfo", "MemTotal:       8 kB\nMemFree: 4 kB\n");

    #[test]
    fn the_machine_alone() {
        assert_eq!(machine(&[]), None);
        assert_eq!(machine(&[MEMORY]), Some(8192));
    }

    #[test]
    fn the_least_limit_of_the_groups_above() {
        let v2 = ("proc/self/cgroup", "0::/a/b\n");
        let inner = ("sys/fs/cgroup/a/b/memory.max", "max\n");
        let outer = ("sys/fs/cgroup/a/memory.max", "5000\n");
        assert_eq!(machine(&[MEMORY, v2, inner]), Some(8192));
        assert_eq!(machine(&[MEMORY, v2, inner, outer]), Some(5000));
        let container = ("sys/fs/cgroup/memory.max", "4000\n");
        assert_eq!(machine(&[MEMORY, v2, container]), Some(4000));
        let v1 = ("proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/a/b\n0::/\n");
        let limit = ("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "6000\n");
        let none = ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
        assert_eq!(machine(&[MEMORY, v1, none]), Some(8192));
        assert_eq!(machine(&[MEMORY, v1, none, limit]), Some(6000));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_a_limit_and_a_peak() {
        let (limit, peak) = (limit().expect("a limit"), peak().expect("a peak"));
        assert!(0 < peak && peak < limit, "{peak} {limit}");
    }
}
