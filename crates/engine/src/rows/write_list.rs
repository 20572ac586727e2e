//! Writes the sorted list.

use crate::error::Error;
use crate::rows::buffer::RowBuffer;
use crate::rows::digest::TalliedLines;
use crate::rows::file::RowFile;
use crate::state::changes::{ChangeFiles, Tracked};
use doiscan_sets::collect::Keep;
use doiscan_sets::dedup::publish::{Published, each};
use doiscan_sets::dedup::spill::Spill;
use doiscan_sets::pool::Pool;

/// Writes all records of the collector to `file`.
pub(super) fn all<K: Keep>(
    spill: Spill<K>,
    memory: usize,
    pool: &Pool,
    file: &mut RowFile,
    changes: Option<&mut ChangeFiles>,
) -> Result<Published, Error> {
    if let Some(changes) = changes {
        return tracked(spill, memory, pool, file, changes);
    }
    let has_tally = file.has_tally();
    if file.is_plain() && has_tally {
        let write = |page: &mut TalliedLines, together: bool| {
            file.add_tally(&page.tally);
            file.text(&page.lines, together)
        };
        return each(spill, memory, pool, TalliedLines::default, write);
    }
    if file.is_plain() {
        let write = |text: &mut Vec<u8>, together: bool| file.text(text, together);
        return each(spill, memory, pool, Vec::new, write);
    }
    let (form, records) = (file.form(), file.records().clone());
    let new = || {
        let mut buffer = RowBuffer::new(form, &records);
        if has_tally {
            buffer.keep_tally();
        }
        buffer
    };
    let write = |rows: &mut RowBuffer, together: bool| file.write(rows, together);
    let published = each(spill, memory, pool, new, write)?;
    pool.run(|together| file.close_group(together))??;
    Ok(published)
}

/// Like [`all`], and also reports added and removed names.
fn tracked<K: Keep>(
    spill: Spill<K>,
    memory: usize,
    pool: &Pool,
    file: &mut RowFile,
    changes: &mut ChangeFiles,
) -> Result<Published, Error> {
    let forms = changes.forms();
    if file.is_plain() {
        let write = |tracked: &mut Tracked<TalliedLines>, together: bool| {
            file.add_tally(&tracked.list.tally);
            file.text(&tracked.list.lines, together)?;
            changes.write(tracked, together)
        };
        let new = || Tracked::new(TalliedLines::default(), forms);
        return each(spill, memory, pool, new, write);
    }
    let (form, records) = (file.form(), file.records().clone());
    let has_tally = file.has_tally();
    let new = || {
        let mut buffer = RowBuffer::new(form, &records);
        if has_tally {
            buffer.keep_tally();
        }
        Tracked::new(buffer, forms)
    };
    let write = |tracked: &mut Tracked<RowBuffer>, together: bool| {
        file.write(&mut tracked.list, together)?;
        changes.write(tracked, together)
    };
    let published = each(spill, memory, pool, new, write)?;
    pool.run(|together| file.close_group(together))??;
    Ok(published)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{Layout, Output, OutputFormat};
    use crate::rows::buffer::RecordKind;
    use crate::rows::digest::Examples;
    use crate::state::reading::name_suffix;
    use crate::state::sieve::{Sources, Wanted};
    use crate::state::store::SegmentKind;
    use doiscan_os::disk::System;
    use doiscan_sets::collect::run::Space;
    use doiscan_sets::collect::{All, Collector, Names};
    use std::num::NonZeroUsize;
    use std::sync::Arc;

    /// A source that no run has read.
    const GONE: u32 = 5;

    fn spill<K: Keep>(folder: &tempfile::TempDir, records: &[&[u8]]) -> Spill<K> {
        let space = || Space::new(Arc::new(System), vec![folder.path().to_path_buf()]);
        let spill = Spill::new(Collector::new(), space(), 1).with(Vec::new(), space());
        let mut batch = spill.batch();
        records.iter().for_each(|record| batch.push(record));
        batch.finish();
        spill.save().expect("saved");
        spill
    }

    fn sources(kind: SegmentKind) -> Sources {
        Sources { live: Arc::default(), kind, wanted: Wanted::Answer }
    }

    #[test]
    fn records_of_dropped_sources_do_not_count_and_segments_are_no_spilled_runs() {
        let folder = tempfile::tempdir().expect("folder");
        let gone = [b"gone".as_slice(), &GONE.to_le_bytes()].concat();
        let spill = spill::<All>(&folder, &[b"kept\0\0\0\0", &gone]);
        spill.settle(sources(SegmentKind::Hits));
        let mut text = Vec::new();
        let write = |page: &mut Vec<u8>, _| {
            text.extend_from_slice(page);
            Ok::<(), Error>(())
        };
        let pool = Pool::new(NonZeroUsize::MIN);
        let published = each(spill, usize::MAX, &pool, Vec::new, write).expect("sound");
        assert_eq!(text, b"kept\n");
        assert_eq!((published.received, published.kept, published.written), (2, 2, 1));
        assert_eq!((published.runs, published.spilled_bytes), (0, 0));
    }

    /// Writes two names with a tally, as a run with a state does or as one without.
    fn tallied(format: OutputFormat, is_tracked: bool) -> String {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("list");
        let layout = Layout { format, ..Layout::default() };
        let output = Output::file(&path).expect("open");
        let mut file = RowFile::new(output, layout, RecordKind::Names, 1, 0).expect("a file");
        file.keep_tally();
        let suffix = |source| if is_tracked { name_suffix(source) } else { Vec::new() };
        let names = ["10.1/B", "10.1/A"].map(|name| [name.as_bytes(), &suffix(0)].concat());
        let gone = [b"10.1/C".as_slice(), &suffix(GONE)].concat();
        let (mut changes, pool) = (ChangeFiles::default(), Pool::new(NonZeroUsize::MIN));
        let published = match is_tracked {
            true => {
                let spill = spill::<Names>(&folder, &[&names[0], &names[1], &gone]);
                spill.settle(sources(SegmentKind::Names));
                all(spill, usize::MAX, &pool, &mut file, Some(&mut changes))
            }
            false => {
                let spill = spill::<Names>(&folder, &[&names[0], &names[1]]);
                all(spill, usize::MAX, &pool, &mut file, None)
            }
        };
        assert_eq!(published.expect("sound").written, 2);
        let tally = file.take_tally().expect("a tally");
        let digest = tally.digest(Examples::default(), false);
        assert_eq!(digest.prefixes, [(b"10.1".to_vec(), 2)], "{format:?} {is_tracked}");
        file.finish(false).and_then(|output| Ok(output.finish()?)).expect("in place");
        String::from_utf8(std::fs::read(&path).expect("read")).expect("UTF-8")
    }

    #[test]
    fn a_list_in_each_form_has_its_tally() {
        for is_tracked in [false, true] {
            let list = |format| tallied(format, is_tracked);
            assert_eq!(list(OutputFormat::Lines), "10.1/A\n10.1/B\n");
            assert_eq!(list(OutputFormat::Csv), "doi\n10.1/A\n10.1/B\n");
            let rows = "{\"doi\":\"10.1/A\"}\n{\"doi\":\"10.1/B\"}\n";
            assert_eq!(list(OutputFormat::Jsonl), rows);
        }
    }
}
