//! Files that must be refused, and the text of each refusal.

use super::{refusal, samples};
use carom_io::Format;
use std::path::Path;

#[test]
fn refusals_name_file_and_location() {
    let cases: &[(&[u8], Format, &str)] = &[
        (b"v 0 0\n", Format::Obj, "file.x: line 1: a vertex with 2 coordinates"),
        (b"v 0 0 0\nv 0 0 nan\n", Format::Obj, "file.x: line 2: coordinate nan is not finite"),
        (b"v 0 0 1e999\n", Format::Obj, "file.x: line 1: coordinate 1e999 is not finite"),
        (b"v 0 0 x\n", Format::Obj, "file.x: line 1: \"x\" is not a number"),
        (
            b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n",
            Format::Obj,
            "file.x: line 4: vertex 0 is out of range: 3 so far",
        ),
        (
            b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n",
            Format::Obj,
            "file.x: line 4: vertex -4 is out of range: 3 so far",
        ),
        (b"v 0 0 0\nv 1 0 0\nf 1 2\n", Format::Obj, "file.x: line 3: a face with 2 corners"),
        (b"v 0 0 0\nv 1 0 0\nf 1 2 \n", Format::Obj, "file.x: line 3: a face with 2 corners"),
        (b"v 0 0 0\n", Format::Obj, "file.x: the mesh is empty: no triangle"),
        (b"hello world\n", Format::Obj, "file.x: no v or f line: not an OBJ file"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\xff", Format::Obj, "file.x: line 3: not text: not an OBJ file"),
        (b"", Format::Obj, "file.x: the file is empty"),
        (b"v 0 0 0\n", Format::Stl, "file.x: 8 bytes: too short for an STL file"),
        (b"v 0 0 0\n", Format::Ply, "file.x: not a PLY file: it does not begin with \"ply\""),
        (b"v 0 0 0\n", Format::Scene, "file.x: line 1: expected value at line 1 column 1"),
        (b"[1, 2]", Format::Scene, "file.x: no list \"parts\": not a scene file"),
        (b"{\"parts\": []}", Format::Scene, "file.x: no part"),
        (b"{\"parts\": [{}]}", Format::Scene, "file.x: parts[0]: no \"mesh\" or \"file\""),
        (b"<robot name=\"r\"></robot>", Format::Urdf, "file.x: no link: not a URDF file"),
    ];
    for (bytes, format, message) in cases {
        assert_eq!(refusal(bytes, *format), *message);
    }
}

#[test]
fn formats_are_not_mistaken_for_each_other() {
    let files: Vec<(Vec<u8>, Format)> = vec![
        (samples::OBJ.to_vec(), Format::Obj),
        (samples::stl_text(), Format::Stl),
        (samples::stl_binary(), Format::Stl),
        (samples::PLY_TEXT.to_vec(), Format::Ply),
        (samples::gltf(), Format::Gltf),
        (samples::glb(), Format::Gltf),
        (samples::URDF.to_vec(), Format::Urdf),
        (samples::OFF.to_vec(), Format::Off),
        (samples::COLLADA.as_bytes().to_vec(), Format::Collada),
        (samples::three_mf(samples::THREE_MF, true), Format::ThreeMf),
    ];
    let formats = [
        Format::Obj,
        Format::Stl,
        Format::Ply,
        Format::Off,
        Format::ThreeMf,
        Format::Collada,
        Format::Gltf,
        Format::Urdf,
        Format::Scene,
    ];
    for (bytes, truth) in &files {
        for format in formats.iter().filter(|f| *f != truth) {
            refusal(bytes, *format);
        }
    }
}

#[test]
fn truncated_binaries_say_so() {
    let stl = samples::stl_binary();
    assert_eq!(
        refusal(&stl[..stl.len() - 1], Format::Stl),
        "file.x: truncated, or not an STL file: 4 triangles announced, 3 there"
    );
    let ply = samples::ply_binary(false);
    assert!(refusal(&ply[..ply.len() - 1], Format::Ply).contains("end of file"));
    let glb = samples::glb();
    assert!(refusal(&glb[..glb.len() - 1], Format::Gltf).contains("truncated"));
}

#[test]
fn counts_of_headers_are_not_believed() {
    let ply = String::from_utf8(samples::PLY_TEXT.to_vec()).unwrap();
    for n in ["4000000000", "18446744073709551615"] {
        let message = refusal(ply.replace("vertex 4", &format!("vertex {n}")).as_bytes(), Format::Ply);
        assert!(message.starts_with("file.x: "), "{message}");
        // An element without properties takes no bytes, so the length of the file does not bound
        // its count.
        let empty = ply.replace("element face", &format!("element nothing {n}\nelement face"));
        refusal(empty.as_bytes(), Format::Ply);
    }
    let mut stl = samples::stl_binary();
    stl[80..84].copy_from_slice(&[0xff; 4]);
    refusal(&stl, Format::Stl);
    let mut glb = samples::glb();
    glb[8..12].copy_from_slice(&[0xff; 4]);
    assert!(refusal(&glb, Format::Gltf).contains("truncated"));
    let gltf = String::from_utf8(samples::gltf()).unwrap();
    for (from, to) in [
        (r#""count":4"#, r#""count":4000000000"#),
        (r#""count":12"#, r#""count":18446744073709551615"#),
        (r#""count":12"#, r#""count":0"#),
        (r#""byteOffset":48"#, r#""byteOffset":18446744073709551615"#),
        (r#""byteLength":72"#, r#""byteLength":7200000000"#),
        (r#""bufferView":0,"#, r#""byteOffset":18446744073709551615,"bufferView":0,"#),
    ] {
        refusal(gltf.replacen(from, to, 1).as_bytes(), Format::Gltf);
    }
    let no_data =
        gltf.replacen(r#""bufferView":0,"#, "", 1).replacen(r#""count":4"#, r#""count":9000000000000"#, 1);
    refusal(no_data.as_bytes(), Format::Gltf);
}

#[test]
fn gltf_graphs_that_are_no_trees_are_refused() {
    let text = String::from_utf8(samples::gltf()).unwrap();
    let cycle = text.replace(r#""name":"b","#, r#""name":"b","children":[0],"#);
    assert!(refusal(cycle.as_bytes(), Format::Gltf).contains("child of two nodes"));
    let flat = text.replace("[0.5,0.5,0.5]", "[0,1,1]");
    assert!(refusal(flat.as_bytes(), Format::Gltf).contains("determinant is 0"));
    let missing = text.replace(r#""mesh":0"#, r#""mesh":5"#);
    refusal(missing.as_bytes(), Format::Gltf);
    let points = text.replace(r#""indices":1"#, r#""mode":0"#);
    assert!(refusal(points.as_bytes(), Format::Gltf).contains("no node with triangles"));
}

#[test]
fn urdf_chains_that_are_no_trees_are_refused() {
    let text = String::from_utf8(samples::URDF.to_vec()).unwrap();
    let back = r#"<joint name="k" type="fixed"><parent link="arm"/><child link="base"/></joint></robot>"#;
    assert!(refusal(text.replace("</robot>", back).as_bytes(), Format::Urdf).contains("cycle"));
    let twice = r#"<joint name="k" type="fixed"><parent link="base"/><child link="arm"/></joint></robot>"#;
    assert!(refusal(text.replace("</robot>", twice).as_bytes(), Format::Urdf).contains("two joints"));
    let nowhere = text.replace(r#"<child link="arm"/>"#, r#"<child link="leg"/>"#);
    assert!(refusal(nowhere.as_bytes(), Format::Urdf).contains("no link leg"));
    let negative = text.replace(r#"radius="0.5""#, r#"radius="-0.5""#);
    assert!(refusal(negative.as_bytes(), Format::Urdf).contains("a size of -0.5"));
    let deep = "<a>".repeat(100_000) + &"</a>".repeat(100_000);
    assert!(refusal(deep.as_bytes(), Format::Urdf).contains("nested deeper"));
    // The XML library once failed at these namespaces.
    refusal(br#"<ink n="":"="" xmlns="1""*=""/><]ax1""#, Format::Urdf);
    let spaces =
        r#"<robot name="r" xmlns:x="u"><link name="a" x:t="1" y:t="2" xmlns="v"/><x:link name="b"/></robot>"#;
    assert!(refusal(spaces.as_bytes(), Format::Urdf).contains("no link has geometry"));
    let mesh = text.replace(r#"<box size="2 2 2"/>"#, r#"<mesh filename="package://none/there.stl"/>"#);
    assert!(refusal(mesh.as_bytes(), Format::Urdf).contains("there.stl: "));
}

#[test]
fn deep_json_is_refused() {
    let deep = "[".repeat(100_000);
    refusal(deep.as_bytes(), Format::Scene);
    refusal(deep.as_bytes(), Format::Gltf);
}

#[test]
fn missing_and_unknown_files() {
    let missing = carom_io::read(Path::new("no/such/file.obj")).unwrap_err().to_string();
    assert!(missing.starts_with("no/such/file.obj: "), "{missing}");
    let folder = super::folder("unknown");
    std::fs::write(folder.join("a.step"), "ISO-10303-21;").unwrap();
    let unknown = carom_io::read(&folder.join("a.step")).unwrap_err().to_string();
    assert!(unknown.contains("unknown format; known are .obj"), "{unknown}");
    for (name, instead) in [
        ("a.step", "export STL, 3MF, OBJ or glTF from the CAD program"),
        ("a.STP", "export STL, 3MF"),
        ("a.iges", "export STL, 3MF"),
        ("a.igs", "export STL, 3MF"),
        ("a.fbx", "export glTF, OBJ or STL"),
    ] {
        std::fs::write(folder.join(name), "some text").unwrap();
        let unknown = carom_io::read(&folder.join(name)).unwrap_err().to_string();
        assert!(unknown.contains(instead), "{unknown}");
    }
    let is_folder = carom_io::read(&folder).unwrap_err().to_string();
    assert!(!is_folder.contains('\n'));
}

/// A refusal is one line even if the name of its file has a line feed.
#[test]
fn names_with_line_feeds_stay_on_one_line() {
    let scene = r#"{"name": "s", "parts": [{"mesh": "a.ob\nj", "scale": 1}]}"#;
    assert_eq!(refusal(scene.as_bytes(), Format::Scene).lines().count(), 1);
    let long = scene.replace("a.ob", &"a.ob".repeat(1000));
    assert!(refusal(long.as_bytes(), Format::Scene).chars().count() < 300);
}
