#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_exports.py INCLUDE SHARED STATIC - the library exports what the headers declare, no more and
no less, and inside it every name that other files can see begins with bt_, or in src/http with http_."""
import pathlib
import re
import subprocess
import sys

import csource

DECLARED = re.compile(r"\bBT_API\b[^;{}]*?\b(\w+)\s*\(")
IMPLEMENTED = "TDBRVWGi"  # functions, data, weak symbols, resolvers


def declared(include):
    names = set()
    for path in csource.files(include, ["."], {".h"}):
        text = re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", "", csource.blank(path.read_text()), flags=re.M)
        text = re.sub(r"\b(BT_PRINTF|__attribute__)\s*\(+[^)]*\)+", "", text)
        names |= set(DECLARED.findall(text))
    return names


def symbols(path, dynamic):
    options = ["--dynamic"] if dynamic else ["--extern-only"]
    done = subprocess.run(["nm", "--defined-only", *options, str(path)],
                          capture_output=True, text=True, check=True)
    names = set()
    for line in done.stdout.split("\n"):
        words = line.split()
        if len(words) == 3 and words[1] in IMPLEMENTED:
            names.add(words[2].split("@")[0])
    return names


def check(include, shared, static):
    promised = declared(pathlib.Path(include))
    exported = symbols(shared, dynamic=True)
    complaints = [f"{name} is declared but not exported" for name in sorted(promised - exported)]
    complaints += [f"{name} is exported but not declared" for name in sorted(exported - promised)]
    complaints += [f"{name} is visible to other files but does not begin with bt_ or http_"
                   for name in sorted(symbols(static, dynamic=False)) if not name.startswith(("bt_", "http_"))]
    if not promised:
        complaints.append("the headers declare nothing")
    return complaints


if __name__ == "__main__":
    sys.exit(csource.report(check(*sys.argv[1:4])))
