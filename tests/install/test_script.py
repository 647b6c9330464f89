# SPDX-License-Identifier: Apache-2.0
"""test_script.py ROOT BUILD - script/install puts a build below a folder and takes away exactly what it put there."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT, BUILD = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
sys.path.insert(0, str(ROOT / "tests/tree"))

import tap  # noqa: E402

PLACE = pathlib.Path(tempfile.mkdtemp(prefix="baton-script-"))
PREFIX = PLACE / "a prefix & more"


def install(*words, path=os.environ["PATH"]):
    env = {**os.environ, "HOME": str(PLACE / "home"), "PATH": path, "TMPDIR": str(PLACE)}
    return subprocess.run([ROOT / "script/install", *map(str, words)], capture_output=True, text=True, check=False, cwd=PLACE, env=env)


def expect(done, code, text=""):
    if done.returncode != code or text not in done.stdout + done.stderr:
        raise AssertionError(f"{done.args}: exit {done.returncode}, expected {code} with {text!r}\n{done.stdout}{done.stderr}")
    return done


def equal(actual, expected):
    if actual != expected:
        raise AssertionError(f"got {actual!r}\nexpected {expected!r}")


def files(folder=PREFIX):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


def listed():
    return (PREFIX / "share/baton/files.txt").read_text().splitlines()


@tap.claim
def a_build_is_installed_and_listed():
    done = expect(install("--build", BUILD, "--prefix", PREFIX.name), 0, f'export PATH="{PREFIX}/bin:$PATH"')
    equal("checking the installation" in done.stdout, True)
    equal([line for line in listed() if not line.endswith("/")], files())
    version = subprocess.run([PREFIX / "bin/baton", "version"], capture_output=True, text=True, check=True).stdout
    equal(re.fullmatch(r"baton \d+\.\d+\.\d+\n", version) is not None, True)
    for name in ("include/baton/baton.h", "share/man/man1/baton.1", "share/man/man1/baton-check.1", "share/man/man5/baton.yaml.5",
                 "share/bash-completion/completions/baton.bash", "share/doc/baton/README.md", "share/doc/baton/rules.html",
                 "share/baton/git/pre-commit", "share/baton/systemd/baton.service", "share/baton/action/action.yml",
                 "share/baton/action/packaging/action/check.sh", "share/baton/pre-commit-hooks.yaml"):
        equal((name, (PREFIX / name).is_file()), (name, True))
    page = next(PREFIX.rglob("baton.pc")).read_text()
    equal(page.splitlines()[0], f"prefix={PREFIX}")


@tap.claim
def every_code_has_one_anchor_in_the_page_of_rules():
    page = (PREFIX / "share/doc/baton/rules.html").read_text()
    anchors = re.findall(r'<section id="([A-Z0-9_]+)">', page)
    codes = sorted(set(re.findall(r"(?m)^## ([A-Z0-9_]+) ", (ROOT / "docs/rules.md").read_text())))
    equal(sorted(anchors), codes)
    equal(re.search(r"<(script|img|link|iframe)", page), None)


@tap.claim
def the_line_for_the_path_is_left_out_when_it_is_there():
    done = expect(install("--build", BUILD, "--prefix", PREFIX, path=f"{PREFIX}/bin:{os.environ['PATH']}"), 0)
    equal("export PATH" in done.stdout, False)


@tap.claim
def a_second_installation_removes_what_the_first_one_had_more():
    before = listed()
    old = PREFIX / "share/baton/old.txt"
    old.write_text("of an older version")
    with (PREFIX / "share/baton/files.txt").open("a") as file:
        file.write("share/baton/old.txt\n")
    expect(install("--build", BUILD, "--prefix", PREFIX), 0)
    equal((old.exists(), listed()), (False, before))


@tap.claim
def a_list_that_leaves_the_prefix_removes_nothing():
    for line in ("../outside", "/etc/passwd", "share/../../outside", ""):
        (PLACE / "outside").write_text("mine")
        good = (PREFIX / "share/baton/files.txt").read_text()
        (PREFIX / "share/baton/files.txt").write_text(good + line + "\n")
        before = files()
        expect(install("--uninstall", "--prefix", PREFIX), 1, "nothing was removed")
        equal((files(), (PLACE / "outside").exists()), (before, True))
        (PREFIX / "share/baton/files.txt").write_text(good)


@tap.claim
def removing_leaves_no_file_but_those_of_others():
    (PREFIX / "share/doc/mine.txt").write_text("mine")
    expect(install("--uninstall", "--prefix", PREFIX), 0)
    equal(files(), ["share/doc/mine.txt"])
    equal(sorted(path.name for path in PREFIX.rglob("*") if path.is_dir()), ["doc", "share"])
    expect(install("--uninstall", "--prefix", PREFIX), 1, "nothing is installed")
    (PREFIX / "share/doc/mine.txt").unlink()


@tap.claim
def a_folder_that_was_there_before_stays():
    other = PLACE / "other"
    (other / "bin").mkdir(parents=True)
    expect(install("--build", BUILD, "--prefix", other), 0)
    expect(install("--uninstall", "--prefix", other), 0)
    equal((files(other), [path.name for path in other.iterdir()]), ([], ["bin"]))


@tap.claim
def wrong_words_and_a_prefix_that_cannot_be_written_are_refused():
    for words in (("--prefix",), ("--prefix", ""), ("--unknown",), ("extra",)):
        expect(install(*words), 2, "usage: script/install")
    (PLACE / "a file").write_text("")
    expect(install("--build", BUILD, "--prefix", PLACE / "a file"), 1, "cannot be written to")
    expect(install("--build", PLACE, "--prefix", PLACE / "none"), 1)
    equal((PLACE / "none").exists(), False)


try:
    CODE = tap.run()
finally:
    shutil.rmtree(PLACE)
sys.exit(CODE)
