// What every page of a run can do: a time that pictures and plots share, and the numbers of the plots as a file.
var stationary = (function () {
"use strict";
var hearers = [], time = null;

// Tells all others which moment is shown; `from` is who says so.
function tell(t, from) {
  time = t;
  hearers.forEach(function (h) { if (h.who !== from) h.hear(t); });
}
function hear(who, then) {
  hearers.push({ who: who, hear: then });
  if (time !== null) then(time);
}

// Bytes that were compressed and written as base64.
function inflate(text) {
  var coded = atob(text), bytes = new Uint8Array(coded.length);
  for (var i = 0; i < bytes.length; i++) bytes[i] = coded.charCodeAt(i);
  var stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer().then(function (all) { return new Uint8Array(all); });
}

// A number with so many digits that parts of a range are told apart.
function digits(x, range) {
  if (x === 0) return "0";
  var size = Math.max(Math.abs(x), Math.abs(range) || 0);
  if (size >= 1e5 || size < 1e-3) return x.toExponential(2).replace("e+", "e");
  return String(Number(x.toPrecision(4)));
}

// Plays a moving picture: its button, slider and clock, and a loop that rests when nothing moves or nobody sees it. `advance` moves on by
// some seconds, `draw` draws the moment. It is `ready` when it can be drawn.
function player(root, advance, draw) {
  var button = root.querySelector("button"), seek = root.querySelector("input[type=range]"), clock = root.querySelector("output");
  var visible = true, before = null, pending = false, told = null;
  var self = { playing: false, ready: true, later: later, play: play, show: show, heard: function (t) { told = t; } };
  function tick(stamp) {
    pending = false;
    if (!self.ready) return;
    if (self.playing && before !== null) advance(Math.min(stamp - before, 100) / 1000);
    before = stamp;
    draw();
    if (self.playing && visible) later();
  }
  function later() {
    if (pending || !self.ready) return;
    pending = true;
    requestAnimationFrame(tick);
  }
  function play(on) {
    self.playing = on;
    before = null;
    button.textContent = on ? "Pause" : "Play";
    later();
  }
  // The time, which part of the slider it is, and how long all of it lasts.
  function show(t, part, span) {
    var places = Math.max(0, 3 - Math.floor(Math.log10(span || 1)));
    var said = "t = " + (span && (span < 1e-5 || span > 1e8) ? t.toExponential(4) : t.toFixed(places));
    clock.textContent = said;
    seek.value = 10000 * part;
    seek.setAttribute("aria-valuetext", said);
    if (t !== told) tell(t, root);
    told = t;
  }
  button.onclick = function () { play(!self.playing); };
  new IntersectionObserver(function (seen) {
    visible = seen[seen.length - 1].isIntersecting;
    before = null;
    if (visible) later();
  }).observe(root.querySelector("canvas"));
  return self;
}

// A plot over time: a line marks the moment, and a click or a drag chooses one.
function link(svg) {
  var box = svg.dataset.time.split(" ").map(Number), left = box[0], right = box[1], first = box[4], last = box[5];
  var mark = document.createElementNS("http://www.w3.org/2000/svg", "line"), held = false;
  mark.setAttribute("class", "sp-now");
  mark.setAttribute("y1", box[2]);
  mark.setAttribute("y2", box[3]);
  mark.setAttribute("visibility", "hidden");
  svg.appendChild(mark);
  function show(t) {
    var x = left + (t - first) / (last - first) * (right - left), inside = x >= left - 0.5 && x <= right + 0.5;
    mark.setAttribute("visibility", inside ? "visible" : "hidden");
    if (inside) { mark.setAttribute("x1", x); mark.setAttribute("x2", x); }
  }
  function choose(e) {
    var at = svg.getScreenCTM();
    if (!at) return;
    var x = new DOMPoint(e.clientX, e.clientY).matrixTransform(at.inverse()).x;
    var t = first + (Math.min(Math.max(x, left), right) - left) / (right - left) * (last - first);
    tell(t, svg);
    show(t);
  }
  svg.classList.add("sp-linked");
  svg.addEventListener("pointerdown", function (e) {
    if (e.button !== 0) return;
    held = e.pointerType === "mouse";
    if (held) svg.setPointerCapture(e.pointerId);
    if (held) choose(e);
  });
  svg.addEventListener("pointermove", function (e) { if (held) choose(e); });
  svg.addEventListener("pointerup", function () { held = false; });
  svg.addEventListener("click", choose);
  hear(svg, show);
}

// The lines of a plot: name, x and y. Their bytes lie apart, all first ones, then all second ones.
function numbers(svg) {
  var plot = JSON.parse(svg.querySelector("metadata").textContent);
  return inflate(plot.data).then(function (planes) {
    var count = planes.length / 8, bytes = new Uint8Array(planes.length), at = 0;
    for (var b = 0; b < 8; b++) for (var i = 0; i < count; i++) bytes[8 * i + b] = planes[b * count + i];
    var all = new Float64Array(bytes.buffer);
    plot.series.forEach(function (s) {
      s.x = s.same === null ? all.subarray(at, at += s.count) : plot.series[s.same].x;
      s.y = all.subarray(at, at += s.rising);
    });
    return plot;
  });
}

function field(text) { return /[",\n\r]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text; }
function number(x) { return x === undefined || x !== x ? "" : String(x); }

// All plots of the page as one table.
function table() {
  var plots = Array.prototype.slice.call(document.querySelectorAll("svg.sp metadata"));
  return Promise.all(plots.map(function (m) { return numbers(m.parentNode); })).then(function (all) {
    var rows = ["plot,series,along,x,y"];
    all.forEach(function (plot) {
      plot.series.forEach(function (s) {
        var head = [plot.title, s.name, plot.along].map(field).join(",") + ",";
        for (var i = 0; i < s.x.length; i++) rows.push(head + number(s.x[i]) + "," + number(s.y[i]));
      });
    });
    return rows.join("\n") + "\n";
  });
}

function save() {
  table().then(function (text) {
    var link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    link.download = "plots.csv";
    link.click();
    setTimeout(function () { URL.revokeObjectURL(link.href); }, 1000);
  });
}

document.addEventListener("DOMContentLoaded", function () {
  var moving = document.querySelector(".film, .scene");
  if (moving) document.querySelectorAll("svg[data-time]").forEach(link);
  var tools = document.querySelector(".tools"), button = document.createElement("button");
  if (!tools || !document.querySelector("svg.sp metadata")) return;
  button.type = "button";
  button.textContent = "Save the data of the plots (CSV)";
  button.onclick = save;
  tools.appendChild(button);
});

return { tell: tell, hear: hear, player: player, inflate: inflate, digits: digits, table: table };
})();
