//! Invariants between the answers about two bodies, for any implementation. Each suite uses
//! proptest, and a crate only has to call it.
//!
//! - Exchanged bodies give mirrored answers, and bodies moved together the same ones, within a
//!   tolerance.
//! - Scaling all lengths by a power of two scales the answers by it, bit for bit.
//! - The distance is above 0 exactly if the bodies do not meet, and the depth exactly if they do.
//! - The points of the deepest contact lie on the surfaces, on a common normal.
//! - Every contact lies within half the distance of its points of both surfaces.
//! - No contact of convex bodies is deeper than the penetration depth.

use carom_math::f64::{Pose, Quat};
use glam::{DQuat, DVec3};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// The poses of two bodies, the scale of the world, and which body is A. Translations are `f32`
/// numbers until both bodies are moved together.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// The pose of the first body, in the scaled world.
    pub pose_a: Pose,
    /// The pose of the second body, in the scaled world.
    pub pose_b: Pose,
    /// The exponent of the power of two by which to multiply all lengths of the shapes.
    pub exponent: i32,
    /// Whether the second body is A, and the first one B.
    pub is_swapped: bool,
}

impl Configuration {
    /// Returns the factor for all lengths of the shapes.
    pub fn scale(&self) -> f64 {
        2.0_f64.powi(self.exponent)
    }
}

/// A contact of two bodies: they touch, overlap or are near each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactAnswer {
    /// The signed distance; negative is minus the depth.
    pub distance: f64,
    /// The point on A, in the world.
    pub point_a: DVec3,
    /// The point on B, in the world.
    pub point_b: DVec3,
    /// Unit vector from A to B.
    pub normal: DVec3,
    /// The distance of the midpoint of both points from the surface of A; 0 if unknown.
    pub off_a: f64,
    /// The distance of the midpoint from the surface of B; 0 if unknown.
    pub off_b: f64,
}

/// All answers about two bodies, in `f64` for either precision.
#[derive(Clone, Debug, PartialEq)]
pub struct Relation {
    /// Whether they share a point, by the query for intersection alone.
    pub meets: bool,
    /// The distance by the distance query; not below 0.
    pub distance: f64,
    /// The deepest or nearest contact, by the contact query; `None` if they are beyond its reach.
    pub deepest: Option<ContactAnswer>,
    /// The contacts for a solver; empty if there is no such query.
    pub contacts: Vec<ContactAnswer>,
    /// The stated error bound of the distances; 0 if they are exact.
    pub within: f64,
}

/// A length, for bodies with radii up to a quarter. Features within six degrees of each other count
/// as parallel. So the far end of a capsule's contact may be this far inside of the capsule.
const FEATURES: f64 = 2e-3;

/// The settings of a suite.
#[derive(Clone, Copy, Debug)]
pub struct Suite {
    /// The number of random placements.
    pub cases: u32,
    /// The largest offset between bodies of size about 1, on each axis.
    pub reach: f64,
    /// A length, for bodies of size about 1 within 4 of the origin.
    pub tolerance: f64,
    /// Whether the bodies are convex, so that no contact is deeper than the penetration depth.
    pub is_convex: bool,
}

impl Suite {
    /// Returns a suite for convex bodies with 24 placements within 1.5 of each other; 1000 if
    /// `CAROM_SLOW` is set.
    pub fn new(tolerance: f64) -> Suite {
        let cases = if std::env::var_os("CAROM_SLOW").is_some() { 1000 } else { 24 };
        Suite { cases, reach: 1.5, tolerance, is_convex: true }
    }
}

/// Checks every invariant on random and on degenerate placements; panics with the smallest one that
/// breaks one. Returns the number of placements in which the bodies met, so that callers can check
/// the mix.
pub fn check(name: &str, suite: &Suite, relation_of: impl Fn(&Configuration) -> Relation) -> u32 {
    let n_together = core::cell::Cell::new(0);
    let config = Config { cases: suite.cases, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let outcome = runner.run(
        &(configurations(suite.reach), motions(), -20..20_i32),
        |(configuration, motion, exponent)| {
            let here = relation_of(&configuration);
            n_together.set(n_together.get() + u32::from(here.meets));
            signs_agree(&here, suite)?;
            contacts_lie_on_both(&here, suite)?;
            swapped_is_mirrored(
                &here,
                &relation_of(&Configuration { is_swapped: true, ..configuration.clone() }),
                suite,
            )?;
            moved_is_the_same(&here, &relation_of(&moved(&configuration, &motion)), suite)?;
            scaled_has_the_same_bits(&here, &relation_of(&scaled(&configuration, exponent)), exponent)
        },
    );
    if let Err(error) = outcome {
        panic!("{name}: {error}");
    }
    n_together.get()
}

/// Aligned, turned by multiples of a sixteenth of a turn, nearly aligned, or any rotation.
fn rotations() -> impl Strategy<Value = DQuat> {
    let any = prop::array::uniform4(-1.0_f32..1.0).prop_map(|q| DQuat::from_array(q.map(f64::from)));
    let axis = (0..3_usize, 0..16_u32, prop::sample::select(vec![0.0, 1e-7, 1e-4])).prop_map(
        |(axis, eighths, off)| {
            DQuat::from_axis_angle(DVec3::AXES[axis], f64::from(eighths) * core::f64::consts::FRAC_PI_8 + off)
        },
    );
    prop_oneof![2 => Just(DQuat::IDENTITY), 3 => axis, 4 => any]
        .prop_map(|q| if q.length() < 0.1 { DQuat::IDENTITY } else { q.normalize() })
}

/// Offsets on a coarse grid, so that faces touch and centres coincide; along an axis; or anywhere.
fn offsets(reach: f64) -> impl Strategy<Value = DVec3> {
    let reach = reach as f32;
    let grid = prop::array::uniform3(-12..=12_i32).prop_map(move |p| p.map(|x| x as f32 * reach / 12.0));
    let any = prop::array::uniform3(-reach..reach);
    let along = (0..3_usize, -reach..reach).prop_map(|(axis, x)| (glam::Vec3::AXES[axis] * x).to_array());
    prop_oneof![grid, any, along].prop_map(|p| glam::Vec3::from_array(p).as_dvec3())
}

fn configurations(reach: f64) -> impl Strategy<Value = Configuration> {
    (rotations(), rotations(), offsets(1.0), offsets(reach)).prop_map(|(turn_a, turn_b, at, offset)| {
        let there = (at + offset).as_vec3().as_dvec3();
        let pose = |q: DQuat, at: DVec3| Pose::new(Quat::from_array(q.to_array()), at);
        Configuration {
            pose_a: pose(turn_a, at),
            pose_b: pose(turn_b, there),
            exponent: 0,
            is_swapped: false,
        }
    })
}

fn motions() -> impl Strategy<Value = Pose> {
    (rotations(), offsets(2.0)).prop_map(|(turn, at)| Pose::new(turn.normalize(), at))
}

fn moved(configuration: &Configuration, motion: &Pose) -> Configuration {
    let move_ = |pose: &Pose| Pose {
        rotation: (motion.rotation * pose.rotation).normalize(),
        translation: motion.transform_point(pose.translation),
    };
    Configuration {
        pose_a: move_(&configuration.pose_a),
        pose_b: move_(&configuration.pose_b),
        ..*configuration
    }
}

fn scaled(configuration: &Configuration, exponent: i32) -> Configuration {
    let scale = 2.0_f64.powi(exponent);
    let grow = |pose: &Pose| Pose { translation: pose.translation * scale, ..*pose };
    Configuration {
        pose_a: grow(&configuration.pose_a),
        pose_b: grow(&configuration.pose_b),
        exponent,
        ..*configuration
    }
}

fn signs_agree(here: &Relation, suite: &Suite) -> Result<(), TestCaseError> {
    prop_assert!(0.0 <= here.distance, "{here:?}");
    prop_assert_eq!(here.meets, here.distance == 0.0, "distance: {:?}", here);
    if let Some(deepest) = here.deepest {
        prop_assert_eq!(here.meets, deepest.distance <= 0.0, "contact: {:?}", here);
        if !here.meets {
            let off = (deepest.distance - here.distance).abs();
            prop_assert!(off <= suite.tolerance + here.within, "apart: {here:?}");
        }
    }
    prop_assert!(!here.meets || here.deepest.is_some(), "no contact: {here:?}");
    Ok(())
}

fn contacts_lie_on_both(here: &Relation, suite: &Suite) -> Result<(), TestCaseError> {
    let near = suite.tolerance + here.within;
    let deepest = here.deepest.iter().map(|touch| (touch, true));
    for (touch, is_deepest) in deepest.chain(here.contacts.iter().map(|touch| (touch, false))) {
        if touch.distance == f64::NEG_INFINITY {
            continue; // Two half-spaces overlap without end.
        }
        prop_assert!((touch.normal.length() - 1.0).abs() <= 1e-6, "normal: {touch:?}");
        let along = (touch.point_b - touch.point_a).dot(touch.normal);
        prop_assert!((along - touch.distance).abs() <= near, "points: {touch:?}");
        // The points of a solver's contact lie on the two features that face each other. If the
        // features are not quite parallel, they lie slightly off the common normal.
        let apart = touch.point_a.distance(touch.point_b);
        prop_assert!(!is_deepest || (apart - touch.distance.abs()).abs() <= near, "askew: {touch:?}");
        let half = 0.5 * apart + near + if is_deepest { 0.0 } else { FEATURES };
        prop_assert!(touch.off_a <= half && touch.off_b <= half, "off the surfaces: {touch:?}");
        if suite.is_convex
            && let Some(deepest) = here.deepest
        {
            prop_assert!(deepest.distance - near <= touch.distance, "deeper than the way out: {here:?}");
        }
    }
    Ok(())
}

/// Returns the signed distance, or the distance if there is no contact.
fn signed(relation: &Relation) -> f64 {
    relation.deepest.map_or(relation.distance, |deepest| deepest.distance)
}

fn agree(here: &Relation, there: &Relation, what: &str, near: f64) -> Result<(), TestCaseError> {
    let (s, t) = (signed(here), signed(there));
    // If the bodies touch within the tolerance, either answer is right.
    prop_assert!(
        here.meets == there.meets || (s.abs() <= near && t.abs() <= near),
        "{what}: {here:?} {there:?}"
    );
    prop_assert!((here.distance - there.distance).abs() <= near, "{what}: {here:?} {there:?}");
    let is_both = here.deepest.is_some() && there.deepest.is_some();
    prop_assert!(!is_both || s == t || (s - t).abs() <= near, "{what}: {here:?} {there:?}");
    Ok(())
}

fn swapped_is_mirrored(here: &Relation, back: &Relation, suite: &Suite) -> Result<(), TestCaseError> {
    agree(here, back, "exchanged", suite.tolerance + here.within + back.within)
}

fn moved_is_the_same(here: &Relation, there: &Relation, suite: &Suite) -> Result<(), TestCaseError> {
    agree(here, there, "moved", 4.0 * suite.tolerance + here.within + there.within)
}

fn scaled_has_the_same_bits(here: &Relation, large: &Relation, exponent: i32) -> Result<(), TestCaseError> {
    let scale = 2.0_f64.powi(exponent);
    let grow = |touch: &ContactAnswer| ContactAnswer {
        distance: touch.distance * scale,
        point_a: touch.point_a * scale,
        point_b: touch.point_b * scale,
        normal: touch.normal,
        off_a: touch.off_a * scale,
        off_b: touch.off_b * scale,
    };
    let expected = Relation {
        meets: here.meets,
        distance: here.distance * scale,
        deepest: here.deepest.as_ref().map(grow),
        contacts: here.contacts.iter().map(grow).collect(),
        within: here.within * scale,
    };
    prop_assert_eq!(&expected, large, "scaled by 2^{}", exponent);
    Ok(())
}
