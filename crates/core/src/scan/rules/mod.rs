//! The tables of the scanner's rules. To add a rule, add a row: its examples are its tests.

mod forms;
mod tails;
mod words;

pub(super) use forms::{FORMS, SHAPES, SPRINGER_NATURE, WHOLE, WITH_ISSN};
pub(super) use tails::{
    FILES, GENERIC, GLUED_HOSTS, HOSTED, NUMBERED, ONE_SLASH, PAGE_WORDS, PAGES, PATH_BEGINNINGS,
    PATHS, SESSIONS, VERSIONED, WITH_CHECK_SYMBOL, WITH_SLASH, WORDS,
};
pub(super) use words::{KEY_LABELS, LEADS, MISREAD_LABELS, STEMS, TAGS, WITH_DIGIT};

#[cfg(test)]
mod page;
#[cfg(test)]
mod tests;
