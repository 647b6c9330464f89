#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""describe_abi.py compare|update BUILD - the binary interface of the library of a build, as libabigail describes it.

compare prints how it differs from packaging/abi/libbaton.so.N.abi. update writes that file, unless tools/check_abi.py finds that a
program which uses the old interface would break. script/abi runs both.

The files that define exported functions are compiled once more, with -g, and linked with the rest of the build, so that no second
build of the whole library is needed. Paths in the description begin at the root of the tree. libabigail takes every type for public
whose file is called like a stable header, so private headers of such a name get another one. It writes a function where a path has
it first, and without its symbol when that is a call, so files are numbered in an order in which definitions come first.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import check_abi
import symbol_map

TREE = pathlib.Path(__file__).resolve().parent.parent
HEADERS = TREE / "include/baton"
INSIDE = "src/libbaton_inside.a"
# What abidw takes besides the library. Without locations it cannot tell private types apart.
ABIDW = ["abidw", "--headers-dir", str(HEADERS), "--no-comp-dir-path", "--no-corpus-path"]
# Strictly DWARF 4, since otherwise calls are described like declarations, and abidw may take one of them for the function.
COMPILE = ["-g", "-gdwarf-4", "-gstrict-dwarf", "-O0", "-w", "-U_FORTIFY_SOURCE"]
# A compiler cache gives objects with the folder of another tree, which changes the order of files.
UNCACHED = {**os.environ, "CCACHE_DISABLE": "1"}


class Failure(Exception):
    pass


def start(command, **how):
    try:
        return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **how)
    except FileNotFoundError as why:
        raise Failure(f"{command[0]} is missing; `script/bootstrap build test sdk` installs it") from why


def run(command, **how):
    done = start(command, **how)
    if done.returncode:
        raise Failure(f"{' '.join(map(str, command))[:300]}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def generation():
    return (TREE / symbol_map.GENERATION).read_text(encoding="utf-8").strip()


def description():
    """The path of the committed description."""
    return TREE / f"packaging/abi/libbaton.so.{generation()}.abi"


def exporting_objects(build):
    """The objects of the build that define a symbol of the map, in an order in which definitions come before calls."""
    names = {name for node in symbol_map.nodes((TREE / symbol_map.MAP).read_text(encoding="utf-8")) for name in node.symbols}
    defined, called = {}, {}
    for line in run(["nm", "-A", INSIDE], cwd=build).splitlines():
        path, kind, name = line.split(":")[1], *line.split()[-2:]
        if name in names and kind == "T":
            defined[name] = path
        elif name in names and kind == "U":
            called.setdefault(path, []).append(name)
    ordered = []

    def place(path, above):
        if path not in ordered and path not in above:
            for name in called.get(path, []):
                if name in defined:
                    place(defined[name], above | {path})
            ordered.append(path)

    for path in sorted(set(defined.values())):
        place(path, set())
    return ordered


def compile_command(row, number, build, out, overlay):
    """The command of one object with -g; headers of `overlay`, if any, come before those of the tree."""
    words = shlex.split(row["command"])
    for option in ("-MF", "-MQ", "-o"):
        place = words.index(option)
        del words[place:place + 2]
    source = (build / row["file"]).resolve().relative_to(TREE)
    prefix = row["file"][:-len(str(source))]
    maps = [(prefix, ""), (row["file"], f"{number:03}/{source}")]
    for path in sorted((TREE / "src").rglob("*.h")):
        if (HEADERS / path.name).exists():
            name = str(path.relative_to(TREE))
            maps += [(f"{place}{name}", name.replace(".h", ".private.h")) for place in ([prefix] + ([f"{overlay}/"] if overlay else []))]
    if overlay:
        maps.insert(0, (f"{overlay}/", ""))
    first = [f"-I{overlay}/include", f"-I{overlay}/src"] if overlay else []
    place = next(i for i, word in enumerate(words) if word.startswith("-I"))
    return [*words[:place], *first, *words[place:], *COMPILE, *(f"-fdebug-prefix-map={old}={new}" for old, new in maps), "-o", str(out)]


def compile_objects(build, objects, folder, overlay=None):
    rows = {row["output"]: row for row in json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))}
    numbers = {name: number for number, name in enumerate(exporting_objects(build))}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda name: run(compile_command(rows[name], numbers[name], build, folder / pathlib.Path(name).name, overlay), cwd=build, env=UNCACHED), objects))


def link(build, folder, script=TREE / symbol_map.MAP):
    """Link the objects in the folder with the rest of the library: its path."""
    library = folder / f"libbaton.so.{generation()}"
    run(["cc", "-shared", "-Wl,-z,undefs", f"-Wl,--version-script={script}", f"-Wl,-soname,{library.name}", *sorted(folder.glob("*.o")), build / INSIDE, "-o", library])
    return library


def describe(library):
    """The text of the description, which must tell the type of every exported function."""
    text = run([*ABIDW, library])
    untold = set(re.findall(r"<elf-symbol name='(\w+)'", text)) - set(re.findall(r"elf-symbol-id='(\w+)@", text))
    if untold:
        raise Failure(f"these symbols have no type: {', '.join(sorted(untold))}")
    return text


def compare(library):
    """What abidiff says about the library and the committed description: (exit status, text). 0: nothing changed."""
    done = start(["abidiff", "--headers-dir1", HEADERS, "--headers-dir2", HEADERS, description(), library])
    return done.returncode, done.stdout + done.stderr


def update(library, path):
    """Write the description; complaints, and an unchanged file, when it is not compatible with the one that is there."""
    new = describe(library)
    complaints = check_abi.check(path.read_text(encoding="utf-8"), new) if path.exists() else []
    if not complaints:
        path.write_text(new, encoding="utf-8")
    return complaints


def main(arguments):
    if len(arguments) != 2 or arguments[0] not in ("compare", "update"):
        print("usage: describe_abi.py compare|update BUILD", file=sys.stderr)
        return 2
    build = pathlib.Path(arguments[1]).resolve()
    try:
        with tempfile.TemporaryDirectory(prefix="baton-abi-") as name:
            folder = pathlib.Path(name)
            compile_objects(build, exporting_objects(build), folder)
            library = link(build, folder)
            if arguments[0] == "update":
                complaints = update(library, description())
                print("\n".join(complaints) or f"{description().relative_to(TREE)} describes the library")
                return 1 if complaints else 0
            status, text = compare(library)
            print(text or "nothing differs", end="" if text else "\n")
            return 1 if status else 0
    except Failure as why:
        print(f"describe_abi.py: {why}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
