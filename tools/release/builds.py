# SPDX-License-Identifier: Apache-2.0
"""builds.py - one row per artefact: how it is built from the unpacked source tarball, and how it is tested."""
import os
import pathlib
import shutil
import tarfile

from run import TREE, logged

NOBODY = 65534


class Skip(Exception):
    """Something that may be missing is missing; release.json lists it."""


class Artefact:
    def __init__(self, path, kind):
        self.path, self.kind = path, kind


class Place:
    """Where one build runs: the unpacked source, a home of its own, and what may differ between two builds."""

    def __init__(self, folder, version, epoch, jobs=2, locale="C", umask=0o022, zone="UTC", other_user=False):
        self.folder, self.version, self.epoch, self.jobs, self.umask = folder, version, epoch, jobs, umask
        self.user = NOBODY if other_user and os.geteuid() == 0 else None
        self.source, self.out, self.log = folder / f"baton-{version}", folder / "out", folder / "log"
        kept = {name: os.environ[name] for name in ("PATH", "CC", "CCACHE_DIR") if name in os.environ}
        self.env = {**kept, "HOME": str(folder / "home"), "TMPDIR": str(folder / "tmp"), "LC_ALL": locale, "TZ": zone, "SOURCE_DATE_EPOCH": str(epoch)}

    def unpack(self, tarball):
        for path in (self.folder, self.out, self.log, pathlib.Path(self.env["HOME"]), pathlib.Path(self.env["TMPDIR"])):
            path.mkdir(parents=True, exist_ok=True)
        with tarfile.open(tarball) as tar:
            tar.extractall(self.folder, filter="tar") if hasattr(tarfile, "tar_filter") else tar.extractall(self.folder)
        shutil.copy(tarball, self.folder / pathlib.Path(tarball).name)
        if self.user is not None:
            for top, _, files in os.walk(self.folder):
                for name in [top, *(os.path.join(top, file) for file in files)]:
                    os.chown(name, self.user, self.user, follow_symlinks=False)
        return self

    def run(self, name, *command, cwd=None, env=None):
        """Run one command of a build, without a network."""
        away = ["unshare", "--net", "--"] if os.geteuid() == 0 else ["unshare", "--map-current-user", "--net", "--"]
        drop = ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups", "--"] if self.user is not None else []
        logged(self.log / f"{name}.log", [*away, *drop, *command], cwd=cwd or self.source, env={**self.env, **(env or {})}, umask=self.umask)


def build_core(place):
    """sdk.md 2.7."""
    path = place.out / f"baton-core-{place.version}.tar.xz"
    place.run("core", "python3", "-B", "tools/core_bundle.py", "tarball", path)
    return [Artefact(path, "core")]


# What is built from the source tarball, in this order; `source` itself comes first and is made by source.py.
STEPS = {}
if (TREE / "tools/core_bundle.py").is_file():
    STEPS["core"] = build_core


# Steps that may leave something out; they return artefacts and what release.json lists as skipped.
WITH_SKIPS = set()


def test_all(artefacts, work, version):
    """Run the tests of every artefact; what was tested where, and what was skipped."""
    return [], []


def names():
    return ["source", *STEPS]
