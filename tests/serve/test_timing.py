# SPDX-License-Identifier: Apache-2.0
"""test_timing.py BATON - how long a wrong token takes to be refused must not tell how much of it is right. Part of script/torture, since it measures.

Tokens that differ from a valid one in their first character and tokens that differ in their last take turns at random; Welch's t of the
two samples, without the slowest tenth of all, stays below 4.5. Beside a program that compares byte by byte it does not."""
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from program import claim, equal, finish  # noqa: E402
from raw_server import Connection, read_answer, serving  # noqa: E402

COUNT = int(os.environ.get("BATON_WRONG_TOKENS", "10000"))  # of each sort
LIMIT = 4.5
TRIES = 3  # a machine that does something else meanwhile deserves another look
PER_ADDRESS = 5000
KEPT = 0.9
# What must be noticed: it stops at the first byte that differs.
LEAKY = """
import socket, sys
token = sys.argv[1]
def same(text):
    for one, other in zip(text, token):
        if one != other:
            return False
    return len(text) == len(token)
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    client, _ = listener.accept()
    data = client.makefile("rb")
    while (line := data.readline()):
        found = same(line.split(b"Bearer ")[1].strip().decode()) if line.startswith(b"Authorization") else None
        if found is not None:
            while data.readline().strip():
                pass
            client.sendall(b"HTTP/1.1 401 No\\r\\nContent-Length: 0\\r\\n\\r\\n")
"""


def other(char):
    return "A" if char != "A" else "B"


def samples(token, connect):
    """Times of refusals in nanoseconds: of those that are wrong at once, and of those that are wrong at last."""
    begin = len("bt_")
    texts = [token[:begin] + other(token[begin]) + token[begin + 1:], token[:-1] + other(token[-1])]
    requests = [f"GET /v1/whoami HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {text}\r\n\r\n".encode() for text in texts]
    order = [0, 1] * COUNT
    random.Random(7).shuffle(order)
    times = ([], [])
    for at in range(0, len(order), PER_ADDRESS):
        with connect(at // PER_ADDRESS) as connection:
            for which in order[at:at + PER_ADDRESS]:
                begun = time.perf_counter_ns()
                connection.send(requests[which])
                answer = read_answer(connection.stream)
                times[which].append(time.perf_counter_ns() - begun)
                equal(answer.status, 401)
    return times


def welch(times):
    bound = sorted(times[0] + times[1])[int(KEPT * (len(times[0]) + len(times[1])))]
    first, second = ([one for one in sample if one <= bound] for sample in times)
    spread = statistics.variance(first) / len(first) + statistics.variance(second) / len(second)
    return (statistics.mean(first) - statistics.mean(second)) / spread ** 0.5


@claim
def a_wrong_token_is_refused_as_fast_wherever_it_is_wrong():
    with serving(files={"baton.yaml": f"rate: {{auth_failures: {PER_ADDRESS}}}\nhosts: [127.0.0.1]\nlog: {{level: error}}\n"}) as server:
        token = server.token
        found = []
        while len(found) < TRIES and (not found or abs(found[-1]) >= LIMIT):
            offset = len(found) * 100
            # Failures are counted for each address, and loopback has many.
            found.append(welch(samples(token, lambda number: Connection(server.place, source=f"127.0.{offset}.{number + 2}"))))
        print(f"# {COUNT} of each: Welch's t {', '.join(f'{t:.2f}' for t in found)} (below {LIMIT})")
        equal(abs(found[-1]) < LIMIT, True)


@claim
def a_comparison_that_stops_early_is_noticed():
    token = "bt_" + "k" * 43
    with subprocess.Popen([sys.executable, "-c", LEAKY, token], stdout=subprocess.PIPE) as leaky:
        try:
            place = ("127.0.0.1", int(leaky.stdout.readline()))
            found = welch(samples(token, lambda _: Connection(place)))
        finally:
            leaky.kill()
    print(f"# the control: Welch's t {found:.2f}")
    equal(abs(found) >= LIMIT, True)


sys.exit(finish())
