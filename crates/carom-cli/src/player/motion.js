// What moves: poses of bodies, vertices of meshes that change their shape, particles. They are
// decoded for all frames at once, and interpolated at a moment between two frames.
// One of the parts of the script of the player, which share one scope; see player.rs.

// The index of the shape of each body.
const bodies = new Uint32Array(section(scene.bodies).buffer), nBodies = bodies.length;

// Adds the prediction to each channel of rows of words: a number goes on as in the two frames
// before. The bytes are one plane of low bytes and one of high bytes for each channel.
const predicted = (bytes, n, nChannels, last, before) => {
  const now = new Uint16Array(nChannels * n);
  for (let channel = 0; channel < nChannels; channel++) {
    const low = 2 * channel * n, high = low + n;
    for (let i = 0, at = channel; i < n; i++, at += nChannels) {
      now[at] = 2 * last[at] - before[at] + unzigzag(bytes[low + i] | bytes[high + i] << 8);
    }
  }
  return now;
};
// Decodes the stored frames: words of `nChannels` for each of `n` rows, and `nStates` bytes, which
// are stored as the difference from those of the frame before.
const decodedFrames = (stored, n, nChannels, nStates) => {
  const words = [], states = [];
  let last = new Uint16Array(nChannels * n), before = last, state = new Uint8Array(nStates);
  for (const place of stored) {
    const bytes = section(place), now = predicted(bytes, n, nChannels, last, before);
    state = state.map((s, i) => s ^ bytes[2 * nChannels * n + i]);
    words.push(now); states.push(state);
    before = last; last = now;
  }
  return { words, states };
};
// Six words for each body: three of position, three of rotation. The state gives the colour.
const { words: poseWords, states } = decodedFrames(scene.frames.map(f => f.poses), nBodies, 6, nBodies);
// Three words for each vertex, and a state for each face.
const surfaces = scene.surfaces.map((surface, at) => {
  const triangles = new Uint32Array(section(surface.triangles).buffer), n = surface.nVertices, nFaces = triangles.length / 3;
  const { words, states: faces } = decodedFrames(scene.frames.map(f => f.surfaces[at]), n, 3, nFaces);
  return { triangles, n, nFaces, words, faces, points: new Float32Array(3 * n) };
});
const clouds = scene.clouds.map((cloud, at) => {
  const { words } = decodedFrames(scene.frames.map(f => f.clouds[at]), cloud.n, 3, 0);
  return { ...cloud, words, points: new Float32Array(3 * cloud.n) };
});

// The frames before and after a moment, and the part of the way between them.
const around = time => {
  const before = Math.min(Math.floor(time), nFrames - 1);
  return { before, after: Math.min(before + 1, nFrames - 1), part: time - before };
};
// Moves the points of a surface or a cloud to a moment.
const movePoints = (s, time) => {
  const { before, after, part } = around(time), a = s.words[before], b = s.words[after], p = s.points;
  for (let k = 0; k < 3; k++) {
    const low = scene.min[k], scale = scene.extent[k] / 65535;
    for (let i = k; i < p.length; i += 3) p[i] = low + scale * (a[i] + (b[i] - a[i]) * part);
  }
};
const moveAllPoints = time => { for (const s of [...surfaces, ...clouds]) movePoints(s, time); };

// Reads a quaternion from the three words after those of the position: the three components after
// the largest one, whose index is in the top bits.
const readRotation = (w, at, q) => {
  const largest = w[at + 3] >> 12;
  let rest = 1;
  for (let i = 0; i < 3; i++) {
    const x = ((w[at + 3 + i] & 4095) / scene.quatSteps * 2 - 1) * Math.SQRT1_2;
    q[(largest + 1 + i) & 3] = x;
    rest -= x * x;
  }
  q[largest] = Math.sqrt(Math.max(0, rest));
};
const qa = new Float64Array(4), qb = new Float64Array(4);
// Moves all bodies to a moment. Rotations are interpolated linearly and normalised.
const moveBodies = (time, { positions, rotations }) => {
  const { before, after, part } = around(time), a = poseWords[before], b = poseWords[after];
  for (let i = 0; i < nBodies; i++) {
    const at = 6 * i;
    for (let k = 0; k < 3; k++) {
      positions[3 * i + k] = scene.min[k] + scene.extent[k] * (a[at + k] + (b[at + k] - a[at + k]) * part) / 65535;
    }
    readRotation(a, at, qa);
    if (0 < part) {
      readRotation(b, at, qb);
      const sign = qa[0] * qb[0] + qa[1] * qb[1] + qa[2] * qb[2] + qa[3] * qb[3] < 0 ? -1 : 1;
      for (let k = 0; k < 4; k++) qa[k] += (sign * qb[k] - qa[k]) * part;
    }
    const s = 1 / Math.hypot(qa[0], qa[1], qa[2], qa[3]);
    for (let k = 0; k < 4; k++) rotations[4 * i + k] = qa[k] * s;
  }
};
