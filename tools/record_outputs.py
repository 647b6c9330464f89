#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""record_outputs.py --baton PROGRAM --out DIR [--only REGEX] [--data DIR] - record what the program prints.

Record every byte that a fixed set of runs prints, so that two versions can be compared with `diff -r`: every step of
the conformance cases; `check` in every format and as every dialect over the fuzz corpora, the examples and --data;
help, manual, completions, rules, schemas, configuration and OpenAPI; an MCP session, A2A and REST requests. DIR gets one
file for each group of runs, and DIR/outputs.sha256 one digest for each group.

Clock and randomness are fixed (fixed_world.c, compiled with cc). A run that still differs from its repetition is
recorded with times, ids, digests and numbers masked; one that differs even then by its exit code alone.
"""
import argparse
import concurrent.futures
import hashlib
import http.client
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "conformance"))

import run as conformance  # noqa: E402

CORPORA = ("check", "universal", "contract", "governed", "xml", "csv", "json_read", "yaml")
FORMATS = ("full", "concise", "json", "jsonl", "github", "junit", "sarif", "markdown")
RUN_SECONDS_MAX = 60
MASKS = (
    (re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), b"<uuid>"),
    (re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"), b"<time>"),
    (re.compile(rb"[0-9a-f]{16,}"), b"<hex>"),
    (re.compile(rb"[A-Za-z0-9+/_-]{24,}=*"), b"<base64>"),
    (re.compile(rb"\d+(\.\d+)?"), b"<n>"),
)


class World:
    """The program, and the environment in which its runs are alike."""

    def __init__(self, baton, folder):
        self.baton = str(pathlib.Path(baton).resolve())
        self.folder = folder
        library = folder / "fixed_world.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, ROOT / "tools" / "fixed_world.c", "-ldl"], check=True)
        self.environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8", "TZ": "UTC", "NO_COLOR": "1",
                            "LD_PRELOAD": str(library)}

    def run(self, words, cwd, stdin=b"", env=None):
        """Exit code, stdout and stderr as one text, without the name of the folder."""
        environment = {**self.environment, "HOME": str(cwd), **(env or {})}
        try:
            done = subprocess.run([self.baton, *words], cwd=cwd, env=environment, input=stdin, capture_output=True, timeout=RUN_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            return b"no answer\n"
        text = b"exit %d\n--- stdout\n%s\n--- stderr\n%s\n" % (done.returncode, done.stdout, done.stderr)
        return text.replace(str(cwd).encode(), b"<dir>")

    def scratch(self):
        return tempfile.TemporaryDirectory(prefix="record-", dir=self.folder)


def mask(text):
    for pattern, mark in MASKS:
        text = pattern.sub(mark, text)
    return text


def settle(first, second):
    """What two repetitions of a group have in common: a list of texts each."""
    out = []
    for a, b in itertools.zip_longest(first, second, fillvalue=b""):
        if a != b:
            a, b = b"(masked) " + mask(a), b"(masked) " + mask(b)
        out.append(a if a == b else b"(unstable) " + a[len(b"(masked) "):].split(b"\n", 1)[0] + b"\n")
    return out


def case_group(world, case):
    """All steps of one conformance case, in a folder of their own."""
    out = []
    with world.scratch() as name:
        folder = pathlib.Path(name)
        conformance.write_files(folder, case.get("files") or {})
        for step in case.get("steps") or [case]:
            if "steps" in case:
                conformance.write_files(folder, step.get("files") or {})
            out.append(world.run(step["run"], folder, conformance.as_bytes(step.get("stdin", "")), step.get("env")))
    return out


def case_groups(world):
    for path in sorted((ROOT / "tests" / "conformance" / "cases").glob("*.json")):
        cases = json.loads(path.read_text(encoding="utf-8"))
        for case in cases.get("cases", []) if isinstance(cases, dict) else []:
            yield f"cases/{path.stem}/{case['id']}", lambda case=case: case_group(world, case)


def dialects(world):
    """The dialects that --as takes, from the program's own help."""
    text = world.run(["check", "--help"], world.folder).decode()
    words = re.search(r"--as DIALECT(.*?)--output-format", text, re.S)[1]
    return re.sub(r"\s+", " ", words).split(": ", 1)[1].rsplit(" -f", 1)[0].replace(",", "").split()


def check_group(world, path, names):
    """One file in every format, as it is recognised and as every dialect."""
    out = []
    with world.scratch() as name:
        copy = pathlib.Path(name) / path.name
        shutil.copyfile(path, copy)
        for dialect in [None, *names]:
            chosen = ["--as", dialect] if dialect else []
            for form in FORMATS:
                out.append(world.run(["check", *chosen, "-f", form, copy.name], name))
    return out


def check_groups(world, data):
    folders = [ROOT / "fuzz" / "corpus" / name for name in CORPORA] + [ROOT / "examples"] + ([data] if data else [])
    names = dialects(world)
    for folder in folders:
        for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.stat().st_size < 1 << 20 and "__pycache__" not in p.parts):
            short = path.relative_to(ROOT) if path.is_relative_to(ROOT) else pathlib.Path("data") / path.relative_to(folder)
            yield f"check/{short}", lambda path=path: check_group(world, path, names)


def commands(world, words=()):
    """The words of every command, from the help of the one above it."""
    yield list(words)
    text = world.run([*words, "--help"], world.folder).decode().split("\nFlags:\n")[0]
    for part in re.findall(r"^  ([a-z][a-z-]*)  ", text, re.M):
        yield from commands(world, [*words, part])


def text_groups(world):
    def runs(*many):
        return lambda: [world.run(words, world.folder) for words in many]
    for words in commands(world):
        yield "help/" + ("-".join(words) or "baton"), runs([*words, "--help"])
    yield "text/man", runs(["man"])
    for shell in ("bash", "zsh", "fish"):
        yield f"text/completion-{shell}", runs(["completion", shell])
    yield "text/rules", runs(["rules", "-f", "json"], ["rules", "-f", "markdown"], ["rules"])
    rows = json.loads(subprocess.run([world.baton, "rules", "-f", "json"], capture_output=True, check=True).stdout)["rules"]
    for code in sorted({row["code"] for row in rows}):
        yield f"explain/{code}", runs(["explain", code], ["explain", "-f", "json", code])
    listed = re.search(r"There are: (.*)", world.run(["schema", "print"], world.folder).decode())[1]
    for name in listed.split(", "):
        yield f"schema/{name}", runs(["schema", "print", name])
    yield "text/config", runs(["config", "show"], ["config", "show", "-f", "json"])
    yield "text/openapi", runs(["serve", "--print-openapi"])


def mcp_groups(world):
    handoff = json.loads((ROOT / "examples/universal/planner-to-builder.handoff.json").read_text())
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}

    def say(number, method, **params):
        return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, "_meta": meta}}).encode() + b"\n"

    def session():
        with world.scratch() as folder:
            out = [world.run(["ledger", "init", "--store", "s.db", "--origin", "record.example/log"], folder)]
            tools = json.loads(subprocess.run([world.baton, "mcp"], cwd=folder, input=say(1, "tools/list"),
                                              capture_output=True, check=True).stdout)["result"]["tools"]
            lines = [say(1, "server/discover"), say(2, "tools/list"), say(3, "resources/list"), say(4, "prompts/list")]
            for number, tool in enumerate(tools, 5):
                arguments = {"document": handoff} if "document" in tool["inputSchema"].get("properties", {}) else {}
                lines += [say(number * 2, "tools/call", name=tool["name"], arguments=arguments),
                          say(number * 2 + 1, "tools/call", name=tool["name"], arguments={"odd": 1})]
            for line in lines:
                out.append(world.run(["mcp", "--store", "s.db", "--scopes", "check,submit,approve,operate"], folder, line))
            return out

    yield "mcp/session", session
    for path in sorted((ROOT / "fuzz" / "corpus" / "mcp").iterdir()):
        yield f"mcp/{path.name}", lambda path=path: [world.run(["mcp"], world.folder, path.read_bytes())]


class Server:
    """A server with one worker on a store of its own; every scope is the caller's."""

    def __init__(self, world, folder):
        made = [world.baton, "token", "new", "--tokens", "tokens.json", "--name", "record", "--scopes", "check,submit,approve,operate,admin"]
        self.token = subprocess.run(made, cwd=folder, env=world.environment, capture_output=True, check=True).stdout.decode().strip()
        world.run(["ledger", "init", "--store", "s.db", "--origin", "record.example/log"], folder)
        self.child = subprocess.Popen([world.baton, "serve", "--listen", "127.0.0.1:0", "-f", "json", "--store", "s.db", "--tokens", "tokens.json", "--workers", "1"],
                                      cwd=folder, env=world.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        ready = json.loads(self.child.stdout.readline())
        self.port = int(ready["listen"][0].rsplit(":", 1)[1])

    def request(self, method, path, body=None, media="application/json"):
        """Status line, headers and body as one text; a stream is read as far as its head."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=RUN_SECONDS_MAX)
        headers = {"Authorization": "Bearer " + self.token, **({"Content-Type": media} if body is not None else {})}
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            is_stream = (answer.getheader("Content-Type") or "").startswith("text/event-stream")
            head = "".join(f"{name.lower()}: {value}\n" for name, value in sorted(answer.getheaders()))
            text = f"{method} {path}\n{answer.status}\n{head}\n".encode() + (b"(stream)" if is_stream else answer.read()) + b"\n"
            return text.replace(str(self.port).encode(), b"<port>").replace(self.token.encode(), b"<token>")
        finally:
            connection.close()

    def stop(self):
        self.child.terminate()
        self.child.communicate(timeout=RUN_SECONDS_MAX)


def request_groups(world):
    handoff = (ROOT / "examples/universal/planner-to-builder.handoff.json").read_bytes()
    api = json.loads(subprocess.run([world.baton, "serve", "--print-openapi"], capture_output=True, check=True).stdout)
    bodies = sorted((ROOT / "fuzz" / "corpus" / "a2a").iterdir())

    def session():
        with world.scratch() as folder:
            server = Server(world, folder)
            try:
                out = [server.request("POST", "/v1/handoffs", handoff)]
                for path, methods in sorted(api["paths"].items()):
                    filled = re.sub(r"\{[^}]*\}", "0", path)
                    for method in sorted(set(methods) & {"get", "post", "put", "delete"}):
                        has_body = method in ("post", "put")
                        if (method, path) == ("post", "/v1/admin/reload"):
                            continue
                        out.append(server.request(method.upper(), filled, handoff if has_body else None))
                        out.append(server.request(method.upper(), filled + "?odd=1", b"{" if has_body else None))
                out += [server.request("POST", "/a2a", path.read_bytes()) for path in bodies]
                return out
            finally:
                server.stop()

    yield "serve/session", session


def record(groups, out, only):
    """Run every group twice and write what both have in common; the digests by name."""
    digests = {}

    def run(item):
        name, work = item
        return name, b"".join(settle(work(), work()))

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, text in pool.map(run, [item for item in groups if re.search(only, item[0])]):
            path = out / (name + ".txt")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text)
            digests[name] = hashlib.sha256(text).hexdigest()
    return digests


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--baton", required=True)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--data", type=pathlib.Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="baton-record-") as name:
        world = World(args.baton, pathlib.Path(name))
        groups = itertools.chain(case_groups(world), check_groups(world, args.data), text_groups(world), mcp_groups(world),
                                 request_groups(world))
        digests = record(groups, args.out, args.only)
    (args.out / "outputs.sha256").write_text("".join(f"{digest}  {name}\n" for name, digest in sorted(digests.items())))
    print(f"{len(digests)} groups recorded in {args.out}")
    return 0 if digests else 1


if __name__ == "__main__":
    sys.exit(main())
