//! The page is opened in a real browser, if one is installed, and its pixels are tested.

use crate::chromium;
use carom_cli::player::{BodyState, Chart, FrameStats, PlayerCloud, PlayerMesh, PlayerShape, Recording};
use carom_math::{Pose, Quat, Vec3};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A page about a few hundred bodies that rain down, made without any engine.
fn sample_page(n_frames: usize) -> String {
    let tetra = PlayerMesh {
        vertices: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z],
        triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
    };
    let shapes = vec![
        PlayerShape::Cuboid(Vec3::new(0.5, 0.3, 0.4)),
        PlayerShape::Capsule(0.4, 0.25),
        PlayerShape::Mesh(tetra),
        PlayerShape::Plane(Vec3::Y),
    ];
    let n = 301;
    let bodies: Vec<u32> = (0..n).map(|i| if i == n - 1 { 3 } else { i % 3 }).collect();
    let charts = vec![
        Chart { title: "time".into(), unit: "ms".into(), lines: vec!["broad".into(), "narrow".into()] },
        Chart { title: "contacts".into(), unit: String::new(), lines: vec!["contacts".into()] },
    ];
    let mut recording = Recording::new("Rain <test>", 1.0 / 30.0, shapes, bodies).with_charts(charts);
    for frame in 0..n_frames {
        let t = frame as f32 / 30.0;
        let mut poses = Vec::new();
        let mut states = Vec::new();
        let mut contacts = Vec::new();
        for i in 0..n {
            if i == n - 1 {
                poses.push(Pose::IDENTITY);
                states.push(BodyState::Fixed);
                continue;
            }
            let (x, z) = ((i % 17) as f32 * 1.3 - 10.0, (i / 17) as f32 * 1.3 - 10.0);
            let y = (3.0 + (i % 7) as f32 - 4.9 * t * t).max(0.5);
            let is_down = y == 0.5;
            let turn = Quat::from_rotation_x(t + i as f32) * Quat::from_rotation_y(i as f32);
            poses.push(Pose::new(turn, Vec3::new(x, y, z)));
            states.push(match (is_down, i % 2) {
                (true, 0) => BodyState::Asleep,
                (true, _) => BodyState::InContact,
                _ => BodyState::Awake,
            });
            if is_down {
                contacts.push(Vec3::new(x, 0.0, z));
            }
        }
        let stats = FrameStats { values: vec![1.0 + t as f64, 2.0, contacts.len() as f64] };
        recording.push(poses, states, &contacts, stats);
        // A tree of two levels, whose lower one is too large to be kept.
        let corner = |x: f32| [Vec3::new(x, -1e30, -9.0), Vec3::new(x + 9.0, 6.0, 9.0)];
        recording.push_tree(vec![vec![corner(-9.0), corner(0.0)], vec![corner(0.0); 700]]);
    }
    recording.to_html().unwrap()
}

/// Pages and pictures of the tests.
fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("player");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The picture of a page with this fragment, as width and RGB rows; `None`, with a printed line,
/// where no browser is installed or the one there is does not come to its end.
pub(crate) fn screenshot(page: &Path, fragment: &str, picture: &Path) -> Option<(usize, Vec<[u8; 3]>)> {
    let browser = chromium::program()?;
    let _ = std::fs::remove_file(picture);
    // A headless browser sometimes hangs before it draws. Then a new one is started.
    if !(0..3).any(|attempt| draws(browser, page, fragment, picture, attempt)) {
        println!("skipped: the browser does not come to its end");
        return None;
    }
    let mut reader = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(picture).unwrap()))
        .read_info()
        .unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    let channels = info.color_type.samples();
    Some((info.width as usize, pixels.chunks_exact(channels).map(|p| [p[0], p[1], p[2]]).collect()))
}

/// One browser draws the page into the picture, within 50 seconds.
fn draws(browser: &str, page: &Path, fragment: &str, picture: &Path, attempt: u32) -> bool {
    let profile = folder().join(format!("profile-{}-{}-{attempt}", std::process::id(), fragment.len()));
    let mut child = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--use-gl=angle",
            "--use-angle=swiftshader",
            "--enable-unsafe-swiftshader",
        ])
        .args([
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
        ])
        .args(["--disable-sync", "--hide-scrollbars", "--window-size=1280,900", "--virtual-time-budget=4000"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("--screenshot={}", picture.display()))
        .arg(format!("file://{}#{fragment}", page.display()))
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    // A browser that hangs must not hang the tests.
    for _ in 0..500 {
        if child.try_wait().unwrap().is_some() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let _ = child.kill();
    let _ = child.wait();
    let _ = std::fs::remove_dir_all(&profile);
    picture.exists()
}

/// Pixels of the picture's upper half, where the canvas is, that are about of this colour, shaded
/// or not.
pub(crate) fn n_of_hue(picture: &(usize, Vec<[u8; 3]>), colour: [f32; 3]) -> usize {
    let unit = |c: [f32; 3]| {
        let v = Vec3::from_array(c);
        v / v.length().max(1.0)
    };
    let half = picture.0 * 560;
    picture.1[..half.min(picture.1.len())]
        .iter()
        .filter(|p| {
            let p = p.map(f32::from);
            60.0 < p[0].max(p[1]).max(p[2]) && 0.995 < unit(p).dot(unit(colour))
        })
        .count()
}

#[test]
fn page_holds_everything_itself() {
    let page = sample_page(4);
    assert!(!page.contains("http://") && !page.contains("https://"), "an outside address");
    assert!(!page.contains("__DATA__") && !page.contains("__SCRIPT__") && !page.contains("__TITLE__"));
    assert!(page.contains("Rain &lt;test&gt;"));
    assert!(!page.contains("src="));
}

#[test]
fn page_draws_in_a_browser() {
    let page = folder().join("sample.html");
    std::fs::write(&page, sample_page(45)).unwrap();
    let Some(picture) = screenshot(&page, "frame=32&show=contacts", &folder().join("sample.png")) else {
        return;
    };
    // Bodies that fall are green, those in contact orange, contacts yellow.
    assert!(1000 < n_of_hue(&picture, [78.0, 166.0, 108.0]), "no falling body is seen");
    assert!(1000 < n_of_hue(&picture, [224.0, 138.0, 52.0]), "no body in contact is seen");
    assert!(100 < n_of_hue(&picture, [255.0, 235.0, 51.0]), "no contact is seen");
    let magenta = [214.0, 40.0, 160.0];
    assert!(n_of_hue(&picture, magenta) < 50, "nobody asked for the tree");
    let Some(picture) = screenshot(&page, "frame=32&show=tree&level=1", &folder().join("tree.png")) else {
        return;
    };
    assert!(200 < n_of_hue(&picture, magenta), "no tree is seen");
}

/// A sheet of red particles over a floor without other bodies: dark grey pixels are its shadow.
#[test]
fn particles_cast_shadows() {
    let shadow = |height: f32| {
        let (name, colour) = ("balls".to_owned(), [220, 30, 30]);
        let cloud = PlayerCloud { name, n: 441, radius: 0.06, colour, foam_speed: f32::INFINITY };
        let mut recording =
            Recording::new("sheet", 0.1, vec![PlayerShape::Plane(Vec3::Y)], vec![0]).with_clouds(vec![cloud]);
        let sheet = (0..441).map(|i| Vec3::new((i % 21) as f32 * 0.1, height, (i / 21) as f32 * 0.1));
        recording.push(vec![Pose::IDENTITY], vec![BodyState::Fixed], &[], FrameStats::default());
        recording.push_clouds(vec![sheet.collect()]);
        let page = folder().join(format!("sheet_{height}.html"));
        std::fs::write(&page, recording.to_html().unwrap()).unwrap();
        let (_, pixels) = screenshot(&page, "frame=0", &folder().join(format!("sheet_{height}.png")))?;
        let is_shadow = |p: &&[u8; 3]| {
            let [red, green, blue] = p.map(i32::from);
            (80..150).contains(&red) && (80..150).contains(&green) && (0..40).contains(&(blue - red))
        };
        Some(pixels.iter().filter(is_shadow).count())
    };
    let (Some(above), Some(below)) = (shadow(1.0), shadow(-1.0)) else {
        return;
    };
    println!("{above} pixels in the shadow of a sheet above the floor, {below} of one below");
    assert!(2000 < above && below < above / 4, "{above} {below}");
}

/// A wish for the first pair of a table that has no pairs is passed over, and the page is drawn.
#[test]
fn a_table_without_positions_has_no_pairs() {
    let shapes = vec![PlayerShape::Cuboid(Vec3::ONE)];
    let mut recording = Recording::new("table", 0.1, shapes, vec![0])
        .with_table(serde_json::json!({"columns": ["box", "volume"], "rows": [["first", 8]]}));
    recording.push(vec![Pose::IDENTITY], vec![BodyState::Awake], &[], FrameStats::default());
    let page = folder().join("table.html");
    std::fs::write(&page, recording.to_html().unwrap()).unwrap();
    let Some(picture) = screenshot(&page, "frame=0&pair=1", &folder().join("table.png")) else { return };
    assert!(1000 < n_of_hue(&picture, [78.0, 166.0, 108.0]), "the box is not seen");
}

#[test]
fn frames_must_fit_the_bodies() {
    let mut recording = Recording::new("x", 0.1, vec![PlayerShape::Cuboid(Vec3::ONE)], vec![0, 0]);
    recording.push(vec![Pose::IDENTITY], vec![BodyState::Awake], &[], FrameStats::default());
    assert!(recording.to_html().unwrap_err().contains("1 poses for 2 bodies"));
    assert!(Recording::new("x", 0.1, Vec::new(), Vec::new()).to_html().is_ok());
}
