# SPDX-License-Identifier: Apache-2.0
"""walk.py BATON FOLDER FLOOR HANDOFF - baton check on trees of 100,000 files, beside programs that only list or read them; and
on 10,000 copies of the file HANDOFF in one folder, beside FLOOR, which only opens and reads them.

The sides take turns, and the median of the rounds counts. Trees are kept in FOLDER and made once.
"""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

import instructions

BATON = str(pathlib.Path(sys.argv[1]).resolve())
PLACE = pathlib.Path(sys.argv[2]).resolve()
FLOOR = str(pathlib.Path(sys.argv[3]).resolve())
HANDOFF = pathlib.Path(sys.argv[4]).read_text()
FILES = 100_000
PER_FOLDER = 40
ROUNDS = 7
CHECK = [BATON, "check", "--no-config", "--no-refs", "-f", "jsonl"]
# What a repository holds besides documents: of 20 files, so many of each kind.
OTHERS = [".c"] * 6 + [".py"] * 5 + [".ts"] * 3 + [".png"] * 2 + [".md"] * 2 + [".json", ".yaml"]


def handoff(number):
    return json.dumps({"handoff": {
        "version": "3.0", "schema_type": "universal", "timestamp": "2026-04-14T08:30:00Z", "trace_id": "6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4",
        "source": {"skill": "release-planner", "workflow_id": f"run-{number}", "session_path": "work", "phase": "Triage"},
        "target": {"skill": "patch-builder"}, "context": {"summary": "Build the fix for the date parser.", "problem_type": "implementation"},
        "payload": {"working": {"ticket": f"DP-{number}"}}, "meta": {"token_count": 114, "confidence": "high"}}})


def make_tree(name, documents):
    """A tree in which every FILES / documents-th file is a document."""
    tree = PLACE / name
    done = tree / ".done"
    if done.exists():
        return tree
    shutil.rmtree(tree, ignore_errors=True)
    text = "".join(f"line {i} of something that is not a document\n" for i in range(40))
    other = {".json": json.dumps({"name": "package", "text": text}), ".yaml": "name: x\n" + "key: value\n" * 40}
    for i in range(FILES):
        folder = tree / f"part{i // PER_FOLDER // 50}" / f"unit{i // PER_FOLDER}"
        if i % PER_FOLDER == 0:
            folder.mkdir(parents=True)
        if i % (FILES // documents) == 0:
            (folder / f"file{i}.handoff.json").write_text(handoff(i))
        else:
            ending = OTHERS[i % len(OTHERS)]
            (folder / f"file{i}{ending}").write_text(other.get(ending, text))
    (tree / ".git").mkdir()  # a repository of its own: otherwise the .gitignore of the project, which names build/, would leave out every file
    done.write_text("")
    return tree


def expect_documents(tree, command, count):
    """A check that judges nothing is fast, too."""
    done = subprocess.run(command, cwd=tree, check=False, capture_output=True, text=True)
    summary = json.loads(done.stdout.splitlines()[-1])["summary"] if done.stdout else {}
    if summary.get("accepted") != count:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}, {summary}, instead of {count} accepted documents\n{done.stderr[:500]}")


def measure(runs, cwd):
    """The median time of each command, in turns, after a first round that fills the caches."""
    times = {name: [] for name in runs}
    for turn in range(ROUNDS + 1):
        for name, command in runs.items():
            begin = time.monotonic()
            subprocess.run(command, cwd=cwd, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if turn > 0:
                times[name].append(time.monotonic() - begin)
    return {name: statistics.median(list) for name, list in times.items()}


def show(title, times):
    print(title)
    for name, seconds in times.items():
        print(f"  {seconds * 1000:9.1f} ms  {name}")


def compare_reading():
    tree = make_tree("tenth", 10_000)
    expect_documents(tree, CHECK + ["."], 10_000)
    times = measure({"baton check .": CHECK + ["."], "baton check --jobs 1 .": CHECK + ["--jobs", "1", "."],
                     "find . -type f, cat": ["sh", "-c", "find . -type f -print0 | xargs -0 cat"]}, tree)
    show(f"{FILES} files, 10000 of them documents", times)
    print(f"  {times['baton check .'] / times['find . -type f, cat']:9.2f} x  baton check / find and cat")
    if instructions.can_count():
        # One of 50 parts of the tree, since valgrind is slow.
        counts = [instructions.count([*CHECK, "--jobs", "1", f"part{part}"], cwd=tree) for part in (0, 1)]
        print(f"  {sum(counts) // len(counts) // (PER_FOLDER * 50):,} instructions a file, documents included, with one OS thread")


def compare_listing():
    tree = make_tree("hundredth", 1_000)
    listed = PLACE / "hundredth.txt"
    listed.write_text("".join(f"{path.relative_to(tree)}\n" for path in sorted(tree.rglob("*.handoff.json"))))
    alone = CHECK + ["--files-from", str(listed)]
    for command in (CHECK + ["."], alone):
        expect_documents(tree, command, 1_000)
    times = measure({"baton check .": CHECK + ["."], "baton check --jobs 1 .": CHECK + ["--jobs", "1", "."], "rg --files": ["rg", "--files"],
                     "baton check of the documents alone": alone}, tree)
    show(f"{FILES} files, 1000 of them documents", times)
    allowed = times["rg --files"] + times["baton check of the documents alone"]
    print(f"  {times['baton check .'] / allowed:9.2f} x  baton check / (rg --files + the documents alone)")


def make_folder(count):
    """Copies of one handoff, each a document of its own."""
    folder = PLACE / "alike"
    done = PLACE / "alike.done"
    if not done.exists():
        shutil.rmtree(folder, ignore_errors=True)
        (folder / ".git").mkdir(parents=True)
        for i in range(count):
            (folder / f"file{i:05}.handoff.json").write_text(HANDOFF)
        done.write_text("")
    return folder


def compare_floor():
    count = 10_000
    folder = make_folder(count)
    expect_documents(folder, CHECK + ["."], count)
    jobs = {f"baton check --jobs {n} .": CHECK + ["--jobs", str(n), "."] for n in (1, 2, 4)}
    times = measure({"open, fstat, read, close of each": [FLOOR, "."], **jobs}, folder)
    show(f"{count} handoffs of {len(HANDOFF)} bytes in one folder, {os.cpu_count()} processors", times)
    floor, one = times["open, fstat, read, close of each"], times["baton check --jobs 1 ."]
    print(f"  {one / floor:9.2f} x  baton check --jobs 1 / the bare loop (aim 3.6)")
    for n in (2, 4):
        print(f"  {one / times[f'baton check --jobs {n} .']:9.2f} x  as fast with {n} jobs as with one")


compare_floor()
compare_reading()
if shutil.which("rg"):
    compare_listing()
else:
    print("rg is not installed; no comparison with it")
