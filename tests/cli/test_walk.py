# SPDX-License-Identifier: Apache-2.0
"""test_walk.py BATON - baton check FOLDER: which files are judged, and in which order."""
import os
import pathlib
import sys

from program import claim, equal, expect, finish, folder, report, run

GOOD = '{"a":1}'
HANDOFF = '{"handoff":{}}'
PLAN = "step,agent,action\n"


def paths(*args, cwd, code=0, err=None, judged_as=("--as", "json")):
    """The paths that a run judged, in the order of its report."""
    result = expect(run("check", *judged_as, "-f", "json", *args, cwd=cwd), code, err=err)
    return [document["path"] for document in report(result)["documents"]]


def found(*args, cwd, code=1):
    """The documents that a walk recognises, with their dialects, and the rest of the report."""
    said = report(expect(run("check", "-f", "json", *args, cwd=cwd), code))
    return {document["path"]: document["dialect"] for document in said["documents"]}, said


@claim
def with_as_every_file_of_that_ending_is_judged_in_the_order_of_the_paths():
    with folder({name: GOOD for name in ("z.json", "a.json", "B.json", "a/x.json", "a/b.handoff.json", "a-b.json", "notes.txt", "a/x.json.bak")}) as place:
        wanted = ["B.json", "a-b.json", "a.json", "a/b.handoff.json", "a/x.json", "z.json"]
        equal(paths(".", cwd=place), wanted)
        equal(paths("./", cwd=place), wanted)
        equal(paths("././", cwd=place), wanted)
        equal(paths(place, cwd="/"), [f"{place}/{name}" for name in wanted])
        equal(paths("./a/", cwd=place), ["a/b.handoff.json", "a/x.json"])


@claim
def without_it_documents_are_found_by_content_and_by_few_names():
    governed = '{"handoff_id":"x","source_agent":{}}'
    with folder({"plain.json": HANDOFF, "settings.json": GOOD, "broken.handoff.json": "{", "handoffs/a-to-b.json": "", "handoffs/c.json": GOOD,
                 "p.steps.csv": PLAN, "q.csv": PLAN, "turn.md": "x\n```agent_contract_handoff\n{}\n```\n", "readme.md": "x", "g.json": governed,
                 "image.png": HANDOFF, "deep/er/l.txt": HANDOFF, "a.contract.md": "prose", "b.xml": "<p/>"}) as place:
        documents, said = found(".", cwd=place)
        equal(documents, {"broken.handoff.json": "universal", "deep/er/l.txt": "universal", "g.json": "governed", "handoffs/a-to-b.json": "universal",
                          "p.steps.csv": "plan", "plain.json": "universal", "turn.md": "contract"})
        equal(list(documents), sorted(documents))
        equal(said["skipped"], [{"path": "a.contract.md", "reason": "no_block"}, {"path": "b.xml", "reason": "no_envelope"}])
        equal(said["walk"], {"files": 14, "judged": 7, "unrecognised": 7, "excluded": 0, "gitignored": 0, "hidden": 0})
        expect(run("check", ".", cwd=place), 1, err="baton: 2 files were passed over; --as judges them")
        equal("skipped" in found("handoffs", cwd=place)[1], False)


@claim
def lines_written_in_pieces_are_those_of_a_file():
    with folder({f"d{i:03}/x.handoff.json": '{"handoff":{"trace_id":"%s"}}' % ("x" * i) for i in range(200)}) as place:
        result = run("check", "-f", "jsonl", "-f", "jsonl", "-o", "all.jsonl", ".", cwd=place)
        written = pathlib.Path(place, "all.jsonl").read_bytes()
        expect(result, 1)
        equal(len(written) > 4 * 65536, True)  # several pieces
        equal(result.stdout == written, True)


@claim
def the_folder_one_stands_in_has_a_name_too():
    with folder({"handoffs/a-to-b.json": "{", "handoffs/sub/a-to-c.json": "{"}) as place:
        equal(found(".", cwd=f"{place}/handoffs")[0], {"a-to-b.json": "universal"})
        equal(found("..", cwd=f"{place}/handoffs/sub")[0], {"../a-to-b.json": "universal"})


@claim
def at_most_a_hundred_passed_over_files_are_listed():
    with folder({"a.handoff.json": HANDOFF, **{f"{i:03}.xml": "<p/>" for i in range(103)}}) as place:
        said = found(".", cwd=place)[1]
        equal((len(said["skipped"]), said["skipped_more"]), (100, 3))


@claim
def a_file_that_is_named_is_judged_whatever_its_name_and_wherever_it_is():
    with folder({"package.json": GOOD, ".hidden/x.json": GOOD, ".gitignore": "*\n"}) as place:
        equal(paths("package.json", ".hidden/x.json", cwd=place), ["package.json", ".hidden/x.json"])
        equal(paths(".hidden", cwd=place, judged_as=("--as", "json", "--no-gitignore")), [".hidden/x.json"])


@claim
def what_is_hidden_or_comes_with_packages_is_left_out():
    with folder({".git/a.json": GOOD, "x/.cache/b.json": GOOD, ".c.json": GOOD, "d.json": GOOD, "node_modules/e.json": GOOD,
                 "x/node_modules/f.json": GOOD}) as place:
        equal(paths(".", cwd=place), ["d.json"])
        equal(paths(".git", cwd=place), [".git/a.json"])
        said = report(run("check", "--as", "json", "-f", "json", ".", cwd=place))["walk"]
        equal((said["hidden"], said["excluded"], said["files"]), (3, 2, 6))
        equal(paths(".", "--include", ".git/a.json", cwd=place), [".git/a.json"])
        equal(paths(".", "--include", "x/node_modules", cwd=place), ["x/node_modules/f.json"])


@claim
def gitignore_files_count_between_the_repository_and_the_file():
    files = {"in/.gitignore": "*.tmp.json\n!keep.tmp.json\n", ".gitignore": "/build/\nlog.json\n", "in/a.tmp.json": GOOD, "in/keep.tmp.json": GOOD,
             "in/build/b.json": GOOD, "build/c.json": GOOD, "in/log.json": GOOD, "in/d.json": GOOD, "in/e.json": GOOD}
    with folder({**files, ".git/HEAD": "x", ".git/info/exclude": "e.json\n"}) as place:
        wanted = ["in/build/b.json", "in/d.json", "in/keep.tmp.json"]
        equal(paths(".", cwd=place), wanted)
        equal(paths("in", cwd=place), wanted)
        equal(paths("build", cwd=place), ["build/c.json"])
        equal(len(paths(".", "--no-gitignore", cwd=place)), 7)
        pathlib.Path(place, "baton.yaml").write_text("gitignore: false\n")
        equal(len(paths(".", cwd=place)), 7)
    with folder(files) as place:  # without a repository they count from the walked folder down
        equal(paths("in", cwd=place), ["in/build/b.json", "in/d.json", "in/e.json", "in/keep.tmp.json", "in/log.json"][:3] + ["in/keep.tmp.json", "in/log.json"])


@claim
def patterns_of_files_and_flags_leave_files_out():
    with folder({"a/x.json": GOOD, "a/b/y.json": GOOD, "c/z.json": GOOD, "baton.yaml": "exclude: [\"/c\"]\n"}) as place:
        equal(paths(".", cwd=place), ["a/b/y.json", "a/x.json"])
        equal(paths(".", "--exclude", "x.json", cwd=place), ["a/b/y.json"])
        equal(paths(".", "--include", "a/b", cwd=place), ["a/b/y.json"])
        equal(paths(".", "--include", "*.json", "--include", "!x.json", cwd=place), ["a/b/y.json"])
        equal(paths("a/x.json", "--exclude", "x.json", cwd=place), ["a/x.json"])
        result = run("check", "--as", "json", "-f", "json", "--force-exclude", "--exclude", "x.json", "a/x.json", cwd=place)
        said = report(expect(result, 0))
        equal((said["documents"], said["walk"]["excluded"]), ([], 1))
        expect(run("check", "--exclude", "x" * 1025, ".", cwd=place), 2, err="more than 1024 bytes")


@claim
def links_are_not_followed_unless_named():
    with folder({"real/a.json": GOOD, "top/b.json": GOOD}) as place:
        for target, name in (("../real", "link"), ("..", "up"), ("../real/a.json", "c.json"), ("gone", "d.json")):
            os.symlink(target, f"{place}/top/{name}")
        equal(paths("top", cwd=place), ["top/b.json"])
        equal(paths("top/link", cwd=place), ["top/link/a.json"])


@claim
def what_has_the_name_of_a_handoff_but_cannot_be_read_is_a_failure():
    with folder({"a.handoff.json": HANDOFF}) as place:
        os.mkfifo(f"{place}/b.handoff.json")
        equal(paths(".", cwd=place, code=2, err="b.handoff.json: it is not a regular file", judged_as=()), ["a.handoff.json"])


@claim
def a_folder_in_which_nothing_is_judged_is_a_failure_and_the_report_is_written():
    for files, numbers in (({}, "looked at: 0, ignored: 0"), ({"package.json": GOOD}, "looked at: 1, ignored: 0"),
                           ({".hidden/a.handoff.json": HANDOFF, "x.json": GOOD}, "looked at: 1, ignored: 1")):
        with folder(files) as place:
            said = report(expect(run("check", "-f", "json", ".", cwd=place), 2, err=numbers))
            equal((said["documents"], [failure["reason"] for failure in said["failures"]]), ([], ["no_documents"]))


@claim
def deep_folders_are_walked_up_to_a_bound():
    with folder({"/".join(["d"] * 62 + ["a.handoff.json"]): GOOD}) as place:
        equal(len(paths(".", cwd=place)), 1)
    with folder({"/".join(["d"] * 70 + ["a.handoff.json"]): GOOD, "b.handoff.json": GOOD}) as place:
        equal(paths(".", cwd=place, code=2, err="nested too deeply"), ["b.handoff.json"])


@claim
def many_documents_are_judged_in_one_run():
    with folder({f"handoffs/{i:04}.json": f"[{i}]" if i % 10 else "[" for i in range(1000)}) as place:
        result = expect(run("check", "--as", "json", "-f", "json", ".", cwd=place), 1)
        summary = report(result)["summary"]
        equal((summary["documents"], summary["accepted"], summary["rejected"]), (1000, 900, 100))
        equal(report(result)["documents"][777],
              {"path": "handoffs/0777.json", "dialect": "json", "verdict": "accepted", "findings": [],
               "facts": {"bytes": 5, "nodes": 1}})


@claim
def the_report_does_not_depend_on_the_number_of_threads():
    files = {f"{i % 7}/{i % 13}/{i:04}.handoff.json": HANDOFF if i % 3 else "{" for i in range(2000)}
    files |= {f"{i % 7}/{i % 11}/{i:04}.md": "x" for i in range(1000)} | {f"m/{i:03}.xml": "<p/>" for i in range(130)}
    files |= {f"p/{i:03}.steps.csv": PLAN for i in range(100)} | {f"t/{i:03}.md": "```agent_contract_handoff\n{}\n```\n" for i in range(100)}
    files |= {f"g/{i:03}.json": '{"handoff_id":"x","source_agent":{}}' for i in range(100)}
    with folder(files) as place:
        os.chmod(f"{place}/3", 0o755)
        os.symlink("gone", f"{place}/link.json")
        os.mkfifo(f"{place}/0/pipe.handoff.json")
        for form in ("json", "full", "sarif"):
            one, eight = (run("check", "--jobs", jobs, "-f", form, "--now", "2026-04-14T09:00:00Z", "--statistics", ".", "gone.json", cwd=place)
                          for jobs in ("1", "8"))
            equal((one.returncode, len(one.stdout) > 100000), (2, True))
            equal((eight.returncode, eight.stdout == one.stdout, eight.stderr == one.stderr), (2, True, True))
    for jobs in ("0", "65", "x", "-1"):
        expect(run("check", "--jobs", jobs, "a.json"), 2, err="1 to 64")


@claim
def a_walk_leaves_out_what_an_earlier_one_has_read():
    with folder({"a/x.json": GOOD, "a/b/y.json": GOOD, "c.json": GOOD, "a/n.txt": ""}) as place:
        equal(paths("a/b", ".", cwd=place), ["a/b/y.json", "a/x.json", "c.json"])
        equal(paths(".", ".", "a", cwd=place), ["a/b/y.json", "a/x.json", "c.json"])
        equal(report(run("check", "--as", "json", "-f", "json", ".", "a", cwd=place))["walk"],
              {"files": 4, "judged": 3, "unrecognised": 1, "excluded": 0, "gitignored": 0, "hidden": 0})
        equal(paths("c.json", ".", cwd=place), ["c.json", "a/b/y.json", "a/x.json", "c.json"])


@claim
def the_files_of_the_run_itself_are_not_judged():
    with folder({"baton.yaml": "check: {budget: 50}\n", "r.json": "{}", "a.json": GOOD, "set/c.yaml": "check: {budget: 60}\n"}) as place:
        equal(paths(".", "-f", "json", "-o", "r.json", cwd=place), ["a.json"])
        said = report(run("check", "--as", "config", "-f", "json", ".", cwd=place))
        equal(([d["path"] for d in said["documents"]], said["walk"]["unrecognised"]), (["set/c.yaml"], 3))
        said = report(run("check", "--as", "config", "-f", "json", "--config", "set/c.yaml", ".", cwd=place))
        equal([d["path"] for d in said["documents"]], ["baton.yaml"])


@claim
def flag_patterns_come_after_those_of_the_configuration():
    with folder({"a/x.json": GOOD, "b/y.json": GOOD, "baton.yaml": 'exclude: ["a/"]\n'}) as place:
        equal(paths(".", cwd=place), ["b/y.json"])
        equal(paths(".", "--exclude", "!a/", cwd=place), ["a/x.json", "b/y.json"])


@claim
def patterns_can_leave_out_named_paths():
    with folder({".git/HEAD": "", ".gitignore": "out/\n!out/keep.json\n", "out/keep.json": GOOD, "a/x.json": GOOD}) as place:
        os.symlink("../out/keep.json", f"{place}/a/link.json")
        forced = ("--as", "json", "--force-exclude")
        equal(paths("out/keep.json", cwd=place, judged_as=forced), [])
        equal(paths("out", "a/x.json", cwd=place, judged_as=forced), ["a/x.json"])
        equal(paths("a/link.json", cwd=place, judged_as=forced), ["a/link.json"])  # where the link is counts
        equal(paths("a", "--include", "*.json", cwd=place, judged_as=forced), ["a/x.json"])


@claim
def a_gitignore_that_is_too_large_is_a_failure_and_odd_lines_are_skipped():
    with folder({".gitignore": "#" * (1 << 20) + "\n", "in/a.json": GOOD}) as place:
        said = report(expect(run("check", "--as", "json", "-f", "json", ".", cwd=place), 2, err=".gitignore: the file has more than 1 MiB"))
        equal([(f["path"], f["reason"]) for f in said["failures"]], [(".gitignore", "walk_limit")])
        os.mkdir(f"{place}/.git")
        said = report(run("check", "--as", "json", "-f", "json", "in", cwd=place))
        equal([(f["path"], f["reason"]) for f in said["failures"]], [(f"{os.path.realpath(place)}/.gitignore", "walk_limit")])
        pathlib.Path(place, ".gitignore").write_bytes(b"a[.json\n\xff\nb.json\n")
        pathlib.Path(place, "in/b.json").write_text(GOOD)
        equal(paths(".", cwd=place), ["in/a.json"])


@claim
def paths_come_from_lists():
    with folder({"a.json": GOOD, "b c.json": GOOD, "-": GOOD, "list": "b c.json\n\na.json\n-\n", "empty": "", "nul": "a.json\0"}) as place:
        equal(paths("a.json", "--files-from", "list", cwd=place), ["a.json", "b c.json", "a.json", "./-"])
        equal(paths("--files-from", "nul", "--null", cwd=place), ["a.json"])
        said = report(expect(run("check", "-f", "json", "--files-from", "empty", cwd=place), 2, err="names no path"))
        equal([(f["path"], f["reason"]) for f in said["failures"]], [("empty", "no_documents")])
        equal(paths("--files-from", "empty", "--allow-empty", cwd=place), [])
        for args, words in ((["--files-from", "nul"], "--null"), (["--null", "a.json"], "--files-from"), (["--files-from", "-", "-"], "standard input"),
                            (["--files-from", "-", "--files-from", "-"], "once"), (["--files-from", "gone"], "gone")):
            equal(expect(run("check", *args, cwd=place), 2, err=words).stdout, b"")


@claim
def what_is_missing_or_unknown_can_be_accepted():
    with folder({"x.txt": "x", "d/y.txt": "y"}) as place:
        said = report(expect(run("check", "-f", "json", "--skip-unknown", "x.txt", "-", cwd=place, stdin="plain"), 0))
        equal((said["documents"], said["failures"], said["walk"]["unrecognised"]), ([], [], 2))
        expect(run("check", "--allow-empty", "d", cwd=place), 0)
        expect(run("check", "--allow-empty", "d", "x.txt", cwd=place), 2, err="--as")
        expect(run("check", "--skip-unknown", "d", cwd=place), 2, err="no document")


@claim
def standard_input_can_have_a_name():
    said = report(run("check", "-f", "json", "--stdin-filename", "x/p.steps.csv", "-", stdin="nothing"))
    equal([(d["path"], d["dialect"]) for d in said["documents"]], [("x/p.steps.csv", "plan")])
    expect(run("check", "--stdin-filename", "x.json", "y.json"), 2, err="--stdin-filename")


@claim
def rejection_can_be_left_to_the_reader_of_the_report():
    with folder({"a.json": "{"}) as place:
        said = report(expect(run("check", "--as", "json", "--exit-zero", "-f", "sarif", "a.json", cwd=place), 0))
        equal(said["runs"][0]["invocations"][0]["exitCode"], 0)
        expect(run("check", "--as", "json", "--exit-zero", "a.json", "gone", cwd=place), 2, err="gone")


@claim
def names_that_are_no_text_are_walked():
    with folder({}) as place:
        pathlib.Path(os.fsdecode(os.fsencode(place) + b"/\xff\n.handoff.json")).write_text(GOOD)
        result = expect(run("check", "--as", "json", "-f", "json", ".", cwd=place), 0)
        equal(report(result)["summary"]["documents"], 1)


sys.exit(finish())
