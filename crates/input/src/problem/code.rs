//! Codes of problems, and the errors of readers that carry them.

use std::fmt;
use std::io;

/// The kind of a problem. Programs rely on the names, which are in `docs/stats.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProblemCode {
    /// None of the others.
    Unreadable,
    /// The file does not exist.
    NotFound,
    /// The system refuses access.
    PermissionDenied,
    /// A folder where a file is expected.
    IsAFolder,
    /// The device fails.
    IoError,
    /// The input lacks a column that was selected, or has no columns.
    NoColumn,
    /// Quotes of a table are malformed.
    UnclosedQuote,
    /// A limit set by an option was reached.
    Limit,
    /// The content is encrypted.
    Encrypted,
    /// The input ends early.
    Truncated,
    /// The file was changed or replaced while it was read.
    Changed,
    /// The format, or the way in which it is used, is not supported.
    Unsupported,
    /// The content contradicts its format or its checksum.
    Damaged,
}

impl ProblemCode {
    /// Every code.
    pub const ALL: [ProblemCode; 13] = [
        ProblemCode::Unreadable,
        ProblemCode::NotFound,
        ProblemCode::PermissionDenied,
        ProblemCode::IsAFolder,
        ProblemCode::IoError,
        ProblemCode::NoColumn,
        ProblemCode::UnclosedQuote,
        ProblemCode::Limit,
        ProblemCode::Encrypted,
        ProblemCode::Truncated,
        ProblemCode::Changed,
        ProblemCode::Unsupported,
        ProblemCode::Damaged,
    ];

    /// Its name, such as `truncated`.
    pub const fn name(self) -> &'static str {
        match self {
            ProblemCode::Unreadable => "unreadable",
            ProblemCode::NotFound => "not-found",
            ProblemCode::PermissionDenied => "permission-denied",
            ProblemCode::IsAFolder => "is-a-folder",
            ProblemCode::IoError => "io-error",
            ProblemCode::NoColumn => "no-column",
            ProblemCode::UnclosedQuote => "unclosed-quote",
            ProblemCode::Limit => "limit",
            ProblemCode::Encrypted => "encrypted",
            ProblemCode::Truncated => "truncated",
            ProblemCode::Changed => "changed",
            ProblemCode::Unsupported => "unsupported",
            ProblemCode::Damaged => "damaged",
        }
    }

    /// The code of an error: that of a [`fault`], or one for the error of the operating system.
    pub fn of(error: &io::Error) -> ProblemCode {
        of_fault(error).map_or_else(|| of_system(error), |fault| fault.code)
    }
}

fn of_system(error: &io::Error) -> ProblemCode {
    use rustix::io::Errno;
    match Errno::from_io_error(error) {
        Some(Errno::NOENT) => ProblemCode::NotFound,
        Some(Errno::ACCESS) => ProblemCode::PermissionDenied,
        Some(Errno::ISDIR) => ProblemCode::IsAFolder,
        Some(Errno::IO) => ProblemCode::IoError,
        Some(Errno::OPNOTSUPP) => ProblemCode::Unsupported,
        _ => ProblemCode::Unreadable,
    }
}

/// What a reader finds wrong with its input.
#[derive(Debug)]
struct Fault {
    code: ProblemCode,
    message: String,
    is_unread: bool,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

/// Creates the error of a reader whose input is faulty.
pub fn fault(code: ProblemCode, message: impl Into<String>) -> io::Error {
    error(Fault { code, message: message.into(), is_unread: false })
}

/// Like [`fault`], for an input of which nothing was read.
pub fn unread(code: ProblemCode, message: impl Into<String>) -> io::Error {
    error(Fault { code, message: message.into(), is_unread: true })
}

/// Whether an error was created by [`unread`].
pub fn is_unread(error: &io::Error) -> bool {
    of_fault(error).is_some_and(|fault| fault.is_unread)
}

fn error(fault: Fault) -> io::Error {
    let kind = match fault.code {
        ProblemCode::Truncated => io::ErrorKind::UnexpectedEof,
        _ => io::ErrorKind::InvalidData,
    };
    io::Error::new(kind, fault)
}

fn of_fault(error: &io::Error) -> Option<&Fault> {
    error.get_ref()?.downcast_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_what_programs_know() {
        let expected = "unreadable not-found permission-denied is-a-folder io-error no-column \
                        unclosed-quote limit encrypted truncated changed unsupported damaged";
        assert_eq!(ProblemCode::ALL.map(ProblemCode::name).join(" "), expected);
        let places = ProblemCode::ALL.map(|code| code as usize);
        assert!(places.into_iter().eq(0..ProblemCode::ALL.len()));
    }

    #[test]
    fn errors_of_the_system_have_codes() {
        use rustix::io::Errno;
        for (errno, code) in [
            (Errno::NOENT, "not-found"),
            (Errno::ACCESS, "permission-denied"),
            (Errno::ISDIR, "is-a-folder"),
            (Errno::IO, "io-error"),
            (Errno::OPNOTSUPP, "unsupported"),
            (Errno::STALE, "unreadable"),
        ] {
            assert_eq!(ProblemCode::of(&io::Error::from(errno)).name(), code, "{errno}");
        }
        assert_eq!(ProblemCode::of(&io::Error::other("ends early")).name(), "unreadable");
    }

    #[test]
    fn faults_have_their_code_and_message() {
        let error = fault(ProblemCode::Truncated, "ends early");
        assert_eq!(ProblemCode::of(&error), ProblemCode::Truncated);
        assert_eq!((error.kind(), is_unread(&error)), (io::ErrorKind::UnexpectedEof, false));
        assert_eq!(error.to_string(), "ends early");
        let error = unread(ProblemCode::Limit, "is not read");
        assert_eq!((ProblemCode::of(&error), is_unread(&error)), (ProblemCode::Limit, true));
    }
}
