//! Why something that looks like a DOI is none.

use std::fmt;

/// The reason why a candidate is not accepted. The names are stable: reports
/// and statistics use [`Reason::name`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Reason {
    /// The candidate goes on from a word or a number: `v10.1234/x`, `2010.1234/x`.
    LeftBoundary,
    /// Digits and a full stop before it: `192.10.1234/24`.
    VersionOrAddress,
    /// A date such as `17.10.2014/file`.
    Date,
    /// It lies inside the suffix of another DOI.
    InsideDoi,
    /// Fewer than four digits where nothing says that it is a DOI.
    TooShortRegistrant,
    /// More digits than any registrant has.
    TooLongRegistrant,
    /// No slash, written or escaped, after the registrant: `10.5 %`.
    NoSeparator,
    /// Nothing is left of the suffix.
    NoSuffix,
    /// One character and a slash begin the suffix (Z39.84, 4.3), refused when strict.
    ReservedSuffix,
    /// Longer than the limit the caller set.
    TooLong,
    /// A character that is no legal graphic character (Z39.84-2005, 4.1).
    NonGraphic,
    /// A key of a reference list that has the shape of a DOI.
    ReferenceKey,
    /// The name of a text-mining licence, not of a work.
    Licence,
    /// The input was cut here, by damage, a read error or a limit, so that the rest of the
    /// name may be missing.
    CutByFault,
    /// Cut short: what all names of a journal begin with, or what the end of a line cuts.
    Stem,
    /// It goes on in an ellipsis: `10.1093/bioinformatics/b...`.
    Ellipsis,
    /// It stands for many names: `10.1016/%`, `10.7910/dvn/[a-z0-9]{6}`, `{id}`.
    Pattern,
    /// The volume and the years of a journal: `10.1930/31`.
    VolumeYear,
    /// A name under a prefix of EIDR that its registry would refuse, refused when strict.
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
