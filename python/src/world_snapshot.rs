//! `carom.World`: its state as bytes, and back.
//!
//! The state is MessagePack with named fields. It has a snapshot of `carom-world`, and beside it
//! the shapes that this one lacks, as the numbers that they are made of. So a world of another
//! process goes on with the same bits.

use crate::error;
use crate::numbers::Numbers;
use crate::stored_shape::StoredShape;
use crate::world::PyWorld;
use carom_world::{BodyId, ColliderId, JointId, Snapshot, SoftThing, World};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::{Deserialize, Serialize};

/// The version of the format.
const VERSION: u32 = 3;

/// All that a world is.
#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    state: Snapshot,
    bodies: Numbers<BodyId>,
    joints: Numbers<JointId>,
    colliders: Numbers<ColliderId>,
    soft: Numbers<SoftThing>,
    /// The shapes that `state` lacks.
    assets: Vec<(ColliderId, StoredShape)>,
}

/// The part of [`Stored`] that all versions have.
#[derive(Deserialize)]
struct Head {
    version: u32,
}

impl Stored {
    fn read(bytes: &[u8]) -> Result<Stored, String> {
        let stored = rmp_serde::from_slice::<Stored>(bytes);
        match rmp_serde::from_slice(bytes) {
            Ok(Head { version }) if version != VERSION => {
                Err(format!("snapshot: version {version} is not {VERSION}"))
            }
            _ => stored.map_err(|e| format!("snapshot: {e}")),
        }
    }
}

#[pymethods]
impl PyWorld {
    /// The state of the world as bytes: bodies, shapes, joints, contacts, and all numbers. Steps
    /// after `restore` have the same bits. Raises WorldError for a body whose shape is a field.
    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        if let Some((collider, _)) = self.assets.iter().find(|(_, shape)| shape.is_opaque()) {
            let body = self.bodies.number(collider.body());
            return Err(error::world(format!("body {body}: a field cannot be stored")));
        }
        let stored = Stored {
            version: VERSION,
            state: self.world.snapshot(),
            bodies: self.bodies.clone(),
            joints: self.joints.clone(),
            colliders: self.colliders.clone(),
            soft: self.soft.clone(),
            assets: self.assets.iter().map(|(id, shape)| (*id, shape.clone())).collect(),
        };
        let bytes = py.detach(|| rmp_serde::to_vec_named(&stored));
        Ok(PyBytes::new(py, &bytes.map_err(|e| error::world(format!("snapshot: {e}")))?))
    }

    /// Puts the world into the state of a snapshot: same numbers, same bits from there on. Raises
    /// WorldError for bytes that are no state of a world, and then changes nothing.
    fn restore(&mut self, py: Python<'_>, snapshot: &[u8]) -> PyResult<()> {
        let Stored { state, bodies, joints, colliders, soft, assets, .. } =
            py.detach(|| Stored::read(snapshot)).map_err(error::world)?;
        let assets: std::collections::BTreeMap<ColliderId, StoredShape> = assets.into_iter().collect();
        let mut world = World::with_settings(*self.world.settings());
        let restored = world.restore_with(&state, |saved| assets.get(&saved.collider)?.build().ok());
        restored.map_err(|e| error::world(format!("snapshot: {e}")))?;
        *self = PyWorld { world, bodies, joints, colliders, soft, assets };
        Ok(())
    }

    /// A new world in the state of a snapshot.
    #[staticmethod]
    fn from_snapshot(py: Python<'_>, snapshot: &[u8]) -> PyResult<PyWorld> {
        let mut world = PyWorld::empty(World::new());
        world.restore(py, snapshot)?;
        Ok(world)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let make = slf.get_type().getattr("from_snapshot")?;
        Ok((make, (slf.borrow().snapshot(slf.py())?,)))
    }
}
