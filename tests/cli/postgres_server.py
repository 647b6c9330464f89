# SPDX-License-Identifier: Apache-2.0
"""postgres_server.py - a PostgreSQL server of our own in a temporary folder, for as long as a test runs.

    postgres_server.py COMMAND...   runs COMMAND with BATON_TEST_POSTGRES set to the server's URL

It listens on a socket in that folder alone. As root it runs as the user postgres, since it refuses to be root."""
import contextlib
import os
import pathlib
import pwd
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse

START_S = 60
STOP_S = 30


def programs():
    """The folder of the server's programs, the newest version first; None when it is not installed."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: -int(path.parent.parent.name))
    return found[0].parent if found and int(found[0].parent.parent.name) >= 15 else None


def _identity():
    """How to start programs as somebody who is not root."""
    if os.getuid() != 0:
        return {}
    try:
        user = pwd.getpwnam("postgres")
    except KeyError:
        return None
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def missing():
    """Why there can be no server here; None when there can."""
    if programs() is None:
        return "PostgreSQL 15 is not installed"
    return "there is no user postgres" if _identity() is None else None


def _start(folder, identity, settings):
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "cwd": folder, **identity}
    subprocess.run([programs() / "initdb", "-D", "data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"],
                   check=True, timeout=START_S, **quiet)
    words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    log = open(folder / "log", "wb")
    with log:
        return subprocess.Popen([programs() / "postgres", "-D", "data", "-k", str(folder), "-c", "listen_addresses=", *words],
                                stderr=log, **quiet)


def _await(folder, server):
    until = time.monotonic() + START_S
    while subprocess.run([programs() / "pg_isready", "-q", "-h", str(folder)], check=False, timeout=START_S).returncode != 0:
        if server.poll() is not None or time.monotonic() > until:
            raise RuntimeError("the server did not start:\n" + (folder / "log").read_text(errors="replace")[-2000:])
        time.sleep(0.05)


def _stop(server):
    if server.poll() is None:
        server.send_signal(signal.SIGINT)  # a fast shutdown: it ends its clients
    try:
        server.wait(STOP_S)
    except subprocess.TimeoutExpired:
        server.send_signal(signal.SIGQUIT)
        server.wait(STOP_S)


@contextlib.contextmanager
def running(**settings):
    """A running server; yields its URL, of the superuser."""
    with tempfile.TemporaryDirectory(prefix="baton-pg-") as name:
        folder = pathlib.Path(name)
        identity = _identity()
        if identity:
            os.chown(folder, identity["user"], identity["group"])
        server = _start(folder, identity, settings)
        try:
            _await(folder, server)
            yield f"postgresql://postgres@/postgres?host={urllib.parse.quote(str(folder), safe='')}"
        finally:
            _stop(server)


def psql(url, sql, check=True):
    """Run statements; what they print, or what went wrong."""
    result = subprocess.run([programs() / "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", sql],
                            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=START_S, check=False)
    if check and result.returncode != 0:
        raise AssertionError(f"{sql}: {result.stderr}")
    return (result.stdout if result.returncode == 0 else result.stderr).strip()


def main():
    reason = missing()
    if reason:
        print(f"1..0 # SKIP {reason}")
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with running() as url:
        return subprocess.run(sys.argv[1:], env={**os.environ, "BATON_TEST_POSTGRES": url}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
