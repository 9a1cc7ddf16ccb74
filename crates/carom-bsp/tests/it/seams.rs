//! Points, rays and bodies exactly in the planes, lines and corners in which brushes touch,
//! against the list of brushes.
//!
//! The oracle uses no tree. A point is inside if all of a small sphere about it is in some brush.
//! A ray splits at the planes of the brushes. It enters at the first stretch whose middle is
//! inside.

use carom_bsp::{
    Ball, Bevels, Brush, BspSettings, BspTree, Contents, Point, Points, SplitPlane, TraceHit, TraceStack,
};
use carom_testkit::oracle::brush::{Body as Mover, BrushTruth, brush_depth, rotation, soup};
use carom_testkit::random::Random;
use glam::{DMat3, DVec3};

/// The radius of the sphere. Features are larger, and rounding is much smaller.
const NEAR: f64 = 1e-5;

struct Truth<'a> {
    brushes: &'a [Brush],
    around: Vec<DVec3>,
}

impl<'a> Truth<'a> {
    fn new(brushes: &'a [Brush]) -> Truth<'a> {
        let mut random = Random::new(3);
        let around = (0..600).map(|_| random.cube_point().normalize_or(DVec3::X) * NEAR).collect();
        Truth { brushes, around }
    }

    fn is_inside(&self, position: DVec3) -> bool {
        let near: Vec<&Brush> =
            self.brushes.iter().filter(|brush| -2.0 * NEAR < brush_depth(brush, position)).collect();
        self.around.iter().all(|&off| near.iter().any(|brush| -1e-11 < brush_depth(brush, position + off)))
    }

    /// Returns the time at which a ray first gets inside.
    fn ray(&self, from: DVec3, displacement: DVec3) -> Option<f64> {
        let mut times = vec![0.0, 1.0];
        for plane in self.brushes.iter().flat_map(Brush::faces).map(|face| face.plane) {
            let (height, rate) = (plane.height(from), plane.normal.dot(displacement));
            let t = height / -rate;
            if 1e-9 < rate.abs() && 0.0 < t && t < 1.0 {
                times.push(t);
            }
        }
        times.sort_by(f64::total_cmp);
        times.dedup_by(|b, a| *b - *a < 1e-6);
        let middle = |low: f64, high: f64| from + displacement * (0.5 * (low + high));
        times.windows(2).find(|w| self.is_inside(middle(w[0], w[1]))).map(|w| w[0])
    }
}

/// Asserts that the tree and the oracle agree about a ray and its start.
fn check_ray(
    tree: &BspTree,
    truth: &Truth,
    from: DVec3,
    displacement: DVec3,
    name: &str,
) -> Option<TraceHit> {
    let mut stack = TraceStack::new();
    let hit = tree.trace_with(&Point, from, displacement, Contents::SOLID, &mut stack);
    let t = truth.ray(from, displacement);
    assert_eq!(hit.is_some(), t.is_some(), "{name}: truth {t:?}, {hit:?} from {from} by {displacement}");
    if let (Some(hit), Some(t)) = (hit, t) {
        assert!((hit.t - t).abs() < 2e-6, "{name}: truth {t}, {hit:?} from {from} by {displacement}");
    }
    let is_inside = truth.is_inside(from);
    assert_eq!(hit.is_some_and(|hit| hit.starts_inside), is_inside, "{name}: start {from} by {displacement}");
    let solid = if is_inside { Contents::SOLID } else { Contents::empty() };
    assert_eq!(tree.contents_within_with(&Point, from, &mut stack), solid, "{name}: {from}");
    assert_eq!(tree.contents_at(from), solid, "{name}: {from}");
    hit
}

/// Asserts that the nearest free position to a point is free. It is no farther than the surface in
/// a few directions, and is the point itself if that is free.
fn check_free(tree: &BspTree, truth: &Truth, position: DVec3, name: &str) {
    let free = tree.nearest_free(&Point, position, Contents::SOLID).unwrap();
    assert!(!truth.is_inside(free), "{name}: {free} near {position} is in solid");
    if !truth.is_inside(position) {
        assert_eq!(free, position, "{name}");
        return;
    }
    let far = 4.0 * (tree.bounds().1 - tree.bounds().0).length();
    for i in 0..3 {
        for sign in [-1.0, 1.0] {
            let mut displacement = DVec3::ZERO;
            displacement[i] = sign * far;
            // A ray from far outside back to the point: its first impact is no nearer than the
            // free position.
            let hit = tree.trace(&Point, position + displacement, -displacement, Contents::SOLID).unwrap();
            let away = (1.0 - hit.t) * far;
            assert!((free - position).length() <= away + 1e-6, "{name}: {free} near {position}, {away}");
        }
    }
}

/// The pose of a brush: rotated, then translated.
#[derive(Clone, Copy)]
struct Frame {
    turn: DMat3,
    shift: DVec3,
}

impl Frame {
    fn any(random: &mut Random, i: usize) -> Frame {
        let turn = match i % 4 {
            0 => DMat3::IDENTITY,
            1 => DMat3::from_cols(DVec3::Y, DVec3::Z, DVec3::X),
            _ => DMat3::from_quat(rotation(random)),
        };
        let shift = if i.is_multiple_of(3) { DVec3::ZERO } else { random.cube_point() * 5.0 };
        Frame { turn, shift }
    }

    fn in_world(&self, point: DVec3) -> DVec3 {
        self.turn * point + self.shift
    }

    fn brush(&self, planes: &[SplitPlane]) -> Brush {
        let planes: Vec<SplitPlane> = planes
            .iter()
            .map(|plane| {
                let normal = self.turn * plane.normal;
                SplitPlane { normal, offset: plane.offset + normal.dot(self.shift) }
            })
            .collect();
        Brush::from_planes(&planes, Contents::SOLID).unwrap()
    }

    fn cuboid(&self, low: DVec3, high: DVec3) -> Brush {
        let of = |normal: DVec3, offset: f64| SplitPlane { normal, offset };
        self.brush(&[
            of(DVec3::X, high.x),
            of(DVec3::Y, high.y),
            of(DVec3::Z, high.z),
            of(-DVec3::X, -low.x),
            of(-DVec3::Y, -low.y),
            of(-DVec3::Z, -low.z),
        ])
    }
}

/// Wedges about the z axis from -1 to 1, with these angles in sequence. `rounded` rounds the
/// normals.
fn wheel(angles: &[f64], frame: &Frame, rounded: impl Fn(DVec3) -> DVec3) -> Vec<Brush> {
    let sum: f64 = angles.iter().sum();
    let mut turn = 0.1;
    let mut spokes = Vec::new();
    for angle in angles {
        spokes.push(DVec3::new(f64::cos(turn), f64::sin(turn), 0.0));
        turn += angle / sum * core::f64::consts::TAU;
    }
    (0..spokes.len())
        .map(|i| {
            let (a, b) = (spokes[i], spokes[(i + 1) % spokes.len()]);
            let out = (a + b).normalize();
            frame.brush(&[
                SplitPlane { normal: rounded(a.cross(DVec3::Z)), offset: 0.0 },
                SplitPlane { normal: rounded(DVec3::Z.cross(b)), offset: 0.0 },
                SplitPlane { normal: out, offset: out.dot(a) },
                SplitPlane { normal: DVec3::Z, offset: 1.0 },
                SplitPlane { normal: -DVec3::Z, offset: 1.0 },
            ])
        })
        .collect()
}

fn tree(brushes: &[Brush], bevels: Bevels) -> BspTree {
    BspTree::from_brushes(brushes, &BspSettings::default().with_bevels(bevels)).unwrap()
}

const BEVELS: [Bevels; 3] = [Bevels::None, Bevels::Edges, Bevels::All];

/// A ray along the axis of a wheel of wedges hits its top. With one wedge removed the ray is in a
/// surface, and free.
#[test]
fn the_axis_of_a_wheel_of_wedges_is_inside() {
    let mut random = Random::new(71);
    let (mut n_inside, mut n_free) = (0, 0);
    for i in 0..62 {
        let n = 3 + i;
        let frame = Frame::any(&mut random, i);
        let angles: Vec<f64> =
            (0..n).map(|_| if i % 2 == 0 { 1.0 } else { random.range(0.8, 1.2) }).collect();
        let mut brushes = wheel(&angles, &frame, |normal| normal);
        let is_full = i % 5 != 4;
        if !is_full {
            brushes.remove(random.below(brushes.len()));
        }
        let truth = Truth::new(&brushes);
        let name = format!("{n} wedges, {i}");
        for bevels in BEVELS {
            let tree = tree(&brushes, bevels);
            for (from, to) in [(3.0, -3.0), (-2.0, 0.5), (0.25, -4.0), (1.0, -1.0), (-1.0, -2.0), (3.0, 1.5)]
            {
                let (a, b) = (frame.in_world(DVec3::Z * from), frame.in_world(DVec3::Z * to));
                let hit = check_ray(&tree, &truth, a, b - a, &name);
                assert!(is_full || hit.is_none());
                *(if hit.is_some() { &mut n_inside } else { &mut n_free }) += 1;
            }
            // In the plane of a seam: through the axis, across it, and outwards from it.
            for _ in 0..4 {
                let corner = random.below(brushes.len());
                let seam = brushes[corner].faces().iter().find(|face| face.number == 0).unwrap();
                let along = frame.turn * DVec3::Z;
                let across = seam.plane.normal.cross(along);
                let from = frame.in_world(DVec3::ZERO) + across * 3.0 + along * random.range(-0.5, 0.5);
                let steep = along * [0.0, 0.3, -0.2][random.below(3)];
                check_ray(&tree, &truth, from, (steep - across) * 6.0, &name);
                let on_axis = frame.in_world(DVec3::Z * random.range(-0.9, 0.9));
                check_ray(&tree, &truth, on_axis, random.cube_point() * 4.0, &name);
                check_free(&tree, &truth, on_axis, &name);
            }
        }
        // The same wheel as a mesh: touching wedges have walls between them, inside the solid.
        if is_full {
            let (vertices, triangles) = soup(&brushes);
            let tree = BspTree::from_mesh(&vertices, &triangles, Contents::SOLID, &BspSettings::default());
            let tree = tree.unwrap();
            let (a, b) = (frame.in_world(DVec3::Z * 3.0), frame.in_world(DVec3::Z * -3.0));
            assert!(
                (tree.trace(&Point, a, b - a, Contents::SOLID).unwrap().t - 1.0 / 3.0).abs() < 1e-6,
                "{name}"
            );
            assert_eq!(tree.contents_at(frame.in_world(DVec3::ZERO)), Contents::SOLID, "{name}");
        }
    }
    assert!(500 < n_inside && 300 < n_free, "{n_inside} {n_free}");
}

/// Normals rounded to `f32` leave slivers between the wedges. Away from the axis they are wider
/// than the tolerance, but a point on the axis does not get into them.
#[test]
fn slivers_between_wedges_have_no_room_at_the_axis() {
    for n in [3, 5, 6, 7, 12, 24, 48, 64] {
        let angles = vec![1.0; n];
        for turn in [DMat3::IDENTITY, DMat3::from_cols(DVec3::Y, DVec3::Z, DVec3::X)] {
            let frame = Frame { turn, shift: DVec3::ZERO };
            // The two sides of a seam are rounded differently.
            let rounded = |normal: DVec3| {
                let rounded = normal.as_vec3().as_dvec3();
                if normal.x < 0.0 { rounded * 3.0 } else { (normal * 1.1).as_vec3().as_dvec3() }
            };
            let brushes = wheel(&angles, &frame, rounded);
            for bevels in BEVELS {
                let tree = tree(&brushes, bevels);
                let (a, displacement) = (frame.in_world(DVec3::Z * 3.0), frame.turn * (DVec3::Z * -4.0));
                let hit = tree.trace(&Point, a, displacement, Contents::SOLID).unwrap();
                assert!((hit.t - 0.5).abs() < 1e-9 && !hit.starts_inside, "{n}: {hit:?}");
                assert_eq!(tree.contents_at(DVec3::ZERO), Contents::SOLID, "{n}");
                assert!(
                    tree.trace(&Point, DVec3::ZERO, displacement, Contents::SOLID).unwrap().starts_inside
                );
                // With one wedge removed there is room.
                let tree = self::tree(&brushes[1..], bevels);
                assert_eq!(tree.trace(&Point, a, displacement, Contents::SOLID), None, "{n}");
                assert_eq!(tree.contents_at(DVec3::ZERO), Contents::empty(), "{n}");
            }
        }
    }
}

/// Boxes of a grid, some left out. If `is_bond`, rows are offset as in a brick wall, so seams end
/// in the middle of faces.
fn grid(random: &mut Random, frame: &Frame, is_bond: bool) -> (Vec<Brush>, [Vec<f64>; 3]) {
    let lines = [0, 1, 2].map(|_| {
        let mut at = -2.0;
        let mut lines = vec![at];
        for _ in 0..2 + random.below(2) {
            at += [0.5, 1.0, 1.25][random.below(3)];
            lines.push(at);
        }
        lines
    });
    let missing = [0, 1, 4][random.below(3)];
    let mut brushes = Vec::new();
    for x in lines[0].windows(2) {
        for (row, y) in lines[1].windows(2).enumerate() {
            for z in lines[2].windows(2) {
                let off = if is_bond && row % 2 == 1 { 0.25 } else { 0.0 };
                if missing <= random.below(24) {
                    brushes.push(
                        frame.cuboid(DVec3::new(x[0] + off, y[0], z[0]), DVec3::new(x[1] + off, y[1], z[1])),
                    );
                }
            }
        }
    }
    (brushes, lines)
}

/// Rays along the lines and in the planes of grids of boxes, and from their corners. Brick walls
/// are tested too; their seams end at faces.
#[test]
fn rays_in_the_planes_of_a_grid_of_boxes_meet_what_is_on_all_sides() {
    let mut random = Random::new(72);
    let (mut n_met, mut n_free, mut n_inside) = (0, 0, 0);
    for i in 0..60 {
        let frame = Frame::any(&mut random, i);
        let (brushes, lines) = grid(&mut random, &frame, i % 2 == 1);
        if brushes.is_empty() {
            continue;
        }
        let truth = Truth::new(&brushes);
        let tree = tree(&brushes, BEVELS[i % 3]);
        let name = format!("grid {i}");
        for _ in 0..60 {
            // Inner grid lines are chosen more often.
            let line = |random: &mut Random, axis: usize| {
                let n = lines[axis].len();
                if random.below(5) == 0 {
                    lines[axis][random.below(n)]
                } else {
                    lines[axis][1 + random.below(n - 2)]
                }
            };
            let mut from = DVec3::ZERO;
            for axis in 0..3 {
                // Usually on a line of the grid; otherwise anywhere.
                from[axis] =
                    if random.below(4) < 3 { line(&mut random, axis) } else { random.range(-3.0, 3.0) };
            }
            let mut displacement = DVec3::ZERO;
            let axis = random.below(3);
            displacement[axis] = 8.0;
            if random.below(3) == 0 {
                // In a plane of the grid, oblique.
                displacement[(axis + 1) % 3] = random.range(-8.0, 8.0);
            }
            if random.below(2) == 0 {
                from[axis] = -4.0;
            }
            let hit = check_ray(&tree, &truth, frame.in_world(from), frame.turn * displacement, &name);
            n_inside += u32::from(hit.is_some_and(|hit| hit.starts_inside));
            *(if hit.is_some() { &mut n_met } else { &mut n_free }) += 1;
            if random.below(8) == 0 {
                check_free(&tree, &truth, frame.in_world(from), &name);
            }
        }
    }
    assert!(900 < n_met && 900 < n_free && 200 < n_inside, "{n_met} {n_free} {n_inside}");
}

/// Balls and boxes that start exactly at a face, and move along it or through the lines of seams.
#[test]
fn bodies_that_graze_boxes_are_never_late_and_free_along_faces() {
    let mut random = Random::new(73);
    let half = DVec3::new(0.25, 0.5, 0.125);
    let corners: Vec<DVec3> = (0..8)
        .map(|i| half * DVec3::new([-1.0, 1.0][i & 1], [-1.0, 1.0][i >> 1 & 1], [-1.0, 1.0][i >> 2]))
        .collect();
    let (mut n_met, mut n_free) = (0, 0);
    for i in 0..24 {
        let frame = Frame { turn: DMat3::IDENTITY, shift: DVec3::ZERO };
        let (brushes, lines) = grid(&mut random, &frame, i % 2 == 1);
        let tree = tree(&brushes, Bevels::All);
        let boxes = BrushTruth::new(&brushes, Mover::Hull(corners.clone()));
        let balls = BrushTruth::new(&brushes, Mover::Ball(0.25));
        let margin = 8.0 * tree.tolerance();
        for _ in 0..120 {
            let mut from = DVec3::new(-4.0, -4.0, -4.0);
            let mut displacement = DVec3::ZERO;
            let axis = random.below(3);
            displacement[axis] = 8.0;
            let is_ball = random.below(2) == 0;
            let reach = if is_ball { DVec3::splat(0.25) } else { half };
            for side in [(axis + 1) % 3, (axis + 2) % 3] {
                let line = lines[side][random.below(lines[side].len())];
                from[side] = line + reach[side] * [-1.0, 0.0, 1.0][random.below(3)];
            }
            let (hit, [may, must]) = if is_ball {
                let t = [margin, -margin].map(|margin| balls.entry(margin, from, displacement));
                (tree.trace(&Ball { radius: 0.25 }, from, displacement, Contents::SOLID), t)
            } else {
                let t = [margin, -margin].map(|margin| boxes.entry(margin, from, displacement));
                (tree.trace(&Points(&corners), from, displacement, Contents::SOLID), t)
            };
            let t = hit.map_or(2.0, |hit| hit.t);
            assert!(t <= must.unwrap_or(2.0) + 1e-8, "late: {hit:?}, {must:?} from {from} by {displacement}");
            if !is_ball {
                assert!(
                    may.unwrap_or(2.0) <= t + 1e-8,
                    "early: {hit:?}, {may:?} from {from} by {displacement}"
                );
            }
            *(if hit.is_some() { &mut n_met } else { &mut n_free }) += 1;
        }
    }
    assert!(600 < n_met && 600 < n_free, "{n_met} {n_free}");
}

/// A flat or needle-shaped body can be on a plane as a point can, and still has extent along it.
#[test]
fn flat_bodies_in_a_seam_are_inside() {
    let frame = Frame { turn: DMat3::IDENTITY, shift: DVec3::ZERO };
    let brushes = wheel(&[1.0; 12], &frame, |normal| normal);
    let needle = [DVec3::Z * -0.25, DVec3::Z * 0.25];
    let plate = [DVec3::new(0.1, 0.1, 0.0), DVec3::new(-0.1, 0.1, 0.0), DVec3::new(0.0, -0.1, 0.0)];
    for bevels in BEVELS {
        let tree = tree(&brushes, bevels);
        let down = DVec3::Z * -4.0;
        let hit = tree.trace(&Points(&needle), DVec3::Z * 3.25, down, Contents::SOLID).unwrap();
        assert!((hit.t - 0.5).abs() < 1e-9, "{hit:?}");
        assert_eq!(tree.contents_within(&Points(&needle), DVec3::ZERO), Contents::SOLID);
        let hit = tree.trace(&Points(&plate), DVec3::Z * 3.0, down, Contents::SOLID).unwrap();
        assert!((hit.t - 0.5).abs() < 1e-9, "{hit:?}");
        // Flat on the top it is free; in the seam of two slabs it is not.
        assert_eq!(tree.contents_within(&Points(&plate), DVec3::Z), Contents::empty());
        assert_eq!(tree.trace(&Points(&plate), DVec3::Z, DVec3::X, Contents::SOLID), None);
        let slabs = [
            frame.cuboid(DVec3::new(-1.0, -1.0, 0.0), DVec3::ONE),
            frame.cuboid(-DVec3::ONE, DVec3::new(1.0, 1.0, 0.0)),
        ];
        let tree = self::tree(&slabs, bevels);
        assert_eq!(tree.contents_within(&Points(&plate), DVec3::ZERO), Contents::SOLID);
        let hit = tree.trace(&Points(&plate), DVec3::X * -3.0, DVec3::X * 6.0, Contents::SOLID).unwrap();
        assert!((hit.t - 1.9 / 6.0).abs() < 1e-9 && hit.normal == -DVec3::X, "{hit:?}");
    }
}

/// In a seam between different contents, a point has the bits that both sides share. With a mask
/// of both it is inside.
#[test]
fn a_seam_of_two_contents_has_what_they_share() {
    let other = Contents::from_bits_retain(8);
    let low = Brush::cuboid(-DVec3::ONE, DVec3::new(1.0, 1.0, 0.0), Contents::SOLID | other).unwrap();
    let high = Brush::cuboid(DVec3::new(-1.0, -1.0, 0.0), DVec3::ONE, Contents::LIQUID | other).unwrap();
    let tree = BspTree::from_brushes(&[low, high], &BspSettings::default()).unwrap();
    assert_eq!(tree.contents_within(&Point, DVec3::ZERO), other);
    assert_eq!(tree.contents_at(DVec3::ZERO), other);
    let trace = |mask| tree.trace(&Point, DVec3::X * -2.0, DVec3::X * 4.0, mask);
    assert_eq!(trace(Contents::SOLID), None);
    assert_eq!(trace(Contents::LIQUID), None);
    assert_eq!(trace(other).unwrap().t, 0.25);
    assert_eq!(trace(Contents::SOLID | Contents::LIQUID).unwrap().t, 0.25);
    let free = tree.nearest_free(&Point, DVec3::ZERO, Contents::SOLID | Contents::LIQUID).unwrap();
    assert!((free.abs().max_element() - 1.0).abs() < 1e-6, "{free}");
    assert_eq!(tree.nearest_free(&Point, DVec3::ZERO, Contents::SOLID), Some(DVec3::ZERO));
}

/// Planes that miss a common line by about the tolerance leave prisms and slivers there. If they
/// cut a brush, no point inside it is free.
#[test]
fn inside_of_one_brush_nothing_is_free_whatever_cuts_it() {
    let mut random = Random::new(74);
    let thin = 4.0 * 2.0_f64.powi(-33);
    let mut n_cut = 0;
    for i in 0..400 {
        let n = 3 + i % 14;
        let off = [0.5, 1.1, 2.0, 8.0][i % 4] * thin;
        let mut brushes =
            vec![Brush::cuboid(DVec3::new(-4.0, -4.0, -3.0), DVec3::new(4.0, 4.0, -1.0), Contents::SOLID)];
        for k in 0..n {
            // A wedge whose planes are all slightly off.
            let at = |k: usize| {
                let turn = k as f64 * core::f64::consts::TAU / n as f64;
                DVec3::new(turn.cos(), turn.sin(), 0.0)
            };
            let (a, b) = (at(k), at(k + 1));
            let out = (a + b).normalize();
            let mut plane = |normal: DVec3, offset: f64| SplitPlane {
                normal,
                offset: offset + off * random.range(-1.0, 1.0),
            };
            brushes.push(Brush::from_planes(
                &[
                    plane(a.cross(DVec3::Z), 0.0),
                    plane(DVec3::Z.cross(b), 0.0),
                    plane(out, out.dot(a)),
                    plane(DVec3::Z, 1.0),
                    plane(-DVec3::Z, 1.0),
                ],
                Contents::SOLID,
            ));
        }
        let brushes: Vec<Brush> = brushes.into_iter().map(Result::unwrap).collect();
        let tree = tree(&brushes, BEVELS[i % 3]);
        assert_eq!(tree.tolerance(), thin);
        n_cut += u32::from(tree.report().splits > 0);
        for _ in 0..60 {
            let near = DVec3::new(random.range(-3.0, 3.0), random.range(-3.0, 3.0), 0.0) * off;
            let at = near + DVec3::Z * random.range(-2.9, -1.1);
            assert_eq!(tree.contents_at(at), Contents::SOLID, "{i}: {at:?}");
            assert_eq!(tree.contents_within(&Point, at), Contents::SOLID, "{i}: {at:?}");
            let displacement = DVec3::Z * random.range(-3.0, 3.0);
            let hit = tree.trace(&Point, at, displacement, Contents::SOLID);
            assert!(hit.is_some_and(|hit| hit.starts_inside), "{i}: {at:?}, {hit:?}");
            let hit = tree.trace(&Point, near - DVec3::Z * 5.0, DVec3::Z * 8.0, Contents::SOLID);
            assert!(hit.is_some_and(|hit| (hit.t - 0.25).abs() < 1e-9), "{i}: {near:?}, {hit:?}");
        }
    }
    assert!(100 < n_cut, "{n_cut}");
}
