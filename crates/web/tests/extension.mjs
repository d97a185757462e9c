// The extension of VS Code with a stub of its API, and its page in Chromium: node extension.mjs EXTENSION PAGE SAMPLES [CHROMIUM]
import assert from "node:assert/strict";
import fs from "node:fs";
import Module, { createRequire } from "node:module";
import path from "node:path";
import { Tab, serve } from "./chromium.mjs";

const [extension, page, samples, chromium] = process.argv.slice(2).map((name) => path.resolve(name));
const uri = (name) => ({ path: name, fsPath: name });
const said = [], shown = [];
let provider, clipboard = "", typed = "";
const commands = {};
const server = await serve({ page });
const vscode = {
  Uri: { file: uri, joinPath: (base, ...parts) => uri(path.posix.join(base.path, ...parts)) },
  Position: class { constructor(line, column) { Object.assign(this, { line, column }); } },
  Range: class { constructor(start, end) { Object.assign(this, { start, end }); } },
  ViewColumn: { Beside: -2 },
  window: {
    registerCustomEditorProvider: (type, given) => { provider = given; return { type }; },
    showInputBox: async () => typed,
    showInformationMessage: (text) => { said.push(text); },
    showWarningMessage: (text) => { said.push(text); },
    showTextDocument: async (at, { selection }) => { shown.push([at.path, selection.start.line]); },
  },
  commands: { registerCommand: (name, run) => { commands[name] = run; return { name }; } },
  env: { clipboard: { readText: async () => clipboard } },
  workspace: {
    fs: { readFile: (at) => fs.promises.readFile(at.path), stat: (at) => fs.promises.stat(at.path) },
    findFiles: async (pattern) => ["/work/other/Program.cs", "/work/src/ticker/Program.cs"].filter((name) => name.endsWith(pattern.slice(2))).map(uri),
  },
};
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));

const subscriptions = [];
// The page is where the package has it.
const home = fs.mkdtempSync(path.join(path.dirname(page), "vscode-"));
fs.symlinkSync(page, path.join(home, "page"));
createRequire(import.meta.url)(path.join(extension, "extension.js")).activate({ extensionUri: uri(home), subscriptions });
const manifest = JSON.parse(fs.readFileSync(path.join(extension, "package.json"), "utf8"));
assert.deepEqual(Object.keys(commands).sort(), manifest.contributes.commands.map(({ command }) => command).sort());
assert.equal(subscriptions[0].type, manifest.contributes.customEditors[0].viewType);

/** An editor of a file: its panel as VS Code gives it, and what is posted to its page. */
async function open(file) {
  const posted = [], taken = [];
  const panel = {
    active: true, onDidDispose: () => {},
    webview: {
      cspSource: server.address, asWebviewUri: (at) => at.path.replace(path.join(home, "page"), `${server.address}/page`),
      onDidReceiveMessage: (take) => taken.push(take), postMessage: (message) => posted.push(message),
    },
  };
  await provider.resolveCustomEditor(provider.openCustomDocument(uri(path.join(samples, file))), panel);
  return { panel, posted, say: (message) => Promise.all(taken.map((take) => take(message))) };
}

const pairs = { "ticker/Ticker.pdb": "Ticker.dll", "ticker/Ticker.dll": "Ticker.pdb", "native/tally.pdb": "tally.exe", "ticker-mono/Ticker.exe": "Ticker.exe.mdb", "ticker-mono/Ticker.exe.mdb": "Ticker.exe" };
for (const [file, partner] of Object.entries(pairs)) {
  const { panel, posted, say } = await open(file);
  await say({ ready: true });
  assert.deepEqual(posted[0].names, [path.basename(file), partner].map((name) => `/${name}`), file);
  panel.active = false;
}
const editor = await open("ticker/Ticker.pdb");
await editor.say({ ready: true });
typed = "0x06000003+0xb";
await commands["pdblens.goTo"]();
clipboard = "System.Exception: late\n   at Ticker.Clock.Since(Int64 started)";
await commands["pdblens.trace"]();
const asked = editor.posted.slice(1).map(({ request }) => request);
assert.deepEqual(asked, [{ open: typed }, { paste: `${clipboard.trim()}\n` }]);
clipboard = " ";
await commands["pdblens.trace"]();
await commands["pdblens.source"]();
assert.equal(said.length, 2);
await editor.say({ link: "#at=method/0x06000001", source: ["/src/ticker/Program.cs", 12] });
await commands["pdblens.source"]();
assert.deepEqual(shown, [["/work/src/ticker/Program.cs", 11]]);
console.log("✓ the extension opens pairs, and its commands message the editor");

if (chromium) {
  // As in VS Code, the page is of another origin than its parts.
  const webview = fs.mkdtempSync(path.join(path.dirname(page), "webview-"));
  fs.writeFileSync(path.join(webview, "index.html"), editor.panel.webview.html);
  const outside = await serve({ webview });
  const tab = await Tab.open(chromium);
  try {
    await tab.size(1280, 720);
    await tab.send("Page.addScriptToEvaluateOnNewDocument", { source: "globalThis.acquireVsCodeApi = () => ({ postMessage: (m) => (globalThis.sent ??= []).push(m), getState() {}, setState() {} })" });
    await tab.go(`${outside.address}/webview/`, "globalThis.sent?.[0]?.ready");
    const files = editor.posted[0].files.map(([name, bytes]) => [name, Buffer.from(bytes).toString("base64")]);
    const post = (message) => tab.eval(`postMessage(${message})`);
    await post(`{ names: ${JSON.stringify(editor.posted[0].names)}, files: ${JSON.stringify(files)}.map(([name, text]) => [name, Uint8Array.from(atob(text), (c) => c.charCodeAt(0))]) }`);
    await tab.shows("Ticker.dll + Ticker.pdb");
    await post(`{ request: ${JSON.stringify(asked[0])} }`);
    await tab.shows("Since(long)");
    await tab.until(`sent.at(-1).source?.[0].endsWith("Clock.cs") && sent.at(-1).source[1] === 13`);
    await post(`{ request: ${JSON.stringify(asked[1])} }`);
    await tab.shows("Trace");
    await tab.until(`sent.at(-1).link === "#at=trace"`);
    assert.deepEqual(tab.problems, []);
    console.log("✓ the editor's page shows the pair and does what the commands ask");
  } catch (error) {
    console.error(error, tab.problems, await tab.text());
    process.exitCode = 1;
  }
  await tab.close();
  outside.close();
  fs.rmSync(webview, { recursive: true });
}
server.close();
fs.rmSync(home, { recursive: true });
