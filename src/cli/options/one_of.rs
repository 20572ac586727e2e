//! Flags whose value is one of several names.

use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Parses one of these names, and returns what it stands for.
pub(in crate::cli) fn one_of<T: Clone + Send + Sync + 'static>(
    named: impl IntoIterator<Item = (&'static str, T)>,
) -> impl TypedValueParser<Value = T> {
    let named: Vec<_> = named.into_iter().collect();
    let names: Vec<_> = named.iter().map(|(name, _)| *name).collect();
    PossibleValuesParser::new(names).try_map(move |given| {
        let found = named.iter().find(|(name, _)| *name == given);
        found.map(|(_, value)| value.clone()).ok_or("not one of the names")
    })
}
