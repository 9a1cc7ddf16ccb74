//! Vertices that are merged on demand.

use super::{parse, samples};
use carom_geom::f64::TriMesh;
use carom_io::{Format, Model, Options, Part, RawMesh, ReadError};
use core::fmt::Write;
use std::path::Path;

fn merged(bytes: &[u8], format: Format, tolerance: f64) -> Result<Model, ReadError> {
    let options = Options::default().with_merge(Some(tolerance));
    carom_io::parse_with(bytes, format, Path::new("file.x"), &options)
}

fn is_closed(mesh: &RawMesh) -> bool {
    TriMesh::new(mesh.vertices.clone(), mesh.triangles.clone()).unwrap().orientation().turned().is_some()
}

/// A tetrahedron whose corners differ in their last digits from facet to facet.
fn rounded_stl() -> String {
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut text = "solid a\n".to_owned();
    for (facet, t) in [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]].iter().enumerate() {
        text += "facet normal 0 0 0\nouter loop\n";
        for i in t {
            let [x, y, z] = points[*i];
            let x = x + facet as f64 * 1e-7;
            writeln!(text, "vertex {x} {y} {z}").unwrap();
        }
        text += "endloop\nendfacet\n";
    }
    text + "endsolid a\n"
}

#[test]
fn rounded_corners_are_merged_with_a_note() {
    let text = rounded_stl();
    let plain = parse(text.as_bytes(), Format::Stl).unwrap();
    assert!(!is_closed(&plain.parts[0].world_mesh().unwrap()) && plain.notes.is_empty());
    let model = merged(text.as_bytes(), Format::Stl, 1e-6).unwrap();
    let mesh = model.parts[0].world_mesh().unwrap();
    assert!(is_closed(&mesh));
    assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (4, 4));
    // Each corner has three facets, so it was at three places.
    assert_eq!(model.notes, ["8 vertices were merged with an earlier one, at most 3.00e-7 away"]);
    let nothing = merged(samples::OBJ, Format::Obj, 1e-6).unwrap();
    assert_eq!(nothing.notes, ["0 vertices were merged with an earlier one"]);
}

#[test]
fn solids_of_a_link_are_merged_alone_and_move() {
    let urdf = br#"<robot name="r">
<link name="base"><collision><geometry><box size="1 1 1"/></geometry></collision>
<collision><origin xyz="1 0 0"/><geometry><box size="1 1 1"/></geometry></collision></link>
<link name="hand"><collision><origin xyz="0 3 0"/><geometry><box size="1 1 1"/></geometry></collision></link>
<joint name="j" type="continuous"><origin xyz="0 0 1"/><parent link="base"/><child link="hand"/><axis xyz="0 0 1"/></joint>
<joint name="k" type="continuous"><mimic joint="j" offset="1"/><parent link="hand"/><child link="tip"/><axis xyz="0 0 1"/></joint>
<link name="tip"><collision><origin xyz="1 0 0"/><geometry><sphere radius="0.2"/></geometry></collision></link>
</robot>"#;
    let mut plain = parse(urdf, Format::Urdf).unwrap();
    let mut model = merged(urdf, Format::Urdf, 1e-6).unwrap();
    for values in [None, Some(0.7)] {
        if let Some(value) = values {
            let values = plain.robot.as_ref().unwrap().values(&[("j", value)]).unwrap();
            plain.set_joints(&values).unwrap();
            model.set_joints(&values).unwrap();
        }
        let meshes = |part: &Part| part.solid_meshes().unwrap();
        for (a, b) in plain.parts.iter().zip(&model.parts) {
            assert_eq!(a.name, b.name);
            assert_eq!(meshes(a).len(), meshes(b).len(), "flush boxes stay two");
            for (a, b) in meshes(a).iter().zip(&meshes(b)) {
                assert!(is_closed(b));
                assert_eq!(a.triangles, b.triangles);
                assert!(a.vertices.iter().zip(&b.vertices).all(|(p, q)| (*p - *q).length() < 1e-12));
            }
        }
    }
    assert_eq!(model.parts.len(), 3);
    assert_eq!(model.notes.last().unwrap(), "0 vertices were merged with an earlier one");
}

#[test]
fn solids_that_would_vanish_are_kept() {
    let model = merged(samples::OBJ, Format::Obj, 10.0).unwrap();
    let plain = parse(samples::OBJ, Format::Obj).unwrap();
    assert_eq!(model.parts[0].world_mesh(), plain.parts[0].world_mesh());
    let note = "0 vertices were merged with an earlier one; 1 solid is kept as it is, because no triangle would remain";
    assert_eq!(model.notes, [note]);
    let refused = merged(samples::OBJ, Format::Obj, -1.0).unwrap_err().to_string();
    assert!(refused.ends_with("the tolerance of a merge is not finite or below 0"), "{refused}");
}
