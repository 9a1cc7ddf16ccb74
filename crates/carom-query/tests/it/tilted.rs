//! Bodies that come down tilted on something flat: the corners and the rim that touch next are
//! contacts already.

use carom_geom::{Cone, ConvexHull, Cuboid, Cylinder, HalfSpace, TriMesh};
use carom_math::{Pose, Quat, Vec3};
use carom_query::{ConvexShape, ManifoldCache, MeshShape, RoundedShape, Shape, manifolds, project_point};
use carom_testkit::conform::dice::Dice;

const PREDICTION: f32 = 0.05;

/// A contact within a millionth of the sizes of the two stands for the lowest point.
const LOW: f32 = 3e-5;

/// Flat above y = 0, at least 4 to all sides.
fn floors() -> [(&'static str, Shape, Pose); 3] {
    let [a, b, c] = [Vec3::new(-9.0, 0.0, 9.0), Vec3::new(9.0, 0.0, 9.0), Vec3::new(0.0, 0.0, -19.0)];
    let triangle = TriMesh::new(vec![a, b, c], vec![[0, 1, 2]]).unwrap();
    [
        ("half-space", Shape::HalfSpace(HalfSpace::new(Vec3::Y).unwrap()), Pose::IDENTITY),
        (
            "box",
            Shape::Cuboid(Cuboid::new(Vec3::new(4.0, 1.0, 4.0)).unwrap()),
            Pose::from_translation(Vec3::NEG_Y),
        ),
        ("triangle", Shape::Mesh(MeshShape::new(triangle).unwrap().into()), Pose::IDENTITY),
    ]
}

/// The contact points on the body, which is turned by `rotation` and whose lowest point is at
/// `height`; the lowest first.
fn contacts(floor: &(&str, Shape, Pose), body: &Shape, rotation: Quat, height: f32) -> Vec<Vec3> {
    let (name, floor, pose) = floor;
    let at = |y: f32| Pose::new(rotation, Vec3::new(0.3, y, -0.2));
    let gap = carom_query::contact(floor, pose, body, &at(3.0), 9.0).unwrap().contact.distance;
    let placed = at(3.0 - gap + height);
    let mut found = Vec::new();
    manifolds(floor, pose, body, &placed, PREDICTION, &mut ManifoldCache::new(), &mut found);
    let mut points = Vec::new();
    for contact in found.iter().flat_map(|manifold| manifold.contacts()) {
        let case = format!("{name} {body:?} {rotation} {height} {contact:?}");
        let off = project_point(body, &placed, contact.point_b).unwrap().distance.abs();
        assert!(off < 1e-5, "not on the body: {off} {case}");
        assert!(contact.point_a.y.abs() < 1e-5, "not on the floor: {case}");
        assert!(height - 1e-5 <= contact.distance && contact.distance <= PREDICTION, "{case}");
        assert!((contact.point_b.y - contact.distance).abs() < 1e-5, "not above each other: {case}");
        points.push(contact.point_b);
    }
    points.sort_by(|p, q| p.y.total_cmp(&q.y));
    assert!(
        !points.is_empty() && (points[0].y - height).abs() < LOW,
        "{name} {height} {body:?} {rotation} {found:?}"
    );
    points
}

fn random_lean(dice: &mut Dice, least: f32, most: f32) -> (Quat, f32) {
    let angle = dice.range(least, most);
    let axis = Quat::from_rotation_y(dice.range(0.0, 6.3)) * Vec3::X;
    (Quat::from_axis_angle(axis, angle) * Quat::from_rotation_y(dice.range(0.0, 6.3)), angle)
}

#[test]
fn each_corner_of_a_tilted_face_that_is_near_is_a_contact() {
    let mut dice = Dice::new(5);
    let mut n_many = 0;
    for _ in 0..300 {
        let half = Vec3::new(dice.range(0.05, 0.3), dice.range(0.05, 0.3), dice.range(0.05, 0.3));
        let wedge = [Vec3::ZERO, Vec3::X, Vec3::Z, Vec3::new(1.0, 0.0, 1.0), Vec3::new(0.5, 0.4, 0.5)];
        let wedge = wedge.map(|p| (p - Vec3::new(0.5, 0.0, 0.5)) * half * 2.0);
        let corners = [-1.0, 1.0].map(|x| [-1.0, 1.0].map(|z| half * Vec3::new(x, -1.0, z)));
        let bodies = [
            (Shape::Cuboid(Cuboid::new(half).unwrap()), corners.concat()),
            (Shape::Hull(ConvexHull::from_points(&wedge).unwrap().into()), wedge[..4].to_vec()),
        ];
        let (rotation, _) = random_lean(&mut dice, 0.12, 0.6);
        let height = dice.range(-0.02, 0.02);
        for floor in &floors() {
            for (body, bottom) in &bodies {
                let points = contacts(floor, body, rotation, height);
                let turned: Vec<Vec3> = bottom.iter().map(|&corner| rotation * corner).collect();
                let lowest = turned.iter().fold(f32::INFINITY, |least, p| least.min(p.y));
                let is_near = |p: &&Vec3| p.y - lowest + height < PREDICTION - 1e-5;
                let n_near = turned.iter().filter(is_near).count();
                assert!(n_near <= points.len(), "{} {body:?} {rotation}: {n_near} {points:?}", floor.0);
                n_many += usize::from(2 < n_near);
            }
        }
    }
    assert!(100 < n_many, "{n_many}");
}

#[test]
fn a_tilted_rim_is_met_on_both_sides_of_its_lowest_point() {
    let mut dice = Dice::new(6);
    let mut n_wide = 0;
    for _ in 0..300 {
        let (r, h) = (dice.range(0.05, 0.5), dice.range(0.01, 0.2));
        let disc = Cylinder::new(h, r).unwrap();
        let core = ConvexShape::new(Shape::Cylinder(disc)).unwrap();
        let rounded = Shape::Rounded(RoundedShape::new(core, 0.01).unwrap().into());
        let bodies = [(Shape::Cylinder(disc), r), (Shape::Cone(Cone::new(h, r).unwrap()), r), (rounded, r)];
        let (rotation, angle) = random_lean(&mut dice, 0.12, 0.6);
        let height = dice.range(-0.02, 0.02);
        for floor in &floors() {
            for (body, r) in &bodies {
                let points = contacts(floor, body, rotation, height);
                // The rim is nearer than the prediction up to this angle from its lowest point, and
                // a corner of the polygon that stands for it is nearer by at most an eighth of a
                // half turn.
                let room = (PREDICTION - height - 0.01) / (r * angle.sin());
                let reach = (1.0 - room.min(2.0)).acos() - core::f32::consts::PI / 8.0;
                if reach < 0.1 {
                    continue;
                }
                n_wide += 1;
                let across = rotation * Vec3::Y;
                let along = Vec3::Y.cross(across).normalize();
                let side = |p: &Vec3| (*p - points[0]).dot(along);
                let least = points.iter().map(side).fold(0.0, f32::min);
                let most = points.iter().map(side).fold(0.0, f32::max);
                // Four are kept: the lowest, the farthest, and one on each side of their line.
                let wanted = 0.6 * r * reach.min(core::f32::consts::FRAC_PI_2).sin();
                assert!(wanted <= most && wanted <= -least, "{} {body:?} {rotation}: {points:?}", floor.0);
            }
        }
    }
    assert!(500 < n_wide, "{n_wide}");
}
