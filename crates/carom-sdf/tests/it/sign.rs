//! The sides of nodes: exact for closed meshes, by winding numbers for others.

use crate::bake::{brute, nodes};
use crate::scenes::{closed, cuboid, inverted, joined, mesh, of, open_box, unwelded, without};
use carom_geom::TriMesh;
use carom_geom::winding::winding_number;
use carom_scenes::mesh::{terrain, torus};
use carom_sdf::{BakeSettings, Field, SdfGrid, SignMethod};

fn bake(mesh: &TriMesh) -> SdfGrid {
    SdfGrid::from_mesh(mesh, &BakeSettings::default().with_resolution(12)).unwrap()
}

/// Checks that nodes off the surface are inside if, and only if, a rule about their winding number
/// says so.
fn check(name: &str, mesh: &TriMesh, field: &SdfGrid, is_inside: impl Fn(f64) -> bool) {
    let mut n_inside = 0;
    for (i, (node, &value)) in nodes(field.grid()).zip(field.values()).enumerate() {
        n_inside += usize::from(value < 0.0);
        if i % 3 != 0 {
            continue;
        }
        let point = field.grid().node(node);
        let winding = winding_number(point, mesh.iter_corners());
        // A winding number of a half is rounded to either side.
        if value != 0.0 && 1e-9 < (winding.abs() - 0.5).abs() {
            assert_eq!(value < 0.0, is_inside(winding), "{name} {node}: {value}, {winding}");
        }
    }
    assert!(20 < n_inside, "{name}: {n_inside}");
}

#[test]
fn closed_meshes_have_exact_sides_in_any_orientation() {
    for (name, mesh) in closed() {
        let field = bake(&mesh);
        check(name, &mesh, &field, |winding| 0.5 < winding);
        for (other, kind) in [
            (inverted(&mesh), "inverted"),
            (unwelded(&mesh), "unwelded"),
            (joined(&[&mesh, &mesh]), "doubled"),
        ] {
            let other = bake(&other);
            assert_eq!(other.sign_method(), SignMethod::WindingExact, "{name} {kind}");
            assert!(other.values() == field.values(), "{name} {kind}");
        }
    }
}

#[test]
fn faces_turned_against_each_other_do_not_matter_if_the_mesh_is_closed() {
    for (name, mesh) in closed() {
        let mut mixed = mesh.clone();
        mixed.turn_over(&(0..mesh.n_triangles() as u32).step_by(3).collect::<Vec<_>>());
        let field = bake(&mixed);
        assert_eq!(field.sign_method(), SignMethod::Parity, "{name}");
        assert!(field.values() == bake(&mesh).values(), "{name}");
    }
}

#[test]
fn shells_that_overlap_or_enclose_each_other_are_solid() {
    let (left, right) =
        (cuboid([-1.0, -1.0, -1.0], [0.5, 1.0, 1.0]), cuboid([-0.25, -0.5, -0.5], [1.5, 0.5, 0.5]));
    let inner = cuboid([-0.5, -0.5, -0.5], [0.25, 0.5, 0.5]);
    for (name, both) in [("overlap", joined(&[&left, &right])), ("shells", joined(&[&left, &inner]))] {
        let field = bake(&both);
        assert_eq!(field.sign_method(), SignMethod::WindingExact);
        check(name, &both, &field, |winding| 0.5 < winding);
    }
    // A shell that faces inwards bounds a cavity.
    let hollow = joined(&[&left, &inverted(&inner)]);
    let field = bake(&hollow);
    check("hollow", &hollow, &field, |winding| 0.5 < winding);
    let middle = field.grid().cells() / 2;
    assert!(0.0 < field.value(middle));
}

#[test]
fn triangles_without_area_and_single_doubles_do_no_harm() {
    for (name, mesh) in closed() {
        let field = bake(&mesh);
        let mut triangles = mesh.indices().to_vec();
        let [a, b, _] = triangles[0];
        triangles.extend([[a, b, b], [a, a, a]]);
        let flat = TriMesh::new(mesh.vertices().to_vec(), triangles.clone()).unwrap();
        let flat = bake(&flat);
        assert!(flat.values() == field.values() && flat.sign_method() == SignMethod::WindingExact, "{name}");
        // One triangle twice: the edges are no longer balanced, but most sides are still clear.
        triangles.push(triangles[1]);
        let doubled = TriMesh::new(mesh.vertices().to_vec(), triangles).unwrap();
        let again = bake(&doubled);
        assert!(matches!(again.sign_method(), SignMethod::Winding { doubtful } if doubtful < 0.2), "{name}");
        check(name, &doubled, &again, |winding| 0.5 < winding);
    }
}

#[test]
fn open_meshes_are_filled_up_to_their_holes() {
    let bowl = open_box();
    let torus = mesh(&torus(1.0, 0.4, 400));
    let torus = without(&torus, |t| t % 40 == 0);
    for (name, mesh) in [("open box", bowl), ("torus with holes", torus)] {
        for mesh in [&mesh, &inverted(&mesh)] {
            let field = bake(mesh);
            assert!(matches!(field.sign_method(), SignMethod::Winding { .. }), "{name}");
            assert!(!field.sign_method().is_certain() && field.sign_method().is_signed());
            check(name, mesh, &field, |winding| 0.5 < winding.abs());
            for (node, value) in nodes(field.grid()).zip(field.values()).step_by(11) {
                assert_eq!(value.abs(), brute(mesh, field.grid().node(node)) as f32, "{name}");
            }
        }
    }
}

#[test]
fn sheets_have_no_inside_and_say_so() {
    let sheet = mesh(&terrain(2.0, 0.3, 12, 3));
    let flat = of(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]);
    let line = of(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.0, 0.0]], &[[0, 1, 2]]);
    let crossed = joined(&[&flat, &of(&[[0.2, 0.2, -1.0], [0.3, 0.2, 1.0], [0.2, 0.3, 1.0]], &[[0, 1, 2]])]);
    for (name, mesh) in [("terrain", sheet), ("triangle", flat), ("crossed", crossed)] {
        let field = bake(&mesh);
        assert_eq!(field.sign_method(), SignMethod::Unsigned, "{name}");
        for (node, &value) in nodes(field.grid()).zip(field.values()).step_by(5) {
            assert_eq!(value, brute(&mesh, field.grid().node(node)) as f32, "{name}");
        }
    }
    // A triangle without area is closed in itself, and encloses nothing.
    let field = bake(&line);
    assert!(field.values().iter().all(|v| 0.0 <= *v));
    // A sheet with two sides is closed too.
    let sheet = mesh(&terrain(2.0, 0.3, 12, 3));
    let field = bake(&joined(&[&sheet, &inverted(&sheet)]));
    assert_eq!(field.sign_method(), SignMethod::WindingExact);
    assert!(field.values().iter().all(|v| 0.0 <= *v));
}
