//! A check is not clear if a part is not read, and every command reports what it did not read.

use crate::run::{carom, error, file, folder, json, stderr, stdout};
use carom_testkit::data;
use carom_testkit::meshes::BOX_TRIANGLES;
use serde_json::{Value, json};

/// A tetrahedron as OBJ lines.
const TETRA: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/// Facets of a text STL file.
const FACETS: &str =
    "facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nendloop\nendfacet\n";

/// A glTF document of two nodes that share triangles, with another text in some place.
fn gltf(from: &str, to: &str) -> String {
    // The corners (0, 0, 0), (1, 0, 0), (0, 1, 0).
    let text = r#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0,1]}],
"nodes":[{"mesh":0},{"name":"second","mesh":1,"translation":[9,0,0]}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]},{"primitives":[{"attributes":{"POSITION":0},"mode":4}]}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],
"bufferViews":[{"buffer":0,"byteLength":36}],
"buffers":[{"byteLength":36,"uri":"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]}"#;
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

/// Files that have a part that is broken, unknown or empty; the first of each kind of document is
/// good.
fn documents() -> Vec<(&'static str, String)> {
    let plain = |text: &str| text.to_owned();
    let ply = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nMOREend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    let extension = r#""extensions":{"ACME_shapes":{}},"#;
    vec![
        ("cut.obj", plain("v 0 0 0\nv 1 0 0\nf 1 2 3\n")),
        ("empty.obj", plain("v 0 0 0\n")),
        ("surf.obj", format!("{TETRA}surf 0 1 0 1 1 2 3\n")),
        ("junk.obj", format!("{TETRA}polygon 1 2 3\n")),
        ("nothing.obj", plain("")),
        (
            "wide.obj",
            TETRA.encode_utf16().map(|c| char::from(c as u8).to_string() + "\0").collect::<String>(),
        ),
        ("cut.stl", format!("solid a\n{FACETS}")),
        ("left.stl", format!("solid a\n{FACETS}endsolid a\n{FACETS}")),
        ("hollow.stl", format!("solid a\n{FACETS}endsolid a\nsolid b\nendsolid b\n")),
        ("empty.stl", plain("solid a\nendsolid a\n")),
        (
            "fans.ply",
            ply.replace("MORE", "element trifans 1\nproperty list uchar int vertex_indices\n") + "3 0 1 2\n",
        ),
        ("left.ply", ply.replace("MORE", "") + "3 0 2 1\n"),
        (
            "cloud.ply",
            plain(
                "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n",
            ),
        ),
        ("points.gltf", gltf(r#""mode":4"#, r#""mode":0"#)),
        ("mode.gltf", gltf(r#""mode":4"#, r#""mode":9"#)),
        ("none.gltf", gltf(r#"{"attributes":{"POSITION":0},"mode":4}"#, "")),
        ("node.gltf", gltf(r#""name":"second","#, &format!(r#""name":"second",{extension}"#))),
        ("primitive.gltf", gltf(r#""mode":4"#, &format!(r#"{extension}"mode":4"#))),
        (
            "required.gltf",
            gltf(r#""scenes""#, r#""extensionsRequired":["KHR_draco_mesh_compression"],"scenes""#),
        ),
        ("missing.gltf", gltf("data:;base64,", "none.bin?")),
        ("index.gltf", gltf(r#""POSITION":0},"mode""#, r#""POSITION":8},"mode""#)),
        ("model.dae", plain("<COLLADA/>")),
        ("model.step", plain("ISO-10303-21;\n")),
        ("robot.xacro", plain(r#"<robot name="r"><xacro:a/></robot>"#)),
    ]
}

/// A robot with a box and this geometry.
fn robot(geometry: &str) -> String {
    format!(
        r#"<robot name="r"><link name="a"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
<link name="b"><collision><geometry>{geometry}</geometry></collision></link>
<joint name="j" type="fixed"><parent link="a"/><child link="b"/><origin xyz="9 0 0"/></joint></robot>"#
    )
}

/// Either an error without an answer, or an answer that is not clear; the exit status says so too.
fn check_not_clear(arguments: &str) {
    let output = carom(arguments);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(2), "{arguments}: {text}");
    assert!(!stderr(&output).is_empty() && !stderr(&output).contains("panicked"), "{arguments}");
    if !text.is_empty() {
        let d: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(d["clear"], json!(false), "{arguments}: {d}");
        assert!(!d["unread"].as_array().unwrap().is_empty(), "{arguments}: {d}");
        let sentence = stdout(&carom(&arguments.replace(" --json", "")));
        assert!(sentence.contains("not clear: "), "{arguments}: {sentence}");
    }
}

#[test]
fn a_check_is_never_clear_with_an_unread_part() {
    file("tetra.obj", TETRA);
    for (n, (name, text)) in documents().into_iter().enumerate() {
        file(name, &text);
        let part = |file: &str, i: usize| {
            format!(r#"{{"mesh": "{file}", "pose": [1,0,0,{}, 0,1,0,0, 0,0,1,0, 0,0,0,1]}}"#, 20 * i)
        };
        // The part stands first, in the middle, or last.
        let mut files = ["tetra.obj"; 3];
        files[n % 3] = name;
        let parts: Vec<String> = files.iter().enumerate().map(|(i, f)| part(f, i)).collect();
        file("unread.json", &format!(r#"{{"parts": [{}]}}"#, parts.join(",")));
        file("unread.urdf", &robot(&format!(r#"<mesh filename="{name}"/>"#)));
        for keep_going in ["", " --keep-going"] {
            check_not_clear(&format!("check {name} --json{keep_going}"));
            check_not_clear(&format!("check unread.json --json{keep_going}"));
            check_not_clear(&format!("check unread.urdf --json{keep_going}"));
            check_not_clear(&format!("check open.obj {name} --json{keep_going}"));
        }
    }
    for geometry in
        ["", r#"<plane/>"#, r#"<box size="1"/>"#, r#"<sphere radius="-1"/>"#, r#"<mesh filename="no.stl"/>"#]
    {
        file("unread.urdf", &robot(geometry));
        check_not_clear("check unread.urdf --json");
        check_not_clear("check unread.urdf --json --keep-going");
    }
    for part in [r#"{"mesh": "tetra.obj", "scale": [1, 0, 1]}"#, r#"{"mesh": "no.obj"}"#, r#"{}"#, "7"] {
        file("unread.json", &format!(r#"{{"parts": [{{"mesh": "tetra.obj"}}, {part}]}}"#));
        check_not_clear("check unread.json --json");
        check_not_clear("check unread.json --json --keep-going");
    }
    // The same documents without the fault are clear.
    file("good.gltf", &gltf("2.0", "2.0"));
    file("good.urdf", &robot(r#"<mesh filename="tetra.obj"/>"#));
    for name in ["good.gltf", "good.urdf", "tetra.obj"] {
        let (d, status) = json(&format!("check {name} --json"));
        assert_eq!((status, &d["clear"], &d["unread"]), (0, &json!(true), &json!([])), "{name}");
    }
}

#[test]
fn what_is_kept_is_checked() {
    file("tetra.obj", TETRA);
    // The title of the page is not "All clear" either.
    file("curve.obj", &format!("{TETRA}curv 0 1 1 2\n"));
    for (name, title) in [("tetra.obj", "All clear"), ("curve.obj", "Not clear: 1 thing not read")] {
        carom(&format!("check {name} --html {name}.html"));
        let page = std::fs::read_to_string(folder().join(format!("{name}.html"))).unwrap();
        assert!(page.contains(&format!("<title>{title} - carom<")), "{name}");
    }
    // Two links collide, and a third is not read.
    let links = robot(r#"<mesh filename="a.dae"/>"#).replace(
        "</robot>",
        r#"<link name="c"><collision><geometry><mesh filename="tetra.obj"/></geometry></collision></link>
<joint name="k" type="fixed"><parent link="a"/><child link="c"/></joint></robot>"#,
    );
    file("three.urdf", &links);
    let output = carom("check three.urdf --json --keep-going");
    let d: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((d["parts"].as_array().unwrap().len(), d["pairs"].as_array().unwrap().len()), (2, 1));
    let unread = d["unread"][0].as_str().unwrap();
    assert!(unread.contains("three.urdf: link b: ") && unread.contains("a.dae"), "{unread}");
    assert!(stderr(&output).contains("not read: three.urdf: link b: "), "{}", stderr(&output));
    assert!(error("check three.urdf --json").contains("three.urdf: link b: "));
    // A file that is not read counts as well.
    let output = carom("check tetra.obj no.stl --json --keep-going");
    let d: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((&d["clear"], d["unread"].as_array().unwrap().len()), (&json!(false), 1));
}

#[test]
fn notes_are_in_every_document() {
    // A square that is not flat.
    file("bent.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0.2\nv 0 1 0\nf 1 2 3 4\n");
    for (command, field) in [
        ("check bent.obj", "notes"),
        ("info bent.obj", "notes"),
        ("ray bent.obj --from 0.2,0.3,9 --dir 0,0,-1", "notes"),
        ("distance bent.obj sphere:1", "notes"),
        ("distance hull:bent.obj sphere:1", "notes"),
        ("sweep bent.obj sphere:1 --by 1,0,0", "notes"),
    ] {
        let output = carom(&format!("{command} --json"));
        let d: Value = serde_json::from_str(&stdout(&output)).unwrap();
        let note = d[field][0].as_str().unwrap_or_default();
        assert!(note.starts_with("bent.obj: 1 polygon is not flat"), "{command}: {d}");
        assert!(stderr(&output).starts_with("note: bent.obj: 1 polygon is not flat"), "{command}");
    }
    let question = r#"{"op":"distance","a":{"file":"bent.obj"},"b":{"sphere":1}}"#;
    let answer = &crate::run::batch(question)[0];
    assert!(answer["notes"][0].as_str().unwrap().contains("is not flat"), "{answer}");
    assert_eq!(json("distance cube.obj sphere:1 --json").0["notes"], json!([]));
    // A batch has many answers, so an empty list is left out.
    let question = r#"{"op":"distance","a":{"file":"cube.obj"},"b":{"sphere":1}}"#;
    assert!(crate::run::batch(question)[0].get("notes").is_none());
}

/// The answers of these commands are incomplete if a line is not read.
#[test]
fn every_command_names_what_is_unread() {
    file("curve.obj", &format!("{TETRA}curv 0 1 1 2\n"));
    for command in [
        "distance curve.obj sphere:1 --pose-b 9,0,0,0,0,0,1",
        "distance curve.obj sphere:1",
        "sweep curve.obj sphere:1 --pose-b 9,0,0,0,0,0,1 --by=-1,0,0",
        "ray curve.obj --from 0.2,0.2,9 --dir 0,0,-1",
        "trace curve.obj --from 0,0,9 --to 0,0,8",
        "info curve.obj",
        "check curve.obj",
    ] {
        let output = carom(&format!("{command} --json"));
        let d: Value = serde_json::from_str(&stdout(&output)).unwrap();
        assert_eq!(output.status.code(), Some(2), "{command}: {d}");
        assert_eq!(d["unread"], json!(["curve.obj: line 9: \"curv\" is not read"]), "{command}: {d}");
        assert_eq!(stderr(&output), "not read: curve.obj: line 9: \"curv\" is not read\n", "{command}");
    }
}

#[test]
fn objects_are_parts_on_demand() {
    file("two.obj", &format!("o left\n{TETRA}o right\nf 1 2 3\n"));
    assert_eq!(json("check two.obj --json").0["parts"], json!(["two"]));
    let (d, status) = json("check two.obj --json --split objects");
    assert_eq!((&d["parts"], status), (&json!(["left", "right"]), 1));
    file("groups.obj", &format!("o left\ng body\n{TETRA}o right\nf 1 2 3\n"));
    let (d, status) = json("check groups.obj --json --split objects --ignore left/body,right");
    assert_eq!((&d["parts"], status), (&json!(["left/body", "right"]), 0));
    file("twice.obj", &format!("o left\n{TETRA}o left\nf 1 2 3\n"));
    let (d, _) = json("check twice.obj --json --split objects");
    let note = "twice.obj: more than one object is named \"left\"; they are one part";
    assert_eq!((&d["parts"], &d["notes"]), (&json!(["left"]), &json!([note])));
    assert!(error("check two.obj --split groups").contains("groups"));
}

#[test]
fn files_outside_are_read_on_demand() {
    std::fs::create_dir_all(folder().join("below")).unwrap();
    file("tetra.obj", TETRA);
    file("below/s.json", r#"{"parts": [{"mesh": "../tetra.obj"}]}"#);
    assert!(error("check below/s.json").contains("--allow-outside reads it"));
    assert_eq!(json("check below/s.json --allow-outside --json").0["clear"], json!(true));
    for (name, text) in [
        (
            "zero.urdf",
            r#"<robot name="r"><link name="a"><visual><geometry><mesh filename="/dev/zero"/></geometry></visual></link></robot>"#,
        ),
        ("devzero.json", r#"{"parts":[{"mesh":"/dev/zero"}]}"#),
    ] {
        file(name, text);
        assert!(error(&format!("check {name}")).contains(name));
        assert!(error(&format!("check {name} --allow-outside")).contains(name));
    }
}

#[test]
fn given_reports_are_answered() {
    let Some(folder) = data::find("reports") else { return };
    let at = |name: &str| folder.join(name).display().to_string();
    // A peg in a channel whose ends are concave polygons: half a unit to each side.
    for channel in ["channel_ngon.obj", "channel_ngon2.obj", "u_channel.obj"] {
        let (d, _) = json(&format!("distance {} {} --json", at(channel), at("peg.obj")));
        assert_eq!((&d["intersects"], &d["distance"]), (&json!(false), &json!(0.5)), "{channel}");
    }
    let (d, status) = json(&format!("check {} --json", at("two_solids.stl")));
    assert_eq!((&d["parts"], status), (&json!(["a", "b"]), 0));
    let (d, status) = json(&format!("check {} --json", at("urdf/my_robot/dae.urdf")));
    assert_eq!((&d["parts"], &d["clear"], status), (&json!(["a", "b"]), &json!(true), 0));
}

/// A cube without two of its facets has no inside. It is unknown whether a part lies in it, and a
/// note says so.
#[test]
fn what_lies_in_an_open_mesh_is_not_known() {
    let corners = (0..8).map(|i| format!("v {} {} {}\n", i & 1, i >> 1 & 1, i >> 2)).collect::<String>();
    let faces: String =
        BOX_TRIANGLES[2..].iter().map(|t| format!("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1)).collect();
    file("ajar.obj", &(corners + &faces));
    let mut speck = String::new();
    for (x, y, z) in [(0.4, 0.4, 0.4), (0.5, 0.4, 0.4), (0.4, 0.5, 0.4), (0.4, 0.4, 0.5)] {
        speck += &format!("v {x} {y} {z}\n");
    }
    file("speck.obj", &(speck + "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"));
    let (d, status) = json("check ajar.obj speck.obj --json");
    let pair = &d["pairs"][0];
    assert_eq!(
        (status, &d["clear"], &pair["intersects"], &pair["contact"]),
        (1, &Value::Null, &Value::Null, &Value::Null)
    );
    assert!(
        d["notes"][0].as_str().is_some_and(|note| note.starts_with("ajar.obj: inside and outside cannot")),
        "{d}"
    );
    let page = folder().join("ajar.html");
    assert_eq!(carom(&format!("check ajar.obj speck.obj --html {}", page.display())).status.code(), Some(1));
    assert!(std::fs::read_to_string(page).unwrap().contains("<title>1 pair not known - carom<"));
    let text = stdout(&carom("check ajar.obj speck.obj"));
    assert!(text.contains("not known whether one lies in the other"), "{text}");
    // Outside of its box, no answer depends on an inside.
    file("beside.obj", &TETRA.replace("v 1 0 0", "v 1.5 0 0").replace("v 0", "v 1.25"));
    let (d, status) = json("check ajar.obj beside.obj --json");
    assert_eq!((status, &d["clear"], &d["notes"]), (0, &json!(true), &json!([])), "{d}");
}

/// A distance below the clearance is certain, whichever way the part lies.
#[test]
fn what_is_too_close_to_an_open_mesh_is_known() {
    let corner = |i: usize| [i & 1, i >> 1 & 1, i >> 2].map(|bit| 4 * bit);
    let corners: String = (0..8).map(corner).map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
    let faces = BOX_TRIANGLES[2..].iter().map(|t| t.map(|v| v + 1));
    let faces: String = faces.map(|[a, b, c]| format!("f {a} {b} {c}\n")).collect();
    file("tray.obj", &(corners + &faces));
    // A tetrahedron in the tray, `low` from two of its walls.
    let tetra = |low: f64| {
        let corner = |i: usize| [0, 1, 2].map(|axis| if i == axis + 1 { low + 1.0 } else { low });
        let corners = (0..4).map(corner).map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect::<String>();
        corners + &TETRA[TETRA.find('f').unwrap()..]
    };
    file("near.obj", &tetra(0.5));
    file("deep.obj", &tetra(1.5));
    let check = |arguments: &str| json(&format!("check tray.obj {arguments} --json"));
    let (d, status) = check("near.obj --clearance 0.75");
    assert_eq!((status, &d["clear"], &d["pairs"][0]["distance"]), (1, &json!(false), &json!(0.5)), "{d}");
    assert_eq!(d["pairs"][0]["intersects"], Value::Null);
    let text = stdout(&carom("check tray.obj near.obj --clearance 0.75"));
    assert!(text.contains("0 pairs collide, 1 closer than 0.75; "), "{text}");
    let page = folder().join("tray.html");
    carom(&format!("check tray.obj near.obj --clearance 0.75 --html {}", page.display()));
    assert!(std::fs::read_to_string(page).unwrap().contains("<title>1 pair too close - carom<"));
    // Without a clearance, or with one that is smaller, nothing is certain.
    for arguments in ["near.obj", "near.obj --clearance 0.5", "deep.obj --clearance 0.75"] {
        assert_eq!(check(arguments).0["clear"], Value::Null, "{arguments}");
    }
    // One pair that is certain makes the answer certain.
    let text = stdout(&carom("check tray.obj near.obj deep.obj --clearance 0.75 --ignore near,deep"));
    assert!(text.contains("0 pairs collide, 1 closer than 0.75, 1 not known; "), "{text}");
    assert_eq!(check("near.obj deep.obj --clearance 0.75 --ignore near,deep").0["clear"], json!(false));
}

/// If a part is missing, `--ignore` may name it.
#[test]
fn names_of_what_is_missing_may_be_ignored() {
    file("far.obj", "v 1e60 0 0\nv 0 0 0\nv 0 1 0\nf 1 2 3\n");
    file("tetra.obj", TETRA);
    file(
        "bent.json",
        r#"{"parts": [{"mesh": "tetra.obj", "name": "a"}, {"mesh": "far.obj", "name": "bad"},
        {"mesh": "tetra.obj", "name": "b"}, {"mesh": "no.obj", "name": "lost"}]}"#,
    );
    for (ignore, n_pairs) in [("bad,a", 1), ("lost,a", 1), ("bad,a --ignore a,b", 0)] {
        let output = carom(&format!("check bent.json --keep-going --json --ignore {ignore}"));
        let d: Value = serde_json::from_str(&stdout(&output)).unwrap();
        assert_eq!((output.status.code(), d["unread"].as_array().map(Vec::len)), (Some(2), Some(2)), "{d}");
        assert_eq!(d["pairs"].as_array().map(Vec::len), Some(n_pairs), "{ignore}: {d}");
        let first = ignore.split(' ').next().unwrap();
        let note = format!("--ignore {first:?}: not two names of parts; parts are: a b");
        assert!(d["notes"].as_array().unwrap().contains(&json!(note)), "{d}");
    }
    // A missing file.
    let output = carom("check tetra.obj no.obj --keep-going --json --ignore no,tetra");
    assert!(stdout(&output).contains("not two names"), "{}", stderr(&output));
    // If nothing is missing, the name is an error.
    assert!(error("check tetra.obj --keep-going --ignore bad,tetra").contains("not two names of parts"));
}

/// A COLLADA file of one triangle, whose unit has this length in metres.
pub(crate) fn triangle_dae(metres: &str) -> String {
    let mesh = r##"<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="9">0 0 0 1 0 0 0 1 0</float_array><technique_common><accessor source="#a" count="3" stride="3"><param name="X"/><param name="Y"/><param name="Z"/></accessor></technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices><triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles></mesh></geometry></library_geometries></COLLADA>"##;
    format!("<COLLADA><asset><unit meter=\"{metres}\"/></asset>{mesh}")
}

#[test]
fn different_units_are_noted() {
    file("inches.dae", &triangle_dae("0.0254"));
    file("metres.dae", &triangle_dae("1"));
    let note = "lengths are not converted, though the unit of inches.dae is in and that of metres.dae is m";
    let noted = |d: &Value, note: &str| d["notes"].as_array().unwrap().contains(&json!(note));
    let (d, _) = json("check inches.dae metres.dae --json");
    assert!(noted(&d, note), "{d}");
    assert_eq!(d["unit"], Value::Null);
    // The parts of a scene, and a scene beside a file.
    let scene = |name: &str, parts: &str| file(name, &format!(r#"{{"parts": [{parts}]}}"#));
    scene("units.json", r#"{"mesh": "inches.dae"}, {"mesh": "metres.dae"}"#);
    let (d, _) = json("check units.json --json");
    assert!(noted(&d, &format!("units.json: {note}")), "{d}");
    scene("inches.json", r#"{"mesh": "inches.dae"}"#);
    let (d, _) = json("check inches.json metres.dae --json");
    let of_scene = note.replace("inches.dae is in", "inches.json is 0.0254 m");
    assert!(noted(&d, &of_scene), "{d}");
    scene("scaled.json", r#"{"mesh": "inches.dae", "scale": 0.0254}"#);
    let (d, _) = json("check scaled.json metres.dae --json");
    assert!(!d["notes"].to_string().contains("lengths are not converted"), "{d}");
    // Two files meet in other commands too; a scale may convert one of them.
    let (d, _) = json("distance inches.dae metres.dae --json");
    assert!(noted(&d, note), "{d}");
    let (d, _) = json("distance inches.dae metres.dae --scale-a 0.0254 --json");
    assert!(!d["notes"].to_string().contains("lengths are not converted"), "{d}");
    let (d, _) = json("info inches.dae --json");
    assert_eq!((&d["files"][0]["unit"], &d["files"][0]["up"]), (&json!("in"), &json!("y")));
}

/// Axes are not turned, so files in whose frames another axis is up do not fit, unless a pose turns
/// one of them.
#[test]
fn different_up_axes_are_noted() {
    file("standing.dae", &triangle_dae("1"));
    file("lying.dae", &triangle_dae("1").replace("</asset>", "<up_axis>Z_UP</up_axis></asset>"));
    let (d, _) = json("info lying.dae standing.dae --json");
    assert_eq!((&d["files"][0]["up"], &d["files"][1]["up"]), (&json!("z"), &json!("y")));
    let note = "axes are not turned, though z is up in lying.dae and y in standing.dae";
    let noted = |d: &Value| d["notes"].to_string().contains(note);
    let quarter = 0.5_f64.sqrt();
    let pose = |x: f64, w: f64| format!(r#""pose_a": [1, 0, 0, {x}, 0, 0, {w}]"#);
    let question = |pose: &str| {
        format!(
            r#"{{"op": "distance", "a": {{"file": "lying.dae"}}, "b": {{"file": "standing.dae"}}, {pose}}}"#
        )
    };
    for command in ["check", "distance"] {
        let (d, _) = json(&format!("{command} lying.dae standing.dae --json"));
        assert!(noted(&d), "{command}: {d}");
    }
    let (d, _) = json("distance lying.dae standing.dae --pose-a 1,0,0,0,0,0,1 --json");
    assert!(noted(&d), "moved, not turned: {d}");
    let (d, _) =
        json(&format!("distance lying.dae standing.dae --pose-a 0,0,0,-{quarter},0,0,{quarter} --json"));
    assert!(!noted(&d), "turned: {d}");
    file("axes.jsonl", &format!("{}\n{}\n", question(&pose(0.0, 1.0)), question(&pose(-quarter, quarter))));
    let answers = stdout(&carom("batch axes.jsonl"));
    let answers: Vec<Value> = answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!([noted(&answers[0]), noted(&answers[1])], [true, false], "{answers:?}");
    // The parts of a scene.
    let part = |name: &str, more: &str| format!(r#"{{"mesh": "{name}"{more}}}"#);
    let scene = |more: &str| {
        file(
            "axes.json",
            &format!(r#"{{"parts": [{}, {}]}}"#, part("lying.dae", ""), part("standing.dae", more)),
        );
        json("check axes.json --json").0
    };
    assert!(noted(&scene("")));
    assert!(!noted(&scene(r#", "pose": [1,0,0,0, 0,0,-1,0, 0,1,0,0, 0,0,0,1]"#)));
}

/// A part that the reader takes and the mesh refuses is listed like a file that is not read.
#[test]
fn parts_that_are_refused_are_listed_on_demand() {
    file("huge.obj", "v 1e60 0 0\nv 0 0 0\nv 0 1 0\nf 1 2 3\n");
    file("moved.obj", &TETRA.replace("v 0 0 0", "v 0.1 0.1 0.1"));
    file("tetra.obj", TETRA);
    let check = |arguments: &str| {
        let output = carom(arguments);
        let d: Value = serde_json::from_str(&stdout(&output)).unwrap_or_else(|_| panic!("{arguments}"));
        assert_eq!(output.status.code(), Some(2), "{arguments}: {d}");
        assert_eq!(d["unread"].as_array().map(Vec::len), Some(1), "{d}");
        assert!(d["unread"][0].as_str().unwrap().contains(": vertex 0 has a coordinate beyond"), "{d}");
        assert!(stderr(&output).contains("not read: "), "{arguments}");
        d
    };
    for files in
        ["huge.obj tetra.obj moved.obj", "tetra.obj huge.obj moved.obj", "tetra.obj moved.obj huge.obj"]
    {
        let d = check(&format!("check {files} --keep-going --json"));
        assert_eq!((&d["clear"], &d["parts"]), (&json!(false), &json!(["tetra", "moved"])));
        assert_eq!((&d["pairs"][0]["a"], &d["pairs"][0]["b"]), (&json!("tetra"), &json!("moved")), "{d}");
        assert!(error(&format!("check {files} --json")).contains("huge.obj: vertex 0"));
        let d = check(&format!("info {files} --keep-going --json"));
        assert_eq!(d["files"].as_array().map(Vec::len), Some(3));
        assert!(error(&format!("info {files} --json")).contains("huge.obj: vertex 0"));
    }
    assert!(error("info huge.obj").contains("huge.obj: vertex 0"));
    let output = carom("check huge.obj --keep-going --json");
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(2), ""));
    assert!(stderr(&output).contains("no part could be read"), "{}", stderr(&output));
    // The other links of a robot keep their joints, and their pairs may be ignored.
    let link = |name: &str, geometry: &str| {
        format!(r#"<link name="{name}"><collision><geometry>{geometry}</geometry></collision></link>"#)
    };
    let cube = r#"<box size="1 1 1"/>"#;
    let joints = [("j", "a", "b"), ("k", "b", "c"), ("l", "c", "d")].map(|(name, above, below)| {
        format!(r#"<joint name="{name}" type="prismatic"><parent link="{above}"/><child link="{below}"/><limit lower="0" upper="9"/></joint>"#)
    });
    let links =
        [link("a", cube), link("b", r#"<mesh filename="huge.obj"/>"#), link("c", cube), link("d", cube)];
    file("chain.urdf", &format!("<robot name=\"chain\">{}{}</robot>", links.concat(), joints.concat()));
    file("slide.csv", "time,k,l\n0,4,4\n1,0,4\n");
    let d = check("check chain.urdf moved.obj --keep-going --ignore-adjacent --json --joint j=1.7");
    assert_eq!(d["parts"], json!(["a", "c", "d", "moved"]));
    let listed: Vec<[&Value; 2]> =
        d["pairs"].as_array().unwrap().iter().map(|pair| [&pair["a"], &pair["b"]]).collect();
    assert_eq!(listed, [[&json!("a"), &json!("moved")]], "{d}");
    let d = check("check chain.urdf --keep-going --ignore-adjacent --json --trajectory slide.csv");
    assert_eq!((&d["pairs"][0]["a"], &d["pairs"][0]["b"]), (&json!("a"), &json!("c")), "{d}");
    assert_eq!(d["pairs"].as_array().map(Vec::len), Some(1), "{d}");
    // A file on a link.
    file("plain.urdf", &format!("<robot name=\"plain\">{}</robot>", link("a", cube)));
    let d = check("check plain.urdf moved.obj --attach a=huge.obj --keep-going --json");
    assert_eq!((&d["parts"], d["pairs"].as_array().map(Vec::len)), (&json!(["a", "moved"]), Some(1)));
}
