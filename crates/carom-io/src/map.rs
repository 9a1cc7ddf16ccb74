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
    /// The texture name of each plane; empty without one.
    pub textures: Vec<String>,
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
/// Brushes of triggers and illusions are empty. So are those whose textures are `hint`, `origin` or
/// `trigger`. Textures whose names begin with `*` or `!` are [`Contents::LIQUID`]. All else is
/// solid, and a brush with textures of several kinds.
///
/// Faces with the texture `skip` are invisible, and do not change what the others make of the
/// brush. The order of the faces does not matter.
pub fn usual_contents(class: &str, brush: &MapBrush) -> Contents {
    if class.starts_with("trigger_") || class.contains("illusionary") {
        return Contents::empty();
    }
    let names = brush.textures.iter().map(|texture| texture.rsplit('/').next().unwrap_or("").to_lowercase());
    let mut kinds = names.filter(|name| name != "skip").map(|name| match name.as_str() {
        "hint" | "hintskip" | "origin" | "trigger" => Contents::empty(),
        name if name.starts_with(['*', '!']) => Contents::LIQUID,
        _ => Contents::SOLID,
    });
    let first = kinds.next().unwrap_or(Contents::SOLID);
    if kinds.all(|kind| kind == first) { first } else { Contents::SOLID }
}

/// Reads a map file.
pub fn read(path: &Path) -> Result<Map, ReadError> {
    let bytes = files::read_regular(path, MAX_FILE_BYTES)?;
    parse(&bytes, path)
}

/// Reads the bytes of a map. `path` appears in messages only.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Map, ReadError> {
    let bytes = files::without_mark(bytes).map_err(|e| ReadError::at(path, Location::File, e))?;
    let mut parser = Parser::default();
    for (number, line) in bytes.split(|b| *b == b'\n').enumerate() {
        let at = |reason: String| ReadError::at(path, Location::Line(number + 1), reason);
        // Names and comments may have any encoding; braces, points and keys are ASCII.
        let text = String::from_utf8_lossy(line);
        let mut rest = text.trim();
        while !rest.is_empty() && !rest.starts_with("//") {
            rest = parser.statement(rest, number + 1).map_err(at)?.trim_start();
        }
    }
    let Parser { map, open, .. } = parser;
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
    Ok(map)
}

/// A level that is being read.
#[derive(Default)]
struct Parser {
    map: Map,
    /// The blocks around the next statement.
    open: Vec<Block>,
    /// The name of the first block in the current brush that is not read; empty if it has none.
    other: Option<String>,
}

/// The kind of a block in braces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block {
    Entity,
    Brush,
    /// A block inside of a brush, such as a patch.
    Other,
}

impl Parser {
    /// Reads a brace, a pair, a plane, or the words of another block, from the start of a text that
    /// is not empty. Returns the text behind it.
    fn statement<'t>(&mut self, text: &'t str, line: usize) -> Result<&'t str, String> {
        let word = text.split_whitespace().next().unwrap_or_default();
        match (text.as_bytes()[0], self.open.last()) {
            (_, Some(Block::Other)) if !is_brace(word) => Ok(split_words(text).1),
            (b'{', _) => {
                self.open_block(line)?;
                Ok(&text[1..])
            }
            (b'}', _) => {
                self.close_block()?;
                Ok(&text[1..])
            }
            (b'"', Some(Block::Entity)) => {
                let (pair, rest) = pair(text)?;
                if let Some(entity) = self.map.entities.last_mut() {
                    entity.pairs.push(pair);
                }
                Ok(rest)
            }
            (b'"', _) => Err("a key outside of an entity".to_owned()),
            (b'(', Some(Block::Brush)) => {
                let (plane, texture, rest) = plane(text)?;
                if let Some(brush) = self.brush() {
                    brush.textures.push(texture.to_owned());
                    brush.planes.push(plane);
                    brush.lines.push(line);
                }
                Ok(rest)
            }
            // The name of a block in the place of a brush, such as a patch.
            (_, Some(Block::Brush)) => {
                let (words, rest) = split_words(text);
                if self.brush().is_some_and(|brush| !brush.planes.is_empty()) {
                    return Err(format!("{words:?} is neither a plane nor a brace"));
                }
                self.other.get_or_insert_with(|| shortened(words, MAX_NAME_CHARS));
                Ok(rest)
            }
            _ => Err(format!("{text:?} is neither a brace, a key nor a plane")),
        }
    }

    /// Returns the last brush.
    fn brush(&mut self) -> Option<&mut MapBrush> {
        self.map.entities.last_mut()?.brushes.last_mut()
    }

    fn open_block(&mut self, line: usize) -> Result<(), String> {
        let block = match self.open.last() {
            None => {
                self.map.entities.push(Entity { pairs: Vec::new(), brushes: Vec::new() });
                Block::Entity
            }
            Some(Block::Entity) => {
                if let Some(entity) = self.map.entities.last_mut() {
                    let (planes, lines, textures) = (Vec::new(), Vec::new(), Vec::new());
                    entity.brushes.push(MapBrush { line, planes, lines, textures });
                }
                Block::Brush
            }
            Some(_) if self.open.len() < 8 => {
                self.other.get_or_insert_default();
                Block::Other
            }
            Some(_) => return Err("braces in braces, eight deep".to_owned()),
        };
        self.open.push(block);
        Ok(())
    }

    /// Closes the last block. Lists a brush as unread if it has another block or no planes; one
    /// without planes is dropped.
    fn close_block(&mut self) -> Result<(), String> {
        let block = self.open.pop().ok_or("a closing brace without an opening one")?;
        let entity = self.map.entities.last_mut();
        let Some(entity) = entity.filter(|_| block == Block::Brush) else { return Ok(()) };
        let other = self.other.take();
        if let Some(brush) = entity.brushes.pop() {
            let is_empty = brush.planes.is_empty();
            if is_empty || other.is_some() {
                let name = other.unwrap_or_default();
                self.map.unread.push(UnreadBlock { line: brush.line, name });
            }
            if !is_empty {
                entity.brushes.push(brush);
            }
        }
        Ok(())
    }
}

/// Whether a word of an unread block begins with a brace. An opening brace may begin the name of a
/// texture instead, if more than braces and a comment follows.
fn is_brace(word: &str) -> bool {
    let start = word.split("//").next().unwrap_or_default();
    start.starts_with('}') || start.bytes().all(|byte| byte == b'{' || byte == b'}')
}

/// Returns the words at the start of a text, and the rest from the first word that is a brace or
/// begins a comment.
fn split_words(text: &str) -> (&str, &str) {
    let end = starts_of_words(text).skip(1).find(|(_, word)| is_brace(word)).map_or(text.len(), |(at, _)| at);
    (text[..end].trim_end(), &text[end..])
}

/// Returns each word of a text with its place.
fn starts_of_words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_whitespace().map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

/// Parses a key and a value in quotes. Returns them, and the text behind them.
///
/// Some editors write a quote in a value behind a backslash, others end paths with a backslash. So
/// a quote behind a backslash ends a value only if a pair follows it, or if no other quote of the
/// line ends it.
fn pair(text: &str) -> Result<((String, String), &str), String> {
    let refused = || format!("{text:?} is not a key and a value in quotes");
    let (key, rest) = text[1..].split_once('"').ok_or_else(refused)?;
    let value = rest.trim_start().strip_prefix('"').ok_or_else(refused)?;
    let is_end = |at: usize| !value[..at].ends_with('\\') || leads_to_pair(&value[at + 1..]);
    let end = value.match_indices('"').map(|(at, _)| at).find(|at| is_end(*at));
    let end = end.or_else(|| value.rfind('"')).ok_or_else(refused)?;
    Ok(((key.to_owned(), value[..end].replace("\\\"", "\"")), &value[end + 1..]))
}

/// Whether a text leads to a key and a value in quotes, with only blanks and braces before them.
fn leads_to_pair(text: &str) -> bool {
    let is_between = |c: char| c.is_whitespace() || c == '{' || c == '}';
    let key = text.trim_start_matches(is_between).strip_prefix('"');
    let value = key.and_then(|key| key.split_once('"')?.1.trim_start().strip_prefix('"'));
    text.starts_with(is_between) && value.is_some_and(|value| value.contains('"'))
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
