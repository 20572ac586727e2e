//! How an input is scanned: notation and columns, detected from its first bytes.

use super::fields::{FieldTicket, Fields, Records};
use super::table::{ChunkTicket, Table};
use crate::plan::Plan;
use crate::rows::row_input::{LineTicket, RowInput};
use doiscan_core::format::fields::{self, Cutter, RecordFormat};
use doiscan_core::format::{ColumnError, Columns, Dialect, Format, Header, LONGEST_QUOTED};
use doiscan_core::scan::{Notation, Surroundings, eidr};
use doiscan_input::problem::Problem;
use doiscan_input::{Closed, HEAD, HOLE, InputName, Window};

/// How an input is scanned.
pub(super) struct ScanMode {
    pub(super) notation: Notation,
    /// Whether all cells are those of columns of DOIs, which the user or their name chose.
    pub(super) is_doi_column: bool,
    /// The columns to search, if the plan names any.
    pub(super) table: Option<Table>,
    /// The fields to search, if the plan names any and it is no table.
    pub(super) fields: Option<Fields>,
    /// The columns named EIDR, if EIDRs are wanted.
    pub(super) eidrs: Option<EidrValues>,
    /// The input, if rows refer to it.
    pub(super) row_input: Option<RowInput>,
    /// What its running text is.
    pub(super) running: Surroundings,
    /// Its format, if the end of a text shows whether it is whole.
    pub(super) closed: Option<Closed>,
    /// Whether zero bytes in it are holes.
    pub(super) is_text: bool,
    /// The byte that ends its lines.
    pub(super) line_end: u8,
}

/// Where to find the values of columns named EIDR.
pub(super) enum EidrValues {
    /// In these cells.
    Table(Table),
    /// One value on each line, after a line feed.
    Lines,
}

/// The tickets of a chunk or block.
#[derive(Default)]
pub(super) struct Tickets<'a> {
    pub(super) cells: Option<ChunkTicket<'a>>,
    pub(super) fields: Option<FieldTicket<'a>>,
    pub(super) eidrs: Option<ChunkTicket<'a>>,
    pub(super) lines: Option<LineTicket<'a>>,
}

impl ScanMode {
    /// Creates a mode for values that are one on each line.
    pub(super) fn lines(is_doi_column: bool, eidrs: Option<EidrValues>) -> Self {
        ScanMode { is_doi_column, eidrs, ..ScanMode::of(Notation::Csv(b'\n')) }
    }

    /// Creates a mode for running text of a notation.
    fn of(notation: Notation) -> Self {
        ScanMode {
            notation,
            is_doi_column: false,
            table: None,
            fields: None,
            eidrs: None,
            row_input: None,
            running: Surroundings::Text,
            closed: None,
            is_text: false,
            line_end: b'\n',
        }
    }

    /// Marks a window that reaches the end of an input as faulty if it shows that the input was cut. Its cells show more.
    pub(super) fn check_end(&self, window: &mut Window<'_>, tickets: &mut Tickets<'_>) {
        if let Some(cells) = &mut tickets.cells {
            cells.is_last = true;
        }
        if window.fault.is_none() {
            let len = window.offset + window.bytes.len() as u64;
            window.fault = self.closed.as_ref().and_then(|closed| closed.fault(len, window.bytes));
        }
    }

    /// Finds the holes of a window.
    pub(super) fn find_holes(&self, window: &mut Window<'_>) {
        if self.is_text {
            window.holes = doiscan_input::holes(window.bytes);
        }
    }

    /// Number of bytes after a position that may affect it, if a scanner needs `of_scanner`: all of a hole that it
    /// reaches, and in a table the cell it belongs to.
    pub(super) fn lookahead(&self, of_scanner: usize) -> usize {
        let is_table = self.table.is_some() || matches!(self.eidrs, Some(EidrValues::Table(_)));
        let of_text = of_scanner + if self.is_text { HOLE } else { 0 };
        match self.fields {
            Some(Fields::Cut(_)) => of_text.max(fields::REACH),
            _ if is_table => of_text.max(LONGEST_QUOTED + 2),
            _ => of_text,
        }
    }

    /// The tickets of the chunk or block `index`.
    pub(super) fn tickets(&self, index: u64) -> Tickets<'_> {
        let lines = self.row_input.as_ref().and_then(|input| input.lines.as_ref());
        let eidrs = match &self.eidrs {
            Some(EidrValues::Table(table)) => Some(table.ticket(index)),
            _ => None,
        };
        let fields = match &self.fields {
            Some(Fields::Cut(records)) => Some(records.ticket(index)),
            _ => None,
        };
        Tickets {
            fields,
            cells: self.table.as_ref().map(|table| table.ticket(index)),
            eidrs,
            lines: lines.map(|lines| lines.ticket(index)),
        }
    }
}

/// Bytes of an input that [`sniff`] needs.
pub(super) fn head_len(plan: &Plan) -> usize {
    if plan.is_selective() || plan.eidr.is_some() { HEAD.max(Columns::HEAD) } else { HEAD }
}

/// Detects how to scan an input of this notation that begins with `head`.
///
/// # Errors
///
/// Fails if the format is not supported, or if the input lacks a column of the plan.
pub(super) fn sniff(
    plan: &Plan,
    format: Format,
    name: &InputName,
    head: &[u8],
) -> Result<ScanMode, Problem> {
    let first = &head[..head.len().min(HEAD)];
    if let Some(refused) = doiscan_input::refused(name.content(), first) {
        return Err(refused.of(name.path()));
    }
    let notation = format.notation(Some(name.content_bytes()), first);
    let (notation, table, fields) = match select(plan, format, name, head)? {
        Selected::All => (notation, None, None),
        Selected::Columns(columns) => {
            let delimiter = columns.dialect().delimiter;
            (Notation::Csv(delimiter), Some(Table::new(columns)), None)
        }
        Selected::Fields(fields) => (notation, None, Some(fields)),
    };
    Ok(ScanMode {
        fields,
        // Or a table of one column that is named doi.
        is_doi_column: table.is_some() || notation == Notation::Csv(b'\n'),
        table,
        eidrs: eidr_columns(plan, format, name, head),
        running: format.running(Some(name.content_bytes()), first),
        closed: Closed::of(name.content_bytes(), notation, first),
        is_text: doiscan_input::is_text(name.content_bytes(), first),
        line_end: doiscan_input::line_end(first),
        ..ScanMode::of(notation)
    })
}

/// The part of an input that is searched.
enum Selected {
    All,
    Columns(Columns),
    Fields(Fields),
}

/// Selects the columns of the plan in the input that begins with `head`, or its fields if the input has no such column.
fn select(plan: &Plan, format: Format, name: &InputName, head: &[u8]) -> Result<Selected, Problem> {
    let is_empty = plan.columns.is_empty() && head.is_empty();
    if !plan.is_selective() || is_empty {
        return Ok(Selected::All);
    }
    let table = (format, Some(name.content_bytes()));
    let mut missing = ColumnError::NoRecords;
    if !plan.columns.is_empty() {
        let header = Header::of(table, head, &plan.columns).ok_or(ColumnError::NotATable);
        match header.and_then(|header| Columns::choose(&plan.columns, &header, head)) {
            Ok(columns) => return Ok(Selected::Columns(columns)),
            Err(error) => missing = error,
        }
    }
    // Of text with another name, records are looked for first.
    let is_table = format.table(Some(name.content_bytes()), head).is_some();
    let is_other = !is_table && RecordFormat::of(&head[..head.len().min(HEAD)]).is_some();
    if let Some(columns) = (!is_other).then(|| plan.fields.columns(table, head)).flatten() {
        return Ok(Selected::Columns(columns));
    }
    let fields = || {
        let place = match name.content() == name.path() {
            true => &[],
            false => name.content_bytes().rsplit(|&b| b == b'!').next().unwrap_or_default(),
        };
        let is_front =
            place == b"page 1" || place.starts_with(b"metadata") || place.ends_with(b".opf");
        if place.starts_with(b"page ") || is_front {
            let is_whole = if is_front { plan.fields.own } else { plan.fields.cited };
            return Some(if is_whole { Fields::Whole } else { Fields::Nothing });
        }
        let first = &head[..head.len().min(HEAD)];
        let cutter = Cutter::of(first, &plan.fields)?;
        Some(Fields::Cut(Records::new(cutter.with_line_end(doiscan_input::line_end(first)))))
    };
    let fields = plan.fields.is_any().then(fields).flatten();
    if is_table && plan.columns.is_empty() {
        let names: Vec<String> = plan.fields.column_names().take(1).collect();
        let header = Header::of(table, head, &names);
        let absent = header.and_then(|header| header.find(names.first()?).err());
        missing = absent.unwrap_or(missing);
    }
    let misfit = || {
        let problem = Problem::misfit(name.path(), missing.to_string());
        if missing == ColumnError::LongHeader { problem.unread() } else { problem }
    };
    Ok(Selected::Fields(fields.ok_or_else(misfit)?))
}

/// Finds the columns named EIDR of an input that begins with `head`. Returns `None` if EIDRs are
/// not wanted or the input is not a table.
fn eidr_columns(plan: &Plan, format: Format, name: &InputName, head: &[u8]) -> Option<EidrValues> {
    plan.eidr.as_ref()?;
    let first = &head[..head.len().min(HEAD)];
    let dialect = Dialect::new(format.table(Some(name.content_bytes()), first)?);
    let columns = Columns::named(&plan.columns, dialect, head, eidr::is_named)?;
    Some(EidrValues::Table(Table::new(columns)))
}
