#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_docs.py ROOT BATON - links of pages lead to files and headings, examples show what the program prints, every page is in the index, and every
folder of code on the page about the architecture.

README.md and docs/ are run as a whole by tests/docs/test_pages.py. In all other pages an example is a fenced block whose first line is
`$ baton ...`; the rest must be the output of that command, run in ROOT.
"""
import pathlib
import re
import shlex
import subprocess
import sys

import csource

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)(?: [^)]*)?\)")
EXAMPLE = re.compile(r"^```\w*\n\$ baton ([^\n]*)\n(.*?)^```$", re.M | re.S)
FENCED = re.compile(r"^( *)(`{3,})[^`\n]*\n.*?^\1\2$", re.M | re.S)
HEADING = re.compile(r"^#{1,6} +(.*?)(?: +#+)?$", re.M)
SKIPPED = (".", "build")
INDEX = "docs/README.md"
ARCHITECTURE = "docs/architecture.md"
CODE = ("src", "app", "sdk")  # folders whose folders the page about the architecture lists


def pages(root):
    """The pages of the tree. Builds are not even entered: their tests make and remove folders at any time."""
    for entry in sorted(root.iterdir()):
        if entry.name.startswith(SKIPPED):
            continue
        for path in sorted(entry.rglob("*.md")) if entry.is_dir() else [entry]:
            if path.suffix == ".md" and "node_modules" not in path.parts:
                yield path


def without_code(text):
    """The text with fenced blocks and code emptied, every line where it was."""
    def empty(match):
        return re.sub(r"[^\n]", " ", match.group(0))
    return re.sub(r"`[^`\n]*`", empty, FENCED.sub(empty, text))


def anchors(text):
    """What `#...` may name on a page: its headings in the form that code hosts give them."""
    found = set()
    plain = FENCED.sub("", text)
    for heading in HEADING.findall(plain):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        copies = sum(1 for known in found if re.fullmatch(re.escape(slug) + r"(-\d+)?", known))
        found.add(f"{slug}-{copies}" if copies else slug)
    return found | set(re.findall(r'<a (?:id|name)="([^"]+)"', plain))


def link_complaint(path, text, target):
    """What is wrong with a link, or None."""
    name, _, anchor = target.partition("#")
    page = path.parent / name if name else path
    if not page.exists():
        return f"there is no {name}"
    if anchor and page.suffix == ".md" and anchor not in anchors(page.read_text() if name else text):
        return f"{name or 'this page'} has no heading #{anchor}"
    return None


def check_links(root, path, text, complaints):
    for match in LINK.finditer(without_code(text)):
        if re.match(r"\w+:", match[1]):
            continue
        wrong = link_complaint(path, text, match[1])
        if wrong:
            complaints.append(f"{path.relative_to(root)}:{csource.line_of(text, match.start())}: {wrong}")


def check_examples(root, baton, path, text, complaints):
    for match in EXAMPLE.finditer(text):
        done = subprocess.run([baton, *shlex.split(match[1])], cwd=root, capture_output=True, text=True, check=False)
        if done.stdout + done.stderr != match[2]:
            complaints.append(f"{path.relative_to(root)}:{csource.line_of(text, match.start())}: `baton {match[1]}` "
                              f"prints something else:\n{done.stdout}{done.stderr}")


def check_index(root, complaints):
    """Every page below docs/ is reached from its index, decisions and the reference of the library through their own."""
    index = root / INDEX
    if not index.exists():
        return
    linked = {(index.parent / match[1].partition("#")[0]).resolve() for match in LINK.finditer(index.read_text())}
    for path in sorted((root / "docs").rglob("*.md")):
        if path != index and path.resolve() not in linked and path.parent.name != "decisions" and (path.parent.name != "reference" or path.name == "README.md"):
            complaints.append(f"{INDEX}: it does not list {path.relative_to(root / 'docs')}")


def check_architecture(root, complaints):
    """The first fenced block of the page lists every folder of code."""
    page = root / ARCHITECTURE
    if not page.exists():
        return
    listed = set(re.findall(r"\b(\w+)/", FENCED.search(page.read_text())[0]))
    for folder in sorted(path for name in CODE for path in (root / name).glob("*/")):
        if folder.name not in listed and any(folder.iterdir()):
            complaints.append(f"{ARCHITECTURE}: its tree does not list {folder.relative_to(root)}/")


def check(root, baton):
    root = pathlib.Path(root).resolve()
    complaints = []
    for path in pages(root):
        text = path.read_text()
        check_links(root, path, text, complaints)
        if path != root / "README.md" and root / "docs" not in path.parents:
            check_examples(root, str(pathlib.Path(baton).resolve()), path, text, complaints)
    check_index(root, complaints)
    check_architecture(root, complaints)
    return complaints


if __name__ == "__main__":
    sys.exit(csource.report(check(*sys.argv[1:3])))
