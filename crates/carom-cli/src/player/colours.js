// Names and colours: of states of bodies and faces, of kinds of lines.
// One of the parts of the script of the player, which share one scope; see player.rs.

const prefersDark = matchMedia("(prefers-color-scheme: dark)"), isDark = () => prefersDark.matches;
// A page of `check` names its bodies, which are parts.
const firstState = scene.names.length ? "clear" : scene.surfaces.length ? "rigid" : "fixed";
const bodyStateNames = scene.stateNames.length ? scene.stateNames
  : [firstState, "asleep", "awake, touching nothing", "in contact", "closer than the clearance", "colliding"];
const faceStateNames = scene.faceNames.length ? scene.faceNames
  : ["faces that touch nothing", "faces that touch their own mesh", "faces that touch another body", "faces that cross"];
const lineNames = scene.lineNames.length ? scene.lineNames : ["lines of joints", "normals"];

// Parts are as bright on a dark page, because they are what is looked at, and not the scenery.
const isOnDark = () => isDark() && !scene.names.length;
// Each body has a colour of its own, for pages that do not colour by state. Fixed ones have none.
const isFixed = i => bodyStateNames[0] === "fixed" && states[0][i] === 0;
const ownColours = Array.from({ length: nBodies }, (_, i) => isFixed(i) ? null : ownColour(i));
// Colours of the faces of meshes that change their shape, by state. Free faces of every second mesh
// have another colour.
const faceColours = [sheetColours[0], [168, 80, 190], [236, 140, 40], [214, 50, 50]];
const faceColour = (surface, state) => state ? faceColours[state] : sheetColours[surface % 2];
// The two parts of a chosen pair, and all others.
const pairColours = [[214, 62, 62], [58, 110, 196]], unchosenColour = [150, 154, 160];
const lineColours = [[37, 99, 235], [225, 29, 29]];
