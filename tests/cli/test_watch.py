# SPDX-License-Identifier: Apache-2.0
"""test_watch.py BATON FAIL_INOTIFY - baton check --watch, on a terminal and in a pipe; the line of progress."""
import fcntl
import json
import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import termios
import time

from program import BATON, SANITIZED, TIMEOUT_S, claim, claim_if, equal, environment, expect, finish, folder, run, until

FAIL_INOTIFY = os.path.abspath(sys.argv[2])
GOOD = '{"a":1}'
BAD = '{"a":'
LINE = r"\d\d:\d\d:\d\d "
ONE_GOOD = LINE + r"1 document: 1 accepted, 0 rejected \(0 errors, 0 warnings\)"
ONE_BAD = LINE + r"1 document: 0 accepted, 1 rejected \(1 error, 0 warnings\)"
WIPE = "\r\x1b[K"
CLEAR = "\x1b[H\x1b[2J"


class Watch:
    """A watch whose standard streams are a terminal, which controls it."""

    def __init__(self, *args, cwd, env=None):
        self.master, self.slave = pty.openpty()
        self.mode = termios.tcgetattr(self.slave)

        def own_the_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        self.process = subprocess.Popen([BATON, "check", "--watch", *args], stdin=self.slave, stdout=self.slave, stderr=self.slave,
                                        cwd=cwd, env=environment(**(env or {})), preexec_fn=own_the_terminal)
        os.set_blocking(self.master, False)
        self.output = ""

    def _read(self):
        try:
            self.output += os.read(self.master, 65536).decode()
        except (BlockingIOError, OSError):
            pass

    def shows(self, pattern):
        """Wait until the output matches; what came before is dropped."""
        def found():
            self._read()
            return re.search(pattern, self.output, re.S)
        match = until(found, pattern)
        seen, self.output = self.output[:match.end()], self.output[match.end():]
        return seen

    def is_silent(self):
        time.sleep(0.5)
        self._read()
        return self.output.strip() == ""

    def type(self, keys):
        os.write(self.master, keys)

    def ended(self):
        code = self.process.wait(TIMEOUT_S)
        equal(termios.tcgetattr(self.slave), self.mode)
        os.close(self.slave)
        os.close(self.master)
        return code


def replace(path, text):
    """As editors write: a new file that takes the place of the old one."""
    pathlib.Path(path).with_suffix(".tmp").write_text(text)
    os.rename(pathlib.Path(path).with_suffix(".tmp"), path)


@claim
def a_watch_judges_again_when_a_named_file_changes_and_ends_with_q():
    with folder({"a.json": GOOD}) as place:
        watch = Watch("--as", "json", "--no-clear", "a.json", cwd=place)
        first = watch.shows(ONE_GOOD)
        equal(("ok a.json" in first, CLEAR in first), (False, False))
        pathlib.Path(place, "a.json").write_text(BAD)
        equal("JSON_SYNTAX" in watch.shows(ONE_BAD), True)
        replace(f"{place}/a.json", GOOD)
        watch.shows(ONE_GOOD)
        os.unlink(f"{place}/a.json")
        watch.shows("a.json: not judged: .*1 not judged")
        pathlib.Path(place, "a.json").write_text(BAD)
        watch.shows(ONE_BAD)
        watch.type(b"xq")
        equal(watch.ended(), 1)


@claim
def files_of_a_walk_are_found_when_they_appear_move_and_go():
    with folder({"d/a.handoff.json": "{", "d/e/notes.md": "x"}) as place:
        watch = Watch("d", cwd=place)
        equal(CLEAR in watch.shows(ONE_BAD), True)
        os.mkdir(f"{place}/d/new")
        pathlib.Path(place, "d/new/b.handoff.json").write_text("{")
        watch.shows(LINE + "2 documents: 0 accepted, 2 rejected")
        os.rename(f"{place}/d/new/b.handoff.json", f"{place}/d/e/c.handoff.json")
        watch.shows(r"d/e/c\.handoff\.json.*" + LINE + "2 documents")
        pathlib.Path(place, "d/.gitignore").write_text("e/\n")
        watch.shows(LINE + "1 document:")
        os.unlink(f"{place}/d/.gitignore")
        watch.shows(LINE + "2 documents:")
        os.unlink(f"{place}/d/e/c.handoff.json")
        watch.shows(LINE + "1 document:")
        watch.is_silent()  # after all events of the change
        watch.output = ""
        pathlib.Path(place, "d/picture.png").write_text("x")  # never a document
        equal(watch.is_silent(), True)
        watch.type(b"\x03")
        equal(watch.ended(), 1)


@claim
def configuration_and_schemas_count_as_well():
    plan = ("step,agent,action,inputs,outputs,status,notes,payload_schema_in,payload_schema_out\n"
            "1,@a,Plan,,,pending,,,work/v1.schema.json\n2,@b,Build,,,pending,,work/v1.schema.json,\n")
    with folder({"p.steps.csv": plan, "r/x": ""}) as place:
        watch = Watch("--today", "2026-08-01", "--root", "r", "p.steps.csv", cwd=place)
        watch.shows(ONE_BAD.replace(r"\(1 error", r"\(\d+ errors?"))
        schema = pathlib.Path(place, "r/schemas/handoff-payloads/work.v1.schema.json")
        schema.parent.mkdir(parents=True)
        schema.write_text(json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "work/v1.schema.json", "type": "object",
                                      "required": ["summary"], "properties": {"summary": {"type": "string"}}, "additionalProperties": False}))
        watch.shows(LINE + "1 document: 1 accepted")
        pathlib.Path(place, "baton.yaml").write_text("nonsense: 1\n")
        watch.shows("CONFIG_KEY_UNKNOWN")
        os.unlink(f"{place}/baton.yaml")
        watch.shows(LINE + "1 document: 1 accepted")
        watch.process.send_signal(signal.SIGTERM)
        equal(watch.ended(), 0)


@claim
def reports_in_files_are_replaced_after_each_run():
    with folder({"d/a.json": GOOD}) as place:
        watch = Watch("--as", "json", "-f", "concise", "-f", "json", "-o", "d/report.json", "d", cwd=place)
        watch.shows(ONE_GOOD)
        equal(json.loads(pathlib.Path(place, "d/report.json").read_text())["summary"]["accepted"], 1)
        equal(watch.is_silent(), True)  # what it writes itself is not a change
        pathlib.Path(place, "d/a.json").write_text(BAD)
        watch.shows(ONE_BAD)
        equal(json.loads(pathlib.Path(place, "d/report.json").read_text())["summary"]["rejected"], 1)
        watch.type(b"q")
        equal(watch.ended(), 1)


@claim
def each_run_prints_its_lines_of_json_into_a_pipe():
    with folder({"a.json": GOOD}) as place:
        process = subprocess.Popen([BATON, "check", "--watch", "--as", "json", "-f", "jsonl", "a.json"], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=place, env=environment())
        lines = [json.loads(process.stdout.readline()) for _ in range(2)]
        equal((lines[0]["path"], lines[1]["summary"]["accepted"]), ("a.json", 1))
        pathlib.Path(place, "a.json").write_text(BAD)
        lines = [json.loads(process.stdout.readline()) for _ in range(2)]
        equal((lines[0]["verdict"], lines[1]["summary"]["rejected"]), ("rejected", 1))
        process.terminate()
        equal((process.wait(TIMEOUT_S), process.stdout.read(), process.stderr.read()), (1, b"", b""))


@claim_if(not SANITIZED, "the sanitizer wants to be loaded first")
def without_inotify_the_files_are_compared_every_second():
    with folder({"a.json": GOOD}) as place:
        watch = Watch("--as", "json", "a.json", cwd=place, env={"LD_PRELOAD": FAIL_INOTIFY})
        watch.shows(ONE_GOOD)
        watch.shows("note: a limit of inotify is reached")
        pathlib.Path(place, "a.json").write_text(BAD)
        equal("inotify" in watch.shows(ONE_BAD), False)
        watch.type(b"q")
        equal(watch.ended(), 1)


@claim
def what_cannot_be_repeated_is_refused():
    with folder({"a.json": GOOD}) as place:
        for args, words in ((["--fix", "a.json"], "--fix"), (["--diff", "a.json"], "--diff"), (["-"], "standard input"), (["--baseline", "write", "a.json"], "--baseline write"),
                            (["--text", "x"], "--text"), (["-f", "sarif", "a.json"], "-o"), (["-f", "json", "a.json"], "-o")):
            expect(run("check", "--watch", *args, cwd=place), 2, err=words)
        expect(run("check", "--progress", "always", "a.json", cwd=place), 2, err="--progress")


def progress(*args, place):
    """What a run shows on the terminal that is its standard error, with a first document that takes more than a second."""
    master, slave = pty.openpty()
    process = subprocess.Popen([BATON, "check", "--as", "json", "-f", "json", *args, "-", "a.json", "gone.json", "a.json"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=slave, cwd=place, env=environment())
    os.close(slave)
    time.sleep(1.2)
    process.stdin.write(GOOD.encode())
    process.stdin.close()
    documents = json.loads(process.stdout.read())["documents"]
    equal((process.wait(TIMEOUT_S), len(documents)), (2, 3))
    shown = b""
    while True:
        try:
            shown += os.read(master, 65536)
        except OSError:
            break
    os.close(master)
    return shown.decode()


@claim
def a_run_of_more_than_a_second_shows_its_progress_and_removes_it_before_errors():
    with folder({"a.json": GOOD}) as place:
        shown = progress(place=place)
        equal(re.fullmatch(re.escape(WIPE) + r"checking \d of 4 files" + re.escape(WIPE) + r"baton: cannot read gone.json: .*\r\n", shown) is not None, True)
        equal(progress("--progress", "never", place=place).startswith("baton: "), True)


sys.exit(finish())
