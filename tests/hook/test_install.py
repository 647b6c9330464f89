# SPDX-License-Identifier: Apache-2.0
"""test_install.py BATON - Baton's entries in the settings of five hosts: shown first, put beside the others, taken back."""
import base64
import hashlib
import json
import os
import pathlib
import random
import stat
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from program import BATON, claim, equal, expect, finish, folder, on_terminal_with, report, run  # noqa: E402

FILES = {"claude": ".claude/settings.json", "codex": ".codex/hooks.json", "copilot": ".github/hooks/baton.json",
         "cursor": ".cursor/hooks.json", "gemini": ".gemini/settings.json"}
EVENTS = {"claude": ["SubagentStart", "SubagentStop"], "codex": ["SubagentStart", "SubagentStop"], "copilot": ["subagentStart", "subagentStop"],
          "cursor": ["subagentStop"], "gemini": ["AfterAgent"]}


os.environ["PATH"] = f"{pathlib.Path(BATON).parent}:{os.environ['PATH']}"  # as where Baton is installed


def command(host, event, *flags):
    """What the host runs at an event; Copilot's events do not tell their names."""
    named = ("--event", event) if host == "copilot" and event != "subagentStop" else ()
    return " ".join(("baton", "hook", host, *named, *flags))


def entry(host, command, **more):
    if host == "copilot":
        return {"type": "command", "bash": command, "timeoutSec": 10}
    if host == "cursor":
        return {"command": command, "loop_limit": 3}
    return {**more, "hooks": [{"type": "command", "command": command, "timeout": 10000 if host == "gemini" else 10}]}


def install(place, host, *flags, code=0, **more):
    result = run("hook", "install", host, "--yes", *flags, cwd=place, **more)
    equal((host, flags, result.returncode), (host, flags, code))
    return result


def uninstall(place, host, *flags, code=0, **more):
    result = run("hook", "uninstall", host, "--yes", *flags, cwd=place, **more)
    equal((host, flags, result.returncode), (host, flags, code))
    return result


def settings(place, host):
    return pathlib.Path(place) / FILES[host]


def written(place, host):
    return json.loads(settings(place, host).read_bytes())


def status(place, host, *flags, **more):
    found = report(run("hook", "status", host, "-f", "json", *flags, cwd=place, **more))["hosts"]
    return [(item["installed"], item["mode"], item["modified"], item["backup"]) for item in found]


def tree(place):
    return sorted(str(path.relative_to(place)) for path in pathlib.Path(place).rglob("*"))


@claim
def each_host_gets_its_entries_and_loses_them_without_a_trace():
    for host, name in FILES.items():
        with folder({}) as place:
            install(place, host)
            made = written(place, host)
            equal((host, made["hooks"]), (host, {event: [entry(host, command(host, event))] for event in EVENTS[host]}))
            equal((host, made.get("version")), (host, 1 if host in ("copilot", "cursor") else None))
            equal((host, status(place, host)), (host, [(True, "enforce", False, True)]))
            uninstall(place, host)
            equal((host, tree(place)), (host, []))
            equal((host, status(place, host)), (host, [(False, None, False, False)]))
            equal(name in report(run("hook", "status", "-f", "json", cwd=place))["hosts"][list(FILES).index(host)]["path"], True)


@claim
def old_bytes_come_back_whatever_they_were():
    texts = ['{}', '{ }', '{\n}', '\r\n{\t"a" : 1 ,"hooks":{  } }  ', '{"hooks":{"SubagentStop":[],"AfterAgent":[ ],"subagentStop":[]},"version":1}',
             '{\n\t"x": [\n\t\t1\n\t],\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{"hooks": []}\n\t\t]\n\t}\n}\n', '{"\\u0068ooks":{"é":"\\u00e9"}}']
    for host, name in FILES.items():
        for text in texts:
            with folder({name: text}) as place:
                before = settings(place, host).read_bytes()
                install(place, host)
                equal((host, text, settings(place, host).read_bytes() == before), (host, text, False))
                install(place, host, "--observe")
                equal((host, text, status(place, host)), (host, text, [(True, "observe", False, True)]))
                uninstall(place, host)
                equal((host, text, settings(place, host).read_bytes()), (host, text, before))
                equal((host, (pathlib.Path(place) / ".baton").exists()), (host, False))


@claim
def what_is_not_baton_s_keeps_order_and_text():
    text = '{\n    "z": 1.50,   \n    "hooks": {\n        "SubagentStop": [\n            {"hooks": [{"type": "command", "command": "./mine.sh"}]}\n        ],\n        "Stop": []\n    },\n    "a": "\\u00e9"\n}\n'
    with folder({FILES["claude"]: text}) as place:
        install(place, "claude", "--matcher", "checker")
        now = settings(place, "claude").read_text()
        added = [line for line in now.splitlines() if line not in text.splitlines()]
        for line in text.splitlines():
            equal((line, line in now or line + "," in now), (line, True))
        equal(all("\t" not in line for line in added), True)
        equal(list(written(place, "claude")), ["z", "hooks", "a"])
        equal(list(written(place, "claude")["hooks"]), ["SubagentStop", "Stop", "SubagentStart"])
        equal(written(place, "claude")["hooks"]["SubagentStop"][1], entry("claude", "baton hook claude", matcher="checker"))
        equal('        "SubagentStart": [\n            {\n                "matcher": "checker",' in now, True)


@claim
def entries_of_baton_are_replaced_where_they_stand():
    own = entry("claude", "/opt/baton hook claude --observe")
    other = {"hooks": [{"type": "command", "command": "a"}]}
    mixed = {"matcher": "m", "hooks": [{"type": "command", "command": "b"}, {"type": "command", "command": "baton hook claude"}]}
    with folder({FILES["claude"]: json.dumps({"hooks": {"SubagentStop": [own, other, mixed, own]}})}) as place:
        install(place, "claude")
        wanted = entry("claude", "baton hook claude")
        equal(written(place, "claude")["hooks"]["SubagentStop"], [wanted, other, {"matcher": "m", "hooks": mixed["hooks"][:1]}])
        equal(written(place, "claude")["hooks"]["SubagentStart"], [wanted])


@claim
def a_second_install_changes_nothing():
    for host in FILES:
        with folder({}) as place:
            install(place, host)
            before = (settings(place, host).read_bytes(), settings(place, host).stat().st_mtime_ns)
            again = run("hook", "install", host, cwd=place)
            equal((host, again.returncode, again.stdout, again.stderr), (host, 0, b"", b""))
            equal((settings(place, host).read_bytes(), settings(place, host).stat().st_mtime_ns), before)


@claim
def the_change_is_shown_before_anything_is_written():
    with folder({}) as place:
        shown = run("hook", "install", "codex", "--dry-run", cwd=place)
        equal((shown.returncode, shown.stdout[:51], tree(place)), (0, b"--- a/.codex/hooks.json\n+++ b/.codex/hooks.json\n@@ ", []))
        expect(run("hook", "install", "codex", cwd=place), 2, err="give --yes")
        equal(tree(place), [])
        expect(run("hook", "install", "codex", "--yes", "--dry-run", cwd=place), 2, err="exclude each other")
        install(place, "codex")
        before = settings(place, "codex").read_bytes()
        equal(b"+++ b/.codex/hooks.json" in run("hook", "uninstall", "codex", "--dry-run", cwd=place).stdout, True)
        expect(run("hook", "uninstall", "codex", cwd=place), 2, err="give --yes")
        equal(settings(place, "codex").read_bytes(), before)


@claim
def a_person_at_a_terminal_is_asked():
    with folder({}) as place:
        for reply, code, there in (("no\n", 2, False), ("y\n", 2, False), ("\n", 2, False), ("yes\n", 0, True)):
            result = on_terminal_with(reply, "hook", "install", "gemini", cwd=place)
            equal((reply, result[0], settings(place, "gemini").exists(), b"Write this?" in result[1]), (reply, code, there, True))


@claim
def flags_become_part_of_the_command():
    with folder({}) as place:
        install(place, "claude", "--input", "in.json", "--agents", "a,b", "--workspace", "my w", "--store", "./x/s.db", "--fail-closed",
                "--max-rejections", "5")
        wanted = "baton hook claude --fail-closed --store x/s.db --workspace 'my w' --agents a,b --input in.json --max-rejections 5"
        equal(written(place, "claude")["hooks"]["SubagentStop"][0]["hooks"][0]["command"], wanted)
        equal(status(place, "claude"), [(True, "fail-closed", False, True)])
        install(place, "claude", "--store", "sqlite:a'b.db")
        equal(written(place, "claude")["hooks"]["SubagentStop"][0]["hooks"][0]["command"], "baton hook claude --store 'sqlite:a'\\''b.db'")


@claim
def what_was_changed_since_stays():
    with folder({FILES["claude"]: '{"model":"opus"}'}) as place:
        install(place, "claude")
        made = written(place, "claude")
        made["theme"] = "dark"
        made["hooks"]["SubagentStop"].append({"hooks": [{"type": "command", "command": "mine"}]})
        settings(place, "claude").write_text(json.dumps(made))
        equal(status(place, "claude"), [(True, "enforce", True, True)])
        uninstall(place, "claude")
        equal(written(place, "claude"), {"model": "opus", "hooks": {"SubagentStop": [{"hooks": [{"type": "command", "command": "mine"}]}]}, "theme": "dark"})
        equal((pathlib.Path(place) / ".baton").exists(), False)


@claim
def changes_between_two_installs_are_not_lost():
    with folder({FILES["claude"]: '{"model":"opus"}'}) as place:
        install(place, "claude")
        made = written(place, "claude")
        made["theme"] = "dark"
        settings(place, "claude").write_text(json.dumps(made))
        install(place, "claude", "--observe")
        uninstall(place, "claude")
        equal(written(place, "claude"), {"model": "opus", "hooks": {}, "theme": "dark"})


@claim
def settings_that_somebody_removed_stay_away():
    with folder({FILES["cursor"]: '{"version":1}'}) as place:
        install(place, "cursor")
        settings(place, "cursor").unlink()
        uninstall(place, "cursor")
        equal(settings(place, "cursor").exists(), False)


@claim
def the_backup_is_what_the_file_was():
    text = '{"model": "opus"}'
    with folder({FILES["claude"]: text}) as place:
        install(place, "claude")
        path = pathlib.Path(place) / ".baton/hooks/claude.json"
        after = hashlib.sha256(settings(place, "claude").read_bytes()).hexdigest()
        equal(json.loads(path.read_text()), {"baton": 1, "host": "claude", "path": FILES["claude"], "existed": True,
                                             "bytes": base64.b64encode(text.encode()).decode(), "sha256_after": after})
        equal(stat.S_IMODE(path.stat().st_mode), 0o600)
        install(place, "claude", "--observe")
        later = json.loads(path.read_text())
        equal((later["bytes"], later["sha256_after"] == after), (base64.b64encode(text.encode()).decode(), False))


@claim
def what_is_not_understood_is_left_alone():
    bad = ["", "[]", "{", "// x\n{}", '{"a":1,}', '{"a":1,"a":2}', '{"hooks":[]}', '{"hooks":null}', '{"hooks":{"SubagentStop":{}}}',
           '{"hooks":{"subagentStop":1}}', '{"hooks":{"AfterAgent":"x"}}', "\ufeff{}"]
    for host, name in FILES.items():
        for text in bad:
            if "Stop" in text and EVENTS[host][-1] not in text or "After" in text and host != "gemini":
                continue
            with folder({name: text}) as place:
                before = settings(place, host).read_bytes()
                expect(install(place, host, code=2), 2, err="baton: ")
                equal((host, text, settings(place, host).read_bytes(), (pathlib.Path(place) / ".baton").exists()), (host, text, before, False))
    with folder({FILES["cursor"]: '{"version":2}'}) as place:
        expect(install(place, "cursor", code=2), 2, err="version")
    with folder({FILES["claude"]: "{}", ".baton/hooks/claude.json": "not a backup"}) as place:
        expect(install(place, "claude", code=2), 2, err="not a backup")
        expect(uninstall(place, "claude", code=2), 2, err="not a backup")


@claim
def settings_out_of_the_project_are_left_alone():
    for link in (".claude", ".claude/settings.json"):
        with folder({"out/settings.json": "{}", "p/x": ""}) as place:
            target = pathlib.Path(place) / ("out" if link == ".claude" else "out/settings.json")
            path = pathlib.Path(place) / "p" / link
            path.parent.mkdir(exist_ok=True)
            path.symlink_to(target)
            expect(install(pathlib.Path(place) / "p", "claude", code=2), 2, err="leads out of the project")
            equal((pathlib.Path(place) / "out/settings.json").read_text(), "{}")
    with folder({"real.json": "{}", ".claude/x": ""}) as place:
        settings(place, "claude").symlink_to(pathlib.Path(place) / "real.json")
        install(place, "claude")
        equal((settings(place, "claude").is_symlink(), "hooks" in json.loads((pathlib.Path(place) / "real.json").read_text())), (True, True))
        uninstall(place, "claude")
        equal((pathlib.Path(place) / "real.json").read_text(), "{}")
    with folder({".claude/x": ""}) as place:
        settings(place, "claude").symlink_to("nowhere.json")
        expect(install(place, "claude", code=2), 2, err="leads nowhere")


@claim
def the_mode_of_a_file_is_kept():
    with folder({FILES["claude"]: "{}"}) as place:
        settings(place, "claude").chmod(0o640)
        install(place, "claude")
        equal(stat.S_IMODE(settings(place, "claude").stat().st_mode), 0o640)
        uninstall(place, "claude")
        equal(stat.S_IMODE(settings(place, "claude").stat().st_mode), 0o640)


@claim
def an_absent_store_is_told():
    with folder({}) as place:
        equal(b"the store does not exist yet" in install(place, "codex").stderr, True)
        equal(install(place, "codex", "--store", "s.db").stderr, b"")


@claim
def the_user_s_settings_lie_below_the_home_folder():
    for host, name in {**FILES, "copilot": ".copilot/hooks/baton.json"}.items():
        with folder({"home/x": "", "p/x": ""}) as place:
            home = {"HOME": str(pathlib.Path(place) / "home")}
            install(pathlib.Path(place) / "p", host, "--scope", "user", env=home)
            equal((host, (pathlib.Path(place) / "home" / name).exists()), (host, True))
            equal((host, (pathlib.Path(place) / "home/.baton/hooks" / f"{host}.json").exists()), (host, True))
            equal(status(pathlib.Path(place) / "p", host, "--scope", "user", env=home), [(True, "enforce", False, True)])
            uninstall(pathlib.Path(place) / "p", host, "--scope", "user", env=home)
            equal(tree(pathlib.Path(place) / "home"), ["x"])


@claim
def another_folder_can_be_named():
    with folder({"p/x": ""}) as place:
        install(place, "codex", "--dir", "p")
        equal((pathlib.Path(place) / "p" / FILES["codex"]).exists(), True)
        equal(status(place, "codex", "--dir", "p"), [(True, "enforce", False, True)])
        equal(status(place, "codex"), [(False, None, False, False)])
        uninstall(place, "codex", "--dir", "p")
        equal(tree(place), ["p", "p/x"])


@claim
def misuse_is_exit_2():
    with folder({}) as place:
        for words in (("install",), ("install", "vim"), ("install", "claude", "codex"), ("uninstall", "vim"), ("status", "vim"),
                      ("install", "claude", "--observe", "--fail-closed"), ("install", "cursor", "--exit2"), ("install", "cursor", "--matcher", "x"),
                      ("install", "gemini", "--matcher", "x"), ("install", "claude", "--scope", "world"), ("install", "claude", "--dir", "none"),
                      ("install", "claude", "--scope", "user", "--dir", "."), ("uninstall", "claude", "--observe"), ("install", "claude", "--bogus")):
            expect(run("hook", *words, cwd=place), 2, err="baton: ")
        expect(run("hook", "install", "claude", "--yes", "--scope", "user", cwd=place, env={"HOME": ""}), 2, err="HOME")
        expect(run("hook", "uninstall", "claude", cwd=place), 0)
        equal(tree(place), [])


@claim
def a_password_is_never_written_into_settings():
    with folder({}) as place:
        for store in ("postgresql://agent:hunter2@db.example/baton", "postgresql://db.example/baton?password=hunter2",
                      "postgresql://db.example/baton?sslpassword=hunter2"):
            refused = expect(run("hook", "install", "claude", "--yes", "--store", store, cwd=place), 2, err="BATON_STORE")
            equal(b"hunter2" in refused.stdout + refused.stderr, False)
            equal(tree(place), [])
        install(place, "claude", "--store", "postgresql://agent@db.example/baton")


@claim
def a_folder_that_cannot_be_written_changes_nothing():
    with folder({FILES["claude"]: "{}", ".baton/hooks": "a file where a folder is needed"}) as place:
        result = run("hook", "install", "claude", "--yes", cwd=place)
        equal((result.returncode, settings(place, "claude").read_text()), (2, "{}"))


@claim
def tool_events_get_entries_when_the_gate_is_on_and_lose_them_when_it_is_off():
    tools = {"claude": ["PreToolUse"], "codex": ["PreToolUse"], "copilot": ["preToolUse"], "cursor": ["beforeShellExecution", "preToolUse"], "gemini": ["BeforeTool"]}
    for host in FILES:
        with folder({"g.yaml": "gate: {}\n", "n.yaml": "contract: {max_rejections: 2}\n"}) as place:
            for flags, has_tools in ((("--gate",), True), ((), False), (("--config", "g.yaml"), True), (("--config", "n.yaml"), False)):
                install(place, host, *flags, env={"HOME": str(place), "XDG_CONFIG_HOME": ""})
                found = report(run("hook", "status", host, "-f", "json", cwd=place, env={"HOME": str(place), "XDG_CONFIG_HOME": ""}))["hosts"][0]
                wanted = [*EVENTS[host], *(tools[host] if has_tools else [])]
                equal((host, flags, sorted(written(place, host)["hooks"])), (host, flags, sorted(wanted)))
                equal((host, flags, found["events"]), (host, flags, dict.fromkeys(wanted, True)))
            install(place, host, "--gate")
            if host == "cursor":
                equal(written(place, host)["hooks"]["preToolUse"], [{"command": "baton hook cursor --gate"}])


@claim
def paths_are_written_as_others_who_share_the_settings_can_use_them():
    with folder({"p/sub/x": "", "p/in.json": "{}"}) as place:
        base = pathlib.Path(place, "p")
        for given, cwd, wanted in (("s.db", base, "s.db"), ("./a/../s.db", base, "s.db"), (f"{base}/s.db", base, "s.db"), ("s.db", base / "sub", "sub/s.db"),
                                   ("../s.db", base / "sub", "s.db"), (f"sqlite:{base}/s.db", base, "sqlite:s.db")):
            run("hook", "install", "codex", "--dir", str(base), "--store", given, "--yes", cwd=cwd)
            equal((given, written(base, "codex")["hooks"]["SubagentStop"][0]["hooks"][0]["command"]), (given, f"baton hook codex --store {wanted}"))
        for flags in (("--store", "../s.db"), ("--store", "/var/x.db"), ("--input", "../in.json"), ("--config", "../c.yaml"), ("--program", "/opt/baton")):
            expect(run("hook", "install", "claude", *flags, "--yes", cwd=base), 2, err="--scope user")
        for scope in ("local", "user"):
            run("hook", "install", "claude", "--scope", scope, "--store", "/var/x.db", "--program", "/opt/baton", "--yes", cwd=base, env={"HOME": str(place)})
        for name in (base / ".claude/settings.local.json", pathlib.Path(place, ".claude/settings.json")):
            equal(json.loads(name.read_text())["hooks"]["SubagentStop"][0]["hooks"][0]["command"], "/opt/baton hook claude --store /var/x.db")
        equal((base / ".baton/hooks/claude-local.json").exists(), True)
        uninstall(base, "claude", "--scope", "local")
        equal((base / ".claude").exists(), False)


@claim
def entries_are_known_by_the_name_of_the_program():
    with folder({FILES["claude"]: json.dumps({"hooks": {"Stop": [entry("claude", "/x/mybaton hook claude"), entry("claude", "notbaton hook claude"),
                                                                  entry("claude", "baton hook claudette")]}})}) as place:
        install(place, "claude", "--program", "mybaton")
        left = [item["hooks"][0]["command"] for item in written(place, "claude")["hooks"]["Stop"]]
        equal(left, ["notbaton hook claude", "baton hook claudette"])
        equal(status(place, "claude", "--program", "mybaton"), [(True, "enforce", False, True)])
        equal(status(place, "claude"), [(False, None, False, True)])


@claim
def what_is_wrong_with_an_installed_hook_is_told():
    home = {"XDG_CONFIG_HOME": ""}
    with folder({}) as place:
        install(place, "claude", "--gate")
        made = written(place, "claude")
        del made["hooks"]["PreToolUse"]
        for event in made["hooks"].values():
            event[0]["hooks"][0]["command"] += " --input /srv/in.json"
        settings(place, "claude").write_text(json.dumps(made))
        found = report(run("hook", "status", "claude", "-f", "json", cwd=place, env={**home, "HOME": str(place)}))["hosts"][0]
        equal(sorted((item["code"], item["severity"]) for item in found["findings"]),
              [("HOOK_EVENT_MISSING", "WARN"), ("HOOK_PATH_ABSOLUTE", "WARN"), ("HOOK_STORE_MISSING", "WARN")])
        equal((found["events"]["PreToolUse"], found["program"]), (False, {"name": "baton", "found": True, "same": True}))
        away = report(run("hook", "status", "claude", "-f", "json", cwd=place, env={**home, "HOME": str(place), "PATH": "/nonexistent"}))["hosts"][0]
        equal((away["program"], "HOOK_PROGRAM_MISSING" in [item["code"] for item in away["findings"]]), ({"name": "baton", "found": False, "same": None}, True))
    with folder({"bin/baton": "#!/bin/sh\n"}) as place:
        pathlib.Path(place, "bin/baton").chmod(0o755)
        told = install(place, "codex", "--store", "s.db", env={"PATH": f"{place}/bin:/usr/bin:/bin"}).stderr.decode()
        equal([f"{place}/bin/baton" in told, BATON in told], [True, True])


@claim
def a_test_runs_what_is_installed_and_stores_nothing():
    for host in FILES:
        with folder({}) as place:
            env = {"HOME": str(place), "XDG_CONFIG_HOME": ""}
            refused = run("hook", "test", host, "-f", "json", cwd=place, env=env)
            equal((refused.returncode, [item["code"] for item in report(refused)["findings"]]), (1, ["HOOK_NOT_INSTALLED"]))
            for flags, stop in (((), "send_back"), (("--observe",), "pass"), (("--agents", "x,y", "--gate"), "send_back"), (("--fail-closed",), "send_back")):
                install(place, host, "--store", "s.db", *flags, env=env)
                for how in ((), ("--self",)):
                    done = run("hook", "test", host, *how, "-f", "json", cwd=place, env=env)
                    answers = {item["event"]: item["answer"] for item in report(done)["events"]}
                    equal((host, flags, how, done.returncode, answers[EVENTS[host][-1]]), (host, flags, how, 0, stop))
                    equal((host, flags, "pass" in list(answers.values())[-1:] or "--gate" not in flags), (host, flags, True))
            equal((host, pathlib.Path(place, "s.db").exists()), (host, False))
    with folder({}) as place:
        install(place, "claude", "--store", "s.db")
        text = settings(place, "claude").read_text().replace("baton hook claude", "sleep 0; echo nonsense; : baton hook claude")
        settings(place, "claude").write_text(text)
        broken = run("hook", "test", "claude", "--event", "stop", "-f", "json", cwd=place)
        equal((broken.returncode, [item["answer"] for item in report(broken)["events"]]), (1, ["unreadable"]))
        expect(run("hook", "test", "claude", "--event", "other", cwd=place), 2, err="allowed: start, stop, tool")


def made(rng, value):
    """JSON text of a value with white space, escapes and numbers as nobody would write them."""
    def white():
        return "".join(rng.choice(" \t\n\r") for _ in range(rng.choice((0, 0, 1, 3))))
    if isinstance(value, dict):
        inside = [f"{white()}{json.dumps(name)}{white()}:{made(rng, item)}" for name, item in value.items()]
        return white() + "{" + ",".join(inside) + white() + "}" + white()
    if isinstance(value, list):
        return white() + "[" + ",".join(made(rng, item) for item in value) + white() + "]" + white()
    return white() + json.dumps(value, ensure_ascii=rng.random() < 0.5) + white()


@claim
def in_settings_of_any_shape_only_baton_s_entries_change():
    rng = random.Random(7)
    for number in range(60):
        host = rng.choice(list(FILES))
        events = [*EVENTS[host], "Stop", "PreToolUse"]
        other = {"hooks": [{"type": "command", "command": "x"}]} if host in ("claude", "codex", "gemini") else {"command": "x", "bash": "y"}
        own = entry(host, f"/opt/baton hook {host} --observe")
        hooks = {event: [rng.choice((other, own)) for _ in range(rng.randrange(4))] for event in events if rng.random() < 0.6}
        before = {"é": [1.5, None, {"a": "\U0001f600"}], **({"hooks": hooks} if rng.random() < 0.8 else {}), "last": {}}
        with folder({FILES[host]: made(rng, before)}) as place:
            install(place, host)
            after = written(place, host)
            for name in before:
                equal((number, name == "hooks" or after[name]), (number, name == "hooks" or before[name]))
            kept = {event: [item for item in items if item == other] for event, items in before.get("hooks", {}).items()}
            wanted = {event: items for event, items in kept.items() if items}
            found = {event: [item for item in items if item == other] for event, items in after["hooks"].items()}
            equal((number, {event: items for event, items in found.items() if items}), (number, wanted))
            for event in EVENTS[host]:
                equal((number, [item for item in after["hooks"][event] if item != other]), (number, [entry(host, command(host, event))]))
            settings(place, host).write_bytes(settings(place, host).read_bytes() + b"\n")
            uninstall(place, host)
            equal((number, {event: items for event, items in written(place, host)["hooks"].items() if items}), (number, wanted))


@claim
def a_skill_of_an_earlier_version_is_removed_and_an_edited_one_stays():
    for is_noted in (True, False):
        with folder({}) as place:
            install(place, "claude", "--skill")
            skill = pathlib.Path(place) / ".claude/skills/baton-contract/SKILL.md"
            backup = pathlib.Path(place) / ".baton/hooks/claude.json"
            kept = json.loads(backup.read_text())
            equal(kept["skill_sha256"], hashlib.sha256(skill.read_bytes()).hexdigest())
            skill.write_text("what an earlier version wrote\n")
            if is_noted:
                kept["skill_sha256"] = hashlib.sha256(skill.read_bytes()).hexdigest()
                backup.write_text(json.dumps(kept))
            uninstall(place, "claude")
            equal((is_noted, skill.exists(), settings(place, "claude").exists()), (is_noted, not is_noted, False))
    with folder({}) as place:
        install(place, "claude")
        install(place, "claude", "--skill")
        equal("skill_sha256" in json.loads((pathlib.Path(place) / ".baton/hooks/claude.json").read_text()), True)
        uninstall(place, "claude")
        equal((pathlib.Path(place) / ".claude").exists(), False)


finish()
