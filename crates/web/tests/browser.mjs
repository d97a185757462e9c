// The page in Chromium, as a visitor uses it: node browser.mjs PAGE SAMPLES CHROMIUM [PICTURES]
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { Tab, serve } from "./chromium.mjs";

const [page, samples, chromium, pictures] = process.argv.slice(2);
const sample = (...names) => names.map((name) => path.resolve(samples, name));
const server = await serve({ page });
const site = `${server.address}/page/`;
const tab = await Tab.open(chromium);
const done = [];

const hash = () => tab.eval("location.hash");
const at = (hash) => tab.until(`location.hash === ${JSON.stringify(hash)}`);
/** Types keys; each is answered before the next one. */
async function type(...keys) {
  for (const key of keys) {
    const before = await tab.eval("document.body.dataset.answers");
    await tab.key(key);
    await tab.until(`document.body.dataset.answers !== "${before}" && document.body.dataset.works === "false"`);
  }
}
async function step(name, run) {
  try {
    await run();
  } catch (error) {
    console.error(`✗ ${name}: ${error.stack}\n${await tab.text()}\n${await tab.eval("location.href")}\n${tab.problems.join("\n")}`);
    tab.process.kill();
    process.exit(1);
  }
  done.push(name);
}

await tab.size(1280, 720);
await step("a first visit has the sample, a sentence and three things to do", async () => {
  await tab.go(site);
  await tab.shows("built-in sample");
  assert.equal(await tab.eval("document.querySelectorAll('#welcome li').length"), 3);
  assert.ok(await tab.eval("!document.querySelector('#welcome').hidden"));
  assert.equal(await hash(), "#at=overview&file=sample");
});
await step("a dropped pair opens", async () => {
  await tab.drop(sample("workshop/Workshop.dll", "workshop/Workshop.pdb"));
  await tab.shows("Workshop.dll + Workshop.pdb");
  assert.ok(await tab.eval("document.querySelector('#welcome').hidden"));
  await at("#at=overview");
});
await step("keys work, and the address follows", async () => {
  await type("3");
  await tab.shows("Workshop.Columns › Mixed(string) › point 1");
  await at("#at=method/0x06000001/points/1");
  assert.ok((await tab.text()).includes("こんにちは"), "wide signs are text");
});
await step("steps of the player are in the address, and y l copies it", async () => {
  await type(".", "ArrowDown", "ArrowDown");
  // The player begins at the point that was selected.
  await at("#at=method/0x06000001/points&step=4");
  await type("y", "l");
  assert.equal(await tab.until("navigator.clipboard.readText()"), await tab.eval("location.href"));
});
await step("the back button is Back, and forward is forward", async () => {
  await tab.eval("history.back()");
  await at("#at=method/0x06000001/points/1");
  await tab.shows("Workshop.Columns › Mixed(string) › point 1");
  await tab.eval("history.back()");
  await at("#at=overview");
  await tab.eval("history.forward()");
  await at("#at=method/0x06000001/points/1");
  await type("Backspace");
  await at("#at=overview");
  await tab.shows("Workshop.dll + Workshop.pdb");
});
await step("a pasted trace is resolved", async () => {
  await tab.eval(`navigator.clipboard.writeText("System.Exception: x\\n   at Workshop.Program.Main(String[] args)\\n   at Workshop.Columns.Mixed(String a)\\n")`);
  await tab.key("v", 2, ["paste"]);
  await tab.shows("Workshop.Columns.Mixed");
});
await step("a link to a dropped file's place waits for the files", async () => {
  await tab.go(`${site}#at=method/0x06000001/points&step=3`);
  assert.match(await tab.eval("document.querySelector('#lead').textContent"), /method\/0x06000001\/points in files that are not here/);
  await tab.drop(sample("workshop/Workshop.dll", "workshop/Workshop.pdb"));
  await tab.shows("3/");
  await at("#at=method/0x06000001/points&step=3");
});
await step("a blob and a lesson open from the address", async () => {
  await tab.go(`${site}#points=02-00-00-01-13-05-01-00-26-02-04&step=5`);
  await tab.shows("5/");
  assert.equal(await hash(), "#points=02-00-00-01-13-05-01-00-26-02-04&step=5");
  await type("ArrowDown");
  await at("#points=02-00-00-01-13-05-01-00-26-02-04&step=6");
  await tab.go(`${site}#lesson=8/4`);
  await tab.shows("Lesson 8");
  await at("#lesson=8/4");
});
await step("the browser keeps the progress of lessons", async () => {
  await tab.go(`${site}#lesson=2/1`);
  await tab.shows("Lesson 2");
  await type("ArrowDown");
  await at("#lesson=2/2");
  assert.match(await tab.eval("localStorage.getItem('pdblens.progress')"), /2/);
  await tab.go(`${site}#theme=dark`);
  await type("6", "6");
  await tab.shows("page 2");
});
await step("? says what differs", async () => {
  await type("?");
  await tab.shows("Keys");
  for (const key of "browser") await type(key);
  await tab.shows("stay the browser's");
  await type("Escape", "f");
  await tab.shows("a page asks no servers");
});
await step("fingers tap and scroll", async () => {
  await tab.size(390, 844, true);
  await tab.go(site);
  await tab.eval("document.querySelector('#close').click()");
  const lines = (await tab.text()).split("\n");
  const [width, height] = JSON.parse(await tab.eval("document.body.dataset.cell"));
  const row = lines.findIndex((line) => line.includes("3Code")), column = lines[row].indexOf("3Code");
  const point = (dx = 0, dy = 0) => ({ x: (column + 1.5) * width + dx, y: (row + 0.5) * height + dy });
  await tab.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [point()] });
  await tab.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await tab.until("location.hash.startsWith('#at=method/')");
  await tab.size(844, 390, true);
  await tab.go(`${site}#at=method/0x06000003&file=sample`);
  const before = await tab.text();
  const fingers = (up) => [{ x: 500, y: 350 - up, id: 1 }, { x: 600, y: 350 - up, id: 2 }];
  await tab.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: fingers(0).slice(0, 1) });
  await tab.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: fingers(0) });
  for (let up = 20; up <= 80; up += 20) await tab.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: fingers(up) });
  await tab.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await tab.until(`document.querySelector("#text").textContent !== ${JSON.stringify(before)}`);
});
await step("nothing is requested after load", async () => {
  await tab.size(1280, 720);
  await tab.go(site);
  const before = server.asked.length;
  await type("3", "1", "2", "4", "5", "6", "1", "!", "Escape", "o", "S", "i", "n", "c", "e", "Enter", ".", "ArrowDown", "Backspace");
  await tab.drop(sample("ticker/Ticker.dll", "ticker/Ticker.pdb"));
  await tab.shows("Ticker.dll + Ticker.pdb");
  await type("3", "f", "Escape", "1");
  await tab.key("q");
  await tab.shows("built-in sample");
  assert.deepEqual(server.asked.slice(before), []);
  const blocked = await tab.eval("fetch('https://example.org/').then(() => 'sent', () => 'refused')");
  assert.equal(blocked, "refused");
  const outside = tab.requests.filter((address) => !address.startsWith(server.address) && !/^(about|data|blob):/.test(address) && address !== "https://example.org/");
  assert.deepEqual(outside, []);
});
await step("pictures", async () => {
  const shots = [["page-390", 390, 844, "#at=method/Clock.Since/points&step=6&file=sample"], ["page-1280", 1280, 720, ""],
    ["page-1920", 1920, 1080, "#at=method/Clock.Since&file=sample"]];
  for (const [name, width, height, address] of shots) {
    await tab.size(width, height, width < 600);
    await tab.go("about:blank", "true");
    await tab.go(`${site}?${name}${address}`);
    await tab.eval("localStorage.clear()");
    await tab.go(`${site}${address || "#theme=dark"}`);
    const widest = await tab.eval("document.documentElement.scrollWidth");
    assert.ok(widest <= width, `${name}: ${widest}`);
    await tab.until("document.fonts.ready.then(() => true)");
    if (pictures) await tab.picture(path.join(pictures, `${name}.png`));
  }
});

assert.deepEqual(tab.problems, []);
await tab.close();
server.close();
console.log(done.map((name) => `✓ ${name}`).join("\n"));
