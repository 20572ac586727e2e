//! Signatures of formats that are not text, and what to do with such files.

/// The first bytes of a format, its name, and a command that writes FILE as text to standard
/// output, if there is one. All doiscan commands read standard input as `-`.
pub(super) struct Signature {
    pub(super) bytes: &'static [u8],
    pub(super) what: &'static str,
    pub(super) advice: Advice,
}

impl Signature {
    /// Returns whether `head` is in this format. Words can also start with `PARE`, but in an
    /// encrypted Parquet file the next bytes are the length of an encrypted page header, or an
    /// unencrypted page header that starts with 0x15. Words can start with `ORC` too, but the data
    /// of an ORC file is binary. Formulas can start with `x^`, but deflate data soon contains
    /// control characters.
    pub(super) fn begins(&self, head: &[u8]) -> bool {
        if !head.get(self.at()..).is_some_and(|head| head.starts_with(self.bytes)) {
            return false;
        }
        let has_control = |len| has_control(&head[..head.len().min(len)]);
        match self.bytes {
            b"PARE" => has_control(8),
            b"ORC" | b"AT&TFORM" | b"!BDN" => has_control(16),
            b"x^" => has_control(64),
            // The length of the metadata follows, which is less than 16 MiB.
            b"\xff\xff\xff\xff" => head.get(7).is_none_or(|high| *high == 0),
            _ => true,
        }
    }

    /// Where the bytes are. The name of a database of Palm precedes its type.
    pub(super) fn at(&self) -> usize {
        if matches!(self.bytes, b"BOOKMOBI" | b"TEXtREAd") { 60 } else { 0 }
    }
}

pub(super) enum Advice {
    Decompress(&'static str),
    /// Before and after the name of the file.
    Unpack(&'static str, &'static str),
    Convert(&'static str),
    /// Before and after the name of the file.
    Print(&'static str, &'static str),
    /// The command that prints the database to which the file belongs.
    PrintDatabase(&'static str, &'static str),
    Decrypt,
    Rows,
}

pub(super) const fn signature(
    bytes: &'static [u8],
    what: &'static str,
    advice: Advice,
) -> Signature {
    Signature { bytes, what, advice }
}

/// Formats of tables that are read.
pub(super) const TABLES: &str = "to Parquet, CSV or JSON lines";

/// Whether `bytes` contain a control character that is no white space.
pub(super) fn has_control(bytes: &[u8]) -> bool {
    bytes.iter().any(|b| b.is_ascii_control() && !b.is_ascii_whitespace())
}
