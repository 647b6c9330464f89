#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_docs.py ROOT BATON - what the pages show is what the program says, and links lead somewhere.

An example is a fenced block whose first line is `$ baton ...`; the rest must be the output of that
command, run in ROOT. The pages of docs/migrate are run from top to bottom by tests/docs.
"""
import pathlib
import re
import shlex
import subprocess
import sys

import csource

LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)[^)]*\)")
EXAMPLE = re.compile(r"^```\w*\n\$ baton ([^\n]*)\n(.*?)^```$", re.M | re.S)
SKIPPED = (".", "build")


def pages(root):
    """The pages of the tree. Builds are not even entered: their tests make and remove folders at any time."""
    for entry in sorted(root.iterdir()):
        if entry.name.startswith(SKIPPED):
            continue
        for path in sorted(entry.rglob("*.md")) if entry.is_dir() else [entry]:
            if path.suffix == ".md" and "node_modules" not in path.parts:
                yield path


def check_links(root, path, text, complaints):
    for match in LINK.finditer(re.sub(r"`[^`\n]*`", "", text)):
        target = match[1]
        if not re.match(r"\w+:", target) and not (path.parent / target).exists():
            complaints.append(f"{path.relative_to(root)}:{csource.line_of(text, match.start())}: "
                              f"there is no {target}")


def check_examples(root, baton, path, text, complaints):
    for match in EXAMPLE.finditer(text):
        done = subprocess.run([baton, *shlex.split(match[1])], cwd=root, capture_output=True, text=True)
        if done.stdout + done.stderr != match[2]:
            complaints.append(f"{path.relative_to(root)}:{csource.line_of(text, match.start())}: `baton {match[1]}` "
                              f"says something else:\n{done.stdout}{done.stderr}")


def check(root, baton):
    root = pathlib.Path(root).resolve()
    complaints = []
    for path in pages(root):
        text = path.read_text()
        check_links(root, path, text, complaints)
        if path.parent != root / "docs/migrate":
            check_examples(root, str(pathlib.Path(baton).resolve()), path, text, complaints)
    return complaints


if __name__ == "__main__":
    sys.exit(csource.report(check(*sys.argv[1:3])))
