# SPDX-License-Identifier: Apache-2.0
"""test_repeated.py BATON MODULE - calls with a key are executed once, whatever ends in between."""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from program import BATON, SANITIZED, STRIDE, claim, claim_if, environment, equal, expect, finish, folder, run, until  # noqa: E402
from wrapped import HELLO, OTHER, READ, READY, SEND, Session, call, entries, lines, place_with, record, refusal, talk  # noqa: E402

MODULE = str(pathlib.Path(sys.argv[2]).resolve())


def keyed(number, name, key, **arguments):
    message = call(number, name, **arguments)
    message["params"]["_meta"] = {"baton/idempotency-key": key}
    return message


def executed(place, name="received"):
    path = pathlib.Path(place, name)
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [json.loads(line)["id"] for line in text.splitlines() if '"tools/call"' in line]


@claim
def a_repeated_call_gets_the_recorded_answer():
    with place_with() as place:
        answers, facts = talk(place, keyed(1, "send", "k", to="a"), keyed(2, "send", "k", to="a"), keyed(3, "send", "other", to="a"))
        equal((answers[1]["result"], executed(place)), (answers[2]["result"], [1, 3]))
        equal((facts["calls"]["replayed"], facts["calls"]["returned"], facts["recorded"]), (1, 2, 3))
        answers, _ = talk(place, keyed(4, "send", "k", to="a"), keyed(5, "send", "k", to="b"), keyed(6, "read", "k", to="a"))
        equal((answers[4]["result"]["content"][0]["text"], refusal(answers[5]), refusal(answers[6])), ("send", "WRAP_KEY_REUSED", None))
        equal(executed(place), [1, 3, 6])
        replayed = [entry for entry in entries(place) if entry["refs"]["event"] == "replayed"]
        first = next(entry["seq"] for entry in entries(place) if entry["refs"]["event"] == "returned")
        equal([entry["refs"]["parent"] for entry in replayed], [first, first])
        equal(record(place, replayed[0]["seq"])["delivered"]["sha256"], record(place, first)["response"]["sha256"])
        expect(run("ledger", "verify", "--store", "s.db", cwd=place), 0)


@claim
def errors_of_form_free_the_key_and_others_are_given_again():
    shown = {"tools": [READ, SEND], "errors": {"read": {"code": -32602, "message": "no"}, "send": {"code": -1, "message": "broken"}}}
    with place_with(**{"shown.json": json.dumps(shown)}) as place:
        answers, _ = talk(place, *(keyed(number, "send", "k") for number in (1, 2)), *(keyed(number, "read", "k") for number in (3, 4)))
        equal([answers[number]["error"]["code"] for number in (1, 2, 3, 4)], [-1, -1, -32602, -32602])
        equal(executed(place), [1, 3, 4])


@claim
def a_question_of_the_server_leaves_the_key_to_the_call_with_the_answer():
    with place_with(**{"shown.json": json.dumps({"tools": [READ, SEND], "question": {"requestState": "s"}})}) as place:
        answered = keyed(2, "send", "k", to="a")
        answered["params"] |= {"inputResponses": {"q": {}}, "requestState": "s"}
        session = Session(place)
        results = []
        for message in (keyed(1, "send", "k", to="a"), answered, {**answered, "id": 3}):
            session.say(message)
            results.append(session.hear()["result"])
        session.end()
        equal([result.get("resultType") for result in results], ["input_required", None, None])
        equal((results[1]["content"], executed(place)), (results[2]["content"], [1, 2]))


@claim
def a_malformed_key_is_refused_and_another_place_for_it_is_read():
    with place_with() as place:
        other = call(4, "send", to="a")
        other["params"]["idempotencyKey"] = "k"
        answers, _ = talk(place, keyed(1, "send", "a b"), keyed(2, "send", "x" * 129), keyed(3, "send", 7), other, keyed(5, "send", "k", to="a"))
        equal([refusal(answers[number]) for number in range(1, 6)], ["WRAP_KEY_INVALID"] * 3 + [None, None])
        equal(executed(place), [4])


@claim
def an_equal_call_waits_for_the_first_one():
    with folder({}) as place:
        slow = [keyed(number, "sleep", "k") for number in (1, 2, 3)]
        for message in slow:
            message["params"]["value"] = 0.5
        result = run("wrap", "--name", "s", "--quiet", "--store", "s.db", "--", *OTHER, stdin=lines(*slow), cwd=place)
        answers = [json.loads(line) for line in result.stdout.splitlines()]
        equal((result.returncode, sorted(answer["id"] for answer in answers), executed(place, "seen")), (0, [1, 2, 3], [1]))
        equal(len({json.dumps(answer["result"]) for answer in answers}), 1)


@claim
def an_answer_that_is_too_large_to_keep_is_not_asked_for_again():
    with folder({}) as place:
        large = [keyed(number, "big", "k") for number in (1, 2)]
        for message in large:
            message["params"]["value"] = 2 << 20
        result = run("wrap", "--name", "s", "--quiet", "--store", "s.db", "--", *OTHER, stdin=lines(*large), cwd=place)
        answers = {message["id"]: message for message in map(json.loads, result.stdout.splitlines())}
        equal((refusal(answers[1]), refusal(answers[2]), executed(place, "seen")), (None, "WRAP_OUTCOME_UNKNOWN", [1]))


@claim
def a_refused_call_does_not_use_its_key_up():
    with place_with() as place:
        session = Session(place, "--approve", "send", "--workspace", "w")
        session.say(keyed(1, "send", "k", to="a"))
        equal(refusal(session.hear()), "WRAP_APPROVAL_REQUIRED")
        session.end()
        answers, _ = talk(place, keyed(2, "send", "k", to="a"))
        equal((refusal(answers[2]), executed(place)), (None, [2]))


def kill_and_repeat(place, message, pause):
    """Send a call, kill the proxy after a while, and send it again in a new session; its answer."""
    process = subprocess.Popen([BATON, "wrap", "--quiet", "--name", "s", "--store", "s.db", "--", *OTHER], cwd=place, env=environment(),
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    process.stdin.write(lines(message))
    process.stdin.flush()
    pause(process)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    result = run("wrap", "--quiet", "--name", "s", "--store", "s.db", "--", *OTHER, stdin=lines(message), cwd=place)
    return json.loads(result.stdout)


@claim
def a_proxy_that_is_killed_at_any_moment_executes_no_keyed_call_twice():
    """The control: a call without a key that was answered before the kill is executed twice."""
    rng = random.Random(1)
    outcomes = set()
    with folder({}) as place:
        expect(run("ledger", "init", "--origin", "x", "--store", "s.db", cwd=place), 0)
        for number in range(24 // STRIDE):
            answer = kill_and_repeat(place, keyed(number, "echo", f"k{number}"), lambda process: time.sleep(rng.random() * 0.12))
            outcomes.add(refusal(answer))
            equal(executed(place, "seen").count(number) in (0, 1), True)
            if refusal(answer) is None:
                equal(executed(place, "seen").count(number), 1)
        equal(outcomes <= {None, "WRAP_OUTCOME_UNKNOWN"}, True)
        expect(run("ledger", "verify", "--store", "s.db", cwd=place), 0)
        kill_and_repeat(place, call(1000, "echo"), lambda process: process.stdout.readline())
        equal(executed(place, "seen").count(1000), 2)


@claim
def a_call_whose_process_is_gone_is_unknown_unless_its_tool_is_idempotent():
    with folder({"again.json": json.dumps({"wrap": {"rules": [{"tools": ["nothing", "echo"], "idempotent": True}]}})}) as place:
        seen = pathlib.Path(place, "seen")
        first = kill_and_repeat(place, keyed(1, "nothing", "k"), lambda process: until(lambda: seen.exists() and "tools/call" in seen.read_text(encoding="utf-8"), "the call"))
        equal((refusal(first), executed(place, "seen")), ("WRAP_OUTCOME_UNKNOWN", [1]))
        process = subprocess.Popen([BATON, "wrap", "--quiet", "--name", "s", "--store", "s.db", "--config", "again.json", "--", *OTHER], cwd=place, env=environment(),
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        process.stdin.write(lines(keyed(2, "nothing", "k")))
        process.stdin.flush()
        until(lambda: executed(place, "seen") == [1, 2], "the call that is sent again")
        process.terminate()
        process.communicate(timeout=60)


@claim
def an_answer_that_was_lost_is_given_once():
    with folder({"again.json": json.dumps({"wrap": {"arguments": "off", "results": "off", "rules": [{"tools": ["sleep"], "idempotent": True}]}})}) as place:
        slow = [call(number, "sleep") for number in (1, 2, 3)]
        for message in slow:
            message["params"]["value"] = 0.5
        messages = [HELLO, READY, slow[0], {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}, slow[1]]
        talking = ["wrap", "--name", "s", "--quiet", "--store", "s.db", "--config", "again.json", "--", *OTHER]
        result = run(*talking, stdin=lines(*messages), cwd=place)
        answers = {message["id"]: message for message in map(json.loads, result.stdout.splitlines())}
        equal((2 in answers, executed(place, "seen")), (True, [1]))
        run(*talking, stdin=lines(HELLO, READY, slow[2]), cwd=place)
        equal(executed(place, "seen"), [1, 3])


@claim_if(not SANITIZED, "the sanitizer wants to be loaded first")
def after_a_sync_that_failed_no_key_is_opened_and_no_keyed_call_passes():
    """The control: a call without a key passes with --fail open."""
    with place_with() as place:
        session = Session(place, "--fail", "open", env={"LD_PRELOAD": MODULE, "BATON_FAIL_SYNC": "fail"})
        session.say(keyed(1, "send", "a"))
        equal(refusal(session.hear()), None)
        pathlib.Path(place, "fail").write_text("", encoding="utf-8")
        session.say(keyed(2, "send", "b"))
        equal(refusal(session.hear()), "WRAP_RECORD_FAILED")
        pathlib.Path(place, "fail").unlink()
        session.say(keyed(3, "send", "c"), call(4, "send"))
        equal([refusal(session.hear()) for _ in range(2)], ["WRAP_RECORD_FAILED", None])
        facts, _ = session.end(code=2)
        equal((executed(place), facts["recorded"]), ([1, 4], 1))


sys.exit(finish())
