//! OFF files: headers, polygons, counts, comments, and refusals.

use super::{mesh, parse, refusal, samples};
use carom_io::{Format, RawMesh};

/// The area and the volume of a mesh.
pub(crate) fn measures(mesh: &RawMesh) -> (f64, f64) {
    let corners = mesh.triangles.iter().map(|t| t.map(|v| mesh.vertices[v as usize]));
    corners.fold((0.0, 0.0), |(area, volume), [a, b, c]| {
        (area + 0.5 * (b - a).cross(c - a).length(), volume + a.dot(b.cross(c)) / 6.0)
    })
}

/// A box of 1 by 2 by 3 from quadrilaterals.
const BOX: &str = "8 6 12\n0 0 0\n1 0 0\n1 2 0\n0 2 0\n0 0 3\n1 0 3\n1 2 3\n0 2 3\n\
                   4 0 3 2 1\n4 4 5 6 7\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n";

#[test]
fn headers_of_each_kind_are_read() {
    let tetra = mesh(samples::OFF, Format::Off);
    assert_eq!(tetra, mesh(samples::OBJ, Format::Obj));
    let plain = mesh(format!("OFF\n{BOX}").as_bytes(), Format::Off);
    assert_eq!(measures(&plain), (22.0, 6.0));
    // The keyword may be missing, and may touch the counts.
    for text in [BOX.to_owned(), format!("OFF{BOX}"), format!("OFF {BOX}"), format!(" \t OFF\r\n{BOX}")] {
        assert_eq!(mesh(text.as_bytes(), Format::Off), plain, "{text}");
    }
    let with = |header: &str, extra: &str| {
        let mut n = 0;
        let mut text = format!("# first\n{header} # kind\n");
        for line in BOX.lines() {
            n += 1;
            let is_vertex = 2 <= n && n <= 9;
            text += &format!("{line}{}\n\n", if is_vertex { extra } else { " # comment" });
        }
        text
    };
    for (header, extra) in [
        ("NOFF", " 0 0 1"),
        ("COFF", " 255 0 0 255"),
        ("COFF", " 255 0 0"),
        ("CNOFF", " 0 0 1 1 1 1 1"),
        ("STOFF", " 0.5 0.5"),
        ("STCNOFF", " 0 0 1 1 1 1 1 0.5 0.5"),
    ] {
        let text = with(header, extra);
        let model = parse(text.as_bytes(), Format::Off).unwrap();
        assert!(model.notes.is_empty(), "{:?}", model.notes);
        assert_eq!(model.parts[0].world_mesh().unwrap(), plain);
        assert!(refusal(with(header, "").as_bytes(), Format::Off).contains("by the header"));
    }
    // Numbers that the header does not announce are noted.
    let model = parse(with("OFF", " 255 0 0").as_bytes(), Format::Off).unwrap();
    assert_eq!(model.notes, ["vertices have numbers behind their positions that the header lacks"]);
    assert_eq!(model.parts[0].world_mesh().unwrap(), plain);
}

#[test]
fn concave_polygons_keep_their_area() {
    // An L of area 3, whose fan from the first corner would cover the notch.
    let text = "OFF\n6 1 0\n1 1 0\n1 2 0\n0 2 0\n0 0 0\n2 0 0\n2 1 0\n6 2 3 4 5 0 1\n";
    assert_eq!(measures(&mesh(text.as_bytes(), Format::Off)).0, 3.0);
}

#[test]
fn counts_are_those_of_the_file() {
    for (from, to, message) in [
        ("8 6 12", "9 6 12", "file.x: 6 faces announced, 5 there"),
        ("8 6 12", "8 7 12", "file.x: 7 faces announced, 6 there"),
        ("8 6 12", "8 5 12", "file.x: line 16: a line behind the faces that are announced"),
        ("8 6 12", "18446744073709551615 6 0", "vertices announced, 14 there"),
        ("8 6 12", "8 18446744073709551615 0", "faces announced, 6 there"),
        ("8 6 12", "8", "file.x: line 2: 1 counts"),
        ("8 6 12", "8 6 12 1", "file.x: line 2: more than the three counts"),
        ("8 6 12", "-8 6 12", "file.x: line 2: \"-8\" is not a count"),
        ("4 4 5 6 7", "4 4 5 6", "file.x: line 12: 4 corners announced, 3 there"),
        ("4 4 5 6 7", "4 4 5 6 8", "file.x: line 12: vertex 8 is out of range: 8, counted from 0"),
        ("4 4 5 6 7", "4 4 5 6 -1", "file.x: line 12: vertex -1 is out of range"),
        ("4 4 5 6 7", "4 4 5 6 7 1 1 1 1 1", "5 numbers behind the 4 corners"),
        ("1 2 3\n", "1 nan 3\n", "file.x: line 9: coordinate nan is not finite"),
        ("1 2 3\n", "1 1e999 3\n", "file.x: line 9: coordinate 1e999 is not finite"),
        ("1 2 3\n", "1 2\n", "file.x: line 9: a vertex with 2 coordinates"),
        ("1 2 3\n", "1 x 3\n", "file.x: line 9: \"x\" is not a number"),
    ] {
        let text = format!("OFF\n{BOX}").replacen(from, to, 1);
        let said = refusal(text.as_bytes(), Format::Off);
        assert!(said.contains(message), "{said}; {message}");
    }
    assert!(refusal(b"OFF BINARY\n\0\0\0\x08", Format::Off).contains("export it as text"));
    assert!(refusal(b"4OFF\n1 0 0\n0 0 0 0\n", Format::Off).contains("other than three dimensions"));
    assert!(refusal(b"OFF\n0 0 0\n", Format::Off).contains("the mesh is empty"));
    assert!(refusal(b"OFF\n", Format::Off).contains("ends before the counts"));
}

#[test]
fn faces_without_a_surface_are_noted() {
    let text = format!("OFF\n{}2 0 1\n1 5\n", BOX.replace("8 6 12", "8 8 12"));
    let model = parse(text.as_bytes(), Format::Off).unwrap();
    assert_eq!(model.notes, ["2 faces of one or two corners are left out, the first at line 17: no surface"]);
    assert_eq!(model.parts[0].n_triangles(), 12);
}
