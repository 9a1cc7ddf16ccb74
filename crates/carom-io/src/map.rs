//! Levels in the text format of Quake's editors. Entities have keys, and brushes are planes, each
//! through three points.
//!
//! Both dialects are read, the standard one and Valve 220. Braces, pairs and planes may stand on
//! one line. After the points of a plane, only the name of its texture is read. Patches and other
//! blocks in the place of a brush are listed as unread.
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

    /// Returns a value of three finite numbers and nothing else, such as `origin`; else `None`.
    pub fn vector(&self, key: &str) -> Option<DVec3> {
        let words = self.get(key)?.split_whitespace();
        let numbers: Vec<f64> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
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
        let mut rest = text.trim();
        while !rest.is_empty() && !rest.starts_with("//") {
            rest = statement(rest, number + 1, &mut map, &mut open).map_err(at)?.trim_start();
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
    // The lines of blocks are in the order of the file.
    let mut unnamed = Vec::new();
    for entity in &mut map.entities {
        let empty = entity.brushes.iter().filter(|brush| brush.planes.is_empty()).map(|brush| brush.line);
        let is_listed = |line: usize| map.unread.binary_search_by_key(&line, |block| block.line).is_ok();
        let empty = empty.filter(|line| !is_listed(*line));
        unnamed.extend(empty.map(|line| UnreadBlock { line, name: String::new() }));
        entity.brushes.retain(|brush| !brush.planes.is_empty());
    }
    map.unread.extend(unnamed);
    map.unread.sort_by_key(|block| block.line);
    Ok(map)
}

/// Reads a brace, a pair, a plane, or the words of another block, from the start of a text that is
/// not empty. Returns the text behind it.
fn statement<'t>(
    text: &'t str,
    line: usize,
    map: &mut Map,
    open: &mut Vec<Block>,
) -> Result<&'t str, String> {
    match (text.as_bytes()[0], open.last()) {
        (b'{', _) => {
            let block = open_block(map, open, line)?;
            if block == Block::Other && open.last() == Some(&Block::Brush) {
                list_as_unread(map, "");
            }
            open.push(block);
            Ok(&text[1..])
        }
        (b'}', _) => {
            open.pop().ok_or("a closing brace without an opening one")?;
            Ok(&text[1..])
        }
        (_, Some(Block::Other)) => Ok(split_words(text).1),
        (b'"', Some(Block::Entity)) => {
            let (pair, rest) = pair(text)?;
            if let Some(entity) = map.entities.last_mut() {
                entity.pairs.push(pair);
            }
            Ok(rest)
        }
        (b'"', _) => Err("a key outside of an entity".to_owned()),
        (b'(', Some(Block::Brush)) => {
            let (plane, texture, rest) = plane(text)?;
            let brush = map.entities.last_mut().and_then(|entity| entity.brushes.last_mut());
            if let Some(brush) = brush {
                if brush.planes.is_empty() {
                    brush.texture = texture.to_owned();
                }
                brush.planes.push(plane);
                brush.lines.push(line);
            }
            Ok(rest)
        }
        // The name of a block in the place of a brush, such as a patch.
        (_, Some(Block::Brush)) => {
            let (words, rest) = split_words(text);
            let brush = map.entities.last().and_then(|entity| entity.brushes.last());
            if brush.is_some_and(|brush| !brush.planes.is_empty()) {
                return Err(format!("{words:?} is neither a plane nor a brace"));
            }
            list_as_unread(map, words);
            Ok(rest)
        }
        _ => Err(format!("{text:?} is neither a brace, a key nor a plane")),
    }
}

/// Returns the words at the start of a text, and the rest from the first word that is a brace or
/// begins a comment.
fn split_words(text: &str) -> (&str, &str) {
    let is_end = |word: &str| word == "{" || word == "}" || word.starts_with("//");
    let end = starts_of_words(text).skip(1).find(|(_, word)| is_end(word)).map_or(text.len(), |(at, _)| at);
    (text[..end].trim_end(), &text[end..])
}

/// Returns each word of a text with its place.
fn starts_of_words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_whitespace().map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
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

/// Parses a key and a value in quotes. Returns them, and the text behind them.
///
/// Some editors write a quote in a value behind a backslash, others end paths with a backslash. So
/// a quote behind a backslash ends a value only if no other quote of the line does.
fn pair(text: &str) -> Result<((String, String), &str), String> {
    let refused = || format!("{text:?} is not a key and a value in quotes");
    let (key, rest) = text[1..].split_once('"').ok_or_else(refused)?;
    let value = rest.trim_start().strip_prefix('"').ok_or_else(refused)?;
    let mut quotes = value.match_indices('"').map(|(at, _)| at);
    let bare = quotes.find(|at| !value[..*at].ends_with('\\'));
    let end = bare.or_else(|| value.rfind('"')).ok_or_else(refused)?;
    Ok(((key.to_owned(), value[..end].replace("\\\"", "\"")), &value[end + 1..]))
}

/// Parses three points in brackets, the name of the texture and its numbers. Returns the plane, the
/// name, and the text behind them: from the next brace, bracket, quote or comment on.
fn plane(text: &str) -> Result<(SplitPlane, &str, &str), String> {
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
    // The name of a texture may begin with a brace, but is no brace.
    let begins = |word: &str| word.starts_with(['{', '}', '(', '"']) || word.starts_with("//");
    let mut words = starts_of_words(rest).peekable();
    let is_name = |word: &str| word != "{" && word != "}" && !word.starts_with("//");
    let texture = words.next_if(|(_, word)| is_name(word)).map_or("", |(_, word)| word);
    let end = words.find(|(_, word)| begins(word)).map_or(rest.len(), |(at, _)| at);
    Ok((SplitPlane { normal, offset: normal.dot(a) }, texture, &rest[end..]))
}
