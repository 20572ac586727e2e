//! The one integration binary.

/// Addresses against the parser of browsers.
mod addresses;
/// Laws between commands: lists, forms and verdicts name the same DOIs.
mod chains;
/// Fast against naive on real collections.
mod collections;
/// The standards, clause by clause.
mod conformance;
/// Modules use only those before them.
mod layers;
/// The scanner against its oracle and over every cut.
mod oracle;
/// What fuzzing found, replayed.
mod regressions;
/// Rows of `testdata/vectors/` through every route.
mod vectors;

/// `--column` and `--format`: the columns of tables.
mod columns;
/// Flags, exit status, standard streams, and what is said.
mod command;
/// `scan --eidr`.
#[cfg(unix)]
mod eidr;
/// What came from input, as a terminal and JSON show it.
#[cfg(target_os = "linux")]
mod escapes;
/// Names at the place of a fault.
mod faults;
/// A good list is never replaced by an empty or a short one.
#[cfg(unix)]
mod gates;
/// Help, the version, completions, man pages, and remedies in messages.
mod help;
/// What is read, how, and that it makes no difference to the list.
mod inputs;
/// `merge` and `diff`: sorted lists.
mod lists;
/// `--metrics` and `--log-format`.
#[cfg(unix)]
mod machines;
/// `-o`: the old file or the new one.
mod output;
/// Codecs, archives, and archives within archives.
mod packed;
/// Columns of Parquet files.
#[cfg(feature = "parquet")]
mod parquet;
/// Names planted in random notations and containers.
mod planted;
/// `--report`: the page of a run.
#[cfg(unix)]
mod report;
/// The forms of lists, counts, hits and rejects.
mod rows;
/// What signals leave behind.
#[cfg(unix)]
mod signals;
/// `--memory`: the same list, whatever the memory.
mod spill;
/// `--state`: only what changed is read.
#[cfg(all(unix, feature = "state"))]
mod state;
/// `--stats`: the record of a run.
mod stats;
/// `check` and `convert` on tables and JSON lines.
mod tables;
/// The bar, on terminals of several widths.
#[cfg(unix)]
mod terminal;
/// `check` and `convert`: rows, filters, forms.
mod values;
