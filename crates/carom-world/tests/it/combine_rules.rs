//! Rules that combine the frictions and restitutions of two bodies: closed forms for each pair.

use crate::scenes::{CheckedStep, DT, ball, cuboid, ground};
use carom_math::Vec3;
use carom_world::{BodyDesc, CombineRule, World};

const RULES: [CombineRule; 5] = [
    CombineRule::Average,
    CombineRule::Min,
    CombineRule::Multiply,
    CombineRule::GeometricMean,
    CombineRule::Max,
];

/// The later rule of the list counts, on two coefficients.
fn expected(own: usize, other: usize, [a, b]: [f32; 2]) -> f32 {
    match own.max(other) {
        0 => (a + b) / 2.0,
        1 => a.min(b),
        2 => a * b,
        3 => (a * b).sqrt(),
        _ => a.max(b),
    }
}

/// A sliding box loses mu g of its speed per second.
#[test]
fn friction_by_each_pair_of_rules() {
    for (own, &rule) in RULES.iter().enumerate() {
        for (other, &rule_of_floor) in RULES.iter().enumerate() {
            let mut world = World::new();
            let floor = ground().with_friction(0.3).with_combine_rules(rule_of_floor, CombineRule::Max);
            world.insert(floor).unwrap();
            let desc = BodyDesc::dynamic(cuboid(Vec3::new(0.5, 0.1, 0.5))).with_position(Vec3::Y * 0.1);
            let desc = desc.with_linear_velocity(Vec3::X * 8.0).with_friction(0.8);
            let id = world.insert(desc.with_combine_rules(rule, CombineRule::Max)).unwrap();
            for _ in 0..30 {
                world.checked_step(DT).unwrap();
            }
            let mu = expected(own, other, [0.8, 0.3]);
            let lost = 8.0 - world.body(id).unwrap().linear_velocity().x;
            assert!((lost - mu * 9.81 * 0.5).abs() < 0.02, "{rule:?} {rule_of_floor:?}: {lost}, mu {mu}");
        }
    }
}

/// A ball that falls by h bounces to e^2 h.
#[test]
fn restitution_by_each_pair_of_rules() {
    for (own, &rule) in RULES.iter().enumerate() {
        for (other, &rule_of_floor) in RULES.iter().enumerate() {
            let mut world = World::new();
            let floor = ground().with_restitution(0.4);
            world.insert(floor.with_combine_rules(CombineRule::Max, rule_of_floor)).unwrap();
            let desc = BodyDesc::dynamic(ball(0.5)).with_position(Vec3::Y * 5.5).with_restitution(0.9);
            let id = world.insert(desc.with_combine_rules(CombineRule::Max, rule)).unwrap();
            let (mut has_bounced, mut highest) = (false, 0.0_f32);
            for _ in 0..140 {
                world.checked_step(DT).unwrap();
                let body = world.body(id).unwrap().motion();
                has_bounced |= 0.0 < body.linear_velocity.y;
                let is_rising = has_bounced && 0.0 < body.linear_velocity.y;
                highest = if is_rising { highest.max(body.pose.translation.y - 0.5) } else { highest };
            }
            let wanted = expected(own, other, [0.9, 0.4]).powi(2) * 5.0;
            assert!((highest - wanted).abs() < 0.03 * 5.0, "{rule:?} {rule_of_floor:?}: {highest} {wanted}");
        }
    }
}

/// Coefficients at the end of the range stay finite.
#[test]
fn combined_coefficients_are_finite() {
    for rule in RULES {
        for pair in [[f32::MAX; 2], [f32::MAX, 0.0], [0.0; 2], [f32::MIN_POSITIVE; 2]] {
            let combined = CombineRule::combine([rule; 2], pair);
            assert!((0.0..=f32::MAX).contains(&combined), "{rule:?} {pair:?}: {combined}");
        }
    }
}
