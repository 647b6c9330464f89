# SPDX-License-Identifier: Apache-2.0
"""test_budget.py BATON - what agents may spend: calls that are denied, what is told once, and who may raise a limit."""
import contextlib
import hashlib
import json
import pathlib
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from block import ID, envelope, fenced  # noqa: E402
from program import claim, equal, expect, finish, folder, report, run  # noqa: E402
from server import serving  # noqa: E402
from transcripts import THREAD, Claude, Codex  # noqa: E402

STORE = ("--store", "s.db", "--workspace", "w")
JSON = {"Content-Type": "application/json"}


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


def records(place, reason="budget"):
    items = report(run("ledger", "tail", "-f", "json", "--store", "s.db", "--kind", "raw", "-n", "100", cwd=place))["entries"]
    return [json.loads(expect(run("ledger", "show", str(item["entry"]["seq"]), "--document", "--store", "s.db", cwd=place), 0).stdout)
            for item in items if item["entry"]["refs"]["reason"] == reason]


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


@claim
def what_no_grant_permits_is_denied_before_a_spent_budget_and_a_grant_is_asked_for_after_it():
    with folder({}) as place:
        flags = (*pinned(place, agent={"tokens": 30}), "--gate")
        write(place, 3)

        def code(command):
            said = answer(place, "PreToolUse", *flags, tool_input={"command": command})
            return said.get("hookSpecificOutput", {}).get("permissionDecisionReason", "").split(":")[0]
        equal([code(command) for command in ("baton budget set --tokens 9", "echo x > .baton/store.db", "git push", "ls")],
              ["GATE_SELF", "GATE_PROTECTED", "BUDGET_SPENT", "BUDGET_SPENT"])
        equal(report(run("approvals", "list", "-f", "json", "--store", "s.db", cwd=place))["approvals"], [])
        expect(run("budget", "set", *STORE, "--session", "s", "--agent", ID, "--tokens", "99", "--actor", "user:ana", cwd=place), 0)
        equal([code(command) for command in ("baton budget set --tokens 9", "git push", "ls")], ["GATE_SELF", "GATE_APPROVAL_NEEDED", ""])  # the control


@claim
def the_record_of_a_turn_says_what_its_agent_has_spent():
    price = {"model": "claude-opus-*", "input": "5", "output": "25", "cache_read": "0.5", "cache_write": "6.25"}
    cost = "0.000468"  # three answers of 3, 5, 7 and 2 tokens
    for budget, usage in (({"agent": {"tokens": 1000}, "prices": [price], "currency": "EUR"}, {"tokens": 30, "cost": cost, "currency": "EUR"}),
                          ({"agent": {"tokens": 1000}}, {"tokens": 30, "cost": None, "currency": None}),
                          (None, {"tokens": None, "cost": None, "currency": None})):
        with folder({}) as place:
            write(place, 3)
            flags = pinned(place, **budget) if budget else ()
            answer(place, "SubagentStop", *flags, "--evidence", "report", last_assistant_message=fenced(envelope(status="BLOCKED")))
            equal([item["usage"] for item in records(place, "evidence")], [usage])
            write(place, 4)
            answer(place, "SubagentStop", *flags, "--evidence", "report", last_assistant_message=fenced(envelope(status="BLOCKED")))
            equal([item["usage"]["tokens"] for item in records(place, "evidence")], [30, 40] if budget else [None, None])
    with folder({}) as place:  # a transcript of another agent says nothing about this one
        write(place, 3, "affffff00000")
        answer(place, "SubagentStop", *pinned(place, agent={"tokens": 1000}), "--evidence", "report", last_assistant_message=fenced(envelope(status="BLOCKED")))
        equal([item["usage"]["tokens"] for item in records(place, "evidence")], [None])


@claim
def an_agent_without_a_transcript_is_denied_when_its_session_is_spent_and_that_is_recorded_once():
    with folder({}) as place:
        flags = pinned(place, session={"tokens": 30})
        write(place, 3)
        equal(denied(answer(place, "PreToolUse", *flags)), True)
        other = "a5c2e98a1b3f47d60"
        equal([denied(answer(place, "PreToolUse", *flags, agent=other, path="none.jsonl")) for _ in range(3)], [True] * 3)
        equal(records(place), [{"baton_budget": 1, "scope": "session", "unit": "tokens", "used": 30, "limit": 30}] * 2)
        equal(shown(place)[0], {ID: 30})


@claim
def a_limit_that_was_set_is_shown_without_usage():
    with folder({}) as place:
        expect(run("ledger", "init", "--store", "s.db", "--origin", "x.example/y", cwd=place), 0)
        limit = ("budget", "set", *STORE, "--actor", "user:ana", "--session")
        expect(run(*limit, "s", "--agent", ID, "--tokens", "99", cwd=place), 0)
        expect(run(*limit, "s", "--cost", "2.5", cwd=place), 0)
        for flags in (("--session", "s"), ()):  # it is the only session
            made = report(run("budget", "show", "-f", "json", *STORE, *flags, cwd=place))
            equal(made["budget"]["agents"], [{"session": "s", "agent_id": ID, "models": {}, "tokens": 0, "cost": None, "limit": {"tokens": 99, "cost": None},
                                              "percent": 0, "state": "unknown"}])
            equal(made["budget"]["session"]["limit"], {"tokens": None, "cost": "2.500000"})
            equal([(item["code"], item["params"]) for item in made["findings"]], [("BUDGET_UNKNOWN", {"reason": "none"})])
        expect(run(*limit, "other", "--agent", "-", "--tokens", "5", cwd=place), 0)
        made = report(run("budget", "show", "-f", "json", *STORE, cwd=place))["budget"]
        equal((sorted((item["session"], item["agent_id"]) for item in made["agents"]), made["session"]["limit"]), ([("other", "-"), ("s", ID)], None))
        equal(len(report(run("budget", "show", "-f", "json", *STORE, "--agent", "-", cwd=place))["budget"]["agents"]), 1)
        write(place, 10)
        answer(place, "PreToolUse", *pinned(place, agent={"tokens": 5}))
        made = report(run("budget", "show", "-f", "json", *STORE, "--session", "s", cwd=place))["budget"]
        equal([(item["tokens"], item["percent"], item["state"]) for item in made["agents"]], [(100, 101, "spent")])  # the control: what is set counts


@claim
def a_limit_that_cannot_be_read_is_not_taken_for_none():
    with folder({}) as place:
        expect(run("ledger", "init", "--store", "s.db", "--origin", "x.example/y", cwd=place), 0)
        expect(run("budget", "set", *STORE, "--session", "s", "--agent", ID, "--cost", "1.5", "--actor", "user:ana", cwd=place), 0)
        expect(run("budget", "show", *STORE, "--session", "s", cwd=place), 0)  # the control
        with contextlib.closing(sqlite3.connect(pathlib.Path(place, "s.db"))) as store, store:
            equal(store.execute("UPDATE budget SET cost = 'much'").rowcount, 1)
        expect(run("budget", "show", *STORE, "--session", "s", cwd=place), 2, err="a limit in the store is damaged")


@claim
def over_http_no_transcript_is_read_and_a_limit_fails_closed():
    budget = json.dumps({"budget": {"agent": {"tokens": 30}}})
    with serving(config=budget) as server:
        place = server.folder
        write(place, 9)
        event = {"session_id": "s", "hook_event_name": "PreToolUse", "agent_id": ID, "tool_name": "Bash", "tool_input": {"command": "ls"}}
        named = {**event, "agent_transcript_path": str(place / "t.jsonl")}

        def ask(sent, query=""):
            return server.ask("POST", f"/v1/hooks/claude?workspace=w{query}", sent, JSON).json()
        equal(ask(named), {})  # unknown passes, though the file has more than the limit
        closed = ask(named, "&fail_closed=1")
        equal((denied(closed), "cannot be read" in closed["systemMessage"]), (True, True))
        equal(ask(event, "&fail_closed=1"), {})  # the host names none
        equal("30 tokens" in ask({**named, "hook_event_name": "SubagentStart"})["hookSpecificOutput"]["additionalContext"], True)
        equal(ask({**named, "hook_event_name": "SubagentStop", "last_assistant_message": fenced(envelope(status="BLOCKED"))}), {})  # a report may end
        answer(place, "PreToolUse", *pinned(place, agent={"tokens": 1000}))  # a hook beside the host counts into the same store
        equal([denied(ask(named)) for _ in range(2)], [True, True])
        equal(records(place), [{"baton_budget": 1, "scope": "agent", "unit": "tokens", "used": 90, "limit": 30}])
    with serving() as server:  # the control: without a budget nothing is denied
        equal(server.ask("POST", "/v1/hooks/claude?fail_closed=1", named, JSON).json(), {})


@claim
def the_end_of_a_turn_is_not_a_denial():
    with folder({}) as place:
        flags = pinned(place, agent={"tokens": 30})
        write(place, 3)
        answer(place, "SubagentStop", *flags, last_assistant_message=fenced(envelope(status="BLOCKED")))
        equal(records(place), [])
        equal([denied(answer(place, "PreToolUse", *flags)) for _ in range(2)], [True, True])
        equal([item["used"] for item in records(place)], [30])


@claim
def a_child_of_codex_is_counted_by_the_transcript_that_its_tools_name_and_without_what_its_parent_spent():
    parent = "019b0000-0000-7000-8000-000000000001"

    def total(made, tokens):
        made.line("event_msg", {"type": "token_count", "info": {"total_token_usage": {"input_tokens": tokens, "output_tokens": 0}}})
    above = Codex(parent)
    total(above, 1000)
    for name, is_denied in ((f"rollout-2026-11-17T10-00-00-{parent}.jsonl", True), ("rollout-of-another.jsonl", False)):
        with folder({name: above.text()}) as place:
            flags = pinned(place, agent={"tokens": 30})
            child = Codex()
            head = json.loads(child.lines[0])
            head["payload"]["parent_thread_id"] = parent
            child.lines[0] = json.dumps(head)
            total(child, 1000)  # repeated
            said = []
            for tokens in (1010, 1020, 1030, 1030):
                total(child, tokens)
                path = pathlib.Path(place, f"rollout-{THREAD}.jsonl")
                path.write_text(child.text())
                said.append(denied(answer(place, "PreToolUse", *flags, host="codex", agent=THREAD, path="", transcript_path=str(path))))
            equal((name, said), (name, [False, False, is_denied, is_denied]))  # without its parent the usage is not known, and passes
            equal((name, list(shown(place)[0].values())), (name, [30 if is_denied else 0]))
            made = json.loads(run("hook", "codex", *STORE, *flags, stdin=json.dumps({"session_id": "s", "hook_event_name": "PreToolUse", "agent_id": ID, "tool_name": "Bash", "tool_input":
                              {"command": "ls"}, "transcript_path": str(path)}), cwd=place, env={"HOME": str(place), "XDG_CONFIG_HOME": ""}).stdout)
            equal((name, made), (name, {}))  # the file of another agent counts nothing for this one


finish()
