//! The shapes of a snapshot as serde stores them: [`SavedShape`].
//!
//! The constructors of the shapes check what is read. A shape that is stored and read again is the
//! same to the bit.
//!
//! Reference: the documentation of serde, container attributes `try_from` and `into`.

use crate::bodies::saved_shapes::SavedShape;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use carom_geom::{
    Capsule, Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, ShapeError, Sphere, TaperedCapsule, Torus,
};
use carom_math::Pose;
use carom_query::{ConvexShape, RoundedShape, Shape};
use serde::{Deserialize, Serialize};

/// The shape of a body.
#[derive(Serialize, Deserialize)]
pub(crate) enum StoredShape {
    Missing,
    Whole(Simple),
    /// The parts of a compound.
    Parts(Vec<(Pose, Option<Simple>)>),
}

/// A shape of a few numbers.
#[derive(Serialize, Deserialize)]
pub(crate) enum Simple {
    Sphere(Sphere),
    Capsule(Capsule),
    TaperedCapsule(TaperedCapsule),
    Cuboid(Cuboid),
    Cylinder(Cylinder),
    Cone(Cone),
    Ellipsoid(Ellipsoid),
    Torus(Torus),
    HalfSpace(HalfSpace),
    /// The core, and the radius around it.
    Rounded(Box<Simple>, f32),
}

impl Simple {
    /// Returns the shape for storing; `None` if it may have many numbers.
    fn of(shape: &Shape) -> Option<Simple> {
        Some(match shape {
            Shape::Sphere(shape) => Simple::Sphere(*shape),
            Shape::Capsule(shape) => Simple::Capsule(*shape),
            Shape::TaperedCapsule(shape) => Simple::TaperedCapsule(*shape),
            Shape::Cuboid(shape) => Simple::Cuboid(*shape),
            Shape::Cylinder(shape) => Simple::Cylinder(*shape),
            Shape::Cone(shape) => Simple::Cone(*shape),
            Shape::Ellipsoid(shape) => Simple::Ellipsoid(*shape),
            Shape::Torus(shape) => Simple::Torus(*shape),
            Shape::HalfSpace(shape) => Simple::HalfSpace(*shape),
            Shape::Rounded(shape) => {
                Simple::Rounded(Box::new(Simple::of(shape.core().shape())?), shape.radius())
            }
            Shape::Hull(_)
            | Shape::Mesh(_)
            | Shape::HeightField(_)
            | Shape::PointCloud(_)
            | Shape::Voxels(_)
            | Shape::Compound(_)
            | Shape::User(_)
            | Shape::Field(_) => return None,
        })
    }

    fn shape(self) -> Result<Shape, BadShape> {
        Ok(match self {
            Simple::Sphere(shape) => Shape::Sphere(shape),
            Simple::Capsule(shape) => Shape::Capsule(shape),
            Simple::TaperedCapsule(shape) => Shape::TaperedCapsule(shape),
            Simple::Cuboid(shape) => Shape::Cuboid(shape),
            Simple::Cylinder(shape) => Shape::Cylinder(shape),
            Simple::Cone(shape) => Shape::Cone(shape),
            Simple::Ellipsoid(shape) => Shape::Ellipsoid(shape),
            Simple::Torus(shape) => Shape::Torus(shape),
            Simple::HalfSpace(shape) => Shape::HalfSpace(shape),
            Simple::Rounded(core, radius) => {
                let core = ConvexShape::new(core.shape()?).map_err(|_| BadShape::NotConvex)?;
                Shape::Rounded(Arc::new(RoundedShape::new(core, radius).map_err(BadShape::Radius)?))
            }
        })
    }
}

/// The reason why a stored shape is refused.
pub(crate) enum BadShape {
    NotConvex,
    Radius(ShapeError),
}

impl core::fmt::Display for BadShape {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            BadShape::NotConvex => f.write_str("the core of a rounded shape is not convex and bounded"),
            BadShape::Radius(error) => error.fmt(f),
        }
    }
}

impl From<SavedShape> for StoredShape {
    fn from(saved: SavedShape) -> StoredShape {
        match saved {
            SavedShape::Missing => StoredShape::Missing,
            SavedShape::Whole(Shape::Compound(shape)) => {
                let parts = shape.parts().iter().map(|part| (part.pose, Simple::of(&part.shape)));
                StoredShape::Parts(parts.collect())
            }
            SavedShape::Whole(shape) => Simple::of(&shape).map_or(StoredShape::Missing, StoredShape::Whole),
            SavedShape::Parts(parts) => {
                let part = |(pose, shape): (Pose, Option<Shape>)| (pose, shape.and_then(|s| Simple::of(&s)));
                StoredShape::Parts(parts.into_iter().map(part).collect())
            }
        }
    }
}

impl TryFrom<StoredShape> for SavedShape {
    type Error = BadShape;

    fn try_from(stored: StoredShape) -> Result<SavedShape, BadShape> {
        Ok(match stored {
            StoredShape::Missing => SavedShape::Missing,
            StoredShape::Whole(shape) => SavedShape::Whole(shape.shape()?),
            StoredShape::Parts(parts) => {
                let part =
                    |(pose, shape): (Pose, Option<Simple>)| Ok((pose, shape.map(Simple::shape).transpose()?));
                SavedShape::Parts(parts.into_iter().map(part).collect::<Result<_, BadShape>>()?)
            }
        })
    }
}
