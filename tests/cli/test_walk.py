# SPDX-License-Identifier: Apache-2.0
"""test_walk.py BATON - baton check FOLDER: which files are judged, and in which order."""
import os
import pathlib
import sys

from program import claim, equal, expect, finish, folder, report, run

GOOD = '{"a":1}'


def paths(*args, cwd, code=0, err=None):
    """The paths that a run judged, in the order of its report."""
    result = expect(run("check", "--as", "json", "-f", "json", *args, cwd=cwd), code, err=err)
    return [document["path"] for document in report(result)["documents"]]


@claim
def files_are_taken_by_name_in_the_order_of_their_paths():
    with folder({name: GOOD for name in (
        "z.handoff.json", "a.handoff.json", "B.handoff.json", "a/handoffs/x.json", "a/b.handoff.json", "handoffs/2.json",
        "handoffs/10.json", "handoffs/deep/no.json", "package.json", "notes.txt", "a/x.handoff.json.bak",
    )}) as place:
        wanted = ["B.handoff.json", "a.handoff.json", "a/b.handoff.json", "a/handoffs/x.json", "handoffs/10.json",
                  "handoffs/2.json", "z.handoff.json"]
        equal(paths(".", cwd=place), wanted)
        equal(paths("./", cwd=place), wanted)
        equal(paths(place, cwd="/"), [f"{place}/{name}" for name in wanted])
        equal(paths("a/", "handoffs", cwd=place), ["a/b.handoff.json", "a/handoffs/x.json", "handoffs/10.json", "handoffs/2.json"])


@claim
def the_folder_one_stands_in_has_a_name_too():
    with folder({"handoffs/a.json": GOOD, "handoffs/sub/b.json": GOOD, "other/c.json": GOOD}) as place:
        equal(paths(".", cwd=f"{place}/handoffs"), ["a.json"])
        equal(paths("..", cwd=f"{place}/handoffs/sub"), ["../a.json"])
        expect(run("check", "--as", "json", ".", cwd=f"{place}/other"), 2, err="no file in it has the name of a handoff")


@claim
def a_file_that_is_named_needs_no_special_name():
    with folder({"package.json": GOOD, "x.handoff.json": GOOD}) as place:
        equal(paths("package.json", ".", cwd=place), ["package.json", "x.handoff.json"])


@claim
def hidden_folders_are_left_out_and_hidden_files_are_not():
    with folder({".git/a.handoff.json": GOOD, "x/.cache/handoffs/b.json": GOOD, ".c.handoff.json": GOOD,
                 "d.handoff.json": GOOD}) as place:
        equal(paths(".", cwd=place), [".c.handoff.json", "d.handoff.json"])
        equal(paths(".git", cwd=place), [".git/a.handoff.json"])


@claim
def linked_folders_are_not_entered_unless_named_and_linked_files_are_read():
    with folder({"real/a.handoff.json": GOOD, "top/b.handoff.json": GOOD}) as place:
        os.symlink("../real", f"{place}/top/link")
        os.symlink("..", f"{place}/top/up")
        os.symlink("../real", f"{place}/top/folder.handoff.json")
        os.symlink("../real/a.handoff.json", f"{place}/top/c.handoff.json")
        equal(paths("top", cwd=place), ["top/b.handoff.json", "top/c.handoff.json"])
        equal(paths("top/link", cwd=place), ["top/link/a.handoff.json"])


@claim
def what_has_the_name_of_a_handoff_but_cannot_be_read_is_a_failure():
    with folder({"a.handoff.json": GOOD}) as place:
        os.mkfifo(f"{place}/b.handoff.json")
        equal(paths(".", cwd=place, code=2, err="b.handoff.json: it is not a regular file"), ["a.handoff.json"])
    with folder({"a.handoff.json": GOOD}) as place:
        os.symlink("gone", f"{place}/b.handoff.json")
        equal(paths(".", cwd=place, code=2, err="b.handoff.json: No such file"), ["a.handoff.json"])


@claim
def a_folder_without_handoffs_is_a_failure():
    for files in ({}, {"package.json": GOOD}, {".hidden/a.handoff.json": GOOD}):
        with folder(files) as place:
            expect(run("check", "--as", "json", ".", cwd=place), 2, err="no file in it has the name of a handoff")


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
