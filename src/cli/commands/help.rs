//! `doiscan help`: prints the help of a command or a topic.

use crate::cli::context::Context;
use crate::cli::exit::Exit;
use crate::cli::reasons;
use crate::output::Output;
use anyhow::{Result, bail};
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  doiscan help scan                       every flag of doiscan scan
  doiscan help reasons                    why a candidate or a value is refused
";

/// Print help for a command, or about reasons
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Help {
    /// A command, or reasons: why scan and check refuse what looks like a DOI
    ///
    /// Without it, the list of commands.
    #[arg(value_name = "COMMAND|reasons")]
    topic: Option<String>,
}

impl Help {
    pub(super) fn run(&self, context: &Context) -> Result<Exit> {
        let mut program = context.program.clone();
        program.build();
        let text = match self.topic.as_deref() {
            None => program.render_help().to_string(),
            Some("reasons") => reasons::text(),
            Some(name) => match program.find_subcommand_mut(name) {
                Some(command) => command.render_long_help().to_string(),
                None => bail!("there is no help about {name}; run doiscan help for the commands"),
            },
        };
        let mut output = Output::standard()?;
        output.write(text.as_bytes())?;
        output.finish()?;
        Ok(Exit::Done)
    }
}
