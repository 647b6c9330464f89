# SPDX-License-Identifier: Apache-2.0
"""ssh_agents.py - a real ssh-agent with a key of Baton in it, and agents that lie."""
import base64
import contextlib
import pathlib
import socket
import struct
import subprocess
import tempfile
import threading

from program import environment, until


def text(value):
    value = value if isinstance(value, bytes) else value.encode()
    return struct.pack(">I", len(value)) + value


def private_file(seed, public):
    """A private key of Ed25519 as OpenSSH writes it (PROTOCOL.key), without a passphrase."""
    blob = text("ssh-ed25519") + text(public)
    secret = struct.pack(">II", 7, 7) + text("ssh-ed25519") + text(public) + text(seed + public) + text("baton")
    secret += bytes(range(1, 1 + -len(secret) % 8))
    whole = b"openssh-key-v1\0" + text("none") + text("none") + text("") + struct.pack(">I", 1) + text(blob) + text(secret)
    lines = base64.encodebytes(whole).decode()
    return f"-----BEGIN OPENSSH PRIVATE KEY-----\n{lines}-----END OPENSSH PRIVATE KEY-----\n"


def public_file(public, comment="ledger"):
    return f"ssh-ed25519 {base64.b64encode(text('ssh-ed25519') + text(public)).decode()} {comment}\n"


@contextlib.contextmanager
def ssh_agent():
    """A running ssh-agent without keys; yields (its socket, a function that adds a key of seed and public bytes)."""
    with tempfile.TemporaryDirectory(prefix="baton-agent-") as name:
        place = pathlib.Path(name)
        path = place / "socket"
        process = subprocess.Popen(["ssh-agent", "-D", "-a", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def add(seed, public):
            key = place / "key"
            key.write_text(private_file(seed, public))
            key.chmod(0o600)
            subprocess.run(["ssh-add", "-q", key], env=environment(SSH_AUTH_SOCK=str(path)), check=True, capture_output=True)
            key.unlink()
        try:
            until(path.exists, "the agent's socket")
            yield str(path), add
        finally:
            process.terminate()
            process.wait()


@contextlib.contextmanager
def lying_agent(answer):
    """An agent that sends `answer` to every request, or never answers (None); yields (its socket, the requests)."""
    with tempfile.TemporaryDirectory(prefix="baton-agent-") as name:
        path = str(pathlib.Path(name) / "socket")
        requests, kept = [], []
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen(16)

        def serve():
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                requests.append(connection.recv(1 << 16))
                if answer is None:
                    kept.append(connection)
                    continue
                with contextlib.suppress(OSError):
                    connection.sendall(answer)
                connection.close()
        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield path, requests
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()
            thread.join()
            for connection in kept:
                connection.close()


def signed(signature, algorithm="ssh-ed25519"):
    """A sign response with this signature."""
    return text(b"\x0e" + text(text(algorithm) + text(signature)))
