//! The actions of a user on a world, between two steps.
//!
//! Reference: E. Catto, Box2D 3.1, samples, 2024 (the actions of a user in a testbed).

use crate::drag::Drag;
use crate::scenes::{AnyWorld, Error};
use carom_broad::Mobility;
use carom_geom::{Capsule, Cone, ConvexHull, Cuboid, Cylinder, Sphere, TriMesh};
use carom_math::Vec3;
use carom_query::{MeshShape, Shape};
use carom_world::{BodyDesc, BodyId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;

/// An action of a user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub enum Action {
    /// Takes hold of the first thing on a ray: a dynamic body at that point, a vertex of a cloth,
    /// a rope or a soft body, or some particles.
    Grab {
        /// The origin of the ray.
        origin: [f32; 3],
        /// Its direction.
        direction: [f32; 3],
    },
    /// Pulls the held thing towards a place.
    Drag {
        /// The place.
        to: [f32; 3],
    },
    /// Lets go of the held thing.
    Release,
    /// Shoots a heavy ball, which passes through no fixed body.
    Shoot {
        /// Its first position.
        origin: [f32; 3],
        /// Its velocity.
        velocity: [f32; 3],
        /// Its radius.
        radius: f32,
    },
    /// Inserts a body.
    Spawn {
        /// Its shape.
        shape: SpawnShape,
        /// Its first position.
        at: [f32; 3],
        /// Half of its size.
        size: f32,
    },
    /// Inserts a mesh as a body that moves.
    Drop {
        /// Positions of its vertices.
        vertices: Vec<[f32; 3]>,
        /// Three of them for each triangle.
        triangles: Vec<[u32; 3]>,
        /// The first position of its middle.
        at: [f32; 3],
        /// Half of its largest extent.
        size: f32,
    },
    /// Changes a setting of all bodies, or of the solver.
    Set {
        /// The setting.
        setting: Setting,
        /// Its value; 0 or 1 for a switch.
        value: f32,
    },
}

/// A shape that a user can spawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SpawnShape {
    /// A cube.
    Box,
    /// A ball.
    Ball,
    /// A capsule.
    Capsule,
    /// A cylinder.
    Cylinder,
    /// A cone.
    Cone,
    /// An octahedron.
    Hull,
    /// A ring of hulls.
    Ring,
}

/// A setting that a user can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Setting {
    /// Acceleration along -y.
    Gravity,
    /// Friction of all bodies.
    Friction,
    /// Restitution of all bodies.
    Restitution,
    /// Substeps of a step.
    Substeps,
    /// Whether bodies fall asleep.
    Sleeping,
    /// Whether all dynamic bodies are swept in each step.
    Ccd,
}

/// Density of spawned bodies, in kg/m3: about that of wood.
const DENSITY: f32 = 400.0;

/// Density of a ball that is shot, in kg/m3.
const SHOT_DENSITY: f32 = 4000.0;

impl Action {
    /// Applies the action, unless it is a change of a setting: see [`set`]. Returns the body that
    /// it adds.
    ///
    /// Errors: those of the world, or an invalid mesh.
    pub(crate) fn apply(
        &self,
        world: &mut AnyWorld,
        drag: &mut Option<Drag>,
    ) -> Result<Option<BodyId>, Error> {
        let desc = match self {
            Action::Grab { origin, direction } => {
                release(world, drag)?;
                *drag = Drag::grab(world, Vec3::from_array(*origin), Vec3::from_array(*direction));
                return Ok(None);
            }
            Action::Drag { to } => {
                if let Some(drag) = drag {
                    drag.to = Vec3::from_array(*to);
                }
                return Ok(None);
            }
            Action::Release => {
                release(world, drag)?;
                return Ok(None);
            }
            Action::Set { .. } => return Ok(None),
            Action::Shoot { origin, velocity, radius } => {
                let ball = BodyDesc::dynamic(Shape::Sphere(Sphere::new(*radius)?)).with_density(SHOT_DENSITY);
                let ball = ball.with_position(Vec3::from_array(*origin)).with_ccd(true);
                ball.with_linear_velocity(Vec3::from_array(*velocity))
            }
            Action::Spawn { shape, at, size } => {
                let desc = BodyDesc::dynamic(shape.shape(*size)?).with_density(DENSITY);
                desc.with_position(Vec3::from_array(*at))
            }
            Action::Drop { vertices, triangles, at, size } => {
                let desc = BodyDesc::dynamic(dropped(vertices, triangles, *size)?).with_density(DENSITY);
                desc.with_position(Vec3::from_array(*at))
            }
        };
        Ok(Some(world.insert(desc)?))
    }
}

/// Lets go of the held thing, if there is one.
pub(crate) fn release(world: &mut AnyWorld, drag: &mut Option<Drag>) -> Result<(), Error> {
    drag.take().map_or(Ok(()), |drag| drag.end(world))
}

impl SpawnShape {
    fn shape(self, size: f32) -> Result<Shape, Error> {
        Ok(match self {
            SpawnShape::Box => Shape::Cuboid(Cuboid::new(Vec3::splat(size))?),
            SpawnShape::Ball => Shape::Sphere(Sphere::new(size)?),
            SpawnShape::Capsule => Shape::Capsule(Capsule::new(0.6 * size, 0.5 * size)?),
            SpawnShape::Cylinder => Shape::Cylinder(Cylinder::new(0.8 * size, 0.8 * size)?),
            SpawnShape::Cone => Shape::Cone(Cone::new(size, 0.9 * size)?),
            SpawnShape::Hull => {
                let corners = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| [axis * size, axis * -size]);
                Shape::Hull(Arc::new(ConvexHull::from_points(corners.as_flattened())?))
            }
            SpawnShape::Ring => {
                let (major, minor) = (0.75 * f64::from(size), 0.25 * f64::from(size));
                carom_stage::shape_of(&carom_scenes::torus_compound(major, minor, 10))?
            }
        })
    }
}

/// Returns the shape of a mesh, moved with its middle to the origin and scaled so that half its
/// largest extent is `size`.
fn dropped(vertices: &[[f32; 3]], triangles: &[[u32; 3]], size: f32) -> Result<Shape, Error> {
    let points = || vertices.iter().map(|v| Vec3::from_array(*v));
    let min = points().fold(Vec3::INFINITY, Vec3::min);
    let max = points().fold(Vec3::NEG_INFINITY, Vec3::max);
    let largest = 0.5 * (max - min).max_element();
    if !(0.0 < largest && largest.is_finite()) {
        return Err("the mesh has no size".into());
    }
    let middle = min * 0.5 + max * 0.5;
    let scaled: Vec<Vec3> = points().map(|v| (v - middle) * (size / largest)).collect();
    let mesh = TriMesh::new(scaled.clone(), triangles.to_vec())?;
    let mesh = MeshShape::new(mesh)?;
    // A mesh whose inside is not known has no mass: its hull moves in its place.
    if mesh.ambiguity().is_none() && 0.0 < mesh.mass_properties(DENSITY).mass {
        Ok(Shape::Mesh(Arc::new(mesh)))
    } else {
        Ok(Shape::Hull(Arc::new(ConvexHull::from_points(&scaled)?)))
    }
}

/// Changes a setting of the world, or of some of its bodies. `swept` are the bodies that a switch
/// has made swept: switched off, they are as the scene has them, and others do not change.
pub(crate) fn set(
    world: &mut AnyWorld,
    setting: Setting,
    value: f32,
    bodies: &[BodyId],
    swept: &mut BTreeSet<BodyId>,
) -> Result<(), Error> {
    let mut settings = *world.settings();
    match setting {
        Setting::Gravity => settings.solver.gravity = Vec3::Y * -value,
        Setting::Substeps => settings.solver.substeps = value as u32,
        Setting::Sleeping => settings.solver.sleep = value != 0.0,
        Setting::Friction => {
            bodies.iter().try_for_each(|&id| world.body_mut(id)?.set_friction(value).map(drop))?
        }
        Setting::Restitution => {
            bodies.iter().try_for_each(|&id| world.body_mut(id)?.set_restitution(value).map(drop))?
        }
        Setting::Ccd if value == 0.0 => {
            for id in core::mem::take(swept) {
                if world.body(id).is_ok() {
                    world.body_mut(id)?.set_ccd(false)?;
                }
            }
        }
        Setting::Ccd => {
            for &id in bodies {
                let body = world.body(id)?;
                if body.mobility() == Mobility::Dynamic && !body.ccd() {
                    world.body_mut(id)?.set_ccd(true)?;
                    swept.insert(id);
                }
            }
        }
    }
    if settings != *world.settings() {
        world.set_settings(settings)?;
    }
    Ok(())
}
