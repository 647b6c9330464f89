# SPDX-License-Identifier: Apache-2.0
"""test_budget.py BATON - what agents may spend: calls that are denied, what is told once, and who may raise a limit."""
import hashlib
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from block import ID, envelope, fenced  # noqa: E402
from program import claim, equal, expect, finish, folder, report, run  # noqa: E402
from transcripts import THREAD, Claude, Codex  # noqa: E402

STORE = ("--store", "s.db", "--workspace", "w")


def pinned(place, **budget):
    text = json.dumps({"budget": budget})
    pathlib.Path(place, "b.yaml").write_text(text)
    return ("--config", "b.yaml", "--config-sha256", hashlib.sha256(text.encode()).hexdigest())


def answer(place, event, *flags, host="claude", agent=ID, path="t.jsonl", **more):
    """What a hook says to an event: an object, or {} for nothing."""
    sent = {"session_id": "s", "hook_event_name": event, "agent_id": agent, "agent_type": "worker", "agent_transcript_path": path, **more}
    if event == "PreToolUse":
        sent = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "c", **sent}
    for _ in range(5):  # a busy machine may leave a hook no time
        made = run("hook", host, *STORE, *flags, stdin=json.dumps(sent), cwd=place, env={"HOME": str(place), "XDG_CONFIG_HOME": ""})
        if b"could not judge" not in made.stdout:
            break
    equal((made.returncode, made.stderr if b"baton: BUDGET" in made.stderr else b""), (0, b""))
    return json.loads(made.stdout or b"{}")


def denied(said):
    return said.get("hookSpecificOutput", {}).get("permissionDecision") == "deny"


def write(place, count, agent=ID, name="t.jsonl"):
    """A transcript of so many answers, of ten fresh tokens each."""
    made = Claude(agent)
    for _ in range(count):
        made.command("ls")
    pathlib.Path(place, name).write_text(made.text())


def records(place):
    items = report(run("ledger", "tail", "-f", "json", "--store", "s.db", "--kind", "raw", "-n", "100", cwd=place))["entries"]
    return [json.loads(expect(run("ledger", "show", str(item["entry"]["seq"]), "--document", "--store", "s.db", cwd=place), 0).stdout)
            for item in items if item["entry"]["refs"]["reason"] == "budget"]


def shown(place, *flags):
    made = report(run("budget", "show", "-f", "json", *STORE, "--session", "s", *flags, cwd=place))["budget"]
    return {item["agent_id"]: item["tokens"] for item in made["agents"]}, made["session"]


@claim
def the_first_denial_is_recorded_and_every_call_is_denied():
    with folder({}) as place:
        flags = pinned(place, agent={"tokens": 30})
        write(place, 2)
        equal(answer(place, "PreToolUse", *flags), {})  # the control: twenty of thirty
        write(place, 3)
        equal([denied(answer(place, "PreToolUse", *flags)) for _ in range(3)], [True] * 3)
        equal(records(place), [{"baton_budget": 1, "scope": "agent", "unit": "tokens", "used": 30, "limit": 30}])
        equal(shown(place)[0], {ID: 30})


@claim
def a_session_counts_all_its_agents_and_tells_most_of_it_once():
    other = "a5c2e98a1b3f47d60"
    with folder({}) as place:
        flags = pinned(place, session={"tokens": 100}, agent={"tokens": 1000})
        write(place, 4)
        write(place, 4, other, "o.jsonl")
        equal(answer(place, "PreToolUse", *flags), {})
        low = answer(place, "PreToolUse", *flags, agent=other, path="o.jsonl")
        equal(("BUDGET_LOW" in low["systemMessage"], "session" in low["systemMessage"], low["hookSpecificOutput"]["additionalContext"] == low["systemMessage"]), (True, True, True))
        equal(answer(place, "PreToolUse", *flags, agent=other, path="o.jsonl"), {})
        write(place, 6, other, "o.jsonl")
        equal(denied(answer(place, "PreToolUse", *flags, agent=other, path="o.jsonl")), True)
        equal(denied(answer(place, "PreToolUse", *flags)), True)  # the other agent has spent it too
        equal(shown(place, "--config", "b.yaml")[1]["state"], "spent")


@claim
def a_file_that_is_written_anew_does_not_count_twice():
    with folder({}) as place:
        flags = pinned(place, agent={"tokens": 1000})
        write(place, 5)
        answer(place, "PreToolUse", *flags)
        pathlib.Path(place, "t.jsonl").unlink()
        write(place, 6)
        answer(place, "PreToolUse", *flags)
        equal(shown(place)[0], {ID: 60})
        made = Codex()
        for total in (100, 150):
            made.line("event_msg", {"type": "token_count", "info": {"total_token_usage": {"input_tokens": total, "output_tokens": 1}}})
            for _ in range(2):
                pathlib.Path(place, "c.jsonl").unlink(missing_ok=True)
                pathlib.Path(place, "c.jsonl").write_text(made.text())
                answer(place, "PreToolUse", *flags, host="codex", agent=THREAD, path="c.jsonl")
        equal(sorted(shown(place)[0].values()), [60, 151])


@claim
def a_type_and_an_input_narrow_the_limit():
    with folder({}) as place:
        flags = pinned(place, agent={"tokens": 1000}, types={"scout": {"tokens": 20}})
        write(place, 3)
        equal(denied(answer(place, "PreToolUse", *flags)), False)
        equal(denied(answer(place, "PreToolUse", *flags, agent_type="scout")), True)
    given = {"agent_contract_handoff": {"agent_identity": {"agent_id": ID}, "budget": {"tokens": 25}}}
    with folder({"in.json": json.dumps(given)}) as place:
        flags = pinned(place, agent={"tokens": 1000})
        write(place, 3)
        equal(denied(answer(place, "PreToolUse", *flags)), False)
        expect(run("contract", "input", "in.json", *STORE, "--session", "s", "--agent", ID, cwd=place), 0)
        equal(denied(answer(place, "PreToolUse", *flags)), True)


@claim
def observing_counts_and_denies_nothing():
    with folder({}) as place:
        flags = pinned(place, agent={"tokens": 10})
        write(place, 3)
        equal(answer(place, "PreToolUse", *flags, "--observe"), {})
        equal((shown(place)[0], records(place)), ({ID: 30}, []))
        equal(denied(answer(place, "PreToolUse", *flags)), True)


@claim
def a_bad_report_without_budget_is_escalated_at_once_and_a_good_one_is_accepted():
    for tokens, escalates in ((10, True), (1000, False)):
        with folder({}) as place:
            flags = pinned(place, agent={"tokens": tokens})
            write(place, 3)
            said = answer(place, "SubagentStop", *flags, last_assistant_message="nothing")
            equal((tokens, "CONTRACT_REJECTION_LIMIT" in said.get("systemMessage", ""), said.get("decision") == "block"), (tokens, escalates, not escalates))
            equal((tokens, answer(place, "SubagentStop", *flags, last_assistant_message=fenced(envelope(status="BLOCKED")))), (tokens, {}))


@claim
def a_start_says_what_may_be_spent():
    with folder({}) as place:
        said = answer(place, "SubagentStart", *pinned(place, agent={"tokens": 777, "cost": "1.5"}))
        context = said["hookSpecificOutput"]["additionalContext"]
        equal(("777 tokens" in context, "1.500000 USD" in context), (True, True))
        equal("may spend" in answer(place, "SubagentStart")["hookSpecificOutput"]["additionalContext"], False)


@claim
def only_a_person_raises_a_limit():
    with folder({}) as place:
        flags = pinned(place, agent={"tokens": 10}, session={"tokens": 10})
        write(place, 3)
        equal(denied(answer(place, "PreToolUse", *flags)), True)
        limit = ("budget", "set", "-f", "json", *STORE, "--session", "s")
        for actor in (ID, f"user:{ID}", f"hook/{ID}"):
            made = run(*limit, "--agent", ID, "--tokens", "99", "--actor", actor, cwd=place)
            equal((actor, made.returncode, report(made)["findings"][0]["code"]), (actor, 1, "APPROVAL_SELF"))
        for args in ((), ("--tokens", "1"), ("--tokens", "0", "--actor", "user:ana"), ("--tokens", "1", "--cost", "1", "--actor", "user:ana"), ("--cost", "x", "--actor", "user:ana")):
            equal((args, run(*limit, *args, cwd=place).returncode), (args, 2))
        equal(run(*limit, "--agent", ID, "--tokens", "99", "--actor", "user:ana", cwd=place).returncode, 0)
        equal(denied(answer(place, "PreToolUse", *flags)), True)  # the session is still spent
        equal(run(*limit, "--tokens", "99", "--actor", "user:ana", cwd=place).returncode, 0)
        equal(denied(answer(place, "PreToolUse", *flags)), False)
        equal([item for item in records(place) if item.get("set")],
              [{"baton_budget": 1, "limit": 99, "scope": scope, "set": True, "unit": "tokens", "used": None} for scope in ("agent", "session")])


@claim
def the_gate_denies_an_agent_that_raises_its_own_limit():
    for command in ("baton budget set --session s --tokens 9 --actor x", "bash -c 'baton budget set --tokens 9'", "echo s | xargs baton budget set --tokens 9 --session",
                    "cd x && sudo baton budget set", "baton budget $WORD"):
        made = run("gate", "check", "-f", "json", "--command", command, cwd=".")
        equal((command, made.returncode, report(made)["gate"]["code"]), (command, 1, "GATE_SELF"))
    equal(run("gate", "check", "--command", "baton budget show").returncode, 0)


finish()
