//! `cargo xtask site`: the testbed as a module for browsers, a page around it, an index with a
//! picture of each scene, the guide, and the plots of the benches. The folder works from a file
//! system and from any static server.

mod guide;
mod links;
mod plots;

use crate::Error;
use crate::cross::{CrossCompiler, WASM_FOLDER, WITH_SIMD128};
use crate::driver::Browser;
use crate::step::{End, cargo};
use base64::Engine as _;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// The folder of the site, below that of the workspace.
const FOLDER: &str = "target/site";
/// The module that the page holds, in that folder.
const MODULE: &str = "carom_web.wasm";
/// The page, in that folder.
const PAGE: &str = "live.html";

const TRIPLE: &str = "wasm32-unknown-unknown";

/// The steps of a scene before its picture. By then most scenes show their effect.
const STEPS_OF_PICTURE: u32 = 100;
/// The steps of scenes that end earlier.
const EARLY_STEPS: [(&str, u32); 1] = [("bullets", 3)];
/// The size of a picture, in pixels.
const PICTURE: [u32; 2] = [480, 320];
/// The maximum number of browsers that are started for a picture, because a browser may hang.
const MAX_BROWSERS: usize = 3;

/// How the module is compiled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    /// For users: optimized.
    Release,
    /// For tests: optimized a little, with the standard library that the golden states are built
    /// with.
    Checked,
}

/// Builds the module with the compiler for other targets. Skipped where there is none.
pub(crate) fn module(root: &Path, build: Build) -> Result<End, Error> {
    let compiler = match CrossCompiler::find(root) {
        Ok(compiler) => compiler,
        Err(why) => return Ok(End::Skipped(why)),
    };
    let (target, profile, how, flags) = match build {
        Build::Release => ("target/wasm", "release", String::new(), "-Ctarget-feature=+simd128"),
        Build::Checked => {
            (WASM_FOLDER, "golden", format!("--config profile.golden.opt-level=1 {WITH_SIMD128}"), "")
        }
    };
    let target = root.join(target);
    let arguments = format!(
        "rustc --profile {profile} {how} --quiet -p carom-web --lib --crate-type cdylib --target {TRIPLE} \
         -Zbuild-std=std,panic_abort -Zbuild-std-features= -- -Cstrip=symbols"
    );
    let mut environment: Vec<(&str, String)> = compiler.environment().to_vec();
    environment.push(("CARGO_TARGET_DIR", target.display().to_string()));
    environment.push(("RUSTFLAGS", flags.to_string()));
    environment.push(("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", compiler.linker.display().to_string()));
    let environment: Vec<(&str, &str)> =
        environment.iter().map(|(key, value)| (*key, value.as_str())).collect();
    if let End::Failed(report) = cargo(root, &arguments, &environment)? {
        return Ok(End::Failed(report));
    }
    let folder = root.join(FOLDER);
    std::fs::create_dir_all(&folder)?;
    // The file is written again, so that it is newer than the sources.
    let bytes = std::fs::read(target.join(TRIPLE).join(profile).join(MODULE))?;
    std::fs::write(folder.join(MODULE), &bytes)?;
    Ok(End::Passed(format!("{} kB", bytes.len() / 1000)))
}

/// Builds the module, or takes the one that is there, and writes the site. True if nothing failed.
pub(crate) fn run(root: &Path) -> Result<bool, Error> {
    let folder = root.join(FOLDER);
    match module(root, Build::Release)? {
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
    let n_pictures = draw_scenes(&folder, &scenes);
    std::fs::write(folder.join("index.html"), index(&scenes, &folder))?;
    let body = guide::body(&std::fs::read_to_string(root.join("crates/carom/GUIDE.md"))?);
    std::fs::write(folder.join("guide.html"), framed("carom: the guide", &body))?;
    let plots = plots::write(&root.join("benches"), &folder)?;
    std::fs::write(folder.join("plots.html"), framed("carom: benchmarks", &plots))?;
    println!("wrote {}: {} scenes, {n_pictures} pictures", folder.display(), scenes.len());
    let wrong = links::wrong(&folder, &["index.html", "guide.html", "plots.html"])?;
    wrong.iter().for_each(|line| println!("{line}"));
    Ok(wrong.is_empty())
}

/// Returns a page with this title around the body.
fn framed(title: &str, body: &str) -> String {
    include_str!("site/page.html").replace("__TITLE__", title).replace("__BODY__", body)
}

/// Returns a text of a scene.
fn word<'a>(scene: &'a Value, key: &str) -> &'a str {
    scene[key].as_str().unwrap_or_default()
}

/// Draws all scenes into files, and returns how many there are. The reason why others are missing
/// is printed.
fn draw_scenes(folder: &Path, scenes: &[Value]) -> usize {
    let mut browser = None;
    let mut n_drawn = 0;
    for scene in scenes {
        let name = word(scene, "name");
        let picture = folder.join(format!("{name}.png"));
        let _ = std::fs::remove_file(&picture);
        let mut failed = String::new();
        for attempt in 0..MAX_BROWSERS {
            let done =
                draw_scene(&mut browser, &folder.join(format!("profile-{name}-{attempt}")), folder, name)
                    .and_then(|png| std::fs::write(&picture, png).map_err(|error| error.to_string()));
            match done {
                Ok(()) => {
                    n_drawn += 1;
                    failed.clear();
                    break;
                }
                Err(error) => {
                    failed = error;
                    browser = None;
                }
            }
        }
        if !failed.is_empty() {
            println!("no picture of {name}: {failed}");
        }
    }
    n_drawn
}

/// Opens a scene in the browser, starting one if there is none, waits until the page says that it
/// is drawn, and returns its picture.
fn draw_scene(
    browser: &mut Option<Browser>,
    profile: &Path,
    folder: &Path,
    name: &str,
) -> Result<Vec<u8>, String> {
    let started = match browser.take() {
        Some(browser) => browser,
        None => Browser::launch(profile, PICTURE)?,
    };
    let browser = browser.insert(started);
    let early = EARLY_STEPS.iter().find(|(scene, _)| *scene == name);
    let n_steps = early.map_or(STEPS_OF_PICTURE, |(_, n_steps)| *n_steps);
    // The address has a new query, because a new fragment alone does not load the page again.
    let address = format!(
        "file://{}?{name}#scene={name}&steps={n_steps}&bare=1&theme=light",
        folder.join(PAGE).display()
    );
    browser.try_call("Page.navigate", json!({"url": address}))?;
    browser.wait_until(&format!(
        "location.search === '?{name}' && (document.body.dataset.ready === 'yes' || document.body.dataset.state === 'failed')"
    ))?;
    if browser.try_value("document.body.dataset.state")? == json!("failed") {
        return Err(browser.try_value("document.getElementById('message').textContent")?.to_string());
    }
    let shot = browser.try_call("Page.captureScreenshot", json!({"format": "png"}))?;
    let text = shot["data"].as_str().ok_or("no picture")?;
    base64::engine::general_purpose::STANDARD.decode(text).map_err(|error| error.to_string())
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
            "<a class=\"card\" href=\"{PAGE}#scene={name}\">{picture}<b>{}</b><span>{}</span></a>",
            escaped(word(scene, "title")),
            escaped(word(scene, "about"))
        );
    }
    list += "</div>\n";
    let lead = "<h1>carom, live</h1>\n<p class=\"lead\">Collision detection that runs in this page. Choose a scene: \
                pull bodies, shoot at them, change gravity and friction, and find out why two bodies touch.</p>\n";
    framed("carom, live", &format!("{lead}{list}"))
}

/// Escapes text for HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_has_a_line_for_each_scene() {
        let scene =
            |name: &str, group: &str| json!({"name": name, "title": "A < B", "about": "x", "group": group});
        let folder = std::env::temp_dir().join("no-such-site");
        let page = index(&[scene("one", "g"), scene("two", "g"), scene("three", "h")], &folder);
        assert_eq!((page.matches("<a class").count(), page.matches("<h2>").count()), (3, 2));
        assert!(page.contains("live.html#scene=two") && page.contains("A &lt; B"), "{page}");
        assert!(!page.contains("__") && !page.contains("http:") && !page.contains("https:"), "{page}");
        assert_eq!(page.matches("<div").count(), page.matches("</div>").count());
    }
}
