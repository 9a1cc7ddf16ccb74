//! Shapes as serde reads them, before their constructors have checked them.

/// Makes the type `Unchecked` that serde reads for a shape: the arguments of its `new`, by name
/// and in their order. The shape has the attribute `serde(try_from = "Unchecked")`.
macro_rules! unchecked {
    ($shape:ident { $($field:ident: $type:ty),* }) => {
        #[cfg(feature = "serde")]
        #[derive(serde::Deserialize)]
        struct Unchecked {
            $($field: $type),*
        }

        #[cfg(feature = "serde")]
        impl TryFrom<Unchecked> for $shape {
            type Error = crate::ShapeError;

            fn try_from(read: Unchecked) -> Result<$shape, crate::ShapeError> {
                $shape::new($(read.$field),*)
            }
        }
    };
}
