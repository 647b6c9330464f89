# SPDX-License-Identifier: Apache-2.0
"""trial.py BATON NAME - one adapter beside its real framework, with a stub model: what must hold for every one of them.

Runs the example of the adapter in the environment where the framework is installed. Prints TAP.
"""
import asyncio
import concurrent.futures
import contextlib
import importlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parent.parent.parent.parent
BATON, NAME = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2]
sys.path.insert(0, str(ROOT / "examples/adapters"))

import approvals  # noqa: E402
import baton  # noqa: E402
import plain  # noqa: E402

example = importlib.import_module(f"{NAME}_handoff")
BAD, GOOD = {"working": {"release": "1.4"}}, {"summary": "Build release 1.4.", "working": {"release": "1.4"}}
TESTS = []
HOOKS = NAME == "claude_agent_sdk"  # its client asks hooks: no transfer of its own, no exception, and the program records


def claim(function):
    TESTS.append(function)
    return function


def expect(truth, what):
    if not truth:
        raise AssertionError(what)


class Recording:
    """Where handoffs are recorded: a server, or for hooks a store. `how` are arguments for the gate."""

    def __init__(self, folder, port, tokens):
        self.store, self._tokens, self._url = f"{folder}/s.db", tokens, f"http://127.0.0.1:{port}"
        self.client = self.client_of("agent")
        self.ledger = baton.Ledger(self.store, program=BATON)
        self.how = {"store": self.store, "program": BATON} if HOOKS else {"client": self.client}

    def client_of(self, name):
        return baton.Client(self._url, token=self._tokens[name], retries=0)


@contextlib.contextmanager
def recording():
    """A store, and a server that is stopped by the second thing that is given."""
    with tempfile.TemporaryDirectory(prefix="baton-adapter-") as folder:
        os.environ["BATON_STATE_DIR"] = folder + "/state"  # also for what the gate runs
        env = {**os.environ, "HOME": folder}

        def run(*words):
            return subprocess.run([BATON, *words], cwd=folder, env=env, check=True, capture_output=True, text=True).stdout

        run("ledger", "init", "--origin", "adapters.example/log", "--store", "s.db")
        tokens = {name: json.loads(run("token", "new", "--tokens", "t.json", "--name", name, "--scopes", scopes, "-f", "json"))["token"]
                  for name, scopes in (("agent", "check,submit"), ("person", "check,submit,approve"), ("operator", "check,submit,approve,operate"))}
        child = subprocess.Popen([BATON, "serve", "--listen", "127.0.0.1:0", "-f", "json", "--store", "s.db", "--tokens", "t.json"], cwd=folder, env=env,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

        def stop():
            child.terminate()
            child.wait(30)

        try:
            ready = json.loads(child.stdout.readline())
            yield Recording(folder, ready["listen"][0].rsplit(":", 1)[1], tokens), stop
        finally:
            stop()


def refusal_of(gate, brief):
    """The text that the operation retryText gives for this brief, attempt 1."""
    report = gate.decide(brief, "planner", "builder", gate.begin()).report
    return baton.call("retryText", {"report": report.value, "attempt": 1, "limit": gate.limit}).value["retry"]["text"]


@claim
def a_bad_brief_goes_back_and_the_corrected_one_is_handed_over():
    asked, given, result = example.play(example.Gate(), [BAD, GOOD])
    shown = refusal_of(example.Gate(build=(lambda _: {"summary": ""}) if NAME == "agent_framework" else None), BAD)
    expect(len(asked) == 2 and shown and shown in asked[1] and shown not in asked[0], f"the next request does not hold the text: {asked!r}")
    expect("Build release 1.4." in given and "trace_id" in given or NAME in ("crewai", "agent_framework", "claude_agent_sdk") and "Build release 1.4." in given, f"the target was given {given[:500]!r}")
    expect("Built." in str(result), result)


@claim
def refusals_end_the_run_at_the_limit():
    reports = []
    gate = example.Gate(limit=2, on_report=reports.append)
    try:
        example.play(gate, [BAD] * 5)
    except BaseException as error:
        found = error
        while found is not None and not isinstance(found, baton.Rejected):
            found = found.__cause__ or found.__context__
        expect(HOOKS and "last attempt" in str(error) or isinstance(found, baton.Rejected), f"the run ended with {type(error).__name__}: {error}")
    else:
        raise AssertionError("the run went on")
    expect(len(reports) == 2, f"{len(reports)} attempts were judged")


@claim
def the_ledger_has_one_entry_for_each_attempt_and_the_receipt_verifies():
    with recording() as (place, _stop):
        example.play(example.Gate(**place.how), [BAD, GOOD])
        entries = [item["entry"] for item in place.client_of("operator").list_handoffs(order="asc")["entries"]]
        verdicts = [entry["verdict"] for entry in entries if entry["kind"] == "handoff"]
        expect(verdicts == ["rejected", "accepted"], f"the ledger has {verdicts}")
        seq = next(entry["seq"] for entry in entries if entry["verdict"] == "accepted")
        vkey = place.client_of("operator").get_ledger()["vkey"]
        expect(baton.verify_receipt(place.ledger.receipt(seq), [vkey]).accepted, "the receipt does not verify")
        expect(place.ledger.verify().accepted, "the ledger does not verify")


@claim
def nothing_is_handed_over_while_the_server_is_stopped():
    with recording() as (place, stop):
        stop()
        if HOOKS:  # what it needs is the store
            os.rename(place.store, place.store + ".away")
        problems = []
        try:
            asked, given, _result = example.play(example.Gate(limit=1, on_report=problems.append, **place.how), [GOOD])
        except BaseException:
            asked, given = None, ""
        expect(not given, f"the target was given {given[:200]!r}")
        expect(problems and isinstance(problems[0], baton.Unavailable), f"the gate told {problems!r}")


@claim
def a_person_decides_about_a_command():
    if HOOKS:
        return "commands of subagents are gated by baton hook claude: script/interop claude"
    with recording() as (place, _stop):
        gate = example.Gate(place.client, approver=place.client_of("person"))
        ran, requests = getattr(approvals, NAME, approvals.polled)(gate, place.client_of("person"))
        expect(ran == {"approve": True, "deny": False}, f"the command ran: {ran}")
        made = place.client_of("operator").approvals()
        expect(len(made) == requests, f"{len(made)} requests were made for {requests} commands")


def play_tools(gate, tools, calls):
    """A LangGraph planner with these tools, whose model makes these calls at once; the builders that ran, and the messages."""
    from langchain.agents import create_agent
    from langchain_core.messages import AIMessage
    from langgraph.graph import START, StateGraph
    model = example.StubModel(messages=iter([AIMessage(content="", tool_calls=calls), AIMessage(content="Stopped.")]), asked=[])
    planner = create_agent(model, name="planner", tools=tools, middleware=[gate.middleware()])
    graph = StateGraph(example.BatonState).add_node("planner", planner).add_edge(START, "planner")
    ran = []
    for name in ("builder", "tester"):
        graph.add_node(name, lambda _state, name=name: ran.append(name) or {})
    result = graph.compile().invoke({"messages": [("user", "Plan the release")], "baton": []})
    return sorted(ran), result


@claim
def a_jump_of_another_tool_is_checked_however_it_is_written():
    if NAME != "langgraph":
        return "only there can a tool jump"
    from langchain_core.messages import ToolMessage
    from langchain_core.tools import StructuredTool
    from langgraph.types import Command, Send
    places = {"name": "builder", "names": ["builder"], "several": ["tester", "builder"], "send": Send("builder", {}), "sends": [Send("builder", {}), Send("tester", {})]}
    for title, goto in places.items():
        for listed in (False, True):
            def leave(goto=goto, listed=listed, **_brief):
                command = Command(goto=goto, graph=Command.PARENT)
                return [command, ToolMessage("Left.", tool_call_id="call-0")] if listed else command
            tool = StructuredTool.from_function(leave, name="leave", description="Leave.", args_schema={"type": "object", "properties": {"summary": {}, "working": {}}})
            wanted = ["builder", "tester"] if title in ("several", "sends") else ["builder"]
            for gate, brief, expected in ((example.Gate(), BAD, []), (example.Gate(), GOOD, wanted), (example.Gate(mode="observe"), BAD, wanted)):
                ran, result = play_tools(gate, [tool], [{"name": "leave", "args": brief, "id": "call-0"}])
                expect(ran == expected, f"{title} {listed} {brief}: {ran} ran instead of {expected}")
                expect(bool(expected) or "Baton refused this handoff (attempt 1 of 3)." in str(result["messages"]), f"{title}: {result}")


async def hand_over_twice_pydantic_ai(gate, briefs):
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel
    answers = [[ToolCallPart("build", briefs[0]), ToolCallPart("check", briefs[1])], [TextPart("Done.")]]
    planner = Agent(FunctionModel(lambda _messages, _info: ModelResponse(parts=answers.pop(0))), name="planner",
                    capabilities=[gate.capability({"build": "builder", "check": "tester"})])
    planner.tool_plain(lambda summary: "Built.", name="build")
    planner.tool_plain(lambda summary: "Checked.", name="check")
    await planner.run("Plan the release")


async def hand_over_twice_google_adk(gate, briefs):
    from google.adk.models import LlmResponse
    from google.genai import types

    class StubModel(example.StubModel):
        async def generate_content_async(self, llm_request, stream=False):
            yield LlmResponse(content=types.Content(role="model", parts=self.answers.pop(0)))

    calls = [types.Part(function_call=types.FunctionCall(name="hand_over", args={"agent_name": name, **brief})) for name, brief in zip(("builder", "tester"), briefs)]
    agents = [example.LlmAgent(name=name, model=StubModel(model="stub", answers=[[types.Part(text="Done.")]], asked=[])) for name in ("builder", "tester")]
    root = example.LlmAgent(name="planner", model=StubModel(model="stub", answers=[calls], asked=[]), sub_agents=agents, tools=[gate.transfer_tool(["builder", "tester"])])
    sessions = example.InMemorySessionService()
    runner = example.Runner(app_name="demo", agent=root, session_service=sessions, plugins=[gate.plugin()])
    session = await sessions.create_session(app_name="demo", user_id="u")
    message = types.Content(role="user", parts=[types.Part(text="Plan the release")])
    async for _event in runner.run_async(user_id="u", session_id=session.id, new_message=message):
        pass


@claim
def handoffs_of_one_message_are_two_attempts():
    if NAME not in ("langgraph", "google_adk", "pydantic_ai"):
        return "only the first handoff of a message counts there, or it has no tools"
    with recording() as (place, _stop):
        gate, told = example.Gate(place.client), []
        gate.on_report = told.append
        briefs = [{"summary": "Build release 1.4."}, {"summary": "Test release 1.4."}]
        if NAME == "langgraph":
            tools = [example.handoff_tool(name, gate) for name in ("builder", "tester")]
            play_tools(gate, tools, [{"name": f"transfer_to_{name}", "args": brief, "id": f"call-{name}"} for name, brief in zip(("builder", "tester"), briefs)])
        else:
            asyncio.run({"pydantic_ai": hand_over_twice_pydantic_ai, "google_adk": hand_over_twice_google_adk}[NAME](gate, briefs))
        verdicts = [item["entry"]["verdict"] for item in place.client_of("operator").list_handoffs(order="asc")["entries"] if item["entry"]["kind"] == "handoff"]
        expect(verdicts == ["accepted", "accepted"], f"the ledger has {verdicts}, the gate told {told!r}")


@claim
def two_runs_at_once_do_not_share_counts():
    gate = example.Gate(limit=2)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(example.play, gate, [BAD, GOOD]) for _ in range(2)]
        expect(all("Built." in str(run.result(120)[2]) for run in runs), "a run was ended by the refusal of the other")
    expect("Built." in str(example.play(gate, [BAD, GOOD])[2]), "a later run was ended by an earlier one")


@claim
def a_gate_that_observes_hands_the_bad_brief_over():
    told = []
    _asked, given, result = example.play(example.Gate(mode="observe", on_report=told.append), [BAD])
    expect(given and "Built." in str(result), "nothing was handed over")
    expect(len(told) == 1 and not told[0].accepted, "the report was not told")


CLOSED = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "release/v1.schema.json", "type": "object", "additionalProperties": False,
          "required": ["release"], "properties": {"release": {"type": "string"}}}


@claim
def strict_mode_is_used_when_the_payload_schema_is_closed():
    if NAME != "openai_agents":
        return "only this framework has a strict mode of its own"
    from agents import Agent
    from agents.strict_schema import ensure_strict_json_schema
    source, target = Agent(name="planner"), Agent(name="builder")

    def made(schema):
        return example.guarded_handoff(source, target, example.Gate(schema=schema))

    strict = made(CLOSED)
    expect(strict.strict_json_schema, "a closed schema is not strict")
    wanted = json.loads(json.dumps(strict.input_json_schema))
    expect(ensure_strict_json_schema(wanted) == strict.input_json_schema, "the framework would change the schema")
    items = {"type": "array", "items": CLOSED}
    expect(made({**CLOSED, "required": ["release", "parts"], "properties": {**CLOSED["properties"], "parts": items}}).strict_json_schema, "a closed schema with an array is not strict")
    for schema in (None, {"type": "object"}, {**CLOSED, "required": []}, {**CLOSED, "additionalProperties": True}, {**CLOSED, "allOf": []}, {**CLOSED, "properties": {"release": {}}},
                   {**CLOSED, "properties": {"release": {"type": "array"}}}, {**CLOSED, "properties": {"release": {"type": ["object", "null"]}}}):
        open_one = made(schema)
        expect(not open_one.strict_json_schema and "required" in open_one.input_json_schema and open_one.input_json_schema["required"] != list(open_one.input_json_schema["properties"]),
               f"{schema} is strict")
    nothing = dict.fromkeys(("problem_type", "known_gaps", "success_criteria", "reason"))
    _asked, given, result = example.play(example.Gate(schema=CLOSED), [{**nothing, **GOOD}])
    expect("Built." in str(result) and "1.4" in given, f"null members of strict mode are refused: {given[:300]!r}")


@claim
def without_the_gate_the_bad_brief_is_handed_over():
    given, result = getattr(plain, NAME)(example, BAD)
    expect(given and "Built." in str(result), "the control: nothing was handed over without the gate either")


@claim
def the_example_runs_as_a_program():
    done = subprocess.run([sys.executable, "-B", example.__file__], capture_output=True, text=True, timeout=300)
    expect(done.returncode == 0 and "the builder said: Built." in done.stdout and "Baton refused this handoff (attempt 1 of 3)." in done.stdout,
           f"exit {done.returncode}: {done.stdout[-500:]} {done.stderr[-500:]}")


print(f"1..{len(TESTS)}")
failed = 0
for number, test in enumerate(TESTS, 1):
    try:
        skipped = test()
        print(f"ok {number} - {test.__name__}" + (f" # SKIP {skipped}" if skipped else ""), flush=True)
    except BaseException as error:
        failed += 1
        print(f"not ok {number} - {test.__name__}\n# {type(error).__name__}: " + str(error).replace("\n", "\n# "), flush=True)
sys.exit(failed > 0)
