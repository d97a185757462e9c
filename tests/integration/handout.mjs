// A handout in Chromium at the sizes of a projector and of a phone: node handout.mjs PAGE CHROMIUM
import assert from "node:assert/strict";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { Tab } from "../../crates/web/tests/chromium.mjs";

const [page, chromium] = process.argv.slice(2);
const address = pathToFileURL(path.resolve(page)).href;
const tab = await Tab.open(chromium);
/** What of the selected read and the controls is hidden: by the edge of the window, or by something above it. */
const hidden = `(() => {
  const seen = (element) => {
    const box = element.getBoundingClientRect(), x = box.left + Math.min(box.width, 40) / 2, y = box.top + box.height / 2;
    return box.top >= 0 && box.bottom <= innerHeight + 1 && element.contains(document.elementFromPoint(x, y));
  };
  const parts = { row: "tbody tr.on", byte: ".dump .on", next: "#next", position: "#pos", input: "#guess", why: "#why" };
  return Object.keys(parts).filter((name) => !seen(document.querySelector(parts[name])));
})()`;
const problems = [];
try {
  await tab.size(1280, 720);
  await tab.go(address, "document.querySelector('#pos').textContent");
  const steps = await tab.eval("document.querySelectorAll('tr[id]').length");
  for (let step = 1; step <= steps; step++) {
    const found = await tab.eval(hidden);
    if (found.length > 0) problems.push(`step ${step}: ${found}`);
    if (step > 1) assert.equal(await tab.eval("location.hash"), `#f${step}`);
    assert.match(await tab.eval("document.querySelector('#open').href"), new RegExp(`#points=[0-9a-f-]+&step=${step}$`));
    await tab.key(" ");
    await tab.until(`document.querySelector('#pos').textContent.startsWith("step ${Math.min(step + 1, steps)} ")`);
  }
  assert.deepEqual(problems, []);
  const widths = JSON.parse(await tab.eval("JSON.stringify([...document.querySelectorAll('.places pre')].map((pane) => pane.getBoundingClientRect().width))"));
  const whole = widths.reduce((sum, width) => sum + width, 0);
  for (const [index, share] of [0.5, 0.25, 0.25].entries()) assert.ok(Math.abs(widths[index] / whole - share) < 0.03, `${widths}`);
  await tab.go(`${address}#f7`, "document.querySelector('#pos').textContent.startsWith('step 7 ')");
  if (process.argv[4]) await tab.picture(`${process.argv[4]}-1280.png`);
  await tab.size(390, 844, true);
  await tab.go(`${address}#f7`, "document.querySelector('#pos').textContent.startsWith('step 7 ')");
  if (process.argv[4]) await tab.picture(`${process.argv[4]}-390.png`);
  assert.ok((await tab.eval("document.documentElement.scrollWidth")) <= 390);
  await tab.until(`${hidden}.length === 0`);
  assert.deepEqual(tab.requests.filter((request) => !request.startsWith("file:") && !request.startsWith("about:")), []);
  console.log(`✓ ${steps} steps`);
} catch (error) {
  console.error(error, problems, tab.problems);
  process.exitCode = 1;
}
await tab.close();
