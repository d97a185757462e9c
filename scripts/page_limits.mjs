// Measures the page against its limits, in Node: node scripts/page_limits.mjs PAGE FILE…
//
// Times are those of the processor: they are the same beside other work. PAGE is the folder that scripts/page.sh made, FILE… a pair such as Raven.Server.dll and its PDB. Exits with 1 where a limit is not kept.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import zlib from "node:zlib";

const [page, ...files] = process.argv.slice(2);
const { Wasi } = await import(pathToFileURL(path.resolve(page, "wasi.js")));
const bytes = fs.readFileSync(path.join(page, "pdblens.wasm"));
const module = await WebAssembly.compile(bytes);
let kept = true;
const ROUNDS = 3;

function limit(what, value, most, unit) {
  kept &&= value <= most;
  console.log(`${value <= most ? "✓" : "✗"} ${what.padEnd(46)} ${value.toFixed(1)} ${unit}, at most ${most}`);
}

/** Milliseconds of the processor, with those of the threads that compile: what a machine without other work needs at most. */
const time = () => process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000;

/** Opens files, or the sample; returns how to ask, and the time to the first frame. */
async function open(files) {
  const wasi = await Wasi.start(module, (text) => process.stderr.write(text));
  for (const file of files) wasi.files.set(path.basename(file), fs.readFileSync(file));
  const began = time();
  let first;
  const ask = (request) => {
    const at = time();
    let { reply } = wasi.ask(request);
    const own = time() - at;
    // The frames before have no files yet.
    if (reply.frame && reply.link) first ??= time() - began;
    // Jobs run between two keys, each in a turn of its own.
    while (reply.works) {
      ({ reply } = wasi.ask("work"));
      if (reply.frame && reply.link) first ??= time() - began;
    }
    return own;
  };
  ask({ start: { files: files.map((file) => `/${path.basename(file)}`), theme: "dark", columns: 150, rows: 50 } });
  return { wasi, ask, first };
}

let sample = Infinity;
for (let round = 0; round < ROUNDS; round++) sample = Math.min(sample, (await open([])).first);
limit("first frame of the sample", sample, 200, "ms");
if (files.length > 0) {
  // Each view, and steps in it; then the player and the tables. Each key counts with the best of its times: others may use the machine.
  const walk = ["ArrowDown", "ArrowDown", "PageDown", "PageDown", "ArrowUp", "Tab", "ArrowDown", "PageDown", "End", "Home", "]", "]"];
  const keys = ["1", "2", "3", "4", "5", "6", "3", "2", "3"].flatMap((view) => [view, ...walk]);
  keys.push(".", "ArrowDown", "ArrowDown", "]", "Backspace", "Escape", "Backspace", "2", "ArrowDown", "Enter", "PageDown", "End", "Home", "Backspace");
  let times = keys.map(() => Infinity), first = Infinity, wasi;
  for (let round = 0; round < ROUNDS; round++) {
    const opened = await open(files);
    first = Math.min(first, opened.first);
    times = keys.map((key, index) => Math.min(times[index], opened.ask({ key: { key, shift: false, ctrl: false, alt: false } })));
    wasi = opened.wasi;
  }
  limit(`first frame of ${path.basename(files[0])}`, first, 200, "ms");
  const slowest = keys.map((key, index) => [times[index], `${key} (${index})`]).sort(([a], [b]) => b - a).slice(0, 3);
  times.sort((a, b) => a - b);
  limit(`key, p99 of ${times.length}`, times[Math.ceil(times.length * 0.99) - 1], 16, "ms");
  console.log(`  key, median ${times[times.length >> 1].toFixed(1)} ms; slowest ${slowest.map(([time, key]) => `${key} ${time.toFixed(1)}`).join(", ")} ms`);
  const size = files.reduce((sum, file) => sum + fs.statSync(file).size, 0) / 2 ** 20;
  limit(`memory, beside ${size.toFixed(1)} MB of files`, wasi.memory / 2 ** 20 - size, 64, "MB");
}
const options = { params: { [zlib.constants.BROTLI_PARAM_LGWIN]: 24, [zlib.constants.BROTLI_PARAM_QUALITY]: 11 } };
limit("module, compressed by brotli", zlib.brotliCompressSync(bytes, options).length / 1e6, 3.5, "MB");
process.exitCode = kept ? 0 : 1;
