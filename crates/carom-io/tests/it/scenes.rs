//! Formats that refer to other files.

use super::samples;
use carom_io::Placement;
use std::fs;

#[test]
fn scene_files_place_scale_and_name() {
    let folder = super::folder("scene");
    fs::write(folder.join("t.obj"), samples::OBJ).unwrap();
    fs::write(
        folder.join("scene.json"),
        r#"{"parts": [
            {"mesh": "t.obj"},
            {"file": "t.obj", "name": "big", "scale": 2, "pose": [0,-1,0,10, 1,0,0,0, 0,0,1,0, 0,0,0,1]},
            {"mesh": "t.obj", "scale": [1, 1, -1], "pose": [[1,0,0,0],[0,1,0,0],[0,0,1,5],[0,0,0,1]]}
        ]}"#,
    )
    .unwrap();
    let model = carom_io::read(&folder.join("scene.json")).unwrap();
    let names: Vec<&str> = model.parts.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["t", "big", "t#2"]);
    let big = model.parts[1].world_mesh().unwrap();
    assert_eq!(big.vertices[1].to_array(), [10.0, 2.0, 0.0]);
    // A mirrored part is turned inside out again, so that its volume is positive.
    let mirrored = model.parts[2].world_mesh().unwrap();
    let volume: f64 = mirrored
        .triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|v| mirrored.vertices[v as usize]);
            a.dot(b.cross(c))
        })
        .sum();
    assert!((volume - 1.0).abs() < 1e-12, "{volume}");
}

#[test]
fn bad_scenes_name_the_part() {
    let folder = super::folder("bad-scene");
    fs::write(folder.join("t.obj"), samples::OBJ).unwrap();
    fs::write(folder.join("bad.obj"), "v 0 0 0\nf 1 1 9\n").unwrap();
    let check = |part: &str, expected: &str| {
        fs::write(folder.join("scene.json"), format!(r#"{{"parts": [{{"mesh": "t.obj"}}, {part}]}}"#))
            .unwrap();
        let message = carom_io::read(&folder.join("scene.json")).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
        assert!(!message.contains('\n'));
    };
    check(r#"{"mesh": "t.obj", "scale": 0}"#, "scene.json: parts[1].scale: a scale of 0");
    check(r#"{"mesh": "t.obj", "scale": [1, 2]}"#, "parts[1].scale: 2 numbers; one or three are needed");
    check(r#"{"mesh": "t.obj", "pose": [1, 2]}"#, "parts[1].pose: 2 numbers; 16 are needed");
    check(r#"{"mesh": "t.obj", "pose": "here"}"#, "parts[1].pose: a string instead of a list of numbers");
    check(r#"{"mesh": "t.obj", "pose": [0,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1]}"#, "determinant is 0");
    check(r#"{"mesh": "t.obj", "pose": [1,0,0,0, 0,1,0,0, 0,0,1,0, 5,0,0,1]}"#, "the last row is");
    check(r#"{"mesh": "none.obj"}"#, "none.obj: ");
    check(r#"{"mesh": "bad.obj"}"#, "bad.obj: line 2: vertex 9 is out of range: 1 so far");
    check(r#"{"mesh": "scene.json"}"#, "scene.json: a scene, where one mesh is needed");
    check(r#"7"#, "parts[1]: no \"mesh\"");
    check(r#"{"mesh": "t.obj", "file": "t.obj"}"#, "parts[1]: both \"mesh\" and \"file\"");
    check(r#"{"mesh": 7}"#, "parts[1].mesh: a number instead of a string");
    check(r#"{"mesh": "t.obj", "name": 7}"#, "parts[1].name: a number instead of a string");
    check(r#"{"mesh": "t.obj", "scale": 1, "scale": 2}"#, "parts[1]: the member \"scale\" is there twice");
    check(
        r#"{"mesh": "t.obj", "pose": [[1,0,0,0,0,1,0,0],[0,0,1,0,0,0,0,1]]}"#,
        "row 0: 8 numbers; 4 are needed",
    );
    check(r#"{"mesh": "t.obj", "pose": [[1,0,0,0],[0,1,0,0],[0,0,1,0]]}"#, "12 numbers; 16 are needed");
    check(
        r#"{"mesh": "t.obj"}], "parts": [{"mesh": "t.obj"}"#,
        "scene.json: line 1: the member \"parts\" is there twice",
    );
}

/// Members of the scene that are not understood, such as a unit, are noted as those of parts are.
#[test]
fn other_members_are_noted() {
    let folder = super::folder("other-members");
    fs::write(folder.join("t.obj"), samples::OBJ).unwrap();
    let read = |text: &str| {
        fs::write(folder.join("scene.json"), text).unwrap();
        carom_io::read(&folder.join("scene.json")).unwrap()
    };
    let model = read(r#"{"units": "mm", "parts": [{"mesh": "t.obj", "colour": 1}], "scale": 0.001}"#);
    assert_eq!(
        model.notes,
        [
            "the scene has members that are not understood: scale, units",
            "parts have members that are not understood: colour"
        ]
    );
    assert!(read(r#"{"parts": [{"mesh": "t.obj"}]}"#).notes.is_empty());
    let many: String = (0..100).map(|i| format!(r#""x{i:02}": 0, "#)).collect();
    let model = read(&format!(r#"{{{many}"parts": [{{"mesh": "t.obj"}}]}}"#));
    assert!(model.notes[0].ends_with("x18, x19, ..."), "{}", model.notes[0]);
    // The same of many parts together, and of as many as a note lists.
    for (n, end) in [(20, "x19"), (21, "x19, ..."), (90, "x19, ...")] {
        let parts: Vec<String> = (0..n).map(|i| format!(r#"{{"mesh": "t.obj", "x{i:02}": 0}}"#)).collect();
        let model = read(&format!(r#"{{"parts": [{}]}}"#, parts.join(",")));
        assert!(
            model.notes[0].starts_with("parts have") && model.notes[0].ends_with(end),
            "{:?}",
            model.notes
        );
    }
}

/// A note names parts whose files state different units, unless their scales convert them.
#[test]
fn parts_of_different_units_are_noted() {
    let folder = super::folder("scene-units");
    fs::write(folder.join("t.obj"), samples::OBJ).unwrap();
    fs::write(folder.join("cell.gltf"), samples::gltf()).unwrap();
    for (file, unit) in [("grip.3mf", "millimeter"), ("hand.3mf", "micron")] {
        let text = samples::THREE_MF.replace("inch", unit);
        fs::write(folder.join(file), samples::three_mf(&text, true)).unwrap();
    }
    let read = |parts: &str| {
        fs::write(folder.join("scene.json"), format!(r#"{{"parts": [{parts}]}}"#)).unwrap();
        let mut model = carom_io::read(&folder.join("scene.json")).unwrap();
        model.notes.retain(|note| !note.starts_with("axes are not turned"));
        (model.metres, model.notes)
    };
    let differ = |first: &str, second: &str| {
        vec![format!("lengths are not converted, though the unit of {first} and that of {second}")]
    };
    let (metres, notes) = read(r#"{"file": "grip.3mf"}, {"file": "t.obj"}, {"file": "cell.gltf"}"#);
    assert_eq!((metres, notes), (None, differ("grip.3mf is mm", "cell.gltf is m")));
    let (metres, notes) = read(r#"{"file": "grip.3mf", "scale": 0.001}, {"file": "cell.gltf"}"#);
    assert_eq!((metres, notes), (Some(1.0), vec![]));
    let turned = r#"{"file": "hand.3mf", "scale": [0.001, -0.001, 0.001], "pose": [0,-1,0,9, 1,0,0,0, 0,0,1,0, 0,0,0,1]}"#;
    assert_eq!(read(&format!(r#"{turned}, {{"file": "grip.3mf"}}"#)).0, Some(0.001));
    let (_, notes) = read(r#"{"file": "cell.gltf", "scale": 1000}, {"file": "cell.gltf"}"#);
    assert_eq!(notes, differ("cell.gltf is 0.001 m", "cell.gltf is m"));
    assert_eq!(read(r#"{"file": "t.obj", "scale": 1000}, {"file": "t.obj"}"#), (None, vec![]));
}

#[test]
fn gltf_reads_buffers_beside_it() {
    let folder = super::folder("gltf");
    let text = String::from_utf8(samples::gltf()).unwrap();
    let start = text.find("data:").unwrap();
    let end = start + text[start..].find('"').unwrap();
    let mut buffer: Vec<u8> = Vec::new();
    for x in [0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0] {
        buffer.extend(x.to_le_bytes());
    }
    for i in [0u16, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3] {
        buffer.extend(i.to_le_bytes());
    }
    let file = folder.join("a.gltf");
    fs::write(&file, format!("{}a%20b.bin{}", &text[..start], &text[end..])).unwrap();
    let missing = carom_io::read(&file).unwrap_err().to_string();
    assert!(missing.contains("a b.bin"), "{missing}");
    fs::write(folder.join("a b.bin"), &buffer).unwrap();
    assert_eq!(carom_io::read(&file).unwrap().parts.len(), 2);
    // A percent sign is itself without two digits behind it; a sign is no digit.
    for (name, uri) in
        [("p%+1.bin", "p%+1.bin"), ("p%-f.bin", "p%-f.bin"), ("p%.bin", "p%.bin"), ("p%1.bin", "p%251.bin")]
    {
        fs::write(folder.join(name), &buffer).unwrap();
        fs::write(&file, format!("{}{uri}{}", &text[..start], &text[end..])).unwrap();
        assert_eq!(
            carom_io::read(&file).map(|model| model.parts.len()).map_err(|e| e.to_string()),
            Ok(2),
            "{uri}"
        );
    }
    fs::write(&file, format!("{}a%ff.bin{}", &text[..start], &text[end..])).unwrap();
    let message = carom_io::read(&file).unwrap_err().to_string();
    assert!(message.contains("\"a%ff.bin\" is no UTF-8 when it is decoded"), "{message}");
    fs::write(&file, format!("{}a%20b.bin{}", &text[..start], &text[end..])).unwrap();
    fs::write(folder.join("a b.bin"), &buffer[..71]).unwrap();
    let short = carom_io::read(&file).unwrap_err().to_string();
    assert!(short.contains("buffers[0]: truncated: 72 bytes announced, 71 there"), "{short}");
}

#[test]
fn urdf_finds_meshes_in_packages() {
    let folder = super::folder("package");
    fs::create_dir_all(folder.join("robot_description/meshes")).unwrap();
    fs::create_dir_all(folder.join("robot_description/urdf")).unwrap();
    fs::write(folder.join("robot_description/meshes/t.obj"), samples::OBJ).unwrap();
    let text = r#"<robot name="r"><link name="a"><visual><geometry><mesh filename="NAME" scale="2 2 2"/></geometry></visual></link></robot>"#;
    let file = folder.join("robot_description/urdf/r.urdf");
    for name in
        ["package://robot_description/meshes/t.obj", "../meshes/t.obj", "package://renamed/meshes/t.obj"]
    {
        fs::write(&file, text.replace("NAME", name)).unwrap();
        let model = carom_io::read(&file).unwrap();
        let mesh = model.parts[0].world_mesh().unwrap();
        assert_eq!(mesh.vertices[1].to_array(), [2.0, 0.0, 0.0]);
        assert_eq!(model.notes.len(), usize::from(name.contains("renamed")), "a guess is a note");
    }
    // A manifest says whose files these are: a clone in a folder of another name, and no other.
    let manifest = folder.join("robot_description/package.xml");
    fs::write(&manifest, "<package format=\"2\"> <name> renamed </name></package>").unwrap();
    fs::write(&file, text.replace("NAME", "package://renamed/meshes/t.obj")).unwrap();
    assert!(carom_io::read(&file).unwrap().notes.is_empty());
    fs::write(&file, text.replace("NAME", "package://gripper/meshes/t.obj")).unwrap();
    let error = carom_io::read(&file).unwrap_err().to_string();
    assert!(error.contains("package://gripper/meshes/t.obj") && error.contains("is renamed"), "{error}");
    fs::write(&file, text.replace("NAME", "package://renamed/meshes/other.obj")).unwrap();
    assert!(carom_io::read(&file).unwrap_err().to_string().contains("no such file around the robot"));
    fs::remove_file(&manifest).unwrap();
    fs::write(&file, text.replace("NAME", "../meshes/t.obj").replace("2 2 2", "2 0 2")).unwrap();
    assert!(carom_io::read(&file).unwrap_err().to_string().contains("link a: scale [2.0, 0.0, 2.0]"));
}

/// A link whose joint was forgotten is not on the robot, and the reader is told.
#[test]
fn links_without_joints_are_noted() {
    let folder = super::folder("two_roots");
    fs::create_dir_all(&folder).unwrap();
    let link = |name: &str| {
        format!(
            r#"<link name="{name}"><collision><geometry><box size="1 1 1"/></geometry></collision></link>"#
        )
    };
    let joint = r#"<joint name="j" type="fixed"><parent link="base"/><child link="arm"/></joint>"#;
    let file = folder.join("r.urdf");
    let notes = |links: &[&str]| {
        let links: String = links.iter().map(|name| link(name)).collect();
        fs::write(&file, format!(r#"<robot name="r">{links}{joint}</robot>"#)).unwrap();
        carom_io::read(&file).unwrap().notes
    };
    assert_eq!(notes(&["base", "arm"]), [""; 0]);
    let note = "no joint is above the links base, table: each has its frame at the origin";
    assert_eq!(notes(&["base", "arm", "table"]), [note]);
}

#[test]
fn names_are_made_unique() {
    let mut parts: Vec<_> = ["a", "a#2", "a", "b", "a"]
        .iter()
        .map(|n| carom_io::Part { name: (*n).to_owned(), pieces: Vec::new() })
        .collect();
    carom_io::make_names_unique(&mut parts);
    let names: Vec<_> = parts.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["a", "a#2", "a#3", "b", "a#4"]);
}

#[test]
fn rigidity_is_measured() {
    assert_eq!(Placement::IDENTITY.rigidity_error(), 0.0);
    let mut scaled = Placement::IDENTITY;
    scaled.0[0] = 1.5;
    assert_eq!(scaled.rigidity_error(), 1.25);
    scaled.0[0] = -1.0;
    assert_eq!(scaled.rigidity_error(), 2.0);
}
