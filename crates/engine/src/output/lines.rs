//! One name a line.

/// Appends each name and a line feed to `out`.
pub fn lines<'a>(names: impl Iterator<Item = &'a [u8]>, out: &mut Vec<u8>) {
    for name in names {
        out.extend_from_slice(name);
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_line_ends() {
        let mut out = b"10.1/A\n".to_vec();
        super::lines([&b"10.1/B"[..], b"10.1/C"].into_iter(), &mut out);
        assert_eq!(out, b"10.1/A\n10.1/B\n10.1/C\n");
    }
}
