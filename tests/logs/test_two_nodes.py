# SPDX-License-Identifier: Apache-2.0
"""test_two_nodes.py BATON - two nodes serve the same logs of one PostgreSQL: nothing is lost, and nothing is in another log. BATON_LOGS and BATON_DECISIONS are how many;
script/torture logs has ten thousand and a hundred thousand."""
import concurrent.futures
import contextlib
import hashlib
import http.client
import itertools
import json
import os
import pathlib
import random
import shutil
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

import postgres_server  # noqa: E402
from handoffs import handoff, text_of  # noqa: E402
from program import TIMEOUT_S, claim, equal, expect, finish, run  # noqa: E402
from server import Server, bearer  # noqa: E402

LOGS = int(os.environ.get("BATON_LOGS", "10"))
DECISIONS = int(os.environ.get("BATON_DECISIONS", "200"))
OPEN = max(4, min(256, LOGS // 2))
CLIENTS = 16
NAMES = [f"log-{number}" for number in range(LOGS)]


class Caller:
    """One connection to one node, kept open."""

    def __init__(self, server):
        self.server = server
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=TIMEOUT_S)
        self.headers = {"Content-Type": "application/json", **bearer(server.console)}

    def ask(self, method, path, body=None):
        self.connection.request(method, path, body, self.headers)
        answer = self.connection.getresponse()
        return answer.status, answer.read()


@contextlib.contextmanager
def nodes():
    with postgres_server.hosting(max_connections=4 * OPEN + 60) as database, tempfile.TemporaryDirectory(prefix="baton-nodes-") as name:
        folder = pathlib.Path(name)
        config = f"limits: {{record_deadline_ms: 60000, in_flight: 4096}}\nrate: {{submit: 0, check: 0}}\nlogs: {{root: '{database.url}', keys: keys, open: {OPEN}}}\n"
        for node in ("a", "b"):
            (folder / node).mkdir()
            (folder / node / "baton.yaml").write_text(config)
            expect(run("ledger", "init", "--store", "s.db", "--origin", f"node.example/{node}", "--no-config", cwd=folder / node), 0)

        def make(log):
            url = f"{database.url}&schema=log_{log.replace('-', '_')}&files=keys/{log}"  # as ledger log new does, which reads the list of logs first
            expect(run("ledger", "init", "--origin", f"logs.example/{log}", "--store", url, "--deadline", "60000", "--no-config", cwd=folder / "a"), 0)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(make, NAMES))
        shutil.copytree(folder / "a/keys", folder / "b/keys", ignore=shutil.ignore_patterns("*.head"))
        servers = [Server(folder / node, "--store", "s.db", env={"BATON_STATE_DIR": str(folder / node / "state")}) for node in ("a", "b")]
        try:
            yield servers
        finally:
            for server in servers:
                server.stop()


def submit_all(servers, name_of):
    """Submit every decision to one of its nodes; {log: digests of the documents that were accepted}, and how many were not."""
    numbers, lock = itertools.count(), threading.Lock()
    sent, refused = {name: set() for name in NAMES}, []

    def work(client):
        caller, chosen = Caller(servers[client % 2]), random.Random(client)
        while True:
            number = next(numbers)
            if number >= DECISIONS:
                return
            wanted = chosen.choice(NAMES)
            body = text_of(handoff(context={"summary": f"decision {number}"})).encode()
            status, answer = caller.ask("POST", f"/logs/{name_of(wanted, client)}/v1/handoffs", body)
            with lock:
                if status == 201:
                    sent[wanted].add(hashlib.sha256(body).hexdigest())
                else:
                    refused.append((status, answer[:300]))
    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        for done in [pool.submit(work, client) for client in range(CLIENTS)]:
            done.result()
    return sent, refused


def recorded(server):
    """{log: digests of the documents of its entries}"""
    caller, found = Caller(server), {}
    for name in NAMES:
        found[name], after = set(), ""
        while after is not None:
            status, answer = caller.ask("GET", f"/logs/{name}/v1/ledger/entries?limit=500{after}")
            equal((name, status), (name, 200))
            page = json.loads(answer)
            found[name] |= {item["entry"]["document"]["sha256"] for item in page["entries"] if item["entry"]["kind"] == "handoff"}
            after = f"&from={page['entries'][-1]['seq'] + 1}" if len(page["entries"]) == 500 else None
    return found


@claim
def nothing_is_lost_and_nothing_is_in_another_log():
    if postgres_server.missing():
        return
    with nodes() as servers:
        sent, refused = submit_all(servers, lambda name, client: name)
        equal((refused[:3], sum(map(len, sent.values()))), ([], DECISIONS))
        equal([name for name in NAMES if recorded_once[name] != sent[name]] if (recorded_once := recorded(servers[0])) else None, [])
        print(f"# {LOGS} logs, {DECISIONS} decisions by {CLIENTS} callers of 2 nodes: 0 lost, 0 in another log")
        # The negative control: a connection writes to the log that it used first, whatever it names later.
        first = {}
        sent, _ = submit_all(servers, lambda name, client: first.setdefault(client, name))
        strays = sum(len(sent[name] - kept) for name, kept in recorded(servers[1]).items())
        equal(strays > 0, True)
        print(f"# with a log chosen by connection, {strays} are elsewhere")


finish()
