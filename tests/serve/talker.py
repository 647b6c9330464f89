# SPDX-License-Identifier: Apache-2.0
"""talker.py - a server of the Model Context Protocol for tests of `baton serve`. What it does is in the name of the tool that is called.

    echo      answers with the arguments and the id that it was asked under
    hold      does not answer before `release`, which answers all that are held, the last one first
    progress  sends so many progress notifications first, under its id if the client named no token, then answers
    ask       asks the client for its roots, and answers with what the client said
    notify    sends a notification first, then answers with so many bytes
    outside   answers, then sends a notification and a request of its own; `heard` answers with what came of the request
    pid       answers with the number of the process; exit: ends with a status
    variable  answers with a variable of the environment
What it receives is in the file `received`.
"""
import json
import os
import sys

TOOLS = [{"name": name, "description": name, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": name != "remove"}}
         for name in ("echo", "hold", "release", "progress", "ask", "notify", "outside", "heard", "pid", "exit", "variable", "where", "remove")]
TOOLS.append({"name": "region", "description": "region", "annotations": {"readOnlyHint": True},
              "inputSchema": {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}})
held = []
asked = {}
heard = []


def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def answer(number, value):
    send(id=number, result={"content": [{"type": "text", "text": value if isinstance(value, str) else json.dumps(value)}]})


def call(number, params):
    name, arguments, meta = params["name"], params.get("arguments", {}), params.get("_meta", {})
    if name == "hold":
        held.append((number, arguments))
        return
    if name == "release":
        while held:
            answer(*held.pop())
    if name == "progress":
        for step in range(arguments["steps"]):
            send(method="notifications/progress", params={"progressToken": meta.get("progressToken", number), "progress": step})
    if name == "ask":
        asked["q1"] = number
        send(id="q1", method="roots/list")
        return
    if name == "notify":
        send(method="notifications/message", params={"level": "info", "data": "note"})
        answer(number, "x" * arguments.get("size", 1))
        return
    if name == "exit":
        os._exit(arguments["status"])
    answer(number, {"pid": os.getpid(), "heard": heard, "variable": os.environ.get(arguments.get("name", ""), ""), "where": os.getcwd()}.get(name, {**arguments, "id": number}))
    if name == "outside":
        send(method="notifications/message", params={"level": "info", "data": "outside"})
        send(id="o1", method="roots/list")


def take(message):
    method, number = message.get("method"), message.get("id")
    if method is None:
        if number in asked:
            answer(asked.pop(number), message)
        else:
            heard.append(message)
    elif number is None:
        pass
    elif method == "initialize":
        if message["params"]["protocolVersion"] == "1999-01-01":
            send(id=number, error={"code": -32602, "message": "too old"})
        else:
            send(id=number, result={"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "talker", "version": "1"}})
    elif method == "tools/list":
        send(id=number, result={"tools": TOOLS})
    elif method == "tools/call":
        call(number, message["params"])
    elif method == "subscriptions/listen":
        send(method="notifications/subscriptions/acknowledged", params={"_meta": {"io.modelcontextprotocol/subscriptionId": number}})
    elif method == "ping":
        send(id=number, result={})
    else:
        send(id=number, error={"code": -32601, "message": "unknown"})


def main():
    with open("received", "a", encoding="utf-8") as received:
        for line in sys.stdin:
            received.write(line)
            received.flush()
            take(json.loads(line))


main()
