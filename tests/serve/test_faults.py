# SPDX-License-Identifier: Apache-2.0
"""test_faults.py BATON - a server whose disk is full, whose database hangs, dies or loses answers, and nodes that are killed.

The long forms: BATON_FULL=50, BATON_PRIMARIES=50, BATON_LOST=10000, BATON_SUBMISSIONS=20000 in the environment."""
import contextlib
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "store"))

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

import postgres_server  # noqa: E402
from commit_proxy import CommitProxy  # noqa: E402
from program import SANITIZED, TIMEOUT_S, claim_if, equal, expect, finish, folder, run, until  # noqa: E402
from raw_server import Connection, Server  # noqa: E402
from submitters import HOST, Balancer, Submitters, entries, lost, record_of, submit, trace  # noqa: E402

FULL = int(os.environ.get("BATON_FULL", "1"))
PRIMARIES = int(os.environ.get("BATON_PRIMARIES", "1"))
LOST = int(os.environ.get("BATON_LOST", "30" if SANITIZED else "60"))
SUBMISSIONS = int(os.environ.get("BATON_SUBMISSIONS", "150" if SANITIZED else "300"))
DEADLINE_MS = 300
GENEROUS_MS = 20000
LOSES = 25
COMMON = f"hosts: [{HOST}]\nrate: {{submit: 0}}\nauth: {{anonymous: [check, submit]}}\n"
CONFIG = COMMON + f"limits: {{record_deadline_ms: {DEADLINE_MS}}}\n"
WITHOUT = postgres_server.missing()
schemas = iter(range(1000))
rng = random.Random(int(os.environ.get("BATON_SEED", "1")))


@contextlib.contextmanager
def node(place, store, config=CONFIG):
    """A server on a store that exists; it must end with 0."""
    (pathlib.Path(place) / "baton.yaml").write_text(config)
    server = Server(place, "--listen", "127.0.0.1:0", "--store", store)
    try:
        yield server
    finally:
        code = server.stop()
    equal((code, server.log()[-3000:] if code else ""), (0, ""))


def init(place, store):
    expect(run("ledger", "init", "--origin", "faults.example/log", "--store", store, cwd=place), 0)


def refused(answer, took, outcomes=("none",)):
    """It was told to come again, in time."""
    equal((answer.status, answer.json.get("outcome") in outcomes, answer.fields.get("retry-after"), took < GENEROUS_MS), (503, True, "1", True))
    return took


def accepted(server, number):
    answer, _ = submit(server.place, number)
    equal(answer.status, 201)
    return answer


# ---- A disk that is full ---------------------------------------------------------------------------


@contextlib.contextmanager
def small_disk():
    """A folder on a file system of its own with 16 MiB: the log of SQLite grows to 4 before it is used again."""
    with tempfile.TemporaryDirectory(prefix="baton-full-") as place:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "baton", place], check=True, timeout=TIMEOUT_S)
        try:
            yield pathlib.Path(place)
        finally:
            subprocess.run(["umount", "-l", place], check=True, timeout=TIMEOUT_S)


def can_mount():
    try:
        with small_disk():
            return True
    except (OSError, subprocess.SubprocessError):
        return False


def fill(place):
    """Write until there is no room left."""
    with open(place / "ballast", "ab", buffering=0) as file:
        for size in (65536, 4096, 1):
            with contextlib.suppress(OSError):
                while file.write(b"x" * size):
                    pass


def accepted_again(server, number):
    """The first acceptance: the head, for which there was no room, may have to follow before."""
    replies = []

    def is_accepted():
        replies.append(submit(server.place, number)[0])
        return replies[-1].status == 201
    until(is_accepted)
    return replies[-1]


@claim_if(can_mount(), "no file system can be mounted here")
def a_full_disk_acknowledges_nothing_and_is_used_again_when_there_is_room():
    with folder({}) as home, small_disk() as disk:
        store = str(disk / "s.db")
        init(home, store)
        with node(home, store) as server:
            kept, longest, number = [accepted(server, 0)], 0, 1
            for _ in range(FULL):
                fill(disk)
                tries = 0
                # A page that was there already may take a decision or two.
                while (reply := submit(server.place, number))[0].status == 201:
                    kept.append(reply[0])
                    number, tries = number + 1, tries + 1
                    equal(tries < 1000, True)
                longest = max(longest, refused(*reply))
                equal(server.ask("GET", "/readyz").status, 503)
                (disk / "ballast").unlink()
                kept.append(accepted_again(server, number))
                equal(server.ask("GET", "/readyz").status, 200)
                number += 1
            print(f"# {FULL} times full: longest 503 after {longest:.0f} ms of {DEADLINE_MS}, {len(kept)} acknowledged, {len(lost(kept, entries(home, '--store', store)))} lost")
        there = entries(home, "--store", store)
        equal((lost(kept, there), len(there)), ([], len(kept)))
        # The control: a ledger without its last entry is seen to have lost something.
        equal(lost(kept, there[:-1]), [record_of(kept[-1])])


# ---- A database that hangs, or dies ----------------------------------------------------------------


@contextlib.contextmanager
def ledger():
    """A folder with the key of a ledger in a schema of its own, and what makes the URL of a server that of the ledger."""
    with folder({}) as home:
        schema = f"&schema=faults_{next(schemas)}"
        init(home, POSTGRES.url + schema)
        yield home, schema


@claim_if(not WITHOUT, WITHOUT)
def a_database_that_hangs_acknowledges_nothing_and_is_used_again_when_it_goes_on():
    with ledger() as (home, schema), node(home, POSTGRES.url + schema) as server:
        kept = [accepted(server, 0)]
        POSTGRES.signal(signal.SIGSTOP)
        try:
            took = max(refused(*submit(server.place, number, f"k{number}"), ("none", "unknown")) for number in range(1, 4))
            equal(server.ask("GET", "/readyz").status, 503)
            equal(server.ask("POST", "/v1/check?as=universal", b'{"handoff":{}}').status, 200)
        finally:
            POSTGRES.signal(signal.SIGCONT)
        print(f"# a database that hangs: longest 503 after {took:.0f} ms of {DEADLINE_MS}")
        for number in range(1, 4):
            kept.append(until(lambda: (lambda answer: answer if answer.status == 201 else None)(submit(server.place, number, f"k{number}")[0])))
        equal(server.ask("GET", "/readyz").status, 200)
        there = entries(home, "--store", POSTGRES.url + schema)
        equal((lost(kept, there), [entry["entry"]["trace_id"] for entry in there]), ([], [trace(number) for number in range(4)]))


@claim_if(not WITHOUT, WITHOUT)
def a_database_that_is_killed_under_load_takes_nothing_acknowledged_along():
    with ledger() as (home, schema), node(home, POSTGRES.url + schema) as server:
        load = Submitters(server.place)
        for _ in range(PRIMARIES):
            before = len(load.decided)
            until(lambda: len(load.decided) >= before + 20)
            failed = len(load.unavailable)
            POSTGRES.kill()
            until(lambda: len(load.unavailable) >= failed + 4)
            POSTGRES.start()
        before = len(load.decided)
        until(lambda: len(load.decided) >= before + 20)  # the same process goes on
        load.stop()
        there = entries(home, "--store", POSTGRES.url + schema)
        traces = [entry["entry"]["trace_id"] for entry in there]
        answers = list(load.decided.values())
        print(f"# {PRIMARIES} dead databases: {len(answers)} acknowledged, {len(lost(answers, there))} lost, {len(traces) - len(set(traces))} doubled, "
              f"{len(load.unavailable)} times 503, longest after {load.longest():.0f} ms of {DEADLINE_MS}")
        equal((lost(answers, there), load.cut, {answer.status for answer in answers}), ([], 0, {201}))
        equal((len(traces), load.longest() < GENEROUS_MS), (len(set(traces)), True))
        equal(len(lost(answers, there[:-20])) > 0, True)


def lose_commits(keys, count):
    """Submit through a proxy that loses answers to COMMIT, so that the server runs into its deadline; doubled decisions, and what the clients saw."""
    with ledger() as (home, schema), CommitProxy(POSTGRES.folder, rng, 0.15) as proxy:
        with node(home, proxy.url + schema, CONFIG.replace(str(DEADLINE_MS), "100")) as server:
            load = Submitters(server.place, 8, count, keys)
            load.join()
        there = entries(home, "--store", POSTGRES.url + schema)
        traces = [entry["entry"]["trace_id"] for entry in there]
        equal((len(load.decided), lost(load.decided.values(), there)), (count, []))
        unknown = len([outcome for _, outcome in load.unavailable if outcome == "unknown"])
        print(f"# {count} submissions {'with' if keys else 'without'} keys, {proxy.before + proxy.after} commits cut: {len(traces) - len(set(traces))} doubled, "
              f"{len(load.unavailable)} times 503 ({unknown} unknown), longest after {load.longest():.0f} ms of 100")
        return len(traces) - len(set(traces)), unknown


@claim_if(not WITHOUT, WITHOUT)
def who_asks_again_with_the_key_after_a_lost_commit_is_decided_once():
    for _ in range(10):
        doubled, unknown = lose_commits(True, LOST)
        equal(doubled, 0)
        if unknown > 0:
            return
    raise AssertionError("no answer was ever lost, so nobody had to ask again")


@claim_if(not WITHOUT, WITHOUT)
def who_asks_again_without_a_key_is_decided_twice_sooner_or_later():
    for _ in range(10):
        if lose_commits(False, 30)[0] > 0:
            return
    raise AssertionError("nothing was ever doubled, so the test above cannot fail")


# ---- Two nodes -------------------------------------------------------------------------------------


class Feed:
    """A reader of the feed that comes again with the last id whenever its stream ends."""

    def __init__(self, place, token):
        self.place, self.token, self.seqs, self.began, self.ended = place, token, [], False, False
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self):
        while not self.ended:
            with contextlib.suppress(OSError, ValueError, AssertionError):
                self._follow()
            time.sleep(0.01)

    def _follow(self):
        after = f"Last-Event-ID: {self.seqs[-1]}\r\n" if self.seqs else ""
        with Connection(self.place) as connection:
            connection.send(f"GET /v1/handoffs/stream HTTP/1.1\r\nHost: {HOST}\r\nAuthorization: Bearer {self.token}\r\n{after}\r\n".encode())
            for line in connection.stream:
                self.began = self.began or line.startswith(b"retry:")
                if line.startswith(b"data: "):
                    self.seqs.append(json.loads(line[6:])["seq"])


class Pair:
    """Two nodes on one database behind a balancer; each can be killed, and comes back."""

    def __init__(self, home, url, token):
        self.home, self.url, self.token = home, url, token
        self.nodes = [self._start() for _ in range(2)]
        self.balancer = Balancer([one.place for one in self.nodes], LOSES)

    def _start(self):
        return Server(self.home, "--listen", "127.0.0.1:0", "--store", self.url, "--tokens", "tokens.json")

    def kill(self, number):
        one = self.nodes[number]
        one.process.kill()
        one.process.wait(TIMEOUT_S)
        one.process.stdout.close()
        self.nodes[number] = self._start()  # elsewhere: others may have taken its port
        self.balancer.places[number] = self.nodes[number].place

    def stop(self):
        self.balancer.close()
        equal([one.stop() for one in self.nodes], [0, 0])


def kill_nodes(keys, count, every_s):
    """Submit through a balancer while nodes are killed in turn: doubled decisions, and whether the feed had everything in order."""
    with ledger() as (home, schema):
        (pathlib.Path(home) / "baton.yaml").write_text(COMMON)
        token = expect(run("token", "new", "--tokens", "tokens.json", "--name", "reader", "--scopes", "submit,operate", cwd=home), 0).stdout.decode().strip()
        pair = Pair(home, POSTGRES.url + schema, token)
        try:
            feed = Feed(pair.balancer.place, token)
            until(lambda: feed.began)
            load = Submitters(pair.balancer.place, 8, count, keys)
            kills = 0
            while load.alive():
                seen = len(load.decided)
                ended = time.monotonic() + every_s
                until(lambda: not load.alive() or len(load.decided) >= seen + 50 and time.monotonic() >= ended)
                if load.alive():
                    pair.kill(kills % 2)
                    kills += 1
            there = entries(home, "--store", POSTGRES.url + schema)
            until(lambda: len(feed.seqs) >= len(there))
            feed.ended = True
        finally:
            pair.stop()
        traces = [entry["entry"]["trace_id"] for entry in there]
        doubled = len(traces) - len(set(traces))
        print(f"# {count} submissions {'with' if keys else 'without'} keys, {kills} kills: {load.cut} connections cut ({pair.balancer.lost} answers lost), {doubled} decided twice, "
              f"{len(there)} entries, {len(feed.seqs)} of them in the feed")
        equal((len(load.decided), lost(load.decided.values(), there), {answer.status for answer in load.decided.values()}), (count, [], {201}))
        equal(feed.seqs, list(range(len(there))))
        return doubled, load.cut


@claim_if(not WITHOUT, WITHOUT)
def with_keys_each_submission_is_decided_once_though_nodes_are_killed():
    doubled, cut = kill_nodes(True, SUBMISSIONS, 1 if SUBMISSIONS > 1000 else 0)
    equal((doubled, cut > 0), (0, True))


@claim_if(not WITHOUT, WITHOUT)
def without_keys_some_are_decided_twice():
    equal(kill_nodes(False, 150, 0)[0] > 0, True)


with contextlib.nullcontext() if WITHOUT else postgres_server.hosting(max_connections=500) as POSTGRES:
    code = finish()
sys.exit(code)
