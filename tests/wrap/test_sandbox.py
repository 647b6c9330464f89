# SPDX-License-Identifier: Apache-2.0
"""test_sandbox.py BATON - baton wrap --sandbox on the real kernel: what a server may touch, beside the same server without it."""
import ctypes
import json
import os
import pathlib
import shutil
import socket
import stat
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from program import claim, claim_if, equal, expect, finish, folder, run  # noqa: E402

PROBER = pathlib.Path(__file__).parent / "prober.py"
PYTHON = f"{sys.base_prefix}/bin/python3"
PREFIX = ("--read", sys.base_prefix)  # of an interpreter that is not the system's
CREATE_RULESET, SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO = 444, 0x7FFF0000, 0x00050000


def attempt(place, tries, *flags, env=None):
    """What came of each try of a server in the folder tools, by its name and value."""
    shutil.copy(PROBER, pathlib.Path(place, "tools", "prober.py"))
    lines = [json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "value": value}})
             for number, (name, value) in enumerate(tries)]
    flags += PREFIX if "--sandbox" in flags else ()
    result = run("wrap", "--name", "s", "--quiet", *flags, "--", PYTHON, "-B", "-I", "tools/prober.py", stdin="\n".join(lines) + "\n", cwd=place, env=env)
    expect(result, 0)
    return [json.loads(line)["result"]["outcome"] for line in result.stdout.splitlines()]


def is_refused(outcome):
    return isinstance(outcome, dict) and "refused" in outcome


def has_sandbox():
    with folder({}) as place:
        return b"WRAP_SANDBOX_MISSING" not in run("wrap", "--sandbox", "--", "/bin/true", cwd=place).stderr


CONFINES = has_sandbox()
NEEDS = (CONFINES, "this kernel lacks a mechanism of the sandbox")
FILES = {"tools/data.txt": "beside the program", "secret.txt": "secret", "docs/a.txt": "docs", "out/old.txt": "old"}


@claim_if(*NEEDS)
def files_outside_the_grants_are_out_of_reach():
    with folder(FILES) as place:
        base = os.path.realpath(place)
        tries = [("read", f"{base}/secret.txt"), ("list", base), ("write", f"{base}/new.txt"), ("write", f"{base}/docs/b.txt"), ("write", f"{base}/tools/b.txt"),
                 ("read", f"{base}/tools/data.txt"), ("read", f"{base}/docs/a.txt"), ("write", f"{base}/out/new.txt")]
        confined = attempt(place, tries, "--sandbox", "--read", "docs", "--write", "out")
        equal([is_refused(outcome) for outcome in confined], [True] * 5 + [False] * 3)
        equal(pathlib.Path(place, "new.txt").exists(), False)
        # The control: without a sandbox the same server does all of it.
        equal([is_refused(outcome) for outcome in attempt(place, tries)], [False] * 8)


@claim_if(*NEEDS)
def programs_run_only_with_the_right():
    with folder(FILES) as place:
        equal(is_refused(attempt(place, [("run", "/bin/true")], "--sandbox")[0]), True)
        equal(attempt(place, [("run", "/bin/true")], "--sandbox", "--allow", "exec"), [0])
        equal(attempt(place, [("run", "/bin/true")]), [0])


@claim_if(*NEEDS)
def the_network_is_there_only_with_the_right():
    with folder(FILES) as place, socket.create_server(("127.0.0.1", 0)) as listener, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as plain:
        plain.bind(("127.0.0.1", 0))
        tries = [("connect", listener.getsockname()[1]), ("datagram", plain.getsockname()[1])]
        equal([is_refused(outcome) for outcome in attempt(place, tries, "--sandbox")], [True, True])
        equal(attempt(place, tries, "--sandbox", "--allow", "net"), ["connected", 1])
        equal(attempt(place, tries), ["connected", 1])


@claim_if(*NEEDS)
def home_and_environment_are_its_own():
    with folder(FILES) as place:
        base = os.path.realpath(place)
        home = f"{base}/.baton/wrap/s/home"
        env = {"SECRET": "x", "WANTED": "y", "BATON_LAB": "z", "LANG": "C"}
        where, seen, wrote, descriptors, unlimited = attempt(
            place, [("folder", None), ("environment", None), ("write", f"{home}/note"), ("descriptors", None), ("memory", None)], "--sandbox", "--env", "WANTED", env=env)
        equal((where, wrote, descriptors <= 1024, unlimited), (home, 7, True, True))
        equal((seen["HOME"], seen["TMPDIR"], seen["WANTED"], seen["LANG"]), (home, home, "y", "C"))
        equal([name for name in seen if name == "SECRET" or name.startswith("BATON_")], [])
        equal(stat.S_IMODE(pathlib.Path(home).stat().st_mode), 0o700)
        # The current folder stays where a flag covers it.
        equal(attempt(place, [("folder", None)], "--sandbox", "--read", "."), [base])
        equal(attempt(place, [("folder", None)], "--sandbox", "--write", base), [base])
        # The control: everything but what begins with BATON_.
        seen = attempt(place, [("environment", None)], env=env)[0]
        equal((seen["SECRET"], "BATON_LAB" in seen, seen["HOME"] == home), ("x", False, False))


@claim_if(*NEEDS)
def a_home_that_others_can_enter_is_refused():
    with folder(FILES) as place:
        home = pathlib.Path(place, ".baton/wrap/s/home")
        home.mkdir(parents=True, mode=0o755)
        home.chmod(0o755)
        expect(run("wrap", "--name", "s", "--sandbox", "--", "/bin/true", cwd=place), 2, err="not private")


@claim
def usage_errors_start_nothing():
    with folder({"mark.sh": "#!/bin/sh\ntouch started\n"}) as place:
        pathlib.Path(place, "mark.sh").chmod(0o755)
        for flags, err in ((("--read", "."), "--sandbox"), (("--write", "."), "--sandbox"), (("--allow", "net"), "--sandbox"), (("--sandbox", "--allow", "all"), "all"),
                           (("--sandbox", "--read", "none"), "no such file" if CONFINES else "WRAP_SANDBOX_MISSING")):
            expect(run("wrap", *flags, "--", "./mark.sh", cwd=place), 2, err=err)
        equal(pathlib.Path(place, "started").exists(), False)


def deny_landlock():
    """A kernel without Landlock, for this process and what it starts: the call that makes a rule set does not exist."""
    steps = [(0x20, 0, 0, 0), (0x15, 0, 1, CREATE_RULESET), (0x06, 0, 0, SECCOMP_RET_ERRNO | 38), (0x06, 0, 0, SECCOMP_RET_ALLOW)]
    text = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(steps), ctypes.addressof(text)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, program, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


@claim_if(*NEEDS)
def a_missing_mechanism_ends_the_run():
    with folder({"mark.sh": "#!/bin/sh\ntouch started\n"}) as place:
        pathlib.Path(place, "mark.sh").chmod(0o755)
        words = ("wrap", "--name", "s", "--sandbox", "--write", ".", "--allow", "exec", "--", "./mark.sh")
        result = run(*words, cwd=place, preexec_fn=deny_landlock)
        expect(result, 2, err="WRAP_SANDBOX_MISSING: the kernel has no landlock")
        equal((result.stdout, pathlib.Path(place, "started").exists()), (b"", False))
        # The control: with the mechanism the same command starts.
        run(*words, cwd=place)
        equal(pathlib.Path(place, "started").exists(), True)


sys.exit(finish())
