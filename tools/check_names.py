#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_names.py ROOT [--allow] - words and phrases that this project does not use.

Identifiers of include/, src/, app/, host/ and sdk/ are split at `_`; none of their parts may be a banned word. Comments of the same
folders, docs/ and the texts of the commands may not hold a banned phrase, and tests, tools and packages none of the first few. tests/tree/allowed_names.txt lists the exceptions, one
`FILE: NAME` each; a line that nothing needs is a complaint too, so the list only shrinks. --allow prints the list anew.
"""
import pathlib
import re
import sys

import csource

FOLDERS = ("include", "src", "app", "host", "sdk")
ALLOWED = "tests/tree/allowed_names.txt"
WORDS = set("""
    along ask asked asking asks astray bell beside buried bury burying burn carried carrying company corpse corpses deaf deeds door
    doors dress ears errand fate gist glance gong habit hear heard hears hearing huh lack lacking lacks lend lending lent lift lifting
    look looked looking looks mend mended mender mending mends mould moulds newcomer outlet parcel patient retell retelling roster
    ruling said say saying says settle settled settling shelf speak speaks spot spots starve starved strand strike stroke strokes
    sweep tame tell telling tells temper tend tidy together told twin twins unkept untold visitor voice way ways wish wishes young
""".split())
FIRST_PHRASES = 3  # of PHRASES, which hold in OTHER_FOLDERS too
OTHER_FOLDERS = ("bench", "fuzz", "sdk", "tests", "tools")
OTHER_SUFFIXES = {".c", ".h", ".py", ".rs", ".go", ".ts", ".mjs"}
ABOUT_PHRASES = {"tools/check_names.py", "tools/check_text.py", "tests/tree/test_names.py"}
REGEX_WORDS = {"look", "looks"}  # lookahead and lookbehind
PHRASES = [re.compile(phrase, re.I) for phrase in (
    r"(?<!there )\b(is|are|was) no (?!longer|more|good|better|way|such|need)\w+", r"small letters", r"\bchance\b", r"\bwhoever\b", r"by blanks",
    r"\blest\b", r"of ours\b", r"\bstrangers?\b", r"all the same\b", r"in no time", r"\bas always\b", r"\bkin\b", r"who wants to know",
    r"/\* The same[.,; ]")]
COMMENT = re.compile(r"/\*.*?\*/", re.S)
LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"')


def banned_part(identifier, path):
    """The first banned word of an identifier, or None. Codes of rules never change, so names made from them are free."""
    if identifier.startswith(("bt_add_", "BT_CODE_")):
        return None
    allowed = REGEX_WORDS if path.startswith("src/regex/") else set()
    return next((part for part in identifier.lower().split("_") if part in WORDS - allowed), None)


def names_of(path, text):
    """(line, name, word) of each identifier with a banned word, once for each name of a file."""
    seen = set()
    for match in re.finditer(r"[A-Za-z_]\w*", csource.blank(text)):
        word = banned_part(match[0], path)
        if word and match[0] not in seen:
            seen.add(match[0])
            yield csource.line_of(text, match.start()), match[0], word


def phrases_of(path, text):
    """(line, phrase) of each banned phrase in comments, help texts and documentation."""
    parts = [(0, text)] if path.endswith((".md", ".ops")) else [(m.start(), m[0]) for m in COMMENT.finditer(text)]
    if path.startswith("app/cli/"):
        parts += [(m.start(), m[0]) for m in LITERAL.finditer(text)]
    for start, part in parts:
        for phrase in PHRASES:
            for match in phrase.finditer(part):
                yield csource.line_of(text, start + match.start()), re.sub(r"\s+", " ", match[0]).strip()


def faults(root):
    """{`FILE: NAME`: complaint} of the whole tree."""
    root = pathlib.Path(root)
    found = {}
    files = csource.files(root, [folder for folder in FOLDERS if (root / folder).is_dir()], {".c", ".h"})
    for folder, suffix in (("docs", ".md"), ("app", ".ops")):
        files += csource.files(root, [folder], {suffix}) if (root / folder).is_dir() else []
    for file in files:
        path = file.relative_to(root).as_posix()
        text = file.read_text()
        if file.suffix in (".c", ".h"):
            for line, name, word in names_of(path, text):
                found[f"{path}: {name}"] = f"{path}:{line}: {name} has the word {word}"
        for line, phrase in phrases_of(path, text):
            found[f"{path}: {phrase}"] = f"{path}:{line}: the phrase {phrase!r}"
    for file in csource.files(root, [folder for folder in OTHER_FOLDERS if (root / folder).is_dir()], OTHER_SUFFIXES):
        path, text = file.relative_to(root).as_posix(), file.read_text()
        for phrase in PHRASES[:FIRST_PHRASES] if path not in ABOUT_PHRASES else ():
            for match in phrase.finditer(text):
                found[f"{path}: {match[0]}"] = f"{path}:{csource.line_of(text, match.start())}: the phrase {match[0]!r}"
    return found


def allowed(root):
    file = pathlib.Path(root) / ALLOWED
    lines = file.read_text().split("\n") if file.is_file() else []
    return {line.split("  #")[0].rstrip() for line in lines if line and not line.startswith("#")}


def check(root):
    found, listed = faults(root), allowed(root)
    complaints = [text for key, text in sorted(found.items()) if key not in listed]
    return complaints + [f"{ALLOWED}: nothing needs this line any more: {key}" for key in sorted(listed - found.keys())]


def main():
    if "--allow" in sys.argv:
        print("# Exceptions of tools/check_names.py; the list may only shrink.")
        print("\n".join(sorted(faults(sys.argv[1]))))
        return 0
    return csource.report(check(sys.argv[1]))


if __name__ == "__main__":
    sys.exit(main())
