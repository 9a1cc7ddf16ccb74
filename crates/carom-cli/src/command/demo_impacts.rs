//! `carom demo impacts`: small scenes side by side, in which bodies move until they touch another.
//! Times come from closed forms and bounds, not from small steps.
//!
//! A body that hits another stops there, except the first ball, which bounces and goes on.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.11.

use crate::args::DemoArgs;
use crate::command::demo_run::{Run, chart, hash};
use crate::player::{BodyState, FrameStats, PlayerMesh, PlayerShape, Recording, View};
use carom_bounds::{Aabb, BoundingVolume, Obb, Shaft};
use carom_ccd::{
    ImpactSettings, Motion, MovingAabb, MovingCapsule, MovingPolytope, MovingSphere, NearInterval, Polygon,
    Polyhedron, SheetPlane, Sides, SimplePolygon, TimeOfImpact, near_interval_of_balls,
    polyhedra_time_of_impact,
};
use carom_math::{Pose, Vec3, WidePose};
use carom_response::bounce::{reflect, remaining_move};
use glam::{DQuat, DVec3};
use serde_json::{Value, json};

/// Metres between neighbouring scenes, horizontal and vertical, and scenes in a row.
const SPACING: [f32; 2] = [4.6, 4.0];
const IN_A_ROW: usize = 4;

/// Seconds that most searches for impacts cover, and seconds that the recording covers.
const END: f64 = 1.0;
const SHOWN: f64 = 1.33;

/// Share of the speed that the first ball keeps.
const RESTITUTION: f32 = 0.8;

/// The motion of a body from time 0 on.
enum BodyMotion {
    /// Stands still and is drawn in this state.
    Stands(BodyState),
    /// Moves in a straight line until the time `hit`, if any. Then it goes on at the velocity
    /// `after`, or stops if there is none.
    Moves { velocity: Vec3, hit: Option<f64>, after: Option<Vec3> },
    /// Moves and turns; between the two times it is drawn as near another body.
    Turns { motion: Motion, near: [f64; 2] },
    /// Moves and turns until the time `hit`, if any.
    Screws { motion: Motion, hit: Option<f64> },
    /// Moves in a straight line; between the two times it overlaps another body.
    Passes { velocity: Vec3, overlap: [f64; 2] },
}

/// A body of a scene, in the scene's own frame.
struct Body {
    shape: PlayerShape,
    start: Pose,
    course: BodyMotion,
}

/// A scene, in a frame of its own.
#[derive(Default)]
struct Scene {
    name: &'static str,
    by: &'static str,
    bodies: Vec<Body>,
    /// The time and the place of each contact.
    hits: Vec<(f64, Vec3)>,
    answer: String,
    lines: Vec<[Vec3; 2]>,
}

impl Scene {
    fn new(by: &'static str, name: &'static str) -> Scene {
        Scene { name, by, ..Scene::default() }
    }

    fn standing(mut self, shape: PlayerShape, start: Pose) -> Scene {
        self.bodies.push(Body { shape, start, course: BodyMotion::Stands(BodyState::Fixed) });
        self
    }

    /// Adds a body that moves until the impact, if there is one.
    fn moving(mut self, shape: PlayerShape, start: Pose, velocity: DVec3, impact: &TimeOfImpact) -> Scene {
        let hit = impact.hit();
        if let Some(impact) = hit {
            self.hits.push((impact.t_hi, impact.point_b.as_vec3()));
            self.answer = format!("{:.6} s", impact.t_hi);
        } else if self.answer.is_empty() {
            self.answer = "never".to_owned();
        }
        let course = BodyMotion::Moves {
            velocity: velocity.as_vec3(),
            hit: hit.map(|impact| impact.t_hi),
            after: None,
        };
        self.bodies.push(Body { shape, start, course });
        self
    }
}

impl Body {
    fn at(&self, t: f64) -> (Pose, BodyState) {
        let straight = |velocity: Vec3, t: f64| Pose::from_translation(velocity * t as f32) * self.start;
        match &self.course {
            BodyMotion::Stands(state) => (self.start, *state),
            BodyMotion::Moves { velocity, hit: Some(hit), after } if *hit <= t => {
                let rest = after.map_or(Vec3::ZERO, |after| {
                    remaining_move(after, t as f32, (*hit / t.max(f64::MIN_POSITIVE)) as f32)
                });
                let pose = Pose::from_translation(rest) * straight(*velocity, *hit);
                (pose, if after.is_some() { BodyState::Awake } else { BodyState::InContact })
            }
            BodyMotion::Moves { velocity, .. } => (straight(*velocity, t), BodyState::Awake),
            BodyMotion::Turns { motion, near: [start, end] } => {
                let is_near = *start <= t && t <= *end;
                (narrow(&motion.pose_at(t)), if is_near { BodyState::Near } else { BodyState::Awake })
            }
            BodyMotion::Screws { motion, hit } => {
                let is_hit = hit.is_some_and(|hit| hit <= t);
                let pose = motion.pose_at(hit.map_or(t, |hit| hit.min(t)));
                (narrow(&pose), if is_hit { BodyState::InContact } else { BodyState::Awake })
            }
            BodyMotion::Passes { velocity, overlap: [start, end] } => {
                let is_in = *start <= t && t <= *end;
                (straight(*velocity, t), if is_in { BodyState::Colliding } else { BodyState::Awake })
            }
        }
    }
}

/// Rounds a pose to single precision, as it is recorded.
fn narrow(pose: &WidePose) -> Pose {
    Pose { rotation: DQuat::from_mat3(&pose.rotation).as_quat(), translation: pose.translation.as_vec3() }
}

/// Returns a flat surface over its corners, with triangles on both sides.
fn sheet(corners: &[DVec3], triangles: impl IntoIterator<Item = [u32; 3]>) -> PlayerShape {
    let triangles = triangles.into_iter().flat_map(|[a, b, c]| [[a, b, c], [a, c, b]]).collect();
    PlayerShape::Mesh(PlayerMesh { vertices: corners.iter().map(|p| p.as_vec3()).collect(), triangles })
}

/// Returns the triangles of a fan around the first of `n` corners.
fn fan(n: usize) -> impl Iterator<Item = [u32; 3]> {
    (2..n as u32).map(|i| [0, i - 1, i])
}

fn ball(radius: f64) -> PlayerShape {
    PlayerShape::Capsule(0.0, radius as f32)
}

fn at(position: DVec3) -> Pose {
    Pose::from_translation(position.as_vec3())
}

fn turned(position: DVec3, turn: DQuat) -> Pose {
    Pose { translation: position.as_vec3(), rotation: turn.as_quat() }
}

fn text(error: impl core::fmt::Display) -> String {
    error.to_string()
}

fn sphere(center: DVec3, radius: f64, velocity: DVec3) -> Result<MovingSphere, String> {
    MovingSphere::new(center, radius, velocity).map_err(text)
}

fn motion(position: DVec3, velocity: DVec3, spin: DVec3) -> Result<Motion, String> {
    Motion::new(DQuat::IDENTITY, position, DVec3::ZERO, velocity, spin).map_err(text)
}

/// The velocity of bodies that fall straight down.
const DOWN: DVec3 = DVec3::new(0.0, -2.4, 0.0);

/// The triangle that stands in two scenes.
const TRIANGLE: [DVec3; 3] =
    [DVec3::new(-1.5, 0.0, 1.2), DVec3::new(1.5, 0.3, 1.0), DVec3::new(0.0, 0.0, -1.4)];

/// Builds all scenes.
fn scenes() -> Result<Vec<Scene>, String> {
    Ok(vec![
        bounce()?,
        balls()?,
        balls_on_polygon()?,
        balls_on_simple_polygon()?,
        capsule()?,
        boxes()?,
        hull()?,
        aligned_boxes()?,
        planks()?,
        polyhedra()?,
        shaft(),
    ])
}

/// Builds a ball that bounces on a plane.
fn bounce() -> Result<Scene, String> {
    let square = [
        DVec3::new(-1.5, 0.0, -1.5),
        DVec3::new(-1.5, 0.0, 1.5),
        DVec3::new(1.5, 0.0, 1.5),
        DVec3::new(1.5, 0.0, -1.5),
    ];
    let plane = SheetPlane::new(DVec3::Y, 0.0).map_err(text)?;
    let (from, velocity) = (DVec3::new(-0.9, 1.8, 0.0), DOWN + DVec3::X);
    let impact = sphere(from, 0.3, velocity)?.against_plane(&plane, Sides::Both, END);
    let mut scene = Scene::new("MovingSphere::against_plane", "a ball and a plane; then on after the bounce")
        .standing(sheet(&square, fan(4)), Pose::IDENTITY)
        .moving(ball(0.3), at(from), velocity, &impact);
    if let Some(Body { course: BodyMotion::Moves { velocity, after, .. }, .. }) = scene.bodies.last_mut() {
        *after = Some(reflect(*velocity, Vec3::Y, RESTITUTION, 0.0));
    }
    Ok(scene)
}

/// Builds two balls that meet.
fn balls() -> Result<Scene, String> {
    let first = sphere(DVec3::new(-1.2, 0.4, 0.0), 0.4, DVec3::new(1.6, 0.3, 0.0))?;
    let second = sphere(DVec3::new(1.3, 0.9, 0.0), 0.3, DVec3::new(-1.2, -0.1, 0.0))?;
    let impact = first.against_sphere(&second, END);
    Ok(Scene::new("MovingSphere::against_sphere", "two balls")
        .moving(ball(0.4), at(first.center()), first.velocity(), &impact)
        .moving(ball(0.3), at(second.center()), second.velocity(), &impact))
}

/// Adds balls that fall from these points, with their times of impact.
fn falling(
    mut scene: Scene,
    positions: &[DVec3],
    impact: impl Fn(&MovingSphere) -> TimeOfImpact,
) -> Result<Scene, String> {
    let mut times = Vec::new();
    for &position in positions {
        let impact = impact(&sphere(position, 0.3, DOWN)?);
        scene = scene.moving(ball(0.3), at(position), DOWN, &impact);
        times.push(core::mem::take(&mut scene.answer));
    }
    scene.answer = times.join(", ");
    Ok(scene)
}

/// Builds balls that fall on a convex polygon.
fn balls_on_polygon() -> Result<Scene, String> {
    let hexagon: Vec<DVec3> = (0..6)
        .map(|i| {
            let (s, c) = carom_math::ops::sin_cos(core::f64::consts::TAU * f64::from(i) / 6.0);
            DVec3::new(1.2 * c, 0.0, -1.2 * s)
        })
        .collect();
    let polygon = Polygon::new(&hexagon).map_err(text)?;
    let scene = Scene::new("MovingSphere::against_polygon", "balls and a polygon: face, edge, corner")
        .standing(sheet(&hexagon, fan(6)), Pose::IDENTITY);
    let positions = [DVec3::new(0.0, 1.7, 0.2), DVec3::new(0.0, 1.7, -1.2), DVec3::new(1.4, 1.7, 0.0)];
    falling(scene, &positions, |ball| ball.against_polygon(&polygon, Sides::Both, END))
}

/// Builds balls that fall on a polygon with a notch.
fn balls_on_simple_polygon() -> Result<Scene, String> {
    let corners = [(-1.5, -1.5), (-1.5, 1.5), (1.5, 1.5), (1.5, 0.2), (0.0, 0.2), (0.0, -1.5)];
    let around = corners.map(|(x, z)| DVec3::new(x, 0.0, z));
    let notched = SimplePolygon::new(&around).map_err(text)?;
    let scene = Scene::new("MovingSphere::against_simple_polygon", "balls and a polygon that is not convex")
        .standing(sheet(&around, notched.triangles()), Pose::IDENTITY);
    let positions = [DVec3::new(-0.7, 1.7, 0.3), DVec3::new(0.8, 1.7, -0.7)];
    falling(scene, &positions, |ball| ball.against_simple_polygon(&notched, Sides::Both, END))
}

/// Builds a capsule that falls on a triangle.
fn capsule() -> Result<Scene, String> {
    let (position, turn) = (DVec3::new(0.2, 1.8, 0.2), DQuat::from_rotation_z(0.9));
    let ends = [position - turn * DVec3::Y * 0.5, position + turn * DVec3::Y * 0.5];
    let capsule = MovingCapsule::new(ends, [0.25, 0.25], DOWN).map_err(text)?;
    let impact = capsule.against_triangle(&TRIANGLE, Sides::Both, END).map_err(text)?;
    Ok(Scene::new("MovingCapsule::against_triangle", "a capsule and a triangle")
        .standing(sheet(&TRIANGLE, fan(3)), Pose::IDENTITY)
        .moving(PlayerShape::Capsule(0.5, 0.25), turned(position, turn), DOWN, &impact))
}

/// Builds two boxes: an edge of one meets an edge of the other.
fn boxes() -> Result<Scene, String> {
    let half = DVec3::new(0.7, 0.3, 0.4);
    let (stand, under) = (DVec3::new(0.0, 0.3, 0.0), DQuat::from_rotation_y(0.5));
    let fall = DVec3::new(0.3, 1.9, 0.0);
    let over = DQuat::from_rotation_z(0.7) * DQuat::from_rotation_y(1.1);
    let polytope = |center: DVec3, turn: DQuat, velocity: DVec3| {
        let axes = [turn * DVec3::X * half.x, turn * DVec3::Y * half.y, turn * DVec3::Z * half.z];
        MovingPolytope::cuboid(center, axes, velocity).map_err(text)
    };
    let (a, b) = (polytope(fall, over, DOWN)?, polytope(stand, under, DVec3::ZERO)?);
    let cuboid = || PlayerShape::Cuboid(half.as_vec3());
    Ok(Scene::new("MovingPolytope::time_of_impact", "two boxes, by separating axes over time")
        .standing(cuboid(), turned(stand, under))
        .moving(cuboid(), turned(fall, over), DOWN, &a.time_of_impact(&b, END)))
}

/// Builds a hull that falls on a triangle.
fn hull() -> Result<Scene, String> {
    let tip = [
        DVec3::new(0.0, 1.0, 0.0),
        DVec3::new(-0.5, 2.0, 0.6),
        DVec3::new(0.6, 2.0, 0.4),
        DVec3::new(0.1, 1.9, -0.7),
    ];
    let sides = [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]];
    let edges = [[0, 1], [0, 2], [0, 3], [1, 2], [2, 3], [3, 1]];
    let hull = MovingPolytope::hull(&tip, &sides, &edges, DOWN).map_err(text)?;
    let base = MovingPolytope::triangle(TRIANGLE, DVec3::ZERO).map_err(text)?;
    let by = "MovingPolytope::time_of_impact";
    Ok(Scene::new(by, "a hull and a triangle, by separating axes over time")
        .standing(sheet(&TRIANGLE, fan(3)), Pose::IDENTITY)
        .moving(sheet(&tip, sides), Pose::IDENTITY, DOWN, &hull.time_of_impact(&base, END)))
}

/// Builds two axis-aligned boxes. They overlap from the latest start to the earliest end of the
/// intervals on the axes.
fn aligned_boxes() -> Result<Scene, String> {
    let (size, left, right) = (DVec3::splat(0.4), DVec3::new(-1.5, 0.5, 0.0), DVec3::new(1.2, 0.8, 0.1));
    let (go, come) = (DVec3::new(2.6, 0.0, 0.0), DVec3::new(-0.8, -0.3, 0.0));
    let boxed = |position: DVec3, velocity: DVec3| {
        MovingAabb::new(position - size, position + size, velocity).map_err(text)
    };
    let overlap = boxed(left, go)?.may_meet(&boxed(right, come)?, SHOWN).unwrap_or([f64::INFINITY; 2]);
    let mut scene = Scene::new("MovingAabb::may_meet", "boxes that begin and end to overlap");
    scene.answer = format!("{:.6} to {:.6} s", overlap[0], overlap[1]);
    for (position, velocity) in [(left, go), (right, come)] {
        let course = BodyMotion::Passes { velocity: velocity.as_vec3(), overlap };
        scene.bodies.push(Body { shape: PlayerShape::Cuboid(size.as_vec3()), start: at(position), course });
    }
    Ok(scene)
}

/// Builds two planks that turn: the balls around them give the interval in which they may meet.
fn planks() -> Result<Scene, String> {
    let half = DVec3::new(0.7, 0.1, 0.2);
    let radius = carom_math::ops::sqrt(half.length_squared());
    let motions = [
        motion(DVec3::new(-1.6, 0.4, 0.0), DVec3::new(2.6, 0.0, 0.0), DVec3::Z * 5.0)?,
        motion(DVec3::new(1.6, 1.4, 0.0), DVec3::new(-1.6, 0.0, 0.0), DVec3::Y * 4.0)?,
    ];
    let settings = ImpactSettings::default().with_max_time(SHOWN);
    let ball = (DVec3::ZERO, radius);
    let near = match near_interval_of_balls(ball, &motions[0], ball, &motions[1], &settings) {
        NearInterval::Between { start, end, .. } => [start, end],
        NearInterval::Never(_) => [f64::INFINITY; 2],
    };
    let mut scene =
        Scene::new("meeting_of_balls", "planks that turn: looked at while balls around them meet");
    scene.answer = format!("{:.6} to {:.6} s", near[0], near[1]);
    for motion in motions {
        let course = BodyMotion::Turns { motion, near };
        scene.bodies.push(Body { shape: PlayerShape::Cuboid(half.as_vec3()), start: Pose::IDENTITY, course });
    }
    Ok(scene)
}

/// Builds two L-shaped bodies that move on screws: an edge of one meets an edge of the other.
fn polyhedra() -> Result<Scene, String> {
    let outline = [(-0.6, -0.6), (0.9, -0.6), (0.9, 0.0), (0.0, 0.0), (0.0, 0.9), (-0.6, 0.9)];
    let side = |z: f64| outline.map(|(x, y)| DVec3::new(x, y, z));
    let vertices: Vec<DVec3> = side(-0.25).into_iter().chain(side(0.25)).collect();
    let mut triangles = vec![[0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 5, 4]];
    triangles.extend(triangles.clone().into_iter().map(|[a, b, c]| [a + 6, c + 6, b + 6]));
    for (i, j) in (0..6).map(|i| (i, (i + 1) % 6)) {
        triangles.extend([[i, j, j + 6], [i, j + 6, i + 6]]);
    }
    let body = Polyhedron::new(&vertices, &triangles).map_err(text)?;
    let motions = [
        motion(DVec3::new(-1.5, 0.5, 0.0), DVec3::new(1.6, 0.2, 0.0), DVec3::new(0.5, 1.5, 2.5))?,
        motion(DVec3::new(1.5, 1.1, 0.0), DVec3::new(-1.5, 0.0, 0.0), DVec3::new(-2.0, 1.0, 1.0))?,
    ];
    let settings = ImpactSettings::default().with_target_distance(1e-3).with_max_time(END);
    let found = polyhedra_time_of_impact(&body, &motions[0], &body, &motions[1], &settings);
    let mut scene = Scene::new("polyhedra_time_of_impact", "bodies that are not convex, on screws");
    let hit = found.hit().map(|hit| hit.t_hi);
    scene.answer = hit.map_or_else(|| "never".to_owned(), |hit| format!("{hit:.6} s"));
    scene.hits.extend(found.hit().map(|hit| (hit.t_hi, hit.point_b.as_vec3())));
    for motion in motions {
        let mesh = PlayerMesh {
            vertices: vertices.iter().map(|p| p.as_vec3()).collect(),
            triangles: triangles.clone(),
        };
        let course = BodyMotion::Screws { motion, hit };
        scene.bodies.push(Body { shape: PlayerShape::Mesh(mesh), start: Pose::IDENTITY, course });
    }
    Ok(scene)
}

/// Builds a box that moves, and 27 boxes that stand. It may meet those that overlap the shaft
/// between its start and its end.
fn shaft() -> Scene {
    let (size, from, displacement) = (Vec3::splat(0.3), Vec3::new(-1.5, 0.4, -1.2), Vec3::new(2.8, 1.0, 2.4));
    let aabb = |middle: Vec3, size: Vec3| Aabb { min: middle - size, max: middle + size };
    let (start, end) = (aabb(from, size), aabb(from + displacement, size));
    let shaft = Shaft::new(&start, &end);
    let mut scene = Scene::new("Shaft::overlaps", "the shaft of a box: which of 27 it may meet");
    let course = BodyMotion::Moves { velocity: displacement / SHOWN as f32, hit: None, after: None };
    scene.bodies.push(Body { shape: PlayerShape::Cuboid(size), start: Pose::from_translation(from), course });
    let (small, mut n) = (Vec3::splat(0.12), 0);
    for i in 0..27_i16 {
        let step = Vec3::new(f32::from(i % 3 - 1), f32::from(i / 3 % 3), f32::from(i / 9 - 1));
        let position = step * Vec3::new(1.3, 0.8, 1.3);
        let is_in = shaft.overlaps(&aabb(position, small));
        n += usize::from(is_in);
        let course = BodyMotion::Stands(if is_in { BodyState::Near } else { BodyState::Asleep });
        scene.bodies.push(Body {
            shape: PlayerShape::Cuboid(small),
            start: Pose::from_translation(position),
            course,
        });
    }
    scene.answer = format!("{n} of 27");
    scene.lines = Obb::from_aabb(&start)
        .corners()
        .into_iter()
        .zip(Obb::from_aabb(&end).corners())
        .map(|(a, b)| [a, b])
        .collect();
    scene
}

/// Returns the origin of a scene of `n`: the first is at the top left.
fn origin(number: usize, n: usize) -> Vec3 {
    let (row, column) = (number / IN_A_ROW, number % IN_A_ROW);
    let middle = |n: usize| 0.5 * (n - 1) as f32;
    Vec3::new(
        SPACING[0] * (column as f32 - middle(IN_A_ROW)),
        SPACING[1] * (middle(n.div_ceil(IN_A_ROW)) - row as f32),
        0.0,
    )
}

/// Runs the scenes.
pub(crate) fn play(args: &DemoArgs) -> Result<Run, String> {
    let scenes = scenes()?;
    let n = scenes.len();
    let positions: Vec<Vec3> = (0..n).map(|i| origin(i, n)).collect();
    let (mut shapes, mut names) = (Vec::new(), Vec::new());
    for scene in &scenes {
        shapes.extend(scene.bodies.iter().map(|body| body.shape.clone()));
        names.extend(scene.bodies.iter().map(|_| scene.name.to_owned()));
    }
    let n_bodies = shapes.len();
    let n_frames = args.n_frames();
    let rows: Vec<Value> = scenes.iter().map(|scene| json!([scene.name, scene.answer, scene.by])).collect();
    // The recording covers `SHOWN` seconds with any number of frames.
    let seconds = SHOWN / f64::from(n_frames);
    let mut recording = Recording::new(
        "impacts: when bodies that move touch",
        seconds,
        shapes,
        (0..n_bodies as u32).collect(),
    )
    .with_names(names)
    .with_state_names([
        "standing still",
        "surely not on the way",
        "moving",
        "stopped where it touches",
        "may meet: to be looked at",
        "overlapping",
    ])
    .with_line_names(["sides of the shaft", ""])
    .with_shown(&["contacts", "lines"])
    .with_view(View { target: Vec3::new(0.0, 0.6, 0.0), distance: 17.0, yaw: 0.0, pitch: 0.4, speed: 0.25 })
    .with_charts(vec![chart("bodies that have touched", "", &["bodies"])])
    .with_table(json!({ "columns": ["scene", "touch at, or may meet", "by"], "rows": rows }));
    let mut hashed = 0;
    for frame in 0..=n_frames {
        let t = SHOWN * f64::from(frame) / f64::from(n_frames);
        let (mut poses, mut states, mut points, mut lines) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (scene, &position) in scenes.iter().zip(&positions) {
            for body in &scene.bodies {
                let (pose, state) = body.at(t);
                poses.push(Pose { translation: pose.translation + position, ..pose });
                states.push(state);
            }
            points.extend(scene.hits.iter().filter(|hit| hit.0 <= t).map(|hit| hit.1 + position));
            lines.extend(scene.lines.iter().map(|line| line.map(|p| p + position)));
        }
        let bits = poses.iter().flat_map(|pose| pose.translation.to_array().map(|x| u64::from(x.to_bits())));
        hashed = hash(core::iter::once(hashed).chain(bits));
        let n_hit = states.iter().filter(|state| **state == BodyState::InContact).count();
        recording.push(poses, states, &points, FrameStats { values: vec![n_hit as f64] });
        recording.push_lines([&lines, &[]]);
    }
    let n_hits = scenes.iter().map(|scene| scene.hits.len()).sum();
    let mut run = Run::of(hashed, n_bodies, [0.0; 3], n_hits, Vec::new(), recording);
    let summary = scenes.iter().map(|scene| format!("  {}: {}", scene.name, scene.answer));
    run.summary = Some(format!("{n} scenes\n{}", summary.collect::<Vec<_>>().join("\n")));
    Ok(run)
}
