//! Chooses up to four of many points of contact.

use carom_geom::FeatureId;
use glam::DVec3;

/// A squared ratio, 2^-40. A centre that is nearer to the line than 2^-20 of the distance of the
/// farthest point does not distinguish the sides of the line.
const NEARLY_ON_LINE_SQ: f64 = 1.0 / (1_u64 << 40) as f64;

/// Chooses up to four of the points: the deepest, the one farthest from it, and the farthest from
/// their line on either side.
pub(crate) fn spread(points: &[(f64, DVec3, FeatureId)]) -> impl Iterator<Item = usize> {
    let mut chosen = [usize::MAX; 4];
    if points.len() <= 4 {
        for (index, slot) in chosen.iter_mut().enumerate().take(points.len()) {
            *slot = index;
        }
    } else {
        let least = |key: &dyn Fn(usize) -> f64| {
            (0..points.len()).fold(0, |best, i| if key(i) < key(best) { i } else { best })
        };
        let first = least(&|i| points[i].0);
        let origin = points[first].1;
        let second = least(&|i| -(points[i].1 - origin).length_squared());
        let line = points[second].1 - origin;
        let center = points.iter().fold(DVec3::ZERO, |sum, p| sum + p.1) / points.len() as f64;
        // A normal of the feature distinguishes the two sides of the line. If the centre lies on
        // the line, as for a regular polygon, a point off the line gives the normal.
        let mut up = line.cross(center - origin);
        let off_line = |i: usize| line.cross(points[i].1 - origin);
        let widest = off_line(least(&|i| -off_line(i).length_squared()));
        if up.length_squared() < NEARLY_ON_LINE_SQ * widest.length_squared() {
            up = widest;
        }
        let side = |i: usize| line.cross(points[i].1 - origin).dot(up);
        chosen = [first, second, least(&|i| -side(i)), least(&|i| side(i))];
        for i in 1..4 {
            if chosen[..i].contains(&chosen[i]) {
                chosen[i] = usize::MAX;
            }
        }
    }
    chosen.into_iter().filter(|&index| index != usize::MAX)
}
