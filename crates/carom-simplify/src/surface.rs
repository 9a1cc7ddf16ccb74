//! Triangles at unit size with a tree over them: finds the triangle nearest to a point, and
//! whether the point lies inside.
//!
//! Unit size: coordinates are those of the mesh times a power of two, such that the largest is
//! between 1 and 2. This loses no bits, so all results scale with the mesh, bit for bit (test:
//! `simplify::scale_and_repetition_change_nothing`).
//!
//! A point is inside if the winding number of the surface around it is not 0. The number is the
//! sum of signed crossings along the x axis, by exact predicates.
//!
//! Reference: A. Jacobson, L. Kavan, O. Sorkine-Hornung, Robust Inside-Outside Segmentation using
//! Generalized Winding Numbers, ACM TOG 32(4), 2013, section 3 (winding numbers of closed surfaces
//! by signed crossings).

use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_bvh::{BuildSettings, Bvh};
use carom_geom::TriMesh;
use carom_geom::ray_mesh::{HalfLine, half_line, half_line_beside};
use carom_math::ops::sqrt;
use carom_math::scaling::scale_of;
use core::ops::ControlFlow;
use glam::{DVec3, Vec3};

/// The power of two between a mesh's coordinates and those at unit size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unit {
    /// The factor from the mesh to unit size.
    scale: f64,
    /// The factor from unit size to the mesh.
    inverse: f64,
}

impl Unit {
    pub(crate) fn of(mesh: &TriMesh) -> Unit {
        let (min, max) = mesh.wide_bounds();
        let scale = scale_of(min.abs().max(max.abs()).max_element());
        Unit { scale, inverse: scale.recip() }
    }

    pub(crate) fn enter(self, p: Vec3) -> DVec3 {
        self.enter_wide(p.as_dvec3())
    }

    pub(crate) fn enter_wide(self, p: DVec3) -> DVec3 {
        // Adding zero makes -0 and 0 one.
        p * self.scale + DVec3::ZERO
    }

    /// A point at unit size as the nearest `f32` point of the mesh; `None` if it is beyond the
    /// range of `f32`.
    pub(crate) fn leave(self, p: DVec3) -> Option<Vec3> {
        let p = (p * self.inverse).as_vec3();
        p.is_finite().then_some(p)
    }

    /// A length of the mesh at unit size.
    pub(crate) fn enter_length(self, length: f64) -> f64 {
        length * self.scale
    }

    /// A length at unit size as one of the mesh.
    pub(crate) fn leave_length(self, length: f64) -> f64 {
        length * self.inverse
    }
}

/// The triangle of a surface that is nearest to a point, and its distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Nearest {
    pub(crate) triangle: u32,
    pub(crate) distance: f64,
}

/// Triangles at unit size and a tree over them.
#[derive(Clone, Debug)]
pub(crate) struct Surface {
    triangles: Vec<[DVec3; 3]>,
    tree: Bvh,
    min: DVec3,
    max: DVec3,
}

impl Surface {
    /// Builds the tree over triangles: at least one, with coordinates of at most 2 in absolute
    /// value. Other triangles might give a tree without triangles.
    pub(crate) fn new(triangles: Vec<[DVec3; 3]>) -> Surface {
        let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let boxes: Vec<Aabb> = triangles
            .iter()
            .map(|[a, b, c]| {
                let (low, high) = (a.min(*b).min(*c), a.max(*b).max(*c));
                (min, max) = (min.min(low), max.max(high));
                Aabb::around(low, high)
            })
            .collect();
        let settings = BuildSettings::default().with_max_leaf(2);
        Surface { triangles, tree: Bvh::build(&boxes, &settings).unwrap_or_default(), min, max }
    }

    pub(crate) fn triangle(&self, number: u32) -> &[DVec3; 3] {
        &self.triangles[number as usize]
    }

    pub(crate) fn triangles(&self) -> &[[DVec3; 3]] {
        &self.triangles
    }

    /// The tree over the triangles.
    pub(crate) fn tree(&self) -> &Bvh {
        &self.tree
    }

    /// Least and greatest coordinates.
    pub(crate) fn bounds(&self) -> (DVec3, DVec3) {
        (self.min, self.max)
    }

    /// The diagonal of the box around the surface.
    pub(crate) fn diagonal(&self) -> f64 {
        (self.max - self.min).length()
    }

    /// The nearest triangle and its distance, see [`distance`].
    pub(crate) fn nearest(&self, p: DVec3) -> Nearest {
        let (best, _) = self.tree.nearest(p, f64::INFINITY, |triangle, bound| {
            let d = distance(p, self.triangle(triangle));
            (d < bound).then_some(d)
        });
        let (triangle, distance) = best.unwrap_or((0, f64::INFINITY));
        Nearest { triangle, distance }
    }

    /// Returns the distance from a point to one triangle, see [`distance`].
    pub(crate) fn distance_to(&self, p: DVec3, triangle: u32) -> f64 {
        distance(p, self.triangle(triangle))
    }

    /// Whether the point is inside the closed surface, or on it.
    pub(crate) fn contains(&self, p: DVec3) -> bool {
        self.winding(p).is_none_or(|winding| winding != 0)
    }

    /// Whether the point is inside the closed surface, and not on it.
    pub(crate) fn contains_strictly(&self, p: DVec3) -> bool {
        self.winding(p).is_some_and(|winding| winding != 0)
    }

    /// Whether the points beside this one in an octant are inside the closed surface: see
    /// [`half_line_beside`].
    pub(crate) fn contains_beside(&self, p: DVec3, octant: [bool; 3]) -> bool {
        self.count(p, |t| half_line_beside(p, octant, t)).is_some_and(|winding| winding != 0)
    }

    /// Returns how often the closed surface winds around the point; `None` on the surface.
    fn winding(&self, p: DVec3) -> Option<i64> {
        self.count(p, |t| half_line(p, t))
    }

    /// Returns the number of triangles through which the half-line along x from a point leaves the
    /// solid, minus those through which it enters. `None` if the half-line starts in a triangle.
    fn count(&self, p: DVec3, meets: impl Fn(&[DVec3; 3]) -> HalfLine) -> Option<i64> {
        let mut winding = 0_i64;
        let mut is_on = false;
        let ahead = Aabb::around(p, DVec3::new(self.max.x.max(p.x), p.y, p.z));
        self.tree.visit_box(&ahead, |leaf| {
            for &number in leaf.primitives {
                match meets(self.triangle(number)) {
                    HalfLine::Misses => {}
                    HalfLine::StartsIn => {
                        is_on = true;
                        return ControlFlow::Break(());
                    }
                    // The half-line leaves the solid through a back face, and enters otherwise.
                    HalfLine::Crosses { is_back_face: true, .. } => winding += 1,
                    HalfLine::Crosses { .. } => winding -= 1,
                }
            }
            ControlFlow::Continue(())
        });
        (!is_on).then_some(winding)
    }
}

/// Returns the distance from a point to a nearest or nearly nearest point of a triangle. The
/// result is not below the true distance, except for rounding of about 1e-15 at unit size. Unless
/// the triangle is a sliver, it is not above the true distance by more than that.
///
/// Each candidate is a point of the triangle. So rounding in the choice of the candidate makes a
/// bound less tight, but not wrong.
///
/// Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.1.5.
pub(crate) fn distance(p: DVec3, &[a, b, c]: &[DVec3; 3]) -> f64 {
    let on_edge = |a: DVec3, b: DVec3| {
        let (edge, offset) = (b - a, p - a);
        let square = edge.length_squared();
        let share = if 0.0 < square { (edge.dot(offset) / square).clamp(0.0, 1.0) } else { 0.0 };
        (offset - edge * share).length_squared()
    };
    let mut least = on_edge(a, b).min(on_edge(b, c)).min(on_edge(c, a));
    let (u, v, offset) = (b - a, c - a, p - a);
    let (uu, uv, vv) = (u.length_squared(), u.dot(v), v.length_squared());
    let (up, vp) = (u.dot(offset), v.dot(offset));
    let determinant = uu * vv - uv * uv;
    let (s, t) = (vv * up - uv * vp, uu * vp - uv * up);
    if 0.0 < s && 0.0 < t && s + t < determinant {
        let on = u * (s / determinant) + v * (t / determinant);
        least = least.min((offset - on).length_squared());
    }
    sqrt(least)
}
