#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""wheel.py [--source DIR [--jobs N]] [--require PLATFORM] BUILD OUT - write the wheel of the Python package that meson built in BUILD into the folder OUT.

The bytes depend on the files alone: entries are sorted, RECORD is last, times come from SOURCE_DATE_EPOCH (1980 without it). The platform is found out
by readelf: an extension that needs nothing but libc and libm, and symbols of glibc up to 2.34, is manylinux_2_34; any other one runs on this system
alone. --require refuses every other platform. With --source the tree DIR is built in BUILD first, with the libraries inside. `check FILE...` reads wheels again and compares them with their RECORD.
"""
import argparse
import base64
import hashlib
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import time
import zipfile

import make_tarball

ROOT = pathlib.Path(__file__).resolve().parent.parent
TAG = "cp311-abi3"
# Nothing but libc is needed where the wheel is installed, and no store is in it: a second copy of SQLite in one process breaks the locks of the first.
OPTIONS = ["--buildtype=release", "-Db_lto=true", "-Dprofile=check", "-Dstatic_deps=true", "-Dpython=enabled", "-Dtests=false"]
LINKED = {"OpenSSL": "libssl-dev", "libfyaml": "libfyaml-dev", "zstd": "libzstd-dev"}  # with these options
OLDEST = 315532800  # 1980-01-01, where the times of zip files begin
GLIBC_MAX = (2, 34)
PORTABLE = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
METADATA = """Metadata-Version: 2.1
Name: {name}
Version: {version}
Summary: Check, repair and make handoffs between AI agents
Author: Baton developers
License: Apache-2.0
License-File: LICENSE
License-File: NOTICE
Keywords: agents,handoff,contract,json-schema,llm
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: C
Classifier: Programming Language :: Python :: 3 :: Only
Classifier: Programming Language :: Python :: Implementation :: CPython
Classifier: Typing :: Typed
Requires-Python: >=3.11
Description-Content-Type: text/markdown

{description}"""


class WheelError(Exception):
    """A wheel that cannot be made, or is not what it says."""


def read_elf(path, option):
    done = subprocess.run(["readelf", "--wide", option, str(path)], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}, check=False)
    if done.returncode:
        raise WheelError(f"{path}: {done.stderr.strip()}")
    return done.stdout


def platform_of(extension):
    """The platform tag of an extension, and why it is not portable."""
    machine = platform.machine()
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", read_elf(extension, "--dynamic"))) - PORTABLE
    versions = {tuple(map(int, number.split("."))) for number in re.findall(r"\bGLIBC_(\d+(?:\.\d+)+)\b", read_elf(extension, "--version-info"))}
    above = sorted(version for version in versions if version > GLIBC_MAX)
    reasons = [f"needs {name}" for name in sorted(needed)] + ["needs GLIBC_" + ".".join(map(str, version)) for version in above]
    return (f"linux_{machine}", reasons) if reasons else (f"manylinux_2_34_{machine}", [])


def package_files(build):
    """{name in the wheel: bytes} of the package."""
    package = build / "sdk/python/baton"
    if not (package / "_core.abi3.so").is_file():
        raise WheelError(f"{package}: there is no extension; configure with -Dpython=enabled and build it")
    kept = [path for path in package.rglob("*") if path.is_file() and (path.suffix in (".py", ".pyi") or path.name in ("py.typed", "_core.abi3.so"))]
    return {path.relative_to(package.parent).as_posix(): path.read_bytes() for path in kept if "__pycache__" not in path.parts}


def build_package(source, build, jobs):
    """Build the package with the libraries inside, and without the paths of this machine."""
    if not (build / "build.ninja").is_file():
        subprocess.run(["meson", "setup", build, source, *OPTIONS, f"-Dc_args=-ffile-prefix-map={source}=."], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", build, *(["-j", str(jobs)] if jobs else []), "python-package"], check=True, stdout=subprocess.DEVNULL)


def name_of_distribution():
    names = ROOT / "packaging/names.json"
    return json.loads(names.read_text())["python"] if names.is_file() else "baton-handoff"


def version_of_tree():
    return re.search(r"version: '(\d+\.\d+\.\d+)'", (ROOT / "meson.build").read_text())[1]


def metadata():
    """What package indexes show, of a wheel and of the source distribution."""
    return METADATA.format(name=name_of_distribution(), version=version_of_tree(), description=(ROOT / "sdk/python/PACKAGE.md").read_text())


def digest_of(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def wheel_files(build, tag):
    """All files but RECORD, and the folder of the metadata. Only what runs elsewhere has libraries inside."""
    name, version = name_of_distribution(), version_of_tree()
    info = f"{name.replace('-', '_')}-{version}.dist-info"
    files = package_files(build)
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files[f"{info}/NOTICE"] = make_tarball.notice(LINKED if "manylinux" in tag else {}, "The extension").encode()
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: baton wheel.py\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    return files, info


def record_of(files, info):
    lines = [f"{name},{digest_of(data)},{len(data)}\n" for name, data in sorted(files.items())]
    return ("".join(lines) + f"{info}/RECORD,,\n").encode()


def write_wheel(path, files, info):
    when = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", OLDEST)), OLDEST))[:6]
    entries = [*sorted(files.items()), (f"{info}/RECORD", record_of(files, info))]
    with zipfile.ZipFile(path, "w") as wheel:
        for name, data in entries:
            entry = zipfile.ZipInfo(name, when)
            entry.create_system = 3
            entry.external_attr = (0o100755 if name.endswith(".so") else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data, compresslevel=9)


def make(build, out, required=None):
    """Write the wheel; gives its path."""
    package_files(build)  # there is an extension
    found, reasons = platform_of(build / "sdk/python/baton/_core.abi3.so")
    if required and found != required:
        raise WheelError(f"the wheel is for {found} and not for {required}: it {', '.join(reasons) or 'runs elsewhere'}")
    tag = f"{TAG}-{found}"
    files, info = wheel_files(build, tag)
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{info.removesuffix('.dist-info')}-{tag}.whl"
    write_wheel(path, files, info)
    return path


def check(path):
    """Complaints about one wheel: what its RECORD does not say, or says wrongly."""
    complaints = []
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        if not names or not names[-1].endswith(".dist-info/RECORD"):
            return [f"{path}: RECORD is not the last entry"]
        if names[:-1] != sorted(set(names[:-1])):
            complaints.append(f"{path}: the entries are not sorted, or not all different")
        rows = {row[0]: row[1:] for row in (line.rsplit(",", 2) for line in wheel.read(names[-1]).decode().splitlines())}
        for name in names[:-1]:
            data = wheel.read(name)
            if rows.pop(name, None) != [digest_of(data), str(len(data))]:
                complaints.append(f"{path}: {name} is not as RECORD says")
        complaints += [f"{path}: RECORD names {name}, which is not there" for name in rows if name != names[-1]]
    return complaints


def main():
    if sys.argv[1:2] == ["check"]:
        complaints = [complaint for name in sys.argv[2:] for complaint in check(name)]
        print("\n".join(complaints), end="\n" if complaints else "")
        return 1 if complaints else 0
    parser = argparse.ArgumentParser(prog="wheel.py")
    parser.add_argument("--source", type=pathlib.Path)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--require", metavar="PLATFORM")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    given = parser.parse_args()
    try:
        if given.source:
            build_package(given.source.resolve(), given.build, given.jobs)
        print(make(given.build, given.out, given.require))
    except (WheelError, OSError, subprocess.CalledProcessError) as error:
        print(f"wheel.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
