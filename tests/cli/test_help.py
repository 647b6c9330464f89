# SPDX-License-Identifier: Apache-2.0
"""test_help.py BATON - commands, flags and mistakes; help and the manual page say what the parser takes."""
import re
import shutil
import subprocess
import sys

from program import STRIDE, claim, claim_if, environment, equal, expect, finish, run
from surface import COMMANDS, flags_of, help_of

# A value for each kind of argument that is looked at; the others take anything.
VALUES = {"DIALECT": "json", "FORMAT": "full", "FILE": "-", "LEVEL": "HARD", "DIR": ".", "NAME=N": "depth=3",
          "TIME": "2026-02-11T00:45:02Z", "DATE": "2026-07-01", "N": "1", "DRAFT": "7", "S": "0.5", "ENCODING": "chars4", "MODE": "warn",
          "EVENT": "error", "HANDOFF": "h.json", "UUID": "6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4", "NAME": "planner", "KEY=TEXT": "a=b", "ID": "t1",
          "VIEW": "chain", "FORM": "svg", "VALUE": "00",
          "SKILL": "planner", "CATEGORY": "research", "TYPE": "code", "NAMES": "a,b", "ANSWER": "true", "LOG": "trace.jsonl",
          "URL": "x.db", "MS": "100", "KEY": "k", "SEQ": "0", "KIND": "raw", "VERDICT": "recorded", "NAME=VALUE": "a=b", "LIST": "source",
          "TEXT": "x", "WAY": "input",
          "STATUS": "COMPLETE", "MECHANISM": "seccomp"}

KNOWN = [
    "baton",
    "baton approvals",
    "baton approvals deny",
    "baton approvals grant",
    "baton approvals list",
    "baton approvals revoke",
    "baton approvals show",
    "baton approvals use",
    "baton check",
    "baton completion",
    "baton compress",
    "baton config",
    "baton config check",
    "baton config show",
    "baton contract",
    "baton contract input",
    "baton contract merge",
    "baton contract normalize",
    "baton contract repair-prompt",
    "baton contract resume",
    "baton contract sections",
    "baton contract skill",
    "baton contract state",
    "baton contract submit",
    "baton contract template",
    "baton convert",
    "baton discover",
    "baton explain",
    "baton gate",
    "baton gate check",
    "baton govern",
    "baton govern blocked",
    "baton govern boundaries",
    "baton govern boundaries show",
    "baton govern dispatch",
    "baton govern init",
    "baton govern lock",
    "baton govern lock update",
    "baton govern lock verify",
    "baton govern path",
    "baton govern respond",
    "baton govern seal",
    "baton govern submit",
    "baton govern unblock",
    "baton govern verify-root",
    "baton handler-host",
    "baton help",
    "baton hook",
    "baton hook install",
    "baton hook pin",
    "baton hook status",
    "baton hook test",
    "baton hook uninstall",
    "baton json",
    "baton json canon",
    "baton json diff",
    "baton json fmt",
    "baton json get",
    "baton json min",
    "baton json patch",
    "baton json stringify",
    "baton ledger",
    "baton ledger append",
    "baton ledger checkpoint",
    "baton ledger export",
    "baton ledger init",
    "baton ledger prove",
    "baton ledger prove consistency",
    "baton ledger prove inclusion",
    "baton ledger redact",
    "baton ledger rotate-key",
    "baton ledger show",
    "baton ledger tail",
    "baton ledger verify",
    "baton ledger verify-receipt",
    "baton ledger witness",
    "baton ledger witness add",
    "baton ledger witness init",
    "baton ledger witness show",
    "baton ledger witness trust",
    "baton man",
    "baton mcp",
    "baton new",
    "baton new contract",
    "baton new governed",
    "baton new plan",
    "baton new universal",
    "baton new xml",
    "baton plan",
    "baton plan audit",
    "baton plan schema",
    "baton plan schema lint",
    "baton plan schema load",
    "baton plan schema strip",
    "baton plan status",
    "baton plan status set",
    "baton plan template",
    "baton plan trajectory",
    "baton plan type",
    "baton plan validate",
    "baton plan waves",
    "baton pump",
    "baton pump check",
    "baton pump ctl",
    "baton pump example",
    "baton pump init",
    "baton pump keys",
    "baton pump prompt",
    "baton pump run",
    "baton pump schema",
    "baton pump send",
    "baton pump test",
    "baton registry",
    "baton registry lint",
    "baton registry sync",
    "baton repair",
    "baton rules",
    "baton schema",
    "baton schema bench",
    "baton schema bundle",
    "baton schema check",
    "baton schema compat",
    "baton schema print",
    "baton schema strip",
    "baton schema validate",
    "baton seal",
    "baton serve",
    "baton store",
    "baton store backup",
    "baton store check",
    "baton store copy",
    "baton store info",
    "baton store migrate",
    "baton store retain",
    "baton token",
    "baton token list",
    "baton token new",
    "baton token revoke",
    "baton tokens",
    "baton trace",
    "baton trace add",
    "baton trace parent",
    "baton trace show",
    "baton version", "baton view",
    "baton write",
]


def man():
    return expect(run("man"), 0).stdout.decode()


LONG = ("baton check", "baton ledger append", "baton convert", "baton repair")  # they take the flags of several dialects
MISUSED = {"baton hook": 1}  # to hosts, 2 is an answer


@claim
def the_commands_are_those_we_know():
    equal(sorted(COMMANDS), KNOWN)


@claim
def help_is_the_same_however_it_is_asked_for():
    for name in list(COMMANDS)[::STRIDE]:
        words = name.split()[1:]
        text = help_of(name)
        equal(expect(run(*words, "-h"), 0).stdout.decode(), text)
        equal(expect(run("help", *words), 0).stdout.decode(), text)
        equal(expect(run(*words, "--help", "extra", "words"), 0).stdout.decode(), text)


@claim
def help_fits_a_screen_or_two():
    for name in COMMANDS:
        lines = help_of(name).splitlines()
        equal((name, lines[0].startswith(f"Usage: {name}")), (name, True))
        equal((name, max(map(len, lines)) <= 80, len(lines) <= (145 if name in LONG else 80)), (name, True, True))
        for title in ("Flags:", "Examples:", "Exit codes:"):
            equal((name, lines.count(title)), (name, 1))
        equal((name, [line for line in lines if line != line.rstrip()]), (name, []))


def spellings(flag):
    """All ways of giving a flag."""
    if not flag.argument:
        return [[f"--{flag.name}"]] + ([[f"-{flag.letter}"]] if flag.letter else [])
    value = VALUES.get(flag.argument, "x")
    letters = [[f"-{flag.letter}", value], [f"-{flag.letter}{value}"]] if flag.letter else []
    return [[f"--{flag.name}", value], [f"--{flag.name}={value}"], *letters]


@claim
def every_flag_that_help_shows_is_taken():
    for name in COMMANDS:
        words = name.split()[1:]
        ways = [spellings(flag) for flag in flags_of(name) if flag.name != "help"]
        for number in range(max(map(len, ways), default=0)):  # the first spelling of each in one run, then the second ...
            given = [word for way in ways if number < len(way) for word in way[number]]
            form = [] if any(word.startswith(("-f", "--format")) for word in given) else ["-f", "json"]
            takes_form = any(flag.name == "format" for flag in flags_of(name))
            expect(run(*words, *(form if takes_form else []), *given, "--help"), 0)


@claim
def no_flag_and_no_command_can_be_cut_short():
    cut = []
    for name in COMMANDS:
        words = name.split()[1:]
        names = [flag.name for flag in flags_of(name)]
        for short in (flag[:-1] for flag in names if len(flag) > 2 and flag[:-1] not in names):
            cut.append(([*words, f"--{short}"], MISUSED.get(name, 2), f"unknown flag --{short}, did you mean --"))
        if words and " ".join(["baton", *words[:-1], words[-1][:-1]]) not in COMMANDS:
            code = MISUSED.get(" ".join(["baton", *words[:-1]]), 2)
            cut.append(([*words[:-1], words[-1][:-1]], code, "unknown command" if code == 2 else "unknown host"))
    for words, code, said in cut[::STRIDE]:
        expect(run(*words), code, err=said)


@claim
def examples_name_real_commands_and_flags():
    for name in COMMANDS:
        text = help_of(name).split("Examples:\n")[1].split("\nExit codes:")[0]
        commands = [line.split("  ")[1] for line in text.splitlines() if line.startswith("  ") and line[2] != " "]
        equal((name, bool(commands)), (name, True))
        for command in commands:
            for call in re.findall(r"baton(?: [^|>()]+)?", command):
                words = call.split()
                known = max((other for other in COMMANDS if words[:len(other.split())] == other.split()), key=len)
                given = {word.lstrip("-")[:1] if word[1] != "-" else word[2:] for word in words if re.match("-.", word)}
                taken = {flag.name for flag in flags_of(known)} | {flag.letter for flag in flags_of(known)}
                equal((command, sorted(given - taken)), (command, []))


@claim
def the_program_alone_shows_its_commands_and_fails():
    result = run()
    equal((result.returncode, result.stdout), (2, b""))
    equal(result.stderr.startswith(b"Usage: baton "), True)
    for name in COMMANDS:
        if name.count(" ") == 1:
            equal(f"  {name.split()[1]} ".encode() in result.stderr, True)


@claim
def the_version_is_printed_in_two_ways():
    equal(re.fullmatch(rb"baton \d+\.\d+\.\d+\n", expect(run("version"), 0).stdout) is not None, True)
    equal(run("--version").stdout, run("version").stdout)
    expect(run("version", "now"), 2, err="unexpected word now")
    expect(run("check", "--version"), 2, err="unknown flag --version")


@claim
def mistakes_are_named_and_lead_to_help():
    for words, said, see in (
        (["chekc"], "unknown command chekc, did you mean check?", "baton"),
        (["c"], "unknown command c", "baton"),
        ([""], "unknown command", "baton"),
        (["--bogus"], "unknown flag --bogus", "baton"),
        (["-x"], "unknown flag -x", "baton"),
        (["check", "--fail-levle", "HARD"], "unknown flag --fail-levle, did you mean --fail-level?", "baton check"),
        (["check", "--as"], "--as needs a value: --as DIALECT", "baton check"),
        (["check", "--help=yes"], "--help takes no value", "baton check"),
        (["check", "-hf"], "unknown flag -hf", "baton check"),
        (["check", "--=x"], "unknown flag --", "baton check"),
        (["help", "chek"], "unknown command chek, did you mean check?", "baton"),
        (["help", "check", "more"], "unknown command more", "baton check"),
        (["help", "json", "fmat"], "unknown command fmat, did you mean fmt?", "baton json"),
        (["help", "plan", "status", "set", "more"], "unexpected word more", "baton help"),
        (["completion"], "for which shell?", "baton completion"),
        (["completion", "fihs"], "unknown shell fihs, did you mean fish?", "baton completion"),
        (["completion", "tcsh"], "unknown shell tcsh", "baton completion"),
        (["man", "check"], "unexpected word check", "baton man"),
    ):
        result = expect(run(*words), 2, err=said)
        equal((words, result.stdout, result.stderr.decode().splitlines()[-1]), (words, b"", f"       see {see} --help"))


@claim
def the_manual_page_has_every_command_and_flag():
    text = man().replace("\\-", "-")
    bodies = {}  # by the name of the command or section
    for part in re.split(r"^\.S[SH] ", text, flags=re.M)[1:]:
        title, body = part.split("\n", 1)
        named = re.match(r"\\fB(.*?)\\fR", title)
        bodies[named[1] if named else title] = body
    for name in COMMANDS:
        shown = set(re.findall(r"\\fB--([a-z0-9-]+)\\fR", bodies["DESCRIPTION" if name == "baton" else name]))
        # The page tells of --help once.
        equal((name, shown | {"help"}), (name, {flag.name for flag in flags_of(name)}))
    equal("--help" in bodies["DESCRIPTION"], True)
    for title in ("NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "DIALECTS", "EXIT STATUS", "ENVIRONMENT"):
        equal((title, title in bodies), (title, True))


def clean(command):
    result = subprocess.run(command, input=run("man").stdout, capture_output=True, env=environment(MANWIDTH="100"), check=False)
    equal((command, result.returncode, result.stderr), (command, 0, b""))
    return result.stdout.decode()


@claim_if(shutil.which("groff"), "groff is not installed")
def the_manual_page_is_clean_for_groff():
    text = clean(["groff", "-man", "-Tutf8", "-ww", "-rLL=100n", "-P-c", "-P-b", "-P-u"])
    equal("baton - check handoffs between agents" in text.replace("‐", "-").replace("−", "-"), True)


@claim_if(shutil.which("man"), "man is not installed")
def the_manual_page_is_clean_for_man():
    clean(["man", "--warnings", "-E", "UTF-8", "-l", "-"])


@claim_if(shutil.which("mandoc"), "mandoc is not installed")
def the_manual_page_is_clean_for_mandoc():
    clean(["mandoc", "-T", "lint", "-W", "error"])


@claim
def every_help_page_fills_its_lines_and_indents_what_goes_on():
    """No line ends before its next word fits, and the meaning of a name goes on in the column where it began."""
    for name in COMMANDS:
        for text in help_of(name).split("\n\n")[1:]:
            if text.split("\n")[0].endswith(":"):
                break  # the lists begin
            prose = text.rstrip("\n").split("\n")
            equal((name, prose[-1], prose[-1][-1:] in ".:?)"), (name, prose[-1], True))
            for line, after in zip(prose, prose[1:]):
                equal((name, line, len(line) + 1 + len(after.split(" ")[0]) > 80, line.startswith(" ")), (name, line, True, False))
        column, before = 0, ""  # the column of meanings, and the line before when it holds a part of this meaning
        for line in help_of(name).split("\n"):
            entry = re.match(r"  (?:-\w, |    )?\S.*?  +(?=\S)|  (?:-\w, |    )?\S.*$", line)
            if entry:
                column, before = (len(entry[0]), line) if entry[0] != line else (column, "")
            elif line.startswith("    "):
                equal((name, line, len(line) - len(line.lstrip(" "))), (name, line, column or len(line) - len(line.lstrip(" "))))
                if before:
                    equal((name, before, len(before) + 1 + len(line.split()[0]) > 80), (name, before, True))
                before = line
            else:
                column, before = 0, ""


# What every command of `baton govern` takes.
GOVERN_COMMON = {"root", "store", "actor", "config", "no-config", "now", "seed", "output-format", "boundary-mode", "relation-mode", "archetype-mode", "max-age",
                 "max-future", "limit"}


@claim
def every_command_takes_the_common_flags():
    leaves = [name for name in COMMANDS if not any(other.startswith(name + " ") for other in COMMANDS)]
    for name in leaves:
        given = {flag.name for flag in flags_of(name)}
        wanted = {"help"} | (GOVERN_COMMON if name.startswith("baton govern ") else set())
        equal((name, wanted - given), (name, set()))
        equal((name, len(given)), (name, len(flags_of(name))))
    equal(len([name for name in leaves if name.startswith("baton govern ")]), 12)


sys.exit(finish())
