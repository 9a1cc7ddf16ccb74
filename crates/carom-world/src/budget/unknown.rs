//! Pairs whose shapes were never tested, because a budget deferred them: stops the approach of
//! their bodies.
//!
//! Reference: C. O'Sullivan, J. Dingliana, Collisions and Perception, ACM Transactions on Graphics
//! 20(3), 2001 (plausible responses).

use crate::bodies::BodySet;
use crate::contacts::ContactSet;
use crate::contacts::pair_state::PairState;
use carom_bounds::Aabb;
use carom_broad::{BroadPhase, Pair};
use carom_math::Vec3;
use carom_query::Shape;
use carom_response::plausible::Scatter;
use carom_response::{Body, plausible};

/// Stops the approach of bodies whose boxes touch and whose shapes were never tested. Returns the
/// number of pairs in which this changed a velocity.
pub(crate) fn stop_unknown<B: BroadPhase>(
    bodies: &mut BodySet,
    contacts: &ContactSet,
    broad: &B,
    scatter: Option<Scatter>,
) -> usize {
    let mut n_stopped = 0;
    let is_unknown = |state: &&PairState| state.is_deferred && state.is_new && !state.is_sensor;
    for state in
        contacts.active_pairs.iter().map(|&index| &contacts.states[index as usize]).filter(is_unknown)
    {
        let (a, b) = (state.a.index as usize, state.b.index as usize);
        // The box of a shape that is infinite or not convex says little about the shape.
        let is_like_its_box = |k: usize| bodies.shapes[k].as_ref().is_some_and(Shape::is_convex);
        let box_of = |k: usize| bodies.proxies[k].and_then(|proxy| broad.aabb(proxy).ok());
        let (true, true, Some(box_a), Some(box_b)) =
            (is_like_its_box(a), is_like_its_box(b), box_of(a), box_of(b))
        else {
            continue;
        };
        let axis = least_overlap(&box_a, &box_b);
        let [body_a, body_b] = [a, b].map(|k| bodies.motions[k]);
        let draw = number_of_draw(state.pair(), &body_a, &body_b);
        // A suspended body acts as a fixed body.
        let stands = [a, b].map(|k| bodies.is_suspended(k));
        let stand_in = |body: Body, stands| if stands { Body::fixed(body.pose) } else { body };
        let (mut body_a, mut body_b) = (stand_in(body_a, stands[0]), stand_in(body_b, stands[1]));
        let has_parted = match scatter {
            Some(scatter) => scatter.apply(&mut body_a, &mut body_b, axis, draw),
            None => plausible::stop_approach(&mut body_a, &mut body_b, axis),
        };
        for (k, body, stands) in [(a, body_a, stands[0]), (b, body_b, stands[1])] {
            if !stands {
                bodies.motions[k] = body;
            }
        }
        n_stopped += usize::from(has_parted);
    }
    n_stopped
}

/// Returns the seed of a random draw for two bodies. It differs between pairs, and changes when
/// one of the bodies moves. It depends on the state alone, so a restored world has the same draws.
pub(crate) fn number_of_draw(pair: Pair, a: &Body, b: &Body) -> u64 {
    let velocities = [a.linear_velocity, b.linear_velocity, a.pose.translation, b.pose.translation];
    let words = velocities.into_iter().flat_map(|v| v.to_array()).map(f32::to_bits);
    let fold = |hash: u64, word: u32| (hash ^ u64::from(word)).wrapping_mul(0x0000_0100_0000_01b3);
    words.chain([pair.a, pair.b]).fold(0xcbf2_9ce4_8422_2325, fold)
}

/// Returns the axis along which two boxes overlap least: a unit vector from A to B.
pub(crate) fn least_overlap(a: &Aabb, b: &Aabb) -> Vec3 {
    let overlap = a.max.min(b.max) - a.min.max(b.min);
    let axis = if overlap.x <= overlap.y && overlap.x <= overlap.z {
        Vec3::X
    } else if overlap.y <= overlap.z {
        Vec3::Y
    } else {
        Vec3::Z
    };
    // The difference of the centres. Halves come first, so that the sums stay finite.
    let apart = (b.min * 0.5 + b.max * 0.5) - (a.min * 0.5 + a.max * 0.5);
    if apart.dot(axis) < 0.0 { -axis } else { axis }
}
