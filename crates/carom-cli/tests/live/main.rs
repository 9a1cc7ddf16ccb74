//! The live page in a real browser, by real input events: each control does what it says. A scene
//! has the same hash there as in a native program.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::std_instead_of_alloc, clippy::std_instead_of_core)]

mod browser;
#[path = "../chromium/mod.rs"]
mod chromium;
#[path = "../chromium/driver.rs"]
mod driver;
mod pictures;

use browser::point;
use carom_cli::live_page::live_page;
use carom_web::Testbed;
use carom_web::scenes::{Request, SCENES, scene};
use driver::Browser;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

/// The folder of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the time of the latest change of a Rust source below a folder.
fn latest(folder: &Path) -> SystemTime {
    let mut last = SystemTime::UNIX_EPOCH;
    for entry in std::fs::read_dir(folder).unwrap().filter_map(Result::ok) {
        let path = entry.path();
        if path.is_dir() {
            last = last.max(latest(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            last = last.max(entry.metadata().and_then(|data| data.modified()).unwrap());
        }
    }
    last
}

/// Returns the path of the page. `None`, with a printed line, if the module is missing, or older
/// than a source that it is built from.
fn page() -> Option<&'static Path> {
    static PAGE: OnceLock<Option<PathBuf>> = OnceLock::new();
    let made = PAGE.get_or_init(|| {
        let module = root().join("target/site/carom_web.wasm");
        let built = std::fs::metadata(&module).and_then(|data| data.modified()).ok()?;
        let crates = std::fs::read_dir(root().join("crates")).unwrap().filter_map(Result::ok);
        // The program, the facade and test tools are not in the module.
        let is_in = |name: &str| {
            !["cli", "testkit", "audit", "fuzz", "golden"].iter().any(|part| name.ends_with(part))
        };
        let sources = crates.filter(|entry| is_in(&entry.file_name().to_string_lossy()));
        let sources = sources.map(|entry| entry.path().join("src")).filter(|path| path.is_dir());
        if sources.map(|path| latest(&path)).any(|changed| built < changed) {
            println!("the module is older than its sources");
            return None;
        }
        let page = Path::new(env!("CARGO_TARGET_TMPDIR")).join("live.html");
        let html = live_page(&std::fs::read(&module).unwrap(), SCENES[0].name).unwrap();
        assert!(!html.contains("http://") && !html.contains("https://") && !html.contains("src="));
        assert!(!html.contains("__"), "a mark is left");
        std::fs::write(&page, html).unwrap();
        Some(page)
    });
    if made.is_none() {
        println!("skipped: no module of this version; `cargo xtask site` builds it");
    }
    made.as_deref()
}

/// Opens the page with a fragment, and waits until it is drawn.
fn open_sized(fragment: &str, size: [u32; 2]) -> Option<Browser> {
    let page = page()?.canonicalize().unwrap();
    let mut browser = Browser::open(&format!("file://{}#{fragment}", page.display()), size)?;
    browser.wait_for("document.body.dataset.ready === 'yes' || document.body.dataset.state === 'failed'");
    assert_ne!(
        browser.value("document.body.dataset.state"),
        "failed",
        "{}",
        browser.value("document.getElementById('message').textContent")
    );
    Some(browser)
}

fn open(fragment: &str) -> Option<Browser> {
    open_sized(fragment, [1280, 900])
}

fn state(browser: &mut Browser) -> Value {
    browser.value("testbed.state()")
}

fn hash(browser: &mut Browser) -> String {
    state(browser)["hash"].as_str().unwrap().to_owned()
}

/// Makes `n_steps` steps, and returns the hash of the state.
fn run(browser: &mut Browser, n_steps: u32) -> String {
    browser.value(&format!("testbed.steps({n_steps}).length"));
    hash(browser)
}

fn n_bodies(browser: &mut Browser) -> u64 {
    state(browser)["counters"]["bodies that move"].as_u64().unwrap()
}

/// Returns the pixel at which a body is drawn.
fn pixel(browser: &mut Browser, body: u32) -> [f64; 2] {
    point(&browser.value(&format!("testbed.pixelOf({body})")))
}

fn height(browser: &mut Browser, body: u32) -> f64 {
    browser.value(&format!("testbed.placeOf({body})"))[1].as_f64().unwrap()
}

/// The hash of the state is the same natively and in a page, for nine scenes.
#[test]
fn a_page_has_the_hash_of_a_native_program() {
    let Some(mut browser) = open("scene=pile&steps=0") else { return };
    let mut compared = 0;
    for (name, count, n_steps) in [
        ("pile", 60, 60),
        ("ragdolls", 3, 40),
        ("joints", 12, 40),
        ("vehicle", 12, 30),
        ("characters", 8, 30),
        ("waves", 20, 20),
        ("cloth", 12, 20),
        ("raft", 2, 5),
        ("bullets", 20, 20),
    ] {
        let mut bed =
            Testbed::start(scene(name).unwrap(), Request { count, seed: 1 }, "dynamic-bvh").unwrap();
        (0..n_steps).for_each(|_| bed.step().unwrap());
        let page = page().unwrap().canonicalize().unwrap();
        browser.value("document.body.dataset.ready = 'no'");
        let address = format!("file://{}?{name}#scene={name}&count={count}&steps={n_steps}", page.display());
        browser.call("Page.navigate", serde_json::json!({"url": address}));
        browser.wait_for("document.body.dataset.ready === 'yes'");
        let state = state(&mut browser);
        assert_eq!((state["scene"].as_str(), state["steps"].as_u64()), (Some(name), Some(n_steps)));
        assert_eq!(state["hash"].as_str(), Some(format!("{:016x}", bed.state_hash()).as_str()), "{name}");
        compared += 1;
    }
    println!("{compared} scenes with the same hash");
}

#[test]
fn the_list_starts_each_scene() {
    let Some(mut browser) = open("steps=0") else { return };
    for scene in SCENES {
        browser.press(&format!("#scenes button[data-scene='{}']", scene.name));
        let state = state(&mut browser);
        assert_eq!(state["scene"].as_str(), Some(scene.name));
        assert_eq!(browser.value("document.getElementById('name').textContent"), format!("{}.", scene.title));
    }
}

#[test]
fn play_pause_step_and_restart() {
    let Some(mut browser) = open("scene=dominoes") else { return };
    browser.wait_for("3 < testbed.state().steps");
    browser.press("#play");
    let paused = state(&mut browser);
    assert_eq!(paused["isPlaying"], false);
    std::thread::sleep(std::time::Duration::from_millis(400));
    assert_eq!(hash(&mut browser), paused["hash"], "a pause stops the hash");
    browser.press("#step");
    let stepped = state(&mut browser);
    assert_eq!(stepped["steps"].as_u64(), paused["steps"].as_u64().map(|n| n + 1));
    assert_ne!(stepped["hash"], paused["hash"]);
    browser.press("#restart");
    let first = state(&mut browser);
    assert_eq!(first["steps"], 0);
    let after = run(&mut browser, 10);
    browser.press("#restart");
    assert_eq!(hash(&mut browser), first["hash"].as_str().unwrap());
    assert_eq!(run(&mut browser, 10), after);
    browser.press("#play");
    browser.wait_for("12 < testbed.state().steps");
}

#[test]
fn a_drag_moves_a_body() {
    let Some(mut browser) = open("scene=pyramid&count=4&steps=5") else { return };
    // The box on top is the last one that was inserted.
    let body = 10;
    let (at, before) = (pixel(&mut browser, body), height(&mut browser, body));
    browser
        .call("Input.dispatchMouseEvent", serde_json::json!({"type": "mouseMoved", "x": at[0], "y": at[1]}));
    browser.mouse("mousePressed", at);
    assert!(!state(&mut browser)["held"].is_null(), "the top is held");
    for k in 1..=10 {
        browser.mouse("mouseMoved", [at[0], at[1] - 12.0 * f64::from(k)]);
    }
    run(&mut browser, 60);
    let after = height(&mut browser, body);
    assert!(before + 0.4 < after, "{before} {after}");
    // The held point is at the pointer, and the box hangs from it.
    let held = state(&mut browser)["held"].clone();
    let apart = |k: usize| held[0][k].as_f64().unwrap() - held[1][k].as_f64().unwrap();
    assert!((0..3).all(|k| apart(k).abs() < 0.1), "{held}");
    browser.mouse("mouseReleased", [at[0], at[1] - 120.0]);
    assert!(state(&mut browser)["held"].is_null());
    run(&mut browser, 40);
    assert!(height(&mut browser, body) < after - 0.5, "it falls");
    // A drag that starts beside the bodies turns the view.
    let (yaw, hash_before) = (state(&mut browser)["yaw"].clone(), hash(&mut browser));
    let corner = point(&browser.value(
        "(b => [b.x + 60, b.y + b.height - 30])(document.getElementById('view').getBoundingClientRect())",
    ));
    browser.mouse("mousePressed", [corner[0] + 400.0, corner[1] - 400.0]);
    browser.mouse("mouseMoved", [corner[0] + 450.0, corner[1] - 400.0]);
    browser.mouse("mouseReleased", [corner[0] + 450.0, corner[1] - 400.0]);
    assert_ne!(state(&mut browser)["yaw"], yaw);
    assert_eq!(hash(&mut browser), hash_before);
}

/// Returns the height of the highest vertex of a soft body, or of the highest particle.
fn highest_soft(browser: &mut Browser) -> f64 {
    let script = "Math.max(...[...testbed.sheets(), ...testbed.particles()].filter((_, i) => i % 3 === 1))";
    browser.value(script).as_f64().unwrap()
}

/// A drag pulls up the corner of a cloth, which falls when the button is released. Another drag
/// does the same with water.
#[test]
fn a_drag_moves_cloth_and_water() {
    let Some(mut browser) = open("scene=cloth&count=16&steps=60") else { return };
    // The corner of the cloth of 17 by 17 vertices that is nearest to the eye: nothing hides it.
    let nearest = "[0, 16, 272, 288].reduce((best, k) => {
        const [x, z] = [Math.sin(testbed.camera.yaw), Math.cos(testbed.camera.yaw)], all = testbed.sheets();
        const along = k => x * all[3 * k] + z * all[3 * k + 2];
        return along(best) < along(k) ? k : best;
    })";
    let corner_index = browser.value(nearest).as_u64().unwrap();
    let corner = |browser: &mut Browser| {
        let all = browser
            .value(&format!("[...testbed.sheets().slice(3 * {corner_index}, 3 * {corner_index} + 3)]"));
        [0, 1, 2].map(|k| all[k].as_f64().unwrap())
    };
    let pixel_of =
        |browser: &mut Browser, at: [f64; 3]| point(&browser.value(&format!("testbed.pixelAt({at:?})")));
    for scene in ["cloth", "raft"] {
        if scene == "raft" {
            browser.press("#scenes button[data-scene='raft']");
            run(&mut browser, 30);
        }
        let start = if scene == "cloth" { corner(&mut browser) } else { [0.44, 0.25, 0.44] };
        let height =
            |browser: &mut Browser| if scene == "cloth" { corner(browser)[1] } else { highest_soft(browser) };
        let (at, before) = (pixel_of(&mut browser, start), height(&mut browser));
        browser.call(
            "Input.dispatchMouseEvent",
            serde_json::json!({"type": "mouseMoved", "x": at[0], "y": at[1]}),
        );
        browser.mouse("mousePressed", at);
        assert!(!state(&mut browser)["held"].is_null(), "{scene}: it is held");
        for k in 1..=10 {
            browser.mouse("mouseMoved", [at[0], at[1] - 14.0 * f64::from(k)]);
        }
        run(&mut browser, 60);
        let lifted = height(&mut browser);
        assert!(before + 0.25 < lifted, "{scene}: {before} to {lifted}");
        browser.mouse("mouseReleased", [at[0], at[1] - 140.0]);
        assert!(state(&mut browser)["held"].is_null());
        // The pull made the ball under the cloth roll. Later that carries the corner up again.
        let heights = [20, 20, 20].map(|n| {
            run(&mut browser, n);
            height(&mut browser)
        });
        let lowest = heights.into_iter().fold(f64::INFINITY, f64::min);
        assert!(lowest < lifted - 0.2, "{scene}: from {lifted} it falls to {heights:?}");
    }
}

/// A click draws the triangles of the hills that wheels and boxes stand on; another one hides them.
#[test]
fn triangles_that_were_met_are_drawn() {
    let Some(mut browser) = open("scene=vehicle&steps=90&theme=light") else { return };
    let n_triangles = |browser: &mut Browser| browser.value("testbed.triangles().length / 9").as_u64();
    // Returns the number of pixels that have the colour of outlines, in the next picture.
    let n_pixels = |browser: &mut Browser| {
        let script = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => {
            const view = document.getElementById('view'), copy = document.createElement('canvas');
            [copy.width, copy.height] = [view.width, view.height];
            const context = copy.getContext('2d');
            context.drawImage(view, 0, 0);
            const pixels = context.getImageData(0, 0, copy.width, copy.height).data;
            let n = 0;
            for (let i = 0; i < pixels.length; i += 4) n += pixels[i] < 60 && 60 < pixels[i + 1] && 150 < pixels[i + 2];
            done(n);
        })))";
        browser.value(script).as_u64().unwrap()
    };
    let hash_before = hash(&mut browser);
    assert_eq!(n_triangles(&mut browser), Some(0));
    let without = n_pixels(&mut browser);
    browser.press("#triangles");
    let n = n_triangles(&mut browser).unwrap();
    assert!(20 < n, "{n} triangles");
    let with = n_pixels(&mut browser);
    assert!(without + 100 < with, "{without} and {with} pixels");
    browser.press("#triangles");
    assert_eq!(n_triangles(&mut browser), Some(0));
    assert_eq!(hash(&mut browser), hash_before);
}

/// The times of the phases are measured by the page's clock, and their sum is at most the step.
#[test]
fn the_profile_shows_each_phase() {
    let Some(mut browser) = open("scene=boxes&count=400&steps=0") else { return };
    run(&mut browser, 90);
    let figures = browser.value("testbed.figures()");
    let phases: Vec<f64> =
        figures["phases"].as_array().unwrap().iter().map(|time| time.as_f64().unwrap()).collect();
    let (step, sum) = (figures["step"].as_f64().unwrap(), phases.iter().sum::<f64>());
    assert!([0, 1, 3].iter().all(|k| 0.0 < phases[*k]), "{figures}");
    assert!(0.5 * step < sum && sum <= 1.05 * step + 0.1, "{figures}");
    assert_eq!(phases[2], 0.0, "no soft body");
    let rows = browser.value("document.querySelector('#profile').innerText");
    let rows = rows.as_str().unwrap();
    assert!(
        ["step", "broad phase", "narrow phase", "solver", "drawing"].iter().all(|row| rows.contains(row))
    );
    assert!(!rows.contains("soft bodies"), "{rows}");
}

#[test]
fn clicks_shoot_and_add_bodies() {
    let Some(mut browser) = open("scene=pyramid&count=4&steps=2") else { return };
    let n = n_bodies(&mut browser);
    let at = pixel(&mut browser, 5);
    browser.press("[data-tool='shoot']");
    browser.click(at);
    assert_eq!(n_bodies(&mut browser), n + 1);
    let still = height(&mut browser, 10);
    run(&mut browser, 90);
    assert!((height(&mut browser, 10) - still).abs() > 0.1, "the ball strikes");
    browser.press("[data-tool='spawn']");
    for (k, shape) in ["box", "ball", "capsule", "cylinder", "cone", "hull", "ring"].iter().enumerate() {
        browser.value(&format!("document.getElementById('spawned').value = {shape:?}"));
        browser.click([at[0] + 20.0 * k as f64 - 60.0, at[1]]);
        assert_eq!(n_bodies(&mut browser), n + 2 + k as u64, "{shape}");
    }
    run(&mut browser, 30);
}

#[test]
fn a_dropped_mesh_file_appears() {
    let Some(mut browser) = open("scene=pyramid&count=3&steps=2") else { return };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (good, bad) = (folder.join("tetra.obj"), folder.join("bad.obj"));
    std::fs::write(&good, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
        .unwrap();
    std::fs::write(&bad, "v 0 0 0\nf 1 2 3\n").unwrap();
    let (n, at) = (n_bodies(&mut browser), pixel(&mut browser, 3));
    browser.drop_file(&good, at);
    browser.wait_for("testbed.state().hint.includes('4 triangles')");
    assert_eq!(n_bodies(&mut browser), n + 1);
    run(&mut browser, 30);
    // The page shows why a file is refused.
    browser.drop_file(&bad, at);
    browser.wait_for("testbed.state().hint.includes('out of range')");
    assert_eq!(n_bodies(&mut browser), n + 1);
}

#[test]
fn sliders_and_switches_change_settings() {
    let Some(mut browser) = open("scene=pyramid&count=4&steps=1") else { return };
    // A click at a quarter of a slider sets about a quarter of its range.
    let slider = |browser: &mut Browser, id: &str, fraction: f64| {
        browser.middle(id);
        let at = format!(
            "(b => [b.x + {fraction} * b.width, b.y + b.height / 2])(document.querySelector({id:?}).getBoundingClientRect())"
        );
        let at = point(&browser.value(&at));
        browser.click(at);
    };
    slider(&mut browser, "#gravity", 0.25);
    let gravity = state(&mut browser)["gravity"].as_f64().unwrap();
    assert!((gravity - 5.0).abs() < 2.5, "{gravity}");
    slider(&mut browser, "#substeps", 0.75);
    let substeps = state(&mut browser)["substeps"].as_u64().unwrap();
    assert!((11..=14).contains(&substeps), "{substeps}");
    let before = hash(&mut browser);
    browser.press("#sleeping");
    assert_eq!(state(&mut browser)["sleeping"], false);
    slider(&mut browser, "#friction", 0.8);
    slider(&mut browser, "#restitution", 0.5);
    browser.press("#ccd");
    let shown = |browser: &mut Browser, id: &str| {
        browser
            .value(&format!("Number(document.querySelector('#{id} + output').textContent)"))
            .as_f64()
            .unwrap()
    };
    assert!((shown(&mut browser, "friction") - 1.2).abs() < 0.25);
    assert!((shown(&mut browser, "restitution") - 0.5).abs() < 0.15);
    assert_eq!(hash(&mut browser), before, "settings change no pose");
    let n = n_bodies(&mut browser);
    slider(&mut browser, "#count", 0.3);
    assert!(n < n_bodies(&mut browser));
    for id in ["contacts", "joints", "boxes"] {
        browser.press(&format!("#{id}"));
    }
    for (id, value) in [("colours", "island"), ("colours", "body"), ("volumes", "all"), ("volumes", "1")] {
        browser.value(&format!(
            "(e => {{ e.value = {value:?}; e.dispatchEvent(new Event('change')); }})(document.getElementById({id:?}))"
        ));
    }
    run(&mut browser, 20);
    browser.wait_for("document.body.dataset.state === 'paused'");
}

#[test]
fn another_broad_phase_has_the_same_hash() {
    let Some(mut browser) = open("scene=pile&count=60&steps=20") else { return };
    let start = hash(&mut browser);
    browser.press("#save");
    let end = run(&mut browser, 20);
    for name in ["sweep-and-prune", "uniform-grid", "brute-force"] {
        browser.press("#load");
        assert_eq!(hash(&mut browser), start);
        browser.value(&format!(
            "(e => {{ e.value = {name:?}; e.dispatchEvent(new Event('change')); }})(document.getElementById('broad-phase'))"
        ));
        let changed = state(&mut browser);
        assert_eq!(
            (changed["broad_phase"].as_str(), changed["hash"].as_str()),
            (Some(name), Some(start.as_str()))
        );
        assert_eq!(run(&mut browser, 20), end, "{name}");
    }
}

#[test]
fn snapshots_and_recordings_come_back_to_the_same_bits() {
    let Some(mut browser) = open("scene=pyramid&count=5&steps=10") else { return };
    browser.press("#save");
    let end = run(&mut browser, 15);
    browser.press("#load");
    assert_eq!(state(&mut browser)["steps"], 10);
    assert_eq!(run(&mut browser, 15), end, "a snapshot goes on with the same hash");
    browser.press("#record");
    browser.press("[data-tool='shoot']");
    let at = pixel(&mut browser, 6);
    browser.click(at);
    run(&mut browser, 25);
    let recorded = hash(&mut browser);
    browser.press("#record");
    assert_eq!(state(&mut browser)["is_recording"], false);
    run(&mut browser, 5);
    browser.press("#replay");
    browser.wait_for("testbed.state().replay === 'same'");
    browser.press("#play");
    browser.press("#replay");
    browser.press("#play");
    run(&mut browser, 0);
    let left = 25 + 25 - state(&mut browser)["steps"].as_u64().unwrap();
    assert_eq!(run(&mut browser, left as u32), recorded);
}

#[test]
fn two_clicks_say_why_two_bodies_touch() {
    let Some(mut browser) = open("scene=tower&steps=20") else { return };
    browser.press("[data-tool='why']");
    let [first, second] = [8, 9].map(|body| pixel(&mut browser, body));
    browser.click(first);
    assert_eq!(state(&mut browser)["chosen"].as_array().map(Vec::len), Some(1));
    browser.click(second);
    let why = state(&mut browser)["why"].clone();
    assert_eq!(
        (why["touching"].as_bool(), why["phase"].as_str()),
        (Some(true), Some("narrow phase")),
        "{why}"
    );
    assert!(!why["contacts"].as_array().unwrap().is_empty());
    let text = browser.value("document.getElementById('answer').textContent");
    assert!(text.as_str().unwrap().contains("touch"), "{text}");
    browser.click(first);
    let far = pixel(&mut browser, 2);
    browser.click(far);
    let why = state(&mut browser)["why"].clone();
    assert_eq!(
        (why["touching"].as_bool(), why["phase"].as_str()),
        (Some(false), Some("broad phase")),
        "{why}"
    );
}

#[test]
fn touch_pulls_turns_and_zooms() {
    let Some(mut browser) = open_sized("scene=pyramid&count=4&steps=5", [400, 800]) else { return };
    browser.call(
        "Emulation.setTouchEmulationEnabled",
        serde_json::json!({"enabled": true, "maxTouchPoints": 2}),
    );
    let (at, before) = (pixel(&mut browser, 10), height(&mut browser, 10));
    browser.touch("touchStart", &[at]);
    assert!(!state(&mut browser)["held"].is_null());
    for k in 1..=8 {
        browser.touch("touchMove", &[[at[0], at[1] - 14.0 * f64::from(k)]]);
    }
    run(&mut browser, 60);
    assert!(before + 0.2 < height(&mut browser, 10));
    browser.touch("touchEnd", &[]);
    assert!(state(&mut browser)["held"].is_null());
    let view =
        point(&browser.value("(b => [b.x, b.y])(document.getElementById('view').getBoundingClientRect())"));
    let [x, y] = [view[0] + 40.0, view[1] + 60.0];
    let before = state(&mut browser);
    browser.touch("touchStart", &[[x, y]]);
    browser.touch("touchMove", &[[x + 60.0, y]]);
    browser.touch("touchEnd", &[]);
    let turned = state(&mut browser);
    assert_ne!(turned["yaw"], before["yaw"]);
    browser.touch("touchStart", &[[x, y], [x + 40.0, y]]);
    for k in 1..=5 {
        browser.touch("touchMove", &[[x, y], [x + 40.0 + 20.0 * f64::from(k), y]]);
    }
    browser.touch("touchEnd", &[]);
    let (near, far) =
        (state(&mut browser)["distance"].as_f64().unwrap(), turned["distance"].as_f64().unwrap());
    assert!(near < 0.6 * far, "{near} {far}");
}

#[test]
fn keys_do_what_the_help_says() {
    let Some(mut browser) = open("scene=pyramid&count=4&steps=3") else { return };
    browser.key("ArrowRight");
    assert_eq!(state(&mut browser)["steps"], 4);
    browser.key("s");
    browser.key("ArrowRight");
    browser.key("l");
    assert_eq!(state(&mut browser)["steps"], 4);
    browser.key(" ");
    browser.wait_for("6 < testbed.state().steps");
    browser.key(" ");
    assert_eq!(state(&mut browser)["isPlaying"], false);
    for (key, tool) in [("2", "shoot"), ("3", "spawn"), ("4", "why"), ("1", "drag")] {
        browser.key(key);
        assert_eq!(state(&mut browser)["tool"].as_str(), Some(tool));
    }
    let n = n_bodies(&mut browser);
    browser.call("Input.dispatchMouseEvent", serde_json::json!({"type": "mouseMoved", "x": 600, "y": 350}));
    browser.key("f");
    browser.key("g");
    assert_eq!(n_bodies(&mut browser), n + 2);
    browser.key("c");
    assert_eq!(browser.value("document.getElementById('contacts').checked"), true);
    let is_dark = state(&mut browser)["isDark"].clone();
    browser.key("t");
    assert_ne!(state(&mut browser)["isDark"], is_dark);
    browser.key("r");
    assert_eq!(state(&mut browser)["steps"], 0);
    browser.key("n");
    assert_eq!(state(&mut browser)["scene"], "tower");
    browser.key("p");
    assert_eq!(state(&mut browser)["scene"], "pyramid");
    browser.key("?");
    assert_eq!(browser.value("document.getElementById('keys').open"), true);
}

/// The address of the page is what it shows, and a number in it that cannot be is ignored.
#[test]
fn the_address_says_what_is_shown() {
    let Some(mut browser) = open("scene=pyramid&count=2.5&steps=3") else { return };
    assert_eq!(
        (state(&mut browser)["count"].as_u64(), state(&mut browser)["steps"].as_u64()),
        (Some(2), Some(3))
    );
    assert_eq!(browser.value("location.hash"), "#scene=pyramid&steps=3&count=2");
    browser.press("#scenes button[data-scene='tower']");
    assert_eq!(
        browser.value("location.hash"),
        "#scene=tower",
        "it runs from its start, with its usual count"
    );
}

#[test]
fn a_count_that_cannot_be_is_the_usual_one() {
    let Some(mut browser) = open("scene=pyramid&count=many&steps=0") else { return };
    let usual = scene("pyramid").unwrap().count.usual as u64;
    assert_eq!(state(&mut browser)["count"].as_u64(), Some(usual));
    assert_eq!(browser.value("location.hash"), "#scene=pyramid&steps=0");
}
