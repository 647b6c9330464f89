# SPDX-License-Identifier: Apache-2.0
"""A host that speaks the protocol itself, well or badly; its argument says how."""
import json
import os
import signal
import struct
import sys
import time

MODE = sys.argv[1]
IN, OUT = (0, 1) if MODE == "stdio" else (3, 3)


def read(size):
    data = b""
    while len(data) < size:
        chunk = os.read(IN, size - len(data))
        if not chunk:
            sys.exit(0)
        data += chunk
    return data


def receive():
    body = read(struct.unpack(">I", read(4))[0])
    return body[0], struct.unpack(">Q", body[1:9])[0], body[9:]


def send(kind, call, body):
    os.write(OUT, struct.pack(">IBQ", 9 + len(body), kind, call) + body)


def fork_each(count, act):
    for _ in range(count):
        if os.fork() == 0:
            act()
            time.sleep(600)


def write_files(count, prefix=""):
    for i in range(count):
        with open(f"{prefix}file{i}", "wb") as file:
            file.write(bytes(8 << 20))


def write_unnamed(count):
    files = [open(f"file{i}", "wb") for i in range(count)]
    for i, file in enumerate(files):
        file.write(bytes(8 << 20))
        os.unlink(f"file{i}")
    time.sleep(600)


def write_hidden(count):
    os.mkdir("hidden", 0o300)
    write_files(count, "hidden/")


def make_deep():
    for _ in range(40):
        os.mkdir("d")
        os.chdir("d")


def make_many():
    for i in range(20100):
        os.close(os.open(f"file{i}", os.O_CREAT | os.O_WRONLY))


GREEDY = {
    "within": lambda: (fork_each(10, lambda: None), write_files(2)),
    "processes": lambda: fork_each(100, lambda: None),
    "memory": lambda: fork_each(4, lambda: (bytearray(os.urandom(1) * (100 << 20)), time.sleep(600))),
    "disk": lambda: write_files(6),
    "unnamed": lambda: write_unnamed(6),
    "hidden": lambda: write_hidden(6),
    "deep": make_deep,
    "files": make_many,
}


def on_call(call, body):
    if MODE in GREEDY:
        GREEDY[MODE]()
        time.sleep(3 if MODE == "within" else 40)
        send(4, call, b"<result>survived</result>")
    elif MODE == "garbage":
        os.write(OUT, b"\xff" * 1000)
    elif MODE == "flood":
        while True:
            send(4, call, b"<result>again</result>" * 100)
    elif MODE == "half":
        os.write(OUT, struct.pack(">IBQ", 1000000, 4, call))
        os._exit(0)
    elif MODE == "last-words":
        send(4, call, b"<result>" + b"x" * 1000000 + b"</result>")
        os._exit(7)
    elif MODE == "close":
        os.close(OUT)
        time.sleep(60)
    elif MODE == "leave":
        send(7, 0, b'{"reason":"tired"}')
        send(4, call, b"<result>last</result>")
    elif MODE == "fork":
        child = os.fork()
        if child == 0:
            time.sleep(600)
        send(4, call, str(child).encode())
        receive()
        os._exit(0)
    elif MODE == "fork-bomb":
        made = 0
        try:
            while made < 10000:
                if os.fork() == 0:
                    time.sleep(600)
                made += 1
        except OSError:
            pass
        send(4, call, str(made).encode())
    else:
        send(4, call, b"<result>" + body[4 + struct.unpack(">I", body[:4])[0]:] + b"</result>")


for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
if MODE == "early":
    send(4, 1, b"<result>early</result>")
    time.sleep(60)
send(1, 0, json.dumps({"protocol": 1, "host": "raw 1", "ok": True}).encode())
receive()
while True:
    kind, call, body = receive()
    if kind == 3:
        on_call(call, body)
    elif kind == 7 and MODE != "stay":
        break
time.sleep(60 if MODE == "ignore-bye" else 0)
