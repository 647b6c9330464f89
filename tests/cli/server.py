# SPDX-License-Identifier: Apache-2.0
"""server.py - a live `baton serve` for the tests beside it, and raw requests to it."""
import contextlib
import http.client
import json
import pathlib
import subprocess
import tempfile

from program import BATON, PATIENT, TIMEOUT_S, environment, expect, run

ORIGIN = "ledger.example/live"


class Answer:
    """What came back: status, headers (lower case), body."""

    def __init__(self, response):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()

    def json(self):
        return json.loads(self.body)


class Stream:
    """An answer that goes on: events one by one."""

    def __init__(self, connection, response):
        self.connection, self.response = connection, response
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}

    def event(self):
        """The data of the next event as JSON; None at the end."""
        while True:
            line = self.response.readline()
            if not line:
                return None
            if line.startswith(b"data: "):
                return json.loads(line[6:])

    def close(self):
        self.response.close()
        self.connection.close()


class Server:
    def __init__(self, folder, *flags, cwd=None, env=None, address="127.0.0.1", start_with=()):
        self.folder, self.address = pathlib.Path(folder), address
        self.log = tempfile.TemporaryFile()  # a pipe that nobody reads would stop the server
        self.child = subprocess.Popen([*start_with, BATON, "serve", "--listen", f"{address}:0", "-f", "json", *flags], stdout=subprocess.PIPE,
                                      stderr=self.log, env=environment(**(env or {})), cwd=cwd or folder)
        line = self.child.stdout.readline()
        if not line:
            raise AssertionError(f"the server did not start: {self.logged()!r}")
        ready = json.loads(line)
        self.port = int(ready["listen"][0].rsplit(":", 1)[1])
        self.console = (ready["console"] or "#token=").split("#token=")[1]

    def _send(self, method, path, body, headers):
        connection = http.client.HTTPConnection(self.address, self.port, timeout=TIMEOUT_S)
        data = body if isinstance(body, (bytes, type(None))) else (body if isinstance(body, str) else json.dumps(body)).encode()
        connection.request(method, path, data, headers)
        return connection, connection.getresponse()

    def ask(self, method, path, body=None, headers=None):
        connection, response = self._send(method, path, body, headers or {})
        answer = Answer(response)
        connection.close()
        return answer

    def stream(self, method, path, body=None, headers=None):
        return Stream(*self._send(method, path, body, headers or {}))

    def logged(self):
        self.log.seek(0)
        return self.log.read()

    def stop(self):
        self.child.terminate()
        self.child.communicate(timeout=TIMEOUT_S)
        said = self.logged()
        self.log.close()
        if self.child.returncode != 0:
            raise AssertionError(f"the server ended with {self.child.returncode}: {said[-2000:]!r}")


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def make_token(folder, name, scopes, *flags):
    return expect(run("token", "new", "--tokens", "tokens.json", "--name", name, "--scopes", scopes, *flags, cwd=folder), 0).stdout.decode().strip()


@contextlib.contextmanager
def serving(*flags, store=True, tokens=None, config=None, env=None):
    """A server on a store of its own; `tokens` maps names to scopes, and becomes server.tokens; `config` is a baton.yaml instead of the patient one."""
    with tempfile.TemporaryDirectory(prefix="baton-serve-") as name:
        folder = pathlib.Path(name)
        made = {}
        for who, scopes in (tokens or {}).items():
            made[who] = make_token(folder, who, *([scopes] if isinstance(scopes, str) else scopes))
        if store:
            expect(run("ledger", "init", "--store", "s.db", "--origin", ORIGIN, cwd=folder), 0)
        (folder / "baton.yaml").write_text(config or PATIENT)  # for the server alone
        words = ["--store", "s.db"] if store else ["--no-store"]
        server = Server(folder, *words, *(["--tokens", "tokens.json"] if made else []), *flags, env=env)
        server.tokens = made
        try:
            yield server
        finally:
            server.stop()
