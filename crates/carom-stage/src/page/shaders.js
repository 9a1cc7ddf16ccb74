// The shaders of carom's renderer. `makePrograms` compiles them and returns each program with the
// places of its uniforms. Throws an error with the message of the compiler.
const makePrograms = gl => {
const compile = (vertex, fragment) => {
  const program = gl.createProgram();
  for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, "#version 300 es\nprecision highp float;\nprecision highp sampler2DShadow;\n" + text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  const uniforms = {};
  for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
    const { name } = gl.getActiveUniform(program, i);
    uniforms[name] = gl.getUniformLocation(program, name);
  }
  return { program, uniforms };
};
const solidVertex = `
layout(location = 0) in vec4 vertex;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 at;
layout(location = 3) in vec4 turn;
layout(location = 4) in vec4 size;
layout(location = 5) in vec3 colour;
uniform mat4 view;
uniform mat4 light;
out vec3 vNormal; out vec3 vColour; out vec3 vPoint; out vec4 vLight;
vec3 turned(vec3 p) { return p + 2.0 * cross(turn.xyz, cross(turn.xyz, p) + turn.w * p); }
void main() {
  vec3 p = turned(vertex.xyz * size.xyz + vec3(0.0, vertex.w * size.w, 0.0)) + at;
  vNormal = turned(normal / size.xyz);
  vColour = colour; vPoint = p; vLight = light * vec4(p, 1.0);
  gl_Position = view * vec4(p, 1.0);
}`;
const shading = `
uniform sampler2DShadow shadow;
uniform int taps;
uniform vec3 sun; uniform vec3 eye; uniform vec3 fog; uniform float far;
float lit(vec4 inLight, float slope) {
  vec3 p = inLight.xyz * 0.5 + 0.5;
  if (any(lessThan(p, vec3(0.0))) || any(greaterThan(p, vec3(1.0)))) return 1.0;
  float bias = 0.0006 + 0.0016 * slope, sum = 0.0;
  for (int i = 0; i < taps; i++) {
    vec2 off = vec2(float(i & 1) - 0.5, float(i >> 1) - 0.5) / 1024.0;
    sum += texture(shadow, vec3(p.xy + off * 0.7, p.z - bias));
  }
  return sum / float(taps);
}
vec3 shade(vec3 colour, vec3 normal, vec3 point, vec4 inLight) {
  vec3 n = normalize(normal);
  float d = dot(n, sun);
  // Faces that are turned away from the sun need no shadow.
  float direct = 0.0 < d ? d * lit(inLight, 1.0 - d) : 0.0;
  vec3 ambient = mix(vec3(0.42, 0.41, 0.41), vec3(0.60, 0.63, 0.69), n.y * 0.5 + 0.5);
  vec3 c = colour * (ambient + direct * vec3(0.72, 0.69, 0.64));
  float haze = smoothstep(0.55, 1.0, distance(point, eye) / far);
  return mix(c, fog, haze * 0.75);
}`;
let solid, depth, line, stroke, dot, ground, ball, ballDepth;
try {
  solid = compile(solidVertex, `in vec3 vNormal; in vec3 vColour; in vec3 vPoint; in vec4 vLight; out vec4 pixel;` + shading +
    `void main() { pixel = vec4(shade(vColour, gl_FrontFacing ? vNormal : -vNormal, vPoint, vLight), 1.0); }`);
  depth = compile(solidVertex, `void main() {}`);
  ground = compile(`layout(location = 0) in vec2 corner; uniform mat4 view, light; uniform vec3 middle; uniform float reach;
    out vec3 vPoint; out vec4 vLight;
    void main() { vPoint = middle + vec3(corner.x, 0.0, corner.y) * reach; vLight = light * vec4(vPoint, 1.0); gl_Position = view * vec4(vPoint, 1.0); }`,
    `in vec3 vPoint; in vec4 vLight; uniform vec3 middle, base, ink; uniform float reach, cell; out vec4 pixel;` + shading + `
    float grid(float step) {
      vec2 g = vPoint.xz / step, w = fwidth(g);
      vec2 a = abs(fract(g - 0.5) - 0.5) / w;
      return (1.0 - min(min(a.x, a.y), 1.0)) * clamp(1.5 - 2.0 * max(w.x, w.y), 0.0, 1.0);
    }
    void main() {
      vec3 c = mix(base, ink, max(grid(cell) * 0.35, grid(cell * 10.0) * 0.6));
      float fade = smoothstep(1.0, 0.55, length(vPoint.xz - middle.xz) / reach);
      vec3 s = shade(c, vec3(0.0, 1.0, 0.0), vPoint, vLight);
      pixel = vec4(mix(fog, s, fade), 1.0);
    }`);
  line = compile(`layout(location = 0) in vec3 vertex; layout(location = 2) in vec3 low; layout(location = 3) in vec3 high;
    uniform mat4 view; void main() { gl_Position = view * vec4(mix(low, high, vertex), 1.0); }`,
    `uniform vec4 colour; out vec4 pixel; void main() { pixel = colour; }`);
  stroke = compile(`layout(location = 0) in vec3 vertex; uniform mat4 view; uniform float nearer;
    void main() { gl_Position = view * vec4(vertex, 1.0); gl_Position.z -= nearer * gl_Position.w; }`,
    `uniform vec4 colour; out vec4 pixel; void main() { pixel = colour; }`);
  // A particle is drawn as a square. Each pixel computes its point on the ball.
  const ballVertex = `layout(location = 0) in vec3 vertex; layout(location = 5) in vec3 colour;
    uniform mat4 view, light; uniform float radius, size; out vec3 vMiddle; out vec3 vColour;
    void main() {
      vMiddle = vertex; vColour = colour; gl_Position = view * vec4(vertex, 1.0);
      gl_PointSize = max(size * radius / gl_Position.w, 1.0);
    }`;
  const ballPixel = (head, shaded) => `in vec3 vMiddle; in vec3 vColour; uniform mat4 view, light; uniform vec3 right, up, back; uniform float radius;` + head + `
    void main() {
      vec2 d = vec2(2.0, -2.0) * (gl_PointCoord - 0.5); float r = dot(d, d); if (1.0 < r) discard;
      vec3 n = right * d.x + up * d.y + back * sqrt(1.0 - r), p = vMiddle + n * radius;
      vec4 at = view * vec4(p, 1.0);
      gl_FragDepth = at.z / at.w * 0.5 + 0.5;` + shaded + `
    }`;
  ball = compile(ballVertex, ballPixel(`out vec4 pixel;` + shading, `pixel = vec4(shade(vColour, n, p, light * vec4(p, 1.0)), 1.0);`));
  ballDepth = compile(ballVertex, ballPixel("", ""));
  dot = compile(`layout(location = 0) in vec3 vertex; uniform mat4 view; uniform float size;
    void main() { gl_Position = view * vec4(vertex, 1.0); gl_PointSize = clamp(size / gl_Position.w, 3.0, 12.0); }`,
    `out vec4 pixel; void main() { vec2 d = gl_PointCoord - 0.5; float r = dot(d, d); if (0.25 < r) discard;
     pixel = r < 0.12 ? vec4(1.0, 0.92, 0.2, 1.0) : vec4(0.1, 0.1, 0.1, 0.9); }`);
} catch (e) { throw new Error("A shader does not compile: " + e.message); }
return { solid, depth, line, stroke, dot, ground, ball, ballDepth };
};
