# SPDX-License-Identifier: Apache-2.0
"""test_kill.py BATON APPEND_TOOL - a writer that is killed at random moments loses nothing that it acknowledged.

BATON_KILLS in the environment asks for more than 500. A kill cannot show a missing fsync; it shows answers that
come too early, which the negative control makes on purpose."""
import os
import pathlib
import random
import select
import signal
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from ledger_tools import do, ledger, told, verify
from program import TIMEOUT_S, claim, equal, finish

TOOL = str(pathlib.Path(sys.argv[2]).resolve())
KILLS = int(os.environ.get("BATON_KILLS", "500"))
WRITERS = 4
rng = random.Random(1)


def kill_some(folder, kills, *more):
    """Start writers and kill them; returns the ids that were acknowledged."""
    acknowledged = []
    for number in range(0, kills, WRITERS):
        writers = [subprocess.Popen([TOOL, str(folder / ".baton/store.db"), f"k{number}-{writer}", *more],
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE) for writer in range(WRITERS)]
        # One time they are killed wherever they are, the next time after something was acknowledged.
        if number // WRITERS % 2 == 1:
            equal(select.select([writer.stdout for writer in writers], [], [], TIMEOUT_S)[0] != [], True)
        time.sleep(rng.random() * 0.06)
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
        for writer in writers:
            output, errors = writer.communicate()
            equal(errors, b"")
            # A line that was cut by the kill was never read by anybody.
            acknowledged += output.decode().split("\n")[:-1]
    return acknowledged


def recorded(folder):
    database = sqlite3.connect(folder / ".baton/store.db")
    ids = [row[0] for row in database.execute("SELECT handoff_id FROM ledger_entry ORDER BY seq")]
    used = {row[0] for row in database.execute("SELECT id FROM seen")}
    database.close()
    equal(set(ids), used)
    equal(len(ids), len(set(ids)))
    return set(ids)


def next_ones(acknowledged, ids):
    """Of these ids, those that their writer was about to acknowledge."""
    counts = {}
    for word in acknowledged:
        writer = word.rsplit("-", 1)[0]
        counts[writer] = counts.get(writer, 0) + 1
    return {word for word in ids if int(word.rsplit("-", 1)[1]) == counts.get(word.rsplit("-", 1)[0], 0)}


@claim
def no_acknowledged_record_is_lost():
    with ledger() as folder:
        acknowledged = kill_some(folder, KILLS)
        present = recorded(folder)
        unanswered = present - set(acknowledged)
        print(f"# {KILLS} kills, {len(acknowledged)} acknowledged, 0 lost; {len(unanswered)} were there before their answer")
        equal(len(acknowledged) > KILLS // 50, True)
        equal(sorted(set(acknowledged) - present), [])
        equal(sorted(unanswered - next_ones(acknowledged, unanswered)), [])
        equal(told(verify(folder, code=0)), [])
        equal(told(do(folder, "store", "check", "-f", "json")), [])


@claim
def an_answer_before_the_commit_would_be_caught():
    with ledger() as folder:
        acknowledged = kill_some(folder, 200, "early")
        equal(len(set(acknowledged) - recorded(folder)) > 0, True)
        equal(told(verify(folder, code=0)), [])


sys.exit(finish())
