// A picture that the processor fills, pixel by pixel: polygons, discs and lines in one colour each.
//
// A depth is 1 over the distance along the view: nearer is greater, and nothing is 0. On the screen
// it changes linearly across a plane, so a row of a polygon needs one addition for each pixel.
// Reference: Hughes et al., Computer Graphics: Principles and Practice, 2013, 36.3.

// Returns an empty raster. Its rows go down; the middle of the first pixel is at (0.5, 0.5).
const makeRaster = () => {
const raster = { width: 0, height: 0, image: null, pixels: new Uint32Array(0), depths: new Float32Array(0) };
// Where the rows of a polygon begin and end.
let left = new Float64Array(0), right = new Float64Array(0);

raster.resize = (width, height) => {
  raster.width = width; raster.height = height;
  raster.image = new ImageData(width, height);
  raster.pixels = new Uint32Array(raster.image.data.buffer);
  raster.depths = new Float32Array(width * height);
  left = new Float64Array(height); right = new Float64Array(height);
};
// A colour from three parts of 0 to 255. Brighter ones are cut off.
const byte = x => 255 <= x ? 255 : x + 0.5;
raster.colour = (red, green, blue) => (0xff000000 | byte(blue) << 16 | byte(green) << 8 | byte(red)) >>> 0;
// Mixes `part` of a colour into a pixel.
const mix = (p, colour, part) => {
  const old = raster.pixels[p], rest = 1 - part;
  raster.pixels[p] = raster.colour((old & 255) * rest + (colour & 255) * part,
    (old >> 8 & 255) * rest + (colour >> 8 & 255) * part, (old >> 16 & 255) * rest + (colour >> 16 & 255) * part);
};
// Finds the rows of a convex polygon of `n` corners, and where each begins and ends. Returns the
// first row and the one after the last, as one number: an array would be garbage.
const ROWS = 65536;
const findRows = (n, xs, ys) => {
  const { height } = raster;
  let first = height, end = 0, ax = xs[n - 1], ay = ys[n - 1];
  for (let k = 0; k < n; k++) {
    const bx = xs[k], by = ys[k];
    // An edge that goes down bounds one side, one that goes up the other.
    const isDown = ay < by, side = isDown ? right : left;
    const from = Math.max(0, Math.ceil((isDown ? ay : by) - 0.5)), to = Math.min(height, Math.ceil((isDown ? by : ay) - 0.5));
    if (from < to) {
      const slope = (bx - ax) / (by - ay);
      let x = ax + (from + 0.5 - ay) * slope - 0.5;
      if (from < first) first = from;
      if (end < to) end = to;
      for (let row = from; row < to; row++) { side[row] = x; x += slope; }
    }
    ax = bx; ay = by;
  }
  return first < end ? first * ROWS + end : 0;
};
// Fills a convex polygon whose depth is z + zx x + zy y.
raster.polygon = (n, xs, ys, z, zx, zy, colour) => {
  const rows = findRows(n, xs, ys), { width, pixels, depths } = raster;
  const start = z + 0.5 * (zx + zy);
  for (let row = rows / ROWS | 0, end = rows % ROWS; row < end; row++) {
    const a = left[row], b = right[row];
    const from = Math.max(0, Math.ceil(a < b ? a : b)) | 0, to = Math.min(width, Math.ceil(a < b ? b : a)) | 0;
    let depth = start + zx * from + zy * row;
    for (let p = row * width + from, last = row * width + to; p < last; p++) {
      if (depths[p] < depth) { depths[p] = depth; pixels[p] = colour; }
      depth += zx;
    }
  }
};
// Copies from another picture of the same size where a convex polygon covers what is empty.
raster.copyPolygon = (n, xs, ys, other) => {
  const rows = findRows(n, xs, ys), { width, pixels, depths } = raster;
  for (let row = rows / ROWS | 0, end = rows % ROWS; row < end; row++) {
    const a = left[row], b = right[row];
    const from = Math.max(0, Math.ceil(a < b ? a : b)) | 0, to = Math.min(width, Math.ceil(a < b ? b : a)) | 0;
    for (let p = row * width + from, last = row * width + to; p < last; p++) if (depths[p] === 0) pixels[p] = other[p];
  }
};
// Mixes `part` of a colour into a convex polygon, where nothing hides it.
raster.veil = (n, xs, ys, z, zx, zy, colour, part) => {
  const rows = findRows(n, xs, ys), { width, depths } = raster;
  for (let row = rows / ROWS | 0, end = rows % ROWS; row < end; row++) {
    const a = left[row], b = right[row];
    const from = Math.max(0, Math.ceil(a < b ? a : b)), to = Math.min(width, Math.ceil(a < b ? b : a));
    for (let x = from; x < to; x++) {
      const p = row * width + x;
      if (depths[p] <= z + zx * (x + 0.5) + zy * (row + 0.5)) mix(p, colour, part);
    }
  }
};
// Fills a disc at one depth; `colourAt(x, y)` returns the colour of a point of the unit disc, with
// y up.
raster.disc = (cx, cy, radius, depth, colourAt) => {
  const { width, height, pixels, depths } = raster;
  const top = Math.max(0, Math.ceil(cy - radius - 0.5)), bottom = Math.min(height, Math.ceil(cy + radius - 0.5));
  for (let row = top; row < bottom; row++) {
    const dy = row + 0.5 - cy, half = Math.sqrt(Math.max(0, radius * radius - dy * dy));
    const from = Math.max(0, Math.ceil(cx - half - 0.5)), to = Math.min(width, Math.ceil(cx + half - 0.5));
    for (let x = from; x < to; x++) {
      const p = row * width + x;
      if (depths[p] < depth) { depths[p] = depth; pixels[p] = colourAt((x + 0.5 - cx) / radius, -dy / radius); }
    }
  }
};
// Draws a line of one pixel, `part` of its colour. Depths are those of its ends; infinite ones draw
// it over everything.
raster.line = (ax, ay, az, bx, by, bz, colour, part) => {
  const { width, height, depths } = raster;
  // The part of the line that is in the picture. Reference: Liang, Barsky, 1984.
  let from = 0, to = 1;
  const dx = bx - ax, dy = by - ay;
  for (const [d, room] of [[-dx, ax], [dx, width - 1 - ax], [-dy, ay], [dy, height - 1 - ay]]) {
    if (d === 0) { if (room < 0) return; } else if (d < 0) from = Math.max(from, room / d); else to = Math.min(to, room / d);
  }
  if (to < from) return;
  const n = Math.max(1, Math.ceil((to - from) * Math.max(Math.abs(dx), Math.abs(dy))));
  for (let k = 0; k <= n; k++) {
    const t = from + (to - from) * k / n, p = (ay + dy * t | 0) * width + (ax + dx * t | 0);
    if (depths[p] <= (az === bz ? az : az + (bz - az) * t)) mix(p, colour, part);
  }
};
return raster;
};
