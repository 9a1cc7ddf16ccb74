//! `cargo xtask site`: the testbed as a module for browsers, a page around it, and an index with a
//! picture of each scene. The folder works from a file system and from any static server.

use crate::Error;
use crate::browser;
use crate::cross::CrossCompiler;
use crate::step::{End, cargo};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The folder of the site, below that of the workspace.
const FOLDER: &str = "target/site";
/// The module that the page holds, in that folder.
const MODULE: &str = "carom_web.wasm";
/// The page, in that folder.
const PAGE: &str = "live.html";

const TRIPLE: &str = "wasm32-unknown-unknown";

/// The steps that a scene has made in its picture: most have come to what they show.
const STEPS_OF_PICTURE: u32 = 100;
/// The longest time for one picture.
const PATIENCE: Duration = Duration::from_secs(120);

/// Builds the module with the compiler for other targets. Skipped where there is none.
pub(crate) fn module(root: &Path) -> Result<End, Error> {
    let compiler = match CrossCompiler::find(root) {
        Ok(compiler) => compiler,
        Err(why) => return Ok(End::Skipped(why)),
    };
    let target = root.join("target/wasm");
    let arguments = format!(
        "rustc --release --quiet -p carom-web --lib --crate-type cdylib --target {TRIPLE} \
         -Zbuild-std=std,panic_abort -Zbuild-std-features= -- -Cstrip=symbols"
    );
    let mut environment: Vec<(&str, String)> = compiler.environment().to_vec();
    environment.push(("CARGO_TARGET_DIR", target.display().to_string()));
    environment.push(("RUSTFLAGS", "-Ctarget-feature=+simd128".to_string()));
    environment.push(("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", compiler.linker.display().to_string()));
    let environment: Vec<(&str, &str)> =
        environment.iter().map(|(key, value)| (*key, value.as_str())).collect();
    if let End::Failed(report) = cargo(root, &arguments, &environment)? {
        return Ok(End::Failed(report));
    }
    let folder = root.join(FOLDER);
    std::fs::create_dir_all(&folder)?;
    // Written anew, so that it is younger than the sources from which cargo made it.
    let bytes = std::fs::read(target.join(TRIPLE).join("release").join(MODULE))?;
    std::fs::write(folder.join(MODULE), &bytes)?;
    Ok(End::Passed(format!("{} kB", bytes.len() / 1000)))
}

/// Builds the module, or takes the one that is there, and writes the site. True if nothing failed.
pub(crate) fn run(root: &Path) -> Result<bool, Error> {
    let folder = root.join(FOLDER);
    match module(root)? {
        End::Passed(note) => println!("built {MODULE}: {note}"),
        End::Failed(report) => {
            println!("{report}");
            return Ok(false);
        }
        End::Skipped(why) if folder.join(MODULE).is_file() => {
            println!("the module that is there is used; no new one is built: {why}");
        }
        End::Skipped(why) => {
            println!("skipped: {why}");
            return Ok(true);
        }
    }
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let page = folder.join(PAGE);
    let arguments = ["run", "--quiet", "-p", "carom-cli", "--", "demo", "--live", "--json", "--html"];
    let output = Command::new(program)
        .current_dir(root)
        .args(arguments)
        .arg(&page)
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Ok(false);
    }
    let document: Value = serde_json::from_slice(&output.stdout)?;
    let scenes: Vec<Value> = document["scenes"].as_array().cloned().unwrap_or_default();
    let n_pictures = scenes.iter().filter(|scene| is_drawn(&folder, word(scene, "name"))).count();
    std::fs::write(folder.join("index.html"), index(&scenes, &folder))?;
    let _ = std::fs::remove_dir_all(folder.join("profile"));
    println!("wrote {}: {} scenes, {n_pictures} pictures", folder.display(), scenes.len());
    if n_pictures < scenes.len() {
        println!("skipped: pictures need Chromium");
    }
    Ok(true)
}

/// Returns a text of a scene.
fn word<'a>(scene: &'a Value, key: &str) -> &'a str {
    scene[key].as_str().unwrap_or_default()
}

/// Lets a browser without a window draw a scene into a file, and returns whether it is there.
fn is_drawn(folder: &Path, name: &str) -> bool {
    let picture = folder.join(format!("{name}.png"));
    let _ = std::fs::remove_file(&picture);
    let Some(mut browser) = browser::without_window(&folder.join("profile")) else { return false };
    let child = browser
        .args(["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"])
        .args(["--hide-scrollbars", "--window-size=480,320", "--virtual-time-budget=3000"])
        .arg(format!("--screenshot={}", picture.display()))
        .arg(format!(
            "file://{}#scene={name}&steps={STEPS_OF_PICTURE}&bare=1&theme=light",
            folder.join(PAGE).display()
        ))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = child else { return false };
    let end = Instant::now() + PATIENCE;
    while matches!(child.try_wait(), Ok(None)) && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(50));
    }
    let _ = child.kill();
    let _ = child.wait();
    picture.is_file()
}

/// Returns the page with all scenes, group by group.
fn index(scenes: &[Value], folder: &Path) -> String {
    let mut list = String::new();
    let mut last = "";
    for scene in scenes {
        let group = word(scene, "group");
        if group != last {
            if !last.is_empty() {
                list += "</div>\n";
            }
            let _ = write!(list, "<h2>{}</h2>\n<div class=\"group\">\n", escaped(group));
            last = group;
        }
        let name = word(scene, "name");
        let picture = if folder.join(format!("{name}.png")).is_file() {
            format!("<img src=\"{name}.png\" alt=\"\" width=\"480\" height=\"320\" loading=\"lazy\">")
        } else {
            String::new()
        };
        let _ = writeln!(
            list,
            "<a href=\"{PAGE}#scene={name}\">{picture}<b>{}</b><span>{}</span></a>",
            escaped(word(scene, "title")),
            escaped(word(scene, "about"))
        );
    }
    list += "</div>\n";
    include_str!("site.html").replace("__SCENES__", &list)
}

/// Escapes text for HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_index_has_a_line_for_each_scene() {
        let scene =
            |name: &str, group: &str| json!({"name": name, "title": "A < B", "about": "x", "group": group});
        let folder = std::env::temp_dir().join("no-such-site");
        let page = index(&[scene("one", "g"), scene("two", "g"), scene("three", "h")], &folder);
        assert_eq!((page.matches("<a href").count(), page.matches("<h2>").count()), (3, 2));
        assert!(page.contains("live.html#scene=two") && page.contains("A &lt; B"), "{page}");
        assert!(!page.contains("__") && !page.contains("http:") && !page.contains("https:"), "{page}");
        assert_eq!(page.matches("<div").count(), page.matches("</div>").count());
    }
}
