//! Large worlds: the origin of the world's frame, in `f64`.
//!
//! Poses, rays and hits are `f32` numbers in the frame of the world. At 100 km they are multiples
//! of 8 mm, which is too coarse for contacts. So the frame has an origin in `f64`. A game that is
//! played far away keeps the origin near: [`World::set_origin`] moves the frame, and all bodies
//! stay at the same positions in `f64`. Near the origin everything is as exact as in a small
//! world.
//!
//! A number `x` of `f32` is rounded by at most `x / 2^24`: by 0.06 mm at a distance of 1 km from
//! the origin. For bodies that do not move, the remainder of this rounding is stored. So they are
//! exactly in place when the origin comes near. For exact motion in two distant regions at once,
//! use two worlds.
//!
//! A step moves a body by a multiple of the last bit of its position. So slow motion is rounded
//! too. With 60 steps per second the multiples are about 2 mm/s at 300 m, and 4 mm/s at 1 km.
//!
//! Reference: P. Gunter, Origin Shifting, 2009 (also PhysX 5, `PxScene::shiftOrigin`).
//! Differs: the origin is a part of the world, so positions can be set and read as `f64`.

use crate::bodies::shift::Shift;
use crate::{World, WorldError};
use alloc::vec::Vec;
use carom_broad::BroadPhase;
use carom_math::Vec3;
use carom_math::glam::DVec3;
use carom_response::JointKind;

/// The largest shift of the origin by one call, so that no sum leaves the range of `f32`.
const MAX_SHIFT: f64 = 1e9;

impl<B: BroadPhase> World<B> {
    /// Returns the origin of the world's frame, as a position in `f64`. At first it is zero.
    pub fn origin(&self) -> DVec3 {
        self.bodies.exact_positions.origin
    }

    /// Returns the position in `f64` of a point of the world's frame.
    pub fn to_wide(&self, point: Vec3) -> DVec3 {
        self.origin() + point.as_dvec3()
    }

    /// Returns the point of the world's frame at a position in `f64`, rounded to `f32`.
    pub fn to_local(&self, position: DVec3) -> Vec3 {
        (position - self.origin()).as_vec3()
    }

    /// Moves the origin of the world's frame to a position in `f64`. All bodies, joints, fields
    /// and soft things keep their positions in `f64`, so their poses in the frame change.
    /// Velocities, contacts and sleep stay, and no event is reported (test:
    /// `origins::a_frame_that_moves_disturbs_nothing`).
    ///
    /// Move the origin when the player is some hundred metres away from it. It updates the boxes
    /// of all bodies.
    ///
    /// Errors: a number that is not finite, or that differs by more than 1e9 from that of the
    /// present origin. Nothing is changed then.
    pub fn set_origin(&mut self, origin: DVec3) -> Result<(), WorldError> {
        let shift = Shift(self.origin() - origin);
        let distances = shift.0.abs().to_array();
        let farthest = distances.into_iter().find(|distance| !(*distance <= MAX_SHIFT));
        if let Some(distance) = farthest {
            return Err(WorldError::BadValue { what: "distance to the new origin", value: distance as f32 });
        }
        #[cfg(feature = "soft")]
        let was_undisturbed = self.is_soft_undisturbed();
        self.bodies.exact_positions.origin = origin;
        self.bodies.shift(shift);
        for joint in self.joints.iter_mut() {
            if let JointKind::Pulley { supports, .. } = &mut joint.kind {
                supports.iter_mut().for_each(|point| shift.apply(point));
            }
        }
        self.contacts.shift(shift);
        self.refit_all();
        #[cfg(feature = "soft")]
        self.shift_soft(shift, was_undisturbed)?;
        Ok(())
    }

    /// Updates the boxes of all bodies. Nothing moved, so no pair is due.
    fn refit_all(&mut self) {
        let bounds = self.bodies.bounds(&self.settings, self.last.dt);
        let shapes = self.bodies.shapes.iter().zip(&self.bodies.proxies).enumerate();
        let boxes = shapes
            .filter_map(|(index, (shape, proxy))| Some(((*proxy)?, bounds.box_of(index, shape.as_ref()?))));
        let boxes: Vec<_> = boxes.collect();
        let updated = self.broad.update(&boxes);
        debug_assert!(updated.is_ok(), "the broad phase refused a box: {updated:?}");
        self.contacts.is_changed = true;
    }
}
