//! The prelude has what its head says, for each public type of carom-world.

/// The public types of carom-world that are not in the prelude.
///
/// | reason | types |
/// |---|---|
/// | returned and only read | views, hits, reported events, statistics |
/// | of budgets | `Budget` and what goes with it |
/// | of debug drawing | `DebugDraw` and what goes with it |
/// | of a world of another kind | `DefaultBroadPhase` |
/// | of single methods that few programs call | the last line |
const LEFT_OUT: &[&str] = &[
    "BodyRef",
    "ColliderRef",
    "JointRef",
    "ParticlesRef",
    "SoftBodyRef",
    "ContactView",
    "BodyForces",
    "BodyMut",
    "ColliderMut",
    "JointMut",
    "ParticlesMut",
    "SoftBodyMut",
    "ContactPointMut",
    "MixedMaterial",
    "BodyHit",
    "BodyImpact",
    "NearBody",
    "SoftHit",
    "Query",
    "SurfaceMesh",
    "ImpulseEvent",
    "Push",
    "ResponseEvent",
    "SoftEvent",
    "JointBroken",
    "JointLoad",
    "Joint",
    "Winding",
    "Energy",
    "StepStats",
    "QueryStats",
    "PhaseTimes",
    "Shortfall",
    "Inconsistency",
    "ConstraintError",
    "ParticleError",
    "Budget",
    "FrameController",
    "DetailLevels",
    "Viewer",
    "Scatter",
    "DebugDraw",
    "DrawFlags",
    "DrawRole",
    "DefaultBroadPhase",
    "BodyMass",
    "JointFrames",
    "PairSide",
    "Side",
    "StepForces",
    "SavedCollider",
    "SoftLoad",
];

/// Returns the types that a source text exports with `pub use`.
fn exported(text: &str) -> Vec<&str> {
    let uses = text.split("\npub use ").skip(1).map(|rest| rest.split(';').next().unwrap());
    let names = uses.flat_map(|list| list.split(|c: char| !c.is_alphanumeric() && c != '_'));
    names.filter(|name| name.starts_with(|c: char| c.is_uppercase())).collect()
}

#[test]
fn each_type_of_a_world_is_in_it_or_left_out_for_a_reason() {
    let world = exported(include_str!("../../../carom-world/src/lib.rs"));
    let prelude = exported(include_str!("../../src/prelude.rs"));
    assert!(90 < world.len() && 60 < prelude.len(), "{} and {}", world.len(), prelude.len());
    for name in &world {
        let (is_in, is_out) = (prelude.contains(name), LEFT_OUT.contains(name));
        assert!(is_in != is_out, "{name}: in the prelude {is_in}, left out {is_out}");
    }
    assert!(LEFT_OUT.iter().all(|name| world.contains(name)), "a type that does not exist is left out");
}
