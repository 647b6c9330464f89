# SPDX-License-Identifier: Apache-2.0
"""raw_server.py - a running `baton serve` for tests, and clients that say exactly the bytes they are given."""
import collections
import contextlib
import json
import os
import pathlib
import signal
import socket
import ssl
import subprocess
import tempfile
import urllib.parse

from program import BATON, TIMEOUT_S, environment, expect, run, until

CHECK = b'{"handoff":{}}'


class Answer:
    """One answer, taken apart. Names of fields are in lower case."""

    def __init__(self, status, fields, body):
        self.status, self.fields, self.body = status, fields, body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        return self.json.get("code")

    def __repr__(self):
        return f"{self.status} {self.fields} {self.body[:500]!r}"


def read_answer(stream, head=False):
    """The next answer on a connection; None when the other side closed instead."""
    line = stream.readline()
    if not line:
        return None
    version, status = line.split(b" ")[:2]
    if version != b"HTTP/1.1":
        raise AssertionError(f"no answer: {line!r}")
    fields = {}
    for line in iter(stream.readline, b"\r\n"):
        name, value = line.decode("latin-1").rstrip("\r\n").split(": ", 1)
        fields[name.lower()] = value
    if int(status) == 100:
        return Answer(100, fields, b"")
    if "content-length" not in fields or head:
        return Answer(int(status), fields, b"")
    return Answer(int(status), fields, stream.read(int(fields["content-length"])))


class Connection:
    def __init__(self, place, tls=None, source=None):
        family = socket.AF_UNIX if isinstance(place, str) else socket.AF_INET6 if ":" in place[0] else socket.AF_INET
        self.socket = socket.socket(family)
        self.socket.settimeout(TIMEOUT_S)
        if source:
            self.socket.bind((source, 0))
        self.socket.connect(place)
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_hostname="localhost")
        self.stream = self.socket.makefile("rb")

    def send(self, data):
        self.socket.sendall(data)
        return self

    def answer(self, head=False):
        return read_answer(self.stream, head)

    def is_closed(self):
        """Whether the other side closes, and says nothing before."""
        try:
            return self.stream.read(1) == b""
        except ConnectionResetError:
            return True

    def is_closed_after_alert(self):
        """Whether the other side closes, whatever bytes of TLS it says before."""
        try:
            return not self.stream.read().startswith(b"HTTP")
        except ConnectionResetError:
            return True

    def close(self):
        self.stream.close()
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Server:
    """A server that was started, with its folder."""

    def __init__(self, folder, *args, env=None):
        self.folder = pathlib.Path(folder)
        self.log_path = self.folder / "log"
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen([BATON, "serve", "-f", "json", *args], cwd=folder, stdout=subprocess.PIPE, stderr=log,
                                            env=environment(**(env or {})))
        line = self.process.stdout.readline()
        if not line:
            self.process.wait(TIMEOUT_S)
            raise AssertionError(f"the server did not start: {self.log()}")
        self.ready = json.loads(line)
        self.url = self.ready["listen"][0]
        self.token = self.ready["console"].split("token=")[1] if self.ready["console"] else None
        parts = urllib.parse.urlsplit(self.url)
        self.host = parts.netloc
        self.place = self.url[len("unix:"):] if parts.scheme == "unix" else (parts.hostname, parts.port)

    def log(self):
        return self.log_path.read_text(errors="replace")

    def events(self):
        lines = self.log().split("\n")[:-1]  # the last may still be being written
        return [json.loads(line) for line in lines if line.startswith("{")]

    def connect(self, tls=None, source=None):
        return Connection(self.place, tls, source)

    def raw(self, data, **more):
        """The answer to these bytes, on a connection of their own."""
        with self.connect(**more) as connection:
            return connection.send(data).answer()

    def ask(self, method, path, body=None, tls=None, **fields):
        """One request and its answer. `content_type=...` is the field Content-Type; None leaves a field out."""
        lines = {"host": self.host if "/" not in self.host else "localhost", "connection": "close"}
        if body is not None:
            lines |= {"content-length": str(len(body)), "content-type": "application/json"}
        lines |= {name.replace("_", "-"): value for name, value in fields.items()}
        head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value is not None)
        with self.connect(tls) as connection:
            return connection.send(head.encode("latin-1") + b"\r\n" + (body or b"")).answer(method == "HEAD")

    def as_admin(self, method, path, body=None, **fields):
        return self.ask(method, path, body, authorization=f"Bearer {self.token}", **fields)

    def descriptors(self):
        """What it has open, besides files of its store, which workers open when they first need them."""
        found = collections.Counter()
        folder = f"/proc/{self.process.pid}/fd"
        for name in os.listdir(folder):
            with contextlib.suppress(FileNotFoundError):
                target = os.readlink(f"{folder}/{name}")
                if not target.startswith(str(self.folder.resolve())):
                    found[target.split(":")[0]] += 1
        return found

    def descriptors_at_rest(self):
        """The same when nobody is connected: the one socket is the listener."""
        return until(lambda: next((found for found in [self.descriptors()] if found["socket"] == 1), None), "all connections to be closed")

    def signal(self, number):
        self.process.send_signal(number)

    def stop(self):
        """Stop it in good order; its exit code."""
        if self.process.poll() is None:
            self.signal(signal.SIGTERM)
        try:
            return self.process.wait(TIMEOUT_S)
        finally:
            if self.process.poll() is None:
                self.process.kill()
            self.process.stdout.close()


@contextlib.contextmanager
def serving(*args, store=False, files=None, listen="127.0.0.1:0", env=None):
    """A server in a folder of its own with these files, without a store unless one is wanted. It must end with 0."""
    with tempfile.TemporaryDirectory(prefix="baton-serve-") as folder:
        for name, text in (files or {}).items():
            path = pathlib.Path(folder) / name
            path.write_text(text)
            os.chmod(path, 0o600)
        if store:
            expect(run("ledger", "init", "--origin", "test.example/log", cwd=folder), 0)
        server = Server(folder, *([] if listen is None else ["--listen", listen]), *([] if store else ["--no-store"]), *args, env=env)
        try:
            yield server
        finally:
            code = server.stop()
        if code != 0:
            raise AssertionError(f"exit {code}: {server.log()[-3000:]}")


def trusting(folder):
    """A TLS context that believes the certificate in a folder."""
    context = ssl.create_default_context(cafile=str(pathlib.Path(folder) / "cert.pem"))
    context.check_hostname = False
    return context


def make_certificate(folder, name, *more):
    """NAME.pem and NAME.key, signed by itself or as `more` says."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", f"/CN={name}",
                    "-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.pem", *more], check=True, capture_output=True, timeout=TIMEOUT_S)
    os.chmod(f"{folder}/{name}.key", 0o600)
