//! `cargo xtask golden`: the scenes and queries of carom-golden on every target that can be built
//! and run here.
//!
//! - Each job builds the program for one target in a folder of its own. Two jobs run at a time.
//! - The profile `golden` does not optimize, because building takes longer than running. `--full`
//!   optimizes all.
//! - Other targets need the compiler and sources that `.ci/run` unpacks, a C compiler as linker,
//!   and QEMU.
//! - A target without its tools is skipped with a line that says what is missing. A build that
//!   fails is a failure.

use crate::Error;
use crate::browser;
use crate::cross::{CrossCompiler, WITH_SIMD128};
use crate::step::End;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The lines before and after the table in the README.
const BEGIN: &str = "<!-- golden -->";
const END: &str = "<!-- /golden -->";

/// The hash of all hashes, in the last line of a report.
const ALL: &str = "all";

/// The number of jobs at a time. A build leaves a processor idle if it waits for one crate.
const N_WORKERS: usize = 2;

/// The reason why a target has no hashes.
#[derive(Clone, Debug, PartialEq)]
enum Reason {
    /// This machine lacks what the target needs.
    Missing(String),
    /// The build or the run failed.
    Failed(String),
}

/// One target: its name in the table, and the hashes by their names.
struct Row {
    name: String,
    result: Result<Vec<(String, String)>, Reason>,
}

/// Runs all targets, writes the table, and returns whether they agree.
pub(crate) fn run(root: &Path, is_optimized: bool) -> Result<bool, Error> {
    let rows = rows(root, is_optimized);
    for row in &rows {
        match &row.result {
            Ok(_) => {}
            Err(Reason::Missing(why)) => println!("skipped: {}: {why}", row.name),
            Err(Reason::Failed(why)) => println!("FAILED: {}: {why}", row.name),
        }
    }
    let path = root.join("crates/carom-world/README.md");
    let text = std::fs::read_to_string(&path)?;
    let (before, rest) = text.split_once(BEGIN).ok_or("the README has no mark for the table")?;
    let (_, after) = rest.split_once(END).ok_or("the README has no mark behind the table")?;
    let table = table(&rows);
    print!("{table}");
    std::fs::write(&path, format!("{before}{BEGIN}\n{table}{END}{after}"))?;
    let complaint = complaint(&rows);
    complaint.iter().for_each(|text| println!("{text}"));
    Ok(complaint.is_none())
}

/// A step of `cargo xtask check`: all targets agree, with each other and with the table.
pub(crate) fn check(root: &Path, is_optimized: bool) -> Result<End, Error> {
    let rows = rows(root, is_optimized);
    let readme = std::fs::read_to_string(root.join("crates/carom-world/README.md"))?;
    if let Some(report) = complaint(&rows).or_else(|| stale(&rows, &readme)) {
        return Ok(End::Failed(report));
    }
    let ran: Vec<&str> = rows.iter().filter(|row| row.result.is_ok()).map(|row| row.name.as_str()).collect();
    let skipped = rows.iter().filter_map(|row| match &row.result {
        Err(Reason::Missing(why)) => Some(format!("; skipped {}: {why}", row.name)),
        _ => None,
    });
    Ok(End::Passed(format!("{}{}", ran.join(", "), skipped.collect::<String>())))
}

/// Returns a message about the first target that failed, or the first two with different hashes.
fn complaint(rows: &[Row]) -> Option<String> {
    for row in rows {
        if let Err(Reason::Failed(why)) = &row.result {
            return Some(format!("{}: {why}", row.name));
        }
    }
    let mut ran = rows.iter().filter_map(|row| row.result.as_ref().ok().map(|hashes| (&row.name, hashes)));
    let (first, expected) = ran.next()?;
    let (name, found) = ran.find(|(_, found)| *found != expected)?;
    Some(format!("{first}: {expected:?}\n{name}: {found:?}"))
}

/// Returns a message if a line of the table in the README differs from that of a row.
fn stale(rows: &[Row], readme: &str) -> Option<String> {
    let written = readme.split_once(BEGIN)?.1.split_once(END)?.0;
    let table = table(rows);
    let line = table.lines().skip(2).find(|line| !written.lines().any(|old| old == *line))?;
    Some(format!("the README of carom-world is without this line; `cargo xtask golden` writes it\n{line}"))
}

/// Returns the table, with a line for each row that ran.
fn table(rows: &[Row]) -> String {
    let mut text = "| target | hash of all |\n|---|---|\n".to_string();
    for row in rows {
        let hash = row.result.iter().flatten().find(|(name, _)| name == ALL);
        if let Some((_, hash)) = hash {
            text += &format!("| {} | {hash} |\n", row.name);
        }
    }
    text
}

/// Runs a command, and returns its output. The error says that the command is missing, or has its
/// output.
fn output(command: &mut Command) -> Result<String, Reason> {
    let name = command.get_program().display().to_string();
    let output = command.output().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Reason::Missing(format!("{name} is not installed")),
        _ => Reason::Failed(format!("{name}: {error}")),
    })?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        let text = String::from_utf8_lossy(&output.stderr).trim().to_string();
        Err(Reason::Failed(format!("{name}: {}\n{text}", output.status)))
    }
}

/// Returns the names and hashes of a report. Each line has a name, a colon and 16 digits; the last
/// one is the hash of all.
fn hashes(report: &str) -> Result<Vec<(String, String)>, Reason> {
    let line = |line: &str| {
        let (name, hash) = line.rsplit_once(": ")?;
        let is_hash = hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit());
        is_hash.then(|| (name.to_string(), hash.to_string()))
    };
    let found: Option<Vec<_>> = report.lines().map(line).collect();
    found
        .filter(|found| found.last().is_some_and(|(name, _)| name == ALL))
        .ok_or_else(|| Reason::Failed(format!("no hashes: {report}")))
}

/// A program to build.
struct Build<'a> {
    /// The folder below `target/golden`.
    folder: &'a str,
    /// More arguments of `cargo build`.
    arguments: &'a str,
    /// The triple, if it is not the host's.
    triple: Option<&'a str>,
    /// Flags of the compiler.
    flags: &'a str,
    /// The linker, if it is not the host's.
    linker: Option<&'a Path>,
}

/// The state that all jobs share.
struct Golden<'a> {
    root: &'a Path,
    is_optimized: bool,
    compiler: Result<CrossCompiler, String>,
}

impl Golden<'_> {
    /// Builds carom-golden. Returns the folder of the results.
    fn build(&self, build: &Build<'_>) -> Result<PathBuf, Reason> {
        let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(program);
        command.current_dir(self.root).args([
            "build",
            "--quiet",
            "--profile",
            "golden",
            "-p",
            "carom-golden",
        ]);
        command.args(build.arguments.split_whitespace());
        let folder = if self.is_optimized { "target/golden-optimized" } else { "target/golden" };
        let mut folder = self.root.join(folder).join(build.folder);
        command.env("CARGO_TARGET_DIR", &folder).env("RUSTFLAGS", build.flags);
        if self.is_optimized {
            command.args(["--config", "profile.golden.opt-level=3"]);
            command.args(["--config", "profile.golden.package.\"*\".opt-level=3"]);
        }
        if let Some(triple) = build.triple {
            let compiler = self.compiler.as_ref().map_err(|why| Reason::Missing(why.clone()))?;
            command.args(["--target", triple, "-Zbuild-std=std,panic_abort", "-Zbuild-std-features="]);
            command.envs(compiler.environment());
            folder.push(triple);
        }
        if let (Some(triple), Some(linker)) = (build.triple, build.linker) {
            let variable = triple.to_uppercase().replace('-', "_");
            command.env(format!("CARGO_TARGET_{variable}_LINKER"), linker);
        }
        output(&mut command)?;
        Ok(folder.join("golden"))
    }

    /// Builds and runs the program for one Linux target.
    fn program(&self, name: &str, build: &Build<'_>, emulator: Option<&str>) -> Vec<Row> {
        let built = self.build(build).map(|folder| folder.join("carom-golden"));
        let text = built.and_then(|program| match emulator {
            Some(emulator) => output(Command::new(emulator).arg(program)),
            None => output(&mut Command::new(program)),
        });
        vec![Row { name: name.to_string(), result: text.and_then(|text| hashes(&text)) }]
    }

    /// Builds the program for another processor with its C compiler as linker, and runs it.
    fn processor(&self, name: &str, triple: &str, prefix: &str, emulator: Option<&str>) -> Vec<Row> {
        let linker = format!("{prefix}-gcc");
        let tools = [Some(linker.as_str()), emulator].into_iter().flatten();
        for tool in tools {
            if let Err(why) = output(Command::new(tool).arg("--version")) {
                return vec![Row { name: name.to_string(), result: Err(why) }];
            }
        }
        let build = Build {
            folder: name,
            arguments: "--bin carom-golden",
            triple: Some(triple),
            // It is linked statically, so that it needs no shared library of the other processor.
            flags: "-Ctarget-feature=+crt-static",
            linker: Some(Path::new(&linker)),
        };
        self.program(name, &build, emulator)
    }

    /// Runs the host, with each instruction set of carom-lanes.
    fn host(&self) -> Vec<Row> {
        let mut levels = vec![("generic", "plain loops")];
        match std::env::consts::ARCH {
            "x86_64" => levels.extend([("sse2", "SSE2"), ("avx2", "AVX2")]),
            "aarch64" => levels.push(("neon", "NEON")),
            _ => {}
        }
        let build = Build {
            folder: "host",
            arguments: "--bin carom-golden --features generic",
            triple: None,
            flags: "",
            linker: None,
        };
        let built = self.build(&build).map(|folder| folder.join("carom-golden"));
        let row = |(level, name)| {
            let text = built.clone().and_then(|program| output(Command::new(program).arg(level)));
            // A machine without this instruction set.
            let text = text.map_err(|reason| match reason {
                Reason::Failed(why) if why.contains("this machine or this build is without") => {
                    Reason::Missing(why)
                }
                other => other,
            });
            Row { name: format!("{}, {name}", std::env::consts::ARCH), result: text.and_then(|t| hashes(&t)) }
        };
        levels.into_iter().map(row).collect()
    }

    /// Runs the host with libraries without the standard library, so without a clock, and with
    /// glam's plain code.
    fn scalar(&self) -> Vec<Row> {
        let build = Build {
            folder: "scalar",
            arguments: "--bin carom-golden --no-default-features --features libm,scalar",
            triple: None,
            flags: "",
            linker: None,
        };
        self.program(&format!("{}, no_std, glam without SIMD", std::env::consts::ARCH), &build, None)
    }

    /// Runs the program compiled for AVX-512. carom-lanes has no such set, so the compiler decides
    /// where to use it.
    ///
    /// Only optimized code has such instructions: the solver is optimized in any case.
    fn avx512(&self) -> Vec<Row> {
        let name = "x86_64, compiled for AVX-512 (x86-64-v4)";
        if !has_avx512(self.root) {
            let result = Err(Reason::Missing("this processor has no AVX-512".to_string()));
            return vec![Row { name: name.to_string(), result }];
        }
        let solver = "--config profile.golden.package.carom-response.opt-level=2";
        let build = Build {
            folder: "avx512",
            arguments: &format!("--bin carom-golden {}", if self.is_optimized { "" } else { solver }),
            triple: None,
            flags: "-Ctarget-cpu=x86-64-v4",
            linker: None,
        };
        self.program(name, &build, None)
    }

    /// Runs 32-bit x86 on a 64-bit processor.
    fn i686(&self) -> Vec<Row> {
        self.processor("i686", "i686-unknown-linux-gnu", "i686-linux-gnu", None)
    }

    /// Runs 64-bit Arm in QEMU.
    fn aarch64(&self) -> Vec<Row> {
        self.processor(
            "aarch64 (QEMU)",
            "aarch64-unknown-linux-gnu",
            "aarch64-linux-gnu",
            Some("qemu-aarch64"),
        )
    }

    /// Runs wasm in node and in Chromium, then with `simd128` in node.
    fn wasm(&self) -> Vec<Row> {
        const TRIPLE: &str = "wasm32-unknown-unknown";
        let script = self.root.join("crates/carom-golden/report.mjs");
        let module = |arguments: &str| {
            let build = Build {
                folder: "wasm32",
                arguments,
                triple: Some(TRIPLE),
                flags: "",
                linker: self.compiler.as_ref().ok().map(|compiler| compiler.linker.as_path()),
            };
            self.build(&build).map(|folder| folder.join("carom_golden.wasm"))
        };
        let node = |module: PathBuf| output(Command::new("node").arg(&script).arg(module));
        let row = |name: &str, text: Result<String, Reason>| Row {
            name: name.to_string(),
            result: text.and_then(|text| hashes(&text)),
        };
        let plain = module("--lib");
        let in_node = row("wasm32 (node)", plain.clone().and_then(node));
        let page = plain.and_then(|module| in_browser(self.root, &module, &script));
        let simd = module(&format!("--lib {WITH_SIMD128}")).and_then(|module| {
            let has_simd = std::fs::read(&module).is_ok_and(|bytes| has_vectors(&bytes));
            let without = || Reason::Failed("the module is without simd128".to_string());
            has_simd.then_some(module).ok_or_else(without)
        });
        vec![in_node, row("wasm32 (Chromium)", page), row("wasm32, simd128 (node)", simd.and_then(node))]
    }
}

/// Whether a module names the feature `simd128` among those that it uses: a plus, the length, the
/// name.
fn has_vectors(module: &[u8]) -> bool {
    module.windows(9).any(|name| name == b"+\x07simd128")
}

/// Returns the rows of all targets.
fn rows(root: &Path, is_optimized: bool) -> Vec<Row> {
    let golden = Golden { root, is_optimized, compiler: CrossCompiler::find(root) };
    let jobs = [Golden::host, Golden::scalar, Golden::avx512, Golden::i686, Golden::aarch64, Golden::wasm];
    let left = AtomicUsize::new(jobs.len());
    let done = Mutex::new(Vec::new());
    let work = || {
        // The last ones build a standard library too, so they start first.
        while let Ok(n) = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)) {
            let rows = jobs[n - 1](&golden);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((n, rows));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..N_WORKERS {
            scope.spawn(work);
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(n, _)| *n);
    done.into_iter().flat_map(|(_, rows)| rows).collect()
}

/// Whether the processor has all features of x86-64-v4, as reported by the compiler.
fn has_avx512(root: &Path) -> bool {
    let mut command = Command::new("rustc");
    let native = output(command.current_dir(root).args(["-Ctarget-cpu=native", "--print", "cfg"]));
    let native = native.unwrap_or_default();
    let has = |name: &str| native.lines().any(|line| line.split('"').nth(1) == Some(name));
    ["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"].into_iter().all(has)
}

/// Returns the report that a page shows in a browser without a window.
fn in_browser(root: &Path, module: &Path, script: &Path) -> Result<String, Reason> {
    let text = |error: std::io::Error| Reason::Failed(error.to_string());
    let digits: String = std::fs::read(module).map_err(text)?.iter().map(|b| format!("{b:02x}")).collect();
    let script = std::fs::read_to_string(script).map_err(text)?;
    let page = format!(
        "<!doctype html><title>golden</title><pre></pre><script type=module>\n{script}\n\
         const bytes = Uint8Array.from(\"{digits}\".match(/../g), (pair) => parseInt(pair, 16));\n\
         document.querySelector(\"pre\").textContent = await report(bytes);\n</script>"
    );
    let folder = root.join("target/golden-page");
    std::fs::create_dir_all(&folder).map_err(text)?;
    let path = folder.join("page.html");
    std::fs::write(&path, page).map_err(text)?;
    let mut browser = browser::without_window(&folder.join("profile"))
        .ok_or_else(|| Reason::Missing("no Chromium is installed".to_string()))?;
    let dom = output(
        browser
            .args(["--disable-gpu", "--virtual-time-budget=120000", "--dump-dom"])
            .arg(format!("file://{}", path.display())),
    )?;
    let shown = dom.split_once("<pre>").and_then(|(_, rest)| rest.split_once("</pre>"));
    shown
        .map(|(report, _)| report.to_string())
        .ok_or_else(|| Reason::Failed("the page shows nothing".to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, hash: &str) -> Row {
        let result = Ok(vec![("a".to_string(), hash.to_string()), (ALL.to_string(), hash.to_string())]);
        Row { name: name.to_string(), result }
    }

    fn without(reason: Reason) -> Row {
        Row { name: "z".to_string(), result: Err(reason) }
    }

    #[test]
    fn reads_reports() {
        let report = "a tower: 00000000000000ff\nqueries: 0123456789abcdef\nall: 0123456789abcdef\n";
        let found = hashes(report).unwrap();
        assert_eq!(found[1], ("queries".to_string(), "0123456789abcdef".to_string()));
        for broken in ["", "a tower: the step failed\nall: 0123456789abcdef\n", "a: 0123456789abcdef\n"] {
            assert!(matches!(hashes(broken), Err(Reason::Failed(_))), "{broken}");
        }
    }

    #[test]
    fn complains_of_failures_and_differences_but_not_of_missing_tools() {
        assert!(complaint(&[row("x", "1"), row("y", "1")]).is_none());
        assert!(complaint(&[row("x", "1"), row("y", "2")]).unwrap().contains("y"));
        assert!(complaint(&[row("x", "1"), without(Reason::Missing("no tool".into()))]).is_none());
        assert!(
            complaint(&[row("x", "1"), without(Reason::Failed("E0001".into()))]).unwrap().contains("E0001")
        );
        let missing = output(&mut Command::new("carom-no-such-tool"));
        assert!(matches!(missing, Err(Reason::Missing(_))));
        assert!(matches!(output(&mut Command::new("false")), Err(Reason::Failed(_))));
    }

    #[test]
    fn sees_the_feature_of_a_module() {
        assert!(has_vectors(b"\x02+\x0bbulk-memory+\x07simd128"));
        assert!(!has_vectors(b"\x01+\x0bbulk-memory7simd128") && !has_vectors(b""));
    }

    #[test]
    fn a_row_has_one_hash_and_the_table_must_have_it() {
        let rows = [row("x", "1"), without(Reason::Missing("no tool".into())), row("y", "1")];
        let text = table(&rows);
        assert_eq!(text, "| target | hash of all |\n|---|---|\n| x | 1 |\n| y | 1 |\n");
        let readme = format!("before\n{BEGIN}\n{text}| w | 1 |\n{END}\nafter\n");
        assert!(stale(&rows, &readme).is_none());
        assert!(stale(&[row("y", "2")], &readme).unwrap().contains("| y | 2 |"));
        assert!(stale(&[row("new", "1")], &readme).unwrap().contains("| new | 1 |"));
    }
}
