# SPDX-License-Identifier: Apache-2.0
"""test_recorded.py BATON - transcripts that real hosts wrote give the calls that a person read in them.

recorded/NAME.jsonl is a transcript, recorded/NAME.calls.json the list that was checked by hand: agent, kind, tool, command or paths, exit, reason.
recorded/README.md says which host wrote it and what was left out.
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from program import claim, equal, expect, finish, folder, report, run  # noqa: E402

RECORDED = pathlib.Path(__file__).parent / "recorded"
NAMES = sorted(path.name.removesuffix(".calls.json") for path in RECORDED.glob("*.calls.json"))
WORDS = ("agent", "kind", "tool", "command", "paths", "exit", "reason", "applied")


def calls_of(path):
    shown = report(expect(run("evidence", "show", "-f", "json", str(path)), 0))
    equal(shown["transcript"]["state"], "read")
    return [{name: call[name] for name in WORDS if name in call} for call in shown["calls"]]


@claim
def every_transcript_gives_the_calls_that_were_read_by_hand():
    equal(len(NAMES) > 0, True)
    for name in NAMES:
        equal((name, calls_of(RECORDED / f"{name}.jsonl")), (name, json.loads((RECORDED / f"{name}.calls.json").read_text())))


def performed(turn):
    """What a turn that was carried out must show: kind, command or path, and the exit status where it can be known."""
    made = []
    for kind, what in turn["calls"]:
        if kind == "edit":
            made.append(("edit", what, None))
        else:
            text = what if kind == "read" else what["text"]
            known = kind == "run" and what["known"]
            made.append(("command", text.replace("cd web", "cd /repo/web"), (0 if what["passed"] else what["code"]) if known else None))
    return made


@claim
def every_turn_that_a_host_carried_out_is_in_its_transcript_with_its_tokens():
    turns = sorted(RECORDED.glob("*.turn.json"))
    equal(len(turns) >= 20, True)
    for path in turns:
        turn, transcript = json.loads(path.read_text()), path.with_name(path.name.replace(".turn.json", ".jsonl"))
        calls = calls_of(transcript)
        wanted = performed(turn)
        shown = [call for call in calls if call["kind"] != "reading"]
        found = [(call["kind"], call.get("command") or call["paths"][0].removeprefix("/repo/"), call.get("exit") if status is not None else None)
                 for call, (_, _, status) in zip(shown, wanted, strict=True)]
        equal((path.name, found), (path.name, wanted))
        reasons = [call["reason"] for call, (kind, _) in zip(shown, turn["calls"]) if kind in ("run", "background")]
        equal((path.name, reasons), (path.name, ["background" if kind == "background" else None for kind, _ in turn["calls"] if kind in ("run", "background")]))
        # Every answer of the model has two tokens.
        budget = report(run("budget", "show", "-f", "json", "--no-config", "--transcript", str(transcript)))["budget"]
        equal((path.name, budget["session"]["tokens"]), (path.name, 2 * turn["answers"]))


@claim
def every_prefix_of_lines_gives_the_calls_of_that_prefix():
    """A transcript that is still written: calls only come, and what is known of their end only grows."""
    for name in NAMES:
        lines = (RECORDED / f"{name}.jsonl").read_text().splitlines(keepends=True)
        wanted = json.loads((RECORDED / f"{name}.calls.json").read_text())
        for count in range(1, len(lines)):
            with folder({"t.jsonl": "".join(lines[:count])}) as place:
                shown = report(run("evidence", "show", "-f", "json", str(pathlib.Path(place, "t.jsonl"))))
                found = shown.get("calls", [])
                equal((name, count, [call["tool"] for call in found]), (name, count, [call["tool"] for call in wanted[:len(found)]]))


finish()
