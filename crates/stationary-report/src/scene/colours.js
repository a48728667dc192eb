// Colours that run evenly from dark to light, so that they read in grey and without red or green, and a pair of hues
// on both sides of a pale middle for what has a sign. Between the chosen points colours are mixed in Oklab, where equal steps look equal.
var MAPS = {
  plain: [[36, 18, 82], [45, 82, 146], [28, 132, 140], [84, 176, 104], [186, 207, 66], [252, 234, 110]],
  signed: [[16, 66, 134], [92, 146, 200], [236, 236, 232], [226, 148, 74], [148, 54, 8]],
};
var NO_VALUE = [150, 150, 150];

function oklab(rgb) {
  var c = rgb.map(function (v) { v /= 255; return v <= 0.04045 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4); });
  var l = Math.cbrt(0.4122214708 * c[0] + 0.5363325363 * c[1] + 0.0514459929 * c[2]);
  var m = Math.cbrt(0.2119034982 * c[0] + 0.6806995451 * c[1] + 0.1073969566 * c[2]);
  var s = Math.cbrt(0.0883024619 * c[0] + 0.2817188376 * c[1] + 0.6299787005 * c[2]);
  return [0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s, 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s];
}
function rgb(lab) {
  var l = Math.pow(lab[0] + 0.3963377774 * lab[1] + 0.2158037573 * lab[2], 3);
  var m = Math.pow(lab[0] - 0.1055613458 * lab[1] - 0.0638541728 * lab[2], 3);
  var s = Math.pow(lab[0] - 0.0894841775 * lab[1] - 1.2914855480 * lab[2], 3);
  return [4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s, -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s]
    .map(function (v) {
      v = Math.min(Math.max(v, 0), 1);
      return Math.round(255 * (v <= 0.0031308 ? 12.92 * v : 1.055 * Math.pow(v, 1 / 2.4) - 0.055));
    });
}

// So many colours of a map, four bytes each.
function shades(name, count) {
  var points = MAPS[name].map(oklab), out = new Uint8Array(4 * count);
  for (var i = 0; i < count; i++) {
    var at = i / (count - 1) * (points.length - 1), k = Math.min(Math.floor(at), points.length - 2), w = at - k;
    var mixed = points[k].map(function (a, c) { return a + w * (points[k + 1][c] - a); });
    out.set(rgb(mixed).concat(255), 4 * i);
  }
  return out;
}
function gradient(name) {
  var all = shades(name, 17), stops = [];
  for (var i = 0; i < 17; i++) stops.push("rgb(" + all[4 * i] + "," + all[4 * i + 1] + "," + all[4 * i + 2] + ")");
  return "linear-gradient(90deg," + stops.join(",") + ")";
}
