//! Levels: their entities, keys and brushes, and files that are refused.

use carom_bsp::{Contents, SplitPlane};
use carom_io::map::{Map, parse, usual_contents};
use carom_testkit::data;
use glam::DVec3;
use std::path::Path;

/// A box from 0 to 2, its planes through points clockwise seen from outside, in Valve's dialect;
/// and a second one without textures.
const LEVEL: &str = r#"// Game: Quake
{
"classname" "worldspawn"
"message" "a room"
// brush 0
{
( 0 0 0 ) ( 0 1 0 ) ( 0 0 1 ) wall [ 0 -1 0 0 ] [ 0 0 -1 0 ] 0 1 1
( 2 0 0 ) ( 2 0 1 ) ( 2 1 0 ) wall [ 0 1 0 0 ] [ 0 0 -1 0 ] 0 1 1
( 0 0 0 ) ( 0 0 1 ) ( 1 0 0 ) wall 0 0 0 1 1
( 0 2 0 ) ( 1 2 0 ) ( 0 2 1 ) wall
( 0 0 0 ) ( 1 0 0 ) ( 0 1 0 ) floor
( 0 0 2 ) ( 0 1 2 ) ( 1 0 2 ) wall
}
}
{
"classname" "func_water"
"origin" "1 2 -3.5"
{
patchDef2
{
( 5 5 0 0 0 )
}
}
}
"#;

fn read(text: &str) -> Result<Map, String> {
    parse(text.as_bytes(), Path::new("a.map")).map_err(|error| error.to_string())
}

#[test]
fn a_level_is_entities_with_keys_and_brushes() {
    let map = read(LEVEL).unwrap();
    assert_eq!(map.entities.len(), 2);
    let [world, water] = [&map.entities[0], &map.entities[1]];
    assert_eq!((world.class(), world.get("message")), ("worldspawn", Some("a room")));
    assert_eq!((water.class(), water.brushes.len()), ("func_water", 0));
    assert_eq!(water.vector("origin"), Some(DVec3::new(1.0, 2.0, -3.5)));
    let brush = &world.brushes[0];
    assert_eq!(
        (brush.line, brush.planes.len(), brush.textures.join(" ").as_str()),
        (6, 6, "wall wall wall wall floor wall")
    );
    assert_eq!(brush.planes[0], SplitPlane { normal: -DVec3::X, offset: 0.0 });
    assert_eq!((brush.planes[1].normal, brush.planes[1].offset, brush.lines[1]), (DVec3::X, 2.0, 8));
    let (brushes, refused) = map.brushes(Path::new("a.map"), |_, _| Contents::SOLID);
    assert!(refused.is_empty());
    let (low, high) =
        brushes[0].corners().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(a, b), p| (a.min(p), b.max(p)));
    assert_eq!((low, high), (DVec3::ZERO, DVec3::splat(2.0)));
}

#[test]
fn what_is_wrong_is_named_by_its_line() {
    let with = |from: &str, to: &str| read(&LEVEL.replacen(from, to, 1)).unwrap_err();
    assert_eq!(with("( 0 1 0 )", "( 0 1 )"), "a.map: line 7: ( 0 1 ) has no three numbers");
    assert_eq!(with("( 0 1 0 )", "( 0 1 0 4 )"), "a.map: line 7: ( 0 1 0 4 ) has more than three numbers");
    assert_eq!(with("( 0 1 0 )", "( 0 one 0 )"), "a.map: line 7: \"one\" is not a number");
    assert_eq!(with("( 0 1 0 )", "( 0 inf 0 )"), "a.map: line 7: coordinate inf is not finite");
    assert_eq!(with("( 0 1 0 )", "( 0 0 0 )"), "a.map: line 7: the three points of the plane are on a line");
    assert_eq!(
        with("\"classname\" \"worldspawn\"", "\"classname"),
        "a.map: line 3: \"\\\"classname\" is not a key and a value in quotes"
    );
    assert_eq!(with("( 5 5 0 0 0 )\n}", "( 5 5 0 0 0 )"), "a.map: 1 opening braces are not closed");
    assert_eq!(with("// Game", "}"), "a.map: line 1: a closing brace without an opening one");
    assert_eq!(
        with("// Game", "game"),
        "a.map: line 1: \"game: Quake\" is neither a brace, a key nor a plane"
    );
    assert_eq!(read(" \n").unwrap_err(), "a.map: no entity: not a map");
    // A brush without its last plane is open: the brush is refused, but the level is read.
    let map = read(&LEVEL.replacen("( 0 0 2 ) ( 0 1 2 ) ( 1 0 2 ) wall\n", "", 1)).unwrap();
    let (brushes, refused) = map.brushes(Path::new("a.map"), |_, _| Contents::SOLID);
    assert!(brushes.is_empty());
    let message = refused[0].to_string();
    assert!(message.starts_with("a.map: line 6: the brush is open"), "{message}");
}

#[test]
fn real_levels_are_read_as_their_lists_of_brushes_say() {
    for name in ["start_e0", "slope", "lqdm13", "lq_e0m1", "lq_e1m1"] {
        let (Some(file), Some(list)) =
            (data::find(&format!("levels/{name}.map")), data::find(&format!("levels/{name}.brushes.txt")))
        else {
            return;
        };
        let map = parse(&std::fs::read(&file).unwrap(), &file).unwrap();
        let (brushes, refused) = map.brushes(&file, |_, _| Contents::SOLID);
        let listed = std::fs::read_to_string(list).unwrap();
        let mut corners: Vec<Vec<DVec3>> = Vec::new();
        for line in listed.lines() {
            if line.starts_with("brush ") {
                corners.push(Vec::new());
            } else if let Some(vertex) = line.strip_prefix("v ") {
                let numbers: Vec<f64> = vertex.split_whitespace().map(|word| word.parse().unwrap()).collect();
                corners.last_mut().unwrap().push(DVec3::from_slice(&numbers));
            }
        }
        println!(
            "{name}: {} entities, {} brushes, {} refused",
            map.entities.len(),
            brushes.len(),
            refused.len()
        );
        assert_eq!((brushes.len(), refused.len()), (corners.len(), 0), "{name}: {refused:?}");
        for (i, (brush, corners)) in brushes.iter().zip(&corners).enumerate() {
            // The list merged corners nearer than 0.02 units.
            for corner in brush.corners() {
                let nearest =
                    corners.iter().fold(f64::INFINITY, |least, other| least.min((corner - *other).length()));
                assert!(nearest < 0.05, "{name}: brush {i}: no corner near {corner}: {nearest}");
            }
        }
    }
}

/// Quake's classes and those that its later compilers add.
#[test]
fn the_contents_of_a_brush_follow_its_class_and_texture() {
    let cases = [
        ("worldspawn", "metal/wall1", Contents::SOLID),
        ("func_door", "door", Contents::SOLID),
        ("func_detail_wall", "clip", Contents::SOLID),
        ("worldspawn", "*LAVA1", Contents::LIQUID),
        ("worldspawn", "liquids/!water", Contents::LIQUID),
        ("trigger_once", "wall", Contents::empty()),
        ("func_illusionary", "wall", Contents::empty()),
        ("func_detail_illusionary", "wall", Contents::empty()),
        ("worldspawn", "special/HINT", Contents::empty()),
    ];
    for (class, texture, contents) in cases {
        let level = LEVEL.replace(" wall [", &format!(" {texture} ["));
        let level = level.replace(" wall", &format!(" {texture}")).replace(" floor", &format!(" {texture}"));
        let map = read(&level).unwrap();
        assert_eq!(usual_contents(class, &map.entities[0].brushes[0]), contents, "{class}, {texture}");
    }
}

/// The order of the faces of a brush has no meaning, and `skip` only hides faces.
#[test]
fn all_faces_of_a_brush_decide() {
    let brush = |textures: [&str; 6]| {
        let mut level = LEVEL.replace(" floor", " wall");
        for texture in textures {
            level = level.replacen(" wall", &format!(" {texture}"), 1);
        }
        let brush = read(&level).unwrap().entities[0].brushes[0].clone();
        assert_eq!(brush.textures, textures);
        usual_contents("worldspawn", &brush)
    };
    let cases = [
        (["skip", "metal1"], Contents::SOLID),
        (["skip", "skip"], Contents::SOLID),
        (["hint", "skip"], Contents::empty()),
        (["*water", "skip"], Contents::LIQUID),
        (["*water", "metal1"], Contents::SOLID),
        (["trigger", "metal1"], Contents::SOLID),
        (["hint", "origin"], Contents::empty()),
    ];
    for ([a, b], contents) in cases {
        for n in 1..6 {
            let mut textures = [a; 6];
            textures[n..].fill(b);
            assert_eq!(brush(textures), contents, "{textures:?}");
            textures.reverse();
            assert_eq!(brush(textures), contents, "{textures:?}");
        }
    }
}

#[test]
fn refusals_of_control_characters_are_short() {
    for control in ["\0", "\u{1b}", "\u{202e}", "\u{7f}"] {
        let text = format!("{{\n{{\n( 0 0 0 ) ( 0 8 8 {}\n", control.repeat(5000));
        let message = carom_io::map::parse(text.as_bytes(), "m.map".as_ref()).unwrap_err().to_string();
        assert!(message.len() < 1000 && !message.contains(control), "{message}");
        assert!(message.starts_with("m.map: line 3: "), "{message}");
    }
}

#[test]
fn blocks_without_planes_are_listed() {
    let brush = "{\n( 0 0 0 ) ( 0 1 0 ) ( 1 0 0 ) a\n}\n";
    let patch = "{\npatchDef2\n{\n( 3 3 0 0 0 )\n}\n}\n";
    // A block within a brush is listed, too.
    let mixed = brush.replace("}", "{\n( 7 )\n}\n}");
    for (inside, unread) in [
        (brush.to_owned(), vec![]),
        (patch.to_owned() + brush, vec![(2, "patchDef2")]),
        (brush.to_owned() + patch + patch, vec![(5, "patchDef2"), (11, "patchDef2")]),
        (brush.to_owned() + "{\n}\n", vec![(5, "")]),
        ("{\n}\n".to_owned() + patch + brush, vec![(2, ""), (4, "patchDef2")]),
        (brush.to_owned() + "{\n{\n}\n}\n", vec![(5, "")]),
        (mixed, vec![(2, "")]),
        (brush.to_owned() + "{\nmesh\nmore\n{\n}\n}\n", vec![(5, "mesh")]),
        // Several blocks on a line.
        (brush.to_owned() + &patch.replace('\n', " ").repeat(2), vec![(5, "patchDef2"), (5, "patchDef2")]),
        (brush.replace('\n', " ") + &patch.replace('\n', " ") + "{ }", vec![(2, "patchDef2"), (2, "")]),
        (brush.replace('\n', " ") + "{ { } } { brushDef3 { } }", vec![(2, ""), (2, "brushDef3")]),
        // A texture whose name begins with a brace opens no block, alone on its line or not.
        (patch.replace("( 3", "{grate\n( 3") + brush, vec![(2, "patchDef2")]),
        (patch.replace("( 3", "{grate ( 3") + brush, vec![(2, "patchDef2")]),
    ] {
        let map = carom_io::map::parse(format!("{{\n{inside}}}\n").as_bytes(), "m.map".as_ref()).unwrap();
        let found: Vec<(usize, &str)> = map.unread.iter().map(|b| (b.line, b.name.as_str())).collect();
        assert_eq!((map.entities[0].brushes.len(), found), (1, unread), "{inside}");
    }
}

/// Quake reads a level word by word, and scripts write several things on a line.
#[test]
fn lines_have_any_number_of_braces_pairs_and_planes() {
    let expected = read(LEVEL).unwrap();
    let on_one = LEVEL
        .lines()
        .filter(|line| !line.starts_with("//"))
        .map(|line| format!(" {line} "))
        .collect::<String>();
    for text in [
        on_one.clone(),
        on_one.replace("  ", "\t"),
        LEVEL.replace("{\n", "{ ").replace("\n}", " }").replace("wall\n", "wall // end\n"),
    ] {
        let map = read(&text).unwrap();
        assert_eq!(map.entities.len(), 2, "{text}");
        for (one, other) in map.entities.iter().zip(&expected.entities) {
            assert_eq!(one.pairs, other.pairs);
            assert_eq!(one.brushes.len(), other.brushes.len());
            for (one, other) in one.brushes.iter().zip(&other.brushes) {
                assert_eq!((&one.planes, &one.textures), (&other.planes, &other.textures));
            }
        }
        let names: Vec<&str> = map.unread.iter().map(|block| block.name.as_str()).collect();
        assert_eq!(names, ["patchDef2"], "{text}");
    }
    let map =
        read("{ \"classname\" \"trigger_once\"\n\"origin\" \"0 0 64\" \"angle\" \"90\"\n} { }").unwrap();
    assert_eq!((map.entities.len(), map.entities[0].class()), (2, "trigger_once"));
    assert_eq!((map.entities[0].get("angle"), map.entities[0].pairs.len()), (Some("90"), 3));
    let map = read(r#"{ "wad" "C:\maps\" "path" "D:\" "message" "hi" }"#).unwrap();
    let pairs = map.entities[0].pairs.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    assert_eq!(pairs.collect::<Vec<_>>(), [("wad", r"C:\maps\"), ("path", r"D:\"), ("message", "hi")]);
    // A name of a texture may begin with a brace.
    let brush = "{\n{\n( 0 0 0 ) ( 0 1 0 ) ( 1 0 0 ) {grate 0 0 0 1 1 }\n}";
    assert_eq!(read(brush).unwrap().entities[0].brushes[0].textures[0], "{grate");
    for (text, message) in [
        ("{\n\"a\" \"b\" c\n}", "a.map: line 2: \"c\" is neither a brace, a key nor a plane"),
        ("{\n\"a\" \"b\" \"c\"\n}", "a.map: line 2: \"\\\"c\\\"\" is not a key and a value in quotes"),
        ("{\n} }", "a.map: line 2: a closing brace without an opening one"),
        (
            "{ { ( 0 0 0 ) ( 0 1 0 ) ( 1 0 0 ) a } \"b\" }",
            "a.map: line 1: \"\\\"b\\\" }\" is not a key and a value in quotes",
        ),
        ("{ {\n( 0 0 0 ) ( 0 1 0 ) ( 1 0 0 ) a ( 1 ) } }", "a.map: line 2: ( 1 ) has no three numbers"),
    ] {
        assert_eq!(read(text).unwrap_err(), message, "{text}");
    }
}

/// A quote behind a backslash belongs to the value, unless it is the last one of the line.
#[test]
fn values_may_have_quotes_and_backslashes() {
    for (line, value) in [
        (r#""message" "say \"hi\"""#, r#"say "hi""#),
        (r#""message" "\"" // said"#, r#"""#),
        (r#""message" "C:\maps\""#, r#"C:\maps\"#),
        (r#""message" "a\nb""#, r#"a\nb"#),
        (r#""message" "" "other" "x""#, ""),
        // A path before another pair of the line.
        (r#""message" "C:\maps\" "wad" "x""#, r"C:\maps\"),
        (r#""message" "C:\maps\" "wad" "D:\" "other" "x""#, r"C:\maps\"),
        (r#""message" "C:\maps\" } { "classname" "x""#, r"C:\maps\"),
        (r#""message" "say \"hi\" " "wad" "x""#, r#"say "hi" "#),
        (r#""message" "say \"hi\" \"there\"" "wad" "x""#, r#"say "hi" "there""#),
        (r#""message" "say \"}\" }" "wad" "x""#, r#"say "}" }"#),
    ] {
        let map = read(&format!("{{\n{line}\n}}")).unwrap();
        assert_eq!(map.entities[0].get("message"), Some(value), "{line}");
    }
    for (value, vector) in [
        ("16 32 48", Some(DVec3::new(16.0, 32.0, 48.0))),
        ("16 abc 32 48", None),
        ("16 32", None),
        ("16 32 48 64", None),
        ("16 32 inf", None),
    ] {
        let map = read(&format!("{{\n\"origin\" \"{value}\"\n}}")).unwrap();
        assert_eq!(map.entities[0].vector("origin"), vector, "{value}");
    }
}

/// Thousands of entities with unread blocks take linear time.
#[test]
fn unread_blocks_of_many_entities_take_no_time() {
    const N: usize = 100_000;
    let start = std::time::Instant::now();
    let map = read(&"{\n{\n}\n}\n".repeat(N)).unwrap();
    assert_eq!((map.entities.len(), map.unread.len()), (N, N));
    let lines: Vec<usize> = map.unread.iter().map(|block| block.line).collect();
    assert_eq!(lines, (0..N).map(|i| 4 * i + 2).collect::<Vec<_>>());
    let seconds = start.elapsed().as_secs_f64();
    // A sort for each entity took minutes. The bound is wide because machines may be busy.
    assert!(seconds < 10.0, "{seconds} s");
}
