# SPDX-License-Identifier: Apache-2.0
"""page_runner.py - run the commands that a page shows, and compare what they print with what the page says.

A page begins in an empty folder or, when it names examples/, beside a copy of that folder. Its fenced blocks are read in order:

    ```json file=old/h.json      the file is made, whatever the language is; its content is the block
    ```console                   a line "$ COMMAND", then what it prints (errors before or behind the output), then "[exit N]" unless N is 0
    ```sh                        each line is a command that must succeed; what it prints is not shown

In what is printed, a line "..." stands for any lines. A block without a language that begins with "$ " is a console, too; every other one is
prose for people. A command that goes on in the next line
ends in a backslash. Commands run by /bin/sh, and `baton` is the program under test.
"""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

TIMEOUT_S = 60
FENCE = re.compile(r"^(`{3,})([^`\n]*)$")


class PageError(Exception):
    """What a page shows is not what happens."""


def blocks(text):
    """(line number, info string, lines) of every fenced block."""
    found, opened = [], None
    for number, line in enumerate(text.splitlines(), 1):
        match = FENCE.match(line)
        if opened is None and match:
            opened = (number, match[1], match[2].strip(), [])
        elif opened is not None and line.strip() == opened[1]:
            found.append((opened[0], opened[2], opened[3]))
            opened = None
        elif opened is not None:
            opened[3].append(line)
    if opened is not None:
        raise PageError(f"line {opened[0]}: the block is not closed")
    return found


def commands(number, lines):
    """(line number, command, printed lines, exit code) of a console block."""
    found = []
    continued = False
    for offset, line in enumerate(lines, 1):
        if continued:
            found[-1][1] += "\n" + line
        elif line.startswith("$ "):
            found.append([number + offset, line[2:], [], 0])
        elif not found:
            raise PageError(f"line {number + offset}: a console block begins with a command")
        elif re.fullmatch(r"\[exit \d+\]", line):
            found[-1][3] = int(line[6:-1])
        else:
            found[-1][2].append(line)
        continued = (continued or line.startswith("$ ")) and line.endswith("\\")
    return found


def matches(shown, printed):
    """Whether the lines are those that are shown, where "..." stands for any lines."""
    if not shown:
        return not printed
    if shown[0] == "...":
        return any(matches(shown[1:], printed[skipped:]) for skipped in range(len(printed) + 1))
    return bool(printed) and shown[0] == printed[0] and matches(shown[1:], printed[1:])


class Page:
    def __init__(self, baton, examples=None):
        self.place = tempfile.TemporaryDirectory(prefix="baton-page-")
        self.folder = pathlib.Path(self.place.name, "project")
        programs = pathlib.Path(self.place.name, "bin")
        for folder in (self.folder, programs):
            folder.mkdir()
        os.symlink(pathlib.Path(baton).resolve(), programs / "baton")
        if examples:
            shutil.copytree(examples, self.folder / "examples", symlinks=True)
        self.environment = {"PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin", "HOME": self.place.name, "TZ": "UTC", "LC_ALL": "C.UTF-8",
                            "TMPDIR": self.place.name, "NO_COLOR": "1"}
        self.commands = 0

    def make(self, name, lines):
        path = (self.folder / name).resolve()
        if not path.is_relative_to(self.folder):
            raise PageError(f"{name} is outside the folder of the page")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def run(self, command):
        self.commands += 1
        done = subprocess.run(["/bin/sh", "-c", command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT_S, check=False)
        output, errors = (text.decode("utf-8", "replace").splitlines() for text in (done.stdout, done.stderr))
        return done.returncode, errors + output, output + errors

    def console(self, number, lines):
        for line, command, shown, code in commands(number, lines):
            got, printed, other = self.run(command)
            if got != code:
                raise PageError(f"line {line}: {command}: exit {got}, and the page says {code}\n" + "\n".join(printed))
            if not matches(shown, printed) and not matches(shown, other):
                raise PageError(f"line {line}: {command}: prints\n" + "\n".join(printed))

    def shell(self, number, lines):
        for offset, command in joined(lines):
            got, printed, _ = self.run(command)
            if got != 0:
                raise PageError(f"line {number + offset}: {command}: exit {got}\n" + "\n".join(printed))


def joined(lines):
    """(offset, command) of the commands of a block, each with the lines in which it goes on."""
    found, continued = [], False
    for offset, line in enumerate(lines, 1):
        if continued:
            found[-1][1] += "\n" + line
        elif line.strip():
            found.append([offset, line])
        continued = line.endswith("\\")
    return found


def run_page(text, baton, examples=None):
    """Run a page; returns how many commands it has. PageError: it says something else than what happens."""
    page = Page(baton, examples if re.search(r"^\$ .*\bexamples/", text, re.MULTILINE) else None)
    with page.place:
        for number, info, lines in blocks(text):
            language, _, rest = info.partition(" ")
            made = re.fullmatch(r"file=(\S+)", rest.strip())
            if made:
                page.make(made[1], lines)
            elif language == "console" or (not info and lines and lines[0].startswith("$ ")):
                page.console(number, lines)
            elif language == "sh":
                page.shell(number, lines)
        return page.commands
