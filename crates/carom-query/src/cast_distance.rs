//! How near two moving bodies come that do not meet.

use crate::impact::CastQuery;
use crate::workspace::Workspace;
use carom_ccd::{Proof, Tally, TimeOfImpact};
use carom_math::{WidePose, tol};

/// The number of equal intervals of the time searched, at whose ends the distance is computed.
const N_INTERVALS: u32 = 8;

/// The most searches for a better distance.
const MAX_REPEATED_SEARCHES: u32 = 6;

/// Returns a better lower bound of the distance of bodies that do not meet. Each search uses a
/// target distance just below the smallest distance known. `distance_at` returns the distance for a
/// pose of B in A's frame, up to a limit.
pub(crate) fn better_distance<T: Tally>(
    known: f64,
    query: &CastQuery<'_, T>,
    memory: &mut Workspace,
    distance_at: impl Fn(&WidePose, f64, &mut Workspace) -> f64,
    cast: impl Fn(&CastQuery<'_, T>, &mut Workspace) -> TimeOfImpact,
) -> f64 {
    let settings = &query.settings;
    let (start, time) = (settings.start_time, settings.max_time - settings.start_time);
    let mut nearest = f64::INFINITY;
    for i in 0..=N_INTERVALS {
        let relative = query.b_in_a(start + time * (f64::from(i) / f64::from(N_INTERVALS)));
        nearest = nearest.min(distance_at(&relative, nearest, memory));
    }
    let mut best = known;
    for _ in 0..MAX_REPEATED_SEARCHES {
        let target = tol::IMPACT_DISTANCE * nearest;
        if !(best < target && target < f64::INFINITY) {
            break;
        }
        let settings = settings.with_target_distance(target).with_distance(false);
        match cast(&CastQuery { settings, ..*query }, memory) {
            TimeOfImpact::Clear(clear) => {
                best = best.max(clear.distance);
                break;
            }
            TimeOfImpact::Hit(impact) => match impact.proof {
                Proof::Within(distance) if distance < nearest => nearest = distance,
                _ => break,
            },
            TimeOfImpact::Undecided(_) => break,
        }
    }
    best
}
