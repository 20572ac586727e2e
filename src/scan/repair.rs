//! Damage that is undone in a name, counted by kind and left alone when strict.

/// A kind of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Repair {
    /// A dash that stood for a hyphen in running text.
    Dash,
    /// A character without width, such as U+200B or U+00AD.
    ZeroWidth,
    /// A full stop, a comma or a semicolon at the end of a field.
    Trailing,
    /// The end of a line within the name.
    LineEnd,
    /// The segments of a publisher's page after the name.
    PublisherPath,
    /// The version of a preprint after its name.
    Version,
    /// A soft line break of quoted-printable text within the name.
    QuotedPrintable,
    /// A hyphen that the text lost or writes as another character.
    LostHyphen,
    /// The escapes and the colour of a badge.
    Badge,
}

impl Repair {
    /// Every kind, in the order of its discriminant.
    pub const ALL: [Repair; 9] = [
        Repair::Dash,
        Repair::ZeroWidth,
        Repair::Trailing,
        Repair::LineEnd,
        Repair::PublisherPath,
        Repair::Version,
        Repair::QuotedPrintable,
        Repair::LostHyphen,
        Repair::Badge,
    ];

    /// The stable name, such as `zero-width`.
    pub const fn name(self) -> &'static str {
        match self {
            Repair::Dash => "dash",
            Repair::ZeroWidth => "zero-width",
            Repair::Trailing => "trailing",
            Repair::LineEnd => "line-end",
            Repair::PublisherPath => "publisher-path",
            Repair::Version => "version",
            Repair::QuotedPrintable => "quoted-printable",
            Repair::LostHyphen => "lost-hyphen",
            Repair::Badge => "badge",
        }
    }
}

/// Whether names that the end of a line cuts are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Joining {
    /// Where what follows can only be the rest of the name. A name that certainly goes on and
    /// whose rest is not found is refused as [`Reason::Stem`](crate::doi::Reason::Stem).
    #[default]
    Auto,
    /// Wherever a name ends in one of `/-._(` and the next line begins with a small letter or a
    /// digit, too.
    Always,
    /// Nowhere.
    Never,
}

/// The kinds of damage that were undone in one name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repairs(u16);

impl Repairs {
    /// Whether nothing was undone.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether damage of this kind was undone.
    pub fn contains(self, kind: Repair) -> bool {
        self.0 & (1 << kind as u8) != 0
    }

    /// The kinds, in the order of [`Repair::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Repair> {
        Repair::ALL.into_iter().filter(move |&kind| self.contains(kind))
    }

    /// One bit for each kind, from the lowest, in the order of [`Repair::ALL`].
    pub fn bits(self) -> u16 {
        self.0
    }

    /// The kinds of these [bits](Repairs::bits).
    pub fn from_bits(bits: u16) -> Repairs {
        Repairs(bits)
    }

    /// Notes damage of this kind.
    pub(super) fn insert(&mut self, kind: Repair) {
        self.0 |= 1 << kind as u8;
    }
}

impl std::ops::BitOrAssign for Repairs {
    fn bitor_assign(&mut self, other: Repairs) {
        self.0 |= other.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_kinds() {
        let mut repairs = Repairs::default();
        assert!(repairs.is_empty());
        repairs.insert(Repair::LineEnd);
        repairs.insert(Repair::Dash);
        assert!(repairs.iter().eq([Repair::Dash, Repair::LineEnd]));
        assert!(!repairs.is_empty() && !repairs.contains(Repair::Trailing));
    }
}
