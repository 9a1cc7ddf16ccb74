//! A swarm of boxes moves. A tree that is only refitted becomes slow; an [`AdaptiveBvh`] does not.
//! `swarm [N]`.
//!
//! In each frame both trees get the new boxes, and both are queried with a frustum down one side
//! of the swarm.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)] // A program, never without std.

use carom_bounds::{Aabb, Frustum};
use carom_bvh::{AdaptiveBvh, BuildSettings, Bvh, FrustumSearch};
use carom_math::Plane;
use core::ops::ControlFlow;
use glam::Vec3;
use std::error::Error;

/// The box of body `i` after some frames. Each body has its own velocity, and comes back in at the
/// other side.
fn body(i: usize, frame: usize) -> Aabb {
    let along = |start: f64, speed: f64| {
        let (start, speed) = ((i as f64 * start).fract(), (i as f64 * speed).fract() - 0.5);
        ((start + speed * 0.004 * frame as f64).rem_euclid(1.0) * 100.0) as f32
    };
    let min = Vec3::new(
        along(0.819_172_5, 0.414_213_6),
        along(0.671_043_6, 0.732_050_8),
        along(0.549_700_5, 0.236_068),
    );
    Aabb { min, max: min + 0.5 }
}

/// The bodies in the frustum, sorted, and the number of volumes that were tested.
fn visible(tree: &Bvh, boxes: &[Aabb], view: &Frustum, search: &mut FrustumSearch) -> (Vec<u32>, u64) {
    let mut shown = Vec::new();
    let visit = search.visit(tree, view, |leaf, is_inside| {
        // Some primitives of a leaf that is not wholly inside may be outside.
        let is_shown = |&&i: &&u32| {
            is_inside
                || !matches!(
                    view.classify(&boxes[i as usize], &mut Default::default()),
                    carom_bounds::Culling::Outside
                )
        };
        shown.extend(leaf.primitives.iter().filter(is_shown));
        ControlFlow::Continue(())
    });
    shown.sort_unstable();
    (shown, visit.counters.volume_tests)
}

fn main() -> Result<(), Box<dyn Error>> {
    let n: usize = std::env::args().nth(1).map_or(Ok(20_000), |word| word.parse())?;
    let side = |normal: Vec3, out: f32| Plane { normal, d: -out };
    let view = Frustum::new([
        side(Vec3::X, 20.0),
        side(-Vec3::X, 0.0),
        side(Vec3::new(0.6, 0.8, 0.0), 40.0),
        side(-Vec3::Y, 0.0),
        side(Vec3::Z, 60.0),
        side(-Vec3::Z, -20.0),
    ])?;
    let boxes_at = |frame: usize| (0..n).map(|i| body(i, frame)).collect::<Vec<Aabb>>();
    let mut refitted = Bvh::build(&boxes_at(0), &BuildSettings::default())?;
    let mut watched = AdaptiveBvh::build(&boxes_at(0), &BuildSettings::default())?;
    // A search for each tree: it stores the plane that last rejected each child.
    let mut searches = [FrustumSearch::default(), FrustumSearch::default()];
    for frame in 0..=60 {
        let boxes = boxes_at(frame);
        refitted.refit(&boxes)?;
        let followed = watched.follow(&boxes)?;
        let (shown, worn_tests) = visible(&refitted, &boxes, &view, &mut searches[0]);
        let (same, tests) = visible(watched.tree(), &boxes, &view, &mut searches[1]);
        if shown != same {
            return Err(format!("frame {frame}: the trees show other bodies").into());
        }
        if frame % 10 == 0 {
            println!(
                "frame {frame}: {} in view; {worn_tests} tests by the refitted tree; {tests} by the watched, {} made anew",
                shown.len(),
                followed.renewed
            );
        }
    }
    Ok(())
}
