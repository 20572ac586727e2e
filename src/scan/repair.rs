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
}

impl Repair {
    /// Every kind, in the order of its discriminant.
    pub const ALL: [Repair; 4] =
        [Repair::Dash, Repair::ZeroWidth, Repair::Trailing, Repair::LineEnd];

    /// The stable name, such as `zero-width`.
    pub const fn name(self) -> &'static str {
        match self {
            Repair::Dash => "dash",
            Repair::ZeroWidth => "zero-width",
            Repair::Trailing => "trailing",
            Repair::LineEnd => "line-end",
        }
    }
}

/// The kinds of damage that were undone in one name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repairs(u8);

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

    /// Notes damage of this kind.
    pub(super) fn insert(&mut self, kind: Repair) {
        self.0 |= 1 << kind as u8;
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
