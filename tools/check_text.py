#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_text.py ROOT - what every text file keeps to: a licence line in code, clean white space, and
no word that only means something on one machine or at one moment."""
import pathlib
import re
import sys

import csource

FOLDERS = [".ci", "app", "bench", "console/src", "console/test", "docs", "examples", "fuzz", "host", "include", "script", "sdk", "src", "tests", "tools"]
CODE = {".c", ".h", ".inc", ".py", ".sh", ".ts", ".tsx", ".css"}
# Data that is meant to be odd, and text that we did not write.
SKIPPED = ("fuzz/corpus/", "examples/", "src/token/data/", "tests/conformance/cases/", "tests/conformance/parity.json", "LICENSE")

# Spelled in halves, so that this file passes its own test.
MACHINE_PATHS = re.compile("|".join("(?<![\\w.])/" + name + "/" for name in ("wor" "k", "roo" "t", "hom" "e")))
LATER = re.compile("TO" r"DO(?!\(\d+\))|FIX" "ME")
# What the texts for users do not say, and what they say instead. Pages and help texts; what a program prints on a page stands in a fence.
WORDING = [(re.compile(phrase, re.I), instead) for phrase, instead in (
    (r"\bmend(s|ed|ing|able)?\b", "fix"), (r"\blook(s|ing)? after\b", "manage"), (r"take back the right", "revoke"), (r"\bhabits?\b", "settings"),
    (r"rules of the house", "conventions"), (r"\bwho wins\b", "precedence"), (r"\bmade up\b", "generated"), (r"\bby chance\b|instead of chance", "random"),
    (r"\bsmall letters?\b", "lower case"), (r"\bblanks\b", "spaces"), (r"in any letter case", "case-insensitive"), (r"is no member", "unknown member"),
    (r"leads? to no regular file", "file not found"), (r"made a file name", "not valid in a file name"), (r"\bdoors?\b|\bcoats?\b|\bstory\b", "the thing's own name"),
    (r"\bspeaks\b", "supports, represents"), (r"the answer is no\b", "rejected"), (r"what lacks", "missing"), (r"what is off\b", "invalid"),
    (r"\bof others\b", "third-party"), (r"\bfor ever\b", "permanent"), (r"\bsome(body|one) who\b", "a user who"), (r"\bwhoever\b", "callers"))]
JUDGE = re.compile(r"\bjudg(e|es|ed|ing)\b", re.I)
# Decisions are not rewritten, and pages of the library come from its headers.
UNWORDED = ("docs/decisions/", "docs/originals.md", "docs/architecture.md", "docs/rule-tables.md", "docs/reference/")
CODE_SPAN = re.compile(r"^ *```.*?^ *```$|`[^`\n]*`|^    .*$|\]\([^)\n]*\)", re.M | re.S)
EXAMPLES = re.compile(r"^  (bad|good) .*$", re.M)  # documents in tables of rules
WHITE = re.compile(r"[ \t]$|\t|\r")  # Go is indented with tabs, by gofmt


def check_lines(name, text, complaints):
    for number, line in enumerate(text.split("\n"), 1):
        if MACHINE_PATHS.search(line):
            complaints.append(f"{name}:{number}: a path of one machine")
        if LATER.search(line):
            complaints.append(f"{name}:{number}: a note for later without an issue number")
        if WHITE.search(line) and not (name.endswith((".go", "go.mod")) and not line.endswith((" ", "\t", "\r"))):
            complaints.append(f"{name}:{number}: a tab, a carriage return or a blank at the end")
        if line.startswith(("<<<<<<< ", ">>>>>>> ")):
            complaints.append(f"{name}:{number}: a left-over of a merge")
    if text and not text.endswith("\n"):
        complaints.append(f"{name}: the last line has no end")


def check_wording(name, text, complaints):
    """Pages, the texts of commands and those of rules use plain words."""
    is_page = name.endswith(".md") and (name.startswith("docs/") or "/" not in name)
    if name.startswith(UNWORDED) or not (is_page or name.endswith(".rules") or (name.startswith("app/cli/") and name.endswith((".ops", ".txt")))):
        return
    unread = CODE_SPAN if is_page else EXAMPLES
    prose = unread.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    for phrase, instead in [*WORDING, (JUDGE, "check")]:
        for match in phrase.finditer(prose):
            complaints.append(f"{name}:{csource.line_of(text, match.start())}: \"{match[0]}\": write {instead}")


def is_code(path):
    return path.suffix in CODE or (path.parent.name in ("script", ".ci") and not path.suffix)


def check_head(name, text, complaints):
    first = text.split("\n", 2)
    if text.startswith("#!"):
        first = first[1:]
    if not first or "SPDX-License-Identifier: Apache-2.0" not in first[0]:
        complaints.append(f"{name}:1: the licence line is missing")


def check_opening(name, path, text, complaints):
    """C opens with the file's name and a sentence, after the licence; a test's name says enough."""
    if path.suffix not in (".c", ".h") or name.startswith("tests/"):
        return
    opening = text.split("*/", 2)[1] if text.count("*/") > 1 else ""
    if f"{path.name} - " not in opening.split("\n\n")[0]:
        complaints.append(f"{name}:2: the opening comment `{path.name} - ...` is missing")


def check(root):
    root = pathlib.Path(root)
    complaints = []
    paths = [p for p in root.iterdir() if p.is_file() and p.name != ".git"]  # a file in a worktree
    for folder in FOLDERS:
        paths += [p for p in (root / folder).rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    for path in sorted(paths):
        name = path.relative_to(root).as_posix()
        if name.startswith(SKIPPED) or path.suffix == ".png":
            continue
        try:
            text = path.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            complaints.append(f"{name}: not UTF-8")
            continue
        check_lines(name, text, complaints)
        check_wording(name, text, complaints)
        if is_code(path):
            check_head(name, text, complaints)
            check_opening(name, path, text, complaints)
    return complaints


if __name__ == "__main__":
    sys.exit(csource.report(check(sys.argv[1])))
