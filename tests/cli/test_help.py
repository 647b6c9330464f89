# SPDX-License-Identifier: Apache-2.0
"""test_help.py BATON - commands, flags and mistakes; help and the manual page say what the parser takes."""
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from program import ROOT, STRIDE, claim, claim_if, environment, equal, expect, finish, folder, run
from surface import COMMANDS, HEADINGS, flags_of, headings_of, help_of, listed_flags

# A value for each kind of argument that is looked at; the others take anything.
VALUES = {"FORMAT": "full", "FILE": "-", "DIR": ".", "TIME": "2026-02-11T00:45:02Z", "DATE": "2026-07-01", "N": "1", "S": "0.5"}

KNOWN = [
    "baton",
    "baton approvals",
    "baton approvals deny",
    "baton approvals grant",
    "baton approvals list",
    "baton approvals revoke",
    "baton approvals show",
    "baton approvals use",
    "baton budget",
    "baton budget set",
    "baton budget show",
    "baton check",
    "baton complete",
    "baton completion",
    "baton compress",
    "baton config",
    "baton config check",
    "baton config path",
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
    "baton doctor",
    "baton evidence",
    "baton evidence check",
    "baton evidence show",
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
    "baton init",
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
    "baton ledger audit",
    "baton ledger beat",
    "baton ledger bundle",
    "baton ledger bundle verify",
    "baton ledger certificate",
    "baton ledger checkpoint",
    "baton ledger export",
    "baton ledger hold",
    "baton ledger hold list",
    "baton ledger hold release",
    "baton ledger hold set",
    "baton ledger init",
    "baton ledger keys",
    "baton ledger log",
    "baton ledger log adopt",
    "baton ledger log list",
    "baton ledger log new",
    "baton ledger peers",
    "baton ledger policy",
    "baton ledger prove",
    "baton ledger prove consistency",
    "baton ledger prove inclusion",
    "baton ledger receipt",
    "baton ledger redact",
    "baton ledger rotate-key",
    "baton ledger show",
    "baton ledger tail",
    "baton ledger verify",
    "baton ledger verify-receipt",
    "baton ledger watch",
    "baton ledger witness",
    "baton ledger witness add",
    "baton ledger witness init",
    "baton ledger witness show",
    "baton ledger witness trust",
    "baton lsp",
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
    "baton plan schema publish",
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
    "baton replay",
    "baton rules",
    "baton schema",
    "baton schema bench",
    "baton schema bundle",
    "baton schema check",
    "baton schema compat",
    "baton schema diff",
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
    "baton version",
    "baton view",
    "baton wrap",
    "baton wrap diff",
    "baton wrap install",
    "baton wrap log",
    "baton wrap pin",
    "baton wrap replay",
    "baton wrap show",
    "baton wrap stats",
    "baton wrap status",
    "baton wrap uninstall",
    "baton write",
]


TOPICS = ["config", "dialects", "environment", "exit-codes", "fixes", "formats", "glossary", "limits", "rules"]


LONG = ("baton check", "baton ledger append", "baton convert", "baton repair", "baton replay")  # they take the flags of several dialects
MISUSED = {"baton hook": 1}  # to hosts, 2 is an answer


@claim
def the_commands_are_those_we_know():
    equal(sorted(COMMANDS), KNOWN)


@claim
def help_is_the_same_however_it_is_asked_for():
    for name in list(COMMANDS)[::STRIDE]:
        words = name.split()[1:]
        text = help_of(name)
        shown = expect(run("help", *words), 0).stdout.decode()
        equal((name, shown if words not in (["config"], ["rules"]) else shown[:len(text)]), (name, text))  # these are topics, too
        equal(expect(run(*words, "-h", "--help"), 0).stdout.decode(), text)
        equal(expect(run(*words, "--help", "extra", "words"), 0).stdout.decode(), text)


@claim
def short_help_has_the_flags_that_most_people_need():
    for name in COMMANDS[::STRIDE]:
        text = expect(run(*name.split()[1:], "-h"), 0).stdout.decode()
        lines = text.splitlines()
        flags = listed_flags(text.split("\nExamples:\n")[0])
        equal((name, lines[0].startswith(f"Usage: {name}"), len(lines) <= 40), (name, True, True))
        equal((name, 5 <= len(flags) <= 10), (name, True))
        equal((name, 1 <= len(re.findall(r"^  \S", text.split("\nExamples:\n")[1], re.M)) <= 2), (name, True))
        equal((name, lines[-1]), (name, f"{name} --help lists everything."))
        equal((name, [line for line in lines if line != line.rstrip()]), (name, []))
    for flag in ("--fix", "--as", "--fail-level", "--output-format"):
        expect(run("check", "-h"), 0, out=flag)


@claim
def help_lists_flags_below_headings():
    for name in COMMANDS:
        lines = help_of(name).splitlines()
        equal((name, lines[0].startswith(f"Usage: {name}")), (name, True))
        equal((name, headings_of(name)), (name, [heading for heading in HEADINGS if heading in headings_of(name)]))
        equal((name, headings_of(name)[-1]), (name, "Common"))
        for title in ("Examples:", "Exit codes:"):
            equal((name, lines.count(title)), (name, 1))
        equal((name, [line for line in lines if line != line.rstrip()]), (name, []))
        equal((name, [line for line in lines if len(line) > 80 and not line.startswith("  baton ")]), (name, []))
    equal(headings_of("baton check")[:5], ["Input", "Rules", "Fixing", "Output", "Universal"])


@claim
def topics_are_listed_and_printed():
    listed = expect(run("help", "topics"), 0).stdout.decode()
    equal(re.findall(r"^  ([a-z-]+)  ", listed, re.M), TOPICS)
    for topic in TOPICS:
        text = expect(run("help", topic), 0).stdout.decode()
        equal((topic, "@" in text, max(map(len, text.splitlines())) <= 80, text.count("\n") > 2), (topic, False, True, True))
    for topic, words in (("config", ("check.budget", "default 2000", "baton.yaml")), ("dialects", ("universal", "organism")),
                         ("environment", ("NO_COLOR", "BATON_STORE")), ("limits", ("document_bytes", "8388608")),
                         ("fixes", ("TIMESTAMP_NOT_UTC", "CHAIN_TOO_LONG"))):
        for word in words:
            expect(run("help", topic), 0, out=word)
    expect(run("help", "glosary"), 2, err="unknown command or topic glosary, did you mean glossary?")
    expect(run("help", "limits", "more"), 2, err="unknown command or topic limits")


TERMS = """agent id, approval, baseline, boundary, budget, chain, checkpoint, contract block, dialect, entry, fail level, finding, fix (safe, unsafe),
governance root, grant, handler, handoff, hook, host, INPUT envelope, ledger, listener, lock, manifest, organism, payload schema, plan, pointer, project
file, pump, receipt, recognition, re-entry, rule, seal, severity, stage, store, token, trace, verdict, witness"""


@claim
def the_glossary_explains_every_term():
    text = expect(run("help", "glossary"), 0).stdout.decode()
    for term in TERMS.replace("\n", " ").replace("(safe, unsafe)", "(safe; unsafe)").split(", "):
        term = term.replace(";", ",")
        equal((term, f"\n{term}\n    " in text), (term, True))


def value_of(name, flag):
    """A value for a flag: the first of the words that help lists for it, or one by the name of its argument."""
    after = help_of(name).split(f" --{flag.name} {flag.argument}", 1)[1]
    meaning = " ".join(re.split(r"\n(?:  (?=\S)|      (?=-)|\n)", after)[0].split())
    words = re.search(r": ([\w.-]+)(?:, [\w.-]+)*$", meaning)
    return words[1] + ("=3" if "=" in flag.argument else "") if words else VALUES.get(flag.argument, "x")


def spellings(name, flag):
    """All ways of giving a flag."""
    if not flag.name:
        return [[f"-{flag.letter}"]]
    if not flag.argument:
        return [[f"--{flag.name}"]] + ([[f"-{flag.letter}"]] if flag.letter else [])
    value = value_of(name, flag)
    letters = [[f"-{flag.letter}", value], [f"-{flag.letter}{value}"]] if flag.letter else []
    return [[f"--{flag.name}", value], [f"--{flag.name}={value}"], *letters]


@claim
def every_flag_that_help_shows_is_taken():
    for name in COMMANDS:
        words = name.split()[1:]
        ways = [spellings(name, flag) for flag in flags_of(name) if flag.name not in ("help", "json", "")]
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
        for short in (flag[:-1] for flag in names if len(flag) > 3 and flag[:-1] not in names):
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
                words = call.split(" -- ")[0].split()
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
    equal(run("-V").stdout, run("version").stdout)
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
        (["help", "chek"], "unknown command or topic chek, did you mean check?", "baton"),
        (["help", "check", "more"], "unknown command more", "baton check"),
        (["help", "json", "fmat"], "unknown command fmat, did you mean fmt?", "baton json"),
        (["help", "plan", "status", "set", "more"], "unexpected word more", "baton help"),
        (["--json", "check"], "unknown flag --json", "baton"),
        (["--quiet", "check"], "flags follow the command: baton check FLAGS", "baton"),
        (["check", "-C", "."], "-C must come first: baton -C DIR check", "baton check"),
        (["check", "-q", "--verbose", "x"], "--quiet and --verbose exclude each other", "baton check"),
        (["json", "fmt", "--config", "x", "--no-config", "y"], "--config and --no-config exclude each other", "baton json fmt"),
        (["check", "--color", "sometimes", "x"], "--color: unknown value sometimes", "baton check"),
        (["check", "--limit", "nods=3", "x"], "--limit: unknown limit nods, did you mean nodes?", "baton check"),
        (["check", "--semantics", "soft", "x"], "--semantics: unknown semantics soft", "baton check"),
        (["check", "--as", "gov", "x"], "--as: unknown dialect gov, did you mean governed?", "baton check"),
        (["explain", "json_"], "unknown code json_, did you mean JSON_", "baton explain"),
        (["explain", "JSON_SYNTACS"], "unknown code JSON_SYNTACS, did you mean JSON_SYNTAX?", "baton explain"),
        (["completion"], "completion needs a shell", "baton completion"),
        (["completion", "fihs"], "unknown shell fihs, did you mean fish?", "baton completion"),
        (["completion", "tcsh"], "unknown shell tcsh", "baton completion"),
        (["man", "ledgr"], "unknown command or topic ledgr, did you mean ledger?", "baton"),
        (["man", "--all", "x", "check"], "name no COMMAND", "baton man"),
    ):
        result = expect(run(*words), 2, err=said)
        equal((words, result.stdout, result.stderr.decode().splitlines()[-1]), (words, b"", f"       see {see} --help"))


@claim
def errors_list_what_is_allowed():
    for words, allowed in (
        (["check", "--as", "univrsal", "x"], "universal, contract,"),
        (["check", "-f", "jsno", "x"], "full, concise, json, jsonl, github, junit, sarif, markdown\n"),
        (["completion", "tcsh"], "bash, zsh, fish\n"),
        (["chekc"], "check, view, repair"),
        (["json", "fmat"], "get, "),
        (["json", "fmt", "--colour", "x"], "--config, --no-config"),
        (["hook", "status", "cluade"], "claude, codex, copilot, cursor, gemini\n"),
        (["schema", "print", "reprot"], "report"),
    ):
        lines = expect(run(*words), 2, err=allowed).stderr.decode().splitlines()
        equal((words, lines[1].startswith("       allowed: ")), (words, True))
    text = expect(run("explain", "NOTHING_LIKE_THIS_CODE"), 2, err="unknown code").stderr.decode()
    equal("allowed:" in text, False)  # there are too many
    expect(run("hook", "cluade"), 1, err="unknown host cluade, did you mean claude?\n"
           "       allowed: claude, codex, copilot, cursor, gemini, install, uninstall, status, pin, test\n")


@claim
def a_missing_file_leads_to_the_nearest_name():
    files = {"release.handoff.json": "{}", "sub/other.json": "{}"}
    with folder(files) as place:
        expect(run("check", "relase.handoff.json", cwd=place), 2, err="       did you mean release.handoff.json?\n")
        expect(run("json", "fmt", "sub/othr.json", cwd=place), 2, err="       did you mean sub/other.json?\n")
        expect(run("check", "--config", "baton.yml", "sub/other.json", cwd=place), 2, err="baton.yml")
        equal(b"did you mean" in run("check", "nothing-like-it", cwd=place).stderr, False)
        expect(run("-C", "sbu", "version", cwd=place), 2, err="-C sbu: No such file or directory")
        expect(run("-C", "sub/other.json", "version", cwd=place), 2, err="Not a directory")
        expect(run("-C", "sub", "-C", "..", "json", "get", "", "release.handoff.json", cwd=place), 0)


@claim
def missing_flags_are_reported_together():
    result = run("new", "governed", "--source", "a", "--no-config")
    equal(result.returncode, 2)
    equal(result.stderr.decode(), """baton: new governed needs --root, --target, --description and --expected-output
         --root DIR               the folder of the catalogue (default: the key governed.root)
         --target ID              the agent that receives it
         --description TEXT       what is to be done
         --expected-output TEXT   what comes back
       example: baton new governed --root prompts --source domain-01-stock --target domain-02-sales --description "Count the shelves" --expected-output "A table"
""")


def needed_flags():
    """The flags that each command needs, by the rows of its table, with the operands of its first example."""
    rows = {}
    for table in sorted((ROOT / "app" / "cli").glob("*.ops")):
        command = None
        for line in table.read_text().splitlines():
            key, _, text = line.removeprefix("  ").partition(" ")  # paragraphs are indented more
            if key == "command":
                command = rows.setdefault(text, {})
            elif key == "needs":
                command["flags"] = [word.partition(".")[0].replace("_", "-") for word in text.split()]
            elif key == "example":
                command.setdefault("example", text.partition(" : ")[0])
    return {name: row for name, row in rows.items() if "flags" in row}


@claim
def every_command_reports_the_flags_that_it_needs_in_one_form():
    rows = needed_flags()
    equal(len(rows) >= 30, True)
    names = {"new-step": "step", "call-listener": "call", "next-action": "next", "tokens-file": "tokens", "bundle-file": "output", "adopted-folder": "from"}
    for command, row in rows.items():
        words = shlex.split(row["example"])[1:]
        given = command.split()[1:]
        flags = [f"--{names.get(flag, flag)}" for flag in row["flags"]]
        equal((command, [flag for flag in flags if flag not in words]), (command, []))
        operands = words[len(given):]
        while any(word.startswith("-") for word in operands):  # every flag of these examples but --in-place and --dry-run has a value
            at = next(index for index, word in enumerate(operands) if word.startswith("-"))
            del operands[at:at + (1 if operands[at] in ("--in-place", "--dry-run") else 2)]
        if "new plan" in command:
            flags = ["--step"]  # --payload is needed from the second step on
        if "approvals" in command:
            operands = ["P-" + "a" * 32]
        result = run(*given, *operands, "--no-input")
        lines = result.stderr.decode().splitlines()
        wanted = flags[0] if len(flags) == 1 else f"{', '.join(flags[:-1])} and {flags[-1]}"
        equal((command, result.returncode, result.stdout, lines[0]), (command, 2, b"", f"{command.replace('baton', 'baton:', 1)} needs {wanted}"))
        equal((command, [line.split()[0] for line in lines[1:-1]], lines[-1]), (command, flags, f"       example: {row['example']}"))


@claim
def a_flag_that_another_one_replaces_is_not_missing():
    with folder({"h.json": "{}", "baton.yaml": "skills: [s]\n"}) as place:
        expect(run("trace", "add", "t.jsonl", "--event", "error", "--for", "h.json", cwd=place), 2, err="the handoff has no trace_id; give --trace-id")
        expect(run("discover", "--from", "a", cwd=place), 2, err="cannot read the skills")
        expect(run("discover", "--from", "a", "--no-config", cwd=place), 2, err="discover needs --skills")


def pages(place):
    expect(run("man", "--all", "pages", cwd=place), 0)
    return sorted(pathlib.Path(place, "pages").iterdir())


@claim
def there_is_a_manual_page_for_every_command():
    with folder({}) as place:
        names = {page.name: page.read_text().replace("\\-", "-") for page in pages(place)}
        equal(sorted(names), sorted([*(f"{name.replace(' ', '-')}.1" for name in COMMANDS), "baton.yaml.5"]))
    for name in COMMANDS:
        text = names[f"{name.replace(' ', '-')}.1"]
        shown = set(re.findall(r"\\fB--([a-zA-Z0-9-]+)\\fR", text))
        equal((name, shown), (name, {flag.name for flag in flags_of(name)} - {""}))
        for title in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS", "SEE ALSO"):
            equal((name, title, f"\n.SH {title}\n" in text), (name, title, True))
    for title in ("COMMANDS", "DIALECTS", "ENVIRONMENT", "FILES"):
        equal((title, f"\n.SH {title}\n" in names["baton.1"]), (title, True))
    equal(names["baton.1"], expect(run("man"), 0).stdout.decode().replace("\\-", "-"))
    equal(names["baton-ledger-append.1"], expect(run("man", "ledger", "append"), 0).stdout.decode().replace("\\-", "-"))
    equal(names["baton.yaml.5"].startswith(".TH BATON.YAML 5 "), True)
    equal("check.budget" in names["baton.yaml.5"], True)


def clean(command):
    with folder({}) as place:
        for page in pages(place)[::STRIDE]:
            result = subprocess.run([*command, str(page)], capture_output=True, env=environment(MANWIDTH="100"), check=False)
            equal((page.name, result.returncode, result.stderr), (page.name, 0, b""))
        return result.stdout.decode()


@claim_if(shutil.which("groff"), "groff is not installed")
def the_manual_pages_are_clean_for_groff():
    text = clean(["groff", "-man", "-Tutf8", "-ww", "-rLL=100n", "-P-c", "-P-b", "-P-u"])
    equal("baton.yaml" in text, True)


@claim_if(shutil.which("man"), "man is not installed")
def the_manual_pages_are_clean_for_man():
    clean(["man", "--warnings", "-E", "UTF-8", "-l"])


@claim_if(shutil.which("mandoc"), "mandoc is not installed")
def the_manual_pages_are_clean_for_mandoc():
    with folder({}) as place:
        result = subprocess.run(["mandoc", "-T", "lint", *map(str, pages(place))], capture_output=True, check=False)
        equal((result.returncode, result.stdout.decode()[:2000]), (0, ""))


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
        given = {flag.name or flag.letter for flag in flags_of(name)}
        wanted = {"help", "config", "no-config", "quiet", "verbose", "color", "hyperlinks", "no-input"} | (GOVERN_COMMON if name.startswith("baton govern ") else set())
        if name == "baton hook":
            wanted.remove("no-config")  # hooks read no file of a project anyway
        if "output-format" in given:
            wanted.add("json")
        equal((name, wanted - given), (name, set()))
        equal((name, len(given)), (name, len(flags_of(name))))
    equal(len([name for name in leaves if name.startswith("baton govern ")]), 12)


sys.exit(finish())
