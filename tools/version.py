#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""version.py --check|--write [ROOT] - the version stands in meson.build; every other place repeats it.

--check names the places that differ, exit 1. --write corrects them and prints their names. Places that are not in the tree are passed over, but a
place whose file is there and has no version is an error: a pattern that finds nothing proves nothing.
"""
import email.utils
import os
import pathlib
import re
import subprocess
import sys

NUMBER = r"\d+\.\d+\.\d+"
# Files by pattern, and the expressions whose group is the version there. Each of them must be found.
PLACES = [
    ("include/baton/version.h", [rf'#define BT_VERSION "({NUMBER})"', r"#define BT_VERSION_MAJOR (\d+)", r"#define BT_VERSION_MINOR (\d+)", r"#define BT_VERSION_PATCH (\d+)"]),
    ("**/pyproject.toml", [rf'^version = "({NUMBER})"']),
    ("**/Cargo.toml", [rf'^version = "({NUMBER})"']),
    ("**/package.json", [rf'^  "version": "({NUMBER})"']),
    ("**/package-lock.json", [rf'\A\{{\s*"name": "[^"]*",\s*"version": "({NUMBER})"', rf'"": \{{\s*"name": "[^"]*",\s*"version": "({NUMBER})"']),
    ("packaging/debian/changelog", [rf"\Abaton \(({NUMBER})-0baton1\)"]),
    ("packaging/helm/*/Chart.yaml", [rf"^version: ({NUMBER})", rf'^appVersion: "?({NUMBER})']),
    ("packaging/homebrew/*.rb", [rf"baton-({NUMBER})\.tar\.xz"]),
]
# These occur any number of times, also never: images in manifests, and our own packages as dependencies of each other and in lock files.
ANYWHERE = [
    ("packaging/kubernetes/**/*.yaml", rf"\bimage: \S*\bbaton:({NUMBER})"),
    ("packaging/compose/*.yaml", rf"\bimage: \S*\bbaton:({NUMBER})"),
    ("**/package.json", rf'"baton-handoff[a-z0-9-]*": "[~^]?({NUMBER})"'),
    ("**/Cargo.lock", rf'name = "baton-[a-z-]*"\nversion = "({NUMBER})"'),
]
STANZA = """baton (%s-0baton1) unstable; urgency=medium

  * Release %s; /usr/share/doc/baton/changelog.gz lists what changed.

 -- Baton developers <baton@example.org>  %s

"""


def tracked(root):
    """The files of the tree by name; without Git, all below it."""
    done = subprocess.run(["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True, check=False)
    names = done.stdout.decode().split("\0") if done.returncode == 0 else [str(path.relative_to(root)) for path in root.rglob("*") if "node_modules" not in path.parts]
    return [name for name in names if name and (root / name).is_file()]


def matches(pattern, name):
    text = re.escape(pattern).replace(r"\*\*/", "(?:.*/)?").replace(r"\*", "[^/]*")
    return re.fullmatch(text, name) is not None


def wanted_at(expression, version):
    for number, word in zip(version.split("."), ("MAJOR", "MINOR", "PATCH")):
        if f"_{word} " in expression:
            return number
    return version


def release_day(root, version):
    """The day of the release as the changelog has it, as Debian writes dates; the epoch of the build when it has none."""
    found = re.search(rf"^## \[{re.escape(version)}\] - (\d+)-(\d+)-(\d+)", (root / "CHANGELOG.md").read_text(encoding="utf-8"), re.M) if (root / "CHANGELOG.md").is_file() else None
    if not found:
        return email.utils.formatdate(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), usegmt=False).replace("-0000", "+0000")
    import datetime
    return datetime.datetime(*map(int, found.groups())).strftime("%a, %d %b %Y 00:00:00 +0000")


def correct(root, name, text, expressions, version, complaints):
    """The text with this version in all places."""
    for expression in expressions:
        wanted, found = wanted_at(expression, version), re.search(expression, text, re.M)
        if not found:
            complaints.append(f"{name}: nothing is there like {expression}")
        elif found[1] != wanted:
            complaints.append(f"{name}: {found[1]} instead of {wanted}")
            if name.endswith("debian/changelog"):
                text = STANZA % (version, version, release_day(root, version)) + text
            else:
                text = text[:found.start(1)] + wanted + text[found.end(1):]
    return text


def correct_all(name, text, version, complaints):
    """The same for expressions that may occur often."""
    for pattern, expression in ANYWHERE:
        if matches(pattern, name):
            for found in reversed(list(re.finditer(expression, text))):
                if found[1] != version:
                    complaints.append(f"{name}: {found[1]} instead of {version}")
                    text = text[:found.start(1)] + version + text[found.end(1):]
    return text


def go_through(root, writes):
    """Complaints about all places; with `writes` they are corrected."""
    stated = re.search(rf"^\s*version: '({NUMBER})'", (root / "meson.build").read_text(encoding="utf-8"), re.M)
    if not stated:
        return ["meson.build: no version"], []
    complaints, changed = [], []
    for name in tracked(root):
        rows = [expressions for pattern, expressions in PLACES if matches(pattern, name)]
        if not rows and not any(matches(pattern, name) for pattern, _ in ANYWHERE):
            continue
        old = (root / name).read_text(encoding="utf-8")
        new = correct_all(name, correct(root, name, old, rows[0] if rows else [], stated[1], complaints), stated[1], complaints)
        if writes and new != old:
            (root / name).write_text(new, encoding="utf-8")
            changed.append(name)
    return complaints, changed


def main(arguments):
    if not arguments or arguments[0] not in ("--check", "--write") or len(arguments) > 2:
        print("usage: version.py --check|--write [ROOT]", file=sys.stderr)
        return 2
    root = pathlib.Path(arguments[1] if len(arguments) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    complaints, changed = go_through(root, arguments[0] == "--write")
    if arguments[0] == "--write":
        print("\n".join(changed) or "nothing to correct")
        complaints, _ = go_through(root, False)
    print("\n".join(complaints), end="\n" if complaints else "")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
