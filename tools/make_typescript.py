#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_typescript.py --wasm FILE DIR - the folders of the npm packages baton-handoff and baton-handoff-tokens, below DIR. FILE is baton.wasm; schema.wasm lies beside it.

The sources are compiled twice, as ES modules and as CommonJS, with tsc of Debian's node-typescript; TYPESCRIPT names the folder of another one.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
SDK = SOURCE / "sdk/typescript"
OPTIONS = ["--strict", "--noUncheckedIndexedAccess", "--noImplicitOverride", "--target", "es2022", "--declaration", "--lib", "es2022,dom,dom.iterable"]
FORMS = {
    "esm": (["--module", "node16", "--moduleResolution", "node16"], "module", 'export const base = import.meta.url ? new URL("..", import.meta.url).href : undefined;\n'),
    "cjs": (["--module", "commonjs", "--moduleResolution", "node"], "commonjs", '"use strict";\nexports.base = new URL("..", require("node:url").pathToFileURL(__filename)).href;\n'),
}

# What each adapter imports: the name it has in the adapter, the package, and the oldest release that it was tried with.
FRAMEWORKS = {
    "openai-agents": [("agents", "@openai/agents", "0.20")],
    "langgraph": [("langgraph", "@langchain/langgraph", "1.4"), ("langchain", "langchain", "1.5")],
    "ai-sdk": [("ai", "ai", "7.0")],
}
ADAPTERS = [*FRAMEWORKS, "mastra"]
LICENCE_LINE = "// SPDX-License-Identifier: Apache-2.0\n"


class PackageError(Exception):
    """The packages cannot be made."""


def find_compiler():
    """The command that compiles TypeScript, or None."""
    folder = os.environ.get("TYPESCRIPT", "")
    return ["node", f"{folder}/bin/tsc"] if folder else [shutil.which("tsc")] if shutil.which("tsc") else None


def run(*command, cwd):
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise PackageError(f"{' '.join(map(str, command))[:300]}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")


def version():
    return re.search(r"^\s*version: '(\d+\.\d+\.\d+)'", (SOURCE / "meson.build").read_text(encoding="utf-8"), re.M)[1]


def import_frameworks(form, packages):
    """A module that has the packages, or says which one is missing. It is not compiled, since CommonJS has no await at the top level."""
    if form == "esm":
        lines = [f'export const {name} = await import("{package}").catch(missing("{package}", "{version}"));' for name, package, version in packages]
        return 'import { missing } from "./need.js";\n' + "\n".join(lines) + "\n"
    lines = [f'try {{\n  exports.{name} = require("{package}");\n}} catch (why) {{\n  missing("{package}", "{version}")(why);\n}}' for name, package, version in packages]
    return '"use strict";\nconst { missing } = require("./need.js");\n' + "\n".join(lines) + "\n"


def compile_form(folder, form):
    options, kind, locate = FORMS[form]
    sources = folder / f"{form}-sources"
    for name in ("src", "generated"):
        shutil.copytree(SDK / name, sources / name)
    (sources / "package.json").write_text(json.dumps({"type": kind}) + "\n")
    out = folder / form
    entries = ["baton.ts", "client.ts", "schema.ts", "adapters/need.ts", *(f"adapters/{name}.ts" for name in ADAPTERS)]
    run(*find_compiler(), *OPTIONS, *options, "--rootDir", sources, "--outDir", out, *(sources / "src" / name for name in entries), cwd=sources)
    shutil.copy(SDK / "src/locate.d.ts", out / "src/locate.d.ts")
    (out / "src/locate.js").write_text(LICENCE_LINE + locate)
    for name, packages in FRAMEWORKS.items():
        shutil.copy(SDK / f"src/adapters/{name}.framework.d.ts", out / f"src/adapters/{name}.framework.d.ts")
        (out / f"src/adapters/{name}.framework.js").write_text(LICENCE_LINE + import_frameworks(form, packages))
    (out / "package.json").write_text(json.dumps({"type": kind}) + "\n")
    shutil.rmtree(sources)


def make(wasm, out):
    if not find_compiler():
        raise PackageError("tsc is missing (Debian: node-typescript)")
    package, tokens = out / "baton-handoff", out / "baton-handoff-tokens"
    for folder in (package, tokens):
        if folder.exists():
            shutil.rmtree(folder)
    package.mkdir(parents=True)
    for form in FORMS:
        compile_form(package, form)
    for name in ("baton.wasm", "schema.wasm"):
        shutil.copy(wasm.parent / name, package / name)
    shutil.copytree(SDK / "bin", package / "bin")
    shutil.copytree(SDK / "tokens", tokens)
    for name in ("o200k", "cl100k"):
        shutil.copy(SOURCE / f"src/token/data/{name}_base.merges", tokens / f"{name}.bin")
    shutil.copy(SOURCE / "src/token/data/LICENSE", tokens / "LICENSE.tables")
    shutil.copy(SDK / "package.json", package / "package.json")
    shutil.copy(SDK / "PACKAGE.md", package / "README.md")
    for folder in (package, tokens):
        shutil.copy(SOURCE / "LICENSE", folder / "LICENSE")
        if json.loads((folder / "package.json").read_text(encoding="utf-8"))["version"] != version():
            raise PackageError(f"{folder.name}: package.json has another version than meson.build")
        for path in folder.rglob("*"):
            path.chmod(0o755 if path.is_dir() or path.suffix == ".mjs" and path.parent.name == "bin" else 0o644)


def main(arguments):
    parser = argparse.ArgumentParser(prog="make_typescript.py", description="Make the folders of the npm packages of sdk/typescript.")
    parser.add_argument("--wasm", type=pathlib.Path, required=True)
    parser.add_argument("out", type=pathlib.Path)
    given = parser.parse_args(arguments)
    try:
        make(given.wasm.resolve(), given.out.resolve())
    except (PackageError, OSError) as why:
        print(f"make_typescript.py: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
