// The player: moments, controls, legend.
var root = document.currentScript.parentNode, view = {}, camera, mesh, data, style = {};
var scene = JSON.parse(root.querySelector("script[type='application/json']").textContent);
function one(selector) { return root.querySelector(selector); }
var canvas = one("canvas"), over = one(".scene-over"), pen = over.getContext("2d");
var seek = one("input[type=range]"), speed = one(".scene-speed");
var chosen = one(".scene-field"), ranges = one(".scene-range"), factor = one(".scene-factor");
var mode = one(".scene-mode");
var lines = one(".scene-mesh"), atRest = one(".scene-rest");
var now = scene.start, duration = scene.end - scene.start, stale = true;
var player = stationary.player(root, advance, draw), later = player.later, play = player.play;
player.ready = false;

function fail(why) {
  root.dataset.state = "none";
  one(".scene-none").textContent = "The moving picture is not shown: " + why + " The plots below need nothing of this.";
}

// Numbers as they were packed: differences, compressed.
function words(bytes) {
  var all = new Uint32Array(bytes.buffer, 0, bytes.length / 4), last = 0;
  for (var i = 0; i < all.length; i++) all[i] = last = (last + all[i]) >>> 0;
  return all;
}
function load() {
  var parts = ["points", "corners", "ends", "owners", "sides"].map(function (name) { return stationary.inflate(scene[name]); });
  parts = parts.concat(scene.values.map(function (v) { return stationary.inflate(v.data); }));
  parts = parts.concat(scene.frames.map(function (f) { return stationary.inflate(f[2]); }));
  return Promise.all(parts).then(function (all) {
    data = { nodes: scene.nodes, elements: scene.elements, triangles: scene.triangles, bars: scene.bars,
      points: new Float32Array(all[0].buffer, 0, 3 * scene.nodes), corners: words(all[1]), ends: words(all[2]), owners: words(all[3]) };
    for (var i = 0; i < data.owners.length; i++) data.owners[i] = 8 * data.owners[i] + (i < scene.triangles ? all[4][i] : 0);
    data.outline = outline(data);
    data.fixed = all.slice(5, 5 + scene.values.length);
    data.frames = all.slice(5 + scene.values.length);
    scene.frames.forEach(function (f) { f.length = 2; });
  });
}

// Displacements of a moment, three numbers a node.
function displacements(k, into) {
  var n = data.nodes, bytes = data.frames[k], own = scene.frames[k][1];
  for (var c = 0; c < 3; c++) {
    var lo = own[c][0], unit = (own[c][1] - lo) / 65535, code = 0, upper = 2 * c * n, lower = upper + n;
    for (var a = 0; a < n; a++) {
      code = (code + (bytes[upper + a] << 8) + bytes[lower + a]) & 65535;
      into[3 * a + c] = lo + unit * code;
    }
  }
  return into;
}
// Values of a field that changes in time; `f` counts from 0.
function values(k, f, into) {
  var at = 6 * data.nodes, own = scene.frames[k][1][3 + f], i;
  for (i = 0; i < f; i++) at += scene.fields[i].nodal ? data.nodes : data.elements;
  return decode(data.frames[k], at, scene.fields[f].nodal ? data.nodes : data.elements, own, into);
}
function decode(bytes, at, count, own, into) {
  var unit = (own[1] - own[0]) / 254;
  for (var i = 0; i < count; i++) into[i] = bytes[at + i] === 255 ? NOTHING : own[0] + unit * bytes[at + i];
  return into;
}

// What the body reaches in all moments, and its largest displacement.
function measure() {
  var p = data.points, u = new Float32Array(3 * data.nodes), bounds = [], largest = 0;
  for (var c = 0; c < 3; c++) bounds.push([Infinity, -Infinity]);
  for (var k = -1; k < data.frames.length; k++) {
    if (k >= 0) displacements(k, u);
    for (var a = 0; a < data.nodes; a++) {
      for (c = 0; c < 3; c++) {
        var x = p[3 * a + c], d = u[3 * a + c], back = scene.modes ? -d : d;
        bounds[c][0] = Math.min(bounds[c][0], x + d, x + back);
        bounds[c][1] = Math.max(bounds[c][1], x + d, x + back);
      }
      largest = Math.max(largest, u[3 * a] * u[3 * a] + u[3 * a + 1] * u[3 * a + 1] + u[3 * a + 2] * u[3 * a + 2]);
    }
  }
  data.bounds = bounds;
  data.largest = Math.sqrt(largest);
  data.radius = Math.hypot.apply(null, bounds.map(function (b) { return b[1] - b[0]; })) || 1;
}

// The moment before a time, the next, and the weight between them.
function frameAt(t) {
  var lo = 0, hi = scene.frames.length - 1;
  while (hi - lo > 1) {
    var m = (lo + hi) >> 1;
    if (scene.frames[m][0] <= t) lo = m; else hi = m;
  }
  return lo;
}
function mix(t) {
  if (scene.modes) return [Number(mode.value), Number(mode.value), 0];
  var k = frameAt(t), next = Math.min(k + 1, scene.frames.length - 1), gap = scene.frames[next][0] - scene.frames[k][0];
  return [k, next, gap > 0 ? Math.min(Math.max((t - scene.frames[k][0]) / gap, 0), 1) : 0];
}
var spare = {};
function between(name, fill, count, at, into) {
  var a = spare[name + "a"] || (spare[name + "a"] = new Float32Array(count)), w = at[2];
  var b = spare[name + "b"] || (spare[name + "b"] = new Float32Array(count));
  fill(at[0], a);
  if (w > 0) fill(at[1], b);
  for (var i = 0; i < count; i++) into[i] = w > 0 && a[i] > -1e38 ? (b[i] > -1e38 ? a[i] + w * (b[i] - a[i]) : NOTHING) : a[i];
}

// The range of values; without a part of them at both ends.
function rangeNow(all, without) {
  var known = all.filter(function (x) { return x > -1e38; });
  if (!known.length) return [0, 0];
  if (without) {
    known.sort();
    var cut = Math.floor(without * known.length);
    return [known[cut], known[known.length - 1 - cut]];
  }
  return known.reduce(function (r, x) { return [Math.min(r[0], x), Math.max(r[1], x)]; }, [Infinity, -Infinity]);
}

// Takes the chosen field at the chosen time to the graphics processor; returns how to colour it.
function prepare() {
  var at = mix(now), u = mesh.shift.room, out = mesh.values.room, field = Number(chosen.value) - 1, i;
  between("u", displacements, 3 * data.nodes, at, u);
  // A mode swings like a sine; the seek bar is its period.
  if (scene.modes) for (i = 0; i < u.length; i++) u[i] *= Math.sin(2 * Math.PI * now);
  mesh.fill(mesh.shift, u);
  var about = { name: "displacement", nodal: true, signed: false }, range = [0, data.largest], count = data.nodes;
  if (field < 0) {
    for (i = 0; i < count; i++) out[i] = Math.hypot(u[3 * i], u[3 * i + 1], u[3 * i + 2]);
  } else if (field < scene.fields.length) {
    about = scene.fields[field];
    count = about.nodal ? data.nodes : data.elements;
    between("v" + field, function (k, into) { values(k, field, into); }, count, at, out);
    range = scene.frames.reduce(function (r, f) {
      return [Math.min(r[0], f[1][3 + field][0]), Math.max(r[1], f[1][3 + field][1])];
    }, [0, 0]);
  } else {
    about = scene.fixed[field - scene.fields.length];
    count = data.elements;
    range = scene.values[field - scene.fields.length].range;
    decode(data.fixed[field - scene.fields.length], 0, count, range, out);
  }
  if (ranges.value !== "run") range = rangeNow(out.subarray(0, count), ranges.value === "most" ? 0.02 : 0);
  if (about.signed) { var most = Math.max(Math.abs(range[0]), Math.abs(range[1])); range = [-most, most]; }
  mesh.fill(mesh.values, out);
  return { about: about, range: range, map: about.signed ? "signed" : "plain" };
}

var shown = null, legendText = "";
function legend() {
  var marks = one(".scene-ticks").children, r = shown.range, cut = ranges.value === "most" ? ["≤ ", "", "≥ "] : ["", "", ""];
  var text = [shown.about.name, r[0], r[1], shown.map, cut[0]].join();
  if (text === legendText) return;
  legendText = text;
  one(".scene-name").textContent = shown.about.name;
  one(".scene-map").style.background = r[1] > r[0] ? gradient(shown.map) : "rgb(" + shades(shown.map, 3).subarray(4, 7).join() + ")";
  [r[0], (r[0] + r[1]) / 2, r[1]].forEach(function (x, k) {
    marks[k].textContent = k === 1 && !(r[1] > r[0]) ? "" : cut[k] + stationary.digits(x, r[1] - r[0]);
  });
}

function layout() {
  var wide = canvas.parentNode.clientWidth, dots = Math.min(window.devicePixelRatio || 1, 2);
  if (!wide || !mesh) return;
  var size = camera.extent(), high = wide * size[1] / size[0] + 60 || 0;
  high = Math.round(Math.min(Math.max(high, 0.25 * wide, 220), Math.max(0.52 * wide, 280), 0.62 * window.innerHeight));
  canvas.style.height = over.style.height = high + "px";
  [canvas, over].forEach(function (c) { c.width = Math.round(wide * dots); c.height = Math.round(high * dots); });
  view = { width: wide, height: high, dots: dots };
  draw();
}

// A length to compare with, and the directions.
function ruler() {
  pen.setTransform(view.dots, 0, 0, view.dots, 0, 0);
  pen.clearRect(0, 0, view.width, view.height);
  var length = view.width / 5 / view.scale, power = Math.pow(10, Math.floor(Math.log10(length))), lead = length / power;
  var round = (lead >= 5 ? 5 : lead >= 2 ? 2 : 1) * power, y = view.height - 8;
  pen.strokeStyle = pen.fillStyle = style.muted;
  pen.lineWidth = 1;
  pen.font = "11px system-ui, sans-serif";
  pen.textAlign = "left";
  pen.beginPath();
  pen.moveTo(10, y - 4); pen.lineTo(10, y); pen.lineTo(10 + round * view.scale, y); pen.lineTo(10 + round * view.scale, y - 4);
  pen.stroke();
  pen.fillText(String(Number(round.toPrecision(2))), 14, y - 4);
  if (Number(factor.value) !== 1) pen.fillText("displacements ×" + factor.value, 10, 18);
  pen.textAlign = "center";
  ["x", "y", "z"].forEach(function (name, i) {
    var dx = view.axes[0][i], dy = view.axes[1][i], cx = view.width - 34, cy = view.height - 32;
    pen.beginPath(); pen.moveTo(cx, cy); pen.lineTo(cx + 18 * dx, cy - 18 * dy); pen.stroke();
    if (Math.hypot(dx, dy) > 0.15) pen.fillText(name, cx + 26 * dx, cy - 26 * dy + 4);
  });
}

function draw() {
  if (!view.width) return;
  if (stale) { shown = prepare(); stale = false; }
  view.axes = camera.axes();
  view.target = camera.target;
  view.scale = camera.scale(view.width, view.height);
  view.depth = 0.4 / (data.radius * Math.max(1, Number(factor.value)));
  mesh.draw(view, { paper: style.paper, ink: style.line, range: shown.range, map: shown.map, nodal: shown.about.nodal,
    mesh: lines.checked, rest: atRest.checked, factor: Number(factor.value) });
  legend();
  ruler();
  player.show(now, duration > 0 ? (now - scene.start) / duration : 0, duration);
}

function advance(seconds) {
  now += seconds * speed.value;
  if (now > scene.end) now = duration > 0 ? scene.start + (now - scene.start) % duration : scene.start;
  stale = true;
}
function go(t) {
  now = Math.min(Math.max(t, scene.start), scene.end);
  stale = true;
  later();
}
function colours() {
  var css = getComputedStyle(root);
  function rgbOf(name) {
    pen.fillStyle = css.getPropertyValue(name).trim() || "#888";
    return [1, 3, 5].map(function (i) { return parseInt(pen.fillStyle.substr(i, 2), 16) / 255; });
  }
  style = { muted: css.getPropertyValue("--muted").trim(), paper: rgbOf("--paper"), line: rgbOf("--muted") };
  later();
}

function controls() {
  seek.oninput = function () { play(false); go(scene.start + seek.value / 10000 * duration); };
  chosen.onchange = ranges.onchange = function () { stale = true; later(); };
  if (mode) mode.onchange = function () { stale = true; later(); };
  factor.onchange = lines.onchange = atRest.onchange = later;
  one(".scene-reset").onclick = function () { camera.reset(); later(); };
  stationary.hear(root, function (t) { player.heard(t); play(false); go(t); });
  root.addEventListener("keydown", function (e) {
    var on = e.target === canvas, arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
    if (e.key === " " && (on || e.target === seek)) play(!player.playing);
    else if (!on) return;
    else if (arrow && e.shiftKey) camera.turn(0.1 * arrow[0], 0.1 * arrow[1]);
    else if (arrow && arrow[0]) step(arrow[0]);
    else if (e.key === "+" || e.key === "=") camera.zoomBy(1.2);
    else if (e.key === "-") camera.zoomBy(1 / 1.2);
    else if (e.key === "0") camera.reset();
    else return;
    e.preventDefault();
    later();
  });
  pointers();
}
// To the next moment, or the one before.
function step(by) {
  if (scene.modes) {
    mode.selectedIndex = Math.min(Math.max(mode.selectedIndex + by, 0), scene.modes - 1);
    if (!player.playing) now = 0.25;
    stale = true;
    return later();
  }
  var at = mix(now), k = by > 0 ? (at[2] < 1 ? at[0] + 1 : at[1] + 1) : (at[2] > 0 ? at[0] : at[0] - 1);
  play(false);
  go(scene.frames[Math.min(Math.max(k, 0), scene.frames.length - 1)][0]);
}

// One finger or button turns; two fingers, shift or another button shift and zoom.
function pointers() {
  var held = new Map();
  function middle() {
    var all = Array.from(held.values()), x = 0, y = 0;
    all.forEach(function (p) { x += p[0] / all.length; y += p[1] / all.length; });
    return { x: x, y: y, apart: all.length > 1 ? Math.hypot(all[0][0] - all[1][0], all[0][1] - all[1][1]) : 0 };
  }
  canvas.addEventListener("pointerdown", function (e) {
    held.set(e.pointerId, [e.clientX, e.clientY]);
    canvas.setPointerCapture(e.pointerId);
  });
  canvas.addEventListener("pointermove", function (e) {
    if (!held.has(e.pointerId)) return;
    var was = middle();
    held.set(e.pointerId, [e.clientX, e.clientY]);
    var is = middle(), dx = is.x - was.x, dy = is.y - was.y;
    if (held.size > 1 || e.shiftKey || e.buttons > 1) camera.pan(dx, dy, camera.scale(view.width, view.height));
    else camera.turn(dx / 150, -dy / 150);
    if (was.apart > 0 && is.apart > 0) camera.zoomBy(is.apart / was.apart);
    later();
  });
  ["pointerup", "pointercancel"].forEach(function (name) {
    canvas.addEventListener(name, function (e) { held.delete(e.pointerId); });
  });
  canvas.addEventListener("contextmenu", function (e) { e.preventDefault(); });
  canvas.addEventListener("wheel", function (e) {
    // A page that is scrolled past the picture must not be caught by it.
    if (document.activeElement !== canvas && !e.ctrlKey) return;
    e.preventDefault();
    camera.zoomBy(Math.exp(-e.deltaY * (e.deltaMode ? 0.05 : 0.0015)));
    later();
  }, { passive: false });
}

function start() {
  var gl = canvas.getContext("webgl2", { antialias: true, alpha: false });
  if (!gl) return fail("this browser has no WebGL 2, or it is switched off.");
  if (typeof DecompressionStream === "undefined") return fail("this browser is too old to unpack it.");
  load().then(function () {
    measure();
    var flat = data.bounds[2][1] - data.bounds[2][0] < 1e-6 * data.radius;
    camera = new Camera(data.bounds, flat);
    mesh = new Mesh(gl, data);
    player.ready = true;
    colours();
    controls();
    root.dataset.state = "on";
    // At rest a mode would not be seen.
    if (scene.modes) now = 0.25;
    layout();
    new ResizeObserver(function () {
      if (canvas.parentNode.clientWidth !== view.width) requestAnimationFrame(layout);
    }).observe(root);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", colours);
    canvas.addEventListener("webglcontextlost", function (e) { e.preventDefault(); play(false); player.ready = false; });
    canvas.addEventListener("webglcontextrestored", function () { mesh = new Mesh(gl, data); player.ready = stale = true; later(); });
    play(!matchMedia("(prefers-reduced-motion: reduce)").matches);
  }).catch(function (e) { fail("it cannot be drawn (" + e.message + ")."); });
}
start();
