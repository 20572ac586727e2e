//! Suggests the intended name for a misspelled one.

/// Returns the nearest of `names`, unless none is close.
pub(super) fn nearest<'a>(wrong: &str, names: &'a [String]) -> Option<&'a str> {
    let distances = names.iter().map(|name| (strsim::osa_distance(wrong, name), name));
    let (distance, name) = distances.min_by_key(|&(distance, _)| distance)?;
    let most = wrong.chars().count().max(3) / 3;
    // The last part of a name, or its first word, identifies the intended name.
    let is_part = |name: &&String| {
        let rest = name.strip_prefix(wrong);
        name.rsplit('.').next() == Some(wrong) || rest.is_some_and(|rest| rest.starts_with('_'))
    };
    let part = names.iter().find(is_part);
    part.or((distance <= most).then_some(name)).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_or_none() {
        let names = ["distinct", "rejected_total", "rejected.no-suffix"].map(str::to_owned);
        for (wrong, expected) in [
            ("distnict", Some("distinct")),
            ("rejected", Some("rejected_total")),
            ("rejected.nosuffix", Some("rejected.no-suffix")),
            ("no-suffix", Some("rejected.no-suffix")),
            ("x", None),
            ("disinct", Some("distinct")),
            ("weather", None),
        ] {
            assert_eq!(nearest(wrong, &names), expected, "{wrong}");
        }
        assert_eq!(nearest("x", &[]), None);
    }
}
