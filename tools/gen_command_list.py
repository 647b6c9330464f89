#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gen_command_list.py ROOT - docs/commands.md, on standard output, from the rows of app/cli/*.ops."""
import pathlib
import re
import sys

HEAD = """# Commands

Every command of `baton`, with what it does. `baton COMMAND -h` shows the flags that most people need, `baton help COMMAND` all of them, and `man baton-COMMAND` the same as a manual page. `baton help topics` lists pages that
are not about one command. Exit codes are in [reports.md](reports.md#exit-codes), variables in [environment.md](environment.md), configuration files in [config.md](config.md).

This page is made by `tools/gen_command_list.py` from `app/cli/*.ops`.

| command | does |
|---|---|
"""


def blocks(root):
    """{command: lines of its row} of all tables."""
    found = {}
    for path in sorted((root / "app/cli").glob("*.ops")):
        for block in re.split(r"^(?=command )", path.read_text(encoding="utf-8"), flags=re.M)[1:]:
            first, *lines = block.splitlines()
            found[first.removeprefix("command ").strip()] = lines
    return found


def parts_of(lines):
    return [word for line in lines if line.startswith("  parts ") for word in line.split()[1:]]


def names_below(found, name):
    """The commands below one, in the order of its parts."""
    for part in parts_of(found[name]):
        below = f"{name} {part}"
        if below in found:
            yield below
            yield from names_below(found, below)


def page(root):
    found = blocks(pathlib.Path(root))
    rows = []
    for name in names_below(found, "baton"):
        summary = next(line.removeprefix("  summary ") for line in found[name] if line.startswith("  summary "))
        rows.append(f"| `{name}` | {summary.replace('|', chr(92) + '|')} |\n")
    return HEAD + "".join(rows)


if __name__ == "__main__":
    sys.stdout.write(page(sys.argv[1]))
