# SPDX-License-Identifier: Apache-2.0
"""test_nodes.py BATON NODE_TOOL - two nodes at once, answers that are lost, and a primary that dies.

The long forms: BATON_APPENDS=20000, BATON_RACES=10000, BATON_CUTS=1000, BATON_FAILOVERS=100 in the environment."""
import json
import os
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

import postgres_server  # noqa: E402
from commit_proxy import CommitProxy  # noqa: E402
from ledger_tools import do  # noqa: E402
from nodes import InFile, Ledger, one_after_the_other, outcomes  # noqa: E402
from program import SANITIZED, claim, equal, finish  # noqa: E402

RACES = int(os.environ.get("BATON_RACES", "200" if SANITIZED else "1000"))
APPENDS = int(os.environ.get("BATON_APPENDS", "200" if SANITIZED else "600"))
CUTS = int(os.environ.get("BATON_CUTS", "20" if SANITIZED else "60"))
FAILOVERS = int(os.environ.get("BATON_FAILOVERS", "1" if SANITIZED else "2"))
CONTROL_CUTS = 12
rng = random.Random(int(os.environ.get("BATON_SEED", "1")))
schemas = iter(range(1000))


def made(url):
    return Ledger(url, f"nodes_{next(schemas)}")


# ---- Races ----------------------------------------------------------------------------------------


def append_at_once(log, url):
    """What two processes say that append to one store, and what the store has."""
    said, _ = outcomes(*(log.node("traces", url, f"node{n}", APPENDS // 2, 60000) for n in range(2)))
    equal(sorted(said["recorded"]), sorted(f"node{n}-{i}" for n in range(2) for i in range(APPENDS // 2)))
    entries = json.loads(do(log.folder, "store", "info", "-f", "json", "--store", log.at(url)).stdout)["size"]
    facts = json.loads(do(log.folder, "ledger", "verify", "-f", "json", "--store", log.at(url)).stdout)["documents"][0]["facts"]
    # Every checkpoint is held against the entries below it, so each is consistent with the next.
    equal((entries, facts["entries_checked"], facts["checkpoints_checked"] > 1), (APPENDS, APPENDS, True))
    print(f"# {APPENDS} decisions by two processes: {facts['checkpoints_checked']} checkpoints, one chain")


@claim
def two_processes_append_to_one_chain():
    append_at_once(made(URL), URL)
    log = InFile()
    append_at_once(log, log.url)


@claim
def without_the_append_lock_a_key_refuses_what_would_be_double():
    in_file = InFile()
    for log, url in ((made(URL), URL), (in_file, in_file.url)):
        equal(one_after_the_other(*(log.node("apart", url, name, 1, 60000) for name in "ab")), ["recorded", "refused"])


@claim
def of_two_nodes_with_one_id_exactly_one_is_accepted():
    log = made(URL)
    said, _ = outcomes(log.node("ids", URL, "id", RACES, 60000), log.node("ids", URL, "id", RACES, 60000))
    print(f"# {RACES} ids on two nodes: {len(said['recorded'])} accepted, {len(said['refused'])} refused")
    equal(sorted(said["recorded"]), sorted(f"id-{n}" for n in range(RACES)))
    equal(sorted(said["refused"]), sorted(said["recorded"]))
    equal(log.sql(URL, "SELECT COUNT(*), COUNT(DISTINCT id) FROM seen"), f"{RACES}|{RACES}")
    equal(log.sql(URL, "SELECT COUNT(*), MAX(seq) FROM ledger_entry"), f"{2 * RACES}|{2 * RACES - 1}")
    log.verify(URL)


@claim
def a_check_outside_the_transaction_would_accept_twice_but_for_the_key():
    log = made(URL)
    for number, (statement, second) in enumerate((("SELECT 1", "refused"), ("ALTER TABLE seen DROP CONSTRAINT seen_pkey", "recorded"))):
        log.sql(URL, statement)
        nodes = [log.node("loose", URL, f"id{number}", 1, 60000) for _ in range(2)]
        equal((statement, one_after_the_other(*nodes)), (statement, ["recorded", second]))


# ---- Lost answers ---------------------------------------------------------------------------------


def cut_commits(log, mode, cuts, deadline, refuses_s):
    """Record through a proxy that loses answers to COMMIT, before or after the server has it."""
    with CommitProxy(SERVER.folder, rng, refuses_s) as proxy:
        node = log.node(mode, proxy.url, "cut", 4 * cuts, deadline)
        said, longest = outcomes(node)
        return said, longest, proxy


@claim
def a_commit_whose_answer_is_lost_is_found_out_and_never_doubled():
    log = made(URL)
    said, longest, proxy = cut_commits(log, "traces", CUTS, 5000, 0)
    names = log.names(URL)
    print(f"# {proxy.before + proxy.after} cuts, {proxy.before} before the commit and {proxy.after} after it; longest answer {longest} ms")
    equal((proxy.before > 0, proxy.after > 0), (True, True))
    equal((said["failed"], said["unknown"], len(said["recorded"])), ([], [], 4 * CUTS))
    equal(sorted(names), sorted(said["recorded"]))
    log.verify(URL)


@claim
def who_does_not_ask_doubles():
    log = made(URL)
    said, _, proxy = cut_commits(log, "blind", CONTROL_CUTS, 200, 0.3)
    names = log.names(URL)
    equal(proxy.after > 0, True)
    equal(len(names) > len(set(names)), True)
    equal(set(said["recorded"]) - set(names), set())


# ---- A primary that dies --------------------------------------------------------------------------


class Pair:
    """A primary and its standby; when the primary is killed the standby takes over, and gets a new one."""

    def __init__(self, folder, standby_names):
        self.folder = pathlib.Path(folder)
        self.folder.chmod(0o755)
        self.numbers = iter(range(1000))
        self.standby_names = standby_names
        self.primary = self.server().make().start()
        self.standby = self.follow()

    def server(self):
        # Both folders stay the same two, since their names are in the URL.
        server = postgres_server.Server(self.folder / f"{next(self.numbers) % 2}", max_wal_senders=4, wal_keep_size="64MB")
        return server

    def follow(self):
        server = self.server()
        if (server.folder / "data").exists():  # of the primary that is dead
            shutil.rmtree(server.folder / "data")
        server.copy(self.primary).start()
        postgres_server.psql(self.primary.url, f"ALTER SYSTEM SET synchronous_standby_names = '{self.standby_names}'")
        postgres_server.psql(self.primary.url, "SELECT pg_reload_conf()")
        until = time.monotonic() + 30
        while postgres_server.psql(self.primary.url, "SELECT COUNT(*) FROM pg_stat_replication WHERE state = 'streaming'") != "1":
            if time.monotonic() > until:
                raise RuntimeError("the standby does not follow")
            time.sleep(0.05)
        return server

    @property
    def url(self):
        first, second = sorted([self.primary.host, self.standby.host])
        return f"postgresql://postgres@/postgres?host={first},{second}"

    def fail_over(self):
        """Kill the primary, promote the standby, and tell when that was done."""
        self.primary.kill()
        # It has nobody behind it yet, and would wait for ever.
        with open(self.standby.folder / "data/postgresql.auto.conf", "a", encoding="ascii") as settings:
            settings.write("synchronous_standby_names = ''\n")
        self.standby.promote()
        promoted = time.monotonic()
        self.primary = self.standby
        return promoted

    def stop(self):
        for server in (self.standby, self.primary):
            server.stop()


def writing_after(log, url, promoted):
    """How long after the promotion, in ms, the log grew again."""
    def size():
        return log.sql(url, "SELECT MAX(size) FROM ledger_checkpoint")
    before = size()
    until = time.monotonic() + 60
    while size() == before:
        if time.monotonic() > until:
            raise AssertionError("nothing is written any more")
        time.sleep(0.02)
    return (time.monotonic() - promoted) * 1000


def fail_over_under_load(standby_names, rounds, holds_back):
    """What two nodes said, which never end, while the primary dies again and again; and the log that is left."""
    with tempfile.TemporaryDirectory(prefix="baton-pair-") as folder:
        pair = Pair(folder, standby_names)
        rests = []
        try:
            log = made(pair.url)
            nodes = [log.node("traces", pair.url, f"node{n}") for n in range(2)]
            for number in range(rounds):
                time.sleep(0.3 + rng.random())
                if holds_back:  # the one process that sends the log to the standby
                    os.kill(int(postgres_server.psql(pair.primary.url, "SELECT pid FROM pg_stat_replication")), signal.SIGSTOP)
                    time.sleep(0.5)
                promoted = pair.fail_over()
                if not holds_back:
                    rests.append(writing_after(log, pair.primary.url, promoted))
                time.sleep(2.5)
                if number < rounds - 1:
                    pair.standby = pair.follow()
            alive = [node.poll() is None for node in nodes]
            for node in nodes:
                node.terminate()
            said, longest = outcomes(*nodes)
            names = log.names(pair.url)
            log.verify(pair.url, len(names)) if not said["alarm"] else None
            return said, names, alive, longest, rests
        finally:
            pair.stop()


@claim
def a_primary_that_dies_takes_nothing_acknowledged_along():
    said, names, alive, longest, rests = fail_over_under_load("ANY 1 (*)", FAILOVERS, False)
    print(f"# {FAILOVERS} failovers: {len(said['recorded'])} acknowledged, {len(said['failed'])} failed, {len(said['unknown'])} unknown;"
          f" longest answer {longest} ms; writing again at most {max(rests):.0f} ms after the promotion")
    equal(alive, [True, True])
    equal(said["alarm"], [])
    equal(len(names), len(set(names)))
    equal(set(said["recorded"]) - set(names), set())
    equal(set(said["failed"]) & set(names), set())


@claim
def with_a_standby_that_lags_something_is_lost_and_every_node_says_so():
    said, names, _, _, _ = fail_over_under_load("", 1, True)
    equal(len(set(said["recorded"]) - set(names)) > 0, True)
    equal({name.split("-")[0] for name in said["alarm"]}, {"node0", "node1"})


reason = postgres_server.missing()
if reason:
    print(f"1..0 # SKIP {reason}")
    sys.exit(0)
with tempfile.TemporaryDirectory(prefix="baton-pg-") as place:
    SERVER = postgres_server.Server(place).make()
    try:
        URL = SERVER.start().url
        code = finish()
    finally:
        SERVER.stop()
sys.exit(code)
