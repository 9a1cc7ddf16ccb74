//! Each format gives the mesh that its file describes.

use super::{mesh, parse, refusal, samples};
use carom_io::{Format, RawMesh};

/// Six times the volume: 1 for the tetrahedron of the samples, counter-clockwise from outside.
fn six_volumes(mesh: &RawMesh) -> f64 {
    mesh.triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|v| mesh.vertices[v as usize]);
            a.dot(b.cross(c))
        })
        .sum()
}

#[test]
fn every_format_gives_the_same_tetrahedron() {
    let meshes = [
        mesh(samples::OBJ, Format::Obj),
        mesh(&samples::stl_text(), Format::Stl),
        mesh(&samples::stl_binary(), Format::Stl),
        mesh(samples::PLY_TEXT, Format::Ply),
        mesh(&samples::ply_binary(false), Format::Ply),
        mesh(&samples::ply_binary(true), Format::Ply),
        mesh(&samples::gltf(), Format::Gltf),
        mesh(&samples::glb(), Format::Gltf),
    ];
    for m in &meshes {
        assert_eq!((m.vertices.len(), m.triangles.len()), (4, 4));
        assert_eq!(six_volumes(m), 1.0);
        for (t, u) in m.triangles.iter().zip(&meshes[0].triangles) {
            assert_eq!(t.map(|v| m.vertices[v as usize]), u.map(|v| meshes[0].vertices[v as usize]));
        }
    }
}

#[test]
fn obj_numbers_are_read_to_the_last_bit() {
    let numbers = [0.1, 1e39, -1.7976931348623157e308, 5e-324, 1.0 / 3.0, 2f64.powi(-30)];
    let mut text = String::new();
    for x in numbers {
        text += &format!("v {x} {x:e} 0\n");
    }
    text += "f 1 2 3 4 5 6\n";
    let mesh = mesh(text.as_bytes(), Format::Obj);
    for (x, v) in numbers.iter().zip(&mesh.vertices) {
        assert_eq!((v.x.to_bits(), v.y.to_bits()), (x.to_bits(), x.to_bits()));
    }
}

#[test]
fn obj_polygons_are_fanned_and_lines_continued() {
    let text = b"v 0 0 0 1\r\nv 1 0 0 0.5 0.5 0.5\r\nv 1 1 0\r\nv 0 1 0\r\n# \\\ng x\r\nf 1//7 2//7 \\\r\n3//7 4//7\r\n";
    assert_eq!(mesh(text, Format::Obj).triangles, [[0, 1, 2], [0, 2, 3]]);
}

#[test]
fn obj_comments_may_be_in_any_encoding() {
    let mut text = b"# caf\xe9\no na\xefve\n".to_vec();
    text.extend(samples::OBJ);
    assert_eq!(mesh(&text, Format::Obj).triangles.len(), 4);
    // Behind vertices and faces too, under each of their names.
    for [vertex, face] in [["v", "f"], ["V", "F"], ["v", "fo"]] {
        let text =
            format!("{vertex} 0 0 0 # COMMENT\n{vertex} 1 0 0\n{vertex} 0 1 0\n{face} 1 2 \\\n3 # COMMENT\n");
        let latin = text.replace("COMMENT", "fa\u{e7}ade").chars().map(|c| c as u8).collect::<Vec<u8>>();
        assert_eq!(mesh(&latin, Format::Obj).triangles, [[0, 1, 2]], "{text}");
        for (from, to) in [("1 0 0", "1 0 \u{e9}"), ("1 2", "1 2\u{e9}"), ("1 0 0", "1 0 0 \u{e9}")] {
            let latin = text.replace(from, to).chars().map(|c| c as u8).collect::<Vec<u8>>();
            assert!(refusal(&latin, Format::Obj).contains("is not a "), "{to}");
        }
    }
    // Content that is not read is named as in any other file.
    let model =
        parse(&[samples::OBJ, b"\ncurv 0 1 1 2 # \xe9\nl 1 2 # \xe9\n"].concat(), Format::Obj).unwrap();
    assert!(
        model.unread.len() == 1 && model.unread[0].ends_with("\"curv\" is not read"),
        "{:?}",
        model.unread
    );
    assert!(model.notes[0].starts_with("1 lines or points are left out"), "{:?}", model.notes);
}

#[test]
fn stl_name_may_be_missing() {
    let text = String::from_utf8(samples::stl_text()).unwrap().replace("solid tetra", "solid");
    assert_eq!(mesh(text.as_bytes(), Format::Stl).triangles.len(), 4);
}

#[test]
fn ply_polygons_and_unknown_elements() {
    let text = b"ply\nformat ascii 1.0\nelement vertex 4\nproperty float nx\nproperty float x\nproperty float y\nproperty float z\nelement edge 1\nproperty int a\nelement face 1\nproperty uchar red\nproperty list uchar ushort vertex_indices\nend_header\n9 0 0 0\n9 1 0 0\n9 1 1 0\n9 0 1 0\n7\n255 4 0 1 2 3\n";
    assert_eq!(mesh(text, Format::Ply).triangles, [[0, 1, 2], [0, 2, 3]]);
}

#[test]
fn gltf_nodes_are_parts_placed_by_their_parents() {
    let model = parse(&samples::gltf(), Format::Gltf).unwrap();
    assert_eq!((model.unit, model.up), (Some("m"), Some("y")));
    let names: Vec<&str> = model.parts.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    let b = model.parts[1].world_mesh().unwrap();
    assert_eq!(b.vertices[0].to_array(), [1.0, 2.0, 3.0]);
    assert_eq!(b.vertices[1].to_array(), [1.5, 2.0, 3.0]);
    assert_eq!(six_volumes(&b) * 8.0, 1.0);
}

#[test]
fn gltf_strips_and_fans() {
    let text = String::from_utf8(samples::gltf()).unwrap();
    let strip = text.replace(r#""indices":1"#, r#""mode":5"#);
    assert_eq!(mesh(strip.as_bytes(), Format::Gltf).triangles, [[0, 1, 2], [2, 1, 3]]);
    let fan = text.replace(r#""indices":1"#, r#""mode":6"#);
    assert_eq!(mesh(fan.as_bytes(), Format::Gltf).triangles, [[0, 1, 2], [0, 2, 3]]);
}

#[test]
fn urdf_links_stand_where_the_joints_put_them() {
    let model = parse(samples::URDF, Format::Urdf).unwrap();
    assert_eq!((model.unit, model.up), (Some("m"), Some("z")));
    assert_eq!(model.notes.len(), 1);
    let base = model.parts[0].world_mesh().unwrap();
    assert_eq!(six_volumes(&base), 48.0);
    // The cylinder lies along x from 1 to 3: the joint rotates it, and its own origin moves it.
    let arm = model.parts[1].world_mesh().unwrap();
    let (mut min, mut max) = (arm.vertices[0], arm.vertices[0]);
    for v in &arm.vertices {
        (min, max) = (min.min(*v), max.max(*v));
    }
    assert!((min.x - 1.0).abs() < 1e-12 && (max.x - 3.0).abs() < 1e-12, "{min} {max}");
    assert!((min.z + 0.5).abs() < 1e-12 && (max.y - 0.5).abs() < 1e-3);
    let true_volume = core::f64::consts::PI * 0.25 * 2.0;
    assert!((six_volumes(&arm) / 6.0 / true_volume - 1.0).abs() < 1e-3);
}

#[test]
fn urdf_round_shapes_are_closed() {
    for (geometry, volume) in [
        (r#"<sphere radius="1"/>"#, 4.0 / 3.0 * core::f64::consts::PI),
        (r#"<capsule radius="1" length="3"/>"#, (4.0 / 3.0 + 3.0) * core::f64::consts::PI),
        (r#"<cylinder radius="2" length="1"/>"#, 4.0 * core::f64::consts::PI),
    ] {
        let text = format!(
            r#"<robot name="r"><link name="a"><visual><geometry>{geometry}</geometry></visual></link></robot>"#
        );
        let mesh = mesh(text.as_bytes(), Format::Urdf);
        let mut edges = std::collections::HashSet::new();
        for t in &mesh.triangles {
            for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
                assert!(edges.insert((a, b)));
            }
        }
        assert!(edges.iter().all(|(a, b)| edges.contains(&(*b, *a))));
        assert!((six_volumes(&mesh) / 6.0 / volume - 1.0).abs() < 2e-3, "{geometry}");
    }
}
