//! Paragraphs that a program has broken into lines: `format=flowed; delsp=yes` (RFC 3676).

/// Joins lines that end in a blank to the next one, without the blank, its quote marks and its
/// stuffing.
pub(super) fn flowed(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    // If the last line flows into the next one: the depth of its quote, its blank and its line end.
    let mut gap: Option<(usize, &[u8])> = None;
    for line in text.split_inclusive(|&b| b == b'\n') {
        let depth = line.iter().take_while(|b| **b == b'>').count();
        let text = line[depth..].strip_prefix(b" ").unwrap_or(&line[depth..]);
        let is_signature = matches!(text, b"-- \n" | b"-- \r\n");
        let new = match gap.take() {
            Some((last, _)) if last == depth && !is_signature => text,
            gap => {
                out.extend_from_slice(gap.map_or(b"", |(_, end)| end));
                line
            }
        };
        let len = [&b" \r\n"[..], b" \n"].into_iter().find(|end| text.ends_with(end));
        let (new, end) =
            new.split_at(new.len() - len.filter(|_| !is_signature).map_or(0, <[u8]>::len));
        gap = (!end.is_empty()).then_some((depth, end));
        out.extend_from_slice(new);
    }
    out.extend_from_slice(gap.map_or(b"", |(_, end)| end));
    out
}
