# SPDX-License-Identifier: Apache-2.0
"""corpus.py PROGRAM [BLOCKS [SEED]] - honest and dishonest reports, made with their transcripts from a seed, and what `baton evidence check` says.

A *turn* is a list of calls whose true outcome is known, because they are made here: commands in many spellings, edits, readings, opaque calls, of
both hosts, alone or among the lines of other agents, with retries, pipes, background jobs and results that never came. An honest report claims what
is true of its turn. A lie is an honest report with one edit. Nothing here reads a command as the product does. Every other turn is a recorded one,
which a real host carried out (recorded/NAME.turn.json has the truth, recorded/NAME.jsonl is the host's own transcript).

It prints one table and fails when an honest report is rejected, or when less than 95 of 100 lies are found with the expected code. BLOCKS (default:
BATON_BLOCKS or 120) is the number of honest reports and of lies.
"""
import collections
import concurrent.futures
import copy
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "hook"))

from transcripts import THREAD, Claude, Codex  # noqa: E402

ID = "a80177b959c721da1"
TRIES = 50
CHECKS = ("make check", "make test", "pytest -q", "pytest -q tests/test_parse.py", "npm test", "npm run lint", "cargo test --all", "go test ./...", "ctest --output-on-failure",
          "ruff check src", "tox -e py311", "mvn -q verify", "./run-tests.sh --fast", "python3 tools/check.py 'a b'", "bundle exec rspec spec/models", "ninja -C build test",
          "gradle test", "dotnet test", "node test.mjs --grep \"two words\"", "terraform validate")
READS = ("ls -la", "cat README.md", "git status --short", "git diff --stat", "rg -n parse src", "head -20 src/a.c", "find . -name '*.py'", "wc -l src/a.c")
NEVER = ("hypothesis-cli fuzz --all", "valgrind ./build/app", "bazelisk test //web:all", "sonar-scanner -X", "k6 run load.js", "semgrep scan --config auto", "nox -s lint",
         "phpunit --testdox", "swiftlint strict", "mutmut run", "trivy fs .", "playwright test --ui")
PATHS = ("src/a.c", "src/parse.py", "lib/util.ts", "web/app.tsx", "tests/test_parse.py", "Makefile", "docs/notes.md", "config/dev.yaml")
WORDS = ("passed", "collected", "ok", "suite", "compiled", "warning", "module", "in", "built", "tests", "checked", "files")


class Run:
    """A command that was run: what a person would call it, the text of the call, and how it really ended."""

    def __init__(self, name, text, passed, known, output, code=1):
        self.name, self.text, self.passed, self.known, self.output, self.code = name, text, passed, known, output, code


def output(draw):
    lines = []
    for _ in range(draw.randint(2, 8)):
        lines.append(" ".join([f"{draw.randint(100, 99999)}", *draw.choices(WORDS, k=draw.randint(2, 6)), f"#{draw.randint(1000, 9999)}"]))
    return lines


def coloured(draw, lines):
    return "\n".join(f"\x1b[3{draw.randint(1, 6)}m{line}\x1b[0m" if draw.random() < 0.3 else line.replace(" ", "  ", 1) if draw.random() < 0.2 else line for line in lines)


# How a command may stand in the text of a call: its form, and whether its status is that of the call.
FORMS = (("{}", True), ("cd /repo && {}", True), ("cd web && CI=1 {}", True), ("{} 2>&1", True), ("{} > log.txt 2>&1", True), ("timeout 60 {}", True), ("time {}", True),
         ("env A=b C=d {}", True), ("bash -lc {!r}", True), ("set -o pipefail; {} 2>&1 | tail -20", True), ("mkdir -p out && {}", True), ("echo start && {}", True),
         ("nohup {}", True), ("export X=1 && {}", True), ("{} 2>&1 | tail -20", False), ("{} | tee out.log", False), ("{} || true", False), ("{}; echo done", False),
         ("(cd web; {})", False), ("{} && echo yes; ls", False))
PLAIN = 14


def make_run(draw, name, passed):
    forms = FORMS if "'" not in name and '"' not in name else [form for form in FORMS if "!r" not in form[0]]
    # Most commands are run so that their status can be seen.
    form, known = draw.choice(forms[:PLAIN] if draw.random() < 0.75 else forms)
    form = "bash -lc '{}'" if "!r" in form else form
    return Run(name, form.format(name), passed, known, output(draw), draw.choice((1, 2, 101, 127)))


class Turn:
    """What happened, in order: ("run", Run), ("edit", path), ("read", text), ("opaque",), ("pending", name), ("background", Run)."""
    is_recorded = False

    def __init__(self, draw):
        self.draw = draw
        self.calls = []
        self.host = draw.choice(("claude", "codex"))
        for _ in range(draw.randint(2, 9)):
            self.calls.append(self.event())
        if draw.random() < 0.7:  # most turns end with a check
            self.calls.append(("run", make_run(draw, draw.choice(CHECKS), True)))

    def event(self):
        draw = self.draw
        chosen = draw.random()
        if chosen < 0.45:
            return ("run", make_run(draw, draw.choice(CHECKS), draw.random() < 0.7))
        if chosen < 0.7:
            return ("edit", draw.choice(PATHS))
        if chosen < 0.93:
            return ("read", draw.choice(READS))
        if chosen < 0.96:
            return ("background", Run(name := draw.choice(CHECKS), name, True, False, output(draw)))
        return ("pending", draw.choice(CHECKS)) if chosen < 0.985 else ("opaque",)

    def last_runs(self):
        """The last run of each command, in order."""
        last = {}
        for kind, *rest in self.calls:
            if kind in ("run", "background"):
                last.pop(rest[0].name, None)
                last[rest[0].name] = rest[0]
            elif kind == "pending":
                last.pop(rest[0], None)
        return list(last.values())

    def edits(self):
        return list(dict.fromkeys(rest[0] for kind, *rest in self.calls if kind == "edit"))

    def is_checked(self):
        """A check that passed came after the last edit of anything but a document."""
        after = True
        for kind, *rest in self.calls:
            if kind == "edit" and not rest[0].endswith(".md"):
                after = False
            elif kind == "run" and rest[0].passed:
                after = True
        return after

    def has(self, *kinds):
        return any(call[0] in kinds for call in self.calls)

    # ---- As a file ----

    def put(self, to, call):
        draw, (kind, *rest) = self.draw, call
        if kind == "run":
            run = rest[0]
            to.command(run.text, coloured(draw, run.output), run.code if run.known and not run.passed else 0)
        elif kind == "read":
            to.command(rest[0], "\n".join(output(draw)))
        elif kind == "edit":
            to.edit(("/repo/" if draw.random() < 0.5 else "") + rest[0])
        elif self.host == "claude":
            self.put_odd(to, kind, rest)
        else:
            self.put_odd_codex(to, kind, rest)

    def put_odd(self, to, kind, rest):
        if kind == "background":
            to.result(to.call("Bash", {"command": rest[0].text, "run_in_background": True}), "Command running in background with ID: b1", backgroundTaskId="b1")
        elif kind == "pending":
            to.call("Bash", {"command": rest[0]})
        else:
            to.result(to.call("mcp__tracker__update", {"issue": "A-1"}), "done")

    def put_odd_codex(self, to, kind, rest):
        call = f"odd_{next(to.number)}"
        name, arguments = ("exec_command", {"cmd": rest[0].text if kind == "background" else rest[0]}) if kind != "opaque" else ("mcp_tracker", {"issue": "A-1"})
        to.line("response_item", {"type": "function_call", "name": name, "arguments": json.dumps(arguments), "call_id": call})
        if kind != "pending":
            to.line("response_item", {"type": "function_call_output", "call_id": call,
                                      "output": "done" if kind == "opaque" else "Process running with session ID 7\nOutput:\n"})

    def text(self):
        draw = self.draw
        to = Codex() if self.host == "codex" else Claude(ID if draw.random() < 0.6 else None)
        for call in self.calls:
            self.put(to, call)
        lines = to.lines
        if self.host == "codex" and draw.random() < 0.3:  # a child: its parent's history comes first, with other commands
            parent = Codex("019b0000-0000-7000-8000-000000000001")
            parent.command(draw.choice(NEVER), "parent output 5555")
            head = json.loads(lines[0])
            head["payload"]["forked_from_id"] = "019b0000-0000-7000-8000-000000000001"
            lines = [json.dumps(head), *parent.lines, lines[0], *lines[1:]]
        elif self.host == "codex" and draw.random() < 0.3:  # a resumed thread names itself again
            lines.insert(draw.randint(2, len(lines)), json.dumps({"type": "session_meta", "payload": {"id": THREAD}}))
        elif self.host == "claude" and to.agent is None:  # the session's file has lines of other agents between
            other = Claude("affffff00000")
            other.command(draw.choice(NEVER), "other output 4444")
            for line in other.lines:
                lines.insert(draw.randint(1, len(lines)), line)
        if self.host == "claude" and draw.random() < 0.3:  # a resumed session repeats its last lines, and has others without a message
            lines += [lines[-1], json.dumps({"type": "summary", "summary": "resumed"})]
        return "".join(line + "\n" for line in lines) + (lines[-1][:20] if draw.random() < 0.2 else "")


RECORDED = sorted((pathlib.Path(__file__).parent / "recorded").glob("*.turn.json"))


class RecordedTurn(Turn):
    """A turn that a real host carried out."""
    is_recorded = True

    def __init__(self, draw):
        path = draw.choice(RECORDED)
        made = json.loads(path.read_text())
        self.draw, self.host, self.transcript = draw, made["host"], path.with_name(path.name.replace(".turn.json", ".jsonl"))
        self.calls = [(kind, Run(**what) if kind in ("run", "background") else what) for kind, what in made["calls"]]

    def text(self):
        return self.transcript.read_text()


# ---- Reports --------------------------------------------------------------------------------------


def spelled(draw, name):
    """The command as a person may write it in a report."""
    return draw.choice((name, name, name, f"$ {name}", f"cd /repo && {name}", f"CI=1 {name}", f"`{name}` (as asked)", f"{name} -> ok", f"{name} 2>&1"))


def claimed(draw, run):
    text = spelled(draw, run.name)
    if not run.passed:
        return draw.choice((text, {"command": text, "result": "fail"}, {"command": text, "exit_code": run.code}))
    return draw.choice((text, {"command": text, "result": "pass"}, {"cmd": text, "exit_code": 0}, {"command": text, "status": "Passed."}))


def quoted(draw, run):
    """Lines of an output, in order, as they may be quoted."""
    lines = sorted(draw.sample(range(len(run.output)), draw.randint(1, min(3, len(run.output)))))
    text = [run.output[n] for n in lines]
    if draw.random() < 0.3:
        text.insert(1, "...")
    return "\n".join(["$ " + run.name, *text] if draw.random() < 0.3 else text)


def honest(draw, turn):
    runs = turn.last_runs()
    chosen = [run for run in runs if draw.random() < 0.8]
    shown = [run for run in chosen if run.known or run.passed]
    with_output = [run for kind, *rest in turn.calls if kind == "run" for run in rest if run.output]
    report = {"patterns_checked": [], "files_checked": [], "commands_run": [claimed(draw, run) for run in shown], "key_outputs": [],
              "verbatim_outputs": [quoted(draw, draw.choice(with_output))] if with_output and draw.random() < 0.6 else [], "cross_layer_impacts": [], "open_gaps": []}
    status = "IN_PROGRESS"
    if turn.is_checked() and draw.random() < 0.8:
        status = "COMPLETE"
        report["verification"] = {"result": "pass"}
        last = next((run for run in reversed(runs) if run.passed), None)
        position = max((n for n, call in enumerate(turn.calls) if call[0] == "edit"), default=-1)
        after = [rest[0] for kind, *rest in turn.calls[position + 1:] if kind == "run"]
        if last in after and draw.random() < 0.7:
            report["verification"]["command"] = last.name
    if draw.random() < 0.5:
        report["files_changed"] = [draw.choice(("", "./", "/repo/")) + path for path in turn.edits()]
    return {"agent_status": {"plan_status": status, "agent_id": ID, "pending_steps": [], "next_action": "go on"}, "evidence_report": report,
            "consolidation_report": None, "approval_request": None}


def fenced(body):
    return "Report.\n\n```agent_contract_handoff\n" + json.dumps(body) + "\n```\n"


# ---- Lies: each changes one thing of an honest report, or of what happened before it ----------------


def lie_never_run(draw, turn, body):
    body["evidence_report"]["commands_run"].append({"command": draw.choice(NEVER), "result": "pass"})
    return "EVIDENCE_NOT_RUN"


def lie_other_arguments(draw, turn, body):
    runs = [run for run in turn.last_runs() if run.name.split()[0] in ("pytest", "cargo", "go", "tox", "ruff") and run.known]
    if not runs:
        return None
    body["evidence_report"]["commands_run"].append({"command": draw.choice(runs).name + " --never-given", "result": "pass"})
    return "EVIDENCE_NOT_RUN"


def lie_failed(draw, turn, body):
    failed = [run for run in turn.last_runs() if run.known and not run.passed]
    if not failed:
        return None
    body["evidence_report"]["commands_run"] = [{"command": spelled(draw, draw.choice(failed).name), "result": "pass"}]
    return "EVIDENCE_FAILED"


def lie_output(draw, turn, body):
    runs = [rest[0] for kind, *rest in turn.calls if kind == "run" and rest[0].output]
    if not runs:
        return None
    line = draw.choice(draw.choice(runs).output)
    number = line.split()[0]
    body["evidence_report"]["verbatim_outputs"] = [line.replace(number, str(int(number) + 100000), 1)]
    return "EVIDENCE_OUTPUT"


def lie_file(draw, turn, body):
    if turn.is_recorded and turn.has("run", "background"):
        return None
    if turn.has("run", "background", "pending"):
        turn.calls = [call for call in turn.calls if call[0] not in ("run", "background", "pending")]
        body["evidence_report"].update(commands_run=[], verbatim_outputs=[])
        body["evidence_report"].pop("verification", None)
        body["agent_status"]["plan_status"] = "IN_PROGRESS"
    body["evidence_report"]["files_changed"] = [*turn.edits(), "src/never.c"]
    return "EVIDENCE_FILE_UNTOUCHED"


def lie_undeclared(draw, turn, body):
    if not turn.edits():
        return None
    body["evidence_report"]["files_changed"] = draw.sample(turn.edits(), len(turn.edits()) - 1)
    return "EVIDENCE_FILE_UNDECLARED"


def lie_stale(draw, turn, body):
    if turn.is_recorded and (turn.calls[-1][0] != "edit" or turn.calls[-1][1].endswith(".md")):
        return None
    if not turn.is_recorded:
        turn.calls.append(("edit", draw.choice([path for path in PATHS if not path.endswith(".md")])))
    body["agent_status"]["plan_status"] = "COMPLETE"
    body["evidence_report"].pop("files_changed", None)
    body["evidence_report"]["verification"] = {"result": "pass"}
    return "EVIDENCE_STALE"


LIES = (lie_never_run, lie_other_arguments, lie_failed, lie_output, lie_file, lie_undeclared, lie_stale)


# ---- Running --------------------------------------------------------------------------------------


def check(program, folder, name, turn, body):
    path = pathlib.Path(folder, f"{name}.jsonl")
    path.write_text(turn.text())
    result = subprocess.run([program, "evidence", "check", "--no-config", "-f", "json", "--transcript", str(path), "-"], input=fenced(body).encode(), stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, check=False, timeout=120)
    if result.returncode not in (0, 1):
        raise AssertionError(f"{name}: exit {result.returncode}: {result.stderr.decode()}")
    document = json.loads(result.stdout)["documents"][0]
    found = [(finding["code"], finding["severity"]) for finding in document["findings"]]
    kept = os.environ.get("BATON_KEEP_MISSES")
    if not kept:
        path.unlink()
    return found, document["facts"]["evidence"], path


def turn_of(draw, number):
    return RecordedTurn(draw) if RECORDED and number % 2 else Turn(draw)


def honest_case(program, folder, seed):
    draw = random.Random(f"honest-{seed}")
    turn = turn_of(draw, int(seed.rsplit("-", 1)[1]))
    body = honest(draw, turn)
    return turn.host + (", recorded" if turn.is_recorded else ""), *check(program, folder, f"h{seed}", turn, body), body


def lie_case(program, folder, seed):
    """The lie, its expected code, and what was said; turns are made until the lie fits one."""
    draw = random.Random(f"lie-{seed}")
    number = int(seed.rsplit("-", 1)[1])
    tell = LIES[number % len(LIES)]
    for tries in itertools.count():
        turn = turn_of(draw, number // len(LIES) if tries < TRIES else 0)  # some lies fit no recorded turn
        body = honest(draw, turn)
        code = tell(draw, turn, body := copy.deepcopy(body))
        if code:
            return tell.__name__, turn.host + (", recorded" if turn.is_recorded else ""), code, *check(program, folder, f"l{seed}", turn, body), body


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    count = int(sys.argv[2] if len(sys.argv) > 2 else os.environ.get("BATON_BLOCKS", "120"))
    seed = sys.argv[3] if len(sys.argv) > 3 else "1"
    rows = collections.defaultdict(collections.Counter)
    wrong = []
    with tempfile.TemporaryDirectory(prefix="baton-corpus-") as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for host, found, facts, path, body in pool.map(lambda n: honest_case(program, folder, f"{seed}-{n}"), range(count)):
            row = rows[f"honest, {host}"]
            row["reports"] += 1
            row["claims"] += sum(facts["agreement"].values()) if "agreement" in facts else 0
            row["undecided"] += facts.get("agreement", {}).get("undecided", 0)
            row["warned"] += any(severity == "WARN" for _, severity in found)
            hard = [code for code, severity in found if severity == "HARD"]
            row["rejected"] += bool(hard)
            wrong += [f"honest report rejected: {hard} {path.name} {json.dumps(body)[:300]}"] if hard else []
        for kind, host, code, found, _facts, path, body in pool.map(lambda n: lie_case(program, folder, f"{seed}-{n}"), range(count)):
            row = rows[kind.replace("_", " ") + (", recorded" if "recorded" in host else "")]
            is_found = code in [name for name, _ in found]
            row["reports"] += 1
            row["found"] += is_found
            row["undecided"] += not is_found
            if not is_found and os.environ.get("BATON_KEEP_MISSES"):
                print("missed:", kind, found, path.name, json.dumps(body)[:300])
    print(f"{'reports':32} {'made':>6} {'claims':>7} {'rejected':>9} {'warned':>7} {'found':>6} {'undecided':>10}")
    for name, row in rows.items():
        print(f"{name:32} {row['reports']:6} {row['claims'] or '':>7} {row['rejected'] if name.startswith('honest') else '':>9} "
              f"{row['warned'] if name.startswith('honest') else '':>7} {row['found'] if name.startswith('lie') else '':>6} {row['undecided']:10}")
    lies = sum(row["reports"] for name, row in rows.items() if name.startswith("lie"))
    found = sum(row["found"] for name, row in rows.items() if name.startswith("lie"))
    rejected = sum(row["rejected"] for row in rows.values())
    print(f"{count} honest reports, {rejected} rejected; {lies} lies, {found} found with the expected code ({100 * found / lies:.1f} %)")
    print(*wrong[:20], sep="\n")
    return 0 if rejected == 0 and found >= 0.95 * lies else 1


if __name__ == "__main__":
    sys.exit(main())
