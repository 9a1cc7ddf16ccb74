//! Values that are computed on first use. Without the standard library there is no lock, so they
//! are computed at once.

#[cfg(feature = "std")]
use std::sync::OnceLock;

/// A value computed from a mesh on first use.
#[derive(Clone, Debug)]
pub(crate) struct Lazy<T> {
    #[cfg(feature = "std")]
    value: OnceLock<T>,
    #[cfg(not(feature = "std"))]
    value: T,
}

impl<T> Lazy<T> {
    /// Creates a value that `make` computes.
    pub(crate) fn new(make: impl FnOnce() -> T) -> Lazy<T> {
        #[cfg(feature = "std")]
        {
            let _ = make;
            Lazy { value: OnceLock::new() }
        }
        #[cfg(not(feature = "std"))]
        Lazy { value: make() }
    }

    /// Returns the value; `make` must be the function passed to `new`.
    pub(crate) fn get(&self, make: impl FnOnce() -> T) -> &T {
        #[cfg(feature = "std")]
        return self.value.get_or_init(make);
        #[cfg(not(feature = "std"))]
        {
            let _ = make;
            &self.value
        }
    }

    /// Returns the value if it has been computed.
    pub(crate) fn get_mut(&mut self) -> Option<&mut T> {
        #[cfg(feature = "std")]
        return self.value.get_mut();
        #[cfg(not(feature = "std"))]
        Some(&mut self.value)
    }
}
