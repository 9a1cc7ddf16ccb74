//! Files of any format, and lines of questions: the bodies of the targets that read files.
#![forbid(unsafe_code)]

pub use carom_io::Format;
use std::io::BufReader;
use std::path::Path;

/// A file of this format is refused, or gives parts whose triangles point at vertices that are there.
pub fn parse(bytes: &[u8], format: Format) {
    // A folder that does not exist: nothing that the file names is found.
    let path = Path::new("no-such-folder/input");
    match carom_io::parse(bytes, format, path) {
        Err(error) => {
            let line = error.to_string();
            assert!(!line.contains('\n'), "more than one line: {line:?}");
            assert!(line.len() < 2000, "a long line: {line:?}");
        }
        Ok(model) => {
            for (i, part) in model.parts.iter().enumerate() {
                assert!(
                    model.parts[..i].iter().all(|other| other.name != part.name),
                    "two parts {:?}",
                    part.name
                );
                let Ok(mesh) = part.world_mesh() else { continue };
                assert!(mesh.vertices.iter().all(|v| v.is_finite()));
                let n = mesh.vertices.len();
                assert!(mesh.triangles.iter().flatten().all(|&v| (v as usize) < n));
            }
        }
    }
}

/// A level is refused, or gives entities whose brushes are sound or refused.
pub fn map(bytes: &[u8]) {
    let path = Path::new("no-such-folder/input");
    let one_line = |line: String| assert!(!line.contains('\n') && line.len() < 2000, "{line:?}");
    match carom_io::map::parse(bytes, path) {
        Err(error) => one_line(error.to_string()),
        Ok(map) => {
            let (brushes, refused) = map.brushes(path, carom_io::map::usual_contents);
            refused.iter().for_each(|error| one_line(error.to_string()));
            for face in brushes.iter().flat_map(|brush| brush.faces()) {
                assert!(3 <= face.corners.len() && face.corners.iter().all(|p| p.is_finite()));
            }
        }
    }
}

/// Every line of questions that is not blank gets one answer in JSON.
pub fn batch(bytes: &[u8]) {
    // Files of the machine are no part of the question.
    if bytes.windows(4).any(|w| w == b"file") || bytes.contains(&b'\\') {
        return;
    }
    let mut answers = Vec::new();
    let end = carom_cli::command::batch::answer_all(&mut BufReader::new(bytes), &mut answers);
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
