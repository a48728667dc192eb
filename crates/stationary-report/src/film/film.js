(function () {
"use strict";
var root = document.currentScript.parentNode;
var film = JSON.parse(root.querySelector("script[type='application/json']").textContent);
var canvas = root.querySelector("canvas"), pen = canvas.getContext("2d");
var seek = root.querySelector("input[type=range]"), speed = root.querySelector(".film-speed");
var range = root.querySelector(".film-range"), trails = root.querySelector("input[type=checkbox]");
var dim = film.space, count = film.frames, width = film.poses, ball = dim === 3;

// The numbers, in the order in which they were packed.
var text = atob(film.data), bytes = new Uint8Array(text.length), offset = 0;
for (var i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
function take(Kind, length) {
  var part = new Kind(bytes.buffer, offset, length);
  offset += length * Kind.BYTES_PER_ELEMENT;
  return part;
}
var turning = film.turning.length, duration = film.end - film.start;
var times = take(Float32Array, count), steps = take(Float32Array, count * turning);
var markTimes = take(Float32Array, film.marks);
var places = take(Uint16Array, count * width * dim), markPlaces = take(Uint16Array, film.marks * dim);
var angles = new Float64Array(count * turning);
for (i = 0; i < angles.length; i++) {
  angles[i] = steps[i] + (i < turning ? film.angles[film.turning[i]] || 0 : angles[i - turning]);
}

// The figures: where their poses begin, and of which colour they are.
var figures = [], first = 0;
film.figures.forEach(function (f) {
  var figure = { kind: f[0], colour: f[1], pose: first, r: f[2], b: f[3], points: null };
  if (f[0] === 2) figure.points = f[2];
  if (f[0] === 1 && ball) {
    figure.kind = 2;
    figure.points = [];
    for (var k = 0; k < 48; k++) {
      figure.points.push([f[2] * Math.cos(k * Math.PI / 24), f[3] * Math.sin(k * Math.PI / 24)]);
    }
  }
  first += f[0] === 3 ? 2 : 1;
  figures.push(figure);
});
var trailed = figures.filter(function (f) { return f.kind !== 3; }).slice(0, 6);
// Many figures are drawn colour by colour, which is faster.
var order = figures.slice();
if (order.length > 40) order.sort(function (a, b) { return a.colour - b.colour || a.pose - b.pose; });

// The state of the player. Times are parts of the whole.
var now = 0, player = stationary.player(root, advance, draw), later = player.later, play = player.play;
var end = part(film.open);
var azimuth = 0.6, elevation = 0.35, view = {}, style = {}, sprites = {};
var place = new Float64Array(width * 3), turn = new Float64Array(width);
var px = new Float64Array(width), py = new Float64Array(width), depth = new Float64Array(width);

function part(until) { return until === null || !(duration > 0) ? 1 : (until - film.start) / duration; }

function frameAt(t) {
  var lo = 0, hi = count - 1;
  while (hi - lo > 1) {
    var middle = (lo + hi) >> 1;
    if (times[middle] <= t) lo = middle; else hi = middle;
  }
  return lo;
}

// Places and angles at a time: straight lines from frame to frame.
function pose(t) {
  var k = frameAt(t), next = Math.min(k + 1, count - 1), gap = times[next] - times[k];
  var w = gap > 0 ? Math.min(Math.max((t - times[k]) / gap, 0), 1) : 1, j;
  for (j = 0; j < width; j++) {
    for (var c = 0; c < dim; c++) {
      var a = places[(k * width + j) * dim + c], b = places[(next * width + j) * dim + c];
      place[3 * j + c] = film.origin[c] + film.unit * (a + w * (b - a));
    }
    turn[j] = film.angles[j] || 0;
  }
  for (j = 0; j < turning; j++) {
    turn[film.turning[j]] = (1 - w) * angles[k * turning + j] + w * angles[next * turning + j];
  }
  for (j = 0; j < width; j++) {
    project(place[3 * j], place[3 * j + 1], place[3 * j + 2]);
    px[j] = out[0]; py[j] = out[1]; depth[j] = out[2];
  }
  return k;
}

var out = [0, 0, 0];
function project(x, y, z) {
  x -= view.middle[0]; y -= view.middle[1];
  if (!ball) {
    out[0] = view.x + view.scale * x; out[1] = view.y - view.scale * y; out[2] = 0;
    return;
  }
  z -= view.middle[2];
  var ahead = view.ca * x + view.sa * y;
  out[0] = view.x + view.scale * (view.ca * y - view.sa * x);
  out[1] = view.y - view.scale * (view.ce * z - view.se * ahead);
  out[2] = view.ce * ahead + view.se * z;
}

function layout() {
  var lo = film.bounds[0], hi = film.bounds[1], margin = 14;
  var wide = root.clientWidth, size = [hi[0] - lo[0], hi[1] - lo[1]];
  if (!wide) return;
  var most = Math.max(240, 0.72 * window.innerHeight);
  var high = ball ? 0.75 * wide : wide * size[1] / size[0];
  high = Math.round(Math.min(Math.max(high, 0.4 * wide, 200), 0.9 * wide, most));
  var dots = window.devicePixelRatio || 1;
  canvas.style.height = high + "px";
  canvas.width = Math.round(wide * dots);
  canvas.height = Math.round(high * dots);
  view.width = wide; view.height = high; view.dots = dots;
  view.x = wide / 2; view.y = high / 2;
  view.middle = [0, 1, 2].map(function (c) { return c < dim ? (lo[c] + hi[c]) / 2 : 0; });
  view.scale = ball ? (Math.min(wide, high) / 2 - margin) / film.radius
    : Math.min((wide - 2 * margin) / size[0], (high - 2 * margin - 12) / size[1]);
  sprites = {};
  aim();
  // At once: a new size has emptied the canvas.
  if (style.ink) draw();
}

function aim() {
  view.ca = Math.cos(azimuth); view.sa = Math.sin(azimuth);
  view.ce = Math.cos(elevation); view.se = Math.sin(elevation);
}

function colours() {
  var css = getComputedStyle(root);
  ["ink", "muted", "rule", "warn-rule", "c0", "c1", "c2", "c3", "c4", "c5", "c6"].forEach(function (name) {
    style[name] = css.getPropertyValue("--" + name).trim() || "#888";
  });
  sprites = {};
  later();
}
function ink(colour) { return colour < 0 ? style.ink : style["c" + colour]; }

// A shaded sphere, painted once for each colour.
function sprite(colour) {
  if (sprites[colour]) return sprites[colour];
  var s = document.createElement("canvas"), n = 128, p = s.getContext("2d"), light;
  s.width = s.height = n;
  p.beginPath(); p.arc(n / 2, n / 2, n / 2 - 1, 0, 7);
  p.fillStyle = ink(colour); p.fill();
  light = p.createRadialGradient(n * 0.36, n * 0.32, 0, n * 0.42, n * 0.4, n * 0.62);
  light.addColorStop(0, "rgba(255,255,255,.75)"); light.addColorStop(0.35, "rgba(255,255,255,.12)");
  light.addColorStop(0.65, "rgba(0,0,0,.12)"); light.addColorStop(1, "rgba(0,0,0,.6)");
  p.fillStyle = light; p.fill();
  return sprites[colour] = s;
}

function outline(points, j) {
  var c = Math.cos(turn[j]), s = Math.sin(turn[j]);
  for (var k = 0; k < points.length; k++) {
    var x = points[k][0], y = points[k][1];
    project(place[3 * j] + c * x - s * y, place[3 * j + 1] + s * x + c * y, place[3 * j + 2]);
    if (k) pen.lineTo(out[0], out[1]); else pen.moveTo(out[0], out[1]);
  }
  pen.closePath();
}

function trace(f) {
  var j = f.pose, r = Math.max(f.r * view.scale, 1.2), a = turn[j];
  if (f.kind === 0) {
    pen.moveTo(px[j] + r, py[j]);
    pen.arc(px[j], py[j], r, 0, 2 * Math.PI);
  } else if (f.kind === 1) {
    pen.moveTo(px[j] + r * Math.cos(a), py[j] - r * Math.sin(a));
    pen.ellipse(px[j], py[j], r, Math.max(f.b * view.scale, 1.2), -a, 0, 2 * Math.PI);
  } else if (f.kind === 2) {
    outline(f.points, j);
  } else {
    pen.moveTo(px[j], py[j]);
    pen.lineTo(px[j + 1], py[j + 1]);
  }
}

// Where a disc that turns shows its angle.
var spoked = {};
film.turning.forEach(function (j) { spoked[j] = true; });
function spoke(f) {
  var j = f.pose, r = f.r * view.scale;
  if (f.kind > 1 || !spoked[j] || r < 3) return;
  pen.moveTo(px[j], py[j]);
  pen.lineTo(px[j] + r * Math.cos(turn[j]), py[j] - r * Math.sin(turn[j]));
}

// A disc, painted once for each colour and size: of many this is several times faster than their outlines.
function painted(f) {
  var key = f.colour + " " + f.r;
  if (sprites[key]) return sprites[key];
  var r = Math.max(f.r * view.scale, 1.2), n = 2 * Math.ceil(r + 2), s = document.createElement("canvas");
  var p = s.getContext("2d");
  s.width = s.height = Math.ceil(n * view.dots);
  p.scale(view.dots, view.dots);
  p.beginPath(); p.arc(n / 2, n / 2, r, 0, 7);
  p.strokeStyle = p.fillStyle = ink(f.colour);
  p.lineWidth = 1.5;
  p.globalAlpha = r < 2.5 ? 1 : 0.38; p.fill();
  p.globalAlpha = 1; p.stroke();
  s.across = s.width / view.dots;
  return sprites[key] = s;
}

function flat() {
  var many = order.length > 40;
  for (var i = 0; i < order.length;) {
    var f = order[i], line = f.kind === 3, j = i;
    pen.beginPath();
    do {
      var g = order[j++];
      if (many && g.kind === 0) {
        var s = painted(g), half = Math.ceil(Math.max(g.r * view.scale, 1.2) + 2);
        pen.drawImage(s, px[g.pose] - half, py[g.pose] - half, s.across, s.across);
      } else trace(g);
    } while (many && j < order.length && order[j].colour === f.colour && (order[j].kind === 3) === line);
    pen.strokeStyle = pen.fillStyle = ink(f.colour);
    pen.lineWidth = line ? 2.5 : 1.5;
    if (!line) {
      pen.globalAlpha = 0.38;
      pen.fill();
      pen.globalAlpha = 1;
      for (var k = i; k < j; k++) spoke(order[k]);
    }
    pen.stroke();
    i = j;
  }
}

function deep() {
  function far(f) { return f.kind === 3 ? (depth[f.pose] + depth[f.pose + 1]) / 2 : depth[f.pose]; }
  order.sort(function (a, b) { return far(a) - far(b); });
  order.forEach(function (f) {
    if (f.kind === 0) {
      var r = Math.max(f.r * view.scale, 1.5);
      pen.drawImage(sprite(f.colour), px[f.pose] - r, py[f.pose] - r, 2 * r, 2 * r);
      return;
    }
    pen.beginPath();
    trace(f);
    pen.strokeStyle = pen.fillStyle = ink(f.colour);
    pen.lineWidth = f.kind === 3 ? 2.5 : 1.5;
    if (f.kind !== 3) { pen.globalAlpha = 0.38; pen.fill(); pen.globalAlpha = 1; }
    pen.stroke();
  });
}

function behind() {
  pen.strokeStyle = style.muted;
  pen.lineWidth = 1.5;
  film.backdrop.forEach(function (b) {
    pen.beginPath();
    b[1].forEach(function (p, k) {
      project(p[0], p[1], p[2]);
      if (k) pen.lineTo(out[0], out[1]); else pen.moveTo(out[0], out[1]);
    });
    if (b[0]) pen.closePath();
    pen.stroke();
  });
}

// The ways of the first figures over the last seconds of play, fading.
function trail(k) {
  var since = now - share(3), from = k;
  while (from > 0 && times[from] > since && k - from < 600) from--;
  pen.lineWidth = 1.5;
  trailed.forEach(function (f) {
    pen.strokeStyle = ink(f.colour);
    for (var part = 0; part < 6; part++) {
      var a = from + Math.floor((k - from) * part / 6), b = from + Math.floor((k - from) * (part + 1) / 6);
      pen.globalAlpha = 0.12 + 0.1 * part;
      pen.beginPath();
      for (var q = a; q <= b; q++) {
        var at = (q * width + f.pose) * dim;
        project(film.origin[0] + film.unit * places[at], film.origin[1] + film.unit * places[at + 1],
          ball ? film.origin[2] + film.unit * places[at + 2] : 0);
        if (q > a) pen.lineTo(out[0], out[1]); else pen.moveTo(out[0], out[1]);
      }
      if (part === 5) pen.lineTo(px[f.pose], py[f.pose]);
      pen.stroke();
    }
    pen.globalAlpha = 1;
  });
}

// Seconds of play as a part of the whole.
function share(seconds) { return duration > 0 ? seconds * speed.value / duration : 1; }

function flashes() {
  var shown = share(0.35), lo = 0, hi = film.marks;
  while (lo < hi) { var m = (lo + hi) >> 1; if (markTimes[m] <= now) lo = m + 1; else hi = m; }
  pen.strokeStyle = pen.fillStyle = style["warn-rule"];
  pen.lineWidth = 2;
  for (var k = lo - 1; k >= 0 && lo - k < 250; k--) {
    var age = (now - markTimes[k]) / shown;
    if (age > 1) break;
    project(film.origin[0] + film.unit * markPlaces[k * dim], film.origin[1] + film.unit * markPlaces[k * dim + 1],
      ball ? film.origin[2] + film.unit * markPlaces[k * dim + 2] : 0);
    pen.globalAlpha = 1 - age;
    pen.beginPath(); pen.arc(out[0], out[1], 4 + 10 * age, 0, 7); pen.stroke();
    pen.beginPath(); pen.arc(out[0], out[1], 2.5, 0, 7); pen.fill();
  }
  pen.globalAlpha = 1;
}

// A length to compare with, and in space the directions.
function ruler() {
  var length = view.width / 5 / view.scale, power = Math.pow(10, Math.floor(Math.log10(length)));
  var lead = length / power, round = (lead >= 5 ? 5 : lead >= 2 ? 2 : 1) * power, y = view.height - 7;
  pen.strokeStyle = pen.fillStyle = style.muted;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(10, y - 4); pen.lineTo(10, y); pen.lineTo(10 + round * view.scale, y);
  pen.lineTo(10 + round * view.scale, y - 4);
  pen.stroke();
  pen.font = "11px system-ui, sans-serif";
  pen.textAlign = "left";
  pen.fillText(String(Number(round.toPrecision(2))), 14, y - 4);
  if (!ball) return;
  var cx = view.width - 36, cy = view.height - 30;
  pen.textAlign = "center";
  [[1, 0, 0, "x"], [0, 1, 0, "y"], [0, 0, 1, "z"]].forEach(function (e) {
    var dx = view.ca * e[1] - view.sa * e[0], dy = view.ce * e[2] - view.se * (view.ca * e[0] + view.sa * e[1]);
    pen.beginPath(); pen.moveTo(cx, cy); pen.lineTo(cx + 18 * dx, cy - 18 * dy); pen.stroke();
    pen.fillText(e[3], cx + 25 * dx, cy - 25 * dy + 4);
  });
}

function draw() {
  if (!view.width) return;
  pen.setTransform(view.dots, 0, 0, view.dots, 0, 0);
  pen.clearRect(0, 0, view.width, view.height);
  pen.lineJoin = pen.lineCap = "round";
  behind();
  var k = pose(now);
  if (trails.checked) trail(k);
  if (ball) deep(); else flat();
  flashes();
  ruler();
  player.show(film.start + now * duration, end > 0 ? now / end : 0, duration * end);
}

function advance(seconds) {
  now += share(seconds);
  if (now > end) now = end > 0 ? now % end : 0;
}

root.dataset.on = "1";
seek.oninput = function () { now = seek.value / 10000 * end; later(); };
speed.onchange = trails.onchange = later;
if (range) {
  range.onchange = function () {
    end = part(range.value === "all" ? null : film.open);
    now = Math.min(now, end);
    later();
  };
}
root.addEventListener("keydown", function (e) {
  var on = e.target === canvas, arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
  if (e.key === " " && (on || e.target === seek)) play(!player.playing);
  else if (on && arrow && e.shiftKey && ball) turnBy(0.1 * arrow[0], 0.1 * arrow[1]);
  else if (on && arrow && arrow[0]) {
    var k = frameAt(now), last = times[count - 1];
    if (arrow[0] > 0 && now >= last) k = count - 1;
    if (arrow[0] < 0 && times[k] < now) k++;
    play(false);
    now = Math.min(times[Math.min(Math.max(k + arrow[0], 0), count - 1)], end);
  } else return;
  e.preventDefault();
});
function turnBy(right, up) {
  azimuth -= right;
  elevation = Math.min(Math.max(elevation - up, -1.57), 1.57);
  aim();
  later();
}

// A moment chosen in a plot.
stationary.hear(root, function (t) {
  now = Math.min(Math.max(part(t), 0), 1);
  player.heard(film.start + now * duration);
  if (now > end && range) { range.value = "all"; end = 1; }
  play(false);
});

// A click plays and pauses; in space a drag turns the view.
var held = null, moved = 0;
canvas.addEventListener("pointerdown", function (e) {
  held = [e.clientX, e.clientY]; moved = 0;
  canvas.setPointerCapture(e.pointerId);
});
canvas.addEventListener("pointermove", function (e) {
  if (!held) return;
  var dx = e.clientX - held[0], dy = e.clientY - held[1];
  moved += Math.abs(dx) + Math.abs(dy);
  held = [e.clientX, e.clientY];
  if (ball) turnBy(dx / 120, -dy / 120);
});
canvas.addEventListener("pointerup", function () {
  if (held && moved < 5) play(!player.playing);
  held = null;
});
canvas.addEventListener("pointercancel", function () { held = null; });
if (ball) canvas.classList.add("film-turns");

new ResizeObserver(function () {
  if (root.clientWidth !== view.width) requestAnimationFrame(layout);
}).observe(root);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", colours);
colours();
layout();
play(!matchMedia("(prefers-reduced-motion: reduce)").matches);
})();
