//! The box around a moving shape, in the frame of another one: which boxes it enters, and when.
//!
//! Reference: T. Kay, J. Kajiya, Ray Tracing Complex Scenes, ACM SIGGRAPH 1986 (slabs); C. Ericson,
//! Real-Time Collision Detection, 2005, 5.5.8 (moving boxes).

use crate::around::Around;
use crate::impact::CastQuery;
use carom_bounds::{Aabb, Aabb8};
use carom_bvh::{Bvh, Counters, WideNode};
use carom_ccd::{Sweep, Tally};
use carom_geom::SupportMap;
use core::ops::ControlFlow;
use glam::DVec3;

/// Rounding of slab tests and of the sums before them, relative to each length.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// The motion of a box around B in A's frame.
pub(crate) struct SweptBox {
    /// Its centre at the start, and its half extents plus the room. With rotation: the box around
    /// the whole sweep.
    center: DVec3,
    half: DVec3,
    /// Length per unit of time; zero with rotation.
    velocity: DVec3,
    /// The distance beyond which parts are ignored.
    pub(crate) room: f64,
}

impl SweptBox {
    /// Creates the motion of the box around B. `None` if its numbers are out of range.
    pub(crate) fn new(around: &Around, query: &CastQuery<'_, impl Tally>) -> Option<SweptBox> {
        let settings = &query.settings;
        let (start, end) = (settings.start_time, settings.max_time);
        // A little above the target, so that ignored parts are surely apart.
        let target = query.target();
        let room =
            (target + settings.tolerance.max(0.0) * around.radius()).max(target * (1.0 + 4.0 * f64::EPSILON));
        let sweep = Sweep::new(query.motion_a, query.motion_b, start, end);
        let straight = sweep.straight(around);
        let slab = sweep.slab(start, if straight.is_some() { start } else { end });
        query.count_volume();
        let [low, high] = slab.bounds(around);
        let (velocity, rounding) =
            straight.map_or((DVec3::ZERO, 0.0), |swept| (swept.velocity, swept.rounding));
        let center = low * 0.5 + high * 0.5;
        let half = (high - center).max(center - low) + room + rounding;
        let is_somewhere = center.is_finite() && half.is_finite() && velocity.is_finite();
        is_somewhere.then_some(SweptBox { center, half, velocity, room })
    }

    /// Returns a lower bound of the time, counted from the start, at which the box of a part is
    /// entered. `None` if it is not entered within `time`.
    pub(crate) fn enters(&self, part: &Aabb, time: f64) -> Option<f64> {
        let (min, max) = (part.min.as_dvec3(), part.max.as_dvec3());
        let reach = self.center.abs() + min.abs().max(max.abs()) + self.half;
        let half = self.half + reach * ROUNDING;
        let (low, high) = (min - half - self.center, max + half - self.center);
        let (mut enters, mut leaves) = (0.0_f64, time);
        for ((low, high), rate) in
            low.to_array().into_iter().zip(high.to_array()).zip(self.velocity.to_array())
        {
            if rate == 0.0 {
                if !(low <= 0.0 && 0.0 <= high) {
                    return None;
                }
                continue;
            }
            let (near, far) = if 0.0 < rate { (low / rate, high / rate) } else { (high / rate, low / rate) };
            enters = enters.max(near - near.abs() * ROUNDING);
            leaves = leaves.min(far + far.abs() * ROUNDING);
        }
        (enters <= leaves).then_some(enters)
    }

    /// Visits the primitives of a tree that the box may enter within `time`, by number, unsorted.
    pub(crate) fn visit_tree<N: WideNode<Aabb8>>(
        &self,
        tree: &Bvh<Aabb, N>,
        time: f64,
        mut primitive: impl FnMut(u32),
    ) -> Counters {
        let walk = tree.visit_moving_box(self.center, self.half, self.velocity, 0.0, time, |leaf, until| {
            leaf.primitives.iter().for_each(|&number| primitive(number));
            ControlFlow::Continue(until)
        });
        walk.counters
    }
}
