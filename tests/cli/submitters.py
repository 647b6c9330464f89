# SPDX-License-Identifier: Apache-2.0
"""submitters.py - clients that submit handoffs while things break, a balancer before several servers, and what the ledger has of it all."""
import contextlib
import socket
import threading
import time

from handoffs import GOOD, text_of
from program import TIMEOUT_S, expect, report, run
from raw_server import Connection

HANDOFF = text_of(GOOD).encode()
HOST = "faults.example"  # a server must be told that it is called so


def trace(number):
    return "%08x-8b3e-4c57-9d21-5e7f90ab13c4" % number


def numbered(number):
    """A handoff that differs from every other in its trace."""
    return HANDOFF.replace(b"6a0f2c1d", b"%08x" % number)


def submit(place, number, key=None):
    """The answer to a submission, or None when the connection was cut, and the milliseconds it took."""
    body = numbered(number)
    more = f"Idempotency-Key: {key}\r\n" if key else ""
    began = time.monotonic()
    answer = None
    try:
        with Connection(place) as connection:
            connection.send(f"POST /v1/handoffs HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\n{more}"
                            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
            answer = connection.answer()
    except OSError:
        pass
    return answer, (time.monotonic() - began) * 1000


def entries(folder, *flags):
    """Every entry of a ledger, page by page."""
    found = []
    while True:
        page = report(expect(run("ledger", "tail", "--from", str(len(found)), "-n", "1000", "-f", "json", *flags, cwd=folder), 0))["entries"]
        if not page:
            return found
        found += page


def record_of(answer):
    """What an acceptance or a refusal says of its entry."""
    said = answer.json
    return said["documents"][0]["record"] if answer.status == 201 else said["record"]


def lost(answers, there):
    """The acknowledged decisions that a ledger does not have."""
    leaves = {entry["seq"]: entry["leaf_hash"] for entry in there}
    return [record for record in map(record_of, answers) if leaves.get(record["seq"]) != record["leaf_hash"]]


class Submitters:
    """Clients that submit until they are told to stop; each number again, with its key, until it is decided."""

    def __init__(self, place, clients=4, count=None, keys=True):
        self.place, self.count, self.keys = place, count, keys
        self.decided, self.unavailable, self.cut = {}, [], 0
        self.lock, self.next, self.stopped = threading.Lock(), 0, threading.Event()
        self.threads = [threading.Thread(target=self._work, daemon=True) for _ in range(clients)]
        for thread in self.threads:
            thread.start()

    def _take(self):
        with self.lock:
            if self.stopped.is_set() or self.next == self.count:
                return None
            self.next += 1
            return self.next - 1

    def _work(self):
        while (number := self._take()) is not None:
            while not self._once(number) and not self.stopped.is_set():
                time.sleep(0.01)

    def _once(self, number):
        answer, took = submit(self.place, number, f"k{number}" if self.keys else None)
        with self.lock:
            if answer is None:
                self.cut += 1
            elif answer.status == 503:
                self.unavailable.append((took, answer.json["outcome"]))
            else:
                self.decided[number] = answer
                return True
        return False

    def alive(self):
        return any(thread.is_alive() for thread in self.threads)

    def longest(self):
        return max((took for took, _ in self.unavailable), default=0)

    def join(self):
        for thread in self.threads:
            thread.join(10 * TIMEOUT_S)

    def stop(self):
        self.stopped.set()
        self.join()


class Balancer:
    """Passes each connection on to the next server that takes it, and loses each so-manieth answer."""

    def __init__(self, places, loses):
        self.places, self.turn, self.loses, self.lost = list(places), 0, loses, 0
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.place = self.listener.getsockname()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = self._next()
            if server is None:
                client.close()
                continue
            loses = self.turn % self.loses == 0
            threading.Thread(target=self._pass, args=(client, server, False), daemon=True).start()
            threading.Thread(target=self._pass, args=(server, client, loses), daemon=True).start()

    def _next(self):
        for _ in range(len(self.places)):
            self.turn += 1
            try:
                return socket.create_connection(self.places[self.turn % len(self.places)], TIMEOUT_S)
            except OSError:
                pass
        return None

    def _pass(self, source, sink, loses):
        """One direction; the other ends by itself, and only then is nothing of this pair in use."""
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if loses:
                    self.lost += 1
                    break
                sink.sendall(data)
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_WR)

    def close(self):
        self.listener.close()
