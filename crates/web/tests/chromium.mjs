// Chromium over a pipe, as DevTools drive it, and a server of the page: what browser.mjs needs of both.
import { spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";

const TYPES = { html: "text/html; charset=utf-8", js: "text/javascript", css: "text/css", wasm: "application/wasm" };

/** Serves folders on this machine, one under each name, and keeps the paths that were asked for. */
export async function serve(folders) {
  const asked = [];
  const server = http.createServer((request, response) => {
    const [, name, ...rest] = new URL(request.url, "http://page").pathname.split("/");
    const file = folders[name] && path.join(folders[name], rest.join("/") || "index.html");
    asked.push(request.url);
    if (!file || !fs.existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[path.extname(file).slice(1)] ?? "application/octet-stream", "access-control-allow-origin": "*" });
    response.end(fs.readFileSync(file));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { asked, address: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

export class Tab {
  #next = 1;
  #waiting = new Map();
  #session;
  #profile = fs.mkdtempSync(path.join(os.tmpdir(), "pdblens-page-"));
  requests = [];
  problems = [];

  static async open(program) {
    const tab = new Tab();
    const options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
      "--disable-sync", "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--remote-debugging-pipe",
      `--user-data-dir=${tab.#profile}`, "about:blank"];
    tab.process = spawn(program, options, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    let rest = "";
    tab.process.stdio[4].setEncoding("utf8").on("data", (part) => {
      const messages = (rest + part).split("\0");
      rest = messages.pop();
      for (const message of messages) tab.#take(JSON.parse(message));
    });
    const { targetInfos } = await tab.send("Target.getTargets");
    const { targetId } = targetInfos.find((target) => target.type === "page");
    tab.#session = (await tab.send("Target.attachToTarget", { targetId, flatten: true })).sessionId;
    for (const domain of ["Page", "Runtime", "Network"]) await tab.send(`${domain}.enable`);
    await tab.send("Browser.grantPermissions", { permissions: ["clipboardReadWrite", "clipboardSanitizedWrite"] });
    return tab;
  }

  #take({ id, result, error, method, params }) {
    if (method === "Network.requestWillBeSent") this.requests.push(params.request.url);
    if (method === "Runtime.exceptionThrown") this.problems.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    const [done, fail] = this.#waiting.get(id) ?? [];
    this.#waiting.delete(id);
    if (error) fail?.(new Error(error.message));
    else done?.(result);
  }

  send(method, params = {}) {
    const id = this.#next++;
    this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId: this.#session }) + "\0");
    return new Promise((done, fail) => this.#waiting.set(id, [done, fail]));
  }

  /** The value of an expression in the page. */
  async eval(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true, userGesture: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** Waits until an expression holds; returns its value. */
  async until(expression, milliseconds = 8000) {
    const end = Date.now() + milliseconds;
    for (;;) {
      const value = await this.eval(expression);
      if (value) return value;
      if (Date.now() > end) throw new Error(`never: ${expression}`);
      await new Promise((done) => setTimeout(done, 25));
    }
  }

  text = () => this.eval(`document.querySelector("#text")?.textContent ?? document.body?.textContent`);
  shows = (part) => this.until(`document.querySelector("#text")?.textContent.includes(${JSON.stringify(part)})`);

  async size(width, height, mobile = false) {
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile });
    await this.send("Emulation.setTouchEmulationEnabled", { enabled: mobile });
  }

  /** Loads an address; `ready` is what the page has then. */
  async go(address, ready = "document.body.dataset.first && document.body.dataset.works === 'false'") {
    await this.send("Page.navigate", { url: "about:blank" });
    await this.send("Page.navigate", { url: address });
    await this.until(`document.readyState === "complete" && document.body && (${ready})`);
  }

  async key(key, modifiers = 0, commands = []) {
    const text = key.length === 1 && !modifiers ? key : undefined;
    const code = { Enter: 13, Escape: 27, Tab: 9, Backspace: 8 }[key] ?? (key.length === 1 ? key.toUpperCase().charCodeAt(0) : 0);
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", key, text, modifiers, commands, windowsVirtualKeyCode: code });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", key, modifiers, windowsVirtualKeyCode: code });
  }

  async drop(files) {
    const data = { items: [], files, dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"]) await this.send("Input.dispatchDragEvent", { type, x: 200, y: 200, data });
  }

  async picture(file) {
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    fs.writeFileSync(file, Buffer.from(data, "base64"));
  }

  async close() {
    await this.send("Browser.close").catch(() => {});
    await new Promise((done) => this.process.once("exit", done));
    fs.rmSync(this.#profile, { recursive: true, force: true });
  }
}
