//! The state of the world as lines and points, for a drawer of any kind.

use crate::convert::to_bevy;
use crate::physics_world::PhysicsWorld;
use bevy_math::Vec3;
use carom_world::{DebugDraw, DrawFlags, DrawRole};

/// A line, in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DebugLine {
    /// One end.
    pub from: Vec3,
    /// The other end.
    pub to: Vec3,
    /// The kind of thing that it shows, for the choice of a colour.
    pub role: DrawRole,
}

/// A point, in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DebugPoint {
    /// Its place.
    pub at: Vec3,
    /// The kind of thing that it shows, for the choice of a colour.
    pub role: DrawRole,
}

/// Lines and points of the last detection.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DebugLines {
    /// Boxes, normals, axes and joints.
    pub lines: Vec<DebugLine>,
    /// Points of contact.
    pub points: Vec<DebugPoint>,
}

impl PhysicsWorld {
    /// Returns the chosen parts of the world as lines and points.
    pub fn debug_lines(&self, flags: DrawFlags) -> DebugLines {
        let mut lines = DebugLines::default();
        self.world.debug_draw(&mut lines, flags);
        lines
    }
}

impl DebugDraw for DebugLines {
    fn line(&mut self, from: carom_math::Vec3, to: carom_math::Vec3, role: DrawRole) {
        self.lines.push(DebugLine { from: to_bevy(from), to: to_bevy(to), role });
    }

    fn point(&mut self, at: carom_math::Vec3, role: DrawRole) {
        self.points.push(DebugPoint { at: to_bevy(at), role });
    }
}
