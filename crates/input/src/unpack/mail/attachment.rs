//! Attachments of a mail that are read as inputs: documents, archives and compressed files.

use super::base64::Base64;

/// Maximum number of bytes of all attachments of a mail or a mailbox, which are in memory.
pub(in crate::unpack) const MOST: usize = 64 * 1024 * 1024;

/// An attachment.
#[derive(Debug)]
pub(in crate::unpack) struct Attachment {
    /// Its name, which may be empty.
    pub(in crate::unpack) name: Vec<u8>,
    pub(in crate::unpack) bytes: Vec<u8>,
}

/// Collects attachments while a mail is read.
#[derive(Debug)]
pub(in crate::unpack) struct Attachments {
    pub(in crate::unpack) list: Vec<Attachment>,
    /// Number of attachments that had no room.
    pub(in crate::unpack) omitted: u64,
    /// Whether an attachment with these first bytes is read as an input.
    is_wanted: fn(&[u8]) -> bool,
    state: State,
    bytes: usize,
}

#[derive(Debug)]
enum State {
    /// Outside attachments.
    Outside,
    /// In front of the first line of a part with this name.
    Begin(Vec<u8>),
    /// In the last attachment of the list.
    Inside(Base64),
}

impl Attachments {
    pub(super) fn new(is_wanted: fn(&[u8]) -> bool) -> Self {
        Attachments { list: Vec::new(), omitted: 0, is_wanted, state: State::Outside, bytes: 0 }
    }

    /// Whether the current part is an attachment.
    pub(super) fn is_inside(&self) -> bool {
        matches!(self.state, State::Inside(_))
    }

    /// Begins a part in Base64.
    pub(super) fn begin(&mut self, name: Vec<u8>) {
        self.state = State::Begin(name);
    }

    /// Takes a line of the body, if it is that of an attachment.
    pub(super) fn line(&mut self, line: &[u8]) {
        if let State::Begin(name) = &mut self.state {
            let (mut base64, mut bytes) = (Base64::default(), Vec::new());
            if line.trim_ascii().is_empty() {
                return;
            }
            base64.line(line, &mut bytes);
            if !(self.is_wanted)(&bytes) {
                self.state = State::Outside;
                return;
            }
            self.bytes += bytes.len();
            self.list.push(Attachment { name: std::mem::take(name), bytes });
            self.state = State::Inside(base64);
        } else if let (State::Inside(base64), Some(last)) = (&mut self.state, self.list.last_mut())
        {
            let before = last.bytes.len();
            base64.line(line, &mut last.bytes);
            self.bytes += last.bytes.len() - before;
        }
        if self.bytes > MOST && self.is_inside() {
            self.bytes -= self.list.pop().map_or(0, |last| last.bytes.len());
            self.omitted += 1;
            self.state = State::Outside;
        }
    }

    /// Ends a part.
    pub(super) fn end(&mut self) {
        let state = std::mem::replace(&mut self.state, State::Outside);
        if let (State::Inside(mut base64), Some(last)) = (state, self.list.last_mut()) {
            base64.end(&mut last.bytes);
        }
    }
}
