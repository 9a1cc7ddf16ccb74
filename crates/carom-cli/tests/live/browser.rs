//! A browser without a window that a test drives by real input events, over two pipes: messages of
//! the Chrome DevTools Protocol, separated by zero bytes.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// The longest wait for an answer: a software renderer on a busy machine is slow.
const PATIENCE: Duration = Duration::from_secs(120);

/// A browser with one page.
pub(crate) struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    next_id: u64,
    session: Option<String>,
    profile: PathBuf,
}

impl Browser {
    /// Opens a page of this width and height; `None`, with a printed line, where no browser is
    /// installed.
    pub(crate) fn open(address: &str, [width, height]: [u32; 2]) -> Option<Browser> {
        let program = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
        let Some(program) = program.iter().find(|path| Path::new(path).exists()) else {
            println!("skipped: no Chromium is installed");
            return None;
        };
        let name = format!("browser-{}-{:?}", std::process::id(), std::thread::current().id());
        let name: String = name.chars().filter(|c| c.is_alphanumeric() || *c == '-').collect();
        let profile = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        // The shell makes the pipes of this process the descriptors 3 and 4 of the browser.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", "sh", program])
            .args(["--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--no-first-run"])
            .args(["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"])
            .args(["--disable-quic", "--disable-background-networking", "--disable-component-update"])
            .args(["--disable-sync", "--hide-scrollbars", "--force-color-profile=srgb"])
            .arg(format!("--window-size={width},{height}"))
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (to, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, from) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(output).split(0) {
                let value = message.ok().and_then(|text| serde_json::from_slice(&text).ok());
                if value.is_none_or(|value: Value| sender.send(value).is_err()) {
                    break;
                }
            }
        });
        let mut browser = Browser { child, to, from, next_id: 0, session: None, profile };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = browser.call("Target.attachToTarget", attach)["sessionId"].as_str().unwrap().to_owned();
        browser.session = Some(session);
        browser.resize([width, height]);
        browser.call("Page.enable", json!({}));
        browser.call("Page.navigate", json!({"url": address}));
        Some(browser)
    }

    /// Gives the page another width and height.
    pub(crate) fn resize(&mut self, [width, height]: [u32; 2]) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Calls a method of the protocol, and returns its result.
    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.try_call(method, parameters).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// Calls a method, which may fail.
    fn try_call(&mut self, method: &str, parameters: Value) -> Result<Value, Value> {
        self.next_id += 1;
        let mut message = json!({"id": self.next_id, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let answer = self.from.recv_timeout(left).unwrap_or_else(|e| panic!("{method}: {e}"));
            if answer["id"] == json!(self.next_id) {
                let error = &answer["error"];
                return if error.is_null() { Ok(answer["result"].clone()) } else { Err(error.clone()) };
            }
        }
    }

    /// Evaluates an expression in the page, and returns its value.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        self.try_value(expression).unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    fn try_value(&mut self, expression: &str) -> Result<Value, Value> {
        let asked = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.try_call("Runtime.evaluate", asked)?;
        let exception = &answer["exceptionDetails"];
        if exception.is_null() { Ok(answer["result"]["value"].clone()) } else { Err(exception.clone()) }
    }

    /// Waits until an expression is true. It may fail while a page is loaded.
    pub(crate) fn wait_for(&mut self, expression: &str) {
        let end = Instant::now() + PATIENCE;
        while self.try_value(expression) != Ok(json!(true)) {
            assert!(Instant::now() < end, "never true: {expression}");
            std::thread::sleep(Duration::from_millis(50));
        }
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

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}
