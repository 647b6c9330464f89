#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gen_topics.py OUTPUT CHANGELOG FILE... - C from app/cli/topics/*.txt, the pages of `baton help TOPIC`, and the date of the newest release.

The first line of a file is its summary. Below an empty line follow blocks, each ended by an empty line:

    a paragraph             one or more lines that are not indented
    a term                  and, indented by two spaces, its meaning; a last line `-> PAGE` names the page of docs/ about it
    @NAME                   a table that the program knows
"""
import pathlib
import re
import sys

from gen_tables import literal
from table_text import write_output

HEAD = "/* SPDX-License-Identifier: Apache-2.0 */\n/* topics.c - made by tools/gen_topics.py from app/cli/topics; do not edit. */\n"


class TopicError(Exception):
    """A file does not have the form of a topic."""


def read_block(name, lines):
    """(term, text, page) of a block; a paragraph has the term ""."""
    if len(lines) == 1 or not lines[1].startswith("  "):
        if any(line.startswith(" ") for line in lines):
            raise TopicError(f"{name}: a paragraph is not indented: {lines[0]}")
        return "", " ".join(lines), ""
    if any(not line.startswith("  ") for line in lines[1:]):
        raise TopicError(f"{name}: the meaning of a term is indented: {lines[0]}")
    meaning = [line.strip() for line in lines[1:]]
    page = meaning.pop()[3:] if meaning[-1].startswith("-> ") else ""
    if not meaning:
        raise TopicError(f"{name}: {lines[0]} has no meaning")
    return lines[0], " ".join(meaning), page


def read_topic(name, text):
    """(summary, blocks) of a file."""
    first, *blocks = [block.split("\n") for block in text.strip("\n").split("\n\n")]
    if len(first) != 1 or not blocks or "\n\n\n" in text or not text.endswith("\n"):
        raise TopicError(f"{name}: a topic is a summary, an empty line, and blocks with one empty line between them")
    return first[0], [read_block(name, block) for block in blocks]


def release_date(changelog):
    """The date of the newest release, or the day on which the project began."""
    dates = re.findall(r"^## \[\d+\.\d+\.\d+\] - (\d{4}-\d{2}-\d{2})$", changelog, re.M)
    return dates[0] if dates else "2026-01-01"


def make_source(topics, date):
    out = [HEAD, '#include "cli.h"\n#include "help.h"\n\n', f"const char cli_release_date[] = {literal(date)};\n\n"]
    for name, (_, blocks) in topics.items():
        out.append(f"static const struct cli_topic_block {name.replace('-', '_')}_blocks[] = {{\n")
        out.extend(f"    {{{literal(term)}, {literal(text)}}},\n" for term, text, _ in blocks)
        out.append("    {NULL, NULL}};\n")
    out.append("\nconst struct cli_topic cli_topics[] = {\n")
    out.extend(f"    {{{literal(name)}, {literal(summary)}, {name.replace('-', '_')}_blocks}},\n" for name, (summary, _) in topics.items())
    out.append("    {NULL, NULL, NULL}};\n")
    return "".join(out)


def main(arguments):
    if len(arguments) < 3:
        print("usage: gen_topics.py OUTPUT CHANGELOG FILE...", file=sys.stderr)
        return 2
    try:
        topics = {path.stem: read_topic(path.name, path.read_text(encoding="utf-8")) for path in sorted(map(pathlib.Path, arguments[2:]))}
        date = release_date(pathlib.Path(arguments[1]).read_text(encoding="utf-8"))
        write_output(pathlib.Path(arguments[0]), make_source(topics, date))
    except TopicError as why:
        print(why, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
