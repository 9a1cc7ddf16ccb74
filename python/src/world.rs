//! `carom.World`: bodies that fall, collide and come to rest.
//!
//! A world computes in single precision. The handles of Python are numbers that count up. The
//! number of a body is its `user_data` in the crate.

use crate::array::{self, Rows, array, array_rows};
use crate::error::{self, WorldError};
use crate::pose::{self, to_seven};
use crate::shape::PyShape;
use crate::{single, work};
use carom_math::{Interval, Ray};
use carom_world::{
    BodyDesc, BodyId, BodyRef, ColliderDesc, EventKind, Material, QueryFilter, World, WorldSettings,
};
use glam::{DVec3, Vec3};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

/// A world of rigid bodies, in single precision. Gravity is along -z by default.
///
/// The unit of length is a metre: `length_unit` is its length in the unit of the caller. A body has
/// the number that `add` returns. Numbers of removed bodies are not used again. The same calls give
/// the same bits on any number of threads.
#[pyclass(module = "carom", name = "World")]
pub(crate) struct PyWorld {
    world: World,
    bodies: Vec<Option<BodyId>>,
}

/// The first hits of n rays on bodies, one row for each.
#[pyclass(frozen, get_all, module = "carom")]
pub(crate) struct BodyHits {
    /// (n,) numbers of bodies; -1 if there is no hit.
    body: Py<PyArray1<i64>>,
    /// (n,) parameters in lengths of the direction; infinite if there is no hit.
    t: Py<PyArray1<f64>>,
    /// (n, 3) points; NaN if there is no hit.
    point: Py<PyArray2<f64>>,
    /// (n, 3) outward unit normals; zero if there is no hit.
    normal: Py<PyArray2<f64>>,
}

/// The contacts of a world, k in all, sorted by the bodies.
#[pyclass(frozen, get_all, module = "carom")]
pub(crate) struct BodyContacts {
    /// (k, 2) numbers of bodies.
    bodies: Py<PyArray2<i64>>,
    /// (k, 3) points, half way between the surfaces.
    point: Py<PyArray2<f64>>,
    /// (k, 3) unit vectors from the first body to the second.
    normal: Py<PyArray2<f64>>,
    /// (k,) lengths, negative for an overlap.
    distance: Py<PyArray1<f64>>,
}

/// Pairs of bodies that began to touch, and that ended.
type BeganEnded<'py> = (Bound<'py, PyArray2<i64>>, Bound<'py, PyArray2<i64>>);

#[pymethods]
impl PyWorld {
    #[new]
    #[pyo3(signature = (gravity = (0.0, 0.0, -9.81), *, length_unit = 1.0, substeps = 4))]
    fn new(gravity: (f32, f32, f32), length_unit: f32, substeps: u32) -> PyResult<PyWorld> {
        let mut settings = WorldSettings::default();
        settings.solver.gravity = Vec3::from(gravity);
        settings.solver.length_unit = length_unit;
        settings.solver.substeps = substeps;
        settings.check().map_err(error::world)?;
        Ok(PyWorld { world: World::with_settings(settings), bodies: Vec::new() })
    }

    fn __len__(&self) -> usize {
        self.world.len()
    }

    fn __repr__(&self) -> String {
        format!("<carom.World, {} bodies>", self.world.len())
    }

    /// Adds a body and returns its number. `mobility` is "dynamic", "kinematic" or "fixed". With
    /// `ccd` it is swept in each step, so that it passes through nothing.
    #[pyo3(signature = (shape, pose = None, *, mobility = "dynamic", density = 1.0, friction = 0.5, restitution = 0.0, linear_velocity = None, angular_velocity = None, ccd = false, sensor = false, can_sleep = true))]
    fn add(
        &mut self,
        shape: &Bound<'_, PyShape>,
        pose: Option<&Bound<'_, PyAny>>,
        mobility: &str,
        density: f32,
        friction: f32,
        restitution: f32,
        linear_velocity: Option<&Bound<'_, PyAny>>,
        angular_velocity: Option<&Bound<'_, PyAny>>,
        ccd: bool,
        sensor: bool,
        can_sleep: bool,
    ) -> PyResult<u32> {
        let (shape, place) = (shape.get(), pose::pose(pose, "pose")?);
        let is_plane = matches!(shape.shape, carom_query::f64::Shape::HalfSpace(_));
        let mut collider = ColliderDesc::new(single::shape(shape)?);
        // A half-space is a body of its own, and has no pose in it.
        let place = if is_plane { shape.placed(&place) } else { place };
        if let (Some(frame), false) = (&shape.frame, is_plane) {
            collider = collider.with_pose(single::pose(frame)?);
        }
        let collider = collider
            .with_density(density)
            .with_material(Material::new(friction, restitution))
            .with_sensor(sensor);
        let desc = match mobility {
            "dynamic" => BodyDesc::dynamic(collider),
            "kinematic" => BodyDesc::kinematic(collider),
            "fixed" => BodyDesc::fixed(collider),
            other => {
                let wanted = format!("must be \"dynamic\", \"kinematic\" or \"fixed\", not {other:?}");
                return Err(error::value("mobility", wanted));
            }
        };
        let number = u32::try_from(self.bodies.len()).map_err(|_| error::world("too many bodies"))?;
        let linear = array::vector_or_zero(linear_velocity, "linear_velocity")?.as_vec3();
        let angular = array::vector_or_zero(angular_velocity, "angular_velocity")?.as_vec3();
        let desc = desc
            .with_pose(single::pose(&place)?)
            .with_linear_velocity(linear)
            .with_angular_velocity(angular)
            .with_ccd(ccd)
            .with_can_sleep(can_sleep)
            .with_user_data(u64::from(number));
        self.bodies.push(Some(self.world.insert(desc).map_err(error::world)?));
        Ok(number)
    }

    /// Removes a body.
    fn remove(&mut self, body: u32) -> PyResult<()> {
        let id = self.id(body)?;
        self.world.remove(id).map_err(error::world)?;
        self.bodies[body as usize] = None;
        Ok(())
    }

    /// Does `count` steps of `dt` each.
    #[pyo3(signature = (dt, count = 1, *, threads = None))]
    fn step(&mut self, py: Python<'_>, dt: f32, count: usize, threads: Option<usize>) -> PyResult<()> {
        for _ in 0..count {
            let world = &mut self.world;
            work::on_pool(py, threads, || world.step(dt).map(|_| ()))?.map_err(error::world)?;
            py.check_signals()?;
        }
        Ok(())
    }

    /// Finds the contacts at the present poses, and moves nothing.
    fn detect(&mut self, py: Python<'_>) {
        py.detach(|| {
            self.world.detect();
        });
    }

    /// The numbers of the bodies, ascending, (n,).
    fn bodies<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        array(py, self.live().map(|(number, _)| number as i64).collect())
    }

    /// The poses of all bodies, (n, 7): x, y, z, qx, qy, qz, qw, in the order of their numbers.
    fn poses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        array_rows(py, self.live().map(|(_, body)| to_seven(&single::wide_pose(&body.pose()))).collect())
    }

    /// The velocities of all bodies, (n, 6): linear of the centre of mass, then angular.
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let row = |body: &BodyRef<'_>| {
            let (v, w) = (body.linear_velocity().as_dvec3(), body.angular_velocity().as_dvec3());
            [v.x, v.y, v.z, w.x, w.y, w.z]
        };
        array_rows(py, self.live().map(|(_, body)| row(&body)).collect())
    }

    /// Whether each body sleeps, (n,).
    fn sleeping<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        array(py, self.live().map(|(_, body)| body.is_sleeping()).collect())
    }

    /// Puts a body at a pose, and wakes what it touched.
    fn set_pose(&mut self, body: u32, pose: &Bound<'_, PyAny>) -> PyResult<()> {
        let place = single::pose(&pose::pose(Some(pose), "pose")?)?;
        self.change(body, |world, id| world.body_mut(id)?.set_pose(place).map(|_| ()))
    }

    /// Moves a kinematic body so that it is at a pose after the next step. It pushes what is in its
    /// way.
    fn move_to(&mut self, body: u32, pose: &Bound<'_, PyAny>) -> PyResult<()> {
        let place = single::pose(&pose::pose(Some(pose), "pose")?)?;
        self.change(body, |world, id| world.body_mut(id)?.move_to(place).map(|_| ()))
    }

    /// Sets the velocities of a body: linear (length per time) and angular (radians per time).
    #[pyo3(signature = (body, linear = None, angular = None))]
    fn set_velocity(
        &mut self,
        body: u32,
        linear: Option<&Bound<'_, PyAny>>,
        angular: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let linear = array::vector_or_zero(linear, "linear")?.as_vec3();
        let angular = array::vector_or_zero(angular, "angular")?.as_vec3();
        self.change(body, |world, id| {
            world.body_mut(id)?.set_linear_velocity(linear)?.set_angular_velocity(angular).map(|_| ())
        })
    }

    /// Changes the velocity of a dynamic body by an impulse (mass times length per time) at its
    /// centre of mass, or at a point of the world.
    #[pyo3(signature = (body, impulse, point = None))]
    fn apply_impulse(
        &mut self,
        body: u32,
        impulse: &Bound<'_, PyAny>,
        point: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let impulse = array::vector(impulse, "impulse")?.as_vec3();
        let point = point.map(|point| array::vector(point, "point")).transpose()?.map(|p| p.as_vec3());
        self.change(body, |world, id| {
            let mut body = world.body_mut(id)?;
            match point {
                Some(point) => body.apply_impulse_at(impulse, point).map(|_| ()),
                None => body.apply_impulse(impulse).map(|_| ()),
            }
        })
    }

    /// The contacts of pairs that touched at the last detection or at the start of the last step.
    fn contacts(&self, py: Python<'_>) -> PyResult<BodyContacts> {
        let mut rows: Vec<([i64; 2], DVec3, DVec3, f64)> = Vec::new();
        for view in self.world.contacts().filter(|view| view.is_touching) {
            let bodies = [self.number(view.a), self.number(view.b)];
            let contacts = view.manifolds.iter().flat_map(|m| m.contacts());
            let row = |c: &carom_geom::Contact| {
                (bodies, c.middle().as_dvec3(), c.normal.as_dvec3(), f64::from(c.distance))
            };
            rows.extend(contacts.map(row));
        }
        Ok(BodyContacts {
            bodies: array_rows(py, rows.iter().map(|row| row.0).collect())?.unbind(),
            point: array_rows(py, rows.iter().map(|row| row.1.to_array()).collect())?.unbind(),
            normal: array_rows(py, rows.iter().map(|row| row.2.to_array()).collect())?.unbind(),
            distance: array(py, rows.iter().map(|row| row.3).collect()).unbind(),
        })
    }

    /// The pairs of bodies that began or ended to touch at the last detection or in the last step:
    /// two arrays of the shape (k, 2).
    fn events<'py>(&self, py: Python<'py>) -> PyResult<BeganEnded<'py>> {
        let of = |kind: EventKind| {
            let events = self.world.events().iter().filter(move |event| event.kind == kind);
            array_rows(py, events.map(|event| [self.number(event.a), self.number(event.b)]).collect())
        };
        Ok((of(EventKind::Began)?, of(EventKind::Ended)?))
    }

    /// The first hit of each ray on a body: origins and directions of the shape (n, 3).
    #[pyo3(signature = (origins, directions, *, max_t = f64::INFINITY, threads = None))]
    fn cast_ray(
        &self,
        py: Python<'_>,
        origins: &Bound<'_, PyAny>,
        directions: &Bound<'_, PyAny>,
        max_t: f64,
        threads: Option<usize>,
    ) -> PyResult<BodyHits> {
        let rows = [Rows::points(origins, "origins")?, Rows::points(directions, "directions")?];
        let (origins, directions) = (rows[0].numbers()?, rows[1].numbers()?);
        let n = origins.n_rows(3);
        if directions.n_rows(3) != n {
            let given = directions.n_rows(3);
            return Err(error::value("directions", format!("{given} rows, but origins has {n}")));
        }
        let interval = Interval::new(0.0, max_t as f32);
        let mut found = vec![(-1_i64, f64::INFINITY, DVec3::NAN, DVec3::ZERO); n];
        let len = work::job_len(n, 1024);
        let jobs = found.chunks_mut(len).enumerate().map(|(i, part)| (i * len, part)).collect();
        let world = &self.world;
        work::run(py, threads, jobs, |(first, part): (usize, &mut [(i64, f64, DVec3, DVec3)])| {
            let filter = QueryFilter::default();
            let mut query = world.query(&filter);
            for (i, slot) in part.iter_mut().enumerate() {
                let ray =
                    Ray::new(origins.vector(first + i).as_vec3(), directions.vector(first + i).as_vec3());
                if let Some(hit) = query.cast_ray(&ray, interval) {
                    let number = world.body(hit.body).map_or(-1, |body| body.user_data() as i64);
                    let (t, normal) = (hit.hit.t, hit.hit.normal.as_dvec3());
                    *slot = (number, f64::from(t), ray.at(t).as_dvec3(), normal);
                }
            }
        })?;
        Ok(BodyHits {
            body: array(py, found.iter().map(|row| row.0).collect()).unbind(),
            t: array(py, found.iter().map(|row| row.1).collect()).unbind(),
            point: array_rows(py, found.iter().map(|row| row.2.to_array()).collect())?.unbind(),
            normal: array_rows(py, found.iter().map(|row| row.3.to_array()).collect())?.unbind(),
        })
    }

    /// The bodies that touch a shape: numbers, (k,).
    #[pyo3(signature = (shape, pose = None))]
    fn touching<'py>(
        &self,
        py: Python<'py>,
        shape: &Bound<'py, PyShape>,
        pose: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let shape = shape.get();
        let place = single::pose(&shape.placed(&pose::pose(pose, "pose")?))?;
        let shape = single::shape(shape)?;
        let colliders =
            py.detach(|| self.world.query(&QueryFilter::default()).overlap_shape(&shape, &place).to_vec());
        let mut numbers: Vec<i64> = colliders.into_iter().map(|id| self.number(id.body())).collect();
        numbers.sort_unstable();
        numbers.dedup();
        Ok(array(py, numbers))
    }

    /// A hash of all poses, velocities and sleep flags: equal bits give equal hashes.
    fn state_hash(&self) -> u64 {
        self.world.state_hash()
    }
}

impl PyWorld {
    fn id(&self, number: u32) -> PyResult<BodyId> {
        let id = self.bodies.get(number as usize).copied().flatten();
        id.ok_or_else(|| WorldError::new_err(format!("body {number} does not exist")))
    }

    fn number(&self, id: BodyId) -> i64 {
        // Events name bodies that were removed, too.
        self.world.body(id).map_or(-1, |body| body.user_data() as i64)
    }

    fn live(&self) -> impl Iterator<Item = (usize, BodyRef<'_>)> {
        let bodies = self.bodies.iter().enumerate();
        bodies.filter_map(|(number, id)| Some((number, self.world.body((*id)?).ok()?)))
    }

    fn change(
        &mut self,
        number: u32,
        change: impl FnOnce(&mut World, BodyId) -> Result<(), carom_world::WorldError>,
    ) -> PyResult<()> {
        let id = self.id(number)?;
        change(&mut self.world, id).map_err(error::world)
    }
}
