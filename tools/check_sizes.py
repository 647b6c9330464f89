#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_sizes.py ROOT - things stay small enough to be read: lines, functions, files, folder pages, the
root."""
import pathlib
import sys

import csource

LINE_COLUMNS_MAX = 100
FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 700  # the aim is 500
README_LINES_MAX = 30
ROOT_ENTRIES_MAX = 25
CODE = ["include", "src", "app", "tests", "fuzz", "bench", "sdk"]


def check_code(root, complaints):
    for path in csource.files(root, CODE, {".c", ".h"}):
        name = path.relative_to(root).as_posix()
        text = path.read_text()
        lines = text.count("\n")
        if lines > FILE_LINES_MAX:
            complaints.append(f"{name}:1: {lines} lines; the limit is {FILE_LINES_MAX}")
        for number, line in enumerate(text.split("\n"), 1):
            if len(line) > LINE_COLUMNS_MAX:
                complaints.append(f"{name}:{number}: {len(line)} columns; the limit is {LINE_COLUMNS_MAX}")
        for function, first, last in csource.functions(text):
            if last - first + 1 > FUNCTION_LINES_MAX:
                complaints.append(f"{name}:{first}: {function}() has {last - first + 1} lines; "
                                  f"the limit is {FUNCTION_LINES_MAX}")


def check_pages(root, complaints):
    for folder in ["src", "app"]:
        for path in sorted((root / folder).rglob("README.md")):
            lines = path.read_text().count("\n")
            if lines > README_LINES_MAX:
                complaints.append(f"{path.relative_to(root).as_posix()}:1: {lines} lines; "
                                  f"the limit is {README_LINES_MAX}")
    for path in sorted(p.parent for p in (root / "src").rglob("meson.build")):
        if any(path.glob("*.c")) and not (path / "README.md").is_file():
            complaints.append(f"{path.relative_to(root).as_posix()}: the folder has no README.md")


def check_root(root, complaints):
    shown = [p.name for p in root.iterdir() if not p.name.startswith((".", "build"))]
    if len(shown) > ROOT_ENTRIES_MAX:
        complaints.append(f"the root has {len(shown)} entries; the limit is {ROOT_ENTRIES_MAX}")


def check(root):
    root = pathlib.Path(root)
    complaints = []
    check_code(root, complaints)
    check_pages(root, complaints)
    check_root(root, complaints)
    return complaints


if __name__ == "__main__":
    sys.exit(csource.report(check(sys.argv[1])))
