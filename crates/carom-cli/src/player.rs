//! The player: one HTML file that shows a recording and needs no other file.
//!
//! Poses are quantised: 16 bits per coordinate within the scene's box, 12 bits per quaternion
//! component. They are predicted from the two frames before, split into byte planes, deflated, and
//! written into the page as base64. A script in the page draws them.
//!
//! Reference: G. Fiedler, Snapshot Compression, gafferongames.com, 2015 (the smallest three
//! components of a quaternion).
//! Differs: prediction is linear and its error is not bit-packed; deflate does that.

mod surface;

use carom_stage::page;
pub use carom_stage::{PlayerMesh, PlayerShape};
pub use surface::{FaceState, PlayerCloud, SurfaceFrame};

use base64::Engine;
use carom_math::{Pose, Quat, Vec3};
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
        // The box contains everything but planes. Its extent is kept above 0, because coordinates
        // are divided by it.
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
        let extent = (max - min).max(Vec3::splat(f32::MIN_POSITIVE));
        let planes: Vec<Value> = self.planes();
        let mut previous = [vec![[0u16; 6]; self.bodies.len()], vec![[0u16; 6]; self.bodies.len()]];
        let mut previous_states = vec![0u8; self.bodies.len()];
        let mut frames = Vec::new();
        let of_surface = |s: &PlayerMesh| surface::Writer::new(s.vertices.len(), s.triangles.len());
        let mut surface_writers: Vec<surface::Writer> = self.surfaces.iter().map(of_surface).collect();
        let of_cloud = |cloud: &PlayerCloud| surface::Writer::new(cloud.n, 0);
        let mut cloud_writers: Vec<surface::Writer> = self.clouds.iter().map(of_cloud).collect();
        let mut last_levels = (&Vec::new(), Vec::new());
        for frame in &self.frames {
            if frame.poses.len() != self.bodies.len() || frame.states.len() != self.bodies.len() {
                return Err(format!(
                    "a frame of {} poses for {} bodies",
                    frame.poses.len(),
                    self.bodies.len()
                ));
            }
            let words: Vec<[u16; 6]> = frame
                .poses
                .iter()
                .map(|pose| {
                    let p = quantised_point(pose.translation, min, extent);
                    let q = quantised_rotation(pose.rotation);
                    [p[0], p[1], p[2], q[0], q[1], q[2]]
                })
                .collect();
            let mut planes_of_bytes: Vec<u8> = Vec::with_capacity(13 * words.len());
            for channel in 0..6 {
                let residuals: Vec<u16> = words
                    .iter()
                    .zip(&previous[0])
                    .zip(&previous[1])
                    .map(|((now, last), before)| {
                        let guess = last[channel].wrapping_mul(2).wrapping_sub(before[channel]);
                        zigzag(now[channel].wrapping_sub(guess) as i16)
                    })
                    .collect();
                planes_of_bytes.extend(residuals.iter().map(|r| *r as u8));
                planes_of_bytes.extend(residuals.iter().map(|r| (*r >> 8) as u8));
            }
            let states: Vec<u8> = frame.states.iter().map(|s| *s as u8).collect();
            planes_of_bytes.extend(states.iter().zip(&previous_states).map(|(now, last)| now ^ last));
            previous_states = states;
            previous = {
                let [last, _] = previous;
                [words, last]
            };
            let poses = sections.push(planes_of_bytes);
            let contacts = sections.push(
                frame
                    .contacts
                    .iter()
                    .flat_map(|p| quantised_point(*p, min, extent))
                    .flat_map(u16::to_le_bytes),
            );
            let lines = [0, 1].map(|kind| {
                let words = frame.lines[kind].iter().flatten().flat_map(|p| quantised_point(*p, min, extent));
                sections.push(words.flat_map(u16::to_le_bytes))
            });
            // A tree that stays the same over several frames is stored once.
            if frame.levels != *last_levels.0 {
                let stored = frame.levels.iter().map(|level| {
                    let words = level.iter().flatten().flat_map(|p| quantised_point(*p, min, extent));
                    sections.push(words.flat_map(u16::to_le_bytes))
                });
                last_levels = (&frame.levels, stored.collect());
            }
            let mut write = |writers: &mut [surface::Writer], frames: &[SurfaceFrame]| {
                if frames.len() != writers.len() {
                    return Err(format!(
                        "{} surfaces or clouds in a frame, not {}",
                        frames.len(),
                        writers.len()
                    ));
                }
                let pairs = writers.iter_mut().zip(frames);
                pairs.map(|(writer, frame)| writer.write(frame, min, extent, &mut sections)).collect()
            };
            let surfaces: Vec<Value> = write(&mut surface_writers, &frame.surfaces)?;
            let clouds: Vec<Value> = write(&mut cloud_writers, &frame.clouds)?;
            let skin = frame.skin.as_ref().map(|skin| describe_mesh(skin, &mut sections));
            frames.push(json!({
                "skin": skin,
                "surfaces": surfaces, "clouds": clouds, "poses": poses, "contacts": contacts, "nContacts": frame.n_contacts, "stats": frame.stats.values,
                "lines": lines, "levels": last_levels.1, "nLevels": frame.n_levels, "caption": frame.caption,
            }));
        }
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
            "min": min.to_array(), "extent": extent.to_array(),
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

/// The bytes after the description. The start and the length name a section.
#[derive(Default)]
struct Sections {
    bytes: Vec<u8>,
}

impl Sections {
    fn push(&mut self, bytes: impl IntoIterator<Item = u8>) -> Value {
        let start = self.bytes.len();
        self.bytes.extend(bytes);
        json!([start, self.bytes.len() - start])
    }
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

/// Describes a mesh for the script, with coordinates of 16 bits within its own box.
fn describe_mesh(mesh: &PlayerMesh, sections: &mut Sections) -> Value {
    let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for v in &mesh.vertices {
        (min, max) = (min.min(*v), max.max(*v));
    }
    let extent = (max - min).max(Vec3::splat(f32::MIN_POSITIVE));
    let mut last = [0u16; 3];
    let residuals: Vec<[u16; 3]> = mesh
        .vertices
        .iter()
        .map(|v| {
            let now = quantised_point(*v, min, extent);
            let residual = core::array::from_fn(|i| zigzag(now[i].wrapping_sub(last[i]) as i16));
            last = now;
            residual
        })
        .collect();
    let vertices = sections.push(
        (0..6).flat_map(|plane| residuals.iter().map(move |r| (r[plane / 2] >> (8 * (plane % 2))) as u8)),
    );
    let mut last = 0u32;
    let indices: Vec<u32> = mesh
        .triangles
        .iter()
        .flatten()
        .map(|v| {
            let step = v.wrapping_sub(last) as i32;
            last = *v;
            ((step << 1) ^ (step >> 31)) as u32
        })
        .collect();
    let triangles =
        sections.push((0..4).flat_map(|plane| indices.iter().map(move |i| (i >> (8 * plane)) as u8)));
    json!({
        "kind": "mesh", "min": min.to_array(), "extent": extent.to_array(),
        "vertices": vertices, "triangles": triangles,
    })
}

/// Maps small numbers of either sign to small unsigned numbers.
fn zigzag(x: i16) -> u16 {
    ((x << 1) ^ (x >> 15)) as u16
}

fn quantised_point(p: Vec3, min: Vec3, extent: Vec3) -> [u16; 3] {
    let scaled = ((p - min) / extent).clamp(Vec3::ZERO, Vec3::ONE) * 65535.0;
    scaled.to_array().map(|x| x.round() as u16)
}

/// Returns the three components after the largest, in cyclic order. The index of the largest is in
/// the top bits of the first.
fn quantised_rotation(q: Quat) -> [u16; 3] {
    let c = q.to_array();
    let largest = (0..4).fold(0, |best, i| if c[best].abs() < c[i].abs() { i } else { best });
    let sign = if c[largest] < 0.0 { -1.0 } else { 1.0 };
    let mut words: [u16; 3] = core::array::from_fn(|i| {
        let x = c[(largest + 1 + i) % 4] * sign * core::f32::consts::SQRT_2;
        ((x.clamp(-1.0, 1.0) * 0.5 + 0.5) * QUAT_STEPS).round() as u16
    });
    words[0] |= (largest as u16) << 12;
    words
}

/// Escapes text for HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
