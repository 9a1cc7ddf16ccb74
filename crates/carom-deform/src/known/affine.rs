//! An affine map in `f64`, and the box of the image of a box.
//!
//! The image of a point is a sum of four terms in one order. Rounded products and sums are
//! monotone: a larger operand never gives a smaller result. So the least and greatest terms over a
//! box, added in the same order, are bounds of each computed image, with no slack.
//!
//! Reference: J. Arvo, Transforming Axis-Aligned Bounding Boxes, Graphics Gems, 1990; IEEE
//! 754-2019, 4.3 (rounding is monotone).

use carom_bounds::Aabb;
use glam::{DMat3, DVec3, Vec3};

/// The map from `x` to `linear * x + translation`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Affine {
    pub(super) linear: DMat3,
    pub(super) translation: DVec3,
}

impl Affine {
    pub(super) const IDENTITY: Affine = Affine { linear: DMat3::IDENTITY, translation: DVec3::ZERO };

    /// The image of a point.
    #[inline]
    pub(super) fn point(&self, p: DVec3) -> DVec3 {
        let m = &self.linear;
        m.x_axis * p.x + m.y_axis * p.y + m.z_axis * p.z + self.translation
    }

    /// The least and the greatest coordinates that [`Affine::point`] gives for points of a box.
    #[inline]
    pub(super) fn range(&self, aabb: &Aabb) -> (DVec3, DVec3) {
        let (min, max) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
        let m = &self.linear;
        let (x0, x1) = (m.x_axis * min.x, m.x_axis * max.x);
        let (y0, y1) = (m.y_axis * min.y, m.y_axis * max.y);
        let (z0, z1) = (m.z_axis * min.z, m.z_axis * max.z);
        (
            x0.min(x1) + y0.min(y1) + z0.min(z1) + self.translation,
            x0.max(x1) + y0.max(y1) + z0.max(z1) + self.translation,
        )
    }

    /// A number that is not below any coordinate of the image of a box about the origin, to within
    /// rounding.
    pub(super) fn reach(&self, half: Vec3) -> f64 {
        let half = half.as_dvec3();
        let m = &self.linear;
        let most = m.x_axis.abs() * half.x + m.y_axis.abs() * half.y + m.z_axis.abs() * half.z;
        (most + self.translation.abs()).max_element()
    }
}
