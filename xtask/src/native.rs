//! `cargo xtask bench native`: carom beside peers in C++ whose libraries are installed.
//!
//! Every program runs alone and prints its times. Carom and the peers alternate, and the rows are
//! the medians of several runs.

use crate::Error;
use crate::bench::Options;
use serde_json::json;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The name of the group.
pub(crate) const GROUP: &str = "native";

/// Runs of each program.
const TURNS: usize = 3;

const SCENES: [&str; 3] = ["close", "shallow", "shell"];

/// A peer: its program and library, the C++ standard, the source of its flags, and default flags.
struct Peer {
    name: &'static str,
    library: &'static str,
    standard: &'static str,
    variable: &'static str,
    usual: &'static str,
}

const PEERS: [Peer; 2] = [
    Peer {
        name: "FCL",
        library: "fcl",
        standard: "-std=c++14",
        variable: "CAROM_FCL_FLAGS",
        usual: "-I/usr/include/eigen3 -lfcl -lccd -loctomap -loctomath",
    },
    Peer {
        name: "Coal",
        library: "coal",
        standard: "-std=c++17",
        variable: "CAROM_COAL_FLAGS",
        usual: "-I/usr/include/eigen3 -lcoal",
    },
];

/// One line of a program.
#[derive(Clone, Debug, PartialEq)]
struct Measured {
    name: String,
    scene: String,
    query: String,
    us: f64,
    compared: u64,
    differ: u64,
}

/// Writes the rows of carom and of the peers that are installed. Returns whether every program ran
/// to its end.
pub(crate) fn run(root: &Path, options: &Options<'_>, file: &Path) -> Result<bool, Error> {
    let scenes: Vec<&str> = SCENES
        .into_iter()
        .filter(|scene| options.filter.is_none_or(|filter| scene.contains(filter)))
        .collect();
    let folder = root.join("target").join("bench").join("native");
    std::fs::create_dir_all(&folder)?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut ours = vec![cargo.clone()];
    ours.extend(
        ["run", "--quiet", "--release", "-p", "carom-benches", "--bin", "native", "--"].map(Into::into),
    );
    let quick: &[&str] = if options.is_quick { &["--quick"] } else { &[] };
    let carom = |words: &[&str]| {
        let mut command = Command::new(&ours[0]);
        command.current_dir(root).args(&ours[1..]).args(words).args(quick);
        command
    };
    if !carom(&["export"]).arg(&folder).status()?.success() {
        return Err("the scenes could not be written".into());
    }
    let mut peers = Vec::new();
    for peer in &PEERS {
        match build(root, &folder, peer)? {
            Ok(program) => peers.push(program),
            Err(why) => {
                println!("{} could not be built, and is left out:\n{why}", peer.name)
            }
        }
    }
    let mut measured = Vec::new();
    let mut is_whole = true;
    for turn in 0..TURNS {
        for scene in &scenes {
            // The order rotates, so that the first program is last in the next round.
            let n = 1 + peers.len();
            for i in 0..n {
                let mut command = match peers.get((turn + i) % n) {
                    Some(program) => {
                        let mut command = Command::new(program);
                        command.arg(&folder).arg(scene);
                        command
                    }
                    None => carom(&["time", scene]),
                };
                let output = command.output()?;
                is_whole &= output.status.success();
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                print!("{text}");
                eprint!("{}", String::from_utf8_lossy(&output.stderr));
                measured.extend(text.lines().filter_map(line));
            }
        }
    }
    std::fs::write(file, rows(&measured))?;
    Ok(is_whole)
}

/// Compiles a peer's program. Returns its path, or the first lines of the compiler's complaint.
fn build(root: &Path, folder: &Path, peer: &Peer) -> Result<Result<PathBuf, String>, Error> {
    let source = root.join("benches").join(GROUP).join(format!("{}.cpp", peer.library));
    let program = folder.join(peer.library);
    let compiler = std::env::var_os("CXX").unwrap_or_else(|| "g++".into());
    let flags = std::env::var(peer.variable)
        .ok()
        .or_else(|| known(peer.library))
        .unwrap_or_else(|| peer.usual.into());
    let mut command = Command::new(&compiler);
    command.args([peer.standard, "-O2", "-w"]).arg(&source).arg("-o").arg(&program);
    command.args(flags.split_whitespace());
    let Ok(output) = command.output() else {
        return Ok(Err(format!("there is no compiler {}", compiler.to_string_lossy())));
    };
    if output.status.success() {
        return Ok(Ok(program));
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok(Err(said.lines().take(3).collect::<Vec<_>>().join("\n")))
}

/// Returns the flags of pkg-config for a library.
fn known(library: &str) -> Option<String> {
    let output = Command::new("pkg-config").args(["--cflags", "--libs", library]).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn line(text: &str) -> Option<Measured> {
    let [name, scene, query, us, compared, differ] = text.split('\t').collect::<Vec<_>>()[..] else {
        return None;
    };
    Some(Measured {
        name: name.to_string(),
        scene: scene.to_string(),
        query: query.to_string(),
        us: us.parse().ok()?,
        compared: compared.parse().ok()?,
        differ: differ.parse().ok()?,
    })
}

/// Returns rows in the format of the bench programs: a line for each scene and query, with the
/// medians of all runs, carom first.
fn rows(measured: &[Measured]) -> String {
    let mut workloads: Vec<(&str, &str)> = Vec::new();
    for m in measured {
        if !workloads.contains(&(&m.scene, &m.query)) {
            workloads.push((&m.scene, &m.query));
        }
    }
    let mut out = String::new();
    for (scene, query) in workloads {
        let of = |name: &str| -> Vec<&Measured> {
            measured.iter().filter(|m| m.scene == scene && m.query == query && m.name == name).collect()
        };
        let mut entries = Vec::new();
        let (mut compared, mut differ) = (0, 0);
        for name in ["carom", "FCL", "Coal"] {
            let turns = of(name);
            let mut times: Vec<f64> = turns.iter().map(|m| m.us).collect();
            times.sort_by(f64::total_cmp);
            let Some(&typical) = times.get(times.len() / 2) else { continue };
            entries.push(json!({"name": name, "typical": typical, "worst": times.last()}));
            compared += turns.iter().map(|m| m.compared).sum::<u64>();
            differ += turns.iter().map(|m| m.differ).sum::<u64>();
        }
        let row = json!({
            "group": GROUP, "workload": format!("{scene} {query}"), "size": 81_920, "unit": "us",
            "entries": entries, "compared": compared, "differ": differ,
        });
        let _ = writeln!(out, "{row}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_rows() {
        let text = "Coal\tclose\tyes/no\t30.5\t10\t0\ncarom\tclose\tyes/no\t3.0\t0\t0\n\
                    carom\tclose\tyes/no\t5.0\t0\t0\ncarom\tclose\tyes/no\t4.0\t0\t0\nnot a line\n";
        let measured: Vec<Measured> = text.lines().filter_map(line).collect();
        assert_eq!(measured.len(), 4);
        let rows = rows(&measured);
        assert_eq!(rows.lines().count(), 1);
        let row: serde_json::Value = serde_json::from_str(&rows).unwrap();
        assert_eq!(row["workload"], "close yes/no");
        assert_eq!(row["entries"][0]["name"], "carom");
        assert_eq!(row["entries"][0]["typical"], 4.0);
        assert_eq!((row["entries"][1]["worst"].as_f64(), row["compared"].as_u64()), (Some(30.5), Some(10)));
    }
}
