//! Vertices and faces, edges and edges, made so that the answer is known.

use crate::element_data::element;
use carom_ccd::{Element, ElementKind, ElementSettings, Proof, TimeOfImpact, Why};
use carom_geom::{FeatureId, tri_distance};
use carom_testkit::conform::element_ccd::{self, Query, Verdict};
use carom_testkit::random::Random;
use glam::DVec3;

fn make(kind: ElementKind, start: [DVec3; 4], end: [DVec3; 4]) -> Element {
    match kind {
        ElementKind::VertexFace => Element::vertex_face(start, end).unwrap(),
        ElementKind::EdgeEdge => Element::edge_edge(start, end).unwrap(),
    }
}

#[test]
fn a_vertex_falls_through_a_face_and_an_edge_across_an_edge() {
    let still = [DVec3::ZERO, DVec3::X * 4.0, DVec3::Z * -4.0];
    let from = |y: f64| [DVec3::new(1.0, y, -1.0), still[0], still[1], still[2]];
    let found =
        make(ElementKind::VertexFace, from(3.0), from(-1.0)).time_of_impact(&ElementSettings::default());
    let hit = found.hit().unwrap();
    assert!(hit.t_lo <= 0.75 && 0.75 <= hit.t_hi && hit.t_hi - hit.t_lo < 1e-11, "{hit:?}");
    assert!((hit.normal + DVec3::Y).length() < 1e-12 && hit.proof == Proof::Overlap);
    assert_eq!((hit.feature_a, hit.feature_b), (FeatureId::vertex(0), FeatureId::face(0)));
    let separated = ElementSettings::default().with_minimum_separation(0.5);
    let found = make(ElementKind::VertexFace, from(3.0), from(-1.0)).time_of_impact(&separated);
    let hit = found.hit().unwrap();
    assert!(hit.t_lo <= 0.625 && 0.625 <= hit.t_hi + 1e-12 && hit.t_hi - hit.t_lo < 1e-11, "{hit:?}");
    assert!(matches!(hit.proof, Proof::Within(e) if e <= 0.5));
    let edges = |y: f64| [DVec3::new(-1.0, y, 0.0), DVec3::new(1.0, y, 0.0), DVec3::NEG_Z, DVec3::Z];
    let found =
        make(ElementKind::EdgeEdge, edges(-1.0), edges(1.0)).time_of_impact(&ElementSettings::default());
    let hit = found.hit().unwrap();
    assert!(hit.t_lo <= 0.5 && 0.5 <= hit.t_hi && hit.point_a.length() < 1e-11, "{hit:?}");
    assert_eq!((hit.feature_a, hit.feature_b), (FeatureId::edge(0), FeatureId::edge(0)));
}

#[test]
fn what_touches_at_the_start_or_at_the_end_is_decided_exactly() {
    let at = |y: f64| [DVec3::new(1.0, y, -1.0), DVec3::ZERO, DVec3::X * 4.0, DVec3::Z * -4.0];
    let settings = ElementSettings::default();
    let touching = make(ElementKind::VertexFace, at(0.0), at(1.0)).time_of_impact(&settings);
    assert_eq!(touching.hit().map(|hit| (hit.t_lo, hit.t_hi)), Some((0.0, 0.0)));
    let landing = make(ElementKind::VertexFace, at(1.0), at(0.0)).time_of_impact(&settings);
    assert_eq!(landing.hit().map(|hit| hit.t_hi), Some(1.0));
    let short = make(ElementKind::VertexFace, at(1.0), at(1e-12)).time_of_impact(&settings);
    assert!(matches!(short, TimeOfImpact::Clear(_)), "{short:?}");
    let nothing = make(ElementKind::EdgeEdge, [DVec3::ONE; 4], [DVec3::ONE; 4]).time_of_impact(&settings);
    assert!(nothing.hit().is_some(), "four vertices at one place");
}

#[test]
fn in_one_plane_what_touches_at_the_start_is_decided_exactly() {
    let mut random = Random::new(31);
    let (mut n_touching, mut n_apart) = (0, 0);
    for i in 0..4000 {
        // Small numbers of steps along two directions: no rounding, and often three corners or all
        // on a line.
        let steps = [2, 4, 9][i % 3];
        let (along, across) =
            (random.grid_point(6) - DVec3::splat(3.0), random.grid_point(6) - DVec3::splat(3.0));
        let p: [DVec3; 4] = core::array::from_fn(|_| {
            along * random.below(steps) as f64 + across * random.below(steps) as f64
        });
        let kind = [ElementKind::VertexFace, ElementKind::EdgeEdge][i / 3 % 2];
        let apart = match kind {
            ElementKind::VertexFace => tri_distance::point_triangle(p[0], &[p[1], p[2], p[3]]).distance,
            ElementKind::EdgeEdge => tri_distance::segment_segment(&[p[0], p[1]], &[p[2], p[3]]).distance,
        };
        let found = make(kind, p, p).time_of_impact(&ElementSettings::default());
        assert_eq!(
            found.hit().map(|hit| hit.t_hi),
            (apart == 0.0).then_some(0.0),
            "{kind:?} {p:?} {found:?}"
        );
        *if apart == 0.0 { &mut n_touching } else { &mut n_apart } += 1;
    }
    assert!(1000 < n_touching && 1000 < n_apart, "{n_touching} {n_apart}");
}

fn verdict(found: TimeOfImpact) -> Verdict {
    match found {
        TimeOfImpact::Clear(clear) => Verdict::Clear(clear.distance),
        TimeOfImpact::Hit(hit) => Verdict::Hit(hit.t_lo, hit.t_hi),
        TimeOfImpact::Undecided(undecided) => Verdict::Open(undecided.t_safe),
    }
}

/// How near to a contact the search by axes may stay undecided, relative to the size.
const NEAR: f64 = 1e-12;

fn by_axes(query: &Query) -> Verdict {
    let found = element(query).time_of_impact(&ElementSettings::default());
    if let TimeOfImpact::Undecided(undecided) = found {
        assert_eq!(undecided.why, Why::WithinRounding, "{query:?} {undecided:?}");
        assert!(undecided.distance <= NEAR * query.size(), "{query:?} {undecided:?}");
    }
    verdict(found)
}

#[test]
fn the_search_by_axes_keeps_all_promises() {
    if let Some(counts) = element_ccd::check_published(NEAR, by_axes) {
        println!("published: {counts:?}");
        assert_eq!(counts.hits + counts.open, 288);
        assert!(200 <= counts.hits && counts.open_beside <= 213, "{counts:?}");
    }
    let counts = element_ccd::check_known(if is_slow() { 200_000 } else { 400 }, NEAR, by_axes);
    println!("known: {counts:?}");
    assert_eq!(counts.clear, 0);
    assert!(counts.open < 2 * counts.hits, "{counts:?}");
    let counts = element_ccd::check_random(if is_slow() { 20_000 } else { 400 }, NEAR, by_axes);
    println!("random: {counts:?}");
    assert!(30 < counts.hits && 250 < counts.clear, "{counts:?}");
}

fn is_slow() -> bool {
    std::env::var_os("CAROM_SLOW").is_some()
}

/// At a coarser tolerance, and where the boxes are spent it has said nothing wrong either.
#[test]
fn the_search_by_boxes_keeps_all_promises() {
    let by_boxes = |query: &Query| verdict(element(query).time_of_impact_by_inclusion(0.0, 1e-3, 100_000));
    let counts = element_ccd::check_known(400, 1e-2, by_boxes);
    assert_eq!((counts.clear, counts.hits), (0, 0));
    let counts = element_ccd::check_random(400, 1e-2, by_boxes);
    assert!(200 < counts.clear, "{counts:?}");
}

#[test]
fn settings_that_make_no_sense_are_harmless_and_vertices_that_are_none_are_refused() {
    let start = [DVec3::Y, DVec3::ZERO, DVec3::X, DVec3::Z];
    let end = [-DVec3::Y, DVec3::ZERO, DVec3::X, DVec3::Z];
    let element = make(ElementKind::VertexFace, start, end);
    for separation in [f64::NAN, -1.0, f64::INFINITY] {
        let found = element.time_of_impact(&ElementSettings::default().with_minimum_separation(separation));
        assert!(!matches!(found, TimeOfImpact::Clear(_)), "{separation}: {found:?}");
    }
    let spent = element.time_of_impact(&ElementSettings::default().with_max_steps(0));
    assert!(matches!(spent, TimeOfImpact::Undecided(u) if u.why == Why::StepsSpent && u.t_safe == 0.0));
    let mut bad = end;
    bad[2].z = f64::NAN;
    assert_eq!(
        Element::edge_edge(start, bad).unwrap_err().to_string(),
        "vertex 2 at the time 1 is NaN or infinite"
    );
}

/// The side between corners at one place has no share of its own: 0 over 0 once became the
/// distance.
#[test]
fn r_a_triangle_with_two_coincident_corners_is_a_segment() {
    let segment = [DVec3::new(4.0, 0.0, -4.0), DVec3::new(-4.0, 0.0, 4.0)];
    for corners in [[0, 0, 1], [0, 1, 1], [0, 1, 0], [0, 0, 0]] {
        let at = |y: f64| {
            let [a, b, c] = corners.map(|i: usize| segment[i]);
            [segment[0] * 0.5 + segment[1] * 0.5 + DVec3::new(0.0, y, 0.0), a, b, c]
        };
        for (from, to) in [(0.0, 0.0), (1.0, -1.0), (3.0, 2.0), (1e-14, 0.0)] {
            let found =
                make(ElementKind::VertexFace, at(from), at(to)).time_of_impact(&ElementSettings::default());
            let touches = to <= 0.0 && corners != [0, 0, 0];
            assert_eq!(
                matches!(found, TimeOfImpact::Clear(_)),
                !touches,
                "{corners:?} {from} {to}: {found:?}"
            );
            if let TimeOfImpact::Undecided(undecided) = found {
                assert!(undecided.distance <= 1e-11, "{undecided:?}");
                assert!((undecided.t_safe - from / (from - to)).abs() < 1e-11, "{undecided:?}");
            }
        }
    }
}

/// Features without an extent in any direction have no normal; their relative motion
/// gives one.
#[test]
fn normals_are_unit_vectors_also_of_points() {
    let at = |p: DVec3, q: DVec3| [p, p, q, q];
    for (start, end, normal) in [
        // Two points that start at one place and part; that stay there; that meet at the end.
        (at(DVec3::ZERO, DVec3::ZERO), at(DVec3::ZERO, DVec3::Y), Some(DVec3::NEG_Y)),
        (at(DVec3::ZERO, DVec3::ZERO), at(DVec3::ZERO, DVec3::ZERO), None),
        (at(DVec3::X * -4.0, DVec3::ZERO), at(DVec3::ZERO, DVec3::ZERO), Some(DVec3::X)),
    ] {
        for kind in [ElementKind::VertexFace, ElementKind::EdgeEdge] {
            let (start, end) = match kind {
                ElementKind::EdgeEdge => (start, end),
                ElementKind::VertexFace => {
                    ([start[0], start[2], start[2], start[2]], [end[0], end[2], end[2], end[2]])
                }
            };
            let found = make(kind, start, end).time_of_impact(&ElementSettings::default());
            let hit = found.hit().unwrap_or_else(|| panic!("{found:?}"));
            assert!((hit.normal.length() - 1.0).abs() < 1e-12, "{hit:?}");
            assert!(normal.is_none_or(|n| (hit.normal - n).length() < 1e-9), "{hit:?}");
        }
    }
}
