//! The picture that a page draws of a testbed: flat buffers of numbers that a renderer reads from
//! memory, and the shapes that they refer to.
//!
//! Shapes rarely change, so they are JSON, with a version that changes when they do. Poses change
//! with each step, so they are a flat list of floats.
//!
//! Reference: Ericson, Real-Time Collision Detection, 2005, 13.3 (data in the order of access).

use crate::islands::islands;
use crate::scenes::{Error, walkers};
use crate::testbed::Testbed;
use crate::triangles::met;
use carom_broad::{BroadPhase as _, Mobility};
use carom_math::{Pose, Vec3};
use carom_query::Shape;
use carom_stage::{Outlines, PlayerShape};
use carom_world::{BodyId, SoftThing};
use serde::Deserialize;
use serde_json::{Value, json};

/// No index: the shape of a body that is drawn as a sheet, or the body and the island of a wheel.
pub const NONE: u32 = u32::MAX;

/// Floats of a pose: position, then quaternion as x, y, z, w.
const POSE: usize = 7;

/// The parts of a picture that are read only if they are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[allow(clippy::struct_excessive_bools)] // Each is a box that a user ticks.
pub struct Drawn {
    /// Contacts, with normals and impulses.
    pub contacts: bool,
    /// Joints.
    pub joints: bool,
    /// The boxes of the bodies.
    pub boxes: bool,
    /// The boxes inside of the broad phase: nodes of a tree, cells of a grid.
    pub volumes: bool,
    /// The islands of bodies that touch or are joined.
    pub islands: bool,
    /// The triangles of meshes and height fields in the contacts of the step.
    pub triangles: bool,
}

/// Numbers that a renderer reads after each step.
#[derive(Default)]
pub struct Picture {
    outlines: Outlines,
    version: u32,
    known: Vec<BodyId>,
    /// The world to which the bodies belong: [`Testbed::n_restores`].
    n_restores: u32,
    /// For each drawn thing: the index of its body, and the index of its shape.
    pub bodies: Vec<u32>,
    /// For each drawn thing: position, and quaternion as x, y, z, w.
    pub poses: Vec<f32>,
    /// For each drawn thing: 0 static or kinematic, 1 asleep, 2 awake, 3 in contact, 4 a
    /// character.
    pub states: Vec<u8>,
    /// For each contact that touches: point, normal from the first body to the second, impulse.
    pub contacts: Vec<f32>,
    /// Lines of joints: start, end. They go from the middle of each body to its point.
    pub joints: Vec<f32>,
    /// Boxes of the broad phase: least and greatest corner, and 1 if the body is awake, else 0.
    pub boxes: Vec<f32>,
    /// Boxes inside of the broad phase: least and greatest corner, and the level in its tree.
    pub volumes: Vec<f32>,
    /// For each drawn thing: the least index of a body in its island.
    pub islands: Vec<u32>,
    /// Corners of the triangles of meshes and height fields in contacts or under wheels: nine
    /// floats for each.
    pub triangles: Vec<f32>,
    /// Vertices of all sheets, one after the other.
    pub sheets: Vec<f32>,
    /// Positions of all particles and of the beads of ropes, cloud after cloud.
    pub particles: Vec<f32>,
    sheet_triangles: Vec<Vec<[u32; 3]>>,
    clouds: Vec<Cloud>,
}

/// Balls of one radius that are drawn: particles, or beads along a rope.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cloud {
    n: usize,
    radius: f32,
    is_rope: bool,
}

/// Beads from one vertex of a rope to the next: enough to look like a rope.
const BEADS_PER_SEGMENT: usize = 4;

impl Picture {
    /// Removes all shapes, for another scene.
    pub fn clear(&mut self) {
        *self = Picture { version: self.version + 1, ..Picture::default() };
    }

    /// Returns a number that changes when shapes, or the bodies that have them, change.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Reads the state of a testbed.
    ///
    /// Errors: a car without its body.
    pub fn update(&mut self, bed: &Testbed, drawn: Drawn) -> Result<(), Error> {
        let world = bed.world();
        let is_known = self.n_restores == bed.n_restores() && world.body_ids().eq(self.known.iter().copied());
        if !is_known || self.clouds != clouds(bed)? {
            self.number_bodies(bed)?;
        }
        let touching = self.read_contacts(bed, drawn.contacts);
        self.read_bodies(bed, &touching, drawn.boxes)?;
        self.volumes.clear();
        if drawn.volumes {
            world.broad_phase().visit_volumes(&mut |level, volume| {
                self.volumes.extend(volume.min.to_array());
                self.volumes.extend(volume.max.to_array());
                self.volumes.push(level as f32);
            });
        }
        self.islands.clear();
        if drawn.islands {
            let islands = islands(world);
            let indices = self.bodies.iter().step_by(2);
            self.islands.extend(indices.map(|&index| islands.get(index as usize).copied().unwrap_or(NONE)));
        }
        self.triangles.clear();
        if drawn.triangles {
            self.triangles.extend(met(bed).as_flattened().iter().flat_map(|corner| corner.to_array()));
        }
        self.joints.clear();
        if drawn.joints {
            self.read_joints(bed)?;
        }
        self.read_soft(bed);
        Ok(())
    }

    /// Reads the contacts, if they are drawn. Returns whether each body touches another, by index.
    fn read_contacts(&mut self, bed: &Testbed, is_drawn: bool) -> Vec<bool> {
        let mut touching = vec![false; self.known.last().map_or(0, |id| id.index() as usize + 1)];
        self.contacts.clear();
        for view in bed.world().contacts().filter(|view| view.is_touching) {
            for id in [view.a, view.b] {
                if let Some(touches) = touching.get_mut(id.index() as usize) {
                    *touches = true;
                }
            }
            if !is_drawn {
                continue;
            }
            for (k, manifold) in view.manifolds.iter().enumerate() {
                for (i, contact) in manifold.contacts().iter().enumerate() {
                    let impulse = view.impulses.get(k).map_or(0.0, |impulse| impulse.normal[i]);
                    self.contacts.extend(contact.middle().to_array());
                    self.contacts.extend(contact.normal.to_array());
                    self.contacts.push(impulse);
                }
            }
        }
        touching
    }

    /// Reads the poses and states of bodies and wheels.
    fn read_bodies(&mut self, bed: &Testbed, touching: &[bool], with_boxes: bool) -> Result<(), Error> {
        let world = bed.world();
        let mut walkers: Vec<BodyId> = bed.actors.walkers.iter().map(|walker| walker.hero.body()).collect();
        walkers.sort_unstable();
        self.poses.clear();
        self.states.clear();
        self.boxes.clear();
        for &id in &self.known {
            let body = world.body(id)?;
            let is_moved = body.mobility() == Mobility::Dynamic;
            let is_touching = touching.get(id.index() as usize) == Some(&true);
            push_pose(&mut self.poses, &body.pose());
            let is_walker = walkers.binary_search(&id).is_ok();
            self.states.push(match (is_moved, body.is_sleeping(), is_touching) {
                _ if is_walker => 4,
                (false, ..) => 0,
                (_, true, _) => 1,
                (.., false) => 2,
                (.., true) => 3,
            });
            if with_boxes && !matches!(body.shape(), Shape::HalfSpace(_)) {
                self.boxes.extend(body.aabb().min.to_array());
                self.boxes.extend(body.aabb().max.to_array());
                self.boxes.push(f32::from(u8::from(is_moved && !body.is_sleeping())));
            }
        }
        if let Some(car) = &bed.actors.car {
            for (pose, wheel) in walkers::wheel_poses(car, world)?.iter().zip(car.wheels()) {
                push_pose(&mut self.poses, pose);
                self.states.push(if 0.0 < wheel.load { 3 } else { 2 });
            }
        }
        Ok(())
    }

    fn read_joints(&mut self, bed: &Testbed) -> Result<(), Error> {
        let world = bed.world();
        for joint in world.joints() {
            let [a, b] = joint.bodies();
            let (body_a, body_b) = (world.body(a)?, world.body(b)?);
            let data = joint.data();
            // From the middle of A to its point, to the point of B, to the middle of B.
            let path = [
                body_a.motion().world_center(),
                body_a.pose().transform_point(data.frame_a.translation),
                body_b.pose().transform_point(data.frame_b.translation),
                body_b.motion().world_center(),
            ];
            let lines = path.windows(2).filter(|ends| ends[0] != ends[1]);
            self.joints.extend(lines.flatten().flat_map(|point| point.to_array()));
        }
        Ok(())
    }

    fn number_bodies(&mut self, bed: &Testbed) -> Result<(), Error> {
        let world = bed.world();
        self.version += 1;
        (self.known, self.n_restores) = (world.body_ids().collect(), bed.n_restores());
        self.bodies.clear();
        let appearance =
            |id| bed.actors.appearances.iter().find(|(body, _)| *body == id).map(|(_, shape)| shape);
        for (id, shape) in world.shapes() {
            let is_sheet = bed.actors.sheet.is_some_and(|(sheet, _)| sheet == id);
            let number =
                if is_sheet { NONE } else { self.outlines.number_of(appearance(id).unwrap_or(shape)) };
            self.bodies.extend([id.index(), number]);
        }
        if let Some(car) = &bed.actors.car {
            let wheel = self.outlines.number_of(&walkers::wheel()?);
            self.bodies.extend(car.wheels().iter().flat_map(|_| [NONE, wheel]));
        }
        self.clouds = clouds(bed)?;
        self.sheet_triangles.clear();
        if let Some((sheet, _)) = bed.actors.sheet
            && let Shape::Mesh(mesh) = world.body(sheet)?.shape()
        {
            self.sheet_triangles.push(mesh.mesh().indices().to_vec());
        }
        for thing in world.soft_things() {
            if let SoftThing::Body(id) = thing
                && let Some(mesh) = world.soft_body(id)?.mesh()
            {
                self.sheet_triangles.push(mesh.mesh().indices().to_vec());
            }
        }
        Ok(())
    }

    fn read_soft(&mut self, bed: &Testbed) {
        let world = bed.world();
        self.sheets.clear();
        self.particles.clear();
        if let Some((sheet, _)) = bed.actors.sheet
            && let Ok(body) = world.body(sheet)
            && let Shape::Mesh(mesh) = body.shape()
        {
            let pose = body.pose();
            let vertices = mesh.mesh().vertices().iter();
            self.sheets.extend(vertices.flat_map(|v| pose.transform_point(*v).to_array()));
        }
        for thing in world.soft_things() {
            match thing {
                SoftThing::Body(id) => {
                    let Ok(body) = world.soft_body(id) else { continue };
                    if body.mesh().is_some() {
                        self.sheets.extend(body.positions().iter().flat_map(|v| v.to_array()));
                    } else {
                        self.particles.extend(beads(body.positions()).flat_map(|v| v.to_array()));
                    }
                }
                SoftThing::Particles(id) => {
                    if let Ok(particles) = world.particles(id) {
                        self.particles.extend(particles.positions().iter().flat_map(|v| v.to_array()));
                    }
                }
            }
        }
    }

    /// Returns the number of particles, without the beads of ropes.
    pub fn n_particles(&self) -> usize {
        self.clouds.iter().filter(|cloud| !cloud.is_rope).map(|cloud| cloud.n).sum()
    }

    /// Describes the shapes from index `first` on, the sheets and the clouds of particles.
    pub fn layout(&self, first: usize) -> Value {
        let shapes: Vec<Value> = self.outlines.shapes().iter().skip(first).map(describe).collect();
        let sheets = self.sheet_triangles.iter();
        let clouds = self.clouds.iter();
        json!({
            "version": self.version,
            "shapes": shapes,
            "sheets": sheets.map(|triangles| json!({"triangles": triangles.as_flattened()})).collect::<Vec<_>>(),
            "clouds": clouds
                .map(|cloud| json!({"n": cloud.n, "radius": cloud.radius, "rope": cloud.is_rope}))
                .collect::<Vec<_>>(),
        })
    }
}

/// Returns points along a rope: its vertices, and evenly spaced ones between them.
fn beads(vertices: &[Vec3]) -> impl Iterator<Item = Vec3> + '_ {
    let n = if vertices.len() < 2 { 0 } else { n_beads(vertices.len()) };
    (0..n).map(|k| {
        let (segment, bead) = (k / BEADS_PER_SEGMENT, k % BEADS_PER_SEGMENT);
        let ends = [vertices[segment], vertices[(segment + 1).min(vertices.len() - 1)]];
        ends[0] + (ends[1] - ends[0]) * (bead as f32 / BEADS_PER_SEGMENT as f32)
    })
}

/// Returns the number of beads of a rope with at least two vertices.
fn n_beads(n_vertices: usize) -> usize {
    (n_vertices - 1) * BEADS_PER_SEGMENT + 1
}

/// Returns the clouds, in the order of the soft things.
fn clouds(bed: &Testbed) -> Result<Vec<Cloud>, Error> {
    let mut clouds = Vec::new();
    for thing in bed.world().soft_things() {
        match thing {
            SoftThing::Particles(id) => {
                let particles = bed.world().particles(id)?;
                let (n, radius) = (particles.positions().len(), particles.radius());
                clouds.push(Cloud { n, radius, is_rope: false });
            }
            SoftThing::Body(id) => {
                let body = bed.world().soft_body(id)?;
                if body.mesh().is_none() {
                    let n = beads(body.positions()).count();
                    clouds.push(Cloud { n, radius: body.radius(), is_rope: true });
                }
            }
        }
    }
    Ok(clouds)
}

fn push_pose(poses: &mut Vec<f32>, pose: &Pose) {
    let numbers: [f32; POSE] = {
        let ([x, y, z], [i, j, k, w]) = (pose.translation.to_array(), pose.rotation.to_array());
        [x, y, z, i, j, k, w]
    };
    poses.extend(numbers);
}

fn describe(shape: &PlayerShape) -> Value {
    match shape {
        PlayerShape::Cuboid(half) => json!({"kind": "box", "half": half.to_array()}),
        PlayerShape::Capsule(half, radius) => json!({"kind": "capsule", "half": half, "radius": radius}),
        PlayerShape::Plane(normal) => json!({"kind": "plane", "normal": normal.to_array()}),
        PlayerShape::Mesh(mesh) => {
            let points: Vec<f32> = mesh.vertices.iter().flat_map(|v| v.to_array()).collect();
            json!({"kind": "mesh", "points": points, "corners": mesh.triangles.as_flattened()})
        }
    }
}
