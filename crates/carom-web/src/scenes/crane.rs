//! A tower crane that carries crates to a stack and back.
//!
//! - The jib turns on a motor, the trolley runs on a motor, and a winch changes the length of the
//!   four ropes between trolley and hook.
//! - Jib and trolley follow the swing of the load, which damps it.
//! - The hook is a magnet: it holds a crate by a weld, and lets go of it by removing the weld.
//! - A crate is fetched from where it is, so it may be pulled away in the meantime.
//!
//! Reference: the example `tower_crane` of carom.

use super::{Actors, Error, Request, STEP};
use carom_broad::BroadPhase;
use carom_geom::{Cuboid, HalfSpace};
use carom_math::{Pose, Quat, Vec3, ops};
use carom_query::{Compound, CompoundPart, Shape};
use carom_world::{BodyDesc, BodyId, JointDesc, JointId, Motor, World};
use core::f32::consts::{PI, TAU};
use std::sync::Arc;

/// Height of the middle of the jib in metres, and the radii that the trolley reaches.
const HEIGHT: f32 = 8.0;
const REACH: [f32; 2] = [2.5, 11.5];

/// Half the size of the hook and of a crate, in metres.
const HOOK: Vec3 = Vec3::new(0.45, 0.12, 0.45);
const CRATE: f32 = 0.6;

/// Metres from the middle of the jib down to the ropes at the trolley.
const TROLLEY_DROP: f32 = 0.5;

/// Length of the ropes while the crane turns, in metres.
const TRAVEL_ROPE: f32 = 2.2;

/// Largest speeds of the jib in radians per second, and of the trolley and the winch in metres per
/// second.
const JIB_SPEED: f32 = 0.6;
const TROLLEY_SPEED: f32 = 2.0;
const WINCH_SPEED: f32 = 2.0;

/// Seconds in which a motor slows down close to its goal.
const BRAKING_TIME: f32 = 0.6;

/// Largest accelerations of the jib and of the trolley. With lower ones, a load swings less.
const JIB_ACCELERATION: f32 = 0.35;
const TROLLEY_ACCELERATION: f32 = 1.5;

/// Speed at which the ropes' upper ends follow a load that swings, per metre of its swing.
const SWAY_RATE: f32 = 1.2;

/// The position of the hook counts as reached within this distance in metres, and below this speed
/// in metres per second.
const HOOK_TOLERANCE: f32 = 0.15;
const CALM: f32 = 0.22;

/// Steps after which a phase ends anyway.
const MAX_PHASE_STEPS: u32 = 720;

/// The present action of the crane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Moves over the next crate.
    Fetch,
    /// Lowers the hook to it.
    Reach,
    /// Lifts it.
    Lift,
    /// Moves over the position at which the crate will lie.
    Carry,
    /// Puts it down.
    PutDown,
    /// Raises the empty hook.
    Leave,
}

/// A crane, and its task.
#[derive(Clone, Debug)]
pub struct Crane {
    jib: BodyId,
    trolley: BodyId,
    hook: BodyId,
    slewing: JointId,
    running: JointId,
    ropes: [JointId; 4],
    rope: f32,
    /// Speeds of the jib and of the trolley.
    speeds: [f32; 2],
    crates: Vec<BodyId>,
    /// The weld that holds a crate.
    held: Option<JointId>,
    /// How many crates were carried in this direction.
    n_done: usize,
    is_returning: bool,
    phase: Phase,
    n_phase_steps: u32,
}

/// A position of the hook: the angle of the jib in radians, and the radius of the trolley in
/// metres.
type HookPosition = [f32; 2];

fn direction(angle: f32) -> Vec3 {
    let (sin, cos) = ops::sin_cos(angle);
    Vec3::new(cos, 0.0, -sin)
}

/// Returns the position of a crate at the start.
fn home(number: usize) -> HookPosition {
    [0.45 + 0.3 * (number / 2) as f32, 6.0 + 2.6 * (number % 2) as f32]
}

/// Returns the position of a crate in the stack, and the height of the surface below it.
fn in_stack(number: usize, n_crates: usize) -> (HookPosition, f32) {
    let n_columns = n_crates.div_ceil(3).max(1);
    let (level, column) = (number / n_columns, number % n_columns);
    ([-0.55 - 0.26 * column as f32, 7.5], 2.0 * CRATE * level as f32)
}

impl Crane {
    /// Returns the moving parts without the load: jib, trolley and hook.
    pub fn parts(&self) -> [BodyId; 3] {
        [self.jib, self.trolley, self.hook]
    }

    /// Returns the ropes.
    pub fn ropes(&self) -> &[JointId] {
        &self.ropes
    }

    /// Returns the present phase.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Returns the index of the crate that is carried now or next.
    pub fn next(&self) -> usize {
        let n = self.crates.len();
        if self.is_returning { n - 1 - self.n_done.min(n - 1) } else { self.n_done }
    }

    /// Whether crates are carried from the stack back to their homes.
    pub fn is_returning(&self) -> bool {
        self.is_returning
    }

    /// Returns how many crates lie at their places in the stack.
    pub fn n_in_stack<B: BroadPhase>(&self, world: &World<B>) -> usize {
        let is_there = |(number, id): (usize, &BodyId)| {
            let ([angle, radius], height) = in_stack(number, self.crates.len());
            let position = direction(angle) * radius + Vec3::Y * (height + CRATE);
            world.body(*id).is_ok_and(|body| (body.position() - position).length() < 0.5 * CRATE)
        };
        self.crates.iter().enumerate().filter(|numbered| is_there(*numbered)).count()
    }

    /// Returns the crates.
    pub fn crates(&self) -> &[BodyId] {
        &self.crates
    }

    /// Acts before a step.
    pub(super) fn before<B: BroadPhase>(&mut self, world: &mut World<B>) -> Result<(), Error> {
        self.n_phase_steps += 1;
        let next = self.next();
        let load = *world.body(self.crates[next])?.motion();
        let hook = *world.body(self.hook)?.motion();
        let goal = match self.phase {
            Phase::Fetch | Phase::Reach => {
                let at = load.pose.translation;
                Some([ops::atan2(-at.z, at.x), ops::sqrt(at.x * at.x + at.z * at.z)])
            }
            Phase::Carry | Phase::PutDown => Some(self.target(next).0),
            Phase::Lift | Phase::Leave => None,
        };
        self.drive(world, goal)?;
        let speed = hook.linear_velocity.with_y(0.0).length();
        let is_over = goal.is_none_or(|[angle, radius]| {
            let away = direction(angle) * radius - hook.pose.translation.with_y(0.0);
            away.length() < HOOK_TOLERANCE && speed < CALM
        });
        let is_late = MAX_PHASE_STEPS < self.n_phase_steps;
        let feet = hook.pose.translation.y - HOOK.y;
        match self.phase {
            Phase::Fetch | Phase::Carry => {
                self.wind(world, TRAVEL_ROPE)?;
                if is_over || is_late {
                    self.begin(if self.phase == Phase::Fetch { Phase::Reach } else { Phase::PutDown });
                }
            }
            Phase::Reach => {
                let top = load.pose.translation.y + CRATE;
                self.wind(world, f32::MAX)?;
                if feet < top + 0.04 {
                    let weld = JointDesc::weld(self.hook, self.crates[next]);
                    self.held = Some(world.insert_joint(weld)?);
                    self.begin(Phase::Lift);
                } else if is_late {
                    self.begin(Phase::Leave);
                }
            }
            Phase::Lift | Phase::Leave => {
                self.wind(world, TRAVEL_ROPE)?;
                if self.rope == TRAVEL_ROPE || is_late {
                    let was_lifting = self.phase == Phase::Lift;
                    self.begin(if was_lifting { Phase::Carry } else { Phase::Fetch });
                }
            }
            Phase::PutDown => {
                let gap = load.pose.translation.y - CRATE - self.target(next).1;
                // Slowly at the end.
                let fastest = (2.0 * gap).clamp(0.2, WINCH_SPEED) * STEP as f32;
                self.wind(world, self.rope + fastest)?;
                let is_down = world.body(self.crates[next])?.touching().any(|other| other != self.hook);
                if is_down || is_late {
                    if let Some(weld) = self.held.take() {
                        world.remove_joint(weld)?;
                    }
                    self.n_done += 1;
                    if self.n_done == self.crates.len() {
                        (self.n_done, self.is_returning) = (0, !self.is_returning);
                    }
                    self.begin(Phase::Leave);
                }
            }
        }
        Ok(())
    }

    fn begin(&mut self, phase: Phase) {
        (self.phase, self.n_phase_steps) = (phase, 0);
    }

    /// Returns the position to which a crate is carried, and the height of the surface there.
    fn target(&self, number: usize) -> (HookPosition, f32) {
        if self.is_returning { (home(number), 0.0) } else { in_stack(number, self.crates.len()) }
    }

    /// Turns the jib and runs the trolley towards a position; stops both if there is none.
    fn drive<B: BroadPhase>(
        &mut self,
        world: &mut World<B>,
        goal: Option<HookPosition>,
    ) -> Result<(), Error> {
        let angle = world.joint(self.slewing)?.angle().unwrap_or(0.0) as f32;
        let radius = world.joint(self.running)?.translation().unwrap_or(0.0) as f32 + REACH[0];
        let [to_angle, to_radius] = goal.unwrap_or([angle, radius]);
        // The jib turns the shorter way.
        let turn = (to_angle - angle + PI).rem_euclid(TAU) - PI;
        let ahead = to_radius.clamp(REACH[0], REACH[1]) - radius;
        let limits = [(turn, JIB_SPEED, JIB_ACCELERATION), (ahead, TROLLEY_SPEED, TROLLEY_ACCELERATION)];
        for (speed, (away, fastest, acceleration)) in self.speeds.iter_mut().zip(limits) {
            // Slow enough to stop in time.
            let fastest = ops::sqrt(1.4 * acceleration * away.abs()).min(fastest);
            let wanted = (away / BRAKING_TIME).clamp(-fastest, fastest);
            let most = acceleration * STEP as f32;
            *speed += (wanted - *speed).clamp(-most, most);
        }
        // Jib and trolley follow the load, so its swing dies out.
        let (hook, trolley) = (world.body(self.hook)?.position(), world.body(self.trolley)?.position());
        let sway = (hook - trolley).with_y(0.0) * SWAY_RATE;
        let (sin, cos) = ops::sin_cos(angle);
        let along = Vec3::new(-sin, 0.0, -cos).dot(sway) / radius.max(REACH[0]);
        let [turning, running] = [self.speeds[0] + along, self.speeds[1] + direction(angle).dot(sway)];
        world.joint_mut(self.slewing)?.set_motor(Motor::velocity(turning).with_max_force(4e5))?;
        world.joint_mut(self.running)?.set_motor(Motor::velocity(running).with_max_force(2e4))?;
        Ok(())
    }

    /// Lets the winch bring the ropes towards a length.
    fn wind<B: BroadPhase>(&mut self, world: &mut World<B>, length: f32) -> Result<(), Error> {
        let most = WINCH_SPEED * STEP as f32;
        let longest = HEIGHT - TROLLEY_DROP;
        let next = (self.rope + (length - self.rope).clamp(-most, most)).min(longest);
        if next != self.rope {
            self.rope = next;
            for rope in self.ropes {
                world.joint_mut(rope)?.set_distance(0.0, next)?;
            }
        }
        Ok(())
    }
}

fn cuboid(half: Vec3) -> Result<Shape, Error> {
    Ok(Shape::Cuboid(Cuboid::new(half)?))
}

/// Inserts a crane, and `count` crates that it carries to a stack and back.
pub fn crane<B: BroadPhase>(world: &mut World<B>, request: &Request) -> Result<Actors, Error> {
    let mut actors = Actors::new(request.seed);
    world.insert(BodyDesc::fixed(Shape::HalfSpace(HalfSpace::new(Vec3::Y)?)))?;
    let tower = cuboid(Vec3::new(0.4, 0.5 * HEIGHT - 0.2, 0.4))?;
    let tower = world.insert(BodyDesc::fixed(tower).with_position(Vec3::Y * (0.5 * HEIGHT - 0.2)))?;
    // The beam, its counterweight and the cabin; the origin is where it turns.
    let part = |half: Vec3, at: Vec3| {
        Ok::<_, Error>(CompoundPart { shape: cuboid(half)?, pose: Pose::from_translation(at) })
    };
    let parts = vec![
        part(Vec3::new(8.0, 0.2, 0.25), Vec3::X * 4.3)?,
        part(Vec3::new(0.7, 0.8, 0.7), Vec3::new(-3.0, -0.3, 0.0))?,
        part(Vec3::new(0.5, 0.5, 0.4), Vec3::new(0.5, 0.7, 0.0))?,
    ];
    let jib = BodyDesc::dynamic(Shape::Compound(Arc::new(Compound::new(parts)?))).with_density(400.0);
    let jib = world.insert(jib.with_position(Vec3::Y * HEIGHT).with_can_sleep(false))?;
    let slewing = JointDesc::revolute(tower, jib).with_anchor(Vec3::Y * HEIGHT).with_axis(Vec3::Y);
    let slewing = world.insert_joint(slewing.with_motor(Motor::velocity(0.0)))?;

    let from = Vec3::new(REACH[0], HEIGHT - 0.35, 0.0);
    let trolley = BodyDesc::dynamic(cuboid(Vec3::new(0.5, 0.15, 0.5))?).with_density(800.0);
    let trolley = world.insert(trolley.with_position(from))?;
    let running = JointDesc::prismatic(jib, trolley).with_axis(Vec3::X);
    let running = running.with_limits(0.0, REACH[1] - REACH[0]).with_motor(Motor::velocity(0.0));
    let running = world.insert_joint(running)?;

    let top = Vec3::new(REACH[0], HEIGHT - TROLLEY_DROP, 0.0);
    let hook = BodyDesc::dynamic(cuboid(HOOK)?).with_density(800.0).with_damping(0.6, 1.0);
    let hook = world.insert(hook.with_position(top - Vec3::Y * (TRAVEL_ROPE + HOOK.y)))?;
    let mut rope_at = |x: f32, z: f32| {
        let corner = Vec3::new(x * HOOK.x, 0.0, z * HOOK.z);
        let (above, below) = (top + corner, top + corner - Vec3::Y * TRAVEL_ROPE);
        world.insert_joint(JointDesc::rope(trolley, hook, TRAVEL_ROPE).with_anchors(above, below))
    };
    let ropes = [rope_at(-1.0, -1.0)?, rope_at(1.0, -1.0)?, rope_at(1.0, 1.0)?, rope_at(-1.0, 1.0)?];

    let mut crates = Vec::new();
    for k in 0..request.count {
        let [angle, radius] = home(k);
        let at = direction(angle) * radius + Vec3::Y * CRATE;
        // 300 to 600 kilograms.
        let density = (300.0 + 100.0 * (k % 4) as f32) / (8.0 * CRATE * CRATE * CRATE);
        let desc = BodyDesc::dynamic(cuboid(Vec3::splat(CRATE))?).with_density(density).with_friction(0.8);
        crates.push(world.insert(desc.with_pose(Pose::new(Quat::from_rotation_y(angle), at)))?);
    }
    actors.crane = (!crates.is_empty()).then_some(Crane {
        jib,
        trolley,
        hook,
        slewing,
        running,
        ropes,
        rope: TRAVEL_ROPE,
        speeds: [0.0; 2],
        crates,
        held: None,
        n_done: 0,
        is_returning: false,
        phase: Phase::Fetch,
        n_phase_steps: 0,
    });
    Ok(actors)
}
