//! Closest points of points, segments and triangles against the accurate, slower ones and against sampling.

use carom_geom::closest::{point_line, point_plane, point_segment, point_triangle, segment_segment};
use carom_geom::{FeatureKind, tri_distance};
use carom_testkit::random::Random;
use glam::DVec3;

/// Grid points make degenerate and parallel figures common.
fn point(random: &mut Random, i: usize) -> DVec3 {
    if i.is_multiple_of(2) { random.grid_point(3) } else { random.cube_point() }
}

#[test]
fn segments_and_triangles_agree_with_the_accurate_ones() {
    let mut random = Random::new(11);
    let (mut n_parallel, mut n_flat) = (0, 0);
    for i in 0..20_000 {
        let [p, a, b, c, d] = [0; 5].map(|_| point(&mut random, i));
        let on = point_segment(p, a, b);
        let truth = tri_distance::point_triangle(p, &[a, b, b]).distance;
        assert!(((p - on.point).length() - truth).abs() < 1e-14);
        assert!((a + (b - a) * on.s - on.point).length() < 1e-14 && (0.0..=1.0).contains(&on.s));

        let pair = segment_segment(a, b, c, d);
        let truth = tri_distance::segment_segment(&[a, b], &[c, d]).distance;
        let distance = (pair.a.point - pair.b.point).length();
        assert!((distance - truth).abs() < 1e-12, "{distance} {truth}: {a} {b} {c} {d}");
        assert!((a + (b - a) * pair.a.s - pair.a.point).length() < 1e-14);
        assert!((c + (d - c) * pair.b.s - pair.b.point).length() < 1e-14);
        n_parallel += usize::from((b - a).cross(d - c) == DVec3::ZERO);

        let on = point_triangle(p, &[a, b, c]);
        let truth = tri_distance::point_triangle(p, &[a, b, c]).distance;
        assert!(((p - on.point).length() - truth).abs() < 1e-12, "{p} {a} {b} {c}");
        n_flat += usize::from((b - a).cross(c - a) == DVec3::ZERO);
        // The feature is the one that the point lies on.
        let corners = [a, b, c];
        match on.feature.kind() {
            FeatureKind::Vertex(v) => assert_eq!(corners[v as usize], on.point),
            FeatureKind::Edge(e) => {
                let (from, to) = (corners[e as usize], corners[(e as usize + 1) % 3]);
                assert!((point_segment(on.point, from, to).point - on.point).length() < 1e-14);
            }
            kind => assert_eq!(kind, FeatureKind::Face(0)),
        }
    }
    assert!(400 < n_parallel && 400 < n_flat, "{n_parallel} {n_flat}");
}

#[test]
fn lines_and_planes() {
    let p = DVec3::new(3.0, 4.0, 5.0);
    assert_eq!(point_line(p, DVec3::X, DVec3::Y * 7.0), DVec3::new(1.0, 4.0, 0.0));
    assert_eq!(point_line(p, DVec3::X, DVec3::ZERO), DVec3::X);
    assert_eq!(point_plane(p, DVec3::Y, 1.0), (DVec3::new(3.0, 1.0, 5.0), 3.0));
    assert_eq!(point_segment(p, DVec3::Z, DVec3::Z).point, DVec3::Z);
}
