//! Reasons why text that looks like a DOI is not accepted.

use core::fmt;

/// The reason why a candidate is not accepted. The names are stable: reports
/// and statistics use [`Reason::name`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Reason {
    /// The candidate continues a word or a number: `v10.1234/x`, `2010.1234/x`.
    LeftBoundary,
    /// Digits and a full stop precede it: `192.10.1234/24`.
    VersionOrAddress,
    /// A date such as `17.10.2014/file`.
    Date,
    /// It is inside the suffix of another DOI.
    InsideDoi,
    /// The registrant has fewer than four digits, and no context indicates a DOI.
    TooShortRegistrant,
    /// The registrant has more digits than any known one.
    TooLongRegistrant,
    /// No slash, raw or escaped, follows the registrant: `10.5 %`.
    NoSeparator,
    /// Nothing remains of the suffix.
    NoSuffix,
    /// The suffix begins with one character and a slash (Z39.84, 4.3). Rejected in strict mode.
    ReservedSuffix,
    /// It is longer than the caller's limit.
    TooLong,
    /// It contains a character that is not a legal graphic character (Z39.84-2005, 4.1).
    NonGraphic,
    /// A key of a reference list that has the shape of a DOI.
    ReferenceKey,
    /// The name of a text-mining licence, not of a work.
    Licence,
    /// Damage, a read error or a limit cut the input here, so the rest of the name may be missing.
    CutByFault,
    /// It is incomplete: the common prefix of a journal's names, or a name cut by the end of a
    /// line.
    Stem,
    /// It ends in an ellipsis: `10.1093/bioinformatics/b...`.
    Ellipsis,
    /// It is a pattern for many names: `10.1016/%`, `10.7910/dvn/[a-z0-9]{6}`, `{id}`.
    Pattern,
    /// It is the volume and the years of a journal: `10.1930/31`.
    VolumeYear,
    /// A name under a prefix of EIDR that its registry would reject. Rejected in strict mode.
    NotEidr,
}

impl Reason {
    /// Every reason, in the order of its discriminant.
    pub const ALL: [Reason; 19] = [
        Reason::LeftBoundary,
        Reason::VersionOrAddress,
        Reason::Date,
        Reason::InsideDoi,
        Reason::TooShortRegistrant,
        Reason::TooLongRegistrant,
        Reason::NoSeparator,
        Reason::NoSuffix,
        Reason::ReservedSuffix,
        Reason::TooLong,
        Reason::NonGraphic,
        Reason::ReferenceKey,
        Reason::Licence,
        Reason::CutByFault,
        Reason::Stem,
        Reason::Ellipsis,
        Reason::Pattern,
        Reason::VolumeYear,
        Reason::NotEidr,
    ];

    /// The stable name, such as `left-boundary`.
    pub const fn name(self) -> &'static str {
        match self {
            Reason::LeftBoundary => "left-boundary",
            Reason::VersionOrAddress => "version-or-address",
            Reason::Date => "date",
            Reason::InsideDoi => "inside-doi",
            Reason::TooShortRegistrant => "too-short-registrant",
            Reason::TooLongRegistrant => "too-long-registrant",
            Reason::NoSeparator => "no-separator",
            Reason::NoSuffix => "no-suffix",
            Reason::ReservedSuffix => "reserved-suffix",
            Reason::TooLong => "too-long",
            Reason::NonGraphic => "non-graphic",
            Reason::ReferenceKey => "reference-key",
            Reason::Licence => "licence",
            Reason::NotEidr => "not-eidr",
            Reason::CutByFault => "cut-by-fault",
            Reason::Stem => "stem",
            Reason::Ellipsis => "ellipsis",
            Reason::Pattern => "pattern",
            Reason::VolumeYear => "volume-year",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
