//! XML without what URDF does not use: names without namespaces, no declarations, entities of its own, or comments, and not too deep.
//!
//! The library that reads URDF writes the document out again and reads it once more, by recursion; namespaces that it cannot write stop
//! it. What comes out of here it can.
//!
//! Reference: T. Bray et al., Namespaces in XML 1.0, 3rd ed., 2009. Parsing by the crate `quick-xml`.

use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesEnd, BytesStart, Event};
use quick_xml::{Reader, Writer};

/// Elements inside elements: real files have about five.
const MAX_DEPTH: usize = 64;

/// The document with plain names; the message of an error has the place in bytes.
pub(crate) fn plain(text: &str) -> Result<String, String> {
    let mut reader = Reader::from_str(text);
    let mut writer = Writer::new(Vec::with_capacity(text.len()));
    let mut depth = 0_usize;
    loop {
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(e) => return Err(format!("byte {}: {e}", reader.error_position())),
        };
        let written = match event {
            Event::Eof => break,
            Event::Start(element) => {
                depth += 1;
                if MAX_DEPTH < depth {
                    return Err(format!("elements are nested deeper than {MAX_DEPTH}"));
                }
                let start = start(&element).map_err(|e| format!("byte {}: {e}", reader.buffer_position()))?;
                writer.write_event(Event::Start(start))
            }
            Event::Empty(element) => {
                let start = start(&element).map_err(|e| format!("byte {}: {e}", reader.buffer_position()))?;
                writer.write_event(Event::Empty(start))
            }
            Event::End(element) => {
                depth = depth.saturating_sub(1);
                let end = name(element.name().as_ref())
                    .map_err(|e| format!("byte {}: {e}", reader.buffer_position()))?;
                writer.write_event(Event::End(BytesEnd::new(end)))
            }
            event @ (Event::Text(_) | Event::CData(_) | Event::GeneralRef(_)) if 0 < depth => {
                writer.write_event(event)
            }
            _ => continue,
        };
        written.map_err(|e| e.to_string())?;
    }
    String::from_utf8(writer.into_inner()).map_err(|e| e.to_string())
}

/// The element with its attributes, but for the declarations of namespaces.
fn start<'a>(element: &'a BytesStart<'a>) -> Result<BytesStart<'a>, String> {
    let mut plain = BytesStart::new(name(element.name().as_ref())?);
    for attribute in element.attributes() {
        let attribute = attribute.map_err(|e| e.to_string())?;
        let key = attribute.key.as_ref();
        if key != b"xmlns" && !key.starts_with(b"xmlns:") {
            plain.push_attribute(Attribute::from((name(key)?.as_bytes(), attribute.value.as_ref())));
        }
    }
    Ok(plain)
}

/// The name, its prefix made a part of it, which URDF does not know then and passes over.
fn name(bytes: &[u8]) -> Result<String, String> {
    let name = core::str::from_utf8(bytes).map_err(|e| e.to_string())?;
    let is_good = |c: char| c.is_alphanumeric() || "_-.:".contains(c);
    if name.is_empty() || !name.chars().all(is_good) {
        return Err(format!("{name:?} is no name"));
    }
    Ok(name.replace(':', "_"))
}
