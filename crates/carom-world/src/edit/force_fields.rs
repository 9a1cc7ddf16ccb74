//! Insertion, change and removal of force fields. A change wakes the bodies on which the field
//! acts, and all soft things.
//!
//! Reference: Godot 4, `Area3D` (gravity by region, priorities).

use crate::bodies::checks::unit_pose;
use crate::bodies::force_fields::{ForceFieldDesc, ForceFieldId, ForceRegion};
use crate::{World, WorldError};
use carom_broad::BroadPhase;
use carom_response::BodyKind;

impl<B: BroadPhase> World<B> {
    /// Inserts a force field, and wakes the dynamic bodies in its region and all soft things.
    ///
    /// It acts on bodies whose centre of mass is in the region at the start of a step. It acts on
    /// vertices and particles that are in the region at the start of a substep. The potential
    /// energy of [`World::energy`] does not include it.
    ///
    /// Errors: a number out of its range, or a pose that is not finite or not a rotation.
    pub fn insert_force_field(&mut self, desc: ForceFieldDesc) -> Result<ForceFieldId, WorldError> {
        let desc = checked(desc)?;
        self.wake_in(&desc);
        Ok(self.bodies.force_fields.insert(desc))
    }

    /// Returns a force field.
    ///
    /// Errors: the field was removed.
    pub fn force_field(&self, id: ForceFieldId) -> Result<&ForceFieldDesc, WorldError> {
        self.bodies.force_fields.get(id).ok_or(WorldError::StaleForceField(id))
    }

    /// Returns all force fields, in the order of insertion.
    pub fn force_fields(&self) -> impl Iterator<Item = (ForceFieldId, &ForceFieldDesc)> + '_ {
        self.bodies.force_fields.iter()
    }

    /// Replaces a force field, and wakes the dynamic bodies in the old region and in the new one,
    /// and all soft things.
    ///
    /// Errors: the field was removed, or one of those of [`World::insert_force_field`]. Nothing is
    /// changed then.
    pub fn set_force_field(&mut self, id: ForceFieldId, desc: ForceFieldDesc) -> Result<(), WorldError> {
        let desc = checked(desc)?;
        let old = self.bodies.force_fields.change(id, Some(desc)).ok_or(WorldError::StaleForceField(id))?;
        if old != desc {
            self.wake_in(&old);
            self.wake_in(&desc);
        }
        Ok(())
    }

    /// Removes a force field, and wakes the dynamic bodies in its region and all soft things.
    ///
    /// Errors: the field was removed before.
    pub fn remove_force_field(&mut self, id: ForceFieldId) -> Result<(), WorldError> {
        let old = self.bodies.force_fields.change(id, None).ok_or(WorldError::StaleForceField(id))?;
        self.wake_in(&old);
        Ok(())
    }

    fn wake_in(&mut self, field: &ForceFieldDesc) {
        #[cfg(feature = "soft")]
        if let Some(soft) = &mut self.soft.set {
            soft.wake();
        }
        for index in 0..self.bodies.motions.len() {
            let body = &self.bodies.motions[index];
            let groups = self.bodies.traits[index].filter.membership;
            if body.kind == BodyKind::Dynamic && field.acts_on(body, groups) {
                self.bodies.wake(index);
            }
        }
    }
}

/// Returns a description whose region has a pose with a unit quaternion.
///
/// Errors: the pose is not finite or not a rotation, or a number is out of its range.
fn checked(mut desc: ForceFieldDesc) -> Result<ForceFieldDesc, WorldError> {
    if let ForceRegion::Cuboid { pose, .. } = &mut desc.region {
        *pose = unit_pose(pose)?;
    }
    desc.fault().map_or(Ok(desc), |(what, value)| Err(WorldError::BadValue { what, value }))
}
