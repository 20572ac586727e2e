//! How much memory this process may use, and has used.
#![expect(
    clippy::disallowed_methods,
    reason = "reads the small files in which the system tells its limits"
)]

use std::fs;
use std::path::Path;

/// Bytes of memory that this process may use: those of the machine, the least limit of a
/// control group (version 1 or 2) that it is in, or a limit of the process (`ulimit -v`,
/// `ulimit -d`). None where the system does not tell.
pub fn limit() -> Option<u64> {
    limit_below(Path::new("/")).into_iter().chain(own_limits()).min()
}

/// The most bytes of memory that this process has had at a time. None where the system
/// does not tell.
pub fn peak() -> Option<u64> {
    kilobytes(Path::new("/proc/self/status"), "VmHWM:")
}

/// How many files this process may have open. None where the system does not tell.
pub fn descriptors() -> Option<u64> {
    #[cfg(unix)]
    return rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    #[cfg(not(unix))]
    return None;
}

/// What the files below `root` say of the machine and its control groups.
fn limit_below(root: &Path) -> Option<u64> {
    let machine = kilobytes(&root.join("proc/meminfo"), "MemTotal:");
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    groups.lines().filter_map(|line| group_limit(root, line)).chain(machine).min()
}

/// The least limit of a group and those above it. `line` is one of `/proc/self/cgroup`:
/// `0::/path` for version 2, `4:memory:/path` for version 1. In a container the path may be
/// another than the one that is mounted there, and then those above it are asked.
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
    // `max` is none, and so is the number of version 1 that is above all memory.
    files.filter_map(|file| fs::read_to_string(file).ok()?.trim().parse().ok()).min()
}

#[cfg(unix)]
fn own_limits() -> impl Iterator<Item = u64> {
    use rustix::process::{Resource, getrlimit};
    [Resource::As, Resource::Data].into_iter().filter_map(|what| getrlimit(what).current)
}

#[cfg(not(unix))]
fn own_limits() -> impl Iterator<Item = u64> {
    std::iter::empty()
}

/// The number of kilobytes behind `name` in a file such as `/proc/meminfo`, in bytes.
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
