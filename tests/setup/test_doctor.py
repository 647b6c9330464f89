# SPDX-License-Identifier: Apache-2.0
"""test_doctor.py BATON - baton doctor: each check in a way to fail and in one to pass."""
import json
import os
import pathlib
import shutil

from place import content
from program import BATON, claim, equal, expect, finish, folder, on_terminal_with, report, run

GIT = {".git/HEAD": "ref: refs/heads/main\n"}
IDS = ["program", "config.project", "config.user", "config.system", "store", "store.permissions", "git", "hook.claude", "hook.codex", "hook.copilot",
       "hook.cursor", "hook.gemini", "mcp.claude", "mcp.codex", "mcp.copilot", "mcp.cursor", "mcp.gemini", "sandbox", "clock", "terminal"]
OWN = str(pathlib.Path(BATON).parent)


def doctor(place, *args, env=None, code=None):
    """The checks by id, and the exit code that they explain."""
    result = run("doctor", *args, "-f", "json", cwd=place, env={"HOME": "/nonexistent", "PATH": OWN, **(env or {})})
    shown = report(result)["doctor"]
    checks = {check["id"]: check for check in shown["checks"]}
    statuses = [check["status"] for check in shown["checks"]]
    equal(shown["summary"], {status: statuses.count(status) for status in ("ok", "warn", "fail", "skip")})
    equal((result.returncode, result.stderr), (1 if "fail" in statuses else 0, b""))
    if code is not None:
        equal((result.returncode, checks), (code, checks))
    return checks


def status(place, name, *args, env=None):
    return doctor(place, *args, env=env)[name]["status"]


def ledger(place, *args):
    expect(run("ledger", "init", "--origin", "baton.test/d", *args, cwd=place), 0, err=None if "--seed" not in args else "test key")


def hook(command):
    return json.dumps({"hooks": {"SubagentStart": [{"hooks": [{"type": "command", "command": command, "timeout": 10}]}],
                                 "SubagentStop": [{"hooks": [{"type": "command", "command": command, "timeout": 10}]}]}})


@claim
def checks_come_in_a_fixed_order():
    with folder({}) as place:
        checks = doctor(place, code=0)
        equal(list(checks), IDS)
        equal(checks["program"]["status"], "ok")
        equal([name for name, check in checks.items() if check["status"] not in ("skip", "ok") and name != "sandbox"], [])


@claim
def another_program_on_path_is_a_warning():
    with folder({"bin/baton": "#!/bin/sh\n"}) as place:
        os.chmod(f"{place}/bin/baton", 0o755)
        equal(status(place, "program", env={"PATH": f"{place}/bin:{OWN}"}), "warn")
        equal(status(place, "program", env={"PATH": f"{OWN}:{place}/bin"}), "ok")


@claim
def configuration_files_are_checked_by_kind():
    with folder({"baton.yaml": "limts: {}\n", "account/.config/baton/config.yaml": "check: {budget: 0}\n"}) as place:
        env = {"HOME": f"{place}/account", "XDG_CONFIG_HOME": ""}
        checks = doctor(place, env=env)
        equal((checks["config.project"]["status"], checks["config.user"]["status"], checks["config.system"]["status"]), ("fail", "fail", "skip"))
        equal(("CONFIG_KEY_UNKNOWN" in checks["config.project"]["message"], "~/.config" in checks["config.user"]["message"]), (True, True))
        pathlib.Path(place, "baton.yaml").write_text("check: {budget: 50}\n")
        pathlib.Path(place, "account/.config/baton/config.yaml").write_text("check: {budget: 100}\n")
        checks = doctor(place, env=env)
        equal((checks["config.project"]["status"], checks["config.user"]["status"]), ("ok", "ok"))
        pathlib.Path(place, "baton.yaml").write_text("listen: 127.0.0.1:1\n")
        checks = doctor(place, env=env)
        equal((checks["config.project"]["status"], "CONFIG_NOT_FROM_PROJECT" in checks["config.project"]["message"]), ("warn", True))
        pathlib.Path(place, "baton.yaml").write_text("ignore: [{code: REF_UNRESOLVED, paths: [a], reason: old, until: 2026-01-31}]\n")
        checks = doctor(place, "--now", "2026-02-01T00:00:00Z", env=env)
        equal((checks["config.project"]["status"], "IGNORE_EXPIRED" in checks["config.project"]["message"]), ("warn", True))
        equal(status(place, "config.project", "--now", "2026-01-31T23:00:00Z", env=env), "ok")
        os.remove(f"{place}/baton.yaml")
        os.symlink("/etc/passwd", f"{place}/baton.yaml")
        os.remove(f"{place}/account/.config/baton/config.yaml")
        os.mkdir(f"{place}/account/.config/baton/config.yaml")
        checks = doctor(place, env=env)
        equal((checks["config.project"]["status"], checks["config.user"]["status"]), ("fail", "fail"))


@claim
def a_named_configuration_replaces_the_others():
    with folder({"baton.yaml": "limts: {}\n", "good.yaml": "check: {budget: 50}\n", "bad.yaml": "x: 1\n"}) as place:
        checks = doctor(place, "--config", "good.yaml", code=0)
        equal((checks["config.file"]["status"], checks["config.project"]["status"]), ("ok", "skip"))
        equal(doctor(place, code=1, env={"BATON_CONFIG": "bad.yaml"})["config.file"]["status"], "fail")
        equal(doctor(place, "--config", "gone.yaml", code=1)["config.file"]["status"], "fail")
        checks = doctor(place, "--no-config", code=0)
        equal(("config.file" in checks, checks["config.project"]["status"]), (False, "skip"))


@claim
def the_store_is_opened_and_compared_with_its_head():
    with folder({"h.json": "x"}) as place:
        equal(status(place, "store"), "skip")
        equal(status(place, "store", "--store", "gone.db"), "fail")
        equal(status(place, "store", "--store", "postgresql://ann:secret@db/x"), "skip")
        ledger(place)
        equal((status(place, "store"), status(place, "store.permissions")), ("ok", "ok"))
        equal(status(place, "store", "--store", ".baton"), "ok")
        old = pathlib.Path(place, ".baton/store.db").read_bytes()
        expect(run("ledger", "append", "--raw", "h.json", cwd=place), 0)
        equal(status(place, "store"), "ok")
        pathlib.Path(place, ".baton/store.db").write_bytes(old)
        checks = doctor(place)
        equal((checks["store"]["status"], "LEDGER_ROLLBACK" in checks["store"]["message"]), ("fail", True))
        pathlib.Path(place, ".baton/store.db").write_bytes(b"not a database")
        equal(status(place, "store"), "fail")


@claim
def a_test_key_is_a_warning():
    with folder({}) as place:
        ledger(place, "--seed", "1")
        equal(status(place, "store"), "warn")


@claim
def a_key_that_others_can_use_fails():
    with folder({}) as place:
        ledger(place)
        for path, mode, wanted in ((".baton/ledger.key", 0o644, "fail"), (".baton/ledger.key", 0o600, "ok"), (".baton", 0o770, "fail"), (".baton", 0o755, "ok"), (".baton", 0o700, "ok")):
            os.chmod(f"{place}/{path}", mode)
            equal((path, oct(mode), status(place, "store.permissions")), (path, oct(mode), wanted))
        os.chmod(f"{place}/.baton/ledger.key", 0o640)
        check = doctor(place)["store.permissions"]
        equal(("STORE_KEY_MODE" in check["message"], "hint" in check), (True, True))


@claim
def git_must_not_take_the_private_key():
    with folder({**GIT, "sub/x": ""}) as place:
        equal(status(place, "git"), "ok")
        ledger(place, "--store", "s.db")
        equal(status(place, "git", "--store", "s.db"), "fail")
        equal(status(f"{place}/sub", "git", "--store", "../s.db"), "fail")
        pathlib.Path(place, ".git/info").mkdir()
        for name, text in ((".gitignore", "*.key\n"), (".git/info/exclude", "/s.db.key\n")):
            pathlib.Path(place, name).write_text(text)
            equal((name, status(place, "git", "--store", "s.db")), (name, "ok"))
            os.remove(f"{place}/{name}")
        pathlib.Path(place, ".gitignore").write_text("*.key\n!s.db.key\n")
        equal(status(place, "git", "--store", "s.db"), "fail")
    with folder({**GIT, ".baton/hooks/claude.json": "{}"}) as place:
        equal(status(place, "git"), "warn")
        pathlib.Path(place, ".gitignore").write_text(".baton/\n")
        equal(status(place, "git"), "ok")
        os.remove(f"{place}/.gitignore")
        pathlib.Path(place, ".baton/.gitignore").write_text("*\n")
        equal(status(place, "git"), "ok")
    with folder({}) as place:
        equal(status(place, "git"), "skip")


@claim
def a_hook_needs_its_program_and_its_store():
    with folder({".claude/x": "", "bin/baton": "#!/bin/sh\n"}) as place:
        os.chmod(f"{place}/bin/baton", 0o755)
        settings = pathlib.Path(place, ".claude/settings.json")
        settings.write_text("{}")
        equal(status(place, "hook.claude"), "skip")
        settings.write_text("{ // comment\n}")
        equal(status(place, "hook.claude"), "fail")
        settings.write_text(hook("baton hook claude --store s.db"))
        equal(status(place, "hook.claude"), "fail")
        ledger(place, "--store", "s.db")
        equal(status(place, "hook.claude"), "ok")
        equal(status(place, "hook.claude", env={"PATH": "/nonexistent"}), "fail")
        equal(status(place, "hook.claude", env={"PATH": f"{place}/bin"}), "warn")
        settings.write_text(hook("baton hook claude"))
        equal(status(place, "hook.claude"), "fail")
        equal(status(place, "hook.claude", env={"BATON_STORE": f"{place}/s.db"}), "ok")
        settings.write_text(hook("baton hook claude --observe --store s.db"))
        equal(status(place, "hook.claude"), "warn")
        equal("baton hook install claude --yes enforces" in run("doctor", cwd=place, env={"PATH": OWN}).stdout.decode(), True)


@claim
def a_hook_that_was_edited_is_a_warning():
    with folder({}) as place:
        ledger(place)
        expect(run("hook", "install", "codex", "--yes", "--store", ".baton/store.db", cwd=place, env={"PATH": OWN}), 0)
        equal(status(place, "hook.codex"), "ok")
        settings = pathlib.Path(place, ".codex/hooks.json")
        settings.write_text(settings.read_text() + " ")
        check = doctor(place)["hook.codex"]
        equal((check["status"], "edited" in check["message"]), ("warn", True))


@claim
def hooks_of_the_user_count_too():
    with folder({"account/.gemini/settings.json": json.dumps({"hooks": {"AfterAgent": [{"hooks": [{"type": "command", "command": "baton hook gemini --store /nowhere/s.db"}]}]}})}) as place:
        equal(status(place, "hook.gemini", env={"HOME": f"{place}/account"}), "fail")
        equal(status(place, "hook.gemini"), "skip")


@claim
def mcp_servers_need_their_programs():
    bad = {"mcpServers": {"net": {"url": "https://x"}, "fs": {"command": "no-such-program"}}, "servers": {"fs": {"command": "./none"}}}
    good = {"mcpServers": {"fs": {"command": "baton", "args": ["mcp"]}}, "servers": {"fs": {"command": BATON}}}
    for host, path in (("claude", ".mcp.json"), ("copilot", ".vscode/mcp.json"), ("cursor", ".cursor/mcp.json"), ("gemini", ".gemini/settings.json")):
        for value, wanted in ((bad, "warn"), (good, "ok"), ({}, "skip")):
            with folder({path: json.dumps(value)}) as place:
                equal((host, status(place, f"mcp.{host}")), (host, wanted))
    for text, wanted in (('[mcp_servers.fs]\ncommand = "no-such-program"\n', "warn"), ("[mcp_servers.\"a b\"]\ncommand = 'baton' # x\n", "ok"),
                         ('[other]\ncommand = "no-such-program"\n', "skip"), ("", "skip")):
        with folder({".codex/config.toml": text}) as place:
            equal((text, status(place, "mcp.codex")), (text, wanted))


@claim
def nothing_is_changed_and_nothing_secret_is_shown():
    with folder({**GIT, "baton.yaml": "store: postgresql://ann:hunter2@db/x\ntokens: s3cr3t\n", ".mcp.json": json.dumps({"mcpServers": {"a": {"command": "none", "env": {"KEY": "s3cr3t"}}}}),
                 "h.json": "s3cr3t"}) as place:
        expect(run("ledger", "init", "--origin", "baton.test/d", "--store", "s.db", cwd=place), 0, err="CONFIG_NOT_FROM_PROJECT")
        expect(run("ledger", "append", "--raw", "h.json", "--store", "s.db", cwd=place), 0, err="CONFIG_NOT_FROM_PROJECT")
        before = content(place)
        for form in (("-f", "json"), ()):
            result = run("doctor", "--store", "s.db", *form, cwd=place, env={"HOME": str(place)})
            equal(result.returncode, 1)
            for word in (b"hunter2", b"s3cr3t", b"PRIVATE+KEY", str(place).encode()):
                equal((form, word, word in result.stdout + result.stderr), (form, word, False))
        equal(content(place) == before, True)


@claim
def a_terminal_is_described():
    with folder({}) as place:
        code, output = on_terminal_with("", "doctor", cwd=place, env={"HOME": "/nonexistent", "PATH": OWN})
        lines = output.decode().splitlines()
        equal((code, [line for line in lines if line.startswith("ok    terminal")][0].split("  ")[-1].strip()), (0, "colour: yes, hyperlinks: yes, UTF-8: yes"))
        text = run("doctor", cwd=place, env={"HOME": "/nonexistent"}).stdout.decode()
        equal(text.splitlines()[-2].startswith("skip  terminal "), True)


@claim
def a_copy_of_the_program_elsewhere_passes():
    with folder({}) as place:
        shutil.copy(BATON, f"{place}/baton")
        equal(status(place, "program", env={"PATH": str(place)}), "warn")


finish()
