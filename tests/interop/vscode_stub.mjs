// SPDX-License-Identifier: Apache-2.0
// vscode_stub.mjs - as much of the module `vscode` as the extension and vscode-languageclient use: documents, diagnostics, code actions,
// settings. What they only register is accepted and never called.
import fs from "node:fs";
import { pathToFileURL, fileURLToPath } from "node:url";

class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }

  isBefore(other) {
    return this.line < other.line || (this.line === other.line && this.character < other.character);
  }

  isAfter(other) {
    return other.isBefore(this);
  }

  isEqual(other) {
    return this.line === other.line && this.character === other.character;
  }
}

class Range {
  constructor(start, end, endLine, endCharacter) {
    this.start = typeof start === "number" ? new Position(start, end) : start;
    this.end = typeof start === "number" ? new Position(endLine, endCharacter) : end;
  }

  contains(other) {
    const at = other.start ?? other;
    return !at.isBefore(this.start) && !at.isAfter(this.end);
  }

  intersection(other) {
    return this.end.isBefore(other.start) || other.end.isBefore(this.start) ? undefined : this;
  }
}

class Uri {
  constructor(text) {
    const parsed = new URL(text);
    Object.assign(this, { scheme: parsed.protocol.slice(0, -1), authority: parsed.host, path: parsed.pathname, query: "", fragment: "", text });
    this.fsPath = this.scheme === "file" ? fileURLToPath(text) : parsed.pathname;
  }

  toString() {
    return this.text;
  }

  with() {
    return this;
  }

  static parse(text) {
    return new Uri(text);
  }

  static file(file) {
    return new Uri(pathToFileURL(file).href);
  }
}

class EventEmitter {
  listeners = new Set();

  event = (listener, self) => {
    const bound = self ? listener.bind(self) : listener;
    this.listeners.add(bound);
    return { dispose: () => this.listeners.delete(bound) };
  };

  fire(value) {
    return Promise.all([...this.listeners].map((listener) => listener(value)));
  }

  dispose() {
    this.listeners.clear();
  }
}

class Disposable {
  constructor(dispose) {
    this.dispose = dispose ?? (() => {});
  }

  static from(...items) {
    return new Disposable(() => items.forEach((item) => item.dispose()));
  }
}

class Diagnostic {
  constructor(range, message, severity) {
    Object.assign(this, { range, message, severity });
  }
}

class CodeAction {
  constructor(title, kind) {
    Object.assign(this, { title, kind });
  }
}

class CodeActionKind {
  constructor(value) {
    this.value = value;
  }

  append(part) {
    return new CodeActionKind(this.value ? `${this.value}.${part}` : part);
  }
}
Object.assign(CodeActionKind, { Empty: new CodeActionKind(""), QuickFix: new CodeActionKind("quickfix"), Source: new CodeActionKind("source") });

class WorkspaceEdit {
  changes = [];

  set(uri, edits) {
    this.changes.push([uri, edits.map((edit) => (Array.isArray(edit) ? edit[0] : edit))]);
  }

  replace(uri, range, newText) {
    const known = this.changes.find(([other]) => other.toString() === uri.toString());
    if (known) {
      known[1].push({ range, newText });
    } else {
      this.changes.push([uri, [{ range, newText }]]);
    }
  }

  insert(uri, position, newText) {
    this.replace(uri, new Range(position, position), newText);
  }

  delete(uri, range) {
    this.replace(uri, range, "");
  }
}

class TextEdit {
  constructor(range, newText) {
    Object.assign(this, { range, newText });
  }
}

class TabInputText {
  constructor(uri) {
    this.uri = uri;
  }
}

class CancellationTokenSource {
  token = { isCancellationRequested: false, onCancellationRequested: () => new Disposable() };

  cancel() {}

  dispose() {}
}

/** A document that the stub can change. */
class Document {
  isClosed = false;

  isDirty = false;

  version = 1;

  constructor(file, languageId) {
    Object.assign(this, { uri: Uri.file(file), languageId, text: fs.readFileSync(file, "utf8"), fileName: file });
  }

  getText() {
    return this.text;
  }

  offsetAt(place) {
    return this.text.split("\n").slice(0, place.line).reduce((sum, line) => sum + line.length + 1, 0) + place.character;
  }
}

/** A function that can also be called with `new`, for what is only registered. */
function placeholder() {
  return new Disposable();
}

/** An object whose unknown members are placeholders; names with a capital letter are empty classes. */
function withDefaults(known) {
  const classes = new Map();
  return new Proxy(known, {
    get(target, name) {
      if (name in target || typeof name === "symbol") {
        return target[name];
      }
      if (/^[A-Z]/.test(name)) {
        classes.set(name, classes.get(name) ?? class Unknown {});
        return classes.get(name);
      }
      return placeholder;
    },
  });
}

export class Stub {
  commands = new Map();

  errors = [];

  documents = [];

  collections = [];

  actionProviders = [];

  /** One group of tabs; documents are checked while a tab shows them. */
  tabs = [{ tabs: [], isActive: true }];

  tabsChanged = new EventEmitter();

  opened = new EventEmitter();

  changed = new EventEmitter();

  constructor({ folder, settings }) {
    this.settings = settings;
    this.folders = [{ uri: Uri.file(folder), name: "x", index: 0 }];
    this.vscode = withDefaults({
      Position, Range, Uri, EventEmitter, Disposable, Diagnostic, CodeAction, CodeActionKind, WorkspaceEdit, TextEdit, TabInputText, CancellationTokenSource,
      DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 }, DiagnosticTag: { Unnecessary: 1, Deprecated: 2 },
      CompletionItemKind: {}, CompletionItemTag: {}, SymbolKind: {}, SymbolTag: {}, InlayHintKind: {}, FoldingRangeKind: {}, CompletionTriggerKind: {},
      CodeActionTriggerKind: { Invoke: 1, Automatic: 2 }, TextDocumentSaveReason: {}, DocumentHighlightKind: {}, SignatureHelpTriggerKind: {},
      TextDocumentChangeReason: {}, NotebookCellKind: {}, LogLevel: {}, CancellationError: Error, version: "1.91.0",
      env: withDefaults({ appName: "stub", language: "en", onDidChangeLogLevel: placeholder }), extensions: withDefaults({ all: [] }),
      commands: withDefaults({ registerCommand: (name, run) => (this.commands.set(name, run), new Disposable()) }),
      languages: this.languages(), workspace: this.workspace(), window: this.window(),
    });
  }

  languages() {
    return withDefaults({
      match: (selector, document) => (selector.some((filter) => filter.language === document.languageId && filter.scheme === document.uri.scheme) ? 10 : 0),
      createDiagnosticCollection: () => {
        const items = new Map();
        this.collections.push(items);
        return { set: (uri, list) => items.set(uri.toString(), list ?? []), delete: (uri) => items.delete(uri.toString()), clear: () => items.clear(),
          forEach: () => {}, has: (uri) => items.has(uri.toString()), get: (uri) => items.get(uri.toString()), dispose: () => items.clear() };
      },
      getDiagnostics: (uri) => this.diagnostics(uri),
      registerCodeActionsProvider: (_selector, provider) => (this.actionProviders.push(provider), new Disposable()),
    });
  }

  workspace() {
    return withDefaults({
      isTrusted: true, workspaceFolders: this.folders, textDocuments: this.documents, notebookDocuments: [],
      getWorkspaceFolder: () => this.folders[0],
      getConfiguration: () => ({ get: (name, otherwise) => this.settings[name] ?? otherwise, has: () => false,
        inspect: (name) => ({ globalValue: this.settings[name] }) }),
      createFileSystemWatcher: () => withDefaults({ onDidCreate: placeholder, onDidChange: placeholder, onDidDelete: placeholder, dispose: () => {} }),
      onDidOpenTextDocument: this.opened.event, onDidChangeTextDocument: this.changed.event,
      applyEdit: (edit) => this.apply(edit),
    });
  }

  window() {
    const channel = withDefaults({ name: "x", append: () => {}, appendLine: () => {}, dispose: () => {}, show: () => {}, clear: () => {} });
    return withDefaults({
      createOutputChannel: () => channel, visibleTextEditors: [], activeTextEditor: undefined, tabGroups: withDefaults({ all: this.tabs, onDidChangeTabGroups: placeholder, onDidChangeTabs: this.tabsChanged.event }),
      showErrorMessage: async (text) => (this.errors.push(text), undefined),
    });
  }

  /** Let another stub take this one's place in modules that were loaded with it. */
  become(other) {
    for (const name of ["workspace", "window", "languages", "commands"]) {
      this.vscode[name] = other.vscode[name];
    }
  }

  open(file, languageId) {
    const document = new Document(file, languageId);
    const tab = { input: new TabInputText(document.uri), isActive: true, group: this.tabs[0] };
    this.documents.push(document);
    this.tabs[0].tabs.push(tab);
    this.vscode.window.activeTextEditor = { document };
    void this.tabsChanged.fire({ opened: [tab], closed: [], changed: [] });
    void this.opened.fire(document);
    return document;
  }

  diagnostics(uri) {
    return this.collections.flatMap((items) => items.get(uri.toString()) ?? []);
  }

  async codeActions(document, range) {
    const context = { diagnostics: this.diagnostics(document.uri), triggerKind: 1, only: undefined };
    const token = new CancellationTokenSource().token;
    const lists = await Promise.all(this.actionProviders.map((provider) => provider.provideCodeActions(document, range, context, token)));
    return lists.flat().filter(Boolean);
  }

  async apply(edit) {
    for (const [uri, edits] of edit.changes) {
      const document = this.documents.find((one) => one.uri.toString() === uri.toString());
      const contentChanges = [];
      for (const { range, newText } of [...edits].reverse()) {
        const [begin, end] = [document.offsetAt(range.start), document.offsetAt(range.end)];
        document.text = document.text.slice(0, begin) + newText + document.text.slice(end);
        contentChanges.push({ range, text: newText, rangeOffset: begin, rangeLength: end - begin });
      }
      document.version += 1;
      await this.changed.fire({ document, contentChanges, reason: undefined });
    }
    return true;
  }
}
