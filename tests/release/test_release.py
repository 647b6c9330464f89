# SPDX-License-Identifier: Apache-2.0
"""test_release.py ROOT BUILD - script/release in a repository of its own: what it refuses, and a release with test keys."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from place import BATON, BUILD, LEFT_OUT, ROOT, EPOCH, commit, equal, git, has_network_namespaces, holds, release, repository, tap

import archive

# The program is built already, and packing costs time.
LEFT_OUT |= {"tests", "fuzz", "bench", "editors", "sdk", "docs"}
folder, TREE = repository()
# The formula is checked with ruby.
HAS_NAMESPACES = has_network_namespaces()
NAMES = ["source", *(["core"] if HAS_NAMESPACES else []), *(["deploy"] if shutil.which("ruby") else [])]


def refused(words, *arguments):
    done = release(TREE, "--build", BUILD, "--only", "source", *arguments)
    equal((arguments, done.returncode, (TREE / "dist").exists()), (arguments, 2, False))
    holds(words, done.stderr)


@tap.claim
def what_cannot_be_released_is_refused_and_nothing_is_written():
    refused("give the keys of the release")
    refused("give the keys of the release", "--key", "k")
    refused("give the keys of the release", "--key", "k", "--ssh-key", "s", "--test-keys")
    refused("HEAD has no tag v", "--key", "k", "--ssh-key", "s")
    refused("is not one of source", "--test-keys", "--only", "nonsense")
    refused("has no program", "--test-keys", "--build", TREE)
    (TREE / "dirty").write_text("x")
    refused("the tree is not clean", "--test-keys")
    (TREE / "dirty").unlink()
    with tempfile.TemporaryDirectory() as full:
        pathlib.Path(full, "x").write_text("kept")
        refused("is not empty", "--test-keys", "--out", full)
        equal([path.name for path in pathlib.Path(full).iterdir()], ["x"])
    done = release(TREE, "--no-such-word")
    equal(done.returncode, 2)
    holds("usage: script/release", done.stderr)


@tap.claim
def a_tag_needs_keys_that_only_the_owner_may_read():
    git(TREE, "tag", "v" + version())
    try:
        with tempfile.TemporaryDirectory() as name:
            keys = pathlib.Path(name)
            for file in ("ledger.key", "ssh"):
                (keys / file).write_text("PRIVATE+KEY+baton/releases+0\n")
                (keys / file).chmod(0o600)
            (keys / "ssh").chmod(0o644)
            refused("can be read by others", "--key", keys / "ledger.key", "--ssh-key", keys / "ssh")
            (keys / "ssh").chmod(0o600)
            refused("the release ledger, does not exist", "--key", keys / "ledger.key", "--ssh-key", keys / "ssh")
            refused("No such file", "--key", keys / "missing.key", "--ssh-key", keys / "ssh")
    finally:
        git(TREE, "tag", "-d", "v" + version())


def version():
    return subprocess.run([str(BATON), "version"], capture_output=True, text=True, check=True).stdout.split()[1]


@tap.claim
def the_release_has_a_part_that_is_built_without_a_network():
    if not HAS_NAMESPACES:
        raise tap.Skip("no network namespaces here")
    equal("core" in NAMES, True)


@tap.claim
def a_release_with_test_keys_is_complete():
    done = release(TREE, "--test-keys", "--only", ",".join(NAMES), "--build", BUILD)
    equal((done.returncode, done.stderr), (0, ""))
    dist = TREE / "dist"
    told = json.loads((dist / "release.json").read_text())
    equal((told["baton_release"], told["version"], told["commit"], told["source_date_epoch"], told["test_keys"]),
          (1, version(), git(TREE, "rev-parse", "HEAD").strip(), EPOCH, True))
    equal(sorted(row["kind"] for row in told["artefacts"]), sorted(NAMES))
    equal(sorted(row["file"] for row in told["tested"]), [f"baton-{version()}-deploy.tar.xz"] if "deploy" in NAMES else [])
    names = {path.name for path in dist.iterdir()}
    equal(names >= {"SHA256SUMS", "SHA256SUMS.sig", "SHA256SUMS.tlog-proof", "TEST-KEYS", "ledger", "release.vkey", "allowed_signers"}, True)
    done = release(TREE, "verify", "dist", "--baton", BATON)
    equal((done.returncode, done.stderr), (0, ""))
    equal(git(TREE, "status", "--porcelain"), "")


@tap.claim
def the_source_tarball_holds_pages_tables_and_the_commit():
    name = f"baton-{version()}"
    files = {member.name: member for member in archive.read_tar((TREE / "dist" / f"{name}.tar.xz").read_bytes())}
    equal(files[f"{name}/generated/commit"].content.decode().strip(), git(TREE, "rev-parse", "HEAD").strip())
    for wanted in ("generated/man/baton.1", "generated/rules.c", "generated/command_table.c", "console/bundle/index.html", "meson.build"):
        equal((wanted, f"{name}/{wanted}" in files), (wanted, True))
    equal(files[f"{name}/script/release"].mode & 0o111 != 0, True)


@tap.claim
def a_secret_in_the_source_stops_the_release():
    shutil.rmtree(TREE / "dist")
    (TREE / "notes.txt").write_text("PRIVATE+KEY+" + "baton/releases+0a1b2c3d+" + "A" * 44 + "\n")
    for name in ("src", "app", "include", "host", "sdk", "examples", "console/bundle"):  # which take most of the time to pack
        shutil.rmtree(TREE / name, ignore_errors=True)
    commit(TREE)
    done = release(TREE, "--test-keys", "--only", "source", "--build", BUILD)
    equal((done.returncode, (TREE / "dist").exists()), (1, False))
    holds("notes.txt: a private key of a ledger", done.stderr)


@tap.claim
def a_tag_is_released_once_with_keys_of_ones_own():
    (TREE / "notes.txt").unlink()
    commit(TREE)
    git(TREE, "tag", "v" + version())
    with tempfile.TemporaryDirectory() as name:
        home, keys = pathlib.Path(name), pathlib.Path(name, "keys")
        keys.mkdir(mode=0o700)
        subprocess.run([str(BATON), "ledger", "init", "--origin", "baton/releases", "--store", f"sqlite:{keys / 'store.db'}"], env={"HOME": name}, capture_output=True, check=True)
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(keys / "ssh")], check=True)
        words = ["--key", keys / "ledger.key", "--ssh-key", keys / "ssh", "--only", "source", "--build", BUILD]
        done = release(TREE, *words, home=home)
        equal((done.returncode, done.stderr), (0, ""))
        equal((json.loads((TREE / "dist/release.json").read_text())["test_keys"], (TREE / "dist/TEST-KEYS").exists()), (False, False))
        equal((keys / "store.db.published").read_bytes(), (TREE / "dist/ledger/checkpoint").read_bytes())
        done = release(TREE, "verify", "dist", "--baton", BATON, "--against", keys / "store.db.published")
        equal(done.returncode, 0)
        holds("the keys are those of the folder", done.stdout)
        done = release(TREE, *words, "--out", "again", home=home)
        equal((done.returncode, (TREE / "again").exists()), (1, False))
        holds("REPLAYED_ID", done.stderr)
        found = b"".join(path.read_bytes() for path in (TREE / "dist").rglob("*") if path.is_file())
        equal((b"PRIVATE" + b"+KEY+baton" in found, b"OPENSSH PRIVATE" in found), (False, False))


with folder:
    sys.exit(tap.run())
