// SPDX-License-Identifier: Apache-2.0
// editors.mjs BATON NODE_MODULES - the extension for Visual Studio Code against a stub of `vscode` and a real server, then the module for
// Neovim in a real Neovim. NODE_MODULES has the packages of editors/vscode, and the extension bundled in ../vscode/dist.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import Module, { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { equal, finish } from "./tally.mjs";
import { Stub } from "./vscode_stub.mjs";

const [baton, modules] = process.argv.slice(2).map((name) => path.resolve(name));
const text = fs.readFileSync("examples/universal/mendable.handoff.json", "utf8").replace(/"problem_type": "[^"]*"/, '"problem_type": "Implementation"');
const place = fs.mkdtempSync(path.join(os.tmpdir(), "baton-editors-"));
const file = path.join(place, "a.handoff.json");
fs.writeFileSync(file, text);

/** Load the bundled extension with a stub in place of `vscode`. */
function load(stub) {
  const resolve = Module._resolveFilename;
  const loadModule = Module._load;
  Module._load = function loadStub(name, ...rest) {
    return name === "vscode" ? stub.vscode : loadModule.call(this, name, ...rest);
  };
  const extension = createRequire(import.meta.url)(path.resolve(modules, "../dist/extension.js"));
  Module._resolveFilename = resolve;
  return extension;
}

async function until(happens) {
  for (let tries = 0; tries < 400; tries += 1) {
    if (happens()) {
      return true;
    }
    await new Promise((done) => setTimeout(done, 50));
  }
  return false;
}

const stub = new Stub({ folder: place, settings: { path: baton, args: ["--now", "2026-04-14T09:00:00Z"] } });
const extension = load(stub);

// A program of the workspace is never started, whatever names it.
fs.writeFileSync(path.join(place, "baton"), "#!/bin/sh\n");
fs.chmodSync(path.join(place, "baton"), 0o755);
equal("a program of the workspace is not found", extension.findProgram("baton", place), undefined);
equal("nor by its path", extension.findProgram(path.join(place, "baton"), ""), undefined);
equal("nor by a relative path", extension.findProgram("./baton", place), undefined);
equal("nor through a relative folder of PATH", extension.findProgram("baton", "."), undefined);
equal("a program elsewhere is", extension.findProgram(path.basename(baton), path.dirname(baton)), baton);

await extension.activate({ subscriptions: [] });
equal("two commands are registered", [...stub.commands.keys()].sort(), ["baton.explainCode", "baton.restartServer"]);
const document = stub.open(file, "json");
const found = () => stub.diagnostics(document.uri).find((item) => (item.code?.value ?? item.code) === "SCHEMA_ENUM");
equal("a finding is shown", await until(() => found() !== undefined), true);
const actions = await stub.codeActions(document, found().range);
const fix = actions.find((action) => action.title.startsWith("Fix SCHEMA_ENUM"));
equal("its fix is offered", fix?.title, "Fix SCHEMA_ENUM at /handoff/context/problem_type");
await stub.apply(fix.edit);
equal("the fix is applied", document.getText().includes('"problem_type": "implementation"'), true);
equal("the finding is gone", await until(() => found() === undefined), true);
await stub.commands.get("baton.restartServer")();
await extension.deactivate();

const missing = new Stub({ folder: place, settings: { path: "/nonexistent/baton" } });
stub.become(missing);
await extension.activate({ subscriptions: [] });
equal("a missing program gives one message", missing.errors.length, 1);
await extension.deactivate();

const nvim = process.env.NVIM ?? "nvim";
fs.writeFileSync(file, text);
const done = spawnSync(nvim, ["--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", `luafile ${path.resolve("tests/interop/nvim.lua")}`],
  { cwd: place, encoding: "utf8", timeout: 120000, env: { ...process.env, BATON: baton, BATON_LUA: path.resolve("editors/nvim"), BATON_PLACE: place } });
for (const line of (done.stdout ?? "").split("\n").filter((one) => /^(not )?ok - /.test(one))) {
  equal(`Neovim: ${line.replace(/^(not )?ok - /, "")}`, line.startsWith("ok"), true);
}
equal("Neovim ends well", [done.status, /^ok/m.test(done.stdout ?? "")], [0, true]);
fs.rmSync(place, { recursive: true });
void pathToFileURL;
finish();
process.exit();
