//! ipc-toolkit, in a process of Python that answers queries of one cloth with their times.

use glam::Vec3;
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The process, which is ended on drop.
pub struct Cloth {
    process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Cloth {
    /// Starts the process over a cloth at two moments. Prints a line and returns `None` if Python
    /// or the package is missing.
    pub fn start(before: &[Vec3], after: &[Vec3], faces: &[[u32; 3]]) -> Option<Cloth> {
        let started = Cloth::try_start(before, after, faces);
        started.map_err(|error| println!("skipped: ipctk: {error}")).ok()
    }

    fn try_start(before: &[Vec3], after: &[Vec3], faces: &[[u32; 3]]) -> Result<Cloth, std::io::Error> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = root.join("../target/bench/cloth");
        std::fs::create_dir_all(&folder)?;
        let bytes = |points: &[Vec3]| -> Vec<u8> {
            points.iter().flat_map(|p| p.to_array()).flat_map(f32::to_le_bytes).collect()
        };
        std::fs::write(folder.join("before.f32"), bytes(before))?;
        std::fs::write(folder.join("after.f32"), bytes(after))?;
        let corners = faces.as_flattened().iter().flat_map(|v| v.to_le_bytes());
        std::fs::write(folder.join("faces.u32"), corners.collect::<Vec<u8>>())?;
        let python = std::env::var_os("CAROM_PYTHON").map_or_else(|| PathBuf::from("python3"), PathBuf::from);
        let mut process = Command::new(python)
            .arg(root.join("scripts/ipctk_cloth.py"))
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let missing = || std::io::Error::other("no answer; is the package ipctk installed?");
        let questions = process.stdin.take().ok_or_else(missing)?;
        let answers = BufReader::new(process.stdout.take().ok_or_else(missing)?);
        let mut cloth = Cloth { process, questions, answers };
        cloth.read().ok_or_else(missing)?;
        Ok(cloth)
    }

    /// Sends one query in the words of the script. Returns the numbers of the answer and the CPU
    /// time in nanoseconds, NaN if the process has ended.
    pub fn query(&mut self, question: &str) -> (Vec<f64>, f64) {
        let is_sent = writeln!(self.questions, "{question}").is_ok();
        let Some(answer) = self.read().filter(|_| is_sent) else { return (Vec::new(), f64::NAN) };
        let numbers = answer["answer"].as_array().into_iter().flatten().filter_map(Value::as_f64);
        (numbers.collect(), answer["ns"].as_f64().unwrap_or(f64::NAN))
    }

    fn read(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.answers.read_line(&mut line).ok()?;
        serde_json::from_str(&line).ok()
    }
}

impl Drop for Cloth {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
