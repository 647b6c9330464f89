# SPDX-License-Identifier: Apache-2.0
"""test_pump_kill.py BATON - kill -9 of the pump and of its handlers, under load: nothing that was accepted is lost.

Each round sends messages to a stopped pump, which acknowledges what is durable, and then lets a pump run that is killed when it has
said so much, or whose handler is. The handler writes down the id of every call before it answers. BATON_PUMP_KILLS says how many
kills; script/torture pump-kill runs the long form.
"""
import json
import os
import random
import signal
import subprocess
import sys

from program import BATON, claim, environment, equal, finish, until
from pump_place import Place, message, organism, thread

KILLS = int(os.environ.get("BATON_PUMP_KILLS", "10"))
ROUND = 20    # messages that are sent before each run
ANSWERS = 15  # that a host gives in a run that is to be killed: so there is always something left to do

# A host that speaks the frames itself: it knows the ids of its calls.
HOST = '''import os, struct, sys
most = int(open(sys.argv[1]).read())
log = os.open("calls.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
os.write(log, b"pid %d\\n" % os.getpid())
channel = open(3, "r+b", buffering=0)

def read(size):
    data = b""
    while len(data) < size:
        more = channel.read(size - len(data))
        if not more:
            sys.exit(0)
        data += more
    return data

def say(kind, call, body):
    channel.write(struct.pack(">IBQ", 9 + len(body), kind, call) + body)

say(1, 0, b'{"protocol":1,"host":"kill 1","ok":true}')
while True:
    length, kind, call = struct.unpack(">IBQ", read(13))
    body = read(length - 9)
    if kind == 7:
        sys.exit(0)
    if kind != 3:
        continue
    number = body.split(b"<a>")[1].split(b"<")[0]
    os.write(log, b"call %d %s\\n" % (call, number))
    most -= 1
    if most >= 0:
        say(4, call, b"<result>" + number + b"</result>")
'''


class KillPlace(Place):
    def __init__(self):
        listener = {"name": "calc", "description": "says it again", "command": ["python3", "host.py", "most"], "payload_type": "AddPayload",
                    "fields": {"a": "int", "b": "int"}, "result": "int", "timeout_seconds": 600}
        super().__init__(organism(listener, limits={"attempts": 10}))

    def __enter__(self):
        super().__enter__()
        (self.top / "host.py").write_text(HOST)
        self.allow(10 ** 6)
        return self

    def allow(self, answers):
        (self.top / "most").write_text(str(answers))

    def logged(self):
        """Lines of all hosts, of all runs."""
        return [line.split() for path in (self.top / ".baton/pump/work").glob("*/calls.log") for line in path.read_text().splitlines()]

    def send(self, numbers):
        """The numbers that were acknowledged."""
        words = []
        for number in numbers:
            (self.top / f"m{number}.xml").write_text(message(number, 0, number))
            words += ["--in", f"m{number}.xml"]
        done = subprocess.run([BATON, "pump", "send", "-f", "json", *words], cwd=self.top, env=environment(), capture_output=True, check=True)
        return [number for number, told in zip(numbers, json.loads(done.stdout)["messages"]) if told["state"] == "accepted"]

    def start(self):
        return subprocess.Popen([BATON, "pump", "run", "organism.yaml", "--once", "--out", "-"], cwd=self.top, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, env=environment())


def numbers_in(lines):
    """What was delivered: the number, on the thread that it was sent on."""
    heard = set()
    for line in lines:
        if line.endswith(b"</message>\n"):
            number = int(line.split(b'<result xmlns="">')[1].split(b"<")[0])
            equal(line.split(b"<thread>")[1][:36].decode(), thread(number))
            heard.add(number)
    return heard


def end(pump):
    """Kill it, and hear what it had said."""
    equal(pump.poll(), None)  # it cannot have come to its end: its host does not answer everything
    pump.send_signal(signal.SIGKILL)
    rest = numbers_in(pump.stdout)
    pump.stdout.close()
    equal(pump.wait(timeout=60), -signal.SIGKILL)
    return rest


def kill_pump(place, rng):
    place.allow(ANSWERS)
    pump = place.start()
    return numbers_in(pump.stdout.readline() for _ in range(rng.randint(1, ANSWERS))) | end(pump)


def kill_host(place, rng):
    """Kill the host; another comes, and takes up its calls. Then the pump, so that it does not wait for answers that never come."""
    place.allow(ANSWERS)
    before = {line[1] for line in place.logged() if line[0] == "pid"}
    pump = place.start()
    heard = numbers_in(pump.stdout.readline() for _ in range(rng.randint(1, ANSWERS)))
    young = until(lambda: {line[1] for line in place.logged() if line[0] == "pid"} - before, "a host")
    os.kill(int(young.pop()), signal.SIGKILL)
    until(lambda: len({line[1] for line in place.logged() if line[0] == "pid"} - before) > 1, "another host")
    return heard | end(pump)


def finish_all(place):
    place.allow(10 ** 6)
    pump = place.start()
    heard = numbers_in(pump.stdout)
    pump.stdout.close()
    equal(pump.wait(timeout=120), 0)
    return heard


@claim
def nothing_that_was_acknowledged_is_lost_and_what_is_repeated_has_its_call_id():
    rng, accepted, heard = random.Random(7), [], set()
    with KillPlace() as place:
        for turn in range(KILLS):
            accepted += place.send(range(turn * ROUND, (turn + 1) * ROUND))
            heard |= kill_host(place, rng) if turn % 4 == 3 else kill_pump(place, rng)
        heard |= finish_all(place)
        equal(sorted(set(accepted) - heard), [])
        equal(len(accepted), KILLS * ROUND)
        calls = [(line[2], line[1]) for line in place.logged() if line[0] == "call"]
        equal(len(set(calls)), len({number for number, _ in calls}))  # one id for each message ...
        equal(len(set(calls)), len({call for _, call in calls}))      # ... and one message for each id
        print(f"# {KILLS} kills, {len(accepted)} messages accepted, {len(calls) - len(set(calls))} calls repeated with the same id")
        equal(len(calls) > len(set(calls)), True)


@claim
def what_is_believed_before_it_is_acknowledged_may_be_lost():
    """The same count finds a loss where there is one: a sender that dies before it was told anything has sent nothing."""
    with KillPlace() as place:
        (place.top / "m1.xml").write_text(message(1, 0, 1))
        sender = subprocess.Popen([BATON, "pump", "send", "--in", "m1.xml", "--in", "-"], cwd=place.top, env=environment(),
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        sender.stdin.write(b" " * 1000000)  # more than a pipe holds: when it is written, the sender is past the first message
        sender.send_signal(signal.SIGKILL)
        equal((sender.communicate(timeout=60)[0], sender.returncode), (b"", -signal.SIGKILL))
        accepted = place.send([2])
        equal((accepted, sorted({1, 2} - finish_all(place))), ([2], [1]))


if __name__ == "__main__":
    sys.exit(finish())
