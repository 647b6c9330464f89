#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_changelog.py ROOT - CHANGELOG.md has the form of Keep a Changelog 1.1.0 and covers the version of the build.

Sections are `## [Unreleased]`, then `## [VERSION] - YYYY-MM-DD`, newest first. Below each stand only the headings of KINDS, in this
order. An entry is one line with one sentence of at most 160 characters; the targets of links are not counted.
"""
import datetime
import pathlib
import re
import sys

import csource

KINDS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
ENTRY_MAX = 160
RELEASE = re.compile(r"## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2})")
SENTENCE_END = re.compile(r"[.!?] +[A-Z`]")
ABBREVIATION = re.compile(r"\b(e\.g|i\.e|etc)\. ")


def number(version):
    return tuple(int(part) for part in version.split("."))


def entry_complaint(line):
    """What is wrong with an entry, or None."""
    if not line.startswith("- "):
        return "an entry is one line that begins with `- `"
    text = re.sub(r"\]\([^)]*\)", "]", line[2:])
    if len(text) > ENTRY_MAX:
        return f"the entry has {len(text)} characters, at most {ENTRY_MAX} are allowed"
    if not text.endswith("."):
        return "an entry is a sentence and ends with a full stop"
    if SENTENCE_END.search(ABBREVIATION.sub("", re.sub(r"`[^`]*`", "`x`", text))):
        return "an entry is one sentence"
    return None


class Reader:
    """Reads the sections line by line; `complain` takes what is wrong with the current line."""

    def __init__(self, complain):
        self.complain = complain
        self.versions = []
        self.has_unreleased = False
        self.kind = None
        self.entries = 0
        self.seen = set()  # entries of the section

    def end_kind(self):
        if self.kind is not None and not self.entries:
            self.complain(f"### {KINDS[self.kind]} is empty")
        self.kind, self.entries = None, 0

    def read_section(self, line):
        self.end_kind()
        self.seen.clear()
        release = RELEASE.fullmatch(line)
        if line == "## [Unreleased]":
            if self.has_unreleased or self.versions:
                self.complain("[Unreleased] is the first section, once")
            self.has_unreleased = True
        elif release:
            if not is_date(release[2]):
                self.complain(f"{release[2]} is not a date")
            if self.versions and number(release[1]) >= number(self.versions[-1]):
                self.complain("the newest version comes first")
            self.versions.append(release[1])
        else:
            self.complain("a section is `## [Unreleased]` or `## [VERSION] - YYYY-MM-DD`")

    def read_kind(self, line):
        previous = self.kind if self.kind is not None else -1
        self.end_kind()
        if line[4:] not in KINDS:
            self.complain(f"the allowed headings are {', '.join(KINDS)}")
            return
        self.kind = KINDS.index(line[4:])
        if self.kind <= previous:
            self.complain(f"the order of headings is {', '.join(KINDS)}")

    def read_line(self, line):
        if line.startswith("### "):
            self.read_kind(line)
        elif line.startswith("## "):
            self.read_section(line)
        elif line and (self.has_unreleased or self.versions):
            wrong = entry_complaint(line)
            if wrong:
                self.complain(wrong)
            elif self.kind is None:
                self.complain("an entry stands below a heading")
            elif line in self.seen:
                self.complain("the entry stands twice in its section")
            self.seen.add(line)
            self.entries += 1


def is_date(text):
    try:
        return bool(datetime.date.fromisoformat(text))
    except ValueError:
        return False


def check_text(text, version):
    complaints = []
    at = 0
    reader = Reader(lambda words: complaints.append(f"CHANGELOG.md:{at}: {words}"))
    lines = text.split("\n")
    if lines[0] != "# Changelog":
        complaints.append("CHANGELOG.md:1: the title is `# Changelog`")
    for at, line in enumerate(lines[1:], 2):
        reader.read_line(line)
    reader.end_kind()
    if not reader.has_unreleased:
        complaints.append("CHANGELOG.md: the section [Unreleased] is missing")
    # The version of meson.build is that of the next release. Until it is cut, [Unreleased] is its section.
    if version not in reader.versions and any(number(other) > number(version) for other in reader.versions):
        complaints.append(f"CHANGELOG.md: version {version} of the build has no section")
    return complaints


def check(root):
    root = pathlib.Path(root)
    version = re.search(r"^\s*version: '(\d+\.\d+\.\d+)'", (root / "meson.build").read_text(), re.M)
    if not version:
        return ["meson.build: the version is missing"]
    return check_text((root / "CHANGELOG.md").read_text(), version[1])


if __name__ == "__main__":
    sys.exit(csource.report(check(sys.argv[1])))
