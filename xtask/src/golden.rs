//! `cargo xtask golden`: the scenes and queries of carom-golden on every target that can be built and run here.
//!
//! Other targets than the host's need the compiler and sources that `.ci/run` unpacks. A target without its tools is
//! skipped with a line that says what is missing.

use crate::Error;
use crate::step::End;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The table in the README stands between these lines.
const BEGIN: &str = "<!-- golden -->";
const END: &str = "<!-- /golden -->";

/// One target on which the program ran: its name in the table and the hashes by their names, or why it did not run.
struct Row {
    name: String,
    result: Result<Vec<(String, String)>, String>,
}

/// Runs everything, writes the table, and returns whether all targets agree.
pub(crate) fn run(root: &Path) -> Result<bool, Error> {
    let rows = [host(root), crossed(root)].concat_rows();
    for row in &rows {
        if let Err(why) = &row.result {
            println!("skipped: {}: {why}", row.name);
        }
    }
    let path = root.join("crates/carom-world/README.md");
    let text = std::fs::read_to_string(&path)?;
    let (before, rest) = text.split_once(BEGIN).ok_or("the README has no mark for the table")?;
    let (_, after) = rest.split_once(END).ok_or("the README has no mark behind the table")?;
    let table = table(&rows);
    print!("{table}");
    std::fs::write(&path, format!("{before}{BEGIN}\n{table}{END}{after}"))?;
    Ok(disagreement(&rows).is_none())
}

/// A step of `cargo xtask check`: the host with glam's plain code, and the other targets.
pub(crate) fn check(root: &Path) -> Result<End, Error> {
    let rows = [host(root), crossed(root)].concat_rows();
    if let Some(report) = disagreement(&rows) {
        return Ok(End::Failed(report));
    }
    let ran: Vec<&str> = rows.iter().filter(|row| row.result.is_ok()).map(|row| row.name.as_str()).collect();
    let skipped: String = rows
        .iter()
        .filter_map(|row| row.result.as_ref().err().map(|why| format!("; skipped {}: {why}", row.name)))
        .collect();
    Ok(End::Passed(format!("{}{skipped}", ran.join(", "))))
}

trait ConcatRows {
    fn concat_rows(self) -> Vec<Row>;
}

impl<const N: usize> ConcatRows for [Vec<Row>; N] {
    fn concat_rows(self) -> Vec<Row> {
        self.into_iter().flatten().collect()
    }
}

/// The first two targets with different hashes.
fn disagreement(rows: &[Row]) -> Option<String> {
    let mut ran = rows.iter().filter_map(|row| row.result.as_ref().ok().map(|hashes| (&row.name, hashes)));
    let (first, expected) = ran.next()?;
    let (name, found) = ran.find(|(_, found)| *found != expected)?;
    Some(format!("{first}: {expected:?}\n{name}: {found:?}"))
}

fn table(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        let Ok(hashes) = &row.result else { continue };
        if text.is_empty() {
            text += "| target |";
            hashes.iter().for_each(|(name, _)| text += &format!(" {name} |"));
            text += &format!("\n|---|{}\n", "---|".repeat(hashes.len()));
        }
        text += &format!("| {} |", row.name);
        hashes.iter().for_each(|(_, hash)| text += &format!(" {hash} |"));
        text.push('\n');
    }
    text
}

/// Runs a command. The error is what it printed, or that it is not there.
fn output(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).trim().to_string())
    }
}

/// Lines of a name, a colon and 16 digits.
fn hashes(report: &str) -> Result<Vec<(String, String)>, String> {
    let line = |line: &str| {
        let (name, hash) = line.rsplit_once(": ")?;
        let is_hash = hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit());
        is_hash.then(|| (name.to_string(), hash.to_string()))
    };
    let found: Option<Vec<_>> = report.lines().map(line).collect();
    found.filter(|found| !found.is_empty()).ok_or_else(|| format!("no hashes: {report}"))
}

fn cargo(
    root: &Path,
    folder: &str,
    arguments: &str,
    environment: &[(&str, String)],
) -> Result<PathBuf, String> {
    let target = root.join("target").join(folder);
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.current_dir(root).args(["build", "--quiet", "-p", "carom-golden"]);
    command.args(arguments.split_whitespace()).env("CARGO_TARGET_DIR", &target);
    command.envs(environment.iter().map(|(key, value)| (*key, value)));
    output(&mut command).map(|_| target)
}

/// The host: each instruction set of carom-lanes, and glam's plain code.
fn host(root: &Path) -> Vec<Row> {
    let levels = [("generic", "plain loops"), ("sse2", "SSE2"), ("avx2", "AVX2"), ("neon", "NEON")];
    let arch = std::env::consts::ARCH;
    let mut rows = Vec::new();
    let built =
        cargo(root, "golden", "--features generic", &[]).map(|target| target.join("debug/carom-golden"));
    for (level, name) in levels {
        let result = built.clone().and_then(|program| output(Command::new(program).arg(level)));
        // A machine without this instruction set.
        if built.is_ok() && result.is_err() {
            continue;
        }
        rows.push(Row { name: format!("{arch}, {name}"), result: result.and_then(|text| hashes(&text)) });
    }
    let scalar = cargo(root, "golden-scalar", "--features scalar", &[])
        .and_then(|target| output(&mut Command::new(target.join("debug/carom-golden"))));
    rows.push(Row {
        name: format!("{arch}, glam without SIMD"),
        result: scalar.and_then(|text| hashes(&text)),
    });
    rows
}

/// wasm, built with the unpacked compiler.
fn crossed(root: &Path) -> Vec<Row> {
    let mut rows = Vec::new();
    let compiler = cross_compiler(root);
    let target = "wasm32-unknown-unknown";
    let module = compiler.and_then(|compiler| {
        let flags = format!("-Clinker={}", compiler.linker.display());
        let folder = compiler.build(root, &format!("--lib --target {target}"), &flags)?;
        Ok(folder.join(target).join("release/carom_golden.wasm"))
    });
    let script = root.join("crates/carom-golden/report.mjs");
    let node = module.clone().and_then(|module| output(Command::new("node").arg(&script).arg(module)));
    rows.push(Row { name: "wasm32 (node)".to_string(), result: node.and_then(|text| hashes(&text)) });
    let page = module.and_then(|module| in_browser(root, &module, &script));
    rows.push(Row { name: "wasm32 (Chromium)".to_string(), result: page.and_then(|text| hashes(&text)) });
    rows
}

/// A compiler whose package has the sources of the standard library, so that it can be built for any target.
#[derive(Clone)]
struct CrossCompiler {
    folder: PathBuf,
    /// The toolchain's own linker, for wasm.
    linker: PathBuf,
}

impl CrossCompiler {
    fn build(&self, root: &Path, arguments: &str, flags: &str) -> Result<PathBuf, String> {
        let library = self.folder.join("usr/lib");
        let libraries = format!("{0}/x86_64-linux-gnu:{0}/llvm-22/lib", library.display());
        let environment = [
            ("RUSTC", self.folder.join("usr/bin/rustc").display().to_string()),
            ("RUSTC_BOOTSTRAP", "1".to_string()),
            ("LD_LIBRARY_PATH", libraries),
            ("RUSTFLAGS", flags.to_string()),
        ];
        cargo(
            root,
            "golden-cross",
            &format!("--release {arguments} -Zbuild-std=std,panic_abort"),
            &environment,
        )
    }
}

fn cross_compiler(root: &Path) -> Result<CrossCompiler, String> {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let folder =
        std::env::var_os("CAROM_CROSS").map_or_else(|| home.join(".cache/carom-cross"), PathBuf::from);
    if !folder.join("usr/bin/rustc").is_file() {
        return Err("no compiler with the sources of std; .ci/run unpacks one".to_string());
    }
    let sysroot = output(Command::new("rustc").current_dir(root).args(["--print", "sysroot"]))?;
    let host = "lib/rustlib/x86_64-unknown-linux-gnu/bin/rust-lld";
    Ok(CrossCompiler { folder, linker: Path::new(sysroot.trim()).join(host) })
}

/// The report that a page shows in a browser without a window.
fn in_browser(root: &Path, module: &Path, script: &Path) -> Result<String, String> {
    let text = |error: std::io::Error| error.to_string();
    let browser = ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok())
        .ok_or("no Chromium is installed")?;
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
    let profile = format!("--user-data-dir={}", folder.join("profile").display());
    let dom = output(
        Command::new(browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .args([&profile, "--virtual-time-budget=120000", "--dump-dom"])
            .arg(format!("file://{}", path.display())),
    )?;
    let shown = dom.split_once("<pre>").and_then(|(_, rest)| rest.split_once("</pre>"));
    shown.map(|(report, _)| report.to_string()).ok_or_else(|| "the page shows nothing".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_reports_and_sees_what_differs() {
        let report = "a tower: 00000000000000ff\nqueries: 0123456789abcdef\n";
        let found = hashes(report).unwrap();
        assert_eq!(found[1], ("queries".to_string(), "0123456789abcdef".to_string()));
        assert!(hashes("a tower: the step failed\n").is_err() && hashes("").is_err());
        let row = |name: &str, hash: &str| Row {
            name: name.to_string(),
            result: Ok(vec![("a".to_string(), hash.to_string())]),
        };
        assert!(disagreement(&[row("x", "1"), row("y", "1")]).is_none());
        assert!(disagreement(&[row("x", "1"), row("y", "2")]).unwrap().contains("y"));
        assert_eq!(table(&[row("x", "1")]), "| target | a |\n|---|---|\n| x | 1 |\n");
    }
}
