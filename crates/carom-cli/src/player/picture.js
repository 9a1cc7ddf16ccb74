// The picture: places and colours of all that is drawn at the moment, and what is drawn over it.
// One of the parts of the script of the player, which share one scope; see player.rs.

const placeBodies = () => {
  moveBodies(time, renderer);
  const state = states[frameAt()], byState = $("phases").checked, onDark = isOnDark(), { colours } = renderer;
  const colourOf = i => {
    // The two of a chosen pair are told apart by their colours.
    if (chosenPoint && chosen.has(i)) return pairColours[[...chosen].indexOf(i)];
    if (chosen.size && !chosen.has(i)) return unchosenColour;
    return byState ? stateColour(state[i], onDark).map(c => Math.min(255, c * shadeOf(i))) : ownColours[i] ?? stateColour(0, onDark);
  };
  for (const i of drawn) colours.set(colourOf(i), 4 * i);
};
const placeSurfaces = () => {
  const at = frameAt(), byState = $("phases").checked;
  for (const s of surfaces) movePoints(s, time);
  renderer.placeSurfaces((number, face) => faceColour(number, byState ? surfaces[number].faces[at][face] : 0));
};
const isSkinShown = () => scene.skinned !== null && $("skin").checked;
// The frame of the skin that the renderer has, and its number of faces.
let skinFrame = -1, nSkinFaces = 0;
const placeSkin = () => {
  const at = frameAt(), stored = scene.frames[at].skin;
  if (!isSkinShown() || skinFrame === at) return;
  skinFrame = at; nSkinFaces = 0;
  if (!stored) { renderer.setSkin(null); return; }
  const { points, corners } = unpackedMesh(stored);
  nSkinFaces = corners.length / 3;
  renderer.setSkin(points, corners, clouds[scene.skinned].colour);
};
// Fast particles are white, as foam.
const placeClouds = () => {
  // The last frame has the speeds of the one before it.
  const before = Math.min(Math.floor(time), Math.max(nFrames - 2, 0)), after = Math.min(before + 1, nFrames - 1);
  for (const c of clouds) {
    movePoints(c, time);
    // The loops allocate nothing: there are many particles, and each frame has only a few
    // milliseconds.
    const a = c.words[before], b = c.words[after], [red, green, blue] = c.colour;
    const [sx, sy, sz] = scene.extent.map(x => c.foamSpeed ? x / 65535 / scene.secondsPerFrame / c.foamSpeed : 0);
    for (let i = 0, v = 0, at = 0; i < c.n; i++, v += 3, at += 4) {
      const x = (b[v] - a[v]) * sx, y = (b[v + 1] - a[v + 1]) * sy, z = (b[v + 2] - a[v + 2]) * sz;
      const part = 0.9 * Math.min(1, x * x + y * y + z * z);
      c.tint[at] = red + (255 - red) * part; c.tint[at + 1] = green + (255 - green) * part; c.tint[at + 2] = blue + (255 - blue) * part;
    }
  }
};
const isLevelShown = depth => $("level").value === "all" || Number($("level").value) === depth;
// The boxes of the broad phase's tree. Each level has one colour, and the top level is the most
// opaque.
const treeBoxes = frame => frame.levels.flatMap((level, depth) => {
  if (!isLevelShown(depth)) return [];
  const corners = pointsOf(level), n = corners.length / 6, low = new Float32Array(3 * n), high = new Float32Array(3 * n);
  for (let i = 0; i < n; i++) { low.set(corners.subarray(6 * i, 6 * i + 3), 3 * i); high.set(corners.subarray(6 * i + 3, 6 * i + 6), 3 * i); }
  return [{ low, high, colour: levelColour(depth) }];
});
// Draws with one of the renderer's pictures; without one, with that of the moment.
const draw = picture => {
  placeBodies();
  placeSurfaces();
  placeSkin();
  placeClouds();
  follow();
  const frame = scene.frames[frameAt()], boxes = [], lines = [];
  if ($("boxes").checked) boxes.push({ ...renderer.bodyBoxes(), colour: isDark() ? [0.6, 0.8, 1, 0.55] : [0.05, 0.2, 0.5, 0.5] });
  if ($("tree").checked) boxes.push(...treeBoxes(frame));
  if ($("lines").checked) lineColours.forEach((colour, kind) => {
    lines.push({ ends: pointsOf(frame.lines[kind]), colour: [...colour.map(c => c / 255), 0.9] });
  });
  renderer.draw({
    isDark: isDark(), hasFloor: nFrames === 1, isSkinShown: isSkinShown(), hiddenCloud: isSkinShown() ? scene.skinned : -1,
    // The sun is on the side of the eye, so that a wall in view is lit.
    sunX: scene.view && Math.sin(scene.view.yaw) < 0 ? -1.2 : 0.45,
    boxes, lines, dots: chosenPoint ? Float32Array.from(chosenPoint) : $("contacts").checked ? pointsOf(frame.contacts) : [],
  }, picture);
};
