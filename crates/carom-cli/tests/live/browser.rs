//! The actions of a user in a browser, as real input events.

use crate::driver::Browser;
use serde_json::{Value, json};
use std::path::Path;

impl Browser {
    /// Opens a page of this width and height; `None`, with a printed line, where no browser is
    /// installed.
    pub(crate) fn open(address: &str, size: [u32; 2]) -> Option<Browser> {
        crate::chromium::program()?;
        let name = format!("browser-{}-{:?}", std::process::id(), std::thread::current().id());
        let name: String = name.chars().filter(|c| c.is_alphanumeric() || *c == '-').collect();
        let profile = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let mut browser = Browser::launch(&profile, size).unwrap();
        browser.call("Page.navigate", json!({"url": address}));
        Some(browser)
    }

    /// Calls a method of the protocol, and returns its result.
    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.try_call(method, parameters).unwrap()
    }

    /// Evaluates an expression in the page, and returns its value.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        self.try_value(expression).unwrap()
    }

    /// Waits until an expression is true.
    pub(crate) fn wait_for(&mut self, expression: &str) {
        self.wait_until(expression).unwrap();
    }

    /// Sends a mouse event of the left button, or of none.
    pub(crate) fn mouse(&mut self, kind: &str, [x, y]: [f64; 2]) {
        let is_down = kind == "mousePressed" || kind == "mouseReleased";
        let button = if is_down { "left" } else { "none" };
        let event = json!({"type": kind, "x": x, "y": y, "button": button, "clickCount": i32::from(is_down), "buttons": 1});
        self.call("Input.dispatchMouseEvent", event);
    }

    /// Clicks a point.
    pub(crate) fn click(&mut self, at: [f64; 2]) {
        self.call("Input.dispatchMouseEvent", json!({"type": "mouseMoved", "x": at[0], "y": at[1]}));
        self.mouse("mousePressed", at);
        self.mouse("mouseReleased", at);
    }

    /// Returns the middle of the element that a selector finds, after scrolling it into view.
    pub(crate) fn middle(&mut self, selector: &str) -> [f64; 2] {
        let script = format!(
            "(() => {{ const e = document.querySelector({selector:?}); e.scrollIntoView({{block: 'nearest'}}); \
             const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; }})()"
        );
        point(&self.value(&script))
    }

    /// Clicks the element that a selector finds.
    pub(crate) fn press(&mut self, selector: &str) {
        let middle = self.middle(selector);
        self.click(middle);
    }

    /// Presses and releases a key.
    pub(crate) fn key(&mut self, key: &str) {
        let text = if key.len() == 1 { json!(key) } else { json!(null) };
        let mut down = json!({"type": "keyDown", "key": key});
        if !text.is_null() {
            down["text"] = text;
        }
        self.call("Input.dispatchKeyEvent", down);
        self.call("Input.dispatchKeyEvent", json!({"type": "keyUp", "key": key}));
    }

    /// Sends a touch event with these points; none at the end.
    pub(crate) fn touch(&mut self, kind: &str, points: &[[f64; 2]]) {
        let points: Vec<Value> = points.iter().map(|[x, y]| json!({"x": x, "y": y})).collect();
        self.call("Input.dispatchTouchEvent", json!({"type": kind, "touchPoints": points}));
    }

    /// Drops a file at a point.
    pub(crate) fn drop_file(&mut self, file: &Path, [x, y]: [f64; 2]) {
        let data = json!({"items": [], "files": [file], "dragOperationsMask": 1});
        for kind in ["dragEnter", "dragOver", "drop"] {
            self.call("Input.dispatchDragEvent", json!({"type": kind, "x": x, "y": y, "data": data}));
        }
    }
}

/// Reads a point from a list of two numbers.
pub(crate) fn point(value: &Value) -> [f64; 2] {
    [0, 1].map(|k| value[k].as_f64().unwrap_or_else(|| panic!("no point: {value}")))
}
