//! The Minkowski difference C = A - B, in A's frame and scaled to size one.
//!
//! C contains the origin exactly if A and B overlap or touch. Its nearest point is as far from the
//! origin as A is from B. All lengths are multiplied by the power of two that brings the pair to
//! size one. Then nothing overflows, and no threshold needs a unit. Input scaled by a power of two
//! gives the same bits, scaled.
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, 4.3.1.
//! Differs: only the cores are subtracted. The margins are added to the answer.

use carom_geom::{SupportMap, SupportPoint};
use carom_math::WidePose;
use glam::{DMat3, DVec3};

/// A point of C with the points of A and B that it comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vertex {
    /// The point of C, scaled, in A's frame.
    pub(crate) w: DVec3,
    /// The point of A, unscaled, in A's frame.
    pub(crate) a: SupportPoint,
    /// The point of B, unscaled, in B's frame.
    pub(crate) b: SupportPoint,
}

impl Vertex {
    pub(crate) const NOWHERE: SupportPoint =
        SupportPoint { point: DVec3::ZERO, vertex: carom_geom::NO_VERTEX };
    /// A placeholder for unused memory: all bits zero, which is the fastest to write.
    pub(crate) const BLANK: Vertex = {
        let blank = SupportPoint { point: DVec3::ZERO, vertex: 0 };
        Vertex { w: DVec3::ZERO, a: blank, b: blank }
    };
    pub(crate) const NONE: Vertex = Vertex { w: DVec3::ZERO, a: Vertex::NOWHERE, b: Vertex::NOWHERE };
}

/// Two shapes, the pose of B in A's frame, and the scale of the pair.
pub(crate) struct Minkowski<'s, A: ?Sized, B: ?Sized> {
    pub(crate) a: &'s A,
    pub(crate) b: &'s B,
    pub(crate) b_in_a: WidePose,
    to_b: DMat3,
    scaled_rotation: DMat3,
    scaled_translation: DVec3,
    /// A power of two: scaled length = length * `scale`.
    pub(crate) scale: f64,
    /// The inverse of `scale`.
    pub(crate) unscale: f64,
    /// Scaled: the most by which a support of C may fall short of the true one.
    pub(crate) slack: f64,
    /// Scaled: sum of the margins.
    pub(crate) margin: f64,
    /// Scaled: a point inside C.
    pub(crate) center: DVec3,
    /// Whether every number of the input is finite.
    pub(crate) is_finite: bool,
}

impl<'s, A: SupportMap + ?Sized, B: SupportMap + ?Sized> Minkowski<'s, A, B> {
    #[inline(always)]
    pub(crate) fn new(a: &'s A, b: &'s B, b_in_a: &WidePose) -> Minkowski<'s, A, B> {
        let margin = a.margin() + b.margin();
        let center = a.center() - b_in_a.transform_point(b.center());
        let reach = center.abs().max_element();
        let size = a.radius().max(b.radius()).max(reach).max(margin);
        // A sum keeps a NaN, which max() drops. Each number of the pose, times a finite number, is
        // a term of the centre.
        let sum = a.radius() + b.radius() + center.x + center.y + center.z + margin;
        let is_finite = sum.is_finite();
        let (scale, unscale) = power_of_two(size);
        Minkowski {
            a,
            b,
            b_in_a: *b_in_a,
            to_b: b_in_a.rotation.transpose(),
            scaled_rotation: b_in_a.rotation * scale,
            scaled_translation: b_in_a.translation * scale,
            scale,
            unscale,
            slack: (a.support_slack() + b.support_slack()) * scale,
            margin: margin * scale,
            center: center * scale,
            is_finite,
        }
    }

    /// Returns the point of C farthest along `-u`, to within the slack.
    #[inline(always)]
    pub(crate) fn support(&self, u: DVec3) -> Vertex {
        let a = self.a.support(-u);
        let b = self.b.support(self.to_b * u);
        self.vertex(a, b)
    }

    /// Returns the point of C farthest along `-u`, exact to rounding. The search starts from
    /// `near`.
    #[inline(always)]
    pub(crate) fn support_exact(&self, u: DVec3, near: &Vertex) -> Vertex {
        let a = self.a.support_exact(-u, near.a);
        let b = self.b.support_exact(self.to_b * u, near.b);
        self.vertex(a, b)
    }

    /// Returns the point of C for a point of A and a point of B.
    #[inline(always)]
    pub(crate) fn vertex(&self, a: SupportPoint, b: SupportPoint) -> Vertex {
        let placed = self.scaled_rotation * b.point + self.scaled_translation;
        Vertex { w: a.point * self.scale - placed, a, b }
    }

    /// Returns the point of C for two vertex numbers, or `None` if a number is not valid.
    #[inline]
    pub(crate) fn rebuild(&self, pair: (u32, u32)) -> Option<Vertex> {
        let a = SupportPoint { point: self.a.vertex(pair.0)?, vertex: pair.0 };
        let b = SupportPoint { point: self.b.vertex(pair.1)?, vertex: pair.1 };
        Some(self.vertex(a, b))
    }
}

/// Returns the power of two that brings `size` to about one, and its inverse. Zero gives (1, 1).
#[inline]
fn power_of_two(size: f64) -> (f64, f64) {
    const MANTISSA_BITS: u32 = 52;
    const TWICE_BIAS: u64 = 2046;
    if !(0.0 < size) {
        return (1.0, 1.0);
    }
    // At the ends of the range the scaled size is a little off one. There both powers are still
    // normal numbers.
    let biased = ((size.to_bits() >> MANTISSA_BITS) & 0x7ff).clamp(1, TWICE_BIAS - 1);
    (f64::from_bits((TWICE_BIAS - biased) << MANTISSA_BITS), f64::from_bits(biased << MANTISSA_BITS))
}
