//! What has the shape of a DOI and names no work.

use crate::doi::Reason;

/// Judges a folded name by its shape.
pub(super) fn lookalike(name: &[u8]) -> Option<Reason> {
    // Wiley's licences for text mining: `10.1002/tdm_license_1.1`.
    name.starts_with(b"10.1002/TDM_LICENSE").then_some(Reason::Licence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licences() {
        assert_eq!(lookalike(b"10.1002/TDM_LICENSE_1.1"), Some(Reason::Licence));
        assert_eq!(lookalike(b"10.1002/ANIE.201"), None);
    }
}
