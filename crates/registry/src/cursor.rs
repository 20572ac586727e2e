//! Walks over the names of an index in sorted order.

use crate::block::{FAN, MALFORMED, Place};
use crate::error::Error;
use crate::registry::{Leaf, Registry, Twig};
use doiscan_os::prefix::shared;

/// A position in the sorted names.
#[derive(Debug)]
pub struct Cursor<'r> {
    registry: &'r Registry,
    leaf: Option<Leaf<'r>>,
    /// The branch that was searched last. It has no name after the current one's branch.
    twig: Option<Twig<'r>>,
    /// The place after the current name.
    next: Place,
    name: Vec<u8>,
}

impl<'r> Cursor<'r> {
    /// Creates a cursor in front of the first name.
    pub fn new(registry: &'r Registry) -> Self {
        Cursor { registry, leaf: None, twig: None, next: Place::default(), name: Vec::new() }
    }

    /// The current name. Empty at first, and undefined after the last.
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// Advances to the next name. Returns false at the end.
    ///
    /// # Errors
    ///
    /// This and all other functions fail if a block is damaged.
    pub fn advance(&mut self) -> Result<bool, Error> {
        match self.leaf {
            Some(leaf) if self.next.index < leaf.names.len() => self.decode(leaf),
            Some(leaf) => self.first_of(leaf.number + 1),
            None => self.first_of(0),
        }
    }

    /// Moves to the name with this number. Returns false if there is none.
    pub fn go_to(&mut self, number: u64) -> Result<bool, Error> {
        self.twig = None;
        self.leaf = self.registry.leaf(number / FAN as u64)?;
        let Some(leaf) = self.leaf else { return Ok(false) };
        let index = (number % FAN as u64) as usize;
        if index >= leaf.names.len() {
            return Ok(false);
        }
        let place = leaf.names.nth(index, &mut self.name);
        self.next = place.ok_or_else(|| self.registry.damaged(MALFORMED))?;
        self.decode(leaf)
    }

    /// Moves to the first name that does not sort before `name`. Returns false if there is none.
    pub fn seek(&mut self, name: &[u8]) -> Result<bool, Error> {
        self.twig = None;
        self.find(name)
    }

    /// Moves to the first name that does not sort before `name`, which sorts after the current
    /// one. Cheaper than [`Cursor::seek`] if that name is near.
    pub fn skip_to(&mut self, name: &[u8]) -> Result<bool, Error> {
        if let Some(leaf) = self.leaf {
            let from = Place { shared: shared(&self.name, name), ..self.next };
            let place = leaf.names.search(name, from);
            let place = place.ok_or_else(|| self.registry.damaged(MALFORMED))?;
            if place.index < leaf.names.len() {
                return self.at(leaf, place, name);
            }
        }
        self.find(name)
    }

    fn find(&mut self, name: &[u8]) -> Result<bool, Error> {
        let found = self.registry.find_near(name, &mut self.twig)?;
        let Some((leaf, place)) = found else { return Ok(false) };
        self.at(leaf, place, name)
    }

    /// Takes the name at `place`, where `name` was searched.
    fn at(&mut self, leaf: Leaf<'r>, place: Place, name: &[u8]) -> Result<bool, Error> {
        if place.index == leaf.names.len() {
            return self.first_of(leaf.number + 1);
        }
        // All names from the one in front of the place to the one after it share with `name` what
        // the latter does not store.
        self.name.clear();
        self.name.extend_from_slice(name);
        self.next = place;
        self.decode(leaf)
    }

    fn first_of(&mut self, leaf: u64) -> Result<bool, Error> {
        self.next = Place::default();
        match self.registry.leaf(leaf)? {
            Some(leaf) => self.decode(leaf),
            None => Ok(false),
        }
    }

    /// Decodes the name at the place `next`.
    fn decode(&mut self, leaf: Leaf<'r>) -> Result<bool, Error> {
        self.leaf = Some(leaf);
        let decoded = leaf.names.decode(self.next, &mut self.name);
        (_, self.next) = decoded.ok_or_else(|| self.registry.damaged(MALFORMED))?;
        self.registry.check_pages()?;
        Ok(true)
    }
}
