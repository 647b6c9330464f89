#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""console_bundle.py write BUILT CONSOLE - replace CONSOLE/bundle by what was built in BUILT
console_bundle.py compare BUILT CONSOLE - complain about each byte that BUILT would change in CONSOLE/bundle
console_bundle.py check CONSOLE - complain when CONSOLE/bundle was not built from the sources beside it

BUILT is a copy of CONSOLE after `npm run build`. The bundle holds the page and its assets, the page of bundles of a ledger, the unit tests as plain
JavaScript, the licences of the packages inside, and SHA256SUMS: the digests of these files and of all sources."""
import hashlib
import json
import pathlib
import shutil
import sys

import csource

SUMS = "SHA256SUMS"
SOURCES = ("index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts", "page.mjs", "src/**/*", "test/*.ts")


def files(folder, patterns):
    """{relative path: bytes} of the files that match."""
    found = {path for pattern in patterns for path in folder.glob(pattern) if path.is_file()}
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def sums(contents):
    """The lines of SHA256SUMS, as sha256sum writes and reads them."""
    return [f"{hashlib.sha256(contents[name]).hexdigest()}  {name}" for name in sorted(contents)]


def licences(built):
    """The licence of each package of which something is in the bundle."""
    packages = json.loads((built / "package-lock.json").read_text())["packages"]
    used = [(path, package) for path, package in sorted(packages.items()) if path and not package.get("dev")]
    return "\n".join(f"{path.removeprefix('node_modules/')} {package['version']}\n\n{(built / path / 'LICENSE').read_text()}"
                     for path, package in used)


def bundle(built, console):
    """{name: bytes} of the files that console/bundle should have."""
    made = files(built / "dist", ["**/*"])
    made["LICENSES"] = licences(built).encode()
    sources = files(console, SOURCES)
    made[SUMS] = ("\n".join(sums({**sources, **{f"bundle/{name}": body for name, body in made.items()}})) + "\n").encode()
    return made


def write(built, console):
    made = bundle(built, console)
    shutil.rmtree(console / "bundle", ignore_errors=True)
    for name, body in made.items():
        path = console / "bundle" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    return []


def compare(built, console):
    made, kept = bundle(built, console), files(console / "bundle", ["**/*"])
    return [f"console/bundle/{name}: a rebuild makes another file; run script/console"
            for name in sorted({*made, *kept}) if made.get(name) != kept.get(name)]


def check(console):
    kept = files(console / "bundle", ["**/*"])
    if SUMS not in kept:
        return [f"console/bundle/{SUMS}: missing; run script/console"]
    told = dict(reversed(line.split("  ", 1)) for line in kept.pop(SUMS).decode().splitlines())
    there = {**files(console, SOURCES), **{f"bundle/{name}": body for name, body in kept.items()}}
    real = dict(reversed(line.split("  ", 1)) for line in sums(there))
    return [f"console/{name}: not what console/bundle was built from; run script/console" if not name.startswith("bundle/")
            else f"console/{name}: not what script/console wrote; run script/console"
            for name in sorted({*told, *real}) if told.get(name) != real.get(name)]


if __name__ == "__main__":
    verbs = {"write": write, "compare": compare, "check": check}
    sys.exit(csource.report(verbs[sys.argv[1]](*map(pathlib.Path, sys.argv[2:]))))
