# SPDX-License-Identifier: Apache-2.0
"""test_failures.py BATON - what check could not judge is in every report, and no report of an earlier run survives."""
import json
import os
import pathlib
import resource
import subprocess
import sys
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from program import BATON, ROOT, claim, claim_if, environment, equal, expect, finish, folder, public_folder, run, run_as_nobody  # noqa: E402

GOOD = '{"a":1}'
FORMATS = ["full", "concise", "json", "jsonl", "github", "junit", "sarif", "markdown"]
GONE = {"path": "gone.json", "reason": "not_found", "message": "No such file or directory"}
GOVERNED = (ROOT / "examples/governed/refused.json").read_text()


def failures_of(form, text):
    """The failures that a report lists, as (path, reason), and whether it says that the run failed."""
    if form == "json":
        report = json.loads(text)
        return [(f["path"], f["reason"]) for f in report["failures"]], report["summary"]["failures"] > 0
    if form == "jsonl":
        lines = [json.loads(line) for line in text.splitlines()]
        return [(line["failure"]["path"], line["failure"]["reason"]) for line in lines if "failure" in line], lines[-1]["summary"]["failures"] > 0
    if form == "sarif":
        invocation = json.loads(text)["runs"][0]["invocations"][0]
        told = [n for name in ("toolExecutionNotifications", "toolConfigurationNotifications") for n in invocation.get(name, [])]
        return [(n["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], n["descriptor"]["id"]) for n in told], \
            not invocation["executionSuccessful"] and invocation["exitCode"] == 2
    if form == "junit":
        suite = xml.etree.ElementTree.fromstring(text).find("testsuite")
        cases = [case for case in suite.findall("testcase") if case.find("error") is not None]
        equal(int(suite.get("tests")), len(suite.findall("testcase")))
        return [(case.get("name"), case.find("error").get("type")) for case in cases], suite.get("errors") == str(len(cases)) != "0"
    raise AssertionError(form)


def yesterday(place, form):
    """A green report of an earlier run."""
    pathlib.Path(place, "good.json").write_text(GOOD)
    expect(run("check", "--as", "json", "-f", form, "-o", "report", "good.json", cwd=place), 0)


@claim
def every_format_lists_what_could_not_be_judged():
    texts = {
        "full": "ok good.json (json)\ngone.json: not judged: No such file or directory\n"
                "1 document: 1 accepted, 0 rejected (0 errors, 0 warnings); 1 not judged\n",
        "concise": "gone.json: not judged: No such file or directory\n",
        "github": "::error file=gone.json,title=baton not_found::No such file or directory\n",
    }
    with folder({"good.json": GOOD}) as place:
        for form in FORMATS:
            shown = expect(run("check", "--as", "json", "-f", form, "gone.json", "good.json", cwd=place), 2, err="cannot read gone.json").stdout.decode()
            if form in texts:
                equal(shown, texts[form])
            elif form == "markdown":
                equal("#### Not judged\n\n| Path | Reason | Message |\n|---|---|---|\n| <code>gone.json</code> | `not_found` | " in shown, True)
            else:
                equal((form, *failures_of(form, shown)), (form, [("gone.json", "not_found")], True))
            equal((form, "good.json" in shown), (form, form not in ("concise", "github")))
        report = json.loads(run("check", "--as", "json", "-f", "json", "gone.json", "good.json", cwd=place).stdout)
        equal((report["failures"], report["summary"]["documents"], report["summary"]["accepted"]), ([GONE], 1, 1))


@claim
def a_report_of_an_earlier_run_is_replaced_by_one_that_fails():
    for form in FORMATS:
        with folder({"bad.yaml": "limits: {nestin: 5}\n"}) as place:
            for words, name in ((["gone.json"], "gone.json"), (["--root", "nowhere", "good.json"], "nowhere"), (["--config", "bad.yaml", "good.json"], "bad.yaml"),
                                (["--skills", "nowhere", "good.json"], "nowhere"), (["--organism", "nowhere.yaml", "good.json"], "nowhere.yaml"),
                                (["--input", "nowhere.json", "good.json"], "nowhere.json"), (["--exclude", "*.json", "."], ".")):
                yesterday(place, form)
                before = pathlib.Path(place, "report").read_bytes()
                result = run("check", "--as", "json", "-f", form, "-o", "report", *words, cwd=place)
                after = pathlib.Path(place, "report").read_text()
                equal((form, words, result.returncode, after.encode() == before, name in after), (form, words, 2, False, True))
                equal(sorted(p.name for p in pathlib.Path(place).iterdir()), ["bad.yaml", "good.json", "report"])


@claim
def a_wrong_command_line_writes_nothing():
    with folder({}) as place:
        yesterday(place, "json")
        before = pathlib.Path(place, "report").read_bytes()
        for words in (["--nonsense", "gone.json"], ["--limit", "nodes=x", "gone.json"], ["--client", "me", "gone.json"], ["--registry", "r", "gone.json"],
                      ["--max-age", "x", "gone.json"], ["--edges", "x", "gone.json"], ["--direction", "x", "gone.json"], []):
            result = expect(run("check", "-f", "json", "-o", "report", *words, cwd=place), 2, err="")
            equal((words, result.stdout, pathlib.Path(place, "report").read_bytes() == before), (words, b"", True))


@claim
def each_failure_has_its_reason():
    with folder({"x.txt": "?", "h.json": GOVERNED, "sub/empty/x": "", "bad.yaml": "limits: {nestin: 5}\n", "o.yaml": "organism: 1\n", "in.json": "[]"}) as place:
        os.mkfifo(f"{place}/fifo")
        os.symlink("loop", f"{place}/loop")
        deep = "deep/" + "d/" * 70
        os.makedirs(f"{place}/{deep}")
        for words, expected in (
                (["gone.json"], ("gone.json", "not_found")), (["x.txt/y"], ("x.txt/y", "not_found")), (["fifo"], ("fifo", "not_a_file")),
                (["loop"], ("loop", "io")), (["x.txt"], ("x.txt", "unrecognised")), (["h.json"], ("h.json", "needs_root")),
                (["sub"], ("sub", "no_documents")), (["deep"], ("deep/" + "/".join(["d"] * 63) + "/d", "walk_limit")),
                (["--config", "bad.yaml", "x.txt"], ("bad.yaml", "config")), (["--config", "gone.yaml", "x.txt"], ("gone.yaml", "config")),
                (["--root", "gone", "x.txt"], ("gone", "not_found")), (["--root", "x.txt", "x.txt"], ("x.txt", "not_found")),
                (["--organism", "o.yaml", "x.txt"], ("o.yaml", "config")), (["--input", "in.json", "x.txt"], ("in.json", "config")),
                (["--input", "sub", "x.txt"], ("sub", "not_a_file"))):
            result = run("check", "-f", "json", *words, cwd=place)
            equal((words, result.returncode, failures_of("json", result.stdout)[0][0]), (words, 2, expected))
            equal((words, b"baton: " in result.stderr), (words, True))


@claim
def what_may_not_be_read_or_written_is_a_failure():
    files = {"secret.json": GOOD, "closed/x.handoff.json": GOOD, "shut/p.steps.csv": "step,status\n1,done,\n"}
    with public_folder(files) as place:
        modes = {"secret.json": 0, "closed": 0, "shut": 0o555}
        for name, mode in modes.items():
            os.chmod(f"{place}/{name}", mode)
        for words, expected in ((["--as", "json", "secret.json"], ("secret.json", "permission")), (["."], ("closed", "permission")),
                                (["--root", "closed", "secret.json"], ("closed", "permission")),
                                (["--fix", "shut/p.steps.csv"], ("shut/p.steps.csv", "io"))):
            result = run_as_nobody(place, "check", "-f", "json", *words)
            told = failures_of("json", result.stdout)[0]
            equal((words, result.returncode, expected if expected in told else told), (words, 2, expected))
        for name in modes:
            os.chmod(f"{place}/{name}", 0o755)  # so that it can be removed


@claim
def failures_come_in_the_order_of_the_command_line():
    with folder({"good.json": GOOD}) as place:
        result = run("check", "--as", "json", "-f", "json", "b", "good.json", "a", "-", "-", cwd=place, stdin=GOOD)
        report = json.loads(result.stdout)
        equal([f["path"] for f in report["failures"]], ["b", "a", "<stdin>"])
        equal([d["path"] for d in report["documents"]], ["good.json", "<stdin>"])


@claim
def the_summary_counts_what_was_fixed():
    plan = "step,agent,action,inputs,outputs,status,notes\n1,@a,x,,,done,n,,\n2,@a,y,,,done,n,\n"
    handoff = (ROOT / "examples/universal/mendable.handoff.json").read_text()
    message = (ROOT / "examples/contract/broken.contract.md").read_text()
    with folder({"p.steps.csv": plan, "h.handoff.json": handoff, "c.contract.md": message}) as place:
        paths = ["p.steps.csv", "h.handoff.json", "c.contract.md"]
        equal(json.loads(run("check", "-f", "json", *paths, cwd=place).stdout)["summary"]["fixed"], 0)
        report = json.loads(run("check", "--fix", "-f", "json", *paths, cwd=place).stdout)
        fixed = [f for d in report["documents"] for f in d["facts"].get("fixed", [])]
        changed = [c for d in report["documents"] for c in d["facts"].get("changes", []) if c["why"].isupper()]
        equal((report["summary"]["fixed"], len(fixed) >= 2, len(changed) >= 1), (len(fixed) + len(changed), True, True))
        equal(json.loads(run("check", "--fix", "-f", "json", *paths, cwd=place).stdout)["summary"]["fixed"], 0)


@claim
def sarif_has_the_exit_code():
    with folder({"good.json": GOOD, "bad.json": "{"}) as place:
        for words, code in ((["good.json"], 0), (["bad.json"], 1), (["bad.json", "gone.json"], 2)):
            result = run("check", "--as", "json", "-f", "sarif", *words, cwd=place)
            invocation = json.loads(result.stdout)["runs"][0]["invocations"][0]
            equal((invocation["exitCode"], invocation["executionSuccessful"], result.returncode), (code, code < 2, code))
            equal("toolExecutionNotifications" in invocation, code == 2)


@claim
def a_report_knows_when_another_could_not_be_written():
    with folder({"good.json": GOOD}) as place:
        result = run("check", "--as", "json", "-f", "sarif", "-o", "a.sarif", "-f", "json", "-o", "nowhere/b.json", "-f", "concise", "good.json", cwd=place)
        expect(result, 2, out="nowhere/b.json: not judged: ", err="cannot write nowhere/b.json")
        equal(failures_of("sarif", pathlib.Path(place, "a.sarif").read_text()), ([("nowhere/b.json", "io")], True))
        with open("/dev/full", "wb") as full:
            expect(run("check", "--as", "json", "-f", "json", "-f", "sarif", "-o", "a.sarif", "good.json", cwd=place, stdout=full), 2, err="No space left")
        equal(failures_of("sarif", pathlib.Path(place, "a.sarif").read_text())[1], True)


@claim
def a_report_behind_a_link_is_replaced_and_the_link_stays():
    with folder({"good.json": GOOD, "kept/report": "old"}) as place:
        os.symlink("kept/report", f"{place}/link")
        with open(f"{place}/kept/report", encoding="utf-8") as reading:
            expect(run("check", "--as", "json", "-f", "json", "-o", "link", "gone.json", cwd=place), 2, err="gone.json")
            equal(reading.read(), "old")  # a reader of the old file sees no half of the new one
        equal(failures_of("json", pathlib.Path(place, "kept/report").read_text())[1], True)
        equal(os.path.islink(f"{place}/link"), True)


@claim
def a_name_of_standard_output_is_written_through():
    with folder({"good.json": GOOD}) as place:
        command = '"$0" check --as json -f concise -f json -o /dev/stdout good.json > out; cat out'
        shown = subprocess.run(["sh", "-c", command, BATON], cwd=place, capture_output=True, env=environment(), check=True).stdout
        equal(json.loads(shown)["summary"]["accepted"], 1)


@claim
def a_governed_document_found_in_a_folder_is_judged_by_its_structure():
    with folder({"in/h.handoff.json": GOVERNED}) as place:
        result = run("check", "-f", "json", "--as", "governed", "in", cwd=place)
        report = json.loads(result.stdout)
        equal((report["failures"], [f["severity"] for f in report["documents"][0]["findings"] if f["code"] == "GOVERNANCE_NOT_CHECKED"]), ([], ["WARN"]))
        equal(failures_of("json", run("check", "-f", "json", "--as", "governed", "in/h.handoff.json", cwd=place).stdout)[0],
              [("in/h.handoff.json", "needs_root")])


@claim_if("-sanitized" not in sys.argv, "a sanitizer needs memory of its own")
def a_report_that_cannot_be_rendered_still_replaces_the_old_one():
    """With more and more memory: first nothing can be judged, then the report cannot be rendered, then it can."""
    seen = set()
    with folder({f"{number}.steps.csv": "step,status\n" + "1,x,y\n" * 6000 for number in range(10)}) as place:
        for megabytes in range(24, 400, 4):
            yesterday(place, "markdown")
            limit = (megabytes << 20, megabytes << 20)
            result = run("check", "-f", "markdown", "-o", "report", ".", cwd=place, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit))
            equal((result.returncode == 2, "accepted, 0 rejected (0 errors, 0 warnings)\n" in pathlib.Path(place, "report").read_text()[:100]),
                  (b"no memory" in result.stderr, False))
            seen.add((result.returncode, b"cannot render the report" in result.stderr))
            if result.returncode == 1:
                break
    equal(seen, {(2, False), (2, True), (1, False)})


finish()
