//! Neighbours on meshes that are whole, torn, folded, or badly stored.

use carom_geom::mesh_topology::{EdgeKind, MeshTopology, NO_TRIANGLE};
use glam::DVec3;

/// A unit cube, every triangle with corners of its own; the corners of a side run counter-clockwise
/// seen from outside.
fn cube() -> Vec<[DVec3; 3]> {
    let corner = |i: u32| DVec3::from([0, 1, 2].map(|k| f64::from(i >> k & 1)));
    let sides: [[u32; 4]; 6] =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    sides.iter().flat_map(|s| [[s[0], s[1], s[2]], [s[0], s[2], s[3]]].map(|t| t.map(corner))).collect()
}

fn count(topology: &MeshTopology, kind: EdgeKind) -> usize {
    (0..topology.n_triangles() as u32).flat_map(|t| topology.kinds(t)).filter(|k| *k == kind).count()
}

/// Neighbours know each other, the edge is of the same kind from both sides, and one of the two
/// owns it.
fn check_links(topology: &MeshTopology) {
    for t in 0..topology.n_triangles() as u32 {
        for (k, other) in topology.neighbours(t).into_iter().enumerate() {
            if other == NO_TRIANGLE {
                assert!(topology.is_owner(t, k) && topology.kinds(t)[k] == EdgeKind::Open);
                continue;
            }
            let back = topology.neighbours(other).iter().position(|&n| n == t).unwrap();
            assert_eq!(topology.kinds(t)[k], topology.kinds(other)[back]);
            assert_ne!(topology.is_owner(t, k), topology.is_owner(other, back));
        }
    }
    for v in 0..topology.n_vertices() as u32 {
        for &end in topology.ring(v) {
            assert!(topology.ring(end).contains(&v));
        }
        assert!(topology.vertices(topology.owner(v)).contains(&v));
    }
}

#[test]
fn a_cube_has_six_facets_and_twelve_edges() {
    let topology = MeshTopology::new(&cube());
    check_links(&topology);
    assert_eq!(topology.n_vertices(), 8);
    assert_eq!([EdgeKind::Convex, EdgeKind::Flat].map(|k| count(&topology, k)), [24, 12]);
    let mut facets: Vec<u32> = (0..12).map(|t| topology.facet(t)).collect();
    facets.dedup();
    assert_eq!(facets.len(), 6);
    for v in 0..8 {
        assert!(topology.is_feature(v));
        let out = topology.position(v) - DVec3::splat(0.5);
        assert!(topology.vertex_normal(v).dot(out) > 0.7);
        assert!(3 <= topology.ring(v).len() && topology.ring(v).len() <= 6);
    }
    for t in 0..12 {
        for k in 0..3 {
            let (along, wings, normal) = topology.wings(t, k);
            let middle = topology.position(topology.vertices(t)[k]) + along * 0.5;
            for wing in wings {
                // Into a face, across the edge.
                assert!(wing.dot(along).abs() < 1e-12 && (wing.length() - 1.0).abs() < 1e-12);
                let step = middle + wing * 0.1;
                assert!(step.min_element() > -1e-9 && step.max_element() < 1.0 + 1e-9, "{middle} {wing}");
            }
            assert!(normal.dot(middle - DVec3::splat(0.5)) > 0.0);
        }
    }
}

/// The same cube turned inside out: every edge bends the other way.
#[test]
fn a_cube_from_inside_is_concave() {
    let turned: Vec<[DVec3; 3]> = cube().into_iter().map(|[a, b, c]| [a, c, b]).collect();
    let topology = MeshTopology::new(&turned);
    check_links(&topology);
    assert_eq!([EdgeKind::Concave, EdgeKind::Flat].map(|k| count(&topology, k)), [24, 12]);
}

#[test]
fn a_floor_has_features_only_at_its_rim() {
    // 5 x 5 squares, far from the origin, where corners are off by some 1e-5.
    let at = |i: u32, j: u32| {
        let far =
            glam::Vec3::new(0.3 * i as f32 + 800.1, 0.3 * i as f32 * 0.7 + 300.3, 0.3 * j as f32 - 900.7);
        far.as_dvec3()
    };
    let triangles: Vec<[DVec3; 3]> = (0..25)
        .flat_map(|c| {
            let (i, j) = (c / 5, c % 5);
            [[at(i, j), at(i, j + 1), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i + 1, j)]]
        })
        .collect();
    let topology = MeshTopology::new(&triangles);
    check_links(&topology);
    assert_eq!(count(&topology, EdgeKind::Open), 20);
    assert_eq!(count(&topology, EdgeKind::Flat), 130);
    let n_features = (0..topology.n_vertices() as u32).filter(|&v| topology.is_feature(v)).count();
    assert_eq!(n_features, 4);
    assert!((1..50).all(|t| topology.normal(t) == topology.normal(0)));
}

#[test]
fn what_is_torn_or_folded_or_without_area() {
    // A third triangle on one edge: no two of the three are neighbours there.
    let mut fan = cube();
    let [a, b] = [fan[0][0], fan[0][1]];
    fan.push([a, b, DVec3::new(-1.0, -1.0, 0.5)]);
    let topology = MeshTopology::new(&fan);
    check_links(&topology);
    assert_eq!(count(&topology, EdgeKind::Open), 3 + 2);

    // A neighbour that is turned over.
    let (p, q, r, s) = (DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(0.5, -1.0, 0.0));
    let topology = MeshTopology::new(&[[p, q, r], [p, q, s]]);
    check_links(&topology);
    assert_eq!(count(&topology, EdgeKind::Open), 6);

    // Folded flat onto itself: an edge as sharp as can be, and no plane.
    let topology = MeshTopology::new(&[[p, q, r], [q, p, r + DVec3::X * 0.3]]);
    check_links(&topology);
    assert_ne!(topology.facet(0), topology.facet(1));
    assert!(!topology.kinds(0).contains(&EdgeKind::Flat));

    // Without area: a segment, a point. They are in no facet and nobody's neighbours.
    let topology = MeshTopology::new(&[[p, q, r], [q, p, DVec3::X * 0.5], [r, r, r]]);
    check_links(&topology);
    assert_eq!([0, 1, 2].map(|t| topology.facet(t)), [0, NO_TRIANGLE, NO_TRIANGLE]);
    assert_eq!(topology.neighbours(0), [NO_TRIANGLE; 3]);
    assert_eq!(topology.normal(1), DVec3::ZERO);
}

/// Sides with corners of their own, corners with another zero: the same links.
#[test]
fn positions_make_vertices() {
    let whole = MeshTopology::new(&cube());
    let other: Vec<[DVec3; 3]> =
        cube().iter().map(|t| t.map(|p| p * DVec3::new(1.0, -0.0, 1.0) + p.y * DVec3::Y)).collect();
    let written = MeshTopology::new(&other);
    for t in 0..12 {
        assert_eq!(whole.neighbours(t), written.neighbours(t));
        assert_eq!(whole.kinds(t), written.kinds(t));
    }
}
