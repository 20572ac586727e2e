//! Reads a tar archive from its start to its end.

use super::name::Name;
use super::tar_header::{self as header, BLOCK, Item, padded};
use super::{Layers, Visit, open, report};
use crate::input::bytes::{self, Bytes, is_again};
use crate::input::codec::take;
use crate::quality::Problem;
use std::io;

/// Pushes every member. Where there should be a header and is none, it goes on at the
/// next one: what follows is most often whole.
pub(super) fn walk(source: &mut dyn Bytes, name: &Name, layers: &Layers, visit: &mut dyn Visit) {
    let mut walk = Walk { name, layers, visit, lost: false };
    if let Err(error) = walk.members(source) {
        report(&error, name, walk.visit);
    }
}

struct Walk<'a> {
    name: &'a Name,
    layers: &'a Layers,
    visit: &'a mut dyn Visit,
    /// Whether a header is being looked for, which was reported.
    lost: bool,
}

impl Walk<'_> {
    fn members(&mut self, mut source: &mut dyn Bytes) -> io::Result<()> {
        loop {
            let at = source.offset();
            match header::next(&mut source)? {
                Item::End => return Ok(()),
                Item::Zero | Item::Other => {}
                Item::Bad(what) => {
                    if !std::mem::replace(&mut self.lost, true) {
                        let message = format!(
                            "tar archive is damaged at byte {at} ({what}); what can be read is kept"
                        );
                        self.visit.problem(Problem::new(self.name.path(), message));
                    }
                    // The header itself may be sound and what stands behind it not.
                    let moved = source.offset() > at;
                    if !moved && take(&mut source, BLOCK)? == 0 {
                        return Ok(());
                    }
                    continue;
                }
                Item::File(member) => {
                    if !self.member(source, &member)? {
                        return Ok(());
                    }
                }
            }
            self.lost = false;
        }
    }

    /// Reads one member to its end. False when the archive ends in it.
    fn member(&mut self, mut source: &mut dyn Bytes, member: &header::Member) -> io::Result<bool> {
        let name = self.name.member(&member.name);
        if member.sparse {
            let message = "is a sparse file, which is not put together; \
                           what is stored of it was read as it is";
            self.visit.problem(Problem::new(name.path(), message));
        }
        let mut bytes = bytes::Member::new(source, member.size);
        open(&mut bytes, &name, self.layers, self.visit);
        match bytes.skip() {
            Ok(()) => {}
            // The one who read it said so; when nobody did, it is said here.
            Err(error) if is_again(&error) => return Ok(false),
            Err(error) => {
                report(&error, &name, self.visit);
                return Ok(false);
            }
        }
        let padding = padded(member.size) - member.size;
        if take(&mut source, padding)? < padding {
            let message = "ends within the padding of its last member; what was found is kept";
            self.visit.problem(Problem::new(self.name.path(), message));
            return Ok(false);
        }
        Ok(true)
    }
}
