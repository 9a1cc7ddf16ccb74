// The live page of carom: a module in WebAssembly simulates, the renderer of carom-stage draws. The
// page uses no outside code and loads nothing from an outside address.
// One of the parts of the script of the live page, which share one scope; see live_page.rs.

const $ = id => document.getElementById(id);
const fail = text => { $("message").hidden = false; $("message").textContent = text; document.body.dataset.state = "failed"; };
const element = (name, text, parts = []) => {
  const e = document.createElement(name);
  if (text !== undefined) e.textContent = text;
  e.append(...parts);
  return e;
};

// ---- The module: commands and answers are JSON, poses are read from its memory. Its exports are
// described in crates/carom-web/src/wasm.rs.
let exported;
// What the module takes from the page: a clock, in milliseconds, for the times of phases.
const page = { page: { now: () => performance.now() } };
try {
  const packed = Uint8Array.from(atob($("module").textContent), c => c.charCodeAt(0));
  $("module").textContent = "";
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  exported = (await WebAssembly.instantiate(await new Response(stream).arrayBuffer(), page)).instance.exports;
} catch (e) { fail("The module cannot be started: " + e.message); return; }
const put = bytes => {
  const at = exported.carom_inbox(bytes.length);
  new Uint8Array(exported.memory.buffer, at, bytes.length).set(bytes);
};
const answerOf = length => JSON.parse(new TextDecoder().decode(new Uint8Array(exported.memory.buffer, exported.carom_outbox(), length)));
// A module that trapped cannot go on.
let hasStopped = false;
const guarded = work => {
  if (hasStopped) return { error: "the module has stopped" };
  try { return work(); } catch (e) {
    hasStopped = true;
    fail("The simulation has stopped: " + e.message + ". Load the page again.");
    return { error: e.message };
  }
};
const ask = command => guarded(() => { put(new TextEncoder().encode(JSON.stringify(command))); return answerOf(exported.carom_command()); });
const buffers = {
  bodies: [0, Uint32Array], poses: [1, Float32Array], states: [2, Uint8Array], contacts: [3, Float32Array],
  joints: [4, Float32Array], boxes: [5, Float32Array], sheets: [6, Float32Array], particles: [7, Float32Array],
  volumes: [8, Float32Array], islands: [9, Uint32Array], triangles: [10, Float32Array], times: [11, Float32Array],
};
const read = name => {
  const [number, type] = buffers[name];
  return new type(exported.memory.buffer, exported.carom_buffer(number), exported.carom_buffer_length(number));
};

const { scenes, broad_phases: broadPhases, phases, step: STEP, error } = ask({ command: "list" });
if (error) { fail(error); return; }
let renderer;
const canvas = $("view");
try { renderer = makeRenderer(canvas); } catch (e) { fail(e.message); return; }
const { camera } = renderer;
