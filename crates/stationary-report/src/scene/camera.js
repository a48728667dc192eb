// Where the body is seen from: z up, no perspective, so that lengths in the picture compare.
function Camera(bounds, flat) {
  this.first = flat ? [-Math.PI / 2, Math.PI / 2] : [-0.9, 0.45];
  this.bounds = bounds;
  this.reset();
}
Camera.prototype.reset = function () {
  this.azimuth = this.first[0];
  this.elevation = this.first[1];
  this.zoom = 1;
  this.target = this.bounds.map(function (b) { return (b[0] + b[1]) / 2; });
};
// Right, up and towards the eye, as rows.
function axesOf(azimuth, elevation) {
  var ca = Math.cos(azimuth), sa = Math.sin(azimuth), ce = Math.cos(elevation), se = Math.sin(elevation);
  return [[-sa, ca, 0], [-se * ca, -se * sa, ce], [ce * ca, ce * sa, se]];
}
Camera.prototype.axes = function () { return axesOf(this.azimuth, this.elevation); };
// How wide and how high all that the body ever reaches is, seen from the first side.
Camera.prototype.extent = function () {
  var bounds = this.bounds, first = axesOf(this.first[0], this.first[1]);
  return first.slice(0, 2).map(function (axis) {
    return axis.reduce(function (sum, a, i) { return sum + Math.abs(a) * (bounds[i][1] - bounds[i][0]); }, 0);
  });
};
// Pixels for a unit of length: all of it has room at first.
Camera.prototype.scale = function (width, height) {
  var size = this.extent(), room = Math.min((width - 40) / size[0], (height - 56) / size[1]);
  return this.zoom * (isFinite(room) ? room : 1);
};
Camera.prototype.turn = function (right, up) {
  this.azimuth -= right;
  this.elevation = Math.min(Math.max(this.elevation - up, -Math.PI / 2), Math.PI / 2);
};
// Shifts the view by pixels.
Camera.prototype.pan = function (dx, dy, scale) {
  var axes = this.axes();
  for (var i = 0; i < 3; i++) this.target[i] -= (dx * axes[0][i] - dy * axes[1][i]) / scale;
};
Camera.prototype.zoomBy = function (factor) {
  this.zoom = Math.min(Math.max(this.zoom * factor, 0.05), 1000);
};
