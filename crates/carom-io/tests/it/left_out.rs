//! Each element of a file is read, refused, or named as unread.

use super::gltf_document::{As, Document};
use super::{folder, mesh, parse, refusal, samples};
use carom_io::{Format, Options};
use serde_json::json;
use std::fs;
use std::path::Path;

fn options() -> Options {
    Options::default().with_keep_going(true)
}

#[test]
fn text_may_begin_with_a_byte_order_mark() {
    let files: [(&[u8], Format); 6] = [
        (samples::OBJ, Format::Obj),
        (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", Format::Obj),
        (samples::PLY_TEXT, Format::Ply),
        (&samples::gltf(), Format::Gltf),
        (samples::URDF, Format::Urdf),
        (&samples::stl_text(), Format::Stl),
    ];
    for (bytes, format) in files {
        let marked = [b"\xef\xbb\xbf", bytes].concat();
        assert_eq!(parse(&marked, format).unwrap(), parse(bytes, format).unwrap(), "{format:?}");
        let utf16: Vec<u8> = [0xfe, 0xff].into_iter().chain(bytes.iter().flat_map(|b| [0, *b])).collect();
        assert_eq!(refusal(&utf16, format), "file.x: UTF-16 text; UTF-8 is needed", "{format:?}");
    }
    let map = b"\xef\xbb\xbf{\n\"classname\" \"worldspawn\"\n}\n";
    assert_eq!(carom_io::map::parse(map, Path::new("a.map")).unwrap().entities.len(), 1);
    let boxes = b"\xef\xbb\xbfframe,id,minx,miny,minz,maxx,maxy,maxz\n0,1,0,0,0,1,1,1\n";
    assert_eq!(carom_io::boxes_csv::parse(boxes, Path::new("a.csv")).unwrap().len(), 1);
    let scene = "\u{feff}{\"parts\": []}";
    assert_eq!(refusal(scene.as_bytes(), Format::Scene), "file.x: no part");
    let ply = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n";
    let pcd =
        "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 1\nHEIGHT 1\nPOINTS 1\nDATA ascii\n1 2 3\n";
    for (text, name) in [("1 2 3\n", "a.xyz"), (ply, "a.ply"), (pcd, "a.pcd")] {
        let found = carom_io::parse_points(format!("\u{feff}{text}").as_bytes(), Path::new(name)).unwrap();
        assert_eq!(found.points, [glam::DVec3::new(1.0, 2.0, 3.0)], "{name}");
    }
    let folder = folder("marked");
    let write = |name: &str, text: &str| fs::write(folder.join(name), format!("\u{feff}{text}")).unwrap();
    write("a.csv", "time,a\n0,1\n");
    assert_eq!(carom_io::read_trajectory(&folder.join("a.csv")).unwrap().joints, ["a"]);
    let pair = r#"<disable_collisions link1="a" link2="b" reason="Never"/>"#;
    write("a.srdf", &format!(r#"<?xml version="1.0"?><robot name="r">{pair}</robot>"#));
    assert_eq!(carom_io::read_srdf(&folder.join("a.srdf")).unwrap().len(), 1);
}

#[test]
fn obj_lines_end_in_any_way() {
    let text = String::from_utf8(samples::OBJ.to_vec()).unwrap();
    let reference = mesh(samples::OBJ, Format::Obj);
    for end in ["\r\n", "\r"] {
        assert_eq!(mesh(text.replace('\n', end).as_bytes(), Format::Obj), reference, "{end:?}");
    }
    assert_eq!(
        refusal(b"v 0 0 0\rv 1 0 0\rf 1 2 9\r", Format::Obj),
        "file.x: line 3: vertex 9 is out of range: 2 so far"
    );
    // A second vertex on a line is refused.
    assert_eq!(refusal(b"v 0 0 0 v 1 0 0\n", Format::Obj), "file.x: line 1: \"v\" is not a number");
}

#[test]
fn obj_lines_that_are_not_read_are_named() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\ns off\nusemtl a\n# x\nf 1 2 3\n";
    let model = parse(text.as_bytes(), Format::Obj).unwrap();
    assert!(model.notes.is_empty() && model.unread.is_empty());
    let model = parse(format!("{text}l 1 2\np 1\n").as_bytes(), Format::Obj).unwrap();
    assert_eq!(model.notes, ["2 lines or points are left out, the first at line 9: no surface"]);
    assert!(model.unread.is_empty());
    for keyword in ["surf", "curv", "call", "vertex", "face", "fo2"] {
        let model = parse(format!("{text}{keyword} 1 2 3\n").as_bytes(), Format::Obj).unwrap();
        assert_eq!(model.unread, [format!("line 9: {keyword:?} is not read")]);
    }
    let many = parse(format!("{text}{}", "junk\n".repeat(1000)).as_bytes(), Format::Obj).unwrap();
    assert!(many.unread.len() < 60);
}

#[test]
fn obj_objects_are_parts_on_demand() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\no a\nf 1 2 4\nf 1 3 4\ng b c\nf 2 3 4\no a\nf 3 2 1\no empty\ng\nf 4 2 1\n";
    let parts = |options: Options| -> Vec<(String, usize, usize)> {
        let model = carom_io::parse_with(text.as_bytes(), Format::Obj, Path::new("m.obj"), &options).unwrap();
        model
            .parts
            .iter()
            .map(|p| (p.name.clone(), p.n_triangles(), p.pieces[0].mesh.vertices.len()))
            .collect()
    };
    assert_eq!(parts(Options::default()), [("m".to_owned(), 6, 4)]);
    let split = parts(Options::default().with_split_objects(true));
    let named = |name: &str, n: usize, vertices: usize| (name.to_owned(), n, vertices);
    // A bare `g` is no group, so its faces are those of the object.
    assert_eq!(split, [named("m", 1, 3), named("a", 3, 4), named("a/b c", 1, 3), named("empty", 1, 3)]);
}

/// Groups of one name in two objects are two parts, and so are faces before the first object and an
/// object that is named like the file.
#[test]
fn obj_groups_belong_to_their_object() {
    let split = |text: &str| -> Vec<(String, usize)> {
        let text = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n{text}");
        let options = Options::default().with_split_objects(true);
        let model = carom_io::parse_with(text.as_bytes(), Format::Obj, Path::new("m.obj"), &options).unwrap();
        model.parts.iter().map(|p| (p.name.clone(), p.n_triangles())).collect()
    };
    let named =
        |list: &[(&str, usize)]| list.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect::<Vec<_>>();
    let face = "f 1 2 3\n";
    assert_eq!(
        split(&format!("o left\ng body\n{face}o right\ng body\n{face}o left\ng body\n{face}")),
        named(&[("left/body", 2), ("right/body", 1)])
    );
    // A group ends with its object, and a bare `g` ends it too.
    assert_eq!(
        split(&format!("g body\n{face}o left\n{face}o right\ng body\n{face}g\n{face}")),
        named(&[("body", 1), ("left", 1), ("right/body", 1), ("right", 1)])
    );
    assert_eq!(split(&format!("{face}o m\n{face}g\n{face}")), named(&[("m", 1), ("m#2", 2)]));
    assert_eq!(split(&format!("g\n{face}g b\n{face}o\n{face}")), named(&[("default", 2), ("b", 1)]));
    // The name of an object is not repeated at full length for each of its groups.
    let groups: String = (0..50).map(|i| format!("g {i}\n{face}")).collect();
    let long = split(&format!("o {}\n{groups}", "x".repeat(9000)));
    assert_eq!(long.len(), 50);
    assert!(long.iter().all(|(name, _)| name.len() < 250), "{}", long[0].0);
}

/// Names in another encoding than UTF-8 differ if their bytes differ.
#[test]
fn obj_names_in_any_encoding_are_told_apart() {
    let split = |names: [&[u8]; 2]| {
        let mut text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\n".to_vec();
        for name in names {
            text.extend([name, b"\nf 1 2 3\n"].concat());
        }
        let options = Options::default().with_split_objects(true);
        let model = carom_io::parse_with(&text, Format::Obj, Path::new("m.obj"), &options).unwrap();
        (model.parts.into_iter().map(|part| part.name).collect::<Vec<_>>(), model.notes)
    };
    let none = Vec::<String>::new();
    assert_eq!(
        split([b"o t\xe9", b"o t\xe8"]),
        (vec!["t\u{fffd}".to_owned(), "t\u{fffd}#2".to_owned()], none.clone())
    );
    assert_eq!(split([b"g \xe9", b"g \xe8"]).0.len(), 2);
    assert_eq!(split([b"g t\xe9", b"o t\xe9"]).0.len(), 2);
    // The same name is the same group, whatever blanks it has.
    assert_eq!(split([b"g a t\xe9", b"g  a   t\xe9 "]), (vec!["a t\u{fffd}".to_owned()], none));
    // Objects of one name are one part, and a note says so.
    let note = |name: &str| vec![format!("more than one object is named {name:?}; they are one part")];
    assert_eq!(split([b"o body", b"o body"]), (vec!["body".to_owned()], note("body")));
    assert_eq!(
        split([b"o t\xe9\ng a", b"o t\xe9\ng a"]),
        (vec!["t\u{fffd}/a".to_owned()], note("t\u{fffd}/a"))
    );
}

#[test]
fn ply_strips_are_read() {
    let strips = |count: usize, lists: &str| {
        format!(
            "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\nelement tristrips {count}\nproperty list int int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n2 2 0\n{lists}\n"
        )
    };
    let read = |text: &str| mesh(text.as_bytes(), Format::Ply).triangles;
    assert_eq!(read(&strips(1, "4 0 1 2 3")), [[0, 1, 2], [2, 1, 3]]);
    // -1 begins another strip; repeated corners only turn it.
    assert_eq!(read(&strips(1, "9 0 1 2 3 -1 1 4 3 -1")), [[0, 1, 2], [2, 1, 3], [1, 4, 3]]);
    assert_eq!(read(&strips(2, "3 0 1 2\n5 0 1 1 3 4")), [[0, 1, 2], [1, 3, 4]]);
    assert!(
        refusal(strips(1, "4 0 1 2 9").as_bytes(), Format::Ply)
            .contains("strip 0: vertex 9 is out of range: 5")
    );
    assert!(refusal(strips(1, "2 0 1").as_bytes(), Format::Ply).contains("empty"));
    // Faces and strips in one file, faces before vertices.
    let both = "ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int vertex_index\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n3 0 1 3\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n3 0 1 2\n";
    assert_eq!(read(both), [[0, 1, 3], [0, 1, 2]]);
}

#[test]
fn ply_leftovers_are_refused_or_named() {
    let text = String::from_utf8(samples::PLY_TEXT.to_vec()).unwrap();
    for (from, to) in [
        ("3 1 2 3\n", "3 1 2 3\n3 0 1 2\n"),
        ("3 0 2 1\n", "3 0 2 1 3\n"),
        ("1 0 0\n", "1 0 0 5\n"),
        ("1 0 0\n", "1 0\n"),
    ] {
        refusal(text.replacen(from, to, 1).as_bytes(), Format::Ply);
    }
    let mut binary = samples::ply_binary(false);
    binary.extend([0; 13]);
    assert_eq!(refusal(&binary, Format::Ply), "file.x: 13 bytes behind the elements that are announced");
    let fans = text
        .replace("end_header", "element trifans 1\nproperty list uchar int vertex_indices\nelement edge 1\nproperty int a\nend_header")
        + "4 0 1 2 3\n7\n";
    let model = parse(fans.as_bytes(), Format::Ply).unwrap();
    assert_eq!(
        (model.unread, model.notes),
        (
            vec!["1 of element trifans are not read".to_owned()],
            vec!["1 of element edge are not read".to_owned()]
        )
    );
}

/// The sample with another text in some places.
fn gltf(changes: &[(&str, &str)]) -> Vec<u8> {
    let mut text = String::from_utf8(samples::gltf()).unwrap();
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    text.into_bytes()
}

#[test]
fn gltf_extensions_are_read_refused_or_named() {
    let required =
        |name: &str| format!(r#""extensionsUsed":["{name}"],"extensionsRequired":["{name}"],"scene":0"#);
    for name in ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "ACME_shapes"] {
        let message = refusal(&gltf(&[(r#""scene":0"#, &required(name))]), Format::Gltf);
        assert!(message.contains(name) && message.contains("is required and not understood"), "{message}");
    }
    for name in
        ["KHR_materials_unlit", "KHR_mesh_quantization", "KHR_texture_transform", "EXT_mesh_gpu_instancing"]
    {
        let model = parse(&gltf(&[(r#""scene":0"#, &required(name))]), Format::Gltf).unwrap();
        assert!(model.notes.is_empty() && model.unread.is_empty(), "{name}");
    }
    // The extension is used at a place that may define a surface (node, mesh, primitive), or
    // elsewhere.
    let extension = r#""extensions":{"ACME_shapes":{"count":3}}"#;
    for (from, to, place) in [
        (r#""name":"b","#, format!(r#""name":"b",{extension},"#), "nodes[1] (b)"),
        (r#""meshes":[{"#, format!(r#""meshes":[{{{extension},"#), "meshes[0]"),
        (r#""indices":1"#, format!(r#""indices":1,{extension}"#), "meshes[0].primitives[0]"),
    ] {
        let model = parse(&gltf(&[(from, &to)]), Format::Gltf).unwrap();
        assert_eq!(model.unread, [format!("{place}: the extension ACME_shapes is not understood")]);
        assert_eq!(model.parts.len(), 2);
    }
    let used =
        parse(&gltf(&[(r#""scene":0"#, r#""extensionsUsed":["ACME_shapes"],"scene":0"#)]), Format::Gltf)
            .unwrap();
    assert_eq!(used.notes, ["the extension ACME_shapes is used and not understood"]);
}

#[test]
fn gltf_instances_are_parts() {
    use base64::Engine;
    // Translations and scales of two instances behind the mesh.
    let text = String::from_utf8(samples::gltf()).unwrap();
    let start = text.find("base64,").unwrap() + 7;
    let end = start + text[start..].find('"').unwrap();
    let engine = base64::engine::general_purpose::STANDARD;
    let mut data = engine.decode(&text[start..end]).unwrap();
    for x in [10f32, 0.0, 0.0, 0.0, 20.0, 0.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0] {
        data.extend(x.to_le_bytes());
    }
    let changed = format!("{}{}{}", &text[..start], engine.encode(&data), &text[end..])
        .replace(r#""byteLength":72}"#, r#""byteLength":120}"#)
        .replace(
            r#""byteLength":24}]"#,
            r#""byteLength":24},{"buffer":0,"byteOffset":72,"byteLength":24},{"buffer":0,"byteOffset":96,"byteLength":24}]"#,
        )
        .replace(
            r#""count":12,"type":"SCALAR"}]"#,
            r#""count":12,"type":"SCALAR"},{"bufferView":2,"componentType":5126,"count":2,"type":"VEC3"},{"bufferView":3,"componentType":5126,"count":2,"type":"VEC3"}]"#,
        );
    let instancing = |attributes: &str| {
        let extension = format!(
            r#""name":"b","extensions":{{"EXT_mesh_gpu_instancing":{{"attributes":{attributes}}}}},"#
        );
        parse(changed.replace(r#""name":"b","#, &extension).as_bytes(), Format::Gltf)
    };
    let model = instancing(r#"{"TRANSLATION":2,"SCALE":3}"#).unwrap();
    let names: Vec<&str> = model.parts.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "b#2"]);
    // The node is at (1, 2, 3) and half as large.
    let corner = |part: usize, i: usize| model.parts[part].world_mesh().unwrap().vertices[i].to_array();
    assert_eq!((corner(1, 0), corner(1, 1)), ([6.0, 2.0, 3.0], [6.5, 2.0, 3.0]));
    assert_eq!((corner(2, 0), corner(2, 1)), ([1.0, 12.0, 3.0], [2.0, 12.0, 3.0]));
    // All instances share the triangles.
    assert!(std::sync::Arc::ptr_eq(&model.parts[0].pieces[0].mesh, &model.parts[2].pieces[0].mesh));
    assert_eq!(instancing(r#"{"TRANSLATION":2}"#).unwrap().parts.len(), 3);
    assert_eq!(instancing("{}").unwrap().unread, ["nodes[1] (b): instancing without instances"]);
    for bad in [r#"{"TRANSLATION":0,"SCALE":3}"#, r#"{"ROTATION":2}"#, r#"{"TRANSLATION":9}"#] {
        assert!(instancing(bad).is_err(), "{bad}");
    }
}

#[test]
fn gltf_numbers_may_be_small_and_normalized() {
    use base64::Engine;
    let points = [[0i16, 0, 0, 0], [i16::MAX, 0, 0, 0], [0, i16::MAX, 0, 0], [0, 0, i16::MIN, 0]];
    let data: Vec<u8> = points.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    let data = base64::engine::general_purpose::STANDARD.encode(data);
    let document = |component: &str| {
        format!(
            r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[0]}}],"nodes":[{{"mesh":0,"scale":[2,2,2]}}],
"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"mode":5}}]}}],
"accessors":[{{"bufferView":0,"count":4,"type":"VEC3",{component}}}],
"bufferViews":[{{"buffer":0,"byteLength":32,"byteStride":8}}],
"buffers":[{{"byteLength":32,"uri":"data:application/octet-stream;base64,{data}"}}]}}"#
        )
    };
    let corners = |component: &str| mesh(document(component).as_bytes(), Format::Gltf).vertices;
    let normalized = corners(r#""componentType":5122,"normalized":true"#);
    assert_eq!((normalized[1].to_array(), normalized[3].to_array()), ([2.0, 0.0, 0.0], [0.0, 0.0, -2.0]));
    assert_eq!(corners(r#""componentType":5122"#)[1].to_array(), [65534.0, 0.0, 0.0]);
    assert_eq!(corners(r#""componentType":5123"#)[3].to_array(), [0.0, 0.0, 65536.0]);
    assert_eq!(corners(r#""componentType":5121,"normalized":true"#)[1].x, 2.0);
    refusal(document(r#""componentType":5130"#).as_bytes(), Format::Gltf);
}

#[test]
fn gltf_nodes_without_triangles_are_named() {
    for (mode, what) in
        [("0", "points or lines"), ("1", "points or lines"), ("3", "points or lines"), ("7", "the mode 7")]
    {
        let second =
            format!(r#"}},{{"primitives":[{{"attributes":{{"POSITION":0}},"mode":{mode}}}]}}],"accessors""#);
        let file = gltf(&[
            (
                r#"}],
"accessors""#,
                &second,
            ),
            (r#""name":"b","mesh":0"#, r#""name":"b","mesh":1"#),
        ]);
        let model = parse(&file, Format::Gltf).unwrap();
        assert_eq!(model.parts.len(), 1);
        assert!(model.unread.iter().any(|line| line.contains(what)), "{:?}", model.unread);
    }
    let beside = gltf(&[(r#""indices":1}"#, r#""indices":1},{"attributes":{"POSITION":0},"mode":1}"#)]);
    let model = parse(&beside, Format::Gltf).unwrap();
    assert_eq!((model.notes.len(), model.unread.len()), (2, 0), "{:?}", model.notes);
    let outside = gltf(&[(r#""children":[1]"#, r#""children":[]"#)]);
    assert_eq!(
        parse(&outside, Format::Gltf).unwrap().notes,
        ["1 nodes are not in the scene 0 and are left out"]
    );
}

#[test]
fn one_bad_node_is_passed_over_on_demand() {
    let file = gltf(&[(r#""name":"b","mesh":0"#, r#""name":"b","mesh":7"#)]);
    assert!(refusal(&file, Format::Gltf).contains("nodes[1] (b): meshes[7] of 1"));
    let model = carom_io::parse_with(&file, Format::Gltf, Path::new("a.gltf"), &options()).unwrap();
    assert_eq!((model.parts.len(), model.unread.len()), (1, 1));
    assert_eq!(model.unread, ["nodes[1] (b): meshes[7] of 1"]);
}

/// A robot with one link for each geometry.
fn robot(geometries: &[&str]) -> String {
    let links: String = geometries
        .iter()
        .enumerate()
        .map(|(i, g)| format!(r#"<link name="l{i}"><collision><geometry>{g}</geometry></collision></link>"#))
        .collect();
    let joints: String = (1..geometries.len())
        .map(|i| {
            format!(r#"<joint name="j{i}" type="fixed"><parent link="l0"/><child link="l{i}"/></joint>"#)
        })
        .collect();
    format!(r#"<robot name="r">{links}{joints}</robot>"#)
}

#[test]
fn one_bad_link_is_named_with_its_file() {
    let folder = folder("links");
    fs::write(folder.join("t.obj"), samples::OBJ).unwrap();
    fs::write(folder.join("cut.stl"), "solid a\nfacet\n").unwrap();
    fs::write(folder.join("t.dae"), "<COLLADA/>").unwrap();
    let file = folder.join("r.urdf");
    for (bad, words) in [
        (r#"<mesh filename="t.dae"/>"#, &["link l1", "t.dae: no node with triangles"][..]),
        (r#"<mesh filename="package://none/nothere.stl"/>"#, &["link l1", "nothere.stl"]),
        (r#"<mesh filename="cut.stl"/>"#, &["link l1", "cut.stl: line 3"]),
        (r#"<plane normal="0 0 1"/>"#, &["link l1", "the geometry plane is not read"]),
        (r#"<box size="1 1"/>"#, &["link l1", "box: size: 2 numbers; 3 are needed"]),
        (r#"<sphere radius="x"/>"#, &["link l1", "\"x\" is not a number"]),
        (r#"<mesh filename="http://a/b.stl"/>"#, &["link l1", "http is not read"]),
        ("", &["link l1", "no geometry"]),
    ] {
        fs::write(&file, robot(&[r#"<box size="1 1 1"/>"#, bad, r#"<mesh filename="t.obj"/>"#])).unwrap();
        let message = carom_io::read(&file).unwrap_err().to_string();
        assert!(message.contains("r.urdf: ") && words.iter().all(|w| message.contains(w)), "{message}");
        let model = carom_io::read_with(&file, &options()).unwrap();
        let names: Vec<&str> = model.parts.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["l0", "l2"]);
        assert!(
            model.unread.len() == 1 && words.iter().all(|w| model.unread[0].contains(w)),
            "{:?}",
            model.unread
        );
    }
    // Nothing is left: no robot.
    fs::write(&file, robot(&[r#"<mesh filename="t.dae"/>"#])).unwrap();
    assert!(
        carom_io::read_with(&file, &options()).unwrap_err().to_string().contains("no node with triangles")
    );
}

#[test]
fn xacro_files_are_named_as_such() {
    let marked = r#"<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">"#;
    let plain = r#"<link name="a"><visual><geometry><box size="1 1 1"/></geometry></visual></link></robot>"#;
    for inner in [
        r#"<xacro:property name="w" value="0.2"/>"#.to_owned() + plain,
        plain.replace("1 1 1", "${w} 1 1"),
        plain.replace(r#""a""#, r#""$(arg name)""#),
        plain.replace("</link>", "</link><xacro:arm/>"),
    ] {
        let message = refusal(format!("{marked}{inner}").as_bytes(), Format::Urdf);
        assert!(message.starts_with("file.x: this is a xacro file: expand it first"), "{message}");
    }
    // The output of xacro still declares the name space.
    assert_eq!(parse(format!("{marked}{plain}").as_bytes(), Format::Urdf).unwrap().parts.len(), 1);
    assert_eq!(Format::of(Path::new("a.urdf.xacro")), Some(Format::Urdf));
}

#[test]
fn a_flat_mesh_may_be_scaled_by_zero_across_its_plane() {
    let folder = folder("flat");
    fs::write(folder.join("plane.obj"), "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 4 3 2\n").unwrap();
    fs::write(folder.join("roof.obj"), "v 0 0 0\nv 1 0 0\nv 1 1 1\nv 0 1 1\nf 1 2 3 4\n").unwrap();
    fs::write(folder.join("t.obj"), samples::OBJ).unwrap();
    let scene = |part: &str| {
        fs::write(folder.join("s.json"), format!(r#"{{"parts": [{part}]}}"#)).unwrap();
        carom_io::read(&folder.join("s.json")).map_err(|e| e.to_string())
    };
    for part in [
        r#"{"mesh": "plane.obj", "scale": [0.5, 0, 0.5]}"#,
        r#"{"mesh": "plane.obj", "scale": [2, 0, -2], "pose": [0.6,-0.8,0,1, 0.8,0.6,0,2, 0,0,1,3, 0,0,0,1]}"#,
        r#"{"mesh": "plane.obj", "pose": [1,0,0,0, 0,0,0,5, 0,0,1,0, 0,0,0,1]}"#,
        // Seen from above, a slope keeps its area.
        r#"{"mesh": "roof.obj", "scale": [1, 0, 1]}"#,
    ] {
        let model = scene(part).unwrap();
        assert!(
            model.notes.len() == 1 && model.notes[0].contains("scaled by 0 across its plane"),
            "{:?}",
            model.notes
        );
        assert_eq!(model.parts[0].world_mesh().unwrap().triangles.len(), 2);
    }
    for (part, reason) in [
        (r#"{"mesh": "plane.obj", "scale": [0, 1, 1]}"#, "a scale of 0 takes the area from triangle 0"),
        (r#"{"mesh": "plane.obj", "scale": [0, 0, 1]}"#, "a scale of 0"),
        (r#"{"mesh": "t.obj", "scale": [1, 0, 1]}"#, "a scale of 0"),
        (r#"{"mesh": "plane.obj", "scale": 0}"#, "a scale of 0"),
        (r#"{"mesh": "plane.obj", "pose": [0,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1]}"#, "determinant is 0"),
    ] {
        assert!(scene(part).unwrap_err().contains(reason), "{part}");
    }
    // The same in robots and glTF.
    fs::write(folder.join("r.urdf"), robot(&[r#"<mesh filename="plane.obj" scale="0.5 0 0.5"/>"#])).unwrap();
    let model = carom_io::read(&folder.join("r.urdf")).unwrap();
    assert!(model.notes[0].contains("scaled by 0"), "{:?}", model.notes);
    let plane = gltf(&[("[0.5,0.5,0.5]", "[0.5,0.5,0]"), (r#""count":12"#, r#""count":3"#)]);
    assert!(parse(&plane, Format::Gltf).unwrap().notes[0].contains("scaled by 0"));
}

#[test]
fn scene_members_that_are_not_understood_are_noted() {
    let folder = folder("members");
    fs::write(folder.join("t.obj"), samples::OBJ).unwrap();
    fs::write(folder.join("s.json"), r#"{"parts": [{"mesh": "t.obj", "rotation": [0,0,1], "colour": 3}]}"#)
        .unwrap();
    let model = carom_io::read(&folder.join("s.json")).unwrap();
    assert_eq!(model.notes, ["parts have members that are not understood: colour, rotation"]);
    // One bad part of three.
    let parts = r#"{"parts": [{"mesh": "t.obj"}, {"mesh": "none.obj"}, {"mesh": "t.obj", "scale": 1e999}]}"#;
    fs::write(folder.join("s.json"), parts.replace("1e999", "[1]")).unwrap();
    let model = carom_io::read_with(&folder.join("s.json"), &options()).unwrap();
    assert_eq!((model.parts.len(), model.unread.len()), (1, 2), "{:?}", model.unread);
    assert!(model.unread[0].starts_with("parts[1]: ") && model.unread[1].starts_with("parts[2].scale: "));
}

#[test]
fn several_solids_of_a_mesh_file_are_one_part_of_a_scene() {
    let folder = folder("solids");
    let one = String::from_utf8(samples::stl_text()).unwrap();
    fs::write(folder.join("two.stl"), format!("{one}{}", one.replace("vertex 0", "vertex 5"))).unwrap();
    fs::write(folder.join("s.json"), r#"{"parts": [{"mesh": "two.stl", "scale": 2}]}"#).unwrap();
    let model = carom_io::read(&folder.join("s.json")).unwrap();
    assert_eq!((model.parts.len(), model.parts[0].n_triangles()), (1, 8));
    // A node of a glTF file stands where its parents put it, scaled with the part.
    fs::write(folder.join("t.gltf"), samples::gltf()).unwrap();
    fs::write(folder.join("s.json"), r#"{"parts": [{"mesh": "t.gltf", "scale": 2}]}"#).unwrap();
    let mesh = carom_io::read(&folder.join("s.json")).unwrap().parts[0].world_mesh().unwrap();
    assert_eq!(mesh.vertices[5].to_array(), [3.0, 4.0, 6.0]);
}

#[test]
fn given_files_are_read_or_named() {
    let Some(folder) = carom_testkit::data::find("reports") else { return };
    let read = |file: &str| carom_io::read(&folder.join(file));
    assert_eq!(read("p_strips.ply").unwrap().parts[0].n_triangles(), 2);
    for file in ["g_inst_used.gltf", "g_inst_req.gltf"] {
        let model = read(file).unwrap();
        assert_eq!(model.parts.len(), 2, "{file}");
        assert_eq!(model.parts[1].world_mesh().unwrap().vertices[0].to_array(), [5.0, 0.0, 0.0]);
    }
    let quantized = read("g_quant16.gltf").unwrap().parts[0].world_mesh().unwrap();
    assert_eq!(quantized.vertices[1].to_array(), [2.0, 0.0, 0.0]);
    assert!(read("g_draco.gltf").unwrap_err().to_string().contains("KHR_draco_mesh_compression"));
    let robot = |file: &str| read(&format!("urdf/my_robot/{file}"));
    for (file, words) in [
        ("missing.urdf", &["missing.urdf", "link b", "nothere.stl"][..]),
        ("x.urdf", &["x.urdf", "this is a xacro file: expand it first"]),
        ("robot.urdf.xacro", &["this is a xacro file: expand it first"]),
    ] {
        let message = robot(file).unwrap_err().to_string();
        assert!(words.iter().all(|w| message.contains(w)), "{message}");
    }
    // 1000 mm long, in metres, 5 metres away.
    let model = robot("dae.urdf").unwrap();
    assert_eq!(model.parts[1].world_mesh().unwrap().vertices[1].to_array(), [6.0, 0.0, 0.0]);
    assert_eq!(model.notes, ["package://my_robot/meshes/t.dae: scaled by its unit of 0.001 metres"]);
    assert_eq!(robot("scale.urdf").unwrap().parts.len(), 3);
    let bom = read("hostile/bom.obj").unwrap().parts[0].world_mesh().unwrap();
    assert_eq!(bom, read("hostile/nobom.obj").unwrap().parts[0].world_mesh().unwrap());
}

#[test]
fn notes_are_one_short_line_each() {
    let name = format!("a\\n\\u001b[31m{}", "b".repeat(5000));
    let cube = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    let folder = super::folder("one-line");
    std::fs::write(folder.join("t.obj"), cube).unwrap();
    let scene = format!(r#"{{"parts":[{{"mesh":"t.obj","{name}":1}}]}}"#);
    let element = name.replace("\\n", "&#10;").replace("\\u001b", "&#155;");
    let robot = format!(
        r#"<robot name="r"><link name="{element}"><visual><geometry><box size="1 1 1"/></geometry></visual></link><link name="b"><collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"#
    );
    let good = r#""nodes":[{"mesh":0,"name":"NAME","extensions":{"NAME":{}}}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],"bufferViews":[{"buffer":0,"byteLength":36}],"buffers":[{"byteLength":36,"uri":"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]"#;
    let gltf = format!(
        r#"{{"asset":{{"version":"2.0"}},"extensionsUsed":["NAME"],"scenes":[{{"nodes":[0]}}],{good}}}"#
    );
    let gltf = gltf.replace("NAME", &name);
    for (file, text, format) in [
        ("s.json", scene, Format::Scene),
        ("r.urdf", robot, Format::Urdf),
        ("g.gltf", gltf, Format::Gltf),
        ("u.obj", format!("{cube}{}\u{1b}{} 1 2\n", "a", "b".repeat(5000)), Format::Obj),
    ] {
        let model = carom_io::parse(text.as_bytes(), format, &folder.join(file)).unwrap();
        let notes: Vec<&String> = model.notes.iter().chain(&model.unread).collect();
        assert!(!notes.is_empty(), "{file}");
        for note in notes {
            assert!(!note.contains(char::is_control) && note.len() < 2000, "{file}: {note:?}");
        }
    }
}

/// A matrix written by rows, a homogeneous scale and a rotation of zeros are refused, not bent.
#[test]
fn gltf_transforms_that_are_none_are_refused() {
    const STEPS: &str = r#""translation":[1,2,3],"scale":[0.5,0.5,0.5]"#;
    let with = |own: &str| parse(&gltf(&[(STEPS, own)]), Format::Gltf);
    let at = |own: &str| with(own).unwrap().parts[1].world_mesh().unwrap().vertices[0].to_array();
    let refused = |own: &str| with(own).unwrap_err().to_string();
    assert_eq!(at(r#""matrix":[1,0,0,0, 0,1,0,0, 0,0,1,0, 5,0,0,1]"#), [5.0, 0.0, 0.0]);
    // Rounding errors of exporters are none.
    assert_eq!(at(r#""matrix":[1,0,0,1e-9, 0,1,0,0, 0,0,1,-1e-9, 5,0,0,0.9999999]"#), [5.0, 0.0, 0.0]);
    for (last_row, matrix) in [
        ("[5.0, 0.0, 0.0, 1.0]", "1,0,0,5, 0,1,0,0, 0,0,1,0, 0,0,0,1"),
        ("[0.0, 0.0, 0.0, 2.0]", "1,0,0,0, 0,1,0,0, 0,0,1,0, 5,0,0,2"),
        ("[0.0, 0.0, 0.0, 0.0]", "1,0,0,0, 0,1,0,0, 0,0,1,0, 5,0,0,0"),
    ] {
        let message = refused(&format!(r#""matrix":[{matrix}]"#));
        assert!(message.contains("nodes[1] (b)") && message.contains(last_row), "{message}");
    }
    assert_eq!(at(r#""rotation":[0,0,0,2],"translation":[1,2,3]"#), [1.0, 2.0, 3.0]);
    let message = refused(r#""rotation":[0,0,0,0],"translation":[1,2,3]"#);
    assert!(message.contains("nodes[1] (b)") && message.contains("has no length"), "{message}");
    // The same of an instance; an accessor without a view has zeros.
    let instances = |kind: &str| {
        parse(
            &gltf(&[
                (
                    STEPS,
                    &format!(r#""extensions":{{"EXT_mesh_gpu_instancing":{{"attributes":{{"{kind}":2}}}}}}"#),
                ),
                (
                    r#""type":"SCALAR"}"#,
                    &format!(
                        r#""type":"SCALAR"}},{{"componentType":5126,"count":1,"type":"{}"}}"#,
                        if kind == "ROTATION" { "VEC4" } else { "VEC3" }
                    ),
                ),
            ]),
            Format::Gltf,
        )
    };
    assert_eq!(instances("TRANSLATION").unwrap().parts.len(), 2);
    let message = instances("ROTATION").unwrap_err().to_string();
    assert!(message.contains("nodes[1] (b)") && message.contains("instance 0: the rotation"), "{message}");
}

#[test]
fn gltf_rotations_of_another_length_are_noted() {
    const STEPS: &str = r#""translation":[1,2,3],"scale":[0.5,0.5,0.5]"#;
    let notes = |own: &str| parse(&gltf(&[(STEPS, own)]), Format::Gltf).unwrap().notes;
    let node = r#""rotation":[0,0,2,2]"#;
    assert_eq!(
        notes(node),
        ["nodes[1] (b): the rotation [0.0, 0.0, 2.0, 2.0] is normalized: its length is not 1"]
    );
    // Rounded ones are not noted, also those of bytes.
    for rounded in ["[0,0,0.70711,0.70711]", "[0,0,0,1]", "[0.503937,0.503937,0.503937,0.496063]"] {
        assert!(notes(&format!(r#""rotation":{rounded}"#)).is_empty(), "{rounded}");
    }
    // An instance: the bytes of the number 1, as normalized ones.
    let extension = r#""extensions":{"EXT_mesh_gpu_instancing":{"attributes":{"ROTATION":2}}}"#;
    let accessor = r#""type":"SCALAR"},{"bufferView":0,"byteOffset":12,"componentType":5120,"normalized":true,"count":1,"type":"VEC4"}"#;
    let file = gltf(&[(STEPS, extension), (r#""type":"SCALAR"}"#, accessor)]);
    let found = parse(&file, Format::Gltf).unwrap().notes;
    assert!(found.len() == 1 && found[0].starts_with("nodes[1] (b): an instance: the rotation"), "{found:?}");
}

/// If one node has no placement, the others are read on demand. Its children are named.
#[test]
fn gltf_nodes_without_a_placement_are_listed_on_demand() {
    // The roots are a part, a node of this text, and another part.
    let with = |own: &str, options: &Options| {
        let mut document = Document::default();
        document.roots = vec![0, 1, 5];
        let triangle = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        let position = document.accessor(&triangle, 3, As::F32);
        document.meshes.push(json!({"primitives": [{"attributes": {"POSITION": position}}]}));
        document.nodes = vec![
            json!({"name": "first", "mesh": 0}),
            serde_json::from_str(own).unwrap(),
            json!({"name": "arm", "children": [3, 4]}),
            json!({"name": "hand", "mesh": 0}),
            json!({"name": "lamp"}),
            json!({"name": "last", "mesh": 0, "translation": [1, 2, 3]}),
        ];
        let text = document.json().to_string();
        carom_io::parse_with(text.as_bytes(), Format::Gltf, Path::new("a.gltf"), options)
    };
    let read = |own: &str| with(own, &options()).unwrap();
    let names = |model: &carom_io::Model| -> Vec<String> {
        model.parts.iter().map(|part| part.name.clone()).collect()
    };
    for (transform, why) in [
        (r#""rotation":[0,0,0,0]"#, "the rotation [0.0, 0.0, 0.0, 0.0] has no length"),
        (r#""matrix":[1,0,0,0, 0,1,0,0, 0,0,1,0, 5,0,0,2]"#, "[0.0, 0.0, 0.0, 2.0]"),
    ] {
        // A lamp, a part, and a part with others below it.
        let model = read(&format!(r#"{{"name":"Lamp",{transform}}}"#));
        assert_eq!(names(&model), ["first", "last"]);
        assert_eq!(model.parts[1].world_mesh().unwrap().vertices[0].to_array(), [1.0, 2.0, 3.0]);
        assert!(
            model.unread.len() == 1 && model.unread[0].starts_with("nodes[1] (Lamp): "),
            "{:?}",
            model.unread
        );
        assert!(model.unread[0].contains(why), "{:?}", model.unread);
        assert_eq!(model.notes, ["3 nodes are not in the scene 0 and are left out"]);
        let model = read(&format!(r#"{{"mesh":0,"children":[2],{transform}}}"#));
        assert_eq!(names(&model), ["first", "last"]);
        assert!(
            model.unread[0].starts_with("nodes[1]: ") && model.unread[0].contains(why),
            "{:?}",
            model.unread
        );
        assert_eq!(model.unread[1..], ["nodes[3] (hand): it hangs on a node without a placement"]);
        assert!(model.notes.is_empty(), "{:?}", model.notes);
        let refused = with(&format!(r#"{{"name":"Lamp",{transform}}}"#), &Options::default());
        let message = refused.unwrap_err().to_string();
        assert!(message.starts_with("a.gltf: nodes[1] (Lamp): ") && message.contains(why), "{message}");
    }
    // A node that is no node.
    for own in [r#"{"rotation":[0,0,0]}"#, r#"{"mesh":-1}"#, "7"] {
        let model = read(own);
        assert_eq!((names(&model).len(), model.unread.len()), (2, 1), "{own}");
        assert!(model.unread[0].starts_with("nodes[1]: "), "{:?}", model.unread);
        let message = with(own, &Options::default()).unwrap_err().to_string();
        assert!(message.starts_with("a.gltf: nodes[1]: "), "{message}");
    }
    // Cycles are an error, also below a node without a placement.
    let cycle = with(r#"{"rotation":[0,0,0,0],"children":[1]}"#, &options()).unwrap_err().to_string();
    assert_eq!(cycle, "a.gltf: nodes[1]: is the child of two nodes");
}
