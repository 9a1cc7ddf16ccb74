//! The bodies of the targets that read files: each format, recordings of boxes, levels, and lines
//! of `carom batch`.
#![forbid(unsafe_code)]

mod bounds;

pub use carom_io::Format;
use carom_io::{Model, Options};
use std::collections::HashSet;
use std::io::BufReader;
use std::path::Path;

/// The path of each document. A document may name the files in its folder.
const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/files/document");

/// The longest message, in bytes.
const MAX_MESSAGE_BYTES: usize = 2000;

/// Reads a file of this format, with the default options and with those that keep most of it. The
/// file is refused in one line, or each triangle has its vertices. Memory and time are bounded. An
/// animated scene is posed at some times, too.
pub fn parse(bytes: &[u8], format: Format) {
    let most = Options::default().with_keep_going(true).with_split_objects(true).with_time(Some(0.5));
    for options in [Options::default(), most] {
        bounds::check(bytes, || match carom_io::parse_with(bytes, format, Path::new(DOCUMENT), &options) {
            Err(error) => check_line(&error.to_string()),
            Ok(model) => check_model(&model),
        });
        if format == Format::Gltf {
            bounds::check(bytes, || check_motion(bytes, &options));
        }
    }
}

/// An animated scene is refused in one line, or can be posed at three times.
fn check_motion(bytes: &[u8], options: &Options) {
    match carom_io::parse_animated(bytes, Path::new(DOCUMENT), options) {
        Err(error) => check_line(&error.to_string()),
        Ok(model) => {
            model.notes().iter().chain(model.unread()).for_each(|line| check_line(line));
            let mut positions = Vec::new();
            for seconds in [-1.0, 0.25, model.end()] {
                let pose = model.pose_at(seconds);
                for (i, part) in model.parts().iter().enumerate() {
                    model.positions_into(&pose, i, &mut positions);
                    assert!(part.triangles().iter().flatten().all(|&v| (v as usize) < positions.len()));
                }
            }
        }
    }
}

/// Names are unique, notes are one line each, and every triangle has its vertices.
fn check_model(model: &Model) {
    for note in model.notes.iter().chain(&model.unread) {
        check_line(note);
    }
    let mut names = HashSet::new();
    for part in &model.parts {
        assert!(names.insert(&part.name), "two parts {:?}", part.name);
        let Ok(mesh) = part.world_mesh() else { continue };
        assert!(mesh.vertices.iter().all(|v| v.is_finite()));
        let n = mesh.vertices.len();
        assert!(mesh.triangles.iter().flatten().all(|&v| (v as usize) < n));
    }
}

/// A message is one short line.
fn check_line(line: &str) {
    assert!(!line.contains('\n'), "more than one line: {line:?}");
    assert!(line.len() < MAX_MESSAGE_BYTES, "a long line: {line:?}");
}

/// Reads a recording of boxes. It is refused in one line, or its frames are in order, and each box
/// has finite sides, the lower at most the upper.
pub fn boxes(bytes: &[u8]) {
    bounds::check(bytes, || match carom_io::boxes_csv::parse(bytes, Path::new(DOCUMENT)) {
        Err(error) => check_line(&error.to_string()),
        Ok(frames) => {
            assert!(frames.windows(2).all(|pair| pair[0].number < pair[1].number));
            for (_, sides) in frames.iter().flat_map(|frame| &frame.boxes) {
                assert!((0..3).all(|k| sides[k] <= sides[3 + k]) && sides.iter().all(|x| x.is_finite()));
            }
        }
    });
}

/// Reads a level. It is refused, or each of its brushes is refused or has finite faces of at least
/// three corners.
pub fn map(bytes: &[u8]) {
    let path = Path::new(DOCUMENT);
    bounds::check(bytes, || match carom_io::map::parse(bytes, path) {
        Err(error) => check_line(&error.to_string()),
        Ok(map) => {
            let (brushes, refused) = map.brushes(path, carom_io::map::usual_contents);
            refused.iter().for_each(|error| check_line(&error.to_string()));
            for face in brushes.iter().flat_map(|brush| brush.faces()) {
                assert!(3 <= face.corners.len() && face.corners.iter().all(|p| p.is_finite()));
            }
        }
    });
}

/// Answers lines of `carom batch`. Every line that is not blank gets one answer in JSON.
pub fn batch(bytes: &[u8]) {
    // Lines could name files of this machine by `file`, or by an escape for it: such inputs are
    // skipped.
    if bytes.windows(4).any(|w| w == b"file") || bytes.contains(&b'\\') {
        return;
    }
    let mut answers = Vec::new();
    let end =
        carom_cli::command::batch::answer_all(&mut BufReader::new(bytes), &mut answers, Default::default());
    assert!(end.is_ok(), "writing to memory failed");
    let n_questions = bytes.split(|&b| b == b'\n').filter(|line| !line.trim_ascii().is_empty()).count();
    let mut n_answers = 0;
    for line in answers.split(|&b| b == b'\n').filter(|line| !line.is_empty()) {
        let Ok(answer) = serde_json::from_slice::<serde_json::Value>(line) else {
            panic!("an answer is no JSON: {}", String::from_utf8_lossy(line));
        };
        assert!(answer.get("id").is_some(), "an answer without id: {answer}");
        n_answers += 1;
    }
    assert_eq!(n_questions, n_answers);
}
