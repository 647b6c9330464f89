# SPDX-License-Identifier: Apache-2.0
"""test_beats.py BATON - three servers on one ledger of version 2 with `ledger.heartbeat: 1m`: one of them is killed every second and started again, then all
are quiet, then all are dead for a while. BATON_KILL_S (default 30) and BATON_QUIET_S (default 200) are the lengths of the first two.

The kills leave a log without an unattested silence; in quiet minutes exactly one of the servers writes a beat, in the default log and in another one that
all of them have open; the time in which all were dead is found, and no other. The negative control writes beats that do not ask under the lock how old the newest entry is: there are three at a time."""
import datetime
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from handoffs import handoff, text_of  # noqa: E402
from program import BATON, claim, environment, equal, expect, finish, run  # noqa: E402
from server import Server, bearer  # noqa: E402

KILL_S = int(os.environ.get("BATON_KILL_S", "30"))
QUIET_S = int(os.environ.get("BATON_QUIET_S", "200"))
NODES = 3
BEAT_S = 60
DEAD_S = 25
SILENCE_S = 20  # longer than a server takes to start, shorter than all are dead
rng = random.Random(1)


class Cluster:
    """Servers on one ledger."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.env = {"BATON_STATE_DIR": str(self.folder / "state")}
        self.do("ledger", "init", "--store", "s.db", "--origin", "ledger.example/beats", "--entries", "2")
        (self.folder / "serve.yaml").write_text("limits: {record_deadline_ms: 60000}\nledger: {heartbeat: 1m}\nlogs: {root: logs}\n")
        self.do("ledger", "log", "new", "other", "--origin", "ledger.example/other", "--entries", "2", "--config", "serve.yaml")
        self.nodes = [self.start() for _ in range(NODES)]

    def start(self):
        return Server(self.folder, "--store", "s.db", "--config", "serve.yaml", env=self.env)

    def do(self, *words, code=0):
        return expect(run(*words, cwd=self.folder, env=self.env), code)

    def kill(self, node):
        node.child.kill()
        node.child.wait()
        node.child.stdout.close()
        node.log.close()

    def stop(self):
        for node in self.nodes:
            node.stop()
        self.nodes = []

    def open_other(self):
        """Every server records something in the other log, so that it has it open."""
        for number, node in enumerate(self.nodes):
            body = text_of(handoff(context={"summary": f"job {number}"}))
            equal(node.ask("POST", "/logs/other/v1/handoffs", body, {"Content-Type": "application/json", **bearer(node.console)}).status, 201)

    def beats(self, event, *where):
        """The times of these heartbeats."""
        where = where or ("--store", "s.db")
        shown = json.loads(self.do("ledger", "tail", "-n", "10000", "--kind", "heartbeat", *where, "-f", "json").stdout)
        return [item["entry"]["time"] for item in shown["entries"] if item["entry"]["refs"]["event"] == event]

    def silences(self, longest_s, code=0):
        """The ends of the silences that are longer, and that nothing attests."""
        shown = json.loads(self.do("ledger", "audit", "--store", "s.db", "--max-silence", f"{longest_s}s", "-f", "json", code=code).stdout)
        return [finding["params"]["to"] for finding in shown["documents"][0]["findings"] if finding["code"] == "AUDIT_SILENCE"]


def kill_by_turns(cluster):
    """Kill one of them every second, and start it again; how often."""
    ended = time.monotonic() + KILL_S
    kills = 0
    while time.monotonic() < ended:
        number = rng.randrange(NODES)
        cluster.kill(cluster.nodes[number])
        cluster.nodes[number] = cluster.start()
        kills += 1
        time.sleep(max(0, 1 - time.monotonic() % 1))
    return kills


def doubled(cluster):
    """How many beats three programs write at once that do not ask for the age."""
    before = len(cluster.beats("beat"))
    words = [BATON, "ledger", "beat", "--store", "s.db", "--deadline", "60000"]
    children = [subprocess.Popen(words, cwd=cluster.folder, env=environment(**cluster.env), stdout=subprocess.DEVNULL) for _ in range(NODES)]
    equal([child.wait(timeout=120) for child in children], [0] * NODES)
    return len(cluster.beats("beat")) - before


@claim
def nodes_that_die_leave_no_silence_but_their_own():
    with tempfile.TemporaryDirectory(prefix="baton-beats-") as folder:
        cluster = Cluster(folder)
        try:
            kills = kill_by_turns(cluster)
            equal(cluster.silences(SILENCE_S), [])
            starts = len(cluster.beats("start"))
            equal(starts, NODES + kills)
            cluster.open_other()
            time.sleep(QUIET_S)
            for where in (("--store", "s.db"), ("--log", "other", "--config", "serve.yaml")):
                beats = cluster.beats("beat", *where)
                print(f"# {where[1]}: {kills} kills, {starts} starts; {len(beats)} beats in {QUIET_S} quiet seconds")
                equal((where, len(set(beats)), abs(len(beats) - QUIET_S // BEAT_S) <= 1), (where, len(beats), True))
            equal(len(cluster.beats("start", *where)), NODES)
            equal(cluster.silences(2 * BEAT_S), [])
            died = datetime.datetime.now(datetime.timezone.utc).isoformat()
            for node in cluster.nodes:
                cluster.kill(node)
            time.sleep(DEAD_S)
            cluster.nodes = [cluster.start() for _ in range(NODES)]
            equal(len([ended for ended in cluster.silences(SILENCE_S) if ended > died]), 1)
            equal(doubled(cluster), NODES)
        finally:
            cluster.stop()


sys.exit(finish())
