#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_exports.py ROOT SHARED INSIDE ARCHIVE - what the library lets programs link to.

SHARED, the shared library, exports what the headers of ROOT declare, no more and no less, each symbol with the version node that
src/libbaton.map gives it, and fewer than 200. ARCHIVE, the static library that is installed, defines the same symbols for others. In
INSIDE, the static library of the build, every name that other files can see begins with bt_, or in src/http with http_.
"""
import pathlib
import re
import subprocess
import sys

import csource
import symbol_map

DECLARED = re.compile(r"\bBT_API\b[^;{}]*?\b(\w+)\s*\(")
IMPLEMENTED = "TDBRVWGi"  # functions, data, weak symbols, resolvers
EXPORTS_MAX = 199


def declared(include):
    names = set()
    for path in csource.files(include, ["."], {".h"}):
        text = re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", "", csource.blank(path.read_text()), flags=re.M)
        text = re.sub(r"\b(BT_PRINTF|BT_DEPRECATED|__attribute__)\s*\(+[^)]*\)+", "", text)
        names |= set(DECLARED.findall(text))
    return names


def symbols(path, dynamic):
    """{name: node of its version or ""} of what a library defines for others."""
    options = ["--dynamic"] if dynamic else ["--extern-only"]
    done = subprocess.run(["nm", "--defined-only", *options, str(path)],
                          capture_output=True, text=True, check=True)
    names = {}
    for line in done.stdout.split("\n"):
        words = line.split()
        if len(words) == 3 and words[1] in IMPLEMENTED:
            name, _, node = words[2].partition("@")
            names[name] = node.lstrip("@")
    return names


def check_versions(exported, text):
    """Complaints about symbols whose node is not that of the map."""
    nodes = {name: node.name for node in symbol_map.nodes(text) for name in node.symbols}
    complaints = [f"{name} has the version {exported[name] or 'nothing'} instead of {nodes.get(name, 'one in ' + symbol_map.MAP)}"
                  for name in sorted(exported) if exported[name] != nodes.get(name, "no")]
    return complaints + [f"{symbol_map.MAP}: {name} is not exported" for name in sorted(set(nodes) - set(exported))]


def check(root, shared, inside, archive):
    root = pathlib.Path(root)
    promised, exported = declared(root / "include"), symbols(shared, dynamic=True)
    complaints = []
    for what, found in (("exported", set(exported)), ("in the static library", set(symbols(archive, dynamic=False)))):
        complaints += [f"{name} is declared but not {what}" for name in sorted(promised - found)]
        complaints += [f"{name} is {what} but not declared" for name in sorted(found - promised)]
    complaints += check_versions(exported, (root / symbol_map.MAP).read_text())
    complaints += [f"{name} is visible to other files but does not begin with bt_ or http_"
                   for name in sorted(symbols(inside, dynamic=False)) if not name.startswith(("bt_", "http_"))]
    if len(exported) > EXPORTS_MAX:
        complaints.append(f"{len(exported)} symbols are exported, at most {EXPORTS_MAX}")
    if not promised:
        complaints.append("the headers declare nothing")
    return complaints


if __name__ == "__main__":
    sys.exit(csource.report(check(*sys.argv[1:5])))
