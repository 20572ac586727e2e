//! Values that are made when they are first used.

#[cfg(feature = "std")]
pub(crate) use std::sync::LazyLock;

/// `LazyLock` of `std`. Two threads may both make the value; one of the two is dropped.
#[cfg(not(feature = "std"))]
pub(crate) struct LazyLock<T> {
    value: once_cell::race::OnceBox<T>,
    make: fn() -> T,
}

#[cfg(not(feature = "std"))]
impl<T> LazyLock<T> {
    pub(crate) const fn new(make: fn() -> T) -> Self {
        LazyLock { value: once_cell::race::OnceBox::new(), make }
    }
}

#[cfg(not(feature = "std"))]
impl<T> core::ops::Deref for LazyLock<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value.get_or_init(|| alloc::boxed::Box::new((self.make)()))
    }
}
