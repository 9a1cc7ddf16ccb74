//! Several balls as one body, against each ball alone and against Minkowski sums of the brushes.

use carom_bsp::{
    Ball, BallGroup, BallGroupError, Bevels, Body, Brush, BspSettings, BspTree, Contents, PlacedBall,
    TraceStack,
};
use carom_testkit::oracle::brush::{Body as Mover, BrushTruth, brush_distance, generated_level};
use carom_testkit::random::Random;
use glam::DVec3;

/// The hull of the balls, as one convex body.
struct Hull<'a>(&'a [PlacedBall]);

impl Body for Hull<'_> {
    fn reach(&self, normal: DVec3) -> f64 {
        self.0.iter().fold(f64::NEG_INFINITY, |most, ball| most.max(ball.center.dot(normal) + ball.radius))
    }
}

fn tree(brushes: &[Brush], bevels: Bevels) -> BspTree {
    BspTree::from_brushes(brushes, &BspSettings::default().with_bevels(bevels)).unwrap()
}

/// One to five balls: apart, overlapping, concentric, of radius zero, and one far from the others.
fn any_balls(random: &mut Random) -> Vec<PlacedBall> {
    let n = 1 + random.below(5);
    (0..n)
        .map(|_| {
            let reach = [0.0, 0.5, 1.5, 6.0][random.below(4)];
            let radius = [0.0, 0.05, 0.3, 0.3, 0.8][random.below(5)];
            PlacedBall { center: random.cube_point() * reach, radius }
        })
        .collect()
}

fn segment(random: &mut Random) -> (DVec3, DVec3) {
    let from = random.cube_point() * 16.0;
    let offset = random.cube_point() * 14.0 - from;
    (from, offset * [1.0, 1.0, 1.0, 0.0][random.below(4)])
}

#[test]
fn a_group_stops_with_its_first_ball_whatever_the_order() {
    let mut random = Random::new(51);
    let mut stack = TraceStack::new();
    let (mut n_hits, mut n_inside, mut n_later) = (0, 0, 0);
    for (seed, n_brushes) in [(1, 1), (2, 12), (3, 60)] {
        let brushes = generated_level(seed, n_brushes);
        let tree = tree(&brushes, [Bevels::None, Bevels::All][seed as usize % 2]);
        for _ in 0..1500 {
            let mut balls = any_balls(&mut random);
            let (from, displacement) = segment(&mut random);
            let group = BallGroup::new(&balls).unwrap();
            let found = tree.trace_group_with(&group, from, displacement, Contents::SOLID, &mut stack);
            let mut expected: Option<(f64, bool, usize)> = None;
            for (number, ball) in balls.iter().enumerate() {
                let body = Ball { radius: ball.radius };
                let Some(hit) = tree.trace(&body, from + ball.center, displacement, Contents::SOLID) else {
                    continue;
                };
                let order = (hit.t, !hit.starts_inside, number);
                if expected.is_none_or(|expected| order < expected) {
                    expected = Some(order);
                }
            }
            let order = found.map(|found| (found.hit.t, !found.hit.starts_inside, found.ball));
            assert_eq!(order, expected, "{balls:?} from {from} by {displacement}");
            if let Some(found) = found {
                n_hits += 1;
                n_inside += u32::from(found.hit.starts_inside);
                n_later += u32::from(found.ball != 0);
                assert_eq!(found.hit.position, from + displacement * found.hit.t);
            }
            balls.reverse();
            let group = BallGroup::new(&balls).unwrap();
            let reversed = tree.trace_group(&group, from, displacement, Contents::SOLID);
            assert_eq!(found.map(|found| found.hit.t), reversed.map(|found| found.hit.t));
        }
    }
    println!("{n_hits} hits, {n_inside} from inside, {n_later} not by the first ball");
    assert!(1500 < n_hits && 200 < n_inside && 600 < n_later);
}

#[test]
fn groups_are_never_late_and_never_earlier_than_their_hull() {
    let brushes = generated_level(7, 40);
    let tree = tree(&brushes, Bevels::Edges);
    let mut random = Random::new(52);
    let (mut n_hits, mut n_hull_alone) = (0, 0);
    for _ in 0..1500 {
        let balls = any_balls(&mut random);
        let (from, displacement) = segment(&mut random);
        let group = BallGroup::new(&balls).unwrap();
        let t =
            tree.trace_group(&group, from, displacement, Contents::SOLID).map_or(2.0, |found| found.hit.t);
        for ball in balls.iter().filter(|ball| 0.0 < ball.radius) {
            let truth = BrushTruth::new(&brushes, Mover::Ball(ball.radius));
            // A ball smaller by the tolerance does not touch earlier.
            if let Some(smaller) = truth.entry(-8.0 * tree.tolerance(), from + ball.center, displacement) {
                n_hits += 1;
                assert!(
                    t < smaller + 1e-12,
                    "late: {t}, truth {smaller}, {balls:?} from {from} by {displacement}"
                );
            }
        }
        let of_hull = tree.trace(&Hull(&balls), from, displacement, Contents::SOLID).map_or(2.0, |hit| hit.t);
        n_hull_alone += u32::from(of_hull < 2.0 && t == 2.0);
        // The planes are the same, and the hull reaches as far as each ball, up to rounding.
        assert!(of_hull <= t + 1e-9, "hull {of_hull}, group {t}, {balls:?} from {from} by {displacement}");
    }
    println!("{n_hits} true impacts, {n_hull_alone} stopped the hull alone");
    assert!(500 < n_hits && 20 < n_hull_alone);
}

#[test]
fn a_bar_passes_between_head_and_feet() {
    let bar = Brush::cuboid(DVec3::new(4.0, -9.0, 0.9), DVec3::new(4.2, 9.0, 1.1), Contents::SOLID).unwrap();
    let tree = tree(&[bar], Bevels::All);
    let at = |z: f64, radius: f64| PlacedBall { center: DVec3::Z * z, radius };
    let balls = [at(0.3, 0.3), at(1.7, 0.25)];
    let group = BallGroup::new(&balls).unwrap();
    let displacement = DVec3::X * 8.0;
    assert_eq!(tree.trace_group(&group, DVec3::ZERO, displacement, Contents::SOLID), None);
    assert!(tree.trace(&Hull(&balls), DVec3::ZERO, displacement, Contents::SOLID).is_some());
    // A chest at the height of the bar hits the bar: ball 2 stops with its centre half a metre
    // before it.
    let balls = [balls[0], balls[1], at(1.0, 0.5)];
    let found = tree
        .trace_group(&BallGroup::new(&balls).unwrap(), DVec3::ZERO, displacement, Contents::SOLID)
        .unwrap();
    assert_eq!((found.ball, found.hit.normal), (2, -DVec3::X));
    assert!((found.hit.position - DVec3::X * 3.5).length() < 1e-12);
}

#[test]
fn free_positions_of_groups_are_free_for_every_ball() {
    let brushes = generated_level(8, 30);
    let tree = tree(&brushes, Bevels::All);
    let mut random = Random::new(53);
    let mut stack = TraceStack::new();
    let (mut n_within, mut n_found) = (0, 0);
    for _ in 0..400 {
        let balls = any_balls(&mut random);
        let group = BallGroup::new(&balls).unwrap();
        let position = random.cube_point() * 10.0;
        let is_within = |position: DVec3, stack: &mut TraceStack| {
            let by_ball = balls.iter().any(|ball| {
                let body = Ball { radius: ball.radius };
                tree.contents_within(&body, position + ball.center).intersects(Contents::SOLID)
            });
            let contents = tree.contents_within_group(&group, position, stack);
            assert_eq!(contents.intersects(Contents::SOLID), by_ball);
            by_ball
        };
        let free = tree.nearest_free_of_group(&group, position, Contents::SOLID);
        if !is_within(position, &mut stack) {
            assert_eq!(free, Some(position));
            continue;
        }
        n_within += 1;
        if let [ball] = balls[..] {
            let alone =
                tree.nearest_free(&Ball { radius: ball.radius }, position + ball.center, Contents::SOLID);
            let length = |free: Option<DVec3>, from: DVec3| free.map(|free| (free - from).length());
            let (group, alone) = (length(free, position), length(alone, position + ball.center));
            assert!((group.unwrap() - alone.unwrap()).abs() < 1e-9, "{group:?} {alone:?}");
        }
        let Some(free) = free else { continue };
        n_found += 1;
        assert!(!is_within(free, &mut stack));
        for ball in &balls {
            let gap =
                brushes.iter().map(|brush| brush_distance(brush, free + ball.center)).fold(9.0, f64::min);
            assert!(ball.radius - 8.0 * tree.tolerance() <= gap, "{gap} from ball {ball:?} at {free}");
        }
    }
    println!("{n_within} within, {n_found} freed");
    assert!(100 < n_within && n_within * 9 < n_found * 10);
}

#[test]
fn balls_that_are_none_are_refused_by_number() {
    let good = PlacedBall { center: DVec3::ZERO, radius: 0.0 };
    assert_eq!(BallGroup::new(&[]), Err(BallGroupError::Empty));
    for bad in [
        PlacedBall { radius: -1e-300, ..good },
        PlacedBall { radius: f64::NAN, ..good },
        PlacedBall { radius: f64::INFINITY, ..good },
        PlacedBall { center: DVec3::new(0.0, f64::NAN, 0.0), ..good },
        PlacedBall { center: DVec3::NEG_INFINITY, ..good },
    ] {
        assert_eq!(BallGroup::new(&[good, bad, bad]), Err(BallGroupError::BadBall { ball: 1 }));
    }
    // Finite numbers whose sums overflow: no ball is anywhere.
    let balls = [PlacedBall { center: DVec3::X * f64::MAX, radius: f64::MAX }];
    let group = BallGroup::new(&balls).unwrap();
    let tree = tree(&generated_level(9, 5), Bevels::Edges);
    let (from, mask) = (DVec3::X * f64::MAX, Contents::all());
    assert_eq!(tree.trace_group(&group, from, DVec3::X, mask), None);
    assert_eq!(tree.trace_group(&group, DVec3::NAN, DVec3::X, mask), None);
    assert_eq!(tree.nearest_free_of_group(&group, from, mask), None);
}
