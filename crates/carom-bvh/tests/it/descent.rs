//! The settings of a walk of two trees: their common results, and their costs.

use carom_bounds::{Aabb, BoundingVolume as _, KDop, Lss, Obb, Rss, Slabs, Sphere};
use carom_bvh::{
    BoxAxes, BuildSettings, Bvh, Counters, Descent, PairSearch, PairSettings, TreeVolume, visit_pairs_with,
};
use carom_math::WidePose;
use carom_testkit::conform::bvh::pair_settings;
use carom_testkit::conform::dice::Dice;
use core::ops::ControlFlow;
use glam::{DMat3, DQuat, DVec3, Vec3};

/// Small triangles about the origin.
fn soup(seed: u64, n: usize, size: f32) -> Vec<[Vec3; 3]> {
    let mut dice = Dice::new(seed);
    (0..n)
        .map(|_| {
            let at = dice.point(1.0);
            [at, at + dice.point(size), at + dice.point(size)]
        })
        .collect()
}

fn walk<V: TreeVolume>(
    a: &Bvh<V>,
    b: &Bvh<V>,
    b_in_a: &WidePose,
    settings: PairSettings,
    swap: bool,
) -> (Vec<(u32, u32)>, Counters) {
    let mut pairs = Vec::new();
    let pair: &mut dyn FnMut(u32, u32) -> ControlFlow<()> = &mut |p, q| {
        pairs.push(if swap { (q, p) } else { (p, q) });
        ControlFlow::Continue(())
    };
    let visit = visit_pairs_with(a, b, b_in_a, &settings, pair);
    pairs.sort_unstable();
    (pairs, visit.counters)
}

/// (A, B) and (B, A) visit the same pairs and open the same nodes, if the pose has an exact
/// inverse.
fn mirrored<V: TreeVolume>(what: &str, build: impl Fn(&[[Vec3; 3]]) -> Bvh<V>) {
    let (a, b) = (build(&soup(31, 700, 0.1)), build(&soup(32, 500, 0.2)));
    let quarter = DMat3::from_cols(DVec3::Y, DVec3::Z, DVec3::X);
    let half = DMat3::from_cols(-DVec3::X, DVec3::Y, -DVec3::Z);
    let mut found = 0;
    for (i, rotation) in [DMat3::IDENTITY, quarter, half, quarter * half].into_iter().enumerate() {
        let there = WidePose { rotation, translation: DVec3::new(0.25, -0.5, 0.125) * i as f64 };
        let back = there.inverse();
        assert_eq!(back.inverse(), there);
        for settings in pair_settings() {
            let descent = match settings.descent {
                Descent::AFirst => Descent::BFirst,
                Descent::BFirst => Descent::AFirst,
                other => other,
            };
            let (pairs, counters) = walk(&a, &b, &there, settings, false);
            let (others, others_counters) = walk(&b, &a, &back, settings.with_descent(descent), true);
            assert!(pairs == others, "{what}: pairs, {settings:?}, turn {i}");
            assert_eq!(counters, others_counters, "{what}: {settings:?}, turn {i}");
            found += pairs.len();
        }
    }
    assert!(10_000 < found, "{what}: {found} pairs");
}

fn of_boxes<V: TreeVolume>(triangles: &[[Vec3; 3]]) -> Bvh<V> {
    let boxes: Vec<Aabb> = triangles.iter().map(|t| Aabb::from_points(t)).collect();
    Bvh::build(&boxes, &BuildSettings::default().with_max_leaf(2)).unwrap()
}

fn of_triangles(triangles: &[[Vec3; 3]]) -> Bvh<Obb> {
    let settings = BuildSettings::default().with_max_leaf(2);
    Bvh::from_triangles(triangles.len(), |i| triangles[i as usize], &settings).unwrap()
}

#[test]
fn either_side_visits_the_same() {
    mirrored("boxes", of_boxes::<Aabb>);
    mirrored("oriented boxes", of_triangles);
    mirrored("spheres", of_boxes::<Sphere>);
    mirrored("k-DOPs", of_boxes::<KDop<18>>);
    mirrored("rectangle swept spheres", of_boxes::<Rss>);
    mirrored("line swept spheres", of_boxes::<Lss>);
}

/// Trees of k-DOPs around triangles. If `is_loose`, some volumes are larger than necessary: all of
/// space, or without an end in a direction.
fn of_polytopes<const K: usize>(triangles: &[[Vec3; 3]], is_loose: bool) -> Bvh<KDop<K>>
where
    KDop<K>: TreeVolume + Slabs,
{
    let boxes: Vec<Aabb> = triangles.iter().map(|t| Aabb::from_points(t)).collect();
    let settings = BuildSettings::default().with_max_leaf(2);
    Bvh::fitted(&boxes, &settings, |primitives| {
        let points: Vec<Vec3> = primitives.iter().flat_map(|&i| triangles[i as usize]).collect();
        let mut volume = KDop::from_points(&points);
        if is_loose && primitives.len() < 20 {
            match primitives[0] % 8 {
                0 => return KDop::EVERYTHING,
                1 => volume.offsets[K - 1] = f32::INFINITY,
                2 => volume.offsets[K / 2 - 1] = 1e30,
                3 => volume.offsets[0] = 1e5,
                _ => {}
            }
        }
        volume
    })
    .unwrap()
}

#[test]
fn polytopes_of_any_size_are_met_in_any_frame() {
    fn check<const K: usize>()
    where
        KDop<K>: TreeVolume + Slabs,
    {
        let triangles = soup(37, 400, 0.1);
        for i in 0..12 {
            let x = f64::from(i);
            let turn = DQuat::from_xyzw(0.1 * x, -0.3, 0.7 - 0.2 * x, 0.6).normalize();
            let pose = WidePose::from_quat(turn, DVec3::new(0.4 * x, -0.2, 0.1));
            let back = pose.inverse();
            // The same triangles seen from the other frame.
            let others: Vec<[Vec3; 3]> =
                triangles.iter().map(|t| t.map(|p| back.transform_point(p.as_dvec3()).as_vec3())).collect();
            let mut n_pairs = [0; 2];
            for (k, is_loose) in [false, true].into_iter().enumerate() {
                let a = of_polytopes::<K>(&triangles, is_loose);
                let b = of_polytopes::<K>(&others, is_loose);
                let (pairs, _) = walk(&a, &b, &pose, PairSettings::default(), false);
                let is_there = |i: &u32| pairs.binary_search(&(*i, *i)).is_ok();
                assert!((0..400).all(|i| is_there(&i)), "{K}, loose {is_loose}, pose {i}");
                n_pairs[k] = pairs.len();
            }
            assert!(n_pairs[0] < 40_000 && n_pairs[0] < n_pairs[1], "{K}: {n_pairs:?} pairs");
        }
    }
    check::<14>();
    check::<18>();
    check::<26>();
}

#[test]
fn more_axes_give_no_more_pairs_and_open_fewer_nodes() {
    let (a, b) = (of_triangles(&soup(33, 900, 0.3)), of_triangles(&soup(34, 900, 0.3)));
    let turn = DQuat::from_xyzw(0.1, -0.3, 0.7, 0.6).normalize();
    let pose = WidePose::from_quat(turn, DVec3::new(0.4, -0.2, 0.1));
    for descent in [Descent::Larger, Descent::Alternate, Descent::AFirst, Descent::BFirst] {
        let six = PairSettings::default().with_descent(descent);
        let fifteen = six.with_axes(BoxAxes::FacesAndEdges);
        let (many, loose) = walk(&a, &b, &pose, six, false);
        let (few, tight) = walk(&a, &b, &pose, fifteen, false);
        assert!(few.iter().all(|pair| many.binary_search(pair).is_ok()), "{descent:?}");
        assert!(tight.nodes < loose.nodes && few.len() < many.len(), "{descent:?}: {tight:?} {loose:?}");
    }
}

#[test]
fn spheres_know_no_axes() {
    let (a, b) = (of_boxes::<Sphere>(&soup(35, 300, 0.1)), of_boxes::<Sphere>(&soup(36, 300, 0.1)));
    let pose = WidePose { translation: DVec3::X, ..WidePose::IDENTITY };
    let settings = PairSettings::default();
    let fifteen = settings.with_axes(BoxAxes::FacesAndEdges);
    assert_eq!(walk(&a, &b, &pose, settings, false), walk(&a, &b, &pose, fifteen, false));
}

#[test]
fn the_default_is_the_plain_walk() {
    let (a, b) = (of_triangles(&soup(37, 400, 0.1)), of_triangles(&soup(38, 400, 0.1)));
    let pose = WidePose { translation: DVec3::splat(0.1), ..WidePose::IDENTITY };
    let mut plain = Vec::new();
    let visit = carom_bvh::visit_pairs(&a, &b, &pose, |p, q| {
        plain.push((p, q));
        ControlFlow::Continue(())
    });
    plain.sort_unstable();
    assert_eq!(walk(&a, &b, &pose, PairSettings::default(), false), (plain, visit.counters));
}

#[test]
fn every_descent_finds_the_closest_pair() {
    let (soup_a, soup_b) = (soup(39, 400, 0.1), soup(40, 300, 0.1));
    let (a, b) = (of_boxes::<Aabb>(&soup_a), of_boxes::<Aabb>(&soup_b));
    let mut search = PairSearch::default();
    let turn = DQuat::from_xyzw(0.4, 0.3, -0.2, 0.8).normalize();
    let mut tests = [0; 4];
    for (i, shift) in [0.3, 1.0, 2.5, 4.0, 1e7].into_iter().enumerate() {
        let there = WidePose::from_quat(turn, DVec3::new(0.6, -0.64, 0.48) * shift);
        let corner = |p: u32, q: u32| {
            soup_a[p as usize][0].as_dvec3().distance(there.transform_point(soup_b[q as usize][0].as_dvec3()))
        };
        let pairs = (0..400).flat_map(|p| (0..300).map(move |q| (p, q)));
        let expected = pairs
            .map(|(p, q)| (p, q, corner(p, q)))
            .fold((0, 0, f64::INFINITY), |best, one| if one.2 < best.2 { one } else { best });
        // A trait object, so that the walks are compiled once.
        let gap: &mut dyn FnMut(u32, u32, f64) -> Option<f64> = &mut |p, q, _| Some(corner(p, q));
        let plain = search.closest_pair(&a, &b, &there, f64::INFINITY, &mut *gap);
        assert_eq!(plain.pair, Some(expected), "shift {i}");
        for (k, descent) in
            [Descent::Larger, Descent::Alternate, Descent::AFirst, Descent::BFirst].into_iter().enumerate()
        {
            let settings = PairSettings::default().with_descent(descent);
            let found = search.closest_pair_with(&a, &b, &there, f64::INFINITY, &settings, &mut *gap);
            assert_eq!(found.pair, plain.pair, "{descent:?}, shift {i}");
            assert!(k != 0 || found.counters == plain.counters, "the default is the plain search");
            tests[k] += found.counters.volume_tests;
        }
    }
    println!("volumes tested, larger, in turn, A first, B first: {tests:?}");
    assert!(tests[0] < tests[2] && tests[0] < tests[3], "{tests:?}");
}
