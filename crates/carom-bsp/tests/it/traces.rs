//! Sweeps against Minkowski sums of brush and body. They are exact for points, never late for any
//! body, and early by what the bevels leave.

use carom_bsp::{
    Ball, Bevels, Body, Brush, BspSettings, BspTree, Contents, Cylinder, Point, Points, Supported, TraceStack,
};
use carom_geom::f64::Capsule;
use carom_testkit::oracle::brush::{
    Body as Mover, BrushTruth, brush_depth, brush_distance, generated_level, rotation,
};
use carom_testkit::random::Random;
use glam::{DMat3, DVec3};

fn tree(brushes: &[Brush], bevels: Bevels) -> BspTree {
    BspTree::from_brushes(brushes, &BspSettings::default().with_bevels(bevels)).unwrap()
}

fn segment(random: &mut Random) -> (DVec3, DVec3) {
    let from = random.cube_point() * 16.0;
    (from, random.cube_point() * 14.0 - from)
}

#[test]
fn a_point_stops_where_it_gets_into_a_brush() {
    let mut random = Random::new(21);
    let mut stack = TraceStack::new();
    for (seed, n) in [(1, 1), (2, 8), (3, 100)] {
        let brushes = generated_level(seed, n);
        let points = BrushTruth::new(&brushes, Mover::Point);
        for bevels in [Bevels::None, Bevels::All] {
            let tree = tree(&brushes, bevels);
            let mut n_hits = 0;
            for _ in 0..4000 {
                let (from, displacement) = segment(&mut random);
                let truth = points.entry(0.0, from, displacement);
                let hit = tree.trace_with(&Point, from, displacement, Contents::SOLID, &mut stack);
                match (truth, hit) {
                    (None, None) => {}
                    (Some(t), Some(hit)) => {
                        n_hits += 1;
                        assert!((t - hit.t).abs() < 1e-8, "{t} {hit:?} from {from} by {displacement}");
                        assert_eq!(hit.starts_inside, t == 0.0);
                        if !hit.starts_inside {
                            assert!(hit.normal.dot(displacement) < 0.0);
                            assert!(hit.plane.height(hit.position).abs() < 1e-8);
                            let nearest = brushes
                                .iter()
                                .fold(f64::NEG_INFINITY, |d, b| d.max(brush_depth(b, hit.position)));
                            assert!(nearest.abs() < 1e-8, "stopped {nearest} off the surface");
                        }
                    }
                    // Through a corner by less than the tolerance.
                    (Some(t), None) => {
                        let deepest = |s: f64| {
                            brushes.iter().fold(f64::NEG_INFINITY, |d, b| {
                                d.max(brush_depth(b, from + displacement * s))
                            })
                        };
                        let most =
                            (0..1000).fold(0.0_f64, |most, i| most.max(deepest(t + f64::from(i) * 1e-9)));
                        assert!(most < 1e-7, "went through by {most} at {t}");
                    }
                    (None, Some(hit)) => panic!("stopped at nothing: {hit:?}"),
                }
            }
            assert!(n == 1 || n_hits > 400, "{n_hits} hits");
        }
    }
}

/// How early bodies are stopped compared with the oracle, over the length of the path. None is
/// late.
struct Early {
    n_hits: u32,
    n_early: u32,
    n_false: u32,
    sum: f64,
    worst: f64,
}

fn early<B: Body>(tree: &BspTree, body: &B, truth: &BrushTruth, seed: u64, n: usize) -> Early {
    let mut random = Random::new(seed);
    let mut found = Early { n_hits: 0, n_early: 0, n_false: 0, sum: 0.0, worst: 0.0 };
    for _ in 0..n {
        let (from, displacement) = segment(&mut random);
        let (t, hit) =
            (truth.entry(0.0, from, displacement), tree.trace(body, from, displacement, Contents::SOLID));
        // A body smaller by the tolerance does not touch earlier.
        if let Some(smaller) = truth.entry(-8.0 * tree.tolerance(), from, displacement) {
            let t = hit.map_or(f64::INFINITY, |hit| hit.t);
            assert!(t < smaller + 1e-12, "late: {hit:?}, truth {smaller}, from {from} by {displacement}");
        }
        let Some(hit) = hit else { continue };
        found.n_hits += 1;
        let Some(t) = t else {
            found.n_false += 1;
            continue;
        };
        let ahead = (t - hit.t) * displacement.length();
        if ahead > 1e-6 {
            found.n_early += 1;
            found.sum += ahead;
            found.worst = found.worst.max(ahead);
        }
    }
    found
}

#[test]
fn bodies_are_never_late_and_bevels_make_them_less_early() {
    let brushes = generated_level(7, 40);
    let mut random = Random::new(22);
    let hull: Vec<DVec3> = (0..8).map(|_| random.cube_point() * 0.6).collect();
    let cube: Vec<DVec3> = (0..8)
        .map(|i| {
            DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) * 0.8
                - DVec3::new(0.4, 0.4, 0.0)
        })
        .collect();
    let cylinder = Cylinder { axis: DVec3::Z, radius: 0.4, height: 1.2 };
    let truth = |body| BrushTruth::new(&brushes, body);
    let balls = truth(Mover::Ball(0.5));
    let hulls = truth(Mover::Hull(hull.clone()));
    let cubes = truth(Mover::Hull(cube.clone()));
    let cylinders = truth(Mover::Upright { radius: 0.4, height: 1.2 });
    println!("body: bevels: hits, early, stopped where nothing is, mean and worst length early");
    let mut rows: Vec<Vec<Early>> = Vec::new();
    for bevels in [Bevels::None, Bevels::Edges, Bevels::All] {
        let tree = tree(&brushes, bevels);
        let row = vec![
            early(&tree, &Ball { radius: 0.5 }, &balls, 31, 1000),
            early(&tree, &Points(&hull), &hulls, 32, 1000),
            early(&tree, &Points(&cube), &cubes, 33, 1000),
            early(&tree, &cylinder, &cylinders, 34, 1000),
        ];
        for (name, e) in ["ball", "hull", "cube", "cylinder"].iter().zip(&row) {
            let mean = e.sum / f64::from(e.n_early.max(1));
            println!(
                "{name}: {bevels:?}: {}, {}, {}, {mean:.3}, {:.3}",
                e.n_hits, e.n_early, e.n_false, e.worst
            );
        }
        rows.push(row);
    }
    for body in 0..4 {
        let of = |row: usize| (rows[row][body].n_early + rows[row][body].n_false, rows[row][body].n_hits);
        assert!(of(0).1 > 50, "hits");
        assert!(of(1).0 <= of(0).0 && of(2).0 <= of(1).0, "bevels made it worse for body {body}");
        assert!(of(2).0 < of(0).0, "bevels do nothing for body {body}");
    }
}

#[test]
fn a_capsule_is_stopped_before_the_balls_in_it() {
    let brushes = generated_level(8, 30);
    let balls = BrushTruth::new(&brushes, Mover::Ball(0.3));
    let tree = tree(&brushes, Bevels::Edges);
    let mut random = Random::new(23);
    let mut n = 0;
    for _ in 0..150 {
        let turn = DMat3::from_quat(rotation(&mut random));
        let capsule = Capsule::new(0.5, 0.3).unwrap();
        let (from, displacement) = segment(&mut random);
        let hit =
            tree.trace(&Supported { shape: &capsule, rotation: turn }, from, displacement, Contents::SOLID);
        for y in [-0.5, 0.0, 0.5] {
            let by = turn * DVec3::new(0.0, y, 0.0);
            let Some(t) = balls.entry(0.0, from + by, displacement) else {
                continue;
            };
            let deepest = brushes.iter().fold(f64::INFINITY, |d, b| {
                d.min(brush_distance(b, from + by + displacement * (t + 1e-5).min(1.0)))
            });
            if deepest < 0.3 - 1e-8 {
                n += 1;
                assert!(
                    hit.is_some_and(|hit| hit.t * displacement.length() < t * displacement.length() + 1e-7),
                    "late: {hit:?}, truth {t}"
                );
            }
        }
    }
    assert!(n > 60, "{n}");
}

#[test]
fn a_box_among_boxes_is_exact_with_a_bevel_along_each_axis() {
    let mut random = Random::new(24);
    let brushes: Vec<Brush> = (0..40)
        .map(|_| {
            let low = random.cube_point() * 12.0;
            let high = low + (random.cube_point() * 2.0).abs() + 0.1;
            Brush::cuboid(low, high, Contents::SOLID).unwrap()
        })
        .collect();
    let tree = tree(&brushes, Bevels::All);
    let half = DVec3::new(0.3, 0.4, 0.9);
    let corners: Vec<DVec3> = (0..8)
        .map(|i| half * DVec3::new([-1.0, 1.0][i & 1], [-1.0, 1.0][i >> 1 & 1], [-1.0, 1.0][i >> 2]))
        .collect();
    let truth = BrushTruth::new(&brushes, Mover::Hull(corners.clone()));
    let found = early(&tree, &Points(&corners), &truth, 36, 3000);
    assert_eq!((found.n_early, found.n_false), (0, 0));
    assert!(found.n_hits > 400, "{}", found.n_hits);
}

#[test]
fn a_body_on_the_floor_slides_and_does_not_sink() {
    let floor =
        Brush::cuboid(DVec3::new(-9.0, -9.0, -1.0), DVec3::new(9.0, 9.0, 0.0), Contents::SOLID).unwrap();
    // A floor of tiles, which share planes and have seams.
    let tiles: Vec<Brush> = (0..36)
        .map(|i| {
            let low = DVec3::new(f64::from(i % 6) * 3.0 - 9.0, f64::from(i / 6) * 3.0 - 9.0, -1.0);
            Brush::cuboid(low, low + DVec3::new(3.0, 3.0, 1.0), Contents::SOLID).unwrap()
        })
        .collect();
    for brushes in [vec![floor], tiles] {
        for bevels in [Bevels::None, Bevels::Edges, Bevels::All] {
            let tree = tree(&brushes, bevels);
            let ball = Ball { radius: 0.5 };
            let down = DVec3::new(0.0, 0.0, -3.0);
            let landed = tree.trace(&ball, DVec3::new(-6.2, 1.1, 2.0), down, Contents::SOLID).unwrap();
            assert!(
                (landed.position.z - 0.5).abs() < 1e-12 && landed.normal == DVec3::Z && !landed.starts_inside
            );
            // Along the floor, over every seam: free.
            let along = tree.trace(&ball, landed.position, DVec3::new(13.0, 3.3, 0.0), Contents::SOLID);
            assert!(along.is_none(), "{along:?}");
            // Into the floor: stopped at once, by the floor.
            let into =
                tree.trace(&ball, landed.position, DVec3::new(1.0, 0.0, -1.0), Contents::SOLID).unwrap();
            assert!(into.t < 1e-9 && into.normal == DVec3::Z && !into.starts_inside, "{into:?}");
        }
    }
}

#[test]
fn what_is_no_segment_meets_nothing() {
    let tree = tree(&generated_level(9, 5), Bevels::Edges);
    for (from, displacement) in
        [(DVec3::NAN, DVec3::X), (DVec3::ZERO, DVec3::NAN), (DVec3::INFINITY, DVec3::X)]
    {
        assert!(tree.trace(&Point, from, displacement, Contents::all()).is_none());
    }
    assert!(tree.trace(&Ball { radius: 1.0 }, DVec3::splat(100.0), DVec3::ZERO, Contents::all()).is_none());
}
