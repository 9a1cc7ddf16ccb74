// Prints the report of the module: `node report.mjs MODULE.wasm`; in a page, `report(bytes)`.
export async function report(bytes) {
  const { instance } = await WebAssembly.instantiate(bytes, {});
  const { memory, carom_report, carom_report_length } = instance.exports;
  const start = carom_report();
  return new TextDecoder().decode(new Uint8Array(memory.buffer, start, carom_report_length()));
}

if (typeof process !== "undefined") {
  const { readFile } = await import("node:fs/promises");
  process.stdout.write(await report(await readFile(process.argv[2])));
}
