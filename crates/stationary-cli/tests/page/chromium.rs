//! Chromium without a window, driven by the DevTools protocol over its pipe: JSON messages that end with a zero byte.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// What a slow, busy machine may take for one answer.
const PATIENCE: Duration = Duration::from_secs(600);

/// A browser of its own, with a profile of its own and no network.
pub struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    asked: u64,
    session: Option<String>,
    events: Vec<Value>,
}

/// How a page is looked at.
#[derive(Clone, Copy)]
pub struct Seat {
    pub width: u32,
    pub dark: bool,
    /// Whether the reader asks for less motion.
    pub calm: bool,
}

/// A wide, light screen on which nothing moves by itself.
pub const DESK: Seat = Seat { width: 1280, dark: false, calm: true };

fn program() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let all = std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name)));
    all.into_iter()
        .find(|file| file.is_file())
        .expect("the tests of the page need Chromium: install the package `chromium` (./test does)")
}

impl Browser {
    /// Starts it with this folder for its profile.
    pub fn start(profile: &Path) -> Self {
        // The protocol is spoken on the descriptors 3 and 4; a shell makes them from those that every child has.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null", "sh"])
            .arg(program())
            .args(["--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--no-first-run"])
            .args(["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"])
            .args(["--host-resolver-rules=MAP * ~NOTFOUND", "--disable-dev-shm-usage"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let to = child.stdin.take().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let (send, from) = channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while out.read_until(0, &mut message).is_ok_and(|n| n > 0) {
                message.pop();
                if serde_json::from_slice(&message).map(|m| send.send(m)).is_err() {
                    break;
                }
                message.clear();
            }
        });
        Browser { child, to, from, asked: 0, session: None, events: Vec::new() }
    }

    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.asked += 1;
        let mut message = json!({ "id": self.asked, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(message.to_string().as_bytes()).unwrap();
        self.to.write_all(&[0]).unwrap();
        self.to.flush().unwrap();
        loop {
            let answer = self.from.recv_timeout(PATIENCE).unwrap_or_else(|e| panic!("{method}: {e}"));
            match answer["id"] == json!(self.asked) {
                true if answer["error"].is_null() => return answer["result"].clone(),
                true => panic!("{method}: {}", answer["error"]),
                false => self.events.push(answer),
            }
        }
    }

    /// Opens a file in a new tab, after a script that runs before all others, and waits until the page has loaded.
    pub fn open(&mut self, file: &Path, seat: Seat, first: &str) {
        self.session = None;
        self.events.clear();
        let target = self.call("Target.createTarget", json!({ "url": "about:blank" }))["targetId"].clone();
        let attached = self.call("Target.attachToTarget", json!({ "targetId": target, "flatten": true }));
        self.session = attached["sessionId"].as_str().map(str::to_string);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            self.call(&format!("{domain}.enable"), json!({}));
        }
        let size =
            json!({ "width": seat.width, "height": 900, "deviceScaleFactor": 1, "mobile": seat.width < 600 });
        self.call("Emulation.setDeviceMetricsOverride", size);
        let media = json!({ "features": [
            { "name": "prefers-color-scheme", "value": if seat.dark { "dark" } else { "light" } },
            { "name": "prefers-reduced-motion", "value": if seat.calm { "reduce" } else { "no-preference" } },
        ] });
        self.call("Emulation.setEmulatedMedia", media);
        self.call("Page.addScriptToEvaluateOnNewDocument", json!({ "source": first }));
        self.call("Page.navigate", json!({ "url": format!("file://{}", file.display()) }));
        self.wait("document.readyState === 'complete' && location.protocol === 'file:'");
    }

    /// Waits until a formula of the page is true.
    pub fn wait(&mut self, condition: &str) {
        let began = Instant::now();
        while self.eval(condition) != json!(true) {
            assert!(began.elapsed() < PATIENCE, "never true: {condition}\n{:#?}", self.faults());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// The value of an expression in the page, of a promise when it is kept.
    pub fn eval(&mut self, script: &str) -> Value {
        let asked = json!({ "expression": script, "awaitPromise": true, "returnByValue": true });
        let answer = self.call("Runtime.evaluate", asked);
        assert!(answer["exceptionDetails"].is_null(), "{script}\n{}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// Drags with the left button.
    pub fn drag(&mut self, from: [f64; 2], by: [f64; 2]) {
        let mut mouse = |kind: &str, part: f64, buttons: u32| {
            let [x, y] = [0, 1].map(|i| from[i] + part * by[i]);
            let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", event);
        };
        mouse("mousePressed", 0.0, 1);
        mouse("mouseMoved", 0.5, 1);
        mouse("mouseMoved", 1.0, 1);
        mouse("mouseReleased", 1.0, 0);
    }

    /// Turns the wheel by so many pixels, towards the reader if positive.
    pub fn wheel(&mut self, at: [f64; 2], by: f64) {
        let event = json!({ "type": "mouseWheel", "x": at[0], "y": at[1], "deltaX": 0, "deltaY": by });
        self.call("Input.dispatchMouseEvent", event);
    }

    /// Moves two fingers from one distance to another.
    pub fn pinch(&mut self, at: [f64; 2], apart: [f64; 2]) {
        let mut touch = |kind: &str, apart: Option<f64>| {
            let finger = |side: f64, id: u32| json!({ "x": at[0] + side, "y": at[1], "id": id });
            let points = apart.map(|d| vec![finger(-0.5 * d, 0), finger(0.5 * d, 1)]).unwrap_or_default();
            self.call("Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": points }));
        };
        touch("touchStart", Some(apart[0]));
        touch("touchMove", Some(0.5 * (apart[0] + apart[1])));
        touch("touchMove", Some(apart[1]));
        touch("touchEnd", None);
    }

    /// What has gone wrong in the page so far: errors it wrote, exceptions, and whatever it asked of a network.
    pub fn faults(&self) -> Vec<String> {
        let fault = |event: &Value| {
            let p = &event["params"];
            match event["method"].as_str()? {
                "Runtime.exceptionThrown" => Some(p["exceptionDetails"].to_string()),
                "Runtime.consoleAPICalled" if p["type"] == "error" || p["type"] == "warning" => {
                    Some(p["args"].to_string())
                }
                "Log.entryAdded" if p["entry"]["level"] == "error" => Some(p["entry"].to_string()),
                "Network.requestWillBeSent" => {
                    let url = p["request"]["url"].as_str()?;
                    let inside = ["file:", "data:", "blob:", "about:"].iter().any(|own| url.starts_with(own));
                    (!inside).then(|| format!("asked for {url}"))
                }
                _ => None,
            }
        };
        self.events.iter().filter_map(fault).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
