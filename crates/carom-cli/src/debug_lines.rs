//! What a world draws of itself, as the player shows it: the lines of joints, and the normals of
//! contacts that touch.
//!
//! Reference: `carom_world::DebugDraw`.

use carom_math::Vec3;
use carom_world::{DebugDraw, DrawRole};

/// Lines that were drawn, by what they stand for.
#[derive(Debug, Default)]
pub(crate) struct DebugLines {
    /// From the bodies' centres to where the joint holds them.
    pub(crate) joints: Vec<[Vec3; 2]>,
    /// From where bodies touch, from the first body to the second.
    pub(crate) normals: Vec<[Vec3; 2]>,
    /// The last contact touches.
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
