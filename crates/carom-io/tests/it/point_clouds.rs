//! Point clouds: each format gives the same points, and refusals name the line.

use carom_io::{Points, parse_points};
use glam::DVec3;
use std::path::Path;

fn parse(bytes: &[u8], name: &str) -> Result<Points, String> {
    parse_points(bytes, Path::new(name)).map_err(|e| e.to_string())
}

const POINTS: [[f32; 3]; 3] = [[0.0, 1.5, -2.0], [1e3, 0.25, 0.5], [-1.0, -0.125, 8.0]];

fn text(between: &str) -> String {
    POINTS.iter().map(|p| p.map(|x| x.to_string()).join(between) + "\n").collect()
}

fn binary() -> Vec<u8> {
    POINTS.iter().flatten().flat_map(|x| x.to_le_bytes()).collect()
}

const PCD: &str = "# .PCD v0.7\nVERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 3\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 3\nDATA ";
const PLY: &str = "ply\nformat FORMAT 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nend_header\n";

#[test]
fn every_format_gives_the_same_points() {
    let truth: Vec<DVec3> = POINTS.iter().map(|p| DVec3::from_array(p.map(f64::from))).collect();
    let with = |head: &str, data: &[u8]| [head.as_bytes(), data].concat();
    let files: [(Vec<u8>, &str); 7] = [
        (text(" ").into_bytes(), "a.xyz"),
        (text(", ").replace('\n', "\r\n").into_bytes(), "a.XYZ"),
        (format!("# x y z\n\n{}", text("\t")).into_bytes(), "a.txt"),
        (with(&format!("{PCD}ascii\n"), text(" ").as_bytes()), "a.pcd"),
        (with(&format!("{PCD}binary\n"), &binary()), "a.pcd"),
        (with(&PLY.replace("FORMAT", "ascii"), text(" ").as_bytes()), "a.ply"),
        (with(&PLY.replace("FORMAT", "binary_little_endian"), &binary()), "a.ply"),
    ];
    for (bytes, name) in files {
        let found = parse(&bytes, name).unwrap();
        assert_eq!((found.points, found.notes), (truth.clone(), vec![]), "{name}");
    }
}

#[test]
fn what_is_left_out_is_noted() {
    let colours = parse(b"1 2 3 255 0 0\n4 5 6\n", "a.xyz").unwrap();
    assert_eq!(colours.points.len(), 2);
    assert_eq!(colours.notes, ["1 lines have more than three numbers; the others are not read"]);
    let head = PCD.replace("FIELDS x y z", "FIELDS rgb x y z").replace("4 4 4", "4 4 4 4");
    let head = head.replace("F F F", "F F F F").replace("1 1 1\n", "1 1 1 1\n");
    let data = "0 nan nan nan\n0 1 2 3\n0 4 5 6\n";
    let found = parse(format!("{head}ascii\n{data}").as_bytes(), "a.pcd").unwrap();
    assert_eq!(found.points, [DVec3::new(1.0, 2.0, 3.0), DVec3::new(4.0, 5.0, 6.0)]);
    assert_eq!(found.notes, ["1 points without a measurement (NaN) are left out"]);
    let faces = PLY
        .replace("FORMAT", "ascii")
        .replace("end_header", "element face 1\nproperty list uchar int vertex_indices\nend_header");
    let found = parse(format!("{faces}{}3 0 1 2\n", text(" ")).as_bytes(), "a.ply").unwrap();
    assert_eq!((found.points.len(), found.notes.len()), (3, 1));
}

#[test]
fn refusals_name_file_and_location() {
    let pcd = |data: &str| format!("{PCD}{data}").into_bytes();
    let cases: [(Vec<u8>, &str, &str); 15] = [
        (b"1 2\n".to_vec(), "a.xyz", "a.xyz: line 1: fewer than three numbers"),
        (b"1 2 3\n1 b 3\n".to_vec(), "a.xyz", "line 2: \"b\" is no number"),
        (b"1 2 3\n1 nan 3\n".to_vec(), "a.xyz", "point 1: "),
        (b"1 2 1e999\n".to_vec(), "a.xyz", "point 0: "),
        (b"# nothing\n".to_vec(), "a.xyz", "no point"),
        (b"\xfa\n".to_vec(), "a.xyz", "line 1: not text"),
        (b"\xff\xfe\n".to_vec(), "a.xyz", "a.xyz: UTF-16 text; UTF-8 is needed"),
        (b"1 2 3\n".to_vec(), "a.las", "a.las"),
        (pcd("ascii\n1 2 3\n"), "a.pcd", "3 points announced, 1 there"),
        (pcd("ascii\n1 2 3\n1 2\n1 2 3\n"), "a.pcd", "point 1: 2 values, but a point has 3"),
        (pcd("binary\n1 2 3\n"), "a.pcd", "3 points of 12 bytes announced, 6 bytes there"),
        (pcd("binary_compressed\n"), "a.pcd", "a compressed file"),
        (pcd("xml\n"), "a.pcd", "is not ascii or binary"),
        (PCD.replace("POINTS 3", "POINTS 99999999999999").into_bytes(), "a.pcd", "no line DATA"),
        (format!("{}ascii\n", PCD.replace("x y z", "x y w")).into_bytes(), "a.pcd", "x, y and z are needed"),
    ];
    for (bytes, name, reason) in cases {
        let error = parse(&bytes, name).unwrap_err();
        assert!(error.contains(reason), "{error} | {reason}");
    }
    // Cut anywhere: no panic. A cut number is a number.
    let whole = pcd(&format!("ascii\n{}", text(" ")));
    for end in 0..whole.len() {
        let _ = parse(&whole[..end], "a.pcd");
        let _ = parse(&whole[..end], "a.xyz");
    }
}

/// A comma is a separator or a decimal sign. If it may be either, no number is read.
#[test]
fn decimal_commas_are_refused() {
    for (text, line, word) in [
        ("1,5 2,5 3,5\n", 1, "1,5"),
        ("1 2 3\n1 2,5 3\n", 2, "2,5"),
        ("0;0;0\n1,5;2,5;3,5\n", 2, "1,5"),
        ("1,5\t-2,25\t3\n", 1, "1,5"),
        ("-1,5 2,5\n", 1, "-1,5"),
        ("1,5; 2,5; 3,5; 255\n", 1, "1,5"),
    ] {
        let wanted = format!(
            "a.xyz: line {line}: {word:?} may be one number or two: a decimal point is needed ({})",
            word.replace(',', ".")
        );
        assert_eq!(parse(text.as_bytes(), "a.xyz").unwrap_err(), wanted, "{text:?}");
    }
    for text in ["1,2,3", "1, 2, 3", "1 ,2 ,3", "1,2, 3", "1,2,3 255 0 0", "1;2;3", "1,2,3;255", "1.0,2e0,3"]
    {
        let found = parse(text.as_bytes(), "a.xyz").unwrap();
        assert_eq!(found.points, [DVec3::new(1.0, 2.0, 3.0)], "{text:?}");
    }
}
