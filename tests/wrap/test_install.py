# SPDX-License-Identifier: Apache-2.0
"""test_install.py BATON - baton wrap install, uninstall and status: what changes in the files of hosts, and what comes back."""
import json
import os
import pathlib
import random
import re
import stat
import sys
import tomllib

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from program import BATON, STRIDE, claim, equal, expect, finish, folder, on_terminal_with, report, run  # noqa: E402

FILES = {"claude": ".mcp.json", "codex": ".codex/config.toml", "cursor": ".cursor/mcp.json", "gemini": ".gemini/settings.json",
         "vscode": ".vscode/mcp.json"}
MEMBERS = {"claude": "mcpServers", "cursor": "mcpServers", "gemini": "mcpServers", "vscode": "servers"}
ON_PATH = {"PATH": f"{pathlib.Path(BATON).parent}:{os.environ['PATH']}"}
COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.S)
TRAILING = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.S)


def wrap(place, *words, code=0, err=None):
    return expect(run("wrap", *words, cwd=place, env=ON_PATH), code, err=err)


def path_of(place, host):
    return pathlib.Path(place, FILES[host])


def servers(place, host):
    """What the file holds, by a reader of its own."""
    text = path_of(place, host).read_bytes().decode()
    if host == "codex":
        return tomllib.loads(text)["mcp_servers"]
    if host == "vscode":
        text = TRAILING.sub(lambda found: found[1] or "", COMMENT.sub(lambda found: found[1] or " ", text))
    return json.loads(text)[MEMBERS[host]]


def backup_of(place, host):
    return pathlib.Path(place, ".baton/wrap", host + ".json")


# ---- Random files ------------------------------------------------------------------------------------------------------


def some_text(dice):
    return "".join(dice.choice('abz-_./ "\\\'#{}[],:\té\u2028\U0001f600$') for _ in range(dice.randrange(0, 9)))


def some_words(dice):
    return [some_text(dice) for _ in range(dice.randrange(0, 4))]


def some_entry(dice, host):
    """A server as a list of members, and whether it has a URL."""
    if dice.random() < 0.35:
        members = [("url", "https://example.org/" + dice.choice(["mcp", "a b", 'q"']))]
        members[0] = ("httpUrl" if host == "gemini" and dice.random() < 0.5 else "url", "https://example.org/mcp")
        if dice.random() < 0.6:
            members.append(("headers", {name: some_text(dice) for name in dice.sample(["X-Key", "Accept", "Authorization"], dice.randrange(0, 4))}))
        if dice.random() < 0.5 and members[0][0] == "url":
            members.append(("type", dice.choice(["http", "streamable-http"])))
        if dice.random() < 0.4:
            members.append(("env", {name: some_text(dice) for name in dice.sample(["A", "BATON_WRAP_1", "BATON_WRAP_2"], dice.randrange(0, 3))}))
    else:
        members = [("command", "npx " + some_text(dice))]
        if dice.random() < 0.7:
            members.append(("args", some_words(dice)))
        if dice.random() < 0.3:
            members.append(("env", {"A": some_text(dice)}))
    if dice.random() < 0.5:
        members.append(("timeout", 1.0))
    dice.shuffle(members)
    return members


def blank(dice, comments):
    parts = ["", "", " ", "\n  ", "\t", "\r\n"]
    if comments:
        parts += [" /* a, \"b\": [} */ ", " // c: {\"x\", ]\n", "/**/"]
    return dice.choice(parts)


def json_text(dice, value, comments):
    if isinstance(value, (dict, list)):
        pairs = value.items() if isinstance(value, dict) else [(None, item) for item in value]
        inner = ["".join((blank(dice, comments), json.dumps(name, ensure_ascii=dice.random() < 0.5) + blank(dice, comments) + ":" if name is not None else "",
                          blank(dice, comments), json_text(dice, item, comments), blank(dice, comments))) for name, item in pairs]
        trailing = "," + blank(dice, True) if inner and comments and dice.random() < 0.4 else ""
        marks = "{}" if isinstance(value, dict) else "[]"
        return marks[0] + ",".join(inner) + trailing + (blank(dice, comments) if not inner else "") + marks[1]
    return "1.0" if value == 1.0 and not isinstance(value, bool) else json.dumps(value, ensure_ascii=dice.random() < 0.5)


def toml_string(dice, text):
    if dice.random() < 0.3 and not re.search(r"['\x00-\x08\x0a-\x1f\x7f]", text):
        return "'" + text + "'"
    return json.dumps(text, ensure_ascii=dice.random() < 0.5 and all(ord(letter) < 0x10000 for letter in text))


def toml_array(dice, words):
    apart = dice.choice([", ", ",", " ,\n    ", ", # note ]\n  "])
    return "[" + dice.choice(["", " ", "\n"]) + apart.join(toml_string(dice, word) for word in words) + (dice.choice(["", ",", ",\n"]) if words else "") + "]"


def toml_entry(dice, name, members):
    lines = [dice.choice(["[mcp_servers.%s]", "[ mcp_servers . %s ]  # x", "  [mcp_servers.%s]"]) % (name if re.fullmatch(r"[\w-]+", name) and name.isascii() else json.dumps(name))]
    for key, value in members:
        if key in ("command", "url"):
            lines.append(dice.choice(["", "  "]) + key + dice.choice([" = ", "=", "\t=  "]) + toml_string(dice, value) + dice.choice(["", "  # the 'command'", " "]))
        elif key == "args":
            lines.append("args = " + toml_array(dice, value) + dice.choice(["", " # [args"]))
        elif key == "timeout":
            lines.append("startup_timeout_sec = 1.0")
        elif key == "headers" and dice.random() < 0.5:
            lines.append('bearer_token_env_var = "TOKEN"')
        else:
            continue
        if dice.random() < 0.2:
            lines.append(dice.choice(["", "# command = 'no'", "note = '''\nargs = []\n[mcp_servers.none]\n'''", 'more = """\n# \\""" [x] \n"""']))
            if "=" in lines[-1] and any(line.startswith(lines[-1].split(" ")[0] + " =") for line in lines[1:-1]):
                lines.pop()
    return lines


def some_file(dice, host):
    """Bytes of a file with servers, and the names of those servers."""
    names = dice.sample(["fs", "web", "a b", "q\"x", "é", "mail-1"], dice.randrange(1, 4))
    entries = {name: some_entry(dice, host) for name in names}
    if host == "codex":
        lines = ["# settings", 'model = "x"', '"mcp_servers x" = 1', 'list = [1, [2, "]"], # ]\n 3]'][:dice.randrange(0, 5)]
        for name in names:
            lines += [""] + toml_entry(dice, name, entries[name])
            if dice.random() < 0.3:
                lines += ["", "[mcp_servers." + json.dumps(name) + ".env]", 'command = "no"']
        lines += ["[other]", "command = 1"] if dice.random() < 0.5 else []
        end = dice.choice(["\n", "\r\n"])
        return (end.join("\n".join(lines).split("\n")) + dice.choice(["", end])).encode(), names
    comments = host == "vscode"
    whole = [("other", [1.0, {"command": "no"}]), (MEMBERS[host], {name: dict(entries[name]) for name in names}), ("last", None)]
    dice.shuffle(whole)
    return (blank(dice, comments) + json_text(dice, dict(whole[:dice.randrange(2, 4)] if whole[2][0] != MEMBERS[host] else whole), comments) +
            blank(dice, comments)).encode(), names


def expected_words(name, entry):
    tail = ["--", entry["command"], *entry.get("args", [])] if "command" in entry else ["--upstream", entry.get("url") or entry["httpUrl"]]
    clean = re.sub("^[^A-Za-z0-9]+", "", re.sub("[^A-Za-z0-9._-]", "-", "".join(chr(byte) if byte < 128 else "\x00" for byte in name.encode())))
    return ["wrap", "--name", clean or "server", *tail]


def check_wrapped(name, before, after):
    """One server after it was wrapped, beside what it was."""
    equal(after["command"], "baton")
    wanted = expected_words(name, before)
    equal(after["args"][:len(wanted)], wanted)
    gone = {"command", "args", "url", "httpUrl", "headers", "type", "env", "env_vars", "bearer_token_env_var"}
    equal({key: value for key, value in after.items() if key not in gone}, {key: value for key, value in before.items() if key not in gone})
    rest = after["args"][len(wanted):]
    if "bearer_token_env_var" in before:
        equal((rest, after["env_vars"]), (["--bearer-env", before["bearer_token_env_var"]], [before["bearer_token_env_var"]]))
        return
    equal(rest[::2], ["--header-env"] * len(before.get("headers", {})))
    given = dict(word.split("=", 1) for word in rest[1::2])
    env = dict(after.get("env", {}))
    equal({header: env.pop(variable) for header, variable in given.items()}, before.get("headers", {}))
    equal(env, before.get("env", {}))
    if "url" in before or "httpUrl" in before:
        equal((after.get("type"), "headers" in after), ("stdio" if "type" in before else None, False))


def turn(dice, place, host, edit):
    """Install and uninstall in a random file; `edit` changes the file in between. True when its bytes came back."""
    text, names = some_file(dice, host)
    path = path_of(place, host)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text)
    before = servers(place, host)
    name = dice.choice(names)
    if not {"command", "url", "httpUrl"} & set(before[name]):
        return None
    result = run("wrap", "install", host, name, "--yes", cwd=place, env=ON_PATH)
    equal((result.returncode, text), (0, text))
    after = servers(place, host)
    equal({other: entry for other, entry in after.items() if other != name}, {other: entry for other, entry in before.items() if other != name})
    check_wrapped(name, before[name], after[name])
    edit(path)
    wrap(place, "uninstall", host, name, "--yes")
    equal(backup_of(place, host).exists(), False)
    return path.read_bytes() == text


@claim
def what_install_changes_uninstall_brings_back_byte_for_byte():
    dice = random.Random(20261117)
    turns = {host: 0 for host in FILES}
    with folder({}) as place:
        for _ in range(60 // STRIDE):
            for host in FILES:
                came_back = turn(dice, place, host, lambda path: None)
                turns[host] += came_back is not None
                equal(came_back in (True, None), True)
    equal([host for host, count in turns.items() if count < 30 // STRIDE], [])


@claim
def a_changed_byte_would_be_noticed():
    """The control of the claim above: a blank more at the end is a difference."""
    dice = random.Random(1)

    def append(path):
        path.write_bytes(path.read_bytes() + b"\n")
    with folder({}) as place:
        equal({turn(dice, place, host, append) for host in FILES for _ in range(3)} - {None}, {False})


@claim
def all_servers_of_a_file_come_and_go_together():
    dice = random.Random(7)
    with folder({}) as place:
        for host in FILES:
            text, names = some_file(dice, host)
            path = path_of(place, host)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(text)
            run("wrap", "install", host, "--all", "--yes", cwd=place, env=ON_PATH)
            equal({entry.get("command") for entry in servers(place, host).values()} <= {"baton", None}, True)
            wrap(place, "uninstall", host, "--all", "--yes")
            equal(path.read_bytes(), text)


# ---- Single cases ------------------------------------------------------------------------------------------------------

ONE = '{"mcpServers": {"fs": {"command": "node", "args": ["fs.js"]}}}\n'


@claim
def a_second_install_changes_flags_and_keeps_the_first_text():
    with folder({".mcp.json": ONE}) as place:
        wrap(place, "install", "claude", "fs", "--yes")
        first = path_of(place, "claude").read_bytes()
        equal(wrap(place, "install", "claude", "fs", "--yes").stdout, b"")
        equal(path_of(place, "claude").read_bytes(), first)
        wrap(place, "install", "claude", "fs", "--agent", "a", "--fail", "open", "--observe", "--lock", "x.lock", "--store", "sqlite:s.db", "--record", "all", "--wait", "durable", "--yes")
        equal(servers(place, "claude")["fs"]["args"],
              ["wrap", "--name", "fs", "--lock", f"{os.path.realpath(place)}/x.lock", "--store", f"sqlite:{os.path.realpath(place)}/s.db", "--observe",
               "--record", "all", "--wait", "durable", "--fail", "open", "--agent", "a", "--", "node", "fs.js"])
        wrap(place, "install", "claude", "fs", "--yes")
        equal(path_of(place, "claude").read_bytes(), first)
        wrap(place, "uninstall", "claude", "fs", "--yes")
        equal(path_of(place, "claude").read_text(), ONE)
        equal(pathlib.Path(place, ".baton").exists(), False)


@claim
def flags_that_somebody_added_stay():
    entry = {"command": "/opt/baton", "args": ["wrap", "--name", "mine", "--observe", "--env", "A", "--lock=old", "--", "node", "--observe"]}
    with folder({".mcp.json": json.dumps({"mcpServers": {"fs": entry}})}) as place:
        wrap(place, "install", "claude", "fs", "--yes")
        equal(servers(place, "claude")["fs"], {"command": "/opt/baton", "args": ["wrap", "--name", "mine", "--env", "A", "--", "node", "--observe"]})


@claim
def an_edited_entry_gets_its_command_back():
    with folder({".mcp.json": ONE, ".codex/config.toml": '[mcp_servers.fs]\ncommand = "node"\n'}) as place:
        for host in ("claude", "codex"):
            wrap(place, "install", host, "fs", "--yes")
            path = path_of(place, host)
            path.write_text(path.read_text().replace('"wrap", ', '"wrap", "--verbose", '))
            wrap(place, "uninstall", host, "fs", "--yes")
            equal((servers(place, host)["fs"]["command"], servers(place, host)["fs"]["args"]), ("node", ["fs.js"] if host == "claude" else []))
            equal(backup_of(place, host).exists(), False)


@claim
def an_edited_entry_with_a_url_stays():
    with folder({".mcp.json": '{"mcpServers": {"web": {"url": "https://example.org/mcp"}}}'}) as place:
        wrap(place, "install", "claude", "web", "--yes", err="sign-in")
        path = path_of(place, "claude")
        path.write_text(path.read_text().replace('"wrap", ', '"wrap", "--verbose", '))
        edited = path.read_bytes()
        wrap(place, "uninstall", "claude", "web", "--yes", code=2, err="changed since")
        equal((path.read_bytes(), backup_of(place, "claude").exists()), (edited, True))


@claim
def what_somebody_brought_back_is_left_alone():
    with folder({".mcp.json": ONE}) as place:
        wrap(place, "install", "claude", "fs", "--yes")
        path_of(place, "claude").write_text(ONE.replace("fs.js", "new.js"))
        equal(wrap(place, "uninstall", "claude", "fs", "--yes").stdout, b"")
        wrap(place, "install", "claude", "fs", "--yes")
        wrap(place, "uninstall", "claude", "fs", "--yes")
        equal(path_of(place, "claude").read_text(), ONE.replace("fs.js", "new.js"))


@claim
def files_that_are_not_understood_stay_as_they_are():
    rows = (("claude", '{"mcpServers": {"fs": {"command": "a", "command": "b"}}}'), ("claude", '{"mcpServers": []}'), ("claude", '{"mcpServers": {"fs": {"command": "a"}},}'),
            ("claude", '{"mcpServers": {"fs": {"command": "a", "args": [1]}}}'), ("claude", '{"mcpServers": {"fs": {"type": "sse", "url": "https://example.org"}}}'),
            ("claude", '{"mcpServers": {"fs": {"type": "ws", "url": "wss://example.org"}}}'), ("claude", '{"mcpServers": {"fs": {"command": "a", "url": "https://example.org"}}}'),
            ("claude", '{"mcpServers": {"fs": {"url": "http://mcp.example.org/mcp"}}}'), ("claude", '{"mcpServers": {"fs": "a"}}'), ("claude", '{"mcpServers": {"fs": {"url": "https://example.org", "headers": {"A": 1}}}}'),
            ("vscode", '{"servers": {"fs": {"command": "a"}} /* no end'), ("vscode", '{"servers": {"fs": {"command": "a",,}}}'), ("vscode", '{"servers": {"fs": {,}}}'),
            ("codex", 'mcp_servers.fs.command = "a"\n'), ("codex", '[mcp_servers]\nfs = {command = "a"}\n'), ("codex", 'mcp_servers = {fs = {command = "a"}}\n'),
            ("codex", '[[mcp_servers.fs]]\ncommand = "a"\n'), ("codex", '[mcp_servers.fs]\ncommand = """a"""\n'), ("codex", '[mcp_servers.fs]\ncommand = "a"\nargs = ["x", 1]\n'),
            ("codex", '[mcp_servers.fs]\ncommand = "a"\ncommand = "b"\n'), ("codex", '[mcp_servers.fs]\ncommand = "a"\n[mcp_servers.fs]\n'), ("codex", '[mcp_servers.fs]\ncommand = "a\n'),
            ("codex", '[mcp_servers.fs]\ncommand = "a"\nx = [1\n'), ("codex", '[mcp_servers.fs\ncommand = "a"\n'), ("codex", '[mcp_servers.fs]\ncommand "a"\n'),
            ("codex", '[mcp_servers.fs]\nurl = "https://example.org"\nhttp_headers = {A = "b"}\n'), ("codex", '[mcp_servers.fs]\nurl = "https://example.org"\n[mcp_servers.fs.http_headers]\nA = "b"\n'),
            ("codex", '[mcp_servers.fs.http_headers]\nA = "b"\n[mcp_servers.fs]\nurl = "https://example.org"\n'),
            ("codex", '[mcp_servers.fs]\nstartup_timeout_sec = 1\n'), ("codex", '[mcp_servers.fs.env]\nA = "b"\n'))
    for host, text in rows:
        with folder({FILES[host]: text}) as place:
            wrap(place, "install", host, "fs", "--yes", code=2, err="baton: ")
            equal((path_of(place, host).read_text(), pathlib.Path(place, ".baton").exists()), (text, False))
    with folder({".mcp.json": b'{"mcpServers": {"fs": {"command": "a\xff"}}}'}) as place:
        wrap(place, "install", "claude", "fs", "--yes", code=2, err="UTF-8")


@claim
def with_all_what_cannot_be_wrapped_is_named():
    with folder({".mcp.json": '{"mcpServers": {"fs": {"command": "a"}, "old": {"type": "sse", "url": "https://example.org"}}}'}) as place:
        wrap(place, "install", "claude", "--all", "--yes", err="note: old stays as it is")
        equal([servers(place, "claude")[name].get("command") for name in ("fs", "old")], ["baton", None])


@claim
def usage_errors_change_nothing():
    rows = ((("install", "claude"), "which server"), (("install", "claude", "fs", "--all"), "which server"), (("install", "none", "fs"), "unknown host"),
            (("install", "claude", "none"), "there are fs"), (("install", "claude", "fs", "--yes", "--dry-run"), "exclude"), (("install", "vscode", "fs", "--scope", "user"), "scope project"),
            (("install", "claude", "fs", "--scope", "local"), "local"), (("install", "claude", "fs", "--scope", "user", "--dir", "."), "--dir"), (("install", "cursor", "fs"), "does not exist"),
            (("install", "claude", "fs", "--store", "postgresql://u:p@h/d", "--yes"), "password"), (("install", "claude", "fs"), "--yes"), (("install", "claude", "fs", "--dir", "none"), "not a folder"))
    with folder({".mcp.json": ONE}) as place:
        for words, err in rows:
            wrap(place, *words, code=2, err=err)
            equal((path_of(place, "claude").read_text(), pathlib.Path(place, ".baton").exists()), (ONE, False))
        for words in (("uninstall", "claude", "fs", "--yes"), ("uninstall", "claude", "none", "--yes"), ("uninstall", "cursor", "--all", "--yes")):
            wrap(place, *words)


@claim
def a_dry_run_shows_the_change_and_a_person_is_asked():
    with folder({".mcp.json": ONE}) as place:
        shown = wrap(place, "install", "claude", "fs", "--dry-run").stdout.decode()
        equal([line[:14] for line in shown.splitlines()[:2]], ["--- a/.mcp.jso", "+++ b/.mcp.jso"])
        equal(on_terminal_with("n\n", "wrap", "install", "claude", "fs", cwd=place, env=ON_PATH)[0], 2)
        equal(path_of(place, "claude").read_text(), ONE)
        equal(on_terminal_with("yes\n", "wrap", "install", "claude", "fs", cwd=place, env=ON_PATH)[0], 0)
        equal(servers(place, "claude")["fs"]["command"], "baton")


@claim
def modes_and_links_stay_and_the_backup_is_private():
    with folder({"real.json": ONE}) as place, folder({"out.json": ONE}) as outside:
        path_of(place, "claude").symlink_to("real.json")
        pathlib.Path(place, "real.json").chmod(0o640)
        wrap(place, "install", "claude", "fs", "--yes")
        equal((path_of(place, "claude").is_symlink(), stat.S_IMODE(pathlib.Path(place, "real.json").stat().st_mode)), (True, 0o640))
        equal(stat.S_IMODE(backup_of(place, "claude").stat().st_mode), 0o600)
        kept = json.loads(backup_of(place, "claude").read_text())
        equal((kept["baton"], kept["host"], kept["path"], kept["entries"]["fs"]["before"]), (1, "claude", ".mcp.json", '{"command": "node", "args": ["fs.js"]}'))
        path_of(place, "claude").unlink()
        path_of(place, "claude").symlink_to(pathlib.Path(outside, "out.json"))
        wrap(place, "install", "claude", "fs", "--yes", code=2, err="out of the project")
        equal(pathlib.Path(outside, "out.json").read_text(), ONE)


@claim
def the_scope_user_is_below_the_home_folder():
    with folder({".claude.json": ONE}) as home, folder({}) as place:
        env = {**ON_PATH, "HOME": str(home)}
        expect(run("wrap", "install", "claude", "fs", "--scope", "user", "--yes", cwd=place, env=env), 0)
        equal(json.loads(pathlib.Path(home, ".claude.json").read_text())["mcpServers"]["fs"]["command"], "baton")
        equal(pathlib.Path(home, ".baton/wrap/claude.json").exists(), True)
        shown = report(expect(run("wrap", "status", "--scope", "user", "-f", "json", cwd=place, env=env), 0))["servers"]
        equal([(row["host"], row["path"], row["wrapped"]) for row in shown], [("claude", ".claude.json", True)])
        expect(run("wrap", "uninstall", "claude", "fs", "--scope", "user", "--yes", cwd=place, env=env), 0)
        equal(pathlib.Path(home, ".claude.json").read_text(), ONE)


@claim
def a_backup_of_other_settings_is_not_used():
    with folder({".mcp.json": ONE, ".baton/wrap/claude.json": '{"baton":1,"host":"claude","path":"other","entries":{}}'}) as place:
        wrap(place, "install", "claude", "fs", "--yes", code=2, err="not a backup")
        equal(path_of(place, "claude").read_text(), ONE)


@claim
def status_tells_transport_mode_and_pin():
    lock = {"baton_mcp_lock": 1, "servers": {"fs": {"command_sha256": "0" * 64, "instructions": None, "package": None, "program": None, "prompts": {}, "resource_templates": {},
                                                    "resources": None, "server": {"name": "s", "version": "1"}, "tools": {}}}}
    text = '{"mcpServers": {"fs": {"command": "a"}, "web": {"url": "https://example.org/mcp"}, "old": {"type": "sse", "url": "https://example.org"}, "bad": 1}}'
    with folder({".mcp.json": text, "baton.mcp.lock": json.dumps(lock), ".codex/config.toml": '[mcp_servers.x]\ncommand = "a"\n'}) as place:
        wrap(place, "install", "claude", "fs", "--observe", "--yes")
        wrap(place, "install", "claude", "web", "--yes", err="sign-in")
        rows = report(wrap(place, "status", "-f", "json"))["servers"]
        equal(rows[0], {"host": "claude", "path": ".mcp.json", "name": "fs", "wrapped": True, "transport": "stdio", "pinned": True, "mode": "observe"})
        equal([(row["host"], row["name"], row["wrapped"], row["transport"], row["pinned"], row["mode"]) for row in rows[1:]],
              [("claude", "web", True, "http", False, "default"), ("claude", "old", False, "sse", False, None), ("claude", "bad", False, None, False, None),
               ("codex", "x", False, "stdio", False, None)])
        equal(len(report(wrap(place, "status", "codex", "-f", "json"))["servers"]), 1)
        equal(b"observe" in wrap(place, "status").stdout, True)


sys.exit(finish())
