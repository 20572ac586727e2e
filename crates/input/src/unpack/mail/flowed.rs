//! Paragraphs that a program has broken into lines: `format=flowed; delsp=yes` (RFC 3676).

use crate::unpack::folded::Unfold;

/// How the lines of a part are joined.
#[derive(Debug)]
pub(super) enum Lines {
    Flowed(Flowed),
    Folded(Unfold),
}

impl Lines {
    /// Joins the lines of more text.
    pub(super) fn push(&mut self, text: &[u8], out: &mut Vec<u8>) {
        match self {
            Lines::Flowed(lines) => lines.push(text, out),
            Lines::Folded(lines) => lines.push(text, out),
        }
    }

    /// Ends the text.
    pub(super) fn end(&mut self, out: &mut Vec<u8>) {
        match self {
            Lines::Flowed(lines) => lines.end(out),
            Lines::Folded(lines) => lines.end(out),
        }
    }
}

/// Maximum length of a line that can flow into the next one. RFC 5322 allows 998.
const MAX_LINE: usize = 64 * 1024;

/// Joins lines that end in a blank to the next one, without the blank, its quote marks and its
/// stuffing. Text comes in pieces of any size.
#[derive(Debug, Default)]
pub(super) struct Flowed {
    /// The line that has not ended.
    line: Vec<u8>,
    /// If the last line flows into the next one: the depth of its quote, its blank and its line end.
    gap: Option<(usize, Vec<u8>)>,
}

impl Flowed {
    /// Joins the lines of more text.
    pub(super) fn push(&mut self, text: &[u8], out: &mut Vec<u8>) {
        for piece in text.split_inclusive(|&b| b == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") || self.line.len() > MAX_LINE {
                self.end_line(out);
            }
        }
    }

    /// Ends the text.
    pub(super) fn end(&mut self, out: &mut Vec<u8>) {
        if !self.line.is_empty() {
            self.end_line(out);
        }
        out.extend(self.gap.take().into_iter().flat_map(|(_, end)| end));
    }

    fn end_line(&mut self, out: &mut Vec<u8>) {
        let line = std::mem::take(&mut self.line);
        let depth = line.iter().take_while(|b| **b == b'>').count();
        let text = line[depth..].strip_prefix(b" ").unwrap_or(&line[depth..]);
        let is_signature = matches!(text, b"-- \n" | b"-- \r\n");
        let new = match self.gap.take() {
            Some((last, _)) if last == depth && !is_signature => text,
            gap => {
                out.extend(gap.into_iter().flat_map(|(_, end)| end));
                &line
            }
        };
        let len = [&b" \r\n"[..], b" \n"].into_iter().find(|end| text.ends_with(end));
        let len = len.filter(|_| !is_signature).map_or(0, <[u8]>::len);
        let (new, end) = new.split_at(new.len() - len);
        self.gap = (len > 0).then(|| (depth, end.to_vec()));
        out.extend_from_slice(new);
    }
}
