# SPDX-License-Identifier: Apache-2.0
"""test_durable.py BATON MODULE - killed at any call that changes a file, baton leaves the old state or the new one.

MODULE is kill_at.so, loaded before libc.
"""
import json
import pathlib
import signal
import sys

from handoffs import at, handoff, minified, pretty, text_of
from program import SANITIZED, claim_if, equal, finish, folder, run

MODULE = str(pathlib.Path(sys.argv[2]).resolve())
HOW = ("--tokens", "chars4", "--now", "2026-04-14T09:00:00Z")
SPILLED = "work/handoffs/session-context.json"
WRITTEN = "work/handoffs/release-planner-to-patch-builder-20260414T083000Z.json"
SESSION = {"state": {"gate": "x" * 800}}
LARGE = text_of(handoff(True, payload={"session": SESSION}, tracing={"tags": {"team": "core"}}), pretty)
CALLS_MAX = 100

claim = claim_if(not SANITIZED, "the module cannot be loaded before the sanitizers")


def run_killed(words, place, number=0, **env):
    """Run with a kill at the given call; the log of the calls, and whether the program was killed."""
    with folder({}) as logs:
        log = pathlib.Path(logs, "log")
        result = run(*words, cwd=place, env={"LD_PRELOAD": MODULE, "KILL_AT": str(number), "KILL_LOG": str(log), **env})
        killed = result.returncode == -signal.SIGKILL
        if not killed and result.returncode != 0:
            raise AssertionError(f"{words}: exit {result.returncode}: {result.stderr}")
        return [line.split() for line in log.read_text().splitlines()], killed


def visible(place):
    """What others can see: {path: content}."""
    paths = [path for path in pathlib.Path(place).rglob("*") if path.is_file() and not path.name.startswith(".")]
    return {str(path.relative_to(place)): path.read_text() for path in paths}


def survey(words, files, check, **env):
    """Kill the run at its first, second, third ... call, and check what each leaves. The states that were seen."""
    states = []
    for number in range(1, CALLS_MAX):
        with folder(files) as place:
            _, killed = run_killed(words, place, number, **env)
            states.append(check(visible(place)))
            if not killed:
                equal((number > 5, states[-1]), (True, "new"))
                return states
    raise AssertionError("the run never ends")


def check_compressed(files):
    document = files["h.json"]
    if SPILLED in files:
        equal(files[SPILLED], minified(SESSION))
    if document == LARGE:
        for name in set(files) - {"h.json", SPILLED}:
            equal((name, files[name]), ("h.json.orig", LARGE))
        return "old"
    made = json.loads(document)
    equal(at(made, "/handoff/payload/references/files/0/path"), SPILLED)
    equal((text_of(made), files[SPILLED], files["h.json.orig"]), (document, minified(SESSION), LARGE))
    return "new"


@claim
def compressing_in_place_leaves_the_old_state_or_the_new_one():
    words = ("compress", *HOW, "--budget", "250", "--in-place", "h.json")
    states = survey(words, {"h.json": LARGE}, check_compressed)
    equal((set(states), states), ({"old", "new"}, sorted(states, reverse=True)))


@claim
def compressing_to_a_file_leaves_the_old_state_or_the_new_one():
    def check(files):
        equal(files["h.json"], LARGE)
        equal(files.get(SPILLED, minified(SESSION)), minified(SESSION))
        if "o.json" not in files:
            return "old"
        equal((text_of(json.loads(files["o.json"])), SPILLED in files), (files["o.json"], True))
        return "new"
    states = survey(("compress", *HOW, "--budget", "250", "-o", "o.json", "h.json"), {"h.json": LARGE}, check)
    equal(set(states), {"old", "new"})


@claim
def writing_leaves_a_whole_document_or_none():
    def check(files):
        equal(set(files) <= {"h.json", WRITTEN}, True)
        if WRITTEN not in files:
            return "old"
        equal(files[WRITTEN], LARGE)
        return "new"
    states = survey(("write", *HOW, "h.json"), {"h.json": LARGE}, check)
    equal(set(states), {"old", "new"})


def refuses(check, files):
    try:
        check(files)
    except (AssertionError, KeyError, ValueError):
        return True
    return False


@claim
def the_check_sees_what_a_careless_writer_would_leave():
    small = text_of(handoff(payload={"references": {"files": [{"path": SPILLED}]}}))
    good = {"h.json": small, SPILLED: minified(SESSION), "h.json.orig": LARGE}
    equal(check_compressed(good), "new")
    for broken in ({**good, "h.json": small[:-9]}, {**good, SPILLED: ""}, {**good, "h.json.orig": LARGE[:-1]},
                   {"h.json": small, "h.json.orig": LARGE}, {"h.json": small, SPILLED: good[SPILLED]},
                   {"h.json": LARGE, SPILLED: good[SPILLED][:5]}):
        equal(refuses(check_compressed, broken), True)


def place_of(calls, *wanted, after=-1):
    """The index of the first such call after another one."""
    for index, call in enumerate(calls):
        if index > after and call[:len(wanted)] == list(wanted):
            return index
    raise AssertionError(f"no {wanted} after {after}: {calls}")


@claim
def the_moved_session_is_durable_before_the_document_refers_to_it():
    with folder({"h.json": LARGE}) as place:
        calls, killed = run_killed(("compress", *HOW, "--budget", "250", "--in-place", "h.json"), place)
        equal(killed, False)
        written = place_of(calls, "write", "file")
        synced = place_of(calls, "fsync", "file", after=written)
        linked = place_of(calls, "linkat", "session-context.json", after=synced)
        folder_synced = place_of(calls, "fsync", "folder", after=linked)
        kept = place_of(calls, "linkat", "h.json.orig", after=folder_synced)
        replaced = place_of(calls, "rename", "h.json", after=kept)
        place_of(calls, "fsync", "folder", after=replaced)


@claim
def new_folders_are_durable_before_what_lies_in_them():
    with folder({"h.json": LARGE}) as place:
        calls, _ = run_killed(("write", *HOW, "h.json"), place)
        made = place_of(calls, "mkdirat", "handoffs")
        equal(place_of(calls, "fsync", "folder", after=made) < place_of(calls, "linkat"), True)


@claim
def what_a_killed_run_left_behind_does_not_stand_in_the_way():
    with folder({"h.json": LARGE}) as place:
        for number in range(1, 12):
            run_killed(("write", *HOW, "h.json"), place, number)
        _, killed = run_killed(("write", *HOW, "h.json"), place)
        equal((killed, any(LARGE == content for name, content in visible(place).items() if name.startswith(WRITTEN[:-5]))), (False, True))


def schema(version, *names):
    return json.dumps({"$id": f"order/v{version}.schema.json", "type": "object", "properties": {name: {"type": "string"} for name in names},
                       "required": ["id"], "additionalProperties": False})


PUBLISHED = "schemas/handoff-payloads/order.v{}.schema.json"


def check_published(files):
    equal(files[PUBLISHED.format(1)], schema(1, "id"))
    if PUBLISHED.format(2) not in files:
        return "old"
    equal(files[PUBLISHED.format(2)], schema(2, "id", "note"))
    return "new"


@claim
def publishing_a_schema_leaves_no_half_of_it():
    files = {"new.json": schema(2, "id", "note"), PUBLISHED.format(1): schema(1, "id")}
    words = ("plan", "schema", "publish", "new.json", "--root", ".")
    states = survey(words, files, check_published)
    equal((set(states), states), ({"old", "new"}, sorted(states, reverse=True)))
    try:
        survey(words, files, check_published, KILL_COPY="1")
    except AssertionError:
        return
    raise AssertionError("half of a schema, written in its place, was not noticed")


@claim
def a_publication_that_was_recorded_and_not_written_is_written_by_the_next_run():
    words = ("plan", "schema", "publish", "new.json", "--root", ".", "--store", ".baton/store.db")
    seen = set()
    for number in range(1, CALLS_MAX):
        with folder({"new.json": schema(1, "id")}) as place:
            equal(run("ledger", "init", "--origin", "ledger.example/team", "--seed", "1", cwd=place).returncode, 0)
            _, killed = run_killed(words, place, number)
            equal(run(*words, cwd=place).returncode, 0)
            equal(pathlib.Path(place, PUBLISHED.format(1)).read_text(), schema(1, "id"))
            entries = json.loads(run("ledger", "tail", "-f", "json", cwd=place).stdout)
            equal(entries["size"], 1)  # never twice
            seen.add(killed)
        if not killed:
            equal(seen, {True, False})
            return
    raise AssertionError("the run never ends")


sys.exit(finish())
