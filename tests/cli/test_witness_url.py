# SPDX-License-Identifier: Apache-2.0
"""test_witness_url.py BATON - a ledger asks a witness over HTTP: `ledger checkpoint --witness-url`."""
import contextlib
import json
import pathlib
import sys
import tempfile

import raw_server
from program import claim, equal, expect, finish, report, run
from server import Server


@contextlib.contextmanager
def parties(*, trusted=True):
    """A ledger with one entry, and a server that is a witness."""
    with tempfile.TemporaryDirectory(prefix="baton-witness-") as folder:
        place = pathlib.Path(folder)
        vkey = json.loads(expect(run("ledger", "init", "--origin", "log.example/a", "-f", "json", cwd=place), 0).stdout)["vkey"]
        witness = json.loads(expect(run("ledger", "witness", "init", "w", "--name", "w.example/1", "-f", "json", cwd=place), 0).stdout)["vkey"]
        if trusted:
            expect(run("ledger", "witness", "trust", "w", vkey, cwd=place), 0)
        append(place)
        server = Server(place, "--no-store", "--witness", "w")
        try:
            yield place, f"http://127.0.0.1:{server.port}/witness", witness
        finally:
            server.child.terminate()
            server.child.wait(timeout=60)


def append(place):
    expect(run("ledger", "append", "--raw", "-", stdin=b"hello", cwd=place), 0)


def ask(place, url, witness, code=0, **more):
    return expect(run("ledger", "checkpoint", "--witness-url", url, "--witness-key", witness, "-f", "json", cwd=place), code, **more)


def witnessed(place, witness):
    return report(run("ledger", "verify", "--witness-key", witness, "-f", "json", cwd=place))["documents"][0]["facts"]["witnessed"]


@claim
def a_witness_cosigns_over_http_and_what_it_signed_is_kept():
    with parties() as (place, url, witness):
        equal(witnessed(place, witness), None)
        kinds = [signature["type"] for signature in json.loads(ask(place, url, witness).stdout)["signatures"]]
        equal(kinds, ["log", "witness"])
        equal(witnessed(place, witness), 1)


@claim
def a_witness_that_has_seen_more_is_asked_again_with_what_it_says():
    with parties() as (place, url, witness):
        for size in (1, 2, 3):
            ask(place, url + "/", witness)
            equal(witnessed(place, witness), size)
            append(place)


def figure(place):
    """What a server on the ledger says in its metrics."""
    server = raw_server.Server(place, "--listen", "127.0.0.1:0")
    try:
        lines = server.as_admin("GET", "/metrics").body.decode().splitlines()
    finally:
        server.stop()
    return [line.split()[1] for line in lines if line.startswith("baton_ledger_witnessed_size ")]


@claim
def the_size_that_a_witness_has_seen_is_a_metric():
    with parties() as (place, url, witness):
        equal(figure(place), ["0"])
        append(place)
        ask(place, url, witness)
        append(place)  # which nobody has seen
        equal(figure(place), ["2"])


@claim
def a_witness_that_does_not_trust_the_log_adds_nothing():
    with parties(trusted=False) as (place, url, witness):
        ask(place, url, witness, 2, err="the witness refused with status 404")
        equal(witnessed(place, witness), None)


@claim
def a_witness_that_is_not_there_is_a_failure():
    with parties() as (place, url, witness):
        ask(place, "http://127.0.0.1:1", witness, 2, err="no answer came from there")
        expect(run("ledger", "checkpoint", "--witness-url", "ftp://x", "--witness-key", witness, cwd=place), 2, err="--witness-url wants")
        expect(run("ledger", "checkpoint", "--witness-url", url, cwd=place), 2, err="--witness-key")
        equal(witnessed(place, witness), None)


@claim
def a_cosignature_of_another_witness_is_not_kept():
    with parties() as (place, url, witness):
        other = json.loads(expect(run("ledger", "witness", "init", "v", "--name", "v.example/1", "-f", "json", cwd=place), 0).stdout)["vkey"]
        ask(place, url, other, 1)
        equal(witnessed(place, witness), None)


if __name__ == "__main__":
    sys.exit(finish())
