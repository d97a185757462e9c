// The module in a worker: a long job never freezes the page. Messages of the page are answered in their order; between two jobs the
// queue of messages is looked at.
import { Wasi } from "./wasi.js";

let wasi, tick;
const channel = new MessageChannel();
channel.port1.onmessage = () => ask("work");

function ask(request) {
  let answer;
  try {
    answer = wasi.ask(request);
  } catch (error) {
    // Its memory may be half changed: it is not asked again.
    wasi = undefined;
    postMessage({ failed: String(error) });
    return;
  }
  const { reply, cells } = answer;
  const own = cells.slice();
  postMessage({ reply, cells: own, memory: wasi.memory }, [own.buffer]);
  clearTimeout(tick);
  if (reply.works) channel.port2.postMessage(0);
  else if (reply.tick !== undefined) tick = setTimeout(() => ask("tick"), reply.tick);
}

onmessage = async ({ data }) => {
  try {
    if (data.start) {
      // A start is a new program: nothing of the files before it is left.
      wasi = await Wasi.start(data.module, (text) => console.error(text));
      for (const [path, bytes] of data.files) wasi.files.set(path, bytes);
      ask({ start: data.start });
    } else if (wasi) {
      ask(data.request);
    }
  } catch (error) {
    postMessage({ failed: String(error) });
  }
};
