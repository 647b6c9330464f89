# SPDX-License-Identifier: Apache-2.0
"""test_demo.py BATON - what script/run starts: it comes up, is fed with every dialect, goes down cleanly however it is ended, and
does not meddle with another run."""
import fcntl
import itertools
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import time

from program import BATON, ROOT, claim, environment, equal, finish

DEMO = ROOT / "examples/demo"
RUN = [sys.executable, "-B", str(DEMO / "run.py"), BATON]
WAIT_S = 120


def patched(change):
    """The command line of a run whose module was changed by a statement."""
    return [sys.executable, "-B", "-c", f"import sys; sys.path.insert(0, {str(DEMO)!r}); import run\n{change}\nsys.exit(run.main())", BATON]


def run(place, *args, command=None):
    done = subprocess.run([*(command or RUN), place, *args], capture_output=True, text=True, env=environment(), timeout=200, check=False)
    return done.returncode, done.stdout, done.stderr[-2000:]


def stat_of(pid):
    """Parent and start of a process; None when it is gone or only waits to be reaped."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else (int(fields[1]), fields[19])


def family(pid):
    """{pid: start} of everything below a process."""
    every = {int(path.name): stat_of(path.name) for path in pathlib.Path("/proc").glob("[0-9]*")}
    found, last = {}, {pid}
    while last:
        last = {child for child, stat in every.items() if stat and stat[0] in last}
        found.update({child: every[child][1] for child in last})
    return found


def alive(processes):
    return [pid for pid, start in processes.items() if (stat_of(pid) or (0, None))[1] == start]


def all_end(processes):
    deadline = time.monotonic() + WAIT_S
    while alive(processes) and time.monotonic() < deadline:
        time.sleep(0.1)
    return alive(processes) == []


def as_at_a_terminal(more=None):
    """For preexec_fn: the caller of the tests may ignore a hangup (nohup does), and the demo would inherit that."""
    def prepare():
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        if more:
            more()
    return prepare


class Running:
    """A demo that has said where the console is; whatever it leaves behind is ended."""

    def __init__(self, place, **more):
        self.process = subprocess.Popen([*RUN, place], cwd=ROOT, **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": environment(),
                                                                   "preexec_fn": as_at_a_terminal(), **more})
        self.children = {}

    def __enter__(self):
        return self

    def wait_for_console(self, stream=None):
        lines = iter((stream or self.process.stdout).readline, b"")
        equal(any(b"/#token=bt_" in line for line in lines), True)
        self.children = family(self.process.pid)
        equal(len(self.children) >= 2, True)

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        for pid in alive(self.children):
            os.kill(pid, signal.SIGKILL)


def ended_by(number):
    with tempfile.TemporaryDirectory() as place, Running(place) as demo:
        demo.wait_for_console()
        demo.process.send_signal(number)
        _, errors = demo.process.communicate(timeout=200)
        equal((number, demo.process.returncode, errors.decode()[-2000:]), (number, 0, ""))
        equal((number, alive(demo.children)), (number, []))
        equal((number, *run(place, "--check")[0::2]), (number, 0, ""))
        verified = subprocess.run([BATON, "ledger", "verify", "--store", ".baton/store.db"], cwd=pathlib.Path(place), capture_output=True, env=environment(), check=False)
        equal((number, verified.returncode), (number, 0))


@claim
def the_first_requests_are_answered_and_it_ends_by_itself():
    with tempfile.TemporaryDirectory() as place:
        code, told, errors = run(place, "--check")
        equal((code, errors, "the page and the files of the console" in told), (0, "", True))


@claim
def a_console_that_is_not_the_one_in_the_tree_is_not_called_answered():
    for changed in ("index.html", "assets/index"):
        with tempfile.TemporaryDirectory() as place, tempfile.TemporaryDirectory() as other:
            bundle = pathlib.Path(other) / "bundle"
            subprocess.run(["cp", "-R", str(ROOT / "console/bundle"), str(bundle)], check=True)
            path = next(path for path in sorted(bundle.rglob("*")) if str(path.relative_to(bundle)).startswith(changed))
            path.write_bytes(path.read_bytes() + b" ")
            code, told, errors = run(place, "--check", command=patched(f"run.BUNDLE = run.pathlib.Path({str(bundle)!r})"))
            equal((changed, code, "it works" in told, "of the console" in errors), (changed, 1, False, True))


@claim
def ctrl_c_stops_all_of_it_and_the_ledger_stays():
    ended_by(signal.SIGINT)


@claim
def so_do_the_signals_of_a_lost_line_and_of_kill():
    ended_by(signal.SIGHUP)
    ended_by(signal.SIGTERM)


@claim
def so_does_closing_the_terminal():
    master, slave = pty.openpty()
    with tempfile.TemporaryDirectory() as place, Running(place, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
                                                         preexec_fn=as_at_a_terminal(lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))) as demo:
        os.close(slave)
        with open(master, "rb", buffering=0) as screen:
            demo.wait_for_console(screen)
        equal((demo.process.wait(timeout=200), alive(demo.children)), (0, []))
        equal(run(place, "--check")[0::2], (0, ""))


@claim
def when_it_is_killed_its_children_end_and_the_next_run_waits_for_them():
    with tempfile.TemporaryDirectory() as place, Running(place) as demo:
        demo.wait_for_console()
        demo.process.kill()
        demo.process.wait()
        equal(run(place, "--check")[0::2], (0, ""))
        equal(all_end(demo.children), True)


@claim
def the_commands_that_it_prints_do_what_it_says():
    with tempfile.TemporaryDirectory() as place, Running(place) as demo:
        demo.wait_for_console()
        lines = iter(demo.process.stdout.readline, b"")
        text = b"".join(itertools.takewhile(lambda line: b"Ctrl-C" not in line, lines)).decode()
        folder = re.search(r"another terminal, in (.*):", text).group(1)
        commands = re.findall(r"^    ([^# ](?:.*\\\n)*.*)", text, re.M)
        done = [subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, env=environment(), timeout=WAIT_S, check=False) for command in commands]
        equal([code.returncode for code in done], [1, 0 if shutil.which("curl") else 127, 0])
        if shutil.which("curl"):
            equal(json.loads(done[1].stdout)["documents"][0]["verdict"], "accepted")


@claim
def a_second_run_is_refused_names_the_first_and_changes_nothing():
    with tempfile.TemporaryDirectory() as place, Running(place) as demo:
        demo.wait_for_console()
        tokens = (pathlib.Path(place) / "tokens.json").read_bytes()
        for args in ([], ["--check"]):
            code, told, errors = run(place, *args)
            equal((code, told, f"process {demo.process.pid} (" in errors, f"kill {demo.process.pid}" in errors), (1, "", True, True))
        equal(((pathlib.Path(place) / "tokens.json").read_bytes() == tokens, sorted(alive(demo.children))), (True, sorted(demo.children)))
        demo.process.send_signal(signal.SIGINT)
        _, errors = demo.process.communicate(timeout=200)
        equal((demo.process.returncode, errors.decode()[-2000:]), (0, ""))


@claim
def a_port_that_is_in_use_is_named_with_its_user_and_the_option():
    with socket.socket() as taken, tempfile.TemporaryDirectory() as place:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        who = f"port {port} is in use by process {os.getpid()} ("
        code, told, errors = run(place, "--check", "--port", str(port))
        equal((code, told, who in errors, "--port N" in errors), (1, "", True, True))
        equal(sorted(path.name for path in pathlib.Path(place).iterdir()), ["lock"])
        # Nobody asked for the default port, so another will do.
        code, told, errors = run(place, "--check", command=patched(f"run.PORT = {port}"))
        equal((code, errors, who in told, "--port N" in told), (0, "", True, True))


@claim
def a_port_that_was_chosen_is_used():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as place:
        told_at = "begin = run.Demo.begin\nrun.Demo.begin = lambda demo, port: (begin(demo, port), print('at', demo.port))"
        code, told, errors = run(place, "--check", "--port", str(port), command=patched(told_at))
        equal((code, errors, f"at {port}\n" in told), (0, "", True))
        for nonsense in ("0", "65536", "x"):
            equal((nonsense, run(place, "--check", "--port", nonsense)[0]), (nonsense, 2))


finish()
