# SPDX-License-Identifier: Apache-2.0
"""builds.py - one row per artefact: how it is built from the unpacked source tarball, and how it is tested."""
import hashlib
import os
import pathlib
import re
import shutil
import tarfile

import archive
from run import TREE, logged

NOBODY = 65534
SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"


class Artefact:
    def __init__(self, path, kind):
        self.path, self.kind = path, kind


class Place:
    """Where one build runs: the unpacked source, a home of its own, and what may differ between two builds."""

    def __init__(self, folder, version, epoch, jobs=2, locale="C", locales=None, umask=0o022, zone="UTC", other_user=False, other_machine=False):
        self.folder, self.version, self.epoch, self.jobs, self.umask = folder, version, epoch, jobs, umask
        self.user = NOBODY if other_user and os.geteuid() == 0 else None
        self.other_machine = other_machine
        self.source, self.out, self.log = folder / f"baton-{version}", folder / "out", folder / "log"
        # Another user has neither our programs nor our cache.
        kept = {"PATH": SYSTEM_PATH} if self.user is not None else {name: os.environ[name] for name in ("PATH", "CC", "CCACHE_DIR") if name in os.environ}
        if locales:
            kept["LOCPATH"] = str(locales)
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
        """Run one command of a build, without a network; on what looks like another machine, its kernel and host have other names."""
        is_root = os.geteuid() == 0
        away = ["unshare", "--net"] if is_root else ["unshare", "--map-current-user", "--net"]
        if self.other_machine and is_root:
            away += ["--uts", "sh", "-c", 'hostname "$0" && exec "$@"', "elsewhere"]
        if self.other_machine:
            away += ["setarch", "--uname-2.6"]
        drop = ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups", "--"] if self.user is not None else []
        logged(self.log / f"{name}.log", [*away, *drop, *command], cwd=cwd or self.source, env={**self.env, **(env or {})}, umask=self.umask)


def archive_name(place):
    return f"baton-{place.version}-linux-x64.tar.xz"


def make_archive(place):
    """The archive for Linux, which several artefacts are made from; built once in a place."""
    folder = place.folder / "archive"
    if not (folder / archive_name(place)).is_file():
        place.run("tarball", "python3", "-B", "tools/make_tarball.py", "--source", place.source, "--jobs", place.jobs, "--out", folder)
    return folder / archive_name(place)


def build_core(place):
    """sdk.md 2.7."""
    path = place.out / f"baton-core-{place.version}.tar.xz"
    place.run("core", "python3", "-B", "tools/core_bundle.py", "tarball", path)
    return [Artefact(path, "core")], []


def build_tarball(place):
    made = [(make_archive(place), "tarball"), (place.folder / "archive" / archive_name(place).replace(".tar", "-debug.tar"), "debug")]
    return [Artefact(pathlib.Path(shutil.copy(path, place.out / path.name)), kind) for path, kind in made], []


def build_deb(place):
    folder = place.folder / "packages"
    place.run("deb", "python3", "-B", "tools/make_deb.py", "--tarball", place.folder / f"baton-{place.version}.tar.xz", "--jobs", place.jobs, "--out", folder)
    return [Artefact(pathlib.Path(shutil.copy(path, place.out / path.name)), "deb") for path in sorted(folder.glob("*.deb"))], []


def build_wheel(place):
    """A wheel with its libraries linked in, and the source distribution. Interpreters that are not here are skipped, and listed."""
    place.run("wheel", "python3", "-B", "tools/wheel.py", "--source", place.source, "--jobs", place.jobs, "--require", "manylinux_2_34_x86_64", "build/wheel", place.out)
    place.run("sdist", "python3", "-B", "tools/sdist.py", "tarball", place.out)
    made = [Artefact(path, kind) for pattern, kind in (("*.whl", "wheel"), ("baton_handoff-*.tar.gz", "sdist")) for path in sorted(place.out.glob(pattern))]
    others = [("cp315-abi3.abi3t", "python3.15"), ("cp314-cp314t", "python3.14t")]
    return made, [{"file": f"baton_handoff-{place.version}-{tag}-manylinux_2_34_x86_64.whl", "reason": f"{program} is not found" if not shutil.which(program)
                   else "wheels of this interpreter are not built yet"} for tag, program in others]


# Kinds of npm packages by their names; any other one has our own text alone.
NPM_KINDS = {"baton-handoff": "npm-wasm", "baton-handoff-cli-linux-x64": "npm-program"}


def build_npm(place):
    folder, modules = place.folder / "npm", place.folder / "typescript"
    place.run("npm", "python3", "-B", "tools/make_wasm.py", modules / "wasm")
    place.run("npm", "python3", "-B", "tools/make_typescript.py", "--wasm", modules / "wasm/baton.wasm", modules / "packages")
    place.run("npm", "python3", "-B", "tools/make_npm.py", "--archive", make_archive(place), "--packages", modules / "packages", "--out", folder)
    kinds = {path: NPM_KINDS.get(path.name.removesuffix(f"-{place.version}.tgz"), "npm") for path in sorted(folder.glob("*.tgz"))}
    return [Artefact(pathlib.Path(shutil.copy(path, place.out / path.name)), kind) for path, kind in kinds.items()], []


def fetch_image_packages(cache):
    """The one step that needs a network: packages of the lock file, compared with their SHA-256."""
    logged(cache.parent / "log/oci-packages.log", ["python3", "-B", TREE / "tools/oci.py", "fetch", "--into", cache])


def build_oci(place):
    cache, packages = TREE / "build/oci-packages", place.folder / "oci-packages"
    fetch_image_packages(cache)
    shutil.copytree(cache, packages, dirs_exist_ok=True)
    bill, path, archive_path = place.folder / f"baton-{place.version}.spdx.json", place.out / f"baton-{place.version}-oci.tar", make_archive(place)
    place.run("oci", "python3", "-B", "tools/sbom.py", "--version", place.version, "--epoch", place.epoch, "--tree", ".", "--out", bill, f"tarball={archive_path}")
    commit = (place.source / "generated/commit").read_text().strip()
    place.run("oci", "python3", "-B", "tools/oci.py", "build", "--packages", packages, "--archive", archive_path, "--bill", bill, "--revision", commit, "--out", path)
    return [Artefact(path, "oci")], []


DEPLOYED = ("kubernetes", "compose", "homebrew", "helm")
DIGEST = re.compile(r'^  sha256 "[0-9a-f]{64}"$', re.M)


def build_deploy(place):
    """Manifests and the formula, which has the digest of the source tarball."""
    digest = hashlib.sha256((place.folder / f"baton-{place.version}.tar.xz").read_bytes()).hexdigest()
    members, top = [], place.source / "packaging"
    for path in sorted(path for name in DEPLOYED for path in (top / name).rglob("*") if path.is_file()):
        content = path.read_bytes()
        if path.suffix == ".rb":
            content = DIGEST.sub(f'  sha256 "{digest}"', content.decode()).encode()
        members.append(archive.Member(f"baton-{place.version}-deploy/{path.relative_to(top).as_posix()}", content=content))
    path = place.out / f"baton-{place.version}-deploy.tar.xz"
    path.write_bytes(archive.xz_bytes(archive.tar_bytes(members, place.epoch)))
    return [Artefact(path, "deploy")], []


# What is built from the source tarball, in this order; `source` itself comes first and is made by source.py. A step gives artefacts, and what it had to skip.
STEPS = {"core": build_core, "deb": build_deb, "tarball": build_tarball, "wheel": build_wheel, "npm": build_npm, "oci": build_oci, "deploy": build_deploy}
# Steps whose tools are not in the tree are not offered.
TOOLS = {"core": "tools/core_bundle.py", "wheel": "tools/wheel.py"}
STEPS = {name: step for name, step in STEPS.items() if (TREE / TOOLS.get(name, "meson.build")).is_file()}


def names():
    return ["source", *STEPS]
