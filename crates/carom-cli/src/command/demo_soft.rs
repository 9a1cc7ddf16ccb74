//! `carom demo` of meshes that change their shape: cloth, jelly and a plate that breaks.
//!
//! Faces that touch are coloured. `--check` searches each frame for faces that cross, by exact
//! tests. If only gravity moves a mesh, the energy of cloth must not grow. That of jelly must not
//! exceed its energy at the start.

use crate::args::{ClothOver, DemoArgs};
use crate::command::demo_run::{Checked, Run, chart, every, hash};
use crate::player::{
    BodyState, FaceState, FrameStats, PlayerMesh, PlayerShape, Recording, SurfaceFrame, View,
};
use crate::progress::Progress;
use crate::soft_world::{FRAME, SoftWorld};
use carom_math::{Pose, Vec3};
use carom_scenes::soft::{self, ClothObstacle, Path, SoftMaterial, SoftScene};
use std::time::Instant;

/// The rise of the energy above its least value so far that is allowed, as a share of the energy at
/// the start.
const ENERGY_SLACK: f64 = 0.01;

/// The most faults that are kept as lines.
const MAX_FOUND: usize = 100;

/// Runs one of the scenes.
pub(crate) fn play(args: &DemoArgs) -> Result<Run, String> {
    let n = args.detail();
    let (scene, title, view) = match (args.scene.as_str(), args.over) {
        ("jelly", _) => (soft::jelly(n), "jelly falls on a floor", view([0.15, 0.6, -0.4], 3.3, 0.6, 0.25)),
        ("shatter", _) => (
            soft::shatter(n),
            "a ball breaks a plate",
            View { speed: 0.25, ..view([0.0, 0.45, -0.4], 3.4, 0.9, 0.25) },
        ),
        (_, Some(over)) => {
            let (over, title) = match over {
                ClothOver::Ball => (ClothObstacle::Ball, "cloth over a ball"),
                ClothOver::Corner => (ClothObstacle::Corner, "cloth over the corner of a box"),
                ClothOver::Edge => (ClothObstacle::Edge, "cloth over a sharp edge"),
                ClothOver::MovingBall => (ClothObstacle::MovingBall, "cloth over a moving ball"),
            };
            (soft::cloth_over(over, n), title, view([0.0, 0.02, 0.0], 2.3, 0.6, 0.3))
        }
        _ => (soft::flag(n), "a flag in the wind", view([0.6, 1.8, 0.0], 2.5, 0.3, 0.08)),
    };
    simulate(scene, title, view, args)
}

fn view(target: [f32; 3], distance: f32, yaw: f32, pitch: f32) -> View {
    View { target: Vec3::from_array(target), distance, yaw, pitch, speed: 1.0 }
}

/// Returns a pole beside the edge of the flag, as high as the flag hangs.
fn pole() -> PlayerMesh {
    let n = 16;
    let mut mesh = PlayerMesh::default();
    for k in 0..n {
        let (sine, cosine) = (core::f32::consts::TAU * k as f32 / n as f32).sin_cos();
        for y in [0.0, 2.56] {
            mesh.vertices.push(Vec3::new(0.03 * cosine - 0.03, y, -0.03 * sine));
        }
        let [a, b] = [2 * k, 2 * ((k + 1) % n)];
        mesh.triangles.extend([[a, b, a + 1], [b, b + 1, a + 1], [a + 1, b + 1, 2 * n]]);
    }
    mesh.vertices.push(Vec3::new(-0.03, 2.58, 0.0));
    mesh
}

fn simulate(scene: SoftScene, title: &str, view: View, args: &DemoArgs) -> Result<Run, String> {
    // Only wind and moving obstacles add energy.
    let keeps_energy = scene.air.wind.length_squared() == 0.0
        && scene.obstacles.iter().all(|obstacle| obstacle.path == Path::Still);
    let shapes = scene.obstacles.iter().map(|obstacle| {
        let mesh = &obstacle.mesh;
        if obstacle.is_floor {
            PlayerShape::Plane(Vec3::Y)
        } else {
            PlayerShape::Mesh(PlayerMesh { vertices: mesh.vertices_f32(), triangles: mesh.triangles.clone() })
        }
    });
    let mut shapes: Vec<PlayerShape> = shapes.collect();
    let mut paths: Vec<Path> = scene.obstacles.iter().map(|obstacle| obstacle.path).collect();
    if scene.obstacles.is_empty() {
        // The pole is only drawn: the cloth does not collide with it.
        shapes.push(PlayerShape::Mesh(pole()));
        shapes.push(PlayerShape::Plane(Vec3::Y));
        paths.extend([Path::Still; 2]);
    }
    let n_obstacles = shapes.len();
    let is_elastic = matches!(scene.material, SoftMaterial::Jelly { .. });
    // A plate gains vertices as it breaks, and its pieces are flat. So each face is drawn with
    // vertices of its own.
    let is_plate = matches!(scene.material, SoftMaterial::Plate { .. });
    let mut world = SoftWorld::new(scene)?;
    let vertices_of = |world: &SoftWorld| -> Vec<Vec3> {
        let own = world.faces().iter().flatten().map(|&corner| world.positions()[corner as usize]);
        if is_plate { own.collect() } else { world.positions().to_vec() }
    };
    let (n_vertices, n_faces) = (world.positions().len(), world.faces().len());
    let own = (0..n_faces as u32).map(|face| [3 * face, 3 * face + 1, 3 * face + 2]);
    let triangles = if is_plate { own.collect() } else { world.faces().to_vec() };
    let surface = PlayerMesh { vertices: vertices_of(&world), triangles };
    let mut recording =
        Recording::new(title, FRAME * f64::from(every(args)), shapes, (0..n_obstacles as u32).collect())
            .with_surfaces(vec![surface])
            .with_view(view)
            .with_charts(vec![
                chart("time of a frame", "ms", &["frame"]),
                chart("faces that touch", "", &["their own mesh", "another body"]),
                chart("energy", "J", &["kinetic", "height"]),
                chart("pairs in a search", "", &["pairs that are near"]),
            ]);
    let mut energy = Vec::with_capacity(args.n_frames() as usize);
    let mut checks = Checks::default();
    let (mut total, mut worst, mut n_touching) = (0.0, 0.0_f64, 0);
    let mut progress = Progress::new("frames", u64::from(args.n_frames()));
    for frame in 0..=args.n_frames() {
        let before = world.counters();
        let start = Instant::now();
        if 0 < frame {
            world.frame().map_err(|e| format!("frame {frame}: {e}"))?;
        }
        let ms = start.elapsed().as_secs_f64() * 1e3;
        total += ms;
        worst = worst.max(ms);
        let parts = world.energy();
        let sum: f64 = parts.iter().sum();
        if 0 < frame {
            energy.push(sum);
        }
        if args.check {
            checks.crossings(frame, world.crossings());
            if keeps_energy {
                checks.energy(frame, sum, is_elastic);
            }
        }
        if frame % every(args) == 0 {
            let touches = world.touches();
            let n_of = |state: FaceState| touches.iter().filter(|t| **t == state).count();
            let (own, other) = (n_of(FaceState::TouchesItself), n_of(FaceState::TouchesOther));
            n_touching = own + other;
            let counters = world.counters();
            let searches = (counters.searches - before.searches).max(1);
            let contacts = (counters.contacts - before.contacts) as f64 / searches as f64;
            let values = vec![ms, own as f64, other as f64, parts[0], parts[1], contacts.round()];
            let offsets = paths.iter().map(|path| path.offset(world.obstacle_seconds()).as_vec3());
            let poses = offsets.map(Pose::from_translation).collect();
            recording.push(poses, vec![BodyState::Fixed; n_obstacles], &[], FrameStats { values });
            recording.push_surfaces(vec![SurfaceFrame { vertices: vertices_of(&world), faces: touches }]);
        }
        progress.step();
    }
    let bits = world.positions().iter().flat_map(|p| p.to_array().map(|x| u64::from(x.to_bits())));
    let mean = total / f64::from(args.n_frames());
    let counters = world.counters();
    let mut run = Run::of(hash(bits), 1, [0.0, mean, 0.0], n_touching, energy, recording);
    let broken = if is_plate { format!("; {} seams are broken", counters.broken) } else { String::new() };
    run.summary = Some(format!(
        "{title}; {n_vertices} vertices, {n_faces} faces, {} frames of 1/60 s; mean milliseconds of a frame {mean:.3}, the \
         longest {worst:.3}\n  {} substeps, {} searches; {} times a particle was stopped at its limit; obstacles waited in \
         {} substeps\n  at the end {n_touching} faces touch{broken}",
        args.n_frames(),
        counters.steps,
        counters.searches,
        counters.stopped,
        counters.waited,
    ));
    run.check = args.check.then(|| checks.into());
    Ok(run)
}

/// The findings of `--check`.
#[derive(Default)]
struct Checks {
    n_faults: u64,
    found: Vec<String>,
    /// The energy at the start, and the least so far.
    energy: Option<[f64; 2]>,
}

impl Checks {
    fn fault(&mut self, line: String) {
        self.n_faults += 1;
        if self.found.len() < MAX_FOUND {
            self.found.push(line);
        }
    }

    fn crossings(&mut self, frame: u32, [own, others]: [usize; 2]) {
        if 0 < own + others {
            self.fault(format!("frame {frame}: {own} pairs of faces of one mesh cross, and {others} of two"));
        }
    }

    /// Compares the energy with the least so far. An elastic body gives stored energy back, so it
    /// is compared with the energy at the start.
    fn energy(&mut self, frame: u32, now: f64, is_elastic: bool) {
        let [first, least] = *self.energy.get_or_insert([now, now]);
        if least + ENERGY_SLACK * first.abs() < now {
            self.fault(format!("frame {frame}: the energy rose from {least} J to {now} J"));
        }
        self.energy = Some([first, if is_elastic { first } else { least.min(now) }]);
    }
}

impl From<Checks> for Checked {
    fn from(checks: Checks) -> Checked {
        let holds = if checks.energy.is_some() {
            "no pair of triangles crosses, and no energy comes from nowhere"
        } else {
            "no pair of triangles crosses"
        };
        Checked { n_faults: checks.n_faults, found: checks.found, n_left_out: 0, holds }
    }
}
