# SPDX-License-Identifier: Apache-2.0
"""metrics.py BATON - what `/metrics` of a server that has been busy says, judged by `promtool check metrics`.

It must have no remark at all. The same text with a counter that is not called so must get one: a judge that likes everything proves nothing."""
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from raw_server import serving  # noqa: E402
from submitters import numbered  # noqa: E402

OLD_QUESTION = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()


def judged(text):
    """What promtool remarks; empty when nothing."""
    result = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, timeout=60, check=False)
    return (result.stdout + result.stderr).decode() or (f"exit {result.returncode}" if result.returncode else "")


def busy():
    """The metrics of a server after a request of every kind."""
    with serving(store=True) as server:
        for number in range(20):
            server.ask("POST", "/v1/handoffs", numbered(number))
            server.ask("POST", "/v1/check?as=universal", b'{"handoff":{}}')
        server.ask("POST", "/v1/handoffs", b"{")
        server.ask("GET", "/nowhere")
        server.ask("GET", "/healthz", host="stranger.example")
        server.ask("GET", "/v1/handoffs", authorization="Bearer wrong")
        server.ask("POST", "/v1/hooks/claude", b"{}")
        server.ask("POST", "/mcp", OLD_QUESTION, accept="application/json, text/event-stream")
        server.ask("POST", "/a2a", OLD_QUESTION)
        server.raw(b"nonsense\r\n\r\n")
        server.as_admin("GET", "/metrics")
        return server.as_admin("GET", "/metrics").body


def main():
    text = busy()
    remarks = judged(text)
    control = judged(text.replace(b"baton_http_requests_total", b"baton_http_requests"))
    lines = [line for line in text.decode().splitlines() if not line.startswith("#")]
    print(f"{len(lines)} series of {text.count(b'# TYPE')} families; promtool remarks: {remarks or 'none'}; of the spoiled copy: {control.strip() or 'none'}")
    return 0 if not remarks and control and len(lines) < 5000 else 1


if __name__ == "__main__":
    sys.exit(main())
