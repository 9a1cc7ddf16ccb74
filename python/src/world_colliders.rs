//! `carom.World`: several colliders on a body, their materials and filters.

use crate::array::array;
use crate::error::{self, WorldError};
use crate::pose;
use crate::shape::PyShape;
use crate::single;
use crate::stored_shape::StoredShape;
use crate::surface::{PyFilter, PyMaterial};
use crate::world::PyWorld;
use carom_world::{ColliderDesc, ColliderId, ColliderMut, Filter, Material};
use numpy::PyArray1;
use pyo3::prelude::*;

#[pymethods]
impl PyWorld {
    /// Puts one more collider on a body, at a pose in the frame of the body, and returns its
    /// number. The mass follows, if it was not given.
    #[pyo3(signature = (body, shape, pose = None, *, density = 1000.0, material = None, filter = None, sensor = false, impulse_threshold = None))]
    fn add_collider(
        &mut self,
        body: u32,
        shape: &Bound<'_, PyShape>,
        pose: Option<&Bound<'_, PyAny>>,
        density: f32,
        material: Option<&Bound<'_, PyMaterial>>,
        filter: Option<&Bound<'_, PyFilter>>,
        sensor: bool,
        impulse_threshold: Option<f32>,
    ) -> PyResult<u32> {
        let id = self.id(body)?;
        self.colliders.next("colliders")?;
        let shape = shape.get();
        let placed_pose = single::pose(&shape.placed(&pose::pose(pose, "pose")?))?;
        let stored = StoredShape::of(&shape.shape)?;
        let desc = ColliderDesc::new(stored.build()?)
            .with_pose(placed_pose)
            .with_density(density)
            .with_material(material.map_or_else(Material::default, |material| material.get().material))
            .with_filter(filter.map_or_else(Filter::default, |filter| filter.get().filter))
            .with_sensor(sensor)
            .with_impulse_threshold(impulse_threshold.unwrap_or(f32::MAX));
        let collider = self.world.insert_collider(id, desc);
        let collider = collider.map_err(|e| error::world(format!("body {body}: {e}")))?;
        Ok(self.note_collider(collider, stored))
    }

    /// Takes a collider off its body. The mass follows, if it was not given.
    fn remove_collider(&mut self, collider: u32) -> PyResult<()> {
        let id = self.collider_id(collider)?;
        let removed = self.world.remove_collider(id);
        removed.map_err(|e| error::world(format!("collider {collider}: {e}")))?;
        self.forget_collider(id);
        Ok(())
    }

    /// The numbers of the colliders of a body, in the order of their insertion, (k,).
    fn colliders<'py>(&self, py: Python<'py>, body: u32) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let id = self.id(body)?;
        let view = self.world.body(id).map_err(error::world)?;
        let mut numbers: Vec<i64> =
            view.colliders().map(|collider| self.colliders.number(collider.id())).collect();
        numbers.sort_unstable();
        Ok(array(py, numbers))
    }

    /// Sets the material of a collider.
    fn set_material(&mut self, collider: u32, material: &Bound<'_, PyMaterial>) -> PyResult<()> {
        let material = material.get().material;
        self.change_collider(collider, |slot| slot.set_material(material).map(|_| ()))
    }

    /// Sets the filter of a collider.
    fn set_filter(&mut self, collider: u32, filter: &Bound<'_, PyFilter>) -> PyResult<()> {
        let filter = filter.get().filter;
        self.change_collider(collider, |slot| slot.set_filter(filter).map(|_| ()))
    }

    /// Makes a collider a sensor, which reports what it overlaps and pushes nothing, or not.
    fn set_sensor(&mut self, collider: u32, sensor: bool) -> PyResult<()> {
        self.change_collider(collider, |slot| slot.set_sensor(sensor).map(|_| ()))
    }

    /// Sets the normal impulse in a step above which a contact of a collider is reported by
    /// `impulse_events`; `None` reports none.
    #[pyo3(signature = (collider, threshold))]
    fn set_impulse_threshold(&mut self, collider: u32, threshold: Option<f32>) -> PyResult<()> {
        let threshold = threshold.unwrap_or(f32::MAX);
        self.change_collider(collider, |slot| slot.set_impulse_threshold(threshold).map(|_| ()))
    }
}

impl PyWorld {
    /// Returns the handle of a collider, or an error that names its number.
    fn collider_id(&self, number: u32) -> PyResult<ColliderId> {
        self.colliders
            .handle(number)
            .ok_or_else(|| WorldError::new_err(format!("collider {number} does not exist")))
    }

    fn change_collider(
        &mut self,
        number: u32,
        change: impl FnOnce(&mut ColliderMut<'_>) -> Result<(), carom_world::WorldError>,
    ) -> PyResult<()> {
        let id = self.collider_id(number)?;
        let changed = self.world.collider_mut(id).and_then(|mut collider| change(&mut collider));
        changed.map_err(|e| error::world(format!("collider {number}: {e}")))
    }
}
