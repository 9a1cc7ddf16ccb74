//! `cargo xtask cases`: tests the program `carom`, as a user runs it, on real data with known
//! answers.
//!
//! Mesh pairs, hulls, rays and points go through `carom batch`; assemblies and robots through
//! `carom check`; files that failed for users through the commands that failed, with a bound on
//! time. The data is in `shared/data` beside the checkout, or in the folder `CAROM_DATA`. Absent
//! data is skipped with a line.

use crate::Error;
use crate::metadata::list;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The accuracy of reference distances, relative to the size of the case.
const DISTANCE: f64 = 1e-9;
/// The accuracy of hull distances, relative to the size: the files are in `f32`, and the
/// references come from a hull of differences.
const HULL: f64 = 1e-6;
/// The accuracy of a ray's parameter and of a point's distance, relative to it.
const RELATIVE: f64 = 1e-9;
/// Rays of ray_cases.json that pass 2.7e-16 beside an edge. The reference counts them as hits,
/// because it accepts 1e-9. The exact answer is a later triangle; a test of carom-query shows that
/// in rational numbers.
const BESIDE_AN_EDGE: [usize; 4] = [113, 125, 128, 137];
/// Meshes of point_cases.json with edges of one triangle, or of more than two. They have no
/// inside, and the answer must say so.
const AMBIGUOUS: [&str; 5] =
    ["featuretype", "triangle_soup_100", "height_field_20k", "stadium", "chair_duplicates"];
/// A hostile file is answered or refused within this time.
const PATIENCE: Duration = Duration::from_secs(10);
/// The number of wrong answers that are printed; the others are counted.
const MAX_PRINTED: usize = 8;

/// The counts of right and wrong answers of one kind.
#[derive(Default)]
struct Score {
    right: u32,
    wrong: u32,
    failures: Vec<String>,
}

impl Score {
    fn count(&mut self, is_right: bool, say: impl FnOnce() -> String) {
        if is_right {
            self.right += 1;
            return;
        }
        self.wrong += 1;
        if self.failures.len() < MAX_PRINTED {
            self.failures.push(say());
        }
    }
}

/// The program, the data, and a folder for files of queries.
struct Bench {
    program: PathBuf,
    data: PathBuf,
    room: PathBuf,
    /// Mesh name to file.
    meshes: BTreeMap<String, String>,
}

/// A function that sends every case of a file to the program.
type CaseFn = fn(&Bench, &Value) -> Result<Score, Error>;

/// Runs all cases. Returns true if no answer was wrong.
pub(crate) fn run(root: &Path) -> Result<bool, Error> {
    let data = std::env::var_os("CAROM_DATA").map_or_else(|| root.join("../shared/data"), PathBuf::from);
    if !data.is_dir() {
        println!("skipped: there is no data folder at {}", data.display());
        return Ok(true);
    }
    let room = root.join("target").join("cases");
    std::fs::create_dir_all(&room)?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let is_built = Command::new(cargo)
        .current_dir(root)
        .args(["build", "--quiet", "--release", "-p", "carom-cli"])
        .status()?
        .success();
    if !is_built {
        return Err("the program does not build".into());
    }
    let program = root.join("target/release").join(format!("carom{}", std::env::consts::EXE_SUFFIX));
    let mut bench = Bench { program, data, room, meshes: BTreeMap::new() };
    bench.meshes = bench.mesh_files()?;

    let mut is_right = true;
    let kinds: [(&str, CaseFn, &str); 4] = [
        ("mesh pairs", mesh_pairs, "pairs/cases.json"),
        ("hull pairs", hull_pairs, "hulls/hull_cases.json"),
        ("rays", rays, "queries/ray_cases.json"),
        ("points", points, "queries/point_cases.json"),
    ];
    for (name, score_of, file) in kinds {
        let Some(cases) = bench.load(file)? else { continue };
        is_right &= print_score(name, &score_of(&bench, &cases)?);
    }
    for (folder, file) in [("assemblies", "assembly.json"), ("robots", "assembly_zero_pose.json")] {
        let Ok(entries) = std::fs::read_dir(bench.data.join(folder)) else {
            println!("skipped: no {folder} in the data folder");
            continue;
        };
        let mut names: Vec<String> = entries
            .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
            .filter(|name| bench.data.join(folder).join(name).join(file).exists())
            .collect();
        names.sort();
        for name in names {
            let case_folder = format!("{folder}/{name}");
            is_right &= print_score(&case_folder, &assembly(&bench, &case_folder, file)?);
        }
    }
    if bench.data.join("reports").is_dir() {
        is_right &= print_score("reports", &reports(&bench)?);
        is_right &= print_score("hostile files", &hostile(&bench)?);
    } else {
        println!("skipped: no reports in the data folder");
    }
    Ok(is_right)
}

/// Files that failed for users: the command before the file, what follows it, the exit status, and
/// words of the answer or of the refusal.
const REPORTS: [(&str, &str, &str, i32, &[&str]); 22] = [
    ("check", "two_solids.stl", "--json", 0, &[r#""parts":["a","b"]"#, r#""clear":true"#]),
    ("check", "nanfacet.stl", "--json", 0, &[r#""parts":["nanfacet"]"#]),
    ("check", "upper.stl", "--json", 0, &[r#""parts":["upper"]"#]),
    ("distance", "channel_ngon.obj", "PEG --json", 0, &[r#""distance":0.5"#]),
    ("distance", "channel_ngon2.obj", "PEG --json", 0, &[r#""distance":0.5"#]),
    ("distance", "u_channel.obj", "PEG --json", 0, &[r#""distance":0.5"#]),
    ("info", "wallhole.obj", "--json", 0, &[r#""notes":[],"unread":[]"#]),
    ("check", "p_strips.ply", "--json", 0, &[r#""clear":true"#]),
    ("check", "g_inst_used.gltf", "--json", 0, &[r#""parts":["node0","node0#2"]"#]),
    ("check", "g_inst_req.gltf", "--json", 0, &[r#""parts":["node0","node0#2"]"#]),
    ("info", "g_quant16.gltf", "--json", 0, &[r#""max":[2.0,2.0,2.0]"#]),
    ("info", "g_draco.gltf", "--json", 2, &["KHR_draco_mesh_compression"]),
    ("info", "g_float_neg.gltf", "--json", 0, &[r#""min":[-1.0,0.0,0.0]"#]),
    ("check", "urdf/my_robot/dae.urdf", "--json", 2, &["dae.urdf: link b: ", "t.dae", "COLLADA"]),
    ("check", "urdf/my_robot/dae.urdf", "--json --keep-going", 2, &[r#""clear":false"#, "link b", "t.dae"]),
    ("check", "urdf/my_robot/missing.urdf", "--json", 2, &["missing.urdf: link b: ", "nothere.stl"]),
    ("check", "urdf/my_robot/x.urdf", "--json", 2, &["this is a xacro file: expand it first"]),
    ("check", "urdf/my_robot/robot.urdf.xacro", "--json", 2, &["this is a xacro file: expand it first"]),
    ("check", "urdf/my_robot/scale.urdf", "--json", 0, &[r#""clear":true"#]),
    ("info", "hostile/bom.obj", "--json", 0, &[r#""triangles":1"#]),
    ("info", "hostile/nobom.obj", "--json", 0, &[r#""triangles":1"#]),
    ("check", "hostile/scene_devzero.json", "--json", 2, &["--allow-outside"]),
];

fn reports(bench: &Bench) -> Result<Score, Error> {
    let folder = bench.data.join("reports");
    let mut score = Score::default();
    for (command, file, more, status, words) in REPORTS {
        let mut run = Command::new(&bench.program);
        run.arg(command).arg(folder.join(file));
        for word in more.split_whitespace() {
            if word == "PEG" {
                run.arg(folder.join("peg.obj"))
            } else {
                run.arg(word)
            };
        }
        let output = run.output()?;
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        let is_right = output.status.code() == Some(status) && words.iter().all(|word| text.contains(word));
        score.count(is_right, || format!("{command} {file} {more}: {:?} {text}", output.status.code()));
    }
    Ok(score)
}

/// Each hostile file is answered or refused in [`PATIENCE`], refused in one line, and never by a
/// signal.
fn hostile(bench: &Bench) -> Result<Score, Error> {
    let mut score = Score::default();
    let mut files: Vec<PathBuf> = std::fs::read_dir(bench.data.join("reports/hostile"))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.sort();
    for file in files {
        let is_level = file.extension().is_some_and(|end| end == "map")
            || file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("lvl_"));
        let words = if is_level { "trace FILE --from 0,0,0 --to 9,0,0" } else { "info FILE" };
        let mut run = Command::new(&bench.program);
        for word in words.split(' ') {
            if word == "FILE" {
                run.arg(&file)
            } else {
                run.arg(word)
            };
        }
        let start = Instant::now();
        let output = run.output()?;
        let elapsed = start.elapsed();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_ended = matches!(output.status.code(), Some(0 | 1))
            || (output.status.code() == Some(2) && errors.lines().count() == 1);
        score.count(is_ended && elapsed < PATIENCE, || {
            format!("{}: {:?} after {elapsed:?}: {errors}", file.display(), output.status.code())
        });
    }
    Ok(score)
}

fn print_score(name: &str, score: &Score) -> bool {
    println!("{name}: {} right, {} wrong", score.right, score.wrong);
    for line in &score.failures {
        println!("    {line}");
    }
    score.wrong == 0
}

impl Bench {
    /// Reads a JSON file of the data. Prints a line and returns `None` if it is absent.
    fn load(&self, file: &str) -> Result<Option<Value>, Error> {
        let path = self.data.join(file);
        if !path.exists() {
            println!("skipped: no {file} in the data folder");
            return Ok(None);
        }
        Ok(Some(serde_json::from_slice(&std::fs::read(path)?)?))
    }

    fn mesh_files(&self) -> Result<BTreeMap<String, String>, Error> {
        let folder = self.data.join("meshes");
        let mut found = BTreeMap::new();
        if !folder.is_dir() {
            return Ok(found);
        }
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let is_mesh = path.extension().is_some_and(|end| end == "obj" || end == "ply");
            if let (true, Some(stem)) = (is_mesh, path.file_stem()) {
                found.insert(stem.to_string_lossy().into_owned(), path.to_string_lossy().into_owned());
            }
        }
        Ok(found)
    }

    fn mesh(&self, name: &Value, scale: &Value) -> Value {
        let file = name.as_str().and_then(|name| self.meshes.get(name));
        json!({"file": file, "scale": if scale.is_null() { json!(1.0) } else { scale.clone() }})
    }

    /// Sends queries to one run of `carom batch`. Returns the answers in the same order.
    fn batch(&self, name: &str, questions: &[Value]) -> Result<Vec<Value>, Error> {
        let file = self.room.join(format!("{name}.jsonl"));
        let text: String = questions.iter().map(|question| format!("{question}\n")).collect();
        std::fs::write(&file, text)?;
        let output = Command::new(&self.program).arg("batch").arg(&file).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let answers: Vec<Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        if answers.len() != questions.len() {
            let errors = String::from_utf8_lossy(&output.stderr);
            return Err(format!(
                "{name}: {} questions, {} answers\n{errors}",
                questions.len(),
                answers.len()
            )
            .into());
        }
        Ok(answers)
    }
}

/// Whether the number in `answer` is within `tolerance` of `expected`.
fn is_near(answer: &Value, expected: &Value, tolerance: f64) -> bool {
    match (answer.as_f64(), expected.as_f64()) {
        (Some(answer), Some(expected)) => (answer - expected).abs() <= tolerance,
        _ => false,
    }
}

fn mesh_pairs(bench: &Bench, cases: &Value) -> Result<Score, Error> {
    let questions: Vec<Value> = list(&cases["cases"])
        .map(|case| {
            json!({
                "id": case["id"], "op": "distance",
                "a": bench.mesh(&case["mesh_a"], &case["scale_a"]),
                "b": bench.mesh(&case["mesh_b"], &case["scale_b"]),
                "matrix_b": case["pose_b"],
            })
        })
        .collect();
    let answers = bench.batch("mesh_pairs", &questions)?;
    let mut score = Score::default();
    for (case, answer) in list(&cases["cases"]).zip(&answers) {
        let size = case["size"].as_f64().unwrap_or(0.0);
        let is_right = answer["intersects"] == case["intersect"]
            && answer["triangle_pairs"] == case["tri_pairs"]
            && is_near(&answer["distance"], &case["distance"], DISTANCE * size);
        score.count(is_right, || {
            format!(
                "{}: {} {} {}: expected {} {} {}, got {answer}",
                case["id"],
                case["mesh_a"],
                case["mesh_b"],
                case["kind"],
                case["intersect"],
                case["tri_pairs"],
                case["distance"]
            )
        });
    }
    Ok(score)
}

fn hull_pairs(bench: &Bench, cases: &Value) -> Result<Score, Error> {
    let mut score = Score::default();
    let file = bench.data.join("hulls/jolt_hulls.bin");
    if !file.exists() {
        println!("skipped: no hulls/jolt_hulls.bin in the data folder");
        return Ok(score);
    }
    let hulls = hull_points(&std::fs::read(file)?);
    let hull = |number: &Value| {
        let points = number.as_u64().and_then(|i| hulls.get(i as usize));
        json!({ "hull": points })
    };
    let list: Vec<&Value> = list(cases.get("cases").unwrap_or(cases)).collect();
    let questions: Vec<Value> = list
        .iter()
        .map(|case| {
            json!({
                "id": case["id"], "op": "contact",
                "a": hull(&case["hull_a"]), "b": hull(&case["hull_b"]), "matrix_b": case["pose_b"],
            })
        })
        .collect();
    for (case, answer) in list.iter().zip(&bench.batch("hull_pairs", &questions)?) {
        let (expected, size) = (&case["expected"], case["size"].as_f64().unwrap_or(0.0));
        let depth = if answer["depth"].is_null() { &json!(0.0) } else { &answer["depth"] };
        let is_right = answer["intersects"] == expected["intersect"]
            && is_near(&answer["distance"], &expected["distance_minkowski"], HULL * size)
            && is_near(depth, &expected["depth_minkowski"], HULL * size);
        score.count(is_right, || format!("{}: expected {expected}, got {answer}", case["id"]));
    }
    Ok(score)
}

/// Reads point sets: each is a count, and this number of triples of `f32`, little-endian.
fn hull_points(bytes: &[u8]) -> Vec<Vec<[f32; 3]>> {
    let mut words = bytes.chunks_exact(4).map(|word| [word[0], word[1], word[2], word[3]]);
    let mut hulls = Vec::new();
    while let Some(count) = words.next() {
        let count = u32::from_le_bytes(count) as usize;
        let mut points = Vec::new();
        for _ in 0..count {
            let mut next = || words.next().map(f32::from_le_bytes);
            let (Some(x), Some(y), Some(z)) = (next(), next(), next()) else { return hulls };
            points.push([x, y, z]);
        }
        hulls.push(points);
    }
    hulls
}

fn rays(bench: &Bench, cases: &Value) -> Result<Score, Error> {
    let questions: Vec<Value> = list(&cases["cases"])
        .enumerate()
        .map(|(id, case)| {
            json!({
                "id": id, "op": "ray", "a": bench.mesh(&case["mesh"], &Value::Null),
                "origin": case["origin"], "dir": case["dir"], "all": true,
            })
        })
        .collect();
    let answers = bench.batch("rays", &questions)?;
    let mut score = Score::default();
    for ((id, case), answer) in list(&cases["cases"]).enumerate().zip(&answers) {
        let n_hits = answer["hits"].as_array().map(Vec::len);
        let first = &answer["hits"][0];
        let expected = case["t"].as_f64();
        // A hit on an edge belongs to several triangles. Then only the place of the first hit must
        // agree.
        let is_clean = case["clean"] == true;
        let is_right = match expected {
            None => n_hits == Some(0) || (!is_clean && n_hits.is_some()),
            Some(t) if BESIDE_AN_EDGE.contains(&id) => first["t"].as_f64().is_some_and(|first| t < first),
            Some(t) => {
                is_near(&first["t"], &case["t"], RELATIVE * t.abs().max(1.0))
                    && (!is_clean || n_hits == case["hits"].as_u64().map(|hits| hits as usize))
            }
        };
        score.count(is_right, || format!("{id}: {case}: got {answer}"));
    }
    Ok(score)
}

fn points(bench: &Bench, cases: &Value) -> Result<Score, Error> {
    let questions: Vec<Value> = list(&cases["cases"])
        .enumerate()
        .map(|(id, case)| {
            json!({
                "id": id, "op": "point", "a": bench.mesh(&case["mesh"], &Value::Null), "point": case["point"],
            })
        })
        .collect();
    let answers = bench.batch("points", &questions)?;
    let mut score = Score::default();
    for ((id, case), answer) in list(&cases["cases"]).enumerate().zip(&answers) {
        let expected = case["distance"].as_f64().unwrap_or(f64::NAN);
        let winding = case["winding_number"].as_f64().unwrap_or(f64::NAN);
        // A winding number between 0 and 1 means that the mesh is open or overlaps itself there.
        // Then inside is not defined.
        let is_clear = winding.abs() < 0.01 || (winding.abs() - 1.0).abs() < 0.01;
        // Signed distances are compared by their absolute value.
        let distance = answer["distance"].as_f64().map(f64::abs);
        let is_right = distance.is_some_and(|d| (d - expected).abs() <= RELATIVE * expected.abs().max(1.0))
            && if case["mesh"].as_str().is_some_and(|mesh| AMBIGUOUS.contains(&mesh)) {
                answer["inside"].is_null() && list(&answer["notes"]).next().is_some()
            } else {
                !is_clear || answer["inside"] == (0.5 < winding.abs())
            };
        score.count(is_right, || format!("{id}: {case}: got {answer}"));
    }
    Ok(score)
}

/// Compares every pair of parts of one assembly: whether they intersect, and the number of
/// triangle pairs.
fn assembly(bench: &Bench, case_folder: &str, file: &str) -> Result<Score, Error> {
    let mut score = Score::default();
    let Some(expected) = bench.load(&format!("{case_folder}/pair_answers.json"))? else { return Ok(score) };
    let output = Command::new(&bench.program)
        .arg("check")
        .arg(bench.data.join(case_folder).join(file))
        .arg("--json")
        .output()?;
    let answer: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("{case_folder}: {error}\n{}", String::from_utf8_lossy(&output.stderr)))?;
    let numbers: BTreeMap<&str, u64> = list(&answer["parts"])
        .enumerate()
        .filter_map(|(number, name)| Some((name.as_str()?, number as u64)))
        .collect();
    let n_parts = expected["parts"].as_u64().unwrap_or(0);
    score.count(numbers.len() as u64 == n_parts, || {
        format!("expected {n_parts} parts, got {}", numbers.len())
    });
    let number = |name: &Value| name.as_str().and_then(|name| numbers.get(name)).copied();
    let mut found: BTreeMap<(u64, u64), &Value> = BTreeMap::new();
    for pair in list(&answer["pairs"]).filter(|pair| pair["intersects"] == true) {
        if let (Some(a), Some(b)) = (number(&pair["a"]), number(&pair["b"])) {
            found.insert((a.min(b), a.max(b)), pair);
        }
    }
    let mut visited = BTreeSet::new();
    for pair in list(&expected["pairs"]) {
        let (Some(a), Some(b)) = (pair["a"].as_u64(), pair["b"].as_u64()) else { continue };
        let key = (a.min(b), a.max(b));
        visited.insert(key);
        let ours = found.get(&key);
        let is_right = if pair["intersect_exact"] == true {
            ours.is_some_and(|ours| ours["triangle_pairs"] == pair["tri_pairs_exact"])
        } else {
            ours.is_none()
        };
        score.count(is_right, || format!("parts {key:?}: expected {pair}, got {ours:?}"));
    }
    for (key, pair) in found.iter().filter(|(key, _)| !visited.contains(key)) {
        score.count(false, || format!("parts {key:?}: their boxes do not even overlap, got {pair}"));
    }
    Ok(score)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hulls_are_counts_and_points() {
        let mut bytes = Vec::new();
        for hull in [vec![[1.0_f32, 2.0, 3.0]], vec![[4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]] {
            bytes.extend((hull.len() as u32).to_le_bytes());
            bytes.extend(hull.iter().flatten().flat_map(|x| x.to_le_bytes()));
        }
        let hulls = hull_points(&bytes);
        assert_eq!(hulls, [vec![[1.0, 2.0, 3.0]], vec![[4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]]);
        // A file that ends early gives the whole hulls before that.
        assert_eq!(hull_points(&bytes[..bytes.len() - 4]).len(), 1);
    }

    #[test]
    fn what_is_no_number_is_not_near() {
        assert!(is_near(&json!(1.0), &json!(1.1), 0.2));
        assert!(!is_near(&json!(1.0), &json!(1.5), 0.2));
        assert!(!is_near(&Value::Null, &json!(0.0), 0.2));
    }
}
