// The camera: the first view, a body that is followed, the place of a pair.
// One of the parts of the script of the player, which share one scope; see player.rs.

// Position of the followed body when it was last drawn.
let followed = null;
// The box around all that is drawn at a moment.
const boxAt = moment => { moveBodies(moment, renderer); moveAllPoints(moment); return renderer.wholeBox(); };
const sizeOf = box => [0, 1, 2].map(k => box[k + 3] - box[k]), diagonal = box => Math.hypot(...sizeOf(box));
// Shows the bodies at the end, and also those at the start if the view does not grow much.
const home = () => {
  followed = null;
  const end = boxAt(nFrames - 1), start = boxAt(0);
  const both = [0, 1, 2, 3, 4, 5].map(k => k < 3 ? Math.min(start[k], end[k]) : Math.max(start[k], end[k]));
  const seen = diagonal(both) < 2.5 * diagonal(end) ? both : end;
  camera.target = [0, 1, 2].map(k => (seen[k] + seen[k + 3]) / 2);
  camera.yaw = 0.7; camera.pitch = 0.42;
  camera.distance = Math.max(renderer.distanceThatShows(sizeOf(seen)), diagonal(seen) * 1e-6, 1e-6);
  renderer.sceneRadius = diagonal(both) / 2 || 1;
  renderer.floorY = end[1];
  if (scene.view) {
    ({ distance: camera.distance, yaw: camera.yaw, pitch: camera.pitch } = scene.view);
    camera.target = [...scene.view.target];
    // A narrow picture is wide enough from farther away.
    camera.distance *= Math.max(1, 1.4 / (canvas.clientWidth / canvas.clientHeight));
    renderer.sceneRadius = 3 * camera.distance;
  }
};
const follow = () => {
  const f = scene.follow;
  if (!f) return;
  const p = [0, 1, 2].map(k => renderer.positions[3 * f.body + k]);
  if (followed) {
    for (let k = 0; k < 3; k++) camera.target[k] += p[k] - followed[k];
  } else {
    camera.target = p.slice();
    [camera.distance, camera.yaw, camera.pitch] = f.view;
  }
  followed = p;
};
// Puts the camera on a place of two bodies, so near that the smaller one fills the view.
const lookAt = (pair, point) => {
  const box = new Float64Array(6);
  const sizes = pair.filter(i => 0 <= i).map(i => sizeOf(renderer.boxOf(i, box)));
  sizes.sort((a, b) => Math.hypot(...a) - Math.hypot(...b));
  if (!sizes.length) return;
  camera.target = [...point];
  camera.distance = Math.max(1.3 * renderer.distanceThatShows(sizes[0]), 1e-6);
};
home();
