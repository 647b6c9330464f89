# SPDX-License-Identifier: Apache-2.0
"""prober.py - an MCP server for test_sandbox.py: each call tries something and tells what came of it."""
import json
import os
import pathlib
import resource
import socket
import subprocess
import sys


def connect(port):
    with socket.create_connection(("127.0.0.1", int(port)), timeout=10):
        return "connected"


def send_datagram(port):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as plain:
        return plain.sendto(b"x", ("127.0.0.1", int(port)))


TRIES = {
    "read": lambda path: pathlib.Path(path).read_text(encoding="utf-8"),
    "list": lambda path: sorted(os.listdir(path)),
    "write": lambda path: pathlib.Path(path).write_text("written", encoding="utf-8"),
    "connect": connect,
    "datagram": send_datagram,
    "run": lambda path: subprocess.run([path], check=True).returncode,
    "folder": lambda _: os.getcwd(),
    "environment": lambda _: dict(os.environ),
    "descriptors": lambda _: resource.getrlimit(resource.RLIMIT_NOFILE)[0],
    "memory": lambda _: resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY,
    "open": lambda _: [name for name in sorted(os.listdir("/proc/self/fd"))] if os.path.isdir("/proc/self/fd") else None,
}

for line in sys.stdin:
    message = json.loads(line)
    try:
        outcome = TRIES[message["params"]["name"]](message["params"].get("value"))
    except (OSError, subprocess.SubprocessError) as error:
        outcome = {"refused": type(error).__name__}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"outcome": outcome}}), flush=True)
