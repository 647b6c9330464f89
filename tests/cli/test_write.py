# SPDX-License-Identifier: Apache-2.0
"""test_write.py BATON - baton write, new and seal: handoffs at their place, and nothing overwritten."""
import hashlib
import json
import os
import pathlib
import re
import resource
import subprocess
import sys

from handoffs import GOOD, at, handoff, minified, pretty, text_of
from program import BATON, NOBODY, ROOT, claim, claim_if, environment, equal, expect, finish, folder, report, run

NOW = ("--now", "2026-04-14T09:00:00Z")
FOUR = ("--tokens", "chars4")
NAME = "work/handoffs/release-planner-to-patch-builder-20260414T083000Z.json"
NEEDED = {"source": "release-planner", "target": "patch-builder", "session-path": "work", "workflow-id": "w-1", "phase": "Triage",
          "summary": "Build the fix.", "problem-type": "implementation"}


def write(place, *args, code=0, name="h.json", **more):
    result = expect(run("write", *FOUR, *NOW, "-f", "json", *args, name, cwd=place, **more), code)
    return report(result)["documents"][0]


def flags(**changes):
    words = []
    for name, value in {**NEEDED, **{name.replace("_", "-"): value for name, value in changes.items()}}.items():
        if value is not None:
            words += [f"--{name}", value]
    return words


def new(place, *args, code=0, now="2026-04-14T08:30:00Z", changes=None, **more):
    result = expect(run("new", "universal", *FOUR, "--now", now, "--seed", "1", "-f", "json", *flags(**(changes or {})), *args,
                        cwd=place, **more), code)
    return report(result)["documents"][0]


def found(document, code):
    return [finding for finding in document["findings"] if finding["code"] == code]


def files_in(place):
    return sorted(str(path.relative_to(place)) for path in pathlib.Path(place).rglob("*") if not path.is_dir() or path.is_symlink())


# ---- Writing -------------------------------------------------------------------------------------------

@claim
def the_bytes_are_written_exactly_as_given():
    for text in (text_of(GOOD), text_of(GOOD, pretty), " " + text_of(GOOD).replace(",", " , ") + "\n\n"):
        with folder({"h.json": text}) as place:
            shown = write(place, "--no-refs")
            equal(shown["written"], {"path": NAME, "bytes": len(text), "fallback": False,
                                     "sha256": "sha256:" + hashlib.sha256(text.encode()).hexdigest()})
            equal(pathlib.Path(place, NAME).read_text(), text)
            equal("document" in shown, False)


@claim
def files_and_folders_are_private():
    with folder({"h.json": text_of(GOOD)}) as place:
        write(place)
        equal([oct(os.stat(pathlib.Path(place, path)).st_mode & 0o7777) for path in ("work", "work/handoffs", NAME)],
              ["0o700", "0o700", "0o600"])


@claim
def the_path_is_printed_and_standard_input_is_the_default():
    with folder({}) as place:
        equal(expect(run("write", *FOUR, *NOW, stdin=text_of(GOOD), cwd=place), 0, err="114 tokens by estimate").stdout.decode(), NAME + "\n")
        equal(expect(run("write", *FOUR, *NOW, "-", stdin=text_of(GOOD), cwd=place), 0, err="tokens by estimate").stdout.decode(),
              NAME.replace(".json", "-2.json") + "\n")


@claim
def the_name_has_the_time_in_utc_without_its_fraction():
    for time, expected in (("2026-04-14T10:30:00.999+02:00", "20260414T083000Z"), ("2026-01-01T00:30:00+01:00", "20251231T233000Z"),
                           ("2016-12-31T23:59:60Z", "20161231T235960Z"), ("0001-01-01T00:00:00Z", "00010101T000000Z")):
        with folder({"h.json": text_of(handoff(timestamp=time))}) as place:
            equal(write(place)["written"]["path"].split("-")[-1], expected + ".json")


@claim
def a_time_that_has_no_name_is_a_failure():
    with folder({"h.json": text_of(handoff(timestamp="9999-12-31T23:59:59-01:00"))}) as place:
        expect(run("write", *FOUR, *NOW, "h.json", cwd=place), 2, err="timestamp")
        equal(files_in(place), ["h.json"])


@claim
def a_taken_name_gets_a_number_up_to_ninety_nine():
    with folder({"h.json": text_of(GOOD)}) as place:
        paths = [write(place)["written"]["path"] for _ in range(3)]
        equal(paths, [NAME, NAME.replace(".json", "-2.json"), NAME.replace(".json", "-3.json")])
        for number in range(4, 100):
            pathlib.Path(place, NAME.replace(".json", f"-{number}.json")).write_text("taken")
        expect(run("write", *FOUR, *NOW, "h.json", cwd=place), 2, err="already")
        equal(len(files_in(place)), 100)


@claim
def a_dangling_link_at_the_name_is_left_alone():
    with folder({"h.json": text_of(GOOD), "work/handoffs/keep": ""}) as place:
        os.symlink("../../secret", pathlib.Path(place, NAME))
        equal(write(place)["written"]["path"], NAME.replace(".json", "-2.json"))
        equal(pathlib.Path(place, "secret").exists(), False)


@claim
def a_dry_run_says_where_and_writes_nothing():
    with folder({"h.json": text_of(GOOD)}) as place:
        equal(write(place, "--dry-run")["would_write"], NAME)
        equal(files_in(place), ["h.json"])
        write(place)
        shown = write(place, "--dry-run")
        equal((shown["would_write"], "written" in shown), (NAME.replace(".json", "-2.json"), False))
        equal(len(files_in(place)), 2)
        equal(expect(run("write", *FOUR, *NOW, "--dry-run", "h.json", cwd=place), 0, err="tokens by estimate").stdout.decode(),
              NAME.replace(".json", "-2.json") + "\n")


@claim
def sealing_sets_hash_size_and_count_in_the_documents_style():
    for form in (minified, pretty):
        wrong = handoff(meta={"token_count": 3})
        with folder({"h.json": form(wrong)}) as place:
            write(place, "--seal")
            equal(pathlib.Path(place, NAME).read_text(), text_of(handoff(sealed=True), form))


@claim
def a_rejected_document_is_not_written():
    with folder({"loop.json": text_of(handoff(target={"skill": " RELEASE-planner"})), "bad.json": "{",
                 "seal.json": text_of(handoff(sealed=True)).replace("DP-118", "DP-119")}) as place:
        before = files_in(place)
        equal(bool(found(write(place, name="loop.json", code=1), "SELF_LOOP")), True)
        equal(bool(found(write(place, name="bad.json", code=1), "JSON_SYNTAX")), True)
        for more in ([], ["--seal"]):
            equal(bool(found(write(place, *more, name="seal.json", code=1), "PAYLOAD_HASH_MISMATCH")), True)
        equal(files_in(place), before)


@claim
def a_target_that_nobody_knows_is_not_written_to():
    skill = "---\nname: somebody\nhandoff:\n  accepts_from: [\"*\"]\n---\n"
    with folder({"h.json": text_of(GOOD), "skills/s/SKILL.md": skill}) as place:
        equal(bool(found(write(place, "--skills", "skills", code=1), "TARGET_NOT_FOUND")), True)
        equal(bool(found(new(place, "--skills", "skills", code=1), "TARGET_NOT_FOUND")), True)
        equal(files_in(place), ["h.json", "skills/s/SKILL.md"])


# ---- Hostile names and paths ---------------------------------------------------------------------------

@claim
def names_that_are_no_safe_file_names_are_refused():
    for name in ("../../x", "a/b", "A", "a--b", "-a", "a-", "a" * 65, "a b", "a.b", "a\u0000b", "caf\u00e9", "a\n", "."):
        for end in ("source", "target"):
            with folder({"h.json": text_of(handoff(**{end: {"skill": name}}))}) as place:
                shown = write(place, code=1)
                equal([(f["pointer"], f["severity"], f["security"]) for f in found(shown, "UNSAFE_SKILL_NAME")],
                      [(f"/handoff/{end}/skill", "HARD", True)])
                equal(files_in(place), ["h.json"])


@claim
def a_name_of_sixty_four_bytes_is_safe():
    with folder({"h.json": text_of(handoff(source={"skill": "a" * 64}, target={"skill": "b-" * 31 + "bb"}))}) as place:
        equal(write(place)["written"]["path"].startswith("work/handoffs/" + "a" * 64 + "-to-b-b-"), True)


def refused_path(path, why, **links):
    def test():
        with folder({"h.json": text_of(handoff(source={"session_path": path})), "elsewhere/keep": "x", "s/keep": "x"}) as place:
            for name, target in links.items():
                os.symlink(target, pathlib.Path(place, name.replace("__", "/")))
            before = files_in(place)
            shown = write(place, code=1)
            equal([(f["pointer"], f["severity"], f["security"]) for f in found(shown, "SESSION_PATH_UNSAFE")],
                  [("/handoff/source/session_path", "HARD", True)])
            equal((files_in(place), "written" in shown), (before, False))
    test.__name__ = f"a_session_path_{why}_is_refused"
    claim(test)


refused_path("", "that_is_empty")
refused_path("..", "that_climbs")
refused_path("s/../../up", "that_climbs_on_the_way")
refused_path("s/..", "that_climbs_back_to_the_root")
refused_path("/etc/baton-test", "outside_the_roots")
refused_path("/tmpx", "that_only_looks_like_a_root")
refused_path("x" * 4097, "that_is_too_long")
refused_path("a\u0007b", "with_a_bell")
refused_path("a\nb", "with_a_line_feed")
refused_path("a\u0000b", "with_a_zero")
refused_path("a\u007fb", "with_delete")
refused_path("a\u009bb", "with_a_c1_control")
refused_path("link", "that_is_a_link", link="elsewhere")
refused_path("s/link/deeper", "through_a_link", s__link="../elsewhere")
refused_path("s", "whose_handoffs_is_a_link", s__handoffs="../elsewhere")
refused_path("s", "whose_handoffs_is_a_dangling_link", s__handoffs="../nowhere")
refused_path("link", "that_is_a_link_to_itself", link="link")


@claim
def a_path_is_shown_as_it_is_written():
    for path in ("work", "work/", "work//", "./work", "a/b", "."):
        with folder({"h.json": text_of(handoff(source={"session_path": path}))}) as place:
            shown = write(place)["written"]["path"]
            equal(shown, path.rstrip("/") + "/" + NAME.split("/", 1)[1])
            equal(pathlib.Path(place, shown).exists(), True)


@claim
def an_absolute_path_beneath_a_root_is_taken():
    with folder({"x": ""}) as place, folder({}) as other:
        for session in (f"{place}/job", f"{place}//job/", place, "/" + f"{place}/job"):
            document = text_of(handoff(source={"session_path": session}))
            shown = report(expect(run("write", *FOUR, *NOW, "-f", "json", stdin=document, cwd=place), 0))["documents"][0]
            equal(os.path.realpath(shown["written"]["path"]).lstrip("/").startswith(place.lstrip("/")), True)
        document = text_of(handoff(source={"session_path": f"{other}/job"}))
        expect(run("write", *FOUR, *NOW, "-f", "json", "--root", place, stdin=document, cwd=place), 1, out="SESSION_PATH_UNSAFE")
        expect(run("write", *FOUR, *NOW, "-f", "json", "--root", place, "--root", other, stdin=document, cwd=place), 0)
        equal(len(files_in(other)), 1)


@claim
def a_relative_path_lies_beneath_the_first_root():
    with folder({"a/x": "", "b/x": "", "h.json": text_of(GOOD)}) as place:
        equal(write(place, "--root", "b", "--root", "a")["written"]["path"], NAME)
        equal(pathlib.Path(place, "b", NAME).exists(), True)


@claim
def the_root_itself_may_be_a_link():
    with folder({"real/x": "", "h.json": text_of(GOOD)}) as place:
        os.symlink("real", pathlib.Path(place, "top"))
        write(place, "--root", "top")
        equal(pathlib.Path(place, "real", NAME).exists(), True)
        document = text_of(handoff(source={"session_path": f"{place}/top/other"}))
        expect(run("write", *FOUR, *NOW, "--root", f"{place}/top", stdin=document, cwd=place), 0, err="tokens by estimate")


@claim
def a_folder_swapped_for_a_link_never_leads_outside():
    with folder({"h.json": text_of(GOOD), "outside/keep": "", "work/keep": ""}) as place:
        swap = ("import os\nn = 0\nwhile True:\n try:\n  n += 1; os.rename('work', f'aside{n}'); os.symlink('outside', 'work'); "
                "os.unlink('work'); os.rename(f'aside{n}', 'work')\n except OSError:\n  pass")
        swapper = subprocess.Popen([sys.executable, "-c", swap], cwd=place)
        try:
            codes = [run("write", *FOUR, *NOW, "h.json", cwd=place, env={"TMPDIR": f"{place}"}).returncode for _ in range(60)]
        finally:
            swapper.kill()
            swapper.wait()
        equal((os.listdir(f"{place}/outside"), set(codes) <= {0, 1, 2}), (["keep"], True))


# ---- The fallback --------------------------------------------------------------------------------------

@claim
def a_folder_that_cannot_be_made_is_replaced_and_that_is_said():
    with folder({"h.json": text_of(handoff(source={"session_path": "afile/s"})), "afile": "x", "tmp/keep": ""}) as place:
        shown = write(place, env={"TMPDIR": f"{place}/tmp/"})
        used = f"{place}/tmp/baton-{os.getuid()}/handoffs/" + NAME.rpartition("/")[2]
        equal((shown["written"]["path"], shown["written"]["fallback"]), (used, True))
        equal([(f["severity"], f["params"]) for f in found(shown, "WRITE_FALLBACK")],
              [("WARN", {"wanted": "afile/s/handoffs/" + NAME.rpartition("/")[2], "used": used})])
        equal(pathlib.Path(used).read_text(), text_of(handoff(source={"session_path": "afile/s"})))
        equal(oct(os.stat(os.path.dirname(used)).st_mode & 0o7777), "0o700")


def refused_fallback(why, prepare):
    def test():
        with folder({"h.json": text_of(handoff(source={"session_path": "afile"})), "afile": "x", "tmp/keep": "", "other/keep": ""}) as place:
            prepare(pathlib.Path(place, "tmp"), f"baton-{os.getuid()}")
            expect(run("write", *FOUR, *NOW, "h.json", cwd=place, env={"TMPDIR": f"{place}/tmp"}), 2, err="cannot finish")
            equal(os.listdir(f"{place}/other"), ["keep"])
    test.__name__ = f"a_fallback_{why}_is_a_failure"
    claim(test)


refused_fallback("that_others_may_enter", lambda tmp, name: os.mkdir(tmp / name, 0o755))
refused_fallback("that_is_a_link", lambda tmp, name: os.symlink("../other", tmp / name))
refused_fallback("that_is_a_file", lambda tmp, name: (tmp / name).write_text(""))
refused_fallback("whose_inner_folder_is_open_to_others",
                 lambda tmp, name: (os.mkdir(tmp / name, 0o700), os.mkdir(tmp / name / "handoffs", 0o700),
                                    os.chmod(tmp / name / "handoffs", 0o770)))


@claim_if(os.geteuid() == 0, "only root can give files away")
def a_fallback_of_somebody_else_is_a_failure():
    with folder({"h.json": text_of(handoff(source={"session_path": "afile"})), "afile": "x", "tmp/keep": ""}) as place:
        os.mkdir(f"{place}/tmp/baton-0", 0o700)
        os.chown(f"{place}/tmp/baton-0", NOBODY, NOBODY)
        expect(run("write", *FOUR, *NOW, "h.json", cwd=place, env={"TMPDIR": f"{place}/tmp"}), 2, err="not a folder of this user")


# ---- A machine without room ----------------------------------------------------------------------------

@claim
def what_cannot_be_written_whole_leaves_nothing():
    document = text_of(GOOD)

    def limited(size):
        return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)), "restore_signals": False}
    with folder({"h.json": document}) as place:
        for words in (["write", "h.json"], ["seal", "-o", "o.json", "h.json"], ["seal", "--in-place", "h.json"]):
            expect(run(*words, *FOUR, *NOW, cwd=place, **limited(100)), 2, err="File too large")
        left = [name for name in files_in(place) if name not in ("h.json", "h.json.orig")]
        equal((left, pathlib.Path(place, "h.json").read_text()), ([], document))
        expect(run("write", "h.json", *FOUR, *NOW, cwd=place, **limited(len(document))), 0, err="tokens by estimate")  # negative control


@claim
def writers_at_once_never_overwrite_each_other():
    with folder({}) as place:
        words = [BATON, "new", "universal", *FOUR, "--now", "2026-04-14T08:30:00Z", *flags()]
        writers = [subprocess.Popen(words, cwd=place, env=environment(), stdout=subprocess.PIPE) for _ in range(12)]
        paths = [writer.communicate()[0].decode().strip() for writer in writers]
        equal(([writer.returncode for writer in writers], len(set(paths))), ([0] * 12, 12))
        traces = {json.loads(pathlib.Path(place, path).read_text())["handoff"]["trace_id"] for path in paths}
        equal((len(traces), len(files_in(place))), (12, 12))


# ---- Making --------------------------------------------------------------------------------------------

@claim
def a_new_handoff_has_its_members_in_the_order_of_the_schema():
    with folder({"w.json": '{ "b": 1.50, "a": [] }'}) as place:
        shown = new(place, "--working", "@w.json", "--session", '{"state":{}}', "--references", '{"files":[{"path":"w.json"}]}',
                    "--original-prompt", "p", "--focus", "f1", "--focus", "f2", "--gap", "g", "--criterion", "c", "--category", "k",
                    "--invocation", "i", "--expected-phase", "e", "--confidence", "low", "--reason", "r", "--approved",
                    "--expires-at", "2026-04-15T00:00:00Z", "--trace-id", "6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4",
                    "--parent-span", "7e4a6b8c-91d2-4c3f-a0b1-cdef12345678", "--tag", "x=1=2", "--tag", "y=")
        text = pathlib.Path(place, shown["written"]["path"]).read_text()
        made = json.loads(text)["handoff"]
        equal(list(made), ["version", "schema_type", "timestamp", "expires_at", "trace_id", "source", "target", "context", "payload",
                           "meta", "tracing"])
        equal(list(made["source"]), ["skill", "workflow_id", "session_path", "phase"])
        equal(list(made["target"]), ["skill", "invocation", "category", "expected_phase"])
        equal(list(made["context"]), ["summary", "original_prompt", "problem_type", "focus_areas", "known_gaps", "success_criteria"])
        equal(list(made["payload"]), ["working", "session", "references"])
        equal(list(made["meta"]), ["token_count", "confidence", "handoff_chain", "handoff_reason", "payload_hash",
                                   "payload_size_bytes", "user_approved"])
        equal((made["tracing"]["tags"], made["context"]["focus_areas"], made["meta"]["user_approved"]),
              ({"x": "1=2", "y": ""}, ["f1", "f2"], True))
        equal(('{"working":{"b":1.50,"a":[]}' in text, made["meta"]["token_count"]), (True, len(text) // 4))


@claim
def only_what_is_given_is_written():
    with folder({}) as place:
        made = new(place)["document"]["handoff"]
        equal(list(made), ["version", "schema_type", "timestamp", "trace_id", "source", "target", "context", "payload", "meta"])
        equal((list(made["context"]), made["payload"], list(made["meta"])),
              (["summary", "problem_type"], {"working": {}},
               ["token_count", "confidence", "handoff_chain", "payload_hash", "payload_size_bytes"]))
        equal(list(new(place, "--no-seal")["document"]["handoff"]["meta"]), ["token_count", "confidence", "handoff_chain"])


@claim
def a_new_handoff_can_be_pretty():
    with folder({}) as place:
        shown = new(place, "--style", "pretty")
        text = pathlib.Path(place, shown["written"]["path"]).read_text()
        equal(text, pretty(json.loads(text)))
        equal(text_of(json.loads(text), pretty), text)


@claim
def a_run_with_a_seed_can_be_repeated():
    with folder({}) as place:
        first, second = (new(place)["document"] for _ in range(2))
        equal(first, second)
        digest = bytearray(hashlib.sha256(b"baton-seed:1:0").digest()[:16])
        digest[6], digest[8] = digest[6] & 0x0f | 0x40, digest[8] & 0x3f | 0x80
        equal(first["handoff"]["trace_id"].replace("-", ""), digest.hex())


@claim
def continuing_takes_over_chain_trace_and_prompt():
    with folder({}) as place:
        first = new(place, "--original-prompt", "Please.")
        path = first["written"]["path"]
        back = {"source": "patch-builder", "target": "reviewer"}
        made = new(place, "--continue", path, changes=back)["document"]["handoff"]
        equal((made["meta"]["handoff_chain"], made["trace_id"], made["context"]["original_prompt"]),
              (["release-planner", "patch-builder"], first["document"]["handoff"]["trace_id"], "Please."))
        again = new(place, "--continue", path, changes={"target": "reviewer"})["document"]["handoff"]
        equal(again["meta"]["handoff_chain"], ["release-planner"])
        own = new(place, "--continue", path, "--original-prompt", "Mine.", changes=back)["document"]["handoff"]
        equal(own["context"]["original_prompt"], "Mine.")
        shown = new(place, "--continue", path, code=1, changes={"source": "patch-builder", "target": "release-planner"})
        equal((bool(found(shown, "REENTRY_WITHOUT_REASON")), shown["written"], "document" in shown), (True, None, True))
        new(place, "--continue", path, "--reason", "more work", changes={"source": "patch-builder", "target": "release-planner"})


@claim
def what_does_not_pass_is_not_written():
    with folder({"deep.json": "[" * 126 + "]" * 126}) as place:
        for more, code in ((["--working", "[]"], "SCHEMA_TYPE"), (["--expires-at", "soon"], "SCHEMA_PATTERN"),
                           (["--trace-id", "x"], "SCHEMA_PATTERN"), (["--source", "../x"], "UNSAFE_SKILL_NAME"),
                           (["--session-path", "../x"], "SESSION_PATH_UNSAFE"), (["--working", "@deep.json"], "JSON_TOO_DEEP"),
                           (["--summary", ""], "SCHEMA_MIN_LENGTH"), (["--target", "release-planner"], "SELF_LOOP")):
            shown = new(place, *more, code=1)
            equal((code, bool(found(shown, code)), shown["written"]), (code, True, None))
        equal(files_in(place), ["deep.json"])


@claim
def wrong_usage_of_new_is_a_failure():
    with folder({"bad.json": "{", "h.json": "[]"}) as place:
        for name in ("source", "target", "summary"):
            expect(run("new", "universal", *flags(**{name: None}), cwd=place), 2, err=f"new universal needs --{name}\n")
        for more in (["--problem-type", "chore"], ["--confidence", "sure"], ["--working", "{"], ["--working", '{},"x":{}'], ["--working", "@none"], ["--working", "@bad.json"], ["--tag", "x"],
                     ["--tag", "x=1", "--tag", "x=2"], ["--style", "neat"], ["--continue", "none"], ["--continue", "bad.json"],
                     ["--continue", "h.json"], ["--summary", b"\xff"], ["--root", "none"], ["--now", "today"], ["extra"]):
            equal((more, expect(run("new", "universal", *flags(), *more, cwd=place), 2, err="").stdout), (more, b""))
        expect(run("new", cwd=place), 2, err="new needs a command")
        equal(files_in(place), ["bad.json", "h.json"])


# ---- Sealing -------------------------------------------------------------------------------------------

def seal(place, *args, code=0):
    return report(expect(run("seal", *FOUR, *NOW, "-f", "json", *args, "h.json", cwd=place), code))["documents"][0]


@claim
def sealing_is_shown_like_a_repair():
    with folder({"h.json": text_of(GOOD, pretty)}) as place:
        shown = seal(place, "--in-place")
        equal((shown["outcome"], [op["why"] for op in shown["facts"]["changes"]]), ("sealed", ["reseal", "reseal", "recount"]))
        text = pathlib.Path(place, "h.json").read_text()
        equal((text, shown["written"]), (text_of(handoff(sealed=True), pretty), {"path": "h.json", "bytes": len(text)}))
        equal(pathlib.Path(place, "h.json.orig").read_text(), text_of(GOOD, pretty))
        again = seal(place, "--in-place")
        equal((again["outcome"], again["facts"]["changes"], "written" in again), ("sealed", [], False))


@claim
def a_broken_seal_is_only_mended_on_request():
    text = text_of(handoff(sealed=True)).replace("DP-118", "DP-119")
    with folder({"h.json": text}) as place:
        shown = seal(place, "--in-place", code=1)
        equal((shown["outcome"], bool(found(shown, "PAYLOAD_HASH_MISMATCH")), "document" in shown), ("escalated", True, False))
        equal(files_in(place), ["h.json"])
        mended = seal(place, "--reseal")
        equal((mended["outcome"], mended["facts"]["payload"]["sealed"], mended["findings"]), ("sealed", "yes", []))
        equal(at(mended["document"], "/handoff/payload/working/ticket"), "DP-119")


@claim
def a_document_with_other_faults_is_not_sealed():
    text = text_of(handoff(sealed=True, target={"skill": "release-planner"})).replace("DP-118", "DP-119")
    with folder({"h.json": text}) as place:
        equal(seal(place, "--reseal", code=1)["outcome"], "escalated")
        pathlib.Path(place, "h.json").write_text("{")
        equal(seal(place, "--reseal", code=1)["outcome"], "escalated")


@claim
def the_shipped_examples_are_what_their_page_says():
    place = ROOT / "examples" / "universal"
    rows = {cells[1].strip(" `"): cells[2] for cells in (line.split("|") for line in (place / "README.md").read_text().splitlines())
            if len(cells) == 5 and ".json" in cells[1]}
    equal(sorted(rows), sorted(path.name for path in place.glob("*.json")))
    for name, told in rows.items():
        shown = report(run("check", "-f", "json", *NOW, name, cwd=place))["documents"][0]
        codes = {finding["code"] for finding in shown["findings"]}
        named = set(re.findall(r"[A-Z_]{8,}", told))
        equal((name, named <= codes, bool(named), "and all" in told or codes <= named), (name, True, bool(codes), True))


sys.exit(finish())
