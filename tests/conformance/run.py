#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py --baton PROGRAM [--only REGEX] [--jobs N] FILE... - run conformance cases and tell the results in TAP.

README.md describes the case format. Every case runs in an empty folder of its own, with colours off,
time zone UTC and no home, so N of them run at a time (one for each processor) and are told in their order.
A case is named chapter/id. Cases that waiting.txt lists are run as well; see waiting.py.
"""
import argparse
import base64
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import match
import waiting

STEP_SECONDS_MAX = 30
ENVIRONMENT = {"NO_COLOR": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
CASE_WORDS = {"id", "title", "files", "steps"}
STEP_WORDS = {"run", "stdin", "expect", "files", "env", "timeout_s"}
EXPECT_WORDS = {"exit", "verdict", "codes", "only", "not_codes", "json", "stdout", "stderr", "not_stdout",
                "not_stderr", "files"}


def as_bytes(content):
    """A string stands for itself, {"$base64": text} for bytes, any other value for its compact JSON."""
    if isinstance(content, dict) and set(content) == {"$base64"}:
        return base64.b64decode(content["$base64"])
    if not isinstance(content, str):
        content = match.compact(content)
    return content.encode("utf-8", "surrogatepass")


def write_files(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, dict) and set(content) == {"$link"}:
            path.symlink_to(content["$link"])
        else:
            path.write_bytes(as_bytes(content))


def refuse_unknown_words(members, known, where):
    """A misspelt expectation would pass for ever."""
    unknown = sorted(set(members) - known)
    if unknown:
        raise match.Mismatch(f"{where} has unknown members {unknown}")


def execute(step, folder, baton):
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(folder), **ENVIRONMENT}
    # What steers the sanitizers must reach the program under test.
    environment |= {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}
    environment |= step.get("env", {})
    try:
        return subprocess.run([baton, *step["run"]], cwd=folder, env=environment, capture_output=True,
                              input=as_bytes(step.get("stdin", "")),
                              timeout=step.get("timeout_s", STEP_SECONDS_MAX))
    except subprocess.TimeoutExpired:
        raise match.Mismatch("no answer in time") from None


def check_step(expect, done, folder):
    out = done.stdout.decode("utf-8", "replace")
    err = done.stderr.decode("utf-8", "replace")
    if "exit" in expect and done.returncode != expect["exit"]:
        raise match.Mismatch(f"exit {done.returncode} instead of {expect['exit']}")
    if done.returncode < 0:
        raise match.Mismatch(f"ended by signal {-done.returncode}")
    if expect.keys() & {"codes", "only", "not_codes", "verdict", "json"}:
        try:
            report = json.loads(out)
        except ValueError as why:
            raise match.Mismatch(f"stdout is not JSON: {why}") from None
        match.findings(expect, report)
        if "json" in expect:
            match.value(expect["json"], report, "stdout")
    for name, text in (("stdout", out), ("stderr", err)):
        if name in expect:
            match.text(expect[name], text, name)
        if "not_" + name in expect and expect["not_" + name] in text:
            raise match.Mismatch(f"{name} holds {expect['not_' + name]!r}")
    match.files(expect.get("files", {}), folder)


def run_step(step, folder, baton):
    refuse_unknown_words(step, STEP_WORDS, "the step")
    expect = step.get("expect", {})
    refuse_unknown_words(expect, EXPECT_WORDS, "expect")
    write_files(folder, step.get("files", {}))
    done = execute(step, folder, baton)
    try:
        check_step(expect, done, folder)
    except match.Mismatch as why:
        told = [f"baton {' '.join(step['run'])}: {why}"]
        told += [f"{name}: {text.decode('utf-8', 'replace')[:600]}"
                 for name, text in (("stdout", done.stdout), ("stderr", done.stderr)) if text]
        raise match.Mismatch("\n".join(told)) from None


def run_case(case, baton):
    if "steps" in case:
        refuse_unknown_words(case, CASE_WORDS, "the case")
        steps = case["steps"]
    else:
        refuse_unknown_words(case, CASE_WORDS | STEP_WORDS, "the case")
        steps = [{word: case[word] for word in case.keys() & STEP_WORDS - {"files"}}]
    with tempfile.TemporaryDirectory(prefix="baton-case-") as name:
        folder = pathlib.Path(name)
        write_files(folder, case.get("files", {}))
        for step in steps:
            run_step(step, folder, baton)


def read_chapter(path):
    """{chapter/id: case} of a file, which is called like its chapter; an id that appears twice is a mistake."""
    path = pathlib.Path(path)
    chapter = json.loads(path.read_text(encoding="utf-8"))
    cases = {f"{chapter['chapter']}/{case['id']}": case for case in chapter["cases"]}
    if chapter["chapter"] != path.stem or len(cases) != len(chapter["cases"]):
        raise SystemExit(f"{path}: the chapter is not called like the file, or an id appears twice")
    return cases


def fault_of(case, baton):
    """What is wrong, or None; a broken case is a failed case."""
    try:
        run_case(case, baton)
        return None
    except Exception as why:
        return f"{why}" or repr(why)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--baton", required=True, type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    found = [item for name in args.files for item in read_chapter(name).items()]
    cases = [(name, case) for name, case in found if re.search(args.only, name)]
    print(f"1..{len(cases)}")
    failed = 0
    listed = waiting.read()
    baton = str(args.baton.resolve())
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        faults = pool.map(lambda case: fault_of(case[1], baton), cases)
        for number, ((name, case), fault) in enumerate(zip(cases, faults), 1):
            failed += waiting.tell(number, name, case["title"], fault, listed)
            sys.stdout.flush()
    return 0 if cases and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
