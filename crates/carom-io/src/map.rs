//! Levels in the text format of Quake's editors. Entities have keys, and brushes are planes, each
//! through three points.
//!
//! Both dialects are read, the standard one and Valve 220. After the points of a plane, only the
//! name of its texture is read. Patches and other blocks in the place of a brush are listed as
//! unread.
//!
//! Reference: id Software, Quake's map format, 1996 (points clockwise seen from outside); Valve,
//! Hammer's map version 220.
//! Differs: parsed here, not by `quake-util`. That crate needs all numbers of a texture and gives
//! no line numbers of brushes.

use crate::error::{Location, ReadError, shortened};
use crate::files;
use crate::limits::{MAX_FILE_BYTES, MAX_NAME_CHARS};
use carom_bsp::{Brush, Contents, SplitPlane};
use glam::DVec3;
use std::path::Path;

/// An entity of a level.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Entity {
    /// Its keys and values, in the order of the file.
    pub pairs: Vec<(String, String)>,
    /// Its brushes; may be empty.
    pub brushes: Vec<MapBrush>,
}

/// A convex solid of a level, as it is written in the file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MapBrush {
    /// The line of its opening brace, counted from 1.
    pub line: usize,
    /// Its planes. Normals are of unit length and point out of the brush.
    pub planes: Vec<SplitPlane>,
    /// The line of each plane.
    pub lines: Vec<usize>,
    /// The texture name of the first plane; empty without one.
    pub texture: String,
}

/// A level.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Map {
    /// The entities; the first is the world.
    pub entities: Vec<Entity>,
    /// Patches and other blocks in the place of a brush, in the order of the file.
    pub unread: Vec<UnreadBlock>,
}

/// A block of a level that is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnreadBlock {
    /// The line of the brush's opening brace, counted from 1.
    pub line: usize,
    /// Its name in the file, such as `patchDef2`; empty if it has no name.
    pub name: String,
}

impl Entity {
    /// Returns the value of a key; the last value if the key occurs twice.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.pairs.iter().rev().find(|pair| pair.0 == key).map(|pair| pair.1.as_str())
    }

    /// Returns the value of `classname`; empty without one.
    pub fn class(&self) -> &str {
        self.get("classname").unwrap_or("")
    }

    /// Returns a value of three finite numbers, such as `origin`; else `None`. Words that are not
    /// numbers are skipped.
    pub fn vector(&self, key: &str) -> Option<DVec3> {
        let numbers: Vec<f64> =
            self.get(key)?.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [x, y, z] = numbers.try_into().ok()?;
        Some(DVec3::new(x, y, z)).filter(|v| v.is_finite())
    }
}

impl Map {
    /// Returns the brushes with the contents that `wants` returns for the class of their entity
    /// and the brush. Brushes with empty contents are left out. So are brushes that are open,
    /// empty or have an invalid plane; the second list has an error with the line of each of
    /// these.
    pub fn brushes(
        &self,
        path: &Path,
        wants: impl Fn(&str, &MapBrush) -> Contents,
    ) -> (Vec<Brush>, Vec<ReadError>) {
        let (mut brushes, mut refused) = (Vec::new(), Vec::new());
        for entity in &self.entities {
            for brush in &entity.brushes {
                let contents = wants(entity.class(), brush);
                if contents.is_empty() {
                    continue;
                }
                match Brush::from_planes(&brush.planes, contents) {
                    Ok(brush) => brushes.push(brush),
                    Err(error) => {
                        refused.push(ReadError::at(path, Location::Line(brush.line), error.to_string()))
                    }
                }
            }
        }
        (brushes, refused)
    }
}

/// Returns the usual contents of a brush in Quake's family of games, by the conventions of its
/// editors.
///
/// Triggers, hints, origins and illusions are empty. Textures whose names begin with `*` or `!` are
/// [`Contents::LIQUID`]. All else is solid.
pub fn usual_contents(class: &str, brush: &MapBrush) -> Contents {
    let texture = brush.texture.to_ascii_lowercase();
    let name = texture.rsplit('/').next().unwrap_or("");
    let is_passed = class.starts_with("trigger_")
        || class.contains("illusionary")
        || ["hint", "hintskip", "skip", "origin", "trigger"].contains(&name);
    if is_passed {
        Contents::empty()
    } else if name.starts_with(['*', '!']) {
        Contents::LIQUID
    } else {
        Contents::SOLID
    }
}

/// Reads a map file.
pub fn read(path: &Path) -> Result<Map, ReadError> {
    let bytes = files::read_regular(path, MAX_FILE_BYTES)?;
    parse(&bytes, path)
}

/// Reads the bytes of a map. `path` appears in messages only.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Map, ReadError> {
    let bytes = files::without_mark(bytes).map_err(|e| ReadError::at(path, Location::File, e))?;
    let mut map = Map::default();
    let mut open: Vec<Block> = Vec::new();
    for (number, line) in bytes.split(|b| *b == b'\n').enumerate() {
        let at = |reason: String| ReadError::at(path, Location::Line(number + 1), reason);
        // Names and comments may have any encoding; braces, points and keys are ASCII.
        let text = String::from_utf8_lossy(line);
        let text = text.trim();
        match text.as_bytes().first() {
            None => {}
            Some(b'/') if text.starts_with("//") => {}
            Some(b'{') => {
                let block = open_block(&mut map, &open, number + 1).map_err(at)?;
                if block == Block::Other && open.last() == Some(&Block::Brush) {
                    list_as_unread(&mut map, "");
                }
                open.push(block);
            }
            Some(b'}') => {
                open.pop().ok_or_else(|| at("a closing brace without an opening one".to_owned()))?;
            }
            Some(b'"') => {
                if open.last() != Some(&Block::Entity) {
                    return Err(at("a key outside of an entity".to_owned()));
                }
                let pair = pair(text).map_err(at)?;
                if let Some(entity) = map.entities.last_mut() {
                    entity.pairs.push(pair);
                }
            }
            Some(b'(') if open.last() == Some(&Block::Brush) => {
                let (plane, texture) = plane(text).map_err(at)?;
                let brush = map.entities.last_mut().and_then(|entity| entity.brushes.last_mut());
                if let Some(brush) = brush {
                    if brush.planes.is_empty() {
                        brush.texture = texture.to_owned();
                    }
                    brush.planes.push(plane);
                    brush.lines.push(number + 1);
                }
            }
            _ if open.last() == Some(&Block::Other) => {}
            // The name of a block in the place of a brush, such as a patch.
            _ if open.last() == Some(&Block::Brush) => {
                let brush = map.entities.last().and_then(|entity| entity.brushes.last());
                if brush.is_some_and(|brush| !brush.planes.is_empty()) {
                    return Err(at(format!("{text:?} is neither a plane nor a brace")));
                }
                list_as_unread(&mut map, text);
            }
            _ => return Err(at(format!("{text:?} is neither a brace, a key nor a plane"))),
        }
    }
    if !open.is_empty() {
        return Err(ReadError::at(
            path,
            Location::File,
            format!("{} opening braces are not closed", open.len()),
        ));
    }
    if map.entities.is_empty() {
        return Err(ReadError::at(path, Location::File, "no entity: not a map"));
    }
    for entity in &mut map.entities {
        let empty = entity.brushes.iter().filter(|brush| brush.planes.is_empty());
        let is_listed = |line: usize| map.unread.binary_search_by_key(&line, |block| block.line).is_ok();
        let empty: Vec<usize> = empty.map(|brush| brush.line).filter(|line| !is_listed(*line)).collect();
        map.unread.extend(empty.into_iter().map(|line| UnreadBlock { line, name: String::new() }));
        map.unread.sort_by_key(|block| block.line);
        entity.brushes.retain(|brush| !brush.planes.is_empty());
    }
    Ok(map)
}

/// Lists the last brush as unread, once. The first name is kept as that of the block.
fn list_as_unread(map: &mut Map, name: &str) {
    let brush = map.entities.last().and_then(|entity| entity.brushes.last());
    let Some(line) = brush.map(|brush| brush.line) else { return };
    if map.unread.last().is_none_or(|block| block.line != line) {
        map.unread.push(UnreadBlock { line, name: shortened(name, MAX_NAME_CHARS) });
    }
}

/// The kind of a block in braces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block {
    Entity,
    Brush,
    /// A block inside of a brush, such as a patch.
    Other,
}

fn open_block(map: &mut Map, open: &[Block], line: usize) -> Result<Block, String> {
    match open.last() {
        None => {
            map.entities.push(Entity { pairs: Vec::new(), brushes: Vec::new() });
            Ok(Block::Entity)
        }
        Some(Block::Entity) => {
            if let Some(entity) = map.entities.last_mut() {
                let brush = MapBrush { line, planes: Vec::new(), lines: Vec::new(), texture: String::new() };
                entity.brushes.push(brush);
            }
            Ok(Block::Brush)
        }
        Some(_) if open.len() < 8 => Ok(Block::Other),
        Some(_) => Err("braces in braces, eight deep".to_owned()),
    }
}

/// Parses a line with a key and a value in quotes.
fn pair(text: &str) -> Result<(String, String), String> {
    let mut parts = text.split('"');
    let (_, key, between, value) = (parts.next(), parts.next(), parts.next(), parts.next());
    match (key, between, value) {
        (Some(key), Some(between), Some(value)) if between.trim().is_empty() => {
            Ok((key.to_owned(), value.to_owned()))
        }
        _ => Err(format!("{text:?} is not a key and a value in quotes")),
    }
}

/// Parses a line with three points in brackets and the name of the texture.
fn plane(text: &str) -> Result<(SplitPlane, &str), String> {
    let mut points = [DVec3::ZERO; 3];
    let mut rest = text;
    for point in &mut points {
        let inside = rest.trim_start().strip_prefix('(').and_then(|rest| rest.split_once(')'));
        let (inside, after) = inside.ok_or_else(|| format!("{text:?} has no three points in brackets"))?;
        let mut numbers = [0.0_f64; 3];
        let mut words = inside.split_whitespace();
        for x in &mut numbers {
            let word = words.next().ok_or_else(|| format!("({inside}) has no three numbers"))?;
            *x = word.parse().map_err(|_| format!("{word:?} is not a number"))?;
            if !x.is_finite() {
                return Err(format!("coordinate {word} is not finite"));
            }
        }
        if words.next().is_some() {
            return Err(format!("({inside}) has more than three numbers"));
        }
        *point = DVec3::from_array(numbers);
        rest = after;
    }
    let [a, b, c] = points;
    let normal = (c - a).cross(b - a);
    let length = normal.length();
    if !(0.0 < length && length.is_finite()) {
        return Err("the three points of the plane are on a line".to_owned());
    }
    let normal = normal / length;
    let texture = rest.split_whitespace().next().unwrap_or("");
    Ok((SplitPlane { normal, offset: normal.dot(a) }, texture))
}
