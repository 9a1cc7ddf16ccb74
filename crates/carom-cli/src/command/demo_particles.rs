//! `carom demo` of particles: water in a tank, sand in an hourglass, rain on a street, and all
//! kinds at once.
//!
//! `--check` tests each frame: no particle may leave its vessel, and no pair of triangles may
//! cross. If only gravity moves the particles, the energy must not grow. In an elastic scene it
//! must not exceed that of the start.

mod everything;

use crate::args::DemoArgs;
use crate::command::demo_run::{Checked, Run, chart, every, hash, pool_of};
use crate::player::{
    BodyState, Chart, FaceState, FrameStats, PlayerCloud, PlayerMesh, PlayerShape, Recording, SurfaceFrame,
    View,
};
use crate::progress::Progress;
use crate::report::text;
use crate::skins::Crossings;
use carom_math::{Mat3, Pose, Quat, Vec3};
use carom_particles::{
    BodyBoundary, Bounce, Camera, DepthBuffer, FieldBoundary, Grains, Liquid, ParticleError,
    ParticleSettings, ParticleSolver, StepOutcome, Surface, SurfaceMesh, Surroundings, liquid_surface,
};
use carom_scenes::Rng;
use std::time::Instant;

const DT: f32 = 1.0 / 60.0;
const GRAVITY: f32 = 9.81;

/// The rise of the energy above its least value so far that is allowed, as a share of the energy at
/// the start.
const ENERGY_SLACK: f64 = 0.01;

/// Cell size of the drawn surface, in particle radii. The size of the page grows with its inverse
/// square.
const SKIN_CELL: f32 = 1.5;

/// The most faults that are kept as lines.
const MAX_FOUND: usize = 100;

/// Runs one of the scenes.
pub(crate) fn play(args: &DemoArgs) -> Result<Run, String> {
    let mut scene: Box<dyn Scene + Send> = match args.scene.as_str() {
        "sand" => Box::new(Hourglass::new(args.n_bodies()).map_err(text)?),
        "rain" => Box::new(Rain::new(args.n_bodies(), args.seed).map_err(text)?),
        "everything" => Box::new(everything::Everything::new(args.n_bodies())?),
        _ => Box::new(Tank::new(args.n_bodies()).map_err(text)?),
    };
    pool_of(args)?.install(|| simulate(&mut *scene, args))
}

/// A scene that is drawn, stepped and checked.
trait Scene {
    /// Returns the title, the shapes of the bodies, and the view.
    fn picture(&self) -> (&'static str, Vec<PlayerShape>, View);

    /// Returns the clouds. Their particles come first in [`Scene::positions`], cloud after cloud.
    fn clouds(&self) -> Vec<PlayerCloud>;

    /// Returns the surfaces. Their vertices are the particles after those of the clouds, surface
    /// after surface.
    fn surfaces(&self) -> Vec<PlayerMesh> {
        Vec::new()
    }

    /// Returns the radius of the particles of the first cloud in metres, if they are a liquid.
    fn liquid_radius(&self) -> Option<f32> {
        None
    }

    /// Returns the chart that only this scene has.
    fn chart(&self) -> Chart;

    /// Advances the scene by one step.
    fn step(&mut self) -> Result<(), String>;

    /// Returns the poses of the bodies, in the order of their shapes.
    fn poses(&self) -> Vec<Pose>;

    /// Returns the index of the body that moves, if one does.
    fn mover(&self) -> Option<usize> {
        None
    }

    /// Returns the positions of the particles after the last step.
    fn positions(&self) -> &[Vec3];

    /// Returns the value for [`Scene::chart`].
    fn value(&mut self) -> Result<f64, ParticleError>;

    /// Returns the kinetic plus potential energy of particles and bodies, in joules. Returns `None`
    /// if not only gravity moves them.
    fn energy(&mut self) -> Option<f64>;

    /// Whether elastic bodies store energy that [`Scene::energy`] does not count, and give it back.
    fn is_elastic(&self) -> bool {
        false
    }

    /// Returns how far a point is outside of the vessel, in metres; at most 0 inside.
    fn outside(&self, point: Vec3) -> f32;
}

fn simulate(scene: &mut (dyn Scene + Send), args: &DemoArgs) -> Result<Run, String> {
    let (title, shapes, view) = scene.picture();
    let (n_bodies, clouds, surfaces) = (shapes.len(), scene.clouds(), scene.surfaces());
    let mut crossings = Crossings::new(&surfaces)?;
    let (n_particles, radius) = (scene.positions().len(), clouds[0].radius);
    let counts: Vec<usize> = clouds.iter().map(|cloud| cloud.n).collect();
    let n_faces: Vec<usize> = surfaces.iter().map(|surface| surface.triangles.len()).collect();
    let n_vertices: Vec<usize> = surfaces.iter().map(|surface| surface.vertices.len()).collect();
    let seconds = f64::from(DT) * f64::from(every(args));
    let mut recording = Recording::new(title, seconds, shapes, (0..n_bodies as u32).collect())
        .with_clouds(clouds)
        .with_surfaces(surfaces)
        .with_view(view)
        .with_charts(vec![chart("time of a step", "ms", &["step"]), scene.chart()]);
    if args.surface {
        recording = recording.with_skin(0).with_shown(&["skin"]);
    }
    let mut checked = Checked {
        n_faults: 0,
        found: Vec::new(),
        n_left_out: 0,
        holds: "no particle is lost; no faces cross; no energy comes",
    };
    let mut fault = |line: String| {
        checked.n_faults += 1;
        if checked.found.len() < MAX_FOUND {
            checked.found.push(line);
        }
    };
    let (mut energies, mut least, mut total, mut worst) = (Vec::new(), f64::INFINITY, 0.0, 0.0_f64);
    let mut progress = Progress::new("frames", u64::from(args.n_frames()));
    for frame in 0..=args.n_frames() {
        let start = Instant::now();
        if 0 < frame {
            scene.step().map_err(|e| format!("frame {frame}: {e}"))?;
        }
        let ms = start.elapsed().as_secs_f64() * 1e3;
        total += ms;
        worst = worst.max(ms);
        if let Some(energy) = scene.energy() {
            let first = *energies.first().unwrap_or(&energy);
            if least + ENERGY_SLACK * first < energy {
                fault(format!("frame {frame}: the energy rises from {least:.3} to {energy:.3} J"));
            }
            least = if scene.is_elastic() { first } else { least.min(energy) };
            energies.push(energy);
        }
        if args.check {
            let lost = scene.positions().iter().position(|p| radius < scene.outside(*p));
            if let Some(particle) = lost {
                fault(format!("frame {frame}: particle {particle} is outside"));
            }
            let crossing = crossings.count(&scene.positions()[counts.iter().sum()..])?;
            if 0 < crossing {
                fault(format!("frame {frame}: {crossing} pairs of faces cross"));
            }
        }
        if frame % every(args) == 0 {
            let value = scene.value().map_err(|e| format!("frame {frame}: {e}"))?;
            let poses = scene.poses();
            let mut states = vec![BodyState::Fixed; poses.len()];
            if let Some(mover) = scene.mover() {
                states[mover] = BodyState::InContact;
            }
            recording.push(poses, states, &[], FrameStats { values: vec![ms, value] });
            let mut left = scene.positions();
            let mut take = |n: usize| {
                let (first, rest) = left.split_at(n);
                left = rest;
                first.to_vec()
            };
            recording.push_clouds(counts.iter().map(|&n| take(n)).collect());
            let frames = n_vertices.iter().zip(&n_faces).map(|(&n, &n_faces)| SurfaceFrame {
                vertices: take(n),
                faces: vec![FaceState::Free; n_faces],
            });
            recording.push_surfaces(frames.collect());
            if let (true, Some(radius)) = (args.surface, scene.liquid_radius()) {
                let liquid = &scene.positions()[..counts[0]];
                let SurfaceMesh { vertices, triangles, .. } =
                    liquid_surface(liquid, radius, SKIN_CELL * radius)
                        .map_err(|e| format!("frame {frame}: {e}"))?;
                recording.push_skin(PlayerMesh { vertices, triangles });
            }
        }
        progress.step();
    }
    let mean = total / f64::from(args.n_frames());
    let bits = scene.positions().iter().flat_map(|p| p.to_array().map(|x| u64::from(x.to_bits())));
    let hash = hash(bits);
    let mut run = Run::of(hash, n_bodies, [0.0, 0.0, mean], 0, energies, recording);
    run.summary = Some(format!(
        "{title}; {n_particles} particles, {} steps of 1/60 s; mean milliseconds of a step {mean:.3}, the longest \
         {worst:.3}",
        args.n_frames()
    ));
    run.check = args.check.then_some(checked);
    Ok(run)
}

fn view(target: [f32; 3], distance: f32, yaw: f32, pitch: f32) -> View {
    View { target: Vec3::from_array(target), distance, yaw, pitch, speed: 1.0 }
}

/// Returns the smaller of two signed distances, with its gradient.
fn nearer(a: (f32, Vec3), b: (f32, Vec3)) -> (f32, Vec3) {
    if b.0 < a.0 { b } else { a }
}

/// Returns the signed distance from a ball around the origin, and its gradient.
fn ball(point: Vec3, radius: f32) -> (f32, Vec3) {
    (point.length() - radius, point.normalize_or(Vec3::Y))
}

/// Returns the kinetic plus potential energy of all particles, in joules.
fn energy_of(solver: &ParticleSolver) -> f64 {
    let particles = (0..solver.n_particles() as u32).filter_map(|id| {
        let (position, velocity) = (solver.position(id)?, solver.velocity(id)?);
        let mass = 1.0 / f64::from(solver.inverse_mass(id)?);
        Some(mass * f64::from(0.5 * velocity.length_squared() + GRAVITY * position.y))
    });
    particles.sum()
}

// ---- Water breaks over rocks and through a ring, and carries a ball.

const TANK: Vec3 = Vec3::new(2.4, 2.0, 0.9);
/// Centres and radii of two balls on the floor, one on each side of the ring's axis.
const ROCKS: [(Vec3, f32); 2] = [(Vec3::new(1.15, 0.0, 0.2), 0.2), (Vec3::new(1.25, 0.0, 0.72), 0.15)];
const RING: (Vec3, f32, f32) = (Vec3::new(1.65, 0.3, 0.45), 0.28, 0.07);
const FLOAT_RADIUS: f32 = 0.14;
/// The mass of a ball half as dense as water, in kilograms.
const FLOAT_MASS: f32 = 500.0 * 4.189 * FLOAT_RADIUS * FLOAT_RADIUS * FLOAT_RADIUS;

/// Returns the signed distance from the ring, and its gradient. The ring stands across the tank:
/// its axis is x.
fn ring(point: Vec3) -> (f32, Vec3) {
    let (middle, major, minor) = RING;
    let p = point - middle;
    let spine = Vec3::new(0.0, p.y, p.z).normalize_or(Vec3::Y) * major;
    ball(p - spine, minor)
}

fn tank_obstacles(point: Vec3) -> (f32, Vec3) {
    ROCKS.iter().fold(ring(point), |least, &(middle, radius)| nearer(least, ball(point - middle, radius)))
}

struct Tank {
    solver: ParticleSolver,
    positions: Vec<Vec3>,
    center: Vec3,
    turn: Quat,
    velocity: Vec3,
    spin: Vec3,
}

impl Tank {
    fn new(n: usize) -> Result<Tank, ParticleError> {
        // The water starts as a block of 0.8 by 0.9 by 0.9 metres.
        let spacing = (0.8 * 0.9 * 0.9 / n as f32).cbrt();
        let mut solver = ParticleSolver::new(ParticleSettings::new(0.5 * spacing))?;
        let sides = [(Vec3::X, 0.0), (Vec3::NEG_X, -TANK.x), (Vec3::Z, 0.0), (Vec3::NEG_Z, -TANK.z)];
        for (normal, offset) in sides.into_iter().chain([(Vec3::Y, 0.0)]) {
            solver.add_plane(normal, offset, &Surface::default())?;
        }
        let [x, z] = [0.8, 0.9].map(|side: f32| (side / spacing).floor().max(1.0) as usize);
        let position_of =
            |i: usize| Vec3::new((i % x) as f32, (i / (x * z)) as f32, (i / x % z) as f32) + 0.5;
        let positions: Vec<Vec3> = (0..n).map(|i| position_of(i) * spacing).collect();
        solver.add_liquid(&Liquid::default(), &positions)?;
        let center = Vec3::new(2.0, FLOAT_RADIUS, 0.5);
        let still = Vec3::ZERO;
        Ok(Tank { solver, positions, center, turn: Quat::IDENTITY, velocity: still, spin: still })
    }
}

impl Scene for Tank {
    fn mover(&self) -> Option<usize> {
        Some(1 + ROCKS.len())
    }

    fn picture(&self) -> (&'static str, Vec<PlayerShape>, View) {
        let (_, major, minor) = RING;
        let torus = carom_scenes::mesh::torus(f64::from(major), f64::from(minor), 2000);
        let mut shapes = vec![PlayerShape::Mesh(PlayerMesh {
            vertices: torus.vertices_f32(),
            triangles: torus.triangles,
        })];
        shapes.extend(ROCKS.map(|(_, radius)| PlayerShape::Capsule(0.0, radius)));
        shapes.push(PlayerShape::Capsule(0.0, FLOAT_RADIUS));
        shapes.extend([Vec3::Y, Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z].map(PlayerShape::Plane));
        ("water breaks over rocks", shapes, view([1.2, 0.35, 0.45], 3.2, 0.25, 0.35))
    }

    fn clouds(&self) -> Vec<PlayerCloud> {
        vec![PlayerCloud {
            name: "particles of water".to_owned(),
            n: self.solver.n_particles(),
            radius: 0.55 * self.solver.spacing(),
            colour: [52, 116, 190],
            foam_speed: 4.0,
        }]
    }

    fn liquid_radius(&self) -> Option<f32> {
        Some(0.5 * self.solver.spacing())
    }

    fn chart(&self) -> Chart {
        chart("denser than at rest", "%", &["mean of the water"])
    }

    fn step(&mut self) -> Result<(), String> {
        let fields = [FieldBoundary { distance: &tank_obstacles, surface: Surface::default() }];
        let shape = |p: Vec3| ball(p, FLOAT_RADIUS);
        let inverse_inertia = 2.5 / (FLOAT_MASS * FLOAT_RADIUS * FLOAT_RADIUS);
        let mut bodies = [BodyBoundary {
            inverse_mass: 1.0 / FLOAT_MASS,
            inverse_inertia: Mat3::IDENTITY * inverse_inertia,
            linear_velocity: self.velocity,
            angular_velocity: self.spin,
            ..BodyBoundary::fixed(&shape, Pose::new(self.turn, self.center))
        }];
        let mut around = Surroundings { fields: &fields, bodies: &mut bodies, ..Surroundings::default() };
        self.solver.step_in(DT, &mut around).map_err(text)?;
        self.solver.collect_positions(&mut self.positions);
        // The impulse of the water on the ball, and that of the ball's weight.
        self.velocity += bodies[0].impulse / FLOAT_MASS - Vec3::Y * (GRAVITY * DT);
        self.spin += bodies[0].angular_impulse * inverse_inertia;
        self.center += self.velocity * DT;
        self.turn = (Quat::from_scaled_axis(self.spin * DT) * self.turn).normalize();
        // The walls, the rocks and the ring stop the ball without a bounce.
        let (depth, normal) = tank_obstacles(self.center);
        let mut stops = vec![(depth - FLOAT_RADIUS, normal)];
        for (axis, side) in [(Vec3::X, TANK.x), (Vec3::Z, TANK.z), (Vec3::Y, f32::INFINITY)] {
            let along = self.center.dot(axis);
            stops.extend([(along - FLOAT_RADIUS, axis), (side - along - FLOAT_RADIUS, -axis)]);
        }
        for (room, normal) in stops.into_iter().filter(|(room, _)| *room < 0.0) {
            self.center -= normal * room;
            self.velocity -= normal * self.velocity.dot(normal).min(0.0);
        }
        Ok(())
    }

    fn poses(&self) -> Vec<Pose> {
        let mut poses = vec![Pose::new(Quat::from_rotation_z(core::f32::consts::FRAC_PI_2), RING.0)];
        poses.extend(ROCKS.map(|(middle, _)| Pose::from_translation(middle)));
        poses.push(Pose::new(self.turn, self.center));
        let corner = TANK * Vec3::new(1.0, 0.0, 1.0);
        poses.extend([Vec3::ZERO, Vec3::ZERO, corner, Vec3::ZERO, corner].map(Pose::from_translation));
        poses
    }

    fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    fn value(&mut self) -> Result<f64, ParticleError> {
        Ok(100.0 * f64::from(self.solver.compression()?.mean))
    }

    fn energy(&mut self) -> Option<f64> {
        let moved = 0.5 * self.velocity.length_squared()
            + 0.2 * FLOAT_RADIUS * FLOAT_RADIUS * self.spin.length_squared();
        Some(energy_of(&self.solver) + f64::from(FLOAT_MASS * (moved + GRAVITY * self.center.y)))
    }

    fn outside(&self, p: Vec3) -> f32 {
        (-p.min_element()).max(p.x - TANK.x).max(p.z - TANK.z).max(-tank_obstacles(p).0)
    }
}

// ---- Sand runs through an hourglass.

const GLASS_HEIGHT: f32 = 0.8;
const GLASS_RADIUS: f32 = 0.45;
const GLASS_SLOPE: f32 = 0.7;

/// Returns the distance from a point inside the glass to its wall, and the gradient. The glass is
/// two cones that meet in a neck at the origin, cut by a tube.
fn glass(point: Vec3, neck: f32) -> (f32, Vec3) {
    let from_axis = Vec3::new(point.x, 0.0, point.z);
    let (radius, out) = (from_axis.length(), from_axis.normalize_or(Vec3::X));
    let steepness = (1.0 + GLASS_SLOPE * GLASS_SLOPE).sqrt();
    let cone = (neck + GLASS_SLOPE * point.y.abs() - radius) / steepness;
    let inward = (Vec3::Y * (GLASS_SLOPE * point.y.signum()) - out) / steepness;
    nearer((cone, inward), (GLASS_RADIUS - radius, -out))
}

struct Hourglass {
    solver: ParticleSolver,
    positions: Vec<Vec3>,
    neck: f32,
}

impl Hourglass {
    fn new(n: usize) -> Result<Hourglass, ParticleError> {
        // The sand fills about half of the upper part.
        let spacing = (0.12 / n as f32).cbrt();
        let neck = 3.2 * spacing;
        let mut solver = ParticleSolver::new(ParticleSettings::new(0.5 * spacing).with_substeps(6))?;
        solver.add_plane(Vec3::Y, -GLASS_HEIGHT, &Surface::default())?;
        // Grains start above the neck, layer after layer.
        let side = (2.0 * GLASS_RADIUS / spacing) as usize;
        let positions: Vec<Vec3> = (0..)
            .map(|i: usize| {
                let at = Vec3::new((i % side) as f32, (i / (side * side)) as f32, (i / side % side) as f32);
                (at + 0.5) * spacing - Vec3::new(GLASS_RADIUS, 0.0, GLASS_RADIUS)
            })
            .filter(|p| 0.6 * spacing < glass(*p, neck).0)
            .take(n)
            .collect();
        solver.add_grains(&Grains::default(), &positions)?;
        Ok(Hourglass { solver, positions, neck })
    }
}

impl Scene for Hourglass {
    fn picture(&self) -> (&'static str, Vec<PlayerShape>, View) {
        // This draws only the half of the glass that is behind the sand.
        let (rows, columns) = (40_u32, 33_u32);
        let mut mesh = PlayerMesh::default();
        for row in 0..=rows {
            let y = GLASS_HEIGHT * (2.0 * row as f32 / rows as f32 - 1.0);
            let radius = (self.neck + GLASS_SLOPE * y.abs()).min(GLASS_RADIUS);
            for column in 0..columns {
                let (sine, cosine) =
                    (core::f32::consts::PI * (column as f32 / (columns - 1) as f32)).sin_cos();
                mesh.vertices.push(Vec3::new(radius * cosine, y, -radius * sine));
            }
        }
        for corner in (0..rows).flat_map(|row| (0..columns - 1).map(move |c| row * columns + c)) {
            let [a, b, c, d] = [corner, corner + 1, corner + columns, corner + columns + 1];
            mesh.triangles.extend([[a, c, b], [b, c, d]]);
        }
        let shapes = vec![PlayerShape::Mesh(mesh), PlayerShape::Plane(Vec3::Y)];
        ("sand runs through an hourglass", shapes, view([0.0, -0.1, 0.0], 2.9, 0.0, 0.12))
    }

    fn clouds(&self) -> Vec<PlayerCloud> {
        vec![PlayerCloud {
            name: "grains".to_owned(),
            n: self.solver.n_particles(),
            radius: 0.5 * self.solver.spacing(),
            colour: [214, 176, 104],
            foam_speed: f32::INFINITY,
        }]
    }

    fn chart(&self) -> Chart {
        chart("sand below the neck", "%", &["grains"])
    }

    fn step(&mut self) -> Result<(), String> {
        let neck = self.neck;
        let wall = move |p: Vec3| glass(p, neck);
        let fields = [FieldBoundary { distance: &wall, surface: Surface::default().with_friction(0.1) }];
        let mut around = Surroundings { fields: &fields, ..Surroundings::default() };
        self.solver.step_in(DT, &mut around).map_err(text)?;
        self.solver.collect_positions(&mut self.positions);
        Ok(())
    }

    fn poses(&self) -> Vec<Pose> {
        vec![Pose::IDENTITY, Pose::from_translation(Vec3::NEG_Y * GLASS_HEIGHT)]
    }

    fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    fn value(&mut self) -> Result<f64, ParticleError> {
        let n = self.solver.n_particles();
        let below = self.positions().iter().filter(|p| p.y < 0.0).count();
        Ok(100.0 * below as f64 / n as f64)
    }

    fn energy(&mut self) -> Option<f64> {
        // Heights count from the floor, so that the energy is positive.
        let mass: f64 = (0..self.solver.n_particles() as u32)
            .filter_map(|id| self.solver.inverse_mass(id))
            .map(|inverse| 1.0 / f64::from(inverse))
            .sum();
        Some(energy_of(&self.solver) + mass * f64::from(GRAVITY * GLASS_HEIGHT))
    }

    fn outside(&self, p: Vec3) -> f32 {
        (-glass(p, self.neck).0).max(-GLASS_HEIGHT - p.y)
    }
}

// ---- Rain on a street with a house and an awning: drops meet the depth image of a camera above.

/// Centres and half extents of boxes: the house, its awning, and two for a car.
const BOXES: [(Vec3, Vec3); 4] = [
    (Vec3::new(-3.5, 1.5, 0.0), Vec3::new(1.5, 1.5, 4.0)),
    (Vec3::new(-1.4, 2.0, 0.0), Vec3::new(0.6, 0.04, 2.5)),
    (Vec3::new(2.0, 0.5, 0.8), Vec3::new(0.8, 0.3, 1.8)),
    (Vec3::new(2.0, 1.0, 1.0), Vec3::new(0.7, 0.3, 0.9)),
];
const STREET: f32 = 5.0;
const CLOUDS: f32 = 7.0;

struct Rain {
    buffer: DepthBuffer,
    positions: Vec<Vec3>,
    velocities: Vec<Vec3>,
    outcomes: Vec<StepOutcome>,
    rng: Rng,
    n_bounced: usize,
}

impl Rain {
    fn new(n: usize, seed: u64) -> Result<Rain, ParticleError> {
        let down = Quat::from_xyzw(-0.5_f32.sqrt(), 0.0, 0.0, 0.5_f32.sqrt());
        let above = Pose::new(down, Vec3::Y * 12.0);
        let mut buffer =
            DepthBuffer::new(Camera::orthographic(&above, 2.0 * STREET, 1.0, 0.1, 20.0)?, 512, 512)?;
        let street = (Vec3::NEG_Y * 0.1, Vec3::new(STREET, 0.1, STREET));
        for (middle, half) in BOXES.into_iter().chain([street]) {
            let corner =
                |i: u32| Vec3::from_array([0, 1, 2].map(|k| if i >> k & 1 == 1 { 1.0 } else { -1.0 }));
            let corners: Vec<Vec3> = (0..8).map(|i| middle + corner(i) * half).collect();
            buffer.draw(&corners, &[[2, 6, 7], [2, 7, 3]], &Pose::IDENTITY)?;
        }
        let mut rain = Rain {
            buffer,
            positions: Vec::new(),
            velocities: Vec::new(),
            outcomes: Vec::new(),
            rng: Rng::new(seed),
            n_bounced: 0,
        };
        for _ in 0..n {
            let height = rain.rng.range(0.1, f64::from(CLOUDS)) as f32;
            let (position, velocity) = rain.drop_at(height);
            rain.positions.push(position);
            rain.velocities.push(velocity);
        }
        Ok(rain)
    }

    fn drop_at(&mut self, height: f32) -> (Vec3, Vec3) {
        let [x, z] = [0; 2].map(|_| self.rng.range(-1.0, 1.0) as f32 * STREET);
        (Vec3::new(x, height, z), Vec3::new(0.4, -7.0, 0.0))
    }
}

impl Scene for Rain {
    fn picture(&self) -> (&'static str, Vec<PlayerShape>, View) {
        let mut shapes: Vec<PlayerShape> = BOXES.map(|(_, half)| PlayerShape::Cuboid(half)).into();
        shapes.push(PlayerShape::Plane(Vec3::Y));
        ("rain on a street", shapes, view([-0.2, 1.4, 0.0], 11.0, 0.6, 0.35))
    }

    fn clouds(&self) -> Vec<PlayerCloud> {
        vec![PlayerCloud {
            name: "drops".to_owned(),
            n: self.positions.len(),
            radius: 0.02,
            colour: [96, 140, 190],
            foam_speed: f32::INFINITY,
        }]
    }

    fn chart(&self) -> Chart {
        chart("drops that bounce in a step", "", &["bounces"])
    }

    fn step(&mut self) -> Result<(), String> {
        for velocity in &mut self.velocities {
            // Drag holds drops at about 8 m/s.
            *velocity += (Vec3::NEG_Y * GRAVITY - *velocity * (velocity.length() * GRAVITY / 64.0)) * DT;
        }
        let bounce = Bounce::default().with_restitution(0.25);
        let Rain { buffer, positions, velocities, outcomes, .. } = self;
        let counts = buffer.advance(positions, velocities, DT, &bounce, outcomes).map_err(text)?;
        self.n_bounced = counts.n_bounced;
        // Drops that have settled, were killed or left the street fall again from the clouds.
        for i in 0..self.positions.len() {
            let has_settled =
                self.outcomes[i] == StepOutcome::Bounced && self.velocities[i].length_squared() < 0.25;
            if has_settled
                || self.outcomes[i] == StepOutcome::Killed
                || self.positions[i].y < 0.0
                || STREET < self.positions[i].x.abs()
            {
                (self.positions[i], self.velocities[i]) = self.drop_at(CLOUDS);
            }
        }
        Ok(())
    }

    fn poses(&self) -> Vec<Pose> {
        BOXES.iter().map(|(middle, _)| Pose::from_translation(*middle)).chain([Pose::IDENTITY]).collect()
    }

    fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    fn value(&mut self) -> Result<f64, ParticleError> {
        Ok(self.n_bounced as f64)
    }

    fn energy(&mut self) -> Option<f64> {
        None
    }

    fn outside(&self, p: Vec3) -> f32 {
        -p.y
    }
}
