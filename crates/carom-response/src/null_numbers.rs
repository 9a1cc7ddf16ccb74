//! Numbers that may be infinite, in formats that cannot write infinity.
//!
//! JSON has no infinity, and its writers write null instead. So null stands for the number that a
//! field may have beyond the finite ones: the bound of a limit that does not bound, or the impulse
//! of an overflow. Formats that write infinity are read as usual.
//!
//! Reference: T. Bray, The JavaScript Object Notation Data Interchange Format, RFC 8259, 2017,
//! section 6 (numbers).

use carom_math::{Real, Vec3};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};

/// A number for which null stands for the number with these bits.
pub(crate) struct OrNull<const BITS: u32>(Real);

/// A lower bound: null is no bound.
type Lower = OrNull<{ Real::NEG_INFINITY.to_bits() }>;
/// An upper bound: null is no bound.
type Upper = OrNull<{ Real::INFINITY.to_bits() }>;
/// An impulse: null is not finite.
type Impulse = OrNull<{ Real::NAN.to_bits() }>;

impl<'de, const BITS: u32> Deserialize<'de> for OrNull<BITS> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Other formats do not say of which type the next value is.
        if !deserializer.is_human_readable() {
            return Real::deserialize(deserializer).map(OrNull);
        }
        deserializer.deserialize_any(NumberVisitor).map(|x| OrNull(x.unwrap_or(Real::from_bits(BITS))))
    }
}

/// Reads a number; `None` is null.
struct NumberVisitor;

impl Visitor<'_> for NumberVisitor {
    type Value = Option<Real>;

    fn expecting(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("a number or null")
    }

    fn visit_f64<E: Error>(self, x: f64) -> Result<Option<Real>, E> {
        Ok(Some(x as Real))
    }

    fn visit_f32<E: Error>(self, x: f32) -> Result<Option<Real>, E> {
        Ok(Some(x))
    }

    fn visit_i64<E: Error>(self, x: i64) -> Result<Option<Real>, E> {
        Ok(Some(x as Real))
    }

    fn visit_u64<E: Error>(self, x: u64) -> Result<Option<Real>, E> {
        Ok(Some(x as Real))
    }

    fn visit_unit<E: Error>(self) -> Result<Option<Real>, E> {
        Ok(None)
    }

    fn visit_none<E: Error>(self) -> Result<Option<Real>, E> {
        Ok(None)
    }
}

/// Reads a lower bound.
pub(crate) fn lower<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Real, D::Error> {
    Lower::deserialize(deserializer).map(|x| x.0)
}

/// Reads an upper bound.
pub(crate) fn upper<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Real, D::Error> {
    Upper::deserialize(deserializer).map(|x| x.0)
}

/// Reads a lower and an upper bound, if there are any.
pub(crate) fn bounds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<[Real; 2]>, D::Error> {
    let bounds = Option::<(Lower, Upper)>::deserialize(deserializer)?;
    Ok(bounds.map(|(low, high)| [low.0, high.0]))
}

/// Reads an impulse.
pub(crate) fn impulse<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Real, D::Error> {
    Impulse::deserialize(deserializer).map(|x| x.0)
}

/// Reads impulses.
pub(crate) fn impulses<'de, D: Deserializer<'de>, const N: usize>(
    deserializer: D,
) -> Result<[Real; N], D::Error>
where
    [Impulse; N]: Deserialize<'de>,
{
    Ok(<[Impulse; N]>::deserialize(deserializer)?.map(|x| x.0))
}

/// Reads the impulse of a vector.
pub(crate) fn impulse_vector<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec3, D::Error> {
    impulses(deserializer).map(Vec3::from_array)
}
