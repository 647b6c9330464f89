# SPDX-License-Identifier: Apache-2.0
"""test_examples.py ROOT BATON LIBRARY CC CXX - every example of the library is a short program that compiles as C17 and as C++17, with the
stable headers alone, and prints what it promises."""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT, BATON, LIBRARY = (pathlib.Path(name).resolve() for name in sys.argv[1:4])
LANGUAGES = {"c17": [*shlex.split(sys.argv[4]), "-std=c17"], "c++17": [*shlex.split(sys.argv[5]), "-x", "c++", "-std=c++17"]}
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests/tree")]

import tap  # noqa: E402

EXAMPLES = ROOT / "examples/library"
PLACE = pathlib.Path(tempfile.mkdtemp(prefix="baton-examples-"))
ENVIRONMENT = {**os.environ, "LD_LIBRARY_PATH": str(LIBRARY.parent), "HOME": str(PLACE), "BATON_STATE_DIR": str(PLACE / "state")}
GOOD, LOOP = "examples/universal/planner-to-builder.handoff.json", "examples/universal/loop.handoff.json"
LINES_MAX = 120
PATCH = '[{"op":"add","path":"/handoff/meta/handoff_reason","value":"One more change."}]'
SCHEMA = '{"properties":{"name":{"type":"string"},"kind":{"enum":["a","b"]}},"required":["name"]}'


def equal(actual, expected):
    if actual != expected:
        raise AssertionError(f"got {actual!r}\nexpected {expected!r}")


def run(program, *words, text=""):
    """(exit code, standard output) of an example, which must be the same in both languages. "{store}" is a new store, and "LOG" its origin."""
    results = []
    for language in LANGUAGES:
        folder = pathlib.Path(tempfile.mkdtemp(dir=PLACE))
        filled = [make_store(folder) if word == "{store}" else str(word) for word in words]
        done = subprocess.run([PLACE / f"{program}-{language}", *filled], input=text, capture_output=True, text=True, check=False, cwd=ROOT, env=ENVIRONMENT, timeout=60)
        results.append((done.returncode, done.stdout.replace(f"{folder.name}.example/log", "LOG")))
    equal(results[0], results[1])
    return results[0]


def make_store(folder):
    """A store of its own: its URL. Its key is in folder/vkey."""
    done = subprocess.run([BATON, "ledger", "init", "--origin", f"{folder.name}.example/log", "--store", "sqlite:store.db"], cwd=folder, env=ENVIRONMENT,
                          capture_output=True, text=True, check=True)
    (folder / "vkey").write_text(re.search(r"verifier key: (\S+)", done.stdout)[1])
    return f"sqlite:{folder}/store.db"


@tap.claim
def every_example_is_short_and_compiles_in_both_languages():
    names = sorted(path.stem for path in EXAMPLES.glob("*.c"))
    equal(names, ["builder", "call", "judge", "many", "receipt", "record", "repair", "schema", "threads", "tokens"])
    for name in names:
        text = (EXAMPLES / f"{name}.c").read_text()
        equal((name, text.count("\n") <= LINES_MAX), (name, True))
        equal((name, re.findall(r'#include (?:"|<(?!baton/|\w+\.h>))', text)), (name, []))
        for language, command in LANGUAGES.items():
            done = subprocess.run([*command, "-Wall", "-Wextra", "-Werror", "-pthread", "-I", ROOT / "include", EXAMPLES / f"{name}.c", "-x", "none", LIBRARY, "-o", PLACE / f"{name}-{language}"],
                                  capture_output=True, text=True, check=False)
            equal((name, language, done.returncode, done.stderr), (name, language, 0, ""))


@tap.claim
def judge_prints_findings_with_positions():
    equal(run("judge", LOOP), (1, '14:16 REENTRY_WITHOUT_REASON "patch-builder" has held the work before, and no reason is given\nrejected as universal\n'))
    equal(run("judge", GOOD), (0, "accepted as universal\n"))


@tap.claim
def many_writes_one_report():
    code, text = run("many", "examples/universal")
    results = json.loads(text)["runs"][0]["results"]
    found = {(row["ruleId"], row["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].rsplit("/", 1)[1]) for row in results}
    equal((code, ("REENTRY_WITHOUT_REASON", "loop.handoff.json") in found, any(name == "planner-to-builder.handoff.json" for _, name in found)), (1, True, False))


@tap.claim
def call_runs_any_operation():
    equal(run("call", "countTokens", text='{"text":"Does this fit?"}'), (0, '{"baton":1,"tokens":{"encoding":"o200k_base","exact":4,"estimate":3,"bytes":14}}\n'))
    equal(run("call", "none", text="{}")[0], 1)


@tap.claim
def schema_prints_what_is_allowed():
    (PLACE / "schema.json").write_text(SCHEMA)
    equal(run("schema", PLACE / "schema.json", text='{"name":"Ada"}\n{"name":5,"kind":"c"}\n{}\n'),
          (1, '2:18 SCHEMA_ENUM at "/kind", allowed: ["a","b"]\n2:9 SCHEMA_TYPE at "/name", allowed: "string"\n3:1 SCHEMA_REQUIRED at ""\n'))
    equal(run("schema", PLACE / "schema.json", text='{"name":"Ada"}\n'), (0, ""))


@tap.claim
def tokens_tells_whether_a_text_fits():
    equal(run("tokens", 4, text="Does this fit?"), (0, "4 of 4 tokens\n"))
    equal(run("tokens", 3, "cl100k_base", text="Does this fit?"), (1, "4 of 3 tokens\n"))


@tap.claim
def builder_judges_values():
    equal(run("builder", "Ada", 36), (0, ""))
    equal(run("builder", "", -1), (1, 'SCHEMA_MINIMUM at /age: -1 is below 0\nSCHEMA_MIN_LENGTH at /name: "" has 0 characters, fewer than 1\n'))


@tap.claim
def threads_share_a_schema():
    equal(run("threads"), (0, "4 threads, 2000 of 4000 documents valid, 4 replies\n"))


@tap.claim
def repair_takes_the_answer_of_a_model():
    code, text = run("repair", LOOP, text=PATCH)
    equal((code, json.loads(text)["handoff"]["meta"]["handoff_reason"]), (0, "One more change."))
    equal(run("repair", LOOP, text="no JSON")[0], 1)
    equal(run("repair", "none.json"), (2, ""))


@tap.claim
def record_submits_takes_and_finishes():
    equal(run("record", "{store}", "patch-builder", text=(ROOT / GOOD).read_text()), (0, "submitted: accepted, LOG#0\ntook h0 from release-planner\nfinished: ok\n"))
    equal(run("record", "{store}", "patch-builder", text=(ROOT / LOOP).read_text()), (1, "refused: REENTRY_WITHOUT_REASON\n"))
    equal(run("record", PLACE / "none.db", "patch-builder", text="{}"), (2, ""))


@tap.claim
def receipt_proves_what_was_recorded():
    folder = pathlib.Path(tempfile.mkdtemp(dir=PLACE))
    store = make_store(folder)
    request = json.dumps({"documents": [{"text": (ROOT / GOOD).read_text()}]})
    done = subprocess.run([PLACE / "call-c17", "--store", store, "submitHandoff"], input=request, capture_output=True, text=True, check=True, env=ENVIRONMENT)
    (folder / "receipt.json").write_text(json.dumps(json.loads(done.stdout)["receipt"]))
    key = (folder / "vkey").read_text()
    equal(run("receipt", key, folder / "receipt.json", GOOD), (0, "accepted\n"))
    code, text = run("receipt", key, folder / "receipt.json", LOOP)
    equal((code, text.endswith("rejected\n"), text.count("\n") > 1), (1, True, True))


try:
    CODE = tap.run()
finally:
    shutil.rmtree(PLACE)
sys.exit(CODE)
