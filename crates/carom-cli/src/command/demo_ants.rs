//! The rules of the ants in `carom demo ants`: walk to a heap, carry a crumb to the hill, and avoid
//! obstacles.
//!
//! Each ant has three rays: one down, for the ground that it stands on, and two feelers ahead. All
//! rays are cast in one batch. An ant that touches a crumb takes it by a joint. At the hill the
//! joint is removed, and the crumb falls onto a heap again. Gravity, contacts and joints do the
//! rest.
//!
//! Reference: C. Reynolds, Steering Behaviors for Autonomous Characters, Game Developers
//! Conference, 1999 (seek, wander, avoid).

use crate::command::inserted::Inserted;
use crate::player::{PlayerShape, View};
use carom_broad::{BroadPhase, SpatialIndex};
use carom_math::{Interval, Pose, Quat, Ray, Vec3};
use carom_scenes::{ANT_HEIGHT, ANT_LENGTH, AntHill, Rng};
use carom_world::{
    Answers, BodyHit, BodyId, ColliderId, EventKind, JointDesc, JointId, QueryFilter, World, WorldError,
};

/// Speed of an ant with a crumb and without, in lengths per second.
const SPEEDS: [f32; 2] = [2.8, 3.6];

/// Length of the rays of the feelers.
const FEELER: f32 = 1.1;

/// Steps for which an ant may be slow before it takes another direction, and steps for which it
/// keeps that direction.
const PATIENCE: u32 = 30;

/// Angular speed of the ball, in radians per second.
const BALL_SPEED: f32 = 3.0;

struct Ant {
    body: BodyId,
    /// The joint and the index of the crumb.
    carries: Option<(JointId, usize)>,
    /// The index of the heap that it walks to.
    heap: usize,
    /// The tangent of the angle by which it strays to the left of its direction.
    wander: f32,
    /// Steps for which it has been slow or has taken another direction.
    n_slow: u32,
}

/// All ants, and the crumbs that they carry.
pub(crate) struct Colony {
    ants: Vec<Ant>,
    /// Index of the first ant and of the first crumb among the bodies.
    first_ant: usize,
    first_crumb: usize,
    crumbs: Vec<BodyId>,
    is_taken: Vec<bool>,
    /// The index and the handle of the ball. All bodies before it stand still.
    ball: (usize, BodyId),
    hill: (usize, Vec3),
    heaps: Vec<Vec3>,
    half_size: f32,
    /// The direction in which the ball rolls.
    ball_direction: Vec3,
    rng: Rng,
    n_home: u64,
    rays: Vec<(Ray, Interval)>,
    hits: Answers<BodyHit>,
}

impl Colony {
    pub(crate) fn new(hill: &AntHill, inserted: &Inserted, seed: u64) -> Colony {
        let mut rng = Rng::new(seed ^ 0xa17);
        let n_heaps = hill.heaps.len();
        let ants = inserted.bodies[hill.ants.clone()].iter().map(|&body| Ant {
            body,
            carries: None,
            heap: rng.below(n_heaps),
            wander: 0.0,
            n_slow: 0,
        });
        Colony {
            ants: ants.collect(),
            first_ant: hill.ants.start,
            first_crumb: hill.crumbs.start,
            crumbs: inserted.bodies[hill.crumbs.clone()].to_vec(),
            is_taken: vec![false; hill.crumbs.len()],
            ball: (hill.ball, inserted.bodies[hill.ball]),
            hill: (hill.hill, hill.scene.bodies[hill.hill].pose.translation),
            heaps: hill.heaps.clone(),
            half_size: hill.half_size,
            ball_direction: Vec3::X,
            rng,
            n_home: 0,
            rays: Vec::new(),
            hits: Answers::new(),
        }
    }

    /// Returns how many crumbs were brought to the hill.
    pub(crate) fn n_home(&self) -> u64 {
        self.n_home
    }

    /// Returns how many ants carry a crumb.
    pub(crate) fn n_carrying(&self) -> usize {
        self.ants.iter().filter(|ant| ant.carries.is_some()).count()
    }

    /// Applies the rules of the ants and rolls the ball. It is called before each step of the
    /// world.
    pub(crate) fn drive<B: BroadPhase + SpatialIndex + Sync>(
        &mut self,
        world: &mut World<B>,
    ) -> Result<(), WorldError> {
        self.take_and_give(world)?;
        self.cast_rays(world)?;
        for ant in 0..self.ants.len() {
            self.walk(ant, world)?;
        }
        self.roll(world)
    }

    /// Lets ants take the crumbs that they touch, and drop them at the hill.
    fn take_and_give<B: BroadPhase>(&mut self, world: &mut World<B>) -> Result<(), WorldError> {
        let touching = world.events().iter().filter(|event| event.kind != EventKind::Ended);
        let touching: Vec<[usize; 2]> =
            touching.map(|event| [event.a, event.b].map(|id| id.index() as usize)).collect();
        let (first_ant, first_crumb) = (self.first_ant, self.first_crumb);
        let is_ant = |body: usize| (first_ant..first_crumb).contains(&body);
        for [a, b] in touching {
            // Bodies are in this order: those that stand still, the ball, ants, crumbs.
            if is_ant(a) && first_crumb <= b {
                self.take(a - first_ant, b - first_crumb, world)?;
            } else if a == self.hill.0 && is_ant(b) {
                self.give(b - first_ant, world)?;
            }
        }
        Ok(())
    }

    fn take<B: BroadPhase>(
        &mut self,
        ant: usize,
        crumb: usize,
        world: &mut World<B>,
    ) -> Result<(), WorldError> {
        if self.ants[ant].carries.is_some() || self.is_taken[crumb] {
            return Ok(());
        }
        let (body, held) = (self.ants[ant].body, self.crumbs[crumb]);
        // The joint holds the crumb in its present pose: a joint with a gap would add a torque.
        let pose = world.body(body)?.pose().inverse() * world.body(held)?.pose();
        let joint = world.insert_joint(JointDesc::weld(body, held).with_frames(pose, Pose::IDENTITY))?;
        self.ants[ant].carries = Some((joint, crumb));
        self.is_taken[crumb] = true;
        Ok(())
    }

    fn give<B: BroadPhase>(&mut self, ant: usize, world: &mut World<B>) -> Result<(), WorldError> {
        let Some((joint, crumb)) = self.ants[ant].carries.take() else { return Ok(()) };
        world.remove_joint(joint)?;
        self.is_taken[crumb] = false;
        self.n_home += 1;
        let heap = self.heaps[self.rng.below(self.heaps.len())];
        let aside = Vec3::new(self.rng.range(-1.0, 1.0) as f32, 0.0, self.rng.range(-1.0, 1.0) as f32);
        let high = Vec3::Y * (2.0 + self.rng.range(0.0, 2.0) as f32);
        world.body_mut(self.crumbs[crumb])?.set_pose(Pose::from_translation(heap + aside + high))?;
        world
            .body_mut(self.crumbs[crumb])?
            .set_linear_velocity(Vec3::ZERO)?
            .set_angular_velocity(Vec3::ZERO)?;
        self.ants[ant].heap = self.rng.below(self.heaps.len());
        Ok(())
    }

    /// Casts three rays for each ant.
    fn cast_rays<B: BroadPhase + SpatialIndex + Sync>(&mut self, world: &World<B>) -> Result<(), WorldError> {
        self.rays.clear();
        for ant in &self.ants {
            let pose = world.body(ant.body)?.pose();
            let [right, up, ahead] = axes(pose.rotation);
            let at = pose.translation;
            self.rays.push((Ray::new(at + Vec3::Y * 0.2, Vec3::NEG_Y), Interval::new(0.0, 0.8)));
            for side in [1.0, -1.0] {
                let displacement = (ahead + right * (0.7 * side)).normalize_or_zero();
                self.rays.push((
                    Ray::new(at + up * 0.08 + ahead * 0.25, displacement),
                    Interval::new(0.0, FEELER),
                ));
            }
        }
        let Colony { ants, rays, hits, first_crumb, ball, hill, .. } = self;
        let (first_crumb, n_fixed, hill) = (*first_crumb, ball.0, hill.0);
        let wanted = |number: usize, collider: ColliderId| {
            let (ant, body) = (&ants[number / 3], collider.body());
            let other = body.index() as usize;
            if number.is_multiple_of(3) {
                return other < n_fixed;
            }
            // The ground, the goal of the ant and the crumb that it holds are no obstacles.
            let is_aim = if ant.carries.is_some() { other == hill } else { first_crumb <= other };
            let is_held = ant.carries.is_some_and(|(_, crumb)| first_crumb + crumb == other);
            body != ant.body && other != 0 && !is_aim && !is_held
        };
        hits.gather(
            rays,
            || (),
            |(), number, (ray, range), out| {
                let wanted = |collider| wanted(number, collider);
                out.extend(world.query(&QueryFilter::ALL.with_predicate(&wanted)).cast_ray(ray, *range));
            },
        );
        Ok(())
    }

    fn walk<B: BroadPhase>(&mut self, number: usize, world: &mut World<B>) -> Result<(), WorldError> {
        let ant = &mut self.ants[number];
        // An ant without ground below it cannot walk.
        let Some(ground) = self.hits.of(3 * number).first() else { return Ok(()) };
        let normal = if ground.hit.normal.y < 0.0 { -ground.hit.normal } else { ground.hit.normal };
        let body = world.body(ant.body)?.motion();
        let (at, velocity) = (body.pose.translation, body.linear_velocity);
        let [right, up, ahead] = axes(body.pose.rotation);
        let flat = |v: Vec3| v - normal * v.dot(normal);
        let goal = if ant.carries.is_some() { self.hill.1 } else { self.heaps[ant.heap] };
        let offset = flat(goal - at).normalize_or(ahead);
        ant.wander = (ant.wander + self.rng.range(-0.15, 0.15) as f32).clamp(-0.6, 0.6);
        let mut wish = offset + normal.cross(offset) * ant.wander;
        let near = |side: usize| {
            self.hits.of(3 * number + side).first().map_or(0.0, |found| 1.0 - found.hit.t / FEELER)
        };
        let [on_right, on_left] = [near(1), near(2)];
        wish += right * (2.0 * (on_left - on_right));
        // With obstacles on both sides, it turns to the side where they are farther, or right if
        // they are equally far.
        if 0.0 < on_left && 0.0 < on_right {
            wish += right * if on_left < on_right { -1.0 } else { 1.0 };
        }
        let speed = SPEEDS[usize::from(ant.carries.is_none())];
        let is_slow = flat(velocity).length() < 0.2 * speed;
        ant.n_slow = if is_slow || PATIENCE < ant.n_slow { ant.n_slow + 1 } else { 0 };
        if PATIENCE < ant.n_slow {
            // It takes another direction for a while. Odd and even ants turn to different sides.
            wish = normal.cross(offset) * if number.is_multiple_of(2) { 1.0 } else { -1.0 } - offset * 0.5;
            if 2 * PATIENCE < ant.n_slow {
                ant.n_slow = 0;
                ant.heap = self.rng.below(self.heaps.len());
            }
        }
        let wish = flat(wish).normalize_or(ahead);
        let ahead = flat(ahead).normalize_or(wish);
        let (cosine, sine) = (ahead.dot(wish), ahead.cross(wish).dot(normal));
        // A goal behind it: it turns at the full rate.
        let turn = if 0.0 < cosine { sine } else { f32::signum(sine) };
        // It is drawn to the ground in proportion to its height above it, and leaves it at no more
        // than 0.5.
        let into = velocity.dot(normal);
        let lift = (ground.hit.t - 0.2 - 2.0 * ANT_HEIGHT).max(0.0);
        let wanted = ahead * (speed * (0.3 + 0.7 * cosine.max(0.0)));
        let linear = flat(velocity).lerp(wanted, 0.25) + normal * (into - 4.0 * lift * ANT_LENGTH).min(0.5);
        let angular = up.cross(normal) * 8.0 + normal * (7.0 * turn);
        world.body_mut(ant.body).and_then(|mut body| {
            body.set_linear_velocity(linear).and_then(|body| body.set_angular_velocity(angular)).map(|_| ())
        })
    }

    /// Rolls the ball on in wide turns, and turns it back near the border.
    fn roll<B: BroadPhase>(&mut self, world: &mut World<B>) -> Result<(), WorldError> {
        let body = *world.body(self.ball.1)?.motion();
        let at = body.pose.translation;
        let turn = self.rng.range(-0.06, 0.06) as f32;
        self.ball_direction += Vec3::Y.cross(self.ball_direction) * turn;
        let out = Vec3::new(at.x, 0.0, at.z);
        if 0.6 * self.half_size < out.length() {
            self.ball_direction -= out.normalize_or_zero() * 0.05;
        }
        self.ball_direction = self.ball_direction.normalize_or(Vec3::X);
        let spin = Vec3::Y.cross(self.ball_direction) * BALL_SPEED;
        let spin = body.angular_velocity.lerp(spin, 0.1);
        world.body_mut(self.ball.1)?.set_linear_velocity(body.linear_velocity)?.set_angular_velocity(spin)?;
        Ok(())
    }
}

/// Returns the directions right, up and ahead.
fn axes(rotation: Quat) -> [Vec3; 3] {
    [rotation * Vec3::NEG_X, rotation * Vec3::Y, rotation * Vec3::Z]
}

/// Returns a view from above the hill, near enough to see what the ants do.
pub(crate) fn view() -> View {
    View { target: Vec3::new(0.0, 2.0, 0.0), distance: 17.0, yaw: 0.5, pitch: 0.6, speed: 1.0 }
}

/// Adds three legs on each side to the drawn shape of the ants. They are not part of the bodies.
pub(crate) fn draw_legs(hill: &AntHill, inserted: &mut Inserted) {
    let Some(&number) = inserted.shape_of.get(hill.ants.start) else { return };
    let Some(PlayerShape::Mesh(mesh)) = inserted.shapes.get_mut(number as usize) else { return };
    for side in [1.0, -1.0] {
        for (z, reach) in [(0.1, 0.14), (0.0, 0.0), (-0.1, -0.16)] {
            let hip = Vec3::new(0.06 * side, 0.02, z);
            let knee = Vec3::new(0.19 * side, 0.1, z + 0.6 * reach);
            let foot = Vec3::new(0.31 * side, -ANT_HEIGHT, z + reach);
            for [from, to] in [[hip, knee], [knee, foot]] {
                // Each part of a leg has three sides.
                let first = mesh.vertices.len() as u32;
                let along = (to - from).normalize_or_zero();
                let u = along.any_orthonormal_vector();
                let v = along.cross(u);
                for around in [u, v * 0.87 - u * 0.5, v * -0.87 - u * 0.5] {
                    mesh.vertices.extend([from + around * 0.018, to + around * 0.012]);
                }
                for k in 0..3 {
                    let [p, q] = [first + 2 * k, first + 2 * ((k + 1) % 3)];
                    mesh.triangles.extend([[p, q, q + 1], [p, q + 1, p + 1]]);
                }
            }
        }
    }
}
