//! Vertices of a glTF scene at a time: slow, and written from the specification alone.
//!
//! It takes the document as JSON and all accessors as lists of numbers. All animations are played.
//!
//! Reference: Khronos Group, glTF 2.0 Specification, 2021, 3.5.3, 3.6.2, 3.7.2.2, 3.7.3, 3.11 and
//! appendix C.

use base64::Engine;
use glam::{DMat4, DQuat, DVec3, DVec4};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

pub(crate) struct Oracle {
    document: Value,
    buffers: Vec<Vec<u8>>,
}

fn number(value: &Value, name: &str, usual: usize) -> usize {
    value.get(name).map_or(usual, |x| x.as_u64().unwrap() as usize)
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value.get(name).map_or(&[], |list| list.as_array().unwrap())
}

fn floats(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

impl Oracle {
    /// `bytes` are those of a .gltf or .glb file, whose other files are in the folder.
    pub(crate) fn new(bytes: &[u8], folder: &Path) -> Oracle {
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let (json, blob) = if bytes.starts_with(b"glTF") {
            let end = 20 + word(12);
            (&bytes[20..end], if end < bytes.len() { &bytes[end + 8..end + 8 + word(end)] } else { &[][..] })
        } else {
            (bytes, &[][..])
        };
        let document: Value = serde_json::from_slice(json).unwrap();
        let buffer = |buffer: &Value| match buffer["uri"].as_str() {
            None => blob.to_vec(),
            Some(uri) => match uri.split_once("base64,") {
                Some((_, data)) => base64::engine::general_purpose::STANDARD.decode(data).unwrap(),
                None => std::fs::read(folder.join(uri)).unwrap(),
            },
        };
        let buffers = list(&document, "buffers").iter().map(buffer).collect();
        Oracle { document, buffers }
    }

    /// Numbers in a buffer, `n` elements of some numbers each.
    fn stored(
        &self,
        at: &Value,
        component: usize,
        n: usize,
        width: usize,
        is_normalized: bool,
    ) -> Vec<Vec<f64>> {
        let view = &self.document["bufferViews"][number(at, "bufferView", 0)];
        let size = match component {
            5120 | 5121 => 1,
            5122 | 5123 => 2,
            _ => 4,
        };
        let start = number(view, "byteOffset", 0) + number(at, "byteOffset", 0);
        let stride = number(view, "byteStride", size * width);
        let buffer = &self.buffers[number(view, "buffer", 0)];
        let one = |at: usize| {
            let b = &buffer[at..at + size];
            let (x, largest) = match component {
                5120 => (f64::from(b[0] as i8), 127.0),
                5121 => (f64::from(b[0]), 255.0),
                5122 => (f64::from(i16::from_le_bytes([b[0], b[1]])), 32767.0),
                5123 => (f64::from(u16::from_le_bytes([b[0], b[1]])), 65535.0),
                5125 => return f64::from(u32::from_le_bytes(b.try_into().unwrap())),
                _ => return f64::from(f32::from_le_bytes(b.try_into().unwrap())),
            };
            if is_normalized { f64::max(x / largest, -1.0) } else { x }
        };
        (0..n).map(|i| (0..width).map(|k| one(start + i * stride + k * size)).collect()).collect()
    }

    fn accessor(&self, number_of: usize) -> Vec<Vec<f64>> {
        let item = &self.document["accessors"][number_of];
        let width = match item["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let (component, n) = (number(item, "componentType", 0), number(item, "count", 0));
        let is_normalized = item["normalized"] == true;
        let mut elements = match item.get("bufferView") {
            Some(_) => self.stored(item, component, n, width, is_normalized),
            None => vec![vec![0.0; width]; n],
        };
        if let Some(sparse) = item.get("sparse") {
            let n = number(sparse, "count", 0);
            let indices = &sparse["indices"];
            let indices = self.stored(indices, number(indices, "componentType", 0), n, 1, false);
            let values = self.stored(&sparse["values"], component, n, width, is_normalized);
            for (index, value) in indices.iter().zip(values) {
                elements[index[0] as usize] = value;
            }
        }
        elements
    }

    /// The value that an animation gives to a property of a node.
    fn animated(&self, node: usize, path: &str, seconds: Option<f64>) -> Option<Vec<f64>> {
        let seconds = seconds?;
        let animations = list(&self.document, "animations").iter();
        let (animation, channel) = animations
            .flat_map(|animation| list(animation, "channels").iter().map(move |channel| (animation, channel)))
            .find(|(_, channel)| {
                number(&channel["target"], "node", usize::MAX) == node && channel["target"]["path"] == path
            })?;
        let sampler = &animation["samplers"][number(channel, "sampler", 0)];
        let times: Vec<f64> =
            self.accessor(number(sampler, "input", 0)).into_iter().map(|element| element[0]).collect();
        let values = self.accessor(number(sampler, "output", 0)).concat();
        let way = sampler.get("interpolation").map_or("LINEAR", |way| way.as_str().unwrap());
        let width = values.len() / times.len();
        let key = |k: usize| values[k * width..(k + 1) * width].to_vec();
        let third = |k: usize, part: usize| {
            let key = key(k);
            key[part * width / 3..(part + 1) * width / 3].to_vec()
        };
        let is_spline = way == "CUBICSPLINE";
        let value = |k: usize| if is_spline { third(k, 1) } else { key(k) };
        let last = times.len() - 1;
        if seconds <= times[0] {
            return Some(value(0));
        }
        if times[last] <= seconds {
            return Some(value(last));
        }
        let k = (0..last).rev().find(|k| times[*k] <= seconds).unwrap();
        let td = times[k + 1] - times[k];
        let t = (seconds - times[k]) / td;
        let (v, w) = (value(k), value(k + 1));
        Some(match (way, path) {
            ("STEP", _) => v,
            ("CUBICSPLINE", _) => {
                let (b, a) = (third(k, 2), third(k + 1, 0));
                (0..v.len())
                    .map(|i| {
                        (2.0 * t.powi(3) - 3.0 * t.powi(2) + 1.0) * v[i]
                            + td * (t.powi(3) - 2.0 * t.powi(2) + t) * b[i]
                            + (-2.0 * t.powi(3) + 3.0 * t.powi(2)) * w[i]
                            + td * (t.powi(3) - t.powi(2)) * a[i]
                    })
                    .collect()
            }
            (_, "rotation") => {
                let (v, w) = (DVec4::from_slice(&v).normalize(), DVec4::from_slice(&w).normalize());
                let d = v.dot(w);
                let (a, s) = (d.abs().min(1.0).acos(), d.signum());
                if a < 1e-7 {
                    return Some(v.lerp(w * s, t).to_array().to_vec());
                }
                let q = v * ((a * (1.0 - t)).sin() / a.sin()) + w * (s * (a * t).sin() / a.sin());
                q.to_array().to_vec()
            }
            _ => v.iter().zip(&w).map(|(v, w)| (1.0 - t) * v + t * w).collect(),
        })
    }

    fn local(&self, node: usize, seconds: Option<f64>) -> DMat4 {
        let item = &self.document["nodes"][node];
        if let Some(matrix) = item.get("matrix") {
            return DMat4::from_cols_slice(&floats(matrix));
        }
        let property = |path: &str, usual: &[f64]| {
            let own = || item.get(path).map_or(usual.to_vec(), floats);
            self.animated(node, path, seconds).unwrap_or_else(own)
        };
        let t = DVec3::from_slice(&property("translation", &[0.0; 3]));
        let r = DQuat::from_slice(&property("rotation", &[0.0, 0.0, 0.0, 1.0])).normalize();
        let s = DVec3::from_slice(&property("scale", &[1.0; 3]));
        DMat4::from_translation(t) * DMat4::from_quat(r) * DMat4::from_scale(s)
    }

    fn global(&self, node: usize, seconds: Option<f64>) -> DMat4 {
        let parent = (0..list(&self.document, "nodes").len()).find(|parent| {
            list(&self.document["nodes"][*parent], "children").iter().any(|child| child == node)
        });
        let local = self.local(node, seconds);
        parent.map_or(local, |parent| self.global(parent, seconds) * local)
    }

    /// By node, the positions of the vertices that the triangles use, primitive by primitive.
    pub(crate) fn positions(&self, seconds: Option<f64>) -> BTreeMap<usize, Vec<DVec3>> {
        let mut all = BTreeMap::new();
        for (node, item) in list(&self.document, "nodes").iter().enumerate() {
            let Some(mesh) = item.get("mesh") else { continue };
            let mesh = &self.document["meshes"][mesh.as_u64().unwrap() as usize];
            let global = self.global(node, seconds);
            let skin = item.get("skin").map(|skin| &self.document["skins"][skin.as_u64().unwrap() as usize]);
            let joints: Vec<DMat4> = skin.map_or(Vec::new(), |skin| {
                let inverse = skin.get("inverseBindMatrices");
                let inverse = inverse.map(|inverse| self.accessor(inverse.as_u64().unwrap() as usize));
                let matrix = |(i, joint): (usize, &Value)| {
                    let global = self.global(joint.as_u64().unwrap() as usize, seconds);
                    inverse.as_ref().map_or(global, |all| global * DMat4::from_cols_slice(&all[i]))
                };
                list(skin, "joints").iter().enumerate().map(matrix).collect()
            });
            let own = item.get("weights").or(mesh.get("weights")).map(floats);
            let weights = self.animated(node, "weights", seconds).or(own).unwrap_or_default();
            let mut positions = Vec::new();
            for primitive in list(mesh, "primitives") {
                let attribute = |name: &str| {
                    let accessor = primitive["attributes"].get(name)?.as_u64().unwrap();
                    Some(self.accessor(accessor as usize))
                };
                let mut points: Vec<DVec3> =
                    attribute("POSITION").unwrap().iter().map(|p| DVec3::from_slice(p)).collect();
                for (target, weight) in list(primitive, "targets").iter().zip(&weights) {
                    let Some(accessor) = target.get("POSITION") else { continue };
                    let displacements = self.accessor(accessor.as_u64().unwrap() as usize);
                    for (p, d) in points.iter_mut().zip(&displacements) {
                        *p += *weight * DVec3::from_slice(d);
                    }
                }
                let sets: Vec<[Vec<Vec<f64>>; 2]> = (0..)
                    .map_while(|set| {
                        Some([attribute(&format!("JOINTS_{set}"))?, attribute(&format!("WEIGHTS_{set}"))?])
                    })
                    .collect();
                let placed = |(i, p): (usize, &DVec3)| {
                    if skin.is_none() {
                        return global.transform_point3(*p);
                    }
                    let pairs = || sets.iter().flat_map(|[j, w]| j[i].iter().zip(&w[i]));
                    let sum: f64 = pairs().map(|(_, w)| w).sum();
                    let matrix = pairs()
                        .filter(|(_, w)| **w != 0.0)
                        .fold(DMat4::ZERO, |matrix, (j, w)| matrix + joints[*j as usize] * (*w / sum));
                    (matrix * p.extend(1.0)).truncate()
                };
                let placed: Vec<DVec3> = points.iter().enumerate().map(placed).collect();
                let mut used: Vec<usize> = match primitive.get("indices") {
                    Some(indices) => {
                        let indices = self.accessor(indices.as_u64().unwrap() as usize);
                        indices.iter().map(|index| index[0] as usize).collect()
                    }
                    None => (0..placed.len()).collect(),
                };
                used.sort_unstable();
                used.dedup();
                positions.extend(used.into_iter().map(|i| placed[i]));
            }
            all.insert(node, positions);
        }
        all
    }
}
