//! The one integration binary.

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
/// What is read, how, and that it makes no difference to the list.
mod inputs;
/// `merge` and `diff`: sorted lists.
mod lists;
/// `-o`: the old file or the new one.
mod output;
/// Codecs, archives, and archives within archives.
mod packed;
/// Columns of Parquet files.
#[cfg(feature = "parquet")]
mod parquet;
/// What signals leave behind.
#[cfg(unix)]
mod signals;
/// `--memory`: the same list, whatever the memory.
mod spill;
/// `check` and `convert`: rows, filters, forms.
mod values;
