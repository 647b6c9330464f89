# SPDX-License-Identifier: Apache-2.0
"""page_runner.py - run the commands that a page shows, and compare what they print with what the page says.

A page is read from top to bottom. Its commands run in one /bin/sh, in one folder that is empty at first; a page whose blocks name examples/ or
host/ gets a copy of that folder. `baton` is the program under test. Fenced blocks are:

    first line "$ COMMAND"     a terminal: commands, and below each what it prints; "[exit N]" for other exit codes than 0, and than 1 with output
    sh                         each line is a command that must succeed; what it prints is not shown
    LANGUAGE file=PATH         the file is made from the block
    LANGUAGE in=FOLDER         a session of its own: the commands run in that folder, which is made if it is not there, and what the last
                               command left in the background ends with the block
    LANGUAGE norun=REASON      commands that a test cannot run, and why; installs-the-program is run where there is a clone to install from
    anything else              prose, unless it looks like commands: then the page is wrong

A line "…" in the output stands for any lines, and "…" inside a line for any characters. A command goes on in the next line after a backslash,
or up to the end of its here-document. Output and errors are compared in either order. A command that ends in "&" stays in the background until the
page ends; its output is waited for. Port 8420 on a page is a free port in the run.
"""
import os
import pathlib
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import bare_root

TIMEOUT_S = 120
EXCERPT_LINES = 60
PORT = "8420"
ANY = "…"
FENCE = re.compile(r"^( *)(`{3,})([^`\n]*)$")
HEREDOC = re.compile(r"<<-? *'?(\w+)'?")
COMMAND_WORDS = re.compile(r"(\$ |(sudo|baton|curl|script/\w+|git|cc|pip|npm|npx|tar|python3) )")
COPIED = ("examples", "host")
SHELLS = ("sh", "bash", "shell", "console")


class PageError(Exception):
    """What a page shows is not what happens."""


def blocks(text):
    """(line number, info string, lines) of every fenced block."""
    found, opened = [], None
    for number, line in enumerate(text.splitlines(), 1):
        match = FENCE.match(line)
        if opened is None and match:
            opened = (number, match[2], match[3].strip(), [], len(match[1]))
        elif opened is not None and line.strip() == opened[1]:
            found.append((opened[0], opened[2], opened[3]))
            opened = None
        elif opened is not None:
            opened[3].append(line[opened[4]:] if not line[:opened[4]].strip() else line)
    if opened is not None:
        raise PageError(f"line {opened[0]}: the block is not closed")
    return found


def refuse_hidden_commands(text):
    """Commands in indented blocks, which no test would run, are an error of the page."""
    is_fenced, previous = False, ""
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            is_fenced = not is_fenced
        elif not is_fenced and not previous.strip() and line.startswith("    ") and COMMAND_WORDS.match(line[4:]):
            raise PageError(f"line {number}: commands stand in a fenced block that begins with `$ `")
        previous = line


class Command:
    def __init__(self, line, text):
        self.line, self.text, self.shown, self.code = line, text, [], None
        self.heredoc = None

    def is_open(self):
        """Whether the next line belongs to the command."""
        return self.heredoc is not None or self.text.endswith("\\")

    def add(self, line):
        self.text += "\n" + line
        if self.heredoc is not None and line == self.heredoc:
            self.heredoc = None
        elif self.heredoc is None:
            self.find_heredoc(line)

    def find_heredoc(self, line):
        match = HEREDOC.search(line)
        if match and not line.endswith("\\"):
            self.heredoc = match[1]

    def allows(self, code):
        """Without "[exit N]", a command that shows output may reject a document; any other failure must be shown."""
        return code == self.code if self.code is not None else code == 0 or (code == 1 and bool(self.shown))

    def is_background(self):
        return self.text.endswith("&") and not self.text.endswith("&&")


def commands(number, lines):
    """The commands of a terminal block, with what each prints."""
    found = []
    for offset, line in enumerate(lines, 1):
        if found and found[-1].is_open():
            found[-1].add(line)
        elif line.startswith("$ "):
            found.append(Command(number + offset, line[2:]))
            found[-1].find_heredoc(line)
        elif not found:
            raise PageError(f"line {number + offset}: a terminal block begins with a command")
        elif re.fullmatch(r"\[exit \d+\]", line):
            found[-1].code = int(line[6:-1])
        else:
            found[-1].shown.append(line)
    if found and found[-1].is_open():
        raise PageError(f"line {found[-1].line}: the command does not end")
    return found


def shell_commands(number, lines):
    """The commands of a block that shows no output."""
    found = []
    for offset, line in enumerate(lines, 1):
        if found and found[-1].is_open():
            found[-1].add(line)
        elif line.strip() and not line.startswith("#"):
            found.append(Command(number + offset, line))
            found[-1].find_heredoc(line)
    return found


def line_matches(shown, printed):
    if ANY not in shown:
        return shown == printed
    return re.fullmatch(".*".join(re.escape(part) for part in shown.split(ANY)), printed) is not None


def matches(shown, printed):
    """Whether the lines are those that are shown. `reached` holds how many printed lines the shown ones so far can stand for."""
    reached = {0}
    for line in shown:
        if line == ANY:
            reached = set(range(min(reached), len(printed) + 1)) if reached else set()
        else:
            reached = {at + 1 for at in reached if at < len(printed) and line_matches(line, printed[at])}
    return len(printed) in reached


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return str(listener.getsockname()[1])


class Shell:
    """One /bin/sh for a page. Commands go in one at a time; output and errors go to files, the exit code to a pipe."""

    def __init__(self, folder, outputs, environment, root=None):
        self.outputs, self.root = outputs, root
        self.count = 0
        self.codes, codes = os.pipe()
        words = bare_root.command(root) if root else []
        self.process = subprocess.Popen([*words, "/bin/sh"], cwd="/" if root else folder, env=environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, pass_fds=(codes,), start_new_session=True)
        self.code_fd = codes
        os.close(codes)
        self.run(f"cd '{self.inside(folder)}'")

    def inside(self, path):
        """The path as the commands see it."""
        return f"/{path.relative_to(self.root)}" if self.root else str(path)

    def run(self, text):
        """The exit code of a command; None: the shell has ended."""
        self.count += 1
        out, err = (self.inside(path) for path in self.paths())
        # The colon is for dash, which loses the redirection of `(...) > FILE` when that stands alone in a redirected group.
        script = f"{{ :\n{text}\n}} </dev/null >'{out}' 2>'{err}' {self.code_fd}>&-\necho $? >&{self.code_fd}\n"
        try:
            self.process.stdin.write(script.encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            return None
        ready, _, _ = select.select([self.codes], [], [], TIMEOUT_S)
        if not ready:
            raise PageError(f"{text}: not finished after {TIMEOUT_S} s")
        code = os.read(self.codes, 16)
        return int(code) if code else None

    def paths(self):
        return self.outputs / f"{self.count}.out", self.outputs / f"{self.count}.err"

    def printed(self):
        """Lines of errors and output of the last command, in both orders."""
        output, errors = (path.read_bytes().decode("utf-8", "replace").splitlines() if path.exists() else [] for path in self.paths())
        return errors + output, output + errors

    def close(self):
        """End the shell and what it left in the background."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        for stream in (self.process.stdin, self.process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass
        os.close(self.codes)


class Page:
    def __init__(self, baton, copied=(), more=None, uses_port=False, root=None):
        """`baton` is the path of the program, in the bare root `root` if there is one."""
        self.place = tempfile.TemporaryDirectory(prefix="baton-page-", dir=root / "tmp" if root else None, ignore_cleanup_errors=True)
        top = pathlib.Path(self.place.name).resolve()
        seen = pathlib.Path("/", top.relative_to(root)) if root else top
        self.folder = top / "project"
        programs, home, outputs = top / "bin", top / "home", top / "outputs"
        for folder in (self.folder, programs, home, outputs):
            folder.mkdir()
        self.port = free_port() if uses_port else PORT
        self.install(programs / "baton", baton if root else pathlib.Path(baton).resolve(), uses_port)
        for source in copied:
            shutil.copytree(source, self.folder / source.name, symlinks=True)
        (home / ".gitconfig").write_text("[user]\n  name = Reader\n  email = reader@example.com\n[init]\n  defaultBranch = main\n")
        environment = {"PATH": f"{seen / 'bin'}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": str(seen / "home"), "TZ": "UTC",
                       "LC_ALL": "C.UTF-8", "TMPDIR": str(seen), "NO_COLOR": "1", **(more or {})}
        self.shell = Shell(self.folder, outputs, environment, root)
        self.commands = 0
        self.clone = None

    def install(self, path, program, uses_port):
        """A link to the program; a page that names the default port gets one that starts the server at the free port."""
        if not uses_port:
            os.symlink(program, path)
            return
        path.write_text(f"#!/bin/sh\ncase \"$*\" in serve*--listen*) ;; serve*) shift; exec '{program}' serve --listen 127.0.0.1:{self.port} \"$@\" ;; esac\n"
                        f"exec '{program}' \"$@\"\n")
        path.chmod(0o755)

    def close(self):
        self.shell.close()
        self.place.cleanup()

    def make(self, name, lines):
        path = (self.folder / name).resolve()
        if not path.is_relative_to(self.folder):
            raise PageError(f"{name} is outside the folder of the page")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.with_port("\n".join(lines) + "\n"), encoding="utf-8")

    def with_port(self, text):
        return text.replace(f":{PORT}", f":{self.port}")

    def run(self, command):
        self.commands += 1
        code = self.shell.run(self.with_port(command.text))
        if code is None:
            raise PageError(f"line {command.line}: {command.text}: it ended the shell")
        return code

    def printed(self):
        return [[line.replace(f":{self.port}", f":{PORT}") for line in lines] for lines in self.shell.printed()]

    def says(self, command):
        """Whether the command printed what is shown; what a background command prints is waited for."""
        ended = time.monotonic() + (TIMEOUT_S if command.is_background() else 0)
        while True:
            if any(matches(command.shown, lines) for lines in self.printed()):
                return True
            if time.monotonic() >= ended:
                return False
            time.sleep(0.05)

    def excerpt(self):
        lines = self.printed()[0]
        return "\n".join(lines[:EXCERPT_LINES] + [f"and {len(lines) - EXCERPT_LINES} more lines"] * (len(lines) > EXCERPT_LINES))

    def check(self, command):
        code = self.run(command)
        if not command.allows(code):
            raise PageError(f"line {command.line}: {command.text}: exit {code}, and the page does not show that\n" + self.excerpt())
        if not self.says(command):
            raise PageError(f"line {command.line}: {command.text}: prints\n" + self.excerpt())

    def must_succeed(self, command):
        code = self.run(command)
        if code != 0:
            raise PageError(f"line {command.line}: {command.text}: exit {code}\n" + self.excerpt())

    def terminal(self, rest, found):
        """The commands of a terminal block, in the folder that it names."""
        place = re.fullmatch(r"in=([\w/.-]+)", rest)
        if place:
            self.shell.run(f"page_folder=$PWD && mkdir -p '{place[1]}' && cd '{place[1]}'")
        for command in found:
            self.check(command)
        if place:
            self.shell.run('cd "$page_folder"')
        if place and found and any(command.is_background() for command in found):
            self.shell.run("kill $! && wait $!")

    def block(self, number, info, lines):
        language, _, rest = info.partition(" ")
        made = re.fullmatch(r"file=(\S+)", rest.strip())
        if made:
            self.make(made[1], lines)
        elif self.clone and rest.strip() == "norun=installs-the-program":
            self.must_succeed(Command(number, f"(cd '{self.clone}' && " + " && ".join(lines) + ")"))
        elif re.fullmatch(r"norun=\S+", rest.strip()):
            return
        elif lines and (lines[0].startswith("$ ") or language == "console"):
            self.terminal(rest.strip(), commands(number, lines))
        elif language == "sh":
            for command in shell_commands(number, lines):
                self.must_succeed(command)
        elif lines and (language in SHELLS or (not language and COMMAND_WORDS.match(lines[0]))):
            raise PageError(f"line {number}: the commands of this block are not run: begin it with `$ `, or give the reason with norun=REASON")


def run_page(text, baton, root=None, more=None, bare=None, clone=None):
    """Run a page; returns how many commands it has. PageError: it says something else than what happens.

    In a bare root `bare`, the program and the clone to install from are paths in it.
    """
    found = blocks(text)
    refuse_hidden_commands(text)
    body = "\n".join("\n".join(lines) for _, _, lines in found)
    copied = [root / name for name in COPIED if root and re.search(rf"(?<![\w/.-]){name}/", body)]
    page = Page(baton, copied, more, f":{PORT}" in body, bare)
    page.clone = clone
    try:
        for number, info, lines in found:
            page.block(number, info, lines)
        return page.commands
    finally:
        page.close()
