//! The debug drawing of a world for the player: lines of joints, and normals of contacts that
//! touch.
//!
//! Reference: `carom_world::DebugDraw`.

use carom_math::Vec3;
use carom_world::{DebugDraw, DrawRole};

/// The lines that a world drew, by their role.
#[derive(Debug, Default)]
pub(crate) struct DebugLines {
    /// From the centres of the bodies to the points at which the joint holds them.
    pub(crate) joints: Vec<[Vec3; 2]>,
    /// From contact points along the normal, from the first body to the second.
    pub(crate) normals: Vec<[Vec3; 2]>,
    /// Whether the last contact touches.
    is_touching: bool,
}

impl DebugDraw for DebugLines {
    fn line(&mut self, from: Vec3, to: Vec3, role: DrawRole) {
        match role {
            DrawRole::Joint => self.joints.push([from, to]),
            DrawRole::Normal if self.is_touching => self.normals.push([from, to]),
            _ => {}
        }
    }

    fn point(&mut self, _: Vec3, role: DrawRole) {
        self.is_touching = role == DrawRole::Contact;
    }
}
