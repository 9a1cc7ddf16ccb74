//! Balls and points against polygons that need not be convex: brackets in fractions, triangles by
//! whole numbers, and what is no polygon refused by name.

use carom_ccd::{MovingSphere, Polygon, Sides, SimplePolygon, SimplePolygonError, TimeOfImpact};
use carom_geom::{FeatureId, FeatureKind, ShapeError};
use carom_testkit::oracle::moving::{Vector, minus, moved, point_segment_sq, square};
use carom_testkit::oracle::rational::{dot, exact, exact3};
use carom_testkit::random::Random;
use glam::{DQuat, DVec3};
use num_rational::BigRational;
use num_traits::{Signed, Zero};

type GridPoint = [i64; 2];

/// A plane of space whose grid has coordinates without rounding.
#[derive(Clone, Copy)]
struct Grid {
    origin: DVec3,
    u: DVec3,
    v: DVec3,
}

const FLOOR: Grid = Grid { origin: DVec3::ZERO, u: DVec3::X, v: DVec3::NEG_Z };

impl Grid {
    fn position(&self, [x, y]: GridPoint) -> DVec3 {
        self.origin + self.u * x as f64 + self.v * y as f64
    }

    fn polygon(&self, corners: &[GridPoint]) -> Result<SimplePolygon, SimplePolygonError> {
        SimplePolygon::new(&corners.iter().map(|&p| self.position(p)).collect::<Vec<_>>())
    }
}

fn turn(a: GridPoint, b: GridPoint, c: GridPoint) -> i64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// The point is on the segment, ends included.
fn is_on(p: GridPoint, a: GridPoint, b: GridPoint) -> bool {
    let within = |i: usize| a[i].min(b[i]) <= p[i] && p[i] <= a[i].max(b[i]);
    turn(a, b, p) == 0 && within(0) && within(1)
}

/// The segments have a point in common.
fn meet(a: GridPoint, b: GridPoint, c: GridPoint, d: GridPoint) -> bool {
    let (p, q) = (turn(a, b, c).signum(), turn(a, b, d).signum());
    let (r, s) = (turn(c, d, a).signum(), turn(c, d, b).signum());
    p * q < 0 && r * s < 0 || is_on(c, a, b) || is_on(d, a, b) || is_on(a, c, d) || is_on(b, c, d)
}

/// The first two edges that meet where they should not.
fn first_crossing(corners: &[GridPoint]) -> Option<[usize; 2]> {
    let n = corners.len();
    let end = |i: usize| (i + 1) % n;
    for i in 0..n {
        for j in i + 1..n {
            let (a, b, c, d) = (corners[i], corners[end(i)], corners[j], corners[end(j)]);
            let wrong = if end(i) == j {
                is_on(d, a, b) || is_on(a, c, d)
            } else if end(j) == i {
                is_on(c, a, b) || is_on(b, c, d)
            } else {
                meet(a, b, c, d)
            };
            if wrong {
                return Some([i, j]);
            }
        }
    }
    None
}

/// Twice the area, counter-clockwise.
fn area(corners: &[GridPoint]) -> i64 {
    (1..corners.len() - 1).map(|i| turn(corners[0], corners[i], corners[i + 1])).sum()
}

/// The distance of a point from the closed polygon, squared.
fn distance_sq(p: &Vector, grid: &Grid, corners: &[GridPoint]) -> BigRational {
    let n = corners.len();
    let positions: Vec<Vector> = corners.iter().map(|&c| exact3(grid.position(c))).collect();
    let rim = (0..n).map(|i| point_segment_sq(p, &positions[i], &positions[(i + 1) % n])).min().unwrap();
    // The foot on the plane, in coordinates of the grid.
    let (u, v, q) = (exact3(grid.u), exact3(grid.v), minus(p, &exact3(grid.origin)));
    let (uu, uv, vv, qu, qv) = (dot(&u, &u), dot(&u, &v), dot(&v, &v), dot(&q, &u), dot(&q, &v));
    let determinant = &uu * &vv - &uv * &uv;
    let x = (&qu * &vv - &qv * &uv) / &determinant;
    let y = (&qv * &uu - &qu * &uv) / &determinant;
    // A ray from the foot along x crosses the rim an odd number of times.
    let whole = |k: i64| BigRational::from_integer(k.into());
    let mut is_inside = false;
    for i in 0..n {
        let (a, b) = (corners[i], corners[(i + 1) % n]);
        if (whole(a[1]) <= y) != (whole(b[1]) <= y) {
            let at = whole(a[0]) + whole(b[0] - a[0]) * (&y - whole(a[1])) / whole(b[1] - a[1]);
            is_inside ^= x < at;
        }
    }
    if !is_inside {
        return rim;
    }
    let foot: Vector = core::array::from_fn(|i| &u[i] * &x + &v[i] * &y);
    square(&minus(&q, &foot))
}

const L: [GridPoint; 6] = [[0, 0], [8, 0], [8, 2], [2, 2], [2, 8], [0, 8]];

/// A comb with two gaps, corners in the middle of straight sides.
const COMB: [GridPoint; 16] = [
    [0, 0],
    [4, 0],
    [10, 0],
    [10, 3],
    [10, 6],
    [8, 6],
    [8, 2],
    [6, 2],
    [6, 4],
    [6, 6],
    [4, 6],
    [4, 2],
    [2, 2],
    [2, 6],
    [0, 6],
    [0, 3],
];

const SPIRAL: [GridPoint; 12] =
    [[0, 0], [9, 0], [9, 9], [2, 9], [2, 3], [6, 3], [6, 6], [4, 6], [4, 5], [3, 4], [3, 8], [8, 8]];

/// Polygons of many kinds: combs, spirals, stars, with straight corners, either way round.
fn polygons(random: &mut Random, n: usize) -> Vec<Vec<GridPoint>> {
    let mut all = vec![L.to_vec(), COMB.to_vec()];
    let mut spiral = SPIRAL.to_vec();
    spiral.extend([[8, 1], [0, 1]]);
    assert_eq!(first_crossing(&spiral), None);
    all.push(spiral);
    while all.len() < n {
        let n_corners = 3 + random.below(14);
        let grid = [4.0, 12.0, 100.0][random.below(3)];
        let mut corners: Vec<GridPoint> = (0..n_corners)
            .map(|_| {
                let p = random.cube_point() * grid;
                [p.x.round() as i64, p.y.round() as i64]
            })
            .collect();
        corners.sort_by(|a, b| (a[1] as f64).atan2(a[0] as f64).total_cmp(&(b[1] as f64).atan2(b[0] as f64)));
        // Straight corners: in the middle of an edge of even length.
        for _ in 0..random.below(4) {
            let i = random.below(corners.len());
            let (a, b) = (corners[i], corners[(i + 1) % corners.len()]);
            if (a[0] + b[0]) % 2 == 0 && (a[1] + b[1]) % 2 == 0 {
                corners.insert(i + 1, [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2]);
            }
        }
        let index = random.below(corners.len());
        corners.rotate_left(index);
        if random.below(2) == 0 {
            corners.reverse();
        }
        if first_crossing(&corners).is_none() {
            all.push(corners);
        }
    }
    all
}

fn grid(random: &mut Random, case: usize) -> Grid {
    match case % 4 {
        0 => FLOOR,
        1 => Grid { origin: DVec3::new(500.0, -300.0, 70.0), u: DVec3::new(2.0, 1.0, -2.0), v: DVec3::Y },
        _ => {
            let vector = |random: &mut Random| {
                DVec3::from_array(core::array::from_fn(|_| f64::from(random.below(7) as u32) - 3.0))
            };
            loop {
                let (u, v) = (vector(random), vector(random));
                if u.cross(v) != DVec3::ZERO {
                    return Grid { origin: vector(random), u, v };
                }
            }
        }
    }
}

#[test]
fn triangles_are_those_of_the_polygon() {
    let mut random = Random::new(301);
    let (mut n_straight, mut n_dents) = (0, 0);
    for (case, mut corners) in polygons(&mut random, 600).into_iter().enumerate() {
        let polygon = grid(&mut random, case).polygon(&corners).unwrap();
        assert_eq!(polygon.triangles().len(), corners.len() - 2);
        let whole = area(&corners);
        let mut sum = 0;
        for triangle in polygon.triangles() {
            let [a, b, c] = triangle.map(|i| corners[i as usize]);
            let part = turn(a, b, c) * whole.signum();
            assert!(0 <= part, "{case}: {triangle:?}");
            n_straight += u32::from(part == 0);
            sum += part;
            // Nothing of the polygon's rim is inside the triangle.
            for other in &corners {
                let sides = [turn(a, b, *other), turn(b, c, *other), turn(c, a, *other)];
                assert!(sides.iter().any(|side| side * whole.signum() <= 0), "{case}: {other:?}");
            }
        }
        assert_eq!(sum, whole.abs(), "{case}");
        corners.dedup();
        let n = corners.len();
        let dents = (0..n)
            .filter(|&i| turn(corners[i], corners[(i + 1) % n], corners[(i + 2) % n]) * whole.signum() < 0);
        n_dents += u32::from(0 < dents.count());
    }
    assert!(100 < n_straight && 200 < n_dents, "{n_straight} {n_dents}");
}

#[test]
fn what_crosses_itself_is_refused_where_it_first_does() {
    let mut random = Random::new(302);
    let (mut n_simple, mut n_crossing) = (0, 0);
    for case in 0..4000 {
        let size = [2, 4, 9][case % 3];
        let corners: Vec<GridPoint> = (0..3 + random.below(6))
            .map(|_| [random.below(size) as i64, random.below(size) as i64])
            .collect();
        let n = corners.len();
        let grid = grid(&mut random, case / 3);
        let repeated = (0..n).find(|&i| corners[i] == corners[(i + 1) % n]);
        let is_line = corners.iter().all(|&a| corners.iter().all(|&b| turn(corners[0], a, b) == 0));
        match (grid.polygon(&corners), first_crossing(&corners)) {
            (Err(SimplePolygonError::OnALine), _) => assert!(is_line, "{corners:?}"),
            (Err(SimplePolygonError::Repeated { corner }), _) => {
                assert_eq!(Some(corner), repeated, "{corners:?}");
            }
            (Err(SimplePolygonError::Crossing { edge, other }), crossing) => {
                n_crossing += 1;
                assert_eq!((Some([edge, other]), repeated), (crossing, None), "{corners:?}");
            }
            (Ok(_), crossing) => {
                n_simple += 1;
                assert_eq!((crossing, repeated), (None, None), "{corners:?}");
            }
            (other, _) => panic!("{corners:?}: {other:?}"),
        }
    }
    assert!(300 < n_simple && 300 < n_crossing, "{n_simple} {n_crossing}");
}

#[test]
fn invalid_polygons_are_refused() {
    let error = |corners: &[[f64; 3]]| {
        let corners: Vec<DVec3> = corners.iter().copied().map(DVec3::from).collect();
        SimplePolygon::new(&corners).unwrap_err()
    };
    let [o, x, y, xy] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
    assert_eq!(error(&[]), SimplePolygonError::Count(0));
    assert_eq!(error(&[o, x]).to_string(), "2 corners make no polygon");
    let nan = error(&[o, x, [0.0, f64::NAN, 0.0]]);
    assert!(
        matches!(nan, SimplePolygonError::Corner { corner: 2, error: ShapeError::NotFinite { .. } }),
        "{nan:?}"
    );
    assert_eq!(error(&[o, x, [3.0, 0.0, 0.0], [2.0, 0.0, 0.0]]), SimplePolygonError::OnALine);
    assert_eq!(error(&[o; 5]), SimplePolygonError::OnALine);
    assert_eq!(error(&[o, x, x, y]).to_string(), "corner 1 is where the next one is");
    assert_eq!(error(&[o, x, y, o]), SimplePolygonError::Repeated { corner: 3 });
    // The figure of an eight has no area.
    assert_eq!(error(&[o, xy, x, y]), SimplePolygonError::Crossing { edge: 0, other: 2 });
    assert_eq!(error(&[o, xy, x, y]).to_string(), "edge 0 meets edge 2");
    // A spike out and back, and a corner that touches an edge from inside.
    let spike = error(&[o, [2.0, 0.0, 0.0], x, y]);
    assert_eq!(spike, SimplePolygonError::Crossing { edge: 0, other: 1 });
    let pinched = error(&[o, [2.0, 0.0, 0.0], [2.0, 2.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]);
    assert_eq!(pinched, SimplePolygonError::Crossing { edge: 0, other: 2 });
    let bent = error(&[o, x, [1.0, 1.0, 0.01], y]);
    assert!(matches!(bent, SimplePolygonError::NotFlat { distance, .. } if 1e-3 < distance), "{bent:?}");
}

#[test]
fn balls_fall_through_gaps_and_touch_what_is_around_them() {
    let comb = FLOOR.polygon(&COMB).unwrap();
    let fall = |x: f64, y: f64, radius: f64| {
        let ball = MovingSphere::new(DVec3::new(x, 5.0, -y), radius, DVec3::NEG_Y * 10.0).unwrap();
        ball.against_simple_polygon(&comb, Sides::Both, 1.0)
    };
    // Down the middle of a gap two wide; of the hull of the comb it would be a hit.
    assert!(matches!(fall(3.0, 4.0, 0.9), TimeOfImpact::Clear(clear) if clear.distance <= 0.1));
    // A larger one gets stuck between two teeth, level with sqrt(1.25^2 - 1).
    let found = fall(3.0, 4.0, 1.25);
    let hit = found.hit().unwrap();
    assert!((hit.t_lo - (5.0 - 0.75) / 10.0).abs() < 1e-12 && hit.t_hi - hit.t_lo < 1e-12, "{hit:?}");
    assert!(matches!(hit.feature_b, f if f == FeatureId::edge(10) || f == FeatureId::edge(12)), "{hit:?}");
    // The bottom of the gap.
    let found = fall(3.0, 2.5, 0.6);
    let hit = found.hit().unwrap();
    assert_eq!(hit.feature_b, FeatureId::edge(11), "{hit:?}");
    // A tooth, and a straight corner's two edges on its far side.
    assert_eq!(fall(1.0, 4.0, 0.5).hit().unwrap().feature_b, FeatureId::face(0));
    assert_eq!(fall(10.25, 1.0, 0.5).hit().unwrap().feature_b, FeatureId::edge(2));
    assert_eq!(fall(10.25, 5.0, 0.5).hit().unwrap().feature_b, FeatureId::edge(3));
    // Culled from behind.
    assert!(comb.normal().y > 0.99);
    let rise = MovingSphere::new(DVec3::new(1.0, -5.0, -4.0), 0.5, DVec3::Y * 10.0).unwrap();
    assert!(rise.against_simple_polygon(&comb, Sides::Both, 1.0).hit().is_some());
    assert_eq!(rise.against_simple_polygon(&comb, Sides::Front, 1.0).hit(), None);
    let fall = MovingSphere::new(DVec3::new(1.0, 5.0, -4.0), 0.5, DVec3::Y * -10.0).unwrap();
    assert!(fall.against_simple_polygon(&comb, Sides::Front, 1.0).hit().is_some());
}

#[test]
fn brackets_are_right_in_fractions() {
    let mut random = Random::new(303);
    let (mut n, mut kinds) = ([0; 3], [0; 3]);
    for (case, corners) in polygons(&mut random, 900).into_iter().enumerate() {
        let grid = grid(&mut random, case / 3);
        let polygon = grid.polygon(&corners).unwrap();
        let size = (grid.u.length() + grid.v.length()) * [1.0, 0.2, 3.0][case % 3];
        let radius = size * [0.5, 0.02, 1.5][case / 4 % 3];
        // Towards a corner, a point of an edge, or somewhere near.
        let k = random.below(corners.len());
        let [p, q] = [k, (k + 1) % corners.len()].map(|i| grid.position(corners[i]));
        let target = match case % 3 {
            0 => p,
            1 => p + (q - p) * random.unit(),
            _ => p + random.cube_point() * size,
        };
        let velocity = random.cube_point() * (4.0 * size);
        let beside = match case % 5 {
            0 => velocity.any_orthogonal_vector().normalize_or_zero() * radius,
            1 => DVec3::ZERO,
            _ => random.cube_point() * (2.0 * radius),
        };
        let ball =
            MovingSphere::new(target + beside - velocity * random.range(0.0, 0.9), radius, velocity).unwrap();
        let gap = |time: f64, more: f64| {
            let reach = exact(ball.radius()) + exact(more);
            let center = moved(ball.center(), ball.velocity(), time);
            distance_sq(&center, &grid, &corners) - &reach * &reach
        };
        match ball.against_simple_polygon(&polygon, Sides::Both, 1.0) {
            TimeOfImpact::Hit(hit) => {
                n[0] += 1;
                assert!(!gap(hit.t_hi, 0.0).is_positive(), "{case}: {ball:?} {hit:?}");
                assert!(hit.t_lo == 0.0 || gap(hit.t_lo, 0.0).is_positive(), "{case}: {ball:?} {hit:?}");
                assert!(hit.t_lo <= hit.t_hi && hit.t_hi <= 1.0);
                // The point that is named is on the feature that is named.
                let m = corners.len();
                let from = |a: usize, b: usize| {
                    let (a, b) = (exact3(grid.position(corners[a])), exact3(grid.position(corners[b])));
                    point_segment_sq(&exact3(hit.point_b), &a, &b)
                };
                let (kind, off_sq) = match hit.feature_b.kind() {
                    FeatureKind::Edge(i) => (1, from(i as usize, (i as usize + 1) % m)),
                    FeatureKind::Vertex(i) => (2, from(i as usize, i as usize)),
                    _ => (0, distance_sq(&exact3(hit.point_b), &grid, &corners)),
                };
                kinds[kind] += 1;
                let slack = exact(1e-9 * (size + grid.origin.length() + 100.0));
                assert!(off_sq <= &slack * &slack, "{case}: {hit:?}");
            }
            TimeOfImpact::Clear(clear) => {
                n[1] += 1;
                for i in 0..=8 {
                    let time = f64::from(i) / 8.0;
                    assert!(!gap(time, clear.distance).is_negative(), "{case}: {ball:?} {clear:?} at {time}");
                }
            }
            TimeOfImpact::Undecided(undecided) => {
                n[2] += 1;
                assert!(undecided.t_safe == 0.0 || gap(undecided.t_safe, 0.0).is_positive());
                assert!(undecided.distance <= 1e-9 * (size + grid.origin.length()), "{case}: {undecided:?}");
            }
        }
    }
    println!("balls and polygons: {} hits {kinds:?}, {} clear, {} undecided", n[0], n[1], n[2]);
    assert!(300 < n[0] && 100 < n[1] && n[2] < 30 && kinds.iter().all(|&k| 20 < k), "{n:?} {kinds:?}");
}

/// Points go through the corners of a grid, so through corners, edges, and the sides along which
/// the polygon was cut.
#[test]
fn points_pass_exactly_where_the_polygon_is() {
    let mut random = Random::new(304);
    let mut n = [0; 3];
    for (case, corners) in polygons(&mut random, 80).into_iter().enumerate() {
        let grid = grid(&mut random, case);
        let polygon = grid.polygon(&corners).unwrap();
        let up = grid.u.cross(grid.v);
        for _ in 0..30 {
            let k = corners[random.below(corners.len())];
            let indices = [k[0] + random.below(7) as i64 - 3, k[1] + random.below(7) as i64 - 3];
            let offset = up * [8.0, -2.0][case % 2] + (grid.u * 4.0 - grid.v * 2.0) * random.below(2) as f64;
            let point = MovingSphere::new(grid.position(indices) - offset * 0.5, 0.0, offset).unwrap();
            let is_on_it = distance_sq(&exact3(grid.position(indices)), &grid, &corners).is_zero();
            match point.against_simple_polygon(&polygon, Sides::Both, 1.0) {
                TimeOfImpact::Hit(hit) => {
                    n[0] += 1;
                    assert!(is_on_it && hit.t_lo <= 0.5 && 0.5 <= hit.t_hi, "{case}: {indices:?} {hit:?}");
                    assert!(hit.t_hi - hit.t_lo < 1e-9, "{case}: {indices:?} {hit:?}");
                }
                TimeOfImpact::Clear(_) => {
                    n[1] += 1;
                    assert!(!is_on_it, "{case}: {indices:?} missed");
                }
                TimeOfImpact::Undecided(_) => n[2] += 1,
            }
        }
    }
    assert!(500 < n[0] && 500 < n[1] && n[2] == 0, "{n:?}");
}

/// Turned and rounded corners are in no plane exactly: the surface is that of the triangles.
#[test]
fn turned_polygons_are_the_earliest_of_their_triangles() {
    let mut random = Random::new(305);
    let mut n_hits = 0;
    for (case, corners) in polygons(&mut random, 300).into_iter().enumerate() {
        let turn = DQuat::from_scaled_axis(random.cube_point() * 3.0);
        let corners: Vec<DVec3> = corners
            .iter()
            .map(|&p| turn * FLOOR.position(p))
            .map(|p| if case % 2 == 0 { p } else { p.as_vec3().as_dvec3() })
            .collect();
        let polygon = SimplePolygon::new(&corners).unwrap();
        let target = corners[0] + random.cube_point();
        let velocity = random.cube_point() * 10.0;
        let ball = MovingSphere::new(target - velocity * 0.5, 0.3, velocity).unwrap();
        let found = ball.against_simple_polygon(&polygon, Sides::Both, 1.0);
        let of_triangles = polygon.triangles().map(|triangle| {
            let triangle = Polygon::triangle(triangle.map(|i| corners[i as usize])).unwrap();
            let found = ball.against_polygon(&triangle, Sides::Both, 1.0);
            found.hit().map_or(f64::INFINITY, |hit| hit.t_hi)
        });
        let first = of_triangles.fold(f64::INFINITY, f64::min);
        assert_eq!(found.hit().map_or(f64::INFINITY, |hit| hit.t_hi), first, "{case}: {found:?}");
        n_hits += u32::from(found.hit().is_some());
    }
    assert!(100 < n_hits && n_hits < 290, "{n_hits}");
}
