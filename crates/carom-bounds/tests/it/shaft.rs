//! Compares the shaft with the moving box, whose corners at time t are mixtures of the corners of
//! the two boxes.

use carom_bounds::{Aabb, BoundingVolume, Shaft};
use carom_testkit::conform::dice::Dice;
use glam::Vec3;

/// Returns a box with whole coordinates; some are flat.
fn whole_box(dice: &mut Dice, spread: usize, size: usize) -> Aabb {
    let mut coordinate = |n: usize| dice.below(n) as f32;
    let min = Vec3::new(coordinate(spread), coordinate(spread), coordinate(spread));
    Aabb { min, max: min + Vec3::new(coordinate(size), coordinate(size), coordinate(size)) }
}

/// Whether the mixed box meets `x` for some t in [0, 1]. These are six inequalities `p + t * q <=
/// 0` in whole numbers, solved exactly.
fn meets(a: &Aabb, b: &Aabb, x: &Aabb) -> bool {
    // t lies between two fractions with positive denominators.
    let (mut low, mut high) = ((0_i64, 1_i64), (1_i64, 1_i64));
    for k in 0..3 {
        let whole = |v: Vec3| v[k] as i64;
        let at_most = [
            (whole(a.min) - whole(x.max), whole(b.min) - whole(a.min)),
            (whole(x.min) - whole(a.max), whole(a.max) - whole(b.max)),
        ];
        for (p, q) in at_most {
            if q == 0 && 0 < p {
                return false;
            }
            if 0 < q && -p * high.1 < high.0 * q {
                high = (-p, q);
            }
            if q < 0 && low.0 * -q < p * low.1 {
                low = (p, -q);
            }
        }
    }
    low.0 * high.1 <= high.0 * low.1
}

#[test]
fn a_box_meets_the_shaft_when_it_meets_the_moving_box() {
    let mut dice = Dice::new(8);
    let (mut hits, mut cut_off) = (0, 0);
    for i in 0..200_000 {
        let (a, b) = (whole_box(&mut dice, 30, 8), whole_box(&mut dice, 30, 8));
        let x = whole_box(&mut dice, 34, 4);
        let shaft = Shaft::new(&a, &b);
        let expected = meets(&a, &b, &x);
        assert_eq!(shaft.overlaps(&x), expected, "{i}: {a:?} {b:?} {x:?}");
        assert_eq!(Shaft::new(&b, &a).overlaps(&x), expected);
        hits += usize::from(expected);
        cut_off += usize::from(!expected && shaft.bounds().overlaps(&x));
    }
    // Many boxes are rejected by the sides alone.
    assert!(3_000 < hits && 3_000 < cut_off, "{hits} hits, {cut_off} by the sides");
}

#[test]
fn ugly_boxes() {
    let mut dice = Dice::new(9);
    for scale in [1e-44, 1e-20, 1.0, 1e20, 1e38] {
        for _ in 0..5000 {
            let (a, b) = (dice.aabb(1.0, 0.7), dice.aabb(1.0, 0.7));
            let scaled = |x: &Aabb| Aabb { min: x.min * scale, max: x.max * scale };
            let (a, b) = (scaled(&a), scaled(&b));
            let shaft = Shaft::new(&a, &b);
            // A box around a point of the moving box, which is rounded outwards.
            let t = f64::from(dice.range(0.0, 1.0));
            let at = a.max.as_dvec3().lerp(b.max.as_dvec3(), t);
            assert!(shaft.overlaps(&Aabb::around(at, at)), "{a:?} {b:?} at {t}");
            assert!(shaft.overlaps(&a) && shaft.overlaps(&b) && shaft.bounds().contains(&a));
        }
    }
    let unit = Aabb { min: Vec3::ZERO, max: Vec3::ONE };
    assert!(!Shaft::new(&Aabb::EMPTY, &Aabb::EMPTY).overlaps(&unit));
    assert!(Shaft::new(&Aabb::EMPTY, &unit).overlaps(&unit));
    assert!(!Shaft::new(&unit, &unit).overlaps(&Aabb::EMPTY));
    assert!(Shaft::new(&unit, &Aabb::EVERYTHING).overlaps(&unit));
    let far = Aabb { min: Vec3::splat(9.0), max: Vec3::splat(10.0) };
    assert!(Shaft::new(&unit, &far).overlaps(&Aabb::EVERYTHING));
}
