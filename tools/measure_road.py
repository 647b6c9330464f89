#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""measure_road.py --baton PROGRAM [--list] - which folders one accepted POST /v1/handoffs passes; 1 when they are more than LIMITS.

PROGRAM is a build without optimisation and with debug information (`--buildtype=debug`). One request is recorded by callgrind in a
server with one worker. Printed are the distinct pairs of folders that call each other, the distinct calls between them, and the
indirect calls: edges between two files where the caller's file does not name the callee. Tool folders are left out.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import count_instructions as counting

TOOLS = {"src/base", "src/json", "src/csv", "src/yaml", "src/xml", "src/fence", "src/regex", "src/schema", "src/token", "src/report", "src/report",
         "src/config", "src/skill", "src/skill", "include/baton"}
# A limit is lowered and never raised.
LIMITS = {"folder pairs": 11, "calls between folders": 45, "indirect calls": 6}
ROOT = counting.ROOT


def record(baton, folder):
    """The profile of one request, after two that warm the server up."""
    out = folder / "callgrind.out"
    server = subprocess.Popen(["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={out}", "--compress-strings=no",
                               "--compress-pos=no", baton, "serve", "--listen", "127.0.0.1:0", "-f", "json", "--store", "s.db",
                               "--allow-test-key", "--workers", "1"], cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        port = int(json.loads(server.stdout.readline())["listen"][0].rsplit(":", 1)[1])
        statuses = [counting.post(port), counting.post(port)]
        subprocess.run(["callgrind_control", "-i", "on", str(server.pid)], check=True, capture_output=True)
        statuses.append(counting.post(port))
        time.sleep(2)
        subprocess.run(["callgrind_control", "-i", "off", str(server.pid)], check=True, capture_output=True)
    finally:
        server.terminate()
        server.wait(120)
    if set(statuses) != {201}:
        sys.exit(f"POST /v1/handoffs answered {statuses}")
    return "".join(part.read_text() for part in sorted(folder.glob("callgrind.out*")))


def short(path):
    """The path from the root of the tree, or None for other people's code."""
    path = os.path.normpath(os.path.join(ROOT, "x", "y", path)) if path.startswith("..") else path
    match = re.search(r"(?:^|/)((?:src|app|include)/.*)", path)
    return match[1] if match else None


def edges(profile):
    """(caller file, caller, callee file, callee) of every call that was recorded."""
    found = set()
    file = function = called_file = None
    for line in profile.split("\n"):
        key, _, value = line.partition("=")
        if key in ("fl", "fi", "fe"):
            if key == "fl":
                file = value
        elif key == "fn":
            function, called_file = value, None
        elif key in ("cfi", "cfl"):
            called_file = value
        elif key == "cfn":
            caller, callee = short(file or ""), short(called_file or file or "")
            if caller and callee:
                found.add((caller, function.split("'")[0], callee, value.split("'")[0]))
            called_file = None
    return found


def folder_of(path):
    return os.path.dirname(path)


def is_indirect(edge):
    """The caller's file does not name the callee: it was called through a pointer."""
    caller, _, callee, name = edge
    if caller == callee or (folder_of(caller) == folder_of(callee) and re.match(r"src/(dialect/|store$)", folder_of(caller))):
        return False
    return not re.search(rf"\b{re.escape(name)}\b", (ROOT / caller).read_text())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--baton", required=True)
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    baton = str(pathlib.Path(args.baton).resolve())
    with tempfile.TemporaryDirectory(prefix="baton-road-") as name:
        folder = pathlib.Path(name)
        counting.prepare(folder, baton)
        found = edges(record(baton, folder))
    road = {edge for edge in found if folder_of(edge[0]) not in TOOLS and folder_of(edge[2]) not in TOOLS}
    crossing = {edge for edge in road if folder_of(edge[0]) != folder_of(edge[2])}
    indirect = {edge for edge in road if is_indirect(edge)}
    pairs = {(folder_of(edge[0]), folder_of(edge[2])) for edge in crossing}
    if args.list:
        for title, rows in (("pair", pairs), ("call", crossing), ("indirect", indirect)):
            for row in sorted(rows):
                print(title, *row)
    numbers = {"folder pairs": len(pairs), "calls between folders": len(crossing), "indirect calls": len(indirect)}
    print(", ".join(f"{number} {name} (limit {LIMITS[name]})" for name, number in numbers.items()))
    return 0 if found and all(numbers[name] <= LIMITS[name] for name in LIMITS) else 1


if __name__ == "__main__":
    sys.exit(main())
