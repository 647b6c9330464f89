# SPDX-License-Identifier: Apache-2.0
"""program.py - runs the built `baton` for the tests beside it; sys.argv[1] is its path."""
import atexit
import fcntl
import json
import os
import pathlib
import pty
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import termios

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tree"))

import open_folder
import tap

BATON = str(pathlib.Path(sys.argv[1]).resolve())
ROOT = pathlib.Path(__file__).parent.parent.parent
SANITIZED = "-sanitized" in sys.argv[2:]
# Where each look takes a run of the program, the sanitizers get one in so many.
STRIDE = 8 if SANITIZED else 1
NOBODY = 65534
TIMEOUT_S = 60
# Where the runs of this test remember the sizes of ledgers.
STATE = tempfile.mkdtemp(prefix="baton-state-")
atexit.register(shutil.rmtree, STATE, ignore_errors=True)
# A configuration for whoever records: a machine that is busy with other tests is not a fault.
PATIENT = "limits: {record_deadline_ms: 60000}\n"


def environment(**more):
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "ASAN_OPTIONS", "UBSAN_OPTIONS") if name in os.environ}
    kept["XDG_CONFIG_HOME"] = "/nonexistent"  # whoever runs the tests may have settings of their own
    kept["XDG_STATE_HOME"] = STATE  # nor do they write to the account's
    return {**kept, "LC_ALL": "C.UTF-8", "TERM": "xterm", **more}


def run(*args, stdin=b"", cwd=None, env=None, **more):
    """One run of baton; stdout and stderr are bytes."""
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": TIMEOUT_S}
    if "stdin" not in more and stdin is not None:
        how["input"] = stdin if isinstance(stdin, bytes) else stdin.encode()
    how.update(more)
    if args[:2] == ("ledger", "init"):  # many tests make ledgers of one origin, one after the other
        shutil.rmtree(STATE, ignore_errors=True)
    return subprocess.run([BATON, *args], cwd=cwd, env=environment(**(env or {})), check=False, **how)


def until(happens, what="it"):
    """Wait for an event, generously; what it gave. Nothing depends on how long that takes."""
    ended = time.monotonic() + TIMEOUT_S
    while time.monotonic() < ended:
        found = happens()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"waited in vain for {what}")


def told(result):
    return f"exit {result.returncode}\nstdout: {(result.stdout or b'')[:2000]!r}\nstderr: {(result.stderr or b'')[:2000]!r}"


def expect(result, code, out=None, err=None):
    """Check the exit code, and that stdout and stderr hold these words. Without `err`, stderr is empty."""
    if result.returncode != code:
        raise AssertionError(f"expected exit {code}, got {told(result)}")
    if out is not None and out.encode() not in result.stdout:
        raise AssertionError(f"stdout does not hold {out!r}: {told(result)}")
    if err is None and result.stderr:
        raise AssertionError(f"stderr is not empty: {told(result)}")
    if err is not None and (err.encode() not in result.stderr or not result.stderr.startswith((b"baton: ", b"made ", b"No "))):
        raise AssertionError(f"stderr does not hold {err!r}: {told(result)}")
    return result


def report(result):
    """The object that -f json printed."""
    return json.loads(result.stdout)


def codes(result):
    return [finding["code"] for document in report(result)["documents"] for finding in document["findings"]]


def equal(actual, expected):
    if actual != expected:
        raise AssertionError(f"got {actual!r}\nexpected {expected!r}")


def on_terminal(*args, env=None, cwd=None):
    """Exit code and output of a run whose standard streams are a terminal."""
    return on_terminal_with("", *args, env=env, cwd=cwd)


def on_terminal_with(typed, *args, env=None, cwd=None, columns=0):
    """The same, with a person who types, on a terminal of so many columns; 0 when it does not say."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    os.write(master, typed.encode())
    process = subprocess.Popen([BATON, *args], stdin=slave, stdout=slave, stderr=slave, cwd=cwd,
                               env=environment(**(env or {})))
    os.close(slave)
    output = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # the last writer has gone
            break
        if not part:
            break
        output += part
    os.close(master)
    return process.wait(TIMEOUT_S), output


def claim_if(possible, reason):
    """A claim that is skipped, with the reason, where it cannot be tried."""
    def register(function):
        if possible:
            return tap.claim(function)

        def skipped():
            pass
        skipped.__name__ = f"{function.__name__} # SKIP {reason}"
        return tap.claim(skipped)
    return register


def public_folder(files):
    """Like folder(), for other accounts too: they can enter it and read what is in it."""
    place = open_folder.make()
    tap.write(place.name, files)
    return place


def run_as_nobody(place, *args, stdin=b"", env=None):
    """One run of baton by an account without rights, in a public folder; a run of ours when we are not root. The program
    is copied there: it may stand where only root can look."""
    program = pathlib.Path(place, "baton")
    if not program.exists():
        shutil.copy(BATON, program)
        program.chmod(0o755)
    who = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    return subprocess.run([program, *args], input=stdin, capture_output=True, cwd=place, timeout=TIMEOUT_S, check=False,
                          env=environment(**{"HOME": str(place), **(env or {})}), **who)


folder = tap.sample
claim = tap.claim
finish = tap.run
