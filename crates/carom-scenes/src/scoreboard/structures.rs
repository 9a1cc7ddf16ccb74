//! Rows of structures: a house of cards, an arch, a wall that is hit, a row of dominoes.
//!
//! Reference: J. M. J. van Leeuwen, The domino effect, American Journal of Physics 78, 2010, III to
//! VI; E. Catto, Solver2D, box2d.org, 2024 (a card house, an arch).

use super::film::{self, Film};
use super::parts::{GRAVITY, STEP, block, cuboid, floor, turn};
use super::row::{Figure, Limit, Row};
use crate::body::{BodySpec, SceneSpec, ShapeSpec};
use alloc::vec;
use alloc::vec::Vec;
use carom_math::{Pose, Vec3};
use core::f64::consts::PI;
use glam::DVec3;
use libm::{asin, cos, sin, sqrt};

/// Returns all rows of this family.
pub fn rows() -> Vec<Row> {
    vec![cards(), arch(), wall(), dominoes()]
}

/// Returns the row of five floors of cards: pairs that lean on each other, and cards that lie
/// across their tops.
fn cards() -> Row {
    const FLOORS: usize = 5;
    // Half thickness and half height of a card, and its angle to the vertical.
    let (thin, high, lean) = (0.01, 0.5, 0.35);
    let (sin_lean, cos_lean) = (sin(lean), cos(lean));
    let tent_height = 2.0 * (high * cos_lean + thin * sin_lean);
    // Distance of neighbouring tops, at which the feet of two pairs are just apart.
    let spacing = 4.0 * (high * sin_lean + thin * cos_lean) + 0.01;
    let mut scene = SceneSpec::default();
    scene.bodies.push(floor().with_friction(0.7));
    let mut push = |half: DVec3, at: DVec3, angle: f64| {
        let pose = Pose::new(turn(Vec3::Z, angle), at.as_vec3());
        scene.bodies.push(BodySpec::new(cuboid(half.as_vec3()), pose).with_friction(0.7));
    };
    let mut base = 0.0;
    for n in (1..=FLOORS).rev() {
        let top = |i: usize| spacing * (i as f64 - 0.5 * (n - 1) as f64);
        for i in 0..n {
            for side in [-1.0, 1.0] {
                let x = top(i) + side * (high * sin_lean + thin * cos_lean);
                let at = DVec3::new(x, base + 0.5 * tent_height, 0.0);
                push(DVec3::new(thin, high, 0.35), at, side * lean);
            }
        }
        base += tent_height;
        for i in 1..n {
            let at = DVec3::new(0.5 * (top(i - 1) + top(i)), base + thin, 0.0);
            push(DVec3::new(0.5 * spacing - 0.002, thin, 0.35), at, 0.0);
        }
        base += 2.0 * thin;
    }
    Row {
        name: "cards".into(),
        about: "A house of 40 cards on five floors, each card 1 m high and 2 cm thick, friction 0.7.",
        scene,
        seconds: f64::INFINITY,
        figures: vec![
            Figure::new(
                "largest displacement of a card, m",
                Limit::AtMost(0.04),
                "it stands: at most twice the thickness of a card, on five floors",
                |film: &Film| film.drift(film.dynamic(), 0.0, DVec3::ONE),
            ),
            Figure::stillness(),
        ],
    }
}

/// Returns the row of a half circle of wedges without mortar, on two fixed stones.
fn arch() -> Row {
    const STONES: usize = 15;
    // The radii of the inner and the outer side.
    let radii = [4.5, 5.5];
    let middle = 0.5 * (radii[0] + radii[1]);
    let mut scene = SceneSpec::default();
    for side in [-1.0, 1.0] {
        let at = Vec3::new(side * middle as f32, -0.5, 0.0);
        let footing = cuboid(Vec3::new(1.0, 0.5, 1.0));
        scene.bodies.push(BodySpec::fixed(footing, Pose::from_translation(at)).with_friction(0.7));
    }
    for stone in 0..STONES {
        let angle = |i: usize| PI * i as f64 / STONES as f64;
        let at = |radius: f64, angle: f64, z: f64| DVec3::new(radius * cos(angle), radius * sin(angle), z);
        let center = at(middle, 0.5 * (angle(stone) + angle(stone + 1)), 0.0);
        let mut points = Vec::new();
        for (radius, i, z) in radii
            .iter()
            .flat_map(|&r| [stone, stone + 1].map(|i| (r, i)))
            .flat_map(|(r, i)| [(r, i, -0.5), (r, i, 0.5)])
        {
            points.push((at(radius, angle(i), z) - center).as_vec3());
        }
        let pose = Pose::from_translation(center.as_vec3());
        scene.bodies.push(BodySpec::new(ShapeSpec::Hull { points }, pose).with_friction(0.7));
    }
    Row {
        name: "arch".into(),
        about: "A semicircular arch of 15 wedges without mortar, radius 5 m, 1 m thick, friction 0.7. Such an arch stands if it \
                is thicker than 0.1075 of its radius (M. Milankovitch, 1907).",
        scene,
        seconds: f64::INFINITY,
        figures: vec![
            Figure::new(
                "drop of the keystone, relative to the radius",
                Limit::AtMost(0.02),
                "2 % of the size, as for stacks",
                |film: &Film| film.drift([2 + STONES / 2].into_iter(), 0.0, DVec3::Y) / 5.0,
            ),
            Figure::overlap(5.0, 0.02, "2 % of the size: the limit of stacks up to 1:300"),
            Figure::stillness(),
        ],
    }
}

/// Returns the row of a wall of bricks that a ball hits.
fn wall() -> Row {
    const ROWS: usize = 12;
    const COLUMNS: usize = 10;
    let half = Vec3::new(0.25, 0.125, 0.125);
    let mut scene = SceneSpec::default();
    scene.bodies.push(floor());
    let ball = ShapeSpec::Sphere { radius: 0.4 };
    let ball = BodySpec::new(ball, Pose::from_translation(Vec3::new(0.1, 1.4, -6.0)))
        .with_density(4.0)
        .with_velocity(Vec3::new(0.0, 2.0, 20.0), Vec3::ZERO);
    scene.bodies.push(ball);
    for row in 0..ROWS {
        for i in 0..COLUMNS {
            let shift = if row % 2 == 0 { 0.0 } else { 0.5 };
            let x = 2.0 * half.x * (i as f32 - 0.5 * COLUMNS as f32 + shift);
            scene.bodies.push(block(half, Vec3::new(x, half.y * (2 * row + 1) as f32, 0.0)));
        }
    }
    Row {
        name: "wall".into(),
        about: "A wall of 120 bricks of 50 x 25 x 25 cm that is hit by a ball of 34 times a brick's mass at 20 m/s.",
        scene,
        seconds: f64::INFINITY,
        figures: vec![
            Figure::new(
                "energy gained, relative to the initial energy of the ball",
                Limit::AtMost(0.01),
                "not above the energy put in; 0.01 allows for the half step by which velocities lag positions",
                |film: &Film| film.energy_gained() / film.kinetic(0, 1),
            ),
            Figure::new(
                "bricks that stay within 0.5 m of their initial position",
                Limit::Within(10.0, 100.0),
                "the ball breaks through, and the ends of the wall stay",
                |film: &Film| {
                    let last = film.frames.len() - 1;
                    let travel_of = |&body: &usize| (film.center(last, body) - film.center(0, body)).length();
                    film.dynamic().filter(|body| *body != 1 && travel_of(body) < 0.5).count() as f64
                },
            ),
            Figure::overlap(30.0, 0.04, "1 cm, which is 2 % of a brick's length"),
            Figure::new(
                "bricks that move more than 1 mm in the last second",
                Limit::AtMost(0.0),
                "asleep or still at the end; the ball may roll on",
                |film: &Film| film.n_moving_at_end_of(film.dynamic().filter(|&body| body != 1)) as f64,
            ),
        ],
    }
}

/// Height, thickness, and distance from face to face of the dominoes, in metres.
const DOMINO: [f64; 3] = [0.5, 0.0895, 0.0605];

/// Friction between dominoes.
const DOMINO_FRICTION: f64 = 0.2;

/// A domino that leans by this angle in radians has fallen: its centre is far beyond its edge.
const FALLEN: f64 = 0.6;

/// Returns the row of a thousand dominoes.
fn dominoes() -> Row {
    const N: usize = 1000;
    // Angular velocity of the first domino, about that of dominoes in the wave.
    const PUSH: f32 = 6.0;
    let [height, thickness, gap] = DOMINO;
    let half = Vec3::new(0.5 * thickness as f32, 0.5 * height as f32, 0.12);
    let mut scene = SceneSpec::default();
    // With this friction no domino slips, with the geometric mean (0.6) and with the arithmetic
    // mean (1.0).
    scene.bodies.push(floor().with_friction(1.8));
    for i in 0..N {
        let at = Vec3::new(((thickness + gap) * i as f64) as f32, half.y, 0.0);
        let mut domino = block(half, at).with_friction(DOMINO_FRICTION as f32);
        if i == 0 {
            domino = domino.with_velocity(Vec3::X * (PUSH * half.y), Vec3::Z * -PUSH);
        }
        scene.bodies.push(domino);
    }
    Row {
        name: "dominoes".into(),
        about: "A row of 1000 dominoes, 50 cm high, 9 cm thick, 6 cm apart; the first is pushed.",
        scene,
        seconds: 60.0,
        figures: vec![
            Figure::new(
                "dominoes standing at the end",
                Limit::AtMost(0.0),
                "each domino knocks over the next",
                |film| {
                    let last = film.frames.len() - 1;
                    film.dynamic().filter(|&body| !(FALLEN <= lean(film, last, body))).count() as f64
                },
            ),
            Figure::new(
                "speed of the wave, relative to theory",
                Limit::Within(0.9, 1.1),
                "J. van Leeuwen, The domino effect, Am. J. Phys. 78, 2010: no slip, no rebound; 10 % for both",
                |film| speed_of(film) / wave_speed(DOMINO, DOMINO_FRICTION),
            ),
        ],
    }
}

/// Returns the angle between a body's y axis and the vertical, in radians.
fn lean(film: &Film, frame: usize, body: usize) -> f64 {
    let up = film::rotation(&film.frames[frame].states[body].pose) * DVec3::Y;
    libm::acos(up.y.clamp(-1.0, 1.0))
}

/// Returns the mean speed of the wave from the hundredth domino to the last one that falls; NaN if
/// fewer than 200 fall.
fn speed_of(film: &Film) -> f64 {
    // The frame in which each domino begins to fall, as far as the wave comes.
    let mut starts = Vec::new();
    let mut frame = 0;
    for body in film.dynamic() {
        while frame < film.frames.len() && lean(film, frame, body) < 0.05 {
            frame += 1;
        }
        if frame == film.frames.len() {
            break;
        }
        starts.push(frame);
    }
    let n = starts.len();
    if n < 200 {
        return f64::NAN;
    }
    let seconds = (starts[n - 1] - starts[100]) as f64 * STEP;
    (DOMINO[1] + DOMINO[2]) * (n - 101) as f64 / seconds
}

/// Returns the speed of the wave in a long row of dominoes, in metres per second. They turn about
/// their lower edges and lean on each other.
///
/// The angle of the foremost domino determines those of all others. It is integrated between two
/// collisions; a collision sets the next domino in motion without rebound. At the speed of the
/// wave, each collision is like the one before.
///
/// Reference: J. M. J. van Leeuwen, The domino effect, American Journal of Physics 78, 2010,
/// sections III to VI.
pub fn wave_speed([height, thickness, gap]: [f64; 3], friction: f64) -> f64 {
    const ANGLES: usize = 200;
    let row = LeaningRow { height, thickness, pitch: thickness + gap, friction };
    let inertia = (height * height + thickness * thickness) / 3.0;
    // The angular acceleration of the foremost domino, from its angle and the square of its speed.
    let acceleration = |angle: f64, speed_sq: f64| {
        let below = (angle - 1e-6).max(0.0); // Not a tolerance: the step of a difference quotient, rounding 1e-10.
        let above = below + 2e-6; // rounding: twice that step.
        let [now, before, after] = [angle, below, above].map(|angle| row.at(angle));
        let (mut drive, mut mass) = (0.0, 0.0);
        for ((this, low), high) in now.iter().zip(&before).zip(&after) {
            let torque = 0.5 * GRAVITY * (height * sin(this.angle) - thickness * cos(this.angle));
            let bend = (high.rate - low.rate) / (above - below);
            drive += this.weight * (torque / inertia - bend * speed_sq);
            mass += this.weight * this.rate;
        }
        drive / mass
    };
    let largest = asin(gap / height);
    let step = largest / ANGLES as f64;
    let (mut speed, mut seconds) = (3.0 * sqrt(GRAVITY / height), 0.0);
    for _ in 0..60 {
        seconds = 0.0;
        for i in 0..ANGLES {
            let angle = step * i as f64;
            let half = speed * speed + acceleration(angle, speed * speed) * step;
            let next = sqrt(speed * speed + 2.0 * acceleration(angle + 0.5 * step, half) * step);
            seconds += 2.0 * step / (speed + next);
            speed = next;
        }
        // The row before the collision, and the row that begins with the domino that is hit.
        let (before, after) = (row.at(largest), row.at(0.0));
        let kept: f64 = after[1..].iter().zip(&before).map(|(new, old)| new.weight * old.rate).sum();
        let all: f64 = after.iter().map(|domino| domino.weight * domino.rate).sum();
        speed *= kept / all;
    }
    row.pitch / seconds
}

/// Dominoes that lean on each other.
struct LeaningRow {
    height: f64,
    thickness: f64,
    pitch: f64,
    friction: f64,
}

/// A domino of such a row.
struct Leaning {
    /// Its angle to the vertical, in radians.
    angle: f64,
    /// Its angular speed, relative to that of the foremost one.
    rate: f64,
    /// The weight of its angular momentum after the forces between dominoes are eliminated.
    weight: f64,
}

impl LeaningRow {
    /// Returns the foremost domino at this angle, and those behind it.
    fn at(&self, angle: f64) -> Vec<Leaning> {
        const BEHIND: usize = 40;
        let mut row = vec![Leaning { angle, rate: 1.0, weight: 1.0 }];
        for i in 0..BEHIND {
            let Leaning { angle, rate, weight } = row[i];
            // The upper edge of the domino behind lies on the face of this one.
            let between = asin((self.pitch * cos(angle) - self.thickness) / self.height);
            let slide = self.pitch * sin(angle);
            // The lever arms of the force on this domino and on the one behind.
            let ahead = self.height * cos(between) - slide - self.friction * self.thickness;
            let behind = self.height * (cos(between) + self.friction * sin(between));
            row.push(Leaning {
                angle: angle + between,
                rate: rate * (1.0 - slide / (self.height * cos(between))),
                weight: weight * ahead / behind,
            });
        }
        row
    }
}
