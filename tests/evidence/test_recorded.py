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
NAMES = sorted(path.stem for path in RECORDED.glob("*.jsonl"))
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
