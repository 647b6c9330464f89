# SPDX-License-Identifier: Apache-2.0
"""test_faults.py BATON - whatever breaks around a hook: the host is told, is never blocked by accident, and --fail-closed closes.

Each fault is tried in three modes, and the same event without the fault is the control: it passes, and is stored.
"""
import contextlib
import json
import os
import pathlib
import resource
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from block import ID, envelope, fenced  # noqa: E402
from program import (BATON, NOBODY, SANITIZED, TIMEOUT_S, claim, claim_if, environment, equal, finish, folder,
                     public_folder, report, run, run_as_nobody)

GOOD = fenced(envelope())
MODES = {(): ["systemMessage"], ("--fail-closed",): ["decision", "reason"], ("--observe",): None}


def event(text=GOOD, **more):
    return {"session_id": "s", "agent_id": ID, **({} if text is None else {"last_assistant_message": text}), **more}


def hook(place, given, *flags, store="s.db", **more):
    text = given if isinstance(given, (str, bytes)) else json.dumps(given)
    return run("hook", "claude", "--store", store, "--workspace", "w", *flags, stdin=text, cwd=place, **more)


def answered(result):
    """The names in the answer; None when the host hears nothing, which lets the turn end."""
    return list(report(result)) if result.stdout else None


def fails_well(what, attempt):
    """The fault is told, closed or passed over, as the mode says, and no words of the database reach the host."""
    for mode, names in MODES.items():
        result = attempt(*mode)
        equal((what, mode, result.returncode, answered(result)), (what, mode, 0, names))
        equal((what, b"locked" in result.stdout + result.stderr), (what, False))


def states(place, store="s.db"):
    result = run("contract", "state", "-f", "json", "--store", store, cwd=place)
    return [(agent["agent_id"], agent["state"], agent["rejections"]) for agent in report(result)["agents"]]


def works(place, **more):
    """The control."""
    result = hook(place, event(), **more)
    equal((result.returncode, result.stdout), (0, b""))
    equal(states(place), [(ID, "IN_PROGRESS", 0)])


@claim
def the_control_passes_and_is_stored():
    with folder({}) as place:
        works(place)


@claim
def a_store_that_is_none_is_a_failure():
    for what in ("garbage", "fifo", "device", "cut short", "no key"):
        with folder({}) as place:
            path = pathlib.Path(place) / "s.db"
            if what == "garbage":
                path.write_bytes(bytes(range(256)) * 64)
            elif what == "fifo":
                os.mkfifo(path)
            elif what == "device":
                path.symlink_to("/dev/full")
            else:
                works(place)
                if what == "cut short":
                    for side in place_files(place):
                        if side.name != "s.db" and "key" not in side.name:
                            side.unlink()
                    os.truncate(path, path.stat().st_size // 2)
                else:
                    for key in place_files(place):
                        if "key" in key.name:
                            key.unlink()
            fails_well(what, lambda *flags: hook(place, event(), *flags))


def place_files(place):
    return [path for path in pathlib.Path(place).iterdir() if path.is_file()]


@claim
def a_folder_that_may_not_be_written_is_a_failure():
    with public_folder({"w/keep": ""}) as place:
        shut = pathlib.Path(place, "w")

        def attempt(*flags):
            words = ["hook", "claude", "--store", "w/s.db", "--workspace", "w", *flags]
            return run_as_nobody(place, *words, stdin=json.dumps(event()).encode())
        shut.chmod(0o555)
        fails_well("read-only", attempt)
        equal((shut / "s.db").exists(), False)
        shut.chmod(0o777)
        equal((attempt().stdout, (shut / "s.db").exists()), (b"", True))


def full_at(size):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return limit


@claim
def a_full_disk_is_a_failure_and_loses_nothing():
    for size in (0, 4096, 65536):
        with folder({}) as place:
            fails_well(("new store", size), lambda *flags: hook(place, event(), *flags, preexec_fn=full_at(size)))
    with folder({}) as place:
        works(place)
        bad = event(text="no block")
        fails_well("old store", lambda *flags: hook(place, bad, *flags, preexec_fn=full_at(4096)))
        equal(states(place), [(ID, "IN_PROGRESS", 0)])
        equal(answered(hook(place, bad)), ["decision", "reason"])
        equal(states(place), [(ID, "IN_PROGRESS", 1)])


@claim
def wherever_the_disk_is_full_a_report_is_stored_or_told():
    with folder({}) as place:
        works(place)
        outcomes = set()
        for size in range(0, 16 << 12, 2048):
            before = states(place)[0][2]
            result = hook(place, event("no block"), "--max-rejections", "1000", preexec_fn=full_at(size))
            stored = answered(result) == ["decision", "reason"]
            equal((size, result.returncode, answered(result) if not stored else None, states(place)),
                  (size, 0, ["systemMessage"] if not stored else None, [(ID, "IN_PROGRESS", before + stored)]))
            outcomes.add(stored)
        equal(outcomes, {False, True})
        expect_whole(place)


@claim
def a_store_that_stays_locked_is_a_failure():
    with folder({}) as place:
        works(place)
        holder = sqlite3.connect(pathlib.Path(place) / "s.db", isolation_level=None)
        with contextlib.closing(holder):
            holder.execute("BEGIN IMMEDIATE")
            fails_well("locked", lambda *flags: hook(place, event("no block"), *flags))
            holder.execute("ROLLBACK")
        equal(states(place), [(ID, "IN_PROGRESS", 0)])
        equal(answered(hook(place, event("no block"))), ["decision", "reason"])


def hanging(place, said, *flags):
    """A host that says something and then neither goes on nor closes the pipe."""
    reader, writer = os.pipe()
    os.write(writer, said)
    try:
        return subprocess.run([BATON, "hook", "claude", "--store", "s.db", "--workspace", "w", *flags], stdin=reader, capture_output=True,
                              cwd=place, env=environment(), timeout=TIMEOUT_S, check=False)
    finally:
        os.close(reader)
        os.close(writer)


@claim
def a_host_that_says_nothing_is_not_waited_for():
    whole = json.dumps(event()).encode()
    for said in (b"", b"{", whole):
        with folder({}) as place:
            fails_well(said, lambda *flags: hanging(place, said, *flags))
            equal((pathlib.Path(place) / "s.db").exists(), False)


def started(place, given):
    """A hook whose event is there from the start."""
    words = [BATON, "hook", "claude", "--store", "s.db", "--workspace", "w"]
    with tempfile.TemporaryFile() as file:
        file.write(json.dumps(given).encode())
        file.seek(0)
        return subprocess.Popen(words, stdin=file, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=place, env=environment())


def storm(place, ids):
    """Two reports of every agent at once, a bad and a good one. How many hooks could not judge in time."""
    texts = {agent: ("no block", fenced(envelope({"/agent_status/agent_id": agent}))) for agent in ids}
    running = [(agent, text, started(place, {**event(text), "agent_id": agent})) for agent in ids for text in texts[agent]]
    told = 0
    for agent, text, process in running:
        out, err = process.communicate(timeout=TIMEOUT_S)
        equal((agent, process.returncode, b"locked" in out + err), (agent, 0, False))
        late = b"systemMessage" in out
        told += late
        equal((agent, text, b'"block"' in out), (agent, text, text == "no block" and not late))
    entries = report(run("ledger", "tail", "-n", "1000", "-f", "json", "--store", "s.db", cwd=place))["entries"]
    equal(len(entries), 1 + len(running) - told)
    return told


@claim
def sixty_four_hooks_at_once_lose_nothing():
    ids = [f"a{number:016x}" for number in range(4 if SANITIZED else 32)]
    for _ in range(3):  # a machine may be so busy that hooks run out of time, which loses nothing either
        with folder({}) as place:
            works(place)
            told = storm(place, ids)
            known = {agent: (state, rejections) for agent, state, rejections in states(place)}
            expect_whole(place)
            if told == 0:
                equal([(agent, known[agent][0], known[agent][1] in (0, 1)) for agent in ids], [(agent, "IN_PROGRESS", True) for agent in ids])
                return
    raise AssertionError("hooks ran out of time, three times in a row")


def expect_whole(place):
    verified = run("ledger", "verify", "--store", "s.db", cwd=place)
    equal((verified.returncode, verified.stderr), (0, b""))


@claim
def racing_reports_of_one_agent_are_counted_one_by_one():
    with folder({}) as place:
        works(place)
        running = [started(place, event("no block")) for _ in range(4 if SANITIZED else 16)]
        answers = [process.communicate(timeout=TIMEOUT_S)[0] for process in running]
        equal((sum(b'"block"' in answer for answer in answers), sum(b"CONTRACT_REJECTION_LIMIT" in answer for answer in answers)), (3, len(running) - 3))
        equal(states(place), [(ID, "IN_PROGRESS", 3)])


@claim
def a_message_of_any_size_is_judged():
    sizes = ((1 << 20, b"CONTRACT_BLOCK_MISSING"), (10 << 20, b"JSON_TOO_LARGE"), (50 << 20, b"JSON_TOO_LARGE"))
    for size, codes in sizes[:2 if SANITIZED else 3]:
        with folder({}) as place:
            result = hook(place, event("x" * size))
            equal((size, result.returncode, answered(result), codes in result.stdout), (size, 0, ["decision", "reason"], True))
            equal((size, states(place)), (size, [(ID, None, 1)]))
    with folder({}) as place:
        works(place)
        equal(answered(hook(place, event("x" * (1 << 20) + "\n" + GOOD))), None)
        fails_well("too long", lambda *flags: hook(place, event("x" * (65 << 20)), *flags))


@claim
def a_transcript_that_says_nothing_is_a_failure():
    said = json.dumps({"type": "assistant", "message": {"role": "assistant", "content": GOOD}})
    for what, content in {"empty": b"", "bytes": bytes(range(256)) * 9, "no JSON": b"{\n[\n\"\n", "cut": said.encode()[:-2], "others": b'{"type":"user"}\n',
                          "no text": b'{"type":"assistant"}\n{"role":"assistant","content":[]}\n', "deep": b"[" * 100000, "NUL": b"\0" * 5000}.items():
        with folder({"t.jsonl": ""}) as place:
            (pathlib.Path(place) / "t.jsonl").write_bytes(content)
            fails_well(what, lambda *flags: hook(place, event(None, transcript_path="t.jsonl"), *flags))
    for path in ("", "none", ".", "/dev/zero", "a\0b", "x" * 5000):
        with folder({}) as place:
            fails_well(path, lambda *flags: hook(place, event(None, transcript_path=path), *flags))
    with folder({"t.jsonl": said}) as place:
        equal(answered(hook(place, event(None, transcript_path="t.jsonl"))), None)
        equal(states(place), [(ID, "IN_PROGRESS", 0)])


@claim_if(os.geteuid() == 0, "only root can give files away")
def a_transcript_of_somebody_else_is_not_read():
    with folder({"t.jsonl": json.dumps({"role": "assistant", "content": GOOD})}) as place:
        path = pathlib.Path(place) / "t.jsonl"
        os.chown(path, NOBODY, NOBODY)
        fails_well("another's", lambda *flags: hook(place, event(None, transcript_path=str(path)), *flags))
        os.chown(path, 0, 0)
        equal(answered(hook(place, event(None, transcript_path=str(path)))), None)


@claim
def only_the_end_of_a_long_transcript_is_read_and_the_last_entry_counts():
    filler = json.dumps({"type": "user", "content": "x" * 1000}) + "\n"
    said = json.dumps({"type": "assistant", "content": GOOD}) + "\n"
    huge = json.dumps({"type": "assistant", "content": "y" * (5 << 20)}) + "\n"
    for content, passes in ((filler * 9000 + said, True), (said + huge, False)):
        with folder({"t.jsonl": content}) as place:
            equal(answered(hook(place, event(None, transcript_path="t.jsonl"))) is None, passes)
    with folder({"t.jsonl": said + filler * 9000}) as place:
        fails_well("out of reach", lambda *flags: hook(place, event(None, transcript_path="t.jsonl"), *flags))


@claim
def an_input_that_cannot_be_used_is_a_failure():
    with folder({"list.json": "[]", "bad.json": "{", "good.json": "{}"}) as place:
        os.mkfifo(pathlib.Path(place) / "fifo.json")
        for name in ("list.json", "bad.json", "none.json", "fifo.json", "."):
            fails_well(name, lambda *flags: hook(place, event(), "--input", name, *flags))
        equal(hook(place, event(), "--input", "good.json").stdout, b"")


finish()
