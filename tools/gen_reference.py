#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gen_reference.py --write|--check [ROOT] | --install FOLDER [ROOT] - the reference of the C library, from the comments of its headers.

--write makes docs/reference: a page for each header, and in man3/ the manual pages baton_NAME(3) and libbaton(3). --check names pages
that are not what --write would make, exit 1. --install writes the manual pages to a folder, with a link for every function and type;
meson install runs it, and the folder is below its prefix.
"""
import os
import pathlib
import re
import sys
import textwrap

import header_reader
import release_date

FOLDER = "docs/reference"
MAN_WIDTH = 78
HIDDEN = {"other"}  # assertions about sizes
ENTRY = """Baton checks, repairs, governs, routes and records handoffs between agents. The library does what the
program baton(1) does: documents and requests go in, findings, verdicts and reports come out.

A program includes <baton/baton.h>, which includes the other headers, and is compiled with

    cc program.c $(pkg-config --cflags --libs baton)

bt_call() is one function for everything: JSON in, JSON out. bt_check() gives findings with their positions.

A status is about the machine, a finding is about the document. After any status other than BT_OK there is no verdict, and nothing
passes.

Handles are made by functions that end in _create and destroyed by those that end in _destroy, which take NULL. A struct whose first
member is `size` is made with BT_INIT(); {0} works as well, and every zero is a default. Members are only ever added at the end, so a
program runs with every later library of its generation, the number in the name of libbaton.so.0. Something that has a better successor
is marked as deprecated, and works for the rest of the generation.

Threads: the page of each header says what may be used by many threads."""


def title(header):
    """What stands after the name in the first line of a header."""
    first = header.head.split("\n\n")[0].replace("\n", " ")
    return re.sub(r"^\w+\.h - ", "", first).split(". ")[0].rstrip(".")


def sentence(header):
    return title(header)[0].upper() + title(header)[1:] + "."


def paragraphs(text):
    """(is code, text) of each paragraph; code is indented by four spaces."""
    for part in re.split(r"\n\n+", text.strip("\n")):
        is_code = part.startswith("    ")
        yield is_code, textwrap.dedent(part) if is_code else " ".join(part.split())


def body(header):
    """The head of a header without its first sentence and without the paragraph about threads."""
    rest = re.sub(r"^\w+\.h - .*?(?:\.\s+|\.$)", "", header.head, count=1, flags=re.S)
    return merge_code([row for row in paragraphs(rest) if row[1] and not row[1].startswith("Threads:")])


def merge_code(rows):
    """Paragraphs of code that follow one another are one example."""
    merged = []
    for is_code, text in rows:
        if is_code and merged and merged[-1][0]:
            merged[-1] = (True, merged[-1][1] + "\n\n" + text)
        else:
            merged.append((is_code, text))
    return merged


def threads(header):
    return next(text for is_code, text in paragraphs(header.head) if text.startswith("Threads:"))[len("Threads: "):]


def code_of(row):
    """The declaration as a reader needs it: without the marks of the compiler, and without the body of a function."""
    text = row.text.replace(header_reader.REMOVED, "")
    if row.kind == "inline":
        text = re.sub(r"\s*\n\{.*", ";", text[len("static inline "):], flags=re.S)
    if row.kind in ("function", "inline"):
        text = re.sub(r"\bBT_(?:API|MUST_USE)\s+", "", text)
        text = re.sub(r"\s+", " ", text)
        return "\n".join(textwrap.wrap(text, 90, subsequent_indent="    ", break_long_words=False))
    return re.sub(r"[ \t]*\\\n\s*", " \\\n    ", text)


def comment_of(row):
    """The paragraphs of a comment; that of something deprecated says so."""
    successor = re.search(r'BT_DEPRECATED\("([^"]*)"\)', row.text) if row.kind != "macro" else None
    return [*([(False, f"Deprecated: {successor[1]}.")] if successor else []), *paragraphs(row.comment)]


def shown(header):
    """The declarations that have a place in the reference: those that say something about themselves."""
    return [row for row in header.declarations if row.kind not in HIDDEN and row.comment]


def all_headers(root):
    return [header for header in header_reader.stable(root) if header.path.name != "baton.h"]


def places(headers):
    """{name: page} of everything that has a heading."""
    return {row.name: header.path.stem for header in headers for row in shown(header)}


# ---- Markdown ----

def escape_markdown(text, known, page):
    """Text outside of backticks, with links to the functions that it names."""
    def link(match):
        target = known[match[1]]
        return f"[{match[0]}]({'' if target == page else target + '.md'}#{match[1].lower()})" if match[1] in known else match[0]
    pieces = re.split(r"(`[^`]*`)", text)
    for number in range(0, len(pieces), 2):
        plain = re.sub(r"([*\[\]\\])", r"\\\1", pieces[number]).replace("<", "&lt;")
        pieces[number] = re.sub(r"\b(bt_\w+|BT_\w+)\(\)", link, plain)
    return "".join(pieces)


def markdown_text(rows, known, page):
    lines = []
    for is_code, text in rows:
        lines += ["```c norun=part-of-a-program", text, "```", ""] if is_code else [escape_markdown(text, known, page), ""]
    return lines


def markdown_page(header, known):
    page = header.path.stem
    lines = [f"# {header.path.name}", "", f"`#include <baton/{header.path.name}>`: {escape_markdown(title(header), known, page)}. Made by `tools/gen_reference.py` from the comments of the header.", ""]
    lines += markdown_text(body(header), known, page)
    lines += [f"**Threads:** {escape_markdown(threads(header), known, page)}", ""]
    section = None
    for row in shown(header):
        if row.section != section:
            section = row.section
            lines += [f"## {section}", ""]
        lines += [f"### {row.name}", "```c norun=declaration", code_of(row), "```", ""]
        lines += markdown_text(comment_of(row), known, page)
    return "\n".join(lines).rstrip("\n") + "\n"


def markdown_index(headers, known):
    lines = ["# Reference of the C library", "", "Made by `tools/gen_reference.py` from the comments of the stable headers. The same text is installed as manual pages: `man libbaton`, `man baton_json`, `man bt_json_read`.", ""]
    lines += markdown_text(list(merge_code(list(paragraphs(ENTRY)))), known, "README")
    lines += ["| header | what |", "|---|---|"]
    lines += [f"| [{header.path.name}]({header.path.stem}.md) | {escape_markdown(title(header), {}, '')} |" for header in headers]
    return "\n".join(lines) + "\n"


# ---- Manual pages ----

def escape_man(text, wraps=False):
    text = re.sub(r"`([^`]*)`", r"\\fB\1\\fR", text.replace("\\", "\\e").replace("-", "\\-"))
    if wraps:
        text = "\n".join(textwrap.wrap(text, MAN_WIDTH, break_long_words=False, break_on_hyphens=False))
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


def man_text(rows):
    lines = []
    for number, (is_code, text) in enumerate(rows):
        if is_code:
            lines += [".PP", ".RS 4", ".nf", escape_man(text.replace("`", "'")).replace("\n\n", "\n\\&\n"), ".fi", ".RE"]
        else:
            lines += ([".PP"] if number else []) + [escape_man(text, wraps=True)]
    return lines


def man_head(name, what, date):
    return [f".TH {name.upper()} 3 \"{date}\" \"Baton\" \"Library Functions Manual\"", ".SH NAME", f"{escape_man(name)} \\-", escape_man(what, wraps=True)]


def man_page(header, headers, date):
    lines = man_head(f"baton_{header.path.stem}", title(header), date)
    lines += [".SH SYNOPSIS", ".nf", f".B #include <baton/{header.path.name}>", ".fi", ".SH DESCRIPTION", *man_text(body(header) or [(False, sentence(header))])]
    section = None
    for row in shown(header):
        if row.section != section:
            section = row.section
            lines += [f".SH {escape_man(section.upper())}"]
        lines += [f".SS {row.name}", ".nf", escape_man(re.sub("`", "'", code_of(row))).replace("\n\n", "\n\\&\n"), ".fi", ".PP", *man_text(comment_of(row))]
    lines += [".SH THREADS", *man_text([(False, threads(header))])]
    return "\n".join(lines + see_also(headers, f"baton_{header.path.stem}")) + "\n"


def see_also(headers, but):
    names = sorted({"libbaton", *(f"baton_{header.path.stem}" for header in headers)} - {but})
    return [".SH SEE ALSO", ".BR baton (1),", *(f".BR {name} (3){'' if name == names[-1] else ','}" for name in names)]


def man_entry(headers, date):
    lines = man_head("libbaton", "the C library of Baton: check, repair and record handoffs between agents", date)
    text = [row for row in merge_code(list(paragraphs(ENTRY))) if not row[1].startswith("Threads:")]
    lines += [".SH SYNOPSIS", ".nf", ".B #include <baton/baton.h>", ".fi", ".SH DESCRIPTION", *man_text(text), ".SH HEADERS"]
    for header in headers:
        lines += [".TP", f".BR baton_{header.path.stem} (3)", *man_text([(False, sentence(header))])]
    lines += [".SH THREADS", "The page of each header says what may be used by many threads."]
    return "\n".join(lines + see_also(headers, "libbaton")) + "\n"


def man_pages(root):
    """{file name: text} of the manual pages."""
    headers = all_headers(root)
    date = release_date.newest_date((pathlib.Path(root) / "CHANGELOG.md").read_text(encoding="utf-8")) or "2026-01-01"
    pages = {f"baton_{header.path.stem}.3": man_page(header, headers, date) for header in headers}
    return {**pages, "libbaton.3": man_entry(headers, date)}


def man_links(root):
    """{file name: text} of the pages that lead to another."""
    return {f"{name}.3": f".so man3/baton_{page}.3\n" for name, page in places(all_headers(root)).items()}


def pages(root):
    """{path below docs/reference: text} of everything that is committed."""
    headers = all_headers(root)
    known = places(headers)
    made = {f"{header.path.stem}.md": markdown_page(header, known) for header in headers}
    return {"README.md": markdown_index(headers, known), **made, **{f"man3/{name}": text for name, text in man_pages(root).items()}}


def check(root):
    folder, wanted = pathlib.Path(root) / FOLDER, pages(root)
    there = {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file()}
    return [f"{FOLDER}/{name} is {'missing' if name not in there else 'stale' if name in wanted else 'not made from a header'}; run tools/gen_reference.py --write"
            for name in sorted({*there, *wanted}) if there.get(name) != wanted.get(name)]


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def main(arguments):
    root = pathlib.Path(__file__).resolve().parent.parent
    if len(arguments) in (1, 2) and arguments[0] in ("--write", "--check"):
        root = pathlib.Path(arguments[1]) if len(arguments) > 1 else root
        if arguments[0] == "--write":
            write(root / FOLDER, pages(root))
        complaints = check(root)
        print("\n".join(complaints), end="\n" if complaints else "")
        return 1 if complaints else 0
    if len(arguments) in (2, 3) and arguments[0] == "--install":
        root = pathlib.Path(arguments[2]) if len(arguments) > 2 else root
        write(pathlib.Path(os.environ.get("MESON_INSTALL_DESTDIR_PREFIX", "."), arguments[1]), {**man_pages(root), **man_links(root)})
        return 0
    print("usage: gen_reference.py --write|--check [ROOT] | --install FOLDER [ROOT]", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
