// The page: a canvas of cells, the same text in the document, keys, mouse, touch, dropped files, and the address as the state.

const $ = (id) => document.getElementById(id);
const canvas = $("cells"), text = $("text"), note = $("note"), ime = $("keys");
const brush = canvas.getContext("2d", { alpha: false });
const decoder = new TextDecoder();
const BARS = { "│": [0.44, 0.12], "┃": [0.38, 0.24], "▌": [0, 0.5], "█": [0, 1], "▏": [0, 0.125] };
const BOLD = 1, DIM = 2, ITALIC = 4, UNDERLINED = 8, REVERSED = 64, CROSSED = 256;
const FONT = '"DejaVu Sans Mono", "Cascadia Mono", "Menlo", "Consolas", "Liberation Mono", monospace';
const KEPT = { layout: "pdblens.layout", progress: "pdblens.progress" };

const address = () => new URLSearchParams(location.hash.slice(1));
const light = () => matchMedia("(prefers-color-scheme: light)").matches;
const kept = (key) => { try { return localStorage.getItem(key) ?? undefined; } catch { return undefined; } };

// VS Code has the page in an editor: its extension gives it the files, and takes the state.
const host = globalThis.acquireVsCodeApi?.();
const base = document.body.dataset.base ?? "";

let size = { columns: 0, rows: 0, width: 0, height: 0, pixels: 14 };
let files = [], names = [], page = { ground: "#151821", ink: "#d5dae6" }, began = performance.now(), module, worker, answers = 0;

/** The worker and the module. An editor loads no worker from a file: it gets the text of both parts in one. */
async function load() {
  if (!host) {
    module = await WebAssembly.compileStreaming(fetch("pdblens.wasm"));
    worker = new Worker("worker.js", { type: "module" });
  } else {
    const part = async (name) => (await fetch(base + name)).text();
    const parts = [(await part("wasi.js")).replace("export class", "class"), (await part("worker.js")).replace(/^import .*$/m, "")];
    module = await WebAssembly.compile(await (await fetch(base + "pdblens.wasm")).arrayBuffer());
    worker = new Worker(URL.createObjectURL(new Blob(parts, { type: "text/javascript" })));
  }
  worker.onmessage = receive;
}

function measure() {
  const ratio = devicePixelRatio || 1, wide = innerWidth;
  // A phone has fewer columns, not smaller letters than can be read.
  const pixels = wide < 600 ? 11 : wide < 1600 ? 14 : 15;
  brush.font = `${pixels}px ${FONT}`;
  const width = brush.measureText("M").width, height = Math.round(pixels * 1.3);
  size = { columns: Math.max(40, Math.floor(wide / width)), rows: Math.max(12, Math.floor(innerHeight / height)), width, height, pixels, ratio };
  document.body.dataset.cell = JSON.stringify([width, height]);
  canvas.width = Math.ceil(wide * ratio);
  canvas.height = Math.ceil(innerHeight * ratio);
  canvas.style.width = `${wide}px`;
  canvas.style.height = `${innerHeight}px`;
}

const css = (colour, other) => (colour >>> 24 ? other : "#" + colour.toString(16).padStart(6, "0"));

/** Draws the cells of a frame, and puts its text into the document. */
function paint(columns, rows, cells) {
  const view = new DataView(cells.buffer, cells.byteOffset, cells.byteLength);
  const { width, height, pixels, ratio } = size;
  brush.setTransform(ratio, 0, 0, ratio, 0, 0);
  brush.fillStyle = page.ground;
  brush.fillRect(0, 0, canvas.width, canvas.height);
  brush.textBaseline = "alphabetic";
  const lines = [];
  let at = 0;
  for (let y = 0; y < rows; y++) {
    let line = "";
    for (let x = 0; x < columns; x++) {
      let ink = css(view.getUint32(at, true), page.ink), ground = css(view.getUint32(at + 4, true), page.ground);
      const bits = view.getUint16(at + 8, true), length = view.getUint8(at + 10);
      const symbol = decoder.decode(cells.subarray(at + 11, at + 11 + length));
      at += 11 + length;
      if (bits & REVERSED) [ink, ground] = [ground, ink];
      if (ground !== page.ground) {
        brush.fillStyle = ground;
        brush.fillRect(x * width, y * height, width + 0.5, height);
      }
      line += symbol;
      if (symbol === " " || symbol === "") continue;
      brush.fillStyle = ink;
      // Lines and blocks join those of the next row, which fonts leave a gap to.
      const bar = BARS[symbol];
      if (bar) {
        brush.fillRect((x + bar[0]) * width, y * height, bar[1] * width, height);
        continue;
      }
      brush.globalAlpha = bits & DIM ? 0.65 : 1;
      brush.font = `${bits & ITALIC ? "italic " : ""}${bits & BOLD ? "bold " : ""}${pixels}px ${FONT}`;
      brush.fillText(symbol, x * width, y * height + Math.round(height * 0.78));
      if (bits & UNDERLINED) brush.fillRect(x * width, (y + 1) * height - 2, width, 1);
      if (bits & CROSSED) brush.fillRect(x * width, (y + 0.5) * height, width, 1);
      brush.globalAlpha = 1;
    }
    lines.push(line.trimEnd());
  }
  text.textContent = lines.join("\n");
}

function say(sentence) {
  note.textContent = sentence ?? "";
  note.hidden = !sentence;
}

// The history of the browser has an entry for each step that Back of the screens can take: `offset` entries are older than the screens.
let offset, going = false, last = {};

/** Writes what is shown into the address: a link to it is the state. */
function keepAddress({ link, depth, source }) {
  if (host) {
    host.setState({ link });
    host.postMessage({ link, source });
    return;
  }
  last = { link, depth };
  if (!link || going) return;
  const theme = address().get("theme"), hash = link + (theme ? `&theme=${theme}` : "");
  const now = history.state?.depth ?? 0;
  offset ??= now - depth;
  const to = Math.max(0, depth + offset);
  if (to < now) {
    going = true;
    history.go(to - now);
  } else if (to > now || hash !== location.hash || !history.state) {
    history[to > now ? "pushState" : "replaceState"]({ depth: to }, "", hash);
  }
}

addEventListener("popstate", ({ state }) => {
  if (going) {
    going = false;
    keepAddress(last);
  } else if (state && state.depth >= offset) {
    ask({ history: state.depth - offset - last.depth });
  } else {
    // The address was changed by hand, or is one of before the screens were opened.
    start(files, location.hash);
  }
});

async function receive({ data }) {
  if (data.failed) {
    say(`${data.failed}. Load the page again; the file that caused it would help to fix it.`);
    return;
  }
  const { reply } = data;
  if (reply.frame) paint(...reply.frame, data.cells);
  if (reply.frame && !document.body.dataset.first) document.body.dataset.first = String(Math.round(performance.now() - began));
  document.body.dataset.memory = data.memory;
  document.body.dataset.works = String(reply.works);
  document.body.dataset.answers = String(++answers);
  if (reply.error) say(`${reply.error}. Drop other files, or load the page again for the sample.`);
  if (reply.copy) await copy(...reply.copy);
  for (const key of Object.keys(KEPT)) {
    if (reply[key] !== undefined) try { localStorage.setItem(KEPT[key], reply[key]); } catch { /* A private window keeps nothing. */ }
  }
  if (reply.ended) {
    names = [];
    start([]);
  } else {
    keepAddress(reply);
  }
}

async function copy(what, content) {
  // A link leads to this page, wherever it is served.
  if (what === "link" && !host) content = location.href.split("#")[0] + content.slice(content.indexOf("#"));
  try {
    await navigator.clipboard.writeText(content);
  } catch {
    say("The browser does not give the clipboard to this page.");
  }
}

const ask = (request) => worker?.postMessage({ request });

/** Opens files, or the sample, at a link; `entries` are pairs of a path and its bytes. */
async function start(entries, link) {
  const theme = address().get("theme") ?? (light() ? "light" : "dark");
  page = theme === "light" ? { ground: "#fbfbf8", ink: "#242933" } : { ground: "#151821", ink: "#d5dae6" };
  document.body.style.background = page.ground;
  files = entries;
  measure();
  delete document.body.dataset.first;
  if (!worker) await load();
  offset = undefined;
  worker.postMessage({
    module, files,
    start: {
      files: names, at: /[#&](?!theme)\w+=/.test(link) ? link : undefined, theme, columns: size.columns, rows: size.rows,
      layout: kept(KEPT.layout), progress: kept(KEPT.progress),
    },
  });
}

/** The files of a drop: those of folders, too. */
async function dropped(items) {
  const found = [];
  const walk = async (entry, path) => {
    if (entry.isFile) {
      const file = await new Promise((done, fail) => entry.file(done, fail));
      found.push([path + file.name, new Uint8Array(await file.arrayBuffer())]);
    } else {
      const reader = entry.createReader();
      for (;;) {
        const part = await new Promise((done, fail) => reader.readEntries(done, fail));
        if (part.length === 0) break;
        for (const one of part) await walk(one, `${path}${entry.name}/`);
      }
    }
  };
  for (const entry of items) await walk(entry, "");
  return found;
}

async function open(entries) {
  let found;
  try {
    found = await dropped(entries);
  } catch (error) {
    say(`The files cannot be read: ${error.message}`);
    return;
  }
  if (found.length === 0) return;
  names = [...new Set(found.map(([path]) => "/" + path.split("/")[0]))];
  $("welcome").hidden = true;
  began = performance.now();
  start(found, wanted);
  wanted = undefined;
}

// Keys that a browser keeps for itself, as far as a page can leave them to it.
const isOfBrowser = (event) => /^F([2-9]|1[0-2])$/.test(event.key) || ((event.ctrlKey || event.metaKey) && /^[wtnrl0+-]$/i.test(event.key));

addEventListener("keydown", (event) => {
  if (isOfBrowser(event) || event.isComposing || (event.ctrlKey && event.key.toLowerCase() === "v") || event.metaKey) return;
  if (event.key.length > 1 && !/^(Backspace|Enter|Arrow|Home|End|Page|Tab|Delete|Insert|Escape|F1$)/.test(event.key)) return;
  event.preventDefault();
  say();
  $("welcome").hidden = true;
  ask({ key: { key: event.key, shift: event.shiftKey, ctrl: event.ctrlKey, alt: event.altKey } });
});
addEventListener("paste", (event) => {
  const pasted = event.clipboardData.getData("text");
  if (pasted) ask({ paste: pasted });
});

// Keyboards on a screen give text instead of keys.
ime.addEventListener("input", () => {
  for (const key of ime.value) ask({ key: { key, shift: false, ctrl: false, alt: false } });
  ime.value = "";
});

const cell = (event) => ({ column: Math.floor(event.clientX / size.width), row: Math.floor(event.clientY / size.height) });
let pressed = false, touches = new Map(), wheeled = 0, tapped = false;
canvas.addEventListener("pointerdown", (event) => {
  touches.set(event.pointerId, event.clientY);
  // A finger clicks once it is lifted: another one may follow.
  tapped = event.pointerType === "touch" && touches.size === 1;
  pressed = event.pointerType !== "touch";
  if (!pressed) return;
  ime.focus({ preventScroll: true });
  ask({ mouse: { kind: event.button === 2 ? "right" : "down", ...cell(event) } });
});
canvas.addEventListener("pointermove", (event) => {
  if (touches.size > 1 && touches.has(event.pointerId)) {
    // Two fingers are the wheel: each of them does half of it.
    wheeled += (touches.get(event.pointerId) - event.clientY) / 2;
    touches.set(event.pointerId, event.clientY);
    turnWheel(event);
  } else if (pressed) {
    ask({ mouse: { kind: "drag", ...cell(event) } });
  }
});
addEventListener("pointerup", (event) => {
  touches.delete(event.pointerId);
  if (tapped) ask({ mouse: { kind: "down", ...cell(event) } });
  if (pressed || tapped) ask({ mouse: { kind: "up", ...cell(event) } });
  pressed = tapped = false;
});
addEventListener("pointercancel", (event) => { touches.delete(event.pointerId); pressed = tapped = false; });
function turnWheel(event) {
  for (; Math.abs(wheeled) >= size.height; wheeled -= Math.sign(wheeled) * size.height) {
    ask({ mouse: { kind: wheeled > 0 ? "wheel-down" : "wheel-up", ...cell(event) } });
  }
}
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  wheeled += event.deltaMode === 0 ? event.deltaY / 3 : event.deltaY * size.height;
  turnWheel(event);
}, { passive: false });
canvas.addEventListener("contextmenu", (event) => event.preventDefault());

addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  open([...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean));
});
$("files").addEventListener("change", async (event) => {
  const chosen = [...event.target.files];
  open(chosen.map((file) => ({ isFile: true, file: (done) => done(file) })));
});
$("welcome").addEventListener("click", (event) => {
  const key = event.target.dataset?.keys;
  if (event.target.id === "close" || key) $("welcome").hidden = true;
  for (const one of key?.split(" ") ?? []) ask({ key: { key: one, shift: false, ctrl: false, alt: false } });
});

let resizing;
addEventListener("resize", () => {
  clearTimeout(resizing);
  resizing = setTimeout(() => { measure(); ask({ resize: [size.columns, size.rows] }); }, 80);
});
matchMedia("(prefers-color-scheme: light)").addEventListener("change", () => start(files, last.link));

// What the extension asks: files to open, a place, a pasted text.
if (host) addEventListener("message", ({ data }) => {
  if (data.files) {
    names = data.names;
    start(data.files, data.link ?? host.getState()?.link);
  } else if (data.request) {
    ask(data.request);
  }
});

// A link to a place of files that are not here waits for them.
let wanted = /[#&]at=/.test(location.hash) && address().get("file") !== "sample" ? location.hash : undefined;
if (wanted) $("lead").textContent = `The link leads to ${address().get("at")} in files that are not here: drop them.`;
$("welcome").hidden = host || !wanted && (location.hash.length > 1 || kept(KEPT.layout) !== undefined);
$("type").addEventListener("click", () => ime.focus());
if (host) host.postMessage({ ready: true });
else start([], wanted ? "" : location.hash);
