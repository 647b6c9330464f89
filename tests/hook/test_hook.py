# SPDX-License-Identifier: Apache-2.0
"""test_hook.py BATON - the hooks of five hosts: each in its own words, and never a block by accident."""
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from block import ID, envelope, fenced  # noqa: E402
from program import claim, equal, expect, finish, folder, on_terminal, report, run  # noqa: E402

HOSTS = ("claude", "codex", "copilot", "cursor", "gemini")
PASS = {"claude": b""}
BACK = {"cursor": ["followup_message"]}
GOOD = fenced(envelope())


def hook(place, host, event, *flags, named=True):
    where = ("--store", "s.db", "--workspace", "w") if named else ()
    return run("hook", host, *where, *flags, stdin=event if isinstance(event, str) else json.dumps(event), cwd=place)


def stop(host, text, **more):
    return {"session_id": "s", "summary" if host == "cursor" else "last_assistant_message": text, **more}


def states(place):
    return [(agent["agent_id"], agent["state"], agent["rejections"]) for agent in
            report(run("contract", "state", "-f", "json", "--store", "s.db", cwd=place))["agents"]]


@claim
def each_host_is_answered_in_its_words():
    for host in HOSTS:
        with folder({}) as place:
            bad = hook(place, host, stop(host, "done"))
            equal((host, bad.returncode, list(report(bad))), (host, 0, BACK.get(host, ["decision", "reason"])))
            good = hook(place, host, stop(host, GOOD))
            equal((host, good.returncode, good.stdout), (host, 0, PASS.get(host, b"{}\n")))


@claim
def the_fourth_bad_report_is_told_to_the_user():
    for host in HOSTS:
        with folder({}) as place:
            for _ in range(3):
                hook(place, host, stop(host, "x", agent_id=ID))
            last = hook(place, host, stop(host, "x", agent_id=ID))
            heard = last.stderr if host in ("copilot", "cursor") else last.stdout
            equal((host, last.returncode, b"CONTRACT_REJECTION_LIMIT" in heard, ID.encode() in heard), (host, 0, True, True))
            closed = hook(place, host, stop(host, "x", agent_id=ID), "--fail-closed")
            equal((host, b'"continue":false' in closed.stdout), (host, host in ("claude", "codex", "gemini")))


@claim
def whatever_goes_wrong_is_no_exit_2_and_no_acceptance():
    broken = {"s.db": "this is not a database", "in.json": "[]"}
    for host in HOSTS:
        for event, flags in (("[]", ()), ("", ()), ({"session_id": "s"}, ()), (stop(host, GOOD), ()), (stop(host, GOOD), ("--input", "in.json"))):
            with folder(broken) as place:
                told = hook(place, host, event, *flags)
                equal((host, event, told.returncode, told.stdout == PASS.get(host)), (host, event, 0, False))
                back = hook(place, host, event, "--fail-closed", *flags)
                equal((host, event, back.returncode, list(report(back))), (host, event, 0, BACK.get(host, ["decision", "reason"])))
                seen = hook(place, host, event, "--observe", *flags)
                equal((host, event, seen.returncode, seen.stdout), (host, event, 0, PASS.get(host, b"{}\n")))


@claim
def misuse_is_exit_1():
    for words in (("claude", "--bogus"), ("vim",), (), ("claude", "--observe", "--fail-closed"), ("codex", "--exit2"), ("claude", "codex")):
        result = run("hook", *words, stdin="{}")
        equal((words, result.returncode, result.stdout, result.stderr[:7]), (words, 1, b"", b"baton: "))


@claim
def what_a_person_types_wrong_is_exit_2():
    for words in (("cluade",), ("claude", "--bogus"), (), ("claude", "--observe", "--fail-closed"), ("claude", "--max-rejections", "x"), ("claude", "--config", "c.yaml")):
        code, output = on_terminal("hook", *words)
        equal((words, code, output[:7]), (words, 2, b"baton: "))
        equal((words, run("hook", *words, stdin="{}").returncode), (words, 1))


@claim
def an_unknown_host_is_told_with_those_that_are_known():
    for word, meant in (("cluade", "claude"), ("Codx", "codex"), ("instal", "install"), ("gem", "gemini"), ("vim", None)):
        said = run("hook", word, stdin="{}").stderr.decode().splitlines()
        equal((word, said[0]), (word, f"baton: unknown host {word}" + (f", did you mean {meant}?" if meant else "")))
        equal((word, said[1].split()[:6]), (word, ["allowed:", "claude,", "codex,", "copilot,", "cursor,", "gemini,"]))
        equal((word, "install" in said[1], said[2].strip()), (word, True, "see baton hook --help"))
    for words in (("install", "cluade"), ("uninstall", "cluade"), ("status", "cluade")):
        result = run("hook", *words)
        equal((words, result.returncode, b"did you mean claude?" in result.stderr, b"allowed: claude," in result.stderr), (words, 2, True, True))


@claim
def observing_records_and_changes_nothing():
    with folder({}) as place:
        hook(place, "claude", stop("claude", GOOD), "--observe")
        equal(states(place), [])
        entries = report(run("ledger", "tail", "-f", "json", "--store", "s.db", cwd=place))["entries"]
        equal([(entry["entry"]["verdict"], entry["entry"]["actor"]) for entry in entries], [("accepted", "hook/claude/observe")])


@claim
def other_events_and_spared_agents_pass():
    with folder({}) as place:
        for event, flags in ((stop("claude", "x", hook_event_name="PreToolUse"), ()), (stop("claude", "x", agent_type="b"), ("--agents", "a,c"))):
            equal((event, hook(place, "claude", event, *flags).stdout), (event, b""))
        equal((pathlib.Path(place) / "s.db").exists(), False)
        equal(list(report(hook(place, "claude", stop("claude", "x", agent_type="c"), "--agents", "a,c"))), ["decision", "reason"])


@claim
def the_last_text_of_a_transcript_counts():
    lines = [{"type": "assistant", "message": {"role": "assistant", "content": "old"}}, {"type": "user", "message": {"role": "user", "content": "x"}},
             {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "Report."}, {"type": "tool"},
                                                                                {"type": "text", "text": GOOD}]}}, {"type": "system"}]
    with folder({"t.jsonl": "\n".join(["no json", *map(json.dumps, lines), ""])}) as place:
        equal(hook(place, "claude", {"session_id": "s", "transcript_path": "t.jsonl"}).stdout, b"")
        equal(states(place), [(ID, "IN_PROGRESS", 0)])
        os.mkfifo(pathlib.Path(place) / "fifo")
        for path in ("fifo", ".", "none"):
            equal((path, list(report(hook(place, "claude", {"transcript_path": path})))), (path, ["systemMessage"]))


@claim
def the_host_s_id_is_mapped_and_must_be_used():
    with folder({}) as place:
        event = stop("codex", fenced(envelope({"/agent_status/agent_id": "a019a8f3e7c1b"})), agent_id="019A8F3E-7c1b")
        equal(hook(place, "codex", event).stdout, b"{}\n")
        equal("AGENT_ID_MISMATCH" in report(hook(place, "codex", stop("codex", GOOD, agent_id="019A8F3E-7c1b")))["reason"], True)


@claim
def an_agent_is_briefed_when_it_starts():
    with folder({"in.json": '{"write_permissions":{"writable_sections":["services"]}}'}) as place:
        run("contract", "input", "--store", "s.db", "--workspace", "w", "--agent-type", "t", "in.json", cwd=place)
        event = {"hook_event_name": "SubagentStart", "session_id": "s", "agent_id": ID, "agent_type": "t"}
        text = report(hook(place, "claude", event))["hookSpecificOutput"]["additionalContext"]
        equal([word in text for word in (ID, "```agent_contract_handoff", '"services"')], [True] * 3)
        equal(hook(place, "gemini", event).stdout, b"{}\n")
        equal(hook(place, "claude", event, "--observe").stdout, b"")
        equal(hook(place, "claude", {**event, "agent_id": ""}).stdout, b"")


@claim
def the_usual_store_is_that_of_the_event_s_folder():
    with folder({"p/x": ""}) as place:
        run("ledger", "init", "--origin", "x", "--root", "p", cwd=place)
        event = stop("claude", GOOD, cwd=str(pathlib.Path(place) / "p"))
        equal(hook(place, "claude", event, named=False).stdout, b"")
        agents = report(run("contract", "state", "-f", "json", "--root", "p", cwd=place))["agents"]
        equal([(agent["workspace"], agent["state"]) for agent in agents], [("p", "IN_PROGRESS")])


@claim
def a_project_that_is_not_here_has_a_name_all_the_same():
    for event, name in (({"cwd": "/nowhere/Shop/"}, "shop"), ({"workspace_roots": ["/nowhere/App"]}, "app"), ({"cwd": "/"}, "global")):
        with folder({}) as place:
            run("hook", "codex", "--store", "s.db", stdin=json.dumps({**stop("codex", GOOD), **event}), cwd=place)
            agents = report(run("contract", "state", "-f", "json", "--store", "s.db", cwd=place))["agents"]
            equal((event, [agent["workspace"] for agent in agents]), (event, [name]))


@claim
def a_given_input_is_shown_when_an_agent_starts():
    with folder({"in.json": '{"agent_contract_handoff":{"goal":"find it","consolidation_required":true}}'}) as place:
        event = {"hook_event_name": "SubagentStart", "session_id": "s", "agent_id": ID}
        text = report(hook(place, "codex", event, "--input", "in.json"))["hookSpecificOutput"]["additionalContext"]
        equal([word in text for word in ("find it", "next_best_agent")], [True] * 2)


@claim
def a_store_that_is_named_is_made_when_an_agent_starts():
    event = {"hook_event_name": "SubagentStart", "session_id": "s", "agent_id": ID}
    for host in HOSTS:
        for flags in ((), ("--input", "in.json")):
            with folder({"in.json": "{}"}) as place:
                equal((host, flags, hook(place, host, event, *flags).returncode), (host, flags, 0))
                equal((host, flags, (pathlib.Path(place) / "s.db").exists()), (host, flags, True))
                expect(run("ledger", "tail", "--quiet", "--store", "s.db", cwd=place), 0)
    with folder({}) as place:  # one that nobody names is not made
        hook(place, "claude", event, named=False)
        equal(sorted(path.name for path in pathlib.Path(place).iterdir()), [])


finish()
