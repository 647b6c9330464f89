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

from program import STRIDE, claim, claim_if, environment, equal, expect, finish, folder, run
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
FILES = {"one.json": "{}", "two words.json": "{}", "sub/three.json": "{}"}


@functools.cache
def script(shell):
    return expect(run("completion", shell), 0).stdout.decode()


@functools.cache
def script_file(shell):
    path = pathlib.Path(SCRIPTS.name, shell)
    path.write_text(script(shell))
    return shlex.quote(str(path))


def flag_rows():
    for name in COMMANDS[::STRIDE]:
        yield [*name.split(), "--"], sorted(f"--{flag.name}" for flag in flags_of(name))


def bash_offers(words, cwd):
    line = f"""source {script_file("bash")}
compopt() {{ :; }}
COMP_WORDS=({" ".join(map(shlex.quote, words))}); COMP_CWORD={len(words) - 1}
_baton
printf '%s\\n' "${{COMPREPLY[@]}}" """
    result = subprocess.run(["bash", "--norc", "-uec", line], capture_output=True, cwd=cwd, env=environment(), check=False)
    equal((words, result.returncode, result.stderr), (words, 0, b""))
    return sorted(result.stdout.decode().split("\n")[:-1])


@claim
def bash_offers_what_the_tables_hold():
    with folder(FILES) as place:
        for words, offered in ROWS:
            equal((words, bash_offers(words, place)), (words, ["one.json", "sub", "two words.json"] if offered is None else offered))
        equal(bash_offers(["baton", "check", "--root", ""], place), ["sub"])


@claim
def bash_offers_every_flag_of_every_command():
    with folder({}) as place:
        for words, offered in flag_rows():
            equal((words, bash_offers(words, place)), (words, offered))


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
                            env=environment(HOME=cwd, XDG_CONFIG_HOME=cwd, XDG_DATA_HOME=cwd), check=False)
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


@claim_if(shutil.which("fish"), "fish is not installed")
def fish_offers_every_flag_of_every_command():
    with folder({}) as place:
        for words, offered in flag_rows():
            equal((words, fish_offers(words, place)), (words, offered))


# zsh completes inside its line editor alone, so its helpers are replaced by ones that tell what they were given.
ZSH = """compdef() {{ }}
_arguments() {{ print -rl -- "$@" }}
source {script}
words=({words}); CURRENT=${{#words}}
_baton
"""


def zsh_specs(words, cwd):
    line = ZSH.format(script=script_file("zsh"), words=" ".join(map(shlex.quote, words)))
    result = subprocess.run(["zsh", "-f", "-u", "-c", line], capture_output=True, cwd=cwd, env=environment(), check=False)
    equal((words, result.returncode, result.stderr), (words, 0, b""))
    return result.stdout.decode().split("\n")[:-1]


@claim_if(shutil.which("zsh"), "zsh is not installed")
def zsh_offers_every_flag_of_every_command():
    with folder({}) as place:
        for name in COMMANDS[::STRIDE]:
            specs = zsh_specs([*name.split(), ""], place)
            flags = [spec for spec in specs if spec.startswith("*-")]
            wanted = [f"*--{flag.name}{'=' if flag.argument else ''}[" for flag in flags_of(name)]
            wanted += [f"*-{flag.letter}[" for flag in flags_of(name) if flag.letter]
            equal((name, sorted(spec.split("[")[0] + "[" for spec in flags)), (name, sorted(wanted)))
            equal((name, len(specs) - len(flags)), (name, 1))


@claim_if(shutil.which("zsh"), "zsh is not installed")
def zsh_offers_what_the_tables_hold():
    with folder({}) as place:
        specs = zsh_specs(["baton", "check", "x", ""], place)
        equal([spec for spec in specs if spec.startswith("*--output-format=")][0].endswith(
            ":FORMAT:(full concise json jsonl github junit sarif markdown)"), True)
        equal("*:PATH...|-:_files" in specs, True)
        equal([spec.split(":")[-1] for spec in specs if spec.startswith("*--root=")], ["_files -/"])
        equal(" JSON_DUPLICATE_KEY " in "\n".join(zsh_specs(["baton", "explain", ""], place)), True)
        parts = zsh_specs(["baton", "json", ""], place)[-1]
        for name in COMMANDS:
            if name.startswith("baton json "):
                equal((name, f'{name.split()[2]}\\:"' in parts), (name, True))


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
