//! The text of an SRDF file with pairs of links whose collisions do not count.
//!
//! Reference: Open Robotics, SRDF specification, 2013, element disable_collisions.

use core::fmt::Write;

/// Returns the text of an SRDF file for a robot of this name. Each pair has the names of two links
/// and a reason. `carom_io::read_srdf` reads it back.
///
/// ```
/// let text = carom_robot::srdf_text("arm", [(["base", "hand"], "Never")]);
/// assert!(text.contains(r#"<disable_collisions link1="base" link2="hand" reason="Never"/>"#));
/// ```
pub fn srdf_text<'a>(robot: &str, pairs: impl IntoIterator<Item = ([&'a str; 2], &'a str)>) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    text += &format!("<robot name=\"{}\">\n", Escaped(robot));
    for ([a, b], reason) in pairs {
        let [a, b, reason] = [a, b, reason].map(Escaped);
        text += &format!("  <disable_collisions link1=\"{a}\" link2=\"{b}\" reason=\"{reason}\"/>\n");
    }
    text + "</robot>\n"
}

/// The value of an attribute, displayed with its special characters escaped.
struct Escaped<'a>(&'a str);

impl core::fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                // Otherwise a reader would turn these into blanks.
                '\n' | '\r' | '\t' => write!(f, "&#{};", c as u32)?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}
