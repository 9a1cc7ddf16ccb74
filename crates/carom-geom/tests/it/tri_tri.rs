//! Triangle against triangle.

use carom_geom::tri_distance::closest_points;
use carom_geom::tri_intersection::{Intersection, intersection};
use carom_geom::tri_tri::intersects;
use glam::{DVec3, dvec3};

const T: [DVec3; 3] = [dvec3(0.0, 0.0, 0.0), dvec3(4.0, 0.0, 0.0), dvec3(0.0, 4.0, 0.0)];

#[test]
fn known_pairs() {
    let through = [dvec3(1.0, 1.0, -1.0), dvec3(1.0, 1.0, 1.0), dvec3(9.0, 9.0, 0.0)];
    assert!(intersects(&T, &through));
    let ends = intersection(&T, &through);
    assert_eq!(ends, Intersection::Segment([dvec3(2.0, 2.0, 0.0), dvec3(1.0, 1.0, 0.0)]));
    let above = through.map(|p| p + dvec3(0.0, 0.0, 1.5));
    assert!(!intersects(&T, &above));
    assert_eq!(closest_points(&T, &above).distance, 0.5);
    // One plane: overlapping, touching in a corner, inside, apart.
    let moved = |x: f64, y: f64| T.map(|p| p + dvec3(x, y, 0.0));
    assert!(matches!(intersection(&T, &moved(1.0, 1.0)), Intersection::Polygon { n_points: 3, .. }));
    assert_eq!(intersection(&T, &moved(4.0, 0.0)), Intersection::Point(dvec3(4.0, 0.0, 0.0)));
    assert_eq!(intersection(&T, &moved(4.5, 0.0)), Intersection::Empty);
    assert!(matches!(intersection(&T, &T), Intersection::Polygon { n_points: 3, .. }));
    // Points and segments.
    assert!(intersects(&T, &[dvec3(1.0, 1.0, 0.0); 3]));
    assert!(!intersects(&T, &[dvec3(3.0, 3.0, 0.0); 3]));
    assert!(intersects(&T, &[dvec3(1.0, 1.0, 3.0), dvec3(1.0, 1.0, -3.0), dvec3(1.0, 1.0, 0.0)]));
}
