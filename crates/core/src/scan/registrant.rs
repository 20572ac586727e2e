//! The registrant of a name.

/// The digits of the registrant of `name`, whose suffix begins at `start`.
pub(super) fn registrant(name: &[u8], start: usize) -> &[u8] {
    name[..start - 1].strip_prefix(b"10.").unwrap_or_default()
}
