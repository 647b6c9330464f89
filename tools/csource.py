# SPDX-License-Identifier: Apache-2.0
"""csource.py - C source as the checks look at it.

Not a parser: the tree is formatted by clang-format, so a function's braces stand alone in column 0.
"""
import pathlib
import re

_PIECES = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(.*)$', re.M)


def blank(text):
    """The text with comments and literals emptied, every line where it was."""
    def empty(match):
        piece = match.group(0)
        if piece[0] == "/":
            return re.sub(r"[^\n]", " ", piece)
        return piece[0] + " " * (len(piece) - 2) + piece[-1]
    return _PIECES.sub(empty, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def includes(text):
    """(line, what stands after #include) for each directive outside comments."""
    without_comments = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group(0)), text, flags=re.S)
    for match in _INCLUDE.finditer(without_comments):
        yield line_of(without_comments, match.start()), match.group(1).split("//")[0].strip()


def functions(text):
    """(name, first line, last line) of each function, counted from its first line to its brace."""
    lines = blank(text).split("\n")
    start = None
    for number, line in enumerate(lines, 1):
        if line.rstrip() == "{":
            start = _first_line_of_signature(lines, number)
        elif line.rstrip() == "}" and start:
            yield _name(lines[start - 1:number]), start, number
            start = None


def _first_line_of_signature(lines, brace):
    first = brace
    while first > 1:
        above = lines[first - 2].strip()
        if not above or above.startswith("#") or above[-1] in ";}":
            break
        first -= 1
    return first


def _name(lines):
    match = re.search(r"(\w+)\s*\(", " ".join(lines))
    return match.group(1) if match else "?"


def files(root, folders, suffixes):
    """The files below the folders with one of these suffixes, sorted."""
    found = []
    for folder in folders:
        base = pathlib.Path(root) / folder
        found += [p for p in base.rglob("*") if p.suffix in suffixes and p.is_file()]
    return sorted(found)


def report(complaints):
    """Print `path:line: text` for each complaint and give the exit status."""
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0
