//! `doiscan convert`: writes identifiers in another form, one a line.

use super::exit::Exit;
use super::flags::{self, To};
use super::summary::{grouped, plural};
use super::terminal;
use crate::doi::eidr::{self, Eidr, Scheme};
use crate::doi::{Doi, Form, Reader, Writer};
use crate::pipeline::{self, LinePlan, LineWork, Piece, Place};
use anyhow::{Result, bail};

/// Lines that are named when they hold nothing that can be written. All are counted.
const NAMED: usize = 20;

/// Runs `doiscan convert`.
pub(super) fn convert(flags: &flags::Convert) -> Result<Exit> {
    let work = Conversion::new(flags)?;
    let plan = LinePlan {
        inputs: super::inputs(&flags.files, "convert")?,
        output: flags.output.clone(),
        threads: flags.threads,
        ..LinePlan::default()
    };
    let report = pipeline::run_lines(&plan, &work)?;
    let Tally { written, refused, named } = report.tally;
    for problem in &report.problems {
        terminal::say_line(&format!("doiscan: {problem}"));
    }
    for message in &named {
        terminal::say_line(&format!("doiscan: {message}"));
    }
    if refused > named.len() as u64 {
        terminal::say(&format!("doiscan: and {} more", grouped(refused - named.len() as u64)));
    }
    if !flags.quiet {
        let mut text = format!("{} written", plural(written, "identifier"));
        if refused > 0 {
            text += &format!(", {} left out", plural(refused, "line"));
        }
        terminal::say(&text);
    }
    let is_whole = report.problems.is_empty() && refused == 0;
    Ok(if is_whole { Exit::Done } else { Exit::Partial })
}

/// What is counted.
#[derive(Debug, Default)]
struct Tally {
    written: u64,
    refused: u64,
    /// The first lines that were refused, and why.
    named: Vec<String>,
}

impl Tally {
    fn refuse(&mut self, place: &Place<'_>, why: impl FnOnce() -> String) {
        self.refused += 1;
        if self.named.len() < NAMED {
            let message = format!("{}:{}: {}", place.path.display(), place.line, why());
            self.named.push(message);
        }
    }
}

/// The form that is wanted.
struct Conversion<'a> {
    to: To,
    writer: Writer,
    style: eidr::Style<'a>,
}

impl<'a> Conversion<'a> {
    /// Every rule between flags.
    fn new(flags: &'a flags::Convert) -> Result<Self> {
        let is_url = flags.to == To::Doi(Form::Url);
        for (is_given, flag) in [
            (flags.recommended, "--recommended"),
            (flags.which_ra, "--which-ra"),
            (flags.resolver.is_some(), "--resolver"),
        ] {
            if is_given && !is_url {
                bail!("{flag} is for --to url");
            }
        }
        let form = match flags.to {
            To::Doi(_) => None,
            To::Eidr(form) => Some(form),
        };
        if flags.scheme.is_some() && !form.is_some_and(eidr::Form::has_scheme) {
            bail!("--scheme is for --to eidr-urn, eidr-u and eidr-s");
        }
        if flags.binary.is_some() && !form.is_some_and(eidr::Form::is_binary) {
            bail!("--binary is for --to eidr-compact and eidr-full");
        }
        let scheme = match &flags.scheme {
            Some(name) => Some(Scheme::new(name)?),
            None if form.is_some_and(eidr::Form::has_scheme) => {
                bail!("--to {} needs the name of the URN's scheme: --scheme NAME", flags.to.name())
            }
            None => None,
        };
        let binary = match flags.binary {
            Some(flags::Binary::Base64) => eidr::Binary::Base64,
            Some(flags::Binary::Hex) | None => eidr::Binary::Hex,
        };
        let mut writer = Writer {
            recommended: flags.recommended,
            which_ra: flags.which_ra,
            ..Writer::default()
        };
        if let Some(resolver) = &flags.resolver {
            if !is_address(resolver) {
                bail!("--resolver: expected http:// or https:// and a host, found \"{resolver}\"");
            }
            writer.resolver.clone_from(resolver);
        }
        Ok(Conversion { to: flags.to, writer, style: eidr::Style { scheme, binary } })
    }

    /// Appends what `value` identifies, in the form that is wanted.
    fn write(&self, reader: &mut Reader, value: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        match (self.to, reader.read(value)) {
            (To::Doi(form), Ok(reading)) => {
                match Eidr::recognise(reading.doi.as_str().as_bytes()) {
                    // Without its hyphens it is another name to the DOI system.
                    Ok((eidr, eidr::Form::Plain)) => self.write_name(eidr, form, out)?,
                    _ => self.writer.write(&reading.doi, form, out),
                }
            }
            (To::Doi(form), Err(error)) => {
                let eidr = Eidr::parse(value).map_err(|of_eidr| {
                    if is_named_eidr(value) { of_eidr.to_string() } else { error.to_string() }
                })?;
                self.write_name(eidr, form, out)?;
            }
            (To::Eidr(form), reading) => {
                let eidr = match reading {
                    Ok(reading) => Eidr::from_name(reading.doi.as_str()),
                    Err(_) => Eidr::parse(value),
                };
                let eidr = eidr.map_err(|e| e.to_string())?;
                eidr.write(form, self.style, out).map_err(|e| e.to_string())?;
            }
        }
        out.push(b'\n');
        Ok(())
    }

    /// Appends the DOI of `eidr`.
    fn write_name(&self, eidr: Eidr, form: Form, out: &mut Vec<u8>) -> Result<(), String> {
        let name = eidr.name();
        let doi = Doi::try_from(name.as_str()).map_err(|e| e.to_string())?;
        self.writer.write(&doi, form, out);
        Ok(())
    }
}

/// Whether `text` is the address of a web server, of characters that addresses have.
fn is_address(text: &str) -> bool {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    host.is_some_and(|host| !host.is_empty() && host.bytes().all(|b| b.is_ascii_graphic()))
}

/// Whether `value` says of itself that it is an EIDR.
fn is_named_eidr(value: &[u8]) -> bool {
    value.windows(4).take(64).any(|word| word.eq_ignore_ascii_case(b"eidr"))
}

impl LineWork for Conversion<'_> {
    type Worker = Reader;
    type Tally = Tally;

    fn worker(&self) -> Reader {
        Reader::default()
    }

    fn line(
        &self,
        reader: &mut Reader,
        line: &[u8],
        place: &Place<'_>,
        out: &mut Vec<u8>,
        tally: &mut Tally,
    ) {
        let start = out.len();
        match self.write(reader, line.trim_ascii(), out) {
            Ok(()) => tally.written += 1,
            Err(why) => {
                out.truncate(start);
                tally.refuse(place, || why);
            }
        }
    }

    fn piece(
        &self,
        _: &mut Reader,
        piece: &Piece<'_>,
        place: &Place<'_>,
        _: &mut Vec<u8>,
        tally: &mut Tally,
    ) {
        if piece.is_last {
            tally.refuse(place, || "the line is longer than 1 MiB".to_owned());
        }
    }

    fn gather(&self, sum: &mut Tally, block: Tally) {
        sum.written += block.written;
        sum.refused += block.refused;
        let room = NAMED - sum.named.len();
        sum.named.extend(block.named.into_iter().take(room));
    }
}
