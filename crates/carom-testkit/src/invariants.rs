//! What the answers about two bodies owe each other, whatever computes them: suites for proptest
//! that a crate only has to call.
//!
//! Exchanged bodies answer alike, mirrored; bodies moved together answer the same within a
//! tolerance; all lengths times a power of two give the same bits, times that power; the distance
//! is above 0 exactly when the bodies do not meet, and the depth exactly when they do; the points
//! of the deepest contact lie on the surfaces, on a common normal; every contact lies within half
//! the distance of its points of both surfaces; and none of convex bodies is deeper than the way
//! out.

use carom_math::f64::{Pose, Quat};
use glam::{DQuat, DVec3};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Where two bodies are, how large the world is, and which of them is called A. Translations are
/// `f32` numbers, until the two are moved together.
#[derive(Clone, Debug)]
pub struct Place {
    /// Of the first body; lengths are already those of the scaled world.
    pub pose_a: Pose,
    /// Of the second body.
    pub pose_b: Pose,
    /// Every length of the shapes is to be multiplied by two to this power.
    pub exponent: i32,
    /// The second body is to be called A, and the first one B.
    pub is_swapped: bool,
}

impl Place {
    /// What every length of the shapes is to be multiplied by.
    pub fn scale(&self) -> f64 {
        2.0_f64.powi(self.exponent)
    }
}

/// A place where two bodies touch or overlap, or are near each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Negative is the depth.
    pub distance: f64,
    /// On A.
    pub point_a: DVec3,
    /// On B.
    pub point_b: DVec3,
    /// Unit vector from A to B.
    pub normal: DVec3,
    /// How far the point between the two is from the surface of A; 0 where nothing tells.
    pub off_a: f64,
    /// How far it is from the surface of B.
    pub off_b: f64,
}

/// All that is said about two bodies, in `f64` whatever it was computed in.
#[derive(Clone, Debug, PartialEq)]
pub struct Relation {
    /// They share a point, by the question that asks only that.
    pub meets: bool,
    /// Not below 0, by the question for distances.
    pub distance: f64,
    /// By the question for the deepest or nearest place; `None` where they are farther apart than
    /// that looks.
    pub deepest: Option<Touch>,
    /// Contacts for a solver; empty where there is no such question.
    pub contacts: Vec<Touch>,
    /// By how much, at most, the distances are said to be off; 0 where they are said to be exact.
    pub within: f64,
}

/// A length, for bodies with radii up to a quarter. Features within six degrees of each other count
/// as parallel: the far end of a capsule's contact is so far inside of it.
const FEATURES: f64 = 2e-3;

/// What a suite asks for.
#[derive(Clone, Copy, Debug)]
pub struct Suite {
    /// Places tried.
    pub cases: u32,
    /// Bodies of size about 1 are put so far apart at most.
    pub reach: f64,
    /// A length, for bodies of size about 1 within 4 of the origin.
    pub tolerance: f64,
    /// The depth is the length of the way out: not so for surfaces and for bodies of several parts.
    pub is_convex: bool,
}

impl Suite {
    /// 24 places within 1.5 of each other, 1000 where the environment says `CAROM_SLOW`; convex
    /// bodies.
    pub fn new(tolerance: f64) -> Suite {
        let cases = if std::env::var_os("CAROM_SLOW").is_some() { 1000 } else { 24 };
        Suite { cases, reach: 1.5, tolerance, is_convex: true }
    }
}

/// Runs every invariant on random and on ugly places; panics with the least place that breaks one.
/// Gives how many places had the bodies together, so that the caller can see that the mix was fair.
pub fn check(name: &str, suite: &Suite, ask: impl Fn(&Place) -> Relation) -> u32 {
    let n_together = core::cell::Cell::new(0);
    let config = Config { cases: suite.cases, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let outcome = runner.run(&(places(suite.reach), motions(), -20..20_i32), |(place, motion, exponent)| {
        let here = ask(&place);
        n_together.set(n_together.get() + u32::from(here.meets));
        signs_agree(&here, suite)?;
        contacts_lie_on_both(&here, suite)?;
        swapped_is_mirrored(&here, &ask(&Place { is_swapped: true, ..place.clone() }), suite)?;
        moved_is_the_same(&here, &ask(&moved(&place, &motion)), suite)?;
        scaled_has_the_same_bits(&here, &ask(&scaled(&place, exponent)), exponent)
    });
    if let Err(error) = outcome {
        panic!("{name}: {error}");
    }
    n_together.get()
}

/// Aligned, turned by quarters and eighths, nearly aligned, and any other.
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

/// On a coarse grid, so that sides touch and centres coincide, or anywhere.
fn offsets(reach: f64) -> impl Strategy<Value = DVec3> {
    let reach = reach as f32;
    let grid = prop::array::uniform3(-12..=12_i32).prop_map(move |p| p.map(|x| x as f32 * reach / 12.0));
    let any = prop::array::uniform3(-reach..reach);
    let along = (0..3_usize, -reach..reach).prop_map(|(axis, x)| (glam::Vec3::AXES[axis] * x).to_array());
    prop_oneof![grid, any, along].prop_map(|p| glam::Vec3::from_array(p).as_dvec3())
}

fn places(reach: f64) -> impl Strategy<Value = Place> {
    (rotations(), rotations(), offsets(1.0), offsets(reach)).prop_map(|(turn_a, turn_b, at, offset)| {
        let there = (at + offset).as_vec3().as_dvec3();
        let pose = |q: DQuat, at: DVec3| Pose::new(Quat::from_array(q.to_array()), at);
        Place { pose_a: pose(turn_a, at), pose_b: pose(turn_b, there), exponent: 0, is_swapped: false }
    })
}

fn motions() -> impl Strategy<Value = Pose> {
    (rotations(), offsets(2.0)).prop_map(|(turn, at)| Pose::new(turn.normalize(), at))
}

fn moved(place: &Place, motion: &Pose) -> Place {
    let move_ = |pose: &Pose| Pose {
        rotation: (motion.rotation * pose.rotation).normalize(),
        translation: motion.transform_point(pose.translation),
    };
    Place { pose_a: move_(&place.pose_a), pose_b: move_(&place.pose_b), ..*place }
}

fn scaled(place: &Place, exponent: i32) -> Place {
    let scale = 2.0_f64.powi(exponent);
    let grow = |pose: &Pose| Pose { translation: pose.translation * scale, ..*pose };
    Place { pose_a: grow(&place.pose_a), pose_b: grow(&place.pose_b), exponent, ..*place }
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
        // The points of a solver's contact lie on the two features that face each other, a little
        // askew to the common normal where the features are not quite parallel.
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

/// The signed distance, as far as it is known.
fn signed(relation: &Relation) -> f64 {
    relation.deepest.map_or(relation.distance, |deepest| deepest.distance)
}

fn agree(here: &Relation, there: &Relation, what: &str, near: f64) -> Result<(), TestCaseError> {
    let (s, t) = (signed(here), signed(there));
    // Within the tolerance of touching either answer is right.
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
    let grow = |touch: &Touch| Touch {
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
