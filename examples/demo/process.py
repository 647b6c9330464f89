# SPDX-License-Identifier: Apache-2.0
"""process.py - one run at a time, who uses a port, and children that end with their parent. Linux only, as Baton is."""
import ctypes
import errno
import fcntl
import os
import pathlib
import signal
import socket
import sys
import time

PR_SET_PDEATHSIG = 1
TCP_LISTEN = "0A"
ENDING_S = 60  # how long the children of a run that was killed may take to finish
libc = ctypes.CDLL(None)


def name_of(pid):
    try:
        return f"process {pid} ({pathlib.Path(f'/proc/{pid}/comm').read_text().strip()})"
    except OSError:
        return f"process {pid}"


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def users_of(link):
    """The processes that have this open, as /proc/PID/fd names it; those of other users are not seen."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*/fd"):
        try:
            if any(os.readlink(entry) == link for entry in folder.iterdir()):
                found.append(int(folder.parent.name))
        except OSError:
            continue
    return sorted(found)


def listeners(port):
    """The processes that listen at a TCP port of this machine."""
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in pathlib.Path(table).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == TCP_LISTEN and int(fields[1].rsplit(":", 1)[1], 16) == port:
                found.update(users_of(f"socket:[{fields[9]}]"))
    return sorted(found)


def why_busy(port):
    """None when a server can listen at the port, else a sentence about who does."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
            return None
        except OSError as why:
            if why.errno != errno.EADDRINUSE:
                return f"port {port} cannot be used: {why.strerror}"
    users = " and ".join(map(name_of, listeners(port)))
    return f"port {port} is in use by " + (users or f"a process of another user (as root, `ss -ltnp sport = :{port}` names it)")


def say(text, stream=sys.stdout):
    """Print; a terminal that is gone is no reason to stop cleaning up."""
    try:
        print(text, file=stream, flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def lock(place, stopped):
    """Keep PLACE for this process and its children. The lock is an open file that the children inherit: it is free again
    when all of them have ended, however they end."""
    file = open(place / "lock", "a+", encoding="utf-8")
    deadline = time.monotonic() + ENDING_S
    told = False
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            file.seek(0)
            owner = int(file.read() or 0)
        if owner and is_alive(owner):
            raise SystemExit(f"{place} is in use: {name_of(owner)} runs the demo there.\n"
                             f"Open the console that it printed, or stop it: Ctrl-C in its terminal, or kill {owner}")
        left = [pid for pid in users_of(file.name) if pid != os.getpid()]
        if time.monotonic() > deadline:
            raise SystemExit(f"{place} is in use: {', '.join(map(name_of, left)) or 'something'} of an earlier run has not ended.\n"
                             f"Stop it: kill {' '.join(map(str, left))}")
        if not told:
            say("==> waiting until what an earlier run left behind has ended: " + ", ".join(map(name_of, left)))
            told = True
        if stopped.wait(0.1):
            raise SystemExit("stopped")
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file


def end_with(parent):
    """For the child, before it executes: be told to end when PARENT ends, even if that is killed."""
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        os._exit(1)
