//! SRDF files: the pairs of links of a robot whose collisions do not count.
//!
//! Reference: Open Robotics, SRDF specification, 2013, element disable_collisions; MoveIt, Setup
//! Assistant (the reasons: Adjacent, Default, Always, Never). The crate `quick-xml` parses the XML.

use crate::error::{Location, ReadError};
use crate::limits::{MAX_XML_DEPTH, Options};
use crate::part::push_note;
use crate::xml::{Attributes, XACRO};
use crate::{Files, shorten};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::path::Path;

/// Two links whose collisions do not count.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DisabledPair {
    /// The names of the links, in the order of the file.
    pub links: [String; 2],
    /// The reason that the file gives; empty if it gives none.
    pub reason: String,
}

/// The pairs of an SRDF file, and notes on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Srdf {
    /// The pairs of links whose collisions do not count, in the order of the file.
    pub pairs: Vec<DisabledPair>,
    /// Elements that are not read although they may change which collisions count. Each note is one
    /// line.
    pub notes: Vec<String>,
}

/// Elements without influence on which collisions count.
const NO_COLLISIONS: [&str; 12] = [
    "robot",
    "group",
    "group_state",
    "joint",
    "link",
    "chain",
    "virtual_joint",
    "passive_joint",
    "end_effector",
    "joint_property",
    "link_sphere_approximation",
    "sphere",
];

/// Reads the pairs of links of an SRDF file whose collisions do not count, in its order. The notes
/// are dropped.
///
/// Errors: those of [`read_whole_srdf`].
pub fn read_srdf(path: &Path) -> Result<Vec<DisabledPair>, ReadError> {
    read_whole_srdf(path).map(|srdf| srdf.pairs)
}

/// Reads the pairs of links of an SRDF file whose collisions do not count, with notes on the other
/// elements that are about collisions. Groups, poses and the like are not read.
///
/// Errors: a file that cannot be read, that is no XML, that ends inside of an element, whose root
/// is not a robot, that has macros, or a pair without two names.
pub fn read_whole_srdf(path: &Path) -> Result<Srdf, ReadError> {
    let options = Options::default();
    let bytes = Files::new(&options).read(path)?;
    let mut srdf = parse(&bytes).map_err(|e| ReadError::at(path, Location::File, e))?;
    shorten(srdf.notes.iter_mut());
    Ok(srdf)
}

fn parse(bytes: &[u8]) -> Result<Srdf, String> {
    let text = core::str::from_utf8(bytes).map_err(|e| format!("not text: {e}"))?;
    let mut reader = Reader::from_str(text);
    let (mut srdf, mut depth, mut has_robot) = (Srdf::default(), 0_usize, false);
    loop {
        let event = reader
            .read_event()
            .map_err(|e| format!("not a valid SRDF file: byte {}: {e}", reader.error_position()))?;
        let at_byte = |e: String| format!("byte {}: {e}", reader.buffer_position());
        match &event {
            Event::Start(element) | Event::Empty(element) => {
                has_robot |= depth == 0 && element.name().as_ref() == b"robot";
                srdf.read_element(element).map_err(at_byte)?;
                depth += usize::from(matches!(event, Event::Start(_)));
                if MAX_XML_DEPTH < depth {
                    return Err(at_byte(format!("elements are nested deeper than {MAX_XML_DEPTH}")));
                }
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            Event::Eof => break,
            _ => {}
        }
    }
    if 0 < depth {
        return Err("not a valid SRDF file: the text ends inside of an element".to_owned());
    }
    if !has_robot {
        return Err("no robot: not an SRDF file".to_owned());
    }
    Ok(srdf)
}

impl Srdf {
    /// Handles the start of an element.
    fn read_element(&mut self, element: &BytesStart<'_>) -> Result<(), String> {
        let name = String::from_utf8_lossy(element.name().as_ref()).into_owned();
        if NO_COLLISIONS.contains(&name.as_str()) {
            return Ok(());
        }
        if name.starts_with("xacro:") {
            return Err(XACRO.to_owned());
        }
        if name == "disable_collisions" {
            let attributes = Attributes::new(element)?;
            let links = [attributes.text("link1")?, attributes.text("link2")?];
            let reason = attributes.get("reason").unwrap_or_default().to_owned();
            self.pairs.push(DisabledPair { links, reason });
            return Ok(());
        }
        // The attributes of an element that is not read may have any form.
        let attributes = Attributes::plain(element).ok();
        let get = |key: &&str| attributes.as_ref()?.get(key);
        let links = ["link", "link1", "link2"].iter().filter_map(get).collect::<Vec<_>>().join(" and ");
        let of = if links.is_empty() { String::new() } else { format!(" of {links}") };
        push_note(&mut self.notes, format!("the element {name}{of} is not read"));
        Ok(())
    }
}
