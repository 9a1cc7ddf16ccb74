//! The thickness of a body, which decides whether it could pass through something within a step.
//!
//! Reference: E. Catto, Continuous Collision, Game Developers Conference, 2013 (cores, and when
//! they are swept).

use crate::continuous::core_ball::{CORE_DEPTH_RATIO, Core};
use carom_math::{Pose, Vec3, ops};
use carom_query::{Shape, ShapeKind};
use carom_response::{Body, BodyKind};

/// The lengths that decide whether a body needs the guard. They are stored apart from the shape,
/// because the shape is large.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Girth {
    /// Twice the depth of the middle of the shape below its surface, or of the thinnest part of a
    /// compound.
    pub(crate) thickness: f32,
    /// The largest distance of such a middle from the centre of mass.
    pub(crate) lever: f32,
    /// The distance of the farthest corner of the shape's box from the origin of the body.
    pub(crate) radius: f32,
    /// The largest displacement of the surface along its normal per radian of a small rotation
    /// about the centre of mass: 0 for a ball.
    pub(crate) turn_lever: f32,
    /// Whether the shape, or a part of it, is a surface without an inside.
    pub(crate) is_surface: bool,
}

impl Girth {
    /// The girth of a number without a body.
    pub(crate) const NONE: Girth =
        Girth { thickness: f32::INFINITY, lever: 0.0, radius: 0.0, turn_lever: 0.0, is_surface: false };

    pub(crate) fn of(shape: &Shape, center_of_mass: Vec3) -> Girth {
        let local = shape.aabb(&Pose::IDENTITY);
        let mut girth = Girth { radius: local.min.abs().max(local.max.abs()).length(), ..Girth::NONE };
        girth.turn_lever = girth.radius + center_of_mass.length();
        match shape.kind() {
            ShapeKind::HalfSpace(_) => (girth.radius, girth.turn_lever) = (f32::INFINITY, f32::INFINITY),
            // Most surfaces do not move, and the middle of a large mesh is expensive to compute.
            ShapeKind::Mesh(_) | ShapeKind::Field(_) | ShapeKind::Cluster(_) => {
                girth.thickness = (local.max - local.min).min_element();
                girth.is_surface = true;
            }
            ShapeKind::Compound(compound) => {
                girth.turn_lever = 0.0;
                for part in compound.parts() {
                    let center = part.pose.inverse_transform_point(center_of_mass);
                    let own = Girth::of(&part.shape, center);
                    girth.thickness = girth.thickness.min(own.thickness);
                    girth.lever = girth.lever.max(own.lever);
                    girth.turn_lever = girth.turn_lever.max(own.turn_lever);
                    girth.is_surface |= own.is_surface;
                }
            }
            ShapeKind::Convex(map) => {
                let core = Core::of(shape, shape.mass_properties(1.0).center);
                girth.thickness = 2.0 / CORE_DEPTH_RATIO * core.map_or(0.0, |core| core.radius);
                girth.lever = core.map_or(0.0, |core| (core.point - center_of_mass).length());
                // A point of the surface lies between two balls around the centre of mass. It moves
                // perpendicular to its lever arm, which bounds the normal part of its motion.
                let outer = (map.center() - center_of_mass.as_dvec3()).length() + map.radius() + map.margin();
                let inner = f64::from((0.5 * girth.thickness - girth.lever).max(0.0));
                girth.turn_lever = ops::sqrt((outer * outer - inner * inner).max(0.0)) as f32;
            }
        }
        girth
    }

    /// Whether contacts are found ahead for the rotation of the body. A dynamic mesh near another
    /// mesh would have too many of them.
    pub(crate) fn looks_ahead(&self, body: &Body) -> bool {
        body.kind != BodyKind::Dynamic || !self.is_surface
    }

    /// Whether a body travels so far in a step of this length that ordinary contacts may be found
    /// too late.
    pub(crate) fn is_swift(&self, body: &Body, prediction: f32, dt: f32) -> bool {
        let angle = body.angular_velocity.length() * dt;
        // A half-space is infinite.
        let turned = if 0.0 < angle && self.looks_ahead(body) { angle * self.turn_lever } else { 0.0 };
        let travel = body.linear_velocity.length() * dt + turned;
        match body.kind {
            BodyKind::Fixed => false,
            BodyKind::Dynamic => {
                (SWIFT_THICKNESS_RATIO * self.thickness).max(SWIFT_PREDICTION_RATIO * prediction) < travel
            }
            BodyKind::Kinematic => prediction < travel,
        }
    }
}

/// A dynamic body is swift if its surface travels more than this fraction of its thickness in a
/// step. It also has to travel more than `SWIFT_PREDICTION_RATIO` of the prediction.
const SWIFT_THICKNESS_RATIO: f32 = 0.3;

/// Shorter travel, as a fraction of the prediction, is covered by ordinary contacts.
const SWIFT_PREDICTION_RATIO: f32 = 0.5;
