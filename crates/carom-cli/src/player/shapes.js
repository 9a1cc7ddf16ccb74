// What has one form in a frame: the meshes of bodies, the skin around particles, contacts, ends of
// lines. The renderer gets all that is drawn.
// One of the parts of the script of the player, which share one scope; see player.rs.

// The vertices of a mesh, and the indices of the corners of its triangles. Both are stored as
// differences from the one before, in planes of bytes.
const unpackedMesh = mesh => {
  const packed = section(mesh.vertices), count = packed.length / 6, points = new Float32Array(3 * count);
  const last = [0, 0, 0];
  for (let i = 0; i < count; i++) for (let k = 0; k < 3; k++) {
    last[k] = last[k] + unzigzag(packed[2 * k * count + i] | packed[(2 * k + 1) * count + i] << 8) & 65535;
    points[3 * i + k] = mesh.min[k] + mesh.extent[k] * last[k] / 65535;
  }
  const raw = section(mesh.triangles), nIndices = raw.length / 4, corners = new Uint32Array(nIndices);
  let index = 0;
  for (let i = 0; i < nIndices; i++) {
    const r = raw[i] | raw[nIndices + i] << 8 | raw[2 * nIndices + i] << 16 | raw[3 * nIndices + i] << 24;
    index = index + unzigzag(r) | 0;
    corners[i] = index;
  }
  return { points, corners };
};
// The points of a section: contacts, ends of lines, or corners of boxes.
const pointsOf = stored => {
  const w = new Uint16Array(section(stored).buffer), out = new Float32Array(w.length);
  for (let i = 0; i < w.length; i++) out[i] = scene.min[i % 3] + scene.extent[i % 3] * w[i] / 65535;
  return out;
};

const canvas = $("view");
let renderer;
try { renderer = makeRenderer(canvas); } catch (e) { fail(e.message); return; }
const shapes = scene.shapes.map(shape => {
  if (shape.kind !== "mesh") return shape;
  const { points, corners } = unpackedMesh(shape);
  return meshShape(points, corners);
});
renderer.setBodies(shapes, bodies);
renderer.setSurfaces(surfaces);
renderer.setClouds(clouds);
renderer.planes = scene.planes;
const { camera, drawn } = renderer;
// The choice of the picture; see quality.js.
const quality = addPictureChoice($("picture"), renderer, picture => draw(picture), () => { needsDraw = true; });
