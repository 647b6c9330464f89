# SPDX-License-Identifier: Apache-2.0
"""test_pump_run.py BATON - a running pump: calls, replies, kills, and what is left in the store."""
import json
import os
import pathlib
import pwd
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from program import BATON, claim, claim_if, environment, equal, expect, finish, report, run
from pump_place import INJECT, Place, listener, message, organism, thread

import open_folder  # found through program.py

# Where there is a file `slow`, four answers are all that a process gives.
RATIONED = '''import asyncio
import os
from dataclasses import dataclass
from baton import xmlify, HandlerMetadata

@xmlify
@dataclass
class AddPayload:
    a: int
    b: int

left = 4 if os.path.exists(os.path.join(os.path.dirname(__file__), "slow")) else 1000

async def add(payload: AddPayload, metadata: HandlerMetadata) -> bytes:
    global left
    left -= 1
    if left < 0:
        await asyncio.Event().wait()
    return f"<result>{payload.a + payload.b}</result>".encode()
'''


@claim
def a_reply_comes_on_the_thread_of_its_client():
    with Place() as place:
        shown = report(expect(place.once("--in", place.write("m.xml", message(7, 35))), 0))["pump"]
        equal([(d["client"], d["from"], d["thread"], d["payload"]) for d in shown["deliveries"]],
              [("alice", "calc", thread(1), "<result>42</result>")])
        equal((shown["calls"], shown["pending"], shown["events"]), ({"calc": 1}, 0, []))


def run_entries(place):
    """(event, run) of every heartbeat, and the kind of every other entry, in their order."""
    listed = json.loads(expect(run("ledger", "tail", "-n", "100", "--store", ".baton/pump/store.db", "-f", "json", cwd=place.top), 0).stdout)
    found = [entry["entry"] if "entry" in entry else entry for entry in listed["entries"]]
    found.sort(key=lambda entry: entry["seq"])
    return [(entry["refs"]["event"], entry["refs"]["message"]) if entry["kind"] == "heartbeat" else entry["kind"] for entry in found]


@claim
def a_run_is_recorded_from_start_to_stop_on_a_log_of_version_2():
    with Place() as place:
        expect(place.once("--in", place.write("m.xml", message(1, 2))), 0)
        before = run_entries(place)
        equal([entry for entry in before if isinstance(entry, tuple)], [])  # version 1 has none
        expect(run("store", "migrate", "--entries", "2", "--store", ".baton/pump/store.db", cwd=place.top), 0)
        with place.pump() as pump:
            equal(place.ctl("inject", INJECT)[0], 0)
            equal(pump.stop(), 0)
        after = run_entries(place)[len(before):]
        name = after[0][1]
        equal((after[0], after[-1], name.startswith("run-") and len(name) == 12), (("start", name), ("stop", name), True))
        equal("handoff" in after, True)
        with place.pump() as pump:
            pump.stop(signal.SIGKILL)
        equal(run_entries(place)[-1][0], "start")  # the negative control: nothing graceful, no stop


@claim
def a_refused_message_is_answered_and_the_others_are_not_held_up():
    with Place() as place:
        result = place.once("--in", place.write("bad.xml", message("x", 1)), "--in", place.write("m.xml", message(1, 2)))
        equal([d["verdict"] for d in report(expect(result, 1))["documents"]], ["rejected", "accepted"])
        equal(sorted(d["root"] for d in report(result)["pump"]["deliveries"]), ["huh", "result"])


@claim
def a_control_request_of_a_batch_sees_what_the_one_before_it_decided():
    with Place() as place:
        lines = [{"jsonrpc": "2.0", "id": 1, "method": "inject", "params": INJECT},
                 {"jsonrpc": "2.0", "id": 2, "method": "thread-history", "params": {"thread": thread(1), "client": "alice"}}]
        shown = report(expect(place.once("--rpc", place.write("rpc", "\n".join(map(json.dumps, lines)))), 0, err="inject"))["pump"]
        equal([(e["kind"], e["state"]) for e in shown["oob"][1]["result"]["entries"]], [("ingress", "queued")])
        equal((report(expect(place.once(), 0))["pump"]["oob"], [d["payload"] for d in shown["deliveries"]]), ([], ["<result>3</result>"]))


def killed_after(place, lines):
    """What a pump says that is killed when it has said so much; with 0 it may come to its end."""
    pump = subprocess.Popen([BATON, "pump", "run", "organism.yaml", "--once", "--out", "-"], cwd=place.top, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, env=environment())
    said = b"".join(pump.stdout.readline() for _ in range(lines))
    if lines:
        equal(pump.poll(), None)  # it cannot have ended: its handler has stopped to answer
        pump.send_signal(signal.SIGKILL)
    said += pump.stdout.read()
    pump.stdout.close()
    equal(pump.wait(timeout=60), -signal.SIGKILL if lines else 0)
    return [line for line in said.decode().splitlines() if line.endswith("</message>")]


@claim
def nothing_that_was_accepted_is_lost_when_the_pump_is_killed():
    rng, count, heard = random.Random(5), 24, {}
    with Place() as place:
        place.write("tools/calc.py", RATIONED)
        for number in range(count):
            place.write(f"m{number}.xml", message(number, 1000, number))
        words = [word for number in range(count) for word in ("--in", f"m{number}.xml")]
        sent = json.loads(expect(run("pump", "send", "-f", "json", *words, cwd=place.top), 0).stdout)
        equal((sent["mode"], sent["accepted"]), ("stored", count))
        place.write("tools/slow", "")
        kills = [rng.randint(1, 4) for _ in range(5)]
        for lines in kills + [0]:
            if lines == 0:
                (place.top / "tools/slow").unlink()
            for line in killed_after(place, lines):
                heard.setdefault(line.split("<thread>")[1][:36], set()).add(line.split('<result xmlns="">')[1].split("<")[0])
        equal(heard, {thread(number): {str(number + 1000)} for number in range(count)})


@claim
def the_agent_of_the_examples_calls_the_calculator_and_answers():
    with tempfile.TemporaryDirectory(prefix="baton-pump-") as top:
        shutil.copytree(pathlib.Path(__file__).parents[2] / "examples/pump", top, dirs_exist_ok=True)
        shown = report(expect(run("pump", "run", "organism.yaml", "--once", "-f", "json", "--in", "ask.xml", cwd=top), 0))["pump"]
        equal([(d["from"], d["payload"]) for d in shown["deliveries"]],
              [("researcher", "<thought>two numbers: somebody has to add them</thought>"), ("researcher", "<result>7 + 35 = 42</result>")])
        equal((shown["calls"], shown["events"]), ({"calculator.add": 1, "researcher": 2, "length": 0}, []))


@claim
def a_work_directory_is_private_and_kept_between_runs():
    with Place(organism(listener("calc", "count"))) as place:
        place.write("m.xml", message(1, 2))
        for run_number in ("1", "2", "3"):
            shown = report(expect(place.once("--in", "m.xml"), 0))["pump"]
            equal([d["payload"] for d in shown["deliveries"]], [f"<result>{run_number}</result>"])
        folders = list((place.top / ".baton/pump/work").iterdir())
        equal([(folder.stat().st_mode & 0o777, "calc" in folder.name) for folder in folders], [(0o700, False)])


@claim_if(os.geteuid() == 0, "only root can run a host as another account")
def a_pump_of_root_runs_its_hosts_as_the_account_that_it_is_told():
    echo = {"name": "calc", "description": "counts", "command": ["./echo.sh"], "transport": "stdio", "allow": ["exec"],
            "payload_type": "AddPayload", "fields": {"a": "int", "b": "int"}, "result": "int"}
    with Place(organism(echo, sandbox_user="nobody"), below=open_folder.place()) as place:
        shutil.copy(pathlib.Path(__file__).parents[2] / "examples/pump/echo.sh", place.top)
        place.write("m.xml", message(1, 2))
        expect(run("pump", "check", "organism.yaml", cwd=place.top), 1, out="may not enter " + str(place.top))
        place.top.chmod(0o755)
        report(expect(place.once("--in", "m.xml"), 0))
        nobody = pwd.getpwnam("nobody")
        written = next((place.top / ".baton/pump/work").glob("*/payload"))
        equal((written.stat().st_uid, written.parent.stat().st_uid), (nobody.pw_uid, nobody.pw_uid))
        store = (place.top / ".baton/pump").stat()
        equal((store.st_mode & 0o777, store.st_uid, store.st_gid), (0o710, 0, nobody.pw_gid))
        place.write("organism.yaml", json.dumps(organism(echo, sandbox_user="no-such-account")))
        expect(run("pump", "check", "organism.yaml", cwd=place.top), 1, out="the account no-such-account does not exist")


@claim
def a_pump_does_not_start_with_a_handler_that_cannot_be_loaded():
    lost = {"name": "calc", "description": "adds", "handler": "tools/calc.py:lost", "payload_type": "AddPayload",
            "fields": {"a": "int", "b": "int"}, "result": "int"}
    with Place(organism(lost)) as place:
        result = place.once()
        equal((result.returncode, b"PUMP_HANDLER_LOAD" in result.stderr), (2, True))
    with Place() as place:
        place.write("rpc.txt", json.dumps({"jsonrpc": "2.0", "id": 1, "method": "register", "params": {"listener": {**lost, "name": "other"}}}))
        refused = report(expect(place.once("--rpc", "rpc.txt"), 0, err="uid"))["pump"]["oob"][0]["error"]
        equal((refused["code"], [f["code"] for f in refused["data"]["findings"]]), (-32602, ["PUMP_HANDLER_LOAD"]))


@claim
def two_pumps_do_not_share_a_store():
    with Place() as place:
        place.write("m.xml", message(1, 1))
        first = subprocess.Popen([BATON, "pump", "run", "organism.yaml"], cwd=place.top, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, env=environment())
        try:
            deadline = time.monotonic() + 30
            while not (place.top / ".baton/pump/store.db").exists() and time.monotonic() < deadline:
                time.sleep(0.05)
            expect(run("pump", "run", "organism.yaml", "--once", cwd=place.top), 2, err="a pump is running here")
        finally:
            first.send_signal(signal.SIGTERM)
            equal(first.wait(timeout=60), 0)
        expect(run("pump", "send", "--in", "m.xml", cwd=place.top), 0)


@claim
def the_store_answers_operators():
    with Place() as place:
        place.write("m.xml", message(1, 2))
        expect(run("pump", "send", "--in", "m.xml", cwd=place.top), 0)
        ask = lambda *words: json.loads(run("pump", "ctl", *words, "--offline", "-f", "json", cwd=place.top).stdout)
        equal((ask("status")["result"]["queued"], ask("status")["result"]["state"]), (1, "stopped"))
        place.once()
        equal((ask("status")["result"]["queued"], ask("status")["result"]["processed"]), (0, 1))
        entries = ask("thread-history", json.dumps({"thread": thread(1), "client": "alice", "payloads": True}))["result"]["entries"]
        equal([(e["kind"], e["from"], e["to"]) for e in entries], [("ingress", "alice", "calc"), ("egress", "calc", "alice")])
        equal(entries[0]["state"], "done")
        equal(ask("graph", '{"format":"dot"}')["result"]["text"], 'digraph pump {\n  n0 [label="alice"];\n  n1 [label="calc"];\n  n0 -> n1;\n}\n')
        equal(ask("thread-history", json.dumps({"thread": thread(9), "client": "alice"}))["error"]["code"], -32001)
        expect(run("pump", "ctl", "status", cwd=place.top), 2, err="--offline")


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(finish())
