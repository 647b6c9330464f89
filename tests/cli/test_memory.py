# SPDX-License-Identifier: Apache-2.0
"""test_memory.py BATON - the state file: a size that is remembered away from the store, so that a backup of store and head is found out."""
import hashlib
import os
import pathlib
import shutil
import stat
import tempfile

from program import ROOT, claim, equal, finish, report, run
from server import Server

ORIGIN = "ledger.example/two"
NAME = hashlib.sha256(ORIGIN.encode()).hexdigest()


class Place:
    """A folder with a ledger of a real key, and a state folder beside it."""

    def __init__(self, *flags, **env):
        self.flags, self.env = flags, {"BATON_STATE_DIR": "state", **env}

    def __enter__(self):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="baton-memory-"))
        self.seen = self.top / "state/heads" / NAME
        (self.top / "a.txt").write_text("alpha\n")
        equal(self.run("ledger", "init", "--origin", ORIGIN, "--store", "a.db", *self.flags).returncode, 0)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.top)

    def run(self, *args, **more):
        return run(*args, cwd=self.top, env={**self.env, **more})

    def append(self, **more):
        return self.run("ledger", "append", "--raw", "a.txt", "--store", "a.db", "-f", "json", **more)

    def verify(self, **more):
        return self.run("ledger", "verify", "--store", "a.db", "-f", "json", **more)

    def save(self):
        return {path.name: path.read_bytes() for path in self.top.glob("a.db*")}

    def restore(self, saved):
        for path in self.top.glob("a.db*"):
            path.unlink()
        for name, content in saved.items():
            (self.top / name).write_bytes(content)
            (self.top / name).chmod(0o600)


def found(result):
    return [(f["code"], f["pointer"]) for d in report(result)["documents"] for f in d["findings"] if f["code"] != "LEDGER_KEY_LOCAL"]


@claim
def a_backup_of_store_and_head_is_found_out_by_the_state_file():
    with Place() as place:
        equal(place.append().returncode, 0)
        saved = place.save()
        equal(place.append().returncode, 0)
        equal((place.seen.read_text().splitlines()[:2], stat.S_IMODE(place.seen.stat().st_mode), stat.S_IMODE(place.seen.parent.stat().st_mode)), ([ORIGIN, "2"], 0o600, 0o700))
        place.restore(saved)
        before = place.save()
        result = place.append()
        equal((result.returncode, found(result), place.save() == before), (1, [("LEDGER_ROLLBACK", "/seen")], True))
        finding = report(result)["documents"][0]["findings"][0]
        equal((finding["params"], f"state/heads/{NAME}" in finding["hint"], "a.db.head" in finding["hint"]), ({"size": 1, "seen": 2}, True, True))
        equal(found(place.verify()), [("LEDGER_ROLLBACK", "/seen")])
        place.seen.unlink()  # who accepts the loss
        equal((place.append().returncode, place.verify().returncode), (0, 0))  # the negative control


@claim
def another_history_under_the_same_origin_is_a_fork():
    with Place() as place:
        saved = place.save()
        equal([place.append().returncode for _ in range(2)], [0, 0])
        place.restore(saved)
        (place.top / "a.txt").write_text("other\n")
        equal([place.append(BATON_STATE_DIR="elsewhere").returncode for _ in range(2)], [0, 0])
        result = place.append()
        equal((result.returncode, found(result)), (1, [("LEDGER_FORK", "/seen")]))


@claim
def a_missing_head_is_told_and_a_damaged_state_file_stops_recording():
    with Place() as place:
        equal(place.append().returncode, 0)
        (place.top / "a.db.head").unlink()
        checked = place.verify()
        equal((checked.returncode, found(checked), b"" == checked.stderr), (0, [("LEDGER_HEAD_MISSING", "/head")], True))
        equal({f["severity"] for f in report(checked)["documents"][0]["findings"]}, {"INFO"})
        result = place.append()
        equal((result.returncode, b"head file a.db.head was missing" in result.stderr), (0, True))
        equal((place.append().stderr, found(place.verify())), (b"", []))
        place.seen.write_text("nothing\n")
        equal((place.append().returncode, [pointer for _, pointer in found(place.append())]), (1, ["/seen"]))


@claim
def an_origin_that_has_recorded_is_not_made_again():
    with Place() as place:
        equal(place.append().returncode, 0)
        again = place.run("ledger", "init", "--origin", ORIGIN, "--store", "b.db")
        equal((again.returncode, NAME.encode() in again.stderr, (place.top / "b.db").exists()), (2, True, False))
        equal(b"choose another" in again.stderr, True)
        equal(place.run("ledger", "init", "--origin", "ledger.example/other", "--store", "b.db").returncode, 0)
        place.seen.unlink()
        equal(place.run("ledger", "init", "--origin", ORIGIN, "--store", "c.db").returncode, 0)


@claim
def a_test_key_is_remembered_only_in_a_folder_that_was_named():
    with tempfile.TemporaryDirectory() as home:
        with Place("--seed", "5", BATON_STATE_DIR="", XDG_STATE_HOME=home) as place:
            equal((place.append().returncode, os.listdir(home)), (0, []))
            equal((place.append(BATON_STATE_DIR="state").returncode, place.seen.exists()), (0, True))
        for variables, folder in (({"XDG_STATE_HOME": home}, "baton"), ({"XDG_STATE_HOME": "relative", "HOME": home}, ".local/state/baton"),
                                  ({"XDG_STATE_HOME": home, "STATE_DIRECTORY": f"{home}/s:/nowhere"}, "s")):
            with Place(BATON_STATE_DIR="", **variables) as place:
                equal((place.append().returncode, (pathlib.Path(home) / folder / "heads" / NAME).exists()), (0, True))
                (pathlib.Path(home) / folder / "heads" / NAME).unlink()


@claim
def the_configuration_names_the_folder_or_switches_it_off():
    with tempfile.TemporaryDirectory() as home:
        with Place(BATON_STATE_DIR="", XDG_STATE_HOME=home) as place:
            (place.top / "c.yaml").write_text("ledger: {memory: kept}\n")
            (place.top / "off.yaml").write_text("ledger: {memory: off}\n")
            for name in ("c.yaml", "off.yaml"):
                equal(place.run("ledger", "append", "--raw", "a.txt", "--store", "a.db", "--config", name).returncode, 0)
            equal(((place.top / "kept/heads" / NAME).read_text().splitlines()[1], os.listdir(home)), ("1", []))


@claim
def where_it_cannot_be_written_one_line_says_so_and_recording_goes_on():
    with Place(BATON_STATE_DIR="/dev/null/state") as place:
        result = place.append()
        equal((result.returncode, result.stderr.count(b"\n"), b"/dev/null/state/heads/" in result.stderr), (0, 1, True))
        equal(place.verify().returncode, 0)


@claim
def a_server_that_cannot_write_it_says_so_in_its_log():
    with Place(BATON_STATE_DIR="/dev/null/state") as place:
        server = Server(place.top, "--store", "a.db", env=place.env)
        try:
            server.ask("POST", "/v1/handoffs", (ROOT / "examples/json/review.handoff.json").read_bytes(), {"Content-Type": "application/json"})
        finally:
            server.child.terminate()
            server.child.wait()
        equal(server.logged().count(b'"memory_failed"'), 1)


@claim
def a_server_has_written_it_when_it_stops_and_refuses_to_go_back():
    with Place() as place:
        saved = place.save()
        for _ in range(2):
            server = Server(place.top, "--store", "a.db", env=place.env)
            try:
                answer = server.ask("POST", "/v1/handoffs", (ROOT / "examples/json/review.handoff.json").read_bytes(), {"Content-Type": "application/json"})
                equal("record" in answer.json()["documents"][0], True)
            finally:
                server.child.terminate()
                server.child.wait()
        size = int(place.seen.read_text().splitlines()[1])
        equal(size > 0, True)
        place.restore(saved)
        equal(found(place.verify()), [("LEDGER_ROLLBACK", "/seen")])


finish()
