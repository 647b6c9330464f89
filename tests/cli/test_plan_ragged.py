# SPDX-License-Identifier: Apache-2.0
"""test_plan_ragged.py BATON - rows that do not fit the header: no repair moves a cell into another column or loses a byte.

The expected repair comes from trying every reading, which the program does not do.
"""
import csv
import io
import itertools
import math
import pathlib
import random
import re
import tempfile

from program import SANITIZED, claim, equal, expect, finish, report, run

RUNTIME = ["step", "agent", "action", "inputs", "outputs", "status", "notes"]
TYPED = RUNTIME + ["payload_schema_in", "payload_schema_out"]
STATUS = ("pending", "in_progress", "completed", "done", "blocked")
REFERENCE = re.compile(r"(schemas/handoff-payloads/[a-z0-9-]+\.v[0-9]+|[a-z0-9-]+/v[0-9]+)\.schema\.json")
TRIED = 100000
COUNTED = 100


def blank(text):
    return not text.strip(" \t\r\n")


def content(text):
    text = text.strip(" \t")
    return "status" if text in STATUS else "reference" if REFERENCE.fullmatch(text) else ""


def kind(name):
    return {"status": "status", "payload_schema_in": "reference", "payload_schema_out": "reference", "step": "id", "step_id": "id",
            "depends_on": "dependencies", "dependencies": "dependencies"}.get(name, "")


def in_place(columns, raw):
    return all(not content(cell[0]) or content(cell[0]) == kind(name) for name, cell in zip(columns, raw))


def fits(name, cells, ids):
    """Whether these neighbouring cells may be this column: each is a text and whether it is quoted."""
    if len(cells) > 1 and any(quoted or content(text) for text, quoted in cells):
        return False
    joined = ",".join(text for text, _ in cells)
    if any(content(text) and content(text) != kind(name) for text, _ in cells):
        return False
    if kind(name) == "id":
        return len(cells) == 1 and not blank(joined)
    if kind(name) in ("status", "reference"):
        return blank(joined) or content(joined) == kind(name)
    if kind(name) == "dependencies":
        tokens = [token for token in re.split(r"[ \t\r\n,;]+", joined) if token]
        return all(token in ids or token.lower() in ("none", "n/a", "-", "+", "&", "and") for token in tokens)
    return True


def readings(columns, raw, ids):
    """Every possible reading, as the list of its cuts."""
    found = []
    for cuts in itertools.combinations(range(1, len(raw)), len(columns) - 1):
        edges = (0, *cuts, len(raw))
        if all(fits(name, raw[edges[i]:edges[i + 1]], ids) for i, name in enumerate(columns)):
            found.append(edges)
    return found


def written(raw):
    return ",".join('"' + text.replace('"', '""') + '"' if quoted else text for text, quoted in raw)


def model(columns, raw, ids):
    """What the chapter says: the fix, the number of readings or None, and the row after --unsafe-fixes."""
    if len(raw) < len(columns):
        padded = written(raw) + "," * (len(columns) - len(raw))
        return ("unsafe", None, padded) if in_place(columns, raw) else (None, None, written(raw))
    if all(not text for text, _ in raw[len(columns):]) and in_place(columns, raw[:len(columns)]):
        return "safe", None, written(raw[:len(columns)])
    if math.comb(len(raw) - 1, len(columns) - 1) > TRIED:
        return None, -1, written(raw)
    found = readings(columns, raw, ids)
    if len(found) != 1:
        return None, min(len(found), COUNTED), written(raw)
    groups = [raw[begin:end] for begin, end in zip(found[0], found[0][1:])]
    return "unsafe", None, ",".join(written(group) if len(group) == 1 else '"' + written(group) + '"' for group in groups)


def check(columns, rows):
    """Compare findings and repairs of a plan with the model; each row is a list of cells that does not fit."""
    at = [kind(name) for name in columns].index("id")
    ids = {raw[at][0].strip(" \t") for raw in rows if len(raw) > at} - {""}
    text = "\n".join([",".join(columns), *map(written, rows)]) + "\n"
    with tempfile.TemporaryDirectory(prefix="baton-ragged-") as top:
        plan = pathlib.Path(top) / "p.steps.csv"
        plan.write_bytes(text.encode())
        found = report(run("check", "--today", "2026-06-01", "-f", "json", plan.name, cwd=top))["documents"][0]["findings"]
        found = {f["pointer"]: f for f in found if f["code"] == "CSV_RAGGED_ROW"}
        expected = [model(columns, raw, ids) for raw in rows]
        for number, (raw, (fix, count, _)) in enumerate(zip(rows, expected), 1):
            finding = found[f"/{number}"]
            params = {"expected": len(columns), "actual": len(raw), **({} if count is None else {"readings": count})}
            equal((written(raw), finding.get("fix"), finding["params"]), (written(raw), fix, params))
            if count is not None:
                equal(finding["hint"], "quote the cell that holds the comma")
        run("check", "--today", "2026-06-01", "--fix", "--unsafe-fixes", "-f", "json", plan.name, cwd=top)
        lines = plan.read_bytes().decode().split("\n")
        equal(lines, [",".join(columns), *(row for _, _, row in expected), ""])
        for raw, (fix, _, _), line in zip(rows, expected, lines[1:]):
            keeps_all(columns, raw, line, fix)
        equal((plan.parent / "p.steps.csv.orig").exists(), any(fix for fix, _, _ in expected))
    return [fix for fix, _, _ in expected]


def keeps_all(columns, raw, line, fix):
    """Without the model: a repaired row has every cell, in order, and no typed content outside its columns."""
    cells = next(csv.reader(io.StringIO(line)), [""])
    before, after = ",".join(text for text, _ in raw), ",".join(cells)
    equal(after.rstrip(",") if fix else after, before.rstrip(",") if fix else before)
    if fix:
        equal(len(cells), len(columns))
        equal([name for name, cell in zip(columns, cells) if content(cell) and content(cell) != kind(name)], [])


def plain(line):
    return [(cell, False) for cell in line.split(",")]


def random_row(dice, columns, number):
    """A row of the right shape in which some cells hold commas that nobody quoted, and now and then anything at all."""
    words = ["do it", "a.md", "", " ", "see, below", "x, y, z", "7", "1,2", "none", " the rest", "a;b"]
    typed = ["pending", " done ", "s/v1.schema.json", "schemas/handoff-payloads/s.v2.schema.json"]
    cells = []
    for name in columns:
        right = {"id": [str(number)], "status": ["pending", "done", "", " blocked"], "reference": ["", "", "s/v1.schema.json"],
                 "dependencies": ["", "1,2", "none", "-", "3; 4", "1 and 2"]}.get(kind(name), words)
        anything = words + typed + [str(number), '"q"', 'a "b"']
        text = dice.choice(anything if dice.random() < 0.07 else right)
        if dice.random() < 0.1 or '"' in text:
            cells.append((text, True))
        else:
            cells.extend(plain(text))
    if len(columns) > 1 and dice.random() < 0.15:
        cells = cells[:dice.randrange(1, len(columns))]
    if dice.random() < 0.15:
        cells += [("", dice.random() < 0.3)] * dice.randrange(1, 4)
    if len(cells) == len(columns):
        cells.append((dice.choice(words[:1] + [""]), False))
    # An empty line is not a row, and a row that fits is not ragged.
    return cells if written(cells) else [("x", False)] * (2 if len(columns) == 1 else 1)


@claim
def random_rows_are_repaired_as_trying_every_reading_says():
    dice = random.Random(20260601)
    fixes = []
    for columns in (RUNTIME, TYPED, TYPED + ["depends_on"], ["agent", "depends_on", "step", "status", "notes"],
                    ["phase_id", "step_id", "dependencies", "status"], ["step"], ["step", "notes"]):
        for _ in range(1 if SANITIZED else 4):
            fixes += check(columns, [random_row(dice, columns, number) for number in range(1, 41)])
    for fix in ("safe", "unsafe", None):
        equal(fixes.count(fix) >= 20, True)


@claim
def an_unquoted_comma_in_the_middle_moves_no_cell():
    rows = [plain("1,@a,read, the log,a.md,b.md,pending,,foo/v1.schema.json,foo/v1.schema.json"),
            plain("2,@b,write,b.md,c.md,pending,ok, fine,foo/v1.schema.json,foo/v1.schema.json")]
    equal(check(TYPED, rows), [None, "unsafe"])


@claim
def dropped_empty_cells_do_not_leave_a_status_in_another_column():
    equal(check(RUNTIME, [plain("1,@a,do this, then that,in,out,pending,"), plain("2,@a,do,,,pending,n,,")]), [None, "safe"])


@claim
def a_short_row_is_padded_only_where_its_cells_stand_right():
    equal(check(RUNTIME, [plain("1,@a,x"), plain("2,@b,x,a.md,pending"), plain("3,@c,x,,,done")]), ["unsafe", None, "unsafe"])


@claim
def joined_dependencies_are_step_ids_of_the_file():
    columns = ["step", "agent", "depends_on", "status", "payload_schema_in", "payload_schema_out"]
    quoted = [("@a", True)]
    rows = [plain("1") + quoted + plain("2,3,done,,"), plain("2") + quoted + plain("1,9,done,,"), plain("3,@a,1,2,done,,")]
    equal(check(columns, rows), ["unsafe", None, None])


@claim
def several_joined_cells_of_one_reading_are_all_quoted():
    columns = ["step", "status", "agent", "payload_schema_in", "notes"]
    rows = [plain("1,done,a,b,s/v1.schema.json,c,d,e"), [("1", False), ("done", False), ("a", False), ("b", True),
                                                        ("s/v1.schema.json", False), ("c", False)]]
    equal(check(columns, rows), ["unsafe", None])


@claim
def readings_are_counted_to_a_hundred_and_tried_to_a_hundred_thousand():
    free = ["step"] + [f"c{i}" for i in range(19)]
    for surplus, expected in ((4, 100), (5, 100)):
        raw = plain(",".join(["1"] + ["x"] * (19 + surplus)))
        equal(model(free, raw, {"1"})[1], expected if math.comb(19 + surplus, 19) <= TRIED else -1)
        check(free, [raw])
    result = run("check", "-f", "json", "--as", "plan", "-", stdin="step,notes\n1" + ",x" * 100001 + "\n")
    equal(report(result)["documents"][0]["findings"][-1]["params"]["readings"], -1)
    result = run("check", "-f", "json", "--as", "plan", "-", stdin="step,notes\n1" + ",x" * 100000 + "\n")
    equal(report(result)["documents"][0]["findings"][-1]["fix"], "unsafe")


@claim
def many_ragged_rows_are_judged_in_one_run():
    text = ",".join(["step", "a", "b"]) + "\n" + ("1" + ",x" * 440 + "\n") * 2000
    expect(run("check", "-f", "concise", "--as", "plan", "-", stdin=text), 1, "CSV_RAGGED_ROW")


finish()
