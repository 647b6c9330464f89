# SPDX-License-Identifier: Apache-2.0
"""test_config.py BATON - who is judged never configures the judge: what counts for a hook, and what does not."""
import hashlib
import json
import os
import pathlib
import socket
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from block import ID, REQUEST, envelope, fenced  # noqa: E402
from program import BATON, NOBODY, claim, claim_if, environment, equal, expect, finish, folder, report, run  # noqa: E402

HOSTS = ("claude", "codex", "copilot", "cursor", "gemini")
os.environ["PATH"] = f"{pathlib.Path(BATON).parent}:{os.environ['PATH']}"  # as where Baton is installed
BACK = {"cursor": "followup_message"}
GOOD = fenced(envelope())
CONFIG = ".config/baton/config.yaml"
BROKEN = b"contract: [\n"


def stop(host, text, **more):
    return json.dumps({"session_id": "s", "summary" if host == "cursor" else "last_assistant_message": text, "agent_type": "worker", **more})


def start(**more):
    return json.dumps({"hook_event_name": "SubagentStart", "session_id": "s", "agent_id": ID, **more})


def hook(place, host, event, *flags, env=None, **more):
    """One run, with a home of its own."""
    return run("hook", host, *flags, stdin=event, cwd=place, env={"HOME": str(place), "XDG_CONFIG_HOME": "", **(env or {})}, **more)


def is_sent_back(answer, host="claude"):
    """It was judged, and the agent hears that its report has no block."""
    return answer.returncode == 0 and "CONTRACT_BLOCK_MISSING" in report(answer).get(BACK.get(host, "reason"), "")


def hostile(place):
    """Every baton.yaml that an agent may leave in its project: what it is called, and a function that makes it."""
    path = pathlib.Path(place, "baton.yaml")
    outside = pathlib.Path(place, "elsewhere.yaml")

    def text(content):
        return lambda: path.write_bytes(content)

    def link(content):
        outside.write_bytes(content)
        path.symlink_to(outside)

    yield "silenced", text(b"contract: {agents: [nobody]}\n")
    yield "as JSON", text(b'{"contract":{"agents":["nobody"],"max_rejections":100}}')
    yield "another workspace", text(b"contract: {workspace: other}\n")
    yield "another store", text(b"store: evil.db\n")
    yield "a stranger's store", text(b"store: postgresql://baton@127.0.0.1:1/x\n")
    yield "limits of nothing", text(b"limits: {document_bytes: 1024, nesting: 1}\n")
    yield "broken", text(BROKEN)
    yield "unknown key", text(b"no_such_key: 1\n")
    yield "not UTF-8", text(b"\xff\xfe\x00")
    yield "empty", text(b"")
    yield "huge", text(b"# " + b"x" * (3 << 20) + b"\ncontract: {agents: [nobody]}\n")
    yield "aliases", text(b"a: &a [x]\ncontract: {agents: *a}\n")
    yield "a fifo", lambda: os.mkfifo(path)
    yield "a folder", path.mkdir
    yield "a link", lambda: link(b"contract: {agents: [nobody]}\n")
    yield "a link to nowhere", lambda: path.symlink_to("/nowhere/at/all")
    yield "a link to itself", lambda: path.symlink_to("baton.yaml")
    yield "a device", lambda: path.symlink_to("/dev/zero")


def names():
    with folder({}) as place:
        return [name for name, _ in hostile(place)]


@claim
def no_file_of_the_project_silences_or_breaks_a_hook():
    for number, name in enumerate(names()):
        for host in {HOSTS[number % 5], "claude"}:  # every file for Claude Code, and each for another host in turn
            for flags in ((), ("--fail-closed",)):
                with folder({}) as place:
                    dict(hostile(place))[name]()
                    answer = hook(place, host, stop(host, "done"), "--store", "s.db", "--workspace", "w", *flags)
                    equal((name, host, flags, is_sent_back(answer, host)), (name, host, flags, True))
                    good = hook(place, host, stop(host, GOOD, session_id="t"), "--store", "s.db", "--workspace", "w", *flags)
                    equal((name, host, flags, good.returncode, good.stdout), (name, host, flags, 0, b"" if host == "claude" else b"{}\n"))
                    agents = report(run("contract", "state", "--no-config", "--store", "s.db", "-f", "json", cwd=place))["agents"]
                    equal((name, sorted((agent["workspace"], agent["session"]) for agent in agents)), (name, [("w", "s"), ("w", "t")]))
                    equal((name, pathlib.Path(place, "evil.db").exists()), (name, False))


@claim
def files_above_the_project_and_named_by_the_environment_do_not_count_either():
    with folder({"baton.yaml": "contract: {agents: [nobody]}\n", "p/.git/HEAD": "", "p/c.yaml": "contract: {agents: [nobody]}\n"}) as place:
        for env in ({}, {"BATON_CONFIG": "c.yaml"}, {"BATON_CONFIG": "/nowhere"}):
            answer = hook(pathlib.Path(place, "p"), "claude", stop("claude", "done"), "--store", "s.db", env=env)
            equal((env, is_sent_back(answer)), (env, True))


@claim
def a_foreign_store_of_the_project_is_never_spoken_to():
    """A listener stands in for the stranger; the password must not reach it, and neither must anything else."""
    heard = []
    with socket.socket() as stranger, folder({}) as place:
        stranger.bind(("127.0.0.1", 0))
        stranger.listen()
        port = stranger.getsockname()[1]

        def listen():
            while True:
                try:
                    heard.append(stranger.accept()[1])
                except OSError:
                    return
        threading.Thread(target=listen, daemon=True).start()
        pathlib.Path(place, "baton.yaml").write_text(f"store: postgresql://baton@127.0.0.1:{port}/x?sslmode=disable\n")
        env = {"PGPASSWORD": "s3cret"}
        run("ledger", "init", "--origin", "x.example/log", "--store", ".baton/store.db", cwd=place)
        equal(is_sent_back(hook(place, "claude", stop("claude", "done"), env=env)), True)
        hook(place, "claude", start(), env=env)
        expect(run("mcp", stdin="", cwd=place, env=env), 0, err="CONFIG_NOT_FROM_PROJECT store is not used")
        for words in (("ledger", "tail"), ("contract", "state"), ("approvals", "list"), ("store", "info"), ("govern", "blocked"),
                      ("contract", "submit", "--text", "x"), ("ledger", "append", "-"), ("ledger", "init", "--origin", "x")):
            result = run(*words, cwd=place, env=env)
            equal((words, result.returncode, b"CONFIG_NOT_FROM_PROJECT store" in result.stderr), (words, 2, True))
        equal(heard, [])
        # Named by a person, the same address is asked: the listener does notice.
        run("ledger", "tail", "--store", f"postgresql://baton@127.0.0.1:{port}/x?sslmode=disable", "--deadline", "300", cwd=place, env=env)
        equal(len(heard) > 0, True)
        stranger.shutdown(socket.SHUT_RDWR)


@claim
def the_user_s_file_counts_and_what_no_hook_has_is_ignored():
    settings = "contract: {max_rejections: 1, workspace: there, agents: [a, b]}\nstore: ../../here.db\napprovals: {pending_ttl: 2h}\ncheck: {fail_level: INFO}\n"
    with folder({CONFIG: settings}) as place:
        run("ledger", "init", "--origin", "x", "--store", "here.db", cwd=place)
        equal(hook(place, "claude", stop("claude", "x", agent_type="c")).stdout, b"")
        equal(list(report(hook(place, "claude", stop("claude", "x", agent_type="b")))), ["decision", "reason"])
        equal(list(report(hook(place, "claude", stop("claude", "x", agent_type="b")))), ["systemMessage"])
        agents = report(run("contract", "state", "--store", "here.db", "-f", "json", cwd=place))["agents"]
        equal([(agent["workspace"], agent["rejections"]) for agent in agents], [("there", 1)])
        equal(list(report(hook(place, "claude", stop("claude", "x", agent_type="z", session_id="t"), "--agents", "z", "--max-rejections", "9"))), ["decision", "reason"])
        asking = fenced(envelope({"/approval_request": REQUEST}, status="APPROVAL_REQUEST"))
        equal(list(report(hook(place, "claude", stop("claude", asking, agent_type="a"), "--now", "2026-06-10T10:00:00Z"))), ["systemMessage"])
        waiting = report(run("approvals", "list", "--store", "here.db", "-f", "json", "--now", "2026-06-10T10:00:00Z", cwd=place))["approvals"]
        equal([item["expires_at"] for item in waiting], ["2026-06-10T12:00:00Z"])


@claim
def a_user_s_file_that_is_off_is_a_failure_and_fails_closed_on_request():
    def broken(path):
        path.write_bytes(BROKEN)

    def shared(path):
        path.write_text("contract: {agents: [nobody]}\n")
        path.chmod(0o664)

    def open_to_all(path):
        path.write_text("contract: {agents: [nobody]}\n")
        path.chmod(0o646)

    def fifo(path):
        os.mkfifo(path)

    def large(path):
        path.write_bytes(b"# " + b"x" * (2 << 20))

    for number, make in enumerate((broken, shared, open_to_all, fifo, large, pathlib.Path.mkdir)):
        for host in (HOSTS if number == 0 else HOSTS[number - 1:number]):
            with folder({}) as place:
                path = pathlib.Path(place, CONFIG)
                path.parent.mkdir(parents=True)
                make(path)
                told = hook(place, host, stop(host, GOOD), "--store", "s.db")
                heard = told.stderr if host in ("copilot", "cursor") else told.stdout
                equal((make, host, told.returncode, b"configuration cannot be used; it is not accepted" in heard), (make, host, 0, True))
                back = hook(place, host, stop(host, GOOD), "--store", "s.db", "--fail-closed")
                equal((make, host, back.returncode, BACK.get(host, "reason") in report(back)), (make, host, 0, True))
                equal((make, pathlib.Path(place, "s.db").exists()), (make, False))


@claim_if(os.geteuid() == 0, "another user's file needs root")
def a_user_s_file_of_somebody_else_is_a_failure():
    with folder({CONFIG: "contract: {agents: [nobody]}\n"}) as place:
        os.chown(pathlib.Path(place, CONFIG), NOBODY, NOBODY)
        back = hook(place, "claude", stop("claude", GOOD), "--store", "s.db", "--fail-closed")
        equal("decision" in report(back), True)


@claim
def the_configuration_folder_is_absolute_or_the_usual_one():
    with folder({CONFIG: "contract: {agents: [a]}\n", "other/baton/config.yaml": "contract: {agents: [b]}\n"}) as place:
        for value, spared in (("", "b"), ("other", "b"), (f"{place}/other", "a")):
            answer = hook(place, "claude", stop("claude", "x", agent_type=spared), "--store", "s.db", env={"XDG_CONFIG_HOME": value})
            equal((value, answer.stdout), (value, b""))


def system_file_counts():
    """Whether this machine lets us give the program another /etc/baton."""
    return os.geteuid() == 0 and os.system("unshare -m true 2>/dev/null") == 0


@claim_if(system_file_counts(), "another /etc needs root and a mount namespace")
def the_system_s_file_counts_below_the_user_s():
    """`baton` runs with a folder of ours mounted at /etc/baton; what it finds is removed with the namespace."""
    script = ('set -e; made=0; [ -d /etc/baton ] || { mkdir /etc/baton; made=1; }; mount --bind "$1" /etc/baton; shift; '
              'set +e; "$@"; code=$?; umount /etc/baton; [ $made = 0 ] || rmdir /etc/baton; exit $code')
    with folder({"etc/config.yaml": "contract: {agents: [a], max_rejections: 1}\nstore: /nowhere/s.db\n", CONFIG: "contract: {agents: [b]}\n"}) as place:
        def run_there(event, *flags):
            import subprocess
            return subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", f"{place}/etc", BATON, "hook", "claude", "--store", "s.db", *flags],
                                  input=event.encode(), cwd=place, capture_output=True, check=False, timeout=60,
                                  env=environment(HOME=str(place), XDG_CONFIG_HOME=""))
        equal(run_there(stop("claude", "x", agent_type="a")).stdout, b"")  # the user's list is in force
        equal(is_sent_back(run_there(stop("claude", "x", agent_type="b"))), True)
        equal(b"CONTRACT_REJECTION_LIMIT" in run_there(stop("claude", "x", agent_type="b")).stdout, True)  # and the system's number
        os.chmod(pathlib.Path(place, "etc/config.yaml"), 0o666)
        equal(b"cannot be used" in run_there(stop("claude", GOOD, agent_type="b"), "--fail-closed").stdout, True)


# ---- The project folder ----


@claim
def the_host_names_the_project_whatever_folder_the_agent_moved_to():
    for host, variable in (("claude", "CLAUDE_PROJECT_DIR"), ("gemini", "CLAUDE_PROJECT_DIR"), ("cursor", "CURSOR_PROJECT_DIR")):
        with folder({"p/x": "", "q/x": ""}) as place:
            for name in ("p", "q"):
                run("ledger", "init", "--origin", name, "--root", name, cwd=place)
            answer = hook(pathlib.Path(place, "q"), host, stop(host, "done", cwd=f"{place}/q"), env={variable: f"{place}/p"})
            equal((host, is_sent_back(answer, host)), (host, True))
            for name, count in (("p", 1), ("q", 0)):
                agents = report(run("contract", "state", "--root", name, "-f", "json", cwd=place))["agents"]
                equal((host, name, [agent["workspace"] for agent in agents]), (host, name, ["p"] * count))
            relative = hook(pathlib.Path(place, "q"), host, stop(host, "done"), "--store", "s.db", env={variable: f"{place}/p"})
            equal((host, is_sent_back(relative, host), pathlib.Path(place, "p/s.db").exists()), (host, True, True))
            # Neither a relative value nor one that is not there names a project.
            for value in ("p", "/nowhere/at/all"):
                hook(pathlib.Path(place, "q"), host, stop(host, "done"), "--store", "t.db", env={variable: value})
            equal((host, pathlib.Path(place, "q/t.db").exists()), (host, True))


# ---- Pins ----

PINNED = "contract: {max_rejections: 1}\n"
DIGEST = hashlib.sha256(PINNED.encode()).hexdigest()
PIN = ("--config", "c.yaml", "--config-sha256", DIGEST)
WHERE = ("--store", "s.db", "--workspace", "w")


def escalates(place, *flags):
    """Whether the second bad report is one too many, as the pinned file says."""
    hook(place, "claude", stop("claude", "x"), *WHERE, *flags)
    return b"CONTRACT_REJECTION_LIMIT" in hook(place, "claude", stop("claude", "x"), *WHERE, *flags).stdout


@claim
def a_pinned_file_counts_with_its_bytes():
    with folder({"c.yaml": PINNED}) as place:
        equal(escalates(place, *PIN), True)
    with folder({"c.yaml": PINNED, CONFIG: "contract: {max_rejections: 5, workspace: v}\n"}) as place:
        equal(escalates(place, *PIN), True)  # the smaller number


@claim
def a_changed_pin_without_a_copy_judges_nothing_and_stops():
    def change(path):
        path.write_text("contract: {max_rejections: 100}\n")

    def fifo(path):
        path.unlink()
        os.mkfifo(path)

    for spoil in (change, fifo, pathlib.Path.unlink):
        for host in HOSTS:
            for flags in ((), ("--fail-closed",)):
                with folder({"c.yaml": PINNED}) as place:
                    spoil(pathlib.Path(place, "c.yaml"))
                    answer = hook(place, host, stop(host, GOOD), *WHERE, *PIN, *flags)
                    said = report(answer)
                    text = said["stopReason"] if host in ("claude", "codex", "gemini") else said[BACK.get(host, "reason")]
                    equal((host, answer.returncode, said.get("continue", False)), (host, 0, False))
                    equal((host, [word in text for word in ("HOOK_CONFIG_CHANGED", "c.yaml", f"baton hook pin {host}")]), (host, [True] * 3))
                    equal(pathlib.Path(place, "s.db").exists(), False)
                    seen = hook(place, host, stop(host, GOOD), *WHERE, *PIN, "--observe") if not flags else None
                    equal(seen is None or seen.stdout == (b"" if host == "claude" else b"{}\n"), True)


@claim
def a_changed_pin_without_a_copy_denies_tools_that_run_or_write():
    events = {"claude": ("PreToolUse", ("Bash", "Write", "NotebookEdit")), "codex": ("PreToolUse", ("Bash", "apply_patch")), "copilot": ("preToolUse", ("bash", "create")),
              "cursor": ("preToolUse", ("Write", "Delete")), "gemini": ("BeforeTool", ("run_shell_command", "replace"))}
    for host, (name, tools) in events.items():
        with folder({"c.yaml": ""}) as place:
            for tool in (*tools, "Read"):
                event = json.dumps({"hook_event_name": name, "session_id": "s", "agent_id": ID, "tool_name": tool, "tool_input": {"command": "ls"}})
                answer = hook(place, host, event, *WHERE, *PIN)
                equal((host, tool, answer.returncode, b"HOOK_CONFIG_CHANGED" in answer.stdout and b"deny" in answer.stdout), (host, tool, 0, tool != "Read"))
                for other in (hook(place, host, event, *WHERE), hook(place, host, event, *WHERE, *PIN, "--observe")):  # no pin, and only watched
                    equal((host, tool, other.returncode, other.stdout, other.stderr), (host, tool, 0, b"" if host == "claude" else b"{}\n", b""))
    with folder({"c.yaml": ""}) as place:
        def answered(host, event):
            return report(hook(place, host, json.dumps(event), *WHERE, *PIN))
        shell = answered("cursor", {"hook_event_name": "beforeShellExecution", "command": "ls"})
        equal((list(shell), shell["permission"]), (["permission", "user_message", "agent_message"], "deny"))
        call = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}}
        equal({host: list(answered(host, {**call, "hook_event_name": events[host][0], "tool_name": events[host][1][0]})) for host in ("claude", "codex", "copilot", "gemini")},
              {"claude": ["hookSpecificOutput", "systemMessage"], "codex": ["hookSpecificOutput", "systemMessage"],
               "copilot": ["permissionDecision", "permissionDecisionReason"], "gemini": ["decision", "reason", "systemMessage"]})
        equal(answered("claude", call)["hookSpecificOutput"]["permissionDecision"], "deny")


@claim
def the_kept_copy_stands_in_for_a_changed_file():
    with folder({"c.yaml": "contract: {agents: [nobody]}\n", f".config/baton/pins/{DIGEST}.yaml": PINNED}) as place:
        equal(escalates(place, *PIN), True)
    with folder({"c.yaml": "", f".config/baton/pins/{DIGEST}.yaml": PINNED + "# forged\n"}) as place:
        equal("HOOK_CONFIG_CHANGED" in report(hook(place, "claude", stop("claude", GOOD), *WHERE, *PIN))["stopReason"], True)


@claim
def half_a_pin_is_misuse():
    with folder({"c.yaml": PINNED}) as place:
        for flags in (("--config", "c.yaml"), ("--config-sha256", DIGEST), ("--config", "c.yaml", "--config-sha256", "abc"),
                      ("--config", "c.yaml", "--config-sha256", DIGEST.upper()), ("--no-config",)):
            result = hook(place, "claude", stop("claude", GOOD), *WHERE, *flags)
            equal((flags, result.returncode, result.stdout, result.stderr[:7]), (flags, 1, b"", b"baton: "))
        equal(pathlib.Path(place, "s.db").exists(), False)


SETTINGS = {"claude": ".claude/settings.json", "codex": ".codex/hooks.json", "copilot": ".github/hooks/baton.json", "cursor": ".cursor/hooks.json",
            "gemini": ".gemini/settings.json"}


def at_home(place, *words, **more):
    return run("hook", *words, cwd=more.pop("cwd", place), env={"HOME": str(place), "XDG_CONFIG_HOME": ""}, **more)


def status(place, host):
    found = report(at_home(place, "status", host, "-f", "json"))["hosts"][0]
    return (found["config"] or {}).get("state"), [finding["code"] for finding in found["findings"] if finding["code"] != "HOOK_STORE_MISSING"]


@claim
def install_pins_a_configuration_and_keeps_a_copy():
    for host in HOSTS:
        with folder({"etc/c.yaml": PINNED, "sub/x": ""}) as place:
            expect(at_home(place, "install", host, "--config", f"{place}/sub/../etc/c.yaml", "--fail-closed", "--yes"), 0, err="")
            text = pathlib.Path(place, SETTINGS[host]).read_text()
            equal((host, f"baton hook {host} --fail-closed --config etc/c.yaml --config-sha256 {DIGEST}\"" in text), (host, True))
            copy = pathlib.Path(place, f".config/baton/pins/{DIGEST}.yaml")
            equal((copy.read_text(), copy.stat().st_mode & 0o777, copy.parent.stat().st_mode & 0o777), (PINNED, 0o600, 0o700))
            equal((host, status(place, host)), (host, ("same", [])))
            again = at_home(place, "install", host, "--config", "etc/c.yaml", "--fail-closed", "--yes")
            equal((host, again.returncode, again.stdout), (host, 0, b""))


@claim
def install_pins_nothing_that_is_no_configuration_or_lies_outside():
    with folder({"p/bad.yaml": "contract: [\n", "p/odd.yaml": "no_such_key: 1\n", "out.yaml": PINNED}) as place:
        for name in ("bad.yaml", "odd.yaml", "none.yaml", "../out.yaml", f"{place}/out.yaml", "."):
            result = at_home(place, "install", "claude", "--config", name, "--yes", cwd=pathlib.Path(place, "p"))
            equal((name, result.returncode, result.stdout, result.stderr[:7]), (name, 2, b"", b"baton: "))
        equal(sorted(path.name for path in pathlib.Path(place, "p").iterdir()), ["bad.yaml", "odd.yaml"])
        equal(pathlib.Path(place, ".config").exists(), False)
        expect(at_home(place, "install", "claude", "--config", "c.yaml", "--config-sha256", DIGEST, "--yes"), 2, err="config-sha256")
        expect(at_home(place, "install", "claude", "--scope", "user", "--config", "out.yaml", "--yes"), 0, "--config out.yaml --config-sha256")


@claim
def a_changed_pin_is_told_and_a_person_agrees_to_it():
    for host in HOSTS:
        with folder({"c.yaml": PINNED}) as place:
            path, new = pathlib.Path(place, "c.yaml"), "contract: {max_rejections: 2}\n"
            at_home(place, "install", host, "--config", "c.yaml", "--store", "s.db", "--yes")
            before = pathlib.Path(place, SETTINGS[host]).read_bytes()
            path.write_text(new)
            equal((host, status(place, host)), (host, ("copy", ["HOOK_CONFIG_CHANGED"])))
            expect(at_home(place, "status", host), 0, "HOOK_CONFIG_CHANGED")
            shown = expect(at_home(place, "pin", host, "--dry-run"), 0, "-contract: {max_rejections: 1}").stdout.decode()
            equal((host, shown.index("+contract: {max_rejections: 2}") < shown.index(SETTINGS[host])), (host, True))
            expect(at_home(place, "pin", host), 2, err="standard input is not a terminal")
            equal((host, pathlib.Path(place, SETTINGS[host]).read_bytes()), (host, before))
            expect(at_home(place, "pin", host, "--yes"), 0)
            digest = hashlib.sha256(new.encode()).hexdigest()
            equal((host, pathlib.Path(place, SETTINGS[host]).read_bytes()), (host, before.replace(DIGEST.encode(), digest.encode())))
            equal((host, status(place, host)), (host, ("same", [])))
            equal(pathlib.Path(place, f".config/baton/pins/{digest}.yaml").read_text(), new)
            path.write_text("contract: [\n")
            expect(at_home(place, "pin", host, "--yes"), 2, err="c.yaml:")
            path.unlink()
            equal((host, status(place, host)), (host, ("copy", ["HOOK_CONFIG_CHANGED"])))
            for copy in pathlib.Path(place, ".config/baton/pins").iterdir():
                copy.unlink()
            equal((host, status(place, host)), (host, ("missing", ["HOOK_CONFIG_CHANGED"])))
            path.write_text(PINNED)
            equal((host, status(place, host)), (host, ("changed", ["HOOK_CONFIG_CHANGED"])))
            at_home(place, "uninstall", host, "--yes")
            expect(at_home(place, "pin", host, "--yes"), 2, err="no hook that is pinned")


@claim
def a_pin_in_a_folder_with_an_odd_name_is_found_again():
    name = "it's a $folder/c d.yaml"
    with folder({name: PINNED}) as place:
        at_home(place, "install", "claude", "--config", name, "--yes")
        equal(status(place, "claude"), ("same", []))
        command = json.loads(pathlib.Path(place, SETTINGS["claude"]).read_text())["hooks"]["SubagentStop"][0]["hooks"][0]["command"]
        equal(command.startswith("baton hook claude --config "), True)


@claim
def status_tells_which_keys_of_the_project_do_not_count():
    for text, flags, keys in ((IGNORED, (), ["contract.agents", "limits.nesting", "store"]), ("contract: {workspace: w}\n", ("--workspace", "w"), None),
                              ("contract: {workspace: w}\n", (), ["contract.workspace"]), ("", (), None)):
        with folder({"baton.yaml": text}) as place:
            at_home(place, "install", "claude", *flags, "--yes")
            findings = report(at_home(place, "status", "claude", "-f", "json"))["hosts"][0]["findings"]
            equal((text, [sorted(finding["params"]["keys"]) for finding in findings if finding["code"] == "HOOK_CONFIG_IGNORED"]), (text, [keys] if keys else []))
            equal((text, status(place, "codex")), (text, (None, [])))


# ---- What is told about a project's file ----

IGNORED = "contract: {agents: [nobody], max_rejections: 3}\nstore: evil.db\nlisten: 127.0.0.1:1\nlimits: {nesting: 500}\n"


@claim
def a_start_tells_what_does_not_count_and_a_stop_says_nothing():
    for host in HOSTS:
        with folder({"baton.yaml": IGNORED}) as place:
            answer = hook(place, host, start(), *WHERE)
            told = report(answer)["systemMessage"] if host in ("claude", "codex") else answer.stderr.decode()
            equal((host, "HOOK_CONFIG_IGNORED" in told), (host, True))
            told = told[told.index("HOOK_CONFIG_IGNORED"):]
            keys = told[told.index("(") + 1:told.index(")")].split(", ")
            equal((host, sorted(keys)), (host, ["contract.agents", "limits.nesting", "store"]))
            if host in ("claude", "codex"):
                equal(list(report(answer)), ["systemMessage", "hookSpecificOutput"])
            ended = hook(place, host, stop(host, GOOD), *WHERE)
            equal((host, b"HOOK_CONFIG" in ended.stdout + ended.stderr), (host, False))
            watched = hook(place, host, start(), *WHERE, "--observe")
            equal((host, b"HOOK_CONFIG" in watched.stdout + watched.stderr), (host, False))


@claim
def nothing_is_told_about_values_that_are_in_force():
    for text, flags in (("contract: {max_rejections: 3}\n", ()), ("store: s.db\n", ()), ("contract: {workspace: w}\n", ()), ("check: {budget: 5}\n", ()),
                        ("contract: {max_rejections: 7}\n", ("--max-rejections", "7")), ("", ()), ("contract: [\n", ())):
        with folder({"baton.yaml": text}) as place:
            answer = hook(place, "claude", start(), *WHERE, *flags)
            equal((text, list(report(answer)), b"HOOK_CONFIG" in answer.stderr), (text, ["hookSpecificOutput"], False))


finish()
