# SPDX-License-Identifier: Apache-2.0
"""hook_gate.py FOLDER BATON - what the gate adds to a tool event: the same hook with and without it, in turns, and instructions by callgrind.

FOLDER holds hook.db of bench_hook, a store with 20,000 agents. Every run is a process of its own, from its start to its end.
"""
import json
import os
import pathlib
import statistics
import sys
import time

import instructions

FOLDER, BATON = pathlib.Path(sys.argv[1]).resolve(), str(pathlib.Path(sys.argv[2]).resolve())
ROUNDS = 101
PASSES = "cd app && npm run build -- --mode production && git -C ../lib status --short"
NEEDS_GRANT = "cd app && git push origin main"
HOOK = [BATON, "hook", "claude", "--store", str(FOLDER / "hook.db"), "--workspace", "bench"]
# The name, the command of the event, the flags, and whether each event has a command of its own, so that a request is made.
ROWS = [("without the gate", PASSES, [], False),
        ("gate: the command passes", PASSES, ["--gate"], False),
        ("gate: its request is pending", NEEDS_GRANT, ["--gate"], False),
        ("gate: a request is made", NEEDS_GRANT, ["--gate"], True)]


def event(command, number):
    return {"session_id": "s", "hook_event_name": "PreToolUse", "cwd": str(FOLDER), "tool_name": "Bash", "tool_use_id": f"toolu_{number}",
            "tool_input": {"command": command}}


def write_event(row, number):
    _, command, _, is_new = row
    path = FOLDER / "tool-event.json"
    path.write_text(json.dumps(event(f"{command} # {number}" if is_new else command, number)))
    return path


def run(row, number):
    """Milliseconds of one hook and of the processor in it. The answer must be the expected one."""
    path, answer = write_event(row, number), FOLDER / "tool-answer"
    files = [(os.POSIX_SPAWN_OPEN, 0, str(path), os.O_RDONLY, 0), (os.POSIX_SPAWN_OPEN, 1, str(answer), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)]
    begin = time.perf_counter()
    child = os.posix_spawn(BATON, HOOK + row[2], os.environ, file_actions=files)
    _, status, used = os.wait4(child, 0)
    ms = (time.perf_counter() - begin) * 1e3, (used.ru_utime + used.ru_stime) * 1e3
    if status != 0 or not is_expected(row, answer.read_text()):
        sys.exit(f"{row[0]}: exit {status}, answer {answer.read_text()[:400]}")
    return ms


def is_expected(row, answer):
    """A pass, or a denial that names its request: the store was used."""
    return " Request P-" in answer if row[1] == NEEDS_GRANT else answer == ""


def count(row, number):
    text = write_event(row, number).read_text()
    return instructions.count(HOOK + row[2], cwd=FOLDER, input=text, answers=lambda answer: is_expected(row, answer))


def main():
    times = {row[0]: [] for row in ROWS}
    for number in range(ROUNDS):
        for row in ROWS:
            times[row[0]].append(run(row, number))
    print(f"{'a tool event':30} {'median':>9} {'more':>9} {'processor':>11} {'more':>9}   ms, {ROUNDS} runs each, in turns; aim of the gate: 5 ms more")
    base = None
    for name, pairs in times.items():
        wall, used = (statistics.median(one) for one in zip(*pairs))
        base = base or (wall, used)
        print(f"{name:30} {wall:9.2f} {wall - base[0]:+9.2f} {used:11.2f} {used - base[1]:+9.2f}")
    if instructions.can_count():
        print(f"{'':30} {'instructions':>14} {'more':>14}")
        counts = [count(row, ROUNDS) for row in ROWS]
        for row, counted in zip(ROWS, counts):
            print(f"{row[0]:30} {counted:14,} {counted - counts[0]:14,}" if counted else f"{row[0]:30} not counted: a deadline passed in valgrind")


main()
