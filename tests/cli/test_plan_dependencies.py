# SPDX-License-Identifier: Apache-2.0
"""test_plan_dependencies.py BATON - dependencies as people write them: what is read, what is told, and what is refused."""
import pathlib
import random
import re
import tempfile

from program import claim, equal, expect, finish, report, run

RUNTIME = "step,agent,action,inputs,outputs,status,notes,depends_on\n"
PLANNING = "phase_id,step_id,phase_name,step_title,description,deliverable,dependencies,priority,effort,notes,status\n"


def runtime(*cells):
    """A plan whose steps are 1, 2, ... and whose last column holds these cells; a pair gives the id as well."""
    rows = [cell if isinstance(cell, tuple) else (str(number), cell) for number, cell in enumerate(cells, 1)]
    return RUNTIME + "".join(f'{step},@a,x,,o{number}.md,pending,,"{cell}"\n' for number, (step, cell) in enumerate(rows))


def planning(*rows):
    return PLANNING + "".join(f'{phase},{step},p,t,d,o{number}.md,"{cell}",1,1,,pending\n' for number, (phase, step, cell) in enumerate(rows))


def look(text, *flags):
    with tempfile.TemporaryDirectory(prefix="baton-deps-") as top:
        (pathlib.Path(top) / "p.steps.csv").write_text(text)
        return report(run("check", "--today", "2026-06-01", "-f", "json", *flags, "p.steps.csv", cwd=top))["documents"][0]["findings"]


def spelled(text):
    """(row, what was written, what it was read as) of each reading, and (row, token) of what is unknown."""
    found = look(text)
    row = lambda finding: int(finding["pointer"].split("/")[1])
    return ([(row(f), f["params"]["dependency"], f["params"]["read_as"]) for f in found if f["code"] == "PLAN_DEP_SPELLING"],
            [(row(f), f["params"]["dependency"]) for f in found if f["code"] == "PLAN_DEP_UNKNOWN"])


@claim
def words_between_ids_are_passed_over_and_ranges_are_read():
    for cell, reading, unknown in (
            ("1 + 2", [], []), ("1 & 2 AND 3", [], []), ("step 1", [], []), ("Steps 1, 2 and 3", [], []), ("1 step", [], ["step"]),
            ("steps", [], ["steps"]), ("1-3", [("1-3", ["1", "2", "3"])], []), ("1\u20133", [("1\u20133", ["1", "2", "3"])], []),
            ("1..3 and 2", [("1..3", ["1", "2", "3"])], []), ("1-3 1-3 1..3", [("1-3", ["1", "2", "3"]), ("1..3", ["1", "2", "3"])], []),
            ("2-4", [("2-4", ["2", "3"])], []), ("3-1", [], ["3-1"]), ("1-1", [], ["1-1"]), ("1-9", [], ["1-9"]), ("1--3", [], ["1--3"]),
            ("1+2", [], ["1+2"]), ("all above", [], ["all", "above"]), ("phase 1", [], ["phase"]), ("9 9 9", [], ["9"]), ("none", [], [])):
        found = spelled(runtime("", "", "", cell))
        equal((cell, found), (cell, ([(4, *one) for one in reading], [(4, one) for one in unknown])))


@claim
def an_id_is_an_id_whatever_it_looks_like():
    equal(spelled(runtime(("1", ""), ("and", ""), ("1-3", ""), ("step", ""), ("3", "1-3 and step 1"))), ([], []))
    # A token that can be split into two ranges says neither.
    equal(spelled(runtime(("a", ""), ("a-b", ""), ("b-c", ""), ("c", ""), ("z", "a-b-c"))), ([], [(5, "a-b-c")]))
    equal(spelled(runtime(("a", ""), ("b-c", ""), ("z", "a-b-c"))), ([(3, "a-b-c", ["a", "b-c"])], []))


@claim
def phases_are_read_in_planning_files_alone():
    rows = [("A", "1", ""), ("A", "2", ""), ("B", "3", ""), ("A", "4", ""), ("C-D", "5", "")]
    for cell, reading, unknown in (
            ("phase A", [("phase A", ["1", "2", "4"])], []), ("Phases A-B", [("Phases A-B", ["1", "2", "3", "4"])], []),
            ("phases A..C-D", [("phases A..C-D", ["1", "2", "3", "4", "5"])], []), ("phase C-D and 1", [("phase C-D", ["5"])], []),
            ("phase E", [("phase E", [])], []), ("phases B-A", [], ["phases", "B-A"]), ("phase", [], ["phase"]), ("phase X", [], ["phase", "X"]),
            ("A", [], ["A"])):
        found = spelled(planning(*rows, ("E", "6", cell)))
        equal((cell, found), (cell, ([(6, *one) for one in reading], [(6, one) for one in unknown])))


@claim
def a_refusal_names_the_spellings_and_ids_that_are_near():
    hint = [f["hint"] for f in look(runtime(("alpha", ""), ("alpine", ""), ("x", "alphq"))) if f["code"] == "PLAN_DEP_UNKNOWN"][0]
    equal(hint.startswith('did you mean "alpha"? '), True)
    hint = [f["hint"] for f in look(runtime("", "zzzzz")) if f["code"] == "PLAN_DEP_UNKNOWN"][0]
    for word in ("A-B", "A..B", "phase P"):
        equal((word, word in hint), (word, True))


@claim
def waves_follow_what_was_read():
    """Against a reading in Python: every step of a wave is behind all that it depends on."""
    dice = random.Random(7)
    for _ in range(60):
        count = dice.randint(2, 9)
        cells = [""]
        for number in range(2, count + 1):
            first = dice.randint(1, number - 1)
            cells.append(dice.choice(["", f"{first}", f"steps {first}-{number - 1}" if first < number - 1 else "", f"{first} + 1", f"1..{number}"]))
        wanted = {}
        for number, cell in enumerate(cells, 1):
            ids = set()
            for token in re.findall(r"\d+(?:(?:-|\.\.)\d+)?", cell):
                ends = [int(end) for end in re.split(r"-|\.\.", token)]
                ids |= set(range(ends[0], ends[-1] + 1))
            wanted[number] = ids - {number}
        with tempfile.TemporaryDirectory(prefix="baton-deps-") as top:
            (pathlib.Path(top) / "p.steps.csv").write_text(runtime(*cells))
            schedule = report(expect(run("plan", "waves", "-f", "json", "p.steps.csv", cwd=top), 0))["schedule"]
        equal({int(step["step"]): {int(one) for one in step["after"]} for step in schedule["steps"]}, wanted)


@claim
def ranges_cannot_make_a_small_plan_large():
    count = 2000
    text = runtime(*["" if number < 3 else f"1-{number - 1}" for number in range(1, count + 1)])
    with tempfile.TemporaryDirectory(prefix="baton-deps-") as top:
        (pathlib.Path(top) / "p.steps.csv").write_text(text)
        found = report(run("check", "--today", "2026-06-01", "-f", "json", "p.steps.csv", cwd=top))["documents"][0]["findings"]
    refused = [f for f in found if f["code"] == "PLAN_DEP_UNKNOWN"]
    read = sum(len(f["params"]["read_as"]) for f in found if f["code"] == "PLAN_DEP_SPELLING")
    equal((len(refused) > 0, read <= 100000, refused[0]["hint"]), (True, True, "write the ids, or a smaller range"))


finish()
