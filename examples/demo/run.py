#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py BATON PLACE [--check] [--port N] - a server, a pump and work for both, until Ctrl-C. With --check: start, make the
first requests, and end with exit 0 when all of them were answered as expected."""
import argparse
import http.client
import json
import os
import pathlib
import random
import re
import secrets
import shutil
import signal
import subprocess
import sys
import threading
import time

import process
import story

PORT = 8420
READY_S = 60
PAUSE_S = (1.0, 4.0)
HERE = pathlib.Path(__file__).parent
BUNDLE = HERE.parent.parent / "console/bundle"
TYPES = {"universal": "application/json", "governed": "application/json", "plan": "text/csv", "contract": "text/markdown", "xml": "application/xml"}


class Demo:
    def __init__(self, baton, place):
        self.names = baton, place  # as the person knows them
        self.baton, self.place = str(baton.resolve()), place.resolve()
        self.children, self.tokens = [], {}
        self.stopped = threading.Event()
        self.port = 0
        self.lock = None

    def ask(self, *args):
        return subprocess.run([self.baton, *args], cwd=self.place, capture_output=True, text=True, check=True).stdout

    def prepare(self):
        """A store that stays, tokens that do not, the organism, and a configuration."""
        if not (self.place / ".baton/store.db").exists():
            self.ask("ledger", "init", "--origin", f"baton.local/{secrets.token_hex(16)}")  # each demo is a ledger of its own
        tokens = self.place / "tokens.json"
        tokens.unlink(missing_ok=True)
        for name, scopes, *more in (("operator", "admin"), ("feeder", "check,submit"), ("desk", "check,submit", "--pump-client", "client1")):
            self.tokens[name] = self.ask("token", "new", "--tokens", "tokens.json", "--name", name, "--scopes", scopes, *more).strip()
        shutil.copytree(HERE / "pump", self.place / "pump", dirs_exist_ok=True)
        catalogue = json.dumps(str((HERE.parent / "governed/catalogue").resolve()))
        tools = json.dumps([sys.executable, "-B", str((HERE / "tools.py").resolve())])
        (self.place / "baton.yaml").write_text(f"governed:\n  root: {catalogue}\ncontract:\n  workspace: demo\nauth:\n  anonymous: [check, submit]\nlog:\n  level: warn\n"
                                               f"wrap:\n  servers:\n    desk:\n      command: {tools}\n      serve: true\n      rules: [{{tools: [close_ticket], deny: true}}]\n")
        (self.place / "tools.changed").unlink(missing_ok=True)
        self.ask("wrap", "pin", "--config", "baton.yaml", "desk")

    def start(self, name, *args, **more):
        """Start a child in a session of its own, so that Ctrl-C and the end of the terminal reach only us."""
        parent = os.getpid()
        with open(self.place / f"{name}.log", "w", encoding="utf-8") as log:
            child = subprocess.Popen([self.baton, *args], cwd=self.place, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True,
                                     pass_fds=[self.lock.fileno()], preexec_fn=lambda: process.end_with(parent), **{"stdout": log, **more})
        self.children.append((name, child))
        return child

    def serve(self, port):
        server = self.start("serve", "serve", "--listen", f"127.0.0.1:{port}", "--store", ".baton/store.db", "--config", "baton.yaml", "--tokens", "tokens.json",
                            "--organism", "pump/organism.yaml", "-f", "json", stdout=subprocess.PIPE)
        line = server.stdout.readline()
        if not line:
            raise SystemExit("the server does not start:\n" + (self.place / "serve.log").read_text())
        self.port = int(json.loads(line)["listen"][0].rsplit(":", 1)[1])

    def begin(self, port):
        """Start everything, at the port if one was asked for, else at the default port or any other."""
        self.place.mkdir(parents=True, exist_ok=True)
        self.lock = process.lock(self.place, self.stopped)
        busy = process.why_busy(port or PORT)
        if busy and port:
            raise SystemExit(f"{busy}.\nStop it, or choose another port: --port N")
        self.prepare()
        self.start("pump", "pump", "run", "pump/organism.yaml", "--store", ".baton/store.db")
        self.serve(0 if busy else port or PORT)
        if busy:
            process.say(f"==> {busy}; the server uses port {self.port} instead. To choose one: --port N")
        deadline = time.monotonic() + READY_S
        while not self.stopped.is_set() and self.request("GET", "/v1/pump/status", who="operator")[0] != 200:
            if self.fallen() or time.monotonic() > deadline:
                raise SystemExit("the pump does not start:\n" + (self.place / "pump.log").read_text())
            time.sleep(0.1)

    def end(self):
        """Stop the children, the last one first; none is killed that can still finish."""
        self.stopped.set()
        for _, child in reversed(self.children):
            if child.poll() is None:
                child.send_signal(signal.SIGTERM)
        codes = {}
        for name, child in reversed(self.children):
            try:
                codes[name] = child.wait(timeout=40)
            except subprocess.TimeoutExpired:
                child.kill()
                codes[name] = child.wait()
        return codes

    def fallen(self):
        return next((name for name, child in self.children if child.poll() is not None), None)

    def request(self, method, path, body=None, kind=None, who=None, more=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        fields = {"Authorization": f"Bearer {self.tokens[who]}"} if who else {}
        try:
            connection.request(method, path, body, {**fields, **({"Content-Type": kind} if kind else {}), **(more or {})})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def counted(self, text):
        """Universal handoffs declare their tokens: ask how many there are."""
        body = json.loads(text)
        status, answer = self.request("POST", "/v1/check?as=universal", text.encode(), TYPES["universal"], "feeder")
        if status == 200:
            tokens = json.loads(answer)["documents"][0]["facts"].get("tokens") or {}
            body["handoff"]["meta"]["token_count"] = tokens.get("estimate", 0)
        return json.dumps(body, indent=2, ensure_ascii=False) + "\n"

    def play(self, act):
        """Hand one document over; then its receiver takes it, as receivers do."""
        text = self.counted(act["text"]) if act.get("count_tokens") else act["text"]
        who = "desk" if act["dialect"] == "xml" else "feeder"
        status, answer = self.request("POST", f"/v1/handoffs?as={act['dialect']}", text.encode(), TYPES[act["dialect"]], who)
        if status == 201 and act.get("target"):
            self.receive(act["target"])
        return status, answer

    def receive(self, agent):
        status, answer = self.request("POST", f"/v1/inbox/{agent}/take", b"{}", "application/json", "feeder")
        items = json.loads(answer)["items"] if status == 200 else []
        if items:
            done = {"items": [{"message": item["message"], "lease": item["lease"], "outcome": "delivered"} for item in items]}
            self.request("POST", f"/v1/inbox/{agent}/finish", json.dumps(done).encode(), "application/json", "feeder")

    def call_tool(self, name, **arguments):
        """Call a tool of the wrapped server; what is refused is recorded too."""
        return self.ask_tools("tools/call", {"name": name, "arguments": arguments}, {"Mcp-Name": name})

    def ask_tools(self, method, params, fields):
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}).encode()
        return self.request("POST", "/wrap/desk/mcp", body, "application/json", "feeder",
                            {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, **fields})

    def use_tools(self, chance):
        """An agent looks up tickets and writes mails, until the tool that writes them is not the one that was reviewed."""
        ticket = chance.choice(["DP-118", "IM-42", "SEC-19", "UI-7"])
        self.ask_tools("tools/list", {}, {})
        said = [self.call_tool(name, ticket=ticket, **more)[1] for name, more in (("find_ticket", {}), ("send_mail", {"text": "We look into it."}), ("close_ticket", {}))]
        (self.place / "tools.changed").touch()
        return b"".join(said)

    def use_grant(self):
        """An agent asks, the operator agrees, and the agent runs exactly what was granted, once. What it was told at its use."""
        operation, command = story.COMMANDS[1][:2]
        self.play(story.consent(random.Random(), 1)[0])
        approvals = json.loads(self.request("GET", "/v1/approvals", who="operator")[1])["approvals"]
        asked = next(item for item in approvals if item["status"] == "pending" and item["operation"] == operation)
        self.request("POST", f"/v1/approvals/{asked['id']}/grant", json.dumps({"fingerprint": asked["fingerprint"], "ttl": "60m"}).encode(), "application/json", "operator")
        use = {"command": command, "id": asked["id"], "agent": asked["agent_id"], "workspace": "demo"}
        return self.request("POST", "/v1/approvals/use", json.dumps(use).encode(), "application/json", "feeder")[0]

    def collect_reply(self):
        """A client of the pump asks, and collects the reply of its thread; how many replies there were."""
        act = story.desk(random.Random(6))[1]
        thread = re.search(r"<thread>(.*?)</thread>", act["text"])[1]
        self.play(act)
        for _ in range(50):
            status, answer = self.request("GET", f"/v1/pump/threads/{thread}/replies", who="desk")
            if status != 200 or b"payload" in answer or self.stopped.wait(0.2):
                break
        return answer.count(b"payload")

    def catch_lie(self):
        """A report that says more than the transcript of its turn: the hook of an agent host finds it. The codes of its entry."""
        shutil.copy(HERE.parent / "evidence/agent.jsonl", self.place / "agent.jsonl")
        transcript = str(self.place / "agent.jsonl")
        event = {"session_id": "demo", "hook_event_name": "SubagentStop", "agent_id": "a80177b959c721da1", "agent_type": "worker", "cwd": str(self.place),
                 "last_assistant_message": (HERE.parent / "evidence/report.contract.md").read_text(), "agent_transcript_path": transcript, "transcript_path": transcript}
        said = subprocess.run([self.baton, "hook", "claude", "--store", ".baton/store.db", "--evidence", "enforce", "--workspace", "demo"],
                              cwd=self.place, input=json.dumps(event), capture_output=True, text=True, check=False)
        return re.findall(r"EVIDENCE_[A-Z]+", said.stdout)

    def tell(self):
        """What happens in the first minute, beside ordinary work. A list of what did not happen."""
        tools = [self.use_tools(random.Random(5)), self.use_tools(random.Random(5))]
        loop, spent = (self.play(act)[1] for act in (story.loop(), story.spent()))
        done = {"a grant is used": self.use_grant() == 200, "a reply is collected": self.collect_reply() > 0, "a lie is found": "EVIDENCE_FAILED" in self.catch_lie(),
                "a loop is caught": b"SELF_LOOP" in loop, "a budget is spent": b"BUDGET_SPENT" in spent, "a changed tool is hidden": b"WRAP_TOOL_HIDDEN" in tools[1]}
        return [name for name, is_done in done.items() if not is_done]

    def feed(self):
        chance = random.Random()
        for scene in story.scenes(chance):
            for act in [None, *scene]:
                if self.stopped.wait(chance.uniform(*PAUSE_S)):
                    return
                try:
                    self.play(act) if act else self.use_tools(chance)
                except (OSError, ValueError, KeyError, http.client.HTTPException):
                    continue  # the server stops, or has stopped: the main thread tells

    def greet(self):
        url = f"http://127.0.0.1:{self.port}"
        baton, place = self.names
        process.say(f"""
  Baton is running: a server, a pump, and agents that hand work over.

  Console   {url}/#token={self.tokens['operator']}

  The token in this address may see and decide everything here; each run makes a new one.

  Try in another terminal, in {os.getcwd()}:

    # what is wrong with this handoff, and where
    {baton} check examples/universal/broken.handoff.json

    # hand one over: it appears in the console
    curl -s -H 'Content-Type: application/json' {url}/v1/handoffs \\
      --data-binary @examples/universal/planner-to-builder.handoff.json

    # verify the record of all this
    {baton} ledger verify --store {place}/.baton/store.db

  Ctrl-C stops it. The record stays in {place}, and the next run goes on with it.
""")


def console_complaints(demo):
    """The page and every file that it names must arrive as they are in console/bundle."""
    status, page = demo.request("GET", "/")
    if (status, page) != (200, (BUNDLE / "index.html").read_bytes()):
        return [f"GET /: {status}, and not the page of the console: {page[:80]!r}"]
    wrong = []
    for path in re.findall(r'(?:src|href)="(/assets/[^"]+)"', page.decode()):
        status, body = demo.request("GET", path)
        if (status, body) != (200, (BUNDLE / path[1:]).read_bytes()):
            wrong.append(f"GET {path}: {status}, and not the file of the console: {body[:80]!r}")
    return wrong


def first_requests(demo):
    """What --check asks; a list of complaints."""
    wrong = []

    def want(what, got, *good):
        if got not in good:
            wrong.append(f"{what}: {got}, expected {' or '.join(map(str, good))}")

    want("GET /healthz", demo.request("GET", "/healthz")[0], 200)
    wrong += console_complaints(demo)
    want("GET /v1/whoami", demo.request("GET", "/v1/whoami", who="operator")[0], 200)
    seen = {}
    for act in story.opening(random.Random()):
        status, answer = demo.play(act)
        seen.setdefault(act["dialect"], set()).add(status // 100)
        if status not in (201, 202, 400, 403, 422):
            wrong.append(f"{act['dialect']}: {status} {answer[:300]!r}")
    want("dialects", sorted(seen), sorted(TYPES))
    for dialect, kinds in seen.items():
        want(f"{dialect} accepted", 2 in kinds, True)
    wrong += [f"the story: not so: {what}" for what in demo.tell()]
    for path in ("/v1/handoffs", "/v1/wrap/calls", "/v1/approvals", "/v1/traces", "/v1/ledger", "/v1/pump/status"):
        want(f"GET {path}", demo.request("GET", path, who="operator")[0], 200)
    return wrong


def live(demo):
    """Feed the server until somebody stops us; the name of a child that ended by itself, or None."""
    demo.greet()
    for act in story.opening(random.Random()):
        if demo.stopped.is_set():
            return None
        demo.play(act)
    demo.tell()
    threading.Thread(target=demo.feed, daemon=True).start()
    while not demo.stopped.wait(0.5):
        if demo.fallen():
            return demo.fallen()
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("baton", type=pathlib.Path)
    parser.add_argument("place", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--port", type=int, choices=range(1, 65536), metavar="N", help=f"where the server listens, 1 to 65535; default {PORT}, or any other when that is in use")
    asked = parser.parse_args()
    demo = Demo(asked.baton, asked.place)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup stays nohup
            signal.signal(number, lambda *_: demo.stopped.set())
    wrong, fallen, interrupted = [], None, False
    try:
        demo.begin(asked.port)
        if asked.check:
            wrong = first_requests(demo)
            interrupted = demo.stopped.is_set()
        elif not demo.stopped.is_set():
            fallen = live(demo)
    finally:
        codes = demo.end()
    if fallen:
        wrong.append(f"{fallen} ended by itself:\n" + (demo.place / f"{fallen}.log").read_text()[-2000:])
    if interrupted:
        wrong.append("stopped before the check was done")
    wrong += [f"{name} ended with {code}" for name, code in codes.items() if code != 0 and name != fallen]
    for line in wrong:
        process.say(line, sys.stderr)
    if not wrong:
        process.say("==> it works: the server, the page and the files of the console, the pump and all five dialects answered as expected"
                    if asked.check else "\n  Stopped.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
