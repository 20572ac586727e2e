//! Models of names: opened from files, or the one that the program brings with it.
#![expect(clippy::disallowed_methods, reason = "opens the model that the user names")]

use crate::error::Error;
use doiscan_core::names::{self, Learner, Model};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

/// The word for the model that the program brings with it.
pub const BUILT_IN: &str = "built-in";

/// The word for no model.
pub const NO_MODEL: &str = "none";

/// Opens the model at `path`, which may be one of the words [`BUILT_IN`] and [`NO_MODEL`].
///
/// # Errors
///
/// Fails if the file cannot be read or is no model.
pub fn open_model(path: &Path) -> Result<Option<Arc<Model>>, Error> {
    let refused = |error: io::Error| Error::Model { path: path.into(), cause: error };
    let invalid = |error| refused(io::Error::new(io::ErrorKind::InvalidData, error));
    if path.as_os_str() == NO_MODEL {
        return Ok(None);
    }
    if path.as_os_str() == BUILT_IN {
        return names::built_in().map(Some).map_err(invalid);
    }
    let mut bytes = Vec::new();
    // One byte more than the largest model, which is then refused as too long.
    let most = *Learner::SIZES.end() as u64 + 1;
    File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes)).map_err(refused)?;
    Model::new(bytes).map(|model| Some(Arc::new(model))).map_err(invalid)
}
