# SPDX-License-Identifier: Apache-2.0
"""test_mutated.py BATON - requests that are nearly right, many at once and one behind the other, see mutations.py: every one is answered or refused, and the server lives.

BATON_REQUESTS is how many have to be answered, BATON_SEED which ones they are; BATON_BATCH sends the one batch of that number, to look at a finding again. A finding is an
end of the server, a report of a sanitizer, an answer 500, a request that the server neither answers nor closes, or a descriptor that stays open.
A server gets at most LIFE of them and then makes room for a new one with an empty store: filtered lists read every entry, which takes long under a sanitizer."""
import collections
import json
import os
import pathlib
import re
import selectors
import socket
import struct
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from mutations import Generator  # noqa: E402
from program import TIMEOUT_S, claim, equal, expect, finish, run  # noqa: E402
from raw_server import serving  # noqa: E402

REQUESTS = int(os.environ.get("BATON_REQUESTS", "1500"))
SEED = int(os.environ.get("BATON_SEED", "1"))
BATCH = os.environ.get("BATON_BATCH")
LIFE = 100_000
BATCH_SIZE = 16
AT_ONCE = 24
QUIET_S = 0.5  # a broken request that gets no answer in this time is ended by closing our side
ABORT = struct.pack("ii", 1, 0)  # SO_LINGER: closing resets the connection
CONFIG = ("log: {level: error}\nrate: {check: 0, submit: 0, auth_failures: 10000}\ncors: {origins: ['https://ok.example']}\n"
          "limits: {header_timeout_s: 5, body_timeout_s: 5, connections_per_address: 10000, streams_per_principal: 1000, record_deadline_ms: 60000}\n")
LENGTH = re.compile(rb"\r\nContent-Length: (\d+)\r\n")


class Talk:
    """One connection with a batch of requests, which are sent at once."""

    def __init__(self, place, requests, where):
        self.requests, self.where = requests, where
        self.out = memoryview(b"".join(data for _, data, _ in requests))
        self.socket = socket.create_connection(place, TIMEOUT_S)
        self.socket.setblocking(False)
        self.read = bytearray()
        self.done = 0       # requests that were answered
        self.is_last = False  # nothing more is answered here
        self.is_ended = False  # our side is closed
        self.heard = time.monotonic()

    def send(self):
        while self.out:
            try:
                self.out = self.out[self.socket.send(self.out[:1 << 18]):]
            except BlockingIOError:
                return
            except OSError:
                self.out = memoryview(b"")

    def answers(self):
        """The statuses of the answers that have come."""
        found = []
        at = 0
        while not self.is_last:
            end = self.read.find(b"\r\n\r\n", at)
            if end < 0:
                break
            head = bytes(self.read[at:end + 4])
            status = int(head[9:12])
            method = self.requests[self.done][0] if self.done < len(self.requests) else "?"
            length = LENGTH.search(head)
            size = 0 if method == "HEAD" or status == 100 or not length else int(length.group(1))
            if b"\r\nTransfer-Encoding: chunked\r\n" in head:
                self.is_last = True  # a stream: we have seen enough
            elif method == "?" and status != 100:
                self.is_last = True
            elif len(self.read) < end + 4 + size:
                break
            at = end + 4 + size
            if status != 100:
                found.append((status, bytes(self.read[end + 4:at][:200])))
                self.done += 1
            self.is_last = self.is_last or b"\r\nConnection: close\r\n" in head
        del self.read[:at]
        return found


class Client:
    def __init__(self, server, generator):
        self.server, self.generator = server, generator
        self.selector = selectors.DefaultSelector()
        self.talks = set()
        self.again = []  # requests behind one that ended its connection
        self.next = 0
        self.sent = self.resets = self.silent = 0
        self.statuses = collections.Counter()
        self.findings = []

    def begin(self):
        if self.again:
            requests, where = self.again.pop()
        else:
            number = self.next if BATCH is None else int(BATCH)
            requests, where = self.generator.batch(number, BATCH_SIZE), (number, 0)
            self.next += 1
            self.sent += len(requests)
        talk = Talk(self.server.place, requests, where)
        talk.send()
        self.talks.add(talk)
        self.selector.register(talk.socket, selectors.EVENT_READ | (selectors.EVENT_WRITE if talk.out else 0), talk)

    def end(self, talk, is_reset):
        """A connection is over: what was not answered is sent again, but for the request that ended it."""
        self.selector.unregister(talk.socket)
        self.talks.discard(talk)
        talk.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, ABORT)
        talk.socket.close()
        self.resets += 1 if is_reset else 0
        rest = talk.done
        if not talk.is_last and rest < len(talk.requests):
            self.silent += 1
            if talk.requests[rest][2] and not is_reset:
                self.findings.append(f"a sound request got no answer: {self.name(talk)} {talk.requests[rest][1][:400]!r}")
            rest += 1
        if rest < len(talk.requests):
            self.again.append((talk.requests[rest:], (talk.where[0], talk.where[1] + rest)))

    @staticmethod
    def name(talk):
        return f"batch {talk.where[0]}, request {talk.where[1] + talk.done}"

    def hear(self, talk):
        try:
            part = talk.socket.recv(1 << 18)
        except BlockingIOError:
            return
        except OSError:
            self.end(talk, True)
            return
        talk.heard = time.monotonic()
        talk.read += part
        name, before = self.name(talk), talk.done
        for number, (status, body) in enumerate(talk.answers()):
            self.statuses[status] += 1
            if status == 500:
                self.findings.append(f"{name} and {number} more: 500 {body!r} to {talk.requests[min(before + number, len(talk.requests) - 1)][1][:400]!r}")
        if not part or talk.is_last or talk.done == len(talk.requests):
            self.end(talk, False)

    def look(self):
        """What has been silent for long."""
        now = time.monotonic()
        for talk in list(self.talks):
            is_sound = talk.done < len(talk.requests) and talk.requests[talk.done][2]
            if now - talk.heard > TIMEOUT_S:
                self.findings.append(f"neither answered nor closed: {self.name(talk)}")
                self.end(talk, True)
            elif not is_sound and not talk.is_ended and not talk.out and now - talk.heard > QUIET_S:
                talk.is_ended = True
                try:
                    talk.socket.shutdown(socket.SHUT_WR)
                except OSError:
                    self.end(talk, True)

    def turn(self):
        for key, events in self.selector.select(0.1):
            talk = key.data
            if events & selectors.EVENT_WRITE:
                talk.send()
                if not talk.out:
                    self.selector.modify(talk.socket, selectors.EVENT_READ, talk)
            if events & selectors.EVENT_READ:
                self.hear(talk)

    def run(self, count):
        """Until so many requests were answered, or something was found."""
        looked = 0.0
        while not self.findings and (self.talks or sum(self.statuses.values()) < count):
            is_full = sum(self.statuses.values()) >= count or (BATCH is not None and self.next > 0 and not self.again)
            while len(self.talks) < AT_ONCE and not is_full and (BATCH is None or self.next == 0 or self.again):
                self.begin()
            self.turn()
            if time.monotonic() - looked > 0.2:
                looked = time.monotonic()
                self.look()
            if BATCH is not None and not self.talks and not self.again:
                break

    def report(self):
        classes = collections.Counter()
        for status, number in self.statuses.items():
            classes[status // 100] += number
        told = ", ".join(f"{number} {status}xx" for status, number in sorted(classes.items()))
        return f"{self.sent} requests sent, {sum(self.statuses.values())} answered ({told}), {self.silent} closed without an answer, {self.resets} resets, {len(self.findings)} findings"


def memory_kib(server):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{server.process.pid}/status").read_text()).group(1))


def send_to_one_server(openapi, seed, count):
    with tempfile.TemporaryDirectory(prefix="baton-root-") as root, serving("--conformance-fixtures", "--root", root, store=True, files={"baton.yaml": CONFIG}) as server:
        equal(server.ask("GET", "/healthz").status, 200)
        before = server.descriptors_at_rest()
        client = Client(server, Generator(openapi, server.host, server.token, seed))
        try:
            client.run(count)
        except OSError as why:
            client.findings.append(f"{why}; the server {'lives' if server.process.poll() is None else 'has ended'}: {server.log()[-6000:]}")
        print(f"# seed {seed}: {client.report()}; {memory_kib(server) if server.process.poll() is None else 0} KiB in memory", flush=True)
        if client.findings:
            raise AssertionError("\n".join(client.findings[:5]))
        equal(server.ask("GET", "/healthz").status, 200)
        equal(server.descriptors_at_rest(), before)


@claim
def requests_that_are_nearly_right_are_answered_or_refused():
    openapi = json.loads(expect(run("serve", "--print-openapi"), 0).stdout)
    for seed, sent in enumerate(range(0, REQUESTS, LIFE), SEED):
        send_to_one_server(openapi, seed, min(LIFE, REQUESTS - sent))


sys.exit(finish())
