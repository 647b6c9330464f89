#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""terminal_svg.py SESSION - a recorded terminal session as an SVG picture, on standard output.

SESSION has lines "$ COMMAND" and, below each, what the command prints. The picture is text only: no fonts, scripts, links or images are
embedded, and the same session gives the same bytes.
"""
import pathlib
import re
import sys
import unicodedata
from xml.sax.saxutils import escape

COLUMNS = 100
FONT, LINE, CELL, MARGIN, BAR = 14, 20, 8.43, 16, 30
FACE = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
COLOURS = {"frame": "#1d2430", "bar": "#2a3342", "text": "#d5dbe5", "command": "#ffffff", "prompt": "#7bd88f", "error": "#ff7b72", "warning": "#e3b341",
           "ok": "#7bd88f", "dim": "#8b96a8", "title": "#aeb8c7"}
# The first that matches colours a whole line; a picture in one colour says the same.
KINDS = (("error", re.compile(r"error\b|fail\b|.*(?<!\b0 )\brejected\b")), ("warning", re.compile(r"warn(ing)?\b")), ("ok", re.compile(r"ok\b|\+(?!\+)|.*\b0 rejected\b")),
         ("dim", re.compile(r"…$|\[exit \d+\]$|==>|skip\b|\s*\|?\s*$|\s*-->|---|\+\+\+|@@")))


def width(text):
    """Columns that the text takes in a terminal."""
    return sum(0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def wrapped(line):
    """The line in pieces of at most COLUMNS, cut at spaces where possible."""
    pieces = []
    while width(line) > COLUMNS:
        cut = line.rfind(" ", COLUMNS // 2, COLUMNS)
        cut = cut + 1 if cut > 0 else COLUMNS
        pieces.append(line[:cut].rstrip())
        line = "    " + line[cut:]
    return pieces + [line]


def kind_of(line):
    return next((kind for kind, pattern in KINDS if pattern.match(line)), "text")


def rows(session):
    """[(kind, text)] of the picture, one for each line of the terminal."""
    found, is_command = [], False
    for line in session.rstrip("\n").split("\n"):
        starts = line.startswith("$ ")
        continues = is_command and found[-1][1].endswith("\\")
        is_command = starts or continues
        kind = "command" if is_command else kind_of(line)
        if starts and found:
            found.append(("text", ""))
        found.extend((kind, piece) for piece in wrapped(line))
    return found


def text_element(number, kind, text):
    y = BAR + MARGIN + FONT + number * LINE
    if kind == "command" and text.startswith("$ "):
        body = f'<tspan fill="{COLOURS["prompt"]}">$</tspan> {escape(text[2:])}'
    else:
        body = escape(text)
    weight = ' font-weight="bold"' if kind == "command" else ""
    return f'<text x="{MARGIN}" y="{y}" fill="{COLOURS[kind]}"{weight}>{body}</text>\n'


def picture(session, title):
    lines = rows(session)
    across = max([width(text) for _, text in lines] + [width(title)])
    wide, high = round(across * CELL) + 2 * MARGIN, BAR + len(lines) * LINE + 2 * MARGIN
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" viewBox="0 0 {wide} {high}" role="img" font-family="{FACE}" '
            f'font-size="{FONT}" xml:space="preserve">\n<title>{escape(title)}</title>\n'
            f'<rect width="{wide}" height="{high}" rx="8" fill="{COLOURS["frame"]}"/>\n<path d="M0 {BAR}V8a8 8 0 0 1 8-8H{wide - 8}a8 8 0 0 1 8 8V{BAR}Z" fill="{COLOURS["bar"]}"/>\n'
            f'<text x="{MARGIN}" y="{BAR - 10}" fill="{COLOURS["title"]}" font-size="{FONT - 2}">{escape(title)}</text>\n')
    return head + "".join(text_element(number, kind, text) for number, (kind, text) in enumerate(lines) if text.strip()) + "</svg>\n"


if __name__ == "__main__":
    source = pathlib.Path(sys.argv[1])
    sys.stdout.write(picture(source.read_text(encoding="utf-8"), source.stem.replace("-", " ")))
