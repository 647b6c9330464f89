#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""symbol_map.py --check|--release VERSION [ROOT] - the version nodes of src/libbaton.map, and those that were released.

--check names what is wrong, exit 1. --release writes the digests of all nodes to packaging/abi/released, since the symbols of a
release never change; it refuses a node that is younger than VERSION. `script/release cut` runs it.

A digest is the SHA-256 of the node's name, the node that it depends on and its symbols, one per line. White space and `local: *`,
which moves to the newest node, do not count.
"""
import hashlib
import pathlib
import re
import sys

MAP = "src/libbaton.map"
RELEASED = "packaging/abi/released"
GENERATION = "packaging/abi/GENERATION"
NODE = re.compile(r"(\w[\w.]*)\s*\{([^{}]*)\}\s*([\w.]*)\s*;")
HEAD = "# The released nodes of src/libbaton.map and their digests; tools/symbol_map.py says what is digested.\n"


class Node:
    def __init__(self, name, body, parent):
        self.name, self.parent = name, parent
        words = [word.strip() for word in body.replace("global:", "").split(";")]
        self.symbols = [word for word in words if re.fullmatch(r"\w+", word)]
        self.rest = [word for word in words if word and word not in self.symbols]

    def version(self):
        """(major, minor), or None when the name is not BATON_MAJOR.MINOR."""
        found = re.fullmatch(r"BATON_(\d+)\.(\d+)", self.name)
        return (int(found[1]), int(found[2])) if found else None

    def digest(self):
        return hashlib.sha256("".join(f"{word}\n" for word in [self.name, self.parent, *sorted(self.symbols)]).encode()).hexdigest()


def nodes(text):
    """The nodes in their order."""
    return [Node(*found.groups()) for found in NODE.finditer(re.sub(r"/\*.*?\*/", "", text, flags=re.S))]


def check_nodes(found):
    """Complaints about the form: names rise, each depends on the one before, and the last one hides the rest."""
    complaints, seen = [], set()
    for before, node in zip([None, *found], found):
        if not node.version():
            complaints.append(f"{MAP}: {node.name} is not BATON_MAJOR.MINOR")
        elif before and before.version() and node.version() <= before.version():
            complaints.append(f"{MAP}: {node.name} follows {before.name}")
        if node.parent != (before.name if before else ""):
            complaints.append(f"{MAP}: {node.name} depends on {node.parent or 'nothing'}, not on {before.name if before else 'nothing'}")
        if node.rest != (["local: *"] if node is found[-1] else []):
            complaints.append(f"{MAP}: {node.name} has {node.rest}; the last node, and no other, ends with `local: *`")
        if node.symbols != sorted(set(node.symbols)):
            complaints.append(f"{MAP}: the symbols of {node.name} are not sorted, or one stands there twice")
        complaints += [f"{MAP}: {name} is in two nodes" for name in sorted(seen & set(node.symbols))]
        seen |= set(node.symbols)
    return complaints or ([] if found else [f"{MAP}: no node"])


def released(text):
    """{node: digest} of the list."""
    return dict(line.split() for line in text.splitlines() if line.strip() and not line.startswith("#"))


def check(root):
    root = pathlib.Path(root)
    found = nodes((root / MAP).read_text(encoding="utf-8"))
    listed = released((root / RELEASED).read_text(encoding="utf-8"))
    complaints = check_nodes(found)
    digests = {node.name: node.digest() for node in found}
    for name, digest in listed.items():
        if name not in digests:
            complaints.append(f"{MAP}: {name} was released and is gone")
        elif digests[name] != digest:
            complaints.append(f"{MAP}: {name} was released and has changed; new symbols belong to a new node")
    open_nodes = [name for name in digests if name not in listed]
    if len(open_nodes) > 1:
        complaints.append(f"{RELEASED}: only the newest node may be missing, and these are: {', '.join(open_nodes)}")
    return complaints + check_generation(root)


def check_generation(root):
    """The generation stands in one file; what repeats it must agree."""
    text = (root / GENERATION).read_text(encoding="utf-8")
    if not re.fullmatch(r"(0|[1-9]\d*)\n", text):
        return [f"{GENERATION}: {text!r} is not a number and a line feed"]
    number = text.strip()
    places = {"include/baton/version.h": rf"^#define BT_ABI {number}$", "packaging/debian/control": rf"^Package: libbaton{number}$",
              "packaging/debian/rules": rf"libbaton\.so\.{number} libbaton{number} "}
    return [f"{name}: generation {number} of {GENERATION} is not there" for name, pattern in places.items()
            if not re.search(pattern, (root / name).read_text(encoding="utf-8"), re.M)]


def release(root, version):
    """Write the digests of all nodes; complaints when that would be wrong."""
    root = pathlib.Path(root)
    complaints = check(root)
    found = nodes((root / MAP).read_text(encoding="utf-8"))
    minor = tuple(int(part) for part in version.split(".")[:2])
    complaints += [f"{MAP}: {node.name} has symbols that are younger than {version}" for node in found if node.version() and node.version() > minor]
    if not complaints:
        (root / RELEASED).write_text(HEAD + "".join(f"{node.name} {node.digest()}\n" for node in found), encoding="utf-8")
    return complaints


def main(arguments):
    root = pathlib.Path(__file__).resolve().parent.parent
    if len(arguments) in (1, 2) and arguments[0] == "--check":
        complaints = check(*arguments[1:] or [root])
    elif len(arguments) in (2, 3) and arguments[0] == "--release" and re.fullmatch(r"\d+\.\d+\.\d+", arguments[1]):
        complaints = release(*(arguments[2:] or [root]), arguments[1])
    else:
        print("usage: symbol_map.py --check [ROOT] | --release VERSION [ROOT]", file=sys.stderr)
        return 2
    print("\n".join(complaints), end="\n" if complaints else "")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
