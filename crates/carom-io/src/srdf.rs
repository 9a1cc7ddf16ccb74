//! SRDF files: the pairs of links of a robot whose collisions do not count.
//!
//! Reference: Open Robotics, SRDF specification, 2013, element disable_collisions; MoveIt, Setup
//! Assistant (the reasons: Adjacent, Default, Always, Never). The crate `quick-xml` parses the XML.

use crate::Files;
use crate::error::{Location, ReadError};
use crate::limits::{MAX_XML_DEPTH, Options};
use crate::xml::Attributes;
use quick_xml::Reader;
use quick_xml::events::Event;
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

/// Reads the pairs of links of an SRDF file whose collisions do not count, in its order.
///
/// Errors: a file that cannot be read, that is no XML, whose root is not a robot, or a pair without
/// two names. Groups, poses and the like are not read.
pub fn read_srdf(path: &Path) -> Result<Vec<DisabledPair>, ReadError> {
    let options = Options::default();
    let bytes = Files::new(&options).read(path)?;
    parse(&bytes).map_err(|e| ReadError::at(path, Location::File, e))
}

fn parse(bytes: &[u8]) -> Result<Vec<DisabledPair>, String> {
    let text = core::str::from_utf8(bytes).map_err(|e| format!("not text: {e}"))?;
    let mut reader = Reader::from_str(text);
    let (mut pairs, mut depth, mut has_robot) = (Vec::new(), 0_usize, false);
    loop {
        let event = reader
            .read_event()
            .map_err(|e| format!("not a valid SRDF file: byte {}: {e}", reader.error_position()))?;
        let at_byte = |e: String| format!("byte {}: {e}", reader.buffer_position());
        match &event {
            Event::Start(element) | Event::Empty(element) => {
                has_robot |= depth == 0 && element.name().as_ref() == b"robot";
                if element.name().as_ref() == b"disable_collisions" {
                    let attributes = Attributes::new(element).map_err(at_byte)?;
                    let link = |key: &str| attributes.text(key).map_err(at_byte);
                    let links = [link("link1")?, link("link2")?];
                    let reason = attributes.get("reason").unwrap_or_default().to_owned();
                    pairs.push(DisabledPair { links, reason });
                }
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
    if !has_robot {
        return Err("no robot: not an SRDF file".to_owned());
    }
    Ok(pairs)
}
