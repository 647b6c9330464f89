# SPDX-License-Identifier: Apache-2.0
"""costs.py PROGRAM BATON FOLDER - what one handoff costs at each stage: instructions that callgrind counts, bytes, syncs. PROGRAM is bench_replay.

A busy machine changes none of these, so one run is enough. Each is the difference of two runs that differ in the number of handoffs or of commits alone.
Callgrind has no SHA instructions, so hashes cost less on most machines than is counted here."""
import collections
import contextlib
import os
import pathlib
import re
import sqlite3
import subprocess
import sys

import instructions
from made_handoff import document

PROGRAM, BATON, FOLDER = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:4])
FOLDER = pathlib.Path(FOLDER)
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tools"))
import count_instructions  # noqa: E402

STEP = 1000
COMMITS = 10
ENV = {**os.environ, "BATON_STATE_DIR": str(FOLDER / "state")}
SYNC = re.compile(r"^(?:\[pid +\d+\] |\d+ +)?(fsync|fdatasync|pwrite64|write)\(.*= (\d+)", re.M)


def make(name, path, count, batch):
    """The words that record so many handoffs in commits of `batch`, in a folder of their own."""
    place = FOLDER / name
    place.mkdir()
    return [PROGRAM, "make", place, path, path, str(count), str(batch)], place


def count_make(name, path, count, batch):
    words, place = make(name, path, count, batch)
    return instructions.count(words, env=ENV), place


def count_calls(name, path, count, batch):
    """How often it syncs, and how many bytes it writes."""
    words, _ = make(name, path, count, batch)
    log = FOLDER / f"{name}.strace"
    subprocess.run(["strace", "-f", "-qq", "-e", "trace=fsync,fdatasync,pwrite64,write", "-s", "0", "-o", log, *words], check=True, env=ENV)
    found = collections.Counter()
    for call, result in SYNC.findall(log.read_text()):
        found["syncs" if call.endswith("sync") else "bytes"] += 1 if call.endswith("sync") else int(result)
    return found


def stored_bytes(place):
    with contextlib.closing(sqlite3.connect(place / "ledger.db")) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return (place / "ledger.db").stat().st_size


def judged(path):
    """Instructions of a bare loop over the judge, for each document."""
    once, twice = (instructions.count([PROGRAM, "facts", path, str(count)]) for count in (STEP, 2 * STEP))
    return (twice - once) / STEP


def verified(place, larger):
    once, twice = (instructions.count([BATON, "ledger", "verify", "--store", at / "ledger.db", "--no-config"], env=ENV) for at in (place, larger))
    return (twice - once) / STEP


def posted():
    """Instructions of a submission to a server, alone in its commit."""
    folder = FOLDER / "serve"
    folder.mkdir()
    count_instructions.prepare(folder, BATON)
    return count_instructions.count_posts(BATON, folder)


def receipt_bytes(place, form):
    done = subprocess.run([BATON, "ledger", "receipt", "0", "--format", form, "--store", place / "ledger.db", "--no-config"], stdout=subprocess.PIPE, check=True, env=ENV)
    return len(done.stdout)


def main():
    small, large = FOLDER / "560.json", FOLDER / "4096.json"
    small.write_text(document(560, (",", ":")), encoding="utf-8")
    large.write_text(document(4096), encoding="utf-8")
    judge, judge_4k = judged(small), judged(large)
    (once, place), (twice, larger), (split, _) = (count_make(name, small, count, batch) for name, count, batch in
                                                 (("once", STEP, STEP), ("twice", 2 * STEP, STEP), ("split", STEP, STEP // COMMITS)))
    commit = (split - once) / (COMMITS - 1)
    record = (twice - once - commit) / STEP - judge
    calls, more, apart = (count_calls(f"calls{number}", small, count, batch) for number, (count, batch) in
                          enumerate(((STEP, STEP), (2 * STEP, STEP), (STEP, STEP // COMMITS))))
    rows = (("judging a handoff of 560 bytes", judge, "instructions"), ("judging a handoff of 4096 bytes", judge_4k, "instructions"),
            ("recording a handoff of 560 bytes", record, "instructions"), ("a commit", commit, "instructions"),
            ("a submission over HTTP, alone in its commit", posted(), "instructions"), ("verifying an entry and its document", verified(place, larger), "instructions"),
            ("a recorded handoff of 560 bytes in the store", (stored_bytes(larger) - stored_bytes(place)) / STEP, "bytes"),
            ("a recorded handoff of 560 bytes, written", (more["bytes"] - calls["bytes"]) / STEP, "bytes"),
            ("a commit, written", max(0, (apart["bytes"] - calls["bytes"]) / (COMMITS - 1)), "bytes"),
            ("a commit, synced", (apart["syncs"] - calls["syncs"]) / (COMMITS - 1), "syncs"),
            ("a receipt as JSON, in a log of 2000", receipt_bytes(larger, "json"), "bytes"), ("a receipt as COSE, in a log of 2000", receipt_bytes(larger, "cose"), "bytes"))
    for name, value, unit in rows:
        print(f"{name:48} {value:12.1f} {unit}" if unit == "syncs" else f"{name:48} {value:12.0f} {unit}")


main()
