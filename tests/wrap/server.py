# SPDX-License-Identifier: Apache-2.0
"""server.py - a server of the Model Context Protocol for tests. What it does is in the name of the tool that is called.

    echo        answers with the arguments
    sleep       answers after so many seconds
    exit        ends with this status; kill: by this signal
    say         writes these lines first
    big         answers with so many bytes
    flood       writes so many notifications of 64 KiB and counts them in the file `flooded`
    nothing     never answers
    close       closes its standard output and stays
    shut        closes its standard input and stays
    deaf        reads nothing more
    environment answers with the names of its variables
With `--stay` it does not end with its input, with `--ignore` not by SIGTERM.
"""
import json
import os
import signal
import sys
import time


def send(message):
    sys.stdout.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
    sys.stdout.flush()


def flood(count):
    text = "x" * 65536
    for number in range(count):
        send({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": text, "n": number}})
        with open("flooded", "w", encoding="utf-8") as file:
            file.write(str(number + 1))


def call(name, value):
    """The text of the result; None: no answer."""
    if name == "sleep":
        time.sleep(value)
    elif name == "exit":
        os._exit(value)
    elif name == "kill":
        os.kill(os.getpid(), value)
    elif name == "say":
        for line in value:
            send(line)
    elif name == "big":
        return "x" * value
    elif name == "flood":
        flood(value)
    elif name == "nothing":
        return None
    elif name == "close":
        os.close(1)
        time.sleep(600)
    elif name == "shut":
        os.close(0)
        time.sleep(600)
    elif name == "deaf":
        time.sleep(600)
    elif name == "environment":
        return " ".join(sorted(os.environ))
    return json.dumps(value)


def main():
    if "--ignore" in sys.argv:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with open("pid", "w", encoding="utf-8") as file:
        file.write(str(os.getpid()))
    seen = open("seen", "a", encoding="utf-8")
    for line in sys.stdin:
        seen.write(line[:1000] + ("" if len(line) <= 1000 else "...\n"))
        seen.flush()
        message = json.loads(line)
        if message.get("method") == "tools/call":
            text = call(message["params"]["name"], message["params"].get("value"))
            if text is not None:
                send({"jsonrpc": "2.0", "id": message["id"], "result": {"content": [{"type": "text", "text": text}]}})
        elif "method" in message and "id" in message:
            send({"jsonrpc": "2.0", "id": message["id"], "result": {}})
    if "--stay" in sys.argv:
        time.sleep(600)


main()
