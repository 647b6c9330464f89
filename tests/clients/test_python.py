# SPDX-License-Identifier: Apache-2.0
"""test_python.py BATON - what only the Python client has: kinds of documents, types of answers, threads, processes, TLS, and the ledger
without a server."""
import asyncio
import dataclasses
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

import baton
import baton.aio
from fault_server import Stub
from handoffs import handoff, text_of
from ledger_tools import ledger
from program import BATON, ROOT, TIMEOUT_S, claim, environment, equal, finish, run
from raw_server import make_certificate, serving as raw_serving
from server import serving

GOOD = text_of(handoff())
BAD = b'{"handoff":{}}'
ACCOUNTS = {"agent": "check,submit,operate"}


def using(server, **more):
    return baton.Client(f"http://127.0.0.1:{server.port}", token=server.tokens["agent"], **more)


def raises(kind, function, *arguments, **named):
    try:
        function(*arguments, **named)
    except kind as why:
        return why
    raise AssertionError(f"no {kind.__name__}")


@claim
def a_document_is_bytes_a_text_a_file_or_a_value_and_the_report_is_that_of_check():
    with serving(tokens=ACCOUNTS) as server, using(server) as client, tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "x.handoff.json")
        path.write_text(GOOD)
        value = json.loads(GOOD)
        for document in (GOOD, GOOD.encode(), bytearray(GOOD.encode()), memoryview(GOOD.encode()), path, value):
            equal(client.check(document).accepted, True)
        equal(client.check(path).documents[0].path, str(path))
        equal(client.check(BAD).findings, baton.check(BAD).findings)
        equal(raises(TypeError, bool, client.check(BAD)) is not None, True)
        equal(client.check(BAD).retry_text(1, 3), baton.check(BAD).retry_text(1, 3))
        equal(client.retry_text(client.check(BAD))["retry"]["text"], baton.check(BAD).retry_text(1, 3))
        repaired = client.repair(GOOD.replace('"3.0"', "3.0"), "universal")
        equal((type(repaired).__name__, repaired.outcome, repaired.document["handoff"]["version"]), ("Outcome", "repaired", "3.0"))
        raises(baton.NotJSON, client.check, {"a": float("nan")})
        raises(OSError, client.check, pathlib.Path(folder, "missing"))
        equal(client.get_document(str(client.submit(value).record["seq"])), GOOD.encode())
        raises(TypeError, client.check, GOOD, budget=[1])
        equal(raises(baton.Problem, client.check, GOOD, bogus=1).findings[0].pointer, "/bogus")


@claim
def what_goes_wrong_can_be_pickled_and_a_client_cannot():
    with serving(tokens=ACCOUNTS) as server, using(server) as client:
        refused = raises(baton.Rejected, client.submit, BAD)
        equal((refused.record["seq"], refused.report.accepted, refused.report.findings[0].code), (0, False, "SCHEMA_REQUIRED"))
        equal(pickle.loads(pickle.dumps(refused)), refused)
        problem = raises(baton.Problem, client.get_handoff, "none")
        equal((pickle.loads(pickle.dumps(problem)), problem.code, problem.status), (problem, "NOT_FOUND", 404))
        raises(TypeError, pickle.dumps, client)
        raises(TypeError, pickle.dumps, baton.aio.Client())


@claim
def a_contract_carries_its_input_in_an_envelope():
    with serving(tokens=ACCOUNTS) as server, using(server) as client:
        found = client.check("nothing", "contract", input={"x": 1})
        equal((found.documents[0].dialect, found.accepted), ("contract", False))
        equal(client.check(b"\xff\xfe", "contract", input={"x": 1}).accepted, False)  # bytes that are not text travel as base64


@claim
def threads_and_processes_share_a_client():
    with serving(tokens=ACCOUNTS) as server, using(server) as client:
        found = []

        def work():
            for _ in range(10):
                found.append(client.submit(GOOD).record["seq"])
        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        equal(sorted(found), list(range(60)))
        child = os.fork()
        if child == 0:
            code = 1
            try:
                code = 0 if client.get_handoff("0")["seq"] == 0 else 1
            finally:
                os._exit(code)
        equal(client.get_handoff("1")["seq"], 1)
        equal(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)


@claim
def tls_is_verified_and_trust_is_given():
    with tempfile.TemporaryDirectory() as folder:
        make_certificate(folder, "localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1")
        files = {name: pathlib.Path(folder, f"localhost.{name}").read_text() for name in ("pem", "key")}
        with raw_serving("--tls-cert", "localhost.pem", "--tls-key", "localhost.key", files={f"localhost.{name}": text for name, text in files.items()}) as server:
            url = f"https://127.0.0.1:{server.place[1]}"
            trusted = baton.Client(url, tls=pathlib.Path(folder, "localhost.pem"), token=server.token)
            equal(trusted.check(GOOD).accepted, True)
            equal(asyncio.run(baton.aio.Client(url, tls=pathlib.Path(folder, "localhost.pem"), token=server.token).check(GOOD)).accepted, True)
            equal("certificate" in str(raises(baton.Unavailable, baton.Client(url, retries=0).check, GOOD)).lower(), True)
    raises(ValueError, baton.Client, "http://127.0.0.1", tls="cert.pem")


@claim
def a_server_that_trickles_does_not_hold_a_call_longer_than_its_time():
    def trickle(*_):
        time.sleep(0.05)
        return 200, {"Content-Type": "application/json", "Content-Length": "1000"}, b"{"
    with Stub(trickle) as stub:
        begun = time.monotonic()
        equal(raises(baton.Unavailable, baton.Client(stub.url, timeout=1, retries=0).check, GOOD).outcome, "none")
        equal(time.monotonic() - begun < 50, True)


@claim
def many_calls_of_the_async_client_run_at_once():
    async def main(server):
        client = baton.aio.Client(f"http://127.0.0.1:{server.port}", token=server.tokens["agent"])
        async with client:
            done = await asyncio.gather(*(client.submit(GOOD) for _ in range(20)))
            equal(sorted(item.record["seq"] for item in done), list(range(20)))
            waiting = asyncio.create_task(client.take_handoffs("nobody", wait_s=30))
            await asyncio.sleep(0.3)
            waiting.cancel()
            try:
                await waiting
            except asyncio.CancelledError:
                pass
            equal((await client.check(BAD)).accepted, False)
    with serving(tokens=ACCOUNTS) as server:
        asyncio.run(main(server))


# ---- Ledger ----


class Place:
    """A folder with a ledger, and the settings of the tests for the program."""

    def __enter__(self):
        self.made = ledger()
        folder = self.made.__enter__()
        self.before = dict(os.environ)
        os.environ.update(environment())
        self.ledger = baton.Ledger(f"sqlite:{folder}/.baton/store.db", program=BATON)
        self.folder = folder
        return self

    def __exit__(self, *what):
        os.environ.clear()
        os.environ.update(self.before)
        return self.made.__exit__(*what)


@claim
def the_ledger_records_and_shows_without_a_server():
    with Place() as place:
        report = place.ledger.append(GOOD)
        equal((report.accepted, report.value["documents"][0]["record"]["seq"]), (True, 0))
        equal(place.ledger.append(BAD).accepted, False)
        equal(place.ledger.append(b"\x00\xff", raw=True).verdict, "recorded")
        done = place.ledger.submit(json.loads(GOOD), id="job-7")
        equal((done.record["seq"], done.receipt["index"], done.report.accepted), (3, 3, True))
        again = raises(baton.Rejected, place.ledger.submit, GOOD, id="job-7")
        equal((again.record["seq"], again.report.findings[0].code), (4, "REPLAYED_ID"))
        equal([item["seq"] for item in place.ledger.tail(2)], [3, 4])
        equal([item["seq"] for item in place.ledger.tail(verdict="rejected")], [1, 4])
        equal(place.ledger.show(2)["entry"]["kind"], "raw")
        equal((place.ledger.document(2), place.ledger.document(0)), (b"\x00\xff", GOOD.encode()))
        equal(place.ledger.receipt(0)["index"], 0)
        vkey = place.ledger.verify().facts["vkey"]
        equal((place.ledger.verify(vkey=vkey).accepted, baton.verify_receipt(done.receipt, vkey, document=GOOD).accepted), (True, True))


@claim
def the_ledger_says_what_could_not_be_done():
    with Place() as place:
        equal(raises(baton.Unavailable, place.ledger.show, 77).outcome, "none")
        equal(raises(baton.Unavailable, place.ledger.append, GOOD, budget="many").outcome, "none")
        equal(raises(baton.Unavailable, baton.Ledger("sqlite:missing/store.db", program=BATON).tail).outcome, "none")
        raises(baton.Unavailable, baton.Ledger(program="no-such-program").tail)
        raises(ValueError, place.ledger.show, "--document")
        raises(ValueError, place.ledger.append, GOOD, **{"-x": 1})
        equal(run("store", "info", "--store", f"{place.folder}/.baton/store.db", "-f", "json", cwd=place.folder).returncode, 0)
        equal(place.ledger.tail(), [])
        for program in ("true", "false", "echo"):  # exit 0 or 1 without a report
            wrong = baton.Ledger(program=program)
            for use in (wrong.verify, wrong.tail, lambda: wrong.show(0), lambda: wrong.append(BAD), lambda: wrong.submit(BAD)):
                equal((program, raises(baton.Unavailable, use).outcome in ("none", "unknown")), (program, True))
        slow = baton.Ledger(program="sleep", timeout=0.2)
        slow._place = []
        equal(raises(baton.Unavailable, slow._run, ["30", "30"], records=True).outcome, "unknown")


@claim
def the_example_of_a_worker_handles_what_is_there():
    with serving(tokens=ACCOUNTS) as server, using(server) as client:
        client.submit(GOOD)
        client.submit(GOOD)
        done = subprocess.run([sys.executable, str(ROOT / "examples/clients/worker.py"), f"http://127.0.0.1:{server.port}", "patch-builder", "2"],
                              env={**os.environ, "BATON_TOKEN": server.tokens["agent"]}, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        equal((done.returncode, done.stdout.count("from release-planner: Build the fix for the date parser."), done.stderr), (0, 2, ""))
        equal(client.take_handoffs("patch-builder")["items"], [])


@dataclasses.dataclass
class Brief:
    handoff: dict


@claim
def a_dataclass_is_a_document_too():
    with serving(tokens=ACCOUNTS) as server, using(server) as client:
        equal(client.check(Brief(json.loads(GOOD)["handoff"])).accepted, True)


sys.exit(finish())
