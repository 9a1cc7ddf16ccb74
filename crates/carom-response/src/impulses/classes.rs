//! The groups of contacts by colour: how stages run over them, colour after colour, and how threads
//! share them.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024 (graph colouring).

use crate::impulses::group::{Group, Pass};
use crate::impulses::lane_vec::State;
use crate::impulses::solve;
use alloc::vec::Vec;
use core::ops::Range;

/// The groups of each colour. Each colour has the same number of blocks. A block has the same
/// bodies in every colour.
#[derive(Clone, Debug, Default)]
pub(crate) struct ColorClasses {
    /// The first group of each block, colour by colour. The last entry is the number of groups.
    pub(crate) starts: Vec<u32>,
    pub(crate) n_blocks: usize,
}

impl ColorClasses {
    /// Returns the number of colours.
    pub(crate) fn n_colors(&self) -> usize {
        self.starts.len().saturating_sub(1) / self.n_blocks.max(1)
    }

    /// Returns the groups of each colour.
    pub(crate) fn groups(&self) -> impl Iterator<Item = Range<usize>> {
        (0..self.n_colors()).map(|color| self.part(color, 0, 1))
    }

    /// Returns the groups of a colour for one of `n_members` threads. A thread has the same blocks
    /// in every colour, and therefore the same bodies.
    pub(crate) fn part(&self, color: usize, member: usize, n_members: usize) -> Range<usize> {
        let blocks = &self.starts[color * self.n_blocks..=(color + 1) * self.n_blocks];
        let first_of = |member: usize| {
            let (block, rest) = (member * self.n_blocks / n_members, member * self.n_blocks % n_members);
            let first = blocks[block] as usize;
            // If the blocks do not divide evenly, one block is split.
            let next = blocks.get(block + 1).map_or(first, |&next| next as usize);
            first + (next - first) * rest / n_members
        };
        first_of(member)..first_of(member + 1)
    }
}

/// The groups of a step, in the order of colours.
#[derive(Debug)]
pub(crate) struct Colors<'a> {
    groups: &'a mut [Group],
    classes: &'a ColorClasses,
}

impl<'a> Colors<'a> {
    pub(crate) fn new(groups: &'a mut [Group], classes: &'a ColorClasses) -> Colors<'a> {
        Colors { groups, classes }
    }

    /// Runs one stage, colour after colour.
    pub(crate) fn run(&mut self, states: &mut [State], pass: &Pass<'_>) {
        for class in self.classes.groups() {
            solve::run(&mut self.groups[class], &mut *states, pass);
        }
    }
}

#[cfg(all(test, feature = "parallel"))]
impl ColorClasses {
    /// Returns colours of one block each, which begin at these groups. The last entry is the end.
    pub(crate) fn of_one_block(starts: &[u32]) -> ColorClasses {
        ColorClasses { starts: starts.to_vec(), n_blocks: 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_of_the_same_blocks_in_every_colour_and_leave_nothing_out() {
        // Two colours of four blocks, the second with an empty one; one colour of one block.
        let classes = [
            ColorClasses { starts: alloc::vec![0, 5, 6, 20, 22, 30, 30, 41, 44], n_blocks: 4 },
            ColorClasses { starts: alloc::vec![0, 9], n_blocks: 1 },
        ];
        assert_eq!(classes[0].groups().collect::<Vec<_>>(), [0..22, 22..44]);
        assert_eq!([0, 1].map(|member| classes[0].part(0, member, 2)), [0..6, 6..22]);
        assert_eq!([0, 1].map(|member| classes[0].part(1, member, 2)), [22..30, 30..44]);
        for classes in classes {
            for n_members in 1..12 {
                let mut next = 0;
                for color in 0..classes.n_colors() {
                    for part in (0..n_members).map(|member| classes.part(color, member, n_members)) {
                        assert!(part.start == next && part.start <= part.end);
                        next = part.end;
                    }
                }
                assert_eq!(Some(next), classes.starts.last().map(|&end| end as usize));
            }
        }
        assert_eq!(ColorClasses::default().n_colors(), 0);
    }
}
