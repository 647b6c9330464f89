# SPDX-License-Identifier: Apache-2.0
"""npm.py MODULES PACKAGES WASM - the npm packages of sdk/typescript, packed, judged by publint and @arethetypeswrong/cli, and their types with each resolution of TypeScript.

MODULES is the node_modules with these programs, PACKAGES the folder that tools/make_typescript.py wrote. Prints a table; exit 1 when something is wrong.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES, PACKAGES, WASM = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
sys.path[:0] = [str(ROOT / "tests/wasm"), str(ROOT / "tools")]

import test_node  # noqa: E402

RESOLUTIONS = {"node16": ["--module", "node16", "--moduleResolution", "node16"], "nodenext": ["--module", "nodenext", "--moduleResolution", "nodenext"],
               "bundler": ["--module", "esnext", "--moduleResolution", "bundler"]}
FAILED = []


def report(subject, program, done):
    version = json.loads((MODULES / program / "package.json").read_text())["version"]
    print(f"{'ok' if done.returncode == 0 else 'WRONG':<6} {subject:<34} {program} {version}")
    if done.returncode:
        FAILED.append(subject)
        print(done.stdout[-3000:] + (done.stderr or "")[-1000:])


def run(*command, cwd):
    return subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, check=False, timeout=600)


def pack(name, work):
    done = run("npm", "pack", "--ignore-scripts", "--offline", "--pack-destination", work, cwd=PACKAGES / name)
    if done.returncode:
        sys.exit(f"npm pack: {done.stderr[-2000:]}")
    return work / done.stdout.split()[-1]


def judge(path, work):
    report(path.name, "publint", run(MODULES / ".bin/publint", "run", path, "--strict", cwd=work))
    # Files that are not modules have no types; without `exports` only the package itself can be imported, so old resolutions are not promised.
    left_out = ["--exclude-entrypoints", "./baton.wasm", "./schema.wasm", "./o200k.bin", "./cl100k.bin", "./package.json"]
    report(path.name, "@arethetypeswrong/cli", run(MODULES / ".bin/attw", path, "--profile", "node16", "--no-color", "--no-emoji", *left_out, cwd=work))


def main():
    with tempfile.TemporaryDirectory(prefix="baton-npm-") as name:
        work = pathlib.Path(name)
        for package in ("baton-handoff", "baton-handoff-tokens"):
            judge(pack(package, work), work)
        place = test_node.install.install(WASM, work).parent.parent
        os.environ["TYPESCRIPT"] = str(MODULES / "typescript")  # for users; the packages are compiled with Debian's
        report("sources, compiled", "typescript", run(sys.executable, "-B", ROOT / "tools/make_typescript.py", "--wasm", WASM, work / "newer", cwd=work))
        (place / "package.json").write_text('{"name": "empty", "version": "1.0.0", "private": true, "type": "module"}\n')
        for word, options in RESOLUTIONS.items():
            holds, refuses, told = test_node.check_types(place, options)
            report(f"types, {word}", "typescript", subprocess.CompletedProcess((), 0 if holds else 1, told, ""))
            if not refuses:
                FAILED.append(f"types, {word}: a wrong use is not found")
    print(f"wrong: {', '.join(FAILED)}" if FAILED else "nothing wrong was found")
    return 1 if FAILED else 0


sys.exit(main())
