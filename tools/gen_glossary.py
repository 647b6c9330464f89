#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gen_glossary.py SOURCE - docs/glossary.md, on standard output, from the text of `baton help glossary`.

SOURCE has a summary and then blocks: a term, its meaning indented by two spaces, and a last line `-> PAGE`, the page of docs/ about it.
"""
import pathlib
import sys

HEAD = """# Glossary

The words that Baton uses, as `baton help glossary` prints them. This page is made by `tools/gen_glossary.py` from `app/cli/topics/glossary.txt`; change that file.

| term | meaning | more |
|---|---|---|
"""


def rows(text):
    """(term, meaning, page) of every block."""
    for block in text.strip("\n").split("\n\n")[1:]:
        term, *lines = block.split("\n")
        if len(lines) < 2 or not lines[-1].startswith("  -> "):
            raise SystemExit(f"gen_glossary.py: {term}: a term has a meaning and a page")
        yield term, " ".join(line.strip() for line in lines[:-1]), lines[-1][5:]


def page(text):
    return HEAD + "".join(f"| {term} | {meaning} | [{name}]({name}) |\n" for term, meaning, name in rows(text))


if __name__ == "__main__":
    sys.stdout.write(page(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")))
