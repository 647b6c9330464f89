# SPDX-License-Identifier: Apache-2.0
"""test_sync.py BATON MODULE - a server whose disk fails to sync: nothing is acknowledged, and the process ends with 2."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from handoffs import GOOD, text_of  # noqa: E402
from program import TIMEOUT_S, claim_if, SANITIZED, equal, expect, finish, report, run  # noqa: E402
from raw_server import serving  # noqa: E402

HANDOFF = text_of(GOOD).encode()
MODULE = str(pathlib.Path(sys.argv[2]).resolve())


@claim_if(not SANITIZED, "the sanitizer wants to be loaded first")
def a_sync_that_fails_ends_the_server_and_acknowledges_nothing():
    with serving(store=True, env={"LD_PRELOAD": MODULE, "BATON_FAIL_SYNC": "fail"}) as server:
        # The control: the same server with a disk that works.
        equal(server.ask("POST", "/v1/handoffs", HANDOFF).status, 201)
        (server.folder / "fail").write_text("")
        answer = server.ask("POST", "/v1/handoffs", HANDOFF.replace(b"6a0f2c1d", b"00000001"))
        equal((answer.status, answer.json["outcome"]), (503, "unknown"))
        equal(server.process.wait(TIMEOUT_S), 2)
        server.process.returncode = 0
        (server.folder / "fail").unlink()
        # The next one reads the truth from the disk, whichever it is.
        size = report(expect(run("ledger", "checkpoint", "-f", "json", cwd=server.folder), 0))["size"]
        equal(size in (1, 2), True)


sys.exit(finish())
