//! The reason why two bodies touch, or do not: the result of each phase for the pair.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., figure 25.2 (the phases).

use crate::scenes::{AnyWorld, Error, is_ball_at_gate};
use carom_broad::Mobility;
use carom_geom::{FeatureId, FeatureKind};
use carom_query::{QueryCost, Shape, Workspace, distance_counted};
use carom_world::{BodyId, JointRef, Response};
use serde_json::{Value, json};

/// Returns a feature in words.
fn named(feature: FeatureId) -> String {
    match feature.kind() {
        FeatureKind::Unknown => "surface".to_owned(),
        FeatureKind::Vertex(number) => format!("vertex {number}"),
        FeatureKind::Edge(number) => format!("edge {number}"),
        FeatureKind::Face(number) => format!("face {number}"),
    }
}

/// Explains a pair of bodies. Its contacts are sorted, the deepest first.
///
/// Errors: a body that does not exist.
pub(crate) fn explain(world: &AnyWorld, a: BodyId, b: BodyId) -> Result<Value, Error> {
    let [a, b] = if a.index() <= b.index() { [a, b] } else { [b, a] };
    let [body_a, body_b] = [world.body(a)?, world.body(b)?];
    let [shape_a, shape_b] = [body_a.shape(), body_b.shape()];
    let mut cost = QueryCost::default();
    let memory = &mut Workspace::default();
    let near = distance_counted(shape_a, &body_a.pose(), shape_b, &body_b.pose(), memory, &mut cost);
    let contact = world.contacts().find(|view| view.a == a && view.b == b);
    let mut contacts = Vec::new();
    if let Some(view) = &contact {
        for (k, manifold) in view.manifolds.iter().enumerate() {
            for (i, contact) in manifold.contacts().iter().enumerate() {
                let impulse = view.impulses.get(k).map(|impulse| impulse.normal[i]);
                let features = [contact.feature_a, contact.feature_b].map(named);
                let members = json!({
                    "point": contact.point_b.to_array(), "normal": contact.normal.to_array(),
                    "distance": contact.distance, "impulse": impulse,
                    "parts": [contact.part_a, contact.part_b],
                    "features": features,
                });
                contacts.push((contact.distance, members));
            }
        }
    }
    contacts.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let contacts: Vec<Value> = contacts.into_iter().map(|(_, contact)| contact).collect();
    let is_touching = contact.as_ref().is_some_and(|view| view.is_touching);
    let touch = contact.as_ref().map(|view| view.is_touching);
    let (phase, reason) = verdict(world, a, b, touch, near.distance)?;
    let name = |id: BodyId, shape: &Shape| json!({"body": id.index(), "shape": shape.name()});
    let used = [
        ("tree nodes", cost.nodes),
        ("boxes tested", cost.volume_tests),
        ("primitives", cost.primitives),
        ("pairs tested", cost.pair_tests),
        ("axes", cost.axes),
        ("feature pairs", cost.feature_pairs),
        ("GJK iterations", cost.iterations),
        ("EPA iterations", cost.depth_iterations),
        ("support points", cost.supports),
    ];
    let cost: serde_json::Map<String, Value> =
        used.iter().filter(|(_, n)| 0 < *n).map(|(name, n)| ((*name).to_owned(), json!(n))).collect();
    Ok(json!({
        "a": name(a, shape_a), "b": name(b, shape_b),
        "touching": is_touching, "phase": phase, "reason": reason,
        "distance": near.distance, "witness": [near.point_a.to_array(), near.point_b.to_array()],
        "contacts": contacts, "cost": cost,
    }))
}

/// Returns the phase that decided about the pair in the last step, and what it found. `touch` says
/// whether the pair touches; `None` if it has no contact.
fn verdict(
    world: &AnyWorld,
    a: BodyId,
    b: BodyId,
    touch: Option<bool>,
    distance: f32,
) -> Result<(&'static str, String), Error> {
    match touch {
        Some(true) => return Ok(("narrow phase", "the shapes touch".to_owned())),
        Some(false) => return Ok(("narrow phase", "the shapes are near, and do not touch yet".to_owned())),
        None => {}
    }
    let (body_a, body_b) = (world.body(a)?, world.body(b)?);
    if [body_a.mobility(), body_b.mobility()].iter().all(|mobility| *mobility != Mobility::Dynamic) {
        return Ok(("filter", "none of the two is dynamic".to_owned()));
    }
    if body_a.family() != 0 && body_a.family() == body_b.family() {
        return Ok(("filter", format!("both are of family {}", body_a.family())));
    }
    let ((member_a, mask_a), (member_b, mask_b)) = (body_a.groups(), body_b.groups());
    if !(mask_a.intersects(member_b) && mask_b.intersects(member_a)) {
        return Ok(("filter", "their groups do not collide".to_owned()));
    }
    let forbids = |joint: JointRef<'_>| {
        let is_between = joint.bodies() == [a, b] || joint.bodies() == [b, a];
        is_between && !joint.data().has_contacts
    };
    if world.joints().any(forbids) {
        return Ok(("filter", "a joint holds them, and they do not collide".to_owned()));
    }
    if world.pair_response(a, b)? == Response::Pass {
        return Ok(("filter", "by their response they pass each other".to_owned()));
    }
    let (box_a, box_b) = (body_a.aabb(), body_b.aabb());
    let gap = (box_a.min - box_b.max).max(box_b.min - box_a.max).max_element();
    Ok(if 0.0 < gap {
        ("broad phase", format!("the boxes are {gap:.3} m apart along an axis"))
    } else if is_ball_at_gate([&body_a, &body_b].map(|body| (body.user_data(), body.shape()))) {
        ("filter", "a hook lets them pass each other".to_owned())
    } else if 0.0 < distance {
        ("narrow phase", "the boxes overlap, and the shapes are apart".to_owned())
    } else {
        ("narrow phase", "the shapes overlap, and the last step found no contact".to_owned())
    })
}
