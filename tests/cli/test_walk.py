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
def names_that_are_no_text_are_walked():
    with folder({}) as place:
        pathlib.Path(os.fsdecode(os.fsencode(place) + b"/\xff\n.handoff.json")).write_text(GOOD)
        result = expect(run("check", "--as", "json", "-f", "json", ".", cwd=place), 0)
        equal(report(result)["summary"]["documents"], 1)


sys.exit(finish())
