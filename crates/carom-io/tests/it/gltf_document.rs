//! A builder of glTF documents: a buffer that grows, its accessors, and the other lists.

use base64::Engine;
use serde_json::{Value, json};

/// The lists of a document.
#[derive(Default)]
pub(crate) struct Document {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    pub(crate) nodes: Vec<Value>,
    pub(crate) meshes: Vec<Value>,
    pub(crate) skins: Vec<Value>,
    pub(crate) animations: Vec<Value>,
    /// The roots of the scene; node 0 if empty.
    pub(crate) roots: Vec<usize>,
}

/// Numbers as they stand in a buffer.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum As {
    F32,
    U8,
    U16,
    /// Fractions of the largest number of the type (normalized).
    UnitU8,
    UnitU16,
    UnitI8,
    UnitI16,
}

impl As {
    fn code(self) -> u32 {
        match self {
            As::F32 => 5126,
            As::U8 | As::UnitU8 => 5121,
            As::U16 | As::UnitU16 => 5123,
            As::UnitI8 => 5120,
            As::UnitI16 => 5122,
        }
    }

    fn bytes(self, x: f64) -> Vec<u8> {
        match self {
            As::F32 => (x as f32).to_le_bytes().to_vec(),
            As::U8 => vec![x as u8],
            As::U16 => (x as u16).to_le_bytes().to_vec(),
            As::UnitU8 => vec![(x * 255.0).round() as u8],
            As::UnitU16 => ((x * 65535.0).round() as u16).to_le_bytes().to_vec(),
            As::UnitI8 => vec![(x * 127.0).round() as i8 as u8],
            As::UnitI16 => ((x * 32767.0).round() as i16).to_le_bytes().to_vec(),
        }
    }
}

impl Document {
    /// Adds numbers to the buffer, and returns the index of their view.
    fn view(&mut self, numbers: &[f64], how: As) -> usize {
        while !self.bytes.len().is_multiple_of(4) {
            self.bytes.push(0);
        }
        let start = self.bytes.len();
        self.bytes.extend(numbers.iter().flat_map(|x| how.bytes(*x)));
        let length = self.bytes.len() - start;
        self.views.push(json!({"buffer": 0, "byteOffset": start, "byteLength": length}));
        self.views.len() - 1
    }

    /// Adds an accessor of elements of `width` numbers, and returns its index.
    pub(crate) fn accessor(&mut self, numbers: &[f64], width: usize, how: As) -> usize {
        let view = self.view(numbers, how);
        let is_normalized = !matches!(how, As::F32 | As::U8 | As::U16);
        self.accessors.push(json!({
            "bufferView": view, "componentType": how.code(), "normalized": is_normalized,
            "count": numbers.len() / width, "type": kind(width),
        }));
        self.accessors.len() - 1
    }

    /// Adds a sparse accessor of `n` elements of three floats, all 0 except those given. Returns
    /// its index.
    pub(crate) fn sparse(&mut self, n: usize, some: &[(usize, [f64; 3])]) -> usize {
        let indices: Vec<f64> = some.iter().map(|(index, _)| *index as f64).collect();
        let values: Vec<f64> = some.iter().flat_map(|(_, value)| *value).collect();
        let (indices, values) = (self.view(&indices, As::U16), self.view(&values, As::F32));
        self.accessors.push(json!({
            "componentType": 5126, "count": n, "type": "VEC3",
            "sparse": {
                "count": some.len(),
                "indices": {"bufferView": indices, "componentType": 5123},
                "values": {"bufferView": values},
            },
        }));
        self.accessors.len() - 1
    }

    /// Replaces the first number of an accessor of floats.
    pub(crate) fn overwrite(&mut self, accessor: usize, number: f32) {
        let view = self.accessors[accessor]["bufferView"].as_u64().unwrap() as usize;
        let start = self.views[view]["byteOffset"].as_u64().unwrap() as usize;
        self.bytes[start..start + 4].copy_from_slice(&number.to_le_bytes());
    }

    /// Returns the document, with its buffer in the text.
    pub(crate) fn json(&self) -> Value {
        let data = base64::engine::general_purpose::STANDARD.encode(&self.bytes);
        let roots = if self.roots.is_empty() { &[0][..] } else { &self.roots };
        let mut document = json!({
            "asset": {"version": "2.0"},
            "scenes": [{"nodes": roots}],
            "buffers": [{"byteLength": self.bytes.len(), "uri": format!("data:;base64,{data}")}],
        });
        for (name, list) in [
            ("nodes", &self.nodes),
            ("meshes", &self.meshes),
            ("skins", &self.skins),
            ("animations", &self.animations),
            ("accessors", &self.accessors),
            ("bufferViews", &self.views),
        ] {
            if !list.is_empty() {
                document[name] = json!(list);
            }
        }
        document
    }
}

fn kind(width: usize) -> &'static str {
    match width {
        1 => "SCALAR",
        3 => "VEC3",
        4 => "VEC4",
        _ => "MAT4",
    }
}
