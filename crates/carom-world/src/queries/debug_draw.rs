//! Debug drawing: the state of the world as points and lines.

use crate::World;
use carom_bounds::Aabb;
use carom_broad::BroadPhase;
use carom_math::Vec3;

bitflags::bitflags! {
    /// The parts to draw.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct DrawFlags: u32 {
        /// The boxes of the broad phase.
        const BOXES = 1;
        /// Contact points and normals.
        const CONTACTS = 2;
        /// Joints, from body to body.
        const JOINTS = 4;
        /// The axes of the bodies, at their centres of mass.
        const AXES = 8;
    }
}

/// The role of a line or point, for the choice of a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DrawRole {
    /// The box of a fixed body.
    StaticBox,
    /// The box of a body that is awake.
    AwakeBox,
    /// The box of a body that sleeps.
    SleepingBox,
    /// The box of a disabled body.
    DisabledBox,
    /// A contact whose bodies touch.
    Contact,
    /// A contact whose bodies are near each other and do not touch.
    NearContact,
    /// A contact normal, from A to B.
    Normal,
    /// A joint.
    Joint,
    /// A joint that is disabled, or does not act because of something else that is disabled.
    IdleJoint,
    /// The x axis of a body.
    AxisX,
    /// The y axis of a body.
    AxisY,
    /// The z axis of a body.
    AxisZ,
}

/// Draws lines and points, in the world frame.
pub trait DebugDraw {
    /// Draws a line.
    fn line(&mut self, from: Vec3, to: Vec3, role: DrawRole);

    /// Draws a point.
    fn point(&mut self, at: Vec3, role: DrawRole);

    /// Draws a triangle: three lines, unless the implementation can do better.
    fn triangle(&mut self, corners: [Vec3; 3], role: DrawRole) {
        let [a, b, c] = corners;
        self.line(a, b, role);
        self.line(b, c, role);
        self.line(c, a, role);
    }

    /// Draws a box: twelve lines, unless the implementation can do better.
    fn aabb(&mut self, aabb: &Aabb, role: DrawRole) {
        let corner = |bits: usize| {
            let at = |axis: usize| if bits >> axis & 1 == 0 { aabb.min[axis] } else { aabb.max[axis] };
            Vec3::new(at(0), at(1), at(2))
        };
        for bits in 0..8 {
            for axis in 0..3 {
                if bits >> axis & 1 == 0 {
                    self.line(corner(bits), corner(bits | 1 << axis), role);
                }
            }
        }
    }
}

impl<B: BroadPhase> World<B> {
    /// Draws the boxes, bodies and joints at their present poses, and the contacts of the last
    /// detection. Normals are drawn with a length of 1/4, and axes with a length of 1/2, in the
    /// unit of length of the settings.
    pub fn debug_draw(&self, draw: &mut dyn DebugDraw, flags: DrawFlags) {
        let unit = self.settings().solver.length_unit;
        for view in self.bodies() {
            let body = view.motion();
            if flags.contains(DrawFlags::BOXES) {
                let role = match body.kind {
                    _ if !view.is_enabled() => DrawRole::DisabledBox,
                    carom_response::BodyKind::Fixed => DrawRole::StaticBox,
                    _ if body.is_sleeping => DrawRole::SleepingBox,
                    _ => DrawRole::AwakeBox,
                };
                draw.aabb(&view.aabb(), role);
            }
            if flags.contains(DrawFlags::AXES) {
                let center = body.world_center();
                let axes =
                    [(Vec3::X, DrawRole::AxisX), (Vec3::Y, DrawRole::AxisY), (Vec3::Z, DrawRole::AxisZ)];
                for (axis, role) in axes {
                    draw.line(center, center + body.pose.transform_vector(axis) * (0.5 * unit), role);
                }
            }
        }
        if flags.contains(DrawFlags::CONTACTS) {
            for view in self.contacts() {
                for contact in view.manifolds.iter().flat_map(|manifold| manifold.contacts()) {
                    let touches = contact.distance <= 0.0;
                    let role = if touches { DrawRole::Contact } else { DrawRole::NearContact };
                    draw.point(contact.point_b, role);
                    draw.line(
                        contact.point_b,
                        contact.point_b + contact.normal * (0.25 * unit),
                        DrawRole::Normal,
                    );
                }
            }
        }
        if flags.contains(DrawFlags::JOINTS) {
            for (id, joint) in self.joints.iter() {
                let role = if self.joints.acts(id) { DrawRole::Joint } else { DrawRole::IdleJoint };
                let ends = [(joint.body_a, &joint.frame_a), (joint.body_b, &joint.frame_b)];
                for (body, frame) in ends {
                    if let Some(body) = self.bodies.motion_at(body) {
                        let anchor = body.pose.transform_point(frame.translation);
                        draw.line(body.world_center(), anchor, role);
                    }
                }
            }
        }
    }
}
