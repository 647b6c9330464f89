# SPDX-License-Identifier: Apache-2.0
"""test_clock.py BATON MODULE - nodes whose clocks are off, beside a database that has one of its own."""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

import postgres_server  # noqa: E402
from program import SANITIZED, claim_if, equal, expect, finish, folder, run  # noqa: E402
from raw_server import Server  # noqa: E402

MODULE = str(pathlib.Path(sys.argv[2]).resolve())
WITHOUT = "the sanitizer wants to be loaded first" if SANITIZED else postgres_server.missing()


def readiness(home, store, skew):
    """What a node that is so many seconds off says of itself."""
    server = Server(home, "--listen", "127.0.0.1:0", "--store", store, env={"LD_PRELOAD": MODULE, "BATON_SKEW": str(skew)})
    try:
        answer = server.ask("GET", "/readyz")
    finally:
        code = server.stop()
    equal(code, 0)
    return answer.status, answer.json.get("checks")


def made(home, store):
    expect(run("ledger", "init", "--origin", "clock.example/log", "--store", store, cwd=home), 0)
    return store


@claim_if(not WITHOUT, WITHOUT)
def a_node_whose_clock_is_far_from_the_databases_is_not_ready():
    with folder({}) as home, tempfile.TemporaryDirectory(prefix="baton-pg-") as place:
        postgres = postgres_server.Server(place).make().start()
        try:
            store = made(home, postgres.url + "&schema=clock")
            for skew in (0, 20, -20):
                equal(readiness(home, store, skew), (200, None))
            for skew in (45, -45, 3600):
                equal(readiness(home, store, skew), (503, {"store": "ok", "ledger": "ok", "clock": "failing", "draining": False}))
        finally:
            postgres.stop()


@claim_if(not SANITIZED, WITHOUT)
def a_store_in_a_file_has_no_other_clock_to_be_compared_with():
    with folder({}) as home:
        equal(readiness(home, made(home, "s.db"), 3600), (200, None))


sys.exit(finish())
