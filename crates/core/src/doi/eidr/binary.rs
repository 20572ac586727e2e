//! The binary forms. They hold a suffix of 80 bits, so they exist only for content. The document
//! defines none for the 32-bit suffixes of the other kinds, and padding those with zeros would
//! invent a format.

use super::check_character::Register;
use super::error::ByteOrEnd;
use super::suffix::verify;
use super::{Eidr, EidrForm, Error, Missing, SubPrefix, Unwritable};

/// Length of [`EidrForm::Compact`].
pub(super) const COMPACT_LEN: usize = 12;

/// Length of [`EidrForm::Full`].
pub(super) const FULL_LEN: usize = 19;

/// The first bytes of the full binary form.
const CONTENT: &[u8; 8] = b"10.5240/";

impl Eidr {
    /// Returns the 12 bytes of [`EidrForm::Compact`]: the sub-prefix as a 16-bit number and the suffix
    /// without its check character, both big-endian.
    ///
    /// # Errors
    ///
    /// Returns [`Unwritable::Undefined`] unless the identifier is of content.
    ///
    /// ```
    /// use doiscan_core::doi::eidr::Eidr;
    ///
    /// let eidr = Eidr::from_name("10.5240/5FD4-FEE1-22F5-583E-FECC-O")?;
    /// let compact = *b"\x14\x78\x5F\xD4\xFE\xE1\x22\xF5\x58\x3E\xFE\xCC";
    /// assert_eq!(eidr.compact(), Ok(compact));
    /// assert_eq!(Eidr::from_compact(&compact), Ok(eidr));
    /// # Ok::<(), doiscan_core::doi::eidr::Error>(())
    /// ```
    pub fn compact(self) -> Result<[u8; COMPACT_LEN], Unwritable> {
        self.has_binary(EidrForm::Compact)?;
        let mut out = [0; COMPACT_LEN];
        out[..2].copy_from_slice(&self.sub_prefix().number().to_be_bytes());
        out[2..].copy_from_slice(&self.bytes());
        Ok(out)
    }

    /// Returns the 19 bytes of [`EidrForm::Full`]: `10.5240/`, the suffix as a big-endian number of 80
    /// bits, and the check character.
    ///
    /// # Errors
    ///
    /// Returns [`Unwritable::Undefined`] unless the identifier is of content.
    pub fn full(self) -> Result<[u8; FULL_LEN], Unwritable> {
        self.has_binary(EidrForm::Full)?;
        let mut out = [0; FULL_LEN];
        out[..8].copy_from_slice(CONTENT);
        out[8..18].copy_from_slice(&self.bytes());
        out[18] = self.digits().fold(Register::new(), Register::push).check();
        Ok(out)
    }

    fn has_binary(self, form: EidrForm) -> Result<(), Unwritable> {
        match self.sub_prefix() {
            SubPrefix::Content => Ok(()),
            sub_prefix => Err(Unwritable::Undefined { form, sub_prefix }),
        }
    }

    /// Parses [`EidrForm::Compact`].
    ///
    /// # Errors
    ///
    /// Returns [`Error::UnknownSubPrefix`] if the first 16 bits are not a known sub-prefix, because
    /// the number alone does not define the shape of its suffixes. Returns [`Error::NotContent`] if
    /// they are a sub-prefix whose suffixes are shorter than 80 bits.
    pub fn from_compact(bytes: &[u8; COMPACT_LEN]) -> Result<Self, Error> {
        let [high, low, suffix @ ..] = *bytes;
        let number = u16::from_be_bytes([high, low]);
        match SubPrefix::from_number(number) {
            Some(SubPrefix::Content) => Ok(Eidr::content(suffix)),
            Some(sub_prefix) => Err(Error::NotContent { sub_prefix, at: 0 }),
            None => Err(Error::UnknownSubPrefix { number, at: 0 }),
        }
    }

    /// Parses [`EidrForm::Full`].
    ///
    /// # Errors
    ///
    /// Returns [`Error::Syntax`] if it does not begin with `10.5240/`, [`Error::NotContent`] if it
    /// begins like another kind, and [`Error::Check`] if the last byte is not the check character.
    pub fn from_full(bytes: &[u8; FULL_LEN]) -> Result<Self, Error> {
        match SubPrefix::of_name(bytes) {
            Some(SubPrefix::Content) => {}
            Some(sub_prefix) => return Err(Error::NotContent { sub_prefix, at: 3 }),
            None => return Err(unlike_content(bytes)),
        }
        let [_, _, _, _, _, _, _, _, suffix @ .., check] = *bytes;
        let eidr = Eidr::content(suffix);
        verify(eidr.digits().fold(Register::new(), Register::push), check, FULL_LEN - 1)?;
        Ok(eidr)
    }

    /// Parses either binary form, identified by its length.
    ///
    /// # Errors
    ///
    /// As for [`Eidr::from_compact`] and [`Eidr::from_full`]. Returns [`Error::Missing`] for 10
    /// bytes, which are a suffix alone, and for 11 bytes, which have only one byte of the
    /// sub-prefix. Returns [`Error::Length`] for any other length.
    pub fn from_binary(bytes: &[u8]) -> Result<Self, Error> {
        if let Ok(compact) = bytes.try_into() {
            return Self::from_compact(compact);
        }
        if let Ok(full) = bytes.try_into() {
            return Self::from_full(full);
        }
        Err(match bytes.len() {
            10 => Error::Missing(Missing::SubPrefix),
            11 => Error::Missing(Missing::PrefixTable),
            len => Error::Length { len },
        })
    }
}

/// Creates the error for `bytes` that do not begin like content.
fn unlike_content(bytes: &[u8]) -> Error {
    let at = CONTENT.iter().zip(bytes).take_while(|(wanted, found)| wanted == found).count();
    let found = bytes.get(at).map_or(ByteOrEnd::End, |&byte| ByteOrEnd::Byte(byte));
    Error::Syntax { expected: "the bytes of \"10.5240/\"", found, at }
}
