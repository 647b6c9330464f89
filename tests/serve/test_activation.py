# SPDX-License-Identifier: Apache-2.0
"""test_activation.py BATON - a server that a service manager starts: its sockets, and what it is told."""
import contextlib
import json
import os
import pathlib
import socket
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from program import BATON, TIMEOUT_S, claim, environment, equal, finish, folder  # noqa: E402
from raw_server import Connection  # noqa: E402

# The process id is known only to the process itself, which becomes the server.
START = 'LISTEN_PID=${PID_OF:-$$} exec "$0" serve --no-store -f json --listen 127.0.0.1:0 "$@"'


def health(address=None):
    host = "%s:%d" % address if address else "localhost"
    return f"GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()


def start(descriptor, place, *flags, **env):
    """Begin a server that finds `descriptor` as number 3; the process."""
    return subprocess.Popen(["sh", "-c", START, BATON, *flags], cwd=place, env=environment(LISTEN_FDS="1", **env), close_fds=False,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=lambda: os.set_inheritable(os.dup2(descriptor, 3), True))


def end(server):
    server.terminate()
    server.communicate(timeout=TIMEOUT_S)
    equal(server.returncode, 0)


def listening(server):
    return json.loads(server.stdout.readline())["listen"]


@contextlib.contextmanager
def bound(*address):
    with socket.create_server(address or ("127.0.0.1", 0)) as held:
        yield held


@claim
def a_restart_loses_no_connection():
    with folder({}) as place, bound() as held:
        where = held.getsockname()
        first = start(held.fileno(), place)
        equal(listening(first), [f"http://127.0.0.1:{where[1]}"])
        with Connection(where) as early:
            equal(early.send(health(where)).answer().status, 200)
        end(first)
        with Connection(where) as between:  # nobody serves, and the socket takes it all the same
            between.send(health(where))
            second = start(held.fileno(), place)
            equal(between.answer().status, 200)
        end(second)


@claim
def sockets_for_another_process_are_left_alone():
    with folder({}) as place, bound() as held:
        server = start(held.fileno(), place, PID_OF="1")
        equal(f"http://127.0.0.1:{held.getsockname()[1]}" in listening(server), False)
        end(server)


@claim
def a_unix_socket_is_taken_too():
    with folder({}) as place, socket.socket(socket.AF_UNIX) as held:
        held.bind(f"{place}/baton.sock")
        held.listen()
        server = start(held.fileno(), place)
        equal(listening(server), [f"unix:{place}/baton.sock"])
        with Connection(f"{place}/baton.sock") as client:
            equal(client.send(health()).answer().status, 200)
        end(server)


@claim
def what_does_not_listen_and_what_strangers_could_reach_is_refused():
    with folder({}) as place, bound("0.0.0.0", 0) as foreign, socket.socket() as idle:
        for descriptor, reason in ((idle.fileno(), b"not a socket that listens"), (foreign.fileno(), b"needs --tokens or --client-ca")):
            server = start(descriptor, place)
            _, said = server.communicate(timeout=TIMEOUT_S)
            equal((server.returncode, reason in said), (2, True))


@claim
def the_manager_is_told_when_it_is_ready_and_when_it_stops():
    with folder({}) as place, bound() as held, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.settimeout(TIMEOUT_S)
        manager.bind(f"{place}/notify")
        server = start(held.fileno(), place, NOTIFY_SOCKET=f"{place}/notify")
        equal(manager.recv(100), b"READY=1")
        with Connection(held.getsockname()) as client:
            equal(client.send(health(held.getsockname())).answer().status, 200)
        server.terminate()
        equal(manager.recv(100), b"STOPPING=1")
        server.communicate(timeout=TIMEOUT_S)
        equal(server.returncode, 0)


sys.exit(finish())
