#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_headers.py ROOT CC CXX - each header compiles alone and has the guard of its path.

Public headers as C17 and as C++17 with warnings as errors, since strangers include them with their
own flags; headers inside src/ as C17. A *_body.h is code that several files include on purpose, and no
header.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys

import csource

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
C17 = ["-x", "c", "-std=c17", "-D_POSIX_C_SOURCE=200809L", "-Wstrict-prototypes"]
CXX17 = ["-x", "c++", "-std=c++17"]


def guard_of(path, root):
    """include/baton/json.h: BATON_JSON_H; src/json/doc.h: BATON_SRC_JSON_DOC_H."""
    public = path.is_relative_to(root / "include")
    words = path.relative_to(root / "include") if public else "baton" / path.relative_to(root)
    return re.sub(r"\W", "_", words.as_posix()).upper()


def compile_alone(command, path, root, folders):
    """The first line of complaint, or None."""
    flags = [flag for folder in folders for flag in ("-I", str(root / folder))]
    # The declaration keeps a header of macros from being an empty translation unit.
    source = f'#include "{path}"\nextern int alone;\n'
    done = subprocess.run([*command, *WARNINGS, *flags, "-fsyntax-only", "-"], input=source,
                          capture_output=True, text=True, env=dict(os.environ, LC_ALL="C"))
    if done.returncode == 0:
        return None
    errors = [line for line in done.stderr.split("\n") if "error" in line]
    return (errors or done.stderr.split("\n"))[0]


def check(root, cc, cxx):
    root = pathlib.Path(root).resolve()
    complaints = []
    for path in csource.files(root, ["include", "src"], {".h"}):
        name = path.relative_to(root).as_posix()
        if name.endswith("_body.h"):
            continue
        public = name.startswith("include/")
        runs = [("C17", [*cc, *C17])] + ([("C++17", [*cxx, *CXX17])] if public else [])
        for language, command in runs:
            error = compile_alone(command, path, root, ["include"] if public else ["include", "src"])
            if error:
                complaints.append(f"{name}:1: does not compile alone as {language}: {error}")
        guard = guard_of(path, root)
        if not re.search(rf"^#ifndef {guard}\n#define {guard}$", path.read_text(), re.M):
            complaints.append(f"{name}:1: the guard of its path is {guard}")
    return complaints


if __name__ == "__main__":
    sys.exit(csource.report(check(sys.argv[1], shlex.split(sys.argv[2]), shlex.split(sys.argv[3]))))
