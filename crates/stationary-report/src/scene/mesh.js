// The surface on the graphics processor. Nodes, corners and values lie in textures, and the shader fetches what a vertex
// needs by its number: a new moment is two uploads, and values of elements need no vertices of their own.
var WIDTH = 1024, NOTHING = -3e38;
var VERTEX = `#version 300 es
precision highp float; precision highp int; precision highp sampler2D; precision highp usampler2D;
uniform usampler2D corners;
uniform usampler2D owners;
uniform sampler2D rest;
uniform sampler2D shift;
uniform sampler2D values;
uniform mat3 axes;
uniform vec3 target;
uniform vec2 scale;
uniform vec2 pixel;
uniform float depth;
uniform float factor;
uniform bool ribbons;
uniform bool nodal;
uniform int first;
uniform float lift;
out vec3 at;
out vec3 corner;
out float value;
flat out uint sides;
ivec2 cell(int i) { return ivec2(i % ${WIDTH}, i / ${WIDTH}); }
int node(int i) { return int(texelFetch(corners, cell(i), 0).r); }
vec3 seen(int a) { return axes * (texelFetch(rest, cell(a), 0).xyz + factor * texelFetch(shift, cell(a), 0).xyz - target); }
void main() {
  int piece = ribbons ? gl_VertexID / 6 : gl_VertexID / 3, a;
  uint owner = texelFetch(owners, cell(first + piece), 0).r;
  if (ribbons) {
    // A bar is a band of a width in pixels, turned to the eye.
    int k = gl_VertexID % 6;
    bool second = k == 1 || k == 2 || k == 4, other = k == 2 || k == 4 || k == 5;
    int one = node(2 * piece), two = node(2 * piece + 1);
    vec3 p = seen(one), q = seen(two);
    vec2 along = (q - p).xy * scale / pixel;
    vec2 across = length(along) > 0.0 ? normalize(vec2(-along.y, along.x)) : vec2(0.0, 1.0);
    a = second ? two : one;
    at = second ? q : p;
    gl_Position = vec4(at.xy * scale + (other ? 1.0 : -1.0) * across * pixel, -at.z * depth - lift, 1.0);
    corner = vec3(1.0);
    sides = 0u;
  } else {
    a = node(gl_VertexID);
    at = seen(a);
    gl_Position = vec4(at.xy * scale, -at.z * depth, 1.0);
    int k = gl_VertexID % 3;
    corner = vec3(k == 0, k == 1, k == 2);
    sides = owner & 7u;
  }
  value = texelFetch(values, cell(nodal ? a : int(owner >> 3)), 0).r;
}`;
var FRAGMENT = `#version 300 es
precision highp float;
uniform sampler2D map;
uniform vec2 range;
uniform vec3 nothing;
uniform vec4 ink;
uniform bool plain;
uniform bool mesh;
in vec3 at;
in vec3 corner;
in float value;
flat in uint sides;
out vec4 colour;
void main() {
  if (plain) { colour = ink; return; }
  float part = range.y > range.x ? clamp((value - range.x) / (range.y - range.x), 0.0, 1.0) : 0.5;
  vec3 paint = value < -1e38 ? nothing : texture(map, vec2((part * 255.0 + 0.5) / 256.0, 0.5)).rgb;
  vec3 normal = cross(dFdx(at), dFdy(at));
  if (corner.x + corner.y + corner.z < 2.5) {
    float light = length(normal) > 0.0 ? abs(normalize(normal).z) : 1.0;
    paint *= 0.68 + 0.32 * light;
  }
  if (mesh) {
    vec3 away = corner / max(fwidth(corner), vec3(1e-9));
    float edge = 1e9;
    if ((sides & 1u) != 0u) edge = min(edge, away.z);
    if ((sides & 2u) != 0u) edge = min(edge, away.x);
    if ((sides & 4u) != 0u) edge = min(edge, away.y);
    // Lines of elements that are a few pixels small would hide their colours.
    vec3 rate = fwidth(corner);
    float strength = 0.45 * smoothstep(2.0, 9.0, 1.0 / max(max(rate.x, max(rate.y, rate.z)), 1e-9));
    paint *= 1.0 - strength * (1.0 - smoothstep(0.2, 1.0, edge));
  }
  colour = vec4(paint, 1.0);
}`;

function Mesh(gl, data) {
  this.gl = gl;
  this.data = data;
  this.program = link(gl);
  var count = gl.getProgramParameter(this.program, gl.ACTIVE_UNIFORMS);
  this.at = {};
  for (var i = 0; i < count; i++) {
    var name = gl.getActiveUniform(this.program, i).name;
    this.at[name] = gl.getUniformLocation(this.program, name);
  }
  this.corners = this.words(data.corners);
  this.ends = this.words(data.ends);
  this.outline = this.words(data.outline);
  this.owners = this.words(data.owners);
  this.rest = this.floats(3, data.nodes);
  this.shift = this.floats(3, data.nodes);
  this.values = this.floats(1, Math.max(data.nodes, data.elements));
  this.fill(this.rest, data.points);
  this.maps = { plain: this.map("plain"), signed: this.map("signed") };
}

function link(gl) {
  var program = gl.createProgram();
  [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]].forEach(function (part) {
    var shader = gl.createShader(part[0]);
    gl.shaderSource(shader, part[1]);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(program, shader);
  });
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(gl.getProgramInfoLog(program));
  return program;
}

Mesh.prototype.texture = function (filter) {
  var gl = this.gl, texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER].forEach(function (p) { gl.texParameteri(gl.TEXTURE_2D, p, filter); });
  [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T].forEach(function (p) { gl.texParameteri(gl.TEXTURE_2D, p, gl.CLAMP_TO_EDGE); });
  return texture;
};
function rows(count) { return Math.max(1, Math.ceil(count / WIDTH)); }
Mesh.prototype.words = function (numbers) {
  var gl = this.gl, texture = this.texture(gl.NEAREST), all = new Uint32Array(WIDTH * rows(numbers.length));
  all.set(numbers);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.R32UI, WIDTH, rows(numbers.length), 0, gl.RED_INTEGER, gl.UNSIGNED_INT, all);
  return texture;
};
Mesh.prototype.floats = function (each, count) {
  var gl = this.gl, texture = this.texture(gl.NEAREST), room = new Float32Array(each * WIDTH * rows(count));
  return { texture: texture, room: room, rows: rows(count), inside: each === 3 ? gl.RGB32F : gl.R32F, form: each === 3 ? gl.RGB : gl.RED };
};
Mesh.prototype.fill = function (to, numbers) {
  var gl = this.gl;
  if (numbers !== to.room) to.room.set(numbers);
  gl.bindTexture(gl.TEXTURE_2D, to.texture);
  gl.texImage2D(gl.TEXTURE_2D, 0, to.inside, WIDTH, to.rows, 0, to.form, gl.FLOAT, to.room);
};
Mesh.prototype.map = function (name) {
  var gl = this.gl, texture = this.texture(gl.LINEAR);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, shades(name, 256));
  return texture;
};

// Draws the body: `view` has the camera's numbers, `look` what is to be shown and how.
Mesh.prototype.draw = function (view, look) {
  var gl = this.gl, at = this.at, data = this.data;
  gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
  gl.clearColor(look.paper[0], look.paper[1], look.paper[2], 1);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  gl.enable(gl.DEPTH_TEST);
  gl.useProgram(this.program);
  [[at.owners, this.owners], [at.rest, this.rest.texture], [at.shift, this.shift.texture], [at.values, this.values.texture],
    [at.map, this.maps[look.map]]].forEach(function (t, k) {
    gl.activeTexture(gl.TEXTURE1 + k);
    gl.bindTexture(gl.TEXTURE_2D, t[1]);
    gl.uniform1i(t[0], k + 1);
  });
  var a = view.axes;
  gl.uniformMatrix3fv(at.axes, false, [a[0][0], a[1][0], a[2][0], a[0][1], a[1][1], a[2][1], a[0][2], a[1][2], a[2][2]]);
  gl.uniform3fv(at.target, view.target);
  gl.uniform2f(at.scale, 2 * view.scale / view.width, 2 * view.scale / view.height);
  gl.uniform1f(at.depth, view.depth);
  gl.uniform2f(at.range, look.range[0], look.range[1]);
  gl.uniform3fv(at.nothing, NO_VALUE.map(function (c) { return c / 255; }));
  gl.uniform1i(at.nodal, look.nodal);
  gl.uniform1i(at.mesh, look.mesh);
  gl.uniform1f(at.factor, look.factor);
  this.pieces(this.corners, false, 3 * data.triangles, 0, view, null);
  this.pieces(this.ends, true, 6 * data.bars, 6, view, null);
  if (look.rest) {
    gl.uniform1f(at.factor, 0);
    this.pieces(this.outline, true, 3 * data.outline.length, 1.3, view, look.ink);
  }
};
Mesh.prototype.pieces = function (corners, ribbons, count, width, view, ink) {
  var gl = this.gl, at = this.at;
  if (!count) return;
  gl.activeTexture(gl.TEXTURE0);
  gl.bindTexture(gl.TEXTURE_2D, corners);
  gl.uniform1i(at.corners, 0);
  gl.uniform1i(at.ribbons, ribbons);
  gl.uniform1i(at.first, ribbons && !ink ? this.data.triangles : 0);
  gl.uniform2f(at.pixel, width / view.width, width / view.height);
  gl.uniform1f(at.lift, ink ? 2e-4 : 0);
  gl.uniform1i(at.plain, ink ? 1 : 0);
  if (ink) gl.uniform4f(at.ink, ink[0], ink[1], ink[2], 1);
  gl.drawArrays(gl.TRIANGLES, 0, count);
};

// The lines at which the surface at rest ends or bends by more than thirty degrees, and the bars.
function outline(data) {
  var p = data.points, sides = new Map(), lines = Array.prototype.slice.call(data.ends);
  function normal(a, b, c) {
    var u = [0, 1, 2].map(function (i) { return p[3 * b + i] - p[3 * a + i]; });
    var v = [0, 1, 2].map(function (i) { return p[3 * c + i] - p[3 * a + i]; });
    var n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    var size = Math.hypot(n[0], n[1], n[2]) || 1;
    return n.map(function (x) { return x / size; });
  }
  for (var t = 0; t < data.triangles; t++) {
    var c = data.corners.subarray(3 * t, 3 * t + 3), n = normal(c[0], c[1], c[2]);
    for (var k = 0; k < 3; k++) {
      var a = Math.min(c[k], c[(k + 1) % 3]), b = Math.max(c[k], c[(k + 1) % 3]), key = a * data.nodes + b;
      var known = sides.get(key);
      if (known === undefined) sides.set(key, n);
      else if (known && n[0] * known[0] + n[1] * known[1] + n[2] * known[2] > 0.86) sides.set(key, null);
    }
  }
  sides.forEach(function (n, key) {
    if (n) lines.push(Math.floor(key / data.nodes), key % data.nodes);
  });
  return new Uint32Array(lines);
}
