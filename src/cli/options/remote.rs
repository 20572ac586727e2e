//! Flags for inputs in object stores and on web servers.

use clap::Args;
use doiscan_remote::Settings;
use std::time::Duration;

/// The part of the memory of a run that ranges read ahead may use.
const PART: usize = 8;

/// How addresses are read and written, by every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Addresses")]
pub(in crate::cli) struct RemoteFlags {
    /// Use the store at URL, such as MinIO or Ceph, for s3://, gs:// and az://
    #[arg(long, global = true, value_name = "URL", env = "DOISCAN_ENDPOINT")]
    endpoint: Option<String>,

    /// Send requests without credentials, as for public buckets
    #[arg(long, global = true)]
    anonymous: bool,

    /// Repeat a request that fails for up to SECONDS
    ///
    /// Requests are repeated after faults that may pass: 429, 5xx, reset connections, timeouts and
    /// replies that are cut. The pauses double, up to 10 seconds, or are what the server asks for.
    /// Then the input is named, and the exit status is 3.
    #[arg(long, global = true, value_name = "SECONDS", default_value_t = 60)]
    retry_for: u32,
}

impl RemoteFlags {
    /// Makes addresses inputs and outputs. The run may use `memory` bytes, if there is a limit.
    pub(in crate::cli) fn register(&self, memory: Option<usize>) {
        doiscan_remote::register(Settings {
            endpoint: self.endpoint.clone(),
            is_anonymous: self.anonymous,
            retry_for: Duration::from_secs(self.retry_for.into()),
            memory: memory.map_or(Settings::default().memory, |memory| memory / PART),
        });
    }
}
