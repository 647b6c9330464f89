# SPDX-License-Identifier: Apache-2.0
"""test_trace.py BATON - baton trace add, show and parent."""
import json
import os
import pathlib
import subprocess
import sys
import xml.dom.minidom

from program import BATON, ROOT, claim, environment, equal, expect, finish, folder, on_terminal, run

ID = "6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4"
SPAN = "7e4a6b8c-91d2-4c3f-a0b1-cdef12345678"
NOW = ["--now", "2026-04-14T08:30:00.0019Z"]
HANDOFF = {"handoff": {
    "version": "3.0", "schema_type": "universal", "timestamp": "2026-04-14T08:30:00Z", "trace_id": ID,
    "source": {"skill": "release-planner", "workflow_id": "run-0412", "session_path": "work", "phase": "Triage"},
    "target": {"skill": "patch-builder"},
    "context": {"summary": "Build the fix for the date parser; three customers are blocked.", "problem_type": "implementation"},
    "payload": {"working": {"ticket": "DP-118", "files": ["parse.c", "date.c"]}},
    "meta": {"token_count": 145, "confidence": "high"}, "tracing": {"parent_span_id": SPAN}}}
MEMBERS = ["trace_id", "span_id", "parent_span_id", "timestamp", "event_type", "workflow", "phase", "details", "duration_ms"]


def event(time, kind, workflow, **more):
    return json.dumps({"trace_id": ID, "timestamp": f"2026-04-14T{time}Z", "event_type": kind, "workflow": workflow, **more}) + "\n"


LOG = (event("08:00:00", "workflow_started", "planner") + event("08:00:01", "phase_started", "planner", phase="Triage")
       + event("08:20:01", "phase_completed", "planner", phase="Triage")
       + event("08:30:00", "transmitted", "planner", details={"target": "builder", "validation": "passed"})
       + event("08:30:01.200", "received", "builder"))


def add(path, *args, code=0, err=None, **more):
    return expect(run("trace", "add", "trace.jsonl", *args, cwd=path, **more), code, err=err)


def lines(path):
    return [json.loads(line) for line in (pathlib.Path(path) / "trace.jsonl").read_text().splitlines()]


@claim
def an_event_is_appended_as_one_line_and_its_span_is_printed():
    with folder({}) as path:
        plain = ["--trace-id", ID, "--workflow", "planner"]
        span = add(path, "--event", "error", *plain, "--seed", "42", *NOW).stdout.decode()
        add(path, "--event", "created", *plain, "--span", SPAN, "--parent", ID, "--phase", "Triage", "--detail", "why=a=b",
            "--detail", "leer=", "--duration-ms", "1200", *NOW)
        first, second = lines(path)
        equal([list(first), list(second)], [MEMBERS, MEMBERS])
        equal(span, "c949c884-532f-43d5-bf8d-5dcde071f5a3\n")
        equal(first, {"trace_id": ID, "span_id": span.strip(), "parent_span_id": None, "timestamp": "2026-04-14T08:30:00.001Z",
                      "event_type": "error", "workflow": "planner", "phase": None, "details": {}, "duration_ms": None})
        equal(second, {"trace_id": ID, "span_id": SPAN, "parent_span_id": ID, "timestamp": "2026-04-14T08:30:00.001Z",
                       "event_type": "handoff_created", "workflow": "planner", "phase": "Triage",
                       "details": {"why": "a=b", "leer": ""}, "duration_ms": 1200})


@claim
def a_handoff_supplies_what_it_knows():
    with folder({"h.json": json.dumps(HANDOFF)}) as path:
        for name in ("transmitted", "handoff_received", "processed", "error"):
            add(path, "--event", name, "--for", "h.json", *NOW)
        details = {"target": "patch-builder", "schema_version": "3.0", "token_count": 145, "validation": "passed"}
        for told, workflow, phase, parent in zip(lines(path), ("release-planner", "patch-builder", "patch-builder", "release-planner"),
                                                 ("Triage", None, None, "Triage"), (None, SPAN, SPAN, None)):
            equal((told["trace_id"], told["workflow"], told["phase"], told["parent_span_id"]), (ID, workflow, phase, parent))
            equal((told["details"], list(told["details"])), (details, list(details)))
        add(path, "--event", "created", "--for", "h.json", "--trace-id", SPAN, "--workflow", "w", "--phase", "p", "--parent",
            "7e4a6b8c91d24c3f", "--detail", "target=t", "--detail", "more=m")
        told = lines(path)[-1]
        equal([told[name] for name in ("trace_id", "workflow", "phase", "parent_span_id")], [SPAN, "w", "p", "7e4a6b8c91d24c3f"])
        equal(list(told["details"].items()), [("target", "t"), ("schema_version", "3.0"), ("token_count", 145),
                                              ("validation", "passed"), ("more", "m")])


@claim
def a_handoff_that_cannot_be_read_failed_its_validation():
    with folder({"h.json": "{"}) as path:
        add(path, "--event", "validated", "--for", "h.json", code=2, err="the handoff has no trace_id; give --trace-id")
        add(path, "--event", "validated", "--for", "h.json", "--trace-id", ID, code=2, err="does not name the skill; give --workflow")
        equal(os.listdir(path), ["h.json"])
        add(path, "--event", "validated", "--for", "h.json", "--trace-id", ID, "--workflow", "w")
        equal(lines(path)[0]["details"], {"target": None, "schema_version": None, "token_count": None, "validation": "failed"})
        add(path, "--event", "validated", "--for", "none.json", code=2, err="cannot read none.json")


@claim
def what_makes_no_event_is_refused_before_the_log_is_touched():
    plain = ["--event", "error", "--trace-id", ID, "--workflow", "w"]
    mistakes = [
        ([], "trace add needs --event, --trace-id and --workflow"),
        (["--event", "errr", "--trace-id", ID, "--workflow", "w"], "unknown event errr, did you mean error?"),
        (["--event", "error"], "trace add needs --trace-id and --workflow"),
        (["--event", "error", "--trace-id", ID], "trace add needs --workflow"),
        (["--event", "error", "--trace-id", ID.upper(), "--workflow", "w"], "--trace-id wants a UUID"),
        ([*plain, "--span", "7e4a6b8c91d24c3f"], "--span wants a UUID"),
        ([*plain, "--parent", "x"], "--parent wants a UUID"),
        ([*plain, "--duration-ms", "-1"], "--duration-ms wants a whole number"),
        ([*plain, "--duration-ms", "9007199254740992"], "--duration-ms wants a whole number"),
        ([*plain, "--detail", "x"], "--detail wants KEY=TEXT"),
        ([*plain, "--detail", "=x"], "--detail wants KEY=TEXT"),
        ([*plain, "--detail", "a=1", "--detail", "a=2"], "a detail is given once"),
        ([*plain, "--workflow", b"\xff"], "names are UTF-8"),
        ([*plain, "--now", "yesterday"], "--now wants a time"),
        ([*plain, "--workflow", ""], "--workflow wants a name"),
    ]
    with folder({}) as path:
        for words, complaint in mistakes:
            add(path, *words, code=2, err=complaint)
        expect(run("trace", "add", "-", *plain, cwd=path), 2, err="a log is a file")
        expect(run("trace", "add", *plain, cwd=path), 2, err="trace add needs LOG")
        expect(run("trace", "add", "a/b", *plain, cwd=path), 2, err="cannot append to a/b: No such file")
        equal(os.listdir(path), [])
        os.symlink("elsewhere", f"{path}/trace.jsonl")
        add(path, *plain, code=2, err="cannot append to trace.jsonl: it is a symbolic link")
        equal(os.listdir(path), ["trace.jsonl"])


@claim
def many_programs_append_at_once():
    with folder({"trace.jsonl": '{"torn'}) as path:
        commands = [[BATON, "trace", "add", "trace.jsonl", "--event", "error", "--trace-id", ID, "--workflow", f"w{i}"]
                    for i in range(8)]
        for _ in range(3):
            running = [subprocess.Popen(command, cwd=path, env=environment(), stdout=subprocess.DEVNULL) for command in commands]
            equal([process.wait() for process in running], [0] * len(running))
        text = (pathlib.Path(path) / "trace.jsonl").read_text().split("\n")
        equal((text[0], text[-1], len(text)), ('{"torn', "", 26))
        equal(sorted(json.loads(line)["workflow"] for line in text[1:-1]), sorted([f"w{i}" for i in range(8)] * 3))


@claim
def a_log_is_shown_as_a_timeline_by_default():
    with folder({"trace.jsonl": LOG}) as path:
        text = expect(run("trace", "show", "trace.jsonl", cwd=path), 0).stdout.decode()
        equal(text, run("trace", "show", "--view", "timeline", "--render", "text", "trace.jsonl", cwd=path).stdout.decode())
        equal([line.split("  |")[0] for line in text.splitlines()[3:]],
              ["planner            30 min", "  Triage           20 min", "builder              0 ms"])
        equal(max(map(len, text.splitlines())), 80)
        expect(run("trace", "show", "--view", "chain", "trace.jsonl", cwd=path), 0, out="planner -> builder")
        expect(run("trace", "show", "-", stdin=LOG), 0, out="Triage")


@claim
def a_terminal_gets_colours_and_its_own_width():
    with folder({"trace.jsonl": LOG + event("08:05:00", "error", "planner")}) as path:
        code, text = on_terminal("trace", "show", "trace.jsonl", cwd=path)
        equal((code, b"\x1b[1;31m" in text), (0, True))
        code, text = on_terminal("trace", "show", "trace.jsonl", cwd=path, env={"NO_COLOR": "1"})
        equal((code, b"\x1b" in text), (0, False))


@claim
def json_has_traces_and_findings():
    with folder({"a.jsonl": LOG + "junk\n", "b.jsonl": event("08:40:00", "coffee", "x").replace(ID, "other") + '{"trace'}) as path:
        result = json.loads(expect(run("trace", "show", "-f", "json", "a.jsonl", "b.jsonl", cwd=path), 0).stdout)
        equal(list(result), ["baton", "traces", "findings"])
        equal([(trace["trace_id"], trace["events"]) for trace in result["traces"]], [(ID, 5), ("other", 1)])
        equal([(finding["code"], finding["line"], finding["params"]["path"]) for finding in result["findings"]],
              [("TRACE_LINE_INVALID", 6, "a.jsonl"), ("TRACE_EVENT_UNKNOWN", 1, "b.jsonl"), ("TRACE_LINE_INVALID", 2, "b.jsonl")])
        equal(result["findings"][2]["params"]["reason"], "truncated")
        only = json.loads(expect(run("trace", "show", "-f", "json", "--trace", "other", "a.jsonl", "b.jsonl", cwd=path), 0).stdout)
        equal([trace["trace_id"] for trace in only["traces"]], ["other"])
        none = expect(run("trace", "show", "-f", "json", "--trace", "none", "a.jsonl", cwd=path), 1, err="no event belongs to trace none")
        equal(json.loads(none.stdout)["traces"], [])


@claim
def without_an_event_there_is_nothing_to_show():
    for text in ("", "junk\n", "\n\n"):
        result = run("trace", "show", "-f", "json", "-", stdin=text)
        equal((result.returncode, json.loads(result.stdout)["traces"]), (1, []))
        for form in ("text", "svg"):
            result = expect(run("trace", "show", "--render", form, "-", stdin=text), 1, err="no event could be read")
            equal(result.stdout, b"")


@claim
def what_is_wrong_with_a_log_does_not_spoil_a_drawing():
    with folder({"trace.jsonl": "junk\n" + LOG}) as path:
        for view in ("timeline", "chain"):
            result = expect(run("trace", "show", "--view", view, "--render", "svg", "trace.jsonl", cwd=path), 0,
                            err="baton: trace.jsonl:1: TRACE_LINE_INVALID line 1 is skipped")
            equal(xml.dom.minidom.parseString(result.stdout).documentElement.tagName, "svg")
        result = run("trace", "show", "-", stdin="junk\n" * 30 + LOG)
        equal((result.returncode, len(result.stderr.splitlines())), (0, 21))
        equal(result.stderr.splitlines()[-1], b"baton: and 10 more of this kind; -f json has all of them")


@claim
def the_pictures_in_the_documents_are_what_the_program_draws():
    for view in ("timeline", "chain"):
        drawn = expect(run("trace", "show", "--view", view, "--render", "svg", "examples/trace/release.jsonl", cwd=ROOT), 0).stdout
        equal(drawn, (ROOT / f"docs/formats/trace-{view}.svg").read_bytes())


@claim
def mistakes_in_showing_are_told():
    with folder({"trace.jsonl": LOG}) as path:
        for words, complaint in ((["--view", "chian"], "unknown view chian, did you mean chain?"),
                                 (["--render", "json"], "--render: unknown form json"),
                                 (["--render", "svgg"], "unknown form svgg, did you mean svg?"),
                                 (["-f", "json", "--render", "svg"], "-f json cannot be combined with --render"),
                                 (["-f", "sarif"], "unknown format sarif"),
                                 (["-", "-"], "standard input was read already"),
                                 (["none.jsonl"], "cannot read none.jsonl"),
                                 (["."], "cannot read .")):
            result = expect(run("trace", "show", "trace.jsonl", *words, cwd=path, stdin=LOG), 2, err=complaint)
            equal(result.stdout, b"")
        expect(run("trace", "show"), 2, err="trace show needs LOG..., or - for standard input")


@claim
def no_name_reaches_the_terminal_as_it_is():
    hostile = event("08:00:00", "coffee\x1b[2J", "\x1b]0;x\x07</svg>\u202e")
    for form in ("text", "mermaid", "dot", "svg"):
        result = run("trace", "show", "--render", form, "-", stdin=hostile)
        equal((form, result.returncode), (form, 0))
        for forbidden in (b"\x1b", b"\x07", "\u202e".encode()):
            equal((form, forbidden in result.stdout + result.stderr), (form, False))
    expect(run("trace", "show", "--render", "svg", "-", stdin=hostile), 0, err="coffee")


@claim
def a_hundred_thousand_lines_are_shown():
    text = "".join(event(f"08:{i // 60 % 60:02}:{i % 60:02}", "phase_started", f"w{i % 500}", phase=f"p{i % 77}") for i in range(100000))
    result = json.loads(expect(run("trace", "show", "-f", "json", "-", stdin=text), 0).stdout)
    equal((result["traces"][0]["events"], len(result["traces"][0]["workflows"])), (100000, 500))


@claim
def a_traceparent_is_made_and_taken_apart():
    value = f"00-{ID.replace('-', '')}-7e4a6b8c91d24c3f-01"
    parts = {"baton": 1, "traceparent": value, "trace_id": ID, "parent_id": "7e4a6b8c91d24c3f", "flags": "01"}
    with folder({"h.json": json.dumps(HANDOFF)}) as path:
        equal(expect(run("trace", "parent", "h.json", cwd=path), 0).stdout.decode(), value + "\n")
        made = json.loads(expect(run("trace", "parent", "-f", "json", "h.json", cwd=path), 0).stdout)
        equal((made, list(made)), (parts, list(parts)))
    equal(json.loads(expect(run("trace", "parent", "-f", "json", "--parse", value), 0).stdout), parts)
    equal(expect(run("trace", "parent", "--parse", value), 0).stdout.decode(),
          f"trace_id   {ID}\nparent_id  7e4a6b8c91d24c3f\nflags      01\n")


@claim
def what_is_no_traceparent_is_a_finding():
    for words, stdin, code in ((["--parse", "00-x"], "", "TRACEPARENT_INVALID"), (["--parse", ""], "", "TRACEPARENT_INVALID"),
                               (["-"], "{}", "TRACEPARENT_UNAVAILABLE"), (["-"], "{", "JSON_SYNTAX")):
        told = json.loads(expect(run("trace", "parent", "-f", "json", *words, stdin=stdin), 1).stdout)
        equal((list(told), [finding["code"] for finding in told["findings"]]), (["baton", "findings"], [code]))
        equal(told["findings"][0]["severity"], "HARD")
        expect(run("trace", "parent", *words, stdin=stdin), 1, out=f"error[{code}]")
    expect(run("trace", "parent"), 2, err="give either a HANDOFF or --parse VALUE")
    expect(run("trace", "parent", "h.json", "--parse", "00"), 2, err="give either a HANDOFF or --parse VALUE")
    expect(run("trace", "parent", "none.json"), 2, err="cannot read none.json")


sys.exit(finish())
