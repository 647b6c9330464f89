# SPDX-License-Identifier: Apache-2.0
"""run.py - what every step uses: the tree, child processes, exit codes."""
import pathlib
import subprocess
import sys

TREE = pathlib.Path(__file__).resolve().parent.parent.parent
TIMEOUT_S = 4 * 3600


class Misuse(Exception):
    """Exit 2: nothing was written."""


class Failure(Exception):
    """Exit 1: a step failed, or something was found."""


def say(words):
    print(f"==> {words}", flush=True)


def output(command, **how):
    """The standard output of a command that must end with 0."""
    done = subprocess.run([str(word) for word in command], capture_output=True, timeout=TIMEOUT_S, check=False, **how)
    if done.returncode != 0:
        told = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
        raise Failure(f"{pathlib.Path(str(command[0])).name} failed with exit {done.returncode}: {told[-4000:]}")
    return done.stdout


def logged(log, command, **how):
    """Run a command whose output goes to a file; its end is shown when it fails."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "ab") as file:
        done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
                              timeout=TIMEOUT_S, check=False, **how)
    if done.returncode != 0:
        sys.stderr.write(log.read_text(errors="replace")[-4000:])
        raise Failure(f"failed with exit {done.returncode}: {' '.join(str(word) for word in command)[:500]} (all of it: {log})")


def git(*words, tree=TREE):
    return output(["git", "-C", tree, *words]).decode("utf-8").strip()
