//! Runs the binary, and reads its output.

use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Runs `carom` with these arguments, separated by spaces, in a folder of the test's files.
pub(crate) fn carom(arguments: &str) -> Output {
    carom_list(&arguments.split_whitespace().collect::<Vec<_>>(), b"")
}

/// Runs `carom` with these arguments and this standard input.
pub(crate) fn carom_list(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_carom"))
        .args(arguments)
        .current_dir(folder())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The one JSON document on standard output, with the exit status.
pub(crate) fn json(arguments: &str) -> (Value, i32) {
    let output = carom(arguments);
    let text = stdout(&output);
    assert_eq!(text.lines().count(), 1, "{arguments}: {text} {}", stderr(&output));
    (serde_json::from_str(&text).unwrap(), output.status.code().unwrap())
}

/// The one line of an error, exit status 2, nothing on standard output.
pub(crate) fn error(arguments: &str) -> String {
    let output = carom(arguments);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{arguments}: {text}");
    assert!(output.stdout.is_empty(), "{arguments}");
    assert!(!text.contains("panicked"), "{arguments}: {text}");
    text.lines().next().unwrap_or_default().to_owned()
}

/// Answers to questions, one on each line.
pub(crate) fn batch(lines: &str) -> Vec<Value> {
    let output = carom_list(&["batch"], lines.as_bytes());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stdout(&output).lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

/// A folder with small files, made once.
pub(crate) fn folder() -> PathBuf {
    static MADE: std::sync::OnceLock<PathBuf> = std::sync::OnceLock::new();
    MADE.get_or_init(|| {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("files");
        std::fs::create_dir_all(&folder).unwrap();
        let write = |name: &str, text: &str| write_whole(&folder, name, text);
        write("cube.obj", CUBE);
        write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
        write("bad.obj", "v 0 0 0\nv 1 0 0\nf 1 2 9\n");
        write("nan.obj", "v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n");
        write("empty.obj", "v 0 0 0\n");
        write("nothing.stl", "");
        write("short.stl", "solid in name only\0");
        write("picture.ply", "\u{89}PNG\r\n");
        write("model.step", "ISO-10303-21;\n");
        write(
            "scene.json",
            r#"{"parts": [
            {"mesh": "cube.obj", "name": "left"},
            {"mesh": "cube.obj", "name": "touching", "pose": [1,0,0,2, 0,1,0,0, 0,0,1,0, 0,0,0,1]},
            {"mesh": "cube.obj", "name": "near", "pose": [1,0,0,4.25, 0,1,0,0, 0,0,1,0, 0,0,0,1]},
            {"mesh": "cube.obj", "name": "far", "scale": 0.5, "pose": [1,0,0,50, 0,1,0,0, 0,0,1,0, 0,0,0,1]}
            ]}"#,
        );
        write("zero.json", r#"{"parts": [{"mesh": "cube.obj", "scale": 0}]}"#);
        folder
    })
    .clone()
}

/// Writes a file into the folder.
pub(crate) fn file(name: &str, text: &str) {
    write_whole(&folder(), name, text);
}

/// Writes a file beside its place and renames it, because another test may read it at the same
/// time.
fn write_whole(folder: &std::path::Path, name: &str, text: &str) {
    static N: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let n = N.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let beside = folder.join(format!("{name}.{}.{n}", std::process::id()));
    std::fs::write(&beside, text).and_then(|()| std::fs::rename(beside, folder.join(name))).unwrap();
}

/// From -1 to 1.
const CUBE: &str = "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n\
f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 4 1 5 8\n";
