# SPDX-License-Identifier: Apache-2.0
"""model.py - a model that agent hosts can be run against without a network: it plays an orchestrator that hands a task to a subagent, a
subagent that forgets its block until it is asked for it, one that asks a question and is resumed with the answer, one that claims a test run
before it makes it, one that calls a tool again and again until it is done or its budget is spent, and an agent that runs a command which needs
consent.

It listens on loopback and speaks two protocols as far as the hosts need them: OpenAI's Responses and Anthropic's Messages, both as streams.
"""
import http.server
import json
import re
import threading
import uuid

ROOT_WORD = "ORCHESTRATE-7f3a"
SUB_WORD = "SUBTASK-91c2"
ASKING_ROOT_WORD = "ORCHESTRATE-c04b"
ASKING_WORD = "SUBTASK-6e8d"
ANSWER_WORD = "ANSWER-2b7f"
GATE_WORD = "DEPLOY-5d1e"
GATED = "./deploy.sh now"
CLAIM_WORD = "CLAIMS-4b90"
CLAIMED = "./run-tests.sh --all"
PERFORM_WORD = "PERFORM-e2a8"
SPEND_WORD = "SPENDS-7c31"
STEP = "./step.sh"
STEPS = 6
TOKENS = 2  # of every answer
FORGETFUL = "All done, and nothing to add."
CLOSING = "The subagent has reported."
KEYS = ("patterns_checked", "files_checked", "commands_run", "key_outputs", "verbatim_outputs", "cross_layer_impacts", "open_gaps")


def block(agent_id, status="COMPLETE", command=None):
    verification = {"verification": {"result": "pass", **({"command": command} if command else {})}} if status == "COMPLETE" else {}
    claims = {"commands_run": [{"command": command, "result": "pass"}]} if command else {}
    claims |= {"open_gaps": ["the steps that are left"]} if status == "BLOCKED" else {}
    envelope = {"agent_status": {"plan_status": status, "agent_id": agent_id, "pending_steps": [], "next_action": "none or both?"},
                "evidence_report": {**{key: [] for key in KEYS}, **claims, **verification}}
    return "Report.\n\n```agent_contract_handoff\n" + json.dumps(envelope) + "\n```\n"


class Model:
    """What is said, whatever the protocol. `seen` tells the story afterwards."""

    def __init__(self):
        self.seen = []
        self.steps = []  # of a turn that is carried out: (call, tool, arguments)
        self.prepare = None  # called with the call of each step
        self.offered = set()  # names of tools that a host has shown to the model
        self.lock = threading.Lock()

    def note(self, *words):
        with self.lock:
            self.seen.append(words)

    def offer(self, tools):
        """Keep the names of tools; a host may gather those of one server under a name."""
        with self.lock:
            for tool in tools:
                self.offered |= {f"{tool['name']}__{part['name']}" for part in tool["tools"]} if "tools" in tool else {tool.get("name")}

    def answer(self, text, outputs, waits=True):
        """What comes next in the conversation that `text` holds, whose tools gave so many outputs. `waits`: a call of its own waits for a subagent."""
        if ROOT_WORD in text or ASKING_ROOT_WORD in text:
            steps = ["spawn", "wait", *(["send", "wait again"] if ASKING_ROOT_WORD in text else []), "close"]
            steps = [step for step in steps if waits or "wait" not in step]
            step = steps[min(outputs, len(steps) - 1)]
            self.note("orchestrator", step)
            return step
        known = re.search(r"agent_id (?:is|must be|:)?\s*(a[0-9a-f]{5,127})", text) or re.search(r"\b(a[0-9a-f]{15,127})\b", text)
        if ASKING_WORD in text:
            answered = ANSWER_WORD in text
            self.note("subagent", "has its answer" if answered else "asks", known.group(1) if known else "-")
            return block(known.group(1) if known else "a00000", "COMPLETE" if answered else "NEEDS_INPUT")
        if SUB_WORD in text and CLAIM_WORD in text:
            return self.claim(text, outputs, known.group(1) if known else "a00000")
        if SUB_WORD in text and SPEND_WORD in text:
            return self.spend(text, outputs, known.group(1) if known else "a00000")
        if SUB_WORD in text:
            asked = "CONTRACT_BLOCK_MISSING" in text
            self.note("subagent", "is asked again" if asked else "forgets its block", known.group(1) if known else "-")
            return block(known.group(1) if known else "a00000") if asked else FORGETFUL
        if PERFORM_WORD in text:
            if outputs >= len(self.steps):
                self.note("agent", "is done")
                return "That is all."
            call, tool, arguments = self.steps[outputs]
            self.note("agent", "calls", tool)
            self.prepare(call)
            # What a command in the background is called is known only when it runs.
            return tool, arguments(text) if callable(arguments) else arguments
        if GATE_WORD in text:
            denied = re.search(r"GATE_[A-Z_]+", text)
            request = re.search(r"P-[0-9a-f]{32}", text)
            if outputs == 0:
                self.note("agent", "runs it")
                return "run"
            self.note("agent", "is denied" if denied else "has run it", request.group(0) if request else "-")
            return "That is all."
        self.note("other")
        return "ok"


    def claim(self, text, outputs, agent_id):
        """The subagent that reports a test run: first without it, and when it is sent back after it."""
        asked = "EVIDENCE_NOT_RUN" in text
        if asked and outputs == 0:
            self.note("subagent", "runs it")
            return "run"
        self.note("subagent", "reports the run" if asked else "claims a run it never made", agent_id)
        return block(agent_id, command=CLAIMED)


    def spend(self, text, outputs, agent_id):
        """The subagent that takes one step after the other."""
        denied = re.search(r"BUDGET_SPENT: the budget of the agent is spent: \d+ of \d+ tokens\. Call no further tool\. End your turn now: "
                           r"with plan_status COMPLETE if the work is verified, else with BLOCKED and what is left in open_gaps\.", text)
        if denied or outputs >= STEPS:
            self.note("subagent", "is stopped" if denied else "is done", denied.group(0) if denied else "-")
            return block(agent_id, "BLOCKED" if denied else "COMPLETE")
        self.note("subagent", "takes a step")
        return "run"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, kind, body):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_HEAD(self):
        self.reply("application/json", b"")

    def do_GET(self):
        self.reply("application/json", b'{"data":[],"models":[]}')

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.split("?")[0]
        if path.endswith("/responses"):
            self.stream(responses(self.server.model, json.loads(body)))
        elif path.endswith("/messages"):
            self.messages(json.loads(body))
        else:
            self.reply("application/json", b'{"input_tokens":1}')

    def messages(self, request):
        events = messages(self.server.model, request)
        if request.get("stream"):
            self.stream(events)
        else:
            self.reply("application/json", json.dumps(events).encode())

    def stream(self, events):
        text = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
        self.reply("text/event-stream", text.encode())


def responses(model, request):
    """OpenAI's protocol: an answer is one item, a message or the call of a function."""
    items = request["input"]
    model.offer(request.get("tools", []))
    outputs = sum(item.get("type") in ("function_call_output", "custom_tool_call_output") for item in items)
    spawned = next((json.loads(item["output"]) for item in items if item.get("type") == "function_call_output" and item["call_id"] == "call_spawn"), {})
    text = json.dumps(items, ensure_ascii=False)
    said = model.answer(text, outputs)
    # Totals of a child that its parent has as well would be taken for repeated ones.
    output = 0 if ROOT_WORD in text or ASKING_ROOT_WORD in text else TOKENS - 1
    wait = ("wait_agent", {"targets": [spawned.get("agent_id")], "timeout_ms": 60000})
    calls = {"spawn": ("spawn_agent", {"message": task_of(text)}), "wait": wait, "wait again": wait,
             "send": ("send_input", {"target": spawned.get("agent_id"), "message": f"{ANSWER_WORD}: take both."})}
    if isinstance(said, tuple):
        item = performed(said, request.get("tools", []))
    elif said == "run":
        name, arguments = shell_call([tool.get("name") for tool in request.get("tools", [])], command_of(text))
        item = {"type": "function_call", "id": "fc_run", "call_id": f"call_{uuid.uuid4().hex}", "name": name, "arguments": json.dumps(arguments),
                "status": "completed"}
    elif said in calls:
        name, arguments = calls[said]
        call = said.replace(" ", "_")
        item = {"type": "function_call", "id": f"fc_{call}", "call_id": f"call_{call}", "name": name, "namespace": "multi_agent_v1",
                "arguments": json.dumps(arguments), "status": "completed"}
    else:
        text = CLOSING if said == "close" else said
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": text, "annotations": []}]}
    usage = {"input_tokens": 1, "input_tokens_details": None, "output_tokens": output, "output_tokens_details": None, "total_tokens": 1 + output}
    return [{"type": "response.created", "response": {"id": "resp_1"}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": {"id": "resp_1", "output": [item], "usage": usage}}]


def performed(step, tools):
    """A step of a turn as the call of one of the host's tools."""
    tool, arguments = step
    call = f"call_{uuid.uuid4().hex}"
    names = [item.get("name") for item in tools]
    if tool == "apply_patch" and any(item.get("name") == tool and item.get("type") == "custom" for item in tools):
        return {"type": "custom_tool_call", "id": "ctc_1", "call_id": call, "name": tool, "input": arguments["input"], "status": "completed"}
    if tool == "apply_patch" and tool not in names:
        tool, arguments = shell_call(names, f"apply_patch <<'EOF'\n{arguments['input']}EOF")
    elif tool == "Bash":
        tool, arguments = shell_call(names, arguments["command"])
    server = re.fullmatch(r"(mcp__[^_]+)__(.+)", tool)
    place = {"name": server.group(2), "namespace": server.group(1)} if server else {"name": tool}
    return {"type": "function_call", "id": "fc_1", "call_id": call, **place, "arguments": json.dumps(arguments), "status": "completed"}


def task_of(text):
    """What the orchestrator gives its subagent to do."""
    words = "".join(f" {word}" for word in (CLAIM_WORD, SPEND_WORD) if word in text)
    return f"{ASKING_WORD if ASKING_ROOT_WORD in text else SUB_WORD}:{words} look around and report."


def command_of(text):
    """What an agent runs in its shell."""
    return CLAIMED if CLAIM_WORD in text else STEP if SPEND_WORD in text else GATED


def shell_call(names, text):
    """The call of the host's shell, as its tools of this version want it."""
    if "shell_command" in names:
        return "shell_command", {"command": text}
    if "exec_command" in names:
        return "exec_command", {"cmd": text}
    return "shell", {"command": ["bash", "-lc", text]}


def messages(model, request):
    """Anthropic's protocol: an answer is a list of blocks, here of one."""
    results = sum(part.get("type") == "tool_result" for message in request["messages"] if isinstance(message["content"], list)
                  for part in message["content"])
    names = [tool["name"] for tool in request.get("tools", [])]
    model.offer(request.get("tools", []))
    talk = json.dumps(request["messages"], ensure_ascii=False)
    said = model.answer(talk, results, waits=False)
    spawned = re.search(r"agentId: *([\w-]+)", talk)
    tool = next((name for name in ("Agent", "Task") if name in names), None)
    usage = {"input_tokens": 1, "output_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    head = {"id": f"msg_{uuid.uuid4().hex}", "type": "message", "role": "assistant", "model": request["model"], "stop_sequence": None, "usage": usage}
    if isinstance(said, tuple):
        start, delta, reason = ({"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex}", "name": said[0], "input": {}},
                                {"type": "input_json_delta", "partial_json": json.dumps(said[1])}, "tool_use")
        whole = {**start, "input": said[1]}
    elif said == "run" and "Bash" in names:
        arguments = {"command": command_of(talk), "description": "run it"}
        start, delta, reason = ({"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex}", "name": "Bash", "input": {}},
                                {"type": "input_json_delta", "partial_json": json.dumps(arguments)}, "tool_use")
        whole = {**start, "input": arguments}
    elif said == "spawn" and tool:
        arguments = {"description": "look around", "prompt": task_of(talk), "subagent_type": "general-purpose",
                     "run_in_background": False}
        start, delta, reason = ({"type": "tool_use", "id": "toolu_1", "name": tool, "input": {}},
                                {"type": "input_json_delta", "partial_json": json.dumps(arguments)}, "tool_use")
        whole = {**start, "input": arguments}
    elif said == "send" and "SendMessage" in names and spawned:
        arguments = {"to": spawned.group(1), "summary": "the answer", "message": f"{ANSWER_WORD}: take both."}
        start, delta, reason = ({"type": "tool_use", "id": "toolu_2", "name": "SendMessage", "input": {}},
                                {"type": "input_json_delta", "partial_json": json.dumps(arguments)}, "tool_use")
        whole = {**start, "input": arguments}
    else:
        text = CLOSING if said == "close" else said
        start, delta, reason = {"type": "text", "text": ""}, {"type": "text_delta", "text": text}, "end_turn"
        whole = {**start, "text": text}
    if not request.get("stream"):
        return {**head, "content": [whole], "stop_reason": reason}
    return [{"type": "message_start", "message": {**head, "content": [], "stop_reason": None}},
            {"type": "content_block_start", "index": 0, "content_block": start},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
            {"type": "message_stop"}]


def serve():
    """A server on a free port of loopback, in a thread of its own."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.model = Model()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
