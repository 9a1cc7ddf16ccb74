//! A small world of boxes for the tests: every pair of near boxes is tested by separating axes.

use carom_geom::{Contact, Manifold};
use carom_math::{Mat3, Pose, Vec3};
use carom_response::{Body, BodyKind, ContactPair, Joint, Sleepers, Solver, SolverSettings, SolverStats};
use carom_sat::box_box;

pub(crate) const DT: f32 = 1.0 / 60.0;

pub(crate) struct Scene {
    pub(crate) bodies: Vec<Body>,
    pub(crate) half: Vec<Vec3>,
    pub(crate) joints: Vec<Joint>,
    pub(crate) contacts: Vec<ContactPair>,
    pub(crate) solver: Solver,
    pub(crate) sleepers: Sleepers,
    /// Bodies that fell asleep in the last step.
    pub(crate) n_fallen: usize,
    pub(crate) friction: f32,
    pub(crate) restitution: f32,
}

pub(crate) fn box_inertia(half: Vec3, mass: f32) -> Mat3 {
    let sq = half * half * 4.0;
    Mat3::from_diagonal(Vec3::new(sq.y + sq.z, sq.x + sq.z, sq.x + sq.y) * (mass / 12.0))
}

impl Scene {
    pub(crate) fn new(settings: SolverSettings) -> Scene {
        Scene {
            bodies: Vec::new(),
            half: Vec::new(),
            joints: Vec::new(),
            contacts: Vec::new(),
            solver: Solver::new(settings),
            sleepers: Sleepers::default(),
            n_fallen: 0,
            friction: 0.6,
            restitution: 0.0,
        }
    }

    /// With a floor whose top is at y = 0.
    pub(crate) fn with_floor(settings: SolverSettings) -> Scene {
        let mut scene = Scene::new(settings);
        scene.fixed(Vec3::new(100.0, 5.0, 100.0), Pose::from_translation(Vec3::new(0.0, -5.0, 0.0)));
        scene
    }

    pub(crate) fn fixed(&mut self, half: Vec3, pose: Pose) -> usize {
        self.bodies.push(Body::fixed(pose));
        self.half.push(half);
        self.bodies.len() - 1
    }

    pub(crate) fn dynamic(&mut self, half: Vec3, mass: f32, pose: Pose) -> usize {
        self.bodies.push(Body::dynamic(pose, mass, Vec3::ZERO, box_inertia(half, mass)));
        self.half.push(half);
        self.bodies.len() - 1
    }

    /// Finds the contacts of all pairs with something awake in them.
    pub(crate) fn find_contacts(&mut self) {
        self.contacts.clear();
        let n = self.bodies.len();
        // Sorted along x: good enough for tests.
        let reach: Vec<Vec3> = (0..n)
            .map(|k| self.bodies[k].pose.rotation_matrix().abs() * self.half[k] + Vec3::splat(0.03))
            .collect();
        let center = |k: usize| self.bodies[k].pose.translation;
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&i, &j| (center(i).x - reach[i].x).total_cmp(&(center(j).x - reach[j].x)));
        let moves = |k: usize| self.bodies[k].kind == BodyKind::Dynamic && !self.bodies[k].is_sleeping;
        for (index, &i) in order.iter().enumerate() {
            for &j in &order[index + 1..] {
                if center(i).x + reach[i].x < center(j).x - reach[j].x {
                    break;
                }
                let apart = (center(i) - center(j)).abs().cmpgt(reach[i] + reach[j]).any();
                if apart || !(moves(i) || moves(j)) {
                    continue;
                }
                let (a, b) = (i.min(j), i.max(j));
                self.contacts.extend(self.pair(a, b));
            }
        }
        self.contacts.sort_by_key(|c| (c.body_a, c.body_b));
    }

    fn pair(&self, a: usize, b: usize) -> Option<ContactPair> {
        let (pose_a, pose_b) = (&self.bodies[a].pose, &self.bodies[b].pose);
        let b_in_a = pose_b.wide_relative_to(pose_a);
        let own = box_box::manifold_wide(self.half[a], self.half[b], &b_in_a, 0.02)?;
        let mut world = Manifold::new(pose_a.transform_vector(own.normal()));
        for c in own.contacts() {
            let contact = Contact::new(
                pose_a.transform_point(c.point_a),
                pose_a.transform_point(c.point_b),
                world.normal(),
                c.distance,
            );
            world.push(contact.with_features(c.feature_a, c.feature_b));
        }
        Some(ContactPair::new(a as u32, b as u32, world, self.friction, self.restitution))
    }

    pub(crate) fn step(&mut self) -> SolverStats {
        self.step_by(DT)
    }

    pub(crate) fn step_by(&mut self, dt: f32) -> SolverStats {
        self.find_contacts();
        self.sleepers.wake_touched(&mut self.bodies, &self.contacts, &self.joints, self.solver.settings());
        let stats = self.solver.step(&mut self.bodies, &self.contacts, &mut self.joints, dt).unwrap();
        self.n_fallen = self.sleepers.fall_asleep(&mut self.bodies, &self.solver);
        self.sleepers.validate(&self.bodies).unwrap();
        stats
    }

    pub(crate) fn run(&mut self, seconds: f32) -> SolverStats {
        let mut stats = SolverStats::default();
        for _ in 0..(seconds / DT).round() as usize {
            stats = self.step();
        }
        stats
    }

    /// The kinetic and potential energy of all bodies that can be moved.
    pub(crate) fn energy(&self) -> f32 {
        let gravity = self.solver.settings().gravity;
        let of = |body: &Body| body.kinetic_energy() - gravity.dot(body.world_center()) / body.inverse_mass;
        self.bodies.iter().filter(|body| 0.0 < body.inverse_mass).map(of).sum()
    }

    pub(crate) fn deepest(&mut self) -> f32 {
        for body in &mut self.bodies {
            body.is_sleeping = false;
        }
        self.find_contacts();
        let all = self.contacts.iter().flat_map(|c| c.manifold.contacts());
        all.map(|c| c.distance).fold(0.0, f32::min)
    }
}
