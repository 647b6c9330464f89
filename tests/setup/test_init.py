# SPDX-License-Identifier: Apache-2.0
"""test_init.py BATON - baton init: what it finds, what it writes, and what it refuses."""
import json
import os
import pathlib
import pty
import re
import subprocess

from place import content
from program import BATON, TIMEOUT_S, claim, environment, equal, expect, finish, folder, on_terminal_with, report, run

HOOK = "baton hook claude --observe --store .baton/store.db"
GIT = {".git/HEAD": "ref: refs/heads/main\n"}
NO_HOSTS = {"PATH": "/nonexistent"}


def init(place, *args, code=0, env=None, err=None):
    result = run("init", *args, "-f", "json", cwd=place, env={**NO_HOSTS, **(env or {})})
    return report(expect(result, code, err=result.stderr.decode()[:10] if result.stderr and code == 0 else err))["init"] if code == 0 else expect(result, code, err=err)


def actions(made):
    return {file["path"]: file["action"] for file in made["files"]}


def hosts(made):
    return {host["host"]: (host["found"], host["hook"]) for host in made["hosts"]}


@claim
def the_configuration_holds_examples_that_are_valid():
    with folder({}) as place:
        equal(actions(init(place)), {"baton.yaml": "created"})
        text = (pathlib.Path(place) / "baton.yaml").read_text()
        equal(bool(re.fullmatch(r"(#[^\n]*\n|\n)+", text)), True)
        examples = [line[1:] for line in text.splitlines() if re.match(r"#\w", line)]
        equal([line.split(":")[0] for line in examples], ["include", "exclude", "rules", "ignore", "paths", "baseline", "check", "skills", "governed"])
        for lines in (examples, *([line] for line in examples)):
            (pathlib.Path(place) / "baton.yaml").write_text("\n".join(lines) + "\n")
            result = run("config", "check", "--kind", "project", "-f", "json", "baton.yaml", cwd=place)
            if b"unknown flag" in result.stderr:
                result = run("config", "check", "-f", "json", "baton.yaml", cwd=place)
            equal((lines, [finding["code"] for finding in report(result)["documents"][0]["findings"]]), (lines, []))


@claim
def a_second_run_changes_nothing():
    with folder({**GIT, "CLAUDE.md": ""}) as place:
        flags = ("--hook", "claude", "--sample", "--store")
        made = init(place, *flags)
        equal(actions(made), {"baton.yaml": "created", ".gitignore": "created", ".baton/store.db": "created",
                              "handoffs/planner-to-builder-sample.json": "created", ".claude/settings.json": "created"})
        equal((hosts(made)["claude"], made["dialects"], made["repository"]), ((["CLAUDE.md"], "observe"), {"universal": 1}, "."))
        before = content(place)
        for more in (flags, ("--force", *flags), (), ("--hook", "claude", "--hook", "claude")):
            made = init(place, *more)
            equal((more, set(actions(made).values()), content(place) == before), (more, {"unchanged"}, True))
        settings = json.loads((pathlib.Path(place) / ".claude/settings.json").read_text())
        equal(settings["hooks"]["SubagentStop"][0]["hooks"][0]["command"], HOOK)
        expect(run("check", "handoffs", cwd=place), 0, out="")
        equal((os.stat(f"{place}/.baton/ledger.key").st_mode & 0o777, (pathlib.Path(place) / ".baton/.gitignore").read_text()), (0o600, "*\n"))


@claim
def a_hook_keeps_its_mode_unless_one_is_given():
    with folder({}) as place:
        init(place, "--hook", "codex", "--hook-mode", "enforce")
        text = (pathlib.Path(place) / ".codex/hooks.json").read_bytes()
        equal(b"--observe" in text, False)
        made = init(place, "--hook", "codex")
        equal((hosts(made)["codex"][1], actions(made)[".codex/hooks.json"]), ("enforce", "unchanged"))
        equal((pathlib.Path(place) / ".codex/hooks.json").read_bytes(), text)
        made = init(place, "--hook", "codex", "--hook-mode", "fail-closed")
        equal((hosts(made)["codex"][1], actions(made)[".codex/hooks.json"]), ("fail-closed", "updated"))


@claim
def one_line_is_added_to_gitignore():
    for before, after, action in (("build", "build\n# Baton\n.baton/\n", "updated"), ("", "# Baton\n.baton/\n", "updated"),
                                  ("a\n/.baton\n", "a\n/.baton\n", "unchanged"), (".baton/\r\nb", ".baton/\r\nb", "unchanged"),
                                  ("!.baton/\n.batons\n", "!.baton/\n.batons\n# Baton\n.baton/\n", "updated")):
        with folder({".gitignore": before}) as place:
            equal((before, actions(init(place))[".gitignore"]), (before, action))
            equal((pathlib.Path(place) / ".gitignore").read_bytes().decode(), after)
    with folder({**GIT, "sub/a": ""}) as place:
        made = init(place, "sub")
        equal((made["folder"], made["repository"], actions(made)), ("sub", "..", {"baton.yaml": "created", ".gitignore": "created"}))
    with folder({".hg/x": ""}) as place:
        equal((init(place)["repository"], (pathlib.Path(place) / ".gitignore").exists()), (".", False))


@claim
def hosts_are_found_by_files_and_programs():
    files = {".claude/x": "", "AGENTS.md": "", ".github/copilot-instructions.md": "", ".github/hooks/x": "", ".cursorrules": "", "GEMINI.md": "", "bin/gemini": "#!/bin/sh\n"}
    with folder(files) as place:
        os.chmod(f"{place}/bin/gemini", 0o755)
        made = init(place, env={"PATH": f"{place}/bin"})
        equal([host["host"] for host in made["hosts"]], ["claude", "codex", "copilot", "cursor", "gemini"])
        equal([host["found"] for host in made["hosts"]], [[".claude"], ["AGENTS.md"], [".github/copilot-instructions.md", ".github/hooks"], [".cursorrules"], ["GEMINI.md", "PATH"]])


@claim
def links_and_special_files_are_refused_before_anything_is_written():
    for name, flags in (("baton.yaml", ()), (".gitignore", ()), (".claude/settings.json", ("--hook", "claude")), (".baton", ("--store",)),
                        (".baton/store.db", ("--store",)), (".baton/ledger.key", ("--store",)), ("handoffs", ("--sample",)),
                        ("handoffs/planner-to-builder-sample.json", ("--sample",))):
        for kind in ("link", "folder", "pipe"):
            if kind == "folder" and name in (".baton", "handoffs"):
                continue
            with folder({"other/file": "mine", **GIT}) as place:
                path = pathlib.Path(place) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                if kind == "link":
                    path.symlink_to(pathlib.Path(place) / "other" / ("file" if "." in path.name[1:] else "."))
                elif kind == "pipe":
                    os.mkfifo(path)
                else:
                    path.mkdir()
                before = content(place)
                for more in ((), ("--dry-run",)):
                    result = run("init", *flags, *more, cwd=place, env=NO_HOSTS)
                    equal((name, kind, result.returncode, result.stdout, content(place) == before), (name, kind, 2, b"", True))


@claim
def a_dry_run_writes_nothing():
    with folder({**GIT, "CLAUDE.md": "", ".gitignore": "x\n"}) as place:
        before = content(place)
        made = init(place, "--dry-run", "--hook", "claude", "--sample")
        equal(actions(made), {"baton.yaml": "would_create", ".gitignore": "would_update", ".baton/store.db": "would_create",
                              "handoffs/planner-to-builder-sample.json": "would_create", ".claude/settings.json": "would_create"})
        equal((hosts(made)["claude"], content(place) == before), ((["CLAUDE.md"], None), True))


@claim
def force_keeps_the_old_bytes():
    with folder({"baton.yaml": "limts: {}\n"}) as place:
        equal(actions(init(place)), {"baton.yaml": "unchanged"})
        equal(actions(init(place, "--force")), {"baton.yaml": "updated"})
        equal((pathlib.Path(place) / "baton.yaml.orig").read_text(), "limts: {}\n")
        (pathlib.Path(place) / "baton.yaml").write_text("check: {budget: 5}\n")
        init(place, "--force")
        equal((pathlib.Path(place) / "baton.yaml.orig.2").read_text(), "check: {budget: 5}\n")


@claim
def wrong_flags_write_nothing():
    with folder({}) as place:
        for words, said in ((("--hook", "vim"), "claude"), (("--hook-mode", "loud"), "loud"), (("gone",), "is not a folder"), (("a", "b"), "unexpected word b")):
            result = expect(run("init", *words, cwd=place), 2, err=said)
            equal((words, result.stdout, content(place)), (words, b"", {}))
        (pathlib.Path(place) / ".claude").mkdir()
        (pathlib.Path(place) / ".claude/settings.json").write_text("{ // no\n")
        before = content(place)
        expect(run("init", "--hook", "claude", cwd=place), 2, err="settings.json")
        equal(content(place), before)


@claim
def the_text_names_what_to_do_next():
    with folder({"CLAUDE.md": ""}) as place:
        text = run("init", cwd=place, env=NO_HOSTS).stdout.decode()
        equal(text.splitlines()[0], "created       baton.yaml")
        lines = text.split("\nNext:\n")[1].splitlines()
        equal((len(lines) <= 4, all(line.startswith("  baton ") for line in lines), "  baton init --hook claude" in lines), (True, True, True))
        (pathlib.Path(place) / "a b").mkdir()
        made = init(place, "a b")
        equal(made["next"][-1], "baton -C 'a b' doctor")


def typed(place, keys, *args, **env):
    return on_terminal_with(keys, "init", *args, cwd=place, env={**NO_HOSTS, **env})


@claim
def a_terminal_is_asked_and_the_default_is_no():
    for keys, wants_hook, wants_sample in (("\n\n", False, False), ("y\nyes\n", True, True), ("n\nY\n", False, True), ("perhaps\n\n", False, False)):
        with folder({"CLAUDE.md": ""}) as place:
            code, output = typed(place, keys)
            equal((keys, code, b"Install the hook of claude in mode observe" in output, b"codex" in output.split(b"[y/N]")[0]), (keys, 0, True, False))
            made = content(place)
            equal((keys, ".claude/settings.json" in made, "handoffs/planner-to-builder-sample.json" in made, ".baton/store.db" in made), (keys, wants_hook, wants_sample, wants_hook))


@claim
def the_end_of_the_input_or_an_interrupt_writes_nothing():
    for keys in ("\x04", "\x03", "y\n\x04", "y\n\x03"):
        with folder({"CLAUDE.md": ""}) as place:
            master, slave = pty.openpty()
            process = subprocess.Popen([BATON, "init"], stdin=slave, stdout=slave, stderr=slave, cwd=place, env={**environment(), **NO_HOSTS}, start_new_session=True,
                                       preexec_fn=lambda: __import__("fcntl").ioctl(0, __import__("termios").TIOCSCTTY, 0))
            os.close(slave)
            output = b""
            for key in keys.splitlines(keepends=True):
                count = output.count(b"[y/N]")
                while output.count(b"[y/N]") == count:
                    output += os.read(master, 4096)
                os.write(master, key.encode())
            try:
                while True:
                    part = os.read(master, 4096)
                    if not part:
                        break
            except OSError:
                pass
            os.close(master)
            equal((keys, process.wait(TIMEOUT_S), sorted(content(place))), (keys, 2, ["CLAUDE.md"]))


@claim
def without_a_terminal_nothing_is_asked():
    with folder({"CLAUDE.md": ""}) as place:
        result = expect(run("init", cwd=place, env=NO_HOSTS), 0)
        equal((b"[y/N]" in result.stdout, sorted(content(place))), (False, ["CLAUDE.md", "baton.yaml"]))


finish()
