//! `carom.World`: bodies that fall, collide and come to rest.
//!
//! A world computes in single precision. The handles of Python are numbers that count up:
//! [`crate::numbers`]. The number of a joint is also its `user_data` in the crate.

use crate::array::{self, Rows, array, array_rows};
use crate::error::{self, WorldError};
use crate::numbers::Numbers;
use crate::pose::{self, to_seven};
use crate::shape::PyShape;
use crate::stored_shape::StoredShape;
use crate::surface::{PyFilter, PyMaterial};
use crate::{single, work};
use carom_math::{Interval, Ray};
use carom_world::{
    BodyDesc, BodyId, BodyRef, ColliderDesc, ColliderId, Filter, JointId, LockedAxes, Material, Mobility,
    QueryFilter, SoftThing, World, WorldSettings,
};
use glam::{DVec3, Vec3};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use std::collections::BTreeMap;

/// A world of rigid and soft bodies, in single precision. Gravity is along -z by default.
///
/// The unit of length is a metre: `length_unit` is its length in the unit of the caller. A body has
/// the number that `add` returns; colliders, joints and soft things have numbers of their own.
/// Numbers of removed ones are not used again. The same calls give the same bits on any number of
/// threads.
#[pyclass(module = "carom", name = "World")]
pub(crate) struct PyWorld {
    pub(crate) world: World,
    pub(crate) bodies: Numbers<BodyId>,
    pub(crate) colliders: Numbers<ColliderId>,
    /// Those that broke are removed later.
    pub(crate) joints: Numbers<JointId>,
    /// Cloth, ropes, soft bodies and particles.
    pub(crate) soft: Numbers<SoftThing>,
    /// The shapes that a snapshot of the world does not have, by collider.
    pub(crate) assets: BTreeMap<ColliderId, StoredShape>,
}

/// The first hits of n rays on bodies, one row for each.
#[pyclass(frozen, get_all, module = "carom")]
pub(crate) struct BodyHits {
    /// (n,) numbers of bodies; -1 if there is no hit.
    body: Py<PyArray1<i64>>,
    /// (n,) numbers of colliders; -1 if there is no hit.
    collider: Py<PyArray1<i64>>,
    /// (n,) parameters in lengths of the direction; infinite if there is no hit.
    t: Py<PyArray1<f64>>,
    /// (n, 3) points; NaN if there is no hit.
    point: Py<PyArray2<f64>>,
    /// (n, 3) outward unit normals; zero if there is no hit.
    normal: Py<PyArray2<f64>>,
}

/// A row of [`BodyHits`].
type Hit = (i64, i64, f64, DVec3, DVec3);

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
        Ok(PyWorld::empty(World::with_settings(settings)))
    }

    fn __len__(&self) -> usize {
        self.world.len()
    }

    fn __repr__(&self) -> String {
        format!("<carom.World, {} bodies>", self.world.len())
    }

    /// Adds a body with one collider and returns its number. `mobility` is "dynamic", "kinematic"
    /// or "fixed". With `ccd` it is swept in each step, so that it passes through nothing.
    #[pyo3(signature = (shape, pose = None, *, mobility = "dynamic", density = 1000.0, mass = None, material = None, friction = None, restitution = None, filter = None, linear_velocity = None, angular_velocity = None, gravity_scale = 1.0, linear_damping = 0.0, angular_damping = 0.0, locked_axes = None, ccd = false, sensor = false, impulse_threshold = None, can_sleep = true))]
    fn add(
        &mut self,
        shape: &Bound<'_, PyShape>,
        pose: Option<&Bound<'_, PyAny>>,
        mobility: &str,
        density: f32,
        mass: Option<f32>,
        material: Option<&Bound<'_, PyMaterial>>,
        friction: Option<f32>,
        restitution: Option<f32>,
        filter: Option<&Bound<'_, PyFilter>>,
        linear_velocity: Option<&Bound<'_, PyAny>>,
        angular_velocity: Option<&Bound<'_, PyAny>>,
        gravity_scale: f32,
        linear_damping: f32,
        angular_damping: f32,
        locked_axes: Option<Vec<String>>,
        ccd: bool,
        sensor: bool,
        impulse_threshold: Option<f32>,
        can_sleep: bool,
    ) -> PyResult<u32> {
        let material = match (material, friction, restitution) {
            (Some(_), Some(_), _) => return Err(error::value("friction", "is that of the material")),
            (Some(_), _, Some(_)) => return Err(error::value("restitution", "is that of the material")),
            (Some(material), None, None) => material.get().material,
            (None, _, _) => Material::new(friction.unwrap_or(0.5), restitution.unwrap_or(0.0)),
        };
        let (shape, place) = (shape.get(), pose::pose(pose, "pose")?);
        self.bodies.next("bodies")?;
        self.colliders.next("colliders")?;
        let stored = StoredShape::of(&shape.shape)?;
        let mut collider = ColliderDesc::new(stored.build()?);
        if let Some(frame) = &shape.frame {
            collider = collider.with_pose(single::pose(frame)?);
        }
        let collider = collider
            .with_density(density)
            .with_material(material)
            .with_filter(filter.map_or_else(Filter::default, |filter| filter.get().filter))
            .with_sensor(sensor)
            .with_impulse_threshold(impulse_threshold.unwrap_or(f32::MAX));
        let mut desc = BodyDesc::empty(mobility_of(mobility)?).with_collider(collider);
        if let Some(mass) = mass {
            desc = desc.with_mass(mass);
        }
        let linear = array::vector_or_zero(linear_velocity, "linear_velocity")?.as_vec3();
        let angular = array::vector_or_zero(angular_velocity, "angular_velocity")?.as_vec3();
        let desc = desc
            .with_pose(single::pose(&place)?)
            .with_linear_velocity(linear)
            .with_angular_velocity(angular)
            .with_gravity_scale(gravity_scale)
            .with_damping(linear_damping, angular_damping)
            .with_locked_axes(locked(locked_axes.as_deref().unwrap_or_default())?)
            .with_ccd(ccd)
            .with_can_sleep(can_sleep);
        let id = self.world.insert(desc).map_err(error::world)?;
        let number = self.bodies.push(id);
        let first = self.world.body(id).map_err(error::world)?.colliders().next().map(|c| c.id());
        self.note_collider(first.ok_or_else(|| error::world("a body without its collider"))?, stored);
        Ok(number)
    }

    /// Removes a body, its colliders and its joints.
    fn remove(&mut self, body: u32) -> PyResult<()> {
        let id = self.id(body)?;
        let view = self.world.body(id).map_err(error::world)?;
        let colliders: Vec<ColliderId> = view.colliders().map(|collider| collider.id()).collect();
        let joints: Vec<JointId> = view.joints().map(|joint| joint.id()).collect();
        self.world.remove(id).map_err(error::world)?;
        self.bodies.remove(id);
        colliders.into_iter().for_each(|collider| self.forget_collider(collider));
        joints.into_iter().for_each(|joint| self.joints.remove(joint));
        Ok(())
    }

    /// Does `count` steps of `dt` each.
    #[pyo3(signature = (dt, count = 1, *, threads = None))]
    fn step(&mut self, py: Python<'_>, dt: f32, count: usize, threads: Option<usize>) -> PyResult<()> {
        for _ in 0..count {
            let world = &mut self.world;
            work::on_pool(py, threads, || world.step(dt).map(|_| ()))?.map_err(error::world)?;
            self.follow_step();
            py.check_signals()?;
        }
        Ok(())
    }

    /// Finds the contacts at the present poses, and moves nothing.
    fn detect(&mut self, py: Python<'_>) {
        py.detach(|| {
            self.world.detect();
        });
        self.follow_step();
    }

    /// The numbers of the bodies, ascending, (n,).
    fn bodies<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        array(py, self.bodies.iter().map(|(number, _)| i64::from(number)).collect())
    }

    /// The poses of all bodies, (n, 7): x, y, z, qx, qy, qz, qw, in the order of their numbers.
    fn poses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        array_rows(py, self.live().map(|body| to_seven(&single::wide_pose(&body.pose()))).collect())
    }

    /// The velocities of all bodies, (n, 6): linear of the centre of mass, then angular.
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let row = |body: &BodyRef<'_>| {
            let (v, w) = (body.linear_velocity().as_dvec3(), body.angular_velocity().as_dvec3());
            [v.x, v.y, v.z, w.x, w.y, w.z]
        };
        array_rows(py, self.live().map(|body| row(&body)).collect())
    }

    /// The masses of all bodies, (n,); 0 for those that are fixed or kinematic.
    fn masses<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let mass = |body: BodyRef<'_>| match body.mobility() {
            Mobility::Dynamic => f64::from(body.mass()),
            _ => 0.0,
        };
        array(py, self.live().map(|body| mass(body)).collect())
    }

    /// Whether each body sleeps, (n,).
    fn sleeping<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        array(py, self.live().map(|body| body.is_sleeping()).collect())
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

    /// Sets the mobility of a body: "dynamic", "kinematic" or "fixed".
    fn set_mobility(&mut self, body: u32, mobility: &str) -> PyResult<()> {
        let mobility = mobility_of(mobility)?;
        self.change(body, |world, id| world.body_mut(id)?.set_mobility(mobility).map(|_| ()))
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

    /// Pushes a dynamic body by a force (mass times length per time squared) in the next step, at
    /// its centre of mass or at a point of the world.
    #[pyo3(signature = (body, force, point = None))]
    fn apply_force(
        &mut self,
        body: u32,
        force: &Bound<'_, PyAny>,
        point: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let force = array::vector(force, "force")?.as_vec3();
        let point = point.map(|point| array::vector(point, "point")).transpose()?.map(|p| p.as_vec3());
        self.change(body, |world, id| {
            let mut body = world.body_mut(id)?;
            match point {
                Some(point) => body.apply_force_at(force, point).map(|_| ()),
                None => body.apply_force(force).map(|_| ()),
            }
        })
    }

    /// The first hit of each ray on a body: origins and directions of the shape (n, 3). With a
    /// filter, on what a collider with that filter meets. Sensors are not hit.
    #[pyo3(signature = (origins, directions, *, max_t = f64::INFINITY, filter = None, threads = None))]
    fn cast_ray(
        &self,
        py: Python<'_>,
        origins: &Bound<'_, PyAny>,
        directions: &Bound<'_, PyAny>,
        max_t: f64,
        filter: Option<&Bound<'_, PyFilter>>,
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
        let mut found: Vec<Hit> = vec![(-1_i64, -1_i64, f64::INFINITY, DVec3::NAN, DVec3::ZERO); n];
        let len = work::job_len(n, 1024);
        let jobs = found.chunks_mut(len).enumerate().map(|(i, part)| (i * len, part)).collect();
        let (world, wanted) = (self, query_filter(filter));
        work::run(py, threads, jobs, |(first, part): (usize, &mut [Hit])| {
            let mut query = world.world.query(&wanted);
            for (i, slot) in part.iter_mut().enumerate() {
                let ray =
                    Ray::new(origins.vector(first + i).as_vec3(), directions.vector(first + i).as_vec3());
                if let Some(hit) = query.cast_ray(&ray, interval) {
                    let (body, collider) =
                        (world.bodies.number(hit.body), world.colliders.number(hit.collider));
                    let (t, normal) = (hit.hit.t, hit.hit.normal.as_dvec3());
                    *slot = (body, collider, f64::from(t), ray.at(t).as_dvec3(), normal);
                }
            }
        })?;
        Ok(BodyHits {
            body: array(py, found.iter().map(|row| row.0).collect()).unbind(),
            collider: array(py, found.iter().map(|row| row.1).collect()).unbind(),
            t: array(py, found.iter().map(|row| row.2).collect()).unbind(),
            point: array_rows(py, found.iter().map(|row| row.3.to_array()).collect())?.unbind(),
            normal: array_rows(py, found.iter().map(|row| row.4.to_array()).collect())?.unbind(),
        })
    }

    /// The bodies that touch a shape: numbers, (k,). With a filter, those that a collider with that
    /// filter meets. Sensors are left out.
    #[pyo3(signature = (shape, pose = None, *, filter = None))]
    fn touching<'py>(
        &self,
        py: Python<'py>,
        shape: &Bound<'py, PyShape>,
        pose: Option<&Bound<'py, PyAny>>,
        filter: Option<&Bound<'py, PyFilter>>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let shape = shape.get();
        let place = single::pose(&shape.placed(&pose::pose(pose, "pose")?))?;
        let shape = StoredShape::of(&shape.shape)?.build()?;
        let wanted = query_filter(filter);
        let colliders = py.detach(|| self.world.query(&wanted).overlap_shape(&shape, &place).to_vec());
        let mut numbers: Vec<i64> = colliders.into_iter().map(|id| self.bodies.number(id.body())).collect();
        numbers.sort_unstable();
        numbers.dedup();
        Ok(array(py, numbers))
    }

    /// A hash of all poses, velocities and sleep flags: equal bits give equal hashes.
    fn state_hash(&self) -> u64 {
        self.world.state_hash()
    }
}

/// Returns the filter of a query.
fn query_filter(filter: Option<&Bound<'_, PyFilter>>) -> QueryFilter<'static> {
    filter.map_or(QueryFilter::SOLID, |filter| QueryFilter::SOLID.with_filter(filter.get().filter))
}

fn mobility_of(name: &str) -> PyResult<Mobility> {
    match name {
        "dynamic" => Ok(Mobility::Dynamic),
        "kinematic" => Ok(Mobility::Kinematic),
        "fixed" => Ok(Mobility::Fixed),
        other => {
            let wanted = format!("must be \"dynamic\", \"kinematic\" or \"fixed\", not {other:?}");
            Err(error::value("mobility", wanted))
        }
    }
}

fn locked(names: &[String]) -> PyResult<LockedAxes> {
    let mut axes = LockedAxes::empty();
    for name in names {
        axes |= match name.as_str() {
            "x" => LockedAxes::TRANSLATION_X,
            "y" => LockedAxes::TRANSLATION_Y,
            "z" => LockedAxes::TRANSLATION_Z,
            "ang_x" => LockedAxes::ROTATION_X,
            "ang_y" => LockedAxes::ROTATION_Y,
            "ang_z" => LockedAxes::ROTATION_Z,
            other => {
                let wanted = "must be of \"x\", \"y\", \"z\", \"ang_x\", \"ang_y\", \"ang_z\"";
                return Err(error::value("locked_axes", format!("{wanted}, not {other:?}")));
            }
        };
    }
    Ok(axes)
}

impl PyWorld {
    pub(crate) fn empty(world: World) -> PyWorld {
        PyWorld {
            world,
            bodies: Numbers::new(),
            colliders: Numbers::new(),
            joints: Numbers::new(),
            soft: Numbers::new(),
            assets: BTreeMap::new(),
        }
    }

    /// Returns the handle of a body, or an error that names its number.
    pub(crate) fn id(&self, number: u32) -> PyResult<BodyId> {
        let id = self.bodies.handle(number);
        id.ok_or_else(|| WorldError::new_err(format!("body {number} does not exist")))
    }

    /// Notes a collider under the next number, which it returns.
    pub(crate) fn note_collider(&mut self, id: ColliderId, shape: StoredShape) -> u32 {
        if !shape.is_in_snapshots() {
            self.assets.insert(id, shape);
        }
        self.colliders.push(id)
    }

    /// Forgets a collider that was removed.
    pub(crate) fn forget_collider(&mut self, id: ColliderId) {
        self.colliders.remove(id);
        self.assets.remove(&id);
    }

    /// Returns the bodies in the order of their numbers.
    pub(crate) fn live(&self) -> impl Iterator<Item = BodyRef<'_>> {
        self.bodies.iter().filter_map(|(_, id)| self.world.body(id).ok())
    }

    /// Forgets the removed things that no event of the last step names.
    fn follow_step(&mut self) {
        let PyWorld { world, bodies, colliders, joints, soft, .. } = self;
        if !world.broken_joints().is_empty() {
            joints.remove_all_but(|joint| world.joint(joint).is_ok());
        }
        // The events of joints have their numbers.
        joints.follow_step(core::iter::empty());
        let (pairs, touched) = (world.events().iter(), world.soft_events().iter());
        soft.follow_step(touched.clone().map(|event| event.thing));
        let of_pairs = pairs.clone().flat_map(|event| [event.a, event.b]);
        bodies.follow_step(of_pairs.chain(touched.map(|event| event.body)));
        colliders.follow_step(pairs.flat_map(|event| [event.collider_a(), event.collider_b()]));
    }

    fn change(
        &mut self,
        number: u32,
        change: impl FnOnce(&mut World, BodyId) -> Result<(), carom_world::WorldError>,
    ) -> PyResult<()> {
        let id = self.id(number)?;
        change(&mut self.world, id).map_err(|e| error::world(format!("body {number}: {e}")))
    }
}
