//! The version of the program: its number, and what it was built from.

/// The number, such as `0.1.0`.
pub(in crate::cli) const NUMBER: &str = env!("CARGO_PKG_VERSION");

/// The commit, if the build knew it.
pub(in crate::cli) const COMMIT: Option<&str> = option_env!("DOISCAN_COMMIT");

/// The date of the commit, such as `2026-11-22`.
pub(in crate::cli) const DATE: Option<&str> = option_env!("DOISCAN_COMMIT_DATE");

const FEATURES: [(&str, bool); 3] =
    [("cli", true), ("parquet", cfg!(feature = "parquet")), ("serde", cfg!(feature = "serde"))];

/// What `doiscan --version` prints after the name.
pub(in crate::cli) fn long() -> String {
    let features: Vec<_> = FEATURES.iter().filter(|f| f.1).map(|f| f.0).collect();
    format!(
        "{NUMBER}\ncommit: {}\ndate: {}\nfeatures: {}\ntarget: {}",
        COMMIT.unwrap_or("unknown"),
        DATE.unwrap_or("unknown"),
        features.join(" "),
        env!("DOISCAN_TARGET"),
    )
}
