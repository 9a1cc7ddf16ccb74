//! A vertex against a face and two edges, in two ways: by the roots of the volume they span, and by
//! halving boxes of time and place.
//!
//! The boxes are slow and simple: before their time nothing touches. The roots are the fast way,
//! and may not be later than the contact either.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)] // A program, never without std.

use carom_ccd::{Element, ElementSettings, TimeOfImpact};
use carom_math::glam::DVec3;
use std::error::Error;

/// The time before which nothing touches, and the time of a contact if one was proved.
fn bracket(answer: TimeOfImpact) -> (f64, Option<f64>) {
    match answer {
        TimeOfImpact::Clear(_) => (1.0, None),
        TimeOfImpact::Hit(impact) => (impact.t_lo, Some(impact.t_hi)),
        TimeOfImpact::Undecided(undecided) => (undecided.t_safe, None),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let down = |p: DVec3| p - DVec3::Y * 4.0;
    let face = [DVec3::ZERO, DVec3::Z * 4.0, DVec3::X * 4.0];
    let at = |x: f64, z: f64| DVec3::new(x, 1.0, z);
    let vertex_face = |p: DVec3| {
        let [a, b, c] = face;
        Element::vertex_face([p, a, b, c], [down(p), a, b, c])
    };
    let edge_edge = |x: f64| {
        let (p, q) = (at(x, -1.0), at(x, 5.0));
        let (a, b) = (DVec3::ZERO, DVec3::X * 4.0);
        Element::edge_edge([p, q, a, b], [down(p), down(q), a, b])
    };
    for (name, element, is_met) in [
        ("a vertex above the face", vertex_face(at(1.0, 1.0))?, true),
        ("a vertex above a corner", vertex_face(at(4.0, 0.0))?, true),
        ("a vertex beside the face", vertex_face(at(3.0, 1.5))?, false),
        ("an edge across an edge", edge_edge(1.5)?, true),
        ("an edge beside an edge", edge_edge(4.5)?, false),
    ] {
        let by_roots = element.time_of_impact(&ElementSettings::default());
        let by_boxes = element.time_of_impact_by_inclusion(0.0, 1e-6, 100_000);
        let ((safe, contact), (boxes_safe, _)) = (bracket(by_roots), bracket(by_boxes));
        println!("{name}: free to {safe:.6}, contact {contact:.6?}; by boxes free to {boxes_safe:.6}");
        let is_clear = matches!(by_boxes, TimeOfImpact::Clear(_));
        if is_met == is_clear || contact.is_some_and(|t| t < boxes_safe) {
            return Err(format!("{name}: {by_roots:?} and {by_boxes:?}").into());
        }
    }
    Ok(())
}
