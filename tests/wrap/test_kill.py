# SPDX-License-Identifier: Apache-2.0
"""test_kill.py BATON - proxies and servers that are killed at random moments while calls are open. BATON_WRAP_KILLS is how often; BATON_SEED chooses when."""
import collections
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from program import BATON, STRIDE, claim, environment, equal, expect, finish, folder, run, until  # noqa: E402
from wrapped import OTHER, call, lines, refusal  # noqa: E402

KILLS = int(os.environ.get("BATON_WRAP_KILLS", str(max(6 // STRIDE, 2))))
OPEN = 6
WRAP = [BATON, "wrap", "--quiet", "--name", "s", "--no-lock", "--store", "s.db", "--wait", "durable", "--", *OTHER]
rng = random.Random(int(os.environ.get("BATON_SEED", "1")))


class Conversation:
    """A program, and the answers that it gave so far."""

    def __init__(self, place, words):
        self.process = subprocess.Popen(words, cwd=place, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.answers = []
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            if line.endswith(b"\n"):  # what a killed program was about to write does not count
                self.answers.append(json.loads(line))

    def say(self, messages):
        try:
            self.process.stdin.write(lines(*messages))
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def end(self):
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.wait(60)
        self.reader.join(60)
        self.process.stdout.close()
        return self.answers


def executed(place):
    """How often each call was executed since the last question."""
    seen = pathlib.Path(place, "seen")
    text = seen.read_text(encoding="utf-8") if seen.exists() else ""
    seen.unlink(missing_ok=True)
    return collections.Counter(json.loads(line)["id"] for line in text.splitlines() if '"tools/call"' in line)


def server_pid(place):
    path = pathlib.Path(place, "pid")
    until(lambda: path.exists() and path.read_text(encoding="utf-8"), "the server")
    pid = int(path.read_text(encoding="utf-8"))
    path.unlink()
    return pid


def is_gone(pid):
    try:
        return pathlib.Path("/proc", str(pid), "stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def calls(number, with_keys):
    messages = [call(number * 100 + index, "echo", n=index) for index in range(OPEN)]
    for message in messages if with_keys else ():
        message["params"]["_meta"] = {"baton/idempotency-key": f"k{message['id']}"}
    return messages


def kill_proxy(place, number, with_keys=True, waits=False):
    """Kill the proxy while it has calls, and make the same calls again. Returns the answers before and after, and how often each call was executed."""
    messages = calls(number, with_keys)
    first = Conversation(place, WRAP)
    pid = server_pid(place)
    first.say(messages)
    if waits:
        until(lambda: len(first.answers) == OPEN, "the answers")
    else:
        time.sleep(rng.random() ** 3 * 0.6)
    first.process.kill()
    before = {answer["id"]: answer for answer in first.end()}
    until(lambda: is_gone(pid), "the end of the server")
    again = Conversation(place, WRAP)
    server_pid(place)
    again.say(messages)
    after = {answer["id"]: answer for answer in again.end()}
    return before, after, executed(place)


@claim
def a_killed_proxy_executes_no_keyed_call_twice_and_loses_no_record_that_was_acknowledged():
    """The control: without keys, calls that were answered before the kill are executed twice."""
    outcomes = collections.Counter()
    with folder({}) as place:
        expect(run("ledger", "init", "--origin", "x", "--store", "s.db", cwd=place), 0)
        for number in range(KILLS):
            before, after, runs = kill_proxy(place, number)
            ids = [message["id"] for message in calls(number, True)]
            equal(sorted(after), ids)
            equal([count for count in runs.values() if count > 1], [])
            for item in ids:
                code = refusal(after[item])
                equal(code in (None, "WRAP_OUTCOME_UNKNOWN"), True)
                equal(code is not None and runs[item] > 1, False)
                if item in before:  # acknowledged: its record is durable, and its answer is given again
                    equal((code, after[item]["result"], runs[item]), (None, before[item]["result"], 1))
                outcomes["acknowledged" if item in before else "unknown" if code else "new or answered in time"] += 1
        expect(run("ledger", "verify", "--store", "s.db", cwd=place), 0)
        _, _, runs = kill_proxy(place, KILLS, with_keys=False, waits=True)
        equal(set(runs.values()), {2})
    print(f"# {KILLS} kills of the proxy: {dict(outcomes)}")


def kill_server(place, words, number):
    """Kill the server while calls are open; the answers."""
    talk = Conversation(place, words)
    pid = server_pid(place)
    messages = [call(index, "echo" if rng.random() < 0.5 else "nothing") for index in range(OPEN)]
    talk.say(messages)
    time.sleep(rng.random() ** 2 * 0.03)
    os.kill(pid, signal.SIGKILL)
    until(lambda: talk.process.poll() is not None or len(talk.answers) >= OPEN, "the answers")
    return talk.end()


@claim
def a_killed_server_leaves_each_open_request_answered_once():
    """The control: without the proxy, requests stay unanswered."""
    outcomes = collections.Counter()
    with folder({}) as place:
        expect(run("ledger", "init", "--origin", "x", "--store", "s.db", cwd=place), 0)
        for number in range(KILLS):
            answers = kill_server(place, WRAP, number)
            equal(sorted(answer["id"] for answer in answers), list(range(OPEN)))
            outcomes.update("result" if "result" in answer else answer["error"]["code"] for answer in answers)
        expect(run("ledger", "verify", "--store", "s.db", cwd=place), 0)
        equal(min(len(kill_server(place, OTHER, number)) for number in range(5)) < OPEN, True)
    print(f"# {KILLS} kills of the server: {dict(outcomes)}")


sys.exit(finish())
