//! How an input is scanned: notation and columns, detected from its first bytes.

use super::source::{LineTicket, Source};
use super::table::{ChunkTicket, Table};
use crate::format::{ColumnError, Columns, Dialect};
use crate::input::{self, Document, HEAD, Name};
use crate::pipeline::plan::Plan;
use crate::quality::Problem;
use crate::scan::Notation;
use std::path::PathBuf;

/// How an input is scanned.
pub(super) struct ScanMode {
    pub(super) notation: Notation,
    /// The columns to search, if the plan names any.
    table: Option<Table>,
    /// The input, if rows tell of it.
    pub(super) source: Option<Source>,
    /// The document that the input is, or is the text of.
    pub(super) document: Option<(Document, PathBuf)>,
}

/// The tickets of a chunk or block.
#[derive(Default)]
pub(super) struct Tickets<'a> {
    pub(super) cells: Option<ChunkTicket<'a>>,
    pub(super) lines: Option<LineTicket<'a>>,
}

impl ScanMode {
    /// For values that stand one on each line.
    #[cfg(feature = "parquet")]
    pub(super) fn lines() -> Self {
        ScanMode { notation: Notation::Csv(b'\n'), table: None, source: None, document: None }
    }

    /// The same, with rows that tell of this input.
    pub(super) fn with_source(self, source: Option<Source>) -> Self {
        ScanMode { source, ..self }
    }

    /// The tickets of the chunk or block `index`.
    pub(super) fn tickets(&self, index: u64) -> Tickets<'_> {
        let lines = self.source.as_ref().and_then(|source| source.lines.as_ref());
        Tickets {
            cells: self.table.as_ref().map(|table| table.ticket(index as usize)),
            lines: lines.map(|lines| lines.ticket(index as usize)),
        }
    }
}

/// Bytes of an input that [`sniff`] needs.
pub(super) fn head_len(plan: &Plan) -> usize {
    if plan.columns.is_empty() { HEAD } else { HEAD.max(Columns::HEAD) }
}

/// Detects how to scan an input that begins with `head`.
///
/// # Errors
///
/// When the format is not supported, or the columns of the plan are not in it.
pub(super) fn sniff(plan: &Plan, name: &Name, head: &[u8]) -> Result<ScanMode, Problem> {
    let first = &head[..head.len().min(HEAD)];
    if let Some(reason) = input::refused(name.content(), first) {
        return Err(Problem::new(name.path(), reason));
    }
    if plan.columns.is_empty() {
        let notation = plan.format.notation(Some(name.content()), first);
        let document = Document::of(name, first);
        return Ok(ScanMode { notation, table: None, source: None, document });
    }
    let misfit = |error: ColumnError| Problem::misfit(name.path(), error.to_string());
    let delimiter = plan.format.table(Some(name.content()), first).ok_or(ColumnError::NotATable);
    let dialect = Dialect::new(delimiter.map_err(misfit)?);
    let columns = Columns::choose(&plan.columns, dialect, head).map_err(misfit)?;
    let notation = Notation::Csv(dialect.delimiter);
    Ok(ScanMode { notation, table: Some(Table::new(columns)), source: None, document: None })
}
