//! Rules as data: tables of rows, each with examples and its evidence.
//!
//! The scanner and its oracle read the same rows, so only the examples check them. Tests run every
//! example by every route, switch off each row to see its examples fail, and write `docs/rules.md`
//! from the tables. A release holds only the texts.

/// Rows that have the same effect.
pub(crate) struct Table {
    /// The rows, in the order in which they are tried.
    pub(crate) rows: &'static [Row],
    #[cfg(test)]
    pub(crate) about: About,
}

/// One rule.
#[derive(Debug)]
pub(crate) struct Row {
    /// What is looked for.
    pub(crate) text: &'static str,
    /// Input texts, and the name or the reason that each gives.
    #[cfg(test)]
    pub(crate) examples: &'static [(&'static str, &'static str)],
    /// A measurement or a source. That of the table holds for all its rows.
    #[cfg(test)]
    pub(crate) evidence: &'static str,
}

/// What the page on the rules says about a table.
#[cfg(test)]
pub(crate) struct About {
    pub(crate) name: &'static str,
    /// The effect of a row, and the evidence for the table.
    pub(crate) text: &'static str,
    /// Where the rows apply.
    pub(crate) place: &'static str,
    /// A repair, a reason for rejection, or what else a row does.
    pub(crate) effect: &'static str,
}

/// Defines a table: its documentation, its name, where it applies, its effect, and a line for each row.
/// A row is a text, examples, and evidence after `#`.
macro_rules! table {
    ($(#[doc = $doc:literal])+ $visible:vis $name:ident, $place:literal, $effect:literal { $(
        $text:literal: $($input:literal => $result:literal),+ $(# $evidence:literal)? ;
    )+ }) => {
        $(#[doc = $doc])+
        $visible static $name: $crate::rule::Table = $crate::rule::Table {
            rows: &[$($crate::rule::Row {
                text: $text,
                #[cfg(test)]
                examples: &[$(($input, $result)),+],
                #[cfg(test)]
                evidence: concat!($($evidence)?),
            }),+],
            #[cfg(test)]
            about: $crate::rule::About {
                name: stringify!($name),
                text: concat!($($doc, "\n"),+),
                place: $place,
                effect: $effect,
            },
        };
    };
}
pub(crate) use table;

impl Table {
    /// Returns the rows that are switched on.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &'static Row> + Clone {
        self.rows.iter().filter(|row| row.is_on())
    }

    /// Whether the table has this text.
    pub(crate) fn holds(&self, text: &[u8]) -> bool {
        self.iter().any(|row| row.text.as_bytes() == text)
    }
}

impl Row {
    /// Whether the row is switched on. Only tests switch rows off, one at a time.
    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        #[cfg(test)]
        return OFF.get() != core::ptr::from_ref(self);
        #[cfg(not(test))]
        true
    }
}

#[cfg(test)]
thread_local! {
    /// The row that is switched off in this thread.
    static OFF: std::cell::Cell<*const Row> = const { std::cell::Cell::new(core::ptr::null()) };
}

/// Calls `test` with `row` switched off.
#[cfg(test)]
pub(crate) fn without<T>(row: &'static Row, test: impl FnOnce() -> T) -> T {
    OFF.set(row);
    let result = test();
    OFF.set(core::ptr::null());
    result
}
