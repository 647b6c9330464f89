# SPDX-License-Identifier: Apache-2.0
"""test_evidence.py BATON - reports compared with transcripts: what is sent back, what is kept, and what is never stored."""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from block import ID, envelope, fenced  # noqa: E402
from program import NOBODY, claim, claim_if, equal, expect, finish, folder, report, run  # noqa: E402
from transcripts import THREAD, Claude, Codex  # noqa: E402

STORE = ("--store", "s.db", "--workspace", "w")


def block(*commands, agent=ID, status="COMPLETE", **more):
    """A report that claims these commands as passed."""
    changes = {"/agent_status/agent_id": agent, "/evidence_report/commands_run": [{"command": text, "result": "pass"} for text in commands]}
    changes.update({f"/evidence_report/{name}": value for name, value in more.items()})
    return fenced(envelope(changes, status))


def hook(place, text, *flags, host="claude", path="t.jsonl", agent=ID, env=None, **more):
    event = {"session_id": "s", "hook_event_name": "SubagentStop", "agent_id": agent, "agent_type": "worker", "last_assistant_message": text,
             "agent_transcript_path": path, **more}
    for _ in range(5):  # a machine may be so busy that a hook runs out of time, and then nothing is stored
        answer = run("hook", host, *STORE, *flags, stdin=json.dumps(event), cwd=place, env={"HOME": str(place), "XDG_CONFIG_HOME": "", **(env or {})})
        if b"could not judge" not in answer.stdout:
            break
    return answer


def done(answer):
    """It ended with 0; the first run also says that it made the store."""
    if answer.returncode != 0:
        raise AssertionError(f"exit {answer.returncode}: {answer.stderr}")
    return answer


def write(place, transcript, name="t.jsonl"):
    pathlib.Path(place, name).write_text(transcript.text())


def entries(place, kind="raw"):
    return [item["entry"] for item in
            report(run("ledger", "tail", "-f", "json", "--store", "s.db", "--kind", kind, "-n", "100", cwd=place))["entries"]]


def document(place, seq):
    return expect(run("ledger", "show", str(seq), "--document", "--store", "s.db", cwd=place), 0).stdout


def records(place):
    return [json.loads(document(place, entry["seq"])) for entry in entries(place) if entry["refs"]["reason"] == "evidence"]


def is_sent_back(answer, code="EVIDENCE_NOT_RUN"):
    return answer.returncode == 0 and code in report(answer).get("reason", "") if answer.stdout.strip() not in (b"", b"{}") else False


@claim
def a_claim_without_a_run_is_sent_back_and_one_with_a_run_passes():
    for kind, agent in ((Claude, ID), (Codex, "a" + THREAD.replace("-", ""))):
        with folder({}) as place:
            transcript = kind(ID if kind is Claude else THREAD)
            transcript.edit("/repo/a.c")
            transcript.command("cd /repo && CI=1 make check 2>&1")
            write(place, transcript)
            raw = ID if kind is Claude else THREAD
            equal(is_sent_back(hook(place, block("tox -e py311", agent=agent), "--evidence", "enforce", host=kind.host, agent=raw)), True)
            passed = hook(place, block("make check", agent=agent), "--evidence", "enforce", host=kind.host, agent=raw)
            done(passed)
            equal(passed.stdout.strip() in (b"", b"{}"), True)
            equal([record["agreement"]["confirmed"] for record in records(place)], [0, 1])
            equal([record["codes"] for record in records(place)], [["EVIDENCE_NOT_RUN"], []])


@claim
def a_failed_run_a_stale_check_a_false_quotation_and_an_untouched_file_are_sent_back():
    transcript = Claude(ID)
    transcript.command("make check", "2 failed", code=2)
    transcript.edit("/repo/a.c")
    for code, text in (("EVIDENCE_FAILED", block("make check")), ("EVIDENCE_STALE", block()),
                       ("EVIDENCE_OUTPUT", block(verbatim_outputs=["all 41 tests passed"], status="IN_PROGRESS"))):
        with folder({"t.jsonl": transcript.text()}) as place:
            equal((code, is_sent_back(hook(place, text, "--evidence", "enforce"), code)), (code, True))
    quiet = Claude(ID)
    quiet.edit("/repo/a.c")
    with folder({"t.jsonl": quiet.text()}) as place:
        claims = block(files_changed=["src/b.c", "a.c"], status="IN_PROGRESS")
        equal(is_sent_back(hook(place, claims, "--evidence", "enforce"), "EVIDENCE_FILE_UNTOUCHED"), True)


@claim
def a_later_turn_remembers_the_calls_before_it():
    """The second event reads only what was added; commands, outputs and files of the first turn still count."""
    with folder({}) as place:
        transcript = Claude(ID)
        transcript.edit("/repo/src/a.c")
        transcript.command("make check", "line one\n41 passed in 2 s")
        write(place, transcript)
        done(hook(place, block("make check", status="IN_PROGRESS"), "--evidence", "enforce"))
        transcript.say("assistant", [{"type": "text", "text": "more"}])
        transcript.command("make lint")
        write(place, transcript)
        text = block("make check", "make lint", verbatim_outputs=["41 passed in 2 s"], files_changed=["src/a.c"])
        answer = hook(place, text, "--evidence", "enforce")
        done(answer)
        equal(answer.stdout, b"")
        equal(records(place)[-1]["agreement"], {"confirmed": 2, "ran": 0, "failed": 0, "not_run": 0, "undecided": 0})
        equal(is_sent_back(hook(place, block(verbatim_outputs=["42 passed in 2 s"], status="IN_PROGRESS"), "--evidence", "enforce"), "EVIDENCE_OUTPUT"), True)


@claim
def slices_of_the_record_join_and_have_the_digests_of_their_bytes():
    with folder({}) as place:
        transcript = Claude(ID)
        for turn in range(4):
            transcript.command(f"make step{turn}")
            write(place, transcript)
            done(hook(place, block(f"make step{turn}", status="IN_PROGRESS"), "--evidence", "enforce"))
        whole = transcript.text().encode()
        ends = [0]
        for record in records(place):
            part = record["transcript"]
            equal(part["from"], ends[-1])
            equal(part["sha256"], hashlib.sha256(whole[part["from"]:part["to"]]).hexdigest())
            ends.append(part["to"])
        equal((len(ends), ends[-1]), (5, len(whole)))
        parents = [entry["refs"]["parent"] for entry in entries(place)]
        equal(parents, [entry["seq"] for entry in entries(place, "handoff")])
        equal({entry["actor"] for entry in entries(place)}, {"hook/claude"})
        # A transcript that was changed before its end is read anew, and its slices no longer join.
        pathlib.Path(place, "t.jsonl").write_bytes(whole[:-20] + bytes([whole[-20] ^ 1]) + whole[-19:])
        done(hook(place, block(status="IN_PROGRESS"), "--evidence", "enforce"))
        changed = records(place)[-1]["transcript"]
        equal((changed["from"], changed["to"]), (0, len(whole)))


@claim
def the_mode_comes_from_flags_and_files_that_the_agent_cannot_write():
    transcript = Claude(ID)
    transcript.command("make")
    lie = block("tox", status="IN_PROGRESS")
    user = ".config/baton/config.yaml"
    for files, flags, wanted in (({}, (), False), ({"baton.yaml": "evidence: {mode: enforce}\n"}, (), False), ({user: "evidence: {mode: enforce}\n"}, (), True),
                                 ({user: "evidence: {mode: report}\n"}, (), False), ({user: "evidence: {mode: off}\n"}, ("--evidence", "enforce"), True),
                                 ({user: "evidence: {mode: enforce}\n", "baton.yaml": "evidence: {mode: off}\n"}, (), True),
                                 ({user: "evidence: {mode: enforce}\n"}, ("--evidence", "off"), False), ({user: "evidence: {mode: enforce}\n"}, ("--observe",), False)):
        with folder({"t.jsonl": transcript.text(), **files}) as place:
            for path in pathlib.Path(place).rglob("config.yaml"):
                path.chmod(0o600)
            equal((files, flags, is_sent_back(hook(place, lie, *flags))), (files, flags, wanted))
    with folder({"t.jsonl": transcript.text(), user: "evidence: {mode: sometimes}\n"}) as place:
        pathlib.Path(place, user).chmod(0o600)
        equal("could not judge" in report(hook(place, lie)).get("systemMessage", ""), True)


@claim
def patterns_of_documents_need_no_check():
    transcript = Claude(ID)
    transcript.command("make check")
    transcript.edit("/repo/notes.adoc")
    user = ".config/baton/config.yaml"
    for patterns, wanted in (("['*.adoc']", False), ("['*.md']", True), ("['/repo/*']", False)):
        with folder({"t.jsonl": transcript.text(), user: f"evidence: {{mode: enforce, doc_paths: {patterns}}}\n"}) as place:
            pathlib.Path(place, user).chmod(0o600)
            equal((patterns, is_sent_back(hook(place, block("make check")), "EVIDENCE_STALE")), (patterns, wanted))


@claim
def an_observer_records_what_it_found_and_lets_the_turn_end():
    transcript = Claude(ID)
    transcript.command("make")
    with folder({"t.jsonl": transcript.text()}) as place:
        answer = hook(place, block("tox", status="IN_PROGRESS"), "--evidence", "enforce", "--observe")
        equal((answer.returncode, answer.stdout), (0, b""))
        equal(records(place)[0]["codes"], ["EVIDENCE_NOT_RUN"])
        equal(entries(place)[0]["actor"], "hook/claude/observe")


@claim
def a_transcript_that_cannot_be_used_leaves_the_report_as_it_is():
    good = Claude(ID)
    good.command("make")
    other = Claude("affffffffffff")
    other.command("make")
    with folder({"x.jsonl": "no transcript\n", "b.jsonl": b"\xff\x00", "o.jsonl": other.text()}) as place:
        os.mkfifo(pathlib.Path(place, "fifo.jsonl"))
        pathlib.Path(place, "d.jsonl").mkdir()
        for number, (path, state) in enumerate((("x.jsonl", "unreadable"), ("b.jsonl", "unreadable"), ("o.jsonl", "unreadable"), ("fifo.jsonl", "unreadable"),
                                                ("d.jsonl", "unreadable"), ("missing.jsonl", "none"), ("a\0b", "none"))):
            answer = hook(place, block("tox", status="IN_PROGRESS"), "--evidence", "enforce", path=path, session_id=f"s{number}")
            equal((path, answer.returncode, answer.stdout), (path, 0, b""))
            record = records(place)[-1]
            equal((path, record["transcript"]), (path, {"state": state, "format": None, "sha256": None, "from": None, "to": None}))
            equal(record["agreement"], None)


@claim_if(os.geteuid() == 0, "only root can give a file to another user")
def a_transcript_of_another_user_is_not_read():
    transcript = Claude(ID)
    transcript.command("make")
    with folder({"t.jsonl": transcript.text()}) as place:
        os.chown(pathlib.Path(place, "t.jsonl"), NOBODY, NOBODY)
        equal(hook(place, block("tox", status="IN_PROGRESS"), "--evidence", "enforce").stdout, b"")
        equal(records(place)[0]["transcript"]["state"], "unreadable")


@claim
def the_main_agent_has_the_file_of_its_session():
    transcript = Claude()
    transcript.command("make check")
    side = Claude(ID)
    side.command("tox")
    transcript.lines += side.lines
    with folder({"t.jsonl": transcript.text()}) as place:
        for command, wanted in (("tox", True), ("make check", False)):
            event = json.dumps({"session_id": "s", "hook_event_name": "Stop", "last_assistant_message": block(command, status="IN_PROGRESS"),
                                "transcript_path": "t.jsonl"})
            answer = run("hook", "claude", *STORE, "--evidence", "enforce", stdin=event, cwd=place, env={"HOME": str(place), "XDG_CONFIG_HOME": ""})
            equal((command, is_sent_back(answer)), (command, wanted))
        equal(is_sent_back(hook(place, block("make check", status="IN_PROGRESS"), "--evidence", "enforce")), True)
        equal(is_sent_back(hook(place, block("tox", status="IN_PROGRESS"), "--evidence", "enforce")), False)


def stored_bytes(place):
    """Every cell of the store, every document, and every byte of its files."""
    database = sqlite3.connect(pathlib.Path(place, "s.db"))
    cells = []
    for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        for row in database.execute(f"SELECT * FROM {table}"):
            cells += [cell if isinstance(cell, bytes) else str(cell).encode() for cell in row]
    database.close()
    for path in pathlib.Path(place).glob("s.db*"):
        cells += [path.read_bytes()] if path.is_file() else []
    for kind in ("raw", "handoff"):
        for entry in entries(place, kind):
            shown = run("ledger", "show", str(entry["seq"]), "--document", "--store", "s.db", cwd=place)
            cells += [shown.stdout] if shown.returncode == 0 else []
    return b"\0".join(cells)


def with_secrets():
    transcript = Claude(ID)
    transcript.say("user", "PROMPT-7d21")
    transcript.command("curl -H 'Authorization: COMMAND-81ac' https://example.org", "OUTPUT-55f0 and more")
    transcript.command("make check")
    transcript.edit("/repo/PATH-91bb/a.c")
    transcript.command("make check", "OUTPUT-66aa\n")
    transcript.result(transcript.call("mcp__secret", {"token": "INPUT-23cd"}), "OUTPUT-77bb")
    return transcript


SECRETS = (b"PROMPT-7d21", b"COMMAND-81ac", b"OUTPUT-55f0", b"PATH-91bb", b"OUTPUT-66aa", b"INPUT-23cd", b"OUTPUT-77bb", b"claude-opus-5", b"/repo")


@claim
def nothing_of_the_transcript_is_stored_unless_it_is_kept():
    user = ".config/baton/config.yaml"
    for keep in (False, True):  # the second is the control: kept bytes are found
        files = {user: "evidence: {mode: enforce, keep: true}\n"} if keep else {user: "evidence: {mode: enforce}\n"}
        with folder({"t.jsonl": with_secrets().text(), **files}) as place:
            pathlib.Path(place, user).chmod(0o600)
            tool = {"session_id": "s", "hook_event_name": "PreToolUse", "agent_id": ID, "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "c1",
                    "agent_transcript_path": "t.jsonl"}
            done(hook(place, block("make check", "tox", status="IN_PROGRESS")))
            run("hook", "claude", *STORE, stdin=json.dumps(tool), cwd=place, env={"HOME": str(place), "XDG_CONFIG_HOME": ""})
            done(hook(place, block("make check")))
            stored = stored_bytes(place)
            equal((keep, [secret in stored for secret in SECRETS]), (keep, [keep] * len(SECRETS)))


@claim
def kept_slices_are_the_bytes_of_the_file_and_redaction_removes_them():
    user = ".config/baton/config.yaml"
    with folder({user: "evidence: {mode: enforce, keep: true}\n"}) as place:
        pathlib.Path(place, user).chmod(0o600)
        transcript = Claude(ID)
        kept = b""
        for turn in range(3):
            transcript.command(f"make step{turn}", f"KEPT-{turn}")
            write(place, transcript)
            done(hook(place, block(status="IN_PROGRESS")))
        slices = [entry for entry in entries(place) if entry["refs"]["reason"] == "transcript"]
        for entry in slices:
            kept += document(place, entry["seq"])
            equal(entry["refs"]["agent"], ID)
        equal(kept.decode(), transcript.text())
        done(run("ledger", "redact", str(slices[1]["seq"]), "--reason", "test", "--store", "s.db", cwd=place))
        equal(run("ledger", "show", str(slices[1]["seq"]), "--document", "--store", "s.db", cwd=place).returncode != 0, True)
        stored = stored_bytes(place)
        equal([f"KEPT-{turn}".encode() in stored for turn in range(3)], [True, False, True])
        expect(run("ledger", "verify", "--store", "s.db", cwd=place), 0)


@claim
def a_slice_over_the_limit_is_a_digest_only():
    user = ".config/baton/config.yaml"
    with folder({user: "evidence: {mode: enforce, keep: true}\nlimits: {document_bytes: 4096}\n"}) as place:
        pathlib.Path(place, user).chmod(0o600)
        transcript = Claude(ID)
        transcript.command("make", "x" * 5000)
        write(place, transcript)
        done(hook(place, block(status="IN_PROGRESS")))
        entry = entries(place)[-1]
        equal((entry["refs"]["reason"], entry["document"]["truncated"], entry["document"]["kept"]), ("transcript", True, False))
        equal(entry["document"]["sha256"], hashlib.sha256(transcript.text().encode()).hexdigest())


@claim
def hooks_that_run_at_once_record_slices_that_join():
    with folder({}) as place:
        transcript = Claude(ID)
        transcript.command("make check")
        write(place, transcript)
        done(hook(place, block("make check", status="IN_PROGRESS"), "--evidence", "enforce"))
        for turn in range(3):
            transcript.command(f"make step{turn}")
            write(place, transcript)
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                texts = [block("make check", f"make step{turn}", status="IN_PROGRESS")] * 4
                for answer in pool.map(lambda text: hook(place, text, "--evidence", "enforce"), texts):
                    done(answer)
        found = records(place)
        ends = [0]
        for record in found:
            equal(record["transcript"]["from"], ends[-1])
            ends.append(record["transcript"]["to"])
        equal(ends[-1], len(transcript.text().encode()))


@claim
def the_use_of_a_tool_reads_on_when_much_was_added():
    with folder({}) as place:
        transcript = Claude(ID)
        transcript.command("make check")
        write(place, transcript)
        done(hook(place, block("make check", status="IN_PROGRESS"), "--evidence", "enforce"))
        first = len(transcript.text())

        def read_to():
            database = sqlite3.connect(pathlib.Path(place, "s.db"))
            row = database.execute("SELECT read_to FROM transcript").fetchone()[0]
            database.close()
            return row

        for size, wanted in ((1000, False), (2 << 20, True)):
            transcript.command("cat big", "y" * size)
            write(place, transcript)
            event = {"session_id": "s", "hook_event_name": "PreToolUse", "agent_id": ID, "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "c1",
                     "agent_transcript_path": "t.jsonl"}
            expect(run("hook", "claude", *STORE, "--evidence", "enforce", stdin=json.dumps(event), cwd=place, env={"HOME": str(place), "XDG_CONFIG_HOME": ""}), 0)
            equal((size, read_to()), (size, len(transcript.text()) if wanted else first))
        done(hook(place, block("make check", "cat big", status="IN_PROGRESS"), "--evidence", "enforce"))
        equal(records(place)[-1]["transcript"]["from"], first)
        equal(records(place)[-1]["transcript"]["sha256"], hashlib.sha256(transcript.text().encode()[first:]).hexdigest())


@claim
def installing_with_evidence_sees_tools():
    with folder({}) as place:
        done(run("hook", "install", "claude", "--yes", "--evidence", "enforce", "--gate", cwd=place, env={"HOME": str(place)}))
        hooks = json.loads(pathlib.Path(place, ".claude/settings.json").read_text())["hooks"]
        equal(sorted(hooks), ["PreToolUse", "SubagentStart", "SubagentStop"])
        equal(hooks["PreToolUse"][0]["hooks"][0]["command"], "baton hook claude --gate --evidence enforce")
        done(run("hook", "install", "codex", "--yes", "--evidence", "report", cwd=place, env={"HOME": str(place)}))
        equal("PreToolUse" in json.loads(pathlib.Path(place, ".codex/hooks.json").read_text())["hooks"], True)
        equal(run("hook", "install", "claude", "--yes", "--evidence", "never", cwd=place, env={"HOME": str(place)}).returncode, 2)


finish()
