//! Models of names: opened from files, learned from lists.
#![expect(clippy::disallowed_methods, reason = "opens the model that the user names")]

use crate::error::Error;
use doiscan_core::names::{self, Model};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

/// The word for the model that the program brings with it.
pub const BUILT_IN: &str = "built-in";

/// Maximum length of a model in bytes.
const LONGEST: u64 = 16 * 1024 * 1024;

/// Opens the model at `path`, or the one that is [`BUILT_IN`].
///
/// # Errors
///
/// Fails if the file cannot be read or is no model.
pub fn open(path: &Path) -> Result<Arc<Model>, Error> {
    let refused = |error: io::Error| Error::Model { path: path.into(), source: error };
    let invalid = |error| refused(io::Error::new(io::ErrorKind::InvalidData, error));
    if path.as_os_str() == BUILT_IN {
        return names::built_in().map_err(invalid);
    }
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(LONGEST).read_to_end(&mut bytes)).map_err(refused)?;
    Model::new(bytes).map(Arc::new).map_err(invalid)
}
