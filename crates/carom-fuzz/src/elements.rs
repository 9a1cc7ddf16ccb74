//! Continuous detection of vertex-face and edge-edge pairs: nothing touches before the reported
//! time, and a clear answer is right.

use crate::bytes::Bytes;
use carom_ccd::{Element, ElementSettings, Proof, TimeOfImpact};
use carom_testkit::conform::element_ccd::{Kind, Query};

/// Vertices are refused or answered. Answers hold in rational arithmetic, and both searches agree.
pub fn elements(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let flags = bytes.byte();
    let start = core::array::from_fn(|_| bytes.point());
    let end = core::array::from_fn(|_| bytes.point());
    let (kind, found) = if flags & 1 == 0 {
        (Kind::VertexFace, Element::vertex_face(start, end))
    } else {
        (Kind::EdgeEdge, Element::edge_edge(start, end))
    };
    let Ok(element) = found else {
        let is_sound =
            |p: &glam::DVec3| p.is_finite() && p.abs().max_element() <= carom_math::tol::MAX_LENGTH;
        assert!(!start.iter().chain(&end).all(is_sound), "{element:?} was refused", element = (start, end));
        return;
    };
    let separation = if flags & 2 == 0 { 0.0 } else { bytes.size() };
    let settings = ElementSettings::default().with_minimum_separation(separation);
    let answer = element.time_of_impact(&settings);
    let query = Query { kind, start, end };
    let context = || format!("{query:?} {separation:e} {answer:?}");
    let target = separation.max(0.0);
    let until = answer.safe_until(1.0);
    assert!((0.0..=1.0).contains(&until), "{}", context());
    // For smaller or larger numbers, rational arithmetic takes too long.
    let size = query.size().max(target);
    let largest = start.iter().chain(&end).map(|p| p.abs().max_element()).fold(target, f64::max);
    if !(largest == 0.0 || (1e-30 < size && size < 1e30)) || flags & 28 != 0 {
        return;
    }
    for share in [0.0, 0.5, 1.0 - 2f64.powi(-20)] {
        let t = until * share;
        // At 0 an answer may begin with a contact.
        assert!(t == 0.0 || !query.is_within(t, target), "touches at {t}: {}", context());
    }
    match answer {
        TimeOfImpact::Clear(clear) => {
            assert!(target <= clear.distance, "{}", context());
            for t in [0.0, 0.25, 1.0] {
                assert!(
                    !query.is_within(t, clear.distance * (1.0 - 2f64.powi(-50))),
                    "near at {t}: {}",
                    context()
                );
            }
        }
        TimeOfImpact::Hit(hit) => {
            assert!(hit.t_lo <= hit.t_hi && hit.t_hi <= 1.0, "{}", context());
            match hit.proof {
                Proof::Within(distance) => {
                    assert!(distance <= target && query.is_within(hit.t_hi, distance), "{}", context());
                }
                // They pass each other within a very short time.
                _ => assert!(query.is_within(hit.t_lo, 1e-9 * size), "{}", context()),
            }
        }
        TimeOfImpact::Undecided(undecided) => {
            assert!(query.is_within(undecided.t_safe, undecided.distance), "{}", context());
        }
    }
    let boxes = element.time_of_impact_by_inclusion(separation, 2f64.powi(-12), 300);
    if let TimeOfImpact::Clear(_) = boxes {
        assert!(answer.hit().is_none(), "{} {boxes:?}", context());
    } else if let TimeOfImpact::Hit(hit) = answer {
        assert!(boxes.safe_until(1.0) <= hit.t_hi, "{} {boxes:?}", context());
    }
}
