//! `carom.World`: contacts, and what began, ended and pushed in a step.

use crate::array::{array, array_rows};
use crate::world::PyWorld;
use carom_world::{ColliderId, Event, EventKind};
use glam::DVec3;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

/// The contacts of a world, k in all, sorted by the bodies.
#[pyclass(frozen, get_all, module = "carom")]
pub(crate) struct BodyContacts {
    /// (k, 2) numbers of bodies.
    bodies: Py<PyArray2<i64>>,
    /// (k, 2) numbers of colliders.
    colliders: Py<PyArray2<i64>>,
    /// (k, 3) points, half way between the surfaces.
    point: Py<PyArray2<f64>>,
    /// (k, 3) unit vectors from the first body to the second.
    normal: Py<PyArray2<f64>>,
    /// (k,) lengths, negative for an overlap.
    distance: Py<PyArray1<f64>>,
    /// (k,) normal impulses of the last step, in mass times speed; 0 before the first step, and
    /// while both bodies sleep.
    impulse: Py<PyArray1<f64>>,
}

/// Pairs of colliders that began or ended to touch, k in all.
#[pyclass(frozen, get_all, module = "carom")]
pub(crate) struct ContactEvents {
    /// (k, 2) numbers of bodies, also of removed ones.
    bodies: Py<PyArray2<i64>>,
    /// (k, 2) numbers of colliders, also of removed ones.
    colliders: Py<PyArray2<i64>>,
    /// (k,) true if they began to touch, false if they ended.
    began: Py<PyArray1<bool>>,
    /// (k,) whether one of them is a sensor.
    sensor: Py<PyArray1<bool>>,
}

/// Pairs of colliders that pushed each other by more than their threshold, k in all.
#[pyclass(frozen, get_all, module = "carom")]
pub(crate) struct ImpulseEvents {
    /// (k, 2) numbers of bodies.
    bodies: Py<PyArray2<i64>>,
    /// (k, 2) numbers of colliders.
    colliders: Py<PyArray2<i64>>,
    /// (k,) sums of the normal impulses in the step, in mass times speed.
    total: Py<PyArray1<f64>>,
    /// (k,) the largest normal impulse of one contact.
    largest: Py<PyArray1<f64>>,
    /// (k, 3) the place of that contact.
    point: Py<PyArray2<f64>>,
    /// (k, 3) the unit normal there, from the first body to the second.
    normal: Py<PyArray2<f64>>,
    /// (k,) the largest speed at which they came together before the step; 0 if they did not.
    approach_speed: Py<PyArray1<f64>>,
}

/// Pairs of bodies that began to touch, and that ended.
type BeganEnded<'py> = (Bound<'py, PyArray2<i64>>, Bound<'py, PyArray2<i64>>);

/// A row of [`BodyContacts`].
type Row = ([i64; 2], [i64; 2], DVec3, DVec3, f64, f64);

#[pymethods]
impl PyWorld {
    /// The contacts of pairs that touched at the last detection or at the start of the last step,
    /// with their impulses.
    fn contacts(&self, py: Python<'_>) -> PyResult<BodyContacts> {
        let mut rows: Vec<Row> = Vec::new();
        for view in self.world.contacts().filter(|view| view.is_touching) {
            let (bodies, colliders) = self.pair(view.collider_a, view.collider_b);
            for (i, manifold) in view.manifolds.iter().enumerate() {
                for (k, c) in manifold.contacts().iter().enumerate() {
                    let impulse = view.impulses.get(i).map_or(0.0, |impulses| f64::from(impulses.normal[k]));
                    let (point, normal) = (c.middle().as_dvec3(), c.normal.as_dvec3());
                    rows.push((bodies, colliders, point, normal, f64::from(c.distance), impulse));
                }
            }
        }
        Ok(BodyContacts {
            bodies: array_rows(py, rows.iter().map(|row| row.0).collect())?.unbind(),
            colliders: array_rows(py, rows.iter().map(|row| row.1).collect())?.unbind(),
            point: array_rows(py, rows.iter().map(|row| row.2.to_array()).collect())?.unbind(),
            normal: array_rows(py, rows.iter().map(|row| row.3.to_array()).collect())?.unbind(),
            distance: array(py, rows.iter().map(|row| row.4).collect()).unbind(),
            impulse: array(py, rows.iter().map(|row| row.5).collect()).unbind(),
        })
    }

    /// The pairs of bodies that began or ended to touch at the last detection or in the last step:
    /// two arrays of the shape (k, 2).
    fn events<'py>(&self, py: Python<'py>) -> PyResult<BeganEnded<'py>> {
        let of = |kind: EventKind| {
            let events = self.world.events().iter().filter(move |event| event.kind == kind);
            array_rows(
                py,
                events.map(|event| [self.bodies.number(event.a), self.bodies.number(event.b)]).collect(),
            )
        };
        Ok((of(EventKind::Began)?, of(EventKind::Ended)?))
    }

    /// The pairs of colliders that began or ended to touch at the last detection or in the last
    /// step, in the order of their bodies.
    fn contact_events(&self, py: Python<'_>) -> PyResult<ContactEvents> {
        let events = self.world.events().iter().filter(|event| event.kind != EventKind::Persisted);
        let events: Vec<&Event> = events.collect();
        let pairs: Vec<_> = events.iter().map(|e| self.pair(e.collider_a(), e.collider_b())).collect();
        Ok(ContactEvents {
            bodies: array_rows(py, pairs.iter().map(|pair| pair.0).collect())?.unbind(),
            colliders: array_rows(py, pairs.iter().map(|pair| pair.1).collect())?.unbind(),
            began: array(py, events.iter().map(|e| e.kind == EventKind::Began).collect()).unbind(),
            sensor: array(py, events.iter().map(|e| e.is_sensor).collect()).unbind(),
        })
    }

    /// The pairs of colliders that pushed each other in the last step by more than the lower one of
    /// their thresholds.
    fn impulse_events(&self, py: Python<'_>) -> PyResult<ImpulseEvents> {
        let events = self.world.impulse_events();
        let pairs: Vec<_> = events.iter().map(|e| self.pair(e.collider_a, e.collider_b)).collect();
        let rows = |of: fn(&carom_world::ImpulseEvent) -> glam::Vec3| {
            array_rows(py, events.iter().map(|e| of(e).as_dvec3().to_array()).collect())
        };
        let numbers = |of: fn(&carom_world::ImpulseEvent) -> f32| {
            array(py, events.iter().map(|e| f64::from(of(e))).collect()).unbind()
        };
        Ok(ImpulseEvents {
            bodies: array_rows(py, pairs.iter().map(|pair| pair.0).collect())?.unbind(),
            colliders: array_rows(py, pairs.iter().map(|pair| pair.1).collect())?.unbind(),
            total: numbers(|e| e.total),
            largest: numbers(|e| e.largest),
            point: rows(|e| e.point)?.unbind(),
            normal: rows(|e| e.normal)?.unbind(),
            approach_speed: numbers(|e| e.approach_speed),
        })
    }
}

impl PyWorld {
    /// Returns the numbers of two bodies, and of their colliders.
    fn pair(&self, a: ColliderId, b: ColliderId) -> ([i64; 2], [i64; 2]) {
        let bodies = [a, b].map(|collider| self.bodies.number(collider.body()));
        (bodies, [a, b].map(|collider| self.colliders.number(collider)))
    }
}
