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

mod flyer;
mod obstacle;

use carom_math::{Pose, Quat, Vec3, WidePose};
use carom_response::Body;
use carom_scenes::Rng;
use carom_world::{BodyDesc, BodyId, World, WorldSettings};
use core::fmt::Write as _;
use flyer::{Flyer, log_range};
use glam::DVec3;
use obstacle::Obstacle;
use std::collections::BTreeMap;

/// The largest allowed gain of energy, relative to the largest energy so far: the kinetic energy
/// at the start plus the change of the potential energy.
pub const MAX_GAIN: f64 = 1e-4;

/// The largest allowed change of the momentum, relative to the sum of all momenta.
pub const MAX_DRIFT: f64 = 2e-3;

/// The largest rounding of a position in a step, relative to its size: positions are `f32`.
const POSITION_ROUNDING: f64 = 1.0 / (1 << 21) as f64;

/// The largest rounding of a coordinate that grows or shrinks by a little in a step, relative to
/// its size. If a body falls by a constant multiple of the spacing of `f32` more in each step, all
/// steps round in the same direction.
const STEP_ROUNDING: f64 = 1.0 / (1 << 24) as f64;

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

/// A flight, ready to start.
struct Flight {
    world: World,
    movers: Vec<(BodyId, Flyer)>,
    obstacle: Obstacle,
    frame: WidePose,
    n_steps: u32,
    dt: f32,
    gravity: DVec3,
    /// Whether the bodies must not pass a surface.
    must_not_pass: bool,
    is_fast: bool,
    /// Whether the obstacle is a terrain, which no body may pass, fast or not.
    is_terrain: bool,
    /// Whether the obstacle is a half-space.
    is_endless: bool,
    has_friction: bool,
    classes: Vec<(u8, String)>,
    about: String,
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

impl Flight {
    fn new(seed: u64) -> Flight {
        let mut rng = Rng::new(seed);
        let rng = &mut rng;
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
        let wide = frame.wide();
        let down = if is_terrain || rng.below(2) == 0 { DVec3::NEG_Y } else { rng.direction() };
        let gravity = if has_gravity { (wide.transform_vector(down) * 9.81).as_vec3() } else { Vec3::ZERO };
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
        let mut flyers: Vec<Flyer> = Vec::new();
        let shape = rng.below(flyer::KINDS.len());
        for n in 0..n_bodies {
            let kind = if n == 0 { shape } else { rng.below(flyer::KINDS.len()) };
            let mut one = flyer::flyer(kind, rng);
            // A body in a room is small enough to turn.
            let most = if is_room { 0.35 } else { f64::INFINITY };
            for _ in 0..20 {
                if one.radius < most {
                    break;
                }
                one = flyer::flyer(kind, rng);
            }
            flyers.push(one);
        }
        let travel_of =
            |f: &Flyer| (speed + spin * f.radius + if has_gravity { 9.81 * dt } else { 0.0 }) * dt;
        let is_slow = |f: &Flyer| {
            let backed = if obstacle.thick == 0.0 { f64::INFINITY } else { obstacle.thick };
            // A field is passed as soon as the centre is below it.
            travel_of(f) < f.thin.min(backed)
        };
        let all_slow = flyers.iter().all(is_slow) && (!is_room || !has_gravity);
        let is_fast = match rng.below(5) {
            // Fast or not, a body must not gain energy.
            0 => false,
            _ if is_terrain => false,
            1 | 2 => !all_slow,
            _ => true,
        };
        let is_held = is_fast || all_slow || is_terrain && flyers.iter().all(|f| 5e-3 < f.thin);
        let settings = WorldSettings::default();
        let solver = settings.solver.with_gravity(gravity);
        let mut world = World::with_settings(settings.with_solver(solver));
        let placed = |desc: BodyDesc| {
            let desc = desc.with_friction(friction as f32).with_restitution(restitution as f32);
            desc.with_density(1.0)
        };
        for (shape, pose) in &obstacle.fixed {
            let pose = Pose::new(frame.rotation, frame.transform_point(pose.translation));
            world.insert(placed(BodyDesc::fixed(shape.clone())).with_pose(pose)).unwrap();
        }
        let mut movers = Vec::new();
        if let Some(other) = &obstacle.moving {
            let pose = Pose::new(quat(rng), frame.translation);
            let desc = placed(BodyDesc::dynamic(other.shape.clone())).with_pose(pose);
            let desc =
                desc.with_density(log_range(rng, 0.1, 10.0) as f32).with_ccd(is_fast).with_can_sleep(false);
            movers.push((world.insert(desc).unwrap(), other.clone()));
        }
        let mut n_steps = 60;
        for (n, one) in flyers.iter().enumerate() {
            let mut toward = rng.direction();
            toward.y = if is_room { toward.y } else { -toward.y.abs().max(0.35) };
            let toward = toward.normalize();
            let position = if let obstacle::Bound::Room(inner) = &obstacle.bound {
                let free = (*inner - one.radius - 0.03).max(DVec3::ZERO);
                // Each body starts in its own part of the room, so that none overlaps another.
                let x = -free.x + (n as f64 + 0.5) * 2.0 * free.x / n_bodies as f64;
                let x = if n_bodies == 1 { rng.range(-free.x, free.x) } else { x };
                DVec3::new(x, rng.range(-free.y, free.y), rng.range(-free.z, free.z))
            } else if is_terrain {
                let at = |k: usize| -4.0 + 4.0 * k as f64;
                DVec3::new(at(n % 3), rng.range(0.6, 4.0) + one.radius, at(n / 3 + 1) - 2.0)
            } else {
                let target = DVec3::new(rng.range(-1.0, 1.0), 0.0, rng.range(-1.0, 1.0));
                // The target is beside the line to the middle of the other body, so that they
                // start apart.
                let beside = |v: DVec3| v - toward * toward.dot(v);
                let target = if is_pair { beside(rng.in_ball() * obstacle.thick) } else { target };
                // The start is above the highest bump.
                let bumps = if obstacle.is_flat() || is_pair { 0.0 } else { obstacle.top().max(0.5) };
                let reach = obstacle.moving.as_ref().map_or(0.0, |other| other.radius);
                let gap = one.radius * 1.01 + 0.012 + bumps + reach + rng.range(0.0, 3.0) * speed * dt;
                let back = if is_pair { gap } else { gap / -toward.y };
                n_steps = ((back / (speed * dt)) as u32 + 12).min(60);
                target - toward * back
            };
            let velocity = wide.transform_vector(toward) * speed;
            let omega = rng.direction() * spin;
            let pose = Pose::new(quat(rng), wide.transform_point(position).as_vec3());
            let desc = placed(BodyDesc::dynamic(one.shape.clone())).with_pose(pose).with_ccd(is_fast);
            // Sleeping is off, because it removes the momentum of slow bodies.
            let desc = desc
                .with_linear_velocity(velocity.as_vec3())
                .with_angular_velocity(omega.as_vec3())
                .with_can_sleep(!is_pair);
            movers.push((world.insert(desc).unwrap(), one.clone()));
        }
        if is_room || is_terrain {
            n_steps = 120;
        }
        let mark = match (is_fast, is_held) {
            (true, _) => "fast",
            (false, true) => "not, slow enough",
            (false, false) => "not, energy only",
        };
        let class = |heading: u8, class: String| (heading, class);
        let classes = vec![
            class(0, "all".to_owned()),
            class(1, flyer::KINDS[shape].to_owned()),
            class(2, obstacle::KINDS[kind].to_owned()),
            class(3, decade(speed, "m/s")),
            class(4, decade(spin, "rad/s")),
            class(5, mark.to_owned()),
            class(6, format!("{restitution}")),
            class(7, format!("{}, 1/{:.0}", if has_gravity { "gravity" } else { "none" }, 1.0 / dt)),
        ];
        let about = format!(
            "{} (half thickness {:.4}, radius {:.3}) at {speed:.3} m/s and {spin:.2} rad/s against {} (thickness {:.4}), \
             {mark}, restitution {restitution}, friction {friction:.2}, gravity {}, dt 1/{:.0}",
            flyer::KINDS[shape],
            flyers[0].thin,
            flyers[0].radius,
            obstacle::KINDS[kind],
            obstacle.thick,
            if has_gravity { 9.81 } else { 0.0 },
            1.0 / dt,
        );
        Flight {
            world,
            movers,
            obstacle,
            frame: wide,
            n_steps,
            dt: dt as f32,
            gravity: gravity.as_dvec3(),
            must_not_pass: is_held,
            is_fast,
            is_terrain,
            is_endless: obstacle::KINDS[kind] == "half-space",
            has_friction: friction != 0.0,
            classes,
            about,
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
}

/// Mass, centre, momenta and energy of a body, in `f64`.
#[derive(Clone, Copy, Debug)]
struct State {
    mass: f64,
    center: DVec3,
    velocity: DVec3,
    /// Angular momentum about the centre.
    angular_momentum: DVec3,
    kinetic: f64,
}

/// Returns the state of a body after a step with substeps of `substep` seconds.
fn state_of(body: &Body, gravity: DVec3, substep: f32) -> State {
    State {
        mass: 1.0 / f64::from(body.inverse_mass),
        center: body.pose.wide().transform_point(body.center_of_mass.as_dvec3()),
        velocity: body.linear_velocity.as_dvec3(),
        angular_momentum: body.angular_momentum(),
        kinetic: body.energy(gravity.as_vec3(), substep).kinetic,
    }
}

/// The outcome of one flight.
#[derive(Clone, Debug, Default)]
struct Outcome {
    worst: f64,
    gain_at: Option<u32>,
    /// Step, depth, and index of the body.
    escape: Option<(u32, f64, usize)>,
    momentum: Option<(u32, f64)>,
    spin: Option<(u32, f64, &'static str)>,
    error: Option<String>,
    steps: u64,
}

/// Simulates one flight, and writes each step to `log`.
fn run(mut flight: Flight, mut log: Option<&mut String>) -> Outcome {
    let mut out = Outcome { worst: 1.0, ..Outcome::default() };
    let substep = flight.dt / flight.world.settings().solver.substeps as f32;
    let states = |world: &World, movers: &[(BodyId, Flyer)]| -> Vec<State> {
        movers
            .iter()
            .map(|(id, _)| state_of(world.body(*id).unwrap().motion(), flight.gravity, substep))
            .collect()
    };
    let slop = f64::from(flight.world.settings().solver.slop);
    let mut before = states(&flight.world, &flight.movers);
    let kinetic = |states: &[State]| states.iter().map(|s| s.kinetic).sum::<f64>();
    let potential =
        |states: &[State]| -> f64 { states.iter().map(|s| -s.mass * flight.gravity.dot(s.center)).sum() };
    // The potential energy that rounding of positions can add, in this step and those before it.
    let rounded = |states: &[State], step: u32| -> f64 {
        let of_steps = |s: &State| f64::from(step) * STEP_ROUNDING * s.center.length();
        let height = |s: &State| POSITION_ROUNDING * (1.0 + s.center.abs().max_element()) + of_steps(s);
        states.iter().map(|s| s.mass * flight.gravity.length() * height(s)).sum()
    };
    let (first_kinetic, first_potential) = (kinetic(&before), potential(&before));
    // The largest energy so far: the rounding of a bounce appears at the top of the next arc, at
    // which the kinetic energy is small.
    let mut turned_over = first_kinetic;
    let max_speed = f64::from(flight.world.settings().solver.max_speed);
    // A stopped body loses the energy of the height that it keeps, and the rest of a step of
    // gravity. A body that is too fast is slowed down. Both change the momentum.
    let mut is_kept = true;
    let mut longest = 0.0_f64;
    let first = before.clone();
    let is_alone = flight.movers.len() == 1;
    let is_pair = matches!(flight.obstacle.bound, obstacle::Bound::None);
    let normal = flight.frame.transform_vector(DVec3::Y);
    let scale_of = |s: &State| s.angular_momentum.length();
    for step in 1..=flight.n_steps {
        flight.must_not_pass &= flight.holds(&before);
        if let Err(error) = flight.world.step(flight.dt) {
            out.error = Some(format!("step {step}: {error}"));
            break;
        }
        out.steps += 1;
        let now = states(&flight.world, &flight.movers);
        let is_finite =
            |s: &State| s.center.is_finite() && s.kinetic.is_finite() && s.angular_momentum.is_finite();
        if !now.iter().all(is_finite) {
            out.error = Some(format!("step {step}: a number is not finite"));
            break;
        }
        // The energy, compared with that at the start and the work of gravity.
        let fallen = first_potential - potential(&now);
        turned_over = turned_over.max(first_kinetic + fallen.abs());
        let gained = kinetic(&now) - fallen - first_kinetic - rounded(&now, step);
        let gain = 1.0 + gained / turned_over;
        if out.worst < gain {
            out.worst = gain;
        }
        if 1.0 + MAX_GAIN < gain && out.gain_at.is_none() {
            out.gain_at = Some(step);
        }
        // The side of the surface.
        if flight.must_not_pass {
            for (k, (_, flyer)) in flight.movers.iter().enumerate() {
                // A body about as thin as the slop may rest with its middle below the surface.
                let mut allowed = (2.0 * slop - flyer.thin).max(0.0);
                if flight.is_endless && !flight.is_fast {
                    // A half-space has no far side: a body that enters it by the displacement of a
                    // step comes out again.
                    longest = longest.max((now[k].center - before[k].center).length());
                    allowed += longest;
                }
                let beyond = flight.obstacle.beyond(&flight.frame, before[k].center, now[k].center, allowed);
                if let (Some(depth), None) = (beyond, out.escape) {
                    out.escape = Some((step, depth, k));
                }
            }
        }
        // Momenta.
        let stats = flight.world.stats();
        let is_free = stats.n_stopped == 0 && flight.world.contacts().next().is_none();
        let mut note = |off: f64, what| {
            if MAX_DRIFT < off && out.spin.is_none() {
                out.spin = Some((step, off, what));
            }
        };
        if is_free {
            for (s, t) in before.iter().zip(&now) {
                let whole = scale_of(s).max(1e-6 * s.mass * s.velocity.length());
                if 0.0 < whole {
                    note((t.angular_momentum - s.angular_momentum).length() / whole, "free spin");
                }
            }
        } else if is_alone && !is_pair && flight.obstacle.is_flat() && !flight.has_friction {
            let lever = flight.movers[0].1.radius;
            let whole = scale_of(&before[0]).max(1e-3 * before[0].mass * before[0].velocity.length() * lever);
            let off = (now[0].angular_momentum - before[0].angular_momentum).dot(normal).abs() / whole;
            note(0.2 * off, "spin about the normal, without friction");
        }
        if is_pair {
            let linear = |list: &[State]| list.iter().map(|s| s.velocity * s.mass).sum::<DVec3>();
            let whole: f64 = first.iter().map(|s| s.mass * s.velocity.length()).sum::<f64>()
                + flight.gravity.length()
                    * f64::from(flight.dt)
                    * f64::from(step)
                    * now[0].mass.max(now[1].mass);
            let by_gravity = flight.gravity
                * (f64::from(flight.dt) * f64::from(step) * now.iter().map(|s| s.mass).sum::<f64>());
            is_kept &= stats.n_stopped == 0 || flight.gravity == DVec3::ZERO;
            is_kept &= now.iter().all(|s| s.velocity.length() < 0.9999 * max_speed);
            let off = (linear(&now) - linear(&first) - by_gravity).length() / whole;
            if is_kept && MAX_DRIFT < off && out.momentum.is_none() {
                out.momentum = Some((step, off));
            }
        }
        if let Some(log) = log.as_deref_mut() {
            let _ = writeln!(log, "step {step}: energy {gain:.6} of the start, {} stopped", stats.n_stopped);
            for (k, s) in now.iter().enumerate() {
                let [position, velocity] = [
                    flight.frame.inverse_transform_point(s.center),
                    flight.frame.inverse_transform_vector(s.velocity),
                ];
                let spin = flight.frame.inverse_transform_vector(s.angular_momentum);
                let body = flight.world.body(flight.movers[k].0).unwrap().motion();
                let omega = flight.frame.inverse_transform_vector(body.angular_velocity.as_dvec3());
                let _ = writeln!(
                    log,
                    "  body {k}: centre {position:.6}, velocity {velocity:.4}, spin {omega:.4}, angular momentum {spin:.8}, \
                     kinetic energy {:.6e}, {}",
                    s.kinetic,
                    if body.is_sleeping { "asleep" } else { "awake" }
                );
            }
            for view in flight.world.contacts() {
                let contacts = view.manifolds.iter().flat_map(|m| m.contacts());
                for contact in contacts {
                    let _ = writeln!(
                        log,
                        "  contact of {} and {}: distance {:.6}, point {:.5}",
                        view.a.index(),
                        view.b.index(),
                        contact.distance,
                        flight.frame.inverse_transform_point(contact.point_a.as_dvec3()),
                    );
                }
            }
        }
        before = now;
    }
    out
}

fn describe(out: &Outcome, with_spins: bool) -> Option<String> {
    let mut said = Vec::new();
    if let Some(step) = out.gain_at {
        said.push(format!("energy {:.5} times that of the start, first in step {step}", out.worst));
    }
    if let Some((step, depth, body)) = out.escape {
        said.push(format!("centre of body {body} beyond the surface by {depth:.5} in step {step}"));
    }
    if let Some((step, off)) = out.momentum {
        said.push(format!("momentum of the two off by {off:.4} in step {step}"));
    }
    if let Some((step, off, what)) = out.spin
        && with_spins
    {
        said.push(format!("{what} off by {off:.4} in step {step}"));
    }
    said.extend(out.error.clone());
    (!said.is_empty()).then(|| said.join("; "))
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
