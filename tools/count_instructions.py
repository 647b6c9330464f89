#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""count_instructions.py --baton PROGRAM [--against FILE] [--out FILE] - instructions of fixed pieces of work.

Runs the program under `valgrind --tool=callgrind` (counted from main on) on copies of the examples. --out writes the counts as
JSON; --against compares with such a file, and the exit status is 1 when a count grew by more than 2 %. For a release build.
"""
import argparse
import http.client
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
GROWTH_MAX = 0.02
POSTS = 20
HANDOFF = "examples/universal/planner-to-builder.handoff.json"
NOW = ["--now", "2026-03-01T12:00:00Z"]
CALLGRIND = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
WORK = {
    "check universal": ["check", "-f", "json", *NOW, HANDOFF],
    "check broken universal": ["check", *NOW, "examples/universal/broken.handoff.json"],
    "check contract": ["check", "-f", "json", *NOW, "examples/contract/done.contract.md"],
    "check plan": ["check", "-f", "json", *NOW, "--root", "examples/plan", "examples/plan/release.steps.csv"],
    "check governed": ["check", "-f", "json", *NOW, "--root", "examples/governed/catalogue", "examples/governed/accepted.json"],
    "tokens": ["tokens", "docs/rules.md"],
    "json canon": ["json", "canon", "docs.json"],
    "rules": ["rules", "-f", "json"],
    "ledger append universal": ["ledger", "append", "--store", "s.db", *NOW, HANDOFF],
    "ledger append 64 raw": ["ledger", "append", "--store", "s.db", *NOW, *[word for i in range(64) for word in ("--raw", f"raw/{i}")]],
    "ledger verify": ["ledger", "verify", "--store", "s.db"],
}


def prepare(folder, baton):
    for name in ("examples", "docs"):
        shutil.copytree(ROOT / name, folder / name)
    (folder / "docs.json").write_text(json.dumps({f"name{i}": {"text": "x" * 40, "number": i} for i in range(100)}))
    (folder / "raw").mkdir()
    for i in range(64):
        (folder / "raw" / str(i)).write_text(f"raw {i}\n")
    subprocess.run([baton, "ledger", "init", "--store", "s.db", "--origin", "count.example/log", "--seed", "1"], cwd=folder, check=True, capture_output=True)


def collected(text, what):
    match = re.search(r"Collected : (\d+)", text)
    if not match:
        sys.exit(f"{what}: valgrind counted nothing:\n{text[-2000:]}")
    return int(match[1])


def count_run(baton, words, folder):
    done = subprocess.run([*CALLGRIND, "--toggle-collect=main", baton, *words], cwd=folder, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(words)}: exit {done.returncode}\n{done.stderr[-2000:]}")
    return collected(done.stderr, " ".join(words))


def post(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", "/v1/handoffs", (ROOT / HANDOFF).read_bytes(), {"Content-Type": "application/json"})
    status = connection.getresponse().status
    connection.close()
    return status


def count_posts(baton, folder):
    """The mean of accepted submissions to a server with one worker."""
    out = folder / "callgrind.out"
    server = subprocess.Popen(["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={out}", baton, "serve", "--listen",
                               "127.0.0.1:0", "-f", "json", "--store", "s.db", "--allow-test-key", "--workers", "1"], cwd=folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        port = int(json.loads(server.stdout.readline())["listen"][0].rsplit(":", 1)[1])
        statuses = {post(port), post(port)}
        subprocess.run(["callgrind_control", "-i", "on", str(server.pid)], check=True, capture_output=True)
        statuses |= {post(port) for _ in range(POSTS)}
        time.sleep(1)  # what follows an answer belongs to it
        subprocess.run(["callgrind_control", "-i", "off", str(server.pid)], check=True, capture_output=True)
    finally:
        server.terminate()
        server.wait(60)
    if statuses != {201}:
        sys.exit(f"POST /v1/handoffs answered {statuses}")
    totals = [int(line.split()[1]) for part in sorted(folder.glob("callgrind.out*")) for line in part.read_text().split("\n") if line.startswith("totals:")]
    return sum(totals) // POSTS


def compare(counts, before):
    """Print the table; whether nothing grew too much."""
    is_fine = True
    for name, count in counts.items():
        change = f"{count / before[name] - 1:+8.2%}" if before.get(name) else ""
        grew = bool(before.get(name)) and count > before[name] * (1 + GROWTH_MAX)
        is_fine = is_fine and not grew
        print(f"{count:15,} {change} {'GREW ' if grew else ''} {name}")
    return is_fine


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--baton", required=True)
    parser.add_argument("--against", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()
    baton = str(pathlib.Path(args.baton).resolve())
    with tempfile.TemporaryDirectory(prefix="baton-count-") as name:
        folder = pathlib.Path(name)
        prepare(folder, baton)
        counts = {work: count_run(baton, words, folder) for work, words in WORK.items()}
        counts["POST /v1/handoffs"] = count_posts(baton, folder)
    if args.out:
        args.out.write_text(json.dumps(counts, indent=1) + "\n")
    return 0 if compare(counts, json.loads(args.against.read_text()) if args.against else {}) else 1


if __name__ == "__main__":
    sys.exit(main())
