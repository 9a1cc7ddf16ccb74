//! Attributes of XML elements: URDF, SRDF, 3MF and COLLADA.
//!
//! Reference: Open Robotics, URDF XML specification, element origin. The crate `quick-xml` parses
//! the XML.

use crate::limits::MAX_XML_ATTRIBUTES;
use crate::part::Placement;
use quick_xml::events::BytesStart;

/// The error of a file with macros.
pub(crate) const XACRO: &str = "this is a xacro file: expand it first (xacro FILE > robot.urdf)";

/// The attributes of an element.
pub(crate) struct Attributes(Vec<(String, String)>);

impl Attributes {
    /// Reads the attributes of an element of a robot. Macros are an error.
    pub(crate) fn new(element: &BytesStart<'_>) -> Result<Attributes, String> {
        let all = Attributes::plain(element)?;
        // The declaration of the name space alone is accepted, because expanded files keep it.
        let is_macro = |(name, value): &(String, String)| {
            name.starts_with("xacro:") || value.contains("${") || value.contains("$(")
        };
        if all.0.iter().any(is_macro) { Err(XACRO.to_owned()) } else { Ok(all) }
    }

    /// Reads the attributes of any element.
    pub(crate) fn plain(element: &BytesStart<'_>) -> Result<Attributes, String> {
        let mut all: Vec<(String, String)> = Vec::new();
        // The library's own search for duplicate names takes quadratic time.
        for attribute in element.attributes().with_checks(false) {
            let attribute = attribute.map_err(|e| e.to_string())?;
            let name = String::from_utf8_lossy(attribute.key.as_ref()).into_owned();
            if MAX_XML_ATTRIBUTES <= all.len() {
                return Err(format!("an element with more than {MAX_XML_ATTRIBUTES} attributes"));
            }
            if all.iter().any(|(other, _)| *other == name) {
                return Err(format!("the attribute {name} is there twice"));
            }
            let value = attribute.unescape_value().map_err(|e| e.to_string())?.into_owned();
            all.push((name, value));
        }
        Ok(Attributes(all))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Returns the value of the first attribute of this name, in any name space.
    pub(crate) fn by_local_name(&self, name: &str) -> Option<&str> {
        let local = |key: &str| key.rsplit(':').next() == Some(name);
        self.0.iter().find(|(key, _)| local(key)).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self, name: &str) -> Result<String, String> {
        self.get(name).map(str::to_owned).ok_or_else(|| format!("no attribute {name}"))
    }

    /// Returns `N` numbers separated by blanks; `usual` if the attribute is missing.
    pub(crate) fn numbers<const N: usize>(
        &self,
        name: &str,
        usual: Option<[f64; N]>,
    ) -> Result<[f64; N], String> {
        let Some(text) = self.get(name) else { return usual.ok_or_else(|| format!("no attribute {name}")) };
        let mut numbers = [0.0; N];
        let mut n = 0;
        for word in text.split_whitespace() {
            let x = word.parse().map_err(|_| format!("{name}: {word:?} is not a number"))?;
            if let Some(number) = numbers.get_mut(n) {
                *number = x;
            }
            n += 1;
        }
        if n == N { Ok(numbers) } else { Err(format!("{name}: {n} numbers; {N} are needed")) }
    }

    /// Returns the origin: roll about x, then pitch about y, then yaw about z, then the
    /// translation.
    pub(crate) fn origin(&self) -> Result<Placement, String> {
        let [x, y, z] = self.numbers("xyz", Some([0.0; 3]))?;
        let [roll, pitch, yaw] = self.numbers("rpy", Some([0.0; 3]))?;
        if self.get("quat_xyzw").is_some() {
            return Err("quat_xyzw is not read; rpy is".to_owned());
        }
        let ((sr, cr), (sp, cp), (sy, cy)) = (roll.sin_cos(), pitch.sin_cos(), yaw.sin_cos());
        #[rustfmt::skip]
        let matrix = [
            cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, x,
            sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, y,
            -sp, cp * sr, cp * cr, z,
            0.0, 0.0, 0.0, 1.0,
        ];
        Placement::affine(matrix)
    }
}
