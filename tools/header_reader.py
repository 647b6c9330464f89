# SPDX-License-Identifier: Apache-2.0
"""header_reader.py - the stable headers as lists of declarations with their comments, as C sees them.

Not a parser of C: the headers are formatted by clang-format, and hold what 2.2 of the chapter on SDKs allows.
"""
import pathlib
import re

import csource

BANNER = re.compile(r"/\* -{4} (.+?) -+ \*/")
REMOVED = "\f"  # in the place of a line that says nothing about a declaration


class Declaration:
    """kind: function, inline, struct, opaque (a struct without members), enum, typedef, macro or other; `text` is its code."""

    def __init__(self, kind, name, text, comment, line, section):
        self.kind, self.name, self.text, self.comment, self.line, self.section = kind, name, text, comment, line, section


class Header:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        raw = self.path.read_text(encoding="utf-8")
        self.includes = [what for _, what in csource.includes(raw)]
        head = re.match(r"/\* SPDX[^\n]*\n(/\*.*?\*/)", raw, re.S)
        self.head = plain(head[1]) if head else ""
        self.text = without_cxx(raw)
        self.declarations = list(declarations(self.text))


def plain(comment):
    """The text of a comment, without its stars."""
    lines = comment[2:-2].strip("\n").split("\n")
    lines = [re.sub(r"^ ?\* ?", "", line) if number or len(lines) > 1 else line.strip() for number, line in enumerate(lines)]
    return "\n".join(line.rstrip() for line in lines).strip("\n").strip(" ")


def without_cxx(text):
    """The text without what is meant for C++ alone, without conditions and without directions for clang-format."""
    lines, kept = [], [True]
    for line in text.split("\n"):
        word = re.match(r"#\s*(ifdef|ifndef|if|else|endif)\b(.*)", line)
        if word:
            if word[1] == "endif":
                kept.pop()
            elif word[1] == "else":
                kept[-1] = not kept[-1]
            else:
                kept.append("__cplusplus" not in word[2])
        lines.append(REMOVED if word or not all(kept) or "clang-format o" in line else line)
    return "\n".join(lines)


def comment_before(text, offset):
    """The comment that stands directly above the offset, or ""."""
    found = re.search(r"/\*((?!\*/).)*\*/(\s*)\Z", text[:offset], re.S)
    if not found or BANNER.match(found[0]) or found[2].replace(f"{REMOVED}\n", "") != "\n":
        return ""
    return plain(found[0].rstrip())


def macros(text):
    """(name, text, offset) of each macro that is not an include guard. Macros without a gap between them share a comment."""
    for found in re.finditer(r"^#define (\w+)((?:.*\\\n)*.*)$", text, re.M):
        if found[2].strip():
            yield found[1], found[0], found.start()


def statements(code):
    """(text, offset) of what stands at file scope, each with its end: a semicolon, or the brace of a function."""
    depth = begin = 0
    started = False
    for place, sign in enumerate(code):
        if not started:
            if sign.isspace() or sign == ";":
                continue
            begin, started = place, True
        depth += (sign in "({") - (sign in ")}")
        is_function = sign == "}" and depth == 0 and re.search(r"\)\s*\{", code[begin:place]) is not None
        if depth == 0 and (sign == ";" or is_function):
            yield begin, place + 1
            started = False


def classify(text):
    """(kind, name) of a statement without comments."""
    if re.match(r"static inline\b", text):
        return "inline", re.search(r"(\w+)\s*\(", text)[1]
    if text.startswith("typedef"):
        found = re.search(r"\}[^{}]*\b(\w+);$", text) or re.search(r"\(\*(\w+)\)", text) or re.search(r"(\w+)\s*\(", text) or re.search(r"(\w+);$", text)
        return "typedef" if "{" not in text else "struct", found[1]
    found = re.match(r"(struct|union|enum) (\w+)\s*([{;])", text)
    if found:
        return ("opaque" if found[3] == ";" else found[1]), found[2]
    if re.match(r"BT_SIZE_IS\b", text):
        return "other", re.search(r"(\w+),", text)[1]
    found = re.search(r"(\w+)\s*\(", re.sub(r"\bBT_DEPRECATED\([^)]*\)", "", text))
    return ("function", found[1]) if found else ("other", text)


def declarations(text):
    code = csource.blank(re.sub(r"^#(?:.*\\\n)*.*", lambda found: re.sub(r"[^\n]", " ", found[0]), text, flags=re.M))
    code = re.sub(r'extern "[^"]*" \{', lambda found: " " * len(found[0]), code)
    sections = [(found.start(), found[1]) for found in BANNER.finditer(text)]

    def section_at(offset):
        return ([name for start, name in sections if start < offset] or ["General"])[-1]

    found = []
    for begin, end in statements(code):
        kind, name = classify(code[begin:end])
        found.append((begin, kind, name, text[begin:end]))
    shared, end = "", 0
    for name, line, begin in macros(text):
        is_group = text[end:begin].replace(f"{REMOVED}\n", "") == "\n"
        shared = comment_before(text, begin) or (shared if is_group else "")
        end = begin + len(line)
        found.append((begin, "macro", name, line, shared))
    for begin, kind, name, piece, *comment in sorted(found, key=lambda row: row[0]):
        yield Declaration(kind, name, piece, comment[0] if comment else comment_before(text, begin), csource.line_of(text, begin), section_at(begin))


def stable(root):
    """The stable headers, sorted by name, baton.h first."""
    paths = sorted((pathlib.Path(root) / "include/baton").glob("*.h"), key=lambda path: (path.name != "baton.h", path.name))
    return [Header(path) for path in paths]
