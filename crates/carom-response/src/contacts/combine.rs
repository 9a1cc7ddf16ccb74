//! Combine rules: how the frictions or restitutions of two bodies become that of their contact.
//!
//! Reference: rapier 0.36, `CoefficientCombineRule`; E. Catto, Modeling and Solving Constraints,
//! GDC 2009 (geometric mean of frictions).

use carom_math::{Real, ops};

/// The rule by which two coefficients become one.
/// If two bodies have different rules, the rule that is later in this list is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum CombineRule {
    /// Half the sum.
    Average,
    /// The smaller one.
    Min,
    /// The product.
    Multiply,
    /// The square root of the product.
    GeometricMean,
    /// The larger one.
    Max,
}

impl CombineRule {
    /// Combines two coefficients, which are not negative, by the later one of two rules. The
    /// result is finite.
    #[inline]
    pub fn combine(rules: [CombineRule; 2], [a, b]: [Real; 2]) -> Real {
        let combined = match rules[0].max(rules[1]) {
            CombineRule::Average => a * 0.5 + b * 0.5,
            CombineRule::Min => a.min(b),
            CombineRule::Multiply => a * b,
            CombineRule::GeometricMean => ops::sqrt(a * b),
            CombineRule::Max => a.max(b),
        };
        combined.min(Real::MAX)
    }
}
