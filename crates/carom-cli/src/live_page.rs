//! The live page: one HTML file in which the testbed of carom-web runs, drawn by the renderer of
//! the player.
//!
//! The module of the testbed is built for WebAssembly by `cargo xtask site`. It is deflated and
//! written into the page as base64, so that the page needs no other file.
//!
//! Reference: WebAssembly JavaScript Interface, W3C, 2019.

use crate::args::DemoArgs;
use crate::report::{self, Outcome};
use base64::Engine;
use carom_stage::page;
use carom_web::scenes::SCENES;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The name of the module's file.
const MODULE: &str = "carom_web.wasm";

/// The script of the page: the parts share the scope of one function.
const SCRIPT: &str = concat!(
    include_str!("live/module.js"),
    include_str!("live/state.js"),
    include_str!("live/picture.js"),
    include_str!("live/overlays.js"),
    include_str!("live/panels.js"),
    include_str!("live/settings.js"),
    include_str!("live/pointer.js"),
    include_str!("live/play.js")
);

/// Returns the page that holds the module `wasm` and starts with the scene `first`.
///
/// Errors: the bytes are no WebAssembly module.
pub fn live_page(wasm: &[u8], first: &str) -> Result<String, String> {
    if !wasm.starts_with(b"\0asm") {
        return Err(format!("{MODULE}: not a WebAssembly module"));
    }
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(7));
    let packed = encoder.write_all(wasm).and_then(|()| encoder.finish());
    let packed = packed.map_err(|error| format!("the module cannot be compressed: {error}"))?;
    let encoded = base64::engine::general_purpose::STANDARD.encode(packed);
    let script = [page::RENDERER, page::CHARTS, "(async () => {\n", SCRIPT, "})();\n"].concat();
    // Base64 has no underscore, so no mark is in the data. It goes in last and is not searched.
    Ok(include_str!("live/live.html")
        .replace("__STYLE__", page::STYLE)
        .replace("__LIVE_STYLE__", include_str!("live/live.css"))
        .replace("__SCENE__", first)
        .replace("__SCRIPT__", &script)
        .replace("__MODULE__", &encoded))
}

/// Returns the paths at which the module is searched for, in this order: beside the program, in
/// the site beside the folder of a build, in the site of the present folder.
fn candidates() -> Vec<PathBuf> {
    let program = std::env::current_exe().ok();
    let beside = program.as_deref().and_then(Path::parent);
    let site = beside.and_then(Path::parent).map(|target| target.join("site"));
    let folders = [beside.map(Path::to_path_buf), site, Some(PathBuf::from("target/site"))];
    folders.into_iter().flatten().map(|folder| folder.join(MODULE)).collect()
}

/// Finds and reads the module.
///
/// Errors: it is not there; the text says which command builds it.
pub fn module() -> Result<Vec<u8>, String> {
    let candidates = candidates();
    let found = candidates.iter().find(|path| path.is_file()).ok_or_else(|| {
        let tried: Vec<String> = candidates.iter().map(|path| path.display().to_string()).collect();
        format!(
            "--live: {MODULE} is not there; `cargo xtask site` in the folder of carom builds it. Looked for {}",
            tried.join(", ")
        )
    })?;
    std::fs::read(found).map_err(|error| format!("{}: {error}", found.display()))
}

/// Runs `carom demo --live`: writes the page, which starts with the scene `first`. With `--json`
/// the list of scenes is printed.
///
/// Errors: a module that is not there, a file that cannot be written.
pub(crate) fn run(args: &DemoArgs, first: &str) -> Result<Outcome, String> {
    let html = live_page(&module()?, first)?;
    let page = args.html.clone().unwrap_or_else(|| PathBuf::from("carom-demo-live.html"));
    report::write_file(&page, html.as_bytes())?;
    if args.json {
        let scenes = SCENES.iter().map(|scene| {
            json!({"name": scene.name, "title": scene.title, "about": scene.about, "group": scene.group})
        });
        let scenes: Vec<_> = scenes.collect();
        let document = json!({"schema": "carom.live.v1", "page": page, "scenes": scenes});
        report::print(&document.to_string())?;
    } else {
        let (n, kilobytes) = (SCENES.len(), html.len() / 1000);
        report::print(&format!("live: {n} scenes, a page of {kilobytes} kB that needs no other file"))?;
        report::print(&format!("  open {} in a browser to play with them", page.display()))?;
    }
    Ok(Outcome::Nothing)
}
