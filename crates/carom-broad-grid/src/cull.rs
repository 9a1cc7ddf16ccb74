//! Frustum queries, or any other classification into outside and inside, on the grids.
//!
//! A block of cells is classified by the bounds that its boxes may fill. If the result is neither
//! outside nor inside, it is halved across its longest side, down to rows. A part of a row is
//! classified by the bounds of its boxes, and halved until a few boxes are left.
//!
//! Reference: U. Assarsson, T. Moller, Optimized View Frustum Culling Algorithms for Bounding
//! Boxes, 2000 (hierarchies of boxes).
//! Differs: the hierarchy is not stored; it consists of the halves of a block of cells.

use crate::level::Level;
use carom_bounds::{Aabb, Culling};
use carom_broad::scan_culled;
use core::ops::ControlFlow;
use glam::DVec3;

/// At most this many boxes are classified one by one.
const MAX_SINGLE_BOXES: u32 = 8;

/// The size of the stack. At most 22 halvings of rows and 29 of the boxes of a row are pending.
const STACK: usize = 64;

/// Relative widening of f64 results from f32 input; far more than any rounding, far less than a
/// cell.
const WIDEN: f64 = 1e-6;

/// A part to classify: a range of rows on the two axes across, or a range of boxes of one row.
#[derive(Clone, Copy)]
enum Block {
    Rows([(u32, u32); 2]),
    Slots(u32, u32),
}

impl Level {
    /// Returns the bounds that boxes with their least corners in these rows may fill.
    fn filled_by(&self, rows: [(u32, u32); 2]) -> Aabb {
        let (cells, mut aabb) = (&self.cells, self.filled);
        for ((first, last), &axis) in rows.into_iter().zip(&cells.axes[1..]) {
            let side = 1.0 / f64::from(cells.inverse[axis]);
            let low = f64::from(cells.low[axis]);
            let slack = (low.abs() + f64::from(cells.dims[axis]) * side) * WIDEN;
            let begin = low + f64::from(first) * side - slack;
            let end = low + f64::from(last + 1) * side + f64::from(cells.reach[axis]) * (1.0 + WIDEN) + slack;
            let rounded = Aabb::around(DVec3::splat(begin), DVec3::splat(end));
            // Coordinates clamped into the border cells may be anywhere beyond, within the bounds
            // of all boxes.
            if 0 < first {
                aabb.min[axis] = aabb.min[axis].max(rounded.min.x);
            }
            if last + 1 < cells.dims[axis] {
                aabb.max[axis] = aabb.max[axis].min(rounded.max.x);
            }
        }
        aabb
    }

    /// Like [`Level::visit_box`], for boxes that `classify` does not call outside.
    pub(crate) fn visit_culled(
        &self,
        boxes: &[Aabb],
        counts: impl Fn(u32) -> bool,
        classify: &mut dyn FnMut(&Aabb) -> Culling,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let [x, y, z] = self.cells.axes;
        let (dims, strides) = (self.cells.dims, self.cells.strides());
        let run_of_row = |y_cell: u32, z_cell: u32| {
            let row = z_cell * strides[z] + y_cell * strides[y];
            self.run(row, row + dims[x] - 1)
        };
        let mut stack = [Block::Rows([(0, dims[y] - 1), (0, dims[z] - 1)]); STACK];
        let mut n = 1;
        while 0 < n {
            n -= 1;
            let part = stack[n];
            let bounds = match part {
                Block::Rows(rows) => self.filled_by(rows),
                Block::Slots(begin, end) => self.packed.bounds(begin as usize, end as usize),
            };
            // There are no boxes at all, or none in these rows.
            if !bounds.min.cmple(bounds.max).all() {
                continue;
            }
            let culling = classify(&bounds);
            match (culling, part) {
                (Culling::Outside, _) => {}
                (Culling::Inside, Block::Rows([rows_y, rows_z])) => {
                    for z_cell in rows_z.0..=rows_z.1 {
                        for y_cell in rows_y.0..=rows_y.1 {
                            let (begin, end) = run_of_row(y_cell, z_cell);
                            let slots = self.slots_between(begin, end).iter().copied();
                            slots.filter(|&slot| counts(slot)).try_for_each(&mut *visit)?;
                        }
                    }
                }
                (Culling::Inside, Block::Slots(begin, end)) => {
                    let slots = self.slots_between(begin, end).iter().copied();
                    slots.filter(|&slot| counts(slot)).try_for_each(&mut *visit)?;
                }
                (Culling::Intersecting, Block::Rows(rows)) => {
                    let wide = rows.map(|(first, last)| last - first);
                    if wide == [0, 0] {
                        let (begin, end) = run_of_row(rows[0].0, rows[1].0);
                        stack[n] = Block::Slots(begin, end);
                        n += 1;
                        continue;
                    }
                    let across = usize::from(wide[0] < wide[1]);
                    let (first, last) = rows[across];
                    let middle = first + (last - first) / 2;
                    let (mut low, mut high) = (rows, rows);
                    (low[across], high[across]) = ((first, middle), (middle + 1, last));
                    (stack[n], stack[n + 1]) = (Block::Rows(low), Block::Rows(high));
                    n += 2;
                }
                (Culling::Intersecting, Block::Slots(begin, end)) if end - begin <= MAX_SINGLE_BOXES => {
                    let slots = self.slots_between(begin, end).iter().copied();
                    scan_culled(slots.filter(|&slot| counts(slot)), boxes, classify, visit)?;
                }
                (Culling::Intersecting, Block::Slots(begin, end)) => {
                    let middle = begin + (end - begin) / 2;
                    (stack[n], stack[n + 1]) = (Block::Slots(begin, middle), Block::Slots(middle, end));
                    n += 2;
                }
            }
        }
        ControlFlow::Continue(())
    }
}
