//! Levels of any brushes: points are inside or outside as in the brushes, no motion stops late,
//! and a mesh of the brushes gives the same level.

use crate::bytes::Bytes;
use carom_bsp::{
    Ball, BallGroup, Bevels, Body, Brush, BspError, BspSettings, BspTree, Contents, PlacedBall, Point,
    SplitPlane,
};
use carom_testkit::oracle::brush::{Body as Mover, BrushTruth, brush_depth, soup};
use glam::DVec3;

/// Planes are refused or form brushes. The tree agrees with the list of brushes, except for parts
/// thinner than its tolerance.
pub fn levels(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let flags = bytes.byte();
    let mut brushes: Vec<Brush> = Vec::new();
    for _ in 0..1 + flags % 4 {
        // Most brushes are boxes with some corners cut off, because random planes are hardly ever
        // closed.
        let (a, b) = (bytes.point(), bytes.point());
        let mut planes = match Brush::cuboid(a.min(b), a.max(b), Contents::SOLID) {
            Ok(brush) => brush.faces().iter().map(|face| face.plane).collect(),
            Err(_) => Vec::new(),
        };
        for _ in 0..bytes.byte() % 3 {
            planes.push(SplitPlane { normal: bytes.point(), offset: bytes.float() });
        }
        brushes.extend(Brush::from_planes(&planes, Contents::SOLID));
    }
    let bevels = [Bevels::None, Bevels::Edges, Bevels::All][usize::from(flags >> 4) % 3];
    let settings = BspSettings::default().with_bevels(bevels);
    let tree = BspTree::from_brushes(&brushes, &settings).expect("not too many");
    let report = tree.report();
    assert_eq!(report.leaves, report.nodes + 1, "{report:?}");
    // Nearly parallel planes are merged, although they are up to ten times this apart across the
    // level.
    let margin = 32.0 * tree.tolerance();
    let soup = soup(&brushes);
    // A brush counts only if a part of it is deeper than that inside.
    let is_thick = |brush: &&Brush| {
        let inner = brush.faces().iter().map(|face| {
            let SplitPlane { normal, offset } = face.plane;
            SplitPlane { normal, offset: offset - margin }
        });
        Brush::from_planes(&inner.collect::<Vec<_>>(), Contents::SOLID).is_ok()
    };
    let thick: Vec<Brush> = brushes.iter().filter(is_thick).cloned().collect();
    let of_mesh = match BspTree::from_mesh(&soup.0, &soup.1, Contents::SOLID, &settings) {
        // A thin mesh may be reported as open, and a tiny part of the surface as inside out.
        Ok(tree) => {
            let size = |brush: &Brush| {
                let corners = || brush.faces().iter().flat_map(|face| &face.corners);
                let [low, high] = [DVec3::min, DVec3::max].map(|pick| corners().copied().reduce(pick));
                low.zip(high).map_or(0.0, |(low, high)| (high - low).max_element())
            };
            let (low, high) = tree.bounds();
            let is_part = |brush: &Brush| (high - low).max_element() <= 64.0 * size(brush);
            (thick.len() == brushes.len() && brushes.iter().all(is_part)).then_some(tree)
        }
        Err(BspError::Open(_)) => None,
        Err(error) => panic!("{error}"),
    };
    let points = BrushTruth::new(&thick, Mover::Point);
    let radius = bytes.size();
    let radius = if radius.is_finite() && radius < 1e12 { radius } else { 1.0 };
    let balls = BrushTruth::new(&thick, Mover::Ball(radius));
    for _ in 0..4 {
        let (from, displacement) = (bytes.point(), bytes.point());
        let deepest =
            brushes.iter().fold(f64::NEG_INFINITY, |most, brush| most.max(brush_depth(brush, from)));
        for tree in core::iter::once(&tree).chain(&of_mesh) {
            let contents = tree.contents_at(from);
            if from.is_finite() && margin < deepest.abs() {
                assert_eq!(contents == Contents::SOLID, 0.0 < deepest, "{from} of {brushes:?}");
            }
        }
        sweep(&tree, &Point, &points, from, displacement);
        sweep(&tree, &Ball { radius }, &balls, from, displacement);
        let radii = [radius, 0.5 * radius, 0.0];
        group(&tree, &radii.map(|radius| PlacedBall { center: bytes.point(), radius }), from, displacement);
    }
}

/// Checks that a group stops with the first of its balls.
fn group(tree: &BspTree, balls: &[PlacedBall], from: DVec3, displacement: DVec3) {
    let Ok(group) = BallGroup::new(balls) else {
        assert!(balls.iter().any(|ball| !(ball.center.is_finite() && 0.0 <= ball.radius)), "{balls:?}");
        return;
    };
    let of_ball = |ball: &PlacedBall| {
        let body = Ball { radius: ball.radius };
        tree.trace(&body, from + ball.center, displacement, Contents::SOLID).map(|hit| hit.t)
    };
    let first = balls.iter().filter_map(of_ball).reduce(f64::min);
    let found = tree.trace_group(&group, from, displacement, Contents::SOLID);
    assert_eq!(found.map(|found| found.hit.t), first, "{balls:?} from {from} by {displacement}");
}

fn sweep(tree: &BspTree, body: &impl Body, truth: &BrushTruth, from: DVec3, displacement: DVec3) {
    let hit = tree.trace(body, from, displacement, Contents::SOLID);
    if let Some(hit) = hit {
        assert!((0.0..=1.0).contains(&hit.t) && hit.position == from + displacement * hit.t, "{hit:?}");
        assert!(hit.starts_inside || (hit.normal.length() - 1.0).abs() < 1e-9, "{hit:?}");
    }
    let size = tree.bounds().1.abs().max(tree.bounds().0.abs()).max_element();
    let reach = from.abs().max(displacement.abs()).max_element();
    // Beyond this, the rounding of positions exceeds the tolerance.
    if !(reach <= 1e3 * size && displacement.length() > 1e-9 * size) {
        return;
    }
    let margin = 32.0 * tree.tolerance() + 1e-12 * reach;
    if let Some(smaller) = truth.entry(-margin, from, displacement) {
        let t = hit.map_or(f64::INFINITY, |hit| hit.t);
        assert!(t <= smaller + 1e-9, "late: {hit:?}, truth {smaller}, from {from} by {displacement}");
    }
}
