# SPDX-License-Identifier: Apache-2.0
"""test_check.py BATON - baton check: exit codes, odd inputs, several documents, limits and pins."""
import os
import pathlib
import resource
import socket
import subprocess
import sys

from program import (BATON, SANITIZED, claim, claim_if, codes, environment, equal, expect, finish, folder,
                     public_folder, report, run, run_as_nobody)

GOOD = '{"a":[1,2]}'
WARN = '{"a":"\\ud800"}'
BROKEN = '{"a":1,}'

# What is in a file, and what is found in it.
CONTENTS = {
    "an_empty_file_is_rejected": (b"", "JSON_SYNTAX"),
    "blanks_alone_are_rejected": (b" \n\t\r\n", "JSON_SYNTAX"),
    "a_binary_file_is_rejected": (bytes(range(256)), "JSON_UTF8"),
    "a_program_is_rejected": (b"\x7fELF\x02\x01\x01" + b"\0" * 64, "JSON_SYNTAX"),
    "a_byte_order_mark_is_rejected": (b"\xef\xbb\xbf{}", "JSON_SYNTAX"),
    "utf_16_is_rejected": ("{}".encode("utf-16"), "JSON_UTF8"),
    "nine_mebibytes_are_rejected": (b'["' + b"x" * (9 << 20) + b'"]', "JSON_TOO_LARGE"),
    "one_byte_too_many_is_rejected": (b"[" + b" " * ((8 << 20) - 1) + b"]", "JSON_TOO_LARGE"),
    "deep_nesting_is_rejected": (b"[" * 100000, "JSON_TOO_DEEP"),
    "a_repeated_name_is_rejected": (b'{"a":1,"\\u0061":2}', "JSON_DUPLICATE_KEY"),
    "two_values_are_rejected": (b"{} {}", "JSON_SYNTAX"),
    "nan_is_rejected": (b"[NaN]", "JSON_SYNTAX"),
}


def judge_content(name, content, code):
    def test():
        with folder({"x.json": content}) as place:
            equal(codes(expect(run("check", "--as", "json", "-f", "json", "x.json", cwd=place), 1)), [code])
        equal(codes(expect(run("check", "--as", "json", "-f", "json", "-", stdin=content), 1)), [code])
    test.__name__ = name
    claim(test)


for name, (content, code) in CONTENTS.items():
    judge_content(name, content, code)


@claim
def a_document_at_the_size_limit_is_accepted():
    expect(run("check", "--as", "json", "-", stdin=b"[" + b" " * ((8 << 20) - 2) + b"]"), 0)


@claim
def a_good_document_is_accepted():
    with folder({"x.json": GOOD}) as place:
        expect(run("check", "--as", "json", "x.json", cwd=place), 0, out="1 document: 1 accepted")
        found = report(expect(run("check", "--as", "json", "-f", "json", "x.json", cwd=place), 0))
    equal(found, {"baton": 1,
                  "documents": [{"path": "x.json", "dialect": "json", "verdict": "accepted", "findings": [],
                                 "facts": {"bytes": 11, "nodes": 3}}], "failures": [],
                  "summary": {"documents": 1, "accepted": 1, "rejected": 0, "hard": 0, "warn": 0, "info": 0, "failures": 0, "suppressed": 0, "fixed": 0}})


@claim
def standard_input_has_a_path_of_its_own():
    found = report(expect(run("check", "--as", "json", "-f", "json", "-", stdin=BROKEN), 1))
    equal(found["documents"][0]["path"], "<stdin>")


@claim
def standard_input_is_read_once():
    expect(run("check", "--as", "json", "-", "-", stdin=GOOD), 2, out="1 document", err="read already")


@claim
def a_closed_standard_input_is_a_failure():
    result = subprocess.run(["sh", "-c", '"$0" check --as json - <&-', BATON], capture_output=True, env=environment(), check=False)
    expect(result, 2, out="<stdin>: not judged: Bad file descriptor", err="cannot read <stdin>")


@claim
def without_a_path_nothing_is_judged():
    expect(run("check"), 2, err="nothing to check")
    expect(run("check", "--as", "json", "--"), 2, err="nothing to check")
    expect(run("check", "--as", "json", "-f", "json"), 2, err="nothing to check")


@claim
def what_cannot_be_read_is_a_failure():
    with folder({"sub/other.txt": GOOD}) as place:
        os.mkfifo(f"{place}/fifo")
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(f"{place}/socket")
            os.symlink("gone", f"{place}/dangling")
            os.symlink("loop", f"{place}/loop")
            for path, words in {
                "missing.json": "No such file", "": "the path is empty", "x.json/y": "No such file",
                "fifo": "not a regular file", "socket": "not a regular file", "/dev/null": "not a regular file",
                "/dev/zero": "not a regular file", "dangling": "No such file", "loop": "symbolic links",
                "sub": "it holds no document", "sub/": "it holds no document",
                "x" * 300: "too long",
            }.items():
                result = expect(run("check", "--as", "json", "-f", "concise", path, cwd=place), 2, err=words)
                equal((result.stdout.count(b"\n"), words.encode() in result.stdout), (1, True))


@claim
def a_file_without_permission_is_a_failure():
    with public_folder({"x.json": GOOD, "sub/y.handoff.json": GOOD, "ok.handoff.json": GOOD}) as place:
        os.chmod(f"{place}/x.json", 0)
        os.chmod(f"{place}/sub", 0)
        expect(run_as_nobody(place, "check", "--as", "json", "x.json"), 2, err="Permission denied")
        expect(run_as_nobody(place, "check", "--as", "json", "."), 2, out="1 accepted", err="cannot look through sub")
        os.chmod(f"{place}/sub", 0o755)  # so that it can be removed


@claim
def what_can_be_judged_is_judged():
    with folder({"a.json": GOOD, "b.json": BROKEN}) as place:
        result = expect(run("check", "--as", "json", "-f", "json", "a.json", "missing.json", "b.json", cwd=place), 2,
                        err="cannot read missing.json")
        equal([document["verdict"] for document in report(result)["documents"]], ["accepted", "rejected"])


@claim
def one_rejected_document_rejects_the_run():
    with folder({"a.json": GOOD, "b.json": BROKEN, "c.json": GOOD}) as place:
        found = report(expect(run("check", "--as", "json", "-f", "json", "a.json", "b.json", "c.json", cwd=place), 1))
    equal(found["summary"], {"documents": 3, "accepted": 2, "rejected": 1, "hard": 1, "warn": 0, "info": 0, "failures": 0, "suppressed": 0, "fixed": 0})


@claim
def the_fail_level_decides():
    for level, code in {"HARD": 0, "error": 0, "WARN": 1, "Warning": 1, "INFO": 1}.items():
        expect(run("check", "--as", "json", "--fail-level", level, "-", stdin=WARN), code)
        expect(run("check", "--as", "json", f"--fail-level={level}", "-", stdin=BROKEN), 1)
    expect(run("check", "--as", "json", "--fail-level", "eror", "-", stdin=GOOD), 2, err="--fail-level: unknown severity eror, did you mean error?")


@claim
def a_dialect_can_be_named():
    expect(run("check", "--as", "json", "--as", "json", "-", stdin=GOOD), 0)
    expect(run("check", "--as", "json", "--as", "jsn", "-", stdin=GOOD), 2, err="unknown dialect jsn, did you mean json?")
    expect(run("check", "--as", "json", "--as", "", "-", stdin=GOOD), 2, err="unknown dialect")


@claim
def limits_can_be_lowered_and_only_lowered():
    for limit, content, code in [
        ("depth=1", "[1]", 0), ("depth=1", "[[1]]", 1), ("nodes=1", "[1]", 0), ("nodes=1", "[1,2]", 1),
        ("string_bytes=3", '"abc"', 0), ("string_bytes=3", '"abcd"', 1), ("document_bytes=3", "[1]", 0),
        ("document_bytes=3", "[1 ]", 1), ("row_bytes=1", "[1]", 0), ("cell_bytes=1", "[1]", 0),
        ("xml_bytes=1", "[1]", 0), ("xml_depth=1", "[1]", 0),
    ]:
        expect(run("check", "--as", "json", "--limit", limit, "-", stdin=content), code)
    for limit, words in {
        "depth=129": "can only be lowered", "depth=0": "whole number", "depth=x": "whole number", "depth": "whole number",
        "depth=-1": "whole number", "size=1": "--limit: unknown limit size", "": "unknown limit",
        "depth=99999999999999999999": "whole number",
    }.items():
        expect(run("check", "--as", "json", "--limit", limit, "-", stdin=GOOD), 2, err=words)
    expect(run("check", "--as", "json", "--limit", "depth=5", "--limit", "depth=6", "-", stdin=GOOD), 2, err="5 is in force")


@claim
def time_and_chance_can_be_pinned():
    for flags in (["--now", "2026-02-11T00:45:02Z"], ["--today", "2026-07-01"], ["--seed", "0"],
                  ["--seed", str(2 ** 53 - 1)], ["--now=2026-02-11T00:45:02.5+01:00", "--seed=7"]):
        expect(run("check", "--as", "json", *flags, "-", stdin=GOOD), 0)
    for flag, value in (("--now", "2026-02-11"), ("--now", "now"), ("--today", "2026-02-30"), ("--today", "today"),
                        ("--seed", str(2 ** 53)), ("--seed", "-1"), ("--seed", "x"), ("--seed", "")):
        expect(run("check", "--as", "json", flag, value, "-", stdin=GOOD), 2, err=f"{flag} wants")


@claim
def a_root_must_be_a_folder():
    with folder({"x.json": GOOD}) as place:
        expect(run("check", "--as", "json", "--root", ".", "x.json", cwd=place), 0)
        expect(run("check", "--as", "json", "--root", "none", "x.json", cwd=place), 2, err="none")
        expect(run("check", "--as", "json", "--root", "x.json", "x.json", cwd=place), 2, err="x.json")


@claim
def flags_that_mean_nothing_yet_are_refused():
    for flag in ("--store", "--actor"):
        expect(run("check", "--as", "json", flag, "x", "-", stdin=GOOD), 2, err=f"unknown flag {flag}")


@claim
def flags_and_paths_mix_and_two_dashes_end_the_flags():
    with folder({"-x.json": GOOD, "--help": GOOD, "y.json": GOOD}) as place:
        expect(run("check", "--as", "json", "y.json", "-f", "concise", cwd=place), 0)
        expect(run("check", "--as", "json", "-fconcise", "y.json", cwd=place), 0)
        expect(run("check", "--as", "json", "--", "-x.json", "--help", cwd=place), 0, out="2 documents")
        expect(run("check", "--as", "json", "./-x.json", cwd=place), 0)
        expect(run("check", "--as", "json", "-x.json", cwd=place), 2, err="unknown flag -x.json")


@claim
def control_characters_never_reach_the_terminal():
    name = "\x1b[31mred\u202e.json"
    result = expect(run("check", "--as", "json", name), 2, err="\\x1b[31mred\\u{202e}.json")
    equal(b"\x1b" in result.stderr, False)
    with folder({name: BROKEN}) as place:
        for form in ("full", "concise", "github", "markdown"):
            result = run("check", "--as", "json", "-f", form, name, cwd=place)
            equal((result.returncode, b"\x1b" in result.stdout), (1, False))


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (48 << 20, 48 << 20))


@claim_if(not SANITIZED, "a sanitizer needs more memory than this test leaves")
def a_lack_of_memory_is_a_failure():
    crowded = "[" + ",".join(["[]"] * 900000) + "]"
    expect(run("check", "--as", "json", "-", stdin=crowded), 0)
    result = run("check", "--as", "json", "-", stdin=crowded, preexec_fn=limit_memory)
    expect(result, 2, out="<stdin>: not judged: no memory left", err="no memory left")


@claim
def the_shipped_examples_are_what_their_page_says():
    root = pathlib.Path(__file__).parent.parent.parent
    found = report(expect(run("check", "--as", "json", "-f", "json", "examples/json", cwd=root), 1))
    judged = {pathlib.Path(document["path"]).name: [finding["code"] for finding in document["findings"]]
              for document in found["documents"]}
    page = (root / "examples/json/README.md").read_text()
    rows = {cells[1].strip(" `"): cells[2] for cells in (line.split("|") for line in page.splitlines())
            if len(cells) == 4 and ".json" in cells[1]}
    equal(sorted(rows), sorted(judged))
    for name, text in rows.items():
        equal([code for code in judged[name] if code not in text], [])
        equal("JSON_" in text, bool(judged[name]))


sys.exit(finish())
