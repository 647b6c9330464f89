# SPDX-License-Identifier: Apache-2.0
"""test_entries.py BATON - entries of version 2: counters, judge, policy and promises, on both back ends."""
import concurrent.futures
import contextlib
import hashlib
import json
import pathlib
import sqlite3
import sys
import tempfile

import postgres_server
from handoffs import GOOD, text_of
from ledger_tools import NOW, ORIGIN, VKEY, append, do, told
from program import claim, claim_if, equal, finish, run
from server import Server

JSON = {"Content-Type": "application/json"}


@contextlib.contextmanager
def ledger_2(*flags):
    with tempfile.TemporaryDirectory(prefix="baton-entries-") as name:
        folder = pathlib.Path(name)
        do(folder, "ledger", "init", "--origin", ORIGIN, "--seed", "1", "--entries", "2", *flags)
        yield folder


def entries(folder, *flags):
    return [item["entry"] for item in json.loads(do(folder, "ledger", "tail", "-n", "100000", "-f", "json", *flags).stdout)["entries"]]


def sound(folder, *flags):
    equal(told(do(folder, "ledger", "verify", "--vkey", VKEY, "-f", "json", *flags)), [])
    checked = run("store", "check", "-f", "json", *flags, cwd=folder)
    equal([found for found in told(checked) if found[0] != "STORE_GRANT_EXCESS"], [])  # a superuser may do everything


def recounted(found):
    """Compare every counter with a count of our own, over entries of both versions."""
    counts = {}
    for entry in found:
        for space, member in (("actor", "actor"), ("source", "source"), ("trace", "trace_id")):
            if member in entry:
                counts[space, entry[member]] = counts.get((space, entry[member]), 0) + 1
        if entry["v"] == 2:
            mine = {space: counts[space, entry[member]] for space, member in
                    (("actor", "actor"), ("source", "source"), ("trace", "trace_id")) if member in entry}
            equal({name: n for name, n in entry["n"].items() if name != "client"}, mine)


@claim
def withheld_names_are_not_counted():
    with ledger_2() as folder:
        append(folder, "one", flags=["--source", "a", "--trace", "t"])
        append(folder, "two", flags=["--source", "a", "--trace", "t", "--withhold", "source"])
        append(folder, "three", flags=["--source", "a", "--trace", "t"])
        equal([entry["n"] for entry in entries(folder)],
              [{"actor": 1, "source": 1, "trace": 1}, {"actor": 2, "trace": 2}, {"actor": 3, "source": 2, "trace": 3}])
        sound(folder)


@claim
def the_judge_is_this_program_and_its_rules():
    with ledger_2() as folder:
        (folder / "h.json").write_text(text_of(GOOD))
        do(folder, "ledger", "append", "h.json", "--as", "universal", *NOW)
        judge = entries(folder)[0]["judge"]
        rules = json.loads(run("rules", "-f", "json").stdout)["rules"]
        canonical = json.dumps(rules, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        equal(judge["rules"], hashlib.sha256(canonical.encode()).hexdigest())
        equal(judge["version"], json.loads(run("version", "-f", "json").stdout)["version"])


@claim
def a_number_is_for_one_document_of_version_2():
    with ledger_2() as folder:
        for words in (["--number", "0"], ["--number", "9007199254740992"], ["--number", "-1"], ["--number", "x"],
                      ["--number", "1", "--raw", "raw0.txt"]):
            (folder / "raw0.txt").write_text("one")
            do(folder, "ledger", "append", "--raw", "raw0.txt", *words, code=2)
        append(folder, "one", flags=["--number", "9007199254740991"])
        equal([entry["n"] for entry in entries(folder)], [{"actor": 1, "client": 9007199254740991}])
        do(folder, "ledger", "init", "--origin", "one.example/x", "--seed", "1", "--store", "v1.db")
        do(folder, "ledger", "append", "--raw", "raw0.txt", "--number", "1", "--store", "v1.db", code=2)
        equal(entries(folder, "--store", "v1.db"), [])


@claim
def a_wrong_counter_in_the_table_is_found():
    for change in ("UPDATE ledger_count SET n = n + 1 WHERE space = 'trace'", "DELETE FROM ledger_count WHERE space = 'trace'",
                   "INSERT INTO ledger_count VALUES ('trace', 'nobody', 1, 0)", "INSERT INTO ledger_count VALUES ('colour', 'x', 1, 0)"):
        with ledger_2() as folder:
            append(folder, "one", flags=["--trace", "t"])
            sound(folder)
            with contextlib.closing(sqlite3.connect(folder / ".baton/store.db")) as database, database:
                database.execute(change)
            equal(told(do(folder, "store", "check", "-f", "json", code=1)), [("STORE_STATE_MISMATCH", "/tables/ledger_count")])


@claim
def policies_are_recorded_once_each_with_the_one_before():
    with ledger_2() as folder:
        server = Server(folder, "--allow-test-key")
        for number, budget in enumerate(("", "&budget=900", "", "&budget=900", "&budget=800")):
            answer = server.ask("POST", f"/v1/handoffs?id=p-{number}&as=universal{budget}", text_of(GOOD), {**JSON, "Baton-Number": str(number + 1)})
            if answer.status not in (201, 422):
                raise AssertionError(answer.body)
        for bad in ("0", "x", "", "9007199254740992"):
            refused = server.ask("POST", "/v1/handoffs?as=universal", text_of(GOOD), {**JSON, "Baton-Number": bad})
            equal((refused.status, refused.json()["code"]), (400, "PARAMETER_INVALID"))
        server.stop()
        found = [entry for entry in entries(folder) if entry["kind"] != "heartbeat"]
        equal([entry["kind"] for entry in found],
              ["policy", "handoff", "policy", "handoff", "handoff", "handoff", "policy", "handoff"])
        policies = [entry for entry in found if entry["kind"] == "policy"]
        equal([entry["refs"].get("before") for entry in policies], [None] + [entry["refs"]["after"] for entry in policies[:-1]])
        used = [entry["refs"]["policy"] for entry in found if entry["kind"] == "handoff"]
        equal(used, [policies[i]["refs"]["after"] for i in (0, 1, 0, 1, 2)])
        equal([entry["n"]["client"] for entry in found if entry["kind"] == "handoff"], [1, 2, 3, 4, 5])
        for entry in policies:
            equal(entry["document"]["sha256"], entry["refs"]["after"])
            text = do(folder, "ledger", "show", str(entry["seq"]), "--document").stdout
            equal(hashlib.sha256(text).hexdigest(), entry["refs"]["after"])
        recounted(entries(folder))
        sound(folder)


@claim
def a_running_server_writes_version_2_after_the_switch():
    with tempfile.TemporaryDirectory(prefix="baton-entries-") as name:
        folder = pathlib.Path(name)
        do(folder, "ledger", "init", "--origin", ORIGIN, "--seed", "1")
        server = Server(folder, "--allow-test-key")
        server.ask("POST", "/v1/handoffs?id=a&as=universal", text_of(GOOD), JSON)
        do(folder, "store", "migrate", "--entries", "2")
        server.ask("POST", "/v1/handoffs?id=b&as=universal", text_of(GOOD), JSON)
        server.stop()
        found = [entry for entry in entries(folder) if entry["kind"] != "heartbeat"]
        equal([(entry["v"], entry["kind"]) for entry in found], [(1, "handoff"), (2, "policy"), (2, "handoff")])
        recounted(entries(folder))
        sound(folder)


def many(folder, flags, workers=2, runs=6):
    """Several processes append at once, each with its own names and with shared ones."""
    def work(worker):
        for number in range(runs):
            path = folder / f"w{worker}-{number}.txt"
            path.write_text(f"{worker} {number}")
            do(folder, "ledger", "append", "--raw", path.name, "--source", f"s{number % 2}", "--trace", f"t{worker}", "--actor",
               f"a{number % 3}", "--deadline", "20000", *NOW, *flags)
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for done in [pool.submit(work, worker) for worker in range(workers)]:
            done.result()
    found = entries(folder, *flags)
    equal(len(found), workers * runs)
    recounted(found)
    sound(folder, *flags)


@claim
def several_writers_count_as_one():
    with ledger_2() as folder:
        many(folder, ())


@claim_if(postgres_server.missing() is None, postgres_server.missing())
def postgresql_counts_in_the_same_way():
    with postgres_server.running() as url:
        with tempfile.TemporaryDirectory(prefix="baton-entries-") as name:
            folder = pathlib.Path(name)
            flags = ("--store", f"{url}&schema=entries_2")
            do(folder, "ledger", "init", "--origin", ORIGIN, "--seed", "1", *flags)
            append(folder, "before", flags=flags)
            do(folder, "store", "migrate", "--entries", "2", *flags)
            (folder / "h.json").write_text(text_of(GOOD))
            do(folder, "ledger", "append", "h.json", "h.json", "--as", "universal", *NOW, *flags)
            found = entries(folder, *flags)
            equal([entry["v"] for entry in found], [1, 2, 2])
            recounted(found)
            sound(folder, *flags)


sys.exit(finish())
