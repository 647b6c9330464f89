# SPDX-License-Identifier: Apache-2.0
"""test_old.py ROOT LIBRARY CC - programs of each earlier release of this generation run with the library of today.

tests/abi/old/VERSION has the headers and the examples of a release, which `script/release cut` puts there. They are compiled with
these headers and linked to today's library.
"""
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT, LIBRARY = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
CC = shlex.split(sys.argv[3])
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests/tree")]

import tap  # noqa: E402

OLD = ROOT / "tests/abi/old"
GOOD, BAD = "examples/universal/planner-to-builder.handoff.json", "examples/universal/loop.handoff.json"
# What is asked of a release: an example, its arguments, its input, the exit code, and a text in its output.
RUNS = [("judge", [GOOD], "", 0, "accepted"), ("judge", [BAD], "", 1, "REENTRY_WITHOUT_REASON"),
        ("call", ["countTokens"], '{"text":"Does this fit?"}', 0, '"exact":4'), ("call", ["none"], "{}", 1, "NOT_FOUND")]


def check(release):
    """Complaints about programs of one release: a folder with include/baton and examples."""
    complaints = []
    with tempfile.TemporaryDirectory(prefix="baton-old-") as place:
        for name in sorted({row[0] for row in RUNS}):
            done = subprocess.run([*CC, "-std=c17", "-I", str(release / "include"), str(release / f"examples/{name}.c"), str(LIBRARY), "-o", f"{place}/{name}"],
                                  capture_output=True, text=True, check=False)
            if done.returncode != 0:
                return [f"{release.name}: {name}.c does not compile: {done.stderr}"]
        for name, words, text, code, part in RUNS:
            done = subprocess.run([f"{place}/{name}", *words], input=text, capture_output=True, text=True, check=False, cwd=ROOT,
                                  env={**os.environ, "LD_LIBRARY_PATH": str(LIBRARY.parent)})
            if done.returncode != code or part not in done.stdout:
                complaints.append(f"{release.name}: {name} {' '.join(words)}: exit {done.returncode}, {done.stdout}{done.stderr}")
    return complaints


def copy_today(folder):
    """Today's headers and examples as if they were of a release."""
    release = pathlib.Path(folder) / "0.0.9"
    shutil.copytree(ROOT / "include", release / "include")
    shutil.copytree(ROOT / "examples/library", release / "examples")
    return release


@tap.claim
def programs_of_earlier_releases_run():
    releases = sorted(path for path in OLD.glob("*.*.*") if path.is_dir())
    print(f"# releases: {', '.join(path.name for path in releases) or 'none yet'}")
    for release in releases:
        tap.expect_clean(check(release))


@tap.claim
def the_headers_of_today_pass():
    with tap.sample({}) as folder:
        tap.expect_clean(check(copy_today(folder)))


@tap.claim
def what_is_no_longer_there_is_found():
    for header, old, new, words in (("call.h", "bt_reply_json(", "bt_reply_text(", "undefined reference to `bt_reply_text'"),
                                    ("report.h", "BT_VERDICT_ACCEPTED,\n    BT_VERDICT_REJECTED,", "BT_VERDICT_REJECTED,\n    BT_VERDICT_ACCEPTED,", "exit")):
        with tap.sample({}) as folder:
            release = copy_today(folder)
            for path in [release / f"include/baton/{header}", *(release / "examples").glob("*.c")]:
                path.write_text(path.read_text().replace(old, new))
            tap.expect_complaint(check(release), words)


sys.exit(tap.run())
