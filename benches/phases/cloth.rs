//! A cloth of 10,000 vertices that falls on a ball and drapes, with contacts of its own surface.

use carom_benches::{Answers, Comparison, Row, Runner, Unit};
use carom_deform::{DeformableMesh, FeatureSearch, RefitTree};
use carom_particles::{Cloth, ClothSettings, FeatureContacts, NearFeatures, SmallSteps, StepMemory};
use glam::Vec3;
use std::time::{Duration, Instant};

/// Vertices along a side.
const N: u32 = 100;
/// Distance of neighbouring vertices, in metres.
const SPACING: f32 = 0.01;
/// Frames of a run: a second.
const FRAMES: u64 = 60;

/// The cloth and the state of its simulation.
struct Drape {
    start: Vec<Vec3>,
    positions: Vec<Vec3>,
    velocities: Vec<Vec3>,
    inverse_masses: Vec<f32>,
    cloth: Cloth,
    mesh: DeformableMesh<RefitTree>,
    contacts: FeatureContacts,
    search: FeatureSearch,
    near: Vec<NearFeatures>,
    memory: StepMemory,
    has_contacts: bool,
    n_searches: usize,
    in_searches: Duration,
}

impl Drape {
    fn new() -> Drape {
        let at = |i: u32| Vec3::new((i % N) as f32 - 49.5, 28.0, (i / N) as f32 - 49.5) * SPACING;
        let start: Vec<Vec3> = (0..N * N).map(at).collect();
        let corners = (0..N * (N - 1)).filter(|i| i % N < N - 1);
        let triangles: Vec<[u32; 3]> =
            corners.flat_map(|i| [[i, i + N, i + 1], [i + 1, i + N, i + N + 1]]).collect();
        let settings = ClothSettings::default().with_bend_stiffness(1e-6);
        let cloth = Cloth::new(0, &start, &triangles, &settings).expect("a mesh");
        let (thickness, reach) = (0.3 * SPACING, 0.6 * SPACING);
        Drape {
            positions: start.clone(),
            velocities: vec![Vec3::ZERO; start.len()],
            inverse_masses: vec![5e4; start.len()],
            cloth,
            mesh: DeformableMesh::from_triangles(&start, triangles).expect("a mesh").with_trees(),
            contacts: FeatureContacts::new(0..start.len(), thickness, reach, 0.3).expect("settings"),
            search: FeatureSearch::default(),
            near: Vec::new(),
            memory: StepMemory::default(),
            has_contacts: true,
            n_searches: 0,
            in_searches: Duration::ZERO,
            start,
        }
    }

    fn restart(&mut self) {
        self.positions.copy_from_slice(&self.start);
        self.velocities.fill(Vec3::ZERO);
        self.n_searches = 0;
    }

    /// Simulates a sixtieth of a second.
    fn frame(&mut self) {
        let Drape { positions, velocities, inverse_masses, cloth, mesh, contacts, search, .. } = self;
        let (near, n_searches, in_searches) = (&mut self.near, &mut self.n_searches, &mut self.in_searches);
        let has_contacts = self.has_contacts;
        let collide = |before: &[Vec3], positions: &mut [Vec3]| {
            for position in positions.iter_mut() {
                let distance = position.length();
                if distance < 0.25 {
                    *position *= 0.25 / distance;
                }
            }
            if !has_contacts {
                return;
            }
            let drift = contacts.mean_motion(positions).expect("as many");
            if contacts.needs_search(before, positions, drift).expect("as many") {
                *n_searches += 1;
                let start = Instant::now();
                find(before, contacts.reach(), mesh, search, near);
                *in_searches += start.elapsed();
                contacts.set(before, near).expect("finite");
            }
            contacts.project(before, positions, inverse_masses).expect("as many");
            let drift = contacts.mean_motion(positions).expect("as many");
            contacts.limit(positions, drift).expect("as many");
        };
        SmallSteps::default()
            .with_drag(0.5)
            .advance(
                positions,
                velocities,
                inverse_masses,
                1.0 / 60.0,
                &mut [cloth],
                &mut self.memory,
                collide,
            )
            .expect("as many");
    }

    fn crossings(&mut self) -> usize {
        self.mesh.set_positions(&self.positions).expect("finite");
        self.search.crossings(&mut self.mesh).finish().pairs.len()
    }
}

/// Finds all pairs of features within a reach.
fn find(
    positions: &[Vec3],
    reach: f32,
    mesh: &mut DeformableMesh<RefitTree>,
    search: &mut FeatureSearch,
    near: &mut Vec<NearFeatures>,
) {
    mesh.set_positions(positions).expect("finite");
    let found = search.within(&mut *mesh, reach).finish().pairs.to_vec();
    near.clear();
    near.extend(found.iter().map(|pair| {
        let stencil = pair.stencil(mesh, mesh);
        NearFeatures {
            particles: stencil.vertices,
            weights: stencil.weights.map(|weight| weight as f32),
            point: Vec3::ZERO,
            is_obstacle: false,
            normal: ((pair.point_a - pair.point_b) / pair.distance).as_vec3(),
            distance: pair.distance as f32,
        }
    }));
}

/// A second of a cloth on a ball, with contacts of its own surface and without them. With them, no
/// pair of triangles crosses in any frame.
pub(crate) fn cloth(runner: &mut Runner) {
    for (workload, has_contacts) in
        [("cloth on a ball, a frame", false), ("cloth on a ball, self-collision, a frame", true)]
    {
        if !runner.wants(workload) {
            continue;
        }
        let mut drape = Drape::new();
        drape.has_contacts = has_contacts;
        let mut answers = Answers::new();
        if has_contacts {
            let (mut n_crossings, mut most) = (0, 0);
            for _ in 0..FRAMES {
                drape.frame();
                n_crossings += drape.crossings();
                most = most.max(drape.near.len());
            }
            println!(
                "{} searches in {} substeps, {:.1} ms each by the wall, at most {most} near pairs",
                drape.n_searches,
                8 * FRAMES,
                1e3 * drape.in_searches.as_secs_f64() / drape.n_searches as f64
            );
            answers.equal("crossings", &n_crossings, &0);
        }
        let row = Row { workload, size: u64::from(N * N), unit: Unit::Ms, per_call: FRAMES };
        let comparison = Comparison::new(answers).entry("carom", || {
            drape.restart();
            (0..FRAMES).for_each(|_| drape.frame());
        });
        runner.compare_slow(row, comparison);
    }
}
