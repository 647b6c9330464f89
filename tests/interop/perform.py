# SPDX-License-Identifier: Apache-2.0
"""perform.py - turns of tests/evidence/corpus.py carried out by a real host, so that its own transcripts become test data.

A turn says what is called and how it ends. The programs of its commands are stand-ins that print and exit as the turn says, so the truth about a
recorded turn comes from the turn and never from the transcript. What hosts add of their own is left out of the record: instructions, skills and
settings; paths of this machine are replaced.
"""
import json
import pathlib
import random
import re
import sys
import types

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "evidence"))

import corpus  # noqa: E402

REAL = ("node", "python3")  # the host itself needs them
KINDS = ("run", "edit", "read", "background")


def turn_of(host, number):
    """A turn that a host can carry out."""
    draw = random.Random(f"record-{host}-{number}")
    turn = corpus.Turn(draw)
    turn.host = host
    turn.calls = [call for call in turn.calls if call[0] in KINDS and (call[0] not in ("run", "background") or call[1].name.split()[0] not in REAL)]
    if host == "codex":
        turn.calls = [call for call in turn.calls if call[0] != "background"]
    for kind, *rest in turn.calls:
        if kind == "run" and "> log.txt" in rest[0].text:
            rest[0].output = []  # it goes to the file
    return turn


class Stage:
    """The folder in which a turn is carried out, and what its programs print next."""

    def __init__(self, place, home):
        self.place, self.home, self.plan = place, home, place.parent / "plan"
        shims = place.parent / "shims"
        for folder in (self.plan, shims, place / "web"):
            folder.mkdir(exist_ok=True)
        text = f"#!/bin/sh\ncat {self.plan}/output\nsleep \"$(cat {self.plan}/seconds)\"\nexit \"$(cat {self.plan}/code)\"\n"
        names = {check.split()[0] for check in corpus.CHECKS} - set(REAL)
        for path in [shims / name for name in names if "/" not in name] + [place / "run-tests.sh", place / "web" / "run-tests.sh"]:
            path.write_text(text)
            path.chmod(0o755)
        (place / "README.md").write_text("read me\n")
        for path in corpus.PATHS:
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_text("version 0\n")
        # A login shell makes its own path.
        (home / ".bash_profile").write_text(f"PATH={shims}:$PATH\n")
        self.path = str(shims)
        self.versions = {}

    def prepare(self, call):
        """What the program of this call prints, and how it ends."""
        run = call[1] if call[0] in ("run", "background") else None
        (self.plan / "output").write_text("".join(line + "\n" for line in run.output) if run else "")
        (self.plan / "code").write_text(str(run.code if run and not run.passed else 0))
        (self.plan / "seconds").write_text("5" if call[0] == "background" else "0")

    def text_of(self, call):
        text = call[1].text if call[0] in ("run", "background") else call[1]
        return text.replace("cd /repo", f"cd {self.place}").replace("cd web", f"cd {self.place}/web")

    def steps(self, turn):
        """The turn as calls of tools: (call, tool, arguments). A tool of Codex is chosen by the model, which knows what the host has."""
        made = []
        for call in turn.calls:
            if call[0] != "edit":
                given = {"command": self.text_of(call), **({"run_in_background": True} if call[0] == "background" else {})}
                made.append((call, "Bash", given if turn.host == "codex" else {**given, "description": "go on"}))
                continue
            number = self.versions.get(call[1], 0)
            self.versions[call[1]] = number + 1
            path, old, new = str(self.place / call[1]), f"version {number}", f"version {number + 1}"
            if turn.host == "codex":
                made.append((call, "apply_patch", {"input": f"*** Begin Patch\n*** Update File: {call[1]}\n@@\n-{old}\n+{new}\n*** End Patch\n"}))
                continue
            made += [(("read", path), "Read", {"file_path": path})] if number == 0 else []
            made.append((call, "Edit", {"file_path": path, "old_string": old, "new_string": new}))
        return made


def session_of(text):
    """The arguments that wait for the command that the conversation left running."""
    return {"session_id": int(re.findall(r"session ID (\d+)", text)[-1]), "chars": "", "yield_time_ms": 10000}


def long_session(host):
    """A session that is resumed for its last step. The programs are files of the project; tests fail with 3."""
    failing = ("run", types.SimpleNamespace(output=["1 failed"], passed=False, code=3))
    refused, tests = {"command": "./deploy.sh now"}, {"command": "./run-tests.sh --all"}
    if host == "codex":
        slow = [(("edit",), "exec_command", {"cmd": "./slow.sh", "yield_time_ms": 250}), (("edit",), "write_stdin", session_of)]
        return [*slow, (("edit",), "Bash", refused), (failing, "Bash", tests)]
    slow = {"command": "./slow.sh", "run_in_background": True}
    return [(call, "Bash", {**given, "description": "go on"}) for call, given in ((("edit",), slow), (("edit",), refused), (failing, tests))]


# ---- The record -----------------------------------------------------------------------------------


def keep_claude(line):
    """What the reader relies on, and what tells a person where the line comes from."""
    if line.get("type") not in ("user", "assistant"):
        return {"type": line.get("type")}
    kept = {name: line[name] for name in ("type", "isSidechain", "agentId", "message", "toolUseResult", "uuid", "timestamp", "version") if name in line}
    if isinstance(kept["message"].get("content"), str):
        kept["message"] = {**kept["message"], "content": "go on"}
    return kept


def keep_codex(line):
    payload = line.get("payload", {})
    if line["type"] == "session_meta":
        payload = {name: payload[name] for name in ("id", "forked_from_id", "parent_thread_id", "source", "subagent_history_start_ordinal", "cwd", "cli_version")
                   if name in payload}
    elif line["type"] == "turn_context":
        payload = {"model": payload.get("model")}
    elif line["type"] == "response_item" and payload.get("type") in ("message", "reasoning"):
        payload = {"type": payload["type"], "role": payload.get("role"), "content": []}
    elif line["type"] == "event_msg" and payload.get("type") not in ("token_count", "exec_command_end"):
        payload = {"type": payload.get("type")}
    elif line["type"] not in ("response_item", "event_msg"):
        payload = {}
    return {**{name: line[name] for name in ("timestamp", "ordinal", "type") if name in line}, "payload": payload}


def write(folder, name, host, transcript, stage, performed=None):
    """The transcript without what is the host's own; of a turn with its number of answers also the truth."""
    keep = keep_codex if host == "codex" else keep_claude
    lines = [json.dumps(keep(json.loads(line)), ensure_ascii=False) for line in transcript.splitlines() if line.strip()]
    text = "".join(line + "\n" for line in lines).replace(str(stage.place), "/repo").replace(str(stage.home), "/host").replace(str(stage.place.parent), "/tmp")
    pathlib.Path(folder, f"{name}.jsonl").write_text(text)
    if performed is None:
        return
    turn, answers = performed
    calls = [[kind, vars(rest[0]) if kind in ("run", "background") else rest[0]] for kind, *rest in turn.calls]
    pathlib.Path(folder, f"{name}.turn.json").write_text(json.dumps({"host": host, "answers": answers, "calls": calls}, indent=1) + "\n")
