//! The kinds of pictures. The page takes a faster one if frames are slow, a user's choice holds,
//! and all kinds show the same scene.

use crate::browser::point;
use crate::driver::Browser;
use crate::{open, state};
use serde_json::Value;

/// Chooses an option of a list, as a user does.
fn choose(browser: &mut Browser, list: &str, value: &str) {
    browser.value(&format!(
        "(e => {{ e.value = {value:?}; e.dispatchEvent(new Event('change')); }})(document.getElementById({list:?}))"
    ));
}

/// Without a graphics card, WebGL needs more than a frame for two thousand boxes. A user's choice
/// holds.
#[test]
fn slow_frames_lead_to_a_faster_picture() {
    let Some(mut browser) = open("scene=boxes&count=2000") else { return };
    assert_eq!(state(&mut browser)["pictureWish"], "automatic");
    browser.wait_for("['flat', 'coarse'].includes(testbed.state().picture)");
    for name in ["full", "plain", "coarse", "flat"] {
        choose(&mut browser, "picture", name);
        browser.value("new Promise(done => setTimeout(done, 3000))");
        let state = state(&mut browser);
        assert_eq!((&state["picture"], &state["pictureWish"]), (&Value::from(name), &Value::from(name)));
    }
    // A choice is kept in another scene, until it is automatic again.
    browser.press("#scenes button[data-scene='tower']");
    assert_eq!(state(&mut browser)["picture"], "flat");
    choose(&mut browser, "picture", "full");
    browser.press("#scenes button[data-scene='boxes']");
    choose(&mut browser, "picture", "automatic");
    browser.wait_for("['flat', 'coarse'].includes(testbed.state().picture)");
}

#[test]
fn an_address_chooses_the_picture() {
    let Some(mut browser) = open("scene=tower&steps=0&picture=coarse") else { return };
    let state = state(&mut browser);
    assert_eq!((state["picture"].as_str(), state["pictureWish"].as_str()), (Some("coarse"), Some("coarse")));
    assert_eq!(browser.value("document.getElementById('picture').value"), "coarse");
}

/// Runs a script on the choice of pictures, with its own clock and costs of pictures, and returns
/// the script's value. `play(seconds, busy)` lets frames pass, each with `busy` milliseconds
/// beside its picture.
fn simulate(browser: &mut Browser, script: &str) -> Value {
    browser.value(&format!(
        "(() => {{
            let now = 0, nMeasured = 0, nChanges = 0, costs = {{}};
            const renderer = {{ pictures: PICTURES, picture: PICTURES[0] }};
            const measure = picture => {{ nMeasured++; now += costs[picture.name]; return costs[picture.name]; }};
            const quality = makeQuality(renderer, {{ measure, changed: () => nChanges++ }});
            const play = (seconds, busy) => {{
                const end = now + 1000 * seconds;
                while (now < end) {{ now += Math.max(1000 / 60, busy + costs[renderer.picture.name]); quality.note(now, true, busy); }}
                return renderer.picture.name;
            }};
            const fast = {{ full: 3, plain: 2, flat: 9, coarse: 4 }}, slow = {{ full: 300, plain: 150, flat: 8, coarse: 4 }};
            {script}
        }})()"
    ))
}

#[test]
fn the_best_picture_that_is_fast_enough_is_taken() {
    let Some(mut browser) = open("scene=tower&steps=0") else { return };
    // The first picture is fast enough: it is measured once, and not changed.
    let stays = simulate(&mut browser, "costs = fast; return [play(600, 5), nMeasured, nChanges];");
    assert_eq!(stays, serde_json::json!(["full", 1, 0]));
    // The first is very slow: the flat one is taken within two seconds and stays. In ten minutes
    // at most ten pictures are measured.
    let falls =
        simulate(&mut browser, "costs = slow; return [play(2, 5), play(600, 5), nMeasured, nChanges];");
    assert_eq!(
        (&falls[0], &falls[1], &falls[3]),
        (&Value::from("flat"), &Value::from("flat"), &Value::from(1))
    );
    assert!(falls[2].as_u64().unwrap() <= 10, "{falls}");
    // The first is a little too slow: the others are tried one after the other.
    let steps = "costs = { full: 25, plain: 20, flat: 18, coarse: 4 }; return [play(10, 5), nChanges];";
    assert_eq!(simulate(&mut browser, steps), serde_json::json!(["coarse", 3]));
    // A picture that was slow only for a while is taken again.
    let returns = "costs = slow; play(2, 5); costs = fast; return [play(400, 5), nChanges];";
    assert_eq!(simulate(&mut browser, returns), serde_json::json!(["full", 3]));
    // If a step is slow, a faster picture would not help, so none is taken.
    let heavy = simulate(&mut browser, "costs = fast; return [play(60, 80), nChanges];");
    assert_eq!(heavy, serde_json::json!(["full", 0]));
    // Long intervals while the page rests do not count as slow frames.
    let rests = "costs = fast; for (let k = 0; k < 50; k++) { now += 500; quality.note(now, true, 0); now += 200; quality.note(now, false, 0); } return [renderer.picture.name, nMeasured];";
    assert_eq!(simulate(&mut browser, rests), serde_json::json!(["full", 0]));
}

/// Draws a kind of picture, and returns the colours, from 0 to 255, of its copy of 16 by 12
/// pixels.
fn parts_of(browser: &mut Browser, picture: &str) -> Vec<f64> {
    choose(browser, "picture", picture);
    let script = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => {
        const small = document.createElement('canvas'), context = small.getContext('2d');
        [small.width, small.height] = [16, 12];
        context.imageSmoothingQuality = 'high';
        context.drawImage(testbed.shown(), 0, 0, 16, 12);
        done([...context.getImageData(0, 0, 16, 12).data].filter((_, i) => i % 4 < 3));
    })))";
    browser.value(script).as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
}

/// Bodies, cloth, particles, meshes, walls and the floor are at the same places in each picture,
/// in about the same colours.
#[test]
fn all_pictures_show_the_same_scene() {
    let Some(mut browser) = open("scene=pyramid&count=8&steps=0&theme=light") else { return };
    for scene in ["pyramid", "cloth", "raft", "vehicle", "playground", "gas"] {
        browser.press(&format!("#scenes button[data-scene='{scene}']"));
        browser.value("testbed.steps(30).length");
        let full = parts_of(&mut browser, "full");
        let (low, high) = full.iter().fold((255.0_f64, 0.0_f64), |(a, b), x| (a.min(*x), b.max(*x)));
        assert!(low + 40.0 < high, "{scene}: nothing is seen");
        for picture in ["plain", "flat", "coarse"] {
            let other = parts_of(&mut browser, picture);
            let apart: Vec<f64> = full.iter().zip(&other).map(|(a, b)| (a - b).abs()).collect();
            let mean = apart.iter().sum::<f64>() / full.len() as f64;
            let most = apart.iter().fold(0.0_f64, |a, b| a.max(*b));
            println!("{scene}, {picture}: {mean:.1} apart, at most {most:.0}");
            assert!(mean < 5.0 && most < 50.0, "{scene}, {picture}: {mean} {most}");
        }
    }
}

/// A drag that begins on the flat picture pulls a body: its canvas takes no input.
#[test]
fn a_flat_picture_takes_the_pointer() {
    let Some(mut browser) = open("scene=pyramid&count=4&steps=5&picture=flat") else { return };
    let at = point(&browser.value("testbed.pixelOf(10)"));
    browser.mouse("mouseMoved", at);
    browser.mouse("mousePressed", at);
    assert!(!state(&mut browser)["held"].is_null(), "the top is held");
    browser.mouse("mouseReleased", at);
}
