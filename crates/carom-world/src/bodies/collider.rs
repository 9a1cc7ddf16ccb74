//! Descriptions of colliders, for insertion.
//!
//! A collider is a shape at a pose in its body, with a material, a filter, and a sensor flag.
//!
//! Reference: rapier 0.36, `ColliderBuilder`; E. Catto, Box2D 3.1, `b2ShapeDef`, 2025.

use crate::WorldError;
use crate::bodies::active_hooks::ActiveHooks;
use crate::bodies::checks::{check_not_negative, unit_pose};
use crate::bodies::material::{Filter, Material};
use crate::bodies::part_materials::{PartMaterial, check_parts};
use crate::bodies::traits::Traits;
use alloc::sync::Arc;
use carom_broad::Mobility;
use carom_math::{Pose, Quat, Vec3};
use carom_query::Shape;

/// A description of a collider, for [`BodyDesc::with_collider`](crate::BodyDesc::with_collider) and
/// [`World::insert_collider`](crate::World::insert_collider). A shape converts to a collider with
/// the defaults.
///
/// ```
/// use carom_math::{Pose, Vec3};
/// use carom_query::Shape;
/// use carom_world::{BodyDesc, ColliderDesc};
///
/// let head = ColliderDesc::new(Shape::cuboid(Vec3::new(0.05, 0.03, 0.03))?)
///     .with_pose(Pose::from_translation(Vec3::Y * 0.2))
///     .with_density(7800.0);
/// let hammer = BodyDesc::dynamic(Shape::capsule(0.2, 0.015)?).with_density(700.0).with_collider(head);
/// # let _ = hammer;
/// # Ok::<(), carom_geom::ShapeError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ColliderDesc {
    /// Its shape.
    pub shape: Shape,
    /// Its pose in the body's frame. Default: the identity.
    pub pose: Pose,
    /// Mass per volume. Not negative. Default: [`ColliderDesc::DEFAULT_DENSITY`].
    pub density: f32,
    /// Its material: friction, restitution, and more. Default: [`Material::default`].
    pub material: Material,
    /// The materials of its parts, which replace `material`. Parts are the triangles of a mesh or
    /// height field, and the parts of a compound. A triangle of a mesh in a compound is a part.
    /// Any other shape has one part. With `None` or an empty list, all parts have `material`.
    /// Default: `None`.
    ///
    /// Parts are numbered as in [`BodyHit::hit`](crate::BodyHit::hit) and
    /// [`NearBody`](crate::NearBody). Those of a height field are numbered as the triangles of its
    /// mesh. A manifold with points on several parts has the mean of their frictions and
    /// restitutions.
    pub part_materials: Option<Arc<[PartMaterial]>>,
    /// Its filter, which selects the other colliders with which it collides. Default:
    /// [`Filter::default`].
    pub filter: Filter,
    /// Whether it is a sensor: it reports what it overlaps, and pushes nothing. Default: false.
    pub is_sensor: bool,
    /// The hooks that are called for its pairs: [`Hooks`](crate::Hooks). Default: none.
    pub hooks: ActiveHooks,
    /// The threshold of impulse events, mass times speed. If the normal impulses of a contact sum
    /// up to more in a step, it is reported:
    /// [`World::impulse_events`](crate::World::impulse_events). Not negative; `f32::MAX` reports
    /// nothing. Default: `f32::MAX`.
    pub impulse_threshold: f32,
    /// User data; the world does not use it. Default: 0.
    pub user_data: u64,
}

impl ColliderDesc {
    /// The default density: that of water, 1000 kg/m3. A cube of 1 m then has a mass of 1000 kg.
    pub const DEFAULT_DENSITY: f32 = 1000.0;

    /// Describes a solid collider at the body's frame, with the density of water, 1000 kg/m3, and
    /// the default material and filter.
    pub const fn new(shape: Shape) -> ColliderDesc {
        ColliderDesc {
            shape,
            pose: Pose::IDENTITY,
            density: ColliderDesc::DEFAULT_DENSITY,
            material: Material::new(0.5, 0.0),
            part_materials: None,
            filter: Filter::new(carom_broad::Groups::DEFAULT, carom_broad::Groups::all()),
            is_sensor: false,
            hooks: ActiveHooks::empty(),
            impulse_threshold: f32::MAX,
            user_data: 0,
        }
    }

    /// Sets the pose in the body's frame.
    pub fn with_pose(self, pose: Pose) -> ColliderDesc {
        ColliderDesc { pose, ..self }
    }

    /// Sets the position in the body's frame. The rotation stays.
    pub fn with_position(self, position: Vec3) -> ColliderDesc {
        let rotation = self.pose.rotation;
        self.with_pose(Pose::new(rotation, position))
    }

    /// Sets the rotation in the body's frame, a unit quaternion. The position stays.
    pub fn with_rotation(self, rotation: Quat) -> ColliderDesc {
        let position = self.pose.translation;
        self.with_pose(Pose::new(rotation, position))
    }

    /// Sets the density, mass per volume.
    pub fn with_density(self, density: f32) -> ColliderDesc {
        ColliderDesc { density, ..self }
    }

    /// Sets the material.
    pub fn with_material(self, material: Material) -> ColliderDesc {
        ColliderDesc { material, ..self }
    }

    /// Sets the materials of the parts, one for each. An empty list removes them.
    pub fn with_part_materials(self, part_materials: impl Into<Arc<[PartMaterial]>>) -> ColliderDesc {
        ColliderDesc { part_materials: Some(part_materials.into()), ..self }
    }

    /// Sets the filter.
    pub fn with_filter(self, filter: Filter) -> ColliderDesc {
        ColliderDesc { filter, ..self }
    }

    /// Sets whether it is a sensor.
    pub fn with_sensor(self, is_sensor: bool) -> ColliderDesc {
        ColliderDesc { is_sensor, ..self }
    }

    /// Sets the hooks that are called for its pairs.
    pub fn with_hooks(self, hooks: ActiveHooks) -> ColliderDesc {
        ColliderDesc { hooks, ..self }
    }

    /// Sets the threshold of impulse events, mass times speed.
    pub fn with_impulse_threshold(self, impulse_threshold: f32) -> ColliderDesc {
        ColliderDesc { impulse_threshold, ..self }
    }

    /// Sets the user data of the collider. Hooks see it as
    /// [`Side::collider_data`](crate::Side::collider_data).
    pub fn with_user_data(self, user_data: u64) -> ColliderDesc {
        ColliderDesc { user_data, ..self }
    }

    /// Makes the rotation of its pose a unit quaternion.
    ///
    /// Errors: the pose is not finite or not a rotation.
    pub(crate) fn normalize_pose(&mut self) -> Result<(), WorldError> {
        self.pose = unit_pose(&self.pose)?;
        Ok(())
    }

    /// Refuses numbers out of their range, besides those of the pose.
    pub(crate) fn check(&self) -> Result<(), WorldError> {
        self.material.check()?;
        check_parts(&self.shape, self.part_materials.as_deref().unwrap_or_default())?;
        check_not_negative(self.impulse_threshold, "impulse threshold")?;
        check_not_negative(self.density, "density")
    }

    /// Returns its properties besides shape and pose, as those of the only collider of a body.
    pub(crate) fn traits(&self, mobility: Mobility) -> Traits {
        let traits = Traits {
            filter: carom_broad::Filter::new(mobility).with_groups(self.filter.groups, self.filter.mask),
            impulse_threshold: self.impulse_threshold,
            family: self.filter.family,
            is_sensor: self.is_sensor,
            has_sensor: self.is_sensor,
            hooks: self.hooks,
            user_data: self.user_data,
            ..Traits::NONE
        };
        traits.with_material(&self.material)
    }
}

impl From<Shape> for ColliderDesc {
    fn from(shape: Shape) -> ColliderDesc {
        ColliderDesc::new(shape)
    }
}
