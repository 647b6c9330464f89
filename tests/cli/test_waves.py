# SPDX-License-Identifier: Apache-2.0
"""test_waves.py BATON - the waves of random plans, found a second time the slow way: every pair of steps is compared."""
import csv
import io
import random
import re

from program import claim, equal, finish, report, run

PLANS, STEPS_MAX = 200, 12
STATE_WORDS = set("git database db sql lock locks lockfile env http https network server port".split())
PATHS = ["src/a.c", "src", "src2/a", "docs/", "./", ".", "a.b", ".hid", "x.", "a", "./a//b/", "a/b", "a/b/c", "b/../c", "..", "/abs/x", "é/x", "foo", "a:b",
         "t,u", "docs/a.md", ";q.md", "http://x/y", "README.md", "a/", "//", "./."]
ACTIONS = ["use git now", "deployments", "Migrate it", "portable", "gitlab", "db_x", "DB", "a server"]


def random_step(rng, number, count):
    depends = [str(rng.randint(1, count)) for _ in range(rng.choice([0, 0, 1, 2]))]
    if rng.random() < 0.8:
        depends = [one for one in depends if int(one) < number]
    return {"step": str(number), "agent": "a", "action": rng.choice(ACTIONS) if rng.random() < 0.2 else "write",
            "inputs": " ".join(rng.choice(PATHS) for _ in range(rng.randint(0, 2))),
            "outputs": rng.choice(" ,;").join(rng.choice(PATHS) for _ in range(rng.randint(0, 2))),
            "status": rng.choice(["", "done", "pending", "completed"]), "notes": "",
            "depends_on": rng.choice([" ", ",", "; "]).join(depends) + rng.choice(["", "", " none", " N/A"])}


def tokens(text):
    return [token for token in re.split(r"[ \t\r\n,;]+", text) if token]


def path_of(token):
    """The segments of a path, or None when the token is none."""
    if not re.fullmatch(r"[A-Za-z0-9_./\u0080-\U0010ffff-]+", token) or not re.search(r"/$|[/.].", token):
        return None
    return tuple(part for part in token.split("/") if part not in ("", "."))


def touch(one, other):
    shared = min(len(one), len(other))
    return one[:shared] == other[:shared]


class Step:
    def __init__(self, row):
        self.id, self.row = row["step"], int(row["step"])
        self.is_over = row["status"] in ("done", "completed")
        words = tokens(row["depends_on"])
        self.depends = sorted({int(word) for word in words if word.lower() not in ("none", "n/a", "-")})
        self.reads = [path for path in map(path_of, tokens(row["inputs"])) if path is not None]
        self.writes = [path for path in map(path_of, tokens(row["outputs"])) if path is not None]
        self.alone = self.why_alone([row["action"], row["inputs"], row["outputs"]])

    def why_alone(self, texts):
        words = [word.lower() for text in texts for word in re.findall(r"[A-Za-z0-9_]+", text)]
        if any("://" in text for text in texts) or any(word in STATE_WORDS or word.startswith(("deploy", "migrat")) for word in words):
            return "shared_state"
        if any(".." in path for path in self.reads + self.writes):
            return "dotdot"
        return None if self.reads + self.writes else "no_footprint"

    def conflict(self, other):
        """None, or a list with the path of this step through which the two conflict."""
        if self.alone or other.alone:
            return [None]
        for path in self.reads:
            if any(touch(path, theirs) for theirs in other.writes):
                return ["/".join(path)]
        for path in self.writes:
            if any(touch(path, theirs) for theirs in other.reads + other.writes):
                return ["/".join(path)]
        return None


def in_order(steps, placed):
    """The rows in the order of their dependencies, the lowest that is free first; None when they go in a circle."""
    order, left = [], [row for row in steps if row not in placed]
    while left:
        free = [row for row in left if all(need in placed or need in order for need in steps[row].depends)]
        if not free:
            return None
        order.append(free[0])
        left.remove(free[0])
    return order


def schedule(steps, remaining):
    """The `steps` of the schedule, or None when there is none."""
    over = {row for row, step in steps.items() if remaining and step.is_over}
    order = in_order(steps, over)
    if in_order(steps, set()) is None or any(step.row in step.depends for step in steps.values()):
        return None
    wave, shown = {}, {}
    for row in order:
        step = steps[row]
        conflicts = [(wave[other], -other) for other in wave if step.conflict(steps[other])]
        first = -max(conflicts)[1] if conflicts else None
        wave[row] = 1 + max([0] + [wave[need] for need in step.depends if need in wave] + [height for height, _ in conflicts])
        shown[row] = {"step": step.id, "row": row, "wave": wave[row], "alone": step.alone,
                      "after": [str(need) for need in step.depends if need in steps and need not in over],
                      "conflict": {"step": str(first), "path": step.conflict(steps[first])[0]} if conflicts else None}
    return [shown[row] for row in sorted(shown)]


@claim
def waves_are_those_that_comparing_every_pair_finds():
    rng, found = random.Random(2), 0
    for _ in range(PLANS):
        rows = [random_step(rng, number + 1, count) for count in [rng.randint(1, STEPS_MAX)] for number in range(count)]
        text = io.StringIO()
        writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        remaining = rng.random() < 0.4
        result = run("plan", "waves", "-f", "json", *(["--remaining"] if remaining else []), "-", stdin=text.getvalue())
        expected = schedule({int(row["step"]): Step(row) for row in rows}, remaining)
        equal(report(result).get("schedule", {}).get("steps"), expected)
        found += expected is not None
    equal(PLANS / 2 < found < PLANS, True)  # plans with waves and plans without must both occur


finish()
