//! A browser without a window that is driven over two pipes: messages of the Chrome DevTools
//! Protocol, separated by zero bytes. Its errors are texts.

use crate::chromium;
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
    /// Starts a browser with an empty page of this width and height. Its profile is a new folder,
    /// which is removed at the end.
    ///
    /// Errors: no browser is installed, or it does not answer.
    pub(crate) fn launch(profile: &Path, [width, height]: [u32; 2]) -> Result<Browser, String> {
        let program = chromium::program().ok_or("no Chromium is installed")?;
        // The shell makes the pipes of this process the descriptors 3 and 4 of the browser.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", "sh", program])
            .args(["--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--no-first-run"])
            // As in a browser without a graphics card: the processor computes WebGL, and the page
            // itself is composed without WebGL.
            .args(["--disable-gpu", "--enable-unsafe-swiftshader"])
            .args(["--disable-quic", "--disable-background-networking", "--disable-component-update"])
            .args(["--disable-sync", "--hide-scrollbars", "--force-color-profile=srgb"])
            .arg(format!("--window-size={width},{height}"))
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("{program}: {error}"))?;
        let (Some(to), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the browser has no pipes".to_owned());
        };
        let (sender, from) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(output).split(0) {
                let value = message.ok().and_then(|text| serde_json::from_slice(&text).ok());
                if value.is_none_or(|value: Value| sender.send(value).is_err()) {
                    break;
                }
            }
        });
        let mut browser = Browser { child, to, from, next_id: 0, session: None, profile: profile.to_owned() };
        let target = browser.try_call("Target.createTarget", json!({"url": "about:blank"}))?;
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let attached = browser.try_call("Target.attachToTarget", attach)?;
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        browser.try_resize([width, height])?;
        browser.try_call("Page.enable", json!({}))?;
        Ok(browser)
    }

    /// Gives the page another width and height.
    pub(crate) fn try_resize(&mut self, [width, height]: [u32; 2]) -> Result<(), String> {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.try_call("Emulation.setDeviceMetricsOverride", size).map(|_| ())
    }

    /// Calls a method of the protocol, and returns its result.
    pub(crate) fn try_call(&mut self, method: &str, parameters: Value) -> Result<Value, String> {
        self.next_id += 1;
        let mut message = json!({"id": self.next_id, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(format!("{message}\0").as_bytes()).map_err(|error| format!("{method}: {error}"))?;
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let answer = self.from.recv_timeout(left).map_err(|error| format!("{method}: {error}"))?;
            if answer["id"] == json!(self.next_id) {
                let error = &answer["error"];
                return if error.is_null() {
                    Ok(answer["result"].clone())
                } else {
                    Err(format!("{method}: {error}"))
                };
            }
        }
    }

    /// Evaluates an expression in the page, and returns its value.
    pub(crate) fn try_value(&mut self, expression: &str) -> Result<Value, String> {
        let request = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.try_call("Runtime.evaluate", request)?;
        let exception = &answer["exceptionDetails"];
        if exception.is_null() {
            Ok(answer["result"]["value"].clone())
        } else {
            Err(format!("{expression}: {exception}"))
        }
    }

    /// Waits until an expression is true. It may fail while a page is loaded.
    ///
    /// Errors: it does not become true within two minutes.
    pub(crate) fn wait_until(&mut self, expression: &str) -> Result<(), String> {
        let end = Instant::now() + PATIENCE;
        while self.try_value(expression) != Ok(json!(true)) {
            if end < Instant::now() {
                return Err(format!("never true: {expression}"));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}
