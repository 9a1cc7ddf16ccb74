//! The points at which a line enters and leaves the solid of a field.
//!
//! The line goes cell by cell. The interpolated distance along it is a cubic. Between its turning
//! points it changes sign at most once. Outside the solid, the line skips boxes of cells whose
//! nodes are all outside. Inside, a step is the certain distance to the surface, less the error of
//! a sample.
//!
//! Reference: H. Hansson Soderlund, A. Evans, T. Akenine-Moller, Ray Tracing of Signed Distance
//! Function Grids, JCGT 11(3), 2022 (the cubic of a cell); J. Hart, Sphere Tracing, 1996.

use crate::bake::Accuracy;
use crate::bounds::bounds;
use crate::field::Field;
use crate::ray::{Walk, part_in_grid, sign_change, turning_points};
use carom_geom::Crossing;
use core::ops::ControlFlow;
use glam::{DVec3, UVec3};

/// See [`DistanceField::visit_crossings`](carom_geom::DistanceField::visit_crossings).
///
/// `box_outside` gives the nodes at both ends of a box around a cell whose nodes are all above 0,
/// the larger the better.
pub(crate) fn visit_crossings(
    field: &impl Field,
    box_outside: impl Fn(UVec3) -> Option<[UVec3; 2]>,
    [origin, direction]: [DVec3; 2],
    from: f64,
    to: f64,
    visit: &mut dyn FnMut(Crossing) -> ControlFlow<()>,
) {
    if !(origin.is_finite() && direction.is_finite() && direction != DVec3::ZERO) {
        return;
    }
    let Some([start, end]) = part_in_grid(field, origin, direction, [from, to]) else { return };
    let walk = Walk::new(field, origin, direction, end);
    // Points outside the grid are outside the solid. A line that begins in the grid may begin
    // inside the solid; that is no crossing.
    let mut line = Line { walk: &walk, visit, is_inside: false };
    if start <= from {
        let cell = field.grid().cell_of(line.walk.at(from));
        line.is_inside = walk.value(&field.corners(cell), cell, from) <= 0.0;
    }
    // The visitor may have stopped the walk.
    let _ = line.run(start, end < to, box_outside);
}

struct Line<'a, 'v, F> {
    walk: &'a Walk<'a, F>,
    visit: &'v mut dyn FnMut(Crossing) -> ControlFlow<()>,
    is_inside: bool,
}

impl<F: Field> Line<'_, '_, F> {
    /// Goes from a parameter to the end of the walk. `leaves_grid` says whether the line leaves
    /// the grid there.
    fn run(
        &mut self,
        start: f64,
        leaves_grid: bool,
        box_outside: impl Fn(UVec3) -> Option<[UVec3; 2]>,
    ) -> ControlFlow<()> {
        let (field, end) = (self.walk.field, self.walk.end);
        let (grid, header) = (*field.grid(), *field.header());
        let size = f64::from(grid.cell());
        let can_step = header.sign.is_certain() && header.accuracy != Accuracy::Estimate;
        let mut t = start;
        let mut cell = grid.cell_of(self.walk.at(t));
        let most = 8_u64 * u64::from(grid.cells().element_sum()) + 64;
        for _ in 0..most {
            let skipped = if self.is_inside { None } else { box_outside(cell) };
            if self.is_inside && can_step {
                let free = bounds(field, self.walk.at(t)).clearance() - field.error_bound();
                let next = t + free / self.walk.speed;
                if size < free && t < next {
                    if end <= next {
                        break;
                    }
                    t = next;
                    cell = grid.cell_of(self.walk.at(t));
                    continue;
                }
            }
            let ends = skipped.unwrap_or([cell, cell + UVec3::ONE]);
            let (exit, axis) = self.walk.exit(ends);
            let exit = exit.max(t).min(end);
            if skipped.is_none() {
                self.visit_cell(cell, t, exit)?;
            }
            if end <= exit {
                break;
            }
            let Some(next) = self.walk.next_cell(ends, axis, exit) else { break };
            (t, cell) = (exit, next);
        }
        if self.is_inside && leaves_grid {
            let cell = grid.cell_of(self.walk.at(end));
            self.cross(cell, end)?;
        }
        ControlFlow::Continue(())
    }

    /// Reports the crossings in a cell, between two parameters.
    fn visit_cell(&mut self, cell: UVec3, from: f64, to: f64) -> ControlFlow<()> {
        let values = self.walk.field.corners(cell);
        let is_inside = |value: f64| value <= 0.0;
        if values.iter().all(|v| is_inside(f64::from(*v)) == self.is_inside) {
            return ControlFlow::Continue(());
        }
        let t = |s: f64| from + (to - from) * s;
        let walk = self.walk;
        let at = |s: f64| walk.value(&values, cell, t(s));
        let first = at(0.0);
        if is_inside(first) != self.is_inside {
            self.cross(cell, from)?;
        }
        let mut low = 0.0;
        for high in turning_points([first, at(1.0 / 3.0), at(2.0 / 3.0), at(1.0)]).into_iter().flatten() {
            if is_inside(at(high)) != self.is_inside {
                self.cross(cell, t(sign_change([low, high], at)))?;
            }
            low = high;
        }
        ControlFlow::Continue(())
    }

    fn cross(&mut self, cell: UVec3, t: f64) -> ControlFlow<()> {
        let crossing = Crossing { t, normal: self.walk.normal(cell, t), is_leaving: self.is_inside };
        self.is_inside = !self.is_inside;
        (self.visit)(crossing)
    }
}
