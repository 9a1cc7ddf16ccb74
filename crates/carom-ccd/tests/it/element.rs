//! Vertices and faces, edges and edges, made so that the answer is known.

use crate::element_data::{distance_sq, size};
use carom_ccd::{Element, ElementKind, ElementSettings, Proof, TimeOfImpact, Why};
use carom_geom::FeatureId;
use carom_testkit::oracle::rational::exact;
use carom_testkit::random::Random;
use glam::DVec3;

fn make(kind: ElementKind, start: [DVec3; 4], end: [DVec3; 4]) -> Element {
    match kind {
        ElementKind::VertexFace => Element::vertex_face(start, end).unwrap(),
        ElementKind::EdgeEdge => Element::edge_edge(start, end).unwrap(),
    }
}

const KINDS: [ElementKind; 2] = [ElementKind::VertexFace, ElementKind::EdgeEdge];

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

/// Every number is a small multiple of a power of two, so the contact at a known time is exact.
#[test]
fn no_contact_that_is_exactly_there_is_missed() {
    let mut random = Random::new(9);
    let (mut n_proved, mut n_open, mut n_before) = (0, 0, 0);
    for i in 0..20_000 {
        let kind = KINDS[i % 2];
        let n = [2, 5, 40][i % 3];
        let grid = |random: &mut Random| (random.grid_point(2 * n) - DVec3::splat(n as f64)) * 16.0;
        // Places at the time of contact, and a common point with shares in quarters.
        let mut p: [DVec3; 4] = core::array::from_fn(|_| grid(&mut random));
        let quarter = |random: &mut Random| random.below(5) as f64 * 0.25;
        match kind {
            ElementKind::VertexFace => {
                let u = quarter(&mut random);
                let v = quarter(&mut random).min(1.0 - u);
                p[0] = p[1] + (p[2] - p[1]) * u + (p[3] - p[1]) * v;
            }
            ElementKind::EdgeEdge => {
                let (u, v) = (quarter(&mut random), quarter(&mut random));
                let by = p[0] + (p[1] - p[0]) * u - (p[2] + (p[3] - p[2]) * v);
                (p[2], p[3]) = (p[2] + by, p[3] + by);
            }
        }
        let time = [0.0, 0.125, 0.25, 0.5, 0.75, 1.0][random.below(6)];
        let velocity: [DVec3; 4] = core::array::from_fn(|k| match i % 7 {
            0 => DVec3::ZERO,
            // Within a plane, all the time.
            1 => grid(&mut random) * DVec3::new(1.0, 0.0, 1.0),
            2 if k < 2 => DVec3::ZERO,
            _ => grid(&mut random),
        });
        let scale = [1.0, 1024.0, 1048576.0, 2.0_f64.powi(-40)][i % 4];
        let far = if i % 5 == 0 { DVec3::new(1048576.0, -524288.0, 4096.0) } else { DVec3::ZERO };
        let start = core::array::from_fn(|k| (p[k] - velocity[k] * time + far) * scale);
        let end = core::array::from_fn(|k| (p[k] + velocity[k] * (1.0 - time) + far) * scale);
        let element = make(kind, start, end);
        let found = element.time_of_impact(&ElementSettings::default());
        assert!(found.safe_until(1.0) <= time, "{i}: past the contact at {time}: {element:?} {found:?}");
        match found {
            TimeOfImpact::Hit(hit) => {
                n_proved += 1;
                n_before += usize::from(hit.t_hi < time);
            }
            TimeOfImpact::Undecided(undecided) => {
                n_open += 1;
                assert_eq!(undecided.why, Why::WithinRounding, "{i}: {element:?} {undecided:?}");
                assert!(
                    undecided.distance <= 1e-12 * size(&element).max(1e-300),
                    "{i}: {element:?} {undecided:?}"
                );
            }
            TimeOfImpact::Clear(_) => panic!("{i}: missed: {element:?}"),
        }
    }
    println!("{n_proved} proved, {n_open} within rounding, {n_before} of them earlier than the known one");
    assert!(4_000 < n_proved && 1_000 < n_open, "{n_proved} {n_open}");
}

/// What is clear keeps its distance, what is hit is hit, in fractions; grazing, thin, and turning ones among them.
#[test]
fn random_elements_are_what_the_answer_says() {
    let mut random = Random::new(10);
    let mut n = [0; 3];
    for i in 0..720 {
        let kind = KINDS[i % 2];
        let scale = [1.0, 1e-3, 1e3, 1e6][i / 2 % 4];
        let mut points = || -> [DVec3; 4] { core::array::from_fn(|_| random.cube_point()) };
        let (mut start, mut end) = (points(), points());
        match i % 9 {
            0 => end = start,
            1 => start[2] = start[3] + (start[2] - start[3]) * 1e-9,
            2 => end[1] = end[2],
            3 => end = start.map(|p| DVec3::new(-p.z, p.y, p.x)),
            4 => {
                // In passing, by 1e-6.
                let height = DVec3::Y * 1e-6;
                start = [
                    DVec3::new(-1.0, 0.0, 0.1) + height,
                    DVec3::new(-1.0, 0.0, -0.3) + height,
                    DVec3::X,
                    DVec3::Z,
                ];
                end = start;
                end[0].x = 2.0;
                end[1].x = 2.0;
            }
            _ => {}
        }
        let element = make(kind, start.map(|p| p * scale), end.map(|p| p * scale));
        let settings = ElementSettings::default();
        let found = element.time_of_impact(&settings);
        let is_below = |t: f64, distance: f64| {
            let bound = exact(distance);
            distance_sq(&element, t) < &bound * &bound
        };
        match found {
            TimeOfImpact::Clear(clear) => {
                n[0] += 1;
                assert!(0.0 < clear.distance, "{clear:?}");
                for k in 0..=3 {
                    assert!(!is_below(f64::from(k) / 3.0, clear.distance), "{i}: {element:?} {clear:?}");
                }
                // The boxes find nothing that touches either.
                if let TimeOfImpact::Undecided(boxes) = element.time_of_impact_by_inclusion(0.0, 1e-5, 500) {
                    assert!(boxes.why == Why::StepsSpent || boxes.distance <= 1e-3 * scale, "{boxes:?}");
                }
            }
            TimeOfImpact::Hit(hit) => {
                n[1] += 1;
                assert!(is_below(hit.t_lo, 1e-12 * size(&element)), "{i}: {element:?} {hit:?}");
                for k in 0..3 {
                    assert!(
                        !is_below(hit.t_lo * f64::from(k) / 3.0, f64::MIN_POSITIVE),
                        "{i}: {element:?} {hit:?}"
                    );
                }
            }
            TimeOfImpact::Undecided(undecided) => {
                n[2] += 1;
                assert!(is_below(undecided.t_safe, 1e-12 * size(&element)), "{i}: {element:?} {undecided:?}");
            }
        }
    }
    println!("random elements: {} clear, {} hits, {} undecided", n[0], n[1], n[2]);
    assert!(400 < n[0] && 50 < n[1], "{n:?}");
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
