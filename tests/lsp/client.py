# SPDX-License-Identifier: Apache-2.0
"""client.py - a client of `baton lsp` for the tests beside it: all messages in one run, or one after the other."""
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from program import BATON, environment, run  # noqa: E402


def frame(message):
    content = message if isinstance(message, bytes) else json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return b"Content-Length: %d\r\n\r\n" % len(content) + content


def unframe(output):
    messages = []
    while output:
        header, _, rest = output.partition(b"\r\n\r\n")
        length = int(header.split(b":")[1])
        messages.append(json.loads(rest[:length]))
        output = rest[length:]
    return messages


def request(number, method, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, **({"params": params} if params else {})}


def note(method, **params):
    return {"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})}


def initialize(utf8=False, pull=False, changes=True, **params):
    capabilities = {"workspace": {"workspaceEdit": {"documentChanges": changes}}}
    if utf8:
        capabilities["general"] = {"positionEncodings": ["utf-8"]}
    if pull:
        capabilities["textDocument"] = {"diagnostic": {}}
    return request(0, "initialize", processId=None, rootUri=None, capabilities=capabilities, **params)


def opened(uri, text, version=1):
    return note("textDocument/didOpen", textDocument={"uri": uri, "languageId": "x", "version": version, "text": text})


def changed(uri, version, *changes):
    return note("textDocument/didChange", textDocument={"uri": uri, "version": version}, contentChanges=list(changes))


def at(number, method, uri, line, character, **params):
    return request(number, "textDocument/" + method, textDocument={"uri": uri}, position={"line": line, "character": character}, **params)


def about(number, method, uri, **params):
    return request(number, "textDocument/" + method, textDocument={"uri": uri}, **params)


END = (request("end", "shutdown"), note("exit"))


def talk(*messages, flags=(), cwd=None, first=None, env=None):
    """The messages of the server to these, after initialize; the server must end well."""
    sent = b"".join(frame(message) for message in (first or initialize(), note("initialized"), *messages, *END))
    done = run("lsp", *flags, stdin=sent, cwd=cwd, env=env)
    if done.returncode != 0:
        raise AssertionError(f"exit {done.returncode}: {done.stderr!r}")
    return unframe(done.stdout)


def answer(messages, number):
    """The result of a request."""
    for message in messages:
        if message.get("id") == number:
            return message["result"]
    raise AssertionError(f"no answer to {number}: {messages}")


def published(messages, uri):
    """The diagnostics that were published last; None: never."""
    found = None
    for message in messages:
        if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri:
            found = message["params"]["diagnostics"]
    return found


class Server:
    """A running server, for tests that wait for answers."""

    def __init__(self, *flags, cwd=None, program=(BATON,), stderr=None, **initial):
        self.process = subprocess.Popen([*program, "lsp", *flags], cwd=cwd, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr)
        self.number = 0
        self.send(initialize(**initial))
        self.receive()

    def send(self, *messages):
        self.process.stdin.write(b"".join(frame(message) for message in messages))
        self.process.stdin.flush()

    def receive(self):
        length = int(self.process.stdout.readline().split(b":")[1])
        self.process.stdout.readline()
        return json.loads(self.process.stdout.read(length))

    def end(self):
        self.send(*END)
        self.process.stdin.close()
        self.process.stdout.read()
        return self.process.wait()
