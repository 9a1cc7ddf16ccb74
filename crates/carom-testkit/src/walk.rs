//! The random walk of a character through a course, with an oracle that looks at every place it comes to: all triangles, no tree, no sweep.
//!
//! A figure that is in something, by more than a tolerance, has escaped from where it may be; so has one beyond the outer wall, under the
//! floor, or with its middle in a block. One that gets nowhere for a while is asked to go in all directions; if none leads away, with a jump or
//! without, it is stuck.
//!
//! Capsules and ellipsoids are looked at as they are (an ellipsoid as the capsule within it), boxes by separating axes, cylinders as the prism of 32
//! sides within them.

use carom_bsp::{Bevels, Brush, BspSettings, BspTree, Contents, SplitPlane};
use carom_character::{BspWorld, Character, CharacterSettings, Figure, Form, ShapeWorld, Sweep};
use carom_geom::f64::TriMesh;
use carom_math::f64::Pose;
use carom_query::f64::{MeshShape, Shape};
use carom_scenes::{Level, Rng, mesh};
use glam::DVec3;
use std::sync::Arc;

/// A length: deeper than this is an escape.
const DEEPEST: f64 = 1e-3;

/// Sides of the prism in a cylinder.
const N_SIDES: usize = 32;

/// How many calls without progress are looked into.
const PATIENCE: u32 = 20;

/// A level, as worlds to walk in and as what the oracle looks at.
pub struct Course {
    /// Its name.
    pub name: &'static str,
    tree: Option<BspTree>,
    shapes: ShapeWorld,
    triangles: Vec<[DVec3; 3]>,
    /// Unit normals and offsets of the planes around each block.
    blocks: Vec<Vec<(DVec3, f64)>>,
    /// The ground, where it is no block.
    terrain: Vec<[DVec3; 3]>,
    starts: Vec<DVec3>,
    /// Nothing gets farther from the middle, along x and z.
    half: f64,
}

/// What is walked in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorldKind {
    /// A BSP tree.
    Brushes,
    /// One mesh.
    Mesh,
}

/// What happened on walks.
#[derive(Clone, Debug, Default)]
pub struct WalkTally {
    /// Calls, and those that ended in the air.
    pub moves: u64,
    /// Calls that ended in the air.
    pub in_air: u64,
    /// Contacts with walls and ceilings.
    pub contacts: u64,
    /// Steps climbed.
    pub steps: u64,
    /// A length: all steps together.
    pub climbed: f64,
    /// Times that nothing went on for a while, and a way out was looked for.
    pub halts: u64,
    /// A length: the deepest that the figure was in anything.
    pub deepest: f64,
    /// Places where it may not be.
    pub escapes: u64,
    /// Times that no direction led away.
    pub stuck: u64,
    /// Times that it had to be freed from something, or could not be.
    pub freed: u64,
    /// Calls after which it was faster than it wished, on the ground.
    pub too_fast: u64,
    /// What went wrong first.
    pub first: Option<String>,
}

impl WalkTally {
    /// Both together.
    pub fn add(&mut self, other: &WalkTally) {
        self.moves += other.moves;
        self.in_air += other.in_air;
        self.contacts += other.contacts;
        self.steps += other.steps;
        self.climbed += other.climbed;
        self.halts += other.halts;
        self.deepest = self.deepest.max(other.deepest);
        self.escapes += other.escapes;
        self.stuck += other.stuck;
        self.freed += other.freed;
        self.too_fast += other.too_fast;
        self.first = self.first.take().or_else(|| other.first.clone());
    }

    /// Nothing went wrong.
    pub fn is_right(&self) -> bool {
        self.escapes + self.stuck + self.freed + self.too_fast == 0
    }
}

impl Course {
    /// The arena of carom-scenes.
    pub fn arena() -> Course {
        Course::of_level("arena", &carom_scenes::arena(1), 12.0)
    }

    /// The castle of carom-scenes.
    pub fn castle() -> Course {
        Course::of_level("castle", &carom_scenes::castle(), 24.0)
    }

    /// Ten thousand noisy triangles between walls; no brushes.
    pub fn terrain() -> Course {
        let ground = mesh::terrain(24.0, 5.0, 71, 5);
        let mut level = Level::default();
        level.enclose(12.0, 0.5, 14.0);
        for corner in &mut level.blocks.iter_mut().flat_map(|block| &mut block.corners) {
            corner.y -= 1.0;
        }
        let corners = |i: &[u32; 3]| i.map(|corner| ground.vertices[corner as usize]);
        let terrain: Vec<[DVec3; 3]> = ground.triangles.iter().map(corners).collect();
        let high = |x: f64, z: f64| height_at(&terrain, DVec3::new(x, 0.0, z)).unwrap_or(0.0);
        level.starts = [[0.0, 0.0], [5.0, 5.0], [-6.0, 3.0], [2.0, -7.0]]
            .map(|[x, z]| DVec3::new(x, high(x, z) + 0.8, z))
            .to_vec();
        let mut course = Course::of_level("terrain", &level, 12.0);
        course.tree = None;
        course.triangles.extend(&terrain);
        course.shapes = world_of(&course.triangles);
        course.terrain = terrain;
        course
    }

    fn of_level(name: &'static str, level: &Level, half: f64) -> Course {
        let brushes: Option<Vec<Brush>> = level
            .blocks
            .iter()
            .map(|block| {
                let planes: Vec<SplitPlane> =
                    block.planes().map(|(normal, offset)| SplitPlane { normal, offset }).collect();
                Brush::from_planes(&planes, Contents::SOLID).ok()
            })
            .collect();
        let settings = BspSettings::default().with_bevels(Bevels::All);
        let tree = brushes.and_then(|brushes| BspTree::from_brushes(&brushes, &settings).ok());
        let mesh = level.mesh();
        let corners = |i: &[u32; 3]| i.map(|corner| mesh.vertices[corner as usize]);
        let triangles: Vec<[DVec3; 3]> = mesh.triangles.iter().map(corners).collect();
        Course {
            name,
            tree,
            shapes: world_of(&triangles),
            triangles,
            blocks: level.blocks.iter().map(|block| block.planes().collect()).collect(),
            terrain: Vec::new(),
            starts: level.starts.clone(),
            half,
        }
    }

    /// The course as a world; `None` where it is not of that kind.
    pub fn world(&self, kind: WorldKind) -> Option<Box<dyn Sweep + '_>> {
        match kind {
            WorldKind::Brushes => Some(Box::new(BspWorld::new(self.tree.as_ref()?))),
            WorldKind::Mesh => Some(Box::new(self.shapes.clone())),
        }
    }

    /// Why a figure may not be here; else how deep it is in something at most.
    fn look(&self, figure: &Figure, place: DVec3) -> Result<f64, String> {
        if !(place.x.abs().max(place.z.abs()) < self.half) {
            return Err("beyond the wall".to_owned());
        }
        let in_block = |planes: &Vec<(DVec3, f64)>| planes.iter().all(|(n, offset)| n.dot(place) < *offset);
        if let Some(block) = self.blocks.iter().position(in_block) {
            return Err(format!("in block {block}"));
        }
        if self.terrain.is_empty() && place.y < 0.0 {
            return Err("under the floor".to_owned());
        }
        if !self.terrain.is_empty() && height_at(&self.terrain, place).is_none_or(|height| place.y < height) {
            return Err("under the ground".to_owned());
        }
        let body = Solid::of(figure, place);
        let mut deepest = 0.0_f64;
        for (i, triangle) in self.triangles.iter().enumerate() {
            let depth = body.depth(triangle);
            deepest = deepest.max(depth);
            if DEEPEST < depth {
                return Err(format!("{depth} deep in triangle {i}"));
            }
        }
        Ok(deepest)
    }
}

fn world_of(triangles: &[[DVec3; 3]]) -> ShapeWorld {
    let mut world = ShapeWorld::new();
    let vertices: Vec<DVec3> = triangles.iter().flatten().copied().collect();
    let indices = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let mesh = TriMesh::new(vertices, indices).map(MeshShape::new);
    if let Ok(Ok(mesh)) = mesh {
        world.insert(Shape::Mesh(Arc::new(mesh)), Pose::IDENTITY);
    }
    world
}

/// How high the triangles are over or under a point, y up.
fn height_at(triangles: &[[DVec3; 3]], p: DVec3) -> Option<f64> {
    triangles.iter().find_map(|[a, b, c]| {
        let cross = |u: DVec3, v: DVec3| u.z * v.x - u.x * v.z;
        let (u, v, w) = (*b - *a, *c - *a, p - *a);
        let area = cross(u, v);
        let (s, t) = (cross(w, v) / area, cross(u, w) / area);
        // A little over the edge, so that no point falls between two.
        (area != 0.0 && -1e-9 <= s && -1e-9 <= t && s + t <= 1.0 + 1e-9).then_some(a.y + s * u.y + t * v.y)
    })
}

/// A figure, as the oracle sees it.
enum Solid {
    /// Two ends of a segment, and a radius.
    Round([DVec3; 2], f64),
    /// Corners of a polytope, the directions of its edges, its face normals.
    Flat(Vec<DVec3>, Vec<DVec3>, Vec<DVec3>),
}

impl Solid {
    fn of(figure: &Figure, place: DVec3) -> Solid {
        let (up, stature) = (figure.up(), figure.stature());
        match figure.form() {
            Form::Cuboid(cuboid) => {
                let h = cuboid.half_extents();
                let outline = [[h.x, h.z], [-h.x, h.z], [-h.x, -h.z], [h.x, -h.z]];
                Solid::prism(&outline, place, h.y)
            }
            Form::Cylinder(cylinder) => {
                let outline: Vec<[f64; 2]> = (0..N_SIDES)
                    .map(|i| {
                        let (sin, cos) = (std::f64::consts::TAU * i as f64 / N_SIDES as f64).sin_cos();
                        [cylinder.radius() * cos, cylinder.radius() * sin]
                    })
                    .collect();
                Solid::prism(&outline, place, cylinder.half_height())
            }
            Form::Ellipsoid(_) => {
                // The capsule that has the curvature of the lower end lies within.
                let radius = figure.half_width() * figure.half_width() / stature;
                Solid::Round([place + up * (stature - radius), place - up * (stature - radius)], radius)
            }
            _ => {
                let radius = figure.half_width();
                Solid::Round([place + up * (stature - radius), place - up * (stature - radius)], radius)
            }
        }
    }

    fn prism(outline: &[[f64; 2]], place: DVec3, half: f64) -> Solid {
        let ring: Vec<DVec3> = outline.iter().map(|[x, z]| DVec3::new(*x, 0.0, *z)).collect();
        let at = |y: f64| ring.iter().map(move |p| *p + place + DVec3::Y * y);
        let corners = at(half).chain(at(-half)).collect();
        let mut edges: Vec<DVec3> = (0..ring.len()).map(|i| ring[(i + 1) % ring.len()] - ring[i]).collect();
        let mut normals: Vec<DVec3> = edges.iter().map(|edge| edge.cross(DVec3::Y).normalize()).collect();
        edges.push(DVec3::Y);
        normals.push(DVec3::Y);
        Solid::Flat(corners, edges, normals)
    }

    /// How deep it is in a triangle, 0 where it is apart.
    fn depth(&self, triangle: &[DVec3; 3]) -> f64 {
        match self {
            Solid::Round(ends, radius) => {
                let low = ends[0].min(ends[1]) - *radius;
                let high = ends[0].max(ends[1]) + *radius;
                if is_off(low, high, triangle) {
                    return 0.0;
                }
                (radius - segment_triangle(ends, triangle)).max(0.0)
            }
            Solid::Flat(corners, edges, normals) => {
                let low = corners.iter().fold(corners[0], |low, p| low.min(*p));
                let high = corners.iter().fold(corners[0], |high, p| high.max(*p));
                if is_off(low, high, triangle) {
                    return 0.0;
                }
                let [a, b, c] = *triangle;
                let sides = [b - a, c - b, a - c];
                let mut least = f64::INFINITY;
                let own = normals.iter().copied().chain([sides[0].cross(sides[1])]);
                let crossed = edges.iter().flat_map(|edge| sides.map(|side| edge.cross(side)));
                for axis in own.chain(crossed) {
                    let length = axis.length();
                    if length < 1e-9 {
                        continue;
                    }
                    let range = |points: &[DVec3]| {
                        points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| {
                            let x = p.dot(axis) / length;
                            (low.min(x), high.max(x))
                        })
                    };
                    let (ours, theirs) = (range(corners), range(triangle));
                    least = least.min((ours.1 - theirs.0).min(theirs.1 - ours.0));
                    if least <= 0.0 {
                        return 0.0;
                    }
                }
                least
            }
        }
    }
}

fn is_off(low: DVec3, high: DVec3, [a, b, c]: &[DVec3; 3]) -> bool {
    !(low.cmple(a.max(*b).max(*c)).all() && a.min(*b).min(*c).cmple(high).all())
}

/// The distance of a segment and a triangle, 0 where they cross.
fn segment_triangle(ends: &[DVec3; 2], triangle: &[DVec3; 3]) -> f64 {
    let [a, b, c] = *triangle;
    let normal = (b - a).cross(c - a);
    let is_over = |p: DVec3| {
        [(a, b), (b, c), (c, a)].iter().all(|(from, to)| 0.0 <= (*to - *from).cross(p - *from).dot(normal))
    };
    let mut best = f64::INFINITY;
    let heights = ends.map(|p| normal.dot(p - a) / normal.length());
    for (p, height) in ends.iter().zip(heights) {
        if is_over(*p) {
            best = best.min(height.abs());
        }
    }
    if heights[0] * heights[1] <= 0.0 && heights[0] != heights[1] {
        let crossing = ends[0] + (ends[1] - ends[0]) * (heights[0] / (heights[0] - heights[1]));
        if is_over(crossing) {
            return 0.0;
        }
    }
    for side in [[a, b], [b, c], [c, a]] {
        best = best.min(segment_segment(ends, &side));
    }
    best
}

/// The distance of two segments: of the lines where they are nearest, else from an end.
fn segment_segment([a, b]: &[DVec3; 2], [c, d]: &[DVec3; 2]) -> f64 {
    let to_segment = |p: DVec3, from: DVec3, to: DVec3| {
        let way = to - from;
        let t = ((p - from).dot(way) / way.length_squared()).clamp(0.0, 1.0);
        (from + way * if t.is_nan() { 0.0 } else { t } - p).length()
    };
    let ends = to_segment(*a, *c, *d).min(to_segment(*b, *c, *d));
    let ends = ends.min(to_segment(*c, *a, *b)).min(to_segment(*d, *a, *b));
    let (u, v, w) = (*b - *a, *d - *c, *a - *c);
    let (uu, uv, vv) = (u.dot(u), u.dot(v), v.dot(v));
    let det = uu * vv - uv * uv;
    let s = (uv * v.dot(w) - vv * u.dot(w)) / det;
    let t = (uu * v.dot(w) - uv * u.dot(w)) / det;
    // Not so for parallel ones.
    if 0.0 <= s && s <= 1.0 && 0.0 <= t && t <= 1.0 { ends.min((w + u * s - v * t).length()) } else { ends }
}

/// Walks so many calls from a random start, with random wishes, jumps and frame times.
pub fn random_walk(
    course: &Course,
    kind: WorldKind,
    figure: Figure,
    n_moves: u64,
    seed: u64,
    tally: &mut WalkTally,
) {
    let Some(mut world) = course.world(kind) else { return };
    let mut rng = Rng::new(seed);
    let start = course.starts[rng.below(course.starts.len())] + DVec3::Y * (figure.stature() + 0.02);
    let Ok(mut character) = Character::new(figure, CharacterSettings::default(), start) else { return };
    // Out of what may lie about at the start.
    character.walk(&mut *world, DVec3::ZERO, 1.0 / 60.0);
    let start = character.place();
    let (mut wish, mut left, mut dt, mut halted) = (DVec3::ZERO, 0_u32, 1.0 / 60.0, 0_u32);
    for number in 0..n_moves {
        if left == 0 {
            left = 1 + rng.below(60) as u32;
            dt = [1.0 / 30.0, 1.0 / 60.0, 1.0 / 144.0][rng.below(3)];
            let direction = rng.direction();
            let speed = [0.0, 0.3, 2.0, 5.0, 8.0][rng.below(5)];
            wish = DVec3::new(direction.x, 0.0, direction.z).normalize_or_zero() * speed;
            if rng.below(6) == 0 {
                character.jump(rng.range(1.0, 5.0));
            }
        }
        left -= 1;
        let before = character.place();
        let walked = character.walk(&mut *world, wish, dt);
        tally.moves += 1;
        tally.contacts += walked.contacts.len() as u64;
        tally.steps += u64::from(walked.steps);
        tally.climbed += walked.climbed;
        let (was_freed, is_stuck) = (walked.freed != DVec3::ZERO, walked.is_stuck || walked.was_refused);
        let place = character.place();
        let mut blame = |count: &mut u64, what: &str| {
            *count += 1;
            if tally.first.is_none() {
                let (name, form) = (course.name, figure.form());
                tally.first = Some(format!(
                    "{name}, {kind:?}, {form:?}, seed {seed}, move {number}, from {before} wishing {wish} for {dt}: {place}: {what}"
                ));
            }
        };
        if was_freed || is_stuck {
            blame(&mut tally.freed, "was in something");
        }
        match course.look(&figure, place) {
            Ok(depth) => tally.deepest = tally.deepest.max(depth),
            Err(what) => blame(&mut tally.escapes, &what),
        }
        let is_on_ground = character.ground().is_some();
        tally.in_air += u64::from(!is_on_ground);
        if is_on_ground && wish.length() * (1.0 + 1e-9) < character.velocity().length() {
            blame(&mut tally.too_fast, "too fast");
        }
        halted = if (place - before).length() < 0.01 * wish.length() * dt { halted + 1 } else { 0 };
        if halted == PATIENCE {
            halted = 0;
            tally.halts += 1;
            if !can_leave(&character, &mut *world, wish) {
                blame(&mut tally.stuck, "stuck");
                // On from somewhere else.
                character.set_place(start);
            }
        }
        if course.look(&figure, place).is_err() {
            character.set_place(start);
            character.set_velocity(DVec3::ZERO);
        }
    }
}

/// In some direction, the wish's opposite first, it comes away from here within a second, if need be with a jump.
fn can_leave(character: &Character, world: &mut dyn Sweep, wish: DVec3) -> bool {
    [0.0, 4.0].into_iter().any(|jump| {
        (0..16).any(|i| {
            let turn = std::f64::consts::PI * (1.0 + f64::from(i) / 8.0);
            let direction = glam::DQuat::from_rotation_y(turn) * wish;
            let mut walker = character.clone();
            if 0.0 < jump {
                walker.jump(jump);
            }
            (0..60).any(|_| {
                walker.walk(world, direction.normalize() * 2.0, 1.0 / 60.0);
                let gone = walker.place() - character.place();
                0.05 < (gone - DVec3::Y * gone.y).length()
            })
        })
    })
}
