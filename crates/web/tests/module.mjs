// Asks the module what a file of requests says, as the page does, and writes the cells of the last frame of each: node module.mjs PAGE CASES OUT
import fs from "node:fs";
import path from "node:path";
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";

const [page, cases, out] = process.argv.slice(2);
const { Wasi } = await import(pathToFileURL(path.resolve(page, "wasi.js")));
const module = await WebAssembly.compile(fs.readFileSync(path.join(page, "pdblens.wasm")));
const times = [];
for (const { name, files, requests } of JSON.parse(fs.readFileSync(cases, "utf8"))) {
  const wasi = await Wasi.start(module, (text) => process.stderr.write(text));
  for (const [inside, file] of files) wasi.files.set(inside, fs.readFileSync(file));
  let frame = Buffer.alloc(0);
  for (const request of requests) {
    const began = performance.now();
    let { reply, cells } = wasi.ask(request);
    if (reply.frame) frame = Buffer.from(cells);
    const first = performance.now() - began;
    while (reply.works) {
      ({ reply, cells } = wasi.ask("work"));
      if (reply.frame) frame = Buffer.from(cells);
    }
    times.push({ name, request: Object.keys(request)[0], first, all: performance.now() - began, memory: wasi.memory });
  }
  fs.writeFileSync(path.join(out, `${name}.cells`), frame);
}
fs.writeFileSync(path.join(out, "times.json"), JSON.stringify(times));
