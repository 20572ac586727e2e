//! Why names cannot be collected.

/// The reason why names cannot be collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A shard's offsets have 32 bits.
    #[error(
        "too many distinct DOIs for one run; scan the inputs in several runs, and combine the lists with doiscan merge"
    )]
    Full,
    /// A name whose length does not fit 32 bits.
    #[error("a name is longer than 4 GiB")]
    NameTooLong,
}
