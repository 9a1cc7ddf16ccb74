//! Tests of k-DOPs in rotated frames, with weights computed once per rotation.

use carom_bounds::{BoundingVolume, KDop, KDopRotation, Slabs};
use carom_lanes::{F32Lanes, Kernel, Level, Simd, dispatch_on};
use carom_math::WidePose;
use carom_testkit::conform::dice::Dice;
use glam::{DQuat, DVec3, EulerRot, Vec3};
use std::f64::consts::FRAC_PI_2;

struct Reaches<'a, const K: usize>
where
    KDop<K>: Slabs,
{
    turn: &'a KDopRotation<K>,
    dop: &'a KDop<K>,
    translation: [f32; 3],
}

impl<const K: usize> Kernel for Reaches<'_, K>
where
    KDop<K>: Slabs,
{
    type Output = [f32; K];

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> [f32; K] {
        let mut offsets = [0.0; 32];
        offsets[..K].copy_from_slice(&self.dop.offsets);
        let eights = self.turn.reaches(simd, &offsets, self.translation).map(F32Lanes::to_array);
        std::array::from_fn(|i| eights[i / 8][i % 8])
    }
}

/// Points that may lie in a plane, on a line, or in one place; poses that may be quarter turns.
fn check<const K: usize>(seed: u64)
where
    KDop<K>: Slabs,
{
    let mut dice = Dice::new(seed);
    let (mut n_exact, mut n_looser) = (0, 0);
    for _ in 0..3000 {
        let flat = [0, 1, 2].map(|_| if dice.one_in(4) { 0.0 } else { 1.0 });
        let far = if dice.one_in(3) { 100.0 } else { 0.0 };
        let aside = dice.point(far);
        let points: Vec<DVec3> = (0..1 + dice.below(12))
            .map(|_| (dice.point(1.0) * Vec3::from_array(flat) + aside).as_dvec3())
            .collect();
        let is_quarter = dice.one_in(4);
        let [a, b, c] = [(); 3].map(|()| match is_quarter {
            true => dice.below(4) as f64 * FRAC_PI_2,
            false => f64::from(dice.range(-3.2, 3.2)),
        });
        let rotation = DQuat::from_euler(EulerRot::XYZ, a, b, c);
        let far = if dice.one_in(3) { 50.0 } else { 1.0 };
        let translation = dice.point(far);
        let pose = WidePose::from_quat(rotation, translation.as_dvec3());
        let dop = KDop::<K>::from_points(&points);
        let turn = KDopRotation::<K>::new(&pose.rotation);
        let of = |level| {
            dispatch_on(level, Reaches { turn: &turn, dop: &dop, translation: translation.to_array() })
        };
        let found = of(carom_lanes::detected());
        assert_eq!(found.map(f32::to_bits), of(Level::Generic).map(f32::to_bits));

        // In units of rounding: 18 of the largest offset, 4 of the translation.
        let largest = dop.offsets.iter().fold(0.0, |most: f32, x| most.max(x.abs()));
        let unit = f64::from(f32::EPSILON) * 0.5;
        let off = unit * (18.0 * f64::from(largest) + 4.0 * translation.as_dvec3().abs().element_sum());
        let loosely = dop.placed_loosely(&pose);
        let moved: Vec<DVec3> = points.iter().map(|p| pose.transform_point(*p)).collect();
        for i in 0..K {
            let normal = DVec3::from(KDop::<K>::DIRECTIONS[i % (K / 2)].map(f64::from));
            let normal = if i < K / 2 { normal } else { -normal };
            let exact = moved.iter().map(|p| normal.dot(*p)).fold(f64::NEG_INFINITY, f64::max);
            let reach = f64::from(found[i]);
            assert!(exact <= reach + off, "{i}: {reach} below {exact} of {points:?} by {pose:?}");
            let apart = (reach - f64::from(loosely.offsets[i])).abs();
            assert!(apart <= 2.0 * off, "{i}: {reach}, and in f64 {}", loosely.offsets[i]);
            let is_exact = reach <= exact + 2.0 * off;
            n_exact += usize::from(is_exact);
            n_looser += usize::from(!is_exact);
        }
    }
    // Both kinds occurred.
    assert!(1000 < n_exact && 1000 < n_looser, "{n_exact} as tight as can be, {n_looser} not");
}

#[test]
fn weights_found_once_give_the_bounds_found_each_time() {
    check::<6>(1);
    check::<14>(2);
    check::<18>(3);
    check::<26>(4);
}
