#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_deb.py [--tarball FILE] [--jobs N] [--no-lintian] --out DIR - the Debian packages, built from the source tarball.

packaging/debian is copied to debian/ of the unpacked tarball, dpkg-buildpackage builds it, and lintian must find nothing. Without
--tarball the files of this tree are packed. SOURCE_DATE_EPOCH is the time of everything (without it: the time of the commit).
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

TREE = pathlib.Path(__file__).resolve().parent.parent
# Only what the build needs: neither the home folder nor settings of the user.
KEPT_ENVIRONMENT = ("CC", "CCACHE_DIR", "LC_ALL", "TMPDIR", "TZ")


class Failure(Exception):
    pass


def run(*command, **how):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", check=False, **how)
    if done.returncode:
        raise Failure(f"{' '.join(map(str, command))[:300]}\n{done.stdout[-6000:]}{done.stderr[-6000:]}")
    return done.stdout


def version_of(tree):
    return re.search(r"^\s*version: '(\d+\.\d+\.\d+)'", (tree / "meson.build").read_text(encoding="utf-8"), re.M)[1]


def pack_tree(path, top):
    """The files of this tree that Git does not ignore."""
    names = run("git", "-C", TREE, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    with tarfile.open(path, "w:xz") as tar:
        for name in sorted({name for name in names if name and (TREE / name).exists()}):
            tar.add(TREE / name, f"{top}/{name}", recursive=False)


def unpack(tarball, work, version):
    """The source with its debian/; the tarball beside it under the name that dpkg-source wants."""
    original = work / f"baton_{version}.orig.tar.xz"
    if tarball:
        shutil.copy(tarball, original)
    else:
        pack_tree(original, f"baton-{version}")
    with tarfile.open(original) as tar:
        tar.extractall(work, filter="tar") if hasattr(tarfile, "tar_filter") else tar.extractall(work)
    source = work / f"baton-{version}"
    shutil.copytree(source / "packaging/debian", source / "debian")
    # debhelper runs install files that can be executed; the modes of the copy must not depend on an umask.
    for path in (source / "debian").rglob("*"):
        path.chmod(0o755 if path.is_dir() or path.name == "rules" else 0o644)
    return source


def environment(work, jobs, epoch):
    kept = {name: os.environ[name] for name in KEPT_ENVIRONMENT if name in os.environ}
    options = "nocheck noautodbgsym" + (f" parallel={jobs}" if jobs else "")
    return {**kept, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(work / "home"), "DEB_BUILD_OPTIONS": options, "SOURCE_DATE_EPOCH": str(epoch)}


def make(tarball, out, jobs, wants_lintian):
    version = version_of(TREE)
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or run("git", "-C", TREE, "log", "-1", "--format=%ct").strip()
    with tempfile.TemporaryDirectory(prefix="baton-deb-") as name:
        work = pathlib.Path(name)
        (work / "home").mkdir()
        source = unpack(tarball, work, version)
        run("dpkg-buildpackage", "-us", "-uc", cwd=source, env=environment(work, jobs, epoch))
        changes = next(work.glob("*.changes"))
        if wants_lintian:
            print(run("lintian", "--pedantic", "--fail-on", "error,warning", "--no-cfg", "--allow-root", changes, cwd=work, env=environment(work, jobs, epoch)), end="")
        out.mkdir(parents=True, exist_ok=True)
        for path in sorted([*work.glob("*.deb"), *work.glob("*.dsc"), *work.glob("*.debian.tar.xz")]):
            shutil.copy(path, out / path.name)
            print(f"{path.stat().st_size} {out / path.name}")


def main(arguments):
    parser = argparse.ArgumentParser(prog="make_deb.py", description="Make the Debian packages.")
    parser.add_argument("--tarball", type=pathlib.Path)
    parser.add_argument("--jobs")
    parser.add_argument("--no-lintian", action="store_true")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args(arguments)
    try:
        make(options.tarball, options.out, options.jobs, not options.no_lintian)
    except (Failure, OSError) as why:
        print(f"make_deb.py: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
