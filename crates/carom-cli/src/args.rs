//! The command line: the commands and their arguments, with an example for each command.

use crate::shape_arg::ShapeArg;
use crate::solid::{Winding, has_extension};
use carom_broad_auto::catalogue::ALGORITHMS;
use carom_io::Options;
use carom_web::scenes::SCENES;
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Collision detection for people who have models.
///
/// Lengths are in the unit of the files, glTF and URDF in metres. Round shapes stand along y. Exit
/// status: 0 nothing found, 1 found, 2 error.
#[derive(Debug, Parser)]
#[command(name = "carom", version, propagate_version = true, arg_required_else_help = true)]
pub struct Cli {
    /// Leave the triangles of meshes as the files turn them; otherwise closed meshes are turned to
    /// face outwards, with a note. `info` and `trace` take all meshes as they are
    #[arg(long, global = true)]
    pub keep_orientation: bool,
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Returns the treatment of triangles that face inwards.
    pub fn winding(&self) -> Winding {
        if self.keep_orientation { Winding::Kept } else { Winding::Outwards }
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scene that is built in, and show what each phase costs
    #[command(after_help = "Examples:\n  carom demo pile --bodies 2000 --html pile.html\n  \
        carom demo walk --file model.glb --html model.html\n  \
        carom demo --live pyramid")]
    Demo(DemoArgs),
    /// Find the parts that collide, or come closer than a clearance
    #[command(
        after_help = "Examples:\n  carom check assembly.json gripper.stl --clearance 0.001 --ignore base,foot\n  \
        carom check machine.glb --time 1.5\n\n\
        Each file, each node of a glTF scene, each link of a URDF, each part of a scene file is a part.\n\
        Each solid of an STL file is one too, and with --split objects each object and group of an OBJ file.\n\
        A scene file is JSON: {\"parts\": [{\"mesh\": FILE, \"name\": .., \"scale\": .., \"pose\": [16 numbers]}]}\n\
        A part that cannot be read ends the check; with --keep-going it is listed, and the answer is never clear."
    )]
    Check(CheckArgs),
    /// Measure the distance of two shapes, or count the triangle pairs that intersect
    #[command(after_help = "Examples:\n  carom distance bolt.stl nut.stl --pose-b 0,0,0.002,0,0,0,1\n  \
        carom distance sphere:0.5 box:1,1,1 --pose-a 2,0,0,0,0,0,1")]
    Distance(Box<DistanceArgs>),
    /// Find when a moving shape first meets another
    #[command(after_help = "Examples:\n  carom sweep gripper.stl part.stl --by 0,0,-0.2\n  \
        carom sweep box:1,0.1,0.2 sphere:0.5 --pose-a -3,0,0,0,0,0,1 --by 6,0,0 --rotate-by 0,0,0.7071068,0.7071068\n\n\
        A goes in a straight line and turns at a constant rate, the short way, about the origin of its own frame; B stays.\n\
        The time goes from 0 to 1, and nothing touches before the time that is given.")]
    Sweep(Box<SweepArgs>),
    /// Find where a ray meets a mesh or shape
    #[command(after_help = "Example:\n  carom ray engine.stl --from 0,0,10 --dir 0,0,-1 --all")]
    Ray(RayArgs),
    /// Find where a body that moves through a level first meets it
    #[command(
        after_help = "Examples:\n  carom trace level.map --from 0,0,64 --to 512,0,64 --shape box:16,16,28\n  \
        carom trace castle.obj --from 0,0,2 --to 9,0,2 --shape sphere:0.5 --bevels edges\n\n\
        A level is a .map of brushes, or closed meshes. One tree of it serves every body, by shifted planes: no answer is late;\n\
        at sharp edges one may be early, the less so the more bevels there are."
    )]
    Trace(TraceArgs),
    /// Report on meshes: counts, box, watertight or not, volume
    #[command(after_help = "Example:\n  carom info model.glb part.stl --json")]
    Info(InfoArgs),
    /// Bake the signed distance field of a mesh
    #[command(
        after_help = "Example:\n  carom sdf bunny.obj --resolution 128 --band 4 -o bunny.sdf --picture bunny.png\n\n\
        The report says how inside and outside were found, and what a sample may be off by. The picture has three slices\n\
        through the middle: blue inside, orange outside, a line every four cells."
    )]
    Sdf(SdfArgs),
    /// Make a mesh coarser, with a proven bound of the difference
    #[command(
        after_help = "Example:\n  carom simplify bunny.obj --triangles 500 --side outside -o coarse.obj\n\n\
        The new surface is nowhere farther from the old one than the report says. With --side outside the new solid\n\
        contains the old one: what misses it misses the old one too."
    )]
    Simplify(SimplifyArgs),
    /// Cover a mesh with a few convex hulls
    #[command(
        after_help = "Example:\n  carom decompose chair.obj --hulls 16 -o hulls.obj --html hulls.html\n\n\
        Every triangle lies in the hulls, and so does the inside of a closed mesh. The report says how far the hulls\n\
        stand off. The file has one object for each hull; the page shows each in its own place."
    )]
    Decompose(DecomposeArgs),
    /// Try the broad phases on a recorded run of boxes
    #[command(after_help = "Example:\n  carom pairs run.csv --broad-phase all\n\n\
        The recording has the columns frame,id,minx,miny,minz,maxx,maxy,maxz; a box without a line in a frame has left.\n\
        All algorithms give the same pairs; the table says which is the fastest for this run.")]
    Pairs(PairsArgs),
    /// Find the pairs of links of a robot that need no check, from random poses
    #[command(
        after_help = "Example:\n  carom srdf arm.urdf -o arm.srdf && carom check arm.urdf --srdf arm.srdf\n\n\
        Adjacent: on one joint. Default: they touch with all joints at zero. Always, Never: in nearly all random poses\n\
        within the limits, or in none. Never is no proof: more samples find rarer contacts."
    )]
    Srdf(SrdfArgs),
    /// Answer questions in JSON, one on each line
    #[command(after_help = "Example:\n  \
        echo '{\"id\":1,\"op\":\"distance\",\"a\":{\"sphere\":1},\"b\":{\"box\":[1,1,1]},\"pose_b\":[4,0,0,0,0,0,1]}' | carom batch\n\n\
        Ops: distance, contact, intersects, cast, ray, point, vertex_face, edge_edge. Shapes: {\"sphere\":R}, {\"box\":[hx,hy,hz]}, {\"round-box\":[hx,hy,hz,R]},\n\
        {\"capsule\":[half,R]}, {\"tapered\":[half,R_UP,R_DOWN]}, {\"cylinder\":[half,R]}, {\"cone\":[half,R]}, {\"torus\":[R,r]}, {\"ellipsoid\":[a,b,c]}, {\"hull\":[[x,y,z],..]},\n\
        {\"mesh\":{\"vertices\":[[x,y,z],..],\"triangles\":[[i,j,k],..]}}, {\"file\":PATH}.\n\
        Any of them may have a scale: {\"sphere\":R,\"scale\":S}")]
    Batch(BatchArgs),
    /// Print a script that completes commands and options in a shell
    #[command(
        after_help = "Example:\n  carom completions bash > ~/.local/share/bash-completion/completions/carom"
    )]
    Completions(CompletionsArgs),
    /// Print the manual, or write a page for each command
    #[command(after_help = "Examples:\n  carom man | man -l -\n  carom man -o ~/.local/share/man/man1")]
    Man(ManArgs),
}

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Write `carom.1`, and a page for each command, to this folder
    #[arg(short, long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
}

/// Arguments of `demo`.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// The scene
    #[arg(default_value = "pile", value_parser = ["pile", "clock", "stairs", "ants", "bullets", "stick", "level", "car",
        "cloth", "jelly", "shatter", "morph", "walk", "water", "sand", "rain",
        "everything", "conveyor", "waves", "tetrahedra", "trees", "impacts", "deadline", "boxes", "rays", "scan",
        "physics", "vehicle", "platforms", "characters", "crane", "bridge", "playground"])]
    pub scene: String,
    /// The row of the scoreboard that `physics` plays, `tower-10` if not given; an unknown name
    /// lists them
    #[arg(long, value_name = "NAME")]
    pub row: Option<String>,
    /// The obstacle under the `cloth`; a flag in the wind, if not given
    #[arg(long, value_name = "WHAT")]
    pub over: Option<ClothOver>,
    /// A glTF file that `walk` plays, with a ball that swings through it; a figure that is built
    /// in, if not given
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Draw the surface of the liquid in `water` and `everything`, beside its particles
    #[arg(long)]
    pub surface: bool,
    /// Points along a side of the `cloth`, cells along the `jelly`, pieces along the plate of
    /// `shatter`: 33, 6 and 12 if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=200))]
    pub detail: Option<u32>,
    /// Bodies that move, characters, or particles: 10,000 if not given, 100 `bullets`, 60 balls
    /// that `stick`, 40 in `level`, 30 boxes for the `car`, 48 for the `vehicle`, 14 on
    /// `platforms`, 32 `characters`, 6 crates of the `crane`, 40 planks of the `bridge`, 48 loose
    /// ones in the `playground`, 48 on the `conveyor`, 81 on the `waves`, 60 arbors in `clock`,
    /// five in each movement, 30 `tetrahedra`, 264 limbs of 24 ragdolls on the `stairs`, 1,400
    /// `ants` and crumbs
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub bodies: Option<u32>,
    /// Steps of 1/60 second; if not given 3300 for level, 1400 for trees, 400 for deadline, 1200
    /// for ants, 3000 for crane, 1200 for bridge, 900 for car, vehicle, platforms, characters and
    /// playground, 600 for clock, stairs, cloth, morph, conveyor, waves and tetrahedra, 30 for
    /// bullets, else 300
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub frames: Option<u32>,
    /// Seed of the scene
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The broad phase; the run is the same with each
    #[arg(long, value_name = "NAME", default_value = "dynamic-bvh", value_parser = one_broad_phase())]
    pub broad_phase: String,
    /// Threads; the run is the same with any number. As many as the machine has, if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
    /// Milliseconds for each step; what is left out is reported. The run is not the same every
    /// time
    #[arg(long, value_name = "T", value_parser = positive, allow_hyphen_values = true, conflicts_with = "budget_steps")]
    pub budget_ms: Option<f64>,
    /// Steps of work for each step of time (a pair of shapes, a manifold solved once): the run is
    /// the same every time
    #[arg(long, value_name = "N")]
    pub budget_steps: Option<u64>,
    /// Check each step against laws of physics: energy, momentum, surfaces, sleep. A fault is an
    /// error
    #[arg(long)]
    pub check: bool,
    /// Write a page in which scenes run live, from this one on, in place of a recording: pull
    /// bodies, shoot, change settings
    #[arg(long, value_name = "SCENE", num_args = 0..=1, default_missing_value = SCENES[0].name, value_parser = one_live_scene())]
    pub live: Option<String>,
    /// Write a page that plays the run to this file; carom-demo-SCENE.html if neither this nor
    /// --json is given
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the report as one JSON document
    #[arg(long)]
    pub json: bool,
}

/// The obstacles under a cloth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ClothOver {
    /// A ball.
    Ball,
    /// The corner of a box.
    Corner,
    /// The sharp edge of a wedge.
    Edge,
    /// A ball that swings to and fro.
    MovingBall,
}

impl DemoArgs {
    /// Returns the number of points, cells or pieces along a side.
    pub fn detail(&self) -> usize {
        let usual = match self.scene.as_str() {
            "jelly" => 6,
            "shatter" => 12,
            _ => 33,
        };
        self.detail.unwrap_or(usual) as usize
    }

    /// Returns the name of the row of the scoreboard.
    pub fn row(&self) -> &str {
        self.row.as_deref().unwrap_or("tower-10")
    }

    /// Returns the number of bodies that move.
    pub fn n_bodies(&self) -> usize {
        let usual = match self.scene.as_str() {
            "bullets" => 100,
            "stick" => 60,
            "level" => 40,
            "clock" => 60,
            "conveyor" | "vehicle" | "playground" => 48,
            "crane" => 6,
            "bridge" => 40,
            "car" => 30,
            "platforms" => 14,
            "characters" => 32,
            "waves" => 81,
            "tetrahedra" => 30,
            "stairs" => 264,
            "ants" => 1400,
            _ => 10_000,
        };
        self.bodies.unwrap_or(usual) as usize
    }

    /// Returns the number of steps.
    pub fn n_frames(&self) -> u32 {
        let usual = match self.scene.as_str() {
            "level" => 3300,
            "trees" => 1400,
            "deadline" => 400,
            "crane" => 3000,
            "ants" | "bridge" => 1200,
            "car" | "vehicle" | "platforms" | "characters" | "playground" => 900,
            "clock" | "stairs" | "cloth" | "morph" | "tetrahedra" | "conveyor" | "waves" => 600,
            // The bullets strike within three steps.
            "bullets" => 30,
            "physics" => 600,
            _ => 300,
        };
        self.frames.unwrap_or(usual)
    }

    /// Whether each step has a budget.
    pub fn has_budget(&self) -> bool {
        self.budget_ms.is_some() || self.budget_steps.is_some()
    }
}

/// Options for reading files.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct FileArgs {
    /// Read files that a document names outside of its folder
    #[arg(long)]
    pub allow_outside: bool,
    /// Make each object and group of an OBJ file a part
    #[arg(long, value_name = "WHAT")]
    pub split: Option<Split>,
    /// The most triangles of a file with all its instances; by the size of the files if not given
    #[arg(long, value_name = "N")]
    pub max_triangles: Option<u64>,
    /// Merge vertices of a part that are at most this far apart, in the unit of the file; a note
    /// says how many
    #[arg(long, value_name = "LENGTH", value_parser = positive, allow_hyphen_values = true)]
    pub merge: Option<f64>,
}

/// The things that are split into parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Split {
    /// `o` and `g` lines.
    Objects,
}

impl FileArgs {
    /// Returns the options for the reader.
    pub fn options(&self, keep_going: bool) -> Options {
        Options::default()
            .with_keep_going(keep_going)
            .with_allow_outside(self.allow_outside)
            .with_split_objects(self.split.is_some())
            .with_max_triangles(self.max_triangles)
            .with_merge(self.merge)
    }
}

/// The joints of robots, and which of their links may touch.
#[derive(Clone, Debug, Default, Args)]
pub struct RobotArgs {
    /// Set a joint of a robot, in radians or metres; once for each joint. Others are at 0
    #[arg(long, value_name = "NAME=VALUE", value_parser = joint_value)]
    pub joint: Vec<JointValue>,
    /// Set joints by a JSON object of numbers
    #[arg(long, value_name = "FILE")]
    pub joints: Option<PathBuf>,
    /// Move along a CSV file with a column for each joint and one named time, in seconds, without
    /// which rows are a second apart; find when each pair first meets, between the rows too
    #[arg(long, value_name = "FILE", conflicts_with_all = ["joint", "joints", "time", "html"])]
    pub trajectory: Option<PathBuf>,
    /// Values of joints may be outside of their limits, as recorded ones are
    #[arg(long)]
    pub ignore_limits: bool,
    /// Links that one joint connects may touch
    #[arg(long)]
    pub ignore_adjacent: bool,
    /// A file that hangs on a link of a robot, in the frame of the link: a mesh, an octree or a
    /// point cloud, which may touch that link; may be given several times
    #[arg(long, value_name = "LINK=FILE", value_parser = attachment)]
    pub attach: Vec<Attachment>,
    /// Pairs of links that this SRDF file disables may touch
    #[arg(long, value_name = "FILE")]
    pub srdf: Option<PathBuf>,
}

/// The name of a file that is written as OBJ text.
fn obj_file(text: &str) -> Result<PathBuf, String> {
    let file = PathBuf::from(text);
    if has_extension(&file, &["obj"]) { Ok(file) } else { Err("its name must end in .obj".to_owned()) }
}

/// The value of a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointValue {
    /// The name of the joint.
    pub name: String,
    /// Radians or metres.
    pub value: f64,
}

fn joint_value(text: &str) -> Result<JointValue, String> {
    // A name may have an equals sign.
    let (name, value) = text.rsplit_once('=').ok_or("not NAME=VALUE")?;
    let [value] = numbers::<1>(value)?.0;
    Ok(JointValue { name: name.to_owned(), value })
}

/// A file on a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Attachment {
    /// The name of the link.
    pub link: String,
    /// The file.
    pub file: PathBuf,
}

fn attachment(text: &str) -> Result<Attachment, String> {
    let (link, file) = text.split_once('=').ok_or("not LINK=FILE")?;
    Ok(Attachment { link: link.to_owned(), file: file.into() })
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Meshes (OBJ, STL, PLY, OFF, 3MF, COLLADA), scenes (glTF, JSON), robots (URDF), octrees
    /// (OctoMap .bt), point clouds (.xyz, .pcd)
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// The radius around each point of a point cloud
    #[arg(long, value_name = "R", value_parser = not_negative, allow_hyphen_values = true)]
    pub point_radius: Option<f64>,
    /// Also list pairs of parts that are closer than this
    #[arg(long, value_name = "D", value_parser = not_negative, allow_hyphen_values = true)]
    pub clearance: Option<f64>,
    /// A pair of parts that may touch; may be given several times
    #[arg(long, value_name = "A,B")]
    pub ignore: Vec<String>,
    /// Pose glTF files as their animations have them at this time; else their nodes stand as at
    /// rest
    #[arg(long, value_name = "SECONDS", value_parser = not_negative, allow_hyphen_values = true)]
    pub time: Option<f64>,
    /// Write the report as one JSON document
    #[arg(long)]
    pub json: bool,
    /// Write a page that shows the parts
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write each pair as a line of JSON as soon as it is known, then the report without pairs
    #[arg(long, conflicts_with_all = ["json", "trajectory"])]
    pub json_lines: bool,
    /// Also list the parts whose own triangles cross or touch, neighbours left out
    #[arg(long = "self", conflicts_with = "trajectory")]
    pub itself: bool,
    /// Report on the good files, links and parts although others cannot be read
    #[arg(long)]
    pub keep_going: bool,
    /// The most pairs of parts whose boxes overlap
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub max_pairs: u64,
    /// Robots.
    #[command(flatten)]
    pub robots: RobotArgs,
    /// Options for reading files.
    #[command(flatten)]
    pub reading: FileArgs,
}

/// Arguments of `srdf`.
#[derive(Debug, Args)]
pub struct SrdfArgs {
    /// A robot (URDF)
    pub file: PathBuf,
    /// Random poses
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub samples: u32,
    /// Seed of the poses
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// A pair that touches in this share of the poses is Always
    #[arg(long, value_name = "SHARE", default_value_t = 0.95)]
    pub always_share: f64,
    /// The SRDF file to write
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write the report as one JSON document
    #[arg(long)]
    pub json: bool,
    /// Options for reading files.
    #[command(flatten)]
    pub reading: FileArgs,
}

/// Two shapes, each with its pose.
#[derive(Debug, Args)]
pub struct PairArgs {
    /// A file, or sphere:R box:HX,HY,HZ round-box:HX,HY,HZ,R capsule:HALF,R
    /// tapered:HALF,R_UP,R_DOWN cylinder:HALF,R cone:HALF,R torus:R,r
    /// ellipsoid:A,B,C hull:FILE mesh:FILE octree:FILE points:RADIUS:FILE
    pub a: ShapeArg,
    /// The same
    pub b: ShapeArg,
    /// Pose of A: position and unit quaternion
    #[arg(long, value_name = "x,y,z,qx,qy,qz,qw", value_parser = numbers::<7>, allow_hyphen_values = true)]
    pub pose_a: Option<Numbers<7>>,
    /// Pose of B: position and unit quaternion
    #[arg(long, value_name = "x,y,z,qx,qy,qz,qw", value_parser = numbers::<7>, allow_hyphen_values = true)]
    pub pose_b: Option<Numbers<7>>,
    /// Pose of A as a rigid matrix, row-major
    #[arg(long, value_name = "16 NUMBERS", value_parser = numbers::<16>, allow_hyphen_values = true, conflicts_with = "pose_a")]
    pub matrix_a: Option<Numbers<16>>,
    /// Pose of B as a rigid matrix, row-major
    #[arg(long, value_name = "16 NUMBERS", value_parser = numbers::<16>, allow_hyphen_values = true, conflicts_with = "pose_b")]
    pub matrix_b: Option<Numbers<16>>,
    /// Scale of A, applied before its pose
    #[arg(long, value_name = "S", value_parser = positive, default_value_t = 1.0, allow_hyphen_values = true)]
    pub scale_a: f64,
    /// Scale of B, applied before its pose
    #[arg(long, value_name = "S", value_parser = positive, default_value_t = 1.0, allow_hyphen_values = true)]
    pub scale_b: f64,
    /// Options for reading files.
    #[command(flatten)]
    pub reading: FileArgs,
}

/// Arguments of `distance`.
#[derive(Debug, Args)]
pub struct DistanceArgs {
    /// The two shapes.
    #[command(flatten)]
    pub pair: PairArgs,
    /// Prove that they do not meet: by a plane between them, or a bound of their distance
    #[arg(long)]
    pub proof: bool,
    /// Report the cost of the answer, in counts that are the same on every machine
    #[arg(long)]
    pub cost: bool,
    /// Write the answer as one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `sweep`.
#[derive(Debug, Args)]
pub struct SweepArgs {
    /// The two shapes.
    #[command(flatten)]
    pub pair: PairArgs,
    /// Displacement of A
    #[arg(long, value_name = "x,y,z", value_parser = numbers::<3>, allow_hyphen_values = true)]
    pub by: Numbers<3>,
    /// Rotation of A during the sweep, a unit quaternion in the frame of the world
    #[arg(long, value_name = "qx,qy,qz,qw", value_parser = numbers::<4>, allow_hyphen_values = true)]
    pub rotate_by: Option<Numbers<4>>,
    /// Prove that they do not meet: by a bound of their distance
    #[arg(long)]
    pub proof: bool,
    /// Report the cost of the answer, in counts that are the same on every machine
    #[arg(long)]
    pub cost: bool,
    /// Write the answer as one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `ray`.
#[derive(Debug, Args)]
pub struct RayArgs {
    /// A file, or a shape as for distance
    pub file: ShapeArg,
    /// Origin of the ray
    #[arg(long, value_name = "x,y,z", value_parser = numbers::<3>, allow_hyphen_values = true)]
    pub from: Numbers<3>,
    /// Direction of the ray, of any length; t is in multiples of that length
    #[arg(long, value_name = "x,y,z", value_parser = numbers::<3>, allow_hyphen_values = true)]
    pub dir: Numbers<3>,
    /// Report all hits, not only the first; a ray through an edge or corner of triangles hits once
    #[arg(long)]
    pub all: bool,
    /// Report one hit for each triangle, also at edges and corners
    #[arg(long)]
    pub raw: bool,
    /// Search on both sides of the origin
    #[arg(long)]
    pub both: bool,
    /// Report the cost of the answer, in counts that are the same on every machine
    #[arg(long)]
    pub cost: bool,
    /// Write the answer as one JSON document
    #[arg(long)]
    pub json: bool,
    /// Options for reading files.
    #[command(flatten)]
    pub reading: FileArgs,
}

/// Arguments of `trace`.
#[derive(Debug, Args)]
pub struct TraceArgs {
    /// A .map, or a file with closed meshes
    pub level: PathBuf,
    /// Position of the middle of the body at the start
    #[arg(long, value_name = "x,y,z", value_parser = numbers::<3>, allow_hyphen_values = true)]
    pub from: Numbers<3>,
    /// Position at the end of the straight line
    #[arg(long, value_name = "x,y,z", value_parser = numbers::<3>, allow_hyphen_values = true)]
    pub to: Numbers<3>,
    /// The shape that moves, as for distance, but convex; a point if not given
    #[arg(long)]
    pub shape: Option<ShapeArg>,
    /// Rotation of the shape; without it, its axis is y
    #[arg(long, value_name = "qx,qy,qz,qw", value_parser = numbers::<4>, allow_hyphen_values = true)]
    pub turn: Option<Numbers<4>>,
    /// The edges of the level that get bevel planes
    #[arg(long, default_value = "all", value_parser = ["none", "edges", "all"])]
    pub bevels: String,
    /// Go on without the brushes that are open, empty or no brushes, and with meshes that are open
    #[arg(long)]
    pub keep_going: bool,
    /// The most pieces of the level that are cut in two; by the number of faces if not given
    #[arg(long, value_name = "N")]
    pub max_splits: Option<u32>,
    /// Write the answer as one JSON document
    #[arg(long)]
    pub json: bool,
    /// Options for reading files.
    #[command(flatten)]
    pub reading: FileArgs,
}

/// Arguments of `info`.
#[derive(Debug, Args)]
pub struct InfoArgs {
    /// Meshes (OBJ, STL, PLY, OFF, 3MF, COLLADA), scenes (glTF, JSON), robots (URDF)
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Write the report as one JSON document
    #[arg(long)]
    pub json: bool,
    /// Also say which triangles of a part cross or touch each other, neighbours left out
    #[arg(long = "self")]
    pub itself: bool,
    /// Report on the good files, links and parts although others cannot be read
    #[arg(long)]
    pub keep_going: bool,
    /// Options for reading files.
    #[command(flatten)]
    pub reading: FileArgs,
}

/// Arguments of `sdf`.
#[derive(Debug, Args)]
pub struct SdfArgs {
    /// A mesh (OBJ, STL, PLY, OFF, 3MF, COLLADA), scene (glTF, JSON) or robot (URDF); all its parts
    /// are one surface
    pub file: PathBuf,
    /// Cells along the longest side
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub resolution: u32,
    /// Distances up to so many cells from the surface, at least 2; everywhere, if not given
    #[arg(long, value_name = "K", value_parser = positive, allow_hyphen_values = true)]
    pub band: Option<f64>,
    /// Keep only blocks near the surface; needs a band
    #[arg(long, requires = "band")]
    pub sparse: bool,
    /// The file that the field is written to
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The file that a PNG of slices is written to
    #[arg(long, value_name = "FILE")]
    pub picture: Option<PathBuf>,
    /// The most nodes, 4 bytes each
    #[arg(long, value_name = "N", default_value_t = 1 << 28)]
    pub max_nodes: u64,
    /// Write the report as one JSON document
    #[arg(long)]
    pub json: bool,
    /// Options for reading files.
    #[command(flatten)]
    pub reading: FileArgs,
}

/// Arguments of `simplify`.
#[derive(Debug, Args)]
pub struct SimplifyArgs {
    /// A mesh (OBJ, STL, PLY, OFF, 3MF, COLLADA), scene (glTF, JSON) or robot (URDF); all its parts
    /// are one surface
    pub file: PathBuf,
    /// Stop at so many triangles
    #[arg(long, value_name = "N", required_unless_present = "error")]
    pub triangles: Option<usize>,
    /// The largest distance between the surfaces, in the unit of the file
    #[arg(long, value_name = "E", value_parser = positive, allow_hyphen_values = true)]
    pub error: Option<f64>,
    /// The side of the old surface that the new one is on
    #[arg(long, value_name = "SIDE", default_value = "either")]
    pub side: CoarseSide,
    /// The OBJ file that the coarser mesh is written to
    #[arg(short, long, value_name = "FILE", value_parser = obj_file)]
    pub output: Option<PathBuf>,
    /// Write the report as one JSON document
    #[arg(long)]
    pub json: bool,
    /// Options for reading files.
    #[command(flatten)]
    pub reading: FileArgs,
}

/// The side of the old surface that the new one is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CoarseSide {
    /// As near as can be.
    Either,
    /// The new solid contains the old one.
    Outside,
    /// The old solid contains the new one.
    Inside,
}

/// Arguments of `decompose`.
#[derive(Debug, Args)]
pub struct DecomposeArgs {
    /// A mesh (OBJ, STL, PLY, OFF, 3MF, COLLADA), scene (glTF, JSON) or robot (URDF); all its parts
    /// are one surface
    pub file: PathBuf,
    /// The most hulls
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub hulls: u32,
    /// The most vertices of a hull, at least 8
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(8..=100_000))]
    pub vertices: u32,
    /// Stop cutting when hulls stand off by at most this share of the diagonal
    #[arg(long, value_name = "C", default_value_t = 0.02, value_parser = positive, allow_hyphen_values = true)]
    pub concavity: f64,
    /// The OBJ file that the hulls are written to
    #[arg(short, long, value_name = "FILE", value_parser = obj_file)]
    pub output: Option<PathBuf>,
    /// The page that shows the hulls
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the report as one JSON document
    #[arg(long)]
    pub json: bool,
    /// Options for reading files.
    #[command(flatten)]
    pub reading: FileArgs,
}

/// Arguments of `pairs`.
#[derive(Debug, Args)]
pub struct PairsArgs {
    /// The recording, a CSV file
    pub file: PathBuf,
    /// One algorithm, or all
    #[arg(long, value_name = "NAME", default_value = "all", value_parser = one_broad_phase_or_all())]
    pub broad_phase: String,
    /// Write the answer as one JSON document
    #[arg(long)]
    pub json: bool,
}

fn one_live_scene() -> PossibleValuesParser {
    SCENES.iter().map(|scene| scene.name).collect::<Vec<_>>().into()
}

fn one_broad_phase() -> PossibleValuesParser {
    ALGORITHMS.iter().map(|listed| listed.name).collect::<Vec<_>>().into()
}

fn one_broad_phase_or_all() -> PossibleValuesParser {
    core::iter::once("all").chain(ALGORITHMS.iter().map(|listed| listed.name)).collect::<Vec<_>>().into()
}

/// Arguments of `batch`.
#[derive(Debug, Args)]
pub struct BatchArgs {
    /// A file of questions; standard input where there is none
    pub file: Option<PathBuf>,
}

/// `N` finite numbers, separated by commas.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Numbers<const N: usize>(pub [f64; N]);

/// Parses numbers separated by commas.
pub fn numbers<const N: usize>(text: &str) -> Result<Numbers<N>, String> {
    let mut values = [0.0; N];
    let mut n = 0;
    for word in text.split(',') {
        let x: f64 = word.trim().parse().map_err(|_| format!("{word:?} is not a number"))?;
        if !x.is_finite() {
            return Err(format!("{word} is not finite"));
        }
        if n < N {
            values[n] = x;
        }
        n += 1;
    }
    if n == N {
        Ok(Numbers(values))
    } else {
        Err(format!("{n} numbers; {N} are needed, separated by commas"))
    }
}

fn not_negative(text: &str) -> Result<f64, String> {
    let [x] = numbers::<1>(text)?.0;
    if 0.0 <= x { Ok(x) } else { Err("must not be negative".to_owned()) }
}

fn positive(text: &str) -> Result<f64, String> {
    let [x] = numbers::<1>(text)?.0;
    if 0.0 < x { Ok(x) } else { Err("must be above 0".to_owned()) }
}
