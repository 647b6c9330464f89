#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""parity.py --baton PROGRAM [--call PROGRAM] [--batch NAME=COMMAND]... [--lacks NAME:PART]... [--only REGEX] [--table] CORPUS - ask the same question through the command, REST, MCP
and, with the example call.c, the library, and tell in TAP whether the answers are as expected and have the same bytes.

README.md describes the corpus. A case is named parity/id; those that waiting.txt lists are run as well. --table ends with the counts of each interface.
"""
import argparse
import base64
import contextlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request

import match
import run
import waiting

DOCUMENTS = {"check": "check", "repair": "repair", "compress": "compress", "convert": "convert", "planAudit": "plan/audit",
             "contractCheck": "contract/check", "contractRepairPrompt": "contract/repair-prompt", "sealHandoff": "seal"}
OBJECTS = {"planTrajectory": "plan/trajectory", "planValidate": "plan/validate", "schemaValidate": "schema/validate",
           "schemaCompat": "schema/compat", "contractMerge": "contract/merge", "verifyReceipt": "ledger/verify-receipt",
           "newHandoff": "new", "retryText": "retry-text"}
LOOKUPS = {"listRules": "rules", "listSchemas": "schemas", "version": "version"}
TIMEOUT_S = 60


def without_time(text):
    """A reply as it is compared: without its final line feed and without the one member that tells the time."""
    return re.sub(r'"elapsed_ms":[0-9.eE+-]+', '"elapsed_ms":0', text.removesuffix("\n"))


class Server:
    """`baton serve` with the corpus's roots."""

    def __init__(self, baton, roots, folder):
        self.config = folder / "parity.yaml"
        self.config.write_text(match.compact({"roots": roots}))
        tokens = str(folder / "tokens.json")
        made = subprocess.run([baton, "token", "new", "--tokens", tokens, "--name", "parity", "--scopes", "check,operate"],
                              capture_output=True, check=True, timeout=TIMEOUT_S)
        self.token = made.stdout.decode().strip()
        self.process = subprocess.Popen([baton, "serve", "--no-store", "--listen", "127.0.0.1:0", "--tokens", tokens,
                                         "--config", self.config, "-f", "json"],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder)
        self.url = json.loads(self.process.stdout.readline())["listen"][0]

    def ask(self, method, path, query=None, body=None, media=None):
        url = f"{self.url}/v1/{path}" + ("?" + urllib.parse.urlencode(query) if query else "")
        headers = {"Authorization": "Bearer " + self.token, **({"Content-Type": media} if media else {})}
        try:
            request = urllib.request.Request(url, body, headers, method=method)
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as answer:
            return answer.code, answer.read().decode()

    def close(self):
        self.process.terminate()
        self.process.wait(TIMEOUT_S)
        self.process.stdout.close()


def ask_rest(case, server):
    """(status, body), or None where the operation has no path."""
    operation, request = case["operation"], case["request"]
    text = (request["$text"] if "$text" in request else match.compact(request)).encode()
    if operation in DOCUMENTS:
        return server.ask("POST", DOCUMENTS[operation], body=text, media="application/vnd.baton.request+json")
    if operation in OBJECTS:
        return server.ask("POST", OBJECTS[operation], body=text, media="application/json")
    if operation == "countTokens":
        query = {"encoding": request["encoding"]} if "encoding" in request else {}
        body = base64.b64decode(request["base64"]) if "base64" in request else request["text"].encode()
        return server.ask("POST", "tokens", query, body, "text/plain")
    if operation == "planWaves":
        document = request["documents"][0]
        remaining = {"remaining": "true"} if request.get("options", {}).get("remaining") else {}
        return server.ask("POST", "plan/waves", {"path": document["path"], **remaining}, document["text"].encode(), "text/csv")
    if operation in ("getRule", "getSchema"):
        kind, name = ("rules", request["code"]) if operation == "getRule" else ("schemas", request["name"])
        return server.ask("GET", f"{kind}/{urllib.parse.quote(name, safe='')}")
    if operation == "contractTemplate":
        return server.ask("GET", "contract/template", {name: str(value).lower() if isinstance(value, bool) else value
                                                       for name, value in request.items()})
    return server.ask("GET", LOOKUPS[operation]) if operation in LOOKUPS else None


def ask_command(case, baton, roots, folder):
    if "cli" not in case:
        return None
    folder.mkdir()
    files = dict(case.get("files", {}))
    for document in case["request"].get("documents", []):
        files.setdefault(document["path"], document["text"] if "text" in document else {"$base64": document["base64"]})
    run.write_files(folder, files)
    words = [roots[word[6:-1]] if word.startswith("{root:") else word for word in case["cli"]]
    done = subprocess.run([baton, *words], cwd=folder, env={**os.environ, **run.ENVIRONMENT, "HOME": str(folder)},
                          capture_output=True, timeout=TIMEOUT_S, check=False)
    return (200 if done.returncode < 2 else 400), done.stdout.decode("utf-8", "replace")


def ask_mcp(case, baton, config):
    if "mcp" not in case:
        return None
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
               "params": {"_meta": meta, "name": case["mcp"]["tool"], "arguments": case["mcp"]["arguments"]}}
    done = subprocess.run([baton, "mcp", "--config", config], input=(match.compact(message) + "\n").encode(),
                          capture_output=True, timeout=TIMEOUT_S, cwd=config.parent, check=False)
    result = json.loads(done.stdout.decode().split("\n")[0])["result"]
    return (400 if result["isError"] else 200), result["content"][0]["text"]


def ask_library(case, call, roots):
    if not call:
        return None
    request = case["request"]
    text = request["$text"] if "$text" in request else match.compact(request)
    named = [word for name, folder in roots.items() for word in ("--root", f"{name}={folder}")]
    done = subprocess.run([call, *named, case["operation"]], input=text.encode("utf-8", "surrogatepass"), capture_output=True,
                          timeout=TIMEOUT_S, check=False)
    reply = done.stdout.decode("utf-8", "replace")
    if done.returncode == 2:
        return 599, done.stderr.decode("utf-8", "replace")
    return (200 if done.returncode == 0 else json.loads(reply)["status"]), reply


class Batch:
    """A program that answers a line {"operation","request"} after the other with a line {"status","json"}."""

    def __init__(self, command, roots):
        named = [word for name, folder in roots.items() for word in ("--root", f"{name}={folder}")]
        self.process = subprocess.Popen([*shlex.split(command), *named], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, case):
        request = case["request"]
        text = request["$text"] if "$text" in request else match.compact(request)
        self.process.stdin.write((json.dumps({"operation": case["operation"], "request": text}) + "\n").encode())
        self.process.stdin.flush()
        reply = json.loads(self.process.stdout.readline())
        return reply["status"], reply["json"]

    def close(self):
        self.process.stdin.close()
        self.process.wait(TIMEOUT_S)
        self.process.stdout.close()


def judge(want, status, text):
    """Raise Mismatch unless the reply is as expected. Not every interface has a status beyond done and not done."""
    if (status == 200) != (want["status"] == 200):
        raise match.Mismatch(f"status {status} instead of {want['status']}: {text[:300]}")
    reply = json.loads(text) if text else {}
    if want["status"] != 200:
        match.value({"code": want["problem"], "status": want["status"]}, reply, "problem")
    if "verdicts" in want:
        match.value(want["verdicts"], [document["verdict"] for document in reply["documents"]], "verdicts")
    if "codes" in want:
        found = [f"{f['code']}@{f['severity']} {f['pointer']}" for f in match.all_findings(reply)]
        same = [one if one == code else one.split(" ")[0] for one, code in zip(found, want["codes"])]
        if len(found) != len(want["codes"]) or same != want["codes"]:
            raise match.Mismatch(f"findings {found} instead of {want['codes']}")
    match.value(want.get("json", {}), reply, "reply")


class Tally:
    """How often each interface was asked, answered as expected, and was compared byte for byte with another one that answered."""

    COLUMNS = ("asked", "as expected", "compared", "same bytes")

    def __init__(self):
        self.counts = {}

    def add(self, name, column):
        self.counts.setdefault(name, dict.fromkeys(self.COLUMNS, 0))[column] += 1

    def lines(self, cases):
        yield f"# {'interface':<14}" + "".join(f"{column:>13}" for column in self.COLUMNS) + f"{'left out':>13}"
        for name, row in self.counts.items():
            yield f"# {name:<14}" + "".join(f"{row[column]:>13}" for column in self.COLUMNS) + f"{cases - row['asked']:>13}"


def add_bytes(case, bodies, tally):
    """Count the bodies that are equal to the first one, the library's where it was asked. Whether all are."""
    if case.get("compare") == "codes" or len(bodies) < 2:
        return True
    first = bodies.get("library", next(iter(bodies.values())))
    for name, body in bodies.items():
        tally.add(name, "compared")
        if body == first:
            tally.add(name, "same bytes")
    return all(body == first for body in bodies.values())


def fault_of(case, baton, call, server, roots, folder, tally, batches=()):
    """What is wrong, or None."""
    try:
        replies = {"REST": ask_rest(case, server), "command": ask_command(case, baton, roots, folder / case["id"]),
                   "MCP": ask_mcp(case, baton, server.config), "library": ask_library(case, call, roots)}
        whole = {"REST", "library", *(name for name, _, _ in batches)}  # those that tell every status
        replies.update({name: batch.ask(case) for name, batch, lacks in batches if not lacks & set(case.get("needs", []))})
        replies = {name: reply for name, reply in replies.items() if reply and (name in whole or case["expect"]["status"] == 200)}
    except Exception as why:  # a broken case is a failed case
        return f"{type(why).__name__}: {why}"
    wrong = [] if replies else ["no interface was asked"]
    for name, reply in replies.items():
        tally.add(name, "asked")
        try:
            judge(case["expect"], *reply)
            tally.add(name, "as expected")
        except Exception as why:
            wrong.append(f"{name}: {why}")
    bodies = {name: without_time(text) for name, (status, text) in replies.items() if status == 200}
    if not add_bytes(case, bodies, tally):
        wrong += ["the bytes differ:", *(f"{name}: {body[:400]}" for name, body in bodies.items())]
    return "\n".join(wrong) or None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--baton", required=True, type=pathlib.Path)
    parser.add_argument("--call", type=pathlib.Path)
    parser.add_argument("--batch", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--lacks", action="append", default=[], metavar="NAME:PART", help="a part that a program of --batch does not have")
    parser.add_argument("--only", default="")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("file", type=pathlib.Path)
    args = parser.parse_args()
    corpus = json.loads(args.file.read_text(encoding="utf-8"))
    cases = [case for case in corpus["cases"] if re.search(args.only, "parity/" + case["id"])]
    baton = str(args.baton.resolve())
    call = str(args.call.resolve()) if args.call else None
    listed = waiting.read()
    tally = Tally()
    failed = 0
    print(f"1..{len(cases)}")
    with tempfile.TemporaryDirectory(prefix="baton-parity-") as name:
        folder = pathlib.Path(name)
        roots = {root: str(folder / "roots" / root) for root in corpus["roots"]}
        for root, files in corpus["roots"].items():
            run.write_files(pathlib.Path(roots[root]), files)
        with contextlib.ExitStack() as stack:
            server = stack.enter_context(contextlib.closing(Server(baton, roots, folder)))
            batches = [(name, stack.enter_context(contextlib.closing(Batch(command, roots))), {part for other, _, part in (lack.partition(":") for lack in args.lacks) if other == name})
                       for name, _, command in (given.partition("=") for given in args.batch)]
            for number, case in enumerate(cases, 1):
                fault = fault_of(case, baton, call, server, roots, folder, tally, batches)
                failed += waiting.tell(number, "parity/" + case["id"], case["title"], fault, listed)
    if args.table:
        print("\n".join(tally.lines(len(cases))))
    return 0 if cases and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
