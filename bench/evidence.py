# SPDX-License-Identifier: Apache-2.0
"""evidence.py BATON BENCH FOLDER [MIB] - a transcript of MIB (default 1024) beside wc and the JSON reader; memory; hooks with and without evidence.

Hooks take turns, and the median counts. A time that is good here says nothing about another machine; the differences do.
"""
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

ID = "a80177b959c721da1"
ROUNDS = 15
WORDS = ("passed", "collected", "error:", "src/parse.c", "0x7ffe", "warning", "ok", "the", "function", "returns", "{", "}", '"quoted"', "tests/", "=====", "3.14")


def texts(draw):
    made = []
    for size in (200, 800, 3000, 9000, 40000, 60000) * 30:
        lines = []
        while sum(map(len, lines)) < size:
            lines.append(" ".join([*draw.choices(WORDS, k=draw.randint(3, 13)), str(draw.randint(0, 1 << 30))]))
        made.append(json.dumps("\n".join(lines)))
    return made


def write(path, size):
    """A transcript of this size; returns a line of its outputs."""
    draw = random.Random(5)
    outputs = texts(draw)
    head = ('{"parentUuid":"u%d","isSidechain":true,"agentId":"' + ID + '","userType":"external","cwd":"/repo","sessionId":"3d1f9a52-1111-4222-8333-944445555666",'
            '"version":"2.1.270","gitBranch":"main",')
    with open(path, "w", encoding="utf-8") as file:
        done = n = 0
        while done < size:
            n += 1
            use = f'"Bash","input":{{"command":"cd /repo && make step{n} 2>&1"}}' if n % 3 else f'"Edit","input":{{"file_path":"/repo/src/f{n}.md","old_string":"a"}}'
            text = draw.choice(outputs)
            lines = (head % n + f'"type":"assistant","message":{{"model":"claude-opus-5","id":"msg_{n}","role":"assistant","content":[{{"type":"tool_use","id":"toolu_{n}","name":{use}}}],'
                     '"usage":{"input_tokens":3,"cache_creation_input_tokens":10,"cache_read_input_tokens":100,"output_tokens":5}},"uuid":"a","timestamp":"2026-09-01T10:00:02.000Z"}\n'
                     + head % n + f'"type":"user","message":{{"role":"user","content":[{{"tool_use_id":"toolu_{n}","type":"tool_result","content":{text},"is_error":false}}]}},'
                     f'"uuid":"b","toolUseResult":{{"stdout":{text},"stderr":"","interrupted":false}}}}\n')
            done += file.write(lines)
    return json.loads(text).split("\n")[0]


def run(words, **more):
    """Seconds, processor seconds and exit code of one process."""
    began = time.monotonic()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return time.monotonic() - began, usage.ru_utime + usage.ru_stime, process.returncode


def peak_kib(words):
    """The most memory of one process, as its own file in /proc tells it while it runs; what wait4 tells includes this script."""
    peak = 0
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            try:
                status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii", errors="replace")
            except OSError:
                break
            program = status.split("\n", 1)[0].split()[-1]
            for line in status.splitlines():
                peak = max(peak, int(line.split()[1])) if line.startswith("VmHWM") and program == pathlib.Path(words[0]).name else peak
    return peak


def measure_file(baton, bench, folder, mib):
    path, empty = folder / "large.jsonl", folder / "empty.jsonl"
    write(path, mib << 20)
    empty.write_text("")
    subprocess.run([bench, str(path), "3"], check=True)
    seconds = min(run(["wc", "-l", str(path)])[1] for _ in range(3))
    print(f"{'wc -l':36} {path.stat().st_size / 1e6 / seconds:8.0f} MB/s")
    # Everything but the texts of commands and outputs, which `evidence show` keeps to print them.
    block = folder / "block.md"
    block.write_text(report("make step1"))
    check = [baton, "evidence", "check", "--no-config", "--transcript"]
    least = max(peak_kib([*check, str(empty), str(block)]) for _ in range(20))
    most = peak_kib([*check, str(path), str(block)])
    print(f"{'peak memory':36} {most / 1024:8.1f} MiB, {(most - least) / 1024:.1f} above an empty run")
    path.unlink()


def report(*commands, **more):
    keys = ("patterns_checked", "files_checked", "key_outputs", "verbatim_outputs", "cross_layer_impacts", "open_gaps")
    body = {"agent_status": {"plan_status": "IN_PROGRESS", "agent_id": ID, "pending_steps": [], "next_action": "go on"},
            "evidence_report": {**{key: [] for key in keys}, "commands_run": [{"command": text, "result": "pass"} for text in commands], **more}}
    return "Report.\n\n```agent_contract_handoff\n" + json.dumps(body) + "\n```\n"


def hook(baton, folder, store, flags, event):
    path = folder / "event.json"
    path.write_text(json.dumps(event))
    with open(path, encoding="utf-8") as file:
        wall, cpu, code = run([baton, "hook", "claude", "--store", str(store), "--workspace", "w", *flags], stdin=file, cwd=folder,
                                 env={"PATH": os.environ["PATH"], "HOME": str(folder)})
    if code != 0:
        raise SystemExit(f"the hook ended with {code}")
    return wall * 1000, cpu * 1000


def compare(name, rows):
    """Wall and processor time of both sides, as medians."""
    wall = [statistics.median(row[side][0] for row in rows) for side in (0, 1)]
    cpu = [statistics.median(row[side][1] for row in rows) for side in (0, 1)]
    print(f"{name:36} {wall[0]:8.1f} ms without, {wall[1]:6.1f} ms with: {wall[1] - wall[0]:+6.1f} ms; processor {cpu[0]:6.1f}, {cpu[1]:6.1f}: {cpu[1] - cpu[0]:+6.1f} ms")


def measure_hooks(baton, folder):
    path = folder / "ten.jsonl"
    line = write(path, 10 << 20)
    enforce = ["--evidence", "enforce"]
    stop = {"session_id": "s", "hook_event_name": "SubagentStop", "agent_id": ID, "agent_type": "x", "agent_transcript_path": str(path)}
    for name, text in (("commands", report("make step1", "make step2")), ("commands and a quotation", report("make step1", verbatim_outputs=[line]))):
        first, second = [], []
        for turn in range(ROUNDS):
            without = hook(baton, folder, folder / "off.db", [], {**stop, "session_id": f"{name}{turn}", "last_assistant_message": text})
            with_ = hook(baton, folder, folder / "on.db", enforce, {**stop, "session_id": f"{name}{turn}", "last_assistant_message": text})
            again = hook(baton, folder, folder / "on.db", enforce, {**stop, "session_id": f"{name}{turn}", "last_assistant_message": text})
            without_again = hook(baton, folder, folder / "off.db", [], {**stop, "session_id": f"{name}{turn}", "last_assistant_message": text})
            first.append((without, with_))
            second.append((without_again, again))
        compare(f"stop, 10 MB, {name}", first[1:])
        compare("  the second time", second[1:])
    tool = {"session_id": "t", "hook_event_name": "PreToolUse", "agent_id": ID, "tool_name": "Bash", "tool_input": {"command": "ls"}, "agent_transcript_path": str(path)}
    for store, flags in (("off.db", []), ("on.db", enforce)):
        hook(baton, folder, folder / store, flags, {**stop, "session_id": "t", "last_assistant_message": report("make step1")})
    rows = []
    for turn in range(ROUNDS):
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"type": "user", "isSidechain": True, "agentId": ID, "message": {"content": "x" * 10240}}) + "\n")
        rows.append(tuple(hook(baton, folder, folder / store, flags, {**tool, "tool_use_id": f"c{turn}"}) for store, flags in (("off.db", []), ("on.db", enforce))))
    compare("tool, after 10 KB more", rows)


def main():
    baton, bench, folder = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2], pathlib.Path(sys.argv[3]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    measure_file(baton, bench, folder, int(sys.argv[4]) if len(sys.argv) > 4 else 1024)
    measure_hooks(baton, folder)


if __name__ == "__main__":
    main()
