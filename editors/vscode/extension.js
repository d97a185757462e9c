// A read-only editor for .dll, .exe, .pdb and .mdb files: the page of pdblens with the file and its partner.

const path = require("node:path");
const vscode = require("vscode");

/** Names beside a file that belong to it: its symbols, or the image that they are of. */
function partners(name) {
  const { ext, name: stem } = path.posix.parse(name);
  switch (ext.toLowerCase()) {
    case ".pdb": return [`${stem}.dll`, `${stem}.exe`];
    case ".mdb": return [stem];
    default: return [`${stem}.pdb`, `${name}.mdb`];
  }
}

/** The page, whose parts are at other addresses in an editor. */
async function html(webview, folder) {
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(vscode.Uri.joinPath(folder, "index.html")));
  const base = `${webview.asWebviewUri(folder)}/`, own = webview.cspSource;
  const policy = `default-src 'none'; script-src ${own} 'wasm-unsafe-eval'; worker-src blob:; connect-src ${own}; style-src ${own}; img-src data:`;
  return text
    .replace(/(http-equiv="Content-Security-Policy" content=")[^"]*/, (_all, head) => head + policy)
    .replace(/(href|src)="(page\.\w+)"/g, (_all, name, file) => `${name}="${base}${file}"`)
    .replace("<body>", () => `<body data-base="${base}">`);
}

class Editor {
  constructor(uri, panel) {
    this.uri = uri;
    this.panel = panel;
    panel.webview.onDidReceiveMessage((message) => this.receive(message));
  }

  async receive(message) {
    if (message.ready) {
      const files = await this.files();
      this.panel.webview.postMessage({ files, names: files.map(([name]) => `/${name}`) });
    } else {
      this.source = message.source;
    }
  }

  /** The file, and the first of its partners that is there. */
  async files() {
    const name = path.posix.basename(this.uri.path);
    const found = [[name, await vscode.workspace.fs.readFile(this.uri)]];
    for (const other of partners(name)) {
      try {
        found.push([other, await vscode.workspace.fs.readFile(vscode.Uri.joinPath(this.uri, "..", other))]);
        break;
      } catch { /* It is not there: the next one may be. */ }
    }
    return found;
  }

  ask(request) {
    this.panel.webview.postMessage({ request });
  }
}

/** The file of a document of a PDB: at its path, else the one in the workspace whose path ends most like it. */
async function find(document) {
  const steps = document.split(/[\\/]/), uri = vscode.Uri.file(document);
  try {
    await vscode.workspace.fs.stat(uri);
    return uri;
  } catch { /* It was compiled elsewhere. */ }
  const alike = ({ path }) => {
    const own = path.split("/");
    let count = 0;
    while (count < steps.length && own.at(-1 - count)?.toLowerCase() === steps.at(-1 - count).toLowerCase()) count++;
    return count;
  };
  const found = await vscode.workspace.findFiles(`**/${steps.at(-1)}`);
  return found.sort((a, b) => alike(b) - alike(a))[0];
}

exports.activate = (context) => {
  const editors = new Set();
  const folder = vscode.Uri.joinPath(context.extensionUri, "page");
  const active = () => [...editors].find((editor) => editor.panel.active);
  const provider = {
    openCustomDocument: (uri) => ({ uri, dispose() {} }),
    async resolveCustomEditor({ uri }, panel) {
      const editor = new Editor(uri, panel);
      editors.add(editor);
      panel.onDidDispose(() => editors.delete(editor));
      panel.webview.options = { enableScripts: true, localResourceRoots: [folder] };
      panel.webview.html = await html(panel.webview, folder);
    },
  };
  const commands = {
    async "pdblens.goTo"() {
      const prompt = "A place: 0x06000002+0xf, Clock.Since+0xf, Clock.cs:12, or a link";
      const text = await vscode.window.showInputBox({ title: "Go to IL offset", prompt });
      if (text) active()?.ask({ open: text });
    },
    async "pdblens.trace"() {
      const text = await vscode.env.clipboard.readText();
      if (text.trim()) active()?.ask({ paste: text.trim() + "\n" });
      else vscode.window.showInformationMessage("Copy a stack trace first: it is taken from the clipboard.");
    },
    async "pdblens.source"() {
      const [document, line] = active()?.source ?? [];
      if (!document) return vscode.window.showInformationMessage("Select a method, a point or a line first: its source is opened.");
      const uri = await find(document);
      if (!uri) return vscode.window.showWarningMessage(`${document} is neither on this machine nor in the workspace.`);
      const at = new vscode.Position(line - 1, 0);
      await vscode.window.showTextDocument(uri, { selection: new vscode.Range(at, at), viewColumn: vscode.ViewColumn.Beside });
    },
  };
  context.subscriptions.push(
    vscode.window.registerCustomEditorProvider("pdblens.editor", provider, { webviewOptions: { retainContextWhenHidden: true } }),
    ...Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(name, run)),
  );
};
