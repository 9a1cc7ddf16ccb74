//! `check` on thousands of parts: known clashes, lines while it runs, and the page of clashes.

use crate::player::{n_of_hue, screenshot};
use crate::run::{carom, error, file, folder, json, stdout};
use serde_json::{Value, json};
use std::fmt::Write;

/// Writes a scene of `n` cubes of side 2 in a lattice with gaps of 1. Each tenth one is longer and
/// reaches into its neighbour, by `0.1 + i / n`.
fn write_lattice(name: &str, n: usize) {
    let mut text = String::from("{\"parts\": [\n");
    for i in 0..n {
        let (x, y, z) = (3 * (i % 20), 3 * (i / 20 % 20), 3 * (i / 400));
        let is_last = i % 20 == 19;
        // A cube reaches over the gap of 1.
        let reach = if i % 10 == 5 && !is_last { 1.1 + i as f64 / n as f64 } else { 0.0 };
        let (stretch, shift) = (1.0 + reach / 2.0, x as f64 + reach / 2.0);
        let comma = if i + 1 < n { "," } else { "" };
        writeln!(
            text,
            r#"{{"mesh":"cube.obj","name":"c{i}","scale":[{stretch},1,1],"pose":[1,0,0,{shift},0,1,0,{y},0,0,1,{z},0,0,0,1]}}{comma}"#
        )
        .unwrap();
    }
    file(name, &(text + "]}"));
}

/// The clashes of such a scene: names and depths.
fn clashes(n: usize) -> Vec<(String, String, f64)> {
    let hits = (0..n).filter(|i| i % 10 == 5 && i + 1 < n);
    hits.map(|i| (format!("c{i}"), format!("c{}", i + 1), 0.1 + i as f64 / n as f64)).collect()
}

fn check_pairs(pairs: &[Value], n: usize) {
    let truth = clashes(n);
    assert_eq!(pairs.len(), truth.len());
    for pair in pairs {
        let (a, b) = (pair["a"].as_str().unwrap(), pair["b"].as_str().unwrap());
        let known = truth.iter().find(|known| (known.0.as_str(), known.1.as_str()) == (a, b)).unwrap();
        assert_eq!(pair["contact"], "overlapping", "{pair}");
        assert!((pair["depth"].as_f64().unwrap() - known.2).abs() < 1e-9, "{pair}");
    }
}

#[test]
fn generated_parts_have_their_clashes() {
    let n = if std::env::var_os("CAROM_SLOW").is_some() { 10_000 } else { 1_000 };
    write_lattice("lattice.json", n);
    let start = std::time::Instant::now();
    let (d, status) = json("check lattice.json --json");
    println!("{n} parts in {:?}", start.elapsed());
    assert_eq!((status, d["parts"].as_array().unwrap().len()), (1, n));
    check_pairs(d["pairs"].as_array().unwrap(), n);
    // Standard error is no terminal here, so that no bar is drawn.
    assert!(carom("check lattice.json --json").stderr.is_empty());
}

#[test]
fn pairs_come_as_lines() {
    write_lattice("lines.json", 400);
    let text = stdout(&carom("check lines.json --json-lines"));
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let last = lines.pop().unwrap();
    check_pairs(&lines, 400);
    let (whole, _) = json("check lines.json --json");
    assert_eq!(whole["pairs"].as_array().unwrap(), &lines);
    assert_eq!((&last["n_pairs"], &last["clear"]), (&json!(lines.len()), &json!(false)));
    assert_eq!((last.get("pairs"), &last["parts"]), (None, &whole["parts"]));
    assert!(error("check lines.json --json --json-lines").contains("cannot be used with"));
}

/// The description of its recording in a page.
pub(crate) fn description(page: &str) -> Value {
    use base64::Engine;
    use std::io::Read;
    let start = page.find("type=\"text/plain\">").unwrap() + "type=\"text/plain\">".len();
    let data = &page[start..start + page[start..].find('<').unwrap()];
    let packed = base64::engine::general_purpose::STANDARD.decode(data.trim()).unwrap();
    let mut bytes = Vec::new();
    flate2::read::ZlibDecoder::new(&packed[..]).read_to_end(&mut bytes).unwrap();
    let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
    serde_json::from_slice(&bytes[4..4 + length]).unwrap()
}

#[test]
fn the_page_lists_by_depth_and_shows_the_pair() {
    write_lattice("page.json", 400);
    carom("check page.json --html many.html");
    let page = folder().join("many.html");
    let table = &description(&std::fs::read_to_string(&page).unwrap())["table"];
    let rows = table["rows"].as_array().unwrap();
    assert_eq!((rows.len(), table["points"].as_array().unwrap().len()), (40, 40));
    let depths: Vec<f64> = rows.iter().map(|row| row[5].as_f64().unwrap()).collect();
    assert!(depths.is_sorted_by(|a, b| b <= a), "{depths:?}");
    assert_eq!((&rows[0][0], &rows[0][1]), (&json!("c395"), &json!("c396")));
    let picture = |fragment: &str, name: &str| screenshot(&page, fragment, &folder().join(name));
    let Some(all) = picture("frame=0", "many_all.png") else {
        return;
    };
    let Some(one) = picture("frame=0&pair=1", "many_one.png") else { return };
    // Parts that collide are red; others are grey. A chosen pair is red and blue, alone and near.
    let red = |picture: &(usize, Vec<[u8; 3]>)| n_of_hue(picture, [214.0, 62.0, 62.0]);
    let blue = |picture: &(usize, Vec<[u8; 3]>)| n_of_hue(picture, [58.0, 110.0, 196.0]);
    let counts = [red(&all), red(&one), blue(&all), blue(&one)];
    println!("red and blue pixels: {counts:?}");
    assert!(200 < counts[0] && counts[0] < counts[1], "{counts:?}");
    assert!(10 * counts[2] < counts[3] && 20_000 < counts[3], "{counts:?}");
}
