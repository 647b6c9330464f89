# SPDX-License-Identifier: Apache-2.0
"""test_replay.py BATON SUBMIT_TOOL - ids that were accepted, submitted again and again by two nodes that start anew each time.

BATON_REPLAYS says how many submissions there are in all (default 2,000)."""
import collections
import contextlib
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile

TOOL = str(pathlib.Path(sys.argv[2]).resolve())
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from catalogues import Catalogue, NOW
from program import claim, equal, finish, run


REPLAYS = int(os.environ.get("BATON_REPLAYS", "2000"))
RESTARTS = 100 if REPLAYS >= 100000 else 8
NODES = 2
BATCH = 25


def write(folder, catalogue, number):
    """One id, in lower and in upper case, and with another content."""
    made = catalogue.handoff(number=number)
    other = catalogue.handoff(number=number, context__request__description="something else")
    loud = catalogue.handoff(number=number)
    loud["handoff_id"] = loud["handoff_id"].upper()
    names = []
    for kind, document in (("a", made), ("b", other), ("c", loud)):
        names.append(str(folder / f"{number}-{kind}.json"))
        pathlib.Path(names[-1]).write_text(json.dumps(document))
    return names


def node(folder, root, store, files):
    return subprocess.Popen([TOOL, store, root, NOW, str(BATCH), *files], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def heard(process):
    out, err = process.communicate(timeout=600)
    if process.returncode != 0:
        raise AssertionError(f"a node failed: {err}")
    return [line.split() for line in out.splitlines()]


@claim
def no_id_is_accepted_twice_by_two_nodes_that_start_anew():
    rng = random.Random(7)
    with tempfile.TemporaryDirectory() as name:
        folder, catalogue = pathlib.Path(name), Catalogue()
        root, store = str(catalogue.write(folder / "root")), str(folder / "s.db")
        if run("ledger", "init", "--origin", "a.example/replay", "--store", store).returncode != 0:
            raise AssertionError("no ledger")
        accepted, answers, files, total = collections.Counter(), collections.Counter(), [], 0
        share = max(REPLAYS // RESTARTS // NODES, 1)
        for start in range(RESTARTS):
            fresh = write(folder, catalogue, start + 1)
            files += fresh
            # Both nodes have the new id among the first, so that they meet over it.
            works = [fresh + [rng.choice(files) for _ in range(share)] for _ in range(NODES)]
            for answer, path in (pair for process in [node(folder, root, store, work) for work in works] for pair in heard(process)):
                number = pathlib.Path(path).name.split("-")[0]
                accepted[number] += answer == "accepted"
                answers[answer] += 1
                total += 1
        equal(sorted(set(accepted.values())), [1])
        equal(set(answers), {"accepted", "REPLAYED_ID"})
        equal(answers["accepted"], RESTARTS)
        print(f"# {total} submissions, {answers['REPLAYED_ID']} replays refused, {answers['accepted']} ids accepted once, {RESTARTS} restarts of {NODES} nodes",
              flush=True)
        equal(run("ledger", "verify", "--store", store).returncode, 0)


@claim
def without_what_was_seen_an_id_would_be_accepted_again():
    with tempfile.TemporaryDirectory() as name:
        folder, catalogue = pathlib.Path(name), Catalogue()
        root, store = str(catalogue.write(folder / "root")), str(folder / "s.db")
        equal(run("ledger", "init", "--origin", "a.example/replay", "--store", store).returncode, 0)
        first = write(folder, catalogue, 1)[:1]
        equal([answer for answer, _ in heard(node(folder, root, store, first * 2))], ["accepted", "REPLAYED_ID"])
        with contextlib.closing(sqlite3.connect(store)) as database:
            database.executescript("DROP TRIGGER seen_delete; DELETE FROM seen; DELETE FROM governed_handoff;")
        equal([answer for answer, _ in heard(node(folder, root, store, first))], ["accepted"])


finish()
