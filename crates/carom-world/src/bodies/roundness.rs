//! Classifies shapes by how they are round, which determines how they roll.
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, 4.3.1
//! (convex shapes as cores with a rounding radius).

use carom_geom::Manifold;
use carom_math::{Pose, Vec3, rotation};
use carom_query::Shape;
use carom_response::RoundContact;

/// How a shape is round. It is read for each contact in each step. So it is stored apart from the
/// shape, which is large.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Roundness {
    /// Not round: it has corners, edges and faces, or is a surface.
    Sharp,
    /// A core with corners, edges and faces, and this rounding radius.
    Core(f32),
    /// A surface of revolution about its y axis.
    Revolved,
    /// Round in another way.
    Other,
    /// A compound with a part that is round.
    Parts,
}

impl Roundness {
    pub(crate) fn of(shape: &Shape) -> Roundness {
        match shape {
            Shape::Sphere(sphere) => Roundness::Core(sphere.radius()),
            Shape::Capsule(capsule) => Roundness::Core(capsule.radius()),
            Shape::Rounded(rounded) => Roundness::Core(rounded.radius()),
            Shape::PointCloud(cloud) => Roundness::Core(cloud.radius()),
            Shape::Cylinder(_) | Shape::Cone(_) | Shape::TaperedCapsule(_) | Shape::Torus(_) => {
                Roundness::Revolved
            }
            Shape::Ellipsoid(ellipsoid) if ellipsoid.radii().x == ellipsoid.radii().z => Roundness::Revolved,
            Shape::Ellipsoid(_) | Shape::User(_) => Roundness::Other,
            Shape::Compound(compound) => {
                let is_sharp = |shape: &Shape| Roundness::of(shape) == Roundness::Sharp;
                let are_sharp = compound.parts().iter().all(|part| is_sharp(&part.shape));
                if are_sharp { Roundness::Sharp } else { Roundness::Parts }
            }
            _ => Roundness::Sharp,
        }
    }

    /// Returns the rounding radius, if it is the same everywhere; 0 otherwise.
    pub(crate) fn of_core(self) -> f32 {
        if let Roundness::Core(radius) = self { radius } else { 0.0 }
    }

    /// Whether contact points move on the shape when it turns, so that old contact points are
    /// useless.
    pub(crate) fn is_uneven(self) -> bool {
        matches!(self, Roundness::Revolved | Roundness::Other)
    }

    /// Writes how the shape is round at the points of a manifold. `side` is 0 if it is A, and 1 if
    /// it is B.
    pub(crate) fn describe(
        self,
        (shape, pose): (Option<&Shape>, &Pose),
        manifold: &Manifold,
        side: usize,
        round: &mut RoundContact,
    ) {
        let contacts = manifold.contacts();
        match (self, shape) {
            (Roundness::Core(radius), _) => round.radius[side][..contacts.len()].fill(radius),
            (Roundness::Revolved, _) => {
                let outwards = [manifold.normal(), -manifold.normal()][side];
                let axis = rotation::rotate(pose.rotation, Vec3::Y);
                round.axis[side] = axis;
                for (radius, contact) in round.radius[side].iter_mut().zip(contacts) {
                    let point = [contact.point_a, contact.point_b][side] - pose.translation;
                    *radius = rolling_radius(point, axis, outwards);
                }
            }
            (Roundness::Parts, Some(Shape::Compound(compound))) => {
                let Some(first) = contacts.first() else { return };
                let (part, _) = compound.locate([first.part_a, first.part_b][side]);
                let Some(part) = compound.parts().get(part) else { return };
                let pose = *pose * part.pose;
                Roundness::of(&part.shape).describe((Some(&part.shape), &pose), manifold, side, round);
            }
            _ => {}
        }
    }
}

/// The least sine of the angle between the contact normal and the axis for which a shape rolls. A
/// shape with a smaller sine, such as a coin on its face, tips over its edge.
const MIN_SINE: f32 = 0.3;

/// The least cosine for which a shape rolls on a point. The angle is that between the normal and
/// the direction from the axis to the point, both across the axis. The next point on which a wheel
/// comes down is near its lowest point, but points of a flat end lie in all directions.
const MIN_ALIGNMENT: f32 = 0.7;

/// Returns the distance of a point from an axis through the origin if the surface rolls on this
/// point, else 0. `outwards` is the normal of the surface.
fn rolling_radius(point: Vec3, axis: Vec3, outwards: Vec3) -> f32 {
    let across = |v: Vec3| v - axis * v.dot(axis);
    let (from_axis, outwards) = (across(point), across(outwards));
    let (radius, sine) = (from_axis.length(), outwards.length());
    let rolls = MIN_SINE <= sine && MIN_ALIGNMENT * radius * sine <= from_axis.dot(outwards);
    if rolls { radius } else { 0.0 }
}
