# SPDX-License-Identifier: Apache-2.0
"""postgres_server.py - a PostgreSQL server of our own in a temporary folder, for as long as a test runs.

    postgres_server.py COMMAND...   runs COMMAND with BATON_TEST_POSTGRES set to the server's URL

It listens on a socket in that folder alone. As root it runs as the user postgres, since it refuses to be root."""
import contextlib
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse

START_S = 60
STOP_S = 30

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tree"))

import open_folder

# No test cuts the power of a server: in memory its syncs cost nothing. Whoever measures sets another place. Elsewhere the
# account of the server must be able to enter.
MEMORY = "/dev/shm"
MEMORY_BYTES = 2 << 30  # several servers at a time, with their logs
if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= MEMORY_BYTES:
    tempfile.tempdir = MEMORY
else:
    tempfile.tempdir = open_folder.place(programs=False)


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


class Server:
    """A server in a folder; its URL is that of the superuser, on a socket in that folder."""

    def __init__(self, folder, **settings):
        self.folder = pathlib.Path(folder).resolve()
        self.folder.mkdir(exist_ok=True)
        self.settings = {"listen_addresses": "", "port": 5432, **settings}
        self.process = None
        self.identity = _identity()
        if self.identity:
            os.chown(self.folder, self.identity["user"], self.identity["group"])
        self.quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "cwd": self.folder, **self.identity}
        self.host = urllib.parse.quote(str(self.folder), safe="")
        self.url = f"postgresql://postgres@/postgres?host={self.host}&port={self.settings['port']}"

    def make(self):
        """A new database."""
        self._do("initdb", "--no-sync", "-D", "data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8")
        return self

    def copy(self, primary):
        """What a standby of another server begins with."""
        self._do("pg_basebackup", "-h", str(primary.folder), "-U", "postgres", "-D", "data", "-R", "-X", "stream", "-c", "fast")
        return self

    def _do(self, program, *words):
        done = subprocess.run([programs() / program, *words], check=False, timeout=START_S, stderr=subprocess.PIPE, text=True, **self.quiet)
        if done.returncode != 0:
            raise RuntimeError(f"{program} ends with {done.returncode}:\n{done.stderr[-2000:]}")

    def start(self):
        words = [word for name, value in self.settings.items() for word in ("-c", f"{name}={value}")]
        with open(self.folder / "log", "ab") as log:
            # A session of its own, so that it can be killed as a whole.
            self.process = subprocess.Popen([programs() / "postgres", "-D", "data", "-k", str(self.folder), *words],
                                            stderr=log, start_new_session=True, **self.quiet)
        until = time.monotonic() + START_S
        ready = [programs() / "pg_isready", "-q", "-h", str(self.folder), "-p", str(self.settings["port"])]
        while subprocess.run(ready, check=False, timeout=START_S).returncode != 0:
            if self.process.poll() is not None or time.monotonic() > until:
                raise RuntimeError("the server did not start:\n" + (self.folder / "log").read_text(errors="replace")[-2000:])
            time.sleep(0.05)
        return self

    def promote(self):
        self._do("pg_ctl", "-D", "data", "promote", "-w")

    def signal(self, number):
        """Send a signal to every process of the server: each has a group of its own, and the first is stopped so that none is added meanwhile."""
        self.process.send_signal(signal.SIGSTOP)
        for child in pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(child), number)
        self.process.send_signal(number)

    def kill(self):
        """End all of it at once, as a power cut of the machine would for whoever talks to it."""
        self.signal(signal.SIGKILL)
        self.process.wait(STOP_S)

    def stop(self):
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)  # a fast shutdown: it ends its clients
        try:
            self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.kill()


@contextlib.contextmanager
def hosting(**settings):
    """A running server in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="baton-pg-") as name:
        server = Server(name, **settings)
        try:
            yield server.make().start()
        finally:
            server.stop()


@contextlib.contextmanager
def running(**settings):
    """A running server; yields its URL, of the superuser."""
    with hosting(**settings) as server:
        yield server.url


def psql(url, sql, check=True):
    """Run statements; what they print, or what went wrong."""
    result = subprocess.run([programs() / "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", sql],
                            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=START_S, check=False)
    if check and result.returncode != 0:
        raise AssertionError(f"{sql}: {result.stderr}")
    return (result.stdout if result.returncode == 0 else result.stderr).strip()


@contextlib.contextmanager
def holding(url, sql):
    """Whatever a statement locks stays locked for a while."""
    words = [programs() / "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as session:
        session.stdin.write(f"BEGIN;\n{sql};\nSELECT 'held';\n")
        session.stdin.flush()
        try:
            if session.stdout.readline() != "held\n":
                raise AssertionError(f"not held: {sql}")
            yield
        finally:
            session.stdin.close()
            session.wait(STOP_S)


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
