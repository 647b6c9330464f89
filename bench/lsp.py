# SPDX-License-Identifier: Apache-2.0
"""lsp.py BATON BENCH - how long the language server takes: from a keystroke to its diagnostics, for completion and hover, from its start.

BENCH is bench_lsp, which checks the same bytes in its own process. The two take turns in one run; it reports and never judges.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests" / "cli"))
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests" / "lsp"))

from client import Server, at, changed, initialize, frame, opened  # noqa: E402

BYTES = 64 << 10
ROUNDS = 400
STARTS = 40
URI = "file:///w/a.handoff.json"


def document():
    """A universal handoff of 64 KiB on many lines, accepted but for its size in tokens."""
    handoff = {"handoff": {
        "version": "3.0", "schema_type": "universal", "timestamp": "2026-04-14T08:30:00Z", "trace_id": "6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4",
        "source": {"skill": "release-planner", "workflow_id": "run-0412", "session_path": "work", "phase": "Triage"}, "target": {"skill": "patch-builder"},
        "context": {"summary": "Build the fix for the date parser.", "problem_type": "implementation"}, "payload": {"working": {}},
        "meta": {"token_count": 2000, "confidence": "high"}}}
    notes = handoff["handoff"]["payload"]["working"]
    while len(json.dumps(handoff, indent=2)) < BYTES:
        notes[f"note_{len(notes)}"] = {"file": f"src/parse_{len(notes)}.c", "line": len(notes), "text": "The month is compared before the year is known."}
    return json.dumps(handoff, indent=2) + "\n"


def median_and_p99(times):
    times = sorted(times)
    return statistics.median(times) * 1e3, times[min(len(times) - 1, len(times) * 99 // 100)] * 1e3


def show(name, times, aim):
    median, p99 = median_and_p99(times)
    print(f"{name:44} median {median:8.3f} ms   p99 {p99:8.3f} ms   aim {aim}")
    return median


def starts(baton):
    times = []
    for _ in range(STARTS):
        begin = time.perf_counter()
        with subprocess.Popen([baton, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
            server.stdin.write(frame(initialize()))
            server.stdin.flush()
            server.stdout.readline()
            times.append(time.perf_counter() - begin)
            server.stdin.close()
            server.stdout.read()
    return times


def main():
    baton, bench = sys.argv[1], sys.argv[2]
    text = document()
    path = pathlib.Path(bench).with_name("handoff-64k.json")
    path.write_text(text)
    server = Server("--now", "2026-04-14T09:00:00Z")
    server.send(opened(URI, text))
    server.receive()
    line = text[:text.index("\"summary\"")].count("\n")
    place = {"line": line, "character": text.split("\n")[line].index("Build")}
    keys, hovers, completions, checks = [], [], [], []
    checker = subprocess.Popen([bench, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for number in range(ROUNDS):
        # One character comes, and goes in the next round.
        end = dict(place, character=place["character"] + number % 2)
        change = changed(URI, number + 2, {"range": {"start": place, "end": end}, "text": "" if number % 2 else "x"})
        begin = time.perf_counter()
        server.send(change)
        server.receive()
        keys.append(time.perf_counter() - begin)
        for method, times in (("hover", hovers), ("completion", completions)):
            begin = time.perf_counter()
            server.send(at(number + 1, method, URI, **place))
            server.receive()
            times.append(time.perf_counter() - begin)
        checker.stdin.write("\n")
        checker.stdin.flush()
        checks.append(int(checker.stdout.readline()) / 1e9)
    checker.stdin.close()
    checker.wait()
    server.end()
    print(f"document of {len(text)} bytes, {ROUNDS} rounds")
    median = show("keystroke to the last byte of diagnostics", keys, "10 ms")
    alone = show("one check in a process", checks, "-")
    print(f"{'keystroke beside the check':44} {median / alone:.2f} times   aim 3")
    show("hover", hovers, "5 ms")
    show("completion", completions, "5 ms")
    show("start to the answer of initialize", starts(baton), "20 ms")


main()
