# SPDX-License-Identifier: Apache-2.0
"""lister.py - a server of the Model Context Protocol that shows what `shown.json` has.

Members: tools, prompts, resources, templates, instructions, version, page (items of a page), modern (it knows server/discover),
unstable (each list has another description), broken (tools/list is an error), silent (it never answers), asks (it sends requests first),
mute (lists are not answered), later (the tools of every list but the first), forged (lines that it writes before the first answer),
question (members of a result that asks the client before a call is answered), questions (how many it asks, else until one is answered),
shape (stands in the place of the list of tools), named (lists of a modern server say who it is), errors (of calls, by tool), task (an id: calls return this task, whose result is the name of the tool; tasks/get and tasks/result show it).
What it receives is in the file `received`. A call is answered with the name of its tool.
"""
import itertools
import json
import sys
import time

SHOWN = json.load(open("shown.json", encoding="utf-8"))
LISTS = {"tools/list": "tools", "prompts/list": "prompts", "resources/list": "resources", "resources/templates/list": "resourceTemplates"}
numbers = itertools.count()
questions = itertools.count()
TASKS = {}


def send(message):
    print(json.dumps(message), flush=True)


def answer(number, **rest):
    send({"jsonrpc": "2.0", "id": number, **rest})


def page(method, params):
    kind = LISTS[method]
    items = SHOWN.get("templates" if kind == "resourceTemplates" else kind, [])
    if kind == "tools" and "later" in SHOWN and next(numbers) > 0:
        items = SHOWN["later"]
    if SHOWN.get("unstable"):
        items = [{**item, "description": str(next(numbers))} for item in items]
    size, at = SHOWN.get("page", 1000), int(params.get("cursor", "0"))
    result = {kind: items[at:at + size]} if kind != "tools" or "shape" not in SHOWN else {kind: SHOWN["shape"]}
    if SHOWN.get("named"):
        result["_meta"] = {"io.modelcontextprotocol/serverInfo": {"name": "lister", "version": SHOWN["version"]}}
    if at + size < len(items):
        result["nextCursor"] = str(at + size)
    return result


def has_question(params):
    limit = SHOWN.get("questions")
    return "question" in SHOWN and ("q" not in params.get("inputResponses", {}) if limit is None else next(questions) < limit)


def respond(message):
    number, method, params = message["id"], message["method"], message.get("params", {})
    info = {"name": "lister", "version": SHOWN.get("version", "1")}
    more = {"instructions": SHOWN["instructions"]} if "instructions" in SHOWN else {}
    if method == "server/discover" and SHOWN.get("modern"):
        answer(number, result={"resultType": "complete", "_meta": {"io.modelcontextprotocol/serverInfo": info}, **more})
    elif method == "initialize":
        answer(number, result={"protocolVersion": params["protocolVersion"], "capabilities": {}, "serverInfo": info, **more})
    elif method == "tools/call" and str(params.get("name")) in SHOWN.get("errors", {}):
        answer(number, error=SHOWN["errors"][params["name"]])
    elif method == "tools/call" and has_question(params):
        answer(number, result={"resultType": "input_required", "inputRequests": {"q": {"method": "roots/list"}}, **SHOWN["question"]})
    elif method == "tools/call" and "task" in SHOWN:
        TASKS[SHOWN["task"]] = params["name"]
        answer(number, result={"task": {"taskId": SHOWN["task"], "status": "working"}})
    elif method == "tasks/get":
        answer(number, result={"taskId": params["taskId"], "status": "completed"})
    elif method == "tasks/result":
        answer(number, result={"content": [{"type": "text", "text": TASKS.get(params["taskId"], "")}]})
    elif method in ("tools/call", "prompts/get", "resources/read"):
        answer(number, result={"content": [{"type": "text", "text": params.get("name") or params.get("uri")}]})
    elif method in LISTS and SHOWN.get("mute"):
        pass
    elif method == "tools/list" and SHOWN.get("broken"):
        answer(number, error={"code": -32000, "message": "no"})
    elif method in LISTS and (method == "tools/list" or LISTS[method] in SHOWN or "templates" in SHOWN):
        if SHOWN.get("modern") and "_meta" not in params:
            answer(number, error={"code": -32602, "message": "no metadata"})
        else:
            answer(number, result=page(method, params))
    else:
        answer(number, error={"code": -32601, "message": "Method not found"})


def main():
    if SHOWN.get("silent"):
        time.sleep(600)
    received = open("received", "a", encoding="utf-8")
    for line in SHOWN.get("forged", []):
        print(line, flush=True)
    for line in sys.stdin:
        received.write(line)
        received.flush()
        message = json.loads(line)
        if "method" not in message:
            with open("answers", "a", encoding="utf-8") as file:
                file.write(line)
        elif "id" in message:
            if message["method"] == "tools/list" and SHOWN.get("asks"):
                for number, method in enumerate(("roots/list", "elicitation/create", "sampling/createMessage", "ping", "other")):
                    send({"jsonrpc": "2.0", "id": number, "method": method, "params": {}})
            respond(message)


main()
