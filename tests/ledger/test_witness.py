# SPDX-License-Identifier: Apache-2.0
"""test_witness.py BATON NO_LOCK - two histories are brought before one witness at once, and it is killed now and
then: it never cosigns two roots for one size. BATON_PAIRS in the environment asks for more than 200 pairs of
requests. The negative control preloads NO_LOCK, so that the witness's lock does nothing."""
import fcntl
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from ledger_tools import NOW, VKEY, do, ledger
from program import BATON, SANITIZED, claim, environment, equal, finish

NO_LOCK = str(pathlib.Path(sys.argv[2]).resolve())
PAIRS = int(os.environ.get("BATON_PAIRS", "50" if SANITIZED else "200"))
rng = random.Random(1)


def request_of(content):
    """The request for a history of one entry."""
    with ledger(content) as folder:
        return do(folder, "ledger", "prove", "consistency", "0").stdout


REQUESTS = [request_of("one"), request_of("two")]


FRESH = tempfile.TemporaryDirectory(prefix="baton-witness-")
do(FRESH.name, "ledger", "witness", "init", "w", "--name", "witness.example/w1", "--seed", "7")
do(FRESH.name, "ledger", "witness", "trust", "w", VKEY)


def ask(folder, request, env):
    process = subprocess.Popen([BATON, "ledger", "witness", "add", "w", "-", *NOW], cwd=folder, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(**env))
    process.stdin.write(request)
    process.stdin.flush()
    return process


def bring_both(folder, env, kill):
    """Which of the two histories were cosigned."""
    processes = [ask(folder, request, env) for request in REQUESTS]
    for process in processes:
        process.stdin.close()  # they wait for the end of the request, so both begin now
        process.stdin = None
    if kill:
        time.sleep(rng.random() * 0.012)
        processes[rng.randrange(2)].send_signal(signal.SIGKILL)
    return [number for number, process in enumerate(processes) if process.communicate()[0].startswith("—".encode())]


def cosigned_by_pairs(pairs, env, kill):
    """For each pair, the histories that got a cosignature, now or when they are brought once more."""
    results = []
    for _ in range(pairs):
        with tempfile.TemporaryDirectory(prefix="baton-witness-") as name:
            folder = pathlib.Path(name)
            shutil.copytree(FRESH.name, folder, dirs_exist_ok=True)
            signed = set(bring_both(folder, env, kill))
            signed |= set(bring_both(folder, env, False))
            results.append(signed)
    return results


@claim
def a_witness_never_cosigns_two_histories():
    results = cosigned_by_pairs(PAIRS, {}, True)
    equal([signed for signed in results if len(signed) > 1], [])
    winners = {number for signed in results for number in signed}
    print(f"# {PAIRS} pairs, {sum(map(len, results))} cosigned, winners {sorted(winners)}")
    equal(len(winners), 2)


@claim
def without_its_lock_a_witness_would_cosign_two():
    # A sanitizer wants to be loaded first, and does not need to be.
    without_lock = {"LD_PRELOAD": NO_LOCK, "ASAN_OPTIONS": "verify_asan_link_order=0"}
    for _ in range(40):
        if any(len(signed) > 1 for signed in cosigned_by_pairs(5, without_lock, False)):
            return
    raise AssertionError("two requests at once were never both granted")


@claim
def a_witness_waits_for_its_lock_for_a_bounded_time():
    with tempfile.TemporaryDirectory(prefix="baton-witness-") as name:
        shutil.copytree(FRESH.name, name, dirs_exist_ok=True)
        with open(pathlib.Path(name) / "w/witness.lock", "wb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            process = ask(name, REQUESTS[0], {})
            out, err = process.communicate(timeout=60)
        equal((process.returncode, out), (2, b""))
        equal(b"another process has it" in err, True)
        answer, _ = ask(name, REQUESTS[0], {}).communicate(timeout=60)  # it is free again
        equal(answer.startswith("—".encode()), True)


sys.exit(finish())
