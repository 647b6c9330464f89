# SPDX-License-Identifier: Apache-2.0
"""test_crash.py BATON MODULE - every state that a power cut may leave of the files of a ledger, of a witness and of an export.

What commands do to files is traced (MODULE is trace_files.so). BATON_CRASH_SCRIPTS=200 asks for the long run."""
import concurrent.futures
import json
import os
import pathlib
import random
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from crash_states import Disk  # noqa: E402
from ledger_tools import ORIGIN  # noqa: E402
from program import SANITIZED, claim_if, equal, finish, run  # noqa: E402

MODULE = str(pathlib.Path(sys.argv[2]).resolve())
SCRIPTS = int(os.environ.get("BATON_CRASH_SCRIPTS", "8"))
TRIES = 1 if SCRIPTS < 100 else 10  # states during and after each command in which the program itself is asked
STATES_MAX = 96  # of one moment
WHOLE = (".head", ".key", ".vkey", "/checkpoint", "/vkeys")  # they are old or new, and never anything else
DATABASE = ("store.db", "store.db-wal", "store.db-shm", "store.db-journal")
WITHOUT = "the module cannot be loaded before the sanitizers"
claim = claim_if(not SANITIZED, WITHOUT)

# ---- Scripts --------------------------------------------------------------------------------------

NEWEST = "the key that signs alone, or soon will"
PATIENTLY = ["--deadline", "60000"]
INIT = [["ledger", "init", "--origin", ORIGIN, "--seed", "1", *PATIENTLY]]
APPEND = [["ledger", "append", "--raw", "raw.txt", *PATIENTLY]]
MORE = {
    "append": APPEND,
    "receipt": [["ledger", "append", "--raw", "raw.txt", "--receipt", "RECEIPT", *PATIENTLY]],
    "redact": [*APPEND, ["ledger", "redact", "0", "--reason", "asked for", *PATIENTLY]],
    "rotate": [["ledger", "rotate-key", *PATIENTLY], *APPEND, ["ledger", "rotate-key", "--end", *PATIENTLY]],
    "export": [*APPEND, ["ledger", "export", "out"]],
    "witness": [["ledger", "witness", "init", "w", "--name", "w.example/1"], ["ledger", "witness", "trust", "w", NEWEST], *APPEND,
                ["ledger", "prove", "consistency", "0", "-o", "request"], ["ledger", "witness", "add", "w", "request"]],
}


def scripts():
    """Each kind alone, then random mixtures; a ledger has one witness and one change of keys."""
    rng = random.Random(1)
    for number in range(SCRIPTS):
        names = [list(MORE)[number]] if number < len(MORE) else rng.sample(list(MORE), 3)
        yield INIT + [[word.replace("RECEIPT", f"r{number}.json") for word in words] for name in names for words in MORE[name]]


def traced(place, words, log):
    """Run a command; the lines of its trace."""
    log.unlink(missing_ok=True)
    words = [(place / ".baton/ledger.vkey").read_text().split()[-1] if word == NEWEST else word for word in words]
    result = run(*words, cwd=place, env={"LD_PRELOAD": MODULE, "TRACE_LOG": str(log)})
    if result.returncode != 0:
        raise AssertionError((words, result))
    return log.read_text().splitlines() if log.exists() else []


# ---- Judging --------------------------------------------------------------------------------------


def is_database(path):
    return path.endswith(DATABASE)


def kept(files):
    """Files whose content counts: those of the database have a judge of their own."""
    return {path: content for path, content in files.items() if not is_database(path) and not path.endswith(".lock")}


class Judge:
    """Looks at states: which are wrong by themselves, and what the program makes of some of them."""

    def __init__(self, place):
        self.place, self.tries, self.wrong, self.states = place, 0, [], 0
        self.rng = random.Random(2)
        self.alarms = self.recovered = 0

    def during(self, state, allowed):
        """What is read as a whole is what it was, or what it becomes."""
        self.states += 1
        for path, contents in allowed.items():
            if path.endswith(WHOLE) and state.get(path, "gone") not in contents:
                self.wrong.append((path, state.get(path, "gone"), "torn"))

    def after(self, state, files, size):
        """What was acknowledged is there."""
        for path, content in kept(files).items():
            if state.get(path, "gone") != content:
                self.wrong.append((path, state.get(path, "gone"), "lost"))
        self.ask(state, size)

    def ask(self, state, size):
        """The program recovers, with all that was acknowledged, or raises an alarm."""
        if self.tries == 0:
            return
        self.tries -= 1
        with tempfile.TemporaryDirectory(prefix="baton-crash-") as name:
            for path, content in sorted(state.items()):
                target = pathlib.Path(name) / os.path.relpath(path, self.place)
                if content is None:
                    target.mkdir()
                elif not path.endswith("-shm"):
                    target.write_bytes(content)
                    target.chmod(0o600)
            result = run("ledger", "verify", "-f", "json", cwd=name)
            if result.returncode == 0:
                found = json.loads(result.stdout)["documents"][0]["facts"]["size"]
                self.recovered += 1
                if found < size:
                    self.wrong.append((size, found, "silently lost"))
            elif result.returncode in (1, 2):
                self.alarms += 1
            else:
                self.wrong.append((result.returncode, result.stderr, "crashed"))


def size_in(place):
    if not (place / ".baton/store.db").exists():
        return 0
    return json.loads(run("ledger", "checkpoint", "-f", "json", cwd=place).stdout)["size"]


def walk(script, ignores, tries):
    """Go through a script with a power cut at every moment; the judge, who has seen every state."""
    with tempfile.TemporaryDirectory(prefix="baton-crash-") as name, tempfile.TemporaryDirectory() as logs:
        place = pathlib.Path(name).resolve()
        disk, judge, size = Disk(place, ignores), Judge(place), 0
        for words in script:
            (place / "raw.txt").write_text("hello\n")
            lines = [line for line in traced(place, words, pathlib.Path(logs) / "log")
                     if ignores != "folders" or not line.startswith("sync ") or int(line.split()[1]) not in disk.folders]
            allowed = {path: {content} for path, content in disk.seen().items()}
            judge.tries = tries
            for _ in disk.apply(lines):
                for path, content in disk.seen().items():
                    allowed.setdefault(path, {"gone"})
                    if path.endswith(WHOLE):
                        allowed[path].add(content)
                for state in disk.states(STATES_MAX):
                    judge.during(state, allowed)
                    if judge.rng.random() < 0.01:
                        judge.ask(state, size)
            size = size_in(place)
            judge.tries = tries
            for state in disk.states(STATES_MAX):
                judge.after(state, disk.seen(), size)
        return judge


def walk_whole(script):
    return walk(script, (), TRIES)


@claim
def every_state_is_old_or_new_and_what_was_acknowledged_is_there():
    states = alarms = recovered = 0
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:  # no script knows of another
        for judge in pool.map(walk_whole, scripts()):
            equal(judge.wrong[:3], [])
            states, alarms, recovered = states + judge.states, alarms + judge.alarms, recovered + judge.recovered
    print(f"# {SCRIPTS} scripts, {states} states; asked in {alarms + recovered} of them: {recovered} recovered, {alarms} alarms, 0 silent")


@claim
def without_the_syncs_of_folders_something_would_be_lost():
    wrong = walk(INIT + MORE["receipt"], "folders", 0).wrong
    equal({how for _, _, how in wrong} >= {"lost"}, True)


@claim
def without_the_syncs_of_files_something_would_be_torn():
    wrong = walk(INIT + MORE["receipt"], ("sync",), 0).wrong
    equal({how for _, _, how in wrong} >= {"torn", "lost"}, True)


sys.exit(finish())
