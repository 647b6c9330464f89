# SPDX-License-Identifier: Apache-2.0
"""test_tokens.py BATON - baton tokens: figures, budgets and refusals from outside."""
import json
import sys

from handoffs import handoff
from program import claim, equal, expect, finish, folder, on_terminal, report, run

SPECIAL = "<|endoftext|>"

# (text, o200k_base, cl100k_base)
COUNTS = [
    ("", 0, 0),
    (SPECIAL, 7, 7),
    ("I\u2019ll go, won't you?\n\n   done  ", 10, 11),
    ("\u00e9\u6f22\u5b57 \U0001f600\U0001f600", 5, 7),
]


def figures(text, encoding, exact):
    size = len(text.encode())
    return {"encoding": encoding, "exact": exact, "estimate": size // 4, "bytes": size}


@claim
def a_text_is_counted_exactly_in_either_encoding():
    for text, o200k, cl100k in COUNTS:
        expected = {"baton": 1, "tokens": figures(text, "o200k_base", o200k)}
        equal(report(expect(run("tokens", "-f", "json", stdin=text), 0)), expected)
        equal(report(expect(run("tokens", "-f", "json", "-", stdin=text), 0)), expected)
        for flag in ("--tokens", "--encoding"):
            made = run("tokens", flag, "cl100k_base", "-f", "json", "-", stdin=text)
            equal(report(expect(made, 0)), {"baton": 1, "tokens": figures(text, "cl100k_base", cl100k)})


@claim
def the_last_encoding_that_is_named_counts():
    for words in (["--tokens", "cl100k_base", "--encoding", "chars4"], ["--encoding", "o200k_base", "--tokens", "chars4"]):
        equal(report(run("tokens", *words, "-f", "json", stdin="abcd"))["tokens"]["encoding"], "chars4")


@claim
def the_configuration_chooses_the_encoding_unless_a_flag_does():
    with folder({"baton.yaml": "check: {tokens: cl100k_base}\n", "c.yaml": "check: {tokens: chars4}\n", "a.txt": "abcd"}) as place:
        def counted(*words):
            return report(expect(run("tokens", "-f", "json", *words, "a.txt", cwd=place), 0))["tokens"]["encoding"]
        equal((counted(), counted("--config", "c.yaml"), counted("--no-config"), counted("--tokens", "o200k_base")),
              ("cl100k_base", "chars4", "o200k_base", "o200k_base"))
    with folder({"baton.yaml": "check: [\n", "a.txt": "abcd"}) as place:
        expect(run("tokens", "a.txt", cwd=place), 2, err="baton.yaml:")


@claim
def every_command_that_counts_tokens_obeys_the_configuration():
    draft = ["new", "universal", "--dry-run", "--source", "a", "--target", "b", "--workflow-id", "w", "--session-path", "s", "--phase", "p", "--summary", "Build it.",
             "--problem-type", "implementation"]
    with folder({"baton.yaml": "check: {budget: 1}\n", "h.json": json.dumps(handoff())}) as place:
        for words in (["check", "--as", "universal", "h.json"], ["convert", "--to", "universal", "h.json"], ["compress", "h.json"], draft):
            strict, free = run(*words, "-f", "json", cwd=place), run(*words, "-f", "json", "--no-config", cwd=place)
            equal((words, b"TOKENS_OVER_BUDGET" in strict.stdout, b"TOKENS_OVER_BUDGET" in free.stdout), (words, True, False))


@claim
def chars4_has_no_exact_count():
    made = run("tokens", "--tokens", "chars4", "-f", "json", stdin=SPECIAL)
    equal(report(expect(made, 0)), {"baton": 1, "tokens": figures(SPECIAL, "chars4", None)})


@claim
def several_files_are_listed():
    with folder({"a.txt": "hello world", "b.txt": SPECIAL}) as place:
        made = report(expect(run("tokens", "-f", "json", "a.txt", "b.txt", cwd=place), 0))
        equal(made, {"baton": 1, "files": [{"path": "a.txt", **figures("hello world", "o200k_base", 2)},
                                           {"path": "b.txt", **figures(SPECIAL, "o200k_base", 7)}]})
        table = expect(run("tokens", "a.txt", "b.txt", cwd=place), 0).stdout.decode().splitlines()
        equal([row.split() for row in table], [["o200k_base", "estimate", "bytes"], ["2", "2", "11", "a.txt"],
                                               ["7", "3", "13", "b.txt"], ["9", "5", "24", "in", "all"]])


@claim
def a_budget_is_kept_up_to_its_last_token():
    for words, code in ((["--budget", "7"], 0), (["--budget", "6"], 1), (["--budget", "0"], 1),
                        (["--budget", "3", "--tokens", "chars4"], 0), (["--budget", "2", "--tokens", "chars4"], 1)):
        made = expect(run("tokens", *words, "-f", "json", stdin=SPECIAL), code)
        equal(report(made)["tokens"]["bytes"], 13)
    with folder({"a.txt": "hello world", "b.txt": SPECIAL}) as place:
        expect(run("tokens", "--budget", "6", "a.txt", "b.txt", cwd=place), 1, out="b.txt  (1 over the budget)")
        expect(run("tokens", "--budget", "7", "a.txt", "b.txt", cwd=place), 0)


@claim
def what_is_no_utf8_is_reported():
    for text in (b"a\xff", b"\xed\xa0\x80", b"\xc0\xaf"):
        made = report(expect(run("tokens", "-f", "json", stdin=text), 1))
        equal(sorted(made), ["baton", "findings"])
        equal([(f["code"], f["severity"], f["pointer"]) for f in made["findings"]], [("JSON_UTF8", "HARD", "")])
    expect(run("tokens", stdin=b"ab\xff"), 1, out="error[JSON_UTF8]")
    with folder({"a.txt": "hello world", "b.txt": b"\xff"}) as place:
        made = report(expect(run("tokens", "-f", "json", "a.txt", "b.txt", cwd=place), 1))
        equal([file["path"] for file in made["files"]], ["a.txt", "b.txt"])
        equal([made["files"][0]["exact"], made["files"][1]["findings"][0]["code"]], [2, "JSON_UTF8"])


@claim
def a_missing_or_other_table_leaves_the_estimate():
    with folder({"empty/x": "", "other/o200k_base.tiktoken": "IQ== 0\n"}) as place:
        for name in ("empty", "other", "none"):
            made = report(expect(run("tokens", "--token-dir", name, "-f", "json", stdin="abcdefgh", cwd=place), 0))
            equal(made["tokens"], figures("abcdefgh", "chars4", None))
            finding = made["findings"][0]
            equal((finding["code"], finding["severity"], finding["stage"], finding["pointer"]),
                  ("TOKENS_UNAVAILABLE", "WARN", "budget", ""))
            equal((finding["params"]["encoding"], finding["params"]["reason"] != ""), ("o200k_base", True))
            expect(run("tokens", "--token-dir", name, stdin="x", cwd=place), 0, out="warning[TOKENS_UNAVAILABLE]")
        made = report(expect(run("tokens", "--token-dir", "none", "--tokens", "chars4", "-f", "json", stdin="abcdefgh"), 0))
        equal(made, {"baton": 1, "tokens": figures("abcdefgh", "chars4", None)})
        expect(run("tokens", "--token-dir", "none", "--budget", "1", stdin="abcdefgh"), 1)


@claim
def misuse_is_told_and_counts_nothing():
    for words, why in ((["--tokens", "p50k"], "unknown encoding p50k"), (["--budget", "many"], "--budget wants"),
                       (["--budget", "-1"], "--budget wants"), (["-f", "sarif"], "unknown format"),
                       (["none"], "cannot read none"), (["-", "-"], "standard input was read already")):
        made = expect(run("tokens", *words, stdin=""), 2, err=why)
        equal(made.stdout.count(b"none"), 0)
    equal(expect(run("tokens", "none"), 2, err="cannot read").stdout, b"")


@claim
def on_a_terminal_a_file_must_be_named():
    code, output = on_terminal("tokens")
    equal((code, b"give a FILE" in output), (2, True))


@claim
def eight_megabytes_of_one_letter_are_counted():
    made = report(expect(run("tokens", "-f", "json", stdin=b"a" * (8 << 20)), 0))
    equal(made["tokens"]["exact"], 1 << 20)


sys.exit(finish())
