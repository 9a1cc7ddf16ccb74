//! The random walk of a character through a course, with an oracle that checks every position. It
//! tests all triangles in the columns around the figure, without a tree and without a sweep.
//!
//! A figure escapes if it overlaps the level by more than a tolerance. It escapes too beyond the
//! outer wall, under the floor, or with its centre in a block. A figure without progress for a
//! while tries to leave in all directions. It is stuck if it cannot, even with a jump.
//!
//! Capsules are tested exactly, an ellipsoid as the capsule within it. Boxes are tested by
//! separating axes, cylinders as the prism of 32 sides within them.

use crate::oracle::brush::{RealLevel, soup};
use carom_bsp::{Bevels, Brush, BspSettings, BspTree, Contents, SplitPlane};
use carom_character::{BspWorld, Character, CharacterSettings, Figure, Form, ShapeWorld, Sweep};
use carom_geom::f64::TriMesh;
use carom_math::f64::Pose;
use carom_query::f64::{MeshShape, Shape};
use carom_scenes::{Level, Rng, mesh};
use glam::DVec3;
use std::sync::Arc;

/// The depth beyond which an overlap is an escape, in metres.
const DEEPEST: f64 = 1e-3;

/// The sides of the prism in a cylinder.
const N_SIDES: usize = 32;

/// The number of calls without progress before the oracle looks for a way out.
const PATIENCE: u32 = 20;

/// Metres per unit of the real levels, whose figures are 56 units high.
const REAL_SCALE: f64 = 1.0 / 32.0;

/// A level: worlds to walk in, and the geometry for the oracle.
pub struct Course {
    /// Its name.
    pub name: String,
    tree: Option<BspTree>,
    shapes: ShapeWorld,
    triangles: Columns<[DVec3; 3]>,
    blocks: Columns<Brush>,
    /// The triangles of the terrain; empty in levels of blocks.
    terrain: Columns<[DVec3; 3]>,
    /// Start positions on the ground.
    starts: Vec<DVec3>,
    settings: CharacterSettings,
    /// The corners of the box that no figure may leave.
    bounds: [DVec3; 2],
}

/// Objects in a grid of columns one metre wide, by their boxes; y is up.
struct Columns<T> {
    things: Vec<T>,
    low: [f64; 2],
    size: [usize; 2],
    cells: Vec<Vec<u32>>,
}

impl<T> Columns<T> {
    /// Sorts objects into columns; `bounds` returns the corners of an object's box.
    fn new(things: Vec<T>, bounds: impl Fn(&T) -> [DVec3; 2]) -> Columns<T> {
        let boxes: Vec<[DVec3; 2]> = things.iter().map(bounds).collect();
        let [low, high] = box_of(boxes.iter().flatten().copied());
        // Without objects there is one empty column.
        let [low, extent] = if things.is_empty() { [DVec3::ZERO; 2] } else { [low, high - low] };
        let size = [extent.x as usize + 1, extent.z as usize + 1];
        let cells = vec![Vec::new(); size[0] * size[1]];
        let mut columns = Columns { things, low: [low.x, low.z], size, cells };
        for (i, b) in boxes.iter().enumerate() {
            for cell in columns.cells_at(*b) {
                columns.cells[cell].push(i as u32);
            }
        }
        columns
    }

    fn cells_at(&self, [low, high]: [DVec3; 2]) -> impl Iterator<Item = usize> + use<T> {
        let nx = self.size[0];
        let cell = |x: f64, axis: usize| ((x - self.low[axis]).max(0.0) as usize).min(self.size[axis] - 1);
        let (x, z) = (cell(low.x, 0)..=cell(high.x, 0), cell(low.z, 1)..=cell(high.z, 1));
        z.flat_map(move |z| x.clone().map(move |x| z * nx + x))
    }

    /// Returns the index and object of all whose boxes may meet this one; some more than once.
    fn near(&self, around: [DVec3; 2]) -> impl Iterator<Item = (usize, &T)> {
        let cells = self.cells_at(around).flat_map(|cell| self.cells[cell].iter());
        cells.map(|i| (*i as usize, &self.things[*i as usize]))
    }
}

/// A kind of world to walk in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorldKind {
    /// A BSP tree.
    Brushes,
    /// One mesh.
    Mesh,
}

/// Counts of events on walks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WalkTally {
    /// The number of calls.
    pub moves: u64,
    /// The number of calls that ended in the air.
    pub in_air: u64,
    /// Contacts with walls and ceilings.
    pub contacts: u64,
    /// Steps climbed.
    pub steps: u64,
    /// The height of all steps together, in metres.
    pub climbed: f64,
    /// The times without progress for a while, after which a way out was searched.
    pub halts: u64,
    /// The largest depth of the figure in the level, in metres.
    pub deepest: f64,
    /// The number of escapes.
    pub escapes: u64,
    /// The times that no direction led away.
    pub stuck: u64,
    /// The times that the figure overlapped the level, and was freed or stayed stuck.
    pub freed: u64,
    /// The number of calls after which the figure was on the ground and faster than its wish.
    pub too_fast: u64,
    /// Calls that moved the figure farther than its velocity, its wish and its ground explain.
    pub thrown: u64,
    /// The number of calls that pushed a body.
    pub pushes: u64,
    /// Calls in which a platform that moved into the figure pushed it out.
    pub by_platforms: u64,
    /// Calls in which a box on which it stood pushed it out.
    pub by_boxes: u64,
    /// Bodies that left the level.
    pub lost: u64,
    /// The first failure.
    pub first: Option<String>,
}

impl WalkTally {
    /// Adds the counts of another tally.
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
        self.thrown += other.thrown;
        self.pushes += other.pushes;
        self.by_platforms += other.by_platforms;
        self.by_boxes += other.by_boxes;
        self.lost += other.lost;
        self.first = self.first.take().or_else(|| other.first.clone());
    }

    /// Whether nothing failed.
    pub fn is_right(&self) -> bool {
        self.escapes + self.stuck + self.freed + self.too_fast + self.thrown == 0
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

    /// Ten thousand triangles of noisy terrain between walls, without brushes.
    pub fn terrain() -> Course {
        let ground = mesh::terrain(24.0, 5.0, 71, 5);
        let mut level = Level::default();
        level.enclose(12.0, 0.5, 14.0);
        for corner in &mut level.blocks.iter_mut().flat_map(|block| &mut block.corners) {
            corner.y -= 1.0;
        }
        let corners = |i: &[u32; 3]| i.map(|corner| ground.vertices[corner as usize]);
        let terrain: Vec<[DVec3; 3]> = ground.triangles.iter().map(corners).collect();
        let mut course = Course::of_level("terrain", &level, 12.0);
        let triangles = course.triangles.things.iter().chain(&terrain).copied().collect();
        course.set_triangles(triangles);
        course.terrain = Columns::new(terrain, triangle_box);
        course.tree = None;
        course.bounds[0].y = -f64::INFINITY;
        course.starts = [[0.0, 0.0], [5.0, 5.0], [-6.0, 3.0], [2.0, -7.0]]
            .map(|[x, z]| {
                course.height_at(DVec3::new(x, 0.0, z)).map_or(DVec3::ZERO, |y| DVec3::new(x, y + 0.8, z))
            })
            .to_vec();
        course
    }

    /// A walled yard with stairs, pillars and a corner, and room for platforms and boxes.
    pub fn yard() -> Course {
        let mut level = Level::default();
        level.cuboid([-12.0, -1.0, -12.0], [12.0, 0.0, 12.0]);
        level.enclose(12.0, 0.5, 12.0);
        level.stairs([-9.5, 0.0, 7.0], [0.0, 0.0, 1.0], 6, 0.25, 0.45, 1.6);
        for (x, z) in [(-2.0, -9.0), (9.5, 1.0), (-9.5, 1.0)] {
            level.blocks.push(carom_scenes::Block::pillar(x, z, 0.5, 8, 0.0, 3.0));
        }
        level.cuboid([7.0, 0.0, 9.0], [7.2, 2.5, 12.0]);
        level.starts =
            [[0.0, 0.0], [2.0, -9.0], [-9.0, -9.0], [9.0, 9.5]].map(|[x, z]| DVec3::new(x, 0.0, z)).to_vec();
        Course::of_level("yard", &level, 12.0)
    }

    /// Reads a level of the real data, turned so that y is up, and scaled so that its figures are
    /// 1.75 metres high. Doors are closed, and liquids are solid. Walks start at its players, items
    /// and monsters, if there is room. Prints a line and returns `None` if the data is not present.
    pub fn real(name: &str) -> Option<Course> {
        let level = RealLevel::read(name)?;
        let turned = |p: DVec3| DVec3::new(p.x, p.z, -p.y);
        let is_solid = |class: &String| !class.starts_with("trigger_") && !class.contains("illusionary");
        let brushes: Vec<Brush> = level
            .brushes
            .iter()
            .filter(|(class, _)| is_solid(class))
            .filter_map(|(_, brush)| {
                let planes: Vec<SplitPlane> = brush
                    .faces()
                    .iter()
                    .map(|face| SplitPlane {
                        normal: turned(face.plane.normal),
                        offset: face.plane.offset * REAL_SCALE,
                    })
                    .collect();
                Brush::from_planes(&planes, Contents::SOLID).ok()
            })
            .collect();
        let is_start = |class: &str| {
            ["info_player", "item_", "weapon_", "monster_"].iter().any(|s| class.starts_with(s))
        };
        // Their origins are at half the height of a figure or less.
        let starts = level
            .entities
            .iter()
            .filter(|(class, _)| is_start(class))
            .map(|(_, at)| turned(*at) * REAL_SCALE)
            .collect();
        let (vertices, triangles) = soup(&brushes);
        let triangles = triangles.iter().map(|i| i.map(|i| vertices[i as usize])).collect();
        let mut course = Course::new(name, &brushes, triangles, starts, box_of(vertices));
        // The game's figures climb 18 units, and its stairs are 16 high.
        course.settings = course.settings.with_step_height(18.0 * REAL_SCALE);
        Some(course)
    }

    fn of_level(name: &str, level: &Level, half: f64) -> Course {
        let mesh = level.mesh();
        let corners = |i: &[u32; 3]| i.map(|corner| mesh.vertices[corner as usize]);
        let triangles: Vec<[DVec3; 3]> = mesh.triangles.iter().map(corners).collect();
        let bounds = [DVec3::new(-half, 0.0, -half), DVec3::new(half, f64::INFINITY, half)];
        Course::new(name, &brushes_of(level), triangles, level.starts.clone(), bounds)
    }

    fn new(
        name: &str,
        brushes: &[Brush],
        triangles: Vec<[DVec3; 3]>,
        starts: Vec<DVec3>,
        bounds: [DVec3; 2],
    ) -> Course {
        let settings = BspSettings::default().with_bevels(Bevels::All);
        let mut course = Course {
            name: name.to_owned(),
            tree: BspTree::from_brushes(brushes, &settings).ok(),
            shapes: ShapeWorld::new(),
            triangles: Columns::new(Vec::new(), triangle_box),
            blocks: Columns::new(brushes.to_vec(), |brush| box_of(brush.corners())),
            terrain: Columns::new(Vec::new(), triangle_box),
            starts,
            settings: CharacterSettings::default(),
            bounds,
        };
        course.set_triangles(triangles);
        course
    }

    fn set_triangles(&mut self, triangles: Vec<[DVec3; 3]>) {
        self.shapes = world_of(&triangles);
        self.triangles = Columns::new(triangles, triangle_box);
    }

    /// Returns the course as a world; `None` if it is not available in that kind.
    pub fn world(&self, kind: WorldKind) -> Option<Box<dyn Sweep + '_>> {
        match kind {
            WorldKind::Brushes => Some(Box::new(BspWorld::new(self.tree.as_ref()?))),
            WorldKind::Mesh => Some(Box::new(self.shapes.clone())),
        }
    }

    /// Returns all triangles.
    pub fn triangles(&self) -> &[[DVec3; 3]] {
        &self.triangles.things
    }

    /// Returns the settings of its characters.
    pub fn settings(&self) -> CharacterSettings {
        self.settings
    }

    /// Returns the height of the terrain above or below a point; y is up.
    fn height_at(&self, p: DVec3) -> Option<f64> {
        self.terrain.near([p, p]).find_map(|(_, triangle)| height_at(triangle, p))
    }

    /// Returns the largest depth of a figure in the level at this position. An error says why the
    /// figure may not be here.
    pub fn depth_at(&self, figure: &Figure, position: DVec3) -> Result<f64, String> {
        let [low, high] = self.bounds;
        if !(low.cmplt(position).all() && position.cmplt(high).all()) {
            return Err("beyond the walls".to_owned());
        }
        let is_in = |brush: &Brush| brush.faces().iter().all(|face| face.plane.height(position) < 0.0);
        if let Some((block, _)) = self.blocks.near([position, position]).find(|(_, block)| is_in(block)) {
            return Err(format!("in block {block}"));
        }
        if !self.terrain.things.is_empty()
            && self.height_at(position).is_none_or(|height| position.y < height)
        {
            return Err("under the ground".to_owned());
        }
        let body = Solid::of(figure, position);
        let mut deepest = 0.0_f64;
        for (i, triangle) in self.triangles.near(body.bounds()) {
            let depth = body.depth(triangle);
            deepest = deepest.max(depth);
            if DEEPEST < depth {
                return Err(format!("{depth} deep in triangle {i}"));
            }
        }
        Ok(deepest)
    }

    /// Returns a free position above one of the starts, if one of a few tries finds it.
    pub(crate) fn start(&self, figure: &Figure, rng: &mut Rng) -> Option<DVec3> {
        (0..64).find_map(|_| {
            let at =
                self.starts.get(rng.below(self.starts.len().max(1)))? + DVec3::Y * (figure.stature() + 0.02);
            self.depth_at(figure, at).is_ok().then_some(at)
        })
    }
}

/// Returns the blocks of a level as brushes.
pub fn brushes_of(level: &Level) -> Vec<Brush> {
    level
        .blocks
        .iter()
        .filter_map(|block| {
            let planes: Vec<SplitPlane> =
                block.planes().map(|(normal, offset)| SplitPlane { normal, offset }).collect();
            Brush::from_planes(&planes, Contents::SOLID).ok()
        })
        .collect()
}

fn box_of(points: impl IntoIterator<Item = DVec3>) -> [DVec3; 2] {
    let ends = [DVec3::INFINITY, DVec3::NEG_INFINITY];
    points.into_iter().fold(ends, |[low, high], p| [low.min(p), high.max(p)])
}

fn triangle_box(triangle: &[DVec3; 3]) -> [DVec3; 2] {
    box_of(*triangle)
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

/// Returns the height of a triangle above or below a point; y is up. `None` beside it.
fn height_at([a, b, c]: &[DVec3; 3], p: DVec3) -> Option<f64> {
    let cross = |u: DVec3, v: DVec3| u.z * v.x - u.x * v.z;
    let (u, v, w) = (*b - *a, *c - *a, p - *a);
    let area = cross(u, v);
    let (s, t) = (cross(w, v) / area, cross(u, w) / area);
    // rounding: slightly beyond the edges, so that no point falls between two triangles.
    (area != 0.0 && -1e-9 <= s && -1e-9 <= t && s + t <= 1.0 + 1e-9).then_some(a.y + s * u.y + t * v.y)
}

/// The shape of a figure for the oracle.
enum Solid {
    /// Two ends of a segment, and a radius.
    Round([DVec3; 2], f64),
    /// Corners of a polytope, the directions of its edges, its face normals.
    Flat(Vec<DVec3>, Vec<DVec3>, Vec<DVec3>),
}

impl Solid {
    fn of(figure: &Figure, position: DVec3) -> Solid {
        let (up, stature) = (figure.up(), figure.stature());
        match figure.form() {
            Form::Cuboid(cuboid) => {
                let h = cuboid.half_extents();
                let outline = [[h.x, h.z], [-h.x, h.z], [-h.x, -h.z], [h.x, -h.z]];
                Solid::prism(&outline, position, h.y)
            }
            Form::Cylinder(cylinder) => {
                let outline: Vec<[f64; 2]> = (0..N_SIDES)
                    .map(|i| {
                        let (sin, cos) = (std::f64::consts::TAU * i as f64 / N_SIDES as f64).sin_cos();
                        [cylinder.radius() * cos, cylinder.radius() * sin]
                    })
                    .collect();
                Solid::prism(&outline, position, cylinder.half_height())
            }
            Form::Ellipsoid(_) => {
                // The capsule with the curvature of the lower end lies within the ellipsoid.
                let radius = figure.half_width() * figure.half_width() / stature;
                Solid::Round([position + up * (stature - radius), position - up * (stature - radius)], radius)
            }
            _ => {
                let radius = figure.half_width();
                Solid::Round([position + up * (stature - radius), position - up * (stature - radius)], radius)
            }
        }
    }

    fn prism(outline: &[[f64; 2]], position: DVec3, half: f64) -> Solid {
        let ring: Vec<DVec3> = outline.iter().map(|[x, z]| DVec3::new(*x, 0.0, *z)).collect();
        let at = |y: f64| ring.iter().map(move |p| *p + position + DVec3::Y * y);
        let corners = at(half).chain(at(-half)).collect();
        let mut edges: Vec<DVec3> = (0..ring.len()).map(|i| ring[(i + 1) % ring.len()] - ring[i]).collect();
        let mut normals: Vec<DVec3> = edges.iter().map(|edge| edge.cross(DVec3::Y).normalize()).collect();
        edges.push(DVec3::Y);
        normals.push(DVec3::Y);
        Solid::Flat(corners, edges, normals)
    }

    /// The corners of the box around it.
    fn bounds(&self) -> [DVec3; 2] {
        match self {
            Solid::Round(ends, radius) => [ends[0].min(ends[1]) - *radius, ends[0].max(ends[1]) + *radius],
            Solid::Flat(corners, ..) => box_of(corners.iter().copied()),
        }
    }

    /// Returns the depth in a triangle; 0 if they are apart.
    fn depth(&self, triangle: &[DVec3; 3]) -> f64 {
        let ([low, high], [from, to]) = (self.bounds(), triangle_box(triangle));
        if !(low.cmple(to).all() && from.cmple(high).all()) {
            return 0.0;
        }
        match self {
            Solid::Round(ends, radius) => (radius - segment_triangle(ends, triangle)).max(0.0),
            Solid::Flat(corners, edges, normals) => {
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

/// Returns the distance of a segment and a triangle; 0 if they cross.
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

/// Returns the distance of two segments: between the lines if their nearest points are on both,
/// else from an end.
fn segment_segment([a, b]: &[DVec3; 2], [c, d]: &[DVec3; 2]) -> f64 {
    let to_segment = |p: DVec3, from: DVec3, to: DVec3| {
        let offset = to - from;
        let t = ((p - from).dot(offset) / offset.length_squared()).clamp(0.0, 1.0);
        (from + offset * if t.is_nan() { 0.0 } else { t } - p).length()
    };
    let ends = to_segment(*a, *c, *d).min(to_segment(*b, *c, *d));
    let ends = ends.min(to_segment(*c, *a, *b)).min(to_segment(*d, *a, *b));
    let (u, v, w) = (*b - *a, *d - *c, *a - *c);
    let (uu, uv, vv) = (u.dot(u), u.dot(v), v.dot(v));
    let det = uu * vv - uv * uv;
    let s = (uv * v.dot(w) - vv * u.dot(w)) / det;
    let t = (uu * v.dot(w) - uv * u.dot(w)) / det;
    // The condition fails for parallel segments, whose s and t are not finite.
    if 0.0 <= s && s <= 1.0 && 0.0 <= t && t <= 1.0 { ends.min((w + u * s - v * t).length()) } else { ends }
}

/// A random desired velocity of a figure, and the time step of its calls. Both last for up to 60
/// calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Intent {
    /// The desired velocity, which is horizontal.
    pub(crate) wish: DVec3,
    pub(crate) dt: f64,
    /// Calls until the next intent.
    left: u32,
}

impl Intent {
    pub(crate) const NONE: Intent = Intent { wish: DVec3::ZERO, dt: 1.0 / 60.0, left: 0 };

    /// Counts a call, and draws another intent if this one is over. Returns the speed of a jump if
    /// the figure jumps now.
    pub(crate) fn go_on(&mut self, rng: &mut Rng) -> Option<f64> {
        let mut jump = None;
        if self.left == 0 {
            self.left = 1 + rng.below(60) as u32;
            self.dt = [1.0 / 30.0, 1.0 / 60.0, 1.0 / 144.0][rng.below(3)];
            let direction = rng.direction();
            let speed = [0.0, 0.3, 2.0, 5.0, 8.0][rng.below(5)];
            self.wish = DVec3::new(direction.x, 0.0, direction.z).normalize_or_zero() * speed;
            jump = (rng.below(6) == 0).then(|| rng.range(1.0, 5.0));
        }
        self.left -= 1;
        jump
    }
}

/// Makes `n_moves` calls from a random start, with random wishes, jumps and frame times.
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
    let Some(start) = course.start(&figure, &mut rng) else { return };
    let Ok(mut character) = Character::new(figure, course.settings, start) else { return };
    // The first call frees the figure from overlaps at the start.
    character.walk(&mut *world, DVec3::ZERO, 1.0 / 60.0);
    let start = character.position();
    let (mut intent, mut halted) = (Intent::NONE, 0_u32);
    for number in 0..n_moves {
        if let Some(speed) = intent.go_on(&mut rng) {
            character.jump(speed);
        }
        let Intent { wish, dt, .. } = intent;
        let before = character.position();
        let walked = character.walk(&mut *world, wish, dt);
        tally.moves += 1;
        tally.contacts += walked.contacts.len() as u64;
        tally.steps += u64::from(walked.steps);
        tally.climbed += walked.climbed;
        let (was_freed, is_stuck) = (walked.freed != DVec3::ZERO, walked.is_stuck || walked.was_refused);
        let position = character.position();
        let mut blame = |count: &mut u64, what: &str| {
            *count += 1;
            if tally.first.is_none() {
                let (name, form) = (&course.name, figure.form());
                tally.first = Some(format!(
                    "{name}, {kind:?}, {form:?}, seed {seed}, move {number}, from {before} wishing {wish} for {dt}: {position}: {what}"
                ));
            }
        };
        if was_freed || is_stuck {
            blame(&mut tally.freed, "was in something");
        }
        let checked = course.depth_at(&figure, position);
        match &checked {
            Ok(depth) => tally.deepest = tally.deepest.max(*depth),
            Err(what) => blame(&mut tally.escapes, what),
        }
        let is_on_ground = character.ground().is_some();
        tally.in_air += u64::from(!is_on_ground);
        if is_on_ground && wish.length() * (1.0 + 1e-9) < character.velocity().length() {
            blame(&mut tally.too_fast, "too fast");
        }
        halted = if (position - before).length() < 0.01 * wish.length() * dt { halted + 1 } else { 0 };
        if halted == PATIENCE {
            halted = 0;
            tally.halts += 1;
            if !can_leave(&character, &mut *world, wish) {
                blame(&mut tally.stuck, "stuck");
                // Continues at the start.
                character.set_position(start);
            }
        }
        if checked.is_err() {
            character.set_position(start);
            character.set_velocity(DVec3::ZERO);
        }
    }
}

/// Whether the character moves 5 cm sideways within a second in one of 16 directions, with a jump
/// if necessary. The direction against the wish is tried first.
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
                let gone = walker.position() - character.position();
                0.05 < (gone - DVec3::Y * gone.y).length()
            })
        })
    })
}
