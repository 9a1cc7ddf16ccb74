//! `carom.Assembly`: parts that are kept between queries, with all clashes and least distances.
//!
//! - A broad phase holds the boxes of the parts and gives candidate pairs. Parts without a finite
//!   box, such as half-spaces, are candidates of all others.
//! - The answer for a pair is kept with the versions of both parts. So after a few moves only the
//!   pairs of these parts are tested again.
//! - The least distance takes two searches. The first finds a pair at any distance d, the second
//!   all pairs whose boxes are within d.

use crate::array::{array, array_rows};
use crate::error::{self, WorldError};
use crate::query::Distance;
use crate::shape::PyShape;
use crate::{pose, solid, work};
use carom_bounds::Aabb;
use carom_broad::{BroadPhase, Filter, Pair, ProxyId, SpatialIndex};
use carom_broad_tree::DynamicBvh;
use carom_math::f64::Pose;
use carom_query::Workspace;
use carom_query::f64::{self as query, Shape};
use core::ops::ControlFlow;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::sync::PoisonError;

/// One part.
struct Part {
    shape: PyShape,
    /// As the caller gave it.
    pose: Pose,
    /// In the frame of the crates.
    placed: Pose,
    /// Rounded outwards; `None` if it is not finite.
    aabb: Option<Aabb>,
    proxy: Option<ProxyId>,
    /// Counts the moves.
    version: u64,
}

/// The settings of kept answers.
#[derive(Clone, Copy, PartialEq)]
struct Question {
    clearance: f64,
    is_solid: bool,
}

/// A set of parts that is kept between queries: add, move and remove parts, and find all clashes
/// and the least distances. Queries after a few moves test the moved parts alone.
///
/// A part has the number that `add` returns. Numbers of removed parts are not used again.
#[pyclass(module = "carom")]
pub(crate) struct Assembly {
    parts: Vec<Option<Box<Part>>>,
    n_parts: usize,
    broad: DynamicBvh,
    /// The part of each proxy.
    part_of: Vec<u32>,
    unbounded: Vec<u32>,
    /// For each part of an ignored pair the other parts.
    ignored: HashMap<u32, HashSet<u32>>,
    question: Option<Question>,
    /// Whether a pair clashes, for these versions of its parts; `None` if it is not known. Those of
    /// removed parts stay until the next sweep.
    answers: HashMap<(u32, u32), ([u64; 2], Option<bool>)>,
}

/// The parts that the parts of an assembly are compared with.
#[derive(Clone, Copy)]
enum Others<'a> {
    /// Those of the same assembly, without the ignored pairs.
    Own,
    /// The same, and only the pairs of this part.
    OwnOf(u32),
    /// Those of another assembly.
    Assembly(&'a Assembly),
    /// A shape, with the number 0.
    Shape(&'a Part),
}

/// The least distance of two parts.
#[pyclass(frozen, module = "carom")]
pub(crate) struct PartDistance {
    /// The number of the first part.
    #[pyo3(get)]
    a: u32,
    /// The number of the second part.
    #[pyo3(get)]
    b: u32,
    /// The distance, and the nearest points.
    #[pyo3(get)]
    nearest: Py<Distance>,
}

#[pymethods]
impl PartDistance {
    /// The distance, a length; 0 if the parts touch.
    #[getter]
    fn distance(&self) -> f64 {
        self.nearest.get().distance()
    }

    fn __repr__(&self) -> String {
        format!("PartDistance({} to {}: {:?})", self.a, self.b, self.distance())
    }
}

#[pymethods]
impl Assembly {
    #[new]
    fn new() -> Assembly {
        Assembly {
            parts: Vec::new(),
            n_parts: 0,
            broad: DynamicBvh::new(),
            part_of: Vec::new(),
            unbounded: Vec::new(),
            ignored: HashMap::new(),
            question: None,
            answers: HashMap::new(),
        }
    }

    fn __len__(&self) -> usize {
        self.n_parts
    }

    fn __repr__(&self) -> String {
        format!("<carom.Assembly, {} parts>", self.n_parts)
    }

    /// Adds a part and returns its number.
    #[pyo3(signature = (shape, pose = None))]
    fn add(&mut self, shape: &Bound<'_, PyShape>, pose: Option<&Bound<'_, PyAny>>) -> PyResult<u32> {
        self.insert(shape.get().clone(), pose::pose(pose, "pose")?)
    }

    /// Adds a part for each shape and returns their numbers, (n,). `poses` is an array of n poses.
    #[pyo3(signature = (shapes, poses))]
    fn add_all<'py>(
        &mut self,
        py: Python<'py>,
        shapes: Vec<Bound<'py, PyShape>>,
        poses: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let poses = pose::poses(poses, "poses")?;
        if poses.len() != shapes.len() {
            return Err(error::value("poses", format!("{} poses for {} shapes", poses.len(), shapes.len())));
        }
        let added = shapes.iter().zip(poses).map(|(shape, pose)| self.insert(shape.get().clone(), pose));
        let added: PyResult<Vec<i64>> = added.map(|number| number.map(i64::from)).collect();
        Ok(array(py, added?))
    }

    /// Puts a part at another pose.
    fn r#move(&mut self, part: u32, pose: &Bound<'_, PyAny>) -> PyResult<()> {
        let pose = pose::pose(Some(pose), "pose")?;
        self.set_pose(part, pose)
    }

    /// Puts many parts at other poses: numbers (n,) and an array of n poses.
    fn move_all(&mut self, parts: Vec<u32>, poses: &Bound<'_, PyAny>) -> PyResult<()> {
        let poses = pose::poses(poses, "poses")?;
        if poses.len() != parts.len() {
            return Err(error::value("poses", format!("{} poses for {} parts", poses.len(), parts.len())));
        }
        parts.iter().try_for_each(|part| self.part(*part).map(|_| ()))?;
        parts.into_iter().zip(poses).try_for_each(|(part, pose)| self.set_pose(part, pose))
    }

    /// Removes a part.
    fn remove(&mut self, part: u32) -> PyResult<()> {
        let proxy = self.part(part)?.proxy;
        match proxy {
            Some(proxy) => self.broad.remove(proxy).map_err(error::world)?,
            None => self.unbounded.retain(|other| *other != part),
        }
        self.parts[part as usize] = None;
        self.n_parts -= 1;
        for other in self.ignored.remove(&part).unwrap_or_default() {
            if let Some(parts) = self.ignored.get_mut(&other) {
                parts.remove(&part);
            }
        }
        Ok(())
    }

    /// Leaves a pair of parts out of all answers about this assembly alone.
    fn ignore(&mut self, a: u32, b: u32) -> PyResult<()> {
        self.part(a)?;
        self.part(b)?;
        self.ignored.entry(a).or_default().insert(b);
        self.ignored.entry(b).or_default().insert(a);
        Ok(())
    }

    /// The numbers of the parts, ascending, (n,).
    fn parts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        array(py, self.live().map(|(number, _)| i64::from(number)).collect())
    }

    /// The pose of a part as seven numbers: x, y, z, qx, qy, qz, qw.
    fn pose<'py>(&self, py: Python<'py>, part: u32) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_slice(py, &pose::to_seven(&self.part(part)?.pose)))
    }

    /// The shape of a part.
    fn shape(&self, part: u32) -> PyResult<PyShape> {
        Ok(self.part(part)?.shape.clone())
    }

    /// The pairs whose boxes come within `margin`: an array of the shape (k, 2), sorted.
    #[pyo3(signature = (margin = 0.0))]
    fn candidates<'py>(&mut self, py: Python<'py>, margin: f64) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let pairs = self.pairs_within(checked_length(margin, "margin")?);
        array_rows(py, as_rows(&pairs))
    }

    /// The pairs of a part of this assembly and a part of another one whose boxes come within
    /// `margin`: an array of the shape (k, 2), sorted.
    #[pyo3(signature = (other, margin = 0.0))]
    fn candidates_with<'py>(
        &mut self,
        py: Python<'py>,
        other: &Bound<'py, Assembly>,
        margin: f64,
    ) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let pairs = self.pairs_with(&*other.try_borrow()?, checked_length(margin, "margin")?);
        array_rows(py, as_rows(&pairs))
    }

    /// The parts whose boxes come within `margin` of the box of a shape: numbers, ascending, (k,).
    #[pyo3(signature = (shape, pose = None, margin = 0.0))]
    fn candidates_near<'py>(
        &mut self,
        py: Python<'py>,
        shape: &Bound<'py, PyShape>,
        pose: Option<&Bound<'py, PyAny>>,
        margin: f64,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let one = Part::new(shape.get().clone(), pose::pose(pose, "pose")?);
        self.broad.refresh();
        let near = self.parts_near(&one, checked_length(margin, "margin")?);
        Ok(array(py, near.into_iter().map(i64::from).collect()))
    }

    /// The pairs of parts that touch, or are nearer than `clearance`: an array of the shape (k, 2),
    /// sorted. With `of` only the pairs of this part.
    ///
    /// With `solid` a closed mesh is a solid, so that a part inside it clashes. Otherwise a mesh is
    /// a surface. The pairs of `undecided` are left out.
    #[pyo3(signature = (*, clearance = 0.0, solid = true, of = None, threads = None))]
    fn clashes<'py>(
        &mut self,
        py: Python<'py>,
        clearance: f64,
        solid: bool,
        of: Option<u32>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let question = Question { clearance: checked_length(clearance, "clearance")?, is_solid: solid };
        let clashes = self.pairs_answered(py, threads, question, of, Some(true))?;
        array_rows(py, as_rows(&clashes))
    }

    /// The pairs of parts that are not known to clash or to be clear, as solids: their surfaces
    /// are apart, and one lies where a mesh does not tell inside from outside. An array of the
    /// shape (k, 2), sorted. With `of` only the pairs of this part.
    #[pyo3(signature = (*, clearance = 0.0, of = None, threads = None))]
    fn undecided<'py>(
        &mut self,
        py: Python<'py>,
        clearance: f64,
        of: Option<u32>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let question = Question { clearance: checked_length(clearance, "clearance")?, is_solid: true };
        array_rows(py, as_rows(&self.pairs_answered(py, threads, question, of, None)?))
    }

    /// The pairs of a part of this assembly and a part of another one that touch, or are nearer
    /// than `clearance`: an array of the shape (k, 2), sorted. The pairs of `undecided_with` are
    /// left out.
    #[pyo3(signature = (other, *, clearance = 0.0, solid = true, threads = None))]
    fn clashes_with<'py>(
        &mut self,
        py: Python<'py>,
        other: &Bound<'py, Assembly>,
        clearance: f64,
        solid: bool,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let question = Question { clearance: checked_length(clearance, "clearance")?, is_solid: solid };
        let other: &Assembly = &*other.try_borrow()?;
        let clashes = self.answered(py, threads, question, Others::Assembly(other), Some(true))?;
        array_rows(py, as_rows(&clashes))
    }

    /// The pairs of a part of this assembly and a part of another one that are not known to clash
    /// or to be clear, as solids: see `undecided`. An array of the shape (k, 2), sorted.
    #[pyo3(signature = (other, *, clearance = 0.0, threads = None))]
    fn undecided_with<'py>(
        &mut self,
        py: Python<'py>,
        other: &Bound<'py, Assembly>,
        clearance: f64,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let question = Question { clearance: checked_length(clearance, "clearance")?, is_solid: true };
        let other: &Assembly = &*other.try_borrow()?;
        let open = self.answered(py, threads, question, Others::Assembly(other), None)?;
        array_rows(py, as_rows(&open))
    }

    /// The parts that touch a shape, or are nearer to it than `clearance`: ascending numbers, (k,).
    /// The parts of `undecided_near` are left out.
    #[pyo3(signature = (shape, pose = None, *, clearance = 0.0, solid = true, threads = None))]
    fn touching<'py>(
        &mut self,
        py: Python<'py>,
        shape: &Bound<'py, PyShape>,
        pose: Option<&Bound<'py, PyAny>>,
        clearance: f64,
        solid: bool,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let question = Question { clearance: checked_length(clearance, "clearance")?, is_solid: solid };
        let one = Part::new(shape.get().clone(), pose::pose(pose, "pose")?);
        let clashes = self.answered(py, threads, question, Others::Shape(&one), Some(true))?;
        Ok(array(py, clashes.into_iter().map(|(part, _)| i64::from(part)).collect()))
    }

    /// The parts that are not known to clash with a shape or to be clear of it, as solids: see
    /// `undecided`. Ascending numbers, (k,).
    #[pyo3(signature = (shape, pose = None, *, clearance = 0.0, threads = None))]
    fn undecided_near<'py>(
        &mut self,
        py: Python<'py>,
        shape: &Bound<'py, PyShape>,
        pose: Option<&Bound<'py, PyAny>>,
        clearance: f64,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let question = Question { clearance: checked_length(clearance, "clearance")?, is_solid: true };
        let one = Part::new(shape.get().clone(), pose::pose(pose, "pose")?);
        let open = self.answered(py, threads, question, Others::Shape(&one), None)?;
        Ok(array(py, open.into_iter().map(|(part, _)| i64::from(part)).collect()))
    }

    /// The two parts that are nearest to each other, surface to surface; `None` for less than two
    /// parts. With `of` this part and the one nearest to it.
    #[pyo3(signature = (*, of = None, threads = None))]
    fn min_distance(
        &mut self,
        py: Python<'_>,
        of: Option<u32>,
        threads: Option<usize>,
    ) -> PyResult<Option<PartDistance>> {
        let others = self.own(of)?;
        self.nearest(py, threads, others, self.reach())
    }

    /// The nearest pair of a part of this assembly and one of another; `None` if one is empty.
    #[pyo3(signature = (other, *, threads = None))]
    fn min_distance_to(
        &mut self,
        py: Python<'_>,
        other: &Bound<'_, Assembly>,
        threads: Option<usize>,
    ) -> PyResult<Option<PartDistance>> {
        let other: &Assembly = &*other.try_borrow()?;
        self.nearest(py, threads, Others::Assembly(other), self.reach().max(other.reach()))
    }

    /// The part that is nearest to a shape, as A; the shape is B, with the number 0. `None` for an
    /// empty assembly.
    #[pyo3(signature = (shape, pose = None, *, threads = None))]
    fn nearest_to(
        &mut self,
        py: Python<'_>,
        shape: &Bound<'_, PyShape>,
        pose: Option<&Bound<'_, PyAny>>,
        threads: Option<usize>,
    ) -> PyResult<Option<PartDistance>> {
        let one = Part::new(shape.get().clone(), pose::pose(pose, "pose")?);
        self.nearest(py, threads, Others::Shape(&one), self.reach())
    }
}

impl Part {
    fn new(shape: PyShape, pose: Pose) -> Part {
        let placed = shape.placed(&pose);
        let aabb = shape.shape.aabb(&placed);
        let aabb = aabb.check().is_ok().then_some(aabb);
        Part { shape, pose, placed, aabb, proxy: None, version: 0 }
    }
}

impl Question {
    /// Whether two parts clash; `None` if it is not known.
    fn test_pair(&self, a: &Part, b: &Part) -> Option<bool> {
        let (shape_a, shape_b): (&Shape, &Shape) = (&a.shape.shape, &b.shape.shape);
        let meets = solid::intersects(shape_a, &a.placed, shape_b, &b.placed, self.is_solid);
        if meets == Some(true) || self.clearance == 0.0 {
            return meets;
        }
        let mut memory = Workspace::default();
        let near = query::nearer_than(shape_a, &a.placed, shape_b, &b.placed, self.clearance, &mut memory);
        if near.is_some() { Some(true) } else { meets }
    }
}

impl Assembly {
    fn live(&self) -> impl Iterator<Item = (u32, &Part)> {
        let numbered = self.parts.iter().enumerate();
        numbered.filter_map(|(number, part)| Some((number as u32, part.as_deref()?)))
    }

    fn part(&self, number: u32) -> PyResult<&Part> {
        let part = self.parts.get(number as usize).and_then(Option::as_deref);
        part.ok_or_else(|| WorldError::new_err(format!("part {number} does not exist")))
    }

    /// Returns a part that exists.
    fn at(&self, number: u32) -> &Part {
        match &self.parts[number as usize] {
            Some(part) => part,
            None => unreachable!("pairs are of parts that exist"),
        }
    }

    fn insert(&mut self, shape: PyShape, pose: Pose) -> PyResult<u32> {
        let number = u32::try_from(self.parts.len()).map_err(|_| error::world("too many parts"))?;
        self.parts.push(Some(Box::new(Part::new(shape, pose))));
        self.n_parts += 1;
        self.enter(number)?;
        Ok(number)
    }

    fn set_pose(&mut self, number: u32, pose: Pose) -> PyResult<()> {
        let old = self.part(number)?;
        let (shape, proxy, version) = (old.shape.clone(), old.proxy, old.version + 1);
        let part = Part { version, ..Part::new(shape, pose) };
        match (proxy, part.aabb) {
            (Some(proxy), Some(aabb)) => {
                self.broad.update(&[(proxy, aabb)]).map_err(error::world)?;
                self.parts[number as usize] = Some(Box::new(Part { proxy: Some(proxy), ..part }));
            }
            (proxy, _) => {
                match proxy {
                    Some(proxy) => self.broad.remove(proxy).map_err(error::world)?,
                    None => self.unbounded.retain(|other| *other != number),
                }
                self.parts[number as usize] = Some(Box::new(part));
                self.enter(number)?;
            }
        }
        Ok(())
    }

    /// Puts the box of a part into the broad phase, or the part into the list of unbounded ones.
    fn enter(&mut self, number: u32) -> PyResult<()> {
        let Some(Some(part)) = self.parts.get_mut(number as usize) else { return Ok(()) };
        let Some(aabb) = part.aabb else {
            self.unbounded.push(number);
            return Ok(());
        };
        let proxy = self.broad.insert(aabb, Filter::default()).map_err(error::world)?;
        part.proxy = Some(proxy);
        let index = proxy.index() as usize;
        if self.part_of.len() <= index {
            self.part_of.resize(index + 1, 0);
        }
        self.part_of[index] = number;
        Ok(())
    }

    fn versions(&self, (a, b): (u32, u32)) -> [u64; 2] {
        [self.at(a).version, self.at(b).version]
    }

    /// Returns the kept answer for a pair, if neither part moved since.
    fn answer(&self, pair: (u32, u32)) -> Option<Option<bool>> {
        let (versions, is_clash) = self.answers.get(&pair)?;
        (*versions == self.versions(pair)).then_some(*is_clash)
    }

    /// Asks about all pairs, or those of one part, and keeps the answers. Returns the pairs with
    /// this answer, sorted.
    fn pairs_answered(
        &mut self,
        py: Python<'_>,
        threads: Option<usize>,
        question: Question,
        of: Option<u32>,
        wanted: Option<bool>,
    ) -> PyResult<Vec<(u32, u32)>> {
        let others = self.own(of)?;
        let mut pairs = py.detach(|| self.pairs_of(others, question.clearance));
        if self.question != Some(question) {
            self.question = Some(question);
            self.answers.clear();
        }
        let open: Vec<(u32, u32)> =
            pairs.iter().copied().filter(|pair| self.answer(*pair).is_none()).collect();
        let found = each_pair(py, threads, &open, |&(a, b)| question.test_pair(self.at(a), self.at(b)))?;
        for (pair, is_clash) in open.iter().zip(found) {
            self.answers.insert(*pair, (self.versions(*pair), is_clash));
        }
        // Pairs that are no candidates any more would only fill the memory.
        if of.is_none() && 2 * pairs.len() + 1024 < self.answers.len() {
            let kept: HashSet<(u32, u32)> = pairs.iter().copied().collect();
            self.answers.retain(|pair, _| kept.contains(pair));
        }
        pairs.retain(|pair| self.answer(*pair) == Some(wanted));
        Ok(pairs)
    }

    /// Asks about all pairs with other parts. Returns those with this answer, sorted.
    fn answered(
        &mut self,
        py: Python<'_>,
        threads: Option<usize>,
        question: Question,
        others: Others<'_>,
        wanted: Option<bool>,
    ) -> PyResult<Vec<(u32, u32)>> {
        let pairs = self.pairs_of(others, question.clearance);
        let test = |&(a, b): &(u32, u32)| question.test_pair(self.at(a), self.other(others, b));
        let found = each_pair(py, threads, &pairs, test)?;
        Ok(pairs
            .into_iter()
            .zip(found)
            .filter(|(_, answer)| *answer == wanted)
            .map(|(pair, _)| pair)
            .collect())
    }

    /// Returns the other parts of this assembly for all of its parts, or for one of them.
    fn own(&self, of: Option<u32>) -> PyResult<Others<'static>> {
        let Some(part) = of else { return Ok(Others::Own) };
        self.part(part)?;
        Ok(Others::OwnOf(part))
    }

    /// Returns the nearest pair with other parts. `reach` is a length to begin the search with.
    fn nearest(
        &mut self,
        py: Python<'_>,
        threads: Option<usize>,
        others: Others<'_>,
        mut reach: f64,
    ) -> PyResult<Option<PartDistance>> {
        // No pair is left out at an infinite margin.
        let nearest = loop {
            let pairs = self.pairs_of(others, reach);
            let nearest = least(py, threads, &pairs, |&(a, b)| (self.at(a), self.other(others, b)))?;
            match nearest {
                Some((_, d)) if d.distance <= reach => break nearest,
                Some((_, d)) => reach = d.distance,
                None if reach == f64::INFINITY => break None,
                None => reach = grown(reach),
            }
        };
        nearest.map(|((a, b), d)| part_distance(py, a, b, &d)).transpose()
    }

    /// Returns the second part of a pair of [`Assembly::pairs_of`].
    fn other<'a>(&'a self, others: Others<'a>, number: u32) -> &'a Part {
        match others {
            Others::Own | Others::OwnOf(_) => self.at(number),
            Others::Assembly(other) => other.at(number),
            Others::Shape(one) => one,
        }
    }

    /// Returns the pairs with other parts whose boxes come within `margin`, sorted.
    fn pairs_of(&mut self, others: Others<'_>, margin: f64) -> Vec<(u32, u32)> {
        match others {
            Others::Own => self.pairs_within(margin),
            Others::OwnOf(part) => {
                self.broad.refresh();
                let near = self.parts_near(self.at(part), margin).into_iter();
                let near = near.filter(|other| *other != part && !self.is_ignored((part, *other)));
                let mut pairs: Vec<(u32, u32)> = near.map(|other| ordered(part, other)).collect();
                pairs.sort_unstable();
                pairs
            }
            Others::Assembly(other) => self.pairs_with(other, margin),
            Others::Shape(one) => {
                self.broad.refresh();
                self.parts_near(one, margin).into_iter().map(|part| (part, 0)).collect()
            }
        }
    }

    fn is_ignored(&self, (a, b): (u32, u32)) -> bool {
        self.ignored.get(&a).is_some_and(|others| others.contains(&b))
    }

    /// Returns the pairs of this assembly whose boxes come within `margin`, sorted, without the
    /// ignored ones.
    fn pairs_within(&mut self, margin: f64) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        if margin == 0.0 {
            let mut found: Vec<Pair> = Vec::new();
            self.broad.pairs(&mut found);
            let of = |index: u32| self.part_of[index as usize];
            pairs.extend(found.iter().map(|pair| ordered(of(pair.a), of(pair.b))));
        } else {
            self.broad.refresh();
            for (number, part) in self.live() {
                let others = self.boxed_near(part, margin);
                pairs.extend(others.into_iter().filter(|other| number < *other).map(|other| (number, other)));
            }
        }
        for &unbounded in &self.unbounded {
            pairs.extend(self.live().map(|(number, _)| ordered(number, unbounded)).filter(|(a, b)| a != b));
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs.retain(|pair| !self.is_ignored(*pair));
        pairs
    }

    /// Returns the parts with a box within `margin` of that of a part, in no order.
    fn boxed_near(&self, part: &Part, margin: f64) -> Vec<u32> {
        let mut near = Vec::new();
        let Some(aabb) = part.aabb else { return near };
        // A margin beyond the range of `f32` is infinite, and then every box is near.
        let aabb = aabb.inflated(carom_math::rounding::up(margin));
        self.broad.visit_box(&aabb, &mut |index| {
            near.push(self.part_of[index as usize]);
            ControlFlow::Continue(())
        });
        near
    }

    /// Returns the parts that may come within `margin` of another part, ascending. The tree must
    /// be fresh.
    fn parts_near(&self, one: &Part, margin: f64) -> Vec<u32> {
        if one.aabb.is_none() {
            return self.live().map(|(number, _)| number).collect();
        }
        let mut near = self.boxed_near(one, margin);
        near.extend_from_slice(&self.unbounded);
        near.sort_unstable();
        near
    }

    /// Returns the pairs with parts of another assembly whose boxes come within `margin`, sorted.
    fn pairs_with(&mut self, other: &Assembly, margin: f64) -> Vec<(u32, u32)> {
        self.broad.refresh();
        let mut pairs = Vec::new();
        for (number, part) in other.live() {
            pairs.extend(self.parts_near(part, margin).into_iter().map(|own| (own, number)));
        }
        pairs.sort_unstable();
        pairs
    }

    /// Returns a length to begin the search for the least distance with: a fraction of the size of
    /// the parts.
    fn reach(&self) -> f64 {
        let sizes = self.live().filter_map(|(_, part)| part.aabb).map(|aabb| aabb.extents().max_element());
        let sum = sizes.fold(0.0, |sum, size| sum + f64::from(size));
        let mean = sum / (self.n_parts.max(1)) as f64;
        if mean.is_finite() && 0.0 < mean { 0.1 * mean } else { f64::INFINITY }
    }
}

/// Returns the next margin to search with.
fn grown(reach: f64) -> f64 {
    // Beyond the range of `f32` every box is near.
    if reach < f64::from(f32::MAX) * 0.01 { reach * 4.0 } else { f64::INFINITY }
}

fn ordered(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}

fn as_rows(pairs: &[(u32, u32)]) -> Vec<[i64; 2]> {
    pairs.iter().map(|(a, b)| [i64::from(*a), i64::from(*b)]).collect()
}

fn checked_length(length: f64, name: &str) -> PyResult<f64> {
    if 0.0 <= length && length.is_finite() {
        Ok(length)
    } else {
        Err(error::value(name, "must be finite and not negative"))
    }
}

fn part_distance(py: Python<'_>, a: u32, b: u32, d: &query::Distance) -> PyResult<PartDistance> {
    Ok(PartDistance { a, b, nearest: Py::new(py, Distance::new(d))? })
}

/// Answers a question about each pair, on threads.
fn each_pair<P: Sync>(
    py: Python<'_>,
    threads: Option<usize>,
    pairs: &[P],
    test: impl Fn(&P) -> Option<bool> + Sync,
) -> PyResult<Vec<Option<bool>>> {
    let mut found = vec![Some(false); pairs.len()];
    let len = work::job_len(pairs.len(), 64);
    let jobs = found.chunks_mut(len).zip(pairs.chunks(len)).collect();
    work::run(py, threads, jobs, |(found, pairs): (&mut [Option<bool>], &[P])| {
        for (slot, pair) in found.iter_mut().zip(pairs) {
            *slot = test(pair);
        }
    })?;
    Ok(found)
}

/// Returns the nearest of pairs; the first one of several at the same distance.
///
/// A pair is measured if it is not farther than the nearest so far, whatever thread found that. So
/// every pair at the least distance is measured, and the answer does not depend on threads.
fn least<'a>(
    py: Python<'_>,
    threads: Option<usize>,
    pairs: &[(u32, u32)],
    parts: impl Fn(&(u32, u32)) -> (&'a Part, &'a Part) + Sync,
) -> PyResult<Option<((u32, u32), query::Distance)>> {
    let best: Mutex<Option<((u32, u32), query::Distance)>> = Mutex::new(None);
    let len = work::job_len(pairs.len(), 64);
    let jobs = pairs.chunks(len).collect();
    work::run(py, threads, jobs, |pairs: &[(u32, u32)]| {
        let mut memory = Workspace::default();
        for pair in pairs {
            let limit = best.lock().unwrap_or_else(PoisonError::into_inner).map(|(_, d)| d.distance);
            let (a, b) = parts(pair);
            let found = match limit {
                None => Some(query::distance_with(
                    &a.shape.shape,
                    &a.placed,
                    &b.shape.shape,
                    &b.placed,
                    &mut memory,
                )),
                Some(limit) => query::nearer_than(
                    &a.shape.shape,
                    &a.placed,
                    &b.shape.shape,
                    &b.placed,
                    limit.next_up(),
                    &mut memory,
                ),
            };
            let Some(found) = found else { continue };
            let mut best = best.lock().unwrap_or_else(PoisonError::into_inner);
            let is_better = best.is_none_or(|(other, d)| {
                found.distance < d.distance || (found.distance == d.distance && *pair < other)
            });
            if is_better {
                *best = Some((*pair, found));
            }
        }
    })?;
    Ok(best.into_inner().unwrap_or_else(PoisonError::into_inner))
}
