# SPDX-License-Identifier: Apache-2.0
"""mail_server.py SHOWN DONE - a server of the Model Context Protocol that shows the tools in the file SHOWN and writes each call it executes to DONE.

The result of a tool is its member `result` in SHOWN, which is not part of the definition, else its name and arguments.
"""
import json
import pathlib
import sys

shown, done = (pathlib.Path(word) for word in sys.argv[1:])


def tools():
    return json.loads(shown.read_text(encoding="utf-8"))


def answer(message):
    method, params = message["method"], message.get("params", {})
    if method == "initialize":
        return {"result": {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "mail", "version": "1.0.0"}}}
    if method == "tools/list":
        return {"result": {"tools": [{name: value for name, value in tool.items() if name != "result"} for tool in tools()]}}
    if method == "tools/call":
        with done.open("a", encoding="utf-8") as file:
            file.write(json.dumps(params["name"]) + "\n")
        text = f"{params['name']} {json.dumps(params.get('arguments', {}))}"
        results = [tool["result"] for tool in tools() if tool["name"] == params["name"] and "result" in tool]
        return {"result": results[0] if results else {"content": [{"type": "text", "text": text}]}}
    return {"result": {}} if method == "ping" else {"error": {"code": -32601, "message": "Method not found"}}


for line in sys.stdin:
    received = json.loads(line)
    if "id" in received and "method" in received:
        print(json.dumps({"jsonrpc": "2.0", "id": received["id"], **answer(received)}), flush=True)
