# SPDX-License-Identifier: Apache-2.0
"""table_text.py - the text form that *.rules and *.ops share: blocks of keys with values.

    keyword NAME            a line that is not indented opens a block; `# ...` is a comment
      key value             two blanks: a key with its value on the line, or
      key
        text                four blanks: the lines of the key's text

Files are UTF-8 with LF. Every fault is a TableError that begins with `file:line: `.
"""
import re

ESCAPE = re.compile(rb"\\x([0-9a-fA-F]{2})")


class TableError(Exception):
    """A fault in a table; the text begins with `file:line: `."""


def write_output(path, text):
    """Write a generated file, unless it is the same: then nothing that includes it is compiled again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


class Entry:
    """One key of a block. Its content is one line after the key, or the lines below it."""

    def __init__(self, path, line, key, value):
        self.path, self.line, self.key, self.value = path, line, key, value
        self.lines = [] if value is None else None

    def fail(self, message):
        raise TableError(f"{self.path}:{self.line}: {message}")

    def one_line(self):
        if self.value is None:
            self.fail(f"`{self.key}` takes its value on the same line")
        return self.value

    def prose(self):
        """The text with each paragraph on one line; a blank line separates paragraphs."""
        if self.value is not None:
            return self.value
        paragraphs = "\n".join(self.lines).split("\n\n")
        return "\n\n".join(" ".join(paragraph.split("\n")) for paragraph in paragraphs)

    def content(self):
        """The bytes as they are written; `\\xHH` is one byte. The last line has no end."""
        text = self.value if self.value is not None else "\n".join(self.lines)
        return ESCAPE.sub(lambda match: bytes([int(match[1], 16)]), text.encode())


class Block:
    def __init__(self, path, line, keyword, name):
        self.path, self.line, self.keyword, self.name = path, line, keyword, name
        self.entries = []

    def fail(self, message):
        raise TableError(f"{self.path}:{self.line}: {message}")

    def check_keys(self, known, required, repeatable=()):
        """Refuse unknown, repeated and missing keys."""
        seen = set()
        for entry in self.entries:
            if entry.key not in known:
                entry.fail(f"`{entry.key}` is not a key of `{self.keyword}`; keys are {', '.join(sorted(known))}")
            if entry.key in seen and entry.key not in repeatable:
                entry.fail(f"`{entry.key}` is given twice in `{self.keyword} {self.name}`")
            seen.add(entry.key)
        for key in required:
            if key not in seen:
                self.fail(f"`{self.keyword} {self.name}` lacks the key `{key}`")

    def get(self, key):
        """The entry of a key that is given at most once, or None."""
        return next((entry for entry in self.entries if entry.key == key), None)

    def get_all(self, key):
        return [entry for entry in self.entries if entry.key == key]


def decode(path, data):
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as why:
        line = data[:why.start].count(b"\n") + 1
        raise TableError(f"{path}:{line}: not UTF-8") from None
    if text and not text.endswith("\n"):
        raise TableError(f"{path}:{text.count(chr(10)) + 1}: the last line has no end")
    return text


def open_block(path, number, line):
    keyword, _, name = line.partition(" ")
    if not name.strip() or name != name.strip():
        raise TableError(f"{path}:{number}: a line that is not indented is `KEYWORD NAME`")
    return Block(path, number, keyword, name)


def open_entry(path, number, line, block):
    if block is None:
        raise TableError(f"{path}:{number}: a key stands before the first block")
    key, _, value = line.strip().partition(" ")
    entry = Entry(path, number, key, value.strip() or None)
    block.entries.append(entry)
    return entry


def close_entry(entry):
    """A text ends with its last line that is not blank."""
    if entry is None or entry.lines is None:
        return
    while entry.lines and not entry.lines[-1]:
        entry.lines.pop()
    if not entry.lines:
        entry.fail(f"`{entry.key}` has neither a value nor a text below it")


def read_blocks(path, data):
    """The blocks of a file, given as bytes."""
    blocks = []
    entry = None
    for number, line in enumerate(decode(path, data).split("\n")[:-1], 1):
        if line != line.rstrip() or "\t" in line or "\r" in line:
            raise TableError(f"{path}:{number}: a tab, a carriage return or a blank at the end of the line")
        if line.startswith("#"):
            continue
        if not line:
            if entry is not None and entry.lines:
                entry.lines.append("")
            continue
        indent = len(line) - len(line.lstrip(" "))
        if indent == 0:
            close_entry(entry)
            entry = None
            blocks.append(open_block(path, number, line))
        elif indent == 2:
            close_entry(entry)
            entry = open_entry(path, number, line, blocks[-1] if blocks else None)
        elif indent >= 4 and entry is not None and entry.lines is not None:
            entry.lines.append(line[4:])
        else:
            raise TableError(f"{path}:{number}: keys are indented by two blanks, and a text by four below a key without a value")
    close_entry(entry)
    return blocks
