//! Chains of links against obstacles and themselves: against all times looked at, by frames
//! composed in matrices.

use crate::cast::by_gjk;
use carom_ccd::{
    Chain, ChainError, ChainMotion, ImpactSettings, Link, LinkJoint, Motion, Path, TimeOfImpact,
    path_time_of_impact, time_of_impact,
};
use carom_geom::f64::{Capsule, Cuboid};
use carom_gjk::{GjkSettings, wide};
use carom_math::WidePose;
use carom_testkit::random::Random;
use core::f64::consts::{FRAC_PI_2, PI};
use glam::{DAffine3, DQuat, DVec3};

const TARGET: f64 = 1e-3;

fn settings() -> ImpactSettings {
    ImpactSettings::default().with_target_distance(TARGET)
}

fn still(rotation: DQuat, at: DVec3) -> Motion {
    Motion::fixed(rotation, at).unwrap()
}

fn at_origin() -> Motion {
    still(DQuat::IDENTITY, DVec3::ZERO)
}

fn link(parent: Option<usize>, at: DVec3, joint: LinkJoint) -> Link {
    Link { parent, on_parent: (DQuat::IDENTITY, at), joint }
}

fn cuboid(half: DVec3) -> Cuboid {
    Cuboid::new(half).unwrap()
}

/// A joint about z, or along x.
const TURNS: LinkJoint = LinkJoint::Revolute { axis: DVec3::Z };
const SLIDES: LinkJoint = LinkJoint::Prismatic { axis: DVec3::X };

/// The frame of a link at a time, as matrices of another library compose it.
fn frame(chain: &Chain, base: &Motion, values: &[f64], rates: &[f64], number: usize, t: f64) -> WidePose {
    let mut all = DAffine3::IDENTITY;
    let mut next = Some(number);
    while let Some(k) = next {
        let Link { parent, on_parent: (rotation, position), joint } = chain.links()[k];
        let value = values[k] + rates[k] * t;
        let moved = match joint {
            LinkJoint::Revolute { axis } => DAffine3::from_axis_angle(axis, value),
            LinkJoint::Prismatic { axis } => DAffine3::from_translation(axis * value),
            _ => DAffine3::IDENTITY,
        };
        all = DAffine3::from_rotation_translation(rotation, position) * moved * all;
        next = parent;
    }
    let base = base.pose_at(t);
    let outer = DAffine3 { matrix3: base.rotation, translation: base.translation } * all;
    WidePose { rotation: outer.matrix3, translation: outer.translation }
}

/// Bodies are farther apart than the target until a bracket begins, and within it when that ends;
/// or never nearer than said. Whether it was decided, and a hit.
fn check(what: &str, found: &TimeOfImpact, gap: impl Fn(f64) -> f64) -> (bool, bool) {
    let until = found.safe_until(1.0);
    for i in 0..if 0.0 < until { 400 } else { 0 } {
        let t = until * f64::from(i) / 400.0;
        assert!(TARGET < gap(t) + 1e-12, "{what}: {} apart at {t}, {found:?}", gap(t));
    }
    match found {
        TimeOfImpact::Hit(hit) => {
            assert!(gap(hit.t_hi) <= TARGET + 1e-12, "{what}: {} apart, {hit:?}", gap(hit.t_hi));
            assert!(hit.t_lo <= hit.t_hi && (hit.point_a - hit.point_b).length() <= TARGET + 1e-9, "{hit:?}");
            (true, true)
        }
        TimeOfImpact::Clear(clear) => {
            let least = (0..=400).map(|i| gap(f64::from(i) / 400.0)).fold(f64::INFINITY, f64::min);
            assert!(TARGET < clear.distance && clear.distance <= least + 1e-12, "{what}: {clear:?}, {least}");
            (true, false)
        }
        TimeOfImpact::Undecided(_) => (false, false),
    }
}

fn distance(a: &Cuboid, pose_a: &WidePose, b: &Cuboid, pose_b: &WidePose) -> f64 {
    wide::distance(a, b, &pose_b.relative_to(pose_a), &GjkSettings::default(), None).distance
}

#[test]
fn motions_are_paths_with_the_same_times() {
    let mut random = Random::new(51);
    let (mut n_hits, mut n_decided) = (0, 0);
    for k in 0..200 {
        let [a, b] = [0, 1].map(|_| cuboid((random.cube_point().abs() + 0.05) * 0.7));
        let spin = [0.0, 1.0, 8.0][k % 3];
        let [motion_a, motion_b] = [0, 1].map(|_| {
            let turn = DQuat::from_scaled_axis(random.cube_point() * 3.0);
            let (at, velocity) = (random.cube_point() * 1.5, random.cube_point() * 3.0);
            Motion::new(turn, at, random.cube_point() * 0.3, velocity, random.cube_point() * spin).unwrap()
        });
        let propose = || by_gjk(&a, &b);
        let found = path_time_of_impact(&a, &motion_a, &b, &motion_b, &settings(), propose());
        let expected = time_of_impact(&a, &motion_a, &b, &motion_b, &settings(), propose());
        let gap = |t: f64| distance(&a, &motion_a.pose_at(t), &b, &motion_b.pose_at(t));
        let (is_decided, is_hit) = check(&format!("pair {k}"), &found, gap);
        if let (Some(x), Some(y)) = (found.hit(), expected.hit()) {
            assert!(x.t_lo <= y.t_hi && y.t_lo <= x.t_hi, "pair {k}: {x:?} {y:?}");
            assert!(x.t_hi - x.t_lo < 1e-2, "pair {k}: {x:?}");
        }
        n_hits += usize::from(is_hit);
        n_decided += usize::from(is_decided);
    }
    println!("{n_hits} hits, {n_decided} of 200 decided");
    assert!(40 < n_hits && 196 <= n_decided);
}

/// Three links of length 1 about z, folded from straight to a right angle each: the first joint
/// alone is a door.
#[test]
fn a_door_meets_a_post_at_the_angle_of_a_closed_form() {
    let chain = Chain::new(vec![link(None, DVec3::ZERO, TURNS)]).unwrap();
    // A leaf from the hinge to x = 1, 0.1 thick; a ball-like post of radius 0.05 on a circle of
    // radius 0.8.
    let motion = ChainMotion::new(&chain, at_origin(), &[0.0], &[PI]).unwrap();
    let leaf = Cuboid::new(DVec3::new(1.0, 0.05, 1.0)).unwrap();
    let post = Capsule::new(0.5, 0.05).unwrap();
    for angle in [0.5, 1.5, 3.0] {
        let at = DVec3::new(f64::cos(angle), f64::sin(angle), 0.0) * 0.8;
        let standing = still(DQuat::from_rotation_x(FRAC_PI_2), at);
        let path = motion.link(0).unwrap();
        let found = path_time_of_impact(&leaf, &path, &post, &standing, &settings(), by_gjk(&leaf, &post));
        // The side of the leaf is 0.05 in front of its middle, the post 0.05 and the target before
        // its own.
        let expected = (angle - f64::asin((0.1 + TARGET) / 0.8)) / PI;
        let hit = found.hit().unwrap_or_else(|| panic!("{found:?}"));
        assert!(
            hit.t_lo <= expected && expected <= hit.t_hi && hit.t_hi - hit.t_lo < 1e-4,
            "{hit:?}, {expected}"
        );
    }
}

#[test]
fn a_drawer_slides_until_it_meets_the_wall() {
    let chain = Chain::new(vec![link(None, DVec3::ZERO, SLIDES)]).unwrap();
    let motion = ChainMotion::between(&chain, at_origin(), &[0.25], &[3.25], 1.0).unwrap();
    let (drawer, wall) = (cuboid(DVec3::splat(0.5)), cuboid(DVec3::new(0.5, 5.0, 5.0)));
    let path = motion.link(0).unwrap();
    let there = still(DQuat::IDENTITY, DVec3::X * 3.0);
    let found = path_time_of_impact(&drawer, &path, &wall, &there, &settings(), by_gjk(&drawer, &wall));
    let hit = found.hit().unwrap();
    let expected = (2.0 - TARGET - 0.25) / 3.0;
    assert!(hit.t_lo <= expected && expected <= hit.t_hi && hit.t_hi - hit.t_lo < 1e-4, "{hit:?}");
    assert!((hit.normal - DVec3::X).length() < 1e-9, "{hit:?}");
}

/// Chains and trees of any joints, on a base that moves; values and rates of any size.
fn some_chain(random: &mut Random, n: usize) -> Chain {
    let links = (0..n)
        .map(|k| {
            let parent =
                if k == 0 || random.below(8) == 0 { None } else { Some(k - 1 - random.below(k.min(2))) };
            let axis = random.cube_point() * 3.0;
            let joint = match random.below(6) {
                0 => LinkJoint::Fixed,
                1 => LinkJoint::Prismatic { axis },
                _ => LinkJoint::Revolute { axis },
            };
            // Some joints are at one place.
            let size = if random.below(4) == 0 { 0.0 } else { 0.8 };
            let turn = DQuat::from_scaled_axis(random.cube_point() * 2.0);
            Link { parent, on_parent: (turn, random.cube_point() * size), joint }
        })
        .collect();
    Chain::new(links).unwrap()
}

#[test]
fn arms_meet_obstacles_and_themselves_at_the_sampled_times() {
    let mut random = Random::new(52);
    let (mut n_hits, mut n_decided, mut n) = (0, 0, 0);
    for k in 0..160 {
        let n_links = 1 + random.below(6);
        let chain = some_chain(&mut random, n_links);
        let speed = [0.0, 0.5, 2.0, 20.0][k % 4];
        let values: Vec<f64> = (0..n_links).map(|_| random.range(-2.0, 2.0)).collect();
        let rates: Vec<f64> = (0..n_links).map(|_| random.range(-1.0, 1.0) * speed).collect();
        let [base, thrown] = [0, 1].map(|_| {
            let turn = DQuat::from_scaled_axis(random.cube_point());
            let (velocity, spin) = (random.cube_point(), random.cube_point());
            Motion::new(turn, random.cube_point(), random.cube_point() * 0.5, velocity, spin).unwrap()
        });
        let motion = ChainMotion::new(&chain, base, &values, &rates).unwrap();
        let bodies: Vec<Cuboid> =
            (0..n_links).map(|_| cuboid((random.cube_point().abs() + 0.05) * 0.4)).collect();
        let obstacle = cuboid((random.cube_point().abs() + 0.05) * 0.9);
        let at = |link: usize, t: f64| frame(&chain, &base, &values, &rates, link, t);
        let mut note = |(is_decided, is_hit): (bool, bool)| {
            n += 1;
            n_decided += usize::from(is_decided);
            n_hits += usize::from(is_hit);
        };
        for (i, body) in bodies.iter().enumerate() {
            let path = motion.link(i).unwrap();
            let found =
                path_time_of_impact(body, &path, &obstacle, &thrown, &settings(), by_gjk(body, &obstacle));
            let gap = |t: f64| distance(body, &at(i, t), &obstacle, &thrown.pose_at(t));
            note(check(&format!("arm {k}, link {i}"), &found, gap));
            for (j, other) in bodies.iter().enumerate().skip(i + 1) {
                let propose = by_gjk(body, other);
                let found = motion.links_time_of_impact((i, body), (j, other), &settings(), propose).unwrap();
                let gap = |t: f64| distance(body, &at(i, t), other, &at(j, t));
                note(check(&format!("arm {k}, links {i} and {j}"), &found, gap));
            }
        }
    }
    println!("{n} pairs, {n_hits} hits, {n_decided} decided");
    assert!(
        n / 5 < n_hits && n_hits < n * 4 / 5 && n * 98 / 100 <= n_decided,
        "{n_hits}, {n_decided} of {n}"
    );
}

/// Differences of places at three times are below the bound; some reach a good part of it.
#[test]
fn no_point_is_accelerated_more_than_the_bound_says() {
    let mut random = Random::new(53);
    let mut closest = 0.0_f64;
    for k in 0..300 {
        let n_links = 1 + random.below(5);
        let chain = some_chain(&mut random, n_links);
        let values: Vec<f64> = (0..n_links).map(|_| random.range(-2.0, 2.0)).collect();
        let rates: Vec<f64> = (0..n_links).map(|_| random.range(-4.0, 4.0)).collect();
        let (velocity, spin) = (random.cube_point(), random.cube_point() * 2.0);
        let base = Motion::new(DQuat::IDENTITY, random.cube_point(), DVec3::X * 0.3, velocity, spin).unwrap();
        let motion = ChainMotion::new(&chain, base, &values, &rates).unwrap();
        let path = motion.link(n_links - 1).unwrap();
        let point = random.cube_point();
        let bound = path.acceleration(point.length(), 0.0, 1.0);
        let h = 1e-3;
        for i in 0..50 {
            let t = h + f64::from(i) / 50.0 * (1.0 - 2.0 * h);
            let [p, q, r] = [t - h, t, t + h].map(|t| path.pose_at(t).transform_point(point));
            let found = (p - q * 2.0 + r).length() / (h * h);
            assert!(found <= bound + 1e-8, "{k}: {found}, {bound}");
            closest = closest.max(found / bound);
            // The frames are those of matrices.
            let expected = frame(&chain, &base, &values, &rates, n_links - 1, t).transform_point(point);
            assert!((q - expected).length() <= path.rounding(point.length(), 0.0, 1.0) + 1e-13, "{k}");
        }
    }
    println!("at most {closest:.2} of the bound");
    assert!(0.5 < closest);
}

/// A hand of two fingers that closes; the arm under it turns a hundred times, which does not matter
/// to the fingers.
#[test]
fn fingers_close_while_the_arm_turns() {
    let arm = link(None, DVec3::ZERO, TURNS);
    let finger = |side: f64| Link {
        parent: Some(0),
        on_parent: (DQuat::IDENTITY, DVec3::new(1.0, 0.5 * side, 0.0)),
        joint: LinkJoint::Prismatic { axis: DVec3::Y * -side },
    };
    let chain = Chain::new(vec![arm, finger(1.0), finger(-1.0)]).unwrap();
    let body = cuboid(DVec3::new(0.3, 0.1, 0.1));
    for turns in [0.0, 1.0, 100.0] {
        let motion =
            ChainMotion::between(&chain, at_origin(), &[0.0; 3], &[2.0 * PI * turns, 0.5, 0.5], 1.0).unwrap();
        let propose = by_gjk(&body, &body);
        let found = motion.links_time_of_impact((1, &body), (2, &body), &settings(), propose).unwrap();
        let hit = found.hit().unwrap_or_else(|| panic!("{found:?}"));
        let expected = 0.8 - TARGET;
        assert!(hit.t_lo <= expected && expected <= hit.t_hi && hit.t_hi - hit.t_lo < 1e-4, "{hit:?}");
        // The points turn with the arm: told in the outer frame, they are on the line of the hand.
        let angle = 2.0 * PI * turns * hit.t_hi;
        let along = DVec3::new(-f64::sin(angle), f64::cos(angle), 0.0);
        assert!(hit.point_a.dot(along).abs() < 1e-3 && (hit.normal + along).length() < 1e-6, "{hit:?}");
    }
}

/// Forty turns in the time asked about: at its start and its end the needle is at the same place.
#[test]
fn a_needle_that_turns_often_meets_a_post_in_its_first_turn() {
    let chain = Chain::new(vec![link(None, DVec3::ZERO, LinkJoint::Revolute { axis: DVec3::Y })]).unwrap();
    let motion = ChainMotion::new(&chain, at_origin(), &[0.0], &[80.0 * PI]).unwrap();
    let (needle, post) = (cuboid(DVec3::new(1.0, 0.02, 0.02)), cuboid(DVec3::new(0.05, 1.0, 0.05)));
    let path = motion.link(0).unwrap();
    let cast_beside = |z: f64, max_steps| {
        let beside = still(DQuat::IDENTITY, DVec3::Z * z);
        let settings = settings().with_max_steps(max_steps);
        path_time_of_impact(&needle, &path, &post, &beside, &settings, by_gjk(&needle, &post))
    };
    let hit = cast_beside(0.9, 256);
    assert!(hit.hit().is_some_and(|hit| 0.0 < hit.t_lo && hit.t_hi < 1.0 / 80.0), "{hit:?}");
    assert!(matches!(cast_beside(1.1, 4000), TimeOfImpact::Clear(_)));
    // With few steps no more is said than is known.
    let early = cast_beside(1.1, 5);
    assert!(matches!(early, TimeOfImpact::Undecided(_)) && early.safe_until(1.0) < 1.0, "{early:?}");
}

#[test]
fn what_does_not_move_is_clear_or_touches_at_the_start() {
    let chain =
        Chain::new(vec![link(None, DVec3::ZERO, LinkJoint::Fixed), link(Some(0), DVec3::ZERO, TURNS)])
            .unwrap();
    let motion = ChainMotion::new(&chain, at_origin(), &[0.0; 2], &[0.0; 2]).unwrap();
    let body = cuboid(DVec3::splat(0.5));
    let cast_beside = |x: f64| {
        let beside = still(DQuat::IDENTITY, DVec3::X * x);
        let path = motion.link(1).unwrap();
        path_time_of_impact(&body, &path, &body, &beside, &settings(), by_gjk(&body, &body))
    };
    assert!(
        matches!(cast_beside(1.5), TimeOfImpact::Clear(clear) if (0.4999..=0.5).contains(&clear.distance))
    );
    for x in [0.0, 0.5, 1.0, 1.0 + 0.5 * TARGET] {
        assert_eq!(cast_beside(x).hit().map(|hit| hit.t_hi), Some(0.0), "{x}: {:?}", cast_beside(x));
    }
    // Links at one place, and links that are none.
    let propose = || by_gjk(&body, &body);
    let same = motion.links_time_of_impact((0, &body), (1, &body), &settings(), propose());
    assert!(same.is_some_and(|answer| answer.hit().is_some()));
    assert!(motion.links_time_of_impact((1, &body), (1, &body), &settings(), propose()).is_none());
    assert!(motion.links_time_of_impact((0, &body), (2, &body), &settings(), propose()).is_none());
    assert!(motion.link(2).is_none());
}

#[test]
fn the_first_link_that_is_wrong_is_named() {
    let good = link(None, DVec3::ZERO, TURNS);
    let refused = |second: Link| Chain::new(vec![good, second]).unwrap_err();
    assert_eq!(refused(link(Some(1), DVec3::ZERO, TURNS)), ChainError::Parent { link: 1 });
    assert_eq!(refused(link(Some(7), DVec3::ZERO, TURNS)), ChainError::Parent { link: 1 });
    assert_eq!(refused(link(Some(0), DVec3::NAN, TURNS)), ChainError::NotFinite { link: 1 });
    let axis = |axis: DVec3| link(Some(0), DVec3::ZERO, LinkJoint::Prismatic { axis });
    assert_eq!(refused(axis(DVec3::ZERO)), ChainError::NoAxis { link: 1 });
    assert_eq!(refused(axis(DVec3::INFINITY)), ChainError::NotFinite { link: 1 });
    let long = Link { on_parent: (DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0), DVec3::ZERO), ..good };
    assert_eq!(refused(long), ChainError::NotUnit { link: 1, length: 2.0 });
    assert_eq!(refused(long).to_string(), "the rotation of link 1 has length 2, not 1");

    let chain = Chain::new(vec![good, good]).unwrap();
    let motion = |values: &[f64], rates: &[f64]| ChainMotion::new(&chain, at_origin(), values, rates).err();
    assert_eq!(motion(&[0.0], &[0.0; 2]), Some(ChainError::Count { links: 2, given: 1 }));
    assert_eq!(motion(&[0.0; 2], &[0.0; 3]), Some(ChainError::Count { links: 2, given: 3 }));
    assert_eq!(motion(&[0.0, f64::NAN], &[0.0; 2]), Some(ChainError::NotFinite { link: 1 }));
    let between = ChainMotion::between(&chain, at_origin(), &[0.0; 2], &[1.0; 2], 0.0).err();
    assert_eq!(between, Some(ChainError::Duration(0.0)));
    let between =
        |start: &[f64], end: &[f64]| ChainMotion::between(&chain, at_origin(), start, end, 1.0).err();
    assert_eq!(between(&[0.0], &[1.0; 2]), Some(ChainError::Count { links: 2, given: 1 }));
    assert_eq!(between(&[0.0; 2], &[1.0; 3]), Some(ChainError::Count { links: 2, given: 3 }));
    assert_eq!(between(&[0.0; 3], &[1.0; 3]), Some(ChainError::Count { links: 2, given: 3 }));
    // A chain without links has none to ask about.
    let empty = Chain::new(Vec::new()).unwrap();
    assert!(ChainMotion::new(&empty, at_origin(), &[], &[]).unwrap().link(0).is_none());
}
