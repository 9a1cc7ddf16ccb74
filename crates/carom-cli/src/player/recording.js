// The player of carom decodes a recording and plays it with the renderer of carom-stage. It uses no
// outside code and loads nothing from an outside address. This part unpacks the recording: a
// description in JSON, and the sections of bytes that it names.
// One of the parts of the script of the player, which share one scope; see player.rs.

const $ = id => document.getElementById(id);
const fail = text => { $("message").hidden = false; $("message").textContent = text; document.body.dataset.state = "failed"; };

// Inflates the bytes of the page: the length of the description, the description, the sections.
const decode = async () => {
  const packed = Uint8Array.from(atob($("data").textContent), c => c.charCodeAt(0));
  $("data").textContent = "";
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const description = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const section = ([start, n]) => bytes.slice(4 + length + start, 4 + length + start + n);
  return { description, section };
};
let recording;
try { recording = await decode(); } catch (e) { fail("The recording cannot be read: " + e.message); return; }
const { description: scene, section } = recording;
const nFrames = scene.frames.length;
if (!nFrames) { fail("The recording has no frame."); return; }

// The inverse of the zigzag code, which maps small numbers of either sign to small unsigned ones.
const unzigzag = r => (r >>> 1) ^ -(r & 1);
