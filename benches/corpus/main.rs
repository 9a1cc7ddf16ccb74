//! The table of the corpus of public failures: whether the answers of carom and parry to every
//! query are right.
//!
//! `corpus --date DAY --out FILE`, usually by `cargo xtask corpus`. A panic counts as a wrong
//! answer, and so does an answer that takes more than ten seconds. Other answers are wrong only
//! beyond a large tolerance: a ten-thousandth of the largest coordinate of the query for `f32`,
//! and a ten-millionth for `f64`.
#![forbid(unsafe_code)]
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)] // A program.
#![allow(clippy::duplicate_mod)] // parry.rs is compiled for each of parry's two crates.

mod double;
mod single;

use carom_testkit::corpus::{
    Answer, Case, Entry, ExactAnswer, Precision, carom, entries, exact_answer, judge,
};
use std::any::Any;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;

/// A query of a library. Returns its answers, or the reason why there are none.
type QueryFn = fn(&Case) -> Result<Vec<Answer>, Silence>;

/// The reason why there is no answer.
pub(crate) enum Silence {
    /// The library does not offer the query for these shapes.
    NotOffered,
    /// The library returns an error: a wrong answer.
    Refused(String),
}

/// A column of the table.
struct Column {
    name: &'static str,
    precision: Precision,
    query: QueryFn,
}

const COLUMNS: [Column; 4] = [
    Column {
        name: "carom",
        precision: Precision::Single,
        query: |case| Ok(carom::answers(case, Precision::Single)),
    },
    Column {
        name: "carom, `f64`",
        precision: Precision::Double,
        query: |case| Ok(carom::answers(case, Precision::Double)),
    },
    Column { name: "parry3d", precision: Precision::Single, query: single::parry::answers },
    Column { name: "parry3d-f64", precision: Precision::Double, query: double::parry::answers },
];

/// The time after which an answer is late.
const PATIENCE: Duration = Duration::from_secs(10);

/// The result of one library on one entry.
enum Verdict {
    Right,
    NotOffered,
    Wrong { n_wrong: usize, first: String },
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut date = String::new();
    let mut out = PathBuf::new();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().ok_or("an option without its value")?;
        match word.as_str() {
            "--date" => date = value,
            "--out" => out = value.into(),
            _ => return Err(format!("{word}: there are --date and --out").into()),
        }
    }
    // Panics are counted and reported in the table.
    std::panic::set_hook(Box::new(|_| ()));
    let (text, is_right) = table(&date)?;
    std::fs::write(&out, text)?;
    println!("{}", out.display());
    // The program ends even if some threads do not.
    std::process::exit(i32::from(!is_right));
}

/// Returns the page, and whether carom is right in all cases.
fn table(date: &str) -> Result<(String, bool), std::fmt::Error> {
    let all = entries();
    let mut rows = String::new();
    let mut n_right = [0; COLUMNS.len()];
    let mut n_offered = [0; COLUMNS.len()];
    let mut notes = String::new();
    let mut family = "";
    for entry in &all {
        if family != entry.family {
            family = entry.family;
            write!(rows, "\n## {}\n\n| thread | question | exact | by |", capitalized(family))?;
            COLUMNS.iter().try_for_each(|column| write!(rows, " {} |", column.name))?;
            write!(rows, "\n|---|---|---|---|{}\n", "---|".repeat(COLUMNS.len()))?;
        }
        write!(rows, "| {} | {} | {} | {} |", entry.thread, entry.what, answer(entry), entry.by)?;
        for (i, column) in COLUMNS.iter().enumerate() {
            let verdict = verdict_of(entry, column);
            n_offered[i] += usize::from(!matches!(verdict, Verdict::NotOffered));
            match verdict {
                Verdict::Right => {
                    n_right[i] += 1;
                    write!(rows, " right |")?;
                }
                Verdict::NotOffered => write!(rows, " not offered |")?,
                Verdict::Wrong { n_wrong, first } => {
                    let of = entry.cases.len();
                    let count = if of == 1 { String::new() } else { format!(", {n_wrong} of {of}") };
                    write!(rows, " **wrong**{count} |")?;
                    writeln!(notes, "| {} | {} | {first} |", entry.thread, column.name)?;
                }
            }
        }
        rows.push('\n');
    }
    let mut page = String::from("# The corpus of public failures\n\n");
    let n_questions: usize = all.iter().map(|entry| entry.cases.len()).sum();
    writeln!(
        page,
        "{} failures that users of collision libraries have published, {n_questions} questions.\n\
         An entry is right if all answers are right. The questions are repeated with the bodies\n\
         exchanged, and for triangles with the corners in any order. `cargo xtask corpus` wrote this\n\
         page on {date}.\n\n\
         An answer is compared with the exact one for the input as it is stored. It is wrong if it\n\
         differs by more than a ten-thousandth of the largest coordinate of the question in `f32`, or a\n\
         ten-millionth in `f64`. A panic, a refusal, or no answer in ten seconds is wrong, too. The\n\
         tests of carom demand a millionth, and 1e-10. Contact points must lie on the surfaces, and\n\
         normals must have a length of 1. Boxes and trees are tested with the tree of the broad phase.\n",
        all.len()
    )?;
    write!(page, "| | version | right | of |\n|---|---|---|---|\n")?;
    for (i, column) in COLUMNS.iter().enumerate() {
        let package = column.name.split(',').next().unwrap_or_default();
        writeln!(page, "| {} | {} | {} | {} |", column.name, version(package), n_right[i], n_offered[i])?;
    }
    page.push_str(&rows);
    if !notes.is_empty() {
        write!(
            page,
            "\n## The first wrong answer of each\n\n| failure | library | answer |\n|---|---|---|\n{notes}"
        )?;
    }
    Ok((page, n_right[..2].iter().all(|n| *n == all.len())))
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().collect::<String>() + letters.as_str())
        .unwrap_or_default()
}

/// Returns the version of a package in the lock file.
fn version(package: &str) -> &'static str {
    const LOCK: &str = include_str!("../../Cargo.lock");
    let line = format!("name = \"{package}\"");
    let mut lines = LOCK.lines().skip_while(|l| *l != line).skip(1);
    lines.next().and_then(|l| l.strip_prefix("version = \"")?.strip_suffix('"')).unwrap_or("unknown")
}

/// Returns the exact answer in a word or two.
fn answer(entry: &Entry) -> String {
    let [case] = entry.cases.as_slice() else { return format!("{} questions", entry.cases.len()) };
    let number = |x: f64| if x == 0.0 { "0".to_string() } else { format!("{x:.6e}") };
    match (case, exact_answer(case, Precision::Double)) {
        (Case::Hull { corners: Some(0), .. }, _) => "no hull".to_string(),
        (Case::Hull { points, .. }, _) => format!("the hull of {} points", points.len()),
        (_, ExactAnswer::Distance(d)) if d < 0.0 => format!("depth {}", number(-d)),
        (_, ExactAnswer::Distance(d)) => format!("distance {}", number(d)),
        (_, ExactAnswer::Triangles { meets: true, .. }) => "they meet".to_string(),
        (_, ExactAnswer::Triangles { distance, .. }) => format!("distance {}", number(distance)),
        (_, ExactAnswer::Ray(Some(t))) => format!("t {}", number(t)),
        (_, ExactAnswer::Ray(None)) => "no hit".to_string(),
        (_, ExactAnswer::Pairs(pairs)) => format!("{} pairs", pairs.len()),
        (_, ExactAnswer::Hull) => String::new(),
    }
}

/// Runs all queries of the entry, each with a time limit. Returns the result.
fn verdict_of(entry: &Entry, column: &Column) -> Verdict {
    let tolerance = if column.precision == Precision::Single { 1e-4 } else { 1e-7 };
    let (mut n_wrong, mut n_offered, mut first) = (0, 0, None);
    let mut wrong = |why: String| {
        n_wrong += 1;
        first.get_or_insert(why);
    };
    for (i, case) in entry.cases.iter().enumerate() {
        let (sender, receiver) = mpsc::channel();
        let (question, query) = (case.clone(), column.query);
        std::thread::spawn(move || {
            // The receiver is gone because the answer is late.
            let _ = sender.send(catch_unwind(AssertUnwindSafe(|| query(&question))));
        });
        let which = if entry.cases.len() == 1 { String::new() } else { format!("question {}: ", i + 1) };
        match receiver.recv_timeout(PATIENCE) {
            Err(_) => {
                n_offered += 1;
                wrong(format!("{which}no answer in ten seconds"));
            }
            Ok(Err(panic)) => {
                n_offered += 1;
                wrong(format!("{which}panics: {}", message(&*panic)));
            }
            Ok(Ok(Err(Silence::NotOffered))) => {}
            Ok(Ok(Err(Silence::Refused(why)))) => {
                n_offered += 1;
                wrong(format!("{which}{why}"));
            }
            Ok(Ok(Ok(answers))) => {
                n_offered += 1;
                let judged = answers.iter().find_map(|a| judge(case, a, column.precision, tolerance).err());
                if let Some(why) = judged {
                    wrong(format!("{which}{why}"));
                }
            }
        }
    }
    match first {
        _ if n_offered == 0 => Verdict::NotOffered,
        None => Verdict::Right,
        Some(first) => Verdict::Wrong { n_wrong, first },
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a word");
    text.lines().next().unwrap_or_default().to_string()
}
