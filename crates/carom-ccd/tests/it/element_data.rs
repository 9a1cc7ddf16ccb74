//! The published queries, beyond what every search promises: minimum separation, two searches
//! beside each other, sizes and places.

use carom_ccd::{Element, ElementSettings, TimeOfImpact, Why};
use carom_testkit::conform::element_ccd::{Kind, Query, published};
use carom_testkit::random::Random;
use glam::DVec3;

pub(crate) fn element(query: &Query) -> Element {
    match query.kind {
        Kind::VertexFace => Element::vertex_face(query.start, query.end),
        Kind::EdgeEdge => Element::edge_edge(query.start, query.end),
    }
    .unwrap()
}

#[test]
fn with_a_minimum_separation_no_published_contact_is_missed() {
    let Some(queries) = published() else { return };
    for separation in [1e-3, 1e-6, 1e-9] {
        let settings = ElementSettings::default().with_minimum_separation(separation);
        let (mut n_hits, mut n_open) = (0, 0);
        for (i, (touches, query)) in queries.iter().enumerate() {
            match element(query).time_of_impact(&settings) {
                TimeOfImpact::Clear(_) => assert!(!touches, "query {i} is missed: {query:?}"),
                TimeOfImpact::Hit(hit) => {
                    n_hits += 1;
                    if i % 10 == 0 {
                        assert!(query.is_within(hit.t_hi, separation), "query {i}: {hit:?}");
                        assert!(
                            hit.t_lo == 0.0 || !query.is_within(hit.t_lo, separation),
                            "query {i}: {hit:?}"
                        );
                    }
                }
                TimeOfImpact::Undecided(undecided) => {
                    n_open += 1;
                    assert_eq!(undecided.why, Why::WithinRounding, "query {i} {query:?}");
                }
            }
        }
        println!("separation {separation:e}: {n_hits} within it, {n_open} undecided");
        assert!(288 <= n_hits + n_open && n_hits + n_open < 925);
    }
}

#[test]
fn the_search_by_boxes_agrees_on_the_published_queries() {
    let Some(queries) = published() else { return };
    let settings = ElementSettings::default();
    let every = if std::env::var_os("CAROM_SLOW").is_some() { 1 } else { 20 };
    let mut n_clear = 0;
    for (i, (touches, query)) in queries.iter().enumerate().step_by(every) {
        let element = element(query);
        let found = element.time_of_impact(&settings);
        match element.time_of_impact_by_inclusion(0.0, 1e-6, 20_000) {
            TimeOfImpact::Clear(_) => {
                n_clear += 1;
                assert!(!touches, "query {i}: the boxes miss it");
                assert_eq!(found.hit(), None, "query {i}: {query:?}");
            }
            TimeOfImpact::Undecided(boxes) => {
                let until = found.safe_until(1.0);
                if let TimeOfImpact::Hit(hit) = found {
                    assert!(boxes.t_safe <= hit.t_hi, "query {i}: {boxes:?} {hit:?}");
                }
                // Before that nothing touches, so the other search goes on at least until it is
                // near.
                let near = 2e-12 * query.size();
                assert!(
                    boxes.t_safe <= until || query.is_within(until, near),
                    "query {i}: {boxes:?} {found:?}"
                );
            }
            TimeOfImpact::Hit(hit) => panic!("boxes prove no contact: {hit:?}"),
        }
    }
    assert!(3500 / every < n_clear, "{n_clear}");
}

/// A power of two changes no bit; places far from the origin, and sizes, cost nothing but what they
/// take from the input.
#[test]
fn published_queries_at_other_sizes_and_positions() {
    let Some(queries) = published() else { return };
    let settings = ElementSettings::default();
    let mut random = Random::new(8);
    for (touches, query) in queries.iter().step_by(10) {
        let plain = element(query).time_of_impact(&settings);
        let moved = |scale: f64, by: DVec3| {
            let positions_of = |p: &[DVec3; 4]| p.map(|p| p * scale + by);
            Query { kind: query.kind, start: positions_of(&query.start), end: positions_of(&query.end) }
        };
        for exponent in [-60, 10, 40] {
            let scale = 2.0_f64.powi(exponent);
            match (plain, element(&moved(scale, DVec3::ZERO)).time_of_impact(&settings)) {
                (TimeOfImpact::Hit(a), TimeOfImpact::Hit(b)) => {
                    assert_eq!((a.t_lo, a.t_hi, a.normal), (b.t_lo, b.t_hi, b.normal));
                    assert_eq!((a.point_a * scale, a.point_b * scale), (b.point_a, b.point_b));
                }
                (TimeOfImpact::Clear(a), TimeOfImpact::Clear(b)) => {
                    assert_eq!(a.distance * scale, b.distance)
                }
                (TimeOfImpact::Undecided(a), TimeOfImpact::Undecided(b)) => {
                    assert_eq!((a.t_safe, a.distance * scale), (b.t_safe, b.distance));
                }
                (a, b) => panic!("{a:?} {b:?}"),
            }
        }
        // Times a thousand and a million, and elsewhere: rounded, so what is proved is judged by
        // the numbers that come out.
        for scale in [1e3, 1e6] {
            let other = moved(scale, random.cube_point() * scale);
            let near = 1e-12 * other.size();
            match element(&other).time_of_impact(&settings) {
                TimeOfImpact::Hit(hit) => assert!(other.is_within(hit.t_lo, near)),
                TimeOfImpact::Clear(clear) => {
                    for t in [plain.safe_until(1.0), 0.5] {
                        assert!(
                            !other.is_within(t, clear.distance * (1.0 - 1e-9)),
                            "{other:?} {clear:?} at {t}"
                        );
                    }
                    // Only what touched by less than the move rounds away is lost.
                    assert!(!touches || other.is_within(plain.safe_until(1.0), 1e-9 * scale), "{other:?}");
                }
                TimeOfImpact::Undecided(undecided) => {
                    assert!(other.is_within(undecided.t_safe, near), "{other:?} {undecided:?}");
                }
            }
        }
    }
}
