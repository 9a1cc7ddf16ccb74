//! The player: one HTML file that shows a recording and needs no other file.
//!
//! Poses are quantised: 16 bits per coordinate within the scene's box, 12 bits per quaternion
//! component. They are predicted from the two frames before, split into byte planes, deflated, and
//! written into the page as base64. A script in the page draws them.
//!
//! Reference: G. Fiedler, Snapshot Compression, gafferongames.com, 2015 (the smallest three
//! components of a quaternion).
//! Differs: prediction is linear and its error is not bit-packed; deflate does that.

mod sections;
mod surface;
mod writer;

use carom_stage::page;
pub use carom_stage::{PlayerMesh, PlayerShape};
use sections::Sections;
pub use surface::{FaceState, PlayerCloud, SurfaceFrame};
use writer::{FrameWriter, Grid, describe_mesh};

use base64::Engine;
use carom_math::{Pose, Vec3};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::{Value, json};
use std::io::Write;

/// The script of the page: the parts share the scope of one function.
const SCRIPT: &str = concat!(
    include_str!("player/recording.js"),
    include_str!("player/motion.js"),
    include_str!("player/shapes.js"),
    include_str!("player/moment.js"),
    include_str!("player/view.js"),
    include_str!("player/colours.js"),
    include_str!("player/pairs.js"),
    include_str!("player/picture.js"),
    include_str!("player/statistics.js"),
    include_str!("player/legend.js"),
    include_str!("player/controls.js"),
    include_str!("player/play.js")
);

/// The state of a body, which gives its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum BodyState {
    /// Never moves.
    Fixed = 0,
    /// At rest and left out of the simulation.
    Asleep = 1,
    /// Moves, and touches nothing.
    Awake = 2,
    /// Touches another body.
    InContact = 3,
    /// A part that is closer than the clearance.
    Near = 4,
    /// A part that intersects another.
    Colliding = 5,
}

/// One frame of the statistics under the picture.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct FrameStats {
    /// Values in the order of `Recording::charts`, flattened.
    pub values: Vec<f64>,
}

/// A chart under the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Heading above the chart.
    pub title: String,
    /// Unit, shown after the heading; empty for none.
    pub unit: String,
    /// One name for each line.
    pub lines: Vec<String>,
}

/// The camera and the speed of play at the start, for scenes in which a view of all bodies is not
/// wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// The point in the middle of the picture.
    pub target: Vec3,
    /// Distance from the eye to the target, above 0. Bodies sixteen times as far from the target,
    /// or farther, are not shown.
    pub distance: f32,
    /// Radians about y: at 0 the eye is towards z, at a quarter turn towards x.
    pub yaw: f32,
    /// Radians above the horizon.
    pub pitch: f32,
    /// Seconds of the run per second of play: one of the speeds that the page offers.
    pub speed: f64,
}

/// Reach of recorded positions from the target of a view on each axis, in distances of the view.
const VIEW_REACH: f32 = 16.0;

/// A recording in progress.
pub struct Recording {
    title: String,
    view: Option<View>,
    /// Seconds from one recorded frame to the next.
    seconds_per_frame: f64,
    shapes: Vec<PlayerShape>,
    /// Index of the shape of each body.
    bodies: Vec<u32>,
    names: Vec<String>,
    /// The meaning of each state in this scene; empty for the usual ones.
    state_names: Vec<String>,
    face_names: Vec<String>,
    line_names: Vec<String>,
    /// The switches that are on when the page opens.
    shown: Vec<String>,
    charts: Vec<Chart>,
    table: Option<Value>,
    notes: Vec<String>,
    follow: Option<Value>,
    /// Meshes that change their shape.
    surfaces: Vec<PlayerMesh>,
    clouds: Vec<PlayerCloud>,
    /// Index of the cloud for which frames may bring a skin.
    skinned: Option<usize>,
    min: Vec3,
    max: Vec3,
    frames: Vec<Frame>,
}

/// A frame as it was given. It is quantised at the end, when the box of the scene is known.
struct Frame {
    poses: Vec<Pose>,
    states: Vec<BodyState>,
    contacts: Vec<Vec3>,
    n_contacts: usize,
    stats: FrameStats,
    /// Lines of joints and of normals, as start and end.
    lines: [Vec<[Vec3; 2]>; 2],
    /// Lowest and highest corner of the boxes of each level of a tree, the top first.
    levels: Vec<Vec<[Vec3; 2]>>,
    n_levels: usize,
    /// A line of text above the legend; empty for none.
    caption: String,
    /// One for each mesh that changes its shape.
    surfaces: Vec<SurfaceFrame>,
    /// The positions of the particles of each cloud.
    clouds: Vec<SurfaceFrame>,
    /// A mesh in place of the particles of one cloud.
    skin: Option<PlayerMesh>,
}

/// The most contacts kept in one frame: enough to show where they are, and few enough to load.
const MAX_CONTACTS: usize = 2000;

/// The most lines of each kind kept in one frame.
const MAX_LINES: usize = 500;

/// The most tree boxes kept in one frame: whole levels from the top, as many as fit. All levels fit
/// for a few thousand bodies, and all but the lowest for ten thousand.
const MAX_TREE_BOXES: usize = 600;

/// Quantisation steps from the least to the greatest quaternion component, -1 / sqrt 2 to 1 / sqrt
/// 2.
const QUAT_STEPS: f32 = 4095.0;

impl Recording {
    /// Returns an empty recording. `bodies` has the index of its shape for each body.
    pub fn new(title: &str, seconds_per_frame: f64, shapes: Vec<PlayerShape>, bodies: Vec<u32>) -> Recording {
        Recording {
            title: title.to_owned(),
            view: None,
            seconds_per_frame,
            shapes,
            bodies,
            names: Vec::new(),
            state_names: Vec::new(),
            face_names: Vec::new(),
            line_names: Vec::new(),
            shown: Vec::new(),
            charts: Vec::new(),
            table: None,
            notes: Vec::new(),
            follow: None,
            surfaces: Vec::new(),
            clouds: Vec::new(),
            skinned: None,
            min: Vec3::INFINITY,
            max: Vec3::NEG_INFINITY,
            frames: Vec::new(),
        }
    }

    /// Sets the charts. Each frame brings their values in [`FrameStats`].
    pub fn with_charts(mut self, charts: Vec<Chart>) -> Recording {
        self.charts = charts;
        self
    }

    /// Sets the camera at the start, in place of one that shows all bodies at the end.
    pub fn with_view(mut self, view: View) -> Recording {
        self.view = Some(view);
        self
    }

    /// Sets the names of the bodies, which are shown under the pointer.
    pub fn with_names(mut self, names: Vec<String>) -> Recording {
        self.names = names;
        self
    }

    /// Sets the names of the six states of [`BodyState`] in the legend. States with an empty name
    /// are left out.
    pub fn with_state_names(mut self, names: [&str; 6]) -> Recording {
        self.state_names = names.map(str::to_owned).to_vec();
        self
    }

    /// Sets the names of the four states of [`FaceState`] in the legend.
    pub fn with_face_names(mut self, names: [&str; 4]) -> Recording {
        self.face_names = names.map(str::to_owned).to_vec();
        self
    }

    /// Sets the names of the two kinds of lines in the legend.
    pub fn with_line_names(mut self, names: [&str; 2]) -> Recording {
        self.line_names = names.map(str::to_owned).to_vec();
        self
    }

    /// Sets the switches of the page that are on at first: `contacts`, `lines`, `boxes`, `tree`,
    /// `skin`. With `bodies`, each body has a colour of its own at first, not that of its state.
    pub fn with_shown(mut self, switches: &[&str]) -> Recording {
        self.shown = switches.iter().map(|name| (*name).to_owned()).collect();
        self
    }

    /// Sets the table under the picture: `{"columns": [..], "rows": [[..]]}`.
    pub fn with_table(mut self, table: Value) -> Recording {
        self.table = Some(table);
        self
    }

    /// Sets the lines of text below the table.
    pub fn with_notes(mut self, notes: Vec<String>) -> Recording {
        self.notes = notes;
        self
    }

    /// Makes the camera follow a body. It starts at this distance, with yaw about y and pitch above
    /// the horizon in radians.
    pub fn with_camera_on(mut self, body: u32, [distance, yaw, pitch]: [f64; 3]) -> Recording {
        self.follow = Some(json!({"body": body, "view": [distance, yaw, pitch]}));
        self
    }

    /// Sets the meshes that change their shape. Each frame brings their vertices, by
    /// [`push_surfaces`](Recording::push_surfaces).
    pub fn with_surfaces(mut self, surfaces: Vec<PlayerMesh>) -> Recording {
        self.surfaces = surfaces;
        self
    }

    /// Sets the clouds of particles. Each frame brings their positions, by
    /// [`push_clouds`](Recording::push_clouds).
    pub fn with_clouds(mut self, clouds: Vec<PlayerCloud>) -> Recording {
        self.clouds = clouds;
        self
    }

    /// Lets frames bring a skin for the particles of the cloud with this index, by
    /// [`push_skin`](Recording::push_skin). A switch of the page shows the skin or the particles.
    pub fn with_skin(mut self, cloud: usize) -> Recording {
        self.skinned = Some(cloud);
        self
    }

    /// Adds a frame: a pose and a state for each body, the contact points in the world, and the
    /// values of the charts.
    pub fn push(&mut self, poses: Vec<Pose>, states: Vec<BodyState>, contacts: &[Vec3], stats: FrameStats) {
        let is_plane =
            |i: usize| matches!(self.shapes.get(self.bodies[i] as usize), Some(PlayerShape::Plane(_)));
        for (_, pose) in poses.iter().enumerate().filter(|(i, _)| !is_plane(*i)) {
            self.min = self.min.min(pose.translation);
            self.max = self.max.max(pose.translation);
        }
        let kept = thinned(contacts, MAX_CONTACTS);
        for point in &kept {
            self.min = self.min.min(*point);
            self.max = self.max.max(*point);
        }
        let n_contacts = contacts.len();
        let (lines, levels, n_levels) = (Default::default(), Vec::new(), 0);
        let (surfaces, clouds) = (Vec::new(), Vec::new());
        self.frames.push(Frame {
            poses,
            states,
            contacts: kept,
            n_contacts,
            stats,
            lines,
            levels,
            n_levels,
            caption: String::new(),
            surfaces,
            clouds,
            skin: None,
        });
    }

    /// Adds to the last frame the lines of joints and those of normals, as start and end. If there
    /// are too many, it keeps evenly spaced ones.
    pub fn push_lines(&mut self, lines: [&[[Vec3; 2]]; 2]) {
        let Some(frame) = self.frames.last_mut() else { return };
        frame.lines = lines.map(|lines| thinned(lines, MAX_LINES));
        for point in frame.lines.iter().flatten().flatten().filter(|point| point.is_finite()) {
            self.min = self.min.min(*point);
            self.max = self.max.max(*point);
        }
    }

    /// Adds to the last frame the vertices and face states of the meshes that change their shape.
    pub fn push_surfaces(&mut self, surfaces: Vec<SurfaceFrame>) {
        self.grow(&surfaces);
        let Some(frame) = self.frames.last_mut() else { return };
        frame.surfaces = surfaces;
    }

    /// Adds to the last frame the positions of the particles of each cloud.
    pub fn push_clouds(&mut self, positions: Vec<Vec<Vec3>>) {
        let clouds: Vec<SurfaceFrame> =
            positions.into_iter().map(|vertices| SurfaceFrame { vertices, faces: Vec::new() }).collect();
        self.grow(&clouds);
        let Some(frame) = self.frames.last_mut() else { return };
        frame.clouds = clouds;
    }

    /// Adds to the last frame a surface around the particles. Each frame has its own vertices and
    /// triangles.
    pub fn push_skin(&mut self, skin: PlayerMesh) {
        let Some(frame) = self.frames.last_mut() else { return };
        frame.skin = Some(skin);
    }

    /// Grows the box of the scene to contain vertices.
    fn grow(&mut self, surfaces: &[SurfaceFrame]) {
        for vertex in surfaces.iter().flat_map(|surface| &surface.vertices).filter(|p| p.is_finite()) {
            self.min = self.min.min(*vertex);
            self.max = self.max.max(*vertex);
        }
    }

    /// Sets the line of text above the legend for the last frame.
    pub fn push_caption(&mut self, caption: &str) {
        let Some(frame) = self.frames.last_mut() else { return };
        caption.clone_into(&mut frame.caption);
    }

    /// Adds to the last frame the boxes of a tree, as lowest and highest corner, level by level
    /// from the top. They are clipped to the box of the scene.
    pub fn push_tree(&mut self, mut levels: Vec<Vec<[Vec3; 2]>>) {
        let Some(frame) = self.frames.last_mut() else { return };
        frame.n_levels = levels.len();
        let mut n = 0;
        levels.retain(|level| {
            n += level.len();
            n <= MAX_TREE_BOXES
        });
        frame.levels = levels;
    }

    /// Returns the page; an error if the numbers of a mesh or frame do not fit together.
    pub fn to_html(&self) -> Result<String, String> {
        let data = self.encode()?;
        let html = include_str!("player/player.html");
        let script = [page::RENDERER, page::CHARTS, "(async () => {\n", SCRIPT, "})();\n"].concat();
        let encoded = base64::engine::general_purpose::STANDARD.encode(data);
        let title = escaped(&self.title);
        // Base64 has no underscore, so no mark is in the data. It goes in last and is not searched.
        Ok(html
            .replace("__TITLE__", &title)
            .replace("__STYLE__", page::STYLE)
            .replace("__SCRIPT__", &script)
            .replace("__DATA__", &encoded))
    }

    /// Returns the deflated data: the length of the description, the description in JSON, and the
    /// sections that it names.
    fn encode(&self) -> Result<Vec<u8>, String> {
        let mut sections = Sections::default();
        let shapes: Vec<Value> = self.shapes.iter().map(|s| describe_shape(s, &mut sections)).collect();
        let bodies = sections.push(self.bodies.iter().flat_map(|b| b.to_le_bytes()));
        // The box contains everything but planes.
        let (min, max) =
            if self.min.x <= self.max.x { (self.min, self.max) } else { (Vec3::ZERO, Vec3::ZERO) };
        let (min, max) = match self.view {
            // If small bodies fly far away, 16 bits per coordinate are too coarse for the whole
            // box.
            Some(View { target, distance, .. }) => {
                let reach = Vec3::splat(VIEW_REACH * distance);
                (min.max(target - reach), max.min(target + reach))
            }
            None => (min, max),
        };
        let grid = Grid::new(min, max);
        let planes = self.planes();
        let mut writer = FrameWriter::new(self, grid);
        let frames = self.frames.iter().map(|frame| writer.write(frame, &mut sections));
        let frames: Vec<Value> = frames.collect::<Result<_, _>>()?;
        let charts: Vec<Value> =
            self.charts.iter().map(|c| json!({"title": c.title, "unit": c.unit, "lines": c.lines})).collect();
        let view = self.view.map(|view| {
            json!({"target": view.target.to_array(), "distance": view.distance, "yaw": view.yaw, "pitch": view.pitch, "speed": view.speed})
        });
        let surfaces: Vec<Value> =
            self.surfaces.iter().map(|s| surface::describe(s, &mut sections)).collect();
        let clouds: Vec<Value> = self.clouds.iter().map(surface::describe_cloud).collect();
        let description = json!({
            "surfaces": surfaces,
            "clouds": clouds,
            "skinned": self.skinned,
            "view": view,
            "version": 1, "title": self.title, "secondsPerFrame": self.seconds_per_frame,
            "min": grid.min.to_array(), "extent": grid.extent.to_array(),
            "shapes": shapes, "bodies": bodies, "stateNames": self.state_names, "faceNames": self.face_names, "lineNames": self.line_names, "shown": self.shown,
            "names": self.names, "planes": planes,
            "frames": frames, "charts": charts, "table": self.table, "notes": self.notes, "follow": self.follow, "quatSteps": QUAT_STEPS,
        })
        .to_string();
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(7));
        let written = (|| {
            encoder.write_all(&(description.len() as u32).to_le_bytes())?;
            encoder.write_all(description.as_bytes())?;
            encoder.write_all(&sections.bytes)?;
            encoder.finish()
        })();
        written.map_err(|e| format!("the recording cannot be compressed: {e}"))
    }

    /// Returns the planes of the first frame, as normal and a point.
    fn planes(&self) -> Vec<Value> {
        let Some(frame) = self.frames.first() else { return Vec::new() };
        let planes = self.bodies.iter().zip(&frame.poses).filter_map(|(shape, pose)| {
            match self.shapes.get(*shape as usize) {
                Some(PlayerShape::Plane(normal)) => Some(json!({
                    "normal": (pose.rotation * *normal).to_array(), "point": pose.translation.to_array(),
                })),
                _ => None,
            }
        });
        planes.collect()
    }
}

/// Returns evenly spaced elements, at most `most` of them, so that they are spread over the scene.
fn thinned<T: Copy>(all: &[T], most: usize) -> Vec<T> {
    all.iter().step_by(all.len().div_ceil(most).max(1)).copied().collect()
}

/// Describes a shape for the script.
fn describe_shape(shape: &PlayerShape, sections: &mut Sections) -> Value {
    match shape {
        PlayerShape::Cuboid(half) => json!({"kind": "box", "half": half.to_array()}),
        PlayerShape::Capsule(half_height, radius) => {
            json!({"kind": "capsule", "half": half_height, "radius": radius})
        }
        PlayerShape::Plane(normal) => json!({"kind": "plane", "normal": normal.to_array()}),
        PlayerShape::Mesh(mesh) => describe_mesh(mesh, sections),
    }
}

/// Escapes text for HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
