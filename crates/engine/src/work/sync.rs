//! Locks of the queue and of the ranges that are decoded ahead. With the feature `shuttle` they are those of `shuttle`, which
//! runs many orders of the threads of a test.

#[cfg(not(feature = "shuttle"))]
pub(super) use doiscan_os::lock::lock;
#[cfg(feature = "shuttle")]
pub(super) use shuttle::sync::{Condvar, Mutex, atomic};
#[cfg(not(feature = "shuttle"))]
pub(super) use std::sync::{Condvar, Mutex, atomic};

/// Locks a mutex, also if a thread panicked while it held it.
#[cfg(feature = "shuttle")]
pub(super) fn lock<T>(mutex: &Mutex<T>) -> shuttle::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
