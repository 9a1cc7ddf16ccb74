//! Descriptions of colliders, for insertion.
//!
//! A collider is a shape at a pose in its body, with a material, a filter, and a sensor flag.
//!
//! Reference: rapier 0.36, `ColliderBuilder`; E. Catto, Box2D 3.1, `b2ShapeDef`, 2025.

use crate::WorldError;
use crate::bodies::active_hooks::ActiveHooks;
use crate::bodies::checks::check_not_negative;
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
    /// Its pose in the body's frame.
    pub pose: Pose,
    /// Mass per volume. Not negative. [`ColliderDesc::DEFAULT_DENSITY`] if none is given.
    pub density: f32,
    /// Its material: friction, restitution, and more.
    pub material: Material,
    /// The materials of its parts, which replace `material`: one for each triangle of a mesh or
    /// height field, for each part of a compound, and one for any other shape. A triangle of a mesh
    /// in a compound is a part. With `None` or an empty list, all parts have `material`.
    ///
    /// Parts are numbered as in [`BodyHit::hit`](crate::BodyHit::hit) and
    /// [`NearBody`](crate::NearBody); those of a height field as the triangles of its mesh. For a
    /// manifold with points on several parts, the mean of their frictions and restitutions is used.
    pub part_materials: Option<Arc<[PartMaterial]>>,
    /// Its filter: which other colliders it collides with.
    pub filter: Filter,
    /// Whether it is a sensor: it reports what it overlaps, and pushes nothing.
    pub is_sensor: bool,
    /// The hooks that are called for its pairs: [`Hooks`](crate::Hooks).
    pub hooks: ActiveHooks,
    /// Contacts whose normal impulses in a step sum up to more are reported:
    /// [`World::impulse_events`](crate::World::impulse_events). In mass times speed; not negative.
    /// The default is the largest number, which reports nothing.
    pub impulse_threshold: f32,
    /// User data; the world does not use it.
    pub user_data: u64,
}

impl ColliderDesc {
    /// The default density: that of water, 1000 kg/m3. A cube of 1 m then has a mass of 1000 kg.
    pub const DEFAULT_DENSITY: f32 = 1000.0;

    /// A solid collider at the body's frame, of the density of water, 1000 kg/m3, with the default
    /// material and filter.
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

    /// At this pose in the body's frame.
    pub fn with_pose(self, pose: Pose) -> ColliderDesc {
        ColliderDesc { pose, ..self }
    }

    /// At this position in the body's frame. Its rotation stays.
    pub fn with_position(self, position: Vec3) -> ColliderDesc {
        let rotation = self.pose.rotation;
        self.with_pose(Pose::new(rotation, position))
    }

    /// With this rotation in the body's frame, a unit quaternion. Its position stays.
    pub fn with_rotation(self, rotation: Quat) -> ColliderDesc {
        let position = self.pose.translation;
        self.with_pose(Pose::new(rotation, position))
    }

    /// With this density.
    pub fn with_density(self, density: f32) -> ColliderDesc {
        ColliderDesc { density, ..self }
    }

    /// With this material.
    pub fn with_material(self, material: Material) -> ColliderDesc {
        ColliderDesc { material, ..self }
    }

    /// With these materials, one for each part; an empty list is none.
    pub fn with_part_materials(self, part_materials: impl Into<Arc<[PartMaterial]>>) -> ColliderDesc {
        ColliderDesc { part_materials: Some(part_materials.into()), ..self }
    }

    /// With this filter.
    pub fn with_filter(self, filter: Filter) -> ColliderDesc {
        ColliderDesc { filter, ..self }
    }

    /// A sensor, or not.
    pub fn with_sensor(self, is_sensor: bool) -> ColliderDesc {
        ColliderDesc { is_sensor, ..self }
    }

    /// With these hooks.
    pub fn with_hooks(self, hooks: ActiveHooks) -> ColliderDesc {
        ColliderDesc { hooks, ..self }
    }

    /// With this threshold of impulse events.
    pub fn with_impulse_threshold(self, impulse_threshold: f32) -> ColliderDesc {
        ColliderDesc { impulse_threshold, ..self }
    }

    /// With this user data.
    pub fn with_user_data(self, user_data: u64) -> ColliderDesc {
        ColliderDesc { user_data, ..self }
    }

    /// Refuses numbers out of their range.
    pub(crate) fn check(&self) -> Result<(), WorldError> {
        Pose::try_new(self.pose.rotation, self.pose.translation)?;
        self.material.check()?;
        check_parts(&self.shape, self.part_materials.as_deref().unwrap_or_default())?;
        check_not_negative(self.impulse_threshold, "impulse threshold")?;
        check_not_negative(self.density, "density")
    }

    /// Returns its properties besides shape and pose, as of the only collider of a body.
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
