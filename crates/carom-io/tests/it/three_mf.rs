//! 3MF files: units, components, build items, other models of the package, and hostile ones.

use super::hostile::bounded;
use super::off::measures;
use super::samples::{self, RELATIONSHIPS, THREE_MF, package, three_mf};
use super::{parse, refusal};
use carom_io::{Format, Options};
use glam::DVec3;
use std::path::Path;

fn said(model: &str) -> String {
    refusal(&three_mf(model, true), Format::ThreeMf)
}

#[test]
fn items_are_parts_in_the_unit_of_the_file() {
    for is_packed in [false, true] {
        let model = parse(&three_mf(THREE_MF, is_packed), Format::ThreeMf).unwrap();
        assert_eq!((model.unit, model.metres, model.up), (Some("in"), Some(0.0254), Some("z")));
        assert!(model.notes.is_empty() && model.unread.is_empty(), "{:?}", model.notes);
        let names: Vec<&str> = model.parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["tetra", "tetra#2"]);
        let meshes: Vec<_> = model.parts.iter().map(|part| part.world_mesh().unwrap()).collect();
        assert_eq!(meshes[0], super::mesh(samples::OBJ, Format::Obj));
        assert!((measures(&meshes[1]).1 - 1.0 / 48.0).abs() < 1e-14);
        assert_eq!(meshes[1].vertices[1], DVec3::new(1.5, 2.0, 3.0));
    }
    for (unit, name, metres) in [
        ("micron", "um", 1e-6),
        ("millimeter", "mm", 1e-3),
        ("centimeter", "cm", 1e-2),
        ("foot", "ft", 0.3048),
        ("meter", "m", 1.0),
    ] {
        let model = parse(&three_mf(&THREE_MF.replace("inch", unit), true), Format::ThreeMf).unwrap();
        assert_eq!((model.unit, model.metres), (Some(name), Some(metres)));
    }
    let usual = parse(&three_mf(&THREE_MF.replace("unit=\"inch\"", ""), true), Format::ThreeMf).unwrap();
    assert_eq!(usual.unit, Some("mm"));
    assert!(said(&THREE_MF.replace("inch", "cubit")).contains("the unit \"cubit\" is not known"));
}

/// An object of two components, one of which turns and moves, is built and moved again.
fn assembly() -> String {
    let components = r#"<object id="9"><components><component objectid="7"/><component objectid="7" transform="0 1 0 -1 0 0 0 0 1 10 0 0"/></components></object></resources>"#;
    THREE_MF
        .replace("</resources>", components)
        .replace(r#"<item objectid="7"/>"#, r#"<item objectid="9" transform="2 0 0 0 2 0 0 0 2 0 0 5"/>"#)
}

#[test]
fn transforms_of_items_and_components_are_multiplied() {
    let model = parse(&three_mf(&assembly(), true), Format::ThreeMf).unwrap();
    assert_eq!(model.parts.len(), 3);
    let vertices = model.parts[1].world_mesh().unwrap().vertices;
    // x goes to y, y to -x; then 10 along x; then twice as large; then 5 up.
    let truth = [[20.0, 0.0, 5.0], [20.0, 2.0, 5.0], [18.0, 0.0, 5.0], [20.0, 0.0, 7.0]];
    assert_eq!(vertices, truth.map(DVec3::from_array));
    assert!((measures(&model.parts[1].world_mesh().unwrap()).1 - 8.0 / 6.0).abs() < 1e-12);
}

#[test]
fn models_in_other_entries_are_read() {
    let root = r#"<model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06" requiredextensions="p"><resources><object id="1"><components><component objectid="7" p:path="/3D/Objects/One.model"/></components></object></resources><build><item objectid="1"/></build></model>"#;
    let entries: [(&str, &[u8]); 3] = [
        ("_rels/.rels", RELATIONSHIPS),
        ("3D/Model.model", root.as_bytes()),
        ("3D/objects/one.model", THREE_MF.as_bytes()),
    ];
    let model = parse(&package(&entries, true), Format::ThreeMf).unwrap();
    assert_eq!(model.parts.len(), 1);
    assert_eq!(model.parts[0].n_triangles(), 4);
    let notes = model.notes.join(" ");
    assert!(
        notes.contains("the unit of 3d/model.model is mm and that of 3d/objects/one.model is in"),
        "{notes}"
    );
    let missing = parse(&package(&entries[..2], true), Format::ThreeMf).unwrap_err().to_string();
    assert!(missing.contains("item 0 of the build: no entry 3d/objects/one.model"), "{missing}");
}

/// The notes on several models of a package come in the order in which the models are read.
#[test]
fn notes_of_several_models_have_one_order() {
    let names = ["d", "a", "e", "b", "c", "g", "f"];
    let items: String =
        names.iter().map(|name| format!(r#"<item objectid="7" p:path="/3D/{name}.model"/>"#)).collect();
    let root = format!(
        r#"<model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06" requiredextensions="p"><resources/><build>{items}</build></model>"#
    );
    let models: Vec<(String, String)> = names
        .iter()
        .zip(10..)
        .map(|(name, id)| {
            let object = format!("<object id=\"{id}\" type=\"support\"/></resources>");
            let text = THREE_MF.replace("inch", "millimeter");
            (format!("3D/{name}.model"), text.replace("</resources>", &object))
        })
        .collect();
    let mut entries: Vec<(&str, &[u8])> =
        vec![("_rels/.rels", RELATIONSHIPS), ("3D/Model.model", root.as_bytes())];
    entries.extend(models.iter().map(|(name, text)| (name.as_str(), text.as_bytes())));
    let notes = parse(&package(&entries, true), Format::ThreeMf).unwrap().notes;
    assert_eq!(notes.len(), names.len(), "{notes:?}");
    for (note, id) in notes.iter().zip(10..) {
        assert!(note.contains(&format!("object {id} is of type support")), "{notes:?}");
    }
}

#[test]
fn what_is_not_understood_is_refused_or_listed() {
    let spaces = r#"xmlns:b="http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02""#;
    let lattice = THREE_MF
        .replace("<model ", &format!("<model {spaces} "))
        .replace("</triangles>", r#"</triangles><b:beamlattice minlength="1"><b:beams/></b:beamlattice>"#);
    let model = parse(&three_mf(&lattice, true), Format::ThreeMf).unwrap();
    assert_eq!(model.unread[0], "object 7: beamlattice is not read");
    let required = lattice.replace("<model ", r#"<model requiredextensions="b" "#);
    assert!(said(&required).contains("beamlattice/2017/02 is required and not understood"));
    let slices = THREE_MF.replace("id=\"7\"", "id=\"7\" s:meshresolution=\"lowres\"");
    let model = parse(&three_mf(&slices, true), Format::ThreeMf).unwrap();
    assert!(model.unread[0].contains("slices"), "{:?}", model.unread);
    let support = parse(&three_mf(&THREE_MF.replace("\"model\"", "\"support\""), true), Format::ThreeMf);
    assert!(support.unwrap().notes[0].contains("object 7 is of type support"));
    // The others are kept on demand.
    let bad = assembly().replace(r#"transform="0 1 0"#, r#"transform="nan 1 0"#);
    assert!(said(&bad).contains("is not finite"), "{}", said(&bad));
    let options = Options::default().with_keep_going(true);
    let kept = carom_io::parse_with(&three_mf(&bad, true), Format::ThreeMf, Path::new("file.x"), &options);
    let kept = kept.unwrap();
    assert_eq!((kept.parts.len(), kept.unread.len()), (1, 1), "{:?}", kept.unread);
}

#[test]
fn bad_models_are_refused_by_name() {
    for (from, to, message) in [
        (r#"v2="2" v3="3""#, r#"v2="2" v3="4""#, "triangle 3: vertex 4 of 4"),
        (r#"v2="2" v3="3""#, r#"v2="2" v3="-1""#, "v3 is \"-1\""),
        (r#"v2="2" v3="3""#, r#"v2="2""#, "an element without v1, v2, v3"),
        (r#"v2="2" v3="3""#, r#"v2="2" v2="2" v3="3""#, "v2 is there twice"),
        (r#"x="1" y="0""#, r#"x="nan" y="0""#, "vertex 1: [NaN, 0, 0] is not finite"),
        (r#"x="1" y="0""#, r#"x="1e999" y="0""#, "is not finite"),
        (r#"x="1" y="0""#, r#"x="one" y="0""#, "x is \"one\""),
        (r#"item objectid="7"/"#, r#"item objectid="8"/"#, "item 0 of the build: there is no object 8"),
        (r#"item objectid="7"/"#, r#"item/"#, "no attribute objectid"),
        ("0.5 1 2 3", "0.5 1 2", "11 numbers; 12 are needed"),
        ("0.5 0 0 0 0.5", "0.5 0 0 0 0", "takes the area from triangle"),
        ("</model>", "", "the XML ends inside of an element"),
        ("</vertices>", "</vertex>", "byte "),
        ("<build>", "<build><item objectid=\"9\"/>", "there is no object 9"),
        ("</resources>", "<object id=\"7\"/></resources>", "two objects 7"),
        (
            "</resources>",
            "<object id=\"9\"><components><component objectid=\"9\"/></components></object></resources><build><item objectid=\"9\"/></build>",
            "object 9 is a component of itself",
        ),
        (
            "</resources>",
            "<object id=\"9\"/></resources><build><item objectid=\"9\"/></build>",
            "object 9 has neither a mesh nor components",
        ),
    ] {
        let changed = THREE_MF.replacen(from, to, 1);
        assert_ne!(changed, THREE_MF, "{from}");
        let reason = said(&changed);
        assert!(reason.contains(message), "{reason}; {message}");
    }
    let cycle = r#"<object id="8"><components><component objectid="9"/></components></object><object id="9"><components><component objectid="8"/></components></object></resources>"#;
    let text =
        THREE_MF.replace("</resources>", cycle).replace(r#"<item objectid="7"/>"#, r#"<item objectid="8"/>"#);
    assert!(said(&text).contains("object 8 is a component of itself"), "{}", said(&text));
    let good = three_mf(THREE_MF, true);
    for n in [0, 1, 4, 30, 100, good.len() / 2, good.len() - 1] {
        refusal(&good[..n], Format::ThreeMf);
    }
    // A changed byte of the packed model is found by its checksum or by the parser.
    let at = good.windows(11).position(|w| w == b"model.model").unwrap() + 200;
    let mut changed = good.clone();
    changed[at] ^= 0x10;
    refusal(&changed, Format::ThreeMf);
    let none = package(&[("hello.txt", b"hello")], true);
    assert!(refusal(&none, Format::ThreeMf).contains("no model in the package"));
    let twice = package(
        &[("3D/3dmodel.model", THREE_MF.as_bytes()), ("3d/3DMODEL.model", THREE_MF.as_bytes())],
        true,
    );
    assert!(refusal(&twice, Format::ThreeMf).contains("two entries"));
}

/// Objects of ten components each, ten levels deep, would be ten thousand million parts.
#[test]
fn instances_of_instances_are_limited() {
    for with_mesh in [true, false] {
        let mut objects = String::new();
        for level in 10..20 {
            let inner = if level == 10 { 7 } else { level - 1 };
            let component = format!("<component objectid=\"{inner}\"/>");
            objects +=
                &format!("<object id=\"{level}\"><components>{}</components></object>", component.repeat(10));
        }
        let mut text = THREE_MF
            .replace("</resources>", &format!("{objects}</resources>"))
            .replace(r#"<item objectid="7"/>"#, r#"<item objectid="19"/>"#);
        if !with_mesh {
            // The innermost object has no mesh, so no triangle is placed.
            let empty = r#"<object id="5"><components><component objectid="7" transform="1 0 0 0 1 0 0 0 1 0 0 x"/></components></object>"#;
            text = text
                .replace("</resources>", &format!("{empty}</resources>"))
                .replace("objectid=\"7\"/>", "objectid=\"5\"/>");
        }
        let bytes = three_mf(&text, true);
        let options = Options::default().with_keep_going(true);
        let path = Path::new("file.x");
        let refused = bounded("components", &bytes, Format::ThreeMf, path).unwrap_err();
        assert!(!with_mesh || refused.contains("--max-triangles"), "{refused}");
        let read =
            || carom_io::parse_with(&bytes, Format::ThreeMf, path, &options).map_err(|e| e.to_string());
        let _ = super::hostile::bounded_with("components, kept", bytes.len() as u64, read);
    }
}

#[test]
fn bombs_are_refused() {
    let bounded =
        |name: &str, text: &str| bounded(name, &three_mf(text, true), Format::ThreeMf, Path::new("file.x"));
    let spaces = " ".repeat(40 << 20);
    let long = THREE_MF.replace("<build>", &format!("{spaces}<build>"));
    assert!(bounded("a long text", &long).unwrap_err().contains("a text of more than 1048576 bytes"));
    let attribute = THREE_MF.replace("name=\"tetra\"", &format!("name=\"{spaces}\""));
    assert!(bounded("a long attribute", &attribute).unwrap_err().contains("an element or a text"));
    for repeated in [r#"<vertex x="0" y="0" z="0"/>"#, r#"<vertex/>"#, "<!-- a comment -->"] {
        let many = repeated.repeat((40 << 20) / repeated.len());
        let text = THREE_MF.replace("</vertices>", &format!("{many}</vertices>"));
        assert!(bounded(repeated, &text).unwrap_err().contains("it unpacks to more than"));
    }
    for (place, repeated) in [
        ("</triangles>", r#"<triangle v1="0" v2="0" v3="0"/>"#),
        ("</resources>", r#"<object id="1"/>"#),
        ("</build>", r#"<item objectid="7"/>"#),
        ("</mesh>", "<a/>"),
        ("</resources>", "<a/>"),
    ] {
        let many = repeated.repeat((10 << 20) / repeated.len());
        let text = THREE_MF.replace(place, &format!("{many}{place}"));
        let _ = bounded(repeated, &text);
    }
    let deep = THREE_MF.replace("<build>", &"<a>".repeat(100_000));
    assert!(bounded("deep", &deep).unwrap_err().contains("nested deeper"));
}
