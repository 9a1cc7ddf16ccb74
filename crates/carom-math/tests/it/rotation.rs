//! Tests of rotations with a fixed order of roundings: their bits, and their distance from exact
//! ones.

use carom_math::rotation::{arc, from_scaled_axis, length_squared, mul, normalize, rotate, rotate_back};
use carom_math::{Pose, Quat, Vec3};
use glam::{DQuat, DVec3};
use proptest::prelude::*;

/// Numbers between -1 and 1, from a generator that uses only integers.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 40) as f32 - 8_388_608.0) / 8_388_608.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }

    fn quat(&mut self) -> Quat {
        Quat::from_xyzw(self.next(), self.next(), self.next(), self.next())
    }
}

fn mix(hash: &mut u64, numbers: &[f32]) {
    for x in numbers {
        *hash = (*hash ^ u64::from(x.to_bits())).wrapping_mul(0x0000_0100_0000_01b3);
    }
}

/// Hash of 10,000 results of each operation. glam's own operations hash differently on different
/// targets.
#[test]
fn the_bits_are_the_same_on_every_target() {
    let mut numbers = Numbers(1);
    let mut hashes = [0xcbf2_9ce4_8422_2325_u64; 6];
    for _ in 0..10_000 {
        let (a, b, v) = (numbers.quat(), numbers.quat(), numbers.vector());
        let unit = normalize(a);
        mix(&mut hashes[0], &mul(a, b).to_array());
        mix(&mut hashes[1], &unit.to_array());
        mix(&mut hashes[2], &rotate(unit, v).to_array());
        mix(&mut hashes[3], &rotate_back(unit, v).to_array());
        let (from, to) = (rotate(unit, Vec3::X), rotate(normalize(b), Vec3::X));
        mix(&mut hashes[4], &arc(from.normalize(), to.normalize()).to_array());
        mix(&mut hashes[5], &from_scaled_axis(v * 4.0).to_array());
    }
    let found = hashes.map(|hash| format!("{hash:016x}"));
    assert_eq!(found, GOLDEN);
}

const GOLDEN: [&str; 6] = [
    "55ebb03bd049ab28",
    "d9ce1f143e2cacb7",
    "69d8d48cfc867a81",
    "7e1811a6e5c5f18a",
    "132babbc0a1e976d",
    "d61e1fe39cf50b41",
];

/// Poses are composed, applied and inverted by these operations.
#[test]
fn poses_go_through_them() {
    let mut numbers = Numbers(2);
    for _ in 0..1000 {
        let (a, b) = (normalize(numbers.quat()), normalize(numbers.quat()));
        let (position, point) = (numbers.vector(), numbers.vector());
        let (p, q) = (Pose::new(a, position), Pose::new(b, point));
        assert_eq!((p * q).rotation, mul(a, b));
        assert_eq!(p.transform_point(point), rotate(a, point) + position);
        assert_eq!(p.inverse_transform_point(point), rotate_back(a, point - position));
        assert_eq!(p.inverse().translation, -rotate_back(a, position));
    }
}

#[test]
fn half_a_turn_and_none() {
    for axis in [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::Z, Vec3::new(0.6, 0.0, -0.8), Vec3::new(-0.6, 0.8, 0.0)] {
        assert_eq!(arc(axis, axis), Quat::IDENTITY);
        let half = arc(axis, -axis);
        assert!((rotate(half, axis) + axis).length() < 1e-6, "{axis}");
        assert!((length_squared(half) - 1.0).abs() < 1e-6, "{axis}");
    }
    assert_eq!(from_scaled_axis(Vec3::ZERO), Quat::IDENTITY);
    let tiny = from_scaled_axis(Vec3::new(1e-30, 0.0, 0.0));
    assert!(tiny.is_finite() && tiny.w == 1.0);
    assert!(!normalize(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)).is_finite());
}

fn coordinate() -> impl Strategy<Value = f32> {
    prop_oneof![4 => -1.0_f32..1.0, 1 => Just(0.0), 1 => Just(-0.0), 1 => -1e-6_f32..1e-6]
}

fn vector() -> impl Strategy<Value = Vec3> {
    (coordinate(), coordinate(), coordinate()).prop_map(|(x, y, z)| Vec3::new(x, y, z))
}

fn quat() -> impl Strategy<Value = Quat> {
    (vector(), coordinate())
        .prop_filter("no direction", |(v, w)| v.length_squared() + w * w > 1e-4)
        .prop_map(|(v, w)| Quat::from_xyzw(v.x, v.y, v.z, w))
}

proptest! {
    #[test]
    fn they_are_near_what_is_exact(a in quat(), b in quat(), v in vector()) {
        let (wide_a, wide_b) = (a.as_dquat(), b.as_dquat());
        let near = |x: Quat, exact: DQuat| (x.as_dquat() - exact).length() <= 4e-7 * (1e-30 + exact.length());
        prop_assert!((mul(a, b).as_dquat() - wide_a * wide_b).length() <= 4e-7 * wide_a.length() * wide_b.length());
        prop_assert!(near(normalize(a), wide_a.normalize()));
        let unit = normalize(a);
        let exact: DVec3 = unit.as_dquat() * v.as_dvec3();
        prop_assert!((rotate(unit, v).as_dvec3() - exact).length() <= 1e-6 * v.as_dvec3().length());
        prop_assert!((rotate_back(unit, rotate(unit, v)) - v).length() <= 2e-6 * v.length());
        let turned = from_scaled_axis(v);
        prop_assert!(near(turned, DQuat::from_scaled_axis(v.as_dvec3())));
        let wide = carom_math::f64::rotation::from_scaled_axis(v.as_dvec3());
        prop_assert!((wide - DQuat::from_scaled_axis(v.as_dvec3())).length() < 1e-14);
    }

    #[test]
    fn arcs_lead_there(a in quat(), b in quat()) {
        let (from, to) = (rotate(normalize(a), Vec3::X).normalize(), rotate(normalize(b), Vec3::X).normalize());
        prop_assert!((rotate(arc(from, to), from) - to).length() < 1e-3);
        let (from, to) = (from.as_dvec3().normalize(), to.as_dvec3().normalize());
        let wide = carom_math::f64::rotation::arc(from, to);
        prop_assert!((carom_math::f64::rotation::rotate(wide, from) - to).length() < 1e-6);
    }
}
