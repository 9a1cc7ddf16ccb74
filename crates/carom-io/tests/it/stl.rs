//! STL as programs write it: several solids, capitals, odd normals, headers that lie, leftovers.

use super::{parse, refusal, samples};
use carom_io::{Format, Model};

/// Returns the facets of a tetrahedron whose first corner is at x, as text.
fn facets(x: f64) -> String {
    facets_with(x, "normal 0 0 0")
}

fn facets_with(x: f64, normal: &str) -> String {
    let p = [[x, 0.0, 0.0], [x + 1.0, 0.0, 0.0], [x, 1.0, 0.0], [x, 0.0, 1.0]];
    let mut text = String::new();
    for t in [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] {
        text += &format!(" facet {normal}\n  outer loop\n");
        for i in t {
            let [x, y, z] = p[i];
            text += &format!("   vertex {x} {y} {z}\n");
        }
        text += "  endloop\n endfacet\n";
    }
    text
}

fn solid(name: &str, x: f64) -> String {
    format!("solid {name}\n{}endsolid {name}\n", facets(x))
}

/// Names and triangles.
fn read(text: &str) -> Vec<(String, usize)> {
    listed(&parse(text.as_bytes(), Format::Stl).unwrap())
}

fn listed(model: &Model) -> Vec<(String, usize)> {
    model.parts.iter().map(|p| (p.name.clone(), p.n_triangles())).collect()
}

fn four(names: &[&str]) -> Vec<(String, usize)> {
    names.iter().map(|name| ((*name).to_owned(), 4)).collect()
}

#[test]
fn every_solid_of_a_text_is_a_part() {
    let two = solid("a", 0.0) + &solid("b", 10.0);
    assert_eq!(read(&two), four(&["a", "b"]));
    let model = parse(two.as_bytes(), Format::Stl).unwrap();
    assert_eq!(model.parts[1].world_mesh().unwrap().vertices[0].to_array(), [10.0, 0.0, 0.0]);
    assert!(model.notes.is_empty() && model.unread.is_empty());
    // A single solid keeps the name of the file.
    assert_eq!(read(&solid("a", 0.0)), four(&["file"]));
    // Equal names, no names, names of several words.
    let many = [solid("a", 0.0), solid("a", 2.0), solid("", 4.0), solid("left hand", 6.0)].concat();
    assert_eq!(read(&many), four(&["a", "a#2", "file", "left hand"]));
    let hundred: String = (0..100).map(|i| solid(&format!("s{i}"), f64::from(i))).collect();
    assert_eq!(read(&hundred).len(), 100);
    // Blank lines and indents between them, and another name at the end.
    let loose = format!(
        "\n\n  solid a\n{}\n endsolid\n\n\n\tsolid b\n{}endsolid other\n\n",
        facets(0.0),
        facets(9.0)
    );
    assert_eq!(read(&loose), four(&["a", "b"]));
}

#[test]
fn a_solid_without_triangles_is_named() {
    let text = format!("solid none\nendsolid none\n{}", solid("a", 0.0));
    let model = parse(text.as_bytes(), Format::Stl).unwrap();
    assert_eq!(listed(&model), four(&["a"]));
    assert_eq!(model.unread, ["line 1: the solid \"none\" has no triangle"]);
    let last = format!("{}solid\nendsolid\n", solid("a", 0.0));
    assert_eq!(parse(last.as_bytes(), Format::Stl).unwrap().unread.len(), 1);
    assert_eq!(refusal(b"solid a\nendsolid a\n", Format::Stl), "file.x: the mesh is empty: no triangle");
    assert_eq!(
        refusal(b"solid a\nendsolid a\nsolid b\nendsolid b\n", Format::Stl),
        "file.x: the mesh is empty: no triangle"
    );
}

/// The name of a solid may have words of the format: meshes of OpenFOAM have a region "solid".
#[test]
fn names_may_be_words_of_the_format() {
    for name in ["solid", "Main solid", "facet 1", "outer vertex", "solid solid"] {
        let text = solid(name, 0.0) + &solid("b", 5.0);
        assert_eq!(read(&text), four(&[name, "b"]), "{name}");
        let other_capitals =
            text.replacen(&format!("endsolid {name}"), &format!("endsolid  {}", name.to_uppercase()), 1);
        assert_eq!(read(&other_capitals), four(&[name, "b"]), "{name}");
        // A further solid on the line is refused all the same.
        let glued = solid(name, 0.0).replace(
            &format!("endsolid {name}\n"),
            &format!("endsolid {name} {}", solid("b", 5.0).replace('\n', " ")),
        );
        assert!(refusal(glued.as_bytes(), Format::Stl).contains("behind \"endsolid\""), "{name}");
    }
}

/// Exporters write more behind the name on its first line, or the name on its last line alone.
#[test]
fn the_two_names_of_a_solid_may_differ() {
    for (first, last) in [
        ("Main solid exported by X", "Main solid"),
        ("", "Main solid"),
        ("Main solid", ""),
        ("facet 1", "facet 1 of a vertex"),
        ("", "facet"),
        ("a", "solid"),
    ] {
        let text = solid("NAME", 0.0).replacen("solid NAME", &format!("solid {first}"), 1);
        let text = text.replace("endsolid NAME", &format!("endsolid {last}")) + &solid("b", 5.0);
        let name = if first.is_empty() { "file" } else { first };
        assert_eq!(read(&text), four(&[name, "b"]), "{first:?} {last:?}");
        // A further solid on the line of the last name is refused, wherever that line ends.
        let (head, more) = text.split_at(text.find("solid b").unwrap());
        for end in 0..more.matches('\n').count() {
            let lines = more.lines().enumerate();
            let more: String =
                lines.map(|(i, line)| format!("{line}{}", if i == end { '\n' } else { ' ' })).collect();
            let message = refusal(format!("{} {more}", head.trim_end()).as_bytes(), Format::Stl);
            assert!(message.starts_with("file.x: line "), "{first:?} {last:?} {end}: {message}");
        }
    }
}

#[test]
fn leftovers_are_refused() {
    for rest in ["junk\n", "endsolid a\n", "facet normal 0 0 0\n", "0\n", "solid"] {
        let message = refusal((solid("a", 0.0) + rest).as_bytes(), Format::Stl);
        assert!(message.starts_with("file.x: line "), "{message}");
    }
    // A further solid on the line of the last word.
    let glued = solid("a", 0.0)
        .replace("endsolid a\n", &format!("endsolid a {}", solid("b", 5.0).replace('\n', " ")));
    assert!(refusal(glued.as_bytes(), Format::Stl).contains("behind \"endsolid\""));
    // A text that is cut.
    for end in ["endsolid", "endfacet", "vertex"] {
        let text = solid("a", 0.0);
        refusal(&text.as_bytes()[..text.rfind(end).unwrap()], Format::Stl);
    }
    // Bytes behind the triangles that are counted: one, a whole triangle, a second file.
    let one = samples::stl_binary();
    for rest in [vec![0], vec![0; 50], one.clone(), vec![7; 84]] {
        let message = refusal(&[&one[..], &rest].concat(), Format::Stl);
        assert!(message.contains(&format!("{} bytes behind the 4 triangles", rest.len())), "{message}");
    }
}

#[test]
fn normals_are_never_read() {
    for normal in [
        "normal nan nan nan",
        "normal -nan(ind) 1.#QNAN inf",
        "normal",
        "",
        "NORMAL 1e999 x y",
        "normal 0 0 1",
    ] {
        let text = format!("solid a\n{}endsolid a\n", facets_with(0.0, normal));
        assert_eq!(read(&text), four(&["file"]), "{normal:?}");
    }
    let mut binary = samples::stl_binary();
    for facet in 0..4 {
        binary[84 + 50 * facet..][..12].copy_from_slice(&[0xff; 12]);
    }
    assert_eq!(listed(&parse(&binary, Format::Stl).unwrap()), four(&["file"]));
}

#[test]
fn capitals_marks_and_line_ends_do_not_matter() {
    let text = solid("a", 0.0);
    let reference = parse(text.as_bytes(), Format::Stl).unwrap().parts;
    for other in [
        text.to_uppercase(),
        text.replace("solid", "Solid").replace("facet", "Facet").replace("vertex", "VERTEX"),
        format!("\u{feff}{text}"),
        format!("\n \r\n\t{text}"),
        text.replace('\n', "\r\n"),
        text.replace('\n', "\r"),
        text.replace("vertex", "vertex\t"),
        text.replacen("solid a", "solid", 1),
        text.replace(" 1 0 0\n", " 1.0E+00 +0 -0.0\n"),
    ] {
        assert_eq!(parse(other.as_bytes(), Format::Stl).unwrap().parts, reference, "{other:?}");
    }
    let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain(text.bytes().flat_map(|b| [b, 0])).collect();
    assert_eq!(refusal(&utf16, Format::Stl), "file.x: UTF-16 text; UTF-8 is needed");
    for (from, to) in
        [("vertex 0 0 0", "vertex nan 0 0"), ("vertex 0 0 0", "vertex 0 0"), ("endloop", "vertex 1 1 1")]
    {
        assert!(refusal(text.replacen(from, to, 1).as_bytes(), Format::Stl).starts_with("file.x: line "));
    }
}

#[test]
fn a_binary_header_may_say_solid() {
    for header in
        ["solid", "solid a\nfacet normal 0 0 0\nouter loop\n", "SOLID x", "\u{feff}solid x", "", "\n\nsolid"]
    {
        for pad in [0, b' ', b'x'] {
            let mut file = samples::stl_binary();
            file[..80].fill(pad);
            file[..header.len()].copy_from_slice(header.as_bytes());
            assert_eq!(listed(&parse(&file, Format::Stl).unwrap()), four(&["file"]), "{header:?} {pad}");
            // Cut, it is still no text.
            file.truncate(file.len() - 3);
            assert!(refusal(&file, Format::Stl).contains("4 triangles announced, 3 there"));
        }
    }
}

#[test]
fn given_files_are_read() {
    let Some(folder) = carom_testkit::data::find("reports") else { return };
    for (file, names) in
        [("two_solids.stl", &["a", "b"][..]), ("nanfacet.stl", &["nanfacet"]), ("upper.stl", &["upper"])]
    {
        assert_eq!(listed(&carom_io::read(&folder.join(file)).unwrap()), four(names), "{file}");
    }
}
