//! Two convex shapes that move and turn: brackets, bounds and safe times hold at all sampled
//! times.

use crate::bytes::Bytes;
use crate::convex::shape;
use carom_ccd::{
    ImpactSettings, Motion, Proposal, TimeOfImpact, conservative_advancement, path_time_of_impact,
    time_of_impact,
};
use carom_geom::SupportMap;
use carom_gjk::{GjkCache, GjkSettings, nearest_simplex, wide};
use carom_math::WidePose;

/// Answers are ordered numbers. Nothing touches before the safe time, and a proved contact is
/// there.
pub fn impacts(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let (Some(a), Some(b)) = (shape(&mut bytes), shape(&mut bytes)) else { return };
    let (a, b) = (&*a, &*b);
    let (Some(motion_a), Some(motion_b)) = (motion(&mut bytes), motion(&mut bytes)) else { return };
    let settings = ImpactSettings::default()
        .with_target_distance(bytes.float())
        .with_tolerance([1e-4, 1e-2, 1e-9, 0.0][bytes.below(4)])
        .with_distance(bytes.byte().is_multiple_of(4))
        .with_features(true);
    let target = settings.target_distance.max(0.0);
    let answer = time_of_impact(a, &motion_a, b, &motion_b, &settings, proposer(a, b));
    let slow = conservative_advancement(a, &motion_a, b, &motion_b, &settings, proposer(a, b));
    let along = path_time_of_impact(a, &motion_a, b, &motion_b, &settings, proposer(a, b));
    for answer in [&answer, &slow, &along] {
        match answer {
            TimeOfImpact::Hit(impact) => {
                assert!(0.0 <= impact.t_lo && impact.t_lo <= impact.t_hi && impact.t_hi <= 1.0, "{answer:?}");
            }
            TimeOfImpact::Clear(clear) => assert!(target <= clear.distance, "{answer:?}"),
            TimeOfImpact::Undecided(undecided) => {
                assert!((0.0..=1.0).contains(&undecided.t_safe), "{answer:?}");
                assert!(0.0 <= undecided.distance, "{answer:?}");
            }
        }
    }

    // The comparisons below allow rounding, relative to the size of the scene and to the angles of
    // rotation.
    let extent = |s: &dyn SupportMap, motion: &Motion| {
        s.center().length()
            + s.radius()
            + s.margin()
            + motion.local_center().length()
            + motion.center_at(0.0).length()
            + motion.linear().length()
    };
    let size = extent(a, &motion_a) + extent(b, &motion_b);
    let turns = motion_a.angular().length() + motion_b.angular().length();
    if !(1e-100 < size && size < 1e100 && turns < 1e4) {
        return;
    }
    let tolerance = 1e-11 * size * (1.0 + turns);
    let bounds = |t: f64| {
        let b_in_a = motion_b.pose_at(t).relative_to(&motion_a.pose_at(t));
        let signed = wide::signed_distance(a, b, &b_in_a, &GjkSettings::default(), None);
        [signed.lower_bound, signed.upper_bound]
    };
    for answer in [&answer, &slow, &along] {
        let (free, least) = match answer {
            TimeOfImpact::Hit(impact) => {
                let [lower, _] = bounds(impact.t_hi);
                assert!(lower <= target + tolerance, "{lower} apart at the end of {answer:?}");
                (impact.t_lo, target)
            }
            TimeOfImpact::Clear(clear) => (1.0, clear.distance),
            TimeOfImpact::Undecided(undecided) => (undecided.t_safe, target),
        };
        for i in 0..8 {
            let t = free * f64::from(i) / 8.0;
            let [_, upper] = bounds(t);
            assert!(t == free || least - tolerance <= upper, "{upper} apart at {t}: {answer:?}");
        }
    }
    // Both answers are right, so they do not contradict each other.
    let (safe, safe_slow) = (answer.safe_until(1.0), slow.safe_until(1.0));
    if let TimeOfImpact::Hit(impact) = &answer {
        assert!(safe_slow <= impact.t_hi, "{answer:?} {slow:?}");
    }
    if let TimeOfImpact::Hit(impact) = &slow {
        assert!(safe <= impact.t_hi, "{answer:?} {slow:?}");
    }
}

fn motion(bytes: &mut Bytes<'_>) -> Option<Motion> {
    let (rotation, position, center) = (bytes.rotation(), bytes.point(), bytes.point());
    let center = if bytes.byte().is_multiple_of(2) { glam::DVec3::ZERO } else { center };
    let linear = bytes.point();
    let angular = if bytes.byte().is_multiple_of(3) { glam::DVec3::ZERO } else { bytes.point() };
    Motion::new(rotation, position, center, linear, angular).ok()
}

fn proposer<'s>(a: &'s dyn SupportMap, b: &'s dyn SupportMap) -> impl FnMut(&WidePose, f64) -> Proposal + 's {
    let mut cache = GjkCache::new();
    move |b_in_a, tolerance| {
        let gjk = GjkSettings::default().with_distance_tolerance(tolerance);
        let nearest = nearest_simplex(a, b, b_in_a, &gjk, Some(&mut cache));
        Proposal {
            axis: nearest.axis,
            points_a: nearest.points_a,
            points_b: nearest.points_b,
            n_points: nearest.n_points,
            weights: nearest.weights,
        }
    }
}
