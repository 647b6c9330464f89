# SPDX-License-Identifier: Apache-2.0
"""test_completion.py BATON - completion in three shells: each knows every command, flag and value."""
import functools
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

from block import REQUEST, envelope, fenced
from program import STRIDE, claim, claim_if, environment, equal, expect, finish, folder, report, run
from surface import COMMANDS, flags_of

FORMATS = ["concise", "full", "github", "json", "jsonl", "junit", "markdown", "sarif"]

# (words before the cursor, the last one being completed; what is offered). None: files are.
ROWS = [
    (["baton", ""], sorted(name.split()[1] for name in COMMANDS if name.count(" ") == 1)),
    (["baton", "ex"], ["explain"]),
    (["baton", "json", ""], sorted(name.split()[2] for name in COMMANDS if name.startswith("baton json "))),
    (["baton", "json", "m"], ["min"]),
    (["baton", "check", "-f", ""], FORMATS),
    (["baton", "check", "x.json", "--output-format", "j"], ["json", "jsonl", "junit"]),
    (["baton", "check", "--fail-level", ""], ["error", "info", "warning"]),
    (["baton", "check", "--as", ""],
     ["boundaries", "config", "contract", "governed", "json", "lock", "manifest", "organism", "plan", "prompt", "response", "universal",
      "xml"]),
    (["baton", "explain", "JSON_TOO"], ["JSON_TOO_DEEP", "JSON_TOO_LARGE"]),
    (["baton", "explain", "-f", ""], ["full", "json", "markdown"]),
    (["baton", "completion", ""], ["bash", "fish", "zsh"]),
    (["baton", "check", ""], None),
    (["baton", "check", "-f", "json", "-o", ""], None),
    (["baton", "json", "fmt", ""], None),
    (["baton", "json", "get", "/a", ""], None),
]
SCRIPTS = tempfile.TemporaryDirectory()
pathlib.Path(SCRIPTS.name, "baton").symlink_to(os.path.abspath(sys.argv[1]))  # what the scripts call
FILES = {"one.json": "{}", "two words.json": "{}", "sub/three.json": "{}"}


@functools.cache
def script(shell):
    return expect(run("completion", shell), 0).stdout.decode()


@functools.cache
def script_file(shell):
    path = pathlib.Path(SCRIPTS.name, shell)
    path.write_text(script(shell))
    return shlex.quote(str(path))


def shell_environment(**more):
    return environment(PATH=f"{SCRIPTS.name}:{os.environ['PATH']}", **more)


def candidates(*words, cwd=None):
    lines = expect(run("complete", "--", *words, cwd=cwd), 0).stdout.decode().splitlines()
    for line in lines:
        equal((line, line.count("\t")), (line, 1))
    return [line.split("\t")[0] for line in lines]


@claim
def the_program_offers_what_the_tables_hold():
    with folder(FILES) as place:
        for words, offered in ROWS:
            wanted = ["one.json", "sub/", "two words.json"] if offered is None else offered
            equal((words, sorted(candidates(*words[1:], cwd=place))), (words, wanted))
        for words, offered in (
            (["check", "--root", ""], ["sub/"]),
            (["check", "sub/"], ["sub/three.json"]),
            (["check", "--as=pl"], ["--as=plan"]),
            (["-C", ""], ["sub/"]),
            (["-C", "sub", "expl"], ["explain"]),
            (["help", "ledger", "ap"], ["append"]),
            (["help", "gloss"], ["glossary"]),
            (["man", "json", "m"], ["min"]),
            (["hook", "cl"], ["claude"]),
            (["hook", "sta"], ["status"]),
            (["explain", "self_"], ["SELF_LOOP"]),
            (["check", "--", "--f"], []),
            (["nonsense", "--x", ""], []),
            (["plan", "audit", ""], ["sub/"]),
        ):
            equal((words, candidates(*words, cwd=place)), (words, offered))
        equal("check" in candidates(cwd=place), True)


SKILL = "---\nname: %s\ndescription: x\nhandoff:\n  accepts_from: ['*']\n---\n"


@claim
def skills_and_steps_are_those_of_the_project():
    files = {"s/planner/SKILL.md": SKILL % "planner", "s/builder/SKILL.md": SKILL % "builder", "other/alone/SKILL.md": SKILL % "alone",
             "baton.yaml": "skills: [s]\n", "w.steps.csv": "step,agent,action\n1,a,x\n2b,b,y\n", "sub/x": ""}
    with folder(files) as place:
        for words, offered in (
            (["new", "universal", "--source", ""], ["builder", "planner"]),
            (["new", "universal", "--target=pl"], ["--target=planner"]),
            (["discover", "--skills", "other", "--from", ""], ["alone"]),
            (["discover", "--skills=other", "--skills", "s", "--from", "b"], ["builder"]),
            (["discover", "--skills", "none", "--from", ""], []),
            (["plan", "status", "set", "w.steps.csv", ""], ["1", "2b"]),
            (["plan", "status", "set", "none.steps.csv", ""], []),
            (["plan", "status", "set", "w.steps.csv", "1", "pend"], ["pending"]),
            (["plan", "validate", "--plan", "w.steps.csv", "--step", "2"], ["2b"]),
            (["convert", "w.steps.csv", "--step", "1"], ["1"]),
        ):
            equal((words, sorted(candidates(*words, cwd=place))), (words, offered))


@claim
def open_approvals_are_read_from_the_store_and_nothing_is_written():
    with folder({"m.md": fenced(envelope({"/approval_request": REQUEST}, "APPROVAL_REQUEST")), "bad/.baton/store.db": "not a store"}) as place:
        expect(run("contract", "submit", "m.md", "--store", ".baton/store.db", cwd=place), 0, err="made sqlite")
        listed = report(expect(run("approvals", "list", "-f", "json", "--store", ".baton/store.db", cwd=place), 0))["approvals"]
        ids = [approval["id"] for approval in listed]
        equal(len(ids), 1)
        before = {path.name: path.read_bytes() for path in pathlib.Path(place, ".baton").iterdir()}
        for words in (["approvals", "grant", ""], ["approvals", "show", "--store", ".baton/store.db", "P-"], ["approvals", "use", "p-"]):
            equal((words, candidates(*words, cwd=place)), (words, ids))
        equal({path.name: path.read_bytes() for path in pathlib.Path(place, ".baton").iterdir()}, before)
        equal(candidates("approvals", "grant", "--store", "none.db", "", cwd=place), [])
        equal(candidates("approvals", "grant", "", cwd=f"{place}/bad"), [])
        expect(run("approvals", "deny", ids[0], "--actor", "user:ana", cwd=place), 0)
        equal(candidates("approvals", "grant", "", cwd=place), [])


@claim
def names_that_could_deceive_a_terminal_are_not_offered():
    with folder({"a\x1b[31m.json": "{}", "a\nb.json": "{}", "ab.json": "{}"}) as place:
        equal(candidates("check", "a", cwd=place), ["ab.json"])


@claim
def the_program_offers_every_flag_of_every_command():
    for name in COMMANDS[::STRIDE]:
        wanted = sorted(f"--{flag.name}" for flag in flags_of(name) if flag.name)
        equal((name, sorted(candidates(*name.split()[1:], "--"))), (name, wanted))


@claim
def scripts_are_short():
    for shell in ("bash", "zsh", "fish"):
        equal((shell, 0 < len(script(shell)) <= 8192, "complete -- " in script(shell)), (shell, True, True))


def bash_offers(words, cwd):
    line = f"""source {script_file("bash")}
compopt() {{ :; }}
COMP_WORDS=({" ".join(map(shlex.quote, words))}); COMP_CWORD={len(words) - 1}
_baton
printf '%s\\n' "${{COMPREPLY[@]}}" """
    result = subprocess.run(["bash", "--norc", "-uec", line], capture_output=True, cwd=cwd, env=shell_environment(), check=False)
    equal((words, result.returncode, result.stderr), (words, 0, b""))
    return sorted(result.stdout.decode().split("\n")[:-1])


@claim
def bash_offers_what_the_tables_hold():
    with folder(FILES) as place:
        for words, offered in ROWS:
            equal((words, bash_offers(words, place)), (words, ["one.json", "sub/", "two words.json"] if offered is None else offered))
        equal(bash_offers(["baton", "check", "--root", ""], place), ["sub/"])


@claim
def bash_completes_a_value_after_the_sign_of_equality():
    # With its default word breaks bash hands these over as three words.
    with folder({}) as place:
        equal(bash_offers(["baton", "check", "--output-format", "=", "sa"], place), ["sarif"])
        equal(bash_offers(["baton", "check", "--output-format", "="], place), FORMATS)
        equal(bash_offers(["baton", "check", "--limit", "d"], place), ["depth=", "document_bytes="])


def fish_offers(words, cwd):
    line = " ".join(shlex.quote(word) if word else "" for word in words)
    command = f"source {script_file('fish')}; complete -C {shlex.quote(line)}"
    result = subprocess.run(["fish", "--no-config", "-c", command], capture_output=True, cwd=cwd,
                            env=shell_environment(HOME=cwd, XDG_CONFIG_HOME=cwd, XDG_DATA_HOME=cwd), check=False)
    equal((words, result.returncode, result.stderr), (words, 0, b""))
    return sorted(entry.split("\t")[0] for entry in result.stdout.decode().split("\n")[:-1])


@claim_if(shutil.which("fish"), "fish is not installed")
def fish_offers_what_the_tables_hold():
    with folder(FILES) as place:
        for words, offered in ROWS:
            offers = fish_offers(words, place)
            if offered is None:
                equal((words, set(offers) >= {"one.json", "sub/", "two words.json"}), (words, True))
            else:
                equal((words, offers), (words, offered))


# zsh completes inside its line editor alone, so its helpers are replaced by ones that print what they were given.
ZSH = """compdef() {{ }}
_describe() {{ print -rl -- "${{described[@]}}" }}
compadd() {{ shift 3; print -rl -- "$@" }}
source {script}
words=({words}); CURRENT=${{#words}}
_baton
"""


def zsh_offers(words, cwd):
    line = ZSH.format(script=script_file("zsh"), words=" ".join(map(shlex.quote, words)))
    result = subprocess.run(["zsh", "-f", "-u", "-c", line], capture_output=True, cwd=cwd, env=shell_environment(), check=False)
    equal((words, result.returncode, result.stderr), (words, 0, b""))
    return sorted(entry.split(":")[0] for entry in result.stdout.decode().split("\n")[:-1])


@claim_if(shutil.which("zsh"), "zsh is not installed")
def zsh_offers_what_the_tables_hold():
    with folder(FILES) as place:
        for words, offered in ROWS:
            equal((words, zsh_offers(words, place)), (words, ["one.json", "sub/", "two words.json"] if offered is None else offered))


@claim_if(shutil.which("zsh"), "zsh is not installed")
def zsh_takes_the_script_from_its_function_path():
    with folder({"fpath/_baton": script("zsh"), "dump/x": ""}) as place:
        line = "fpath=($PWD/fpath $fpath); autoload -Uz compinit; compinit -u -d $PWD/dump/zcompdump; print $_comps[baton]"
        result = subprocess.run(["zsh", "-f", "-c", line], capture_output=True, cwd=place, env=environment(), check=False)
        equal((result.returncode, result.stdout, result.stderr), (0, b"_baton\n", b""))


@claim
def scripts_are_accepted_by_their_shells():
    for shell, command in {"bash": ["bash", "-n"], "zsh": ["zsh", "-n"], "fish": ["fish", "--no-config", "--no-execute"]}.items():
        if shutil.which(shell):
            with folder({"script": script(shell)}) as place:
                result = subprocess.run([*command, os.path.join(place, "script")], capture_output=True,
                                        env=environment(HOME=place), check=False)
                equal((shell, result.returncode, result.stderr), (shell, 0, b""))


sys.exit(finish())
