//! Flags for the destination and the spelling of the result.

use crate::output::{self, Layout};
use crate::pipeline::SideFile;
use anyhow::{Context, Result, bail};
use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// `-o`, of every command that writes a result.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub(in crate::cli) struct OutputFlag {
    /// Write to FILE instead of standard output
    ///
    /// FILE is replaced as a whole when the run succeeds, or not at all. - is standard output; ./- is
    /// a file of that name.
    #[arg(short = 'o', long = "output", value_name = "FILE", value_parser = destination())]
    file: Option<PathBuf>,
}

impl OutputFlag {
    /// Returns the file to write, if it is not standard output.
    pub(in crate::cli) fn path(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Whether the result is written to standard output.
    pub(in crate::cli) fn is_standard(&self) -> bool {
        self.path().is_none_or(output::is_stdout)
    }

    /// Writes all of `bytes`.
    pub(in crate::cli) fn write(&self, bytes: &[u8]) -> Result<()> {
        let mut output = match self.path() {
            Some(path) => output::Output::file(path)?,
            None => output::Output::standard()?,
        };
        output.write(bytes)?;
        output.finish()?;
        Ok(())
    }
}

/// How the list of `scan` is written.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(in crate::cli) struct ListFlags {
    /// Write and sort DOIs in upper or lower case
    ///
    /// Crossref and OpenAlex use lower case: choose lower to join with their data.
    #[arg(long, value_enum, default_value_t = Case::Upper, hide_possible_values = true,
          value_name = "upper|lower", env = "DOISCAN_CASE")]
    case: Case,

    /// Also find shortDOIs (10/abc, doi.org/abc) and list them in FILE
    ///
    /// They are not resolved to DOIs, which would need the network. The suffix .csv, .tsv, .jsonl or
    /// .parquet selects the format, as for -o; - is standard output.
    #[arg(long, value_name = "FILE", value_parser = destination())]
    short_doi: Option<PathBuf>,

    /// Also write the EIDRs to FILE, each once, in canonical form
    ///
    /// Finds EIDRs among the DOIs in every form: with and without hyphens, as URN and as URL. In keys and
    /// columns named EIDR (eidr_id, contentEIDR), bare suffixes with a correct check character and binary
    /// forms in hexadecimal or Base64 are read too. EIDRs with a wrong check character or shape are only
    /// counted. The suffix .csv, .tsv, .jsonl or .parquet selects the format, as for -o; - is standard
    /// output.
    #[arg(long, value_name = "FILE", value_parser = destination())]
    pub(in crate::cli) eidr: Option<PathBuf>,
}

impl ListFlags {
    /// The file for EIDRs and its layout.
    pub(in crate::cli) fn eidr(&self) -> Result<Option<SideFile>> {
        target("--eidr", self.eidr.as_deref())
    }

    /// The file for shortDOIs.
    pub(in crate::cli) fn short_doi(&self) -> Result<Option<PathBuf>> {
        Ok(target("--short-doi", self.short_doi.as_deref())?.map(|target| target.path))
    }

    /// The flags and their files.
    pub(in crate::cli) fn files(&self) -> [(&str, Option<&Path>); 2] {
        [("--short-doi", self.short_doi.as_deref()), ("--eidr", self.eidr.as_deref())]
    }

    pub(in crate::cli) fn is_lower(&self) -> bool {
        self.case == Case::Lower
    }
}

/// The file of a flag and its layout.
fn target(flag: &str, path: Option<&Path>) -> Result<Option<SideFile>> {
    let Some(path) = path else { return Ok(None) };
    let layout = Layout::of(path).and_then(|(layout, _)| layout.check());
    let layout = layout.with_context(|| format!("{flag} {}", path.display()))?;
    Ok(Some(SideFile { path: path.to_path_buf(), layout }))
}

/// `--case`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Case {
    Upper,
    Lower,
}

/// Where a flag writes to: the path as it is given, and standard output for `-`.
pub(in crate::cli) fn destination() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().map(|path| match path.as_os_str() == "-" {
        true => PathBuf::from("/dev/stdout"),
        false => path,
    })
}

/// Fails when two of these flags name the same file, or more than one writes to standard
/// output. The first is `--output`, which does so when it is not given.
pub(in crate::cli) fn distinct(files: &[(&str, Option<&Path>)]) -> Result<()> {
    let is_standard = |&&(flag, path): &&(&str, Option<&Path>)| match path {
        Some(path) => path == Path::new("-") || output::is_stdout(path),
        None => flag == "--output",
    };
    let mut standard = files.iter().filter(is_standard);
    if let (Some((first, given)), Some((second, _))) = (standard.next(), standard.next()) {
        let first = if given.is_some() { first } else { "the list" };
        let remedy = "name a file for one of them, for example with -o FILE";
        bail!("{first} and {second} would both be written to standard output; {remedy}");
    }
    let given: Vec<_> = files.iter().filter_map(|&(flag, path)| Some((flag, path?))).collect();
    for (index, (flag, path)) in given.iter().enumerate() {
        let is_same = |other: &&(&str, &Path)| output::is_same_file(other.1, path);
        if let Some((other, _)) = given[..index].iter().find(is_same) {
            bail!("{other} and {flag} are the same file: {}", path.display());
        }
    }
    Ok(())
}

/// Fails when one of these flags names an input, which would be replaced by what is said of it.
pub(in crate::cli) fn spare(inputs: &[PathBuf], files: &[(&str, Option<&Path>)]) -> Result<()> {
    for (flag, path) in files.iter().filter_map(|&(flag, path)| Some((flag, path?))) {
        if inputs.iter().any(|input| output::is_same_file(input, path)) {
            bail!("{flag} would replace an input: {}", path.display());
        }
    }
    Ok(())
}

/// Fails when one of `files` has the name under which a refused one of `kept` would be kept.
pub(in crate::cli) fn spare_failed(
    kept: &[(&str, Option<&Path>)],
    files: &[(&str, Option<&Path>)],
) -> Result<()> {
    for (flag, path) in kept.iter().filter_map(|&(flag, path)| Some((flag, path?))) {
        let failed = output::beside(path);
        let is_failed = |path: &Path| output::is_same_file(path, &failed);
        if let Some((other, _)) = files.iter().find(|(_, path)| path.is_some_and(is_failed)) {
            bail!(
                "{other} names the file in which a refused {flag} is kept, {}; choose another name",
                failed.display()
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_output_is_given_once() {
        let (minus, file) = (Some(Path::new("/dev/stdout")), Some(Path::new("x")));
        let rows = [
            (None, None, None, true),
            (file, minus, None, true),
            (minus, None, None, true),
            (None, minus, None, false),
            (minus, minus, None, false),
            (file, minus, minus, false),
            (file, file, None, false),
            (None, Some(Path::new("-")), None, false),
            (file, Some(Path::new("-")), None, true),
        ];
        for (list, stats, short, is_fine) in rows {
            let files = [("--output", list), ("--stats", stats), ("--short-doi", short)];
            assert_eq!(distinct(&files).is_ok(), is_fine, "{files:?}");
        }
    }
}
