//! Two ways to the time of impact of turning boxes: conservative advancement, and root finding
//! along an axis. `advance`
//!
//! Conservative advancement goes as far as nothing can touch, again and again; the search for a
//! root along the axis of the nearest points needs fewer looks at these. Both give a bracket of the
//! same first contact.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)] // A program, never without std.

use carom_ccd::{ImpactSettings, Motion, Proposal, TimeOfImpact, conservative_advancement, time_of_impact};
use carom_geom::f64::Cuboid;
use carom_gjk::{GjkCache, GjkSettings, nearest_simplex};
use carom_math::WidePose;
use carom_math::glam::{DQuat, DVec3};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let (plank, parcel) = (Cuboid::new(DVec3::new(2.0, 0.1, 0.5))?, Cuboid::new(DVec3::splat(0.5))?);
    let turning = |from: DVec3, velocity: DVec3, spin: DVec3| {
        Motion::new(DQuat::IDENTITY, from, DVec3::ZERO, velocity, spin)
    };
    let spin = turning(DVec3::ZERO, DVec3::ZERO, DVec3::Z * 3.0)?;
    let settings = ImpactSettings::default();
    for height in [0.4, 1.0, 1.6, 1.9] {
        let flight =
            turning(DVec3::new(-6.0, height, 0.0), DVec3::new(6.0, 0.0, 0.0), DVec3::new(0.0, 1.0, 2.0))?;
        let mut n_evaluations = [0; 2];
        let mut search = |method: usize| {
            let mut cache = GjkCache::new();
            let propose = |b_in_a: &WidePose, tolerance: f64| {
                n_evaluations[method] += 1;
                let gjk = GjkSettings::default().with_distance_tolerance(tolerance);
                let near = nearest_simplex(&plank, &parcel, b_in_a, &gjk, Some(&mut cache));
                Proposal {
                    axis: near.axis,
                    points_a: near.points_a,
                    points_b: near.points_b,
                    n_points: near.n_points,
                    weights: near.weights,
                }
            };
            match method {
                0 => conservative_advancement(&plank, &spin, &parcel, &flight, &settings, propose),
                _ => time_of_impact(&plank, &spin, &parcel, &flight, &settings, propose),
            }
        };
        let (advanced, found) = (search(0), search(1));
        let [by_advance, by_roots] = n_evaluations;
        match (advanced, found) {
            (TimeOfImpact::Hit(a), TimeOfImpact::Hit(b)) => {
                println!(
                    "height {height}: contact in {:.5} to {:.5} after {by_advance} looks, {:.5} to {:.5} after {by_roots}",
                    a.t_lo, a.t_hi, b.t_lo, b.t_hi
                );
                if a.t_hi < b.t_lo || b.t_hi < a.t_lo {
                    return Err(format!("the brackets are apart at a height of {height}").into());
                }
            }
            (a, b) if a.hit().is_none() && b.hit().is_none() => {
                println!("height {height}: no contact after {by_advance} looks, and after {by_roots}");
            }
            _ => return Err(format!("one finds a contact at a height of {height}").into()),
        }
    }
    Ok(())
}
