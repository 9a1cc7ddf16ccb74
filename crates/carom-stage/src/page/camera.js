// The camera of carom's renderer: boxes around bodies, rays through pixels, and what pointers do.
// `addCamera` gives these functions to a renderer `r` on a canvas.
const addCamera = (r, canvas) => {
// ---- Boxes of bodies along the axes of the world, for drawing, the camera and the pointer.
r.boxOf = (i, out) => {
  const shape = r.shapes[r.bodies[i]], q = r.rotations, at = 4 * i, p = 3 * i;
  const x = q[at], y = q[at + 1], z = q[at + 2], w = q[at + 3];
  const m = [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
    2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
    2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)];
  for (let k = 0; k < 3; k++) {
    let middle = r.positions[p + k], half;
    if (shape.kind === "box") {
      half = Math.abs(m[3 * k]) * shape.half[0] + Math.abs(m[3 * k + 1]) * shape.half[1] + Math.abs(m[3 * k + 2]) * shape.half[2];
    } else if (shape.kind === "capsule") {
      half = Math.abs(m[3 * k + 1]) * shape.half + shape.radius;
    } else {
      half = 0;
      for (let j = 0; j < 3; j++) {
        middle += m[3 * k + j] * (shape.min[j] + shape.extent[j] / 2);
        half += Math.abs(m[3 * k + j]) * shape.extent[j] / 2;
      }
    }
    out[k] = middle - half; out[k + 3] = middle + half;
  }
  return out;
};
// The boxes of all bodies that are drawn, as least and greatest corners.
r.bodyBoxes = () => {
  const low = new Float32Array(3 * r.drawn.length), high = new Float32Array(3 * r.drawn.length), one = new Float64Array(6);
  r.drawn.forEach((i, k) => { r.boxOf(i, one); low.set(one.subarray(0, 3), 3 * k); high.set(one.subarray(3), 3 * k); });
  return { low, high };
};
// The box around all that is drawn; `among` chooses bodies.
r.wholeBox = (among = () => true) => {
  const all = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity], one = new Float64Array(6);
  for (const i of r.drawn) {
    if (!among(i)) continue;
    r.boxOf(i, one);
    for (let k = 0; k < 3; k++) { all[k] = Math.min(all[k], one[k]); all[k + 3] = Math.max(all[k + 3], one[k + 3]); }
  }
  for (const s of [...r.surfaces, ...r.clouds]) for (let i = 0; i < s.points.length; i++) {
    all[i % 3] = Math.min(all[i % 3], s.points[i]); all[i % 3 + 3] = Math.max(all[i % 3 + 3], s.points[i]);
  }
  return all[0] <= all[3] ? all : [-1, -1, -1, 1, 1, 1];
};

// ---- Camera.
// The distance from which a box around the target is in view, with some room around it.
r.distanceThatShows = size => {
  const { pitch, yaw } = r.camera;
  const unitEye = [Math.cos(pitch) * Math.sin(yaw), Math.sin(pitch), Math.cos(pitch) * Math.cos(yaw)];
  const { x, y, z } = looking(unitEye, [0, 0, 0], [0, 1, 0]), up = Math.tan(FIELD_OF_VIEW / 2);
  const aside = up * (canvas.clientWidth || 1) / (canvas.clientHeight || 1);
  let distance = 0;
  for (let corner = 0; corner < 8; corner++) {
    const p = [0, 1, 2].map(k => size[k] * (corner >> k & 1 ? 0.5 : -0.5));
    const [a, b, c] = [x, y, z].map(axis => p[0] * axis[0] + p[1] * axis[1] + p[2] * axis[2]);
    distance = Math.max(distance, c + 1.08 * Math.max(Math.abs(a) / aside, Math.abs(b) / up));
  }
  return distance;
};
r.eye = () => {
  const { target, distance, yaw, pitch } = r.camera, c = Math.cos(pitch);
  return [target[0] + distance * c * Math.sin(yaw), target[1] + distance * Math.sin(pitch), target[2] + distance * c * Math.cos(yaw)];
};
// The ray through a pixel of the canvas. The direction has length 1 along the view.
r.rayAt = (px, py) => {
  const eye = r.eye(), l = looking(eye, r.camera.target, [0, 1, 0]), f = Math.tan(FIELD_OF_VIEW / 2), a = canvas.clientWidth / canvas.clientHeight;
  const sx = (2 * px / canvas.clientWidth - 1) * f * a, sy = (1 - 2 * py / canvas.clientHeight) * f;
  return { origin: eye, direction: [0, 1, 2].map(k => l.x[k] * sx + l.y[k] * sy - l.z[k]), forward: l.z.map(x => -x) };
};
// The pixel at which a point of the world is seen.
r.pixelOf = point => {
  const l = looking(r.eye(), r.camera.target, [0, 1, 0]), f = Math.tan(FIELD_OF_VIEW / 2), a = canvas.clientWidth / canvas.clientHeight;
  const d = sub(point, r.eye()), depth = -inner(d, l.z);
  return [(inner(d, l.x) / depth / f / a + 1) / 2 * canvas.clientWidth, (1 - inner(d, l.y) / depth / f) / 2 * canvas.clientHeight];
};
// Casts the pointer's ray against the boxes of all bodies. Returns the nearest body, or -1.
r.bodyUnder = (px, py) => {
  const { origin: eye, direction: d } = r.rayAt(px, py), one = new Float64Array(6);
  let best = Infinity, hit = -1;
  for (const i of r.drawn) {
    if (r.isHidden(i)) continue;
    r.boxOf(i, one);
    let t0 = 0, t1 = best;
    for (let k = 0; k < 3; k++) {
      const u = (one[k] - eye[k]) / d[k], v = (one[k + 3] - eye[k]) / d[k];
      t0 = Math.max(t0, Math.min(u, v)); t1 = Math.min(t1, Math.max(u, v));
    }
    if (t0 <= t1 && t0 < best) { best = t0; hit = i; }
  }
  return hit;
};
// Moves the camera so that the point in the middle moves by so many pixels, to the right and down.
r.pan = (dx, dy) => {
  const l = looking(r.eye(), r.camera.target, [0, 1, 0]), s = r.camera.distance * 2 * Math.tan(FIELD_OF_VIEW / 2) / canvas.clientHeight;
  for (let k = 0; k < 3; k++) r.camera.target[k] += (-dx * l.x[k] + dy * l.y[k]) * s;
};
// Lets pointers turn, move and zoom the camera: one pointer turns, two move and zoom, the wheel
// zooms. `press` may return `{ move, end }` to take a pointer over. `hover` follows a pointer that
// is not pressed, `tap` is a press without motion, `changed` is called after each change.
r.control = ({ press = () => null, hover = () => {}, tap = () => {}, changed }) => {
  const pointers = new Map(), place = e => { const b = canvas.getBoundingClientRect(); return [e.clientX - b.left, e.clientY - b.top]; };
  const TAP_PIXELS = 6;
  canvas.addEventListener("pointerdown", e => {
    canvas.setPointerCapture(e.pointerId);
    const taken = e.button === 0 && !e.shiftKey && !pointers.size ? press(e, ...place(e)) : null;
    pointers.set(e.pointerId, { last: e, start: e, taken, isStill: !pointers.size });
  });
  const release = e => {
    const p = pointers.get(e.pointerId);
    if (!p) return;
    pointers.delete(e.pointerId);
    if (p.taken) p.taken.end();
    if (p.isStill && e.type === "pointerup" && p.start.button === 0) tap(e, ...place(e));
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointermove", e => {
    const p = pointers.get(e.pointerId);
    if (!p) { hover(...place(e)); return; }
    if (TAP_PIXELS < Math.hypot(e.clientX - p.start.clientX, e.clientY - p.start.clientY)) p.isStill = false;
    const last = p.last, dx = e.clientX - last.clientX, dy = e.clientY - last.clientY;
    p.last = e;
    if (p.taken) { p.taken.move(...place(e)); return; }
    if (pointers.size === 2) {
      const [other] = [...pointers].filter(([id]) => id !== e.pointerId).map(([, q]) => q);
      other.isStill = p.isStill = false;
      if (other.taken) return;
      const d = q => Math.hypot(q.clientX - other.last.clientX, q.clientY - other.last.clientY) || 1;
      r.camera.distance *= d(last) / d(e);
      r.pan(dx / 2, dy / 2);
    } else if (e.shiftKey || e.buttons & 6) r.pan(dx, dy);
    else {
      r.camera.yaw -= dx * 0.006;
      r.camera.pitch = Math.max(-1.5, Math.min(1.5, r.camera.pitch + dy * 0.006));
    }
    changed();
  });
  canvas.addEventListener("contextmenu", e => e.preventDefault());
  canvas.addEventListener("wheel", e => {
    e.preventDefault();
    r.camera.distance = Math.max(r.sceneRadius * 1e-3, Math.min(r.sceneRadius * 20, r.camera.distance * Math.exp(e.deltaY * 0.001)));
    changed();
  }, { passive: false });
};
};
