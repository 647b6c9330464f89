# SPDX-License-Identifier: Apache-2.0
"""test_tools.py BATON - the command gate of hooks: what is denied in whose words, what a grant lets through, and how often."""
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from block import ID, REQUEST, envelope, fenced  # noqa: E402
from program import BATON, claim, environment, equal, expect, finish, folder, report, run  # noqa: E402

WHERE = ("--store", "s.db", "--workspace", "w")
PUSH = "git push origin main"
SHELLS = {"claude": "Bash", "codex": "Bash", "copilot": "bash", "gemini": "run_shell_command"}
EVENTS = {"claude": "PreToolUse", "codex": "PreToolUse", "copilot": "preToolUse", "gemini": "BeforeTool"}
WRITERS = {"claude": ("Write", "file_path"), "copilot": ("create", "path"), "cursor": ("StrReplace", "path"), "gemini": ("replace", "file_path")}
HOSTS = ("claude", "codex", "copilot", "cursor", "gemini")


def shell(host, command, **more):
    """The event before a shell command."""
    if host == "cursor":
        return {"conversation_id": "s", "hook_event_name": "beforeShellExecution", "command": command, "cwd": "", **more}
    if host == "copilot":
        return {"sessionId": "s", "toolName": "bash", "toolArgs": json.dumps({"command": command}), **more}
    return {"session_id": "s", "hook_event_name": EVENTS[host], "tool_name": SHELLS[host], "tool_input": {"command": command}, **more}


def tool(host, name, value, **more):
    event = "preToolUse" if host == "cursor" else EVENTS[host]
    return {"session_id": "s", "hook_event_name": event, "tool_name": name, "tool_input": value, **more}


def hook(place, host, event, *flags, gate=("--gate",), env=None):
    home = {"HOME": str(place), "XDG_CONFIG_HOME": "", **(env or {})}
    return run("hook", host, *WHERE, *gate, *flags, stdin=json.dumps(event), cwd=place, env=home)


def denial(answer, host="claude"):
    """Both texts of a denial: for the agent, and for the person."""
    equal(answer.returncode, 0)
    made = report(answer)
    if host in ("claude", "codex"):
        equal((list(made), made["hookSpecificOutput"]["permissionDecision"]), (["hookSpecificOutput", "systemMessage"], "deny"))
        return made["hookSpecificOutput"]["permissionDecisionReason"], made["systemMessage"]
    if host == "copilot":
        equal((list(made), made["permissionDecision"]), (["permissionDecision", "permissionDecisionReason"], "deny"))
        return made["permissionDecisionReason"], answer.stderr.decode()
    if host == "cursor":
        equal((list(made), made["permission"]), (["permission", "user_message", "agent_message"], "deny"))
        return made["agent_message"], made["user_message"]
    equal((list(made), made["decision"]), (["decision", "reason", "systemMessage"], "deny"))
    return made["reason"], made["systemMessage"]


def passes(answer, host="claude"):
    return (answer.returncode, answer.stdout) == (0, b"" if host == "claude" else b"{}\n")


def requests(place, *flags):
    return report(run("approvals", "list", *WHERE[:2], *flags, "-f", "json", cwd=place))["approvals"]


def grant(place, request, *flags):
    expect(run("approvals", "grant", *WHERE[:2], request["id"], "--fingerprint", request["fingerprint"], "--actor", "user:ana", *flags, cwd=place), 0)


@claim
def every_host_is_denied_in_its_own_words_and_passes_once_after_the_grant():
    for host in HOSTS:
        with folder({}) as place:
            flags = ("--event", "preToolUse") if host == "copilot" else ()
            agent, person = denial(hook(place, host, shell(host, PUSH, agent_id=ID), *flags), host)
            (request,) = requests(place)
            for text, words in ((agent, ("GATE_APPROVAL_NEEDED", "T3", "git push", "APPROVAL_REQUEST", "exact_content", "rollback", "another form")),
                                (person, (PUSH, "baton approvals show " + request["id"], "baton approvals grant " + request["id"],
                                          request["fingerprint"], ID, "HIGH"))):
                equal((host, [word for word in (request["id"], *words) if word not in text]), (host, []))
            equal((request["status"], request["agent_id"], request["workspace"], request["operation"], request["commands"]),
                  ("pending", ID, "w", "T3: git push", [PUSH]))
            denial(hook(place, host, shell(host, PUSH, agent_id=ID), *flags), host)
            equal((host, len(requests(place))), (host, 1))
            grant(place, request)
            denial(hook(place, host, shell(host, PUSH + " ", agent_id=ID), *flags), host)
            denial(hook(place, host, shell(host, PUSH), *flags), host)  # the main agent is another one
            equal((host, passes(hook(place, host, shell(host, PUSH, agent_id=ID), *flags), host)), (host, True))
            again, _ = denial(hook(place, host, shell(host, PUSH, agent_id=ID), *flags), host)
            equal((host, request["id"] in again), (host, False))


@claim
def one_call_is_one_use_however_many_hooks_see_it():
    with folder({}) as place:
        denial(hook(place, "claude", shell("claude", PUSH, agent_id=ID, tool_use_id="c0")))
        (request,) = requests(place)
        grant(place, request)
        for _ in range(3):
            equal(passes(hook(place, "claude", shell("claude", PUSH, agent_id=ID, tool_use_id="c1"))), True)
        denial(hook(place, "claude", shell("claude", PUSH, agent_id=ID, tool_use_id="c2")))
        denial(hook(place, "claude", shell("claude", PUSH, agent_id=ID, tool_use_id="c1", session_id="t")))
        denial(hook(place, "claude", shell("claude", PUSH + " -f", agent_id=ID, tool_use_id="c1")))
        events = report(run("approvals", "show", *WHERE[:2], request["id"], "-f", "json", cwd=place))["approval"]["events"]
        equal([(event["type"], event["actor"]) for event in events if event["type"] == "CONSUMED"], [("CONSUMED", "hook/claude")])
        entries = run("ledger", "tail", "-f", "json", *WHERE[:2], cwd=place).stdout
        equal(entries.count(b'"message":"c1"'), 1)


def race(place, events):
    """Hooks at the same time, each with its event."""
    started = [subprocess.Popen([BATON, "hook", "claude", *WHERE, "--gate"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=place,
                                env=environment(HOME=str(place), XDG_CONFIG_HOME="")) for _ in events]
    for process, event in zip(started, events):
        process.stdin.write(json.dumps(event).encode())
    for process in started:
        process.stdin.close()
    return sorted("deny" if process.stdout.read() else "pass" for process in started if process.wait() == 0)


@claim
def of_two_racing_calls_one_gets_the_grant_and_one_call_seen_twice_keeps_it():
    with folder({}) as place:
        denial(hook(place, "claude", shell("claude", PUSH, agent_id=ID)))
        for number, (ids, expected) in enumerate(((("a", "b"), ["deny", "pass"]), (("c", "c"), ["pass", "pass"]), ((None, None), ["deny", "pass"]))):
            for round_ in range(4):
                (pending,) = requests(place, "--status", "pending")
                grant(place, pending)
                made = [shell("claude", PUSH, agent_id=ID, **({"tool_use_id": f"{name}{number}{round_}"} if name else {})) for name in ids]
                equal((ids, race(place, made)), (ids, expected))
                denial(hook(place, "claude", shell("claude", PUSH, agent_id=ID)))


@claim
def a_grant_for_a_set_lets_its_commands_pass_in_order():
    with folder({}) as place:
        asked = {**REQUEST, "exact_content": "git push a", "command_set": ["git push a", "git push b"]}
        text = fenced(envelope({"/approval_request": asked}, "APPROVAL_REQUEST"))
        run("hook", "claude", *WHERE, stdin=json.dumps({"session_id": "s", "agent_id": ID, "last_assistant_message": text}), cwd=place)
        grant(place, requests(place)[0])
        denial(hook(place, "claude", shell("claude", "git push b", agent_id=ID)))
        equal(passes(hook(place, "claude", shell("claude", "git push a", agent_id=ID))), True)
        equal(passes(hook(place, "claude", shell("claude", "git push b", agent_id=ID))), True)
        denial(hook(place, "claude", shell("claude", "git push a", agent_id=ID)))


@claim
def a_request_of_the_gate_is_redacted_by_its_own_entry():
    with folder({}) as place:
        denial(hook(place, "claude", shell("claude", PUSH, agent_id=ID)))
        (request,) = requests(place)
        entries = report(run("ledger", "tail", *WHERE[:2], "-n", "100", "--kind", "approval", "-f", "json", cwd=place))["entries"]
        (seq,) = [entry["seq"] for entry in entries if entry["entry"]["refs"]["event"] == "REQUESTED"]
        done = report(expect(run("ledger", "redact", str(seq), "--reason", "erasure", *WHERE[:2], "-f", "json", cwd=place), 0, err="backups"))["redacted"]
        equal((done["sha256"], done["entries"], done["approvals"]), (request["fingerprint"], [seq], [request["id"]]))
        (emptied,) = requests(place)
        equal([emptied[name] for name in ("status", "redacted", "operation", "exact_content")], ["revoked", True, None, None])
        last = [entry["entry"] for entry in report(run("ledger", "tail", *WHERE[:2], "-n", "2", "-f", "json", cwd=place))["entries"]]
        equal([(entry["kind"], entry["refs"].get("event"), entry["refs"]["reason"]) for entry in last], [("redaction", None, "erasure"), ("approval", "REVOKED", "redacted")])
        equal((last[0]["document"]["sha256"], last[0]["document"]["kept"], last[0]["document"]["size"] > 0), (request["fingerprint"], False, True))
        for words in (("store", "check"), ("ledger", "verify")):
            expect(run(*words, *WHERE[:2], "-f", "json", cwd=place), 0)


@claim
def an_expired_grant_lets_nothing_pass():
    with folder({}) as place:
        denial(hook(place, "claude", shell("claude", PUSH), "--now", "2026-06-10T10:00:00Z"))
        request = requests(place, "--now", "2026-06-10T10:00:00Z")[0]
        grant(place, request, "--now", "2026-06-10T10:01:00Z", "--ttl", "1m")
        agent, _ = denial(hook(place, "claude", shell("claude", PUSH), "--now", "2026-06-10T10:02:00Z"))
        equal(request["id"] in agent, False)


@claim
def a_report_takes_over_the_request_of_the_gate_for_the_same_command_only():
    with folder({}) as place:
        agent, _ = denial(hook(place, "claude", shell("claude", PUSH, agent_id=ID)))
        made = requests(place)[0]

        def send(**changes):
            text = fenced(envelope({"/approval_request": {**REQUEST, "approval_id": made["id"], "exact_content": PUSH, **changes}}, "APPROVAL_REQUEST"))
            return run("contract", "submit", "-f", "json", *WHERE, "--session", "s", "-", stdin=text, cwd=place)
        equal("APPROVAL_TAMPERED" in expect(send(exact_content="git push --force"), 1).stdout.decode(), True)
        equal("APPROVAL_TAMPERED" in expect(send(command_set=[PUSH, "rm -rf /"]), 1).stdout.decode(), True)
        expect(send(rollback="git push old"), 0)
        (taken,) = requests(place)
        equal((taken["id"], taken["expires_at"], taken["commands"]), (made["id"], made["expires_at"], [PUSH]))
        shown = report(run("approvals", "show", *WHERE[:2], made["id"], "-f", "json", cwd=place))["approval"]
        equal((shown["payload"]["rollback"], [event["type"] for event in shown["events"]][:2]), ("git push old", ["REQUESTED", "REQUESTED"]))
        expect(run("approvals", "grant", *WHERE[:2], made["id"], "--fingerprint", made["fingerprint"], "--actor", "user:ana", cwd=place), 1, err="APPROVAL_TAMPERED")
        grant(place, taken)
        equal(passes(hook(place, "claude", shell("claude", PUSH, agent_id=ID))), True)


@claim
def the_gate_and_its_files_are_denied_without_a_request():
    for host in HOSTS:
        with folder({}) as place:
            for command in ("baton approvals grant P-1 --actor me", "rm -rf .baton", "echo > s.db-wal"):
                flags = ("--event", "preToolUse") if host == "copilot" else ()
                agent, person = denial(hook(place, host, shell(host, command), *flags), host)
                equal((host, command, "GATE_" in agent and "no grant exists" in agent and "no grant exists" in person), (host, command, True))
            if host in WRITERS:
                name, member = WRITERS[host]
                denial(hook(place, host, tool(host, name, {member: f"{place}/.baton/x"}), *(("--event", "preToolUse") if host == "copilot" else ())), host)
                equal(passes(hook(place, host, tool(host, name, {member: "src/a.c"})), host), True)
            equal((host, pathlib.Path(place, "s.db").exists()), (host, False))
    with folder({}) as place:
        for patch, is_denied in (("*** Begin Patch\n*** Update File: .codex/hooks.json\n@@\n", True), ("*** Add File: a.c\n", False),
                                 ("*** Update File: a.c\n*** Move to: .baton/x\n", True)):
            answer = hook(place, "codex", tool("codex", "apply_patch", {"command": patch}))
            equal((patch, passes(answer, "codex")), (patch, not is_denied))


@claim
def a_moved_working_folder_protects_the_same_files():
    with folder({"p/.claude/x": "", "q/x": ""}) as place:
        env = {"CLAUDE_PROJECT_DIR": f"{place}/p"}
        for command, cwd in (("rm ../p/.claude/settings.json", "q"), ("rm settings.json", "p/.claude"), (f"rm {place}/p/.claude/settings.json", "q")):
            denial(hook(place, "claude", shell("claude", command, cwd=f"{place}/{cwd}"), env=env))
        equal(passes(hook(place, "claude", shell("claude", "rm settings.json", cwd=f"{place}/q"), env=env)), True)


@claim
def other_tools_are_gated_by_name():
    config = '{"gate":{"builtin":false,"tiers":[{"name":"db","tools":["mcp__prod_*"],"risk":"CRITICAL"}]}}'
    with folder({".config/baton/config.yaml": config}) as place:
        pathlib.Path(place, ".config/baton/config.yaml").chmod(0o600)
        event = tool("claude", "mcp__prod_db", {"sql": "drop", "a": 1.0}, tool_use_id="t")
        denial(hook(place, "claude", event, gate=()))
        (request,) = requests(place)
        equal((request["operation"], request["risk_level"], request["commands"]), ("db: mcp__prod_*", "CRITICAL", ['mcp__prod_db {"a":1,"sql":"drop"}']))
        grant(place, request)
        equal(passes(hook(place, "claude", event, gate=())), True)
        equal(passes(hook(place, "claude", shell("claude", PUSH), gate=())), True)


@claim
def what_is_not_understood_is_judged_by_its_words():
    with folder({}) as place:
        for value in ({}, {"command": ["git", "push"]}, {"command": None, "x": "git"}):
            answer = hook(place, "claude", tool("claude", "Bash", value))
            equal((value, passes(answer)), (value, "git" not in json.dumps(value)))
        denial(hook(place, "claude", tool("claude", "PowerShell", {"command": "git push"})))
        denial(hook(place, "claude", tool("claude", "Other", "git push")))
        equal([item["operation"] for item in requests(place)], ["T3: -"] * 4)


@claim
def the_gate_is_off_unless_it_is_asked_for():
    with folder({}) as place:
        for host in HOSTS:
            equal((host, passes(hook(place, host, shell(host, PUSH), gate=()), host)), (host, True))
            equal((host, passes(hook(place, host, shell(host, PUSH), "--observe"), host)), (host, True))
            equal((host, passes(hook(place, host, shell(host, PUSH, agent_type="x"), "--agents", "y"), host)), (host, True))
        equal(pathlib.Path(place, "s.db").exists(), False)
        for value, is_on in (("{}", True), ("", False)):
            path = pathlib.Path(place, ".config/baton/config.yaml")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"gate: {value}\n")
            path.chmod(0o600)
            equal((value, passes(hook(place, "claude", shell("claude", PUSH), gate=()))), (value, not is_on))


@claim
def without_a_grant_that_can_be_looked_up_the_command_is_denied():
    with folder({"junk.db": "this is not a database, and long enough to be looked at"}) as place:
        event = json.dumps(shell("claude", PUSH))
        for flags in (("--store", "junk.db"), ("--store", "no/such/folder/s.db"), ()):
            answer = run("hook", "claude", "--gate", *flags, stdin=event, cwd=place, env={"HOME": str(place), "XDG_CONFIG_HOME": ""})
            equal((flags, "no grant could be looked up" in denial(answer)[0].lower()), (flags, True))
            harmless = run("hook", "claude", "--gate", *flags, stdin=json.dumps(shell("claude", "ls")), cwd=place, env={"HOME": str(place)})
            equal((flags, harmless.stdout), (flags, b""))


@claim
def an_event_without_a_name_is_known_by_its_tool_or_by_a_flag():
    with folder({}) as place:
        event = {"sessionId": "s", "toolName": "bash", "toolArgs": {"command": PUSH}}
        denial(hook(place, "copilot", event), "copilot")
        denial(hook(place, "claude", {"tool_name": "Bash", "tool_input": {"command": PUSH}}))
        equal(passes(hook(place, "copilot", event, "--event", "postToolUse"), "copilot"), True)
        equal(passes(hook(place, "cursor", {"hook_event_name": "preToolUse", "tool_name": "Shell", "tool_input": {"command": PUSH}}), "cursor"), True)


@claim
def an_accepted_request_is_announced_with_every_command():
    asked = {**REQUEST, "exact_content": "ls", "command_set": ["rm -rf \u202e/srv", "git push --force"]}
    text = fenced(envelope({"/approval_request": asked}, "APPROVAL_REQUEST"))
    for host in HOSTS:
        with folder({}) as place:
            event = {"session_id": "s", "agent_id": ID, "summary" if host == "cursor" else "last_assistant_message": text}
            answer = run("hook", host, *WHERE, stdin=json.dumps(event), cwd=place)
            told = answer.stderr.decode() if host in ("copilot", "cursor") else report(answer)["systemMessage"]
            (request,) = requests(place)
            for word in (request["id"], "1. rm -rf \\u202e/srv", "2. git push --force", "baton approvals grant " + request["id"], request["fingerprint"]):
                equal((host, word, word in told), (host, word, True))
            equal((host, answer.stdout), (host, b"{}\n") if host in ("copilot", "cursor") else (host, answer.stdout))


@claim
def an_agent_that_works_on_is_resumed_and_no_store_is_made_for_it():
    with folder({}) as place:
        working = shell("claude", "ls", agent_id=ID)

        def marks():
            return [agent["resumed"] for agent in report(run("contract", "state", *WHERE[:2], "-f", "json", cwd=place))["agents"]]
        equal((passes(hook(place, "claude", working)), pathlib.Path(place, "s.db").exists()), (True, False))
        asked = {"session_id": "s", "hook_event_name": "SubagentStop", "agent_id": ID, "last_assistant_message": fenced(envelope(status="NEEDS_INPUT"))}
        equal((passes(hook(place, "claude", asked)), marks()), (True, [False]))
        equal((passes(hook(place, "claude", shell("claude", "ls", agent_id="a" + "1" * 16))), marks()), (True, [False]))
        equal((passes(hook(place, "claude", working, "--observe")), marks()), (True, [False]))
        equal((passes(hook(place, "claude", working)), marks()), (True, [True]))


finish()
