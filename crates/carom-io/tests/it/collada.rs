//! COLLADA files: primitives, transforms, instances, units in robots, and hostile ones.

use super::hostile::bounded;
use super::off::measures;
use super::samples::{self, COLLADA};
use super::{folder, parse, refusal};
use carom_io::{Format, Model, Options};
use glam::DVec3;
use std::path::Path;

fn read(text: &str) -> Model {
    parse(text.as_bytes(), Format::Collada).unwrap()
}

fn said(text: &str) -> String {
    refusal(text.as_bytes(), Format::Collada)
}

#[test]
fn nodes_are_parts_in_the_unit_of_the_file() {
    let model = read(COLLADA);
    assert_eq!((model.unit, model.metres, model.up), (Some("mm"), Some(0.001), Some("z")));
    assert!(model.notes.is_empty() && model.unread.is_empty(), "{:?}", model.notes);
    let names: Vec<&str> = model.parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    let meshes: Vec<_> = model.parts.iter().map(|part| part.world_mesh().unwrap()).collect();
    assert_eq!(meshes[0], super::mesh(samples::OBJ, Format::Obj));
    assert!((measures(&meshes[1]).1 - 1.0 / 48.0).abs() < 1e-14);
    assert_eq!(meshes[1].vertices[1], DVec3::new(1.5, 2.0, 3.0));
    let usual =
        read(&COLLADA.replace("<unit meter=\"0.001\" name=\"millimeter\"/><up_axis>Z_UP</up_axis>", ""));
    assert_eq!((usual.unit, usual.metres, usual.up), (Some("m"), Some(1.0), Some("y")));
    let odd = read(&COLLADA.replace("0.001", "0.5"));
    assert_eq!((odd.unit, odd.metres), (None, Some(0.5)));
    assert_eq!(odd.notes, ["the unit is 0.5 metres"]);
}

/// A box of 1 by 2 by 3 in each kind of primitive that can hold one.
#[test]
fn primitives_of_each_kind_have_the_same_area_and_volume() {
    let points = "0 0 0 1 0 0 1 2 0 0 2 0 0 0 3 1 0 3 1 2 3 0 2 3";
    let faces = ["0 3 2 1", "4 5 6 7", "0 1 5 4", "1 2 6 5", "2 3 7 6", "3 0 4 7"];
    // A second index for each corner, of normals.
    let doubled = |face: &str| face.split(' ').map(|v| format!("{v} 9")).collect::<Vec<_>>().join(" ");
    let input = r##"<input semantic="VERTEX" source="#v" offset="0"/>"##;
    let inputs = format!(r##"{input}<input semantic="NORMAL" source="#n" offset="1"/>"##);
    let each = |wrap: &dyn Fn(&str) -> String| faces.iter().map(|face| wrap(face)).collect::<String>();
    let triangles = faces.map(|face| {
        let v: Vec<&str> = face.split(' ').collect();
        format!("{} {} {} {} {} {}", v[0], v[1], v[2], v[0], v[2], v[3])
    });
    let strip = |face: &str| {
        let v: Vec<&str> = face.split(' ').collect();
        format!("<p>{} {} {} {}</p>", v[0], v[1], v[3], v[2])
    };
    let kinds = [
        format!("<triangles count=\"12\">{input}<p>{}</p></triangles>", triangles.join(" ")),
        format!(
            "<polylist count=\"6\">{input}<vcount>4 4 4 4 4 4</vcount><p>{}</p></polylist>",
            faces.join(" ")
        ),
        format!(
            "<polylist count=\"6\">{inputs}<vcount>4 4 4 4 4 4</vcount><p>{}</p></polylist>",
            faces.map(doubled).join(" ")
        ),
        format!("<polygons count=\"6\">{input}{}</polygons>", each(&|f| format!("<p>{f}</p>"))),
        format!("<trifans count=\"6\">{input}{}</trifans>", each(&|f| format!("<p>{f}</p>"))),
        format!("<tristrips count=\"6\">{input}{}</tristrips>", each(&strip)),
        // Several primitives are one mesh, and a comment may stand between two numbers.
        format!(
            "<polylist count=\"3\">{input}<vcount>4 4 4</vcount><p>{}</p></polylist><triangles count=\"6\">{input}<p>{}</p></triangles>",
            faces[..3].join("<!-- and -->"),
            triangles[3..].join(" ")
        ),
    ];
    let start = COLLADA.find("<triangles").unwrap();
    let end = COLLADA.find("</triangles>").unwrap() + "</triangles>".len();
    for kind in kinds {
        let text = format!("{}{kind}{}", &COLLADA[..start], &COLLADA[end..])
            .replace("0 0 0 1 0 0 0 1 0 0 0 1", points)
            .replace("count=\"12\">0", "count=\"24\">0")
            .replace("source=\"#a\" count=\"4\"", "source=\"#a\" count=\"8\"");
        let model = read(&text);
        let measured = measures(&model.parts[0].world_mesh().unwrap());
        assert_eq!(measured, (22.0, 6.0), "{kind}");
    }
}

#[test]
fn transforms_are_multiplied_in_their_order() {
    let with = |transforms: &str| {
        let text = COLLADA.replace("<translate>1 2 3</translate>\n<scale>0.5 0.5 0.5</scale>", transforms);
        assert_ne!(text, COLLADA);
        read(&text).parts[1].world_mesh().unwrap().vertices[1]
    };
    // The first transform is outermost. A point is rotated and then translated, or the reverse.
    assert_eq!(with("<translate>1 2 3</translate><rotate>0 0 1 90</rotate>"), DVec3::new(1.0, 3.0, 3.0));
    assert_eq!(with("<rotate>0 0 2 90</rotate><translate>1 2 3</translate>"), DVec3::new(-2.0, 2.0, 3.0));
    assert_eq!(with("<rotate>0 1 0 -90</rotate>"), DVec3::new(0.0, 0.0, 1.0));
    assert!(with("<rotate>1 1 1 120</rotate>").distance(DVec3::Y) < 1e-15);
    assert_eq!(with("<matrix>0 0 1 5 1 0 0 6 0 1 0 7 0 0 0 1</matrix>"), DVec3::new(5.0, 7.0, 7.0));
}

#[test]
fn instances_of_nodes_are_placed() {
    let library = r##"<library_nodes><node id="n"><translate>0 0 1</translate><instance_geometry url="#g"/></node></library_nodes><library_visual_scenes>"##;
    let instance = r##"<node id="b"><instance_node url="#n"/>"##;
    let text = COLLADA.replace("<library_visual_scenes>", library).replace("<node id=\"b\">", instance);
    let model = read(&text);
    assert_eq!(model.parts.len(), 3);
    let vertices = &model.parts[2].world_mesh().unwrap().vertices;
    assert_eq!(vertices[0], DVec3::new(1.0, 2.0, 3.5));
}

#[test]
fn robots_scale_meshes_by_their_unit() {
    let folder = folder("collada-robot");
    std::fs::write(folder.join("mm.dae"), COLLADA).unwrap();
    let inner = COLLADA.replace("0.001", "1").replace("Z_UP", "Y_UP");
    std::fs::write(folder.join("m.dae"), inner).unwrap();
    let robot = r#"<robot name="r"><link name="a"><visual><geometry><mesh filename="mm.dae" scale="2 2 2"/></geometry></visual></link>
<link name="b"><visual><geometry><mesh filename="m.dae"/></geometry></visual></link>
<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>"#;
    std::fs::write(folder.join("r.urdf"), robot).unwrap();
    let model = carom_io::read(&folder.join("r.urdf")).unwrap();
    assert_eq!(model.parts.len(), 2);
    // Each has two pieces, of volumes 1/6 and 1/48.
    let volume = (1.0 / 6.0) + (1.0 / 48.0);
    let scaled = measures(&model.parts[0].world_mesh().unwrap()).1;
    assert!((scaled / (volume * 8e-9) - 1.0).abs() < 1e-12, "{scaled}");
    assert!((measures(&model.parts[1].world_mesh().unwrap()).1 - volume).abs() < 1e-14);
    assert_eq!(
        model.notes,
        [
            "mm.dae: scaled by its unit of 0.001 metres",
            "m.dae: its y axis is not turned up, as in RViz and MoveIt"
        ]
    );
}

#[test]
fn what_is_not_understood_is_refused_or_listed() {
    let options = Options::default().with_keep_going(true);
    for (from, to, message) in [
        ("<scale>", "<skew>0 0 0 0 0 0 0</skew><scale>", "b: the transform skew is not read"),
        ("<scale>", "<instance_controller url=\"#c\"/><scale>", "b: a skin or morph is not read"),
        ("<scale>", "<surprise/><scale>", "b: surprise is not understood"),
        ("<scale>", "<instance_geometry url=\"other.dae#g\"/><scale>", "refers to another file"),
        ("<scale>", "<instance_geometry url=\"#none\"/><scale>", "there is no geometry \"none\""),
        ("<scale>", "<instance_node url=\"#none\"/><scale>", "there is no node \"none\""),
        ("<scale>", "<scale>0 1 1</scale><scale>", "b: the transforms take the area from triangle"),
        ("<scale>", "<scale>nan 1 1</scale><scale>", "b: scale: NaN is not finite"),
        ("<scale>", "<rotate>0 0 0 5</rotate><scale>", "b: rotate: the axis is 0"),
        ("<scale>", "<matrix>1 0 0</matrix><scale>", "b: matrix: 3 numbers; 16 are needed"),
    ] {
        let text = COLLADA.replacen(from, to, 1);
        let reason = said(&text);
        assert!(reason.contains(message), "{reason}; {message}");
        let kept = carom_io::parse_with(text.as_bytes(), Format::Collada, Path::new("file.x"), &options);
        let kept = kept.unwrap();
        assert!(!kept.parts.is_empty() && kept.unread[0].contains(message), "{:?}", kept.unread);
    }
    let hole = "<polygons count=\"1\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><ph><p>0 1 2</p><h>0 1 3</h></ph></polygons><triangles";
    assert!(said(&COLLADA.replace("<triangles", hole)).contains("polygons with holes are not read"));
    let spline = COLLADA.replace("<mesh>", "<spline>").replace("</mesh>", "</spline>");
    assert!(said(&spline).contains("spline is not read"));
    let lines = read(&COLLADA.replace("<triangles", "<lines count=\"0\"/><triangles"));
    assert_eq!(lines.notes, ["geometry tetra: lines are left out: no surface"]);
    let more = COLLADA.replace("<geometry id=\"g\"", "<geometry id=\"h\"/><geometry id=\"g\"");
    assert_eq!(read(&more).notes, ["1 geometries are not in the scene and are left out"]);
    let bare = COLLADA.replace("<scene><instance_visual_scene url=\"#s\"/></scene>", "");
    assert_eq!(read(&bare).parts.len(), 2);
    let start = COLLADA.find("<library_visual_scenes>").unwrap();
    let none = read(&format!("{}</COLLADA>", &COLLADA[..start]));
    assert_eq!(none.notes, ["no scene: each geometry is a part where it is"]);
}

#[test]
fn counts_are_those_of_the_file() {
    for (from, to, message) in [
        ("count=\"12\"", "count=\"13\"", "float_array: 13 numbers announced, 12 there"),
        ("count=\"4\" stride", "count=\"5\" stride", "accessor: 5 times 3 numbers, 12 there"),
        ("count=\"4\" stride", "count=\"18446744073709551615\" stride", "accessor: "),
        ("stride=\"3\"", "stride=\"2\"", "a stride of 2 is too short"),
        ("stride=\"3\"", "stride=\"0\"", "a stride of 0 is too short"),
        ("<triangles count=\"4\"", "<triangles count=\"5\"", "triangles: 5 announced, 4 there"),
        ("1 2 3</p>", "1 2</p>", "11 corners, not a multiple of 3"),
        ("1 2 3</p>", "1 2 4</p>", "vertex 4 of 4, counted from 0"),
        ("1 2 3</p>", "1 2 -1</p>", "vertex -1 of 4"),
        ("1 2 3</p>", "1 2 x</p>", "\"x\" is not an index"),
        ("1 2 3</p>", "1 2 &amp;</p>", "is not an index"),
        (">0 0 0 1 0 0", ">0 0 0 nan 0 0", "vertex 1: [NaN, 0, 0] is not finite"),
        (">0 0 0 1 0 0", ">0 0 0 x 0 0", "\"x\" is not a number"),
        ("offset=\"0\"/><p>", "offset=\"1\"/><p>", "4 vertices"),
        ("offset=\"0\"/><p>", "offset=\"4000000000\"/><p>", "an input with offset 4000000000"),
        ("source=\"#p\"", "source=\"#q\"", "there is no source \"q\""),
        ("source=\"#v\"", "source=\"#w\"", "there are no vertices \"w\""),
        ("meter=\"0.001\"", "meter=\"0\"", "a unit of 0 metres"),
        ("meter=\"0.001\"", "meter=\"nan\"", "a unit of NaN metres"),
        ("Z_UP", "W_UP", "the up axis \"W_UP\" is not known"),
        ("url=\"#s\"", "url=\"#t\"", "there is no visual scene \"t\""),
        ("</COLLADA>", "", "not a valid COLLADA file"),
        ("<node id=\"b\"", "<node id=\"a\"", "two elements node have the id \"a\""),
    ] {
        let text = COLLADA.replacen(from, to, 1);
        assert_ne!(text, COLLADA, "{from}");
        let reason = said(&text);
        assert!(reason.contains(message) || message == "4 vertices", "{reason}; {message}");
    }
    let empty =
        COLLADA.replace("<triangles count=\"4\"", "<lines count=\"4\"").replace("</triangles>", "</lines>");
    assert!(said(&empty).contains("the mesh is empty"), "{}", said(&empty));
}

/// Nodes of ten instances each, ten levels deep, would be ten thousand million parts. Another node
/// is an instance of itself.
#[test]
fn instances_of_instances_are_limited() {
    let path = Path::new("file.x");
    let with = |nodes: &str| {
        let text = COLLADA
            .replace(
                "<library_visual_scenes>",
                &format!("<library_nodes>{nodes}</library_nodes><library_visual_scenes>"),
            )
            .replace("<node id=\"b\">", "<node id=\"b\"><instance_node url=\"#n9\"/>");
        bounded("nodes", text.as_bytes(), Format::Collada, path)
    };
    for inner in ["<instance_geometry url=\"#g\"/>", ""] {
        let mut nodes = format!("<node id=\"n0\">{inner}</node>");
        for level in 1..10 {
            let instance = format!("<instance_node url=\"#n{}\"/>", level - 1);
            nodes += &format!("<node id=\"n{level}\">{}</node>", instance.repeat(10));
        }
        let refused = with(&nodes).unwrap_err();
        assert!(
            refused.contains("--max-triangles") || refused.contains("nodes, with those of instances"),
            "{refused}"
        );
    }
    let cycle =
        with("<node id=\"n9\"><node id=\"n8\"><instance_node url=\"#n9\"/></node></node>").unwrap_err();
    assert!(cycle.contains("or are instances of themselves"), "{cycle}");
    let deep = "<node>".repeat(100_000);
    assert!(with(&deep).unwrap_err().contains("nested deeper than 256"));
    let many = |text: &str| {
        bounded("many", COLLADA.replace("<scene>", &text.repeat(500_000)).as_bytes(), Format::Collada, path)
    };
    for text in ["<a/>", "<a b=\"\"/>", "<a>x</a>", "<node/>", "<a>x<!---->y</a>", "x<b/>"] {
        let _ = many(text);
    }
}
