# SPDX-License-Identifier: Apache-2.0
"""test_git_hooks.py ROOT BATON - hooks of Git and of pre-commit, in a repository."""
import contextlib
import os
import shutil
import sys

from place import BATON, GOOD, LATE, LOOP, ROOT, equal, expect, folder, run, tap

NOBODY = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org",
          "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}


@contextlib.contextmanager
def repository(files):
    with folder(files) as place, folder() as programs:
        os.symlink(BATON, programs / "baton")
        env = {**os.environ, **NOBODY, "PATH": f"{programs}:{os.environ['PATH']}"}

        def git(*words):
            return run("git", *words, cwd=place, env=env)

        expect(git("init", "-q"), 0)
        shutil.copy(ROOT / "packaging/git/pre-commit", place / ".git/hooks/pre-commit")
        expect(git("add", "-A"), 0)
        yield place, git, env


@tap.claim
def a_commit_of_good_documents_and_other_files_passes():
    with repository({"a.handoff.json": GOOD, "sub dir/b.handoff.json": GOOD, "README.md": "text\n", "x.json": "{}"}) as (_, git, _):
        done = expect(git("commit", "-qm", "x"), 0)
        equal(done.stdout + done.stderr, "")


@tap.claim
def a_commit_of_a_rejected_document_is_refused():
    with repository({"a.handoff.json": GOOD, "l\nf.handoff.json": LOOP}) as (place, git, _):
        expect(git("commit", "-qm", "x"), 1, "SELF_LOOP")
        equal(git("rev-parse", "--verify", "-q", "HEAD").returncode != 0, True)
        (place / "l\nf.handoff.json").unlink()
        expect(git("add", "-A"), 0)
        expect(git("commit", "-qm", "x"), 0)


@tap.claim
def only_staged_files_are_checked():
    with repository({"a.handoff.json": GOOD}) as (place, git, _):
        (place / "l.handoff.json").write_text(LOOP)
        expect(git("commit", "-qm", "x"), 0)
        expect(git("rm", "-q", "a.handoff.json"), 0)
        expect(git("commit", "-qm", "nothing is left to check"), 0)


@tap.claim
def patterns_of_the_project_leave_files_out():
    with repository({"baton.yaml": 'exclude: ["old/"]\n', "old/l.handoff.json": LOOP, "a.handoff.json": GOOD}) as (_, git, _):
        expect(git("commit", "-qm", "x"), 0)


def hooks():
    """The hooks of the file, which is read without a library: `- id: NAME`, then `key: value`."""
    found = []
    for line in (ROOT / ".pre-commit-hooks.yaml").read_text().splitlines():
        if line.startswith("- "):
            found.append({})
        if ": " in line and not line.startswith("#"):
            name, value = line[2:].split(": ", 1)
            found[-1][name] = value
    return {hook["id"]: hook for hook in found}


@tap.claim
def pre_commit_finds_two_hooks():
    found = hooks()
    equal(sorted(found), ["baton-check", "baton-fix"])
    for name, more in (("baton-check", ""), ("baton-fix", " --fix")):
        hook = found[name]
        equal(hook["entry"], "baton check --force-exclude --skip-unknown --quiet" + more)
        equal((hook["language"], hook["types_or"]), ("system", "[json, csv, xml, yaml, markdown]"))
        equal((hook["require_serial"], hook["pass_filenames"]), ("true", "true"))


@tap.claim
def the_entries_of_pre_commit_check_and_fix_the_files_they_are_given():
    with repository({"a.handoff.json": LATE, "l.handoff.json": LOOP, "README.md": "text\n"}) as (place, _, env):
        check, fix = (hooks()[name]["entry"].split() for name in ("baton-check", "baton-fix"))
        expect(run(*check, "a.handoff.json", "README.md", cwd=place, env=env), 0)
        equal((place / "a.handoff.json").read_text(), LATE)
        expect(run(*check, "a.handoff.json", "l.handoff.json", cwd=place, env=env), 1, "SELF_LOOP")
        expect(run(*fix, "a.handoff.json", cwd=place, env=env), 0)
        equal("2026-04-14T08:30:00Z" in (place / "a.handoff.json").read_text(), True)


sys.exit(tap.run())
