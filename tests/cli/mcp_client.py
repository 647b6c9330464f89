# SPDX-License-Identifier: Apache-2.0
"""mcp_client.py - messages for `baton mcp`, and what it says to them."""
import json

from program import expect, run

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
FORMS = {**META, "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}}


def ask(method, params=None, number=1, meta=META):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": {**(params or {}), "_meta": meta}}


def call(name, arguments, number=1, meta=META, **more):
    return ask("tools/call", {"name": name, "arguments": arguments, **more}, number, meta)


def old(method, params=None, number=1):
    return {"jsonrpc": "2.0", "id": number, "method": method, **({"params": params} if params is not None else {})}


def opening(version="2025-11-25", **capabilities):
    return old("initialize", {"protocolVersion": version, "capabilities": capabilities, "clientInfo": {"name": "t", "version": "1"}}, 0)


def talk(*messages, flags=(), cwd=None, notes=False):
    """Everything that is said to these messages, in order."""
    lines = [message if isinstance(message, (str, bytes)) else json.dumps(message) for message in messages]
    stdin = b"".join((line if isinstance(line, bytes) else line.encode()) + b"\n" for line in lines)
    result = expect(run("mcp", *flags, stdin=stdin, cwd=cwd), 0, err="" if notes else None)
    return [json.loads(line) for line in result.stdout.decode().splitlines()]


def one(message, **how):
    answers = talk(message, **how)
    if len(answers) != 1:
        raise AssertionError(f"{len(answers)} answers: {answers}")
    return answers[0]


def tool(name, arguments, **how):
    """The result of one call."""
    answer = one(call(name, arguments), **how)
    if "result" not in answer:
        raise AssertionError(f"an error: {answer}")
    return answer["result"]
