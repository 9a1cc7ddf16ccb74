//! The Python package `carom`: what its module `_carom` exports.
//!
//! A file has one class or one group of functions. Names, units and shapes of arrays are stated in
//! the docstrings here and in the stubs, `carom/__init__.pyi`.
#![forbid(unsafe_code)]

mod array;
mod assembly;
mod cast;
mod error;
mod files;
mod motor;
mod numbers;
mod points;
mod pose;
mod query;
mod rays;
mod recipe;
mod reduce;
mod robot;
mod sdf;
mod shape;
mod single;
mod solid;
mod stored_shape;
mod surface;
mod work;
mod world;
mod world_colliders;
mod world_events;
mod world_joints;
mod world_snapshot;
mod world_soft;

/// Collision detection; the package `carom` exports all of it.
#[pyo3::pymodule]
mod _carom {
    #[pymodule_export]
    use crate::assembly::{Assembly, PartDistance};
    #[pymodule_export]
    use crate::cast::{Cast, cast, cast_along};
    #[pymodule_export]
    use crate::error::{PoseError, ReadError, ShapeError, WorldError};
    #[pymodule_export]
    use crate::files::{MeshReport, Model, Part, mesh_report, read};
    #[pymodule_export]
    use crate::motor::PyMotor;
    #[pymodule_export]
    use crate::points::{NearestPoints, contains, nearest_points, winding_number};
    #[pymodule_export]
    use crate::query::{
        Contact, Distance, PairBatch, contact, contact_batch, contacts, distance, distance_batch, intersects,
        intersects_batch,
    };
    #[pymodule_export]
    use crate::rays::{AllRayHits, RayHits, cast_ray, cast_ray_all};
    #[pymodule_export]
    use crate::reduce::{Decomposition, Simplified, decompose, simplify};
    #[pymodule_export]
    use crate::robot::{JointContact, Robot, RobotDistances, RobotJoint, read_srdf};
    #[pymodule_export]
    use crate::sdf::Sdf;
    #[pymodule_export]
    use crate::shape::PyShape;
    #[pymodule_export]
    use crate::solid::{Overlap, overlap, relation, triangle_pairs};
    #[pymodule_export]
    use crate::surface::{PyFilter, PyMaterial};
    #[pymodule_export]
    use crate::world::{BodyHits, PyWorld};
    #[pymodule_export]
    use crate::world_events::{BodyContacts, ContactEvents, ImpulseEvents};
    #[pymodule_export]
    use crate::world_joints::{BrokenJoint, JointState};
    #[pymodule_export]
    use crate::world_soft::SoftEvents;
}
