//! Random flights of bodies into obstacles, and the properties that must hold at every step.
//!
//! - The energy, kinetic and potential, is not above that of the start.
//! - The centre of a body does not pass a surface. This holds for bodies with continuous collision
//!   detection. It also holds for a body whose displacement in a step, tips included, is below its
//!   own thickness and that of the obstacle.
//! - The momentum of a free body is kept, and so is the sum for two bodies that only touch each
//!   other.
//! - No number is infinite or NaN, and no step ends in an error or a panic.
//!
//! A flight depends only on its seed.

mod flight;
mod flyer;
mod judge;
mod obstacle;

use carom_math::{Pose, Quat, Vec3};
use carom_scenes::Rng;
use carom_world::{BodyDesc, BodyId, World, WorldSettings};
use core::fmt::Write as _;
use flight::Flight;
pub use flight::{MAX_DRIFT, MAX_GAIN};
use flyer::{Flyer, log_range};
use glam::DVec3;
use judge::{Outcome, State, describe, run};
use obstacle::Obstacle;
use std::collections::BTreeMap;

/// The largest speed at the start of a body over a terrain, in metres per second. Such a body is
/// not marked as fast.
const MAX_TERRAIN_SPEED: f64 = 15.0;

/// Counts of flights of one class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Flights.
    pub flights: u64,
    /// Flights with a gain of energy beyond [`MAX_GAIN`].
    pub gains: u64,
    /// 1 plus the largest gain of energy, which is relative as in [`MAX_GAIN`].
    pub worst: f64,
    /// Flights in which a body passed a surface.
    pub escapes: u64,
    /// Flights in which the sum of the momenta changed without an external cause.
    pub momenta: u64,
    /// Flights in which the angular momentum of a free body changed.
    pub spins: u64,
    /// Flights that ended in an error, a panic or a number that is not finite.
    pub errors: u64,
}

impl Row {
    fn add(&mut self, other: &Row) {
        self.flights += other.flights;
        self.gains += other.gains;
        self.worst = self.worst.max(other.worst);
        self.escapes += other.escapes;
        self.momenta += other.momenta;
        self.spins += other.spins;
        self.errors += other.errors;
    }
}

/// Counts of many flights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlightTally {
    /// By heading and class.
    pub rows: BTreeMap<(u8, String), Row>,
    /// Seeds of the wrong flights, with the faults.
    pub wrong: Vec<(u64, String)>,
    /// Steps of all flights.
    pub steps: u64,
}

impl FlightTally {
    /// Adds the counts of another tally.
    pub fn add(&mut self, other: &FlightTally) {
        for (key, row) in &other.rows {
            self.rows.entry(key.clone()).or_default().add(row);
        }
        self.wrong.extend(other.wrong.iter().cloned());
        self.wrong.sort_unstable();
        self.steps += other.steps;
    }

    /// Returns the counts of all flights.
    pub fn total(&self) -> Row {
        self.rows.get(&(0, "all".to_owned())).cloned().unwrap_or_default()
    }

    /// Whether no flight was wrong.
    pub fn is_right(&self) -> bool {
        self.wrong.is_empty()
    }

    /// Returns the table of all classes.
    pub fn table(&self) -> String {
        const HEADINGS: [&str; 8] =
            ["", "shape", "obstacle", "speed", "spin", "marked", "restitution", "gravity, dt"];
        let mut out = format!(
            "{:<12} {:<20} {:>9} {:>8} {:>11} {:>8} {:>8} {:>8} {:>7}\n",
            "", "class", "flights", "gains", "worst gain", "escapes", "momenta", "spins", "errors"
        );
        let mut last = 0;
        for ((heading, class), row) in &self.rows {
            let title = if *heading == last { "" } else { HEADINGS[usize::from(*heading)] };
            last = *heading;
            let Row { flights, gains, worst, escapes, momenta, spins, errors } = row;
            let _ = writeln!(
                out,
                "{title:<12} {class:<20} {flights:>9} {gains:>8} {worst:>11.4} {escapes:>8} {momenta:>8} {spins:>8} {errors:>7}"
            );
        }
        out
    }
}

fn quat(rng: &mut Rng) -> Quat {
    Quat::from_array(rng.rotation().to_array().map(|x| x as f32)).normalize()
}

/// Returns the decade of a number, as a class.
fn decade(x: f64, unit: &str) -> String {
    if x == 0.0 {
        return format!("0 {unit}");
    }
    let low = x.log10().floor() as i32;
    format!("{} to {} {unit}", 10.0_f64.powi(low), 10.0_f64.powi(low + 1))
}

/// The numbers of a flight, in the order in which they are drawn.
struct Plan {
    /// Index of the kind of obstacle.
    kind: usize,
    obstacle: Obstacle,
    is_room: bool,
    is_terrain: bool,
    /// Whether the obstacle is another body that moves.
    is_pair: bool,
    dt: f64,
    has_gravity: bool,
    restitution: f64,
    friction: f64,
    frame: Pose,
    gravity: Vec3,
    n_bodies: usize,
    speed: f64,
    spin: f64,
    /// Index of the kind of the first body.
    shape: usize,
}

impl Plan {
    fn new(rng: &mut Rng) -> Plan {
        // Rooms and terrains are rare, because they have several bodies and take long.
        let kind = if rng.below(60) == 0 { 8 + rng.below(3) } else { rng.below(8) };
        let obstacle = obstacle::obstacle(kind, rng);
        let (is_room, is_terrain, is_pair) = (kind == 8 || kind == 9, kind == 10, kind == 7);
        let dt = [1.0 / 30.0, 1.0 / 60.0, 1.0 / 120.0, 1.0 / 240.0][rng.below(4)];
        let has_gravity = is_terrain || rng.below(2) == 0;
        let restitution = [0.0, 0.6, 1.0][rng.below(3)];
        let friction = if rng.below(4) == 0 { 0.0 } else { rng.unit() };
        let frame = if rng.below(2) == 0 {
            Pose::IDENTITY
        } else {
            Pose::new(quat(rng), rng.in_box(DVec3::splat(-5.0), DVec3::splat(5.0)).as_vec3())
        };
        let down = if is_terrain || rng.below(2) == 0 { DVec3::NEG_Y } else { rng.direction() };
        let gravity =
            if has_gravity { (frame.wide().transform_vector(down) * 9.81).as_vec3() } else { Vec3::ZERO };
        let n_bodies = if is_room {
            1 + rng.below(4)
        } else if is_terrain {
            6
        } else {
            1
        };
        let speed =
            if is_terrain { log_range(rng, 0.1, MAX_TERRAIN_SPEED) } else { log_range(rng, 0.1, 1000.0) };
        let spin = match rng.below(8) {
            0 => 0.0,
            _ if is_terrain => log_range(rng, 0.1, 20.0),
            _ => log_range(rng, 0.1, 2000.0),
        };
        let shape = rng.below(flyer::KINDS.len());
        Plan {
            kind,
            obstacle,
            is_room,
            is_terrain,
            is_pair,
            dt,
            has_gravity,
            restitution,
            friction,
            frame,
            gravity,
            n_bodies,
            speed,
            spin,
            shape,
        }
    }

    fn flyers(&self, rng: &mut Rng) -> Vec<Flyer> {
        let one = |n: usize| {
            let kind = if n == 0 { self.shape } else { rng.below(flyer::KINDS.len()) };
            let mut one = flyer::flyer(kind, rng);
            // A body in a room is small enough to turn.
            let most = if self.is_room { 0.35 } else { f64::INFINITY };
            for _ in 0..20 {
                if one.radius < most {
                    break;
                }
                one = flyer::flyer(kind, rng);
            }
            one
        };
        (0..self.n_bodies).map(one).collect()
    }

    /// Whether the displacement in a step is below the thickness of the body and of the obstacle.
    fn is_slow(&self, flyer: &Flyer) -> bool {
        let fall = if self.has_gravity { 9.81 * self.dt } else { 0.0 };
        let travel = (self.speed + self.spin * flyer.radius + fall) * self.dt;
        let backed = if self.obstacle.thick == 0.0 { f64::INFINITY } else { self.obstacle.thick };
        // A field is passed as soon as the centre is below it.
        travel < flyer.thin.min(backed)
    }

    fn placed(&self, desc: BodyDesc) -> BodyDesc {
        let desc = desc.with_friction(self.friction as f32).with_restitution(self.restitution as f32);
        desc.with_density(1.0)
    }

    /// Returns the start of body `n`, the direction of its flight, and the number of steps until
    /// it has met the obstacle.
    fn start(&self, n: usize, flyer: &Flyer, rng: &mut Rng) -> (DVec3, DVec3, u32) {
        let Plan { obstacle, n_bodies, speed, dt, is_pair, .. } = self;
        let mut toward = rng.direction();
        toward.y = if self.is_room { toward.y } else { -toward.y.abs().max(0.35) };
        let toward = toward.normalize();
        if let obstacle::Bound::Room(inner) = &obstacle.bound {
            let free = (*inner - flyer.radius - 0.03).max(DVec3::ZERO);
            // Each body starts in its own part of the room, so that none overlaps another.
            let x = -free.x + (n as f64 + 0.5) * 2.0 * free.x / *n_bodies as f64;
            let x = if *n_bodies == 1 { rng.range(-free.x, free.x) } else { x };
            return (DVec3::new(x, rng.range(-free.y, free.y), rng.range(-free.z, free.z)), toward, 120);
        }
        if self.is_terrain {
            let at = |k: usize| -4.0 + 4.0 * k as f64;
            let start = DVec3::new(at(n % 3), rng.range(0.6, 4.0) + flyer.radius, at(n / 3 + 1) - 2.0);
            return (start, toward, 120);
        }
        let target = DVec3::new(rng.range(-1.0, 1.0), 0.0, rng.range(-1.0, 1.0));
        // The target is beside the line to the middle of the other body, so that they start apart.
        let beside = |v: DVec3| v - toward * toward.dot(v);
        let target = if *is_pair { beside(rng.in_ball() * obstacle.thick) } else { target };
        // The start is above the highest bump.
        let bumps = if obstacle.is_flat() || *is_pair { 0.0 } else { obstacle.top().max(0.5) };
        let reach = obstacle.moving.as_ref().map_or(0.0, |other| other.radius);
        let gap = flyer.radius * 1.01 + 0.012 + bumps + reach + rng.range(0.0, 3.0) * speed * dt;
        let back = if *is_pair { gap } else { gap / -toward.y };
        let n_steps = ((back / (speed * dt)) as u32 + 12).min(60);
        (target - toward * back, toward, n_steps)
    }

    /// Returns the classes in which the flight counts.
    fn classes(&self, mark: &str) -> Vec<(u8, String)> {
        let gravity = if self.has_gravity { "gravity" } else { "none" };
        let classes = [
            "all".to_owned(),
            flyer::KINDS[self.shape].to_owned(),
            obstacle::KINDS[self.kind].to_owned(),
            decade(self.speed, "m/s"),
            decade(self.spin, "rad/s"),
            mark.to_owned(),
            format!("{}", self.restitution),
            format!("{gravity}, 1/{:.0}", 1.0 / self.dt),
        ];
        (0..).zip(classes).collect()
    }

    fn about(&self, mark: &str, first: &Flyer) -> String {
        let Plan { speed, spin, restitution, friction, .. } = self;
        format!(
            "{} (half thickness {:.4}, radius {:.3}) at {speed:.3} m/s and {spin:.2} rad/s against {} (thickness {:.4}), \
             {mark}, restitution {restitution}, friction {friction:.2}, gravity {}, dt 1/{:.0}",
            flyer::KINDS[self.shape],
            first.thin,
            first.radius,
            obstacle::KINDS[self.kind],
            self.obstacle.thick,
            if self.has_gravity { 9.81 } else { 0.0 },
            1.0 / self.dt,
        )
    }
}

impl Flight {
    fn new(seed: u64) -> Flight {
        let rng = &mut Rng::new(seed);
        let plan = Plan::new(rng);
        let flyers = plan.flyers(rng);
        let Plan { is_room, is_terrain, is_pair, frame, .. } = plan;
        let all_slow = flyers.iter().all(|flyer| plan.is_slow(flyer)) && (!is_room || !plan.has_gravity);
        let is_fast = match rng.below(5) {
            // Fast or not, a body must not gain energy.
            0 => false,
            _ if is_terrain => false,
            1 | 2 => !all_slow,
            _ => true,
        };
        let is_held = is_fast || all_slow || is_terrain && flyers.iter().all(|f| 5e-3 < f.thin);
        let settings = WorldSettings::default();
        let solver = settings.solver.with_gravity(plan.gravity);
        let mut world = World::with_settings(settings.with_solver(solver));
        for (shape, pose) in &plan.obstacle.fixed {
            let pose = Pose::new(frame.rotation, frame.transform_point(pose.translation));
            world.insert(plan.placed(BodyDesc::fixed(shape.clone())).with_pose(pose)).unwrap();
        }
        let mut movers = Vec::new();
        if let Some(other) = &plan.obstacle.moving {
            let pose = Pose::new(quat(rng), frame.translation);
            let desc = plan.placed(BodyDesc::dynamic(other.shape.clone())).with_pose(pose);
            let desc =
                desc.with_density(log_range(rng, 0.1, 10.0) as f32).with_ccd(is_fast).with_can_sleep(false);
            movers.push((world.insert(desc).unwrap(), other.clone()));
        }
        let mut n_steps = 60;
        let wide = frame.wide();
        for (n, one) in flyers.iter().enumerate() {
            let (position, toward, n_needed) = plan.start(n, one, rng);
            n_steps = n_needed;
            let velocity = wide.transform_vector(toward) * plan.speed;
            let omega = rng.direction() * plan.spin;
            let pose = Pose::new(quat(rng), wide.transform_point(position).as_vec3());
            let desc = plan.placed(BodyDesc::dynamic(one.shape.clone())).with_pose(pose).with_ccd(is_fast);
            // Sleeping is off, because it removes the momentum of slow bodies.
            let desc = desc
                .with_linear_velocity(velocity.as_vec3())
                .with_angular_velocity(omega.as_vec3())
                .with_can_sleep(!is_pair);
            movers.push((world.insert(desc).unwrap(), one.clone()));
        }
        let mark = match (is_fast, is_held) {
            (true, _) => "fast",
            (false, true) => "not, slow enough",
            (false, false) => "not, energy only",
        };
        Flight {
            world,
            movers,
            frame: wide,
            n_steps,
            dt: plan.dt as f32,
            gravity: plan.gravity.as_dvec3(),
            must_not_pass: is_held,
            is_fast,
            is_terrain,
            is_endless: obstacle::KINDS[plan.kind] == "half-space",
            has_friction: plan.friction != 0.0,
            classes: plan.classes(mark),
            about: plan.about(mark, &flyers[0]),
            obstacle: plan.obstacle,
        }
    }
}

impl Flight {
    /// Whether the bodies must not pass a surface in a step from these states: they are marked as
    /// fast, or the displacement of each is below its thickness and that of the obstacle. Gravity
    /// and bounces make slow bodies faster.
    fn holds(&self, states: &[State]) -> bool {
        let dt = f64::from(self.dt);
        let backed = if self.obstacle.thick == 0.0 { f64::INFINITY } else { self.obstacle.thick };
        let is_slow = |(state, (id, flyer)): (&State, &(BodyId, Flyer))| {
            let spin = self
                .world
                .body(*id)
                .map(|body| body.motion())
                .map_or(0.0, |body| f64::from(body.angular_velocity.length()));
            let speed = state.velocity.length() + spin * flyer.radius + self.gravity.length() * dt;
            speed * dt < flyer.thin.min(backed)
        };
        self.is_fast || self.is_terrain || states.iter().zip(&self.movers).all(is_slow)
    }

    /// Whether the obstacle is another body that moves.
    fn is_pair(&self) -> bool {
        matches!(self.obstacle.bound, obstacle::Bound::None)
    }
}

/// The selection of flights, and the faults to count.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlightSettings {
    /// If set, only flights of this class of the table.
    pub class: Option<String>,
    /// Whether a changed angular momentum alone makes a flight wrong.
    pub with_spins: bool,
}

/// Simulates the flight of this seed and counts it.
pub fn fly(seed: u64, settings: &FlightSettings, tally: &mut FlightTally) {
    let flown = std::panic::catch_unwind(|| {
        let flight = Flight::new(seed);
        let (classes, about) = (flight.classes.clone(), flight.about.clone());
        let is_wanted = settings.class.as_ref().is_none_or(|wanted| classes.iter().any(|c| c.1 == *wanted));
        is_wanted.then(|| (run(flight, None), classes, about))
    });
    let flown = flown.unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        let out = Outcome { error: Some(format!("panic: {said}")), ..Outcome::default() };
        Some((out, vec![(0, "all".to_owned())], "a flight".to_owned()))
    });
    let Some((out, classes, about)) = flown else { return };
    let row = Row {
        flights: 1,
        gains: u64::from(out.gain_at.is_some()),
        worst: out.worst,
        escapes: u64::from(out.escape.is_some()),
        momenta: u64::from(out.momentum.is_some()),
        spins: u64::from(out.spin.is_some()),
        errors: u64::from(out.error.is_some()),
    };
    for class in classes {
        tally.rows.entry(class).or_default().add(&row);
    }
    tally.steps += out.steps;
    if let Some(said) = describe(&out, settings.with_spins) {
        tally.wrong.push((seed, format!("{about}: {said}")));
    }
}

/// Simulates the flight of this seed. Returns the fault, if there is one, and a log of all steps.
pub fn replay(seed: u64) -> (Option<String>, String) {
    let flight = Flight::new(seed);
    let mut log = format!("seed {seed}: {}\n", flight.about);
    let out = run(flight, Some(&mut log));
    (describe(&out, true), log)
}
