//! Finds, judges and converts DOIs (Digital Object Identifiers) in bytes of any notation.
//!
//! Every function here is pure: bytes in, values out. Nothing reads a file, a clock or the
//! environment, starts a thread or prints.
//!
//! | module | purpose |
//! |---|---|
//! | [`doi`] | syntax and canonical form of names, EIDRs, conversion |
//! | [`decode`] | escaping: JSON, TeX, entities, percent-encoding |
//! | [`names`] | a model of what names look like, learned from names |
//! | [`scan`] | finds names in text |
//! | [`mod@format`] | notations of files; cells and columns of tables |
//! | [`judge`] | judges a single value |
//!
//! Each module uses only the modules above it; `judge` also uses `scan`.
//!
//! Without its default feature `std` the crate is `no_std` and needs only an allocator: it builds for
//! WebAssembly and for machines without an operating system.

#![cfg_attr(not(any(test, feature = "std")), no_std)]

extern crate alloc;
#[cfg(not(any(test, feature = "std")))]
extern crate core as std;

pub mod decode;
pub mod doi;
pub mod format;
pub mod judge;
mod lazy;
#[macro_use]
mod named;
pub mod names;
mod rule;
pub mod scan;
mod vector;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
