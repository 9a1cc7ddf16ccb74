//! `carom pairs`: every algorithm on a recorded run, and the errors of bad recordings.

use crate::run::{carom, error, folder, json, stdout};
use carom_broad_auto::catalogue::ALGORITHMS;
use carom_scenes::{Crowd, CrowdKind};
use std::fmt::Write;

const HEADER: &str = "frame,id,minx,miny,minz,maxx,maxy,maxz\n";

/// Boxes that come, move and go.
fn recording(name: &str) -> usize {
    let mut crowd = Crowd::new(CrowdKind::Fast, 600, 4);
    let mut text = String::from(HEADER);
    let mut n_pairs = 0;
    for frame in 0..6_u64 {
        crowd.step();
        let there: Vec<_> = crowd
            .boxes()
            .iter()
            .enumerate()
            .filter(|(i, _)| !(*i as u64 + frame).is_multiple_of(7))
            .collect();
        for (i, aabb) in &there {
            let (a, b) = (aabb.min, aabb.max);
            writeln!(text, "{frame},{},{},{},{},{},{},{}", i * 10, a.x, a.y, a.z, b.x, b.y, b.z).unwrap();
        }
        for (k, (_, a)) in there.iter().enumerate() {
            let touches = |b: &carom_bounds::Aabb| a.min.cmple(b.max).all() && b.min.cmple(a.max).all();
            n_pairs += there[k + 1..].iter().filter(|(_, b)| touches(b)).count();
        }
    }
    std::fs::write(folder().join(name), text).unwrap();
    n_pairs
}

#[test]
fn all_algorithms_give_the_same_pairs() {
    let n_pairs = recording("run.csv");
    let (d, status) = json("pairs run.csv --json");
    assert_eq!(status, 0);
    assert_eq!(d["schema"], "carom.pairs.v1");
    let counts: Vec<u64> = d["frames"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
    assert_eq!((counts.len(), counts.iter().sum::<u64>()), (6, n_pairs as u64));
    let results = d["results"].as_array().unwrap();
    assert_eq!(results.len(), ALGORITHMS.len());
    for result in results {
        let name = result["broad_phase"].as_str().unwrap();
        assert!(0.0 < result["ms_per_frame"].as_f64().unwrap(), "{name}");
        let (one, _) = json(&format!("pairs run.csv --broad-phase {name} --json"));
        assert_eq!((&one["hash"], &one["frames"]), (&d["hash"], &d["frames"]), "{name}");
        assert_eq!(one["results"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn a_table_for_people() {
    recording("table.csv");
    let text = stdout(&carom("pairs table.csv"));
    assert!(text.starts_with("6 frames, at most 515 boxes, "), "{text}");
    assert_eq!(text.lines().count(), 2 + ALGORITHMS.len());
    assert_eq!(text.matches("  fastest").count(), 1);
}

#[test]
fn bad_recordings_are_refused_with_the_line() {
    for (name, body, expected) in [
        ("empty.csv", String::new(), "no column frame in the first line"),
        ("none.csv", HEADER.to_owned(), "no frames"),
        ("columns.csv", "frame,id,minx\n0,1,2\n".to_owned(), "no column miny in the first line"),
        (
            "nan.csv",
            format!("{HEADER}0,1,0,0,0,1,1,1\n0,2,0,NaN,0,1,1,1\n"),
            "line 3: miny \"NaN\" is not a finite number",
        ),
        ("far.csv", format!("{HEADER}0,1,0,0,0,1e39,1,1\n"), "line 2: maxx \"1e39\" is not a finite number"),
        ("inverted.csv", format!("{HEADER}0,1,0,2,0,1,1,1\n"), "line 2: miny 2 is above maxy 1"),
        (
            "twice.csv",
            format!("{HEADER}0,1,0,0,0,1,1,1\n0,1,0,0,0,1,1,1\n"),
            "line 3: id 1 is in frame 0 already",
        ),
        ("back.csv", format!("{HEADER}5,1,0,0,0,1,1,1\n4,1,0,0,0,1,1,1\n"), "line 3: frame 4 after frame 5"),
        ("word.csv", format!("{HEADER}0,box,0,0,0,1,1,1\n"), "line 2: id \"box\" is not a whole number"),
    ] {
        std::fs::write(folder().join(name), body).unwrap();
        assert_eq!(error(&format!("pairs {name}")), format!("error: {name}: {expected}"));
    }
    // Tables of programs that write decimal commas.
    const WANTED: &str = "values are separated by commas, and numbers have a decimal point (1.5)";
    for (name, body, expected) in [
        (
            "semicolons.csv",
            HEADER.replace(',', ";"),
            format!("line 1: {:?} has no comma: ", HEADER.trim().replace(',', ";")),
        ),
        (
            "commas.csv",
            format!("{HEADER}0,1,0,5,0,0,1,1,1\n"),
            "line 2: 9 values below 8 columns: ".to_owned(),
        ),
        (
            "quoted.csv",
            format!("{HEADER}0,1,\"0,5\",0,0,1,1,1\n"),
            "line 2: minx \"0,5\" is not a finite number: ".to_owned(),
        ),
    ] {
        std::fs::write(folder().join(name), body).unwrap();
        assert_eq!(error(&format!("pairs {name}")), format!("error: {name}: {expected}{WANTED}"));
    }
    let short = format!("{HEADER}0,1,0\n");
    std::fs::write(folder().join("short.csv"), short).unwrap();
    assert!(error("pairs short.csv").contains("short.csv: line 2: "));
    assert!(error("pairs run.csv --broad-phase magic").contains("magic"));
    assert!(error("pairs nowhere.csv").contains("nowhere.csv"));
}
