//! The 4,779 published queries: no contact is missed, and what is reported beside them is within 1e-12 of one.

use crate::exact::{Vector, between, point_triangle_sq, segment_segment_sq};
use carom_ccd::{Element, ElementKind, ElementSettings, TimeOfImpact, Why};
use carom_testkit::data;
use carom_testkit::oracle::rational::{exact, exact3};
use carom_testkit::random::Random;
use glam::DVec3;
use num_rational::BigRational;

/// Whether they touch, as published, and the query.
pub(crate) fn queries() -> Option<Vec<(bool, Element)>> {
    let index = data::json("ccd/index.json")?;
    let mut all = Vec::new();
    for file in index["files"].as_array()? {
        let is_edges = file["kind"].as_str()? == "edge-edge";
        let text = std::fs::read_to_string(data::find(file["f64_file"].as_str()?)?).ok()?;
        for line in text.lines() {
            let x: Vec<f64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
            let p: Vec<DVec3> = x.get(1..25)?.chunks(3).map(DVec3::from_slice).collect();
            let (start, end) = ([p[0], p[1], p[2], p[3]], [p[4], p[5], p[6], p[7]]);
            let element =
                if is_edges { Element::edge_edge(start, end) } else { Element::vertex_face(start, end) };
            all.push((x[0] != 0.0, element.ok()?));
        }
    }
    Some(all)
}

/// The distance of the features at the time `t`, squared.
pub(crate) fn distance_sq(element: &Element, t: f64) -> BigRational {
    let t = exact(t);
    let p: [Vector; 4] =
        core::array::from_fn(|i| between(&exact3(element.start()[i]), &exact3(element.end()[i]), &t));
    let [a, b, c, d] = p;
    match element.kind() {
        ElementKind::VertexFace => point_triangle_sq(&a, &[b, c, d]),
        ElementKind::EdgeEdge => segment_segment_sq(&[a, b], &[c, d]),
    }
}

/// The largest difference of a vertex of the one and a vertex of the other.
pub(crate) fn size(element: &Element) -> f64 {
    let n_a = if element.kind() == ElementKind::VertexFace { 1 } else { 2 };
    let farthest = |p: &[DVec3; 4]| {
        let pairs = (0..n_a).flat_map(|i| (n_a..4).map(move |j| (i, j)));
        pairs.map(|(i, j)| (p[i] - p[j]).length()).fold(0.0, f64::max)
    };
    farthest(element.start()).max(farthest(element.end()))
}

fn is_within(element: &Element, t: f64, distance: f64) -> bool {
    let distance = exact(distance);
    distance_sq(element, t) <= &distance * &distance
}

#[test]
fn no_published_contact_is_missed() {
    let Some(queries) = queries() else { return };
    assert_eq!((queries.len(), queries.iter().filter(|query| query.0).count()), (4779, 288));
    let settings = ElementSettings::default();
    let (mut n_hits, mut n_open, mut n_beside) = (0, 0, 0);
    for (i, (touches, element)) in queries.iter().enumerate() {
        let found = element.time_of_impact(&settings);
        let room = 1e-12 * size(element);
        match found {
            TimeOfImpact::Clear(_) => assert!(!touches, "query {i} is missed: {element:?}"),
            TimeOfImpact::Hit(hit) => {
                n_hits += 1;
                assert!(*touches, "query {i}: a contact is claimed that is not there: {element:?} {hit:?}");
                assert!(is_within(element, hit.t_lo, room) && is_within(element, hit.t_hi, room));
            }
            TimeOfImpact::Undecided(undecided) => {
                assert_eq!(undecided.why, Why::WithinRounding, "query {i} {element:?}");
                if *touches {
                    n_open += 1;
                } else {
                    n_beside += 1;
                }
                assert!(undecided.distance <= room, "query {i}: {undecided:?}");
                assert!(is_within(element, undecided.t_safe, room), "query {i}: {element:?} {undecided:?}");
            }
        }
    }
    println!(
        "contacts: {n_hits} proved, {n_open} within rounding; beside them {n_beside} within 1e-12 of one"
    );
    assert_eq!(n_hits + n_open, 288);
    assert!(200 <= n_hits && n_beside <= 213, "{n_hits} {n_beside}");
}

#[test]
fn with_a_minimum_separation_none_is_missed_either() {
    let Some(queries) = queries() else { return };
    for separation in [1e-3, 1e-6, 1e-9] {
        let settings = ElementSettings::default().with_minimum_separation(separation);
        let (mut n_hits, mut n_open) = (0, 0);
        for (i, (touches, element)) in queries.iter().enumerate() {
            match element.time_of_impact(&settings) {
                TimeOfImpact::Clear(_) => assert!(!touches, "query {i} is missed: {element:?}"),
                TimeOfImpact::Hit(hit) => {
                    n_hits += 1;
                    if i % 10 == 0 {
                        assert!(is_within(element, hit.t_hi, separation), "query {i}: {hit:?}");
                        assert!(
                            hit.t_lo == 0.0 || !is_within(element, hit.t_lo, separation),
                            "query {i}: {hit:?}"
                        );
                    }
                }
                TimeOfImpact::Undecided(undecided) => {
                    n_open += 1;
                    assert_eq!(undecided.why, Why::WithinRounding, "query {i} {element:?}");
                }
            }
        }
        println!("separation {separation:e}: {n_hits} within it, {n_open} undecided");
        assert!(288 <= n_hits + n_open && n_hits + n_open < 925);
    }
}

#[test]
fn the_search_by_boxes_agrees() {
    let Some(queries) = queries() else { return };
    let settings = ElementSettings::default();
    let every = if std::env::var_os("CAROM_SLOW").is_some() { 1 } else { 10 };
    let mut n_clear = 0;
    for (i, (touches, element)) in queries.iter().enumerate().step_by(every) {
        let found = element.time_of_impact(&settings);
        match element.time_of_impact_by_inclusion(0.0, 1e-6, 20_000) {
            TimeOfImpact::Clear(_) => {
                n_clear += 1;
                assert!(!touches, "query {i}: the boxes miss it");
                assert_eq!(found.hit(), None, "query {i}: {element:?}");
            }
            TimeOfImpact::Undecided(boxes) => {
                let until = found.safe_until(1.0);
                if let TimeOfImpact::Hit(hit) = found {
                    assert!(boxes.t_safe <= hit.t_hi, "query {i}: {boxes:?} {hit:?}");
                }
                // Before that nothing touches, so the other search goes on at least until it is near.
                let near = 2e-12 * size(element);
                assert!(
                    boxes.t_safe <= until || is_within(element, until, near),
                    "query {i}: {boxes:?} {found:?}"
                );
            }
            TimeOfImpact::Hit(hit) => panic!("boxes prove no contact: {hit:?}"),
        }
    }
    assert!(3500 / every < n_clear, "{n_clear}");
}

/// A power of two changes no bit; places far from the origin, and sizes, cost nothing but what they take from the input.
#[test]
fn published_queries_at_other_sizes_and_places() {
    let Some(queries) = queries() else { return };
    let settings = ElementSettings::default();
    let mut random = Random::new(8);
    for (touches, element) in queries.iter().step_by(7) {
        let plain = element.time_of_impact(&settings);
        let moved = |scale: f64, by: DVec3| {
            let place = |p: &[DVec3; 4]| p.map(|p| p * scale + by);
            let (start, end) = (place(element.start()), place(element.end()));
            match element.kind() {
                ElementKind::VertexFace => Element::vertex_face(start, end),
                ElementKind::EdgeEdge => Element::edge_edge(start, end),
            }
            .unwrap()
        };
        for exponent in [-60, 10, 40] {
            let scale = 2.0_f64.powi(exponent);
            match (plain, moved(scale, DVec3::ZERO).time_of_impact(&settings)) {
                (TimeOfImpact::Hit(a), TimeOfImpact::Hit(b)) => {
                    assert_eq!(
                        (a.t_lo, a.t_hi, a.normal, a.point_a * scale),
                        (b.t_lo, b.t_hi, b.normal, b.point_a)
                    );
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
        // Times a thousand and a million, which is exact for few: a contact moves by a rounding or goes, and what is proved of the
        // moved query is judged by its own numbers.
        for scale in [1e3, 1e6] {
            let other = moved(scale, random.cube_point() * scale);
            match other.time_of_impact(&settings) {
                TimeOfImpact::Hit(hit) => assert!(is_within(&other, hit.t_lo, 1e-12 * size(&other))),
                TimeOfImpact::Clear(clear) => {
                    let bound = exact(clear.distance);
                    let samples = [plain.safe_until(1.0), 0.0, 0.5, 1.0];
                    for t in samples {
                        assert!(&bound * &bound <= distance_sq(&other, t), "{other:?} {clear:?} at {t}");
                    }
                    // Only what touched by less than the move rounds away.
                    if *touches {
                        assert!(is_within(&other, plain.safe_until(1.0), 1e-9 * scale), "{other:?}");
                    }
                }
                TimeOfImpact::Undecided(undecided) => {
                    assert!(
                        is_within(&other, undecided.t_safe, 1e-12 * size(&other)),
                        "{other:?} {undecided:?}"
                    );
                }
            }
        }
    }
}
