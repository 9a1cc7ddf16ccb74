// The renderer of carom's pages: draws bodies, sheets, particles, lines and boxes. It uses no
// outside code, and knows neither recordings nor worlds. This file has the state that a page fills,
// and computes the view. A picture is drawn by gl.js, or without WebGL by flat.js; geometry, shaders
// and the camera are in files of their own.

// The kinds of pictures, from the most beautiful to the fastest. Each has the number of pixels along
// a pixel of the page.
const PICTURES = [
  { name: "full", about: "smooth edges, soft shadows", isFlat: false, ratio: 1 },
  { name: "plain", about: "fewer pixels, hard shadows", isFlat: false, ratio: 0.7 },
  { name: "flat", about: "without WebGL; shadows on the floor alone", isFlat: true, ratio: 1 },
  { name: "coarse", about: "flat, of fewer pixels", isFlat: true, ratio: 0.6 },
];

// Returns a renderer on a canvas. Throws an error with a message if a shader does not compile.
const makeRenderer = canvas => {
// The state that a page fills, and that is drawn. Positions, rotations and colours have a row for
// each body. Planes are a normal and a point.
const r = {
  shapes: [], bodies: new Uint32Array(0), positions: new Float32Array(0), rotations: new Float32Array(0), colours: new Uint8Array(0),
  drawn: [], surfaces: [], clouds: [], skin: { n: 0 }, planes: [], sceneRadius: 1, floorY: 0,
  camera: { target: [0, 0, 0], distance: 10, yaw: 0.7, pitch: 0.42 },
  // Whether a body is hidden for now.
  isHidden: () => false,
};
// The flat picture has a canvas of its own over that of WebGL, which takes all input.
const cover = document.createElement("canvas");
cover.style.cssText = "position: absolute; inset: 0; width: 100%; height: 100%; pointer-events: none;";
cover.hidden = true;
canvas.after(cover);
const gl = makeGl(r, canvas), drawFlat = makeFlat(r, cover);
addCamera(r, canvas);
// The pictures that this browser can draw, and the one that is drawn.
r.pictures = PICTURES.filter(({ isFlat }) => isFlat || gl);
r.picture = r.pictures[0];

// Sets the shapes, and the shape of each body. A body whose shape is a plane, or has no entry, is
// not drawn.
r.setBodies = (shapes, bodies) => {
  const nBodies = bodies.length;
  Object.assign(r, { shapes, bodies, positions: new Float32Array(3 * nBodies), rotations: new Float32Array(4 * nBodies), colours: new Uint8Array(4 * nBodies) });
  // Bodies with the same geometry stand together.
  const members = new Map();
  for (let i = 0; i < nBodies; i++) {
    const shape = shapes[bodies[i]];
    if (!shape || shape.kind === "plane") continue;
    const key = shape.kind === "mesh" ? shape : shape.kind;
    if (!members.has(key)) members.set(key, []);
    members.get(key).push(i);
  }
  r.drawn = [...members.values()].flat();
  gl?.setBodies(members);
  r.forgetSolids();
};
// Meshes that change their shape. A surface has `triangles` and `n` vertices; the page fills
// `points`.
r.setSurfaces = surfaces => {
  for (const s of surfaces) {
    const n = s.triangles.length;
    s.points ||= new Float32Array(3 * s.n);
    s.nFaces = n / 3; s.normals = new Float32Array(3 * s.n);
    s.vertices = new Float32Array(4 * n); s.turned = new Float32Array(3 * n); s.colour = new Uint8Array(4 * n);
  }
  gl?.setSurfaces(r.surfaces, surfaces);
  r.surfaces = surfaces;
};
// Takes over the points; `colourOf` returns the colour of a face of a surface.
r.placeSurfaces = colourOf => {
  r.surfaces.forEach((s, number) => {
    normalsInto(s.normals, s.points, s.triangles);
    for (let i = 0; i < s.triangles.length; i++) {
      const v = 3 * s.triangles[i], c = colourOf(number, i / 3 | 0);
      for (let k = 0; k < 3; k++) {
        s.vertices[4 * i + k] = s.points[v + k]; s.turned[3 * i + k] = s.normals[v + k]; s.colour[4 * i + k] = c[k];
      }
    }
  });
};
// Sets a skin around the particles of one cloud, with its own vertices and triangles each time.
// Without points there is none.
r.setSkin = (points, corners, colour) => {
  r.skin = { n: points ? corners.length : 0, points, corners, colour };
  if (!r.skin.n) return;
  r.skin.normals = new Float32Array(points.length);
  normalsInto(r.skin.normals, points, corners);
};
// Particles. A cloud has `n` of them and a `radius`; the page fills `points` and `tint`.
r.setClouds = clouds => {
  for (const c of clouds) { c.points ||= new Float32Array(3 * c.n); c.tint = new Uint8Array(4 * c.n); }
  gl?.setClouds(r.clouds, clouds);
  r.clouds = clouds;
};

// The largest of 1, 2, 5, 10, 20 and so on, and of their tenth parts, that is at most `size`.
const cellBelow = size => {
  const decade = Math.pow(10, Math.floor(Math.log10(size)));
  return decade * [5, 2, 1].find(part => part * decade <= size);
};
// The outline of the pit between walls, up to the ceiling, or as high as the bodies at the end. It
// begins a little above the floor, which would hide parts of the lower edges.
const pitBetween = (planeFloor, walls) => {
  const { camera, planes, sceneRadius } = r, ceiling = planes.find(p => p.normal[1] < -0.9);
  const low = [-Infinity, (planeFloor ? planeFloor.point[1] : r.floorY) + 0.002 * sceneRadius, -Infinity], high = [Infinity, ceiling ? ceiling.point[1] : camera.target[1] * 2, Infinity];
  for (const wall of walls) for (const k of [0, 2]) {
    if (0.9 < wall.normal[k]) low[k] = Math.max(low[k], wall.point[k]);
    if (wall.normal[k] < -0.9) high[k] = Math.min(high[k], wall.point[k]);
  }
  return [...low, ...high].every(Number.isFinite) ? { low: Float32Array.from(low), high: Float32Array.from(high) } : null;
};
// What a picture is seen with: the eye and its axes, the sun, the colour of the background, how near
// and far things are drawn, and the floor and the pit, or null.
const viewOf = ({ isDark, sunX, hasFloor }) => {
  const { camera, sceneRadius, planes } = r, eye = r.eye(), far = camera.distance + 3 * sceneRadius;
  const planeFloor = planes.find(p => 0.9 < p.normal[1]), walls = planes.filter(p => Math.abs(p.normal[1]) < 0.1);
  return {
    eye, middle: [...camera.target], look: looking(eye, camera.target, [0, 1, 0]), sun: unit([sunX, 1, 0.3]),
    far, near: Math.max(camera.distance / 500, far / 20000), fog: isDark ? [0.085, 0.1, 0.125] : [0.93, 0.945, 0.965],
    floor: planeFloor || hasFloor ? {
      y: planeFloor ? planeFloor.point[1] : r.floorY - 0.002 * sceneRadius, reach: sceneRadius * 2.2, cell: cellBelow(sceneRadius / 6),
      base: isDark ? [0.15, 0.17, 0.205] : [0.73, 0.745, 0.765], ink: isDark ? [0.5, 0.55, 0.62] : [0.36, 0.4, 0.47],
    } : null,
    pit: walls.length ? pitBetween(planeFloor, walls) : null,
  };
};
// Draws a picture. `wish`: `isDark`, `sunX` (the side of the sun), `hasFloor` (a floor also without a
// plane), `isSkinShown` and `hiddenCloud`, `boxes` of { low, high, colour }, `marks` of { corners of
// triangles, colour }, `lines` of { ends, colour }, `dots` as points.
r.draw = (wish, picture = r.picture) => {
  const all = { isDark: false, sunX: 0.45, hasFloor: false, isSkinShown: false, hiddenCloud: -1, boxes: [], marks: [], lines: [], dots: [], ...wish };
  const ratio = Math.min(devicePixelRatio || 1, 2) * picture.ratio;
  cover.hidden = !r.picture.isFlat;
  (picture.isFlat ? drawFlat : gl.draw)(viewOf(all), picture, ratio, all);
};
// Waits until all is drawn.
r.finish = () => gl?.finish();
// The canvas with the picture that is seen.
r.shown = () => r.picture.isFlat ? cover : canvas;
return r;
};
