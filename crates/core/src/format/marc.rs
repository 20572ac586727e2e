//! Recognises library records: MARC 21 and UNIMARC in files (ISO 2709) and as text.

/// Length of a leader (ISO 2709).
const LEADER: usize = 24;

/// Labels of the line of the leader in text: MarcEdit, the Library of Congress, Innovative.
const LABELS: [&[u8]; 4] = [b"=LDR", b"LDR", b"LEADER", b"000"];

/// Whether library records begin with `head`.
pub(super) fn is_marc(head: &[u8]) -> bool {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let labelled = |label: &&[u8]| {
        let rest = text.strip_prefix(*label)?;
        let blanks = rest.iter().take(8).take_while(|b| **b == b' ').count();
        (blanks > 0).then(|| &rest[blanks..])
    };
    // `##` are the blank indicators of a control field.
    is_leader(text)
        || text.starts_with(b"001 ##")
        || LABELS.iter().filter_map(labelled).any(is_leader_of_text)
}

/// Whether `text` begins with the leader of a record: its length, the base address of its data, and
/// the map of its directory.
fn is_leader(text: &[u8]) -> bool {
    let Some(leader) = text.first_chunk::<LEADER>() else { return false };
    let are_digits = |digits: &[u8]| digits.iter().all(u8::is_ascii_digit);
    are_digits(&leader[..5])
        && leader[5].is_ascii_lowercase()
        && leader[10..12] == *b"22"
        && are_digits(&leader[12..17])
        && leader[20..22] == *b"45"
}

/// Whether `text` begins with a leader as displays write it, with other blanks and lengths.
fn is_leader_of_text(text: &[u8]) -> bool {
    let line = text.split(|&b| b == b'\n').next().unwrap_or_default().trim_ascii_end();
    let is_number = line.iter().take(5).all(|b| b.is_ascii_digit() || *b == b' ');
    is_number && line.len() <= LEADER + 2 && line.ends_with(b"4500")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records() {
        for (head, expected) in [
            ("00135nam a2200061   4500024002500000", true),
            ("00135cam0 2200061   450 001000900000", true),
            ("=LDR  00135nam a2200061   4500\n=024  7\\$a10.1007/b100120$2doi", true),
            ("=LDR  00000nam\\a2200000\\\\\\4500\n", true),
            ("LEADER 00000nam 2200000 a 4500\r\n001    12", true),
            ("000 01142cam a2200301 a 4500\n001 12883376", true),
            ("001 ##12883376\n", true),
            ("00135nam a2200061   4500", true),
            ("00135nam a2200061   450", false),
            ("00135nam a2100061   4500", false),
            ("x0135nam a2200061   4500", false),
            ("LEADER of 4500\n", false),
            ("000 items of 4500\n", false),
            ("001 12883376\n", false),
            ("", false),
        ] {
            assert_eq!(is_marc(head.as_bytes()), expected, "{head}");
        }
    }
}
