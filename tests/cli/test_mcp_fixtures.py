# SPDX-License-Identifier: Apache-2.0
"""test_mcp_fixtures.py BATON - baton mcp --conformance-fixtures: what the official suite calls for, and only then."""
import json
import subprocess
import sys

from mcp_client import META, ask, call, old, one, opening, talk
from program import claim, equal, finish

FLAGS = ("--conformance-fixtures",)
CAPABLE = {**META, "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}, "sampling": {}, "roots": {}}}
RESULT = "test_input_required_result_"


def names(what, *flags):
    result = one(ask(f"{what}/list"), flags=flags)["result"]
    return [item.get("name") for item in result[what]]


@claim
def fixtures_come_after_the_real_things_and_only_when_asked_for():
    for what in ("tools", "resources", "prompts"):
        real, all_of_them = names(what), names(what, *FLAGS)
        equal(all_of_them[:len(real)], real)
        if len(all_of_them) == len(real):
            raise AssertionError(f"no fixtures among the {what}")
    equal(one(call("test_simple_text", {}))["error"]["code"], -32602)
    equal(one(call("test_simple_text", {}), flags=FLAGS)["result"]["content"][0]["text"], "This is a simple text response for testing.")


@claim
def capabilities_tell_of_them():
    modern = one(ask("server/discover"), flags=FLAGS)["result"]["capabilities"]
    equal(modern, {"tools": {"listChanged": True}, "resources": {"subscribe": True}, "prompts": {"listChanged": True}, "completions": {}})
    equal(one(ask("server/discover"))["result"]["capabilities"]["tools"], {})
    legacy = one(opening(), flags=FLAGS)["result"]["capabilities"]
    equal(legacy, {**modern, "logging": {}})
    answers = talk(opening(), old("logging/setLevel", {"level": "info"}), old("logging/setLevel", {"level": "loud"}), flags=FLAGS)
    equal((answers[1]["result"], answers[2]["error"]["code"]), ({}, -32602))
    equal(talk(opening(), old("logging/setLevel", {"level": "info"}))[1]["error"]["code"], -32601)


@claim
def a_modern_client_is_asked_until_the_answers_fit():
    def again(name, **more):
        return one(call(RESULT + name, {}, meta=CAPABLE, **more), flags=FLAGS)
    first = again("elicitation")["result"]
    equal((first["resultType"], list(first["inputRequests"])), ("input_required", ["user_name"]))
    good = {"user_name": {"action": "accept", "content": {"name": "Ada"}}}
    equal(again("elicitation", inputResponses={**good, "else": 1})["result"]["content"][0]["text"], "Hello, Ada!")
    for bad in ({}, {"user_name": 5}, {"user_name": {"action": "accept", "content": {}}}, {"other": good["user_name"]}, []):
        equal(again("elicitation", inputResponses=bad)["result"]["resultType"], "input_required")


class Converse:
    """One process that is spoken to step by step, since a seal without a store lives as long as it."""

    def __call__(self, message):
        self.child = subprocess.Popen([sys.argv[1], "mcp", *FLAGS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self.last(message)["result"]

    def last(self, message):
        self.child.stdin.write(json.dumps(message) + "\n")
        self.child.stdin.flush()
        return json.loads(self.child.stdout.readline())

    def end(self):
        self.child.stdin.close()
        equal(self.child.wait(), 0)
        self.child.stdout.close()


converse = Converse()


@claim
def a_state_must_come_back_as_it_was_sealed():
    state = converse(call(RESULT + "multi_round", {}, meta=CAPABLE))["requestState"]
    step = {"step1": {"action": "accept", "content": {"name": "Ada"}}}
    equal(converse.last(call(RESULT + "multi_round", {}, meta=CAPABLE, inputResponses=step, requestState=state + "x"))["error"]["code"], -32602)
    equal(converse.last(call(RESULT + "tampered_state", {}, meta=CAPABLE, inputResponses=step, requestState=state))["error"]["code"], -32602)
    second = converse.last(call(RESULT + "multi_round", {}, meta=CAPABLE, inputResponses=step, requestState=state))["result"]
    equal((list(second["inputRequests"]), second["requestState"] == state), (["step2"], False))
    color = {"step2": {"action": "accept", "content": {"color": "red"}}}
    done = converse.last(call(RESULT + "multi_round", {}, meta=CAPABLE, inputResponses=color, requestState=second["requestState"]))
    equal(done["result"]["content"][0]["text"], "red")
    converse.end()


@claim
def who_cannot_answer_is_not_asked():
    answer = one(call("test_missing_capability", {}), flags=FLAGS)["error"]
    equal((answer["code"], answer["data"]), (-32021, {"requiredCapabilities": {"sampling": {}}}))
    equal(one(call(RESULT + "sampling", {}), flags=FLAGS)["error"]["data"], {"requiredCapabilities": {"sampling": {}}})
    some = {**META, "io.modelcontextprotocol/clientCapabilities": {"sampling": {}}}
    equal(list(one(call(RESULT + "capabilities", {}, meta=some), flags=FLAGS)["result"]["inputRequests"]), ["greeting"])
    legacy = talk(opening(), old("tools/call", {"name": "test_elicitation", "arguments": {"message": "?"}}), flags=FLAGS)[1]
    equal(legacy["result"]["isError"], True)


@claim
def a_legacy_client_is_asked_in_between():
    question, result = talk(opening(elicitation={}, sampling={}), old("tools/call", {"name": "test_sampling", "arguments": {"prompt": "2+2?"}}, 7),
                            {"jsonrpc": "2.0", "id": "baton-1", "result": {"role": "assistant", "content": {"type": "text", "text": "4"}, "model": "m"}},
                            flags=FLAGS)[1:]
    equal((question["method"], question["params"]["messages"][0]["content"]["text"]), ("sampling/createMessage", "2+2?"))
    equal((result["id"], result["result"]["content"][0]["text"]), (7, "LLM response: 4"))
    failed = talk(opening(elicitation={}), old("tools/call", {"name": "test_elicitation_sep1034_defaults"}, 7),
                  {"jsonrpc": "2.0", "id": "baton-1", "error": {"code": -1, "message": "no"}}, flags=FLAGS)[2]
    equal(failed["result"]["isError"], True)


@claim
def logs_and_progress_are_for_those_who_want_them():
    def methods(message):
        return [answer.get("method") for answer in talk(message, flags=FLAGS)]
    equal(methods(call("test_logging_tool", {})), [None])
    equal(methods(call("test_logging_tool", {}, meta={**META, "io.modelcontextprotocol/logLevel": "info"})), ["notifications/message"] * 3 + [None])
    equal(methods(call("test_tool_with_progress", {})), [None])
    answers = talk(call("test_tool_with_progress", {}, meta={**META, "progressToken": 5}), flags=FLAGS)
    equal([(answer["params"]["progressToken"], answer["params"]["progress"]) for answer in answers[:-1]], [(5, 0), (5, 50), (5, 100)])


@claim
def lists_that_change_are_told_to_those_who_listen():
    answers = talk(ask("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, "s"),
                   call("test_trigger_prompt_change", {}, 2), call("test_trigger_tool_change", {}, 3), flags=FLAGS)
    equal([answer.get("method", answer.get("id")) for answer in answers],
          ["notifications/subscriptions/acknowledged", 2, 3, "notifications/tools/list_changed", "s"])
    equal(answers[3]["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "s")


sys.exit(finish())
