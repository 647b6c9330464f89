#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_globals.py OBJECT... - nothing writable at file scope, in object files or archives.

Constant tables that hold pointers sit in .data.rel.ro, which is read-only once the program is
loaded; they pass. Only for builds without sanitizers or coverage, which bring data of their own.
"""
import re
import subprocess
import sys

import csource

WRITABLE = re.compile(r"^(\.data(?!\.rel\.ro)|\.bss|\.tdata|\.tbss|\*COM\*)")
SYMBOL = re.compile(r"^[0-9a-f]+ (?P<flags>.{7}) (?P<section>\S+)\s+(?P<size>[0-9a-f]+)\s+(?P<name>.+)$")


def writable(listing):
    """(file, symbol) for each writable object in the output of objdump -t."""
    member = "?"
    for line in listing.split("\n"):
        if ":" in line and "file format" in line:
            member = line.split(":")[0]
        match = SYMBOL.match(line)
        if not match or "d" in match["flags"] and match["name"].startswith("."):
            continue
        if WRITABLE.match(match["section"]) and int(match["size"], 16) > 0:
            yield member, match["name"]


def check(objects):
    done = subprocess.run(["objdump", "-t", *objects], capture_output=True, text=True, check=True)
    if "file format" not in done.stdout:
        return ["objdump shows no object file"]
    return [f"{member}: {name} is writable" for member, name in writable(done.stdout)]


if __name__ == "__main__":
    sys.exit(csource.report(check(sys.argv[1:])))
