//! `--memory` and `--temp-dir`: what they mean on this machine.

use anyhow::{Result, bail};
use std::path::{Path, PathBuf};

/// What is taken where nobody tells how much memory there is: 1 GiB.
const UNKNOWN: u64 = 1024 * 1024 * 1024;

/// An amount of memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Size {
    /// Bytes.
    Bytes(u64),
    /// A part of what there is.
    Percent(f64),
}

impl Size {
    /// Reads `512M`, `1.5G`, `4GiB`, `1000000` or `25%`; the units are powers of 1024.
    pub(super) fn parse(text: &str) -> Result<Size, String> {
        let expected =
            || format!("expected a size such as 512M or 2G, or a share such as 25%, not {text:?}");
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let number: f64 = text[..end].parse().map_err(|_| expected())?;
        let unit = text[end..].trim().to_ascii_uppercase();
        let power = match unit.strip_suffix("IB").or(unit.strip_suffix('B')).unwrap_or(&unit) {
            "%" if number > 0.0 && number <= 100.0 => return Ok(Size::Percent(number)),
            "" => 0,
            "K" => 1,
            "M" => 2,
            "G" => 3,
            "T" => 4,
            _ => return Err(expected()),
        };
        let bytes = number * 1024_f64.powi(power);
        if bytes < 1.0 || bytes > u64::MAX as f64 / 2.0 {
            return Err(expected());
        }
        Ok(Size::Bytes(bytes as u64))
    }

    /// In bytes, of what this process may use.
    pub(super) fn bytes(self) -> usize {
        let all = || crate::input::memory::limit().unwrap_or(2 * UNKNOWN);
        let bytes = match self {
            Size::Bytes(bytes) => bytes,
            Size::Percent(percent) => (all() as f64 * percent / 100.0) as u64,
        };
        usize::try_from(bytes).unwrap_or(usize::MAX)
    }
}

/// The folders for what is spilled: those given, else `$TMPDIR`, else that of the list, where
/// as much space is needed anyway, else `/var/tmp`. Not `/tmp`, which is in memory on
/// many systems: names that were spilled there would take the memory that they were to spare.
pub(super) fn folders(given: &[PathBuf], output: Option<&Path>) -> Result<Vec<PathBuf>> {
    if let Some(path) = given.iter().find(|path| !path.is_dir()) {
        bail!("--temp-dir {} is not a folder", path.display());
    }
    if !given.is_empty() {
        return Ok(given.to_vec());
    }
    if let Some(folder) = std::env::var_os("TMPDIR").filter(|folder| Path::new(folder).is_dir()) {
        return Ok(vec![folder.into()]);
    }
    let of_list = output.and_then(Path::parent).map(|folder| match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    });
    // Not that of a device or a pipe.
    let is_file = output.is_some_and(|path| path.metadata().map_or(true, |meta| meta.is_file()));
    let fallback = || [Path::new("/var/tmp"), Path::new(".")].into_iter().find(|f| f.is_dir());
    let chosen = of_list.filter(|_| is_file).or_else(fallback);
    Ok(chosen.map(Path::to_path_buf).into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        let cases = [
            ("1", Size::Bytes(1)),
            ("512M", Size::Bytes(512 << 20)),
            ("1.5g", Size::Bytes(3 << 29)),
            ("4 KiB", Size::Bytes(4096)),
            ("2TB", Size::Bytes(2 << 40)),
            ("25%", Size::Percent(25.0)),
        ];
        for (text, size) in cases {
            assert_eq!(Size::parse(text), Ok(size), "{text}");
        }
        for text in ["", "0", "M", "-1", "101%", "0%", "5X", "1e9", "99999999T", "nan", "5%5"] {
            assert!(Size::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn folders_are_those_given_or_that_of_the_list() {
        let folder = tempfile::tempdir().expect("folder");
        let given = vec![folder.path().to_path_buf()];
        assert_eq!(folders(&given, None).expect("a folder"), given);
        let none = [folder.path().join("none")];
        let error = folders(&none, None).expect_err("no folder").to_string();
        assert!(error.ends_with("none is not a folder"), "{error}");
    }
}
