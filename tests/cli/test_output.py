# SPDX-License-Identifier: Apache-2.0
"""test_output.py BATON - where reports go: formats, files, terminals, and streams that break."""
import json
import os
import pathlib
import subprocess
import sys
import threading
import xml.etree.ElementTree

from program import BATON, ROOT, claim, environment, equal, expect, finish, folder, on_terminal, run

GOOD = '{"a":1}'
BROKEN = '{"a":1,}'
FORMATS = ["full", "concise", "json", "jsonl", "github", "junit", "sarif", "markdown"]


@claim
def every_format_is_what_it_claims_to_be():
    with folder({"x.json": BROKEN, "y.json": GOOD}) as place:
        shown = {form: expect(run("check", "--as", "json", "-f", form, "x.json", "y.json", cwd=place), 1).stdout.decode() for form in FORMATS}
    for form, text in shown.items():
        equal((form, text.endswith("\n"), "JSON_SYNTAX" in text), (form, True, True))
    equal(shown["concise"].startswith("x.json:1:8: error: JSON_SYNTAX "), True)
    equal(json.loads(shown["json"])["baton"], 1)
    equal(len([json.loads(line) for line in shown["jsonl"].splitlines()]), 3)
    equal(shown["github"].startswith("::error "), True)
    equal(xml.etree.ElementTree.fromstring(shown["junit"]).tag, "testsuites")
    equal(json.loads(shown["sarif"])["version"], "2.1.0")
    equal("\x1b" in "".join(shown.values()), False)


@claim
def full_is_the_default():
    equal(run("check", "--as", "json", "-", stdin=BROKEN).stdout, run("check", "--as", "json", "-f", "full", "-", stdin=BROKEN).stdout)


@claim
def several_formats_go_to_several_places():
    with folder({"x.json": BROKEN}) as place:
        flags = [word for form in FORMATS for word in ("-f", form, "-o", f"out.{form}")]
        equal(expect(run("check", "--as", "json", *flags, "x.json", cwd=place), 1).stdout, b"")
        for form in FORMATS:
            alone = run("check", "--as", "json", "-f", form, "x.json", cwd=place).stdout
            equal(pathlib.Path(place, f"out.{form}").read_bytes(), alone)
        result = expect(run("check", "--as", "json", "-f", "concise", "--output-format=json", "--output=j", "x.json", cwd=place), 1)
        equal(result.stdout.startswith(b"x.json:1:8: "), True)
        equal(json.loads(pathlib.Path(place, "j").read_bytes())["baton"], 1)


@claim
def a_dash_is_standard_output():
    with folder({}) as place:
        result = expect(run("check", "--as", "json", "-f", "json", "-o", "-", "-", stdin=GOOD, cwd=place), 0)
        equal(json.loads(result.stdout)["baton"], 1)
        equal(os.listdir(place), [])


@claim
def pairs_that_do_not_pair_are_refused():
    for flags, words in (
        (["-o", "x"], "-o x must follow the -f FORMAT it belongs to"),
        (["-f", "json", "-o", "x", "-o", "y"], "-o y must follow the -f FORMAT it belongs to"),
        (["-f", "json", "-f", "full"], "only one format can go to standard output"),
        (["-f", "json", "-o"], "--output needs a value: --output FILE"),
        (["-f"], "--output-format needs a value: --output-format FORMAT"),
        (["-f", "xml"], "unknown format xml"),
        (["-f", "jsom"], "unknown format jsom, did you mean json?"),
        (["-f", "json", "-o", "x"] * 17, "more than 16 output formats"),
    ):
        with folder({}) as place:
            expect(run("check", "--as", "json", "-", *flags, stdin=GOOD, cwd=place), 2, err=words)
            equal(os.listdir(place), [])


@claim
def a_file_is_replaced_as_a_whole():
    with folder({"out": "old" * 10000}) as place:
        os.chmod(f"{place}/out", 0o600)
        expect(run("check", "--as", "json", "-f", "json", "-o", "out", "-", stdin=GOOD, cwd=place), 0)
        equal(json.loads(pathlib.Path(place, "out").read_text())["baton"], 1)
        equal(os.stat(f"{place}/out").st_mode & 0o777, 0o600)
        equal(os.listdir(place), ["out"])


@claim
def what_is_no_file_is_written_through_and_survives():
    with folder({"real": "old"}) as place:
        os.symlink("real", f"{place}/link")
        expect(run("check", "--as", "json", "-f", "json", "-o", "link", "-", stdin=GOOD, cwd=place), 0)
        equal(os.path.islink(f"{place}/link"), True)
        equal(json.loads(pathlib.Path(place, "real").read_text())["baton"], 1)
        os.mkfifo(f"{place}/fifo")
        got = []
        reader = threading.Thread(target=lambda: got.append(pathlib.Path(place, "fifo").read_text()))
        reader.start()
        expect(run("check", "--as", "json", "-f", "json", "-o", "fifo", "-", stdin=GOOD, cwd=place), 0)
        reader.join()
        equal(json.loads(got[0])["baton"], 1)
    expect(run("check", "--as", "json", "-f", "json", "-o", "/dev/null", "-", stdin=GOOD), 0)
    equal(pathlib.Path("/dev/null").is_char_device(), True)
    result = expect(run("check", "--as", "json", "-f", "json", "-o", "/dev/stdout", "-", stdin=GOOD), 0)
    equal(json.loads(result.stdout)["baton"], 1)
    equal(os.path.islink("/dev/stdout"), True)


@claim
def a_file_that_cannot_be_written_is_a_failure():
    with folder({"sub/x": ""}) as place:
        for path in ("none/out", "sub", "sub/", "sub/x/out", "", "/dev/full"):
            expect(run("check", "--as", "json", "-f", "json", "-o", path, "-", stdin=GOOD, cwd=place), 2, err="")
        # The other outputs of the run are written all the same.
        result = expect(run("check", "--as", "json", "-f", "json", "-o", "none/out", "-f", "concise", "-", stdin=BROKEN, cwd=place), 2, err="none/out")
        equal(result.stdout.startswith(b"<stdin>:1:8: "), True)
        equal(sorted(os.listdir(place)), ["sub"])


@claim
def a_full_device_is_a_failure_for_every_command():
    for words in (["check", "--as", "json", "-"], ["check", "--as", "json", "-f", "json", "-"], ["json", "fmt"], ["json", "min"], ["json", "get", ""],
                  ["rules"], ["rules", "-f", "markdown"], ["explain", "JSON_SYNTAX"], ["version"], ["--version"], ["--help"],
                  ["help", "check"], ["check", "--help"], ["man"], ["completion", "bash"]):
        with open("/dev/full", "wb") as full:
            expect(run(*words, stdin=GOOD, stdout=full), 2, err="cannot write to standard output: No space left")


@claim
def a_reader_that_went_away_is_no_failure():
    """Every command that prints much ends quietly, with the code that it would have had, and files are still written."""
    with folder({"x.json": "[" + "1," * 100000 + "1]", "y.json": BROKEN}) as place:
        for words, code in ((["json", "fmt", "x.json"], 0), (["check", "--as", "json", "x.json"], 0), (["man"], 0), (["rules"], 0),
                            (["rules", "-f", "json"], 0), (["rules", "-f", "markdown"], 0), (["explain", "JSON_SYNTAX"], 0), (["--help"], 0),
                            (["help", "check"], 0), (["completion", "bash"], 0), (["schema", "print", "universal"], 0),
                            (["serve", "--print-openapi"], 0), (["json", "diff", "x.json", "y.json"], 1),
                            (["check", "--as", "json", "y.json", "-f", "full", "-f", "json", "-o", "r.json"], 1)):
            reading, writing = os.pipe()
            os.close(reading)
            result = run(*words, cwd=place, stdout=writing)
            os.close(writing)
            expect(result, code)
        equal(json.loads(pathlib.Path(place, "r.json").read_text())["failures"], [])


@claim
def a_reader_that_goes_away_in_the_middle_is_no_failure():
    piped = subprocess.run(["bash", "-c", '"$0" rules -f json | head -c 1; echo "${PIPESTATUS[0]}"', BATON], capture_output=True, env=environment(),
                           check=False)
    equal((piped.stdout, piped.stderr), (b"{0\n", b""))


@claim
def following_ends_when_nobody_reads():
    with folder({}) as place:
        expect(run("ledger", "init", "--store", "s.db", "--origin", "example.org/log", cwd=place), 0)
        reading, writing = os.pipe()
        os.close(reading)
        result = run("ledger", "tail", "--follow", "--quiet", "--store", "s.db", cwd=place, stdout=writing)
        os.close(writing)
        expect(result, 0)


@claim
def a_closed_standard_output_is_a_failure():
    result = subprocess.run(["sh", "-c", '"$0" version >&-', BATON], capture_output=True, env=environment(), check=False)
    expect(result, 2, err="cannot write to standard output")


@claim
def colour_is_for_terminals_that_want_it():
    with folder({"x.json": BROKEN}) as place:
        for env, coloured in (({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)):
            code, output = on_terminal("check", "--as", "json", "x.json", cwd=place, env=env)
            equal((env, code, b"\x1b[" in output, b"JSON_SYNTAX" in output), (env, 1, coloured, True))
        linked = on_terminal("check", "--as", "json", "-f", "concise", "x.json", cwd=place)[1]
        equal((b"\x1b[" in linked, b"\x1b]8;;file:" in linked), (False, True))
        for form in FORMATS[2:]:
            equal((form, b"\x1b" in on_terminal("check", "--as", "json", "-f", form, "x.json", cwd=place)[1]), (form, False))
        code, _ = on_terminal("check", "--as", "json", "-f", "full", "-o", "out", "x.json", cwd=place)
        equal((code, b"\x1b" in pathlib.Path(place, "out").read_bytes()), (1, False))


@claim
def the_same_run_twice_is_the_same_bytes():
    with folder({f"{name}.handoff.json": '{"a":"\\ud800","b":["\\udc00"]}' for name in "abc"}) as place:
        for form in FORMATS:
            equal(run("check", "--as", "json", "-f", form, ".", cwd=place).stdout, run("check", "--as", "json", "-f", form, ".", cwd=place).stdout)


HIDDEN = "".join(map(chr, [0x7f, 0x85, 0xad, 0x61c, *range(0x200b, 0x2010), *range(0x2028, 0x202f), *range(0x2060, 0x2065), *range(0x2066, 0x206a),
                           0xfeff, 0xe0001, 0xe0041, 0xe007f]))


def hidden_in(text):
    return sorted({f"{ord(c):x}" for c in text.decode() if c in HIDDEN})


@claim
def json_for_people_shows_every_hidden_character_as_an_escape():
    """Whatever a document, a path or a flag says; and the JSON still means it."""
    handoff = json.loads((ROOT / "examples/universal/planner-to-builder.handoff.json").read_text())
    handoff["handoff"]["context"]["summary"] = f"a{HIDDEN}b"
    handoff["handoff"]["target"]["skill"] = f"x{HIDDEN}"
    raw = json.dumps(handoff, ensure_ascii=False)
    contract = f"```agent_contract_handoff\n{{\"{HIDDEN}\": \"{HIDDEN}\"}}\n```\n"
    plan = f"step,agent,action,inputs,outputs,status,notes\n1,{HIDDEN},x,,,{HIDDEN},\n1{HIDDEN},a,x,,,,\n"
    trace = json.dumps({"timestamp": "2026-01-01T00:00:00Z", "event_type": "handoff_created", "trace_id": f"t{HIDDEN}", "source": f"s{HIDDEN}",
                        "target": f"t{HIDDEN}"}, ensure_ascii=False)
    with folder({"h.handoff.json": raw, f"n{HIDDEN[3:]}.handoff.json": raw, "c.contract.md": contract, "p.steps.csv": plan, "t.jsonl": trace + "\n"}) as place:
        seen = 0
        for words in (["check", "."], ["check", f"gone{HIDDEN}.json"], ["check", "--diff", "h.handoff.json"], ["repair", "h.handoff.json"], ["compress", "h.handoff.json"],
                      ["tokens", "h.handoff.json"], ["plan", "audit", "p.steps.csv"], ["plan", "waves", "p.steps.csv"],
                      ["contract", "normalize", f"https://example.org/a{HIDDEN}/b.git"], ["contract", "repair-prompt", "c.contract.md"],
                      ["trace", "show", "t.jsonl"], ["discover", "--from", f"s{HIDDEN}", "--skills", "."], ["registry", "lint", "--skills", "."],
                      ["explain", "JSON_SYNTAX"], ["rules"], ["json", "fmt", "--limit", "depth=1", "h.handoff.json"]):
            for form in ["json"] + (["jsonl", "sarif", "github", "concise", "full", "junit", "markdown"] if words[0] == "check" and "--diff" not in words else []):
                shown = run(*words, "-f", form, cwd=place).stdout
                equal((words, form, hidden_in(shown)), (words, form, []))
                seen += b"\\u202e" in shown or b"u{202e}" in shown
                if form == "json":
                    equal((words, bool(shown.strip())), (words, True))
                    json.loads(shown)
        equal(seen >= 12, True)
        report = json.loads(run("repair", "-f", "json", "h.handoff.json", cwd=place).stdout)
        equal(report["documents"][0]["document"]["handoff"]["context"]["summary"], f"a{HIDDEN}b")


@claim
def documents_that_are_printed_keep_their_bytes():
    value = {"a": f"x{HIDDEN}y"}
    raw = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    with folder({"x.json": raw, "s.json": json.dumps({"title": HIDDEN, "type": "object"}, ensure_ascii=False)}) as place:
        for words in (["json", "min", "x.json"], ["json", "fmt", "x.json"], ["json", "canon", "x.json"], ["json", "stringify", "x.json"],
                      ["json", "get", "--raw", "/a", "x.json"], ["schema", "bundle", "s.json"]):
            shown = expect(run(*words, cwd=place), 0).stdout.decode()
            equal((words, HIDDEN in shown), (words, True))


@claim
def verbose_prints_what_was_read_left_out_and_suppressed_in_text_only():
    files = {"baton.yaml": "baseline: base.json\nexclude: [old]\n", "base.json": '{"baton_baseline":1,"findings":[{"path":"a.handoff.json","code":"SCHEMA_REQUIRED","pointer":"/handoff","count":50}]}',
             "a.handoff.json": '{"handoff":{}}', "old/b.handoff.json": "{}", ".hidden/c.json": "{}", "node_modules/d.json": "{}", "note.txt": "x", "x.xml": "<p/>",
             ".gitignore": "build\n", "build/e.json": "{}"}
    with folder(files) as place:
        (pathlib.Path(place) / "link.json").symlink_to("a.handoff.json")
        usual = run("check", ".", cwd=place)
        for form in ("full", "concise"):
            told = run("check", "--verbose", "-f", form, ".", cwd=place)
            equal(told.returncode, usual.returncode)
            lines = told.stdout.decode().splitlines()
            equal([line for line in lines if line.startswith(("configuration: ", "left out: "))],
                  ["configuration: baton.yaml (project)", "left out: .gitignore (hidden)", "left out: .hidden (hidden)", "left out: base.json (unrecognised: a file of this run)",
                   "left out: baton.yaml (unrecognised: a file of this run)", "left out: build (gitignored)", "left out: link.json (unrecognised: symbolic link)",
                   "left out: node_modules (excluded: node_modules)", "left out: note.txt (unrecognised)", "left out: old (excluded)",
                   "left out: x.xml (unrecognised: no message envelope)"])
            suppressed = [line for line in lines if line.startswith("suppressed: ")]
            equal(bool(suppressed) and all(line.startswith("suppressed: a.handoff.json:1:") and line.endswith(" (baseline)") for line in suppressed), True)
            equal([line.split()[1] for line in told.stderr.decode().splitlines() if line.startswith("time: ")], ["settings", "find,", "read", "check", "report"])
        equal(any(word in usual.stdout + usual.stderr for word in (b"left out: ", b"configuration: ", b"suppressed: ", b"time: ")), False)
        told = run("check", "-v", "--no-config", "--include", "*.json", ".", cwd=place).stdout.decode()
        equal("left out: note.txt (excluded: no include pattern matches)" in told, True)
        for form in ("json", "jsonl", "sarif", "junit", "github", "markdown"):
            equal(run("check", "-v", "-f", form, ".", cwd=place).stdout, run("check", "-f", form, ".", cwd=place).stdout)
        equal(run("config", "show", "-v", cwd=place).stderr.decode(), "baton: note: configuration: baton.yaml (project)\n")


@claim
def the_list_of_what_a_walk_left_out_has_an_end():
    with folder({"a.json": GOOD}) as place:
        for number in range(10_005):
            (pathlib.Path(place) / f"n{number}.txt").touch()
        lines = run("check", "-v", "--as", "json", ".", cwd=place).stdout.decode().splitlines()
        equal((sum(line.startswith("left out: n") for line in lines), "left out: 5 more" in lines), (10_000, True))


sys.exit(finish())
