#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""core_bundle.py tarball FILE | folder DIR - the core bundle: sources that need nothing but a C17 compiler.

It has the stable headers, the C files that src/CORE lists with the headers that they include, the tables that the build makes, and FILES,
the list of what is compiled:

    cc -std=c17 -O2 -Iinclude -Isrc -DBT_PROFILE_CORE -c $(cat FILES)

Meson makes the tables, in a folder of its own. The bytes depend on the source and SOURCE_DATE_EPOCH (without it: the time of the commit).
"""
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import make_tarball
from core_files import CoreError, core_files

SOURCE = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(SOURCE / "tools/release"))
import archive  # noqa: E402 - of the release's own folder

README = """# Baton, the core bundle

Judging, repairing and converting handoffs as a library, without threads, sockets, processes, files or other libraries.
Compile it with nothing but a C17 compiler, and link the object files with a program that uses `include/baton/call.h`:

    cc -std=c17 -O2 -Iinclude -Isrc -DBT_PROFILE_CORE -c $(cat FILES)

Token tables are given to an engine with `bt_engine_table()`. `LICENSE` is that of all files.
"""
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)


class BundleError(Exception):
    """The bundle cannot be made."""


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise BundleError(f"{' '.join(map(str, command))[:300]}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def make_tables(build, profile="core", *options):
    """Configure a profile, build what is generated below src/ but the token tables, and give the files by their paths, relative to src/."""
    run("meson", "setup", build, SOURCE, f"-Dprofile={profile}", "-Ddocs_url=none", "--buildtype=plain", *options)
    targets = json.loads(run("meson", "introspect", "--targets", build))
    made = [pathlib.Path(name) for target in targets if target["type"] == "custom" and not target["name"].startswith("token_") for name in target["filename"]
            if pathlib.Path(name).is_relative_to(build / "src") and name.endswith((".c", ".h"))]
    run("ninja", "-C", build, *(path.relative_to(build) for path in made))
    found = [path for path in (build / "src").rglob("*") if path.suffix in (".c", ".h")]
    return {path.relative_to(build / "src").as_posix(): path.read_bytes() for path in found}


def with_headers(paths, made):
    """These files and all that they include, by their paths; `made` is what make_tables() gave."""
    files, waiting = {}, list(paths)
    while waiting:  # each path is taken once
        path = waiting.pop()
        if path in files:
            continue
        inner = path.removeprefix("src/")
        files[path] = made[inner] if path.startswith("src/") and inner in made else (SOURCE / path).read_bytes()
        for included in INCLUDE.findall(files[path].decode("utf-8")):
            places = [f"include/{included}", f"src/{included}", f"{os.path.dirname(path)}/{included}"]
            waiting += [place for place in places if (SOURCE / place).is_file() or place.removeprefix("src/") in made][:1]
    return files


@functools.cache
def bundle_files():
    """The files of the bundle by their paths."""
    with tempfile.TemporaryDirectory(prefix="baton-core-") as name:
        made = make_tables(pathlib.Path(name).resolve() / "build")
    compiled = core_files(SOURCE / "src") + sorted(path for path in made if path.endswith(".c"))
    files = with_headers(["src/" + path for path in compiled] + ["include/baton/" + path.name for path in (SOURCE / "include/baton").glob("*.h")], made)
    files["FILES"] = "".join(f"src/{path}\n" for path in compiled).encode()
    files["README.md"] = README.encode()
    files["LICENSE"] = (SOURCE / "LICENSE").read_bytes()
    return dict(sorted(files.items()))


def write_folder(folder, files):
    for path, content in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.is_file() or place.read_bytes() != content:
            place.write_bytes(content)


def write_tarball(path, files):
    top = f"baton-core-{make_tarball.source_version(SOURCE)}/"
    members = [archive.Member(top + name, content=content) for name, content in files.items()]
    path.write_bytes(archive.xz_bytes(archive.tar_bytes(members, make_tarball.source_epoch(SOURCE))))


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("tarball", "folder"):
        print("usage: core_bundle.py tarball FILE | folder DIR", file=sys.stderr)
        return 2
    path = pathlib.Path(sys.argv[2])
    try:
        files = bundle_files()
        if sys.argv[1] == "folder":
            write_folder(path, files)
        else:
            write_tarball(path, files)
    except (BundleError, CoreError, OSError) as why:
        print(f"core_bundle.py: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
