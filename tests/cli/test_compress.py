# SPDX-License-Identifier: Apache-2.0
"""test_compress.py BATON - baton compress: the smallest step that fits, and nothing lost unsaid."""
import hashlib
import json
import os
import pathlib
import random
import sys

from compress_model import FORMS, Compression, shortened
from handoffs import at, handoff, minified, patched, pretty, text_of
from program import NOBODY, claim, equal, expect, finish, folder, public_folder, report, run, run_as_nobody

NOW = ("--now", "2026-04-14T09:00:00Z")
FOUR = ("--tokens", "chars4")
SPILLED = "work/handoffs/session-context.json"
SESSION = {"artifacts": [{"name": f"run {i}", "path": f"{i}.log", "type": "data"} for i in range(6)], "state": {"gate": "2"}}
WORDS = "the parser fails on dates in february and three customers wait for a fix of it".split()


def compress(place, *args, code=0, name="h.json", **more):
    result = run("compress", *FOUR, *NOW, "-f", "json", *args, name, cwd=place, **more)
    expect(result, code)
    return report(result)["documents"][0]


def large(sealed=True, **parts):
    """A document that every step can make smaller."""
    return handoff(sealed, **{
        "expires_at": "2026-04-20T00:00:00Z",
        "target": {"invocation": "/patch-builder --now", "expected_phase": "Build"},
        "context": {"original_prompt": "Dates in February break the import.", "success_criteria": ["they import"]},
        "payload": {"working": {"log": " ".join(WORDS * 40)}, "session": SESSION},
        "tracing": {"tags": {"team": "core"}}, **parts})


MINIFIED = len(text_of(large()).encode()) // 4  # its tokens without white space


def bare(**parts):
    return text_of(handoff(**parts))


# ---- Against the model ---------------------------------------------------------------------------------

def random_text(rng):
    kind = rng.randrange(4)
    length = rng.choice((3, 30, 480, 499, 500, 501, 503, 620, 1500))
    if kind == 0:
        return "x" * length
    if kind == 1:
        return " ".join(rng.choice(WORDS) for _ in range(length // 4 + 1))
    if kind == 2:
        return "".join(rng.choice("ab \t\n\u00e9\u20ac\U0001f600") for _ in range(length))
    return " " * length


def random_working(rng, depth=0):
    if depth > 2 or rng.random() < 0.5:
        return random_text(rng)
    if rng.random() < 0.5:
        return [random_working(rng, depth + 1) for _ in range(rng.randrange(3))]
    return {f"m{i}": random_working(rng, depth + 1) for i in range(rng.randrange(3))}


def random_handoff(rng):
    parts = {"payload": {"working": {f"w{i}": random_working(rng) for i in range(rng.randrange(4))}},
             "context": {"summary": random_text(rng)[:500] or "s"}}
    if rng.random() < 0.6:
        parts["payload"]["session"] = rng.choice((SESSION, {}, {"state": {"s": random_text(rng)}}))
    if rng.random() < 0.4:
        parts["payload"]["references"] = rng.choice(({}, {"files": []}, {"files": [{"path": "h.json"}]}))
    for outer, name, value in (("target", "invocation", "/go"), ("target", "expected_phase", "Build"),
                               ("context", "original_prompt", random_text(rng)), ("context", "success_criteria", ["a", "b"])):
        if rng.random() < 0.5:
            parts.setdefault(outer, {})[name] = value
    if rng.random() < 0.5:
        parts["tracing"] = {"tags": {"team": random_text(rng)[:40]}}
    if rng.random() < 0.5:
        parts["expires_at"] = "2026-04-20T00:00:00Z"
    return handoff(rng.random() < 0.5, **parts)


def check_one(rng, number):
    document = random_handoff(rng)
    style = rng.choice(sorted(FORMS))
    text = text_of(document, FORMS[style])
    budget = rng.choice((rng.randrange(1, 2001), max(1, min(2000, len(text.encode()) // 4 - rng.randrange(200)))))
    if len(text.encode()) // 4 <= budget:
        return "unchanged"
    given = json.loads(text)
    model = Compression(given, budget, FORMS[style])
    with folder({"h.json": text}) as place:
        shown = compress(place, "--budget", str(budget), "--literal", code=0 if model.text else 1)
        equal((number, shown["facts"]["compress"]["steps"]), (number, model.steps))
        if model.text is None:
            equal((shown["outcome"], shown["facts"]["changes"], "document" in shown, names(place)), ("escalated", [], False, ["h.json"]))
            return "escalated"
        result = json.loads(model.text)
        equal(shown["document"], result)
        equal(patched(given, shown["facts"]["changes"]), result)
        equal(shown["facts"]["compress"]["after"], {"count": model.steps[-1]["count"], "bytes": len(model.text.encode())})
        lossy = {f["pointer"] for f in shown["findings"] if f["code"] == "COMPRESS_LOSSY"}
        gone = {p for p in ("/handoff/expires_at", "/handoff/payload/session") if at(given, p) is not None and at(result, p) is None}
        equal(gone <= lossy, True)
        removed = {op["path"] for op in shown["facts"]["changes"] if op["op"] == "remove"}
        named = {f["pointer"] for f in shown["findings"] if f["code"].startswith("COMPRESS_")}
        equal(removed - named, set())
    return "compressed"


def names(place):
    return sorted(os.listdir(place))


@claim
def the_original_order_does_what_the_model_does():
    rng = random.Random(7)
    outcomes = [check_one(rng, number) for number in range(100)]
    for outcome in ("compressed", "escalated"):  # a model that is never asked proves nothing
        equal((outcome, outcomes.count(outcome) > 10), (outcome, True))


@claim
def the_model_shortens_as_the_format_says():
    equal(shortened("a" * 501, 500), "a" * 497 + "...")
    equal(shortened("a" * 300 + " " + "b" * 300, 500), "a" * 300 + "...")
    equal(shortened("a" * 249 + " " + "b" * 300, 500), "a" * 249 + " " + "b" * 247 + "...")
    equal(shortened("a" * 250 + " \t\n" + "b" * 300, 500), "a" * 250 + "...")


# ---- Spilling ------------------------------------------------------------------------------------------

@claim
def an_equal_file_is_reused_and_another_is_left_alone():
    with folder({"h.json": text_of(large())}) as place:
        first = compress(place, "--budget", "600")
        equal(first["facts"]["spilled"]["path"], SPILLED)
        content = pathlib.Path(place, SPILLED).read_bytes()
        equal(first["facts"]["spilled"]["sha256"], "sha256:" + hashlib.sha256(content).hexdigest())
        equal((first["facts"]["spilled"]["bytes"], content.decode()), (len(content), minified(SESSION)))
        before = os.stat(pathlib.Path(place, SPILLED))
        equal(compress(place, "--budget", "600")["facts"]["spilled"]["path"], SPILLED)
        equal(os.stat(pathlib.Path(place, SPILLED)).st_ino, before.st_ino)
        pathlib.Path(place, SPILLED).write_text("mine")
        equal(compress(place, "--budget", "600")["facts"]["spilled"]["path"], SPILLED.replace(".json", "-2.json"))
        equal(pathlib.Path(place, SPILLED).read_text(), "mine")


@claim
def the_folder_and_the_file_are_private():
    with folder({"h.json": text_of(large())}) as place:
        compress(place, "--budget", "600")
        equal([oct(os.stat(pathlib.Path(place, path)).st_mode & 0o7777) for path in ("work", "work/handoffs", SPILLED)],
              ["0o700", "0o700", "0o600"])


@claim
def the_reference_leads_to_the_file_and_the_seal_holds():
    with folder({"h.json": text_of(large(), pretty)}) as place:
        compress(place, "--budget", "600", "-o", "o.json")
        checked = report(expect(run("check", *FOUR, *NOW, "-f", "json", "o.json", cwd=place), 0))["documents"][0]
        equal((checked["findings"], checked["facts"]["payload"]["sealed"], checked["facts"]["refs"]["checked"]), ([], "yes", 2))


@claim
def with_ninety_nine_names_taken_nothing_is_written():
    names = [SPILLED] + [SPILLED.replace(".json", f"-{i}.json") for i in range(2, 100)]
    with folder({"h.json": text_of(large()), **{name: "taken" for name in names}}) as place:
        result = run("compress", *FOUR, *NOW, "--budget", "600", "-o", "o.json", "h.json", cwd=place)
        expect(result, 2, err="cannot finish")
        equal((result.stdout, pathlib.Path(place, "o.json").exists()), (b"", False))


def unsafe(path, why):
    def test():
        document = large(source={"session_path": path})
        with folder({"h.json": text_of(document), "elsewhere/keep": "x"}) as place:
            os.symlink("elsewhere", pathlib.Path(place, "link"))
            shown = compress(place, "--budget", "600", "-o", "o.json", code=1)
            found = [f for f in shown["findings"] if f["code"] == "SESSION_PATH_UNSAFE"]
            equal([(f["pointer"], f["severity"], f["security"]) for f in found],
                  [("/handoff/source/session_path", "HARD", True)])
            equal((shown["outcome"], shown["facts"]["changes"]), ("escalated", []))
            equal(sorted(os.listdir(place)), ["elsewhere", "h.json", "link"])
            equal(os.listdir(pathlib.Path(place, "elsewhere")), ["keep"])
            budget = len(text_of(document)) // 4 - 1
            if budget <= 2000:  # negative control: it compresses when nothing is moved out
                equal(compress(place, "--budget", str(budget), "--no-spill")["outcome"], "compressed")
                equal(sorted(os.listdir(place)), ["elsewhere", "h.json", "link"])
    test.__name__ = f"a_session_path_{why}_rejects"
    claim(test)


for path, why in (("../up", "that_climbs"), ("work/../../up", "that_climbs_on_the_way"), ("/etc/baton-test", "outside_the_roots"),
                  ("link", "that_is_a_link"), ("link/deeper", "through_a_link"), ("a\u001bb", "with_control_characters"),
                  ("", "that_is_empty"), ("x" * 4097, "that_is_too_long")):
    unsafe(path, why)


@claim
def a_folder_that_cannot_be_used_is_replaced_by_a_private_one():
    with folder({"h.json": text_of(large()), "work": "a file", "tmp/keep": ""}) as place:
        shown = compress(place, "--budget", "600", env={"TMPDIR": f"{place}/tmp"})
        used = f"{place}/tmp/baton-{os.getuid()}/handoffs/session-context.json"
        equal((shown["outcome"], shown["facts"]["spilled"]["path"]), ("compressed", used))
        equal(at(shown["document"], "/handoff/payload/references/files/0/path"), used)
        note = [f for f in shown["findings"] if f["code"] == "WRITE_FALLBACK"]
        texts = used.replace("session-context", "full-text")
        equal([(f["severity"], f["params"]) for f in note],
              [("WARN", {"wanted": SPILLED, "used": used}), ("WARN", {"wanted": SPILLED.replace("session-context", "full-text"), "used": texts})])
        equal((shown["facts"]["spilled_text"]["path"], json.loads(pathlib.Path(texts).read_text())),
              (texts, {"/handoff/payload/working/log": " ".join(WORDS * 40)}))
        equal(pathlib.Path(used).read_text(), minified(SESSION))


@claim
def a_fallback_that_others_can_use_is_refused():
    with folder({"h.json": text_of(large()), "work": "a file", "tmp/keep": ""}) as place:
        os.mkdir(f"{place}/tmp/baton-{os.getuid()}", 0o755)
        expect(run("compress", *FOUR, *NOW, "--budget", "600", "-o", "o.json", "h.json", cwd=place,
                   env={"TMPDIR": f"{place}/tmp"}), 2, err="mode 0700")
        equal(pathlib.Path(place, "o.json").exists(), False)


@claim
def the_receiver_is_asked_what_it_needs():
    skill = "---\nname: patch-builder\nhandoff:\n  accepts_from: [\"*\"]\n  schema_version: \"3.0\"\n  requires: [context.original_prompt]\n---\n"
    with folder({"h.json": text_of(large()), "skills/p/SKILL.md": skill}) as place:
        kept = compress(place, "--budget", str(MINIFIED - 1), "--skills", "skills")
        equal("TARGET_REQUIRES_MISSING" in [f["code"] for f in kept["findings"]], False)
        cut = compress(place, "--budget", "350", "--skills", "skills")
        equal([(f["severity"], f["params"]["path"]) for f in cut["findings"] if f["code"] == "TARGET_REQUIRES_MISSING"],
              [("WARN", "context.original_prompt")])


# ---- What is left alone --------------------------------------------------------------------------------

@claim
def a_document_that_fits_comes_out_as_it_is():
    text = bare().replace(":", ": ", 1)
    with folder({"h.json": text}) as place:
        shown = compress(place, "-o", "o.json")
        equal((shown["outcome"], shown["facts"]["changes"], shown["facts"]["compress"]["steps"]), ("unchanged", [], []))
        equal(pathlib.Path(place, "o.json").read_text(), text)
        equal(compress(place, "--in-place").get("written"), None)
        equal(sorted(os.listdir(place)), ["h.json", "o.json"])


@claim
def many_long_texts_cannot_keep_it_busy():
    hopeless = handoff(payload={"working": {f"m{i}": " ".join(WORDS * 10) for i in range(9000)}})
    blank = handoff(payload={"working": {f"m{i}": " " * 5000 for i in range(300)}})
    with folder({"h.json": text_of(hopeless), "blank.json": text_of(blank)}) as place:
        shown = compress(place, code=1)
        equal((shown["outcome"], shown["facts"]["compress"]["steps"][0]["step"]), ("escalated", "minify"))
        shown = compress(place, name="blank.json")
        equal((shown["outcome"], len(shown["facts"]["compress"]["steps"])), ("compressed", 301))


def refused(name, text, code):
    def test():
        with folder({"h.json": text}) as place:
            shown = compress(place, "--budget", "60", "-o", "o.json", code=1)
            equal((code in [f["code"] for f in shown["findings"]], shown["outcome"], "document" in shown), (True, "escalated", False))
            equal(os.listdir(place), ["h.json"])
    test.__name__ = f"a_document_with_{name}_is_left_alone"
    claim(test)


refused("a_wrong_type", text_of(large(sealed=False, context={"problem_type": "chore"})), "SCHEMA_ENUM")
refused("a_broken_seal", text_of(large()).replace("DP", "DQ").replace("gate", "gait"), "PAYLOAD_HASH_MISMATCH")
refused("a_loop", text_of(large(target={"skill": "Release-Planner "})), "SELF_LOOP")
refused("bad_json", text_of(large())[:-1], "JSON_SYNTAX")
refused("nothing_that_helps", bare(), "TOKENS_OVER_BUDGET")


@claim
def a_wrong_token_count_is_no_reason_to_refuse():
    text = text_of(large(), pretty).replace('"token_count": ', '"token_count": 9')
    with folder({"h.json": text}) as place:
        equal("SCHEMA_MAXIMUM" in [f["code"] for f in compress(place, "--budget", "60", code=1)["findings"]], True)
        shown = compress(place, "--budget", str(MINIFIED))
        equal((shown["outcome"], [f["code"] for f in shown["findings"]]), ("compressed", ["TOKENS_SECTION_OVER"]))
        equal(shown["document"]["handoff"]["meta"]["token_count"], shown["facts"]["tokens"]["estimate"])


# ---- Where it goes -------------------------------------------------------------------------------------

@claim
def the_document_alone_goes_to_standard_output():
    with folder({"h.json": text_of(large(), pretty)}) as place:
        result = run("compress", *FOUR, *NOW, "--budget", str(MINIFIED), "--section-limit", "working=2000",
                     "h.json", cwd=place)
        equal((result.returncode, result.stdout.decode(), result.stderr), (0, text_of(large()), b""))
        told = run("compress", *FOUR, *NOW, "--budget", "600", "h.json", cwd=place)
        equal((told.returncode, b"COMPRESS_SHORTENED" in told.stderr, json.loads(told.stdout)["handoff"]["version"]), (0, True, "3.0"))


@claim
def in_place_keeps_every_old_version():
    old = text_of(large(), pretty)
    with folder({"h.json": old, "h.json.orig": "older"}) as place:
        os.chmod(pathlib.Path(place, "h.json"), 0o640)
        shown = compress(place, "--budget", str(MINIFIED), "--in-place")
        equal(shown["written"], {"path": "h.json", "bytes": len(text_of(large()))})
        equal(pathlib.Path(place, "h.json").read_text(), text_of(large()))
        equal([pathlib.Path(place, f"h.json.orig{n}").read_text() for n in ("", ".2")], ["older", old])
        equal(oct(os.stat(pathlib.Path(place, "h.json")).st_mode & 0o777), "0o640")


@claim
def an_output_that_exists_is_never_overwritten():
    with folder({"h.json": text_of(large()), "o.json": "mine"}) as place:
        os.symlink("nowhere", pathlib.Path(place, "link"))
        for name in ("o.json", "link", "."):
            expect(run("compress", *FOUR, "--budget", "600", "-o", name, "h.json", cwd=place), 2, err="exists")
        equal(pathlib.Path(place, "o.json").read_text(), "mine")
        equal(sorted(os.listdir(place)), ["h.json", "link", "o.json"])


@claim
def a_difference_is_shown_and_nothing_is_written():
    with folder({"h.json": text_of(large())}) as place:
        result = expect(run("compress", *FOUR, *NOW, "--budget", "600", "--diff", "--in-place", "h.json", cwd=place), 0)
        lines = result.stdout.decode().splitlines()
        equal(lines[:2], ["--- h.json", "+++ h.json"])
        equal(any(line.startswith("-") and "gate" in line for line in lines), True)
        equal(os.listdir(place), ["h.json"])


def apply_diff(lines, diff):
    """A unified diff applied; every line it does not add must be there."""
    out, at_line = [], 0
    for line in diff[2:]:
        if line.startswith("@@"):
            begin = line.split()[1].split(",")
            begin = int(begin[0][1:]) - (0 if begin[1:] == ["0"] else 1)
            out, at_line = out + lines[at_line:begin], begin
        elif line.startswith("+"):
            out.append(line[1:])
        else:
            equal(lines[at_line], line[1:])
            out += [line[1:]] if line.startswith(" ") else []
            at_line += 1
    return out + lines[at_line:]


@claim
def a_difference_leads_to_the_result():
    rng = random.Random(3)
    shown = 0
    for _ in range(20):
        document = random_handoff(rng)
        before = text_of(document)
        with folder({"h.json": before}) as place:
            budget = str(min(2000, len(before.encode()) // 4 - 1 - rng.randrange(100)))
            diff = run("compress", *FOUR, *NOW, "--budget", budget, "--diff", "h.json", cwd=place)
            if diff.returncode != 0:
                continue
            after = pretty(compress(place, "--budget", budget)["document"])
            lines = apply_diff(pretty(json.loads(before)).splitlines(), diff.stdout.decode().splitlines())
            equal("\n".join(lines) + "\n", after)
            shown += 1
    equal(shown > 5, True)


@claim
def wrong_usage_is_a_failure():
    with folder({"h.json": bare()}) as place:
        for words in (["--budget", "0"], ["--budget", "2001"], ["--tokens", "p50k"], ["-o", "o", "--in-place"],
                      ["--root", "none"]):
            equal(expect(run("compress", *words, "h.json", cwd=place), 2, err="").stdout, b"")
        expect(run("compress", "--in-place", "-", stdin=bare(), cwd=place), 2, err="standard input")
        expect(run("compress", "none.json", cwd=place), 2, err="cannot read")
        expect(run("compress", cwd=place), 2, err="compress needs FILE, or - for standard input")


@claim
def a_folder_without_permission_is_a_reason_for_the_fallback():
    with public_folder({"h.json": text_of(large()), "work/handoffs/keep": "", "tmp/keep": ""}) as place:
        shut = pathlib.Path(place, "work", "handoffs")
        shut.chmod(0o555)
        os.chmod(f"{place}/tmp", 0o1777)
        result = run_as_nobody(place, "compress", *FOUR, *NOW, "-f", "json", "--budget", "600", "h.json", env={"TMPDIR": f"{place}/tmp"})
        shown = report(expect(result, 0))["documents"][0]
        equal((shown["outcome"], "WRITE_FALLBACK" in [f["code"] for f in shown["findings"]]), ("compressed", True))
        used = pathlib.Path(shown["facts"]["spilled"]["path"])
        who = os.stat(used).st_uid
        equal(str(used), f"{place}/tmp/baton-{who}/handoffs/session-context.json")
        equal(who, NOBODY if os.getuid() == 0 else os.getuid())
        shut.chmod(0o755)  # so that it can be removed


sys.exit(finish())
