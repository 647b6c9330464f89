# SPDX-License-Identifier: Apache-2.0
"""bus_client.py - a client of the bus, for the tests beside it: frames, proofs, messages, deliveries."""
import base64
import json
import os
import socket
import ssl
import struct
import subprocess

from pump_place import PATIENCE_S

CHALLENGE, HELLO, WELCOME, SEND, ACK, NAK, DELIVER, TAKEN, BYE = range(0x20, 0x29)


def frame(kind, ident=0, body=b""):
    return struct.pack(">IBQ", 9 + len(body), kind, ident) + body


class Bus:
    """A connection; `hear` gives (type, id, body), or None when the pump has hung up."""

    def __init__(self, where, trusted=None):
        if isinstance(where, int):
            self.socket = socket.create_connection(("127.0.0.1", where), timeout=PATIENCE_S)
            if trusted:
                context = ssl.create_default_context(cafile=str(trusted))
                context.check_hostname = False
                self.socket = context.wrap_socket(self.socket)
        else:
            self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            here = os.open(where.parent, os.O_PATH)
            self.socket.connect(f"/proc/self/fd/{here}/{where.name}")
            os.close(here)
        self.socket.settimeout(PATIENCE_S)
        self.sent = 0
        self.waiting = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def exactly(self, size):
        data = b""
        while len(data) < size:
            try:
                more = self.socket.recv(size - len(data))
            except (ConnectionResetError, ssl.SSLError):
                more = b""
            if not more:
                return None
            data += more
        return data

    def say(self, kind, ident=0, body=b""):
        self.socket.sendall(frame(kind, ident, body if isinstance(body, bytes) else body.encode()))

    def hear(self):
        head = self.exactly(13)
        if head is None:
            return None
        length, kind, ident = struct.unpack(">IBQ", head)
        return kind, ident, self.exactly(length - 9)

    def await_kind(self, *kinds):
        """The next frame of these kinds; others are kept for later."""
        for place, one in enumerate(self.waiting):
            if one[0] in kinds:
                return self.waiting.pop(place)
        while True:
            heard = self.hear()
            if heard is None or heard[0] in kinds:
                return heard
            self.waiting.append(heard)

    def hello(self, client, token=None, key=None, **more):
        """What the pump says to a HELLO."""
        kind, _, challenge = self.hear()
        if kind != CHALLENGE or len(challenge) != 32:
            raise AssertionError(f"no challenge: {kind}")
        said = {"protocol": 1, "client": client, **more}
        if token is not None:
            said["token"] = token
        if key:
            said["signature"] = sign(key, challenge)
        self.say(HELLO, 0, json.dumps(said))
        return self.hear()

    def send(self, message):
        """What the pump says to a message: (True, ACK) or (False, NAK)."""
        self.sent += 1
        self.say(SEND, self.sent, message)
        heard = self.await_kind(ACK, NAK)
        if heard is None:
            return None
        kind, ident, body = heard
        if ident != self.sent:
            raise AssertionError(f"{ident} is not the number of what was sent")
        return kind == ACK, json.loads(body) if kind == ACK else body.decode()

    def take(self, told=True):
        """The next delivery."""
        kind, ident, body = self.await_kind(DELIVER)
        if told:
            self.say(TAKEN, ident)
        return ident, body.decode()


def sign(key, data):
    folder = key.parent
    (folder / "challenge").write_bytes(data)
    result = subprocess.run(["openssl", "pkeyutl", "-sign", "-rawin", "-inkey", key, "-in", folder / "challenge"], check=True, capture_output=True)
    return base64.b64encode(result.stdout).decode()


def make_key(folder, name):
    """An Ed25519 key: NAME.pem and NAME.pub."""
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", folder / f"{name}.pem"], check=True, capture_output=True)
    subprocess.run(["openssl", "pkey", "-in", folder / f"{name}.pem", "-pubout", "-out", folder / f"{name}.pub"], check=True, capture_output=True)
    return folder / f"{name}.pem"


def make_certificate(folder):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ed25519", "-nodes", "-keyout", folder / "tls.key", "-out", folder / "tls.crt", "-days", "2", "-subj",
                    "/CN=localhost"], check=True, capture_output=True)
    return folder / "tls.crt"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
