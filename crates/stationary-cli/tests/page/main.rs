//! `report.html` in a browser: what a reader sees and does with it.

mod chromium;

use chromium::{Browser, DESK, Seat};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder of its own for each test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("stationary-page-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// Runs a shipped scenario with some keys set; returns its page and its summary.
    fn run(&self, scenario: &str, set: &[&str]) -> (PathBuf, Value) {
        let out = self.0.join(scenario);
        let mut command = Command::new(env!("CARGO_BIN_EXE_stationary"));
        command.current_dir(&self.0).args(["run", scenario, "--out"]).arg(&out);
        set.iter().for_each(|s| {
            command.args(["--set", s]);
        });
        let done = command.output().unwrap();
        let summary = std::fs::read(out.join("summary.json"));
        let summary = summary.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&done.stderr)));
        (out.join("report.html"), serde_json::from_slice(&summary).unwrap())
    }

    fn browser(&self) -> Browser {
        Browser::start(&self.0.join("profile"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Functions for the checks, put into every page before its own scripts.
const EYES: &str = r#"
// The picture, drawn anew: the graphics processor forgets it after the frame.
window.picture = selector => new Promise(done => {
  const menu = document.querySelector(".scene-field");
  if (menu) menu.dispatchEvent(new Event("change"));
  requestAnimationFrame(() => {
    const from = document.querySelector(selector), to = document.createElement("canvas");
    to.width = from.width; to.height = from.height;
    const pen = to.getContext("2d");
    pen.drawImage(from, 0, 0);
    done(pen.getImageData(0, 0, to.width, to.height).data);
  });
});
// The part of pixels unlike that in the corner, and how many colours there are.
window.ink = async selector => {
  const data = await picture(selector), seen = new Set();
  let other = 0;
  for (let i = 0; i < data.length; i += 4) {
    if (Math.abs(data[i] - data[0]) + Math.abs(data[i + 1] - data[1]) + Math.abs(data[i + 2] - data[2]) + Math.abs(data[i + 3] - data[3]) > 24) other++;
    seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
  }
  return [4 * other / data.length, seen.size, data[0] + data[1] + data[2]];
};
// The part of pixels that something changes.
window.keep = async selector => { window.kept = await picture(selector); };
window.differs = async selector => {
  const before = window.kept, after = await picture(selector);
  let other = 0;
  for (let i = 0; i < before.length; i += 4) {
    if (Math.abs(before[i] - after[i]) + Math.abs(before[i + 1] - after[i + 1]) + Math.abs(before[i + 2] - after[i + 2]) + Math.abs(before[i + 3] - after[i + 3]) > 24) other++;
  }
  return 4 * other / before.length;
};
window.change = async (selector, act) => { await keep(selector); act(); return differs(selector); };
window.seek = (root, part) => {
  const slider = document.querySelector(root + " input[type=range]");
  slider.value = 10000 * part;
  slider.dispatchEvent(new Event("input"));
};
window.choose = (selector, value) => {
  const menu = document.querySelector(selector);
  menu.value = value;
  menu.dispatchEvent(new Event("change"));
};
window.press = (selector, key, shiftKey) =>
  document.querySelector(selector).dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, bubbles: true, cancelable: true }));
window.time = root => Number(document.querySelector(root + " output").textContent.slice(4));
// Clicks into a plot over time at a part of its width; returns the time there.
window.click = (title, part) => {
  const svg = [...document.querySelectorAll("svg[data-time]")].find(s => s.getAttribute("aria-label") === title);
  const [left, right, top, bottom, first, last] = svg.dataset.time.split(" ").map(Number), box = svg.getBoundingClientRect();
  const unit = box.width / svg.viewBox.baseVal.width;
  svg.dispatchEvent(new MouseEvent("click", { clientX: box.left + unit * (left + part * (right - left)), clientY: box.top + unit * (top + bottom) / 2 }));
  return first + part * (last - first);
};
// What the button of the page saves.
window.saved = () => new Promise(done => {
  URL.createObjectURL = blob => { blob.text().then(done); return "about:blank#"; };
  HTMLAnchorElement.prototype.click = () => {};
  document.querySelector(".tools button").click();
});
"#;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

fn near(a: f64, b: f64, relative: f64) -> bool {
    (a - b).abs() <= relative * b.abs()
}

/// Opens a page and sees that nothing is wrong with it.
fn open(browser: &mut Browser, page: &Path, seat: Seat) {
    browser.open(page, seat, EYES);
    browser.wait("[...document.querySelectorAll('.scene')].every(s => s.dataset.state)");
    assert_eq!(browser.faults(), Vec::<String>::new());
}

/// The y of a line of a plot, out of what the button saves.
fn line(saved: &str, plot: &str, series: &str) -> Vec<f64> {
    let head = format!("{plot},{series},");
    let rows = saved.lines().filter(|row| row.starts_with(&head));
    rows.filter_map(|row| row.rsplit(',').next()?.parse().ok()).collect()
}

fn largest(values: &[f64]) -> f64 {
    assert!(!values.is_empty());
    values.iter().fold(0.0, |most, y| f64::max(most, y.abs()))
}

/// Plots and tables carry the numbers of the summary.
fn tells_the_summary(browser: &mut Browser, summary: &Value) {
    let saved = browser.eval("saved()");
    let saved = saved.as_str().unwrap();
    assert!(saved.starts_with("plot,series,along,x,y\n"));
    let error = number(&summary["energy"]["max_relative_error"]);
    let drawn = largest(&line(saved, "Energy error", "relative error"));
    assert!(near(drawn, error, 1e-9), "plot {drawn}, summary {error}");
    let table = browser.eval("[...document.querySelectorAll('td')].map(c => c.textContent).join(' ')");
    let told = format!("relative error {error:.1e}");
    assert!(table.as_str().unwrap().contains(&told), "{told} in {table}");
    let words = browser.eval("document.querySelector('.words').textContent");
    assert!(words.as_str().unwrap().contains("energy"), "{words}");
}

/// A click into a plot moves the picture there, and all plots mark the moment.
fn is_linked(browser: &mut Browser, root: &str, plot: &str) {
    let wanted = number(&browser.eval(&format!("click('{plot}', 0.4)")));
    browser.eval(&format!("picture('{root} canvas').then(() => 0)"));
    let shown = number(&browser.eval(&format!("time('{root}')")));
    // A click is at a whole pixel.
    assert!(near(shown, wanted, 1e-2), "{shown} for {wanted}");
    let marks = browser.eval("[...document.querySelectorAll('.sp-now')].filter(m => m.getAttribute('visibility') === 'visible').length");
    assert!(number(&marks) >= 1.0, "{marks} marks");
    let place = "Number(document.querySelector('.sp-now').getAttribute('x1'))";
    let before = browser.eval(place);
    browser.eval(&format!("seek('{root}', 0.9); picture('{root} canvas').then(() => 0)"));
    let after = browser.eval(place);
    assert!(number(&after) > number(&before) + 10.0, "{before} {after}");
}

#[test]
fn report_page_animates_and_colours_a_solid_and_shows_its_values() {
    let folder = Folder::new("solid");
    let (page, summary) =
        folder.run("l-beam", &["end=0.0004", "output.rows=40", "output.frames=0", "observe=local_energy"]);
    assert!(std::fs::metadata(&page).unwrap().len() < 15_000_000);
    let mut browser = folder.browser();
    let browser = &mut browser;
    open(browser, &page, DESK);
    assert_eq!(browser.eval("document.querySelector('.scene').dataset.state"), json!("on"));

    // Drawn, in many colours; and nothing plays where less motion is asked for.
    let ink = browser.eval("ink('.scene canvas')");
    assert!(number(&ink[0]) > 0.02 && number(&ink[1]) > 50.0, "{ink}");
    assert_eq!(browser.eval("document.querySelector('.scene-play').textContent"), json!("Play"));

    // What changes the picture, and what must not.
    let still = browser.eval("change('.scene canvas', () => {})");
    assert_eq!(still, json!(0));
    for act in [
        "seek('.scene', 0.7)",
        "choose('.scene-field', '2')",
        "choose('.scene-field', '4')",
        "choose('.scene-range', 'now')",
        "press('.scene canvas', 'ArrowRight', true)",
        "press('.scene canvas', '+', false)",
        "document.querySelector('.scene-mesh').click()",
        "press('.scene canvas', 'ArrowLeft', false)",
    ] {
        let part = browser
            .eval(&format!("choose('.scene-range', 'run'), change('.scene canvas', () => {{ {act} }})"));
        // A step to the next moment moves little.
        let enough = if act.contains("ArrowLeft") { 1e-5 } else { 1e-3 };
        assert!(number(&part) > enough || act.contains("range"), "{act} changes {part}");
    }
    // A mouse, and two fingers.
    let reset = "document.querySelector('.scene-reset').click(); document.querySelector('.scene').scrollIntoView(); keep('.scene canvas')";
    let middle = "(b => [b.x + b.width / 2, b.y + b.height / 2])(document.querySelector('.scene canvas').getBoundingClientRect())";
    browser.eval(reset);
    let at = browser.eval(middle);
    let at = [number(&at[0]), number(&at[1])];
    browser.drag(at, [60.0, 25.0]);
    let turned = browser.eval("differs('.scene canvas')");
    assert!(number(&turned) > 1e-3, "a drag changes {turned}");
    browser.eval(reset);
    browser.pinch(at, [60.0, 120.0]);
    let zoomed = browser.eval("differs('.scene canvas')");
    assert!(number(&zoomed) > 1e-3, "two fingers change {zoomed}");
    browser.eval(reset);
    let ink = |browser: &mut Browser| number(&browser.eval("ink('.scene canvas')")[0]);
    let (before, focused) =
        (ink(browser), "document.querySelector('.scene canvas').focus({ preventScroll: true })");
    browser.eval(focused);
    browser.wheel(at, 400.0);
    let after = ink(browser);
    assert!(after < 0.8 * before, "the wheel leaves {after} of {before}");

    let fields = browser.eval("[...document.querySelector('.scene-field').options].map(o => o.text)");
    for field in [
        "displacement",
        "speed",
        "stress (von Mises)",
        "local energy residual, relative",
        "log10 of element step",
        "log10 of updates in all",
    ] {
        assert!(fields.as_array().unwrap().contains(&json!(field)), "{field} in {fields}");
    }

    // The legend of steps has those of the summary.
    browser.eval(
        "choose('.scene-field', '4'); choose('.scene-range', 'run'); picture('.scene canvas').then(() => 0)",
    );
    let ends =
        browser.eval("[...document.querySelectorAll('.scene-ticks span')].map(s => Number(s.textContent))");
    let step = |which: &str| number(&summary["avi"]["step"][which]).log10();
    assert!((step("min")..=step("max")).contains(&(number(&ends[1]))), "{ends}");
    assert!(near(number(&ends[0]), step("min"), 0.1) && number(&ends[2]) > number(&ends[0]), "{ends}");

    tells_the_summary(browser, &summary);
    is_linked(browser, ".scene", "Energy error");
    assert_eq!(browser.faults(), Vec::<String>::new());
}

#[test]
fn report_page_colour_scale_is_monotonic_in_lightness_for_every_kind_of_colour_vision() {
    let folder = Folder::new("colours");
    let (page, _) = folder.run("bar-wave", &["end=length/c/10"]);
    let mut browser = folder.browser();
    let browser = &mut browser;
    open(browser, &page, DESK);
    let shades = "[...getComputedStyle(document.querySelector('.scene-map')).backgroundImage.matchAll(/rgb\\((\\d+), (\\d+), (\\d+)\\)/g)].map(m => m.slice(1).map(Number))";
    // Brightness as the eye weighs it, and as an eye without red or green cones does, roughly.
    let bright = |c: &Value, weights: [f64; 3]| -> f64 {
        (0..3).map(|i| weights[i] * (number(&c[i]) / 255.0).powf(2.2)).sum()
    };
    let colours = browser.eval(shades);
    let colours = colours.as_array().unwrap();
    assert!(colours.len() > 10);
    for weights in [[0.21, 0.72, 0.07], [0.0, 0.93, 0.07], [0.75, 0.18, 0.07]] {
        let steps: Vec<f64> =
            colours.windows(2).map(|c| bright(&c[1], weights) - bright(&c[0], weights)).collect();
        assert!(steps.iter().all(|s| *s > 0.0), "{weights:?}: {steps:?}");
    }
    // What has a sign, such as the force of a bar: the middle is palest, both ends are dark.
    browser.eval("choose('.scene-field', '2'); picture('.scene canvas').then(() => 0)");
    let signed = browser.eval(shades);
    let signed = signed.as_array().unwrap();
    let light: Vec<f64> = signed.iter().map(|c| bright(c, [0.21, 0.72, 0.07])).collect();
    let middle = light.len() / 2;
    assert!(light[..=middle].is_sorted() && light[middle..].iter().rev().is_sorted(), "{light:?}");
    assert!(light[middle] > light[0] + 0.4 && light[middle] > light[light.len() - 1] + 0.4, "{light:?}");
}

#[test]
fn report_page_fits_small_screens_and_dark_mode_and_respects_reduced_motion() {
    let folder = Folder::new("phone");
    let (page, _) = folder.run("block", &["end=0.0005"]);
    let mut browser = folder.browser();
    let browser = &mut browser;
    open(browser, &page, Seat { width: 390, dark: true, calm: false });
    let overhang = browser.eval("document.scrollingElement.scrollWidth - innerWidth");
    assert!(number(&overhang) <= 0.0, "{overhang} pixels to the side");
    let ink = browser.eval("ink('.scene canvas')");
    assert!(number(&ink[0]) > 0.02 && number(&ink[2]) < 150.0, "drawn on dark: {ink}");
    // It plays by itself.
    let began = browser.eval("time('.scene')");
    browser.wait(&format!("time('.scene') !== {began}"));
    browser.eval("press('.scene canvas', ' ', false)");
    assert_eq!(browser.eval("document.querySelector('.scene-play').textContent"), json!("Play"));
    assert_eq!(browser.faults(), Vec::<String>::new());

    // Without WebGL a sentence takes the place of the picture, and the plots are there.
    let without = "const get = HTMLCanvasElement.prototype.getContext; \
        HTMLCanvasElement.prototype.getContext = function (kind, o) { return kind === 'webgl2' ? null : get.call(this, kind, o); };";
    browser.open(&page, DESK, without);
    browser.wait("document.querySelector('.scene').dataset.state === 'none'");
    let said = browser.eval("document.querySelector('.scene').innerText");
    assert!(said.as_str().unwrap().contains("no WebGL 2"), "{said}");
    assert!(number(&browser.eval("document.querySelectorAll('svg.sp').length")) > 3.0);
    assert_eq!(browser.eval("document.querySelector('.scene-view').offsetHeight"), json!(0));
    assert_eq!(browser.faults(), Vec::<String>::new());
}

#[test]
fn report_page_links_the_animation_to_the_plots() {
    let folder = Folder::new("film");
    let (page, summary) = folder.run("pendulum", &["end=5"]);
    let mut browser = folder.browser();
    let browser = &mut browser;
    open(browser, &page, DESK);
    let ink = browser.eval("ink('.film canvas')");
    assert!(number(&ink[0]) > 0.001 && number(&ink[1]) > 5.0, "{ink}");
    let part = browser.eval("change('.film canvas', () => seek('.film', 0.1))");
    assert!(number(&part) > 1e-3, "the slider changes {part}");
    tells_the_summary(browser, &summary);
    is_linked(browser, ".film", "Energy error");
    assert_eq!(browser.faults(), Vec::<String>::new());
}

#[test]
fn report_page_without_animation_still_has_its_data() {
    let folder = Folder::new("formula");
    let (page, summary) = folder.run("kepler", &["end=20"]);
    let mut browser = folder.browser();
    let browser = &mut browser;
    open(browser, &page, DESK);
    assert_eq!(browser.eval("document.querySelectorAll('canvas, .sp-now').length"), json!(0));
    tells_the_summary(browser, &summary);
    let text = browser.eval("document.querySelector('details pre').textContent");
    assert!(text.as_str().unwrap().contains("# changed by --set end=20"), "{text}");
    assert_eq!(browser.faults(), Vec::<String>::new());
}

/// The checks above see what they look for.
#[test]
fn report_page_test_detects_a_broken_page() {
    let folder = Folder::new("broken");
    let page = folder.0.join("page.html");
    let html = "<!DOCTYPE html><canvas width=50 height=50></canvas><img src=\"http://stationary.invalid/x.png\">\
        <script>console.error('one'); setTimeout(() => { throw new Error('two'); });</script>";
    std::fs::write(&page, html).unwrap();
    let mut browser = folder.browser();
    browser.open(&page, DESK, EYES);
    let faults = browser.faults().join("\n");
    for part in ["\"one\"", "two", "asked for http://stationary.invalid/x.png"] {
        assert!(faults.contains(part), "{part} in {faults}");
    }
    assert_eq!(browser.eval("ink('canvas')"), json!([0, 1, 0]));
    assert_eq!(browser.eval("change('canvas', () => {})"), json!(0));
    let painted =
        "change('canvas', () => document.querySelector('canvas').getContext('2d').fillRect(0, 0, 25, 50))";
    assert_eq!(browser.eval(painted), json!(0.5));
}
