# SPDX-License-Identifier: Apache-2.0
"""test_demo.py BATON - what script/run starts: it comes up, is fed with every dialect, and goes down cleanly."""
import pathlib
import signal
import subprocess
import sys
import tempfile

from program import BATON, ROOT, claim, environment, equal, finish

RUN = [sys.executable, "-B", str(ROOT / "examples/demo/run.py"), BATON]


def told(done):
    return done.returncode, done.stderr.decode()[-2000:]


@claim
def the_first_requests_are_answered_and_it_ends_by_itself():
    with tempfile.TemporaryDirectory() as place:
        done = subprocess.run([*RUN, place, "--check"], capture_output=True, env=environment(), timeout=200, check=False)
        equal(told(done), (0, ""))


@claim
def ctrl_c_stops_all_of_it_and_the_ledger_stays():
    with tempfile.TemporaryDirectory() as place:
        demo = subprocess.Popen([*RUN, place], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        try:
            lines = iter(demo.stdout.readline, b"")
            equal(any(b"/#token=bt_" in line for line in lines), True)
        finally:
            demo.send_signal(signal.SIGINT)
            _, errors = demo.communicate(timeout=200)
        equal((demo.returncode, errors.decode()[-2000:]), (0, ""))
        verified = subprocess.run([BATON, "ledger", "verify", "--store", ".baton/store.db"], cwd=pathlib.Path(place), capture_output=True, env=environment(), check=False)
        equal(verified.returncode, 0)


finish()
