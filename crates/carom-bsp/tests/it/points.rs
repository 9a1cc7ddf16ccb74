//! Contents at a position, against the list of brushes.

use carom_bsp::{Ball, Brush, BspSettings, BspTree, Contents, Point, SplitPlane};
use carom_testkit::oracle::brush::{brush_depth, brush_distance, generated_level};
use carom_testkit::random::Random;
use glam::DVec3;

#[test]
fn points_are_solid_where_they_are_in_a_brush() {
    let mut random = Random::new(11);
    for (seed, n) in [(1, 1), (2, 5), (3, 40), (4, 200)] {
        let brushes = generated_level(seed, n);
        let tree = BspTree::from_brushes(&brushes, &BspSettings::default()).unwrap();
        let (mut n_solid, mut n_near) = (0, 0);
        for _ in 0..20_000 {
            let point = random.cube_point() * 15.0;
            let most =
                brushes.iter().fold(f64::NEG_INFINITY, |most, brush| most.max(brush_depth(brush, point)));
            if most.abs() < 4.0 * tree.tolerance() {
                n_near += 1;
                continue;
            }
            let expected = if most > 0.0 { Contents::SOLID } else { Contents::empty() };
            assert_eq!(tree.contents_at(point), expected, "{point} of level {seed}, depth {most}");
            assert_eq!(
                tree.contents_within(&Point, point),
                expected,
                "{point} of level {seed}, depth {most}"
            );
            n_solid += u32::from(most > 0.0);
        }
        assert!(n_solid > 20 && n_near < 20, "{n_solid} solid, {n_near} in surfaces");
        let report = tree.report();
        assert!(
            report.depth < 200 && report.filled_leaves as usize >= 1 && report.leaves == report.nodes + 1,
            "{report:?}"
        );
    }
}

#[test]
fn contents_add_up_and_solid_hides_what_is_in_it() {
    let cuboid = |low: f64, high: f64, contents| {
        Brush::cuboid(DVec3::splat(low), DVec3::splat(high), contents).unwrap()
    };
    let slime = Contents::from_bits_retain(1 << 7);
    let brushes =
        [cuboid(0.0, 4.0, Contents::LIQUID), cuboid(2.0, 6.0, slime), cuboid(3.0, 5.0, Contents::SOLID)];
    let tree = BspTree::from_brushes(&brushes, &BspSettings::default()).unwrap();
    let at = |x: f64| tree.contents_at(DVec3::splat(x));
    assert_eq!(at(-0.5), Contents::empty());
    assert_eq!(at(1.0), Contents::LIQUID);
    assert_eq!(at(2.5), Contents::LIQUID | slime);
    assert!(at(3.5).contains(Contents::SOLID) && at(4.5).contains(Contents::SOLID));
    assert_eq!(at(5.5), slime);
    assert_eq!(tree.contents_at(DVec3::NAN), Contents::empty());
    // A ball passes through the water if the mask leaves it out.
    let (from, displacement) = (DVec3::new(-2.0, 3.5, 3.5), DVec3::new(10.0, 0.0, 0.0));
    let hit = |mask| tree.trace(&Ball { radius: 0.25 }, from, displacement, mask).unwrap();
    assert!((hit(Contents::LIQUID).t - 0.175).abs() < 1e-9);
    assert!((hit(Contents::SOLID).t - 0.475).abs() < 1e-9);
    let all = hit(Contents::all());
    assert!((all.t - 0.175).abs() < 1e-9 && all.contents == Contents::LIQUID && all.normal == -DVec3::X);
}

/// At infinity heights are infinite, or none: no plane is there to decide.
#[test]
fn positions_that_are_none_are_in_nothing() {
    // The outward normals are the negatives of these.
    let normals =
        [[1.0, -0.9, -0.9], [-0.9, 1.0, -0.9], [-0.9, -0.9, 1.0], [1.0, 1.0, 1.0]].map(DVec3::from_array);
    let planes = normals.map(|normal| SplitPlane { normal: -normal, offset: 1.0 });
    let brush = Brush::from_planes(&planes, Contents::SOLID).unwrap();
    let tree = BspTree::from_brushes(&[brush], &BspSettings::default()).unwrap();
    assert_eq!(tree.contents_at(DVec3::ZERO), Contents::SOLID);
    for value in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
        for axes in 1..8 {
            let point =
                DVec3::from_array([0, 1, 2].map(|axis| if axes >> axis & 1 == 1 { value } else { 0.0 }));
            assert_eq!(tree.contents_at(point), Contents::empty(), "{point}");
            assert_eq!(tree.contents_within(&Point, point), Contents::empty(), "{point}");
            assert_eq!(tree.nearest_free(&Point, point, Contents::all()), None, "{point}");
            assert!(tree.trace(&Point, point, DVec3::X, Contents::all()).is_none(), "{point}");
            assert!(tree.trace(&Point, DVec3::ONE, point, Contents::all()).is_none(), "{point}");
        }
    }
}

#[test]
fn an_empty_level_is_empty() {
    let tree = BspTree::from_brushes(&[], &BspSettings::default()).unwrap();
    assert_eq!(tree.contents_at(DVec3::ZERO), Contents::empty());
    assert!(tree.trace(&Point, DVec3::ZERO, DVec3::X, Contents::all()).is_none());
    assert_eq!(tree.nearest_free(&Point, DVec3::ONE, Contents::all()), Some(DVec3::ONE));
}

#[test]
fn a_body_that_starts_in_solid_gets_out() {
    let mut random = Random::new(12);
    let brushes = generated_level(6, 60);
    let tree = BspTree::from_brushes(&brushes, &BspSettings::default()).unwrap();
    let ball = Ball { radius: 0.3 };
    let (mut n_stuck, mut farthest) = (0, 0.0_f64);
    for _ in 0..500 {
        let position = random.cube_point() * 13.0;
        if !tree.contents_within(&ball, position).contains(Contents::SOLID) {
            assert_eq!(tree.nearest_free(&ball, position, Contents::SOLID), Some(position));
            continue;
        }
        n_stuck += 1;
        let free =
            tree.nearest_free(&ball, position, Contents::SOLID).expect("there is room around the level");
        assert!(!tree.contents_within(&ball, free).contains(Contents::SOLID));
        farthest = farthest.max((free - position).length());
        assert!(brushes.iter().all(|brush| brush_distance(brush, free) >= 0.3 - 1e-8));
    }
    println!("{n_stuck} stuck, out by {farthest:.2} at most");
    assert!(n_stuck > 100 && farthest < 6.0, "{n_stuck} stuck, {farthest}");
}

#[test]
fn a_brush_thinner_than_the_tolerance_is_nothing() {
    let cuboid =
        |low: [f64; 3], high: [f64; 3]| Brush::cuboid(low.into(), high.into(), Contents::SOLID).unwrap();
    // In a level this large, both sides of the plate are one plane.
    let far = cuboid([0.0, 8.0, -7.0], [8192.0, 1_048_576.0, 6.0]);
    let plate = cuboid([15.999_999, 0.0, 0.0], [16.0, 3.0, 6.0]);
    for brushes in [[far.clone(), plate.clone()], [plate, far]] {
        let tree = BspTree::from_brushes(&brushes, &BspSettings::default()).unwrap();
        for x in [-9.0, 0.0, 9.0, 15.0, 17.0, 99.0] {
            assert_eq!(tree.contents_at(DVec3::new(x, 2.0, 2.0)), Contents::empty(), "{x}");
        }
        assert_eq!(tree.contents_at(DVec3::new(9.0, 99.0, 2.0)), Contents::SOLID);
    }
}

/// Rays exactly or nearly in the plane in which two brushes touch hit the wall that they form.
/// Rays along a floor are free.
#[test]
fn nothing_passes_through_a_seam() {
    let brush = |low, high| Brush::cuboid(low, high, Contents::SOLID).unwrap();
    // Eight blocks on a floor, with seams in all three planes.
    let mut brushes = vec![brush(DVec3::new(-9.0, -9.0, -1.0), DVec3::new(9.0, 9.0, 0.0))];
    for i in 0..8 {
        let low = DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2));
        brushes.push(brush(low, low + DVec3::ONE));
    }
    let tree = BspTree::from_brushes(&brushes, &BspSettings::default()).unwrap();
    let thin = tree.tolerance();
    let trace = |from: DVec3, displacement: DVec3| tree.trace(&Point, from, displacement, Contents::SOLID);
    for off in [0.0, 0.5 * thin, -0.5 * thin, 0.99 * thin, 1.01 * thin] {
        for tilt in [0.0, 1e-12, -1e-12, 1e-7, -1e-7] {
            for y in [0.5, 1.0] {
                let hit = trace(DVec3::new(-1.0, y, 1.0 + off), DVec3::new(4.0, 0.0, tilt)).unwrap();
                assert!((hit.t - 0.25).abs() < 1e-6 && hit.normal == -DVec3::X, "{off} {tilt} {y}: {hit:?}");
                assert!(!hit.starts_inside);
            }
        }
        // In one seam, and in all three.
        for position in [DVec3::new(0.5, 0.5, 1.0 + off), DVec3::splat(1.0 + off)] {
            for direction in [DVec3::X, DVec3::Z, -DVec3::Z, DVec3::new(1.0, 1e-9, -1.0)] {
                assert!(trace(position, direction * 4.0).unwrap().starts_inside, "{position} {direction}");
            }
            assert_eq!(tree.contents_at(position), Contents::SOLID);
        }
        if off.abs() < thin {
            // Along the floor, up to the blocks and past them, and upwards from it.
            let from = DVec3::new(-3.0, 0.5, off);
            assert!((trace(from, DVec3::X * 6.0).unwrap().t - 0.5).abs() < 1e-6);
            assert_eq!(trace(from, DVec3::Y * 4.0), None);
            assert_eq!(trace(from, DVec3::Z), None);
            assert!(trace(from, -DVec3::Z).is_some_and(|hit| !hit.starts_inside && hit.t < 1e-6));
        }
    }
}

/// Trees have fewer cuts if more planes are tried or if cuts cost more. The solid is the same.
#[test]
fn costs_change_the_tree_and_not_the_solid() {
    let brushes = generated_level(4, 200);
    let defaults = BspSettings::default();
    let trees =
        [defaults.with_max_tried(1), defaults.with_cost_of_cut(0.0), defaults.with_cost_of_cut(100.0)]
            .map(|settings| BspTree::from_brushes(&brushes, &settings).unwrap());
    let [one, free, dear] = trees.each_ref().map(|tree| tree.report().splits);
    assert!(dear < free && dear < one, "cuts: {one} of one plane, {free} for nothing, {dear} if dear");
    let mut random = Random::new(12);
    for _ in 0..5000 {
        let point = random.cube_point() * 15.0;
        let most = brushes.iter().fold(f64::NEG_INFINITY, |most, brush| most.max(brush_depth(brush, point)));
        for tree in &trees {
            let is_solid = tree.contents_at(point) == Contents::SOLID;
            assert!(is_solid == (0.0 < most) || most.abs() < 4.0 * tree.tolerance(), "{point}: {most}");
        }
    }
}
