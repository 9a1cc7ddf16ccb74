//! Balls thrown in a hall: each pair is looked at when it is due, not in each frame. `due [N]`.
//!
//! A lower bound of the time to contact says until when a pair may be left alone. A queue gives the
//! pair that is due first. Each contact is found in the frame in which looking at all pairs finds
//! it.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)] // A program, never without std.

use carom_ccd::contact_time_bound;
use glam::DVec3;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::error::Error;

/// Radius of a ball in metres, seconds to a frame, and frames.
const RADIUS: f64 = 0.1;
const FRAME: f64 = 1.0 / 60.0;
const N_FRAMES: u32 = 240;

/// A ball flies freely from the start on.
struct Ball {
    start: DVec3,
    velocity: DVec3,
}

const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

impl Ball {
    fn at(&self, t: f64) -> DVec3 {
        self.start + self.velocity * t + GRAVITY * (0.5 * t * t)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let n: u32 = std::env::args().nth(1).map_or(Ok(300), |word| word.parse())?;
    let unit = |i: u32, step: f64| (f64::from(i) * step).fract() - 0.5;
    let spread = |i: u32, steps: [f64; 3]| DVec3::from(steps.map(|step| unit(i, step)));
    let ball = |i: u32| Ball {
        start: spread(i, [0.819_172_5, 0.671_043_6, 0.549_700_5]) * 10.0,
        velocity: spread(i, [0.414_213_6, 0.732_050_8, 0.236_068]) * 4.0,
    };
    let balls: Vec<Ball> = (1..=n).map(ball).collect();
    let gap = |a: u32, b: u32, t: f64| {
        let apart = balls[a as usize].at(t) - balls[b as usize].at(t);
        apart.length() - 2.0 * RADIUS
    };
    // All fall alike: the velocity of one as seen from the other stays, and so there is no
    // acceleration between them.
    let frames_until_due = |a: u32, b: u32, gap: f64| {
        let speed = (balls[a as usize].velocity - balls[b as usize].velocity).length();
        (contact_time_bound(gap, speed, 0.0) / FRAME).min(f64::from(u32::MAX)).floor().max(1.0) as u32
    };

    let mut queue = BinaryHeap::new();
    (0..n).for_each(|a| (a + 1..n).for_each(|b| queue.push(Reverse((0, a, b)))));
    let (mut n_tests, mut n_contacts, mut n_true) = (0_u64, 0_u64, 0_u64);
    for frame in 0..N_FRAMES {
        let t = f64::from(frame) * FRAME;
        while let Some(&Reverse((due, a, b))) = queue.peek()
            && due <= frame
        {
            queue.pop();
            n_tests += 1;
            let gap = gap(a, b, t);
            n_contacts += u64::from(gap <= 0.0);
            queue.push(Reverse((frame.saturating_add(frames_until_due(a, b, gap)), a, b)));
        }
        let touching = |a: u32| (a + 1..n).filter(move |&b| gap(a, b, t) <= 0.0).count() as u64;
        n_true += (0..n).map(touching).sum::<u64>();
    }
    let n_all = u64::from(n) * u64::from(n.saturating_sub(1)) / 2 * u64::from(N_FRAMES);
    println!("{n} balls, {N_FRAMES} frames: {n_contacts} contacts; {n_tests} looks at pairs, not {n_all}");
    if n_contacts == n_true { Ok(()) } else { Err(format!("{n_true} contacts by all pairs").into()) }
}
