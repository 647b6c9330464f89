# SPDX-License-Identifier: Apache-2.0
"""test_proxy.py BATON KILL - baton wrap between a client and a server: bytes, ends, signals, slow readers (BATON_WRAP_FLOOD is how much they get)."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from program import BATON, SANITIZED, claim, claim_if, environment, equal, expect, finish, folder, run, until  # noqa: E402

SERVER = [sys.executable, str(pathlib.Path(__file__).parent / "server.py")]
KILL = str(pathlib.Path(sys.argv[2]).resolve())
MIB = 1 << 20
FLOOD = int(os.environ.get("BATON_WRAP_FLOOD", "400"))  # messages of 64 KiB for a slow reader


def call(number, name, value=None):
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "value": value}}


def lines(*messages):
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


def talk(place, *messages, flags=(), code=0, env=None, more=()):
    """The messages that the client gets, and the result of the run."""
    result = run("wrap", "--name", "s", *flags, "--", *SERVER, *more, stdin=lines(*messages), cwd=place, env=env)
    equal(result.returncode, code)
    return [json.loads(line) for line in result.stdout.splitlines()], result


def start(place, *flags, more=(), env=None, **how):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, **how}
    return subprocess.Popen([BATON, "wrap", *flags, "--", *SERVER, *more], cwd=place, env=environment(**(env or {})), **pipes)


def server_pid(place):
    def read():
        try:
            return int(pathlib.Path(place, "pid").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
    return until(read, "the server")


def is_gone(pid):
    """True when the process has ended, perhaps not yet reaped by its new parent."""
    try:
        status = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return True
    return status.rpartition(")")[2].split()[0] in "ZX"


@claim
def large_messages_pass_both_ways_at_the_same_time():
    with folder({}) as place:
        text = "y" * (3 * MIB)
        asked = [call(number, "echo", text) for number in range(8)]
        said, _ = talk(place, *asked)
        equal([answer["id"] for answer in said], list(range(8)))
        equal({answer["result"]["content"][0]["text"] for answer in said}, {json.dumps(text)})


def written(place):
    """How many messages a server has written that floods its client."""
    try:
        return int(pathlib.Path(place, "flooded").read_text(encoding="utf-8") or 0)
    except OSError:
        return 0


def await_pause(place):
    """Wait until the server stands still, three times in a row."""
    seen = [-1]

    def stands():
        before, seen[0] = seen[0], written(place)
        return seen[0] > 0 and seen[0] == before
    for _ in range(3):
        until(stands, "a pause")


def expect_small(process):
    """Memory: 24 MiB, twice the largest message and a buffer of 8 MiB."""
    most = int(re.search(r"VmHWM:\s*(\d+)", pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")).group(1)) << 10
    if not SANITIZED and most > 24 * MIB + 2 * 300100 + 8 * MIB:
        raise AssertionError(f"{most >> 20} MiB")


@claim
def a_server_is_held_while_the_client_does_not_read():
    """What waits is bounded by 8 MiB, a message and the pipes; a client that reads gets it all, in order. The control: a buffer without
    a limit holds everything."""
    for flags, bounded in ((), True), (("--config", "unbounded.json"), False):
        count = FLOOD if bounded else 400  # of 64 KiB
        with folder({"unbounded.json": '{"wrap": {"limits": {"buffer_bytes": 1073741824}}}'}) as place:
            process = start(place, *flags)
            process.stdin.write(lines(call(1, "flood", count)))
            process.stdin.flush()
            if bounded:
                await_pause(place)
                if not 64 <= written(place) <= 200:
                    raise AssertionError(f"{written(place)} of {count} were written")
            else:
                until(lambda: written(place) == count, "everything")  # noqa: B023
            for number in range(count):
                equal(json.loads(process.stdout.readline())["params"]["n"], number)
            equal((json.loads(process.stdout.readline())["id"], written(place)), (1, count))
            if bounded:
                expect_small(process)
            process.stdin.close()
            equal(process.wait(60), 0)


@claim
def a_client_that_writes_without_reading_is_served_when_it_reads():
    with folder({}) as place:
        process = start(place)
        count = max(64, FLOOD * 65536 // 300000 if FLOOD > 400 else 0)

        def write():
            for number in range(count):
                process.stdin.write(lines(call(number, "echo", "z" * 300000)))
            process.stdin.flush()
        writer = threading.Thread(target=write)
        writer.start()
        for number in range(count):
            equal(json.loads(process.stdout.readline())["id"], number)
        writer.join()
        expect_small(process)
        process.stdin.close()
        equal(process.wait(60), 0)


@claim
def a_server_that_stays_is_ended_and_so_is_one_after_a_signal():
    with folder({}) as place:
        said, _ = talk(place, call(1, "echo"), more=["--stay"])
        equal(said[0]["id"], 1)
        until(lambda: is_gone(server_pid(place)), "the end of the server")
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        with folder({}) as place:
            process = start(place, more=["--stay"])
            process.stdin.write(lines(call(1, "nothing")))
            process.stdin.flush()
            pid = server_pid(place)
            process.send_signal(number)
            equal(process.wait(60), 0)
            until(lambda: is_gone(pid), "the end of the server")


@claim
def a_client_that_does_not_read_does_not_hold_a_proxy_that_is_told_to_end():
    with folder({}) as place:
        process = start(place)
        process.stdin.write(lines(call(1, "flood", FLOOD)))
        process.stdin.flush()
        until(lambda: written(place) > 100, "more than fits anywhere")
        process.send_signal(signal.SIGTERM)
        equal(process.wait(60), 0)
        process.stdin.close()
        process.stdout.close()


@claim
def no_server_outlives_a_proxy_that_is_killed():
    for _ in range(20):
        with folder({}) as place:
            process = start(place)
            pid = server_pid(place)
            process.kill()
            process.wait(60)
            process.stdin.close()
            process.stdout.close()
            until(lambda: is_gone(pid), "the end of the server")


@claim
def every_open_request_is_answered_once_when_the_server_ends():
    for name, value, told in (("exit", 3, {"status": 3, "open": 3}), ("kill", 9, {"signal": 9, "open": 3})):
        with folder({}) as place:
            asked = [call("a", "nothing"), call(2, "nothing"), call(3, name, value)]
            said, result = talk(place, *asked, flags=["--report", "r.json"], code=2)
            equal(sorted(str(answer["id"]) for answer in said), ["2", "3", "a"])
            equal({answer["error"]["code"] for answer in said}, {-31003})
            expect(result, 2, err="WRAP_SERVER_ENDED")
            found = json.loads(pathlib.Path(place, "r.json").read_text(encoding="utf-8"))["documents"][0]
            equal([finding["params"] for finding in found["findings"] if finding["severity"] == "HARD"], [told])
            equal((found["dialect"], found["verdict"], found["facts"]["calls"]["lost"]), ("mcp", "rejected", 3))


@claim
def what_a_server_wrote_before_it_ended_is_passed():
    with folder({}) as place:
        asked = [call(number, "big", 100000) for number in range(20)] + [call("end", "exit", 0)]
        said, _ = talk(place, *asked, code=2)
        equal([answer["id"] for answer in said if "result" in answer], list(range(20)))
        equal([answer["id"] for answer in said if "error" in answer], ["end"])


@claim
def a_server_that_closes_its_output_counts_as_ended():
    with folder({}) as place:
        process = start(place)
        process.stdin.write(lines(call(1, "close")))
        process.stdin.flush()
        equal(json.loads(process.stdout.readline())["error"]["code"], -31003)
        equal(process.wait(60), 2)
        process.stdin.close()


@claim
def open_requests_do_not_wait_for_a_server_that_closed_its_output():
    with folder({}) as place:
        said, result = talk(place, call(1, "nothing"), call(2, "close"), code=2)
        equal(sorted((answer["id"], answer["error"]["code"]) for answer in said), [(1, -31003), (2, -31003)])
        expect(result, 2, err="WRAP_SERVER_ENDED")


@claim
def a_server_that_closes_its_input_counts_as_ended_when_a_message_cannot_be_written():
    with folder({}) as place:
        process = start(place)
        process.stdin.write(lines(call(1, "shut")))
        process.stdin.flush()
        pid = server_pid(place)
        until(lambda: not os.path.exists(f"/proc/{pid}/fd/0"), "the closed input")
        process.stdin.write(lines(call(2, "echo")))
        process.stdin.flush()
        equal({json.loads(process.stdout.readline())["error"]["code"] for _ in range(2)}, {-31003})
        equal(process.wait(60), 2)
        process.stdin.close()


@claim_if(not SANITIZED, "the sanitizer wants to be loaded first")
def a_server_that_cannot_be_killed_does_not_hold_the_proxy():
    """The control is `a_server_that_stays_is_ended_...`: there SIGKILL arrives."""
    for way, code in (("input", 0), ("signal", 0), ("output", 2)):
        with folder({}) as place:
            process = start(place, more=["--stay", "--ignore"], env={"LD_PRELOAD": KILL})
            pid = server_pid(place)
            try:
                if way == "output":
                    process.stdin.write(lines(call(1, "close")))
                    process.stdin.flush()
                    equal(json.loads(process.stdout.readline())["error"]["code"], -31003)
                elif way == "input":
                    process.stdin.close()
                else:
                    process.send_signal(signal.SIGTERM)
                equal((way, process.wait(60)), (way, code))
                equal(is_gone(pid), False)
            finally:
                process.kill()
                os.kill(pid, signal.SIGKILL)
            until(lambda: is_gone(pid), "the end of the server")


@claim
def a_client_that_stops_reading_ends_the_session():
    with folder({}) as place:
        process = start(place)
        pid = server_pid(place)
        process.stdout.close()
        try:
            process.stdin.write(lines(*[call(number, "big", 100000) for number in range(50)]))
            process.stdin.close()
        except BrokenPipeError:
            pass
        equal(process.wait(60), 0)
        until(lambda: is_gone(pid), "the end of the server")


@claim
def noise_does_not_reach_the_client_and_nobody_has_to_read_it():
    with folder({}) as place:
        read, write = os.pipe()
        process = start(place, stderr=write)
        process.stdin.write(lines(call(1, "say", ["noise " * 30] * 5000), call(2, "echo")))
        process.stdin.close()
        equal([json.loads(line)["id"] for line in process.stdout], [1, 2])
        equal(process.wait(60), 0)
        os.close(read)
        os.close(write)


@claim
def a_line_above_the_limit_is_answered_and_skipped():
    with folder({}) as place:
        said, _ = talk(place, call(1, "big", 33 * MIB), call(2, "echo"))
        equal([(answer["id"], answer.get("error", {}).get("code")) for answer in said], [(1, -31002), (2, None)])
    with folder({}) as place:
        said, _ = talk(place, call(1, "echo", "x" * (33 * MIB)), call(2, "echo"))
        equal([(answer.get("id"), answer.get("error", {}).get("code")) for answer in said], [(None, -32600), (2, None)])
        equal('"id": 1' in pathlib.Path(place, "seen").read_text(encoding="utf-8"), False)


@claim
def the_last_line_needs_no_end_and_a_carriage_return_is_dropped():
    with folder({}) as place:
        line = json.dumps(call(1, "echo", 5)).encode()
        for text in (line, line + b"\r\n", b"\n \n" + line + b"\n"):
            result = expect(run("wrap", "--no-record", "--quiet", "--", *SERVER, stdin=text, cwd=place), 0)
            equal(json.loads(result.stdout)["id"], 1)
        equal("\r" in pathlib.Path(place, "seen").read_text(encoding="utf-8"), False)


@claim
def the_server_gets_no_variable_of_baton_and_with_env_only_those_named():
    given = {"BATON_STORE": "postgresql://u:secret@127.0.0.1/x", "SOME_TOKEN": "t", "OTHER": "o"}
    with folder({}) as place:
        for flags, expected in (([], {"OTHER", "SOME_TOKEN"}), (["--env", "SOME_TOKEN"], {"SOME_TOKEN"}), (["--env", "BATON_STORE"], set())):
            said, _ = talk(place, call(1, "environment"), flags=["--no-record", *flags], env=given)
            names = set(said[0]["result"]["content"][0]["text"].split())
            equal(names & {"BATON_STORE", "OTHER", "SOME_TOKEN"}, expected)
            equal("PATH" in names, True)


@claim
def the_server_has_only_its_three_descriptors():
    script = "import os, sys\nsys.stdin.read()\nopen('fds', 'w').write(' '.join(sorted(os.listdir('/proc/self/fd'))))\n"
    with folder({"fds.py": script, "extra": ""}) as place:
        with open(pathlib.Path(place, "extra"), encoding="utf-8") as extra:
            os.set_inheritable(extra.fileno(), True)
            expect(run("wrap", "--store", "s.db", "--quiet", "--", sys.executable, "fds.py", cwd=place, close_fds=False), 0)
        opened = pathlib.Path(place, "fds").read_text(encoding="utf-8").split()
        equal(opened[:3], ["0", "1", "2"])
        equal(str(extra.fileno()) in opened if not extra.closed else False, False)


@claim
def a_command_that_cannot_be_started_is_an_error_of_usage_or_system():
    with folder({"plain.txt": "no program"}) as place:
        for words, told in ((["wrap"], "which server?"), (["wrap", "python3"], "follows --"), (["wrap", "--name", "a b", "--", "true"], "--name wants"),
                            (["wrap", "--", "./no-such-program"], "cannot start ./no-such-program"), (["wrap", "--", "no-such-program"], "PATH"),
                            (["wrap", "--", "./plain.txt"], "cannot start ./plain.txt")):
            result = expect(run(*words, cwd=place), 2, err=told)
            equal(result.stdout, b"")


sys.exit(finish())
