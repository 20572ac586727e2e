//! What DOIs look like, learned from DOIs: a model, how it is made, and how it decides where a name ends.

mod decide;
mod learn;
mod model;
mod symbol;
mod words;

pub(crate) use decide::is_page;
pub use decide::{End, Gap, MORE, MOST_NEXT, Text};
pub use learn::{Learner, Unordered};
pub use model::{LONGEST, Model, ModelError, Place, Whole};

use crate::lazy::LazyLock;
use alloc::sync::Arc;

/// The file of the model that the program brings with it.
const BUILT_IN: &[u8] = include_bytes!("built_in.model");

/// The model that the program brings with it.
///
/// # Errors
///
/// Fails if the program was built with a file that is no model.
pub fn built_in() -> Result<Arc<Model>, ModelError> {
    static MODEL: LazyLock<Result<Arc<Model>, ModelError>> =
        LazyLock::new(|| Model::trusted(BUILT_IN).map(Arc::new));
    MODEL.clone()
}

#[cfg(test)]
mod tests;
