//! Compares exact signs with published vectors and exact integers.

use carom_math::predicates::{
    difference_cross_signs, direction_side, line_side, orient2d, orient2d_filter, orient3d, orient3d_filter,
    plane_side,
};
use carom_testkit::data;
use carom_testkit::oracle::triangle as oracle;
use carom_testkit::random::Random;
use glam::{DVec2, DVec3, dvec2, dvec3};

fn sign(x: f64) -> i32 {
    i32::from(0.0 < x) - i32::from(x < 0.0)
}

fn rows(name: &str) -> Vec<Vec<f64>> {
    let Some(path) = data::find(name) else { return Vec::new() };
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|l| l.split_whitespace().map(|x| x.parse().unwrap()).collect()).collect()
}

#[test]
fn published_vectors() {
    let mut n_certain = 0;
    for r in rows("predicates/orient3d.txt") {
        let p: Vec<DVec3> = r[1..13].chunks(3).map(|c| dvec3(c[0], c[1], c[2])).collect();
        assert_eq!(sign(orient3d(p[0], p[1], p[2], p[3])), r[13] as i32, "{r:?}");
        n_certain += usize::from(orient3d_filter(p[0], p[1], p[2], p[3]).is_some());
    }
    println!("{n_certain} of 1000 need no exact arithmetic");
    for r in rows("predicates/orient2d.txt") {
        let p: Vec<DVec2> = r[1..7].chunks(2).map(|c| dvec2(c[0], c[1])).collect();
        assert_eq!(sign(orient2d(p[0], p[1], p[2])), r[7] as i32, "{r:?}");
    }
}

/// Returns a number of this kind: small integers, neighbours of simple numbers, or any number
/// between the least subnormal and the greatest finite one.
fn ugly(random: &mut Random, kind: usize) -> f64 {
    match kind {
        0 => random.below(3) as f64,
        1 => 12.0 + random.below(4) as f64 * f64::EPSILON * 8.0,
        2 => (random.below(5) as f64 - 2.0) * 1e39 + random.below(2) as f64 * 25075.0,
        3 => (random.below(5) as f64 - 2.0) * 1e-38,
        4 => f64::from_bits(random.bits() & !(0x7ff << 52) | (random.bits() % 0x7ff) << 52),
        5 => f64::from_bits(random.bits() & 0xf) * if random.below(2) == 0 { 1.0 } else { -1.0 },
        6 => (random.below(5) as f64 - 2.0) * 1e300 + random.below(2) as f64 * 5e-324,
        _ => random.range(-1.0, 1.0),
    }
}

#[test]
fn signs_of_ugly_numbers() {
    let mut random = Random::new(1);
    let mut counts = [0; 3];
    for round in 0..20_000 {
        let kind = round % 8;
        let mut point = || dvec3(ugly(&mut random, kind), ugly(&mut random, kind), ugly(&mut random, kind));
        let (a, b, c) = (point(), point(), point());
        // Every other point is in the plane, or nearly so.
        let d = if round / 8 % 2 == 0 { point() } else { a * 0.5 + (b * 0.25 + c * 0.25) };
        let expected = oracle::orient3d(a, b, c, d);
        assert_eq!(sign(orient3d(a, b, c, d)), expected, "{a} {b} {c} {d}");
        assert_eq!(sign(orient3d(b, a, c, d)), -expected);
        if let Some(value) = orient3d_filter(a, b, c, d) {
            assert_eq!(sign(value), expected);
        }
        let flat = |p: DVec3| dvec3(p.x, p.y, 0.0);
        let lifted = dvec3(a.x, a.y, 1.0);
        // In the plane: a determinant with an apex at height 1 has the sign of `orient2d`.
        let expected = oracle::orient3d(flat(a), flat(b), flat(c), lifted);
        assert_eq!(-sign(orient2d(a.truncate(), b.truncate(), c.truncate())), expected, "{a} {b} {c}");
        if let Some(value) = orient2d_filter(a.truncate(), b.truncate(), c.truncate()) {
            assert_eq!(-sign(value), expected);
        }
        let side = line_side(a, b, c, d);
        assert_eq!(sign(side), oracle::line_side(a, b, c, d), "{a} {b} {c} {d}");
        assert_eq!(sign(side), -sign(line_side(a, b, d, c)));
        // d . (b - a) x (c - a) tells on which side of the edge from b to c the line from a along
        // d passes.
        assert_eq!(sign(direction_side(d, a, b, c)), oracle::line_side(a, d, b, c));
        counts[(expected + 1) as usize] += 1;
    }
    assert!(counts.iter().all(|&n| 1000 < n), "{counts:?}");
}

#[test]
fn sides_of_planes_and_signs_of_cross_products() {
    let mut random = Random::new(2);
    let mut counts = [0; 3];
    for round in 0..10_000 {
        let kind = round % 8;
        let mut point = || dvec3(ugly(&mut random, kind), ugly(&mut random, kind), ugly(&mut random, kind));
        let (normal, p, q) = (point(), point(), point());
        // Chosen so that the first product nearly cancels.
        let d = -(normal.x * p.x);
        if d.is_finite() {
            let expected =
                oracle::sum_of_products(&[(normal.x, p.x), (normal.y, p.y), (normal.z, p.z), (d, 1.0)]);
            assert_eq!(sign(plane_side(normal, d, p)), expected, "{normal} {p}");
            counts[(expected + 1) as usize] += 1;
        }
        let signs = difference_cross_signs(p, q, normal);
        for (k, (i, j)) in [(1, 2), (2, 0), (0, 1)].into_iter().enumerate() {
            let n = normal;
            let expected =
                oracle::sum_of_products(&[(p[i], n[j]), (-q[i], n[j]), (-p[j], n[i]), (q[j], n[i])]);
            assert_eq!(sign(signs[k]), expected, "{p} {q} {n}");
        }
    }
    assert!(counts.iter().all(|&n| 300 < n), "{counts:?}");
}

#[test]
fn numbers_that_are_not_finite_do_no_harm() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX] {
        let p = dvec3(bad, 1.0, -bad);
        orient3d(p, DVec3::X, DVec3::Y, DVec3::splat(bad));
        orient2d(p.truncate(), DVec2::X, DVec2::splat(bad));
        line_side(p, DVec3::splat(bad), DVec3::X, -p);
        plane_side(p, bad, p);
    }
}
