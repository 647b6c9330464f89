#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_tarball.py [--source DIR] [--build DIR] [--jobs N] --out DIR - the archive for Linux: one folder that runs from anywhere.

Builds the program with the libraries of Debian linked in, and writes baton-VERSION-linux-ARCH.tar.xz and the same with -debug, which
has the debug symbols where gdb looks for them when both are unpacked in one place. The bytes depend on the source, the compiler,
the libraries and SOURCE_DATE_EPOCH (without it: the time of the commit). --build uses a folder that was built before.
"""
import argparse
import io
import lzma
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

import check_binary

SOURCE = pathlib.Path(__file__).resolve().parent.parent
# The archive holds the program and no library.
OPTIONS = ["--buildtype=plain", "-Doptimization=3", "-Ddebug=true", "-Db_lto=true", "-Dstatic_deps=true", "-Ddefault_library=shared", "-Dtests=false",
           "-Dplayground=enabled", "-Ddocs_url=none", "--prefix=/usr"]
LINKED = {"OpenSSL": "libssl-dev", "libfyaml": "libfyaml-dev", "SQLite": "libsqlite3-dev", "zstd": "libzstd-dev",
          "wasi-libc, in the module of the playground,": "wasi-libc", "the runtime functions of clang, in that module,": "libclang-rt-14-dev-wasm32"}
ARCHES = {"Advanced Micro Devices X86-64": "x64", "AArch64": "arm64"}
# What of an installation is in the archive; libraries, headers and Python are in other packages.
KEPT = re.compile(r"bin/baton|share/(man/man[15]|bash-completion|zsh|fish|doc/baton|baton)/.+")


class Failure(Exception):
    pass


def run(*command, cwd=None, env=None):
    done = subprocess.run([str(word) for word in command], cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failure(f"{' '.join(map(str, command))[:300]}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def source_epoch(source):
    """The time of everything in the archive."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    return int(given) if given else int(run("git", "-C", source, "log", "-1", "--format=%ct"))


def source_version(source):
    return re.search(r"^\s*version: '(\d+\.\d+\.\d+)'", (source / "meson.build").read_text(encoding="utf-8"), re.M)[1]


def build(source, folder, jobs, epoch):
    """Without the paths of this machine in it: they begin at the root of the source. With LTO the linker writes some of them."""
    env = {**os.environ, "SOURCE_DATE_EPOCH": str(epoch)}
    if not (folder / "build.ninja").is_file():
        run("meson", "setup", folder, source, *OPTIONS, *(f"-Dc_{step}=-ffile-prefix-map={source}=." for step in ("args", "link_args")), env=env)
    run("ninja", "-C", folder, *(["-j", jobs] if jobs else []), env=env)


def split_symbols(program):
    """The bytes of the stripped program, and those of its debug symbols."""
    symbols = program.with_name("baton.debug")
    run("objcopy", "--only-keep-debug", "--compress-debug-sections", program, symbols)
    run("strip", "--strip-all", program)
    run("objcopy", f"--add-gnu-debuglink={symbols.name}", program.name, cwd=program.parent)
    return program.read_bytes(), symbols.read_bytes()


def notice(linked, what):
    """The versions and licences of what is linked in, as Debian has them, and of the data; `linked` has packages by the names of their libraries."""
    told = "Baton is licensed under the Apache License 2.0, see LICENSE.\n"
    texts = {}
    if linked:
        told += f"\n{what} contains these libraries of Debian 12:\n\n"
    for name, package in linked.items():
        told += f"  {name}, from the source package version {run('dpkg-query', '-W', '-f', '${source:Version}', package)}\n"
        texts[name] = pathlib.Path(f"/usr/share/doc/{package}/copyright")
    texts["Data, and packages of the web console"] = SOURCE / "packaging/debian/copyright"
    rule = "=" * 78
    return told + "".join(f"\n{rule}\n{name}\n{rule}\n\n{path.read_text(encoding='utf-8')}" for name, path in texts.items())


def find_paths(files, source):
    """Names of files that hold a path of the machine on which they were built."""
    needles = [str(path).encode() for path in {source, pathlib.Path.home()} if len(str(path)) > 5]
    return [name for name, (_, data) in files.items() if any(needle in data for needle in needles)]


def tar_bytes(files, epoch):
    """Sorted by name, with one time, without users; `files` has (mode, bytes)."""
    out = io.BytesIO()
    folders = {str(parent) for name in files for parent in pathlib.PurePath(name).parents} - {"."}
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name in sorted([*files, *folders]):
            info = tarfile.TarInfo(name)
            info.mtime, info.mode = epoch, 0o755
            if name in files:
                info.mode, data = files[name]
                info.size = len(data)
            else:
                info.type, data = tarfile.DIRTYPE, b""
            tar.addfile(info, io.BytesIO(data))
    return lzma.compress(out.getvalue(), preset=6)


def collect(stage, source, version, arch):
    """The files of the archive, below its folder."""
    top, files = f"baton-{version}", {}
    for path in sorted((stage / "usr").rglob("*")):
        name = str(path.relative_to(stage / "usr"))
        if path.is_file() and KEPT.fullmatch(name):
            files[f"{top}/{name}"] = (0o755 if path.stat().st_mode & 0o100 else 0o644, path.read_bytes())
    files[f"{top}/install.sh"] = (0o755, (source / "packaging/archive/install.sh").read_bytes())
    page = (source / "packaging/archive/README").read_text(encoding="utf-8")
    files[f"{top}/README"] = (0o644, page.replace("@VERSION@", version).replace("@ARCH@", arch).encode())
    files[f"{top}/LICENSE"] = (0o644, (source / "LICENSE").read_bytes())
    files[f"{top}/NOTICE"] = (0o644, notice(LINKED, "The program").encode())
    return files


def make(source, out, folder, jobs):
    epoch, version = source_epoch(source), source_version(source)
    if not folder:
        folder = source / "build/tarball"
        build(source, folder, jobs, epoch)
    with tempfile.TemporaryDirectory(prefix="baton-tarball-") as name:
        stage = pathlib.Path(name)
        run("meson", "install", "-C", folder, "--no-rebuild", "--destdir", stage)
        program = stage / "usr/bin/baton"
        machine = re.search(r"Machine:\s+(.*)", check_binary.read_elf(program, "--file-header"))[1]
        arch = ARCHES.get(machine) or sys.exit(f"make_tarball.py: programs for {machine} are not packed")
        _, symbols = split_symbols(program)
        complaints = check_binary.check(program)
        files = collect(stage, source, version, arch)
    debug = {f"baton-{version}/bin/.debug/baton.debug": (0o644, symbols)}
    complaints += [f"{name}: holds a path of this machine" for name in find_paths({**files, **debug}, source)]
    if complaints:
        raise Failure("\n".join(complaints))
    out.mkdir(parents=True, exist_ok=True)
    for suffix, content in (("", files), ("-debug", debug)):
        path = out / f"baton-{version}-linux-{arch}{suffix}.tar.xz"
        path.write_bytes(tar_bytes(content, epoch))
        print(f"{path.stat().st_size} {path}")
    print(f"{len(files[f'baton-{version}/bin/baton'][1])} bin/baton")


def main(arguments):
    parser = argparse.ArgumentParser(prog="make_tarball.py", description="Make the archive for Linux.")
    parser.add_argument("--source", type=pathlib.Path, default=SOURCE)
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--jobs")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args(arguments)
    try:
        make(options.source.resolve(), options.out, options.build, options.jobs)
    except (Failure, OSError) as why:
        print(f"make_tarball.py: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
