# SPDX-License-Identifier: Apache-2.0
"""place.py - what the tests of releases share: the tree, its tools, and a repository of its own that can be released."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT, BUILD = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
sys.path[:0] = [str(ROOT / "tests/tree"), str(ROOT / "tools"), str(ROOT / "tools/release")]

import archive  # noqa: E402
import tap  # noqa: E402,F401

BATON = BUILD / "app/cli/baton"
EPOCH = 1_770_000_000
LEFT_OUT = {".git", "build", "dist", "__pycache__", "node_modules", ".baton"}


def has_network_namespaces():
    """Everything but the source is built in one; a user in a chroot cannot make one."""
    command = ["unshare", *([] if os.geteuid() == 0 else ["--map-current-user"]), "--net", "--", "true"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def equal(got, wanted):
    if got != wanted:
        raise AssertionError(f"got {got!r}\nexpected {wanted!r}")


def holds(words, text):
    if words not in text:
        raise AssertionError(f"no {words!r} in {text!r}")


def git(repository, *words):
    who = {"GIT_AUTHOR_NAME": "Test", "GIT_AUTHOR_EMAIL": "test@baton.example", "GIT_COMMITTER_NAME": "Test", "GIT_COMMITTER_EMAIL": "test@baton.example",
           "GIT_AUTHOR_DATE": f"{EPOCH} +0000", "GIT_COMMITTER_DATE": f"{EPOCH} +0000", "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/nonexistent", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(["git", "-c", "init.defaultBranch=main", "-C", str(repository), *words], capture_output=True, text=True, env=who, timeout=300, check=False)
    if done.returncode != 0:
        raise AssertionError(f"git {words}: {done.stderr}")
    return done.stdout


def commit(repository, message="files"):
    git(repository, "add", "-A", "-f")
    git(repository, "commit", "-q", "-m", message)


def repository(files=None):
    """A new repository with one commit: these files, or a copy of the tree."""
    folder = tempfile.TemporaryDirectory(prefix="baton-release-test-")
    tree = pathlib.Path(folder.name) / "tree"
    if files is None:
        shutil.copytree(ROOT, tree, symlinks=True, ignore=lambda _, names: [name for name in names if name in LEFT_OUT or name.startswith("build-")])
    else:
        tap.write(tree, files)
    git(pathlib.Path(folder.name), "init", "-q", "tree")
    commit(tree)
    return folder, tree


def release(tree, *words, home=None):
    """One run of script/release in a tree."""
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home or "/nonexistent"), "LC_ALL": "C.UTF-8", "GIT_AUTHOR_NAME": "Test",
           "GIT_AUTHOR_EMAIL": "test@baton.example", "GIT_COMMITTER_NAME": "Test", "GIT_COMMITTER_EMAIL": "test@baton.example"}
    return subprocess.run([str(tree / "script/release"), *map(str, words)], capture_output=True, text=True, env=env, cwd=tree, timeout=900, check=False)


def deb(files):
    """A Debian package with these files."""
    data = archive.xz_bytes(archive.tar_bytes([archive.Member(name, 0o755 if "bin" in name else 0o644, content) for name, content in files.items()], EPOCH))
    out = b"!<arch>\n"
    for name, content in (("debian-binary", b"2.0\n"), ("control.tar.xz", archive.xz_bytes(archive.tar_bytes([], EPOCH))), ("data.tar.xz", data)):
        out += f"{name:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(content):<10}`\n".encode() + content + b"\n" * (len(content) % 2)
    return out
