//! `carom.World`: cloth, ropes, soft bodies and particles among the bodies.
//!
//! They are numbered together, from 0 up. A material gives them friction, restitution, and the
//! rules by which these and those of a body become one.

use crate::array::{self, Rows, array, array_rows, vector_or_zero};
use crate::error::{self, WorldError};
use crate::surface::{PyFilter, PyMaterial};
use crate::world::PyWorld;
use carom_world::{
    ClothSettings, Gas, Grains, Liquid, ParticlePhase, ParticlesDesc, RopeSettings, SoftBodyDesc, SoftBodyId,
    SoftBodyMut, SoftBodySettings, SoftThing,
};
use glam::Vec3;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

/// Pairs of a soft thing and a body that began or ended to touch in the last step, k in all.
#[pyclass(frozen, get_all, module = "carom")]
pub(crate) struct SoftEvents {
    /// (k,) numbers of soft things, also of removed ones.
    things: Py<PyArray1<i64>>,
    /// (k,) numbers of bodies, also of removed ones.
    bodies: Py<PyArray1<i64>>,
    /// (k,) true if they began to touch, false if they ended.
    began: Py<PyArray1<bool>>,
}

type AnyOr<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// Reads points in single precision.
fn points(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<Vec3>> {
    Ok(Rows::points(object, name)?.numbers()?.vectors().iter().map(|v| v.as_vec3()).collect())
}

/// The arguments that cloth, ropes and soft bodies have in common.
struct Common<'a, 'py> {
    density: Option<f32>,
    thickness: Option<f32>,
    material: Option<&'a Bound<'py, PyMaterial>>,
    filter: Option<&'a Bound<'py, PyFilter>>,
    pinned: Option<Vec<u32>>,
    velocity: AnyOr<'a, 'py>,
}

impl Common<'_, '_> {
    fn apply(self, mut desc: SoftBodyDesc) -> PyResult<SoftBodyDesc> {
        if let Some(density) = self.density {
            desc = desc.with_density(density);
        }
        if let Some(thickness) = self.thickness {
            desc = desc.with_thickness(thickness);
        }
        if let Some(material) = self.material {
            let material = &material.get().material;
            desc = desc.with_friction(material.friction).with_restitution(material.restitution);
            desc = desc.with_rules(material.friction_rule, material.restitution_rule);
        }
        if let Some(filter) = self.filter {
            desc = desc.with_filter(filter.get().filter);
        }
        let velocity = vector_or_zero(self.velocity, "velocity")?.as_vec3();
        Ok(desc.with_pinned(&self.pinned.unwrap_or_default()).with_velocity(velocity))
    }
}

#[pymethods]
impl PyWorld {
    /// Adds a cloth and returns its number among the soft things: vertices of the shape (n, 3), and
    /// three vertex indices for each of m faces.
    ///
    /// `density` is a mass per area, 0.2 if not given. `thickness` is the diameter of the ball
    /// around each vertex, three quarters of the mean edge if not given. Vertices in `pinned` stay.
    /// `stretch_stiffness` is a force over a length, `bend_stiffness` a force times a length.
    /// `material` gives the friction, the restitution and both rules; its other members do not
    /// count. `filter` selects the bodies that it meets, as that of a collider does.
    #[pyo3(signature = (vertices, faces, *, density = None, thickness = None, material = None, filter = None, pinned = None, velocity = None, stretch_stiffness = f32::INFINITY, bend_stiffness = 0.0))]
    fn add_cloth(
        &mut self,
        vertices: &Bound<'_, PyAny>,
        faces: &Bound<'_, PyAny>,
        density: Option<f32>,
        thickness: Option<f32>,
        material: Option<&Bound<'_, PyMaterial>>,
        filter: Option<&Bound<'_, PyFilter>>,
        pinned: Option<Vec<u32>>,
        velocity: AnyOr<'_, '_>,
        stretch_stiffness: f32,
        bend_stiffness: f32,
    ) -> PyResult<u32> {
        let vertices = points(vertices, "vertices")?;
        let faces = array::triangles(faces, "faces", vertices.len())?;
        let settings = ClothSettings::default()
            .with_stretch_stiffness(stretch_stiffness)
            .with_bend_stiffness(bend_stiffness);
        let common = Common { density, thickness, material, filter, pinned, velocity };
        self.insert_soft(common.apply(SoftBodyDesc::cloth(&vertices, &faces, settings))?)
    }

    /// Adds a rope through points, (n, 3), and returns its number among the soft things. `density`
    /// is a mass per length, 0.1 if not given. The others are those of `add_cloth`.
    #[pyo3(signature = (points, *, density = None, thickness = None, material = None, filter = None, pinned = None, velocity = None, stretch_stiffness = f32::INFINITY, bend_stiffness = 0.0))]
    fn add_rope(
        &mut self,
        points: &Bound<'_, PyAny>,
        density: Option<f32>,
        thickness: Option<f32>,
        material: Option<&Bound<'_, PyMaterial>>,
        filter: Option<&Bound<'_, PyFilter>>,
        pinned: Option<Vec<u32>>,
        velocity: AnyOr<'_, '_>,
        stretch_stiffness: f32,
        bend_stiffness: f32,
    ) -> PyResult<u32> {
        let points = self::points(points, "points")?;
        let settings = RopeSettings::default()
            .with_stretch_stiffness(stretch_stiffness)
            .with_bend_stiffness(bend_stiffness);
        let common = Common { density, thickness, material, filter, pinned, velocity };
        self.insert_soft(common.apply(SoftBodyDesc::rope(&points, settings))?)
    }

    /// Adds a soft body and returns its number among the soft things: vertices of the shape (n, 3),
    /// and four vertex indices for each of m tetrahedra. `density` is a mass per volume, 1000 if
    /// not given; `youngs_modulus` is a pressure. The others are those of `add_cloth`.
    #[pyo3(signature = (vertices, tetrahedra, *, density = None, thickness = None, material = None, filter = None, pinned = None, velocity = None, youngs_modulus = None, poisson_ratio = None))]
    fn add_soft_body(
        &mut self,
        vertices: &Bound<'_, PyAny>,
        tetrahedra: &Bound<'_, PyAny>,
        density: Option<f32>,
        thickness: Option<f32>,
        material: Option<&Bound<'_, PyMaterial>>,
        filter: Option<&Bound<'_, PyFilter>>,
        pinned: Option<Vec<u32>>,
        velocity: AnyOr<'_, '_>,
        youngs_modulus: Option<f32>,
        poisson_ratio: Option<f32>,
    ) -> PyResult<u32> {
        let vertices = points(vertices, "vertices")?;
        let cells = array::index_rows::<4>(tetrahedra, "tetrahedra", vertices.len())?;
        let mut settings = SoftBodySettings::default();
        if let Some(modulus) = youngs_modulus {
            settings = settings.with_youngs_modulus(modulus);
        }
        if let Some(ratio) = poisson_ratio {
            settings = settings.with_poisson_ratio(ratio);
        }
        let common = Common { density, thickness, material, filter, pinned, velocity };
        self.insert_soft(common.apply(SoftBodyDesc::volume(&vertices, &cells, settings))?)
    }

    /// Adds particles at positions, (n, 3), and returns their number among the soft things. `kind`
    /// is "grains", "liquid" or "gas". All liquids and gases of a world have one radius.
    ///
    /// `density` is a mass per volume. A gas rises with `lift` times gravity, 0.5 if not given, and
    /// loses the part `drag` of its speed per second, 0.5 if not given. `material` gives both
    /// rules, grains and liquids their friction, and grains their restitution. `filter` selects the
    /// bodies that they meet.
    #[pyo3(signature = (positions, radius, *, kind = "grains", density = None, lift = None, drag = None, material = None, filter = None, velocity = None))]
    fn add_particles(
        &mut self,
        positions: &Bound<'_, PyAny>,
        radius: f32,
        kind: &str,
        density: Option<f32>,
        lift: Option<f32>,
        drag: Option<f32>,
        material: Option<&Bound<'_, PyMaterial>>,
        filter: Option<&Bound<'_, PyFilter>>,
        velocity: AnyOr<'_, '_>,
    ) -> PyResult<u32> {
        let positions = points(positions, "positions")?;
        if let (Some(name), true) = (lift.map(|_| "lift").or(drag.map(|_| "drag")), kind != "gas") {
            return Err(error::value(name, format!("is not for the kind {kind:?}")));
        }
        let material = material.map(|material| &material.get().material);
        let phase = match kind {
            "grains" => {
                let mut grains = Grains::default();
                if let Some(density) = density {
                    grains = grains.with_density(density);
                }
                if let Some(material) = material {
                    grains = grains.with_friction(material.friction).with_restitution(material.restitution);
                }
                ParticlePhase::Grains(grains)
            }
            "liquid" => {
                let mut liquid = Liquid::default();
                if let Some(density) = density {
                    liquid = liquid.with_density(density);
                }
                if let Some(material) = material {
                    liquid.friction = material.friction;
                }
                ParticlePhase::Liquid(liquid)
            }
            "gas" => {
                let mut gas = Gas::default();
                gas.density = density.unwrap_or(gas.density);
                let (lift, drag) = (lift.unwrap_or(gas.lift), drag.unwrap_or(gas.drag));
                ParticlePhase::Gas(gas.with_lift(lift).with_drag(drag))
            }
            other => {
                let wanted = format!("must be \"grains\", \"liquid\" or \"gas\", not {other:?}");
                return Err(error::value("kind", wanted));
            }
        };
        let velocity = vector_or_zero(velocity, "velocity")?.as_vec3();
        let mut desc = ParticlesDesc::new(phase, radius).with_positions(&positions).with_velocity(velocity);
        if let Some(material) = material {
            desc = desc.with_rules(material.friction_rule, material.restitution_rule);
        }
        if let Some(filter) = filter {
            desc = desc.with_filter(filter.get().filter);
        }
        self.soft.next("soft things")?;
        let id = self.world.insert_particles(desc).map_err(error::world)?;
        Ok(self.soft.push(SoftThing::Particles(id)))
    }

    /// Sets the settings of the steps of all soft things; those that are not given stay.
    ///
    /// `substeps` are those of a step of 1/60 s, and `iterations` those in a substep, both from 1
    /// to 256. A grain or a vertex slower than `rest_speed`, in lengths per second, stays where it
    /// is; 0 for none.
    #[pyo3(signature = (*, substeps = None, iterations = None, rest_speed = None))]
    fn set_soft_settings(
        &mut self,
        substeps: Option<u32>,
        iterations: Option<u32>,
        rest_speed: Option<f32>,
    ) -> PyResult<()> {
        let mut settings = *self.world.soft_settings();
        settings.substeps = substeps.unwrap_or(settings.substeps);
        settings.iterations = iterations.unwrap_or(settings.iterations);
        settings.rest_speed = rest_speed.unwrap_or(settings.rest_speed);
        self.world.set_soft_settings(settings).map_err(error::world)
    }

    /// Pins vertices of a cloth, a rope or a soft body, (k,). They move to `positions`, (k, 3), in
    /// the next step, and stay there; without positions they stay where they are.
    #[pyo3(signature = (number, vertices, positions = None))]
    fn pin_soft(&mut self, number: u32, vertices: Vec<u32>, positions: AnyOr<'_, '_>) -> PyResult<()> {
        let id = self.soft_body_id(number, &vertices)?;
        let positions = match positions {
            Some(positions) => points(positions, "positions")?,
            None => {
                let all = self.world.soft_body(id).map_err(error::world)?.positions();
                vertices.iter().map(|vertex| all[*vertex as usize]).collect()
            }
        };
        if positions.len() != vertices.len() {
            let (n, given) = (vertices.len(), positions.len());
            return Err(error::value("positions", format!("{given} rows for {n} vertices")));
        }
        if let Some(i) = positions.iter().position(|position| !position.is_finite()) {
            return Err(error::value(&format!("positions[{i}]"), "must be finite"));
        }
        let mut positions = positions.into_iter();
        self.change_vertices(id, number, &vertices, |soft, vertex| match positions.next() {
            Some(position) => soft.pin(vertex, position).map(|_| ()),
            None => Ok(()),
        })
    }

    /// Attaches vertices of a cloth, a rope or a soft body, (k,), to a body, where they are in its
    /// frame. The body pulls them, and they pull the body.
    fn attach_soft(&mut self, number: u32, vertices: Vec<u32>, body: u32) -> PyResult<()> {
        let (id, body) = (self.soft_body_id(number, &vertices)?, self.id(body)?);
        self.change_vertices(id, number, &vertices, |soft, vertex| soft.attach(vertex, body).map(|_| ()))
    }

    /// Releases vertices, (k,), that were pinned or attached.
    fn release_soft(&mut self, number: u32, vertices: Vec<u32>) -> PyResult<()> {
        let id = self.soft_body_id(number, &vertices)?;
        self.change_vertices(id, number, &vertices, |soft, vertex| soft.release(vertex).map(|_| ()))
    }

    /// The pairs of a soft thing and a body that began or ended to touch in the last step, sorted.
    fn soft_events(&self, py: Python<'_>) -> SoftEvents {
        let events = self.world.soft_events();
        SoftEvents {
            things: array(py, events.iter().map(|event| self.soft.number(event.thing)).collect()).unbind(),
            bodies: array(py, events.iter().map(|event| self.bodies.number(event.body)).collect()).unbind(),
            began: array(py, events.iter().map(|event| event.began).collect()).unbind(),
        }
    }

    /// Sets the filter of a soft thing: which bodies it meets.
    fn set_soft_filter(&mut self, number: u32, filter: &Bound<'_, PyFilter>) -> PyResult<()> {
        let filter = filter.get().filter;
        match self.soft_thing(number)? {
            SoftThing::Body(id) => {
                self.world.soft_body_mut(id).map_err(error::world)?.set_filter(filter);
            }
            SoftThing::Particles(id) => {
                self.world.particles_mut(id).map_err(error::world)?.set_filter(filter);
            }
        }
        Ok(())
    }

    /// Removes a cloth, a rope, a soft body, or particles.
    fn remove_soft(&mut self, number: u32) -> PyResult<()> {
        let thing = self.soft_thing(number)?;
        let removed = match thing {
            SoftThing::Body(id) => self.world.remove_soft_body(id),
            SoftThing::Particles(id) => self.world.remove_particles(id),
        };
        removed.map_err(error::world)?;
        self.soft.remove(thing);
        Ok(())
    }

    /// The positions of the vertices of a soft thing, or of its particles, (n, 3).
    fn soft_positions<'py>(&self, py: Python<'py>, number: u32) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let positions = match self.soft_thing(number)? {
            SoftThing::Body(id) => self.world.soft_body(id).map_err(error::world)?.positions(),
            SoftThing::Particles(id) => self.world.particles(id).map_err(error::world)?.positions(),
        };
        array_rows(py, positions.iter().map(|p| p.as_dvec3().to_array()).collect())
    }

    /// The velocities of the vertices of a soft thing, or of its particles, (n, 3).
    fn soft_velocities<'py>(&self, py: Python<'py>, number: u32) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let velocities = match self.soft_thing(number)? {
            SoftThing::Body(id) => self.world.soft_body(id).map_err(error::world)?.velocities(),
            SoftThing::Particles(id) => self.world.particles(id).map_err(error::world)?.velocities(),
        };
        array_rows(py, velocities.iter().map(|v| v.as_dvec3().to_array()).collect())
    }
}

impl PyWorld {
    /// Inserts a soft body, and returns its number.
    fn insert_soft(&mut self, desc: SoftBodyDesc) -> PyResult<u32> {
        self.soft.next("soft things")?;
        let id = self.world.insert_soft_body(desc).map_err(error::world)?;
        Ok(self.soft.push(SoftThing::Body(id)))
    }

    /// Returns the handle of a cloth, a rope or a soft body with these vertices.
    fn soft_body_id(&self, number: u32, vertices: &[u32]) -> PyResult<SoftBodyId> {
        let SoftThing::Body(id) = self.soft_thing(number)? else {
            return Err(error::world(format!("soft thing {number}: particles have no vertices")));
        };
        let n = self.world.soft_body(id).map_err(error::world)?.positions().len();
        match vertices.iter().enumerate().find(|(_, vertex)| n <= **vertex as usize) {
            Some((i, vertex)) => {
                Err(error::value(&format!("vertices[{i}]"), format!("vertex {vertex} of {n} does not exist")))
            }
            None => Ok(id),
        }
    }

    /// Applies a change to each of these vertices, which exist.
    fn change_vertices(
        &mut self,
        id: SoftBodyId,
        number: u32,
        vertices: &[u32],
        mut change: impl FnMut(&mut SoftBodyMut<'_>, u32) -> Result<(), carom_world::WorldError>,
    ) -> PyResult<()> {
        let soft = self.world.soft_body_mut(id);
        let changed = soft.and_then(|mut soft| vertices.iter().try_for_each(|v| change(&mut soft, *v)));
        changed.map_err(|e| error::world(format!("soft thing {number}: {e}")))
    }

    /// Returns the handle of a soft thing, or an error that names its number.
    fn soft_thing(&self, number: u32) -> PyResult<SoftThing> {
        self.soft
            .handle(number)
            .ok_or_else(|| WorldError::new_err(format!("soft thing {number} does not exist")))
    }
}
