//! `carom.World`: its state as bytes, and back.
//!
//! The state is MessagePack with named fields. Shapes are stored as the numbers that they are made
//! of, so that a world of another process goes on with the same bits.

use crate::error;
use crate::stored_shape::StoredShape;
use crate::world::{PyWorld, StoredCollider};
use carom_world::{BodyId, ColliderId, JointId, Snapshot, SoftThing, World};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the format.
const VERSION: u32 = 2;

/// All that a world is.
#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    state: Snapshot,
    /// By number; `None` for those that were removed.
    bodies: Vec<Option<BodyId>>,
    joints: Vec<Option<JointId>>,
    colliders: Vec<Option<(ColliderId, StoredShape)>>,
    #[serde(default)]
    soft: Vec<Option<SoftThing>>,
}

#[pymethods]
impl PyWorld {
    /// The state of the world as bytes: bodies, shapes, joints, contacts, and all numbers. Steps
    /// after `restore` have the same bits. Raises WorldError for a body whose shape is a field.
    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let opaque = |collider: &&StoredCollider| collider.shape.is_opaque();
        if let Some(collider) = self.colliders.iter().flatten().find(opaque) {
            let body = self.number(collider.id.body());
            return Err(error::world(format!("body {body}: a field cannot be stored")));
        }
        let stored = Stored {
            version: VERSION,
            state: self.world.snapshot(),
            bodies: self.bodies.clone(),
            joints: self.joints.clone(),
            colliders: {
                let colliders = self.colliders.iter();
                colliders.map(|one| one.as_ref().map(|one| (one.id, one.shape.clone()))).collect()
            },
            soft: self.soft.clone(),
        };
        let bytes = py.detach(|| rmp_serde::to_vec_named(&stored));
        Ok(PyBytes::new(py, &bytes.map_err(|e| error::world(format!("snapshot: {e}")))?))
    }

    /// Puts the world into the state of a snapshot: same numbers, same bits from there on. Raises
    /// WorldError for bytes that are no state of a world, and then changes nothing.
    fn restore(&mut self, py: Python<'_>, snapshot: &[u8]) -> PyResult<()> {
        let stored: Result<Stored, _> = py.detach(|| rmp_serde::from_slice(snapshot));
        let stored = stored.map_err(|e| error::world(format!("snapshot: {e}")))?;
        if stored.version != VERSION {
            return Err(error::world(format!("snapshot: version {} is not {VERSION}", stored.version)));
        }
        let shapes: BTreeMap<ColliderId, &StoredShape> =
            stored.colliders.iter().flatten().map(|(id, shape)| (*id, shape)).collect();
        let mut world = World::with_settings(*self.world.settings());
        let restored = world.restore_with(&stored.state, |saved| shapes.get(&saved.collider)?.build().ok());
        restored.map_err(|e| error::world(format!("snapshot: {e}")))?;
        let mut new = PyWorld::empty(world);
        let numbered = (0..).zip(&stored.bodies).filter_map(|(number, id)| Some(((*id)?, number)));
        new.body_numbers = numbered.collect();
        let numbered = (0..).zip(&stored.soft).filter_map(|(number, thing)| Some(((*thing)?, number)));
        new.soft_numbers = numbered.collect();
        (new.bodies, new.joints, new.soft) = (stored.bodies, stored.joints, stored.soft);
        for (number, collider) in (0..).zip(stored.colliders) {
            if let Some((id, _)) = &collider {
                new.collider_numbers.insert(*id, number);
            }
            new.colliders.push(collider.map(|(id, shape)| StoredCollider { id, shape }));
        }
        // Events of the step before the snapshot name bodies that are gone.
        let old = std::mem::replace(self, new);
        for (id, number) in old.body_numbers {
            self.body_numbers.entry(id).or_insert(number);
        }
        for (id, number) in old.collider_numbers {
            self.collider_numbers.entry(id).or_insert(number);
        }
        for (thing, number) in old.soft_numbers {
            self.soft_numbers.entry(thing).or_insert(number);
        }
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
