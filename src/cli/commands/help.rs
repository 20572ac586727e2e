//! `doiscan help`: prints the help of a command or a topic.

use crate::cli::context::Context;
use crate::cli::exit::Exit;
use crate::cli::nearest::nearest;
use crate::cli::options::output::OutputFlag;
use crate::cli::reasons;
use anyhow::{Result, bail};
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  doiscan help scan                       explain every flag of doiscan scan
  doiscan help reasons                    explain why candidates and values are rejected
";

/// Print help for a command, or explain the reasons
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Help {
    /// A command, reasons, or a reason why scan and check reject text
    ///
    /// Without it, help lists the commands.
    #[arg(value_name = "COMMAND|reasons")]
    topic: Option<String>,
}

impl Help {
    pub(super) fn run(&self, context: &Context) -> Result<Exit> {
        let mut program = context.program();
        program.build();
        let text = match self.topic.as_deref() {
            None => program.render_help().to_string(),
            Some("reasons") => reasons::text(),
            Some(name) => match program.find_subcommand_mut(name) {
                Some(command) => command.render_long_help().to_string(),
                None => match reasons::one(name) {
                    Some(text) => text,
                    None => bail!("no help for {name}: {}", advice(name, &program)),
                },
            },
        };
        OutputFlag::default().write(text.as_bytes())?;
        Ok(Exit::Done)
    }
}

/// What to ask for instead of `name`.
fn advice(name: &str, program: &clap::Command) -> String {
    let commands = program.get_subcommands().map(|command| command.get_name().to_owned());
    let topics = std::iter::once("reasons".to_owned());
    let names: Vec<_> = topics.chain(commands).chain(reasons::names()).collect();
    match nearest(name, &names) {
        Some(near) => format!("did you mean: doiscan help {near}"),
        None => "expected a command or reasons; run doiscan help for the commands".to_owned(),
    }
}
