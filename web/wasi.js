// WASI (preview 1) as far as the module asks: the clock, random numbers, standard streams, and a read-only folder in memory.

const OK = 0, BADF = 8, NOENT = 44, NOSYS = 52, NOTDIR = 54;
const ROOT = 3, FOLDER = 3, FILE = 4;
const decoder = new TextDecoder(), encoder = new TextEncoder();

/** The module and its folder: `files` maps a path without a leading slash to its bytes. */
export class Wasi {
  files = new Map();
  #input = new Uint8Array(0);
  #output = [];
  #open = new Map();
  #next = ROOT + 1;
  #exports;

  /** Instantiates a compiled module. `said` takes what it writes to standard error. */
  static async start(module, said) {
    const wasi = new Wasi();
    wasi.said = said;
    const known = wasi.#functions();
    // A function that is not here is one that the module may ask for and do without.
    const imports = new Proxy(known, { get: (all, name) => all[name] ?? (() => NOSYS), has: () => true });
    const named = Object.fromEntries(WebAssembly.Module.imports(module).map(({ name }) => [name, imports[name]]));
    const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: named });
    wasi.#exports = instance.exports;
    wasi.#exports._initialize?.();
    return wasi;
  }

  /** Asks the module: returns its reply, and the bytes of the cells. */
  ask(request) {
    this.#input = encoder.encode(JSON.stringify(request));
    this.#output = [];
    if (this.#exports.turn() !== 0) throw new Error("the module refuses the request");
    const length = this.#output.reduce((sum, part) => sum + part.length, 0);
    const bytes = new Uint8Array(length);
    let at = 0;
    for (const part of this.#output) { bytes.set(part, at); at += part.length; }
    const end = bytes.indexOf(10);
    return { reply: JSON.parse(decoder.decode(bytes.subarray(0, end))), cells: bytes.subarray(end + 1) };
  }

  get memory() { return this.#exports.memory.buffer.byteLength; }

  #view() { return new DataView(this.#exports.memory.buffer); }
  #bytes(at, length) { return new Uint8Array(this.#exports.memory.buffer, at, length); }
  #text(at, length) { return decoder.decode(this.#bytes(at, length)); }

  /** What a path names: the bytes of a file, or the names in a folder. */
  #find(path) {
    path = path.replace(/^\/+|\/+$/g, "").replace(/^\.(\/|$)/, "");
    const file = this.files.get(path);
    if (file) return { path, file };
    const names = new Map();
    const prefix = path === "" ? "" : path + "/";
    for (const name of this.files.keys()) {
      if (!name.startsWith(prefix)) continue;
      const rest = name.slice(prefix.length), slash = rest.indexOf("/");
      names.set(slash < 0 ? rest : rest.slice(0, slash), slash < 0 ? FILE : FOLDER);
    }
    return names.size > 0 || path === "" ? { path, names } : undefined;
  }

  #stat(out, entry) {
    const view = this.#view();
    this.#bytes(out, 64).fill(0);
    view.setUint8(out + 16, entry.file ? FILE : FOLDER);
    view.setBigUint64(out + 24, 1n, true);
    view.setBigUint64(out + 32, BigInt(entry.file?.length ?? 0), true);
    return OK;
  }

  /** Calls `each` with the position and length of each buffer of a vector, until it returns less than the length. */
  #vector(at, count, done, each) {
    let all = 0;
    for (let i = 0; i < count; i++) {
      const view = this.#view();
      const length = view.getUint32(at + 8 * i + 4, true);
      const moved = each(view.getUint32(at + 8 * i, true), length);
      all += moved;
      if (moved < length) break;
    }
    this.#view().setUint32(done, all, true);
    return OK;
  }

  #read(entry, at, count, done, from) {
    let position = from ?? entry.position;
    const result = this.#vector(at, count, done, (to, length) => {
      const part = entry.file.subarray(position, position + length);
      this.#bytes(to, part.length).set(part);
      position += part.length;
      return part.length;
    });
    if (from === undefined) entry.position = position;
    return result;
  }

  #functions() {
    const none = (count, size) => {
      this.#view().setUint32(count, 0, true);
      this.#view().setUint32(size, 0, true);
      return OK;
    };
    return {
      clock_time_get: (id, _precision, out) => {
        const milliseconds = id === 0 ? Date.now() : performance.now();
        this.#view().setBigUint64(out, BigInt(Math.round(milliseconds * 1e6)), true);
        return OK;
      },
      random_get: (at, length) => {
        for (let i = 0; i < length; i += 65536) crypto.getRandomValues(this.#bytes(at + i, Math.min(65536, length - i)));
        return OK;
      },
      environ_sizes_get: none,
      environ_get: () => OK,
      args_sizes_get: none,
      args_get: () => OK,
      sched_yield: () => OK,
      proc_exit: (code) => { throw new Error(`the module ended with code ${code}`); },
      fd_prestat_get: (fd, out) => {
        if (fd !== ROOT) return BADF;
        this.#view().setUint8(out, 0);
        this.#view().setUint32(out + 4, 1, true);
        return OK;
      },
      fd_prestat_dir_name: (_fd, at) => { this.#bytes(at, 1).set(encoder.encode("/")); return OK; },
      path_open: (_fd, _flags, at, length, _open, _base, _inherited, _fdflags, out) => {
        const entry = this.#find(this.#text(at, length));
        if (!entry) return NOENT;
        this.#open.set(this.#next, { ...entry, position: 0 });
        this.#view().setUint32(out, this.#next++, true);
        return OK;
      },
      path_filestat_get: (_fd, _flags, at, length, out) => {
        const entry = this.#find(this.#text(at, length));
        return entry ? this.#stat(out, entry) : NOENT;
      },
      path_readlink: () => NOENT,
      fd_filestat_get: (fd, out) => {
        const entry = this.#open.get(fd);
        return entry ? this.#stat(out, entry) : BADF;
      },
      fd_fdstat_get: (fd, out) => {
        const entry = this.#open.get(fd);
        if (!entry && fd > ROOT) return BADF;
        this.#bytes(out, 24).fill(0);
        this.#view().setUint8(out, fd === ROOT || entry?.names ? FOLDER : FILE);
        this.#view().setBigUint64(out + 8, 0xffffffffffffffffn, true);
        this.#view().setBigUint64(out + 16, 0xffffffffffffffffn, true);
        return OK;
      },
      fd_read: (fd, at, count, done) => {
        if (fd === 0) {
          return this.#vector(at, count, done, (to, length) => {
            const part = this.#input.subarray(0, length);
            this.#bytes(to, part.length).set(part);
            this.#input = this.#input.subarray(part.length);
            return part.length;
          });
        }
        const entry = this.#open.get(fd);
        return entry?.file ? this.#read(entry, at, count, done) : BADF;
      },
      fd_pread: (fd, at, count, from, done) => {
        const entry = this.#open.get(fd);
        return entry?.file ? this.#read(entry, at, count, done, Number(from)) : BADF;
      },
      fd_seek: (fd, offset, from, out) => {
        const entry = this.#open.get(fd);
        if (!entry?.file) return BADF;
        entry.position = [0, entry.position, entry.file.length][from] + Number(offset);
        this.#view().setBigUint64(out, BigInt(entry.position), true);
        return OK;
      },
      fd_readdir: (fd, at, length, cookie, done) => {
        const entry = fd === ROOT ? this.#find("") : this.#open.get(fd);
        if (!entry?.names) return NOTDIR;
        const bytes = this.#bytes(at, length), view = this.#view();
        let used = 0;
        for (const [index, [name, type]] of [...entry.names].entries()) {
          if (index < Number(cookie)) continue;
          const text = encoder.encode(name), head = new DataView(new ArrayBuffer(24));
          head.setBigUint64(0, BigInt(index + 1), true);
          head.setBigUint64(8, BigInt(index + 1), true);
          head.setUint32(16, text.length, true);
          head.setUint8(20, type);
          // An entry that does not fit is cut: the caller asks again from it.
          for (const part of [new Uint8Array(head.buffer), text]) {
            const fits = part.subarray(0, length - used);
            bytes.set(fits, used);
            used += fits.length;
          }
          if (used === length) break;
        }
        view.setUint32(done, used, true);
        return OK;
      },
      fd_write: (fd, at, count, done) =>
        this.#vector(at, count, done, (from, length) => {
          const part = this.#bytes(from, length).slice();
          if (fd === 1) this.#output.push(part);
          else this.said?.(decoder.decode(part));
          return length;
        }),
      fd_close: (fd) => { this.#open.delete(fd); return OK; },
    };
  }
}
