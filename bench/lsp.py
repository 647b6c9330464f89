# SPDX-License-Identifier: Apache-2.0
"""lsp.py BATON BENCH - how long the language server takes: from a keystroke to its diagnostics, for completion and hover, from its start.

BENCH is bench_lsp, which checks the same bytes in its own process. The two take turns in one run; it reports and never judges. Times need a quiet
machine, instructions do not.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests" / "cli"))
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests" / "lsp"))

import instructions  # noqa: E402
from client import Server, at, changed, initialize, frame, opened  # noqa: E402

BYTES = 64 << 10
ROUNDS = 400
STARTS = 40
COUNTED = (2, 12)
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


def starts_of_nothing():
    """What starting a process costs here at this moment."""
    times = []
    for _ in range(STARTS):
        begin = time.perf_counter()
        subprocess.run(["true"], check=True)
        times.append(time.perf_counter() - begin)
    return times


def processor_s(process):
    """Processor time of a process so far, which waiting for a processor does not change."""
    return sum(int((task / "schedstat").read_text().split()[0]) for task in pathlib.Path(f"/proc/{process.pid}/task").iterdir()) / 1e9


def keystroke(number, place):
    """One character comes, and goes in the next round."""
    end = dict(place, character=place["character"] + number % 2)
    return changed(URI, number + 2, {"range": {"start": place, "end": end}, "text": "" if number % 2 else "x"})


def per_round(count):
    """Instructions of one round: the difference between many rounds and few, so that the start does not count."""
    few, many = COUNTED
    return (count(many) - count(few)) // (many - few)


def count_keystrokes(baton, text, place):
    def count(rounds):
        server = Server("--now", "2026-04-14T09:00:00Z", program=[*instructions.CALLGRIND, baton], stderr=subprocess.PIPE)
        server.send(opened(URI, text))
        server.receive()
        for number in range(rounds):
            server.send(keystroke(number, place))
            server.receive()
        server.end()
        return instructions.collected(server.process.stderr.read().decode(), "baton lsp")
    return per_round(count)


def count_checks(bench, path):
    def count(rounds):
        done = subprocess.run([*instructions.CALLGRIND, bench, str(path)], input="\n" * rounds, capture_output=True, text=True, check=True)
        return instructions.collected(done.stderr, bench)
    return per_round(count)


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
    keys, used, hovers, completions, checks = [], [], [], [], []
    checker = subprocess.Popen([bench, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for number in range(ROUNDS):
        change = keystroke(number, place)
        before, begin = processor_s(server.process), time.perf_counter()
        server.send(change)
        server.receive()
        keys.append(time.perf_counter() - begin)
        used.append(processor_s(server.process) - before)
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
    show("the same, processor time of the server", used, "10 ms")
    alone = show("one check in a process", checks, "-")
    print(f"{'keystroke beside the check':44} {median / alone:.2f} times   aim 3")
    show("hover", hovers, "5 ms")
    show("completion", completions, "5 ms")
    show("start to the answer of initialize", starts(baton), "20 ms")
    show("start to the end of `true`", starts_of_nothing(), "-")
    if instructions.can_count():
        key, check = count_keystrokes(baton, text, place), count_checks(bench, path)
        print(f"{'instructions of a keystroke, of a check':44} {key:,} and {check:,}, {key / check:.2f} times")


main()
