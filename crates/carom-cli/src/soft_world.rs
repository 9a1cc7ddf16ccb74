//! The loop that moves a soft body and lets no pair of triangles cross.
//!
//! - carom-particles moves the body in small substeps, and carom-deform finds the features that are
//!   near each other. [`FeatureContacts`] pushes them apart, and limits how far particles move.
//! - Obstacles that move consist of particles of infinite mass. If a limit stops one of them, all
//!   obstacles that move wait for a substep.
//! - A plate breaks at the end of a frame: the mesh tears along its seams, and the torn borders are
//!   drawn back a little. If exact tests find a crossing then, the plate does not break yet.
//!
//! So triangles that do not cross at the start never cross, even if the constraints do not
//! converge (test: `soft::the_last_line_of_defence_holds_alone`).
//!
//! Reference: J. O'Brien, J. Hodgins, Graphical Modeling and Animation of Brittle Fracture, 1999.
//! Differs: cracks follow seams, by their bend and stretch.

use crate::player::FaceState;
use crate::report::text;
use crate::skins::{apart, own_features};
use crate::touches::Touches;
use carom_deform::{DeformError, DeformableMesh, FeatureSearch, NearPair, RefitTree};
use carom_math::Vec3;
use carom_particles::{
    Cloth, ClothSettings, ConstraintError, FeatureContacts, NearFeatures, ParticleBody, SmallSteps, SoftBody,
    SoftBodySettings, StepMemory,
};
use carom_scenes::soft::{ObstacleSpec, Path, Seam, SoftMaterial, SoftScene};
use core::ops::Range;

/// Seconds of a frame.
pub const FRAME: f64 = 1.0 / 60.0;

/// Metres per second squared, downwards.
pub const GRAVITY: f64 = 9.81;

/// Distance within which features become contacts, in gaps.
const REACH: f32 = 2.4;

/// Approximate distance that a particle may move in a substep, in gaps.
const TRAVEL: f32 = 1.0;

/// Substeps of a frame, at least and at most.
const SUBSTEPS: Range<f32> = 8.0..32.0;

/// The rate per second at which changes of shape are damped.
const DAMPING: f32 = 2.0;

/// Pressure of the air on a sheet per speed against it, in newton seconds per cubic metre.
const AIR_PUSH: f32 = 0.6;

/// Distance by which the torn border of a plate is drawn back, in gaps.
const DRAWN_BACK: f32 = 0.8;

/// A soft body and the obstacles around it, in motion.
pub struct SoftWorld {
    scene: SoftScene,
    body: Box<dyn ParticleBody>,
    /// Positions of the particles of obstacles that move, then of those of the body.
    positions: Vec<Vec3>,
    velocities: Vec<Vec3>,
    inverse_masses: Vec<f32>,
    steps: SmallSteps,
    memory: StepMemory,
    collider: Collider,
    /// Whether each seam of a plate is broken.
    is_broken: Vec<bool>,
    touches: Touches,
    seconds: f64,
}

/// Counts over all substeps so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SoftCounters {
    /// Substeps.
    pub steps: u64,
    /// Searches for features that are near.
    pub searches: u64,
    /// Pairs of features that all searches found.
    pub contacts: u64,
    /// Particles that were stopped at the limit of their motion, over all substeps.
    pub stopped: u64,
    /// Substeps in which obstacles that move waited.
    pub waited: u64,
    /// Seams that broke.
    pub broken: u64,
}

/// An obstacle, with its mesh in the present position.
struct Obstacle {
    spec: ObstacleSpec,
    mesh: DeformableMesh<RefitTree>,
    /// Its particles, if it moves.
    particles: Option<Range<usize>>,
}

/// A collider that keeps surfaces apart.
struct Collider {
    mesh: DeformableMesh<RefitTree>,
    obstacles: Vec<Obstacle>,
    /// The first particle of the body.
    first: usize,
    contacts: FeatureContacts,
    search: FeatureSearch,
    pairs: Vec<NearPair>,
    near: Vec<NearFeatures>,
    /// Positions that particles would have without contacts.
    wanted: Vec<Vec3>,
    /// The time of obstacles that move, in seconds.
    seconds: f64,
    counters: SoftCounters,
    error: Option<String>,
}

impl SoftWorld {
    /// Returns the scene at time 0; an error if positions are not finite, or if elements name
    /// particles that do not exist.
    pub fn new(scene: SoftScene) -> Result<SoftWorld, String> {
        let mesh = match &scene.material {
            SoftMaterial::Cloth { triangles, .. } | SoftMaterial::Plate { triangles, .. } => {
                DeformableMesh::from_triangles(&scene.positions, triangles.clone())
            }
            SoftMaterial::Jelly { tetrahedra, .. } => {
                DeformableMesh::from_tetrahedra(&scene.positions, tetrahedra)
            }
        };
        let mesh = mesh.map_err(text)?.with_trees();
        let (mut obstacles, mut positions) = (Vec::new(), Vec::new());
        for spec in &scene.obstacles {
            let vertices = spec.mesh.vertices_f32();
            let mesh = DeformableMesh::from_triangles(&vertices, spec.mesh.triangles.clone());
            let mesh = mesh.map_err(text)?.with_trees();
            let particles = (spec.path != Path::Still).then(|| {
                let first = positions.len();
                positions.extend_from_slice(&vertices);
                first..positions.len()
            });
            obstacles.push(Obstacle { spec: spec.clone(), mesh, particles });
        }
        let first = positions.len();
        let mut inverse_masses = vec![0.0; first];
        positions.extend_from_slice(&scene.positions);
        inverse_masses.extend_from_slice(&scene.inverse_masses);
        let substeps = scene.speed * FRAME as f32 / (TRAVEL * scene.gap);
        let substeps = substeps.ceil().clamp(SUBSTEPS.start, SUBSTEPS.end) as u32;
        Ok(SoftWorld {
            body: body_of(&scene, &mesh, first).map_err(text)?,
            velocities: vec![Vec3::ZERO; positions.len()],
            inverse_masses,
            steps: SmallSteps::default().with_substeps(substeps).with_drag(scene.air.drag as f32),
            memory: StepMemory::default(),
            is_broken: vec![false; seams_of(&scene).len()],
            touches: Touches::new(&mesh),
            seconds: 0.0,
            collider: Collider {
                contacts: contacts_of(&scene, positions.len()).map_err(text)?,
                mesh,
                obstacles,
                first,
                search: FeatureSearch::default(),
                pairs: Vec::new(),
                near: Vec::new(),
                wanted: Vec::new(),
                seconds: 0.0,
                counters: SoftCounters::default(),
                error: None,
            },
            positions,
            scene,
        })
    }

    /// Returns the positions of the particles of the body, in metres.
    pub fn positions(&self) -> &[Vec3] {
        &self.positions[self.collider.first..]
    }

    /// Returns the velocities of the particles of the body in metres per second, to be changed.
    pub fn velocities_mut(&mut self) -> &mut [Vec3] {
        &mut self.velocities[self.collider.first..]
    }

    /// Returns the faces of the surface, as indices of particles of the body.
    pub fn faces(&self) -> &[[u32; 3]] {
        self.collider.mesh.faces()
    }

    /// Returns the time of obstacles that move, in seconds: less than that of the frames if they
    /// waited.
    pub fn obstacle_seconds(&self) -> f64 {
        self.collider.seconds
    }

    /// Returns the counts over all substeps so far.
    pub fn counters(&self) -> SoftCounters {
        self.collider.counters
    }

    /// Returns the kinetic energy, and the potential energy above height 0, in joules.
    pub fn energy(&self) -> [f64; 2] {
        let (mut kinetic, mut height) = (0.0, 0.0);
        for ((position, velocity), &inverse_mass) in
            self.positions.iter().zip(&self.velocities).zip(&self.inverse_masses)
        {
            if 0.0 < inverse_mass {
                kinetic += 0.5 * velocity.as_dvec3().length_squared() / f64::from(inverse_mass);
                height += GRAVITY * f64::from(position.y) / f64::from(inverse_mass);
            }
        }
        [kinetic, height]
    }

    /// Advances by one frame; an error says what failed.
    pub fn frame(&mut self) -> Result<(), String> {
        let (n, mut substep) = (self.steps.substeps, self.steps);
        substep.substeps = 1;
        let seconds = FRAME / f64::from(n);
        for _ in 0..n {
            self.blow(seconds as f32);
            let SoftWorld { body, positions, velocities, inverse_masses, memory, collider, .. } = self;
            let collide = |before: &[Vec3], positions: &mut [Vec3]| {
                let result = collider.collide(before, positions, inverse_masses, seconds);
                collider.error = collider.error.take().or(result.err());
            };
            let dt = seconds as f32;
            substep
                .advance(positions, velocities, inverse_masses, dt, &mut [&mut **body], memory, collide)
                .map_err(text)?;
            collider.error.take().map_or(Ok(()), Err)?;
            self.seconds += seconds;
        }
        self.update_meshes().map_err(text)?;
        self.break_seams()
    }

    /// Returns the numbers of pairs of faces that share a point, by exact tests: of the body with
    /// itself, and with obstacles.
    pub fn crossings(&mut self) -> [usize; 2] {
        self.collider.crossings()
    }

    /// Returns the state of each face. A face touches everything within 1.1 gaps of it.
    pub fn touches(&mut self) -> Vec<FaceState> {
        let Collider { mesh, obstacles, search, .. } = &mut self.collider;
        let reach = 1.1 * self.scene.gap;
        self.touches.add_own(search, mesh, reach);
        for obstacle in obstacles {
            self.touches.add_other(search, mesh, &mut obstacle.mesh, reach);
        }
        self.touches.take()
    }

    /// Pushes each triangle of a sheet along its normal, in proportion to its area and to the speed
    /// of the air against it.
    fn blow(&mut self, seconds: f32) {
        if let SoftMaterial::Jelly { .. } = self.scene.material {
            return;
        }
        let wind = self.scene.air.wind_at(self.seconds).as_vec3();
        let first = self.collider.first;
        for triangle in self.collider.mesh.faces() {
            let particles = triangle.map(|particle| first + particle as usize);
            let [a, b, c] = particles.map(|particle| self.positions[particle]);
            let normal = (b - a).cross(c - a);
            let area_twice = normal.length();
            if area_twice == 0.0 {
                continue;
            }
            let [u, v, w] = particles.map(|particle| self.velocities[particle]);
            let against = (wind - (u + v + w) / 3.0).dot(normal) / area_twice;
            // The area is half the length of the normal, and each corner gets a third of the
            // impulse.
            let impulse = normal * (against * AIR_PUSH * seconds / 6.0);
            for particle in particles {
                self.velocities[particle] += impulse * self.inverse_masses[particle];
            }
        }
    }

    /// Sets the meshes to the present positions.
    fn update_meshes(&mut self) -> Result<(), DeformError> {
        self.collider.update_meshes(&self.positions)
    }

    /// Tears the mesh of a plate along the seams that are bent or stretched too far.
    fn break_seams(&mut self) -> Result<(), String> {
        let seams = seams_of(&self.scene);
        let faces = self.collider.mesh.faces();
        let mut edges = Vec::new();
        for (seam, is_broken) in seams.iter().zip(&mut self.is_broken) {
            let [a, b] = seam.triangles.map(|triangle| faces[triangle as usize]);
            // The edge and its opposite corners; none if the triangles have parted.
            let Some((edge, [v, w])) = shared_edge(a, b) else { continue };
            let is_over = |now: &[Vec3]| {
                let at = |particle: u32| now[particle as usize];
                let strain = at(v).distance(at(w)) / {
                    let rest = |particle: u32| self.scene.positions[particle as usize];
                    rest(v).distance(rest(w))
                } - 1.0;
                let normal = |[p, q, r]: [u32; 3]| (at(q) - at(p)).cross(at(r) - at(p)).normalize_or_zero();
                seam.max_strain < strain || seam.max_angle < normal(a).angle_between(normal(b))
            };
            if !*is_broken && is_over(&self.positions[self.collider.first..]) {
                *is_broken = true;
                self.collider.counters.broken += 1;
            }
            if *is_broken {
                edges.push(edge);
            }
        }
        if edges.is_empty() {
            return Ok(());
        }
        let first = self.collider.first;
        let mut torn = self.collider.mesh.clone();
        let made = torn.tear(&edges).map_err(text)?;
        if made.is_empty() {
            return Ok(());
        }
        let mut rest = self.scene.positions.clone();
        rest.extend(made.iter().map(|&from| self.scene.positions[from as usize]));
        let mut now = torn.positions().to_vec();
        // Each side of the tear is drawn back towards its own triangles.
        let n_before = self.scene.positions.len() as u32;
        let copies = n_before..n_before + made.len() as u32;
        let mut parted: Vec<u32> = made.iter().copied().chain(copies).collect();
        parted.sort_unstable();
        parted.dedup();
        let travel = DRAWN_BACK * self.scene.gap;
        for positions in [&mut rest, &mut now] {
            let from = positions.clone();
            for &vertex in &parted {
                let own = torn.faces().iter().filter(|face| face.contains(&vertex));
                let inward: Vec3 =
                    own.flatten().map(|&corner| from[corner as usize] - from[vertex as usize]).sum();
                positions[vertex as usize] += inward.normalize_or_zero() * travel;
            }
        }
        torn.set_positions(&now).map_err(text)?;
        let whole = core::mem::replace(&mut self.collider.mesh, torn);
        if self.collider.crossings() != [0, 0] {
            self.collider.mesh = whole;
            return Ok(());
        }
        self.scene.positions = rest;
        self.positions.truncate(first);
        self.positions.extend_from_slice(&now);
        for &from in &made {
            self.velocities.push(self.velocities[first + from as usize]);
            self.inverse_masses.push(self.inverse_masses[first + from as usize]);
        }
        self.body = body_of(&self.scene, &self.collider.mesh, first).map_err(text)?;
        self.collider.contacts = contacts_of(&self.scene, self.positions.len()).map_err(text)?;
        self.touches = Touches::new(&self.collider.mesh);
        Ok(())
    }
}

impl Collider {
    /// Moves obstacles, and keeps particles from passing through surfaces in a substep.
    fn collide(
        &mut self,
        before: &[Vec3],
        positions: &mut [Vec3],
        inverse_masses: &[f32],
        seconds: f64,
    ) -> Result<(), String> {
        let end = self.seconds + seconds;
        self.counters.steps += 1;
        for obstacle in &self.obstacles {
            let Some(particles) = &obstacle.particles else { continue };
            let offset = obstacle.spec.path.offset(end);
            for (position, vertex) in
                positions[particles.clone()].iter_mut().zip(&obstacle.spec.mesh.vertices)
            {
                *position = (*vertex + offset).as_vec3();
            }
        }
        self.wanted.clear();
        self.wanted.extend_from_slice(positions);
        self.contacts.project(before, positions, inverse_masses).map_err(text)?;
        // A search comes only now, because the known contacts stop most particles that rest.
        if self.contacts.needs_search(before, positions, Vec3::ZERO).map_err(text)? {
            positions.copy_from_slice(&self.wanted);
            self.find_near(before).map_err(text)?;
            self.contacts.set(before, &self.near).map_err(text)?;
            self.contacts.project(before, positions, inverse_masses).map_err(text)?;
        }
        self.counters.stopped += self.contacts.limit(positions, Vec3::ZERO).map_err(text)? as u64;
        if positions[..self.first] == self.wanted[..self.first] {
            self.seconds = end;
        } else {
            // Their positions before are within the limits.
            positions[..self.first].copy_from_slice(&before[..self.first]);
            self.counters.waited += 1;
        }
        Ok(())
    }

    /// Sets the meshes to these positions.
    fn update_meshes(&mut self, positions: &[Vec3]) -> Result<(), DeformError> {
        self.mesh.set_positions(&positions[self.first..])?;
        self.obstacles.iter_mut().try_for_each(|obstacle| match &obstacle.particles {
            Some(particles) => obstacle.mesh.set_positions(&positions[particles.clone()]),
            None => Ok(()),
        })
    }

    /// Finds the features that are near each other at these positions.
    fn find_near(&mut self, positions: &[Vec3]) -> Result<(), DeformError> {
        self.update_meshes(positions)?;
        self.counters.searches += 1;
        self.near.clear();
        let reach = self.contacts.reach();
        let own = |vertex: u32| self.first as u32 + vertex;
        self.pairs.clear();
        self.pairs.extend_from_slice(self.search.within(&mut self.mesh, reach).finish().pairs);
        self.near.extend(self.pairs.iter().map(|pair| own_features(pair, &self.mesh, self.first as u32)));
        for obstacle in &mut self.obstacles {
            self.pairs.clear();
            let found = self.search.within((&mut self.mesh, &mut obstacle.mesh), reach).finish();
            self.pairs.extend_from_slice(found.pairs);
            self.near.extend(self.pairs.iter().map(|pair| {
                let stencil = pair.stencil(&self.mesh, &obstacle.mesh);
                let mut near = NearFeatures {
                    particles: stencil.vertices.map(own),
                    weights: stencil.weights.map(|weight| weight as f32),
                    ..apart(pair)
                };
                for i in stencil.n_first..4 {
                    match &obstacle.particles {
                        Some(particles) => near.particles[i] = particles.start as u32 + stencil.vertices[i],
                        // An obstacle that stands still has no particles.
                        None => (near.particles[i], near.weights[i]) = (near.particles[0], 0.0),
                    }
                }
                if obstacle.particles.is_none() {
                    (near.point, near.is_obstacle) = (pair.point_b.as_vec3(), true);
                }
                near
            }));
        }
        self.counters.contacts += self.near.len() as u64;
        Ok(())
    }

    fn crossings(&mut self) -> [usize; 2] {
        let own = self.search.crossings(&mut self.mesh).finish().pairs.len();
        let others = self
            .obstacles
            .iter_mut()
            .map(|obstacle| self.search.crossings((&mut self.mesh, &mut obstacle.mesh)).finish().pairs.len());
        [own, others.sum()]
    }
}

/// Returns the constraints of a body whose first particle has the index `first`.
fn body_of(
    scene: &SoftScene,
    mesh: &DeformableMesh<RefitTree>,
    first: usize,
) -> Result<Box<dyn ParticleBody>, ConstraintError> {
    let rest = &scene.positions;
    let cloth = ClothSettings::default().with_damping(DAMPING);
    Ok(match &scene.material {
        SoftMaterial::Cloth { bend_stiffness, .. } => {
            let settings = cloth.with_bend_stiffness(*bend_stiffness);
            Box::new(Cloth::new(first, rest, mesh.faces(), &settings)?)
        }
        SoftMaterial::Plate { stretch_stiffness, bend_stiffness, .. } => {
            let settings =
                cloth.with_bend_stiffness(*bend_stiffness).with_stretch_stiffness(*stretch_stiffness);
            Box::new(Cloth::new(first, rest, mesh.faces(), &settings)?)
        }
        SoftMaterial::Jelly { tetrahedra, youngs_modulus } => {
            let settings =
                SoftBodySettings::default().with_youngs_modulus(*youngs_modulus).with_damping(DAMPING);
            Box::new(SoftBody::new(first, rest, tetrahedra, &settings)?)
        }
    })
}

fn contacts_of(scene: &SoftScene, n_particles: usize) -> Result<FeatureContacts, ConstraintError> {
    FeatureContacts::new(0..n_particles, scene.gap, REACH * scene.gap, scene.friction)
}

/// Returns the seams of a plate; none for another material.
fn seams_of(scene: &SoftScene) -> &[Seam] {
    if let SoftMaterial::Plate { seams, .. } = &scene.material { seams } else { &[] }
}

/// Returns the edge that two triangles share, and the corner opposite to it in each; `None` if they
/// share no edge.
fn shared_edge(a: [u32; 3], b: [u32; 3]) -> Option<([u32; 2], [u32; 2])> {
    let alone = |one: [u32; 3], other: [u32; 3]| {
        let mut alone = one.into_iter().filter(|corner| !other.contains(corner));
        alone.next().filter(|_| alone.next().is_none())
    };
    let (v, w) = (alone(a, b)?, alone(b, a)?);
    let mut edge = a.into_iter().filter(|&corner| corner != v);
    Some(([edge.next()?, edge.next()?], [v, w]))
}
