//! What is made when it is first asked for, and kept; without the standard library there is no
//! lock, and it is made at once.
//!
//! Reference: none; a name for two ways of the standard library.

#[cfg(feature = "std")]
use std::sync::OnceLock;

/// A value that is made from a mesh when it is first asked for.
#[derive(Clone, Debug)]
pub(crate) struct Lazy<T> {
    #[cfg(feature = "std")]
    value: OnceLock<T>,
    #[cfg(not(feature = "std"))]
    value: T,
}

impl<T> Lazy<T> {
    /// For a value that `make` gives.
    pub(crate) fn new(make: impl FnOnce() -> T) -> Lazy<T> {
        #[cfg(feature = "std")]
        {
            let _ = make;
            Lazy { value: OnceLock::new() }
        }
        #[cfg(not(feature = "std"))]
        Lazy { value: make() }
    }

    /// The value, from the same function as before.
    pub(crate) fn get(&self, make: impl FnOnce() -> T) -> &T {
        #[cfg(feature = "std")]
        return self.value.get_or_init(make);
        #[cfg(not(feature = "std"))]
        {
            let _ = make;
            &self.value
        }
    }
}
