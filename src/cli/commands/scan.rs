//! `doiscan scan`: finds every DOI in files and folders and writes one sorted list.

use crate::cli::context::Context;
use crate::cli::exit::Exit;
use crate::cli::options::form::{OutputForm, Rows};
use crate::cli::options::gates::{self, Gates};
use crate::cli::options::input::Input;
use crate::cli::options::output::{self, List, Output};
use crate::cli::options::recognition::Recognition;
use crate::cli::options::reporting::{Details, Reporting};
use crate::cli::options::resources::Resources;
#[cfg(feature = "state")]
use crate::cli::options::state::State;
use crate::cli::options::tables::Tables;
use crate::cli::options::unpacking::Unpacking;
use crate::cli::progress::Bar;
use crate::cli::stats::{self, Outcome};
use crate::cli::{problems, summary, terminal};
use crate::pipeline::{self, Cancel, Plan, Record, Refusal, Report};
use anyhow::Result;
#[cfg(feature = "state")]
use anyhow::bail;
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  doiscan scan dump.jsonl -o dois.txt     one file
  doiscan scan crossref/ extra.csv > all  a folder with everything below it, and a file
  doiscan scan crossref.tar dump.json.gz  archives and compressed files, read in place
  pdftotext a.pdf - | doiscan scan -      the output of another command
  doiscan scan dump/ -o d.txt --stats s   with the figures of the run as JSON
";

const DETAILS: &str = "\
The list has one canonical DOI a line, each once, sorted by bytes
(LC_ALL=C sort -c -u agrees).

Exit status:
  0        done, nothing left out
  1        --min-count or --max-drop; an old FILE is untouched
  2        fatal or usage error, a PATH that does not exist, no readable input, or an empty
           list without --allow-empty; an old FILE is untouched
  3        done for all that could be read; each problem is named on standard error
  128 + n  ended by signal n; an old FILE is untouched

";

/// Find every DOI in files and folders and write one sorted list
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{DETAILS}{EXAMPLES}"))]
pub(in crate::cli) struct Scan {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    form: OutputForm,
    #[command(flatten)]
    rows: Rows,
    #[command(flatten)]
    list: List,
    #[command(flatten)]
    gates: Gates,
    #[command(flatten)]
    tables: Tables,
    #[command(flatten)]
    recognition: Recognition,
    #[command(flatten)]
    resources: Resources,
    #[command(flatten)]
    unpacking: Unpacking,
    #[command(flatten)]
    reporting: Reporting,
    #[command(flatten)]
    details: Details,
    #[cfg(feature = "state")]
    #[command(flatten)]
    state: State,
}

impl Scan {
    pub(super) fn run(&self, context: &Context) -> Result<Exit> {
        self.distinct()?;
        let inputs = self.input.named();
        let path = self.reporting.stats();
        let record = stats::Record { context, command: "scan", inputs: &inputs, path };
        let result = self.scan(&record);
        if let Err(error) = &result {
            record.write_failure(error);
        }
        result
    }

    /// The plan of a run that is not started here.
    pub(super) fn checked_plan(&self) -> Result<Plan> {
        self.distinct()?;
        #[cfg(feature = "state")]
        if self.state.dry_run {
            bail!("--dry-run is for the command; a program calls pipeline::dry_run");
        }
        self.plan()
    }

    /// Fails when two outputs are one file.
    fn distinct(&self) -> Result<()> {
        let [hits, rejects, stats_inputs] = self.rows.files();
        let stats = ("--stats", self.reporting.stats());
        let short = ("--short-doi", self.list.short_doi.as_deref());
        let mut files = vec![("--output", self.output.path())];
        files.extend([stats, short, hits, rejects, stats_inputs]);
        #[cfg(feature = "state")]
        files.extend(self.state.files());
        output::distinct(&files)?;
        output::spare(&self.input.named(), &files[1..])
    }

    /// Prints which inputs would be read.
    #[cfg(feature = "state")]
    fn dry_run(&self, plan: &Plan) -> Result<Exit> {
        let found = pipeline::dry_run(plan)?;
        let mut standard = crate::output::Output::standard()?;
        standard.write(summary::to_read(&found).as_bytes())?;
        standard.finish()?;
        problems::say(&found.problems, self.details.verbose);
        if !self.reporting.quiet {
            terminal::say(&summary::dry_run(&found));
        }
        Ok(if found.problems.is_empty() { Exit::Done } else { Exit::Partial })
    }

    fn scan(&self, record: &stats::Record<'_>) -> Result<Exit> {
        let plan = self.plan()?;
        #[cfg(feature = "state")]
        if self.state.dry_run {
            return self.dry_run(&plan);
        }
        let show = self.details.show(self.reporting.quiet);
        let bar = Bar::new(show, self.details.verbose, self.output.is_standard());
        let text = |report: &Report| record.text(&outcome(report));
        let is_recorded = record.path.is_some() || plan.state.is_some();
        let file = is_recorded.then_some(Record { path: record.path, text: &text });
        let result = pipeline::run_with(&plan, file, &bar);
        bar.clear();
        let report = result?;
        problems::say(&report.problems, self.details.verbose);
        for note in report.state.iter().flat_map(|state| &state.notes) {
            terminal::say_line(&format!("doiscan: state: {note}"));
        }
        if let Some(omitted) = &report.omitted {
            terminal::say_line(&format!("doiscan: {omitted}"));
        }
        if !self.reporting.quiet {
            terminal::say(&summary::text(&report, self.details.verbose));
        }
        if let Some(refusal) = &report.refusal {
            let sentence = gates::sentence(refusal, self.output.path());
            terminal::say_line(&format!("doiscan: {sentence}"));
        }
        Ok(exit(&report))
    }

    fn plan(&self) -> Result<Plan> {
        let layout = self.form.layout(self.output.path())?;
        Ok(Plan {
            inputs: self.input.paths()?,
            lists: self.input.lists(),
            output: self.output.path().map(Into::into),
            layout,
            counts: self.rows.counts(layout)?,
            hits: self.rows.hits()?,
            rejects: self.rows.rejects()?,
            per_input: self.reporting.stats().is_some(),
            stats_inputs: self.rows.stats_inputs()?,
            threads: self.resources.threads.count(),
            io: self.resources.io(),
            scan: self.recognition.options()?,
            format: self.tables.format()?,
            columns: self.tables.columns.clone(),
            lower: self.list.is_lower(),
            short_doi: self.list.short_doi.clone(),
            memory: Some(self.resources.memory.limit()),
            temporary: self.resources.memory.folders(self.output.path())?,
            chunk: self.resources.chunk_size,
            limits: self.unpacking.limits(),
            select: self.input.select()?,
            gates: self.gates.gates(),
            #[cfg(feature = "state")]
            state: self.state.plan()?,
            #[cfg(not(feature = "state"))]
            state: None,
            cancel: Cancel::default(),
        })
    }
}

/// How a scan ended, and what it counted.
pub(in crate::cli) fn outcome(report: &Report) -> Outcome {
    let figures = summary::figures(report);
    Outcome { exit: exit(report), figures, problems: report.problems.clone() }
}

fn exit(report: &Report) -> Exit {
    match &report.refusal {
        Some(Refusal::NothingRead | Refusal::Empty) => Exit::Fatal,
        Some(Refusal::TooFew { .. } | Refusal::Dropped { .. }) => Exit::Gate,
        _ if report.problems.is_empty() => Exit::Done,
        _ => Exit::Partial,
    }
}
